//! Every method by name: the rules of the paper, its rivals, and NMF by local optimisation.
//!
//! A method is a row of [`METHODS`]: a name, words for people, what it costs, and a function. To try
//! another one, write such a function, and pass a [`Method`] with it to [`compare`](crate::compare());
//! to offer it to everyone, add the row.

mod runs;

pub(crate) use runs::{hottopixx_nearly, precision};

use std::sync::LazyLock;

use anyhow::{Result, bail};
use xray_nmf::{Factors, Matrix, Selection, SparseMatrix, StopRequest};
use xray_pipeline::DistributedMatrix;

use crate::part::Part;

/// What a method is asked for.
#[derive(Debug, Clone)]
pub struct Job {
    /// Number of anchors or topics.
    pub rank: usize,
    /// Everything random follows from it.
    pub seed: u64,
    /// Passes of Hottopixx over the data.
    pub epochs: usize,
    /// Iterations of local optimisation.
    pub iterations: usize,
    /// The only columns that may be chosen, if not all.
    pub candidates: Option<Vec<usize>>,
    /// Methods give up soon after this is made.
    pub stop: StopRequest,
}

impl Job {
    /// The defaults, for a given rank.
    pub fn new(rank: usize) -> Self {
        let (candidates, stop) = (None, StopRequest::new());
        Self { rank, seed: 0, epochs: 50, iterations: 100, candidates, stop }
    }
}

/// What a method found.
#[derive(Debug, Clone, PartialEq)]
pub enum Found {
    /// Columns of X.
    Anchors(Vec<usize>),
    /// Factors that are not made of columns.
    Factors(Factors),
}

/// A method.
#[derive(Debug, Clone, Copy)]
pub struct Method {
    /// What users type, such as `xray-greedy`.
    pub name: &'static str,
    /// What tables and legends say.
    pub label: &'static str,
    /// One sentence.
    pub about: &'static str,
    /// Whether the data must have no negative entry.
    pub needs_nonnegative: bool,
    /// Whether the result depends on the seed.
    pub random: bool,
    /// Predicted multiplications.
    pub cost: fn(&Shape, &Job) -> f64,
    /// Does the work.
    pub procedure: Procedure,
}

/// How a method is run.
#[derive(Debug, Clone, Copy)]
pub enum Procedure {
    /// A rule of XRAY, with or without the mean ray, on any number of ranks.
    Rule {
        /// The rule.
        selection: Selection,
        /// Whether the cone starts with the mean column.
        mean_ray: bool,
    },
    /// XRAY above the noise, on any number of ranks.
    Robust,
    /// Any other function that chooses columns, which needs all of the data on one rank. If only some columns may be
    /// chosen, it gets those alone, and numbers them from 0.
    Function(fn(&dyn Matrix, &Job) -> Result<Found>),
    /// A function that makes factors, and chooses no columns.
    Factors(fn(&dyn Matrix, &Job) -> Result<Found>),
}

impl PartialEq for Method {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

/// The size of a matrix, as costs need it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Rows.
    pub m: usize,
    /// Columns.
    pub n: usize,
    /// Stored entries.
    pub entries: usize,
}

impl Shape {
    /// The size of a matrix on all ranks.
    pub(crate) fn of(matrix: &DistributedMatrix) -> Self {
        Self { m: matrix.n_rows(), n: matrix.n_columns(), entries: matrix.n_entries() }
    }

    fn numbers(&self) -> (f64, f64, f64) {
        (self.m as f64, self.n as f64, self.entries as f64)
    }
}

/// Multiplications that one thread does in a second, roughly, when methods are predicted.
const RATE: f64 = 5e8;

/// Why methods that are not distributed cannot run on many ranks.
pub(crate) const NEEDS_ALL: &str = "needs the whole matrix on one machine";

impl Method {
    /// Finds a method by its name.
    ///
    /// # Errors
    /// If there is none; the message lists them.
    pub fn named(name: &str) -> Result<Self> {
        match METHODS.iter().find(|method| method.name == name) {
            Some(method) => Ok(*method),
            None => {
                let names: Vec<&str> = METHODS.iter().map(|method| method.name).collect();
                bail!("{name}: no such method; use one of {}", names.join(", "))
            }
        }
    }

    /// Whether ranks that hold a part of the matrix each can run it together.
    pub fn is_distributed(&self) -> bool {
        matches!(self.procedure, Procedure::Rule { .. } | Procedure::Robust)
    }

    /// Finds anchors or factors of a matrix; collective.
    ///
    /// # Errors
    /// If the method refuses the matrix or the job.
    pub(crate) fn run(&self, part: Part<'_>, job: &Job) -> Result<Found> {
        match self.procedure {
            Procedure::Rule { selection, mean_ray } => runs::xray(part, job, selection, mean_ray),
            Procedure::Robust => runs::robust(part, job),
            Procedure::Function(_) | Procedure::Factors(_) if part.comm.size() > 1 => {
                bail!("{}: {NEEDS_ALL}", self.name)
            }
            Procedure::Function(run) => match &job.candidates {
                Some(candidates) => among(part.portion.columns, candidates, run, job),
                None => run(part.portion.columns, job),
            },
            Procedure::Factors(run) => run(part.portion.columns, job),
        }
    }

    /// A rough forecast of the time it takes with so many threads, in seconds.
    pub(crate) fn predicted_seconds(&self, shape: &Shape, job: &Job, threads: usize) -> f64 {
        (self.cost)(shape, job) / (RATE * threads as f64)
    }
}

/// Chooses some of the candidates, by their numbers in the whole matrix.
fn among(
    matrix: &dyn Matrix,
    candidates: &[usize],
    run: fn(&dyn Matrix, &Job) -> Result<Found>,
    job: &Job,
) -> Result<Found> {
    let (mut offsets, mut rows, mut values) = (vec![0], Vec::new(), Vec::new());
    for &j in candidates {
        matrix.column(j).for_each(|d, value| {
            if value != 0.0 {
                rows.push(d as u32);
                values.push(value);
            }
        });
        offsets.push(values.len());
    }
    let (m, n) = (matrix.n_rows(), candidates.len());
    let restricted = SparseMatrix::<f64>::from_csc(m, n, offsets, rows, values)?;
    Ok(match run(&restricted, job)? {
        Found::Anchors(found) => Found::Anchors(found.iter().map(|&k| candidates[k]).collect()),
        factors @ Found::Factors(_) => factors,
    })
}

/// The cost of methods that look at all entries a few times for each anchor.
fn linear(shape: &Shape, job: &Job) -> f64 {
    let (m, n, entries) = shape.numbers();
    let r = job.rank as f64;
    2.0 * entries * r + (m + n) * r * r
}

/// The cost of methods that begin with a singular value decomposition: some thirty rounds.
fn decomposed(shape: &Shape, job: &Job) -> f64 {
    30.0 * linear(shape, job)
}

fn local(shape: &Shape, job: &Job) -> f64 {
    job.iterations as f64 * linear(shape, job)
}

fn hottopixx(shape: &Shape, job: &Job) -> f64 {
    let (_, n, entries) = shape.numbers();
    // Both passes of a step are plain streams: about four multiplications for the price of one.
    job.epochs as f64 * (entries * n / 2.0 + 4.0 * n * n)
}

fn hottopixx_converged(shape: &Shape, job: &Job) -> f64 {
    // Steps until the bounds meet; problems differ by a factor of ten.
    hottopixx(shape, &Job { epochs: 5000, ..job.clone() })
}

fn programs(shape: &Shape, _: &Job) -> f64 {
    let (m, n, _) = shape.numbers();
    // n linear programs with m rows and n columns; pivots grow with the smaller side.
    2.0 * n * m.min(n) * m * n / 100.0
}

fn esser(shape: &Shape, _: &Job) -> f64 {
    let n = shape.numbers().1;
    100.0 * n * n * n
}

/// All methods, in the order in which tables list them: every rule of XRAY, then its rivals.
pub static METHODS: LazyLock<Vec<Method>> = LazyLock::new(|| {
    let rules = Selection::ALL.into_iter().map(rule);
    let others = RIVALS.iter().chain(LOCAL).copied();
    rules.chain([MEAN_RAY, ROBUST]).chain(others).collect()
});

/// The row of a rule; its names live as long as the table does.
fn rule(selection: Selection) -> Method {
    Method {
        name: format!("xray-{selection}").leak(),
        label: format!("XRAY({selection})").leak(),
        about: selection.words(),
        needs_nonnegative: false,
        random: selection == Selection::Rand,
        cost: linear,
        procedure: Procedure::Rule { selection, mean_ray: false },
    }
}

const MEAN_RAY: Method = Method {
    name: "xray-max-mean",
    label: "XRAY(max), mean ray",
    about: "max in a cone that starts with the mean column",
    needs_nonnegative: false,
    random: false,
    cost: linear,
    procedure: Procedure::Rule { selection: Selection::Max, mean_ray: true },
};

const ROBUST: Method = Method {
    name: "xray-robust",
    label: "XRAY(robust)",
    about: "dist above the estimated noise, in a cone that starts with the mean",
    needs_nonnegative: false,
    random: false,
    cost: decomposed,
    procedure: Procedure::Robust,
};

macro_rules! methods {
    ($list:ident, $procedure:ident: $($name:literal, $label:literal, $about:literal, $nonnegative:literal, $random:literal,
       $cost:expr, $run:expr;)*) => {
        const $list: &[Method] = &[$(Method {
            name: $name,
            label: $label,
            about: $about,
            needs_nonnegative: $nonnegative,
            random: $random,
            cost: $cost,
            procedure: Procedure::$procedure($run),
        }),*];
    };
}

methods! { RIVALS, Function:
    "spa", "SPA (raw)", "successive projection (Gillis and Vavasis), columns as they are",
        false, false, linear, runs::spa_raw;
    "spa-l1", "SPA (l1)", "successive projection (Gillis and Vavasis), columns scaled to sum 1",
        true, false, linear, runs::spa_l1;
    "snpa", "SNPA (raw)", "successive nonnegative projection (Gillis), columns as they are",
        false, false, linear, runs::snpa_raw;
    "snpa-l1", "SNPA (l1)", "successive nonnegative projection (Gillis), columns scaled to sum 1",
        true, false, linear, runs::snpa_l1;
    "vca", "VCA", "vertex component analysis (Nascimento and Bioucas-Dias), random directions",
        false, true, decomposed, runs::vca;
    "nfindr", "N-FINDR (raw)", "the simplex of largest volume (Winter), columns as they are",
        false, false, decomposed, runs::nfindr_raw;
    "nfindr-l1", "N-FINDR (l1)", "the simplex of largest volume (Winter), columns scaled to sum 1",
        true, false, decomposed, runs::nfindr_l1;
    "hottopixx", "Hottopixx", "one linear program, by its authors' incremental steps (Bittorf and others)",
        false, true, hottopixx, runs::hottopixx;
    "hottopixx-converged", "Hottopixx, converged", "its linear program, solved to a proven gap",
        false, false, hottopixx_converged, runs::hottopixx_converged;
    "arora", "Arora", "a linear program for each column (Arora and others), without noise",
        true, false, programs, runs::arora;
    "clarkson", "Clarkson/Dula", "separating directions by linear programs (Clarkson, Dula)",
        true, false, programs, runs::clarkson;
    "esser", "Esser", "the convex l1,infinity model (Esser and others)",
        false, false, esser, runs::esser;
    "esser-l12", "l1,2 model", "the same with the l1,2 penalty of sparse multivariate regression",
        false, false, esser, runs::esser_l12;
    "esser-merged", "Esser, merged", "the same after columns with cosines above 0.95 are merged",
        false, false, esser, runs::esser_merged;
}

methods! { LOCAL, Factors:
    "nmf-hals", "NMF (HALS)", "local optimisation by coordinate descent from a random start",
        true, true, local, runs::nmf_hals;
    "nmf-anls", "NMF (ANLS)", "alternating exact least squares from a random start",
        true, true, local, runs::nmf_anls;
    "nmf-mu", "NMF (MU)", "multiplicative updates from a random start",
        true, true, local, runs::nmf_mu;
    "nmf-nndsvd", "NMF (HALS, NNDSVD)", "coordinate descent from the singular vectors",
        true, false, local, runs::nmf_nndsvd;
    "nmf-anchors", "NMF (HALS, anchors)", "coordinate descent from the anchors of XRAY(greedy)",
        true, false, local, runs::nmf_anchors;
}

#[cfg(test)]
mod tests {
    use super::*;
    use xray_nmf::synth::Synthetic;

    #[test]
    fn names_are_distinct_and_found() {
        for (k, method) in METHODS.iter().enumerate() {
            assert_eq!(Method::named(method.name).expect("listed").label, method.label);
            assert!(METHODS[..k].iter().all(|other| other.name != method.name));
        }
        for rule in Selection::ALL {
            assert!(Method::named(&format!("xray-{rule}")).is_ok(), "{rule}");
        }
        let message = Method::named("xray").expect_err("unknown").to_string();
        assert!(message.contains("xray-greedy"), "{message}");
    }

    #[test]
    fn every_method_runs_on_clean_data() {
        let data = Synthetic { n_rows: 20, n_columns: 24, rank: 4, ..Synthetic::default() };
        let data = data.generate().expect("data");
        for method in METHODS.iter() {
            let job = Job::new(4);
            match method.run(Part::whole(&data.matrix), &job).expect(method.name) {
                Found::Anchors(anchors) => {
                    // The incremental steps of Hottopixx need more epochs than a test has time for.
                    let exact = !["xray-greedy", "hottopixx"].contains(&method.name)
                        && !method.name.starts_with("esser");
                    assert!(!exact || data.recovery(&anchors) == 1.0, "{}", method.name);
                }
                Found::Factors(factors) => {
                    assert!(method.name.starts_with("nmf-"));
                    let ends = [factors.objective[0], factors.objective[job.iterations]];
                    assert!(ends[1] < 0.1 * ends[0] || ends[1] < 1e-3, "{} {ends:?}", method.name);
                }
            }
        }
    }
}
