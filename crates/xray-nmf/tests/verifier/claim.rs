//! What the engine says of one problem: everything that is checked, as plain numbers that a test can change.

use std::ops::ControlFlow;

use xray_nmf::comm::{Communicator, run_local_ranks};
use xray_nmf::{
    Coefficients, DenseMatrix, Engine, Factorization, Fit, Matrix, Ownership, Params, Portion,
    Step, Termination,
};

use crate::problem::Problem;
use crate::support::{Grid, all_bits};

/// The answer to one problem.
#[derive(Debug, Clone)]
pub(crate) struct Claim {
    /// All steps that were made, also those that were dropped at the end.
    pub(crate) steps: Vec<Step>,
    /// How many of them were kept.
    pub(crate) n_kept: usize,
    pub(crate) termination: Termination,
    pub(crate) kkt_violation: f64,
    /// H for each rank k from 1 on, column after column.
    pub(crate) weights: Vec<Vec<Vec<f64>>>,
    /// All bits: of the lazy engine, and of every other way to ask.
    pub(crate) bits: Vec<(&'static str, String)>,
}

impl Claim {
    pub(crate) fn of(problem: &Problem) -> Self {
        let Problem { x, held_out, params, sparse, .. } = problem;
        let dense = x.dense();
        let by_entries = x.sparse();
        let matrix: &dyn Matrix = if *sparse { &by_entries } else { &dense };
        let test = held_out.as_ref().map(Grid::dense);
        let mut steps = Vec::new();
        let mut observer = |step: &Step| {
            steps.push(step.clone());
            ControlFlow::Continue(())
        };
        let found = fitted(matrix, test.as_ref(), params, Some(&mut observer));
        let other = Params { engine: Engine::Direct, ..params.clone() };
        let direct = fitted(matrix, test.as_ref(), &other, None);
        let mut bits = vec![("lazy", every_bit(&found)), ("direct", every_bit(&direct))];
        if problem.on_ranks {
            bits.push(("3 ranks", on_three_ranks(problem)));
        }
        let mut weights = Vec::new();
        found.for_each_rank(|_, h| weights.push((0..x.n).map(|i| h.dense_column(i)).collect()));
        Self {
            steps,
            n_kept: found.rank(),
            termination: found.termination(),
            kkt_violation: found.kkt_violation(),
            weights,
            bits,
        }
    }

    pub(crate) fn anchors(&self) -> impl Iterator<Item = usize> {
        self.steps.iter().map(|step| step.anchor)
    }
}

type Observer<'o> = &'o mut dyn xray_nmf::Observer;

fn fitted(
    matrix: &dyn Matrix,
    held_out: Option<&DenseMatrix<'_, f64>>,
    params: &Params,
    observer: Option<Observer<'_>>,
) -> Factorization {
    let mut nobody = ();
    let fit = Fit::of(matrix).observe(observer.unwrap_or(&mut nobody));
    let fit = match held_out {
        Some(rows) => fit.held_out(rows),
        None => fit,
    };
    fit.run(params).unwrap_or_else(|e| panic!("{e}: {params:?}"))
}

/// The bits of one rank's answer, certificate and end included.
fn every_bit(found: &Factorization) -> String {
    let certificate = found.kkt_violation().to_bits();
    format!("{} {certificate} {:?}", all_bits(found), found.termination())
}

/// The bits of the answer of three ranks together.
fn on_three_ranks(problem: &Problem) -> String {
    let Problem { x, held_out, params, sparse, .. } = problem;
    let answers = run_local_ranks(3, |comm| {
        let own = Ownership::columns(x.n, comm);
        let part =
            |grid: &Grid| grid.columns_at(&own.ranges().into_iter().flatten().collect::<Vec<_>>());
        let mine = part(x);
        let (dense, by_entries) = (mine.dense(), mine.sparse());
        let matrix: &dyn Matrix = if *sparse { &by_entries } else { &dense };
        let portion = Portion { columns: matrix, rows: None, n_columns: x.n };
        let test = held_out.as_ref().map(part);
        let test = test.as_ref().map(Grid::dense);
        let fit = Fit::part(portion, comm);
        let fit = match &test {
            Some(rows) => fit.held_out(rows),
            None => fit,
        };
        let found = fit.run(params).unwrap_or_else(|e| panic!("{e}: {params:?}"));
        let certificates = comm.all_gather(&found.kkt_violation().to_le_bytes()).unwrap();
        let certificates =
            certificates.iter().map(|c| f64::from_le_bytes(c[..].try_into().unwrap()));
        let worst = certificates.fold(0.0, f64::max);
        let whole = found.coefficients().gathered(comm, 0).unwrap();
        whole.map(|whole| gathered_bits(&found, &whole, worst))
    });
    answers.into_iter().flatten().next().expect("rank 0 has all columns")
}

/// The same as [`every_bit`] from parts.
fn gathered_bits(found: &Factorization, whole: &Coefficients, certificate: f64) -> String {
    let (offsets, anchors, values) = whole.csc();
    let values: Vec<u64> = values.iter().map(|v| v.to_bits()).collect();
    let steps = crate::support::comparable(found.steps());
    let certificate = certificate.to_bits();
    format!("{steps:?} {offsets:?} {anchors:?} {values:?} {certificate} {:?}", found.termination())
}
