//! `||X - WH||_F^2`: exact alternating least squares, and HALS.
//!
//! With H fixed, row d of W minimises `1/2 w'Sw - c'w` with `S = HH'` and `c = H x_d`; with W fixed,
//! column j of H does so with `S = W'W` and `c = W'x_j`. [`Refinement::Exact`] solves each exactly,
//! from the old support; HALS makes one sweep `w_k <- (w_k + (c_k - S_k w) / S_kk)_+`.

use rayon::prelude::*;

use super::{RefineObserver, Refinement};
use crate::gram::NormalMatrix;
use crate::matrix::kernels::{add_scaled, dot, multiversion};
use crate::matrix::{Column, Matrix};
use crate::project::ActiveSet;

/// Lines handled by one task.
const CHUNK: usize = 64;

pub(super) fn run<M: Matrix>(
    matrix: &M,
    rank: usize,
    iterations: usize,
    method: Refinement,
    w: &mut [f64],
    h: &mut [f64],
    observer: RefineObserver<'_>,
) -> Vec<f64> {
    let row = |d: usize| matrix.row(d);
    let column = |j: usize| matrix.column(j);
    let mut objective = vec![half_step(&column, rank, w, h, None)];
    for t in 1..=iterations {
        half_step(&row, rank, h, w, Some(method));
        let reached = half_step(&column, rank, w, h, Some(method));
        objective.push(reached);
        if observer(t, reached).is_break() {
            break;
        }
    }
    objective
}

/// Improves the lines `own` (rank entries for each line of X) for fixed `other`, or leaves them as
/// they are if `method` is None; returns `||X - WH||_F^2` after it.
fn half_step(
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
fn gram_of_lines(lines: &[f64], rank: usize) -> NormalMatrix {
    let parts: Vec<Vec<f64>> = lines
        .par_chunks(4096 * rank)
        .map(|chunk| {
            let mut sums = vec![0.0; rank * rank];
            for z in chunk.chunks_exact(rank) {
                for (k, &v) in z.iter().enumerate().filter(|(_, v)| **v != 0.0) {
                    add_scaled(&mut sums[k * rank..(k + 1) * rank], z, v);
                }
            }
            sums
        })
        .collect();
    let mut total = vec![0.0; rank * rank];
    parts.iter().for_each(|part| add_scaled(&mut total, part, 1.0));
    NormalMatrix::from_rows(&total.chunks_exact(rank).map(<[f64]>::to_vec).collect::<Vec<_>>())
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
    let mut target = vec![0.0; rank];
    let mut objective = 0.0;
    for (x, z) in lines.iter().zip(chunk.chunks_exact_mut(rank)) {
        target.fill(0.0);
        let mut squared_norm = 0.0;
        x.for_each(|q, v| {
            squared_norm += v * v;
            add_scaled(&mut target, &other[q * rank..(q + 1) * rank], v);
        });
        match method {
            Some(Refinement::Exact) => solver.solve_dense(s, &target, squared_norm.sqrt(), z),
            Some(_) => sweep(s, &target, z),
            None => {}
        }
        let quadratic = (0..rank).fold(0.0, |sum, k| sum + z[k] * dot(s.row(k), z));
        objective += squared_norm - 2.0 * dot(&target, z) + quadratic;
    }
    objective
}

/// One cycle of coordinate descent over the topics.
#[inline(always)]
fn sweep(s: &NormalMatrix, target: &[f64], z: &mut [f64]) {
    for k in 0..z.len() {
        let row = s.row(k);
        if row[k] > 0.0 {
            z[k] = (z[k] + (target[k] - dot(row, z)) / row[k]).max(0.0);
        }
    }
}
