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
//! **What is the reference's.** The program, the set Phi and its exact projection once an epoch (their
//! column squishing), random rows, steps that touch only the support of a row, the update of b after
//! each epoch, and the anchors as the largest diagonal entries. They put the candidates into rows and factor
//! `X = CX`; everything here is the transpose of theirs. Their experiments took 50 epochs with step
//! sizes 0.1 for C and 0.01 for b, and any p "with distinct values". Like them we keep no multipliers for
//! the errors of single columns, which they found to make very little difference.
//!
//! **What is ours.** They draw rows with replacement, we take each once an epoch in random order. They
//! weigh the diagonal's part of a step by the share of nonzeros of column i, so that columns with many
//! nonzeros pay more; with `1 / k_i` an epoch subtracts the subgradient itself.
//!
//! **The cost p** is ours as well: small. The noise experiment of Kumar and others (200 x 210, r = 20) shows that the
//! defaults recover as much as the program solved to a gap (`converged`): 0.94 of the anchors at noise 0.3 either way. A
//! cost of 0.1 decides sooner between copies of an anchor, and recovers less (0.81).
//!
//! **Convergence.** An extreme ray whose l1 distance to the hull of the others is below the differences
//! of p is not worth its cost, and without p copies of an anchor share its diagonal: the incremental
//! steps miss some ray in one of twenty small random problems even after thousands of epochs.
//! [`HottopixxParams::converged`] solves the program to a proven gap instead (`saddle.rs`).
//!
//! **Splits.** Column j of C takes part only in its own steps: C is kept in strips of columns, and each
//! task takes its strips through a whole epoch. Only the projection looks at whole rows. So any number
//! of threads gives the same bits.
//!
//! Cost: O(nnz n) for an epoch, O(n^2 log n) for the projection. Memory: n^2 numbers. Both are
//! predicted, and refused above a limit.
//!
//! Reference: Bittorf, Recht, Ré and Tropp, "Factoring nonnegative matrices with linear programs"
//! (NIPS 2012): the incremental algorithm and the projection onto its constraints.

mod coefficients;
mod params;
mod program;
mod projection;
mod real;
mod saddle;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::anchors::Anchors;
use super::cost::{check_memory, check_work};
use crate::error::Result;
use crate::matrix::{Line, Matrix};
use crate::params::Normalize;
use coefficients::{Coefficients, Rows, Step};
use program::Program;
use real::Real;

pub use params::{HottopixxParams, Precision};
pub use projection::project_row;

/// Finds anchors by Hottopixx. The scores are the diagonal of C, largest first; the objective of
/// an epoch is `sum |X - XC|`, each row's part as it was before its step.
///
/// With a `gap` the scores are sums over copies of a point, and the objective is that of the linear
/// program at every look at the gap: the best so far, for a C with all constraints met.
///
/// Columns are scaled to sum 1; zero columns are never anchors. Negative entries are allowed.
///
/// # Examples
/// ```
/// use xray_nmf::DenseMatrix;
/// use xray_nmf::rivals::{HottopixxParams, hottopixx};
/// let x = DenseMatrix::from_column_major(2, 3, vec![1.0, 0.0, 1.0, 1.0, 0.0, 1.0])?;
/// let mut found = hottopixx(&x, &HottopixxParams::new(2))?.anchors;
/// found.sort();
/// assert_eq!(found, [0, 2]);
/// # Ok::<(), xray_nmf::Error>(())
/// ```
///
/// # Errors
/// If a parameter is outside its range, or the predicted work or memory is above its limit.
pub fn hottopixx(matrix: &dyn Matrix, params: &HottopixxParams) -> Result<Anchors> {
    params.check()?;
    check_cost(matrix, params)?;
    let scaled = matrix.normalized(Normalize::L1);
    match (params.gap, params.precision) {
        (Some(gap), _) => run_to_gap(&*scaled, params, gap),
        (None, Precision::Single) => run::<f32>(&*scaled, params),
        (None, Precision::Double) => run::<f64>(&*scaled, params),
    }
}

fn run<T: Real>(matrix: &dyn Matrix, params: &HottopixxParams) -> Result<Anchors> {
    let n = matrix.n_columns();
    let rows: Vec<Line> = (0..matrix.n_rows()).map(|d| nonzeros(matrix.row(d))).collect();
    let mut counts = vec![0usize; n];
    rows.iter().for_each(|row| row.for_each(|i, _| counts[i] += 1));
    let mut generator = ChaCha8Rng::seed_from_u64(params.seed);
    let cost = params.random_costs(&mut generator, n);
    let mut order: Vec<usize> = (0..rows.len()).collect();
    let mut c = Coefficients::<T>::zero(n, params.splits);
    let (mut primal, mut dual, mut multiplier) = (params.primal_step, params.dual_step, 0.0);
    let mut found = Anchors::none();
    for _ in 0..params.epochs {
        order.shuffle(&mut generator);
        let drop = |i: usize| primal * (multiplier + cost[i]) / counts[i].max(1) as f64;
        let step = Step::new(primal, (0..n).map(drop));
        found.objective.push(c.epoch(&Rows::new(&rows, &order), &step, &params.stop)?);
        c.project();
        let trace = (0..n).fold(0.0, |sum, i| sum + c.diagonal(i));
        multiplier += dual * (trace - params.rank as f64);
        (primal, dual) = (primal * params.decay, dual * params.decay);
    }
    let mut ranked: Vec<usize> = (0..n).filter(|&i| counts[i] > 0).collect();
    ranked.sort_by(|&a, &b| c.diagonal(b).total_cmp(&c.diagonal(a)).then(a.cmp(&b)));
    ranked.iter().take(params.rank).for_each(|&i| found.push(i, c.diagonal(i)));
    Ok(found.ended(params.rank))
}

/// Solves the program itself.
fn run_to_gap(matrix: &dyn Matrix, params: &HottopixxParams, gap: f64) -> Result<Anchors> {
    let program = Program::new(matrix, params.costs(matrix.n_columns()), params.rank);
    let solved = saddle::solve(&program, gap * program.size(), params.epochs, &params.stop)?;
    let (objective, bound) = (solved.objective, Some(solved.bounds.lower));
    let mut found = Anchors { objective, bound, ..Anchors::none() };
    let points = program.points(&solved.c);
    points.into_iter().take(params.rank).for_each(|(i, score)| found.push(i, score));
    Ok(found.ended(params.rank))
}

/// Refuses what is too large, before anything is made.
fn check_cost(matrix: &dyn Matrix, params: &HottopixxParams) -> Result<()> {
    let (m, n) = (matrix.n_rows() as f64, matrix.n_columns() as f64);
    let bytes = match (params.gap, params.precision) {
        (Some(_), _) => 8.0 * (saddle::SQUARES * n * n + saddle::OBLONGS * m * n),
        (None, Precision::Single) => 4.0 * n * n,
        (None, Precision::Double) => 8.0 * n * n,
    };
    check_memory("hottopixx", bytes, params.memory)?;
    let entries = |j: usize| matrix.column(j).values.len();
    let nonzeros = (0..matrix.n_columns()).map(entries).fold(0.0, |sum, count| sum + count as f64);
    let work = params.epochs as f64 * (2.0 * nonzeros * n + n * n);
    check_work("hottopixx", work, params.largest_work)
}

/// The nonzero entries of a row or column.
fn nonzeros(row: Line) -> Line {
    let (mut indices, mut values) = (Vec::new(), Vec::new());
    row.for_each(|i, v| {
        if v != 0.0 {
            indices.push(i as u32);
            values.push(v);
        }
    });
    Line { indices: Some(indices), values }
}
