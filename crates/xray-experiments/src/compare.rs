//! Methods side by side on one data set.

mod report;

use std::time::Duration;

use anyhow::Result;
use xray_data::LoadedMatrix;
use xray_nmf::Refined;
use xray_pipeline::measure::{Coherence, normalized_mutual_information};
use xray_pipeline::top_words;

use crate::dataset::DataSet;
use crate::evaluate::{
    accuracy, anchor_features, clusters, protocol, recovery, refined, scaled, with_anchors,
};
use crate::measure::{Spent, measured};
use crate::method::{Found, Job, Method, Shape};
use crate::quality::{Protocol, reconstruction_error};
use crate::watch::Watch;

/// Words of a topic that coherence looks at.
const TOP_WORDS: usize = 10;

/// What to compare, and how.
#[derive(Debug, Clone)]
pub struct CompareOptions {
    /// The methods.
    pub methods: Vec<Method>,
    /// What each is asked for; the first seed of random ones.
    pub job: Job,
    /// Runs of a random method, each with a seed of its own.
    pub seeds: usize,
    /// Steps of refinement before rows are clustered and classified.
    pub refine: usize,
    /// Methods that are predicted to take longer, in seconds, are left out.
    pub time_limit: f64,
    /// How accuracy is measured; none if it is not.
    pub protocol: Option<Protocol>,
}

impl CompareOptions {
    /// All methods with usual settings.
    pub fn new(rank: usize) -> Self {
        Self {
            methods: crate::METHODS.to_vec(),
            job: Job::new(rank),
            seeds: 3,
            refine: 10,
            time_limit: 60.0,
            protocol: Some(protocol(0, None)),
        }
    }
}

/// One run of a method.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// Time and memory of the method itself; the weights of anchors are not part of it.
    pub spent: Spent,
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
    /// Accuracy on the anchors' columns.
    pub anchor_accuracy: Option<f64>,
    /// Accuracy on the refined weights.
    pub weight_accuracy: Option<f64>,
    /// Coherence of the topics' words.
    pub npmi: Option<f64>,
}

/// What became of a method.
#[derive(Debug, Clone, PartialEq)]
pub enum Fate {
    /// It ran, once for each seed.
    Ran(Vec<Run>),
    /// It did not, and why.
    LeftOut(String),
}

/// All methods' results.
#[derive(Debug, Clone)]
pub struct Comparison {
    /// Name of the data.
    pub data: String,
    /// Number of anchors or topics asked for.
    pub rank: usize,
    /// In the order of the options.
    pub results: Vec<(Method, Fate)>,
}

/// Runs the methods one after the other on the same data.
///
/// A method that fails, or would take too long, is listed with the reason.
///
/// # Errors
/// If the watcher ends it.
pub fn compare(
    data: &DataSet,
    options: &CompareOptions,
    watch: &mut dyn Watch,
) -> Result<Comparison> {
    let runs = |method: &Method| if method.random { options.seeds.max(1) } else { 1 };
    watch.begin("compare", options.methods.iter().map(runs).sum());
    let mut results = Vec::new();
    for method in &options.methods {
        let fate = match obstacle(data, options, method, runs(method)) {
            Some(reason) => {
                (0..runs(method)).try_for_each(|_| watch.advance())?;
                Fate::LeftOut(reason)
            }
            None => run_seeds(data, options, method, runs(method), watch)?,
        };
        results.push((*method, fate));
    }
    Ok(Comparison { data: data.name.clone(), rank: options.job.rank, results })
}

/// Why a method cannot run, if it cannot.
fn obstacle(
    data: &DataSet,
    options: &CompareOptions,
    method: &Method,
    runs: usize,
) -> Option<String> {
    let predicted = method.predicted_seconds(&Shape::of(&data.matrix), &options.job) * runs as f64;
    if predicted > options.time_limit {
        let [predicted, limit] = [predicted, options.time_limit]
            .map(|s| xray_report::number::duration(Duration::from_secs_f64(s.min(1e9))));
        return Some(format!("would take about {predicted}, more than the limit of {limit}"));
    }
    match data.matrix.as_matrix().first_negative() {
        Some(_) if method.needs_nonnegative => Some("the data has negative entries".to_owned()),
        _ => None,
    }
}

fn run_seeds(
    data: &DataSet,
    options: &CompareOptions,
    method: &Method,
    n: usize,
    watch: &mut dyn Watch,
) -> Result<Fate> {
    let mut runs = Vec::new();
    let mut failure = None;
    for k in 0..n {
        let job = Job { seed: options.job.seed + k as u64, ..options.job.clone() };
        if failure.is_none() {
            match run(data, options, method, &job) {
                Ok(run) => runs.push(run),
                Err(error) => failure = Some(format!("{error:#}")),
            }
        }
        watch.advance()?;
    }
    Ok(failure.map_or(Fate::Ran(runs), Fate::LeftOut))
}

fn run(data: &DataSet, options: &CompareOptions, method: &Method, job: &Job) -> Result<Run> {
    let matrix = &data.matrix;
    let (found, spent) = measured(|| method.run(matrix, job));
    let threads = job.threads;
    let mut run = Run {
        spent,
        anchors: None,
        error: f64::NAN,
        refined_error: f64::NAN,
        recovery: None,
        nmi: None,
        anchor_accuracy: None,
        weight_accuracy: None,
        npmi: None,
    };
    let classes = data.labels.as_ref().map(|labels| labels.ids());
    let judged = classes.zip(options.protocol.as_ref());
    let factors = match found? {
        Found::Factors(factors) => {
            run.error = error_of(matrix, &factors)?;
            factors
        }
        Found::Anchors(anchors) => {
            let weights = with_anchors(matrix, &anchors, threads)?;
            run.error = weights.residual();
            if let Some((classes, protocol)) = judged {
                let features = anchor_features(&weights);
                let found = accuracy(features, weights.rank(), classes, protocol)?;
                run.anchor_accuracy = Some(found.mean);
            }
            run.recovery = data
                .anchors
                .as_deref()
                .map(|truth| recovery(matrix, truth, &anchors))
                .transpose()?;
            run.anchors = Some(anchors);
            refined(matrix, Refined::from_factorization(&weights), options.refine, threads)?
        }
    };
    run.refined_error = error_of(matrix, &factors)?;
    let factors = scaled(factors);
    if let Some(classes) = classes {
        let classes: Vec<Option<usize>> = classes.iter().copied().map(Some).collect();
        run.nmi = Some(normalized_mutual_information(&classes, &clusters(&factors)?));
    }
    if let LoadedMatrix::Sparse(x) = matrix {
        run.npmi = mean_coherence(&Coherence::new(x), &factors, &data.words);
    }
    if let Some((classes, protocol)) = judged {
        let found = accuracy(factors.w, factors.rank, classes, protocol)?;
        run.weight_accuracy = Some(found.mean);
    }
    Ok(run)
}

fn error_of(matrix: &LoadedMatrix, factors: &Refined) -> Result<f64> {
    let Refined { rank, w, h, .. } = factors;
    Ok(reconstruction_error(matrix.as_matrix(), w, h, *rank)?)
}

/// The mean NPMI of the topics' heaviest words; none if there are no topics.
fn mean_coherence(
    coherence: &Coherence<'_, f64>,
    factors: &Refined,
    vocabulary: &[String],
) -> Option<f64> {
    let topics = top_words(&factors.h, factors.rank, TOP_WORDS, vocabulary, &[], false);
    let lists: Vec<Vec<usize>> =
        topics.iter().map(|words| words.iter().map(|word| word.0).collect()).collect();
    let values: Vec<f64> = coherence.topics(&lists).iter().map(|topic| topic.npmi).collect();
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}
