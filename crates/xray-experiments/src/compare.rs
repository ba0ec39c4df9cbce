//! Methods side by side on one data set, on any number of ranks.

mod report;
mod run;

use std::time::Duration;

use anyhow::Result;
use xray_data::text::DocumentFrequency;
use xray_nmf::comm::{Collectives, Communicator};
use xray_nmf::{ErrorKind, Selection};
use xray_pipeline::{Corpus, Error, Frequent, RowNames, together};
use xray_report::number;

use crate::evaluate::protocol;
use crate::measure::Deadline;
use crate::method::{Job, Method, NEEDS_ALL, Procedure, Shape};
use crate::part::Part;
use crate::quality::Protocol;
use crate::watch::{Interrupted, Watch};

pub use run::Run;
use run::Trial;

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
    /// Methods that are predicted to take longer, in seconds, are left out; so are those that do.
    pub time_limit: f64,
    /// How accuracy is measured; none if it is not.
    pub protocol: Option<Protocol>,
    /// The columns that are to be found, where they are known.
    pub true_anchors: Option<Vec<usize>>,
    /// Columns in fewer rows are no anchors of any method; by default as suits each.
    pub anchor_min_df: DocumentFrequency,
    /// Bytes for cached products; a quarter of the machine's memory if absent.
    pub memory: Option<usize>,
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
            true_anchors: None,
            anchor_min_df: DocumentFrequency::Automatic,
            memory: None,
        }
    }

    /// How often a method runs.
    fn n_runs(&self, method: &Method) -> usize {
        if method.random { self.seeds.max(1) } else { 1 }
    }
}

/// What became of a method.
#[derive(Debug, Clone, PartialEq)]
pub struct MethodRuns {
    /// The method.
    pub method: Method,
    /// One for each seed, or the reason why it was left out.
    pub runs: Result<Vec<Run>, String>,
}

/// All methods' results: the same on every rank.
#[derive(Debug, Clone)]
pub struct Comparison {
    /// Number of anchors or topics asked for.
    pub rank: usize,
    /// In the order of the options.
    pub results: Vec<MethodRuns>,
}

/// Runs the methods one after the other on the same data; collective.
///
/// A method that fails, would take too long, or cannot work on the parts that several ranks hold is listed with
/// the reason. Rows are compared by their classes if they have any: then each must have one.
///
/// # Errors
/// If the watcher of any rank ends it, or only some of the rows have a class.
pub fn compare(
    comm: &dyn Communicator,
    corpus: &mut Corpus,
    options: &CompareOptions,
    watch: &mut dyn Watch,
) -> Result<Comparison> {
    check_classes(comm, &corpus.rows)?;
    corpus.matrix.make_rows(comm)?;
    let part = Part { portion: corpus.matrix.portion(), comm, memory: options.memory };
    let truth = match &options.true_anchors {
        Some(truth) => Some(corpus.matrix.fetch_columns(comm, truth)?),
        None => None,
    };
    let trial = Trial { part, corpus, options, truth };
    let limits = Limits::new(comm, corpus)?;
    watch.begin("compare", options.methods.iter().map(|method| options.n_runs(method)).sum());
    let mut results = Vec::new();
    for method in &options.methods {
        let n_runs = options.n_runs(method);
        let runs = match limits.obstacle(options, method) {
            Some(reason) => {
                (0..n_runs).try_for_each(|_| advance(comm, watch))?;
                Err(reason)
            }
            None => {
                let candidates = candidates(comm, trial.corpus, options, method)?;
                let job = Job { candidates, ..options.job.clone() };
                run_seeds(&trial, method, &job, n_runs, watch)?
            }
        };
        results.push(MethodRuns { method: *method, runs });
    }
    Ok(Comparison { rank: options.job.rank, results })
}

/// The columns that a method may choose, if not all; collective.
fn candidates(
    comm: &dyn Communicator,
    corpus: &Corpus,
    options: &CompareOptions,
    method: &Method,
) -> Result<Option<Vec<usize>>> {
    let rule = match method.procedure {
        Procedure::Rule { selection, .. } => Some(selection),
        Procedure::Robust => Some(Selection::Dist),
        Procedure::Function(_) => None,
        Procedure::Factors(_) => return Ok(None),
    };
    let frequent = Frequent::of(comm, corpus, options.anchor_min_df, rule)?;
    Ok(frequent.map(|frequent| frequent.columns))
}

/// Refuses rows of which only some have a class; collective.
fn check_classes(comm: &dyn Communicator, rows: &RowNames) -> Result<()> {
    let labels = rows.labels.as_ref();
    let without = labels.and_then(|labels| labels.iter().position(String::is_empty));
    let checked = match without {
        Some(place) => Err(Error::Mismatch(format!(
            "row {} has no class, and methods are compared by classes; give all rows one, or none",
            rows.own.global(place) + 1
        ))),
        None => Ok(()),
    };
    Ok(together(comm, checked)?)
}

/// What may keep a method from running: the same on every rank.
struct Limits {
    shape: Shape,
    negative: bool,
    n_ranks: usize,
    /// Of all ranks.
    threads: usize,
}

impl Limits {
    /// Looks at the data; collective.
    fn new(comm: &dyn Communicator, corpus: &Corpus) -> Result<Self> {
        let negative = corpus.matrix.columns().as_matrix().first_negative().is_some();
        Ok(Self {
            shape: Shape::of(&corpus.matrix),
            negative: comm.any(negative)?,
            n_ranks: comm.size(),
            threads: comm.total(rayon::current_num_threads())?,
        })
    }

    /// Why a method cannot run, if it cannot.
    fn obstacle(&self, options: &CompareOptions, method: &Method) -> Option<String> {
        if self.n_ranks > 1 && !method.is_distributed() {
            return Some(NEEDS_ALL.to_owned());
        }
        let seconds = method.predicted_seconds(&self.shape, &options.job, self.threads);
        let predicted = seconds * options.n_runs(method) as f64;
        if predicted > options.time_limit {
            let [predicted, limit] =
                [predicted, options.time_limit].map(|s| number::duration(seconds_of(s)));
            return Some(format!("would take about {predicted}, more than the limit of {limit}"));
        }
        let refused = self.negative && method.needs_nonnegative;
        refused.then(|| "the data has negative entries".to_owned())
    }
}

/// A limit as a time; without an end is a generation.
fn seconds_of(limit: f64) -> Duration {
    Duration::from_secs_f64(limit.min(1e9))
}

/// Runs a method with one seed after the other, until it fails or its time is up.
fn run_seeds(
    trial: &Trial<'_>,
    method: &Method,
    first: &Job,
    n_runs: usize,
    watch: &mut dyn Watch,
) -> Result<Result<Vec<Run>, String>> {
    let mut left = seconds_of(trial.options.time_limit);
    let mut runs = Ok(Vec::new());
    for k in 0..n_runs {
        if let Ok(done) = &mut runs {
            let clock = Deadline::after(left);
            let job = Job { seed: first.seed + k as u64, stop: clock.stop, ..first.clone() };
            match agreed(trial.part.comm, trial.run(method, &job))? {
                Ok(run) => {
                    left = left.saturating_sub(run.spent.time);
                    done.push(run);
                }
                Err(reason) => runs = Err(reason),
            }
        }
        advance(trial.part.comm, watch)?;
    }
    Ok(runs)
}

/// The result, or the same reason on all ranks why there is none; collective.
///
/// # Errors
/// If the ranks cannot talk: that is no method's fault.
fn agreed<T>(comm: &dyn Communicator, own: Result<T>) -> Result<Result<T, String>> {
    if let Err(error) = &own {
        let engine = error.downcast_ref::<xray_nmf::Error>().map(xray_nmf::Error::kind);
        let kind = engine.or_else(|| error.downcast_ref::<Error>().map(Error::kind));
        if kind == Some(ErrorKind::Ranks) {
            return own.map(Ok);
        }
    }
    let reason = |error| Error::Agreed { message: format!("{error:#}"), kind: ErrorKind::Data };
    match together(comm, own.map_err(reason)) {
        Ok(result) => Ok(Ok(result)),
        Err(Error::Agreed { message, .. }) => Ok(Err(message)),
        Err(error) => Err(error.into()),
    }
}

/// A step is done; all ranks end here if the watcher of one does.
fn advance(comm: &dyn Communicator, watch: &mut dyn Watch) -> Result<()> {
    let own = watch.advance();
    let ended = comm.any(own.is_err())?;
    own?;
    if ended { Err(Interrupted.into()) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use xray_data::{LoadedMatrix, Table};
    use xray_nmf::SparseMatrix;
    use xray_nmf::comm::OneRank;
    use xray_nmf::synth::Synthetic;

    use super::*;

    /// Two classes in turn.
    fn labelled(matrix: LoadedMatrix) -> Corpus {
        let class = |d: usize| if d.is_multiple_of(2) { "even" } else { "odd" };
        let labels = (0..matrix.n_rows()).map(|d| class(d).to_owned()).collect();
        Corpus::whole(Table { labels: Some(labels), ..Table::new(matrix) })
    }

    /// Drawn data with two classes, and its anchors.
    fn drawn(clip: bool) -> (Corpus, Vec<usize>) {
        let drawn = Synthetic {
            n_rows: 24,
            n_columns: 30,
            rank: 4,
            noise: 0.05,
            clip,
            ..Synthetic::default()
        };
        let drawn = drawn.generate().expect("data");
        (labelled(drawn.matrix.into()), drawn.anchors)
    }

    fn run_methods(
        data: (Corpus, Vec<usize>),
        names: &[&str],
        change: impl Fn(&mut CompareOptions),
    ) -> Comparison {
        let methods = names.iter().map(|name| Method::named(name).expect("listed")).collect();
        let protocol = Some(Protocol { share: 0.5, repeats: 2, ..Protocol::default() });
        let (mut corpus, truth) = data;
        let true_anchors = Some(truth);
        let options = CompareOptions { methods, seeds: 2, protocol, ..CompareOptions::new(4) };
        let mut options = CompareOptions { true_anchors, ..options };
        change(&mut options);
        compare(&OneRank, &mut corpus, &options, &mut ()).expect("nobody ends it")
    }

    #[test]
    fn every_measure_is_taken_where_it_has_a_meaning() {
        let found = run_methods(drawn(true), &["xray-max", "nmf-hals"], |_| ());
        let [MethodRuns { runs: Ok(anchors), .. }, MethodRuns { runs: Ok(factors), .. }] =
            &found.results[..]
        else {
            panic!("{found:?}")
        };
        assert_eq!(
            (anchors.len(), factors.len()),
            (1, 2),
            "a random method runs once for each seed"
        );
        let run = &anchors[0];
        assert!(run.error > 0.0 && run.refined_error <= run.error, "{run:?}");
        assert!(run.refined_time > run.spent.time, "refinement takes time, too");
        assert!(run.recovery.is_some() && run.nmi.is_some() && run.anchor_accuracy.is_some());
        let run = &factors[0];
        assert!(run.anchors.is_none() && run.recovery.is_none() && run.anchor_accuracy.is_none());
        assert!(
            run.error == run.refined_error && run.weight_accuracy.is_some() && run.npmi.is_none()
        );
        assert_eq!(run.refined_time, run.spent.time, "its factors are complete");
        assert_ne!(factors[0].error, factors[1].error);
        assert_eq!(found.csv().n_rows(), 3);
    }

    #[test]
    fn accuracy_is_taken_only_where_asked_for() {
        let found = run_methods(drawn(true), &["spa"], |options| options.protocol = None);
        let [MethodRuns { runs: Ok(runs), .. }] = &found.results[..] else { panic!("{found:?}") };
        assert!(runs[0].anchor_accuracy.is_none() && runs[0].weight_accuracy.is_none());
        assert!(runs[0].nmi.is_some());
    }

    #[test]
    fn methods_are_given_up_when_their_time_is_up() {
        // Forecasts take a multiplication or two for all of it: only the clock ends these.
        let endless = |method: &Method| Method { cost: |_, _| 0.0, ..*method };
        let drawn = Synthetic {
            n_rows: 150,
            n_columns: 150,
            rank: 4,
            noise: 0.3,
            clip: true,
            ..Synthetic::default()
        };
        let drawn = drawn.generate().expect("data");
        let slow = [
            "arora",
            "esser",
            "hottopixx",
            "hottopixx-converged",
            "nmf-hals",
            "nmf-anls",
            "nmf-mu",
        ];
        for name in slow {
            let data = (labelled(drawn.matrix.clone().into()), drawn.anchors.clone());
            let begin = std::time::Instant::now();
            let found = run_methods(data, &[name], |options| {
                options.methods = options.methods.iter().map(endless).collect();
                (options.job.epochs, options.job.iterations) = (1_000_000, 1_000_000);
                options.time_limit = 0.2;
            });
            let (_, reason) = found.left_out().next().expect("too slow");
            assert!(reason.starts_with("given up after"), "{name}: {reason}");
            assert!(begin.elapsed() < Duration::from_secs(20), "{name}: {:?}", begin.elapsed());
        }
    }

    #[test]
    fn what_cannot_run_is_left_out_with_the_reason() {
        let found = run_methods(drawn(false), &["spa-l1", "xray-max"], |_| ());
        let left_out: Vec<_> = found.left_out().collect();
        assert_eq!(left_out, [("SPA (l1)", "the data has negative entries")]);
        let found = run_methods(drawn(true), &["arora"], |options| options.time_limit = 1e-9);
        let (_, reason) = found.left_out().next().expect("too slow");
        assert!(reason.contains("more than the limit of"), "{reason}");
        assert_eq!(found.table().n_rows(), 0);
        let zeros = SparseMatrix::from_triplets(24, 30, []).expect("zeros");
        let found = run_methods((labelled(zeros.into()), vec![0]), &["xray-max"], |_| ());
        assert!(found.left_out().next().expect("no column").1.contains("found no anchor"));
    }
}
