//! `||X - WH||_F^2`: exact alternating least squares, and HALS.
//!
//! With H fixed, row d of W minimises `1/2 w'Sw - c'w` with `S = HH'` and `c = H x_d`; with W fixed,
//! column j of H does so with `S = W'W` and `c = W'x_j`. [`Refinement::Exact`] solves each exactly,
//! from the old support; HALS makes [`SWEEPS`] sweeps `w_k <- (w_k + (c_k - S_k w) / S_kk)_+` each
//! time (accelerated HALS: Gillis and Glineur, Neural Computation 2012).

use rayon::prelude::*;

use super::shared::ROW_BLOCK;
use super::{CHUNK, Refinement, Trace};
use crate::gram::NormalMatrix;
use crate::matrix::kernels::{add_scaled, dot, multiversion};
use crate::matrix::{Column, Matrix};
use crate::project::{ActiveSet, image_of, sweep, weighted_lines};

/// Sweeps of HALS over the topics of each line before the other factor's turn.
const SWEEPS: usize = 3;

pub(super) fn run<M: Matrix>(
    matrix: &M,
    rank: usize,
    method: Refinement,
    w: &mut [f64],
    h: &mut [f64],
    trace: &mut Trace<'_>,
) {
    let row = |d: usize| matrix.row(d);
    let column = |j: usize| matrix.column(j);
    let start = half_step(&column, rank, w, h, None);
    trace.follow(start, || {
        half_step(&row, rank, h, w, Some(method));
        half_step(&column, rank, w, h, Some(method))
    });
}

/// Improves the lines `own` (rank entries for each line of X) for fixed `other`, or leaves them as
/// they are if `method` is None; returns `||X - WH||_F^2` after it.
pub(super) fn half_step(
    line: &(impl Fn(usize) -> Column + Sync),
    rank: usize,
    other: &[f64],
    own: &mut [f64],
    method: Option<Refinement>,
) -> f64 {
    let s = gram_of_lines(other, rank);
    let parts: Vec<f64> = own
        .par_chunks_mut(CHUNK * rank)
        .enumerate()
        .map(|(q, chunk)| {
            let lines: Vec<Column> = (0..chunk.len() / rank).map(|l| line(q * CHUNK + l)).collect();
            update_chunk(&s, other, &lines, chunk, method)
        })
        .collect();
    parts.iter().fold(0.0, |sum, part| sum + part)
}

/// `sum_l z_l z_l'` over the lines of a matrix with `rank` columns, in fixed chunks.
pub(crate) fn gram_of_lines(lines: &[f64], rank: usize) -> NormalMatrix {
    let parts: Vec<Vec<f64>> =
        lines.par_chunks(ROW_BLOCK * rank).map(|chunk| gram_of_chunk(chunk, rank)).collect();
    let mut total = vec![0.0; rank * rank];
    parts.iter().for_each(|part| add_scaled(&mut total, part, 1.0));
    lines_of_gram(&total, rank)
}

/// A symmetric matrix from all its entries.
pub(super) fn lines_of_gram(total: &[f64], rank: usize) -> NormalMatrix {
    NormalMatrix::from_rows(&total.chunks_exact(rank).map(<[f64]>::to_vec).collect::<Vec<_>>())
}

multiversion! {
    fn gram_of_chunk(lines: &[f64], rank: usize) -> Vec<f64> = gram_of_chunk_body
}

#[inline(always)]
fn gram_of_chunk_body(lines: &[f64], rank: usize) -> Vec<f64> {
    let mut sums = vec![0.0; rank * rank];
    for z in lines.chunks_exact(rank) {
        for (k, &v) in z.iter().enumerate() {
            if v != 0.0 {
                add_scaled(&mut sums[k * rank..(k + 1) * rank], z, v);
            }
        }
    }
    sums
}

multiversion! {
    /// Updates the lines of one chunk and returns their part of the objective.
    fn update_chunk(
        s: &NormalMatrix,
        other: &[f64],
        lines: &[Column],
        chunk: &mut [f64],
        method: Option<Refinement>,
    ) -> f64 = update_chunk_body
}

#[inline(always)]
fn update_chunk_body(
    s: &NormalMatrix,
    other: &[f64],
    lines: &[Column],
    chunk: &mut [f64],
    method: Option<Refinement>,
) -> f64 {
    let rank = s.size();
    let mut solver = ActiveSet::default();
    let (mut target, mut image) = (vec![0.0; rank], vec![0.0; rank]);
    let mut objective = 0.0;
    for (x, z) in lines.iter().zip(chunk.chunks_exact_mut(rank)) {
        let squared_norm = weighted_lines(x, other, &mut target);
        objective += improve(s, &target, squared_norm, z, method, &mut solver, &mut image);
    }
    objective
}

/// Improves one line and returns its part of the objective.
#[inline(always)]
fn improve(
    s: &NormalMatrix,
    target: &[f64],
    squared_norm: f64,
    z: &mut [f64],
    method: Option<Refinement>,
    solver: &mut ActiveSet,
    image: &mut [f64],
) -> f64 {
    if method == Some(Refinement::Exact) {
        solver.solve_dense(s, target, squared_norm.sqrt(), z);
    }
    image_of(s, z, image);
    if method == Some(Refinement::Hals) {
        for _ in 0..SWEEPS {
            sweep(s, target, z, image);
        }
    }
    squared_norm - 2.0 * dot(target, z) + dot(image, z)
}

multiversion! {
    /// Improves lines whose targets are known and returns the part of each in the objective.
    fn improve_lines(
        s: &NormalMatrix,
        targets: &[f64],
        squared_norms: &[f64],
        lines: &mut [f64],
        method: Option<Refinement>,
    ) -> Vec<f64> = improve_lines_body
}

#[inline(always)]
fn improve_lines_body(
    s: &NormalMatrix,
    targets: &[f64],
    squared_norms: &[f64],
    lines: &mut [f64],
    method: Option<Refinement>,
) -> Vec<f64> {
    let rank = s.size();
    let mut solver = ActiveSet::default();
    let mut image = vec![0.0; rank];
    let mut terms = Vec::with_capacity(squared_norms.len());
    for (q, z) in lines.chunks_exact_mut(rank).enumerate() {
        let target = &targets[q * rank..(q + 1) * rank];
        terms.push(improve(s, target, squared_norms[q], z, method, &mut solver, &mut image));
    }
    terms
}
