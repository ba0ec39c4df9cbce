//! Kullback-Leibler divergence `D = sum_dj x log(x / y) - x + y` with `y = (WH)_dj`, by Lee and
//! Seung's multiplicative updates, which never increase it:
//!
//! ```text
//! z_k <- z_k (sum_q u_qk x_q / y_q) / (sum_q u_qk)
//! ```
//!
//! for each line z (row of W or column of H) against the other factor's lines u_q. Only nonzeros of
//! X enter the numerator. A weight of exactly 0 could never grow, so zeros start as a small share of
//! the mean weight.

use rayon::prelude::*;

use super::Trace;
use crate::matrix::kernels::{add_scaled, dot};
use crate::matrix::{Column, Matrix};

const CHUNK: usize = 64;

/// Zeros start at this share of the mean weight.
const FLOOR: f64 = 1e-4;

/// Products below this count as this: the divergence stays finite.
const LEAST: f64 = 1e-300;

pub(super) fn run(
    matrix: &dyn Matrix,
    rank: usize,
    w: &mut [f64],
    h: &mut [f64],
    trace: &mut Trace<'_>,
) {
    lift_zeros(w);
    lift_zeros(h);
    let row = |d: usize| matrix.row(d);
    let column = |j: usize| matrix.column(j);
    let start = divergence(&column, rank, w, h);
    trace.follow(start, || {
        half_step(&row, rank, h, w);
        half_step(&column, rank, w, h);
        divergence(&column, rank, w, h)
    });
}

/// Raises zeros to a small share of the mean, so that multiplications can move them.
pub(crate) fn lift_zeros(values: &mut [f64]) {
    let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
    let least = if mean > 0.0 { FLOOR * mean } else { 1.0 };
    values.iter_mut().for_each(|v| *v = v.max(least));
}

fn column_sums(lines: &[f64], rank: usize) -> Vec<f64> {
    let mut sums = vec![0.0; rank];
    lines.chunks_exact(rank).for_each(|z| add_scaled(&mut sums, z, 1.0));
    sums
}

fn half_step(
    line: &(impl Fn(usize) -> Column + Sync),
    rank: usize,
    other: &[f64],
    own: &mut [f64],
) {
    let sums = column_sums(other, rank);
    own.par_chunks_mut(CHUNK * rank).enumerate().for_each(|(q, chunk)| {
        let mut numerator = vec![0.0; rank];
        for (l, z) in chunk.chunks_exact_mut(rank).enumerate() {
            numerator.fill(0.0);
            line(q * CHUNK + l).for_each(|q, x| {
                let u = &other[q * rank..(q + 1) * rank];
                add_scaled(&mut numerator, u, x / dot(u, z).max(LEAST));
            });
            for k in 0..rank {
                if sums[k] > 0.0 {
                    z[k] *= numerator[k] / sums[k];
                }
            }
        }
    });
}

fn divergence(line: &(impl Fn(usize) -> Column + Sync), rank: usize, w: &[f64], h: &[f64]) -> f64 {
    let sums = column_sums(w, rank);
    let parts: Vec<f64> = h
        .par_chunks(CHUNK * rank)
        .enumerate()
        .map(|(q, chunk)| {
            let mut sum = 0.0;
            for (l, z) in chunk.chunks_exact(rank).enumerate() {
                sum += dot(&sums, z);
                line(q * CHUNK + l).for_each(|d, x| {
                    if x > 0.0 {
                        let y = dot(&w[d * rank..(d + 1) * rank], z).max(LEAST);
                        sum += x * (x / y).ln() - x;
                    }
                });
            }
            sum
        })
        .collect();
    parts.iter().fold(0.0, |sum, part| sum + part)
}
