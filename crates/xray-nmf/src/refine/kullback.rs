//! Kullback-Leibler divergence `D = sum_dj x log(x / y) - x + y` with `y = (WH)_dj`, by Lee and
//! Seung's multiplicative updates, which never increase it:
//!
//! ```text
//! z_k <- z_k (sum_q u_qk x_q / y_q) / (sum_q u_qk)
//! ```
//!
//! for each line z (row of W or column of H) against the other factor's lines u_q. Only nonzeros of
//! X enter the numerator. A weight of exactly 0 could never grow, so zeros start as a small share of
//! the mean weight of their topic, unless that makes the first step worse than the start as given.
//!
//! Seeded topics are held, at any strength above 0: there is no pull that multiplications could follow.

use rayon::prelude::*;

use super::pull::{Mask, SeededTopics};
use super::travel::Parts;
use super::{LINES_PER_TASK, Trace};
use crate::error::{Error, Result};
use crate::matrix::Line;
use crate::matrix::kernels::{add_scaled, dot};
use crate::stop::Stop;

/// Zeros start at this share of their topic's mean weight.
const FLOOR: f64 = 1e-4;

/// Products below this count as this: the divergence stays finite.
const LEAST: f64 = 1e-300;

pub(super) fn run(
    parts: &Parts<'_>,
    seeded: &SeededTopics,
    w: &mut [f64],
    h: &mut [f64],
    trace: &mut Trace<'_>,
) -> Result<()> {
    let (held, mask) = (Held::new(seeded, w, parts.rank), Mask::new(seeded));
    mask.clear_all(h, parts.rank);
    let start = divergence(parts, w, h)?;
    let mut before = (w.to_vec(), h.to_vec());
    lift_topics(parts, w, h)?;
    held.restore(w);
    mask.clear_all(h, parts.rank);
    let mut is_first = true;
    trace.follow(start, || {
        let mut objective = step(parts, &held, w, h, &before)?;
        if std::mem::take(&mut is_first) && objective > start {
            // Zeros belong where they were.
            w.copy_from_slice(&before.0);
            h.copy_from_slice(&before.1);
            objective = step(parts, &held, w, h, &before)?;
        }
        if parts.stop.is_possible() {
            before.0.copy_from_slice(w);
            before.1.copy_from_slice(h);
        }
        Ok(objective)
    })
}

/// Improves both factors, and returns the divergence; a step that is given up leaves them as they were `before`.
fn step(
    parts: &Parts<'_>,
    held: &Held,
    w: &mut [f64],
    h: &mut [f64],
    before: &(Vec<f64>, Vec<f64>),
) -> Result<f64> {
    let row = |d: usize| parts.rows.row(d);
    let done = half_step(parts.stop, &row, parts.rank, h, w)
        .and_then(|()| {
            held.restore(w);
            column_step(parts, w, h)
        })
        .and_then(|()| divergence(parts, w, h));
    if done == Err(Error::Stopped) {
        w.copy_from_slice(&before.0);
        h.copy_from_slice(&before.1);
    }
    done
}

/// W of the topics that do not move. Every weight's multiplication lowers a bound that is a sum of one term for
/// each weight, so some may be left out.
struct Held {
    rank: usize,
    n_held: usize,
    columns: Vec<f64>,
}

impl Held {
    fn new(seeded: &SeededTopics, w: &[f64], rank: usize) -> Self {
        let n_held = if seeded.are_held() { seeded.columns.len() } else { 0 };
        let columns = w.chunks_exact(rank).flat_map(|z| z[..n_held].iter().copied()).collect();
        Self { rank, n_held, columns }
    }

    fn restore(&self, w: &mut [f64]) {
        if self.n_held > 0 {
            let lines = w.chunks_exact_mut(self.rank).zip(self.columns.chunks_exact(self.n_held));
            lines.for_each(|(z, held)| z[..self.n_held].copy_from_slice(held));
        }
    }
}

/// Raises zeros to a small share of the mean, so that multiplications can move them.
#[cfg(feature = "rivals")]
pub(crate) fn lift_zeros(values: &mut [f64]) {
    let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
    let least = if mean > 0.0 { FLOOR * mean } else { 1.0 };
    values.iter_mut().for_each(|v| *v = v.max(least));
}

/// The same for each topic of W and of H by itself, so that it does not matter how topics are scaled. A topic
/// that one factor has nothing of gets a small share of the mean of X there.
fn lift_topics(parts: &Parts<'_>, w: &mut [f64], h: &mut [f64]) -> Result<()> {
    let rank = parts.rank;
    let mut of_w = vec![0.0; rank];
    parts.travel(w, &[], 0, |_, _, lines| {
        lines.chunks_exact(rank).for_each(|z| add_scaled(&mut of_w, z, 1.0));
    })?;
    let mut of_h = column_sums(h, rank);
    let (m, n) = (parts.columns.n_rows().max(1) as f64, parts.layout.n().max(1) as f64);
    let mean = parts.sum_of_entries()? / (m * n);
    for (of_w, of_h) in of_w.iter_mut().zip(&mut of_h) {
        (*of_w, *of_h) = least_weights(*of_w / m, *of_h / n, mean);
    }
    for (values, least) in [(w, &of_w), (h, &of_h)] {
        for line in values.chunks_exact_mut(rank) {
            line.iter_mut().zip(least).for_each(|(v, least)| *v = v.max(*least));
        }
    }
    Ok(())
}

/// The least weights of a topic in W and H, given its mean weights and the mean of X.
fn least_weights(of_w: f64, of_h: f64, mean: f64) -> (f64, f64) {
    match (of_w > 0.0, of_h > 0.0) {
        (true, true) => (FLOOR * of_w, FLOOR * of_h),
        (true, false) => (FLOOR * of_w, FLOOR * (mean / of_w)),
        (false, true) => (FLOOR * (mean / of_h), FLOOR * of_h),
        (false, false) => (mean.sqrt(), FLOOR * mean.sqrt()),
    }
}

fn column_sums(lines: &[f64], rank: usize) -> Vec<f64> {
    let mut sums = vec![0.0; rank];
    lines.chunks_exact(rank).for_each(|z| add_scaled(&mut sums, z, 1.0));
    sums
}

fn half_step(
    stop: Stop<'_>,
    line: &(impl Fn(usize) -> Line + Sync),
    rank: usize,
    other: &[f64],
    own: &mut [f64],
) -> Result<()> {
    let sums = column_sums(other, rank);
    own.par_chunks_mut(LINES_PER_TASK * rank).enumerate().try_for_each(|(q, chunk)| {
        stop.check()?;
        for (l, z) in chunk.chunks_exact_mut(rank).enumerate() {
            multiply_line(&line(q * LINES_PER_TASK + l), other, &sums, z);
        }
        Ok(())
    })
}

/// One multiplication of a line of weights; `sums` are those of the other factor's topics.
fn multiply_line(x: &Line, other: &[f64], sums: &[f64], z: &mut [f64]) {
    let rank = z.len();
    let mut numerator = vec![0.0; rank];
    x.for_each(|q, x| add_ratio(&mut numerator, &other[q * rank..(q + 1) * rank], x, z));
    multiply(z, &numerator, sums);
}

/// `numerator += u x / (u'z)`; an infinite ratio would make NaN of a weight of 0.
fn add_ratio(numerator: &mut [f64], u: &[f64], x: f64, z: &[f64]) {
    add_scaled(numerator, u, (x / dot(u, z).max(LEAST)).min(f64::MAX));
}

/// `z_k <- z_k numerator_k / sum_k`, also where z is so small that the ratio has no number: the product has one.
fn multiply(z: &mut [f64], numerator: &[f64], sums: &[f64]) {
    for (z, (&numerator, &sum)) in z.iter_mut().zip(numerator.iter().zip(sums)) {
        let ratio = numerator / sum;
        if ratio.is_finite() {
            *z *= ratio;
        } else if sum > 0.0 {
            *z *= numerator.min(f64::MAX);
            *z /= sum;
        }
    }
}

/// Improves all columns of H for fixed W, which comes by in blocks where there are many ranks.
fn column_step(parts: &Parts<'_>, w: &[f64], h: &mut [f64]) -> Result<()> {
    let rank = parts.rank;
    if parts.is_whole() {
        return half_step(parts.stop, &|j| parts.columns.column(j), rank, w, h);
    }
    let mut own = parts.own_lines(h);
    let mut numerators = vec![0.0; own.len()];
    let mut sums = vec![0.0; rank];
    parts.travel(w, &[], 0, |start, _, lines| {
        lines.chunks_exact(rank).for_each(|z| add_scaled(&mut sums, z, 1.0));
        parts.add_block(start, lines, &mut numerators, rank, |j, u, x, numerator| {
            add_ratio(numerator, u, x, &own[j * rank..(j + 1) * rank]);
        });
    })?;
    for (z, numerator) in own.chunks_exact_mut(rank).zip(numerators.chunks_exact(rank)) {
        multiply(z, numerator, &sums);
    }
    h.copy_from_slice(&parts.gathered(&own, rank)?);
    Ok(())
}

/// D: the term of each column is the sum over its entries, and then `sum_d w_d'z`.
fn divergence(parts: &Parts<'_>, w: &[f64], h: &[f64]) -> Result<f64> {
    let rank = parts.rank;
    let own = parts.own_lines(h);
    let mut terms = vec![0.0; own.len() / rank];
    let mut sums = vec![0.0; rank];
    if parts.is_whole() {
        sums = column_sums(w, rank);
        terms
            .par_iter_mut()
            .with_min_len(LINES_PER_TASK)
            .zip(own.par_chunks_exact(rank))
            .enumerate()
            .try_for_each(|(j, (term, z))| {
                parts.stop.check()?;
                let column = parts.columns.column(j);
                column.for_each(|d, x| *term += gain(&w[d * rank..(d + 1) * rank], x, z));
                Ok(())
            })?;
    } else {
        parts.travel(w, &[], 0, |start, _, lines| {
            lines.chunks_exact(rank).for_each(|z| add_scaled(&mut sums, z, 1.0));
            parts.add_block(start, lines, &mut terms, 1, |j, u, x, term| {
                term[0] += gain(u, x, &own[j * rank..(j + 1) * rank]);
            });
        })?;
    }
    let expected = own.chunks_exact(rank).map(|z| dot(&sums, z));
    terms.iter_mut().zip(expected).for_each(|(term, expected)| *term += expected);
    // Rounding can make it negative where nothing is left.
    Ok(parts.sum_of_terms(&terms)?.max(0.0))
}

/// `x log(x / y) - x` with `y = u'z`.
fn gain(u: &[f64], x: f64, z: &[f64]) -> f64 {
    if x > 0.0 {
        let y = dot(u, z).max(LEAST);
        let ratio = x / y;
        let logarithm = if ratio.is_normal() { ratio.ln() } else { x.ln() - y.ln() };
        x * logarithm - x
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::DenseMatrix;
    use crate::refine::{Factors, Refine, Refinement};

    const RANK: usize = 4;

    /// The sum of each topic.
    fn sums(lines: &[f64]) -> Vec<f64> {
        (0..RANK).map(|k| lines.iter().skip(k).step_by(RANK).sum()).collect()
    }

    /// `z_k <- z_k (sum_q u_qk x_q / y_q) / (sum_q u_qk)` for all lines z, by its definition.
    fn multiplied(x: impl Fn(usize, usize) -> f64, other: &[f64], own: &mut [f64]) {
        let sums = sums(other);
        for (i, z) in own.chunks_exact_mut(RANK).enumerate() {
            let old = z.to_vec();
            for k in 0..RANK {
                let term = |(q, u): (usize, &[f64])| {
                    let y: f64 = (0..RANK).map(|l| u[l] * old[l]).sum();
                    u[k] * x(i, q) / y
                };
                z[k] *= other.chunks_exact(RANK).enumerate().map(term).sum::<f64>() / sums[k];
            }
        }
    }

    /// Topics that W has nothing of, that H has nothing of, that neither has anything of, and one with a zero in each.
    #[test]
    fn a_step_is_that_of_the_formulas_from_lifted_zeros() {
        let (m, n) = (5, 6);
        let x = |d: usize, j: usize| (1 + (7 * d + 3 * j) % 11) as f64;
        let values: Vec<f64> = (0..m).flat_map(|d| (0..n).map(move |j| x(d, j))).collect();
        let matrix = DenseMatrix::from_row_major(m, n, values).expect("m x n");
        let line = |i: usize| [0.0, (1 + i) as f64, 0.0, ((i + 2) % 4) as f64];
        let w: Vec<f64> = (0..m).flat_map(line).collect();
        let h: Vec<f64> =
            (0..n).map(line).flat_map(|[a, b, c, d]| [2.0 * b, a, c, d / 3.0]).collect();

        let mean = (0..m * n).map(|q| x(q / n, q % n)).sum::<f64>() / (m * n) as f64;
        let (mut expected_w, mut expected_h) = (w.clone(), h.clone());
        let (of_w, of_h) = (sums(&w), sums(&h));
        for k in 0..RANK {
            let (a, b) = (of_w[k] / m as f64, of_h[k] / n as f64);
            let (least_w, least_h) = match (a > 0.0, b > 0.0) {
                (true, true) => (1e-4 * a, 1e-4 * b),
                (true, false) => (1e-4 * a, 1e-4 * mean / a),
                (false, true) => (1e-4 * mean / b, 1e-4 * b),
                (false, false) => (mean.sqrt(), 1e-4 * mean.sqrt()),
            };
            expected_w.iter_mut().skip(k).step_by(RANK).for_each(|v| *v = v.max(least_w));
            expected_h.iter_mut().skip(k).step_by(RANK).for_each(|v| *v = v.max(least_h));
        }
        multiplied(x, &expected_h, &mut expected_w);
        multiplied(|j, d| x(d, j), &expected_w, &mut expected_h);

        let start = Factors { rank: RANK, w, h, objective: Vec::new(), method: None };
        let refine = Refine::of(&matrix).method(Refinement::KullbackLeibler).steps(1, 0.0);
        let found = refine.run(start).expect("refined");
        assert!(found.objective[1] < found.objective[0], "{:?}", found.objective);
        for (a, b) in found.w.iter().zip(&expected_w).chain(found.h.iter().zip(&expected_h)) {
            assert!((a - b).abs() <= 1e-12 * b, "{a} for {b}");
        }
        let y =
            |d: usize, j: usize| dot(&found.w[d * RANK..][..RANK], &found.h[j * RANK..][..RANK]);
        let term = |(d, j): (usize, usize)| x(d, j) * (x(d, j) / y(d, j)).ln() - x(d, j) + y(d, j);
        let divergence: f64 = (0..m * n).map(|q| term((q / n, q % n))).sum();
        assert!((found.objective[1] - divergence).abs() <= 1e-12 * divergence);
    }

    #[cfg(feature = "rivals")]
    #[test]
    fn zeros_are_lifted_to_a_share_of_the_mean() {
        let lifted = |mut values: Vec<f64>| {
            lift_zeros(&mut values);
            values
        };
        assert_eq!(lifted(vec![0.0, 3.0, 0.0, 1.0]), [1e-4, 3.0, 1e-4, 1.0]);
        assert_eq!(lifted(vec![0.0, 0.0]), [1.0, 1.0]);
        assert!(lifted(Vec::new()).is_empty());
    }
}
