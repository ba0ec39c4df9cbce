//! Methods side by side on one data set.

mod report;

use std::time::Duration;

use anyhow::{Result, ensure};
use xray_data::LoadedMatrix;
use xray_nmf::Factors;
use xray_nmf::comm::OneRank;
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
            protocol: Some(protocol(0)),
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
    let (found, spent) = measured(|| method.run(&data.matrix, job));
    let judged = match found? {
        Found::Factors(factors) => Judged::factors(data, factors)?,
        Found::Anchors(anchors) => Judged::anchors(data, options, anchors)?,
    };
    let refined_error = error_of(&data.matrix, &judged.factors)?;
    let factors = scaled(judged.factors);
    let nmi = match &data.labels {
        Some(labels) => {
            let classes: Vec<Option<usize>> = labels.ids().iter().copied().map(Some).collect();
            Some(normalized_mutual_information(&classes, &clusters(&factors)?))
        }
        None => None,
    };
    let npmi = match &data.matrix {
        LoadedMatrix::Sparse(x) => mean_coherence(&Coherence::new(x), &factors, &data.words),
        LoadedMatrix::Dense(_) => None,
    };
    Ok(Run {
        spent,
        anchors: judged.anchors,
        error: judged.error,
        refined_error,
        recovery: judged.recovery,
        nmi,
        anchor_accuracy: judged.accuracy,
        weight_accuracy: mean_accuracy(data, options, factors.w, factors.rank)?,
        npmi,
    })
}

/// What is known of a result before its factors are looked at.
struct Judged {
    /// The factors: those found, or the anchors' after refinement.
    factors: Factors,
    anchors: Option<Vec<usize>>,
    /// Of the result as found.
    error: f64,
    recovery: Option<f64>,
    /// With the anchors' columns as features.
    accuracy: Option<f64>,
}

impl Judged {
    fn factors(data: &DataSet, factors: Factors) -> Result<Self> {
        let error = error_of(&data.matrix, &factors)?;
        Ok(Self { factors, anchors: None, error, recovery: None, accuracy: None })
    }

    fn anchors(data: &DataSet, options: &CompareOptions, anchors: Vec<usize>) -> Result<Self> {
        ensure!(!anchors.is_empty(), "found no anchor: is there a column other than 0?");
        let weights = with_anchors(&data.matrix, &anchors)?;
        let recovery = match &data.anchors {
            Some(truth) => Some(recovery(&data.matrix, truth, &anchors)?),
            None => None,
        };
        let start = weights.factors(&OneRank)?;
        Ok(Self {
            error: weights.residual(),
            accuracy: mean_accuracy(data, options, anchor_features(&weights)?, weights.rank())?,
            recovery,
            factors: refined(&data.matrix, start, options.refine)?,
            anchors: Some(anchors),
        })
    }
}

/// The mean accuracy with these features, if there are classes and it is asked for.
fn mean_accuracy(
    data: &DataSet,
    options: &CompareOptions,
    features: Vec<f64>,
    rank: usize,
) -> Result<Option<f64>> {
    match (&data.labels, &options.protocol) {
        (Some(labels), Some(protocol)) => {
            Ok(Some(accuracy(features, rank, labels.ids(), protocol)?.mean))
        }
        _ => Ok(None),
    }
}

fn error_of(matrix: &LoadedMatrix, factors: &Factors) -> Result<f64> {
    let Factors { rank, w, h, .. } = factors;
    Ok(reconstruction_error(matrix.as_matrix(), w, h, *rank)?)
}

/// The mean NPMI of the topics' heaviest words; none if there are no topics.
fn mean_coherence(
    coherence: &Coherence<'_, f64>,
    factors: &Factors,
    vocabulary: &[String],
) -> Option<f64> {
    let topics = top_words(&factors.h, factors.rank, TOP_WORDS, vocabulary, &[], false);
    let lists: Vec<Vec<usize>> =
        topics.iter().map(|words| words.iter().map(|word| word.0).collect()).collect();
    let values: Vec<f64> = coherence.topics(&lists).iter().map(|topic| topic.npmi).collect();
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

#[cfg(test)]
mod tests {
    use xray_nmf::synth::Synthetic;
    use xray_pipeline::measure::Labelling;

    use super::*;

    /// Drawn data with known anchors and two classes.
    fn data(clip: bool) -> DataSet {
        let drawn = Synthetic {
            n_rows: 24,
            n_columns: 30,
            rank: 4,
            noise: 0.05,
            clip,
            ..Synthetic::default()
        };
        let drawn = drawn.generate().expect("data");
        let labels: Vec<&str> = (0..24).map(|d| if d % 2 == 0 { "even" } else { "odd" }).collect();
        DataSet {
            name: "drawn".into(),
            matrix: drawn.matrix.into(),
            words: (0..30).map(|j| j.to_string()).collect(),
            labels: Some(Labelling::from_names(&labels)),
            anchors: Some(drawn.anchors),
        }
    }

    fn run_methods(
        data: &DataSet,
        names: &[&str],
        change: impl Fn(&mut CompareOptions),
    ) -> Comparison {
        let methods = names.iter().map(|name| Method::named(name).expect("listed")).collect();
        let protocol = Some(Protocol { share: 0.5, repeats: 2, ..Protocol::default() });
        let mut options = CompareOptions { methods, seeds: 2, protocol, ..CompareOptions::new(4) };
        change(&mut options);
        compare(data, &options, &mut ()).expect("nobody ends it")
    }

    #[test]
    fn every_measure_is_taken_where_it_has_a_meaning() {
        let found = run_methods(&data(true), &["xray-max", "nmf-hals"], |_| ());
        let [(_, Fate::Ran(anchors)), (_, Fate::Ran(factors))] = &found.results[..] else {
            panic!("{found:?}")
        };
        assert_eq!(
            (anchors.len(), factors.len()),
            (1, 2),
            "a random method runs once for each seed"
        );
        let run = &anchors[0];
        assert!(run.error > 0.0 && run.refined_error <= run.error, "{run:?}");
        assert!(run.recovery.is_some() && run.nmi.is_some() && run.anchor_accuracy.is_some());
        let run = &factors[0];
        assert!(run.anchors.is_none() && run.recovery.is_none() && run.anchor_accuracy.is_none());
        assert!(
            run.error == run.refined_error && run.weight_accuracy.is_some() && run.npmi.is_none()
        );
        assert_ne!(factors[0].error, factors[1].error);
        assert_eq!(found.csv().n_rows(), 3);
    }

    #[test]
    fn accuracy_is_taken_only_where_asked_for() {
        let found = run_methods(&data(true), &["spa"], |options| options.protocol = None);
        let [(_, Fate::Ran(runs))] = &found.results[..] else { panic!("{found:?}") };
        assert!(runs[0].anchor_accuracy.is_none() && runs[0].weight_accuracy.is_none());
        assert!(runs[0].nmi.is_some());
    }

    #[test]
    fn what_cannot_run_is_left_out_with_the_reason() {
        let found = run_methods(&data(false), &["spa-l1", "xray-max"], |_| ());
        let left_out: Vec<_> = found.left_out().collect();
        assert_eq!(left_out, [("SPA (l1)", "the data has negative entries")]);
        let found = run_methods(&data(true), &["arora"], |options| options.time_limit = 1e-9);
        let (_, reason) = found.left_out().next().expect("too slow");
        assert!(reason.contains("more than the limit of"), "{reason}");
        assert_eq!(found.table().n_rows(), 0);
        let zeros = xray_nmf::SparseMatrix::from_triplets(24, 30, []).expect("zeros");
        let nothing = DataSet { matrix: zeros.into(), ..data(true) };
        let found = run_methods(&nothing, &["xray-max"], |_| ());
        assert!(found.left_out().next().expect("no column").1.contains("found no anchor"));
    }
}
