//! Hottopixx: one linear program for all anchors, solved by incremental subgradient steps.
//!
//! With columns scaled to sum 1, separable data has `X = XC` for an n x n matrix C whose rows are zero
//! but for those of the anchors. The program is
//!
//! ```text
//! min  sum_dj |X - XC|_dj + p'diag(C)   over  C in Phi,  tr C = r
//! Phi = { C : 0 <= C_ij <= C_ii <= 1 }
//! ```
//!
//! with a small cost p whose entries differ, which breaks ties between copies of an anchor. The
//! constraint on the trace has a multiplier b. One step for row d of X, `x = X_d.`, with
//! `e = x - xC` and step size s:
//!
//! ```text
//! C_ij += s x_i sign(e_j),   C_ii -= s (b + p_i) / k_i   where x_i != 0
//! ```
//!
//! (k_i is the number of nonzeros of column i, so that an epoch subtracts `s (b + p_i)` once.) After all
//! rows, in random order, C is projected onto Phi exactly ([`project_row`]), and `b += s_d (tr C - r)`.
//! The anchors are the r columns with the largest `C_ii`.
//!
//! Bittorf and others put the candidates into rows and factor `X = CX`; everything here is the
//! transpose of theirs. They scale the diagonal's part of a step by the share of nonzeros instead of
//! `1 / k_i`, which only rescales b and p. That both step sizes shrink by a constant factor from epoch to
//! epoch, and that every row is taken once an epoch, are choices of this implementation.
//!
//! **Splits.** Column j of C takes part only in its own steps: C is kept in blocks of columns, and each
//! task takes one block through a whole epoch. Only the projection looks at whole rows. So any number of
//! threads gives the same bits.
//!
//! **The cost p** and the step sizes are free in the reference; the defaults are ours. They were chosen
//! so that the noise experiment of Kumar and others (200 x 210, r = 20, 25 seeds) gives the recovery
//! expected there: 1.00, 0.99, 0.81 and 0.53 of the anchors at noise 0, 0.2, 0.3 and 0.4. They are not
//! the best for it: a cost of 0.001 gives 1.00, 1.00, 0.92 and 0.63, but takes longer to decide between
//! copies of an anchor. Compare with both.
//!
//! Cost: O(nnz n) for an epoch, O(n^2 log n) for the projection. Memory: n^2 numbers, refused above a
//! budget. Converges only asymptotically.
//!
//! Reference: Bittorf, Recht, Ré and Tropp, "Factoring nonnegative matrices with linear programs"
//! (NIPS 2012): the incremental algorithm and the projection onto its constraints.

mod coefficients;
mod projection;

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::anchors::Anchors;
use super::{check_memory, require};
use crate::error::Result;
use crate::matrix::{Column, Matrix, Scalar};
use crate::params::Normalize;
use crate::solver::in_pool;
use coefficients::{Coefficients, Step};

pub use projection::project_row;

/// How the numbers of C are stored; all arithmetic is `f64`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum Precision {
    /// 4 bytes.
    Single,
    /// 8 bytes.
    #[default]
    Double,
}

/// The parameters of [`hottopixx`], with their defaults.
///
/// | field | default | purpose | range |
/// |---|---|---|---|
/// | `rank` | required | number of anchors to find | any |
/// | `epochs` | 50 | passes over the rows of X | any |
/// | `primal_step` | 0.3 | first step size s of C | positive |
/// | `dual_step` | 0.1 | first step size s_d of the multiplier | positive |
/// | `decay` | 0.95 | factor of both step sizes from epoch to epoch | above 0, at most 1 |
/// | `cost` | 0.1 | the entries of p are random from 0 to this | not negative |
/// | `seed` | 0 | for p and the order of rows | any |
/// | `splits` | 0 | blocks of C's columns; 0 for blocks of 32; no effect on the result | any |
/// | `precision` | `Double` | storage of C | |
/// | `memory` | a quarter of RAM | bytes that C may take | any |
/// | `threads` | all cores | worker threads; no effect on the result | 1 to 1024 |
#[derive(Debug, Clone, PartialEq)]
pub struct HottopixxParams {
    /// Number of anchors to find.
    pub rank: usize,
    /// Passes over the rows of X.
    pub epochs: usize,
    /// First step size of C.
    pub primal_step: f64,
    /// First step size of the multiplier.
    pub dual_step: f64,
    /// Factor of both step sizes from epoch to epoch.
    pub decay: f64,
    /// The largest entry of the tie-breaking cost p.
    pub cost: f64,
    /// Everything random follows from it.
    pub seed: u64,
    /// Blocks of C's columns; 0 for blocks of 32 columns.
    pub splits: usize,
    /// Storage of C.
    pub precision: Precision,
    /// Bytes that C may take; a quarter of the machine's memory if absent.
    pub memory: Option<usize>,
    /// Worker threads; all cores if absent.
    pub threads: Option<usize>,
}

impl HottopixxParams {
    /// The defaults, for a given rank.
    pub fn new(rank: usize) -> Self {
        Self {
            rank,
            epochs: 50,
            primal_step: 0.3,
            dual_step: 0.1,
            decay: 0.95,
            cost: 0.1,
            seed: 0,
            splits: 0,
            precision: Precision::Double,
            memory: None,
            threads: None,
        }
    }

    fn check(&self) -> Result<()> {
        let positive = |value: f64| value > 0.0 && value.is_finite();
        for (name, value) in [("primal_step", self.primal_step), ("dual_step", self.dual_step)] {
            require(positive(value), name, value, "give a positive number")?;
        }
        let holds = self.decay > 0.0 && self.decay <= 1.0;
        require(holds, "decay", self.decay, "give a number above 0 and at most 1")?;
        let holds = self.cost >= 0.0 && self.cost.is_finite();
        require(holds, "cost", self.cost, "give 0 or a positive number")
    }
}

/// Finds anchors by Hottopixx. The scores are the diagonal of C, largest first; the objective of
/// an epoch is `sum |X - XC|`, each row's part as it was before its step.
///
/// Columns are scaled to sum 1; zero columns are never anchors. Negative entries are allowed.
///
/// # Examples
/// ```
/// use xray_nmf::DenseMatrix;
/// use xray_nmf::baseline::{HottopixxParams, hottopixx};
/// let x = DenseMatrix::from_column_major(2, 3, vec![1.0, 0.0, 1.0, 1.0, 0.0, 1.0])?;
/// let mut found = hottopixx(&x, &HottopixxParams::new(2))?.anchors;
/// found.sort();
/// assert_eq!(found, [0, 2]);
/// # Ok::<(), xray_nmf::Error>(())
/// ```
///
/// # Errors
/// If a parameter is outside its range, C would take more than the budget, or the worker threads
/// cannot be started.
pub fn hottopixx<M: Matrix>(matrix: &M, params: &HottopixxParams) -> Result<Anchors> {
    params.check()?;
    let bytes = if params.precision == Precision::Single { 4 } else { 8 };
    check_memory(matrix.n_columns(), bytes, params.memory)?;
    in_pool(params.threads, || {
        let scaled = matrix.normalized(Normalize::L1);
        match params.precision {
            Precision::Single => run::<f32, _>(&scaled, params),
            Precision::Double => run::<f64, _>(&scaled, params),
        }
    })
}

fn run<T: Scalar, M: Matrix>(matrix: &M, params: &HottopixxParams) -> Anchors {
    let n = matrix.n_columns();
    let rows: Vec<Column> = (0..matrix.n_rows()).map(|d| nonzeros(matrix.row(d))).collect();
    let mut counts = vec![0usize; n];
    rows.iter().for_each(|row| row.for_each(|i, _| counts[i] += 1));
    let mut generator = ChaCha8Rng::seed_from_u64(params.seed);
    let cost: Vec<f64> = (0..n).map(|_| params.cost * generator.random::<f64>()).collect();
    let mut order: Vec<usize> = (0..rows.len()).collect();
    let mut c = Coefficients::<T>::zero(n, params.splits);
    let (mut primal, mut dual, mut multiplier) = (params.primal_step, params.dual_step, 0.0);
    let mut found = Anchors::none();
    for _ in 0..params.epochs {
        order.shuffle(&mut generator);
        let drop = |i: usize| primal * (multiplier + cost[i]) / counts[i].max(1) as f64;
        let step = Step { size: primal, drops: (0..n).map(drop).collect() };
        found.objective.push(c.epoch(&rows, &order, &step));
        c.project();
        let trace = (0..n).fold(0.0, |sum, i| sum + c.diagonal(i));
        multiplier += dual * (trace - params.rank as f64);
        (primal, dual) = (primal * params.decay, dual * params.decay);
    }
    let mut ranked: Vec<usize> = (0..n).filter(|&i| counts[i] > 0).collect();
    ranked.sort_by(|&a, &b| c.diagonal(b).total_cmp(&c.diagonal(a)).then(a.cmp(&b)));
    ranked.iter().take(params.rank).for_each(|&i| found.push(i, c.diagonal(i)));
    found.ended(params.rank)
}

/// The nonzero entries of a row.
fn nonzeros(row: Column) -> Column {
    let (mut indices, mut values) = (Vec::new(), Vec::new());
    row.for_each(|i, v| {
        if v != 0.0 {
            indices.push(i as u32);
            values.push(v);
        }
    });
    Column { rows: Some(indices), values }
}
