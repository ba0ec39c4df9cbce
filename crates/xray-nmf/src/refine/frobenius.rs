//! `||X - WH||_F^2`: exact alternating least squares, and HALS.
//!
//! With H fixed, row d of W minimises `1/2 w'Sw - c'w` with `S = HH'` and `c = H x_d`; with W fixed,
//! column j of H does so with `S = W'W` and `c = W'x_j`. [`Refinement::Exact`] solves each exactly,
//! from the old support; HALS makes [`SWEEPS`] sweeps `w_k <- (w_k + (c_k - S_k w) / S_kk)_+` each
//! time (accelerated HALS: Gillis and Glineur, Neural Computation 2012), and looks ahead.

use rayon::prelude::*;

use super::alternate::{Extrapolation, alternate};
use super::pull::{Pull, SeededTopics};
use super::travel::Parts;
use super::{LINES_PER_TASK, Refinement, Trace};
use crate::error::Result;
use crate::gram::NormalMatrix;
use crate::matrix::Line;
use crate::matrix::kernels::quad::Quad;
use crate::matrix::kernels::{add_scaled, dot, multiversion};
use crate::ownership::Ownership;
use crate::project::{ActiveSet, descend, is_crowded, weighted_lines};
use crate::stop::Stop;

/// Sweeps of HALS over the topics of each line before the other factor's turn.
const SWEEPS: usize = 3;

pub(super) fn run(
    parts: &Parts<'_>,
    method: Refinement,
    seeded: &SeededTopics,
    (w, h): (&mut Vec<f64>, &mut Vec<f64>),
    trace: &mut Trace<'_>,
) -> Result<()> {
    let pull = Pull::new(parts, seeded, w, h)?;
    let start = column_step(parts, &pull, w, h, None)?;
    let improve_w = |h: &[f64], w: &mut [f64]| row_step(parts, &pull, h, w, method);
    let improve_h = |w: &[f64], h: &mut [f64]| column_step(parts, &pull, w, h, Some(method));
    alternate(w, h, Extrapolation::of(method), start, trace, improve_w, improve_h)
}

/// Improves all own rows of W for fixed H.
fn row_step(
    parts: &Parts<'_>,
    pull: &Pull,
    h: &[f64],
    w: &mut [f64],
    method: Refinement,
) -> Result<()> {
    let row = |d: usize, into: &mut Line| parts.rows.read_row(d, into);
    let s = sum_of_grams(&grams_of_blocks(parts.stop, h, parts.rank)?, parts.rank);
    let (s, pulled) = pull.of_rows(parts, s, w)?;
    let shift = |d: usize, z: &[f64], target: &mut [f64]| pulled.shift(d, z, target);
    let step = HalfStep { s: &s, other: h, method: Some(method), shift: &shift };
    step.run(parts.stop, &row, w).map(|_| ())
}

/// Improves all columns of H for fixed W, or leaves them if `method` is None; returns `||X - WH||_F^2`, and what
/// the pull adds to it, after it. On one rank a half step like that of the rows; on many, W comes by in blocks.
fn column_step(
    parts: &Parts<'_>,
    pull: &Pull,
    w: &[f64],
    h: &mut [f64],
    method: Option<Refinement>,
) -> Result<f64> {
    let rank = parts.rank;
    if parts.is_whole() {
        let column = |j: usize, into: &mut Line| parts.columns.read_column(j, into);
        let s = sum_of_grams(&grams_of_blocks(parts.stop, w, rank)?, rank);
        let s = pull.of_columns(parts, s, w)?;
        let shift = |j: usize, _: &[f64], target: &mut [f64]| pull.mask.clear(j, target);
        return HalfStep { s: &s, other: w, method, shift: &shift }.run(parts.stop, &column, h);
    }
    let (s, mut targets) = products(parts, w)?;
    let s = pull.of_columns(parts, s, w)?;
    let own = targets.par_chunks_exact_mut(rank).enumerate();
    own.for_each(|(i, target)| pull.mask.clear(parts.layout.global(i), target));
    let squares = parts.columns.squared_norms();
    let mut lines = parts.own_lines(h);
    let terms: Vec<Vec<f64>> = lines
        .par_chunks_mut(LINES_PER_TASK * rank)
        .zip(targets.par_chunks(LINES_PER_TASK * rank))
        .zip(squares.par_chunks(LINES_PER_TASK))
        .map(|((lines, targets), squares)| improve_lines(&s, targets, squares, lines, method))
        .collect();
    if method.is_some() {
        h.copy_from_slice(&parts.gathered(&lines, rank)?);
    }
    parts.sum_of_terms(&terms.concat())
}

/// HALS, or exact steps where topics of W are so near to each other that HALS is slow.
pub(super) fn suited(parts: &Parts<'_>, w: &[f64]) -> Result<Refinement> {
    let rank = parts.rank;
    if rank == 0 {
        return Ok(Refinement::Hals);
    }
    let (mut gram, heads) = (vec![0.0; rank * rank], grams_of_blocks(parts.stop, w, rank)?);
    parts.travel(&[], &heads, rank * rank, |_, part, _| add_scaled(&mut gram, part, 1.0))?;
    let crowded = is_crowded(&lines_of_gram(&gram, rank));
    Ok(if crowded { Refinement::Exact } else { Refinement::Hals })
}

/// `W'W`, and `W'X_j` for the own columns j, one line after the other.
fn products(parts: &Parts<'_>, w: &[f64]) -> Result<(NormalMatrix, Vec<f64>)> {
    let rank = parts.rank;
    let grams = grams_of_blocks(parts.stop, w, rank)?;
    let mut gram = vec![0.0; rank * rank];
    let mut targets = vec![0.0; parts.columns.n_columns() * rank];
    parts.travel(w, &grams, rank * rank, |start, part, lines| {
        add_scaled(&mut gram, part, 1.0);
        parts.add_block(start, lines, &mut targets, rank, |_, line, x, target| {
            add_scaled(target, line, x);
        });
    })?;
    Ok((lines_of_gram(&gram, rank), targets))
}

/// Changes the target of a line, given its number and its weights.
type Shift<'a> = dyn Fn(usize, &[f64], &mut [f64]) + Sync + 'a;

/// One factor's turn, while the other one is fixed.
#[derive(Clone, Copy)]
pub(super) struct HalfStep<'a> {
    s: &'a NormalMatrix,
    other: &'a [f64],
    /// Lines stay as they are if it is None.
    method: Option<Refinement>,
    shift: &'a Shift<'a>,
}

impl HalfStep<'_> {
    /// Improves the lines `own`, as many numbers for each line of X as there are topics; returns the objective after it.
    fn run(
        self,
        stop: Stop<'_>,
        line: &(impl Fn(usize, &mut Line) + Sync),
        own: &mut [f64],
    ) -> Result<f64> {
        let rank = self.s.size();
        let parts: Vec<f64> = own
            .par_chunks_mut(LINES_PER_TASK * rank)
            .enumerate()
            .map_init(
                || vec![Line::default(); LINES_PER_TASK],
                |lines, (q, chunk)| {
                    stop.check()?;
                    let first = q * LINES_PER_TASK;
                    let lines = &mut lines[..chunk.len() / rank];
                    lines.iter_mut().enumerate().for_each(|(l, into)| line(first + l, into));
                    Ok(update_chunk(self, first, lines, chunk))
                },
            )
            .collect::<Result<_>>()?;
        Ok(parts.iter().fold(0.0, |sum, part| sum + part))
    }
}

/// `sum_l z_l z_l'` over the lines of a matrix with `rank` columns, in fixed chunks; the parts have
/// the lower triangle alone.
#[cfg(feature = "rivals")]
pub(crate) fn gram_of_lines(lines: &[f64], rank: usize) -> NormalMatrix {
    sum_of_grams(&grams_of_blocks(Stop::NEVER, lines, rank).expect("nobody asks to stop"), rank)
}

/// The sum of the parts of all chunks.
fn sum_of_grams(parts: &[Vec<f64>], rank: usize) -> NormalMatrix {
    let mut total = vec![0.0; rank * rank];
    parts.iter().for_each(|part| add_scaled(&mut total, part, 1.0));
    lines_of_gram(&total, rank)
}

/// The same of each chunk.
fn grams_of_blocks(stop: Stop<'_>, lines: &[f64], rank: usize) -> Result<Vec<Vec<f64>>> {
    let chunks = lines.par_chunks(Ownership::ROW_BLOCK * rank);
    chunks.map(|chunk| stop.check().map(|()| gram_of_chunk(chunk, rank))).collect()
}

/// The sum on the current thread, in one piece.
pub(crate) fn gram_of_few_lines(lines: &[f64], rank: usize) -> NormalMatrix {
    lines_of_gram(&gram_of_chunk(lines, rank), rank)
}

/// A symmetric matrix from its lower triangle.
fn lines_of_gram(total: &[f64], rank: usize) -> NormalMatrix {
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
                add_scaled(&mut sums[k * rank..][..=k], &z[..=k], v);
            }
        }
    }
    sums
}

multiversion! {
    /// Updates the lines of one chunk, from number `first` on, and returns their part of the objective.
    fn update_chunk(step: HalfStep<'_>, first: usize, lines: &[Line], chunk: &mut [f64]) -> f64 =
        quad update_chunk_body
}

#[inline(always)]
fn update_chunk_body<Q: Quad>(
    step: HalfStep<'_>,
    first: usize,
    lines: &[Line],
    chunk: &mut [f64],
) -> f64 {
    let HalfStep { s, other, method, shift } = step;
    let rank = s.size();
    let mut targets = vec![0.0; chunk.len()];
    let mut squared_norms = Vec::with_capacity(lines.len());
    for (l, (x, target)) in lines.iter().zip(targets.chunks_exact_mut(rank)).enumerate() {
        squared_norms.push(weighted_lines(x, other, target));
        shift(first + l, &chunk[l * rank..(l + 1) * rank], target);
    }
    let terms = improve_lines_body::<Q>(s, &targets, &squared_norms, chunk, method);
    terms.iter().fold(0.0, |sum, term| sum + term)
}

multiversion! {
    /// Improves lines whose targets are known and returns the part of each in the objective.
    fn improve_lines(
        s: &NormalMatrix,
        targets: &[f64],
        squared_norms: &[f64],
        lines: &mut [f64],
        method: Option<Refinement>,
    ) -> Vec<f64> = quad improve_lines_body
}

#[inline(always)]
fn improve_lines_body<Q: Quad>(
    s: &NormalMatrix,
    targets: &[f64],
    squared_norms: &[f64],
    lines: &mut [f64],
    method: Option<Refinement>,
) -> Vec<f64> {
    let rank = s.size();
    if method == Some(Refinement::Exact) {
        let mut solver = ActiveSet::default();
        let mut before = vec![0.0; rank];
        for (q, z) in lines.chunks_exact_mut(rank).enumerate() {
            let target = &targets[q * rank..(q + 1) * rank];
            before.copy_from_slice(z);
            solver.solve_dense(s, target, squared_norms[q].sqrt(), z);
            // Where the other factor has nothing of a topic, any weight is as good as any: it stays, so that
            // the other can come back.
            for k in 0..rank {
                if s.row(k)[k] <= 0.0 {
                    z[k] = before[k];
                }
            }
        }
    }
    let sweeps = if method == Some(Refinement::Hals) { SWEEPS } else { 0 };
    let mut images = vec![0.0; lines.len()];
    descend::<Q>(s, targets, lines, &mut images, sweeps);
    let mut terms = Vec::with_capacity(squared_norms.len());
    for (q, squared_norm) in squared_norms.iter().enumerate() {
        let line = q * rank..(q + 1) * rank;
        let z = &lines[line.clone()];
        let term = squared_norm - 2.0 * dot(&targets[line.clone()], z) + dot(&images[line], z);
        // Rounding can make it negative where nothing is left.
        terms.push(if term > 0.0 { term } else { 0.0 });
    }
    terms
}
