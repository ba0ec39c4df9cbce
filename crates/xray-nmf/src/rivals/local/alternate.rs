//! The alternation: every row of W, then every column of H, in fixed chunks.

use rayon::prelude::*;

use super::pivoting::pivot_chunk;
use super::{LocalMethod, LocalParams};
use crate::error::Result;
use crate::gram::NormalMatrix;
use crate::matrix::kernels::{add_scaled, dot};
use crate::matrix::{Line, Matrix};
use crate::refine::{Factors, gram_of_lines, lift_zeros};
use crate::stop::StopRequest;

/// Lines handled by one task: enough for many to share a passive set.
const LINES_PER_TASK: usize = 512;

pub(super) fn run(
    matrix: &dyn Matrix,
    start: Factors,
    params: &LocalParams<'_>,
) -> Result<Factors> {
    let LocalParams { method, iterations, ref stop, .. } = *params;
    let Factors { rank, mut w, mut h, .. } = start;
    if method == LocalMethod::Multiplicative {
        // A weight of exactly 0 could never grow.
        lift_zeros(&mut w);
        lift_zeros(&mut h);
    }
    let row = |d: usize| matrix.row(d);
    let column = |j: usize| matrix.column(j);
    let mut objective = vec![half_step(&column, rank, &w, &mut h, None, stop)?];
    for _ in 0..iterations {
        half_step(&row, rank, &h, &mut w, Some(method), stop)?;
        objective.push(half_step(&column, rank, &w, &mut h, Some(method), stop)?);
    }
    Ok(Factors { rank, w, h, objective, method: None })
}

/// Improves the lines `own` for fixed `other`, or leaves them as they are if `method` is None;
/// returns `||X - WH||_F^2` after it.
fn half_step(
    line: &(impl Fn(usize) -> Line + Sync),
    rank: usize,
    other: &[f64],
    own: &mut [f64],
    method: Option<LocalMethod>,
    stop: &StopRequest,
) -> Result<f64> {
    let s = gram_of_lines(other, rank);
    let parts: Vec<f64> = own
        .par_chunks_mut(LINES_PER_TASK * rank)
        .enumerate()
        .map(|(q, chunk)| {
            stop.check()?;
            let lines = (0..chunk.len() / rank).map(|l| line(q * LINES_PER_TASK + l));
            let (targets, squared_norms) = products(lines, other, rank);
            match method {
                Some(LocalMethod::Multiplicative) => multiply(&s, &targets, chunk),
                Some(_) => pivot_chunk(&s, &targets, &squared_norms, chunk),
                None => {}
            }
            Ok(objective(&s, &targets, &squared_norms, chunk))
        })
        .collect::<Result<_>>()?;
    Ok(parts.iter().fold(0.0, |sum, part| sum + part))
}

/// `c = U x` and `||x||^2` for each line x.
fn products(lines: impl Iterator<Item = Line>, other: &[f64], rank: usize) -> (Vec<f64>, Vec<f64>) {
    let (mut targets, mut squared_norms) = (Vec::new(), Vec::new());
    for x in lines {
        let (start, mut squared_norm) = (targets.len(), 0.0);
        targets.resize(start + rank, 0.0);
        x.for_each(|q, v| {
            squared_norm += v * v;
            add_scaled(&mut targets[start..], &other[q * rank..(q + 1) * rank], v);
        });
        squared_norms.push(squared_norm);
    }
    (targets, squared_norms)
}

/// `z_k <- z_k c_k / (S z)_k`.
fn multiply(s: &NormalMatrix, targets: &[f64], lines: &mut [f64]) {
    let rank = s.size();
    for (z, c) in lines.chunks_exact_mut(rank).zip(targets.chunks_exact(rank)) {
        let below: Vec<f64> = (0..rank).map(|k| dot(s.row(k), z)).collect();
        for k in 0..rank {
            if below[k] > 0.0 {
                z[k] *= c[k] / below[k];
            }
        }
    }
}

/// `sum ||x||^2 - 2 c'z + z'Sz`.
fn objective(s: &NormalMatrix, targets: &[f64], squared_norms: &[f64], lines: &[f64]) -> f64 {
    let rank = s.size();
    let lines = lines.chunks_exact(rank).zip(targets.chunks_exact(rank)).zip(squared_norms);
    lines.fold(0.0, |sum, ((z, c), squared_norm)| {
        let quadratic = (0..rank).fold(0.0, |sum, k| sum + z[k] * dot(s.row(k), z));
        sum + (squared_norm - 2.0 * dot(c, z) + quadratic)
    })
}
