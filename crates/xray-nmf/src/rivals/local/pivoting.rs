//! Nonnegative least squares with many right-hand sides by block principal pivoting.
//!
//! For each right-hand side, `min_{z >= 0} 1/2 z'Sz - c'z` has the optimality conditions
//!
//! ```text
//! y = Sz - c,   z >= 0,   y >= 0,   z_k y_k = 0.
//! ```
//!
//! A set F is guessed; `S_FF z_F = c_F`, z is 0 elsewhere and y is 0 on F. Every k with `z_k < 0` in F
//! or `y_k < 0` outside changes sides at once, as long as their number falls within three rounds;
//! else only the largest such k does (Murty's rule, which ends). Right-hand sides with the same F
//! share one Cholesky factor of `S_FF`.
//!
//! Needs linearly independent columns. Where a factor breaks down, or the rounds run out, the crate's
//! active-set method takes over, so the answer is always exact.
//!
//! Cost for each round: |F|^3 / 3 for each group, r |F| for each of its members.
//!
//! Reference: Kim and Park, "Toward faster nonnegative matrix factorization: a new algorithm and
//! comparisons" (ICDM 2008), Algorithm 2.

use std::collections::BTreeMap;

use rayon::prelude::*;

use crate::error::{Result, check_length};
use crate::gram::NormalMatrix;
use crate::matrix::Matrix;
use crate::matrix::kernels::{add_scaled, dot};
use crate::project::{ActiveSet, GRADIENT_TOLERANCE, normal_matrix};

/// Rounds without fewer violations before only one index changes sides.
const PATIENCE: usize = 3;

/// A pivot below this multiple of the diagonal means linear dependence.
const PIVOT_TOLERANCE: f64 = 1e-13;

/// Right-hand sides handled by one task.
const LINES_PER_TASK: usize = 512;

/// Solves `min_{z >= 0} ||A z - b||` for every column b of `right` by block principal pivoting.
///
/// The same answer as [`nnls`](crate::nnls), by another road; one solution for each right-hand side.
///
/// # Examples
/// ```
/// use xray_nmf::DenseMatrix;
/// use xray_nmf::rivals::nnls_block_pivoting;
/// let a = DenseMatrix::from_column_major(3, 2, vec![1.0, 0.0, 1.0, 0.0, 1.0, 1.0])?;
/// let b = DenseMatrix::from_column_major(3, 1, vec![1.0, -1.0, 0.0])?;
/// let solved = nnls_block_pivoting(&a, &b)?;
/// assert!((solved[0][0] - 0.5).abs() < 1e-12 && solved[0][1] == 0.0);
/// # Ok::<(), xray_nmf::Error>(())
/// ```
///
/// # Errors
/// If A and B have different numbers of rows.
pub fn nnls_block_pivoting(a: &dyn Matrix, right: &dyn Matrix) -> Result<Vec<Vec<f64>>> {
    check_length("rows of the right-hand sides", a.n_rows(), right.n_rows())?;
    let (rank, n) = (a.n_columns(), right.n_columns());
    if rank == 0 {
        return Ok(vec![Vec::new(); n]);
    }
    let columns: Vec<_> = (0..rank).map(|k| a.column(k)).collect();
    let s = normal_matrix(a, &columns);
    let mut targets = vec![0.0; n * rank];
    for (k, product) in right.gram(&columns.iter().collect::<Vec<_>>()).iter().enumerate() {
        product.for_each(|i, v| targets[i * rank + k] = v);
    }
    let squared_norms = right.squared_norms();
    let mut solutions = vec![0.0; n * rank];
    let chunks = solutions
        .par_chunks_mut(LINES_PER_TASK * rank)
        .zip(targets.par_chunks(LINES_PER_TASK * rank));
    chunks.zip(squared_norms.par_chunks(LINES_PER_TASK)).for_each(
        |((solutions, targets), norms)| {
            pivot_chunk(&s, targets, norms, solutions);
        },
    );
    Ok(solutions.chunks_exact(rank).map(<[f64]>::to_vec).collect())
}

/// Replaces each line of `solutions` by the minimum for its target; the old support is the first
/// guess of F.
pub(super) fn pivot_chunk(
    s: &NormalMatrix,
    targets: &[f64],
    squared_norms: &[f64],
    solutions: &mut [f64],
) {
    let rank = s.size();
    let mut pending: Vec<Problem<'_>> = solutions
        .chunks_exact_mut(rank)
        .zip(targets.chunks_exact(rank))
        .zip(squared_norms)
        .map(|((solution, target), &squared)| Problem::new(solution, target, squared.sqrt()))
        .collect();
    for _ in 0..5 * rank + 20 {
        if pending.is_empty() {
            return;
        }
        pending = round(s, pending);
    }
    pending.into_iter().for_each(|problem| problem.fall_back(s));
}

/// Solves every pending problem for its F and returns those whose F was wrong.
fn round<'a>(s: &NormalMatrix, pending: Vec<Problem<'a>>) -> Vec<Problem<'a>> {
    let mut groups: BTreeMap<Vec<u32>, Vec<Problem<'a>>> = BTreeMap::new();
    for problem in pending {
        groups.entry(problem.passive.clone()).or_default().push(problem);
    }
    let mut left = Vec::new();
    for (passive, members) in groups {
        match Cholesky::new(s, &passive) {
            Some(factor) => {
                left.extend(members.into_iter().filter_map(|problem| problem.step(s, &factor)));
            }
            None => members.into_iter().for_each(|problem| problem.fall_back(s)),
        }
    }
    left
}

/// One right-hand side on its way.
struct Problem<'a> {
    solution: &'a mut [f64],
    target: &'a [f64],
    /// `||b||`.
    norm: f64,
    /// F, ascending.
    passive: Vec<u32>,
    /// The fewest violations so far.
    fewest: usize,
    patience: usize,
}

impl<'a> Problem<'a> {
    fn new(solution: &'a mut [f64], target: &'a [f64], norm: f64) -> Self {
        let passive = (0..target.len() as u32).filter(|&k| solution[k as usize] > 0.0).collect();
        Self { solution, target, norm, passive, fewest: target.len() + 1, patience: PATIENCE }
    }

    /// Solves for F; None if that is the answer, else the problem with its next F.
    fn step(mut self, s: &NormalMatrix, factor: &Cholesky) -> Option<Self> {
        let z = factor.solve(self.passive.iter().map(|&k| self.target[k as usize]).collect());
        let mut gradient = self.target.to_vec();
        for (&k, &z) in self.passive.iter().zip(&z) {
            add_scaled(&mut gradient, s.row(k as usize), -z);
        }
        let limit = GRADIENT_TOLERANCE * self.norm;
        let mut inside = vec![false; self.target.len()];
        self.passive.iter().for_each(|&k| inside[k as usize] = true);
        let negative = self.passive.iter().zip(&z);
        let negative = negative.filter(|(k, z)| **z < -limit * s.inverse_norm(**k as usize));
        let mut wrong: Vec<u32> = negative.map(|(k, _)| *k).collect();
        let outside = (0..inside.len()).filter(|&k| !inside[k]);
        let seen = outside.filter(|&k| gradient[k] * s.inverse_norm(k) > limit);
        wrong.extend(seen.map(|k| k as u32));
        if wrong.is_empty() {
            self.solution.fill(0.0);
            for (&k, &z) in self.passive.iter().zip(&z) {
                self.solution[k as usize] = z.max(0.0);
            }
            return None;
        }
        self.exchange(&mut inside, &wrong);
        Some(self)
    }

    /// Changes the sides of the wrong indices: all of them, or the largest alone.
    fn exchange(&mut self, inside: &mut [bool], wrong: &[u32]) {
        let all = if wrong.len() < self.fewest {
            (self.fewest, self.patience) = (wrong.len(), PATIENCE);
            true
        } else {
            let left = self.patience > 0;
            self.patience = self.patience.saturating_sub(1);
            left
        };
        let largest = wrong.iter().max().copied();
        for &k in wrong.iter().filter(|&&k| all || Some(k) == largest) {
            inside[k as usize] ^= true;
        }
        self.passive = (0..inside.len() as u32).filter(|&k| inside[k as usize]).collect();
    }

    /// The active-set method.
    fn fall_back(self, s: &NormalMatrix) {
        self.solution.fill(0.0);
        ActiveSet::default().solve_dense(s, self.target, self.norm, self.solution);
    }
}

/// The lower Cholesky factor of `S_FF`, row after row.
struct Cholesky(Vec<Vec<f64>>);

impl Cholesky {
    /// None if the columns of F are linearly dependent.
    fn new(s: &NormalMatrix, passive: &[u32]) -> Option<Self> {
        let mut rows: Vec<Vec<f64>> = Vec::with_capacity(passive.len());
        for (q, &k) in passive.iter().enumerate() {
            let from = s.row(k as usize);
            let mut row: Vec<f64> = Vec::with_capacity(q + 1);
            for (above, &l) in rows.iter().zip(passive) {
                let value = from[l as usize] - dot(above, &row);
                row.push(value / above[row.len()]);
            }
            let diagonal = from[k as usize];
            let pivot = diagonal - dot(&row, &row);
            if pivot <= PIVOT_TOLERANCE * diagonal || diagonal <= 0.0 {
                return None;
            }
            row.push(pivot.sqrt());
            rows.push(row);
        }
        Some(Self(rows))
    }

    /// `S_FF^-1 c`.
    fn solve(&self, mut c: Vec<f64>) -> Vec<f64> {
        for (q, row) in self.0.iter().enumerate() {
            c[q] = (c[q] - dot(&row[..q], &c[..q])) / row[q];
        }
        for (q, row) in self.0.iter().enumerate().rev() {
            c[q] /= row[q];
            let z = c[q];
            add_scaled(&mut c[..q], &row[..q], -z);
        }
        c
    }
}
