//! One run of a method, and how good what it found is.

use std::time::{Duration, Instant};

use anyhow::{Result, bail, ensure};
use xray_nmf::Factors;
use xray_nmf::Line;
use xray_nmf::comm::{Collectives, Communicator};
use xray_pipeline::measure::{Labelling, coherence_of};
use xray_pipeline::report::Agreement;
use xray_pipeline::{Clusters, Corpus, DocumentWeights, heaviest_words};
use xray_report::number;

use super::CompareOptions;
use crate::evaluate::{accuracy, scaled};
use crate::measure::{Spent, measured};
use crate::method::{Found, Job, Method};
use crate::part::Part;
use crate::quality::{ray_recovery, reconstruction_error};

/// Words of a topic that coherence looks at.
const TOP_WORDS: usize = 10;

/// Columns are the same ray if the angle between them is this small, relative.
const SAME_RAY: f64 = 1e-6;

/// One run of a method: the same on every rank.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// Time and memory of the method itself, the largest of all ranks; the weights of anchors are not part of it.
    pub spent: Spent,
    /// The time until there are the factors that all measures but `error`, `recovery` and `anchor_accuracy` look
    /// at: with the weights of anchors and their refinement.
    pub refined_time: Duration,
    /// The anchors, if the method chooses columns.
    pub anchors: Option<Vec<usize>>,
    /// `||X - WH|| / ||X||`: with the best weights for anchors, as found for factors.
    pub error: f64,
    /// The same after refinement.
    pub refined_error: f64,
    /// The part of the true rays that was found.
    pub recovery: Option<f64>,
    /// Agreement of the rows' heaviest topics with their classes.
    pub nmi: Option<f64>,
    /// Normalised mutual information of the classes and the clusters of the rows, if there are classes and the rows are
    /// at hand.
    pub nmi_clusters: Option<f64>,
    /// Accuracy on the anchors' columns.
    pub anchor_accuracy: Option<f64>,
    /// Accuracy on the refined weights.
    pub weight_accuracy: Option<f64>,
    /// Coherence of the topics' words.
    pub npmi: Option<f64>,
}

/// What is known of a result before its factors are looked at.
struct Judged {
    /// The factors: those found, or the anchors' after refinement.
    factors: Factors,
    /// What it took to make them of what was found.
    refining: Duration,
    anchors: Option<Vec<usize>>,
    /// Of the result as found.
    error: f64,
    recovery: Option<f64>,
    /// With the anchors' columns as features.
    accuracy: Option<f64>,
}

/// What all methods are tried on, and how they are judged.
pub(super) struct Trial<'a> {
    pub part: Part<'a>,
    pub corpus: &'a Corpus,
    pub options: &'a CompareOptions,
    /// The columns that are to be found.
    pub truth: Option<Vec<Line>>,
}

impl Trial<'_> {
    /// Runs a method and judges what it finds; collective.
    pub(super) fn run(&self, method: &Method, job: &Job) -> Result<Run> {
        let (found, spent) = measured(|| method.run(self.part, job));
        // What was found until then is not what the method finds.
        if self.part.comm.any(job.stop.is_made())? {
            let time = number::duration(spent.time);
            bail!("given up after {time}: more than the limit of time");
        }
        let judged = match found? {
            Found::Factors(factors) => self.judge_factors(factors)?,
            Found::Anchors(anchors) => self.judge_anchors(anchors)?,
        };
        let refined_error = reconstruction_error(self.part, &judged.factors)?;
        let factors = scaled(judged.factors);
        let npmi = self.coherence(&factors)?;
        let documents = DocumentWeights::new(self.corpus.rows.own, factors.rank, factors.w);
        let agreement = |groups: &[Option<usize>]| match &self.corpus.rows.labels {
            Some(labels) => Agreement::of(self.part.comm, labels, groups),
            None => Ok(None),
        };
        let nmi = agreement(&documents.heaviest)?;
        let clusters = match self.corpus.matrix.rows() {
            Some(_) if nmi.is_some() => {
                agreement(&Clusters::find(self.part.comm, self.corpus, &documents)?.1)?
            }
            _ => None,
        };
        let spent = spent.largest(self.part.comm)?;
        Ok(Run {
            spent,
            refined_time: spent.time + slowest(self.part.comm, judged.refining)?,
            anchors: judged.anchors,
            error: judged.error,
            refined_error,
            recovery: judged.recovery,
            nmi: nmi.map(|agreement| agreement.nmi),
            nmi_clusters: clusters.map(|agreement| agreement.nmi),
            anchor_accuracy: judged.accuracy,
            weight_accuracy: self.accuracy(&documents)?,
            npmi,
        })
    }

    fn judge_factors(&self, factors: Factors) -> Result<Judged> {
        let error = reconstruction_error(self.part, &factors)?;
        let refining = Duration::ZERO;
        Ok(Judged { factors, refining, anchors: None, error, recovery: None, accuracy: None })
    }

    fn judge_anchors(&self, anchors: Vec<usize>) -> Result<Judged> {
        ensure!(!anchors.is_empty(), "found no anchor: is there a column other than 0?");
        let begin = Instant::now();
        let weights = self.part.with_anchors(&anchors)?;
        let weighing = begin.elapsed();
        let recovery = match &self.truth {
            Some(truth) => Some(ray_recovery(truth, weights.anchor_columns(), SAME_RAY)?),
            None => None,
        };
        let start = weights.factors(self.part.comm)?;
        let own = self.corpus.rows.own;
        let accuracy = self.accuracy(&DocumentWeights::new(own, start.rank, start.w.clone()))?;
        let begin = Instant::now();
        let factors = self.part.refined(start, self.options.refine)?;
        Ok(Judged {
            error: weights.residual(),
            accuracy,
            recovery,
            factors,
            refining: weighing + begin.elapsed(),
            anchors: Some(anchors),
        })
    }

    /// The mean accuracy with these features of the rows, if there are classes and it is asked for; collective.
    /// The features meet on rank 0, where the classifiers are trained.
    fn accuracy(&self, features: &DocumentWeights) -> Result<Option<f64>> {
        let (comm, rows) = (self.part.comm, &self.corpus.rows);
        let (Some(protocol), true) = (&self.options.protocol, rows.labels.is_some()) else {
            return Ok(None);
        };
        let (mut values, mut labels) = (Vec::new(), Vec::new());
        features.for_each_block(comm, rows, |block| {
            values.extend_from_slice(block.weights);
            labels.extend(block.labels.iter().flat_map(|labels| labels.iter().cloned()));
            Ok(())
        })?;
        let (mut mean, mut failure) = (Vec::new(), Vec::new());
        if comm.rank() == 0 {
            let classes = Labelling::from_names(&labels);
            match accuracy(values, features.rank, classes.ids(), protocol) {
                Ok(found) => mean.push(found.mean),
                Err(error) => failure = format!("{error:#}").into_bytes(),
            }
        }
        comm.share(0, &mut mean)?;
        comm.share(0, &mut failure)?;
        if mean.is_empty() {
            bail!("{}", String::from_utf8_lossy(&failure));
        }
        Ok(mean.first().copied())
    }

    /// The mean NPMI of the topics' heaviest words; none if there are no topics, or the data is dense; collective.
    fn coherence(&self, factors: &Factors) -> Result<Option<f64>> {
        if self.corpus.matrix.is_dense() {
            return Ok(None);
        }
        let topics = heaviest_words(&factors.h, factors.rank, TOP_WORDS);
        let list = |words: &Vec<(usize, f64)>| words.iter().map(|word| word.0).collect();
        let lists: Vec<Vec<usize>> = topics.iter().map(list).collect();
        let topics = coherence_of(self.part.comm, &self.corpus.matrix, &lists)?;
        let sum = topics.iter().map(|topic| topic.npmi).sum::<f64>();
        Ok((!topics.is_empty()).then(|| sum / topics.len() as f64))
    }
}

/// The longest time of any rank; collective.
fn slowest(comm: &dyn Communicator, own: Duration) -> xray_nmf::Result<Duration> {
    comm.largest(own.as_secs_f64()).map(Duration::from_secs_f64)
}
