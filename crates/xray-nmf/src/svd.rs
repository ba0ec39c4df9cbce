//! The leading singular triplets of X, sparse or dense, on any number of ranks, by subspace iteration.
//!
//! From a fixed random n x k block V (k = rank + 8, at most the smaller side):
//!
//! ```text
//! Q = orth(X V),   X'Q = P R (P orthonormal),   V <- P
//! ```
//!
//! until the leading singular values of R stand still; with `R' = A S B'`, `X ~= (QA) S (PB)'`. The small
//! SVD is one-sided Jacobi. X is looked at by products only, and never formed otherwise; columns may be centred,
//! `X - c 1'`, by `(X - c 1')V = XV - c (1'V)`.
//!
//! Q is on every rank, P with its columns. `XV` is added up in column order, inner products of columns of P in block order:
//! the bits do not depend on ranks and threads. Cost: O(nnz k + (m + n) k^2) a round.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use crate::comm::Collectives;
use crate::error::Result;
use crate::matrix::kernels::{add_scaled, dot};
use crate::matrix::{Line, Matrix};
use crate::mean::in_column_order;
use crate::ranks::Ranks;

/// Columns of the block beyond those asked for: they speed convergence.
const OVERSAMPLING: usize = 8;
/// A column that keeps less than this share of its norm is dependent on those before.
const DEPENDENT: f64 = 1e-12;

/// How long to iterate.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Effort {
    pub(crate) most_rounds: usize,
    /// Singular values stand still when they change by less than this times the largest.
    pub(crate) converged: f64,
}

impl Effort {
    /// To the last digits.
    #[cfg(feature = "rivals")]
    pub(crate) const ALL: Self = Self { most_rounds: 200, converged: 1e-13 };
}

/// `s_k`, `u_k` and, for own columns, `v_k`, whose largest entry is positive.
#[derive(Debug, Clone)]
pub(crate) struct Triplet {
    pub(crate) value: f64,
    #[cfg(feature = "rivals")]
    pub(crate) left: Vec<f64>,
    pub(crate) right: Vec<f64>,
}

/// What is decomposed: own columns, less `centre`.
pub(crate) struct Decomposed<'a> {
    pub(crate) matrix: &'a dyn Matrix,
    pub(crate) ranks: Ranks<'a>,
    pub(crate) centre: Option<&'a [f64]>,
}

impl Decomposed<'_> {
    /// The `rank` leading triplets, fewer if the rank of X is smaller; in the current pool, collective.
    ///
    /// # Errors
    /// If it is to stop, or the ranks cannot exchange data.
    pub(crate) fn leading(&self, rank: usize, effort: Effort) -> Result<Vec<Triplet>> {
        let (m, n) = (self.matrix.n_rows(), self.ranks.columns.n());
        let mut right = self.start((rank + OVERSAMPLING).min(m).min(n));
        let (mut left, mut small) = (Vec::new(), Small::default());
        let mut before = vec![0.0; rank];
        for _ in 0..effort.most_rounds {
            self.ranks.stop.check()?;
            left = orthonormal(&self.times(&right)?, local_products)?.0;
            let products = |basis: &[Vec<f64>], vector: &[f64]| self.shared_products(basis, vector);
            let (basis, coefficients) = orthonormal(&self.transposed_times(&left), products)?;
            (right, small) = (basis, Small::of_columns(coefficients));
            let largest = small.values.first().copied().unwrap_or(0.0);
            let value = |q: usize| small.values.get(q).copied().unwrap_or(0.0);
            let values: Vec<f64> = (0..rank).map(value).collect();
            let change = values.iter().zip(&before).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            before = values;
            if change <= effort.converged * largest {
                break;
            }
        }
        let rounding = f64::EPSILON * (m + n) as f64 * before.first().unwrap_or(&0.0);
        let kept = (0..small.values.len().min(rank)).take_while(|&q| small.values[q] > rounding);
        kept.map(|q| self.triplet(q, &small, &left, &right)).collect()
    }

    /// A fixed random block: own columns of it.
    fn start(&self, k: usize) -> Vec<Vec<f64>> {
        let mut generator = ChaCha8Rng::seed_from_u64(0);
        let columns = self.ranks.columns;
        let mut vector = || -> Vec<f64> {
            let numbers = (0..columns.n()).map(|j| (j, 2.0 * generator.random::<f64>() - 1.0));
            numbers.filter(|&(j, _)| columns.local(j).is_some()).map(|(_, v)| v).collect()
        };
        (0..k).map(|_| vector()).collect()
    }

    fn triplet(
        &self,
        q: usize,
        small: &Small,
        left: &[Vec<f64>],
        right: &[Vec<f64>],
    ) -> Result<Triplet> {
        let (m, n) = (self.matrix.n_rows(), self.matrix.n_columns());
        let mut left = combination(left, &small.right[q], m);
        let mut right = combination(right, &small.left[q], n);
        // The entry with the largest size; of equal ones, the positive one.
        let larger = |best: f64, v: f64| {
            if v.abs() > best.abs() || v == -best && v > 0.0 { v } else { best }
        };
        let own = right.iter().copied().fold(0.0, larger);
        let largest = self.ranks.comm.gather(&[own])?.into_iter().fold(0.0, larger);
        if largest < 0.0 {
            left.iter_mut().chain(&mut right).for_each(|v| *v = -*v);
        }
        Ok(Triplet {
            value: small.values[q],
            #[cfg(feature = "rivals")]
            left,
            right,
        })
    }

    /// `(X - c 1') V`, on every rank.
    fn times(&self, block: &[Vec<f64>]) -> Result<Vec<Vec<f64>>> {
        let m = self.matrix.n_rows();
        let mut sums = vec![0.0; m * block.len()];
        in_column_order(&self.ranks, &mut sums, |range, sums| {
            sums.par_chunks_mut(m.max(1)).zip(block).for_each(|(sums, vector)| {
                let mut column = Line::default();
                for j in range.clone() {
                    self.matrix.read_column(j, &mut column);
                    column.for_each(|d, v| sums[d] += v * vector[j]);
                }
            });
        })?;
        let mut product: Vec<Vec<f64>> = sums.chunks(m.max(1)).map(<[f64]>::to_vec).collect();
        product.resize(block.len(), Vec::new());
        if let Some(centre) = self.centre {
            for (sums, vector) in product.iter_mut().zip(block) {
                let total =
                    self.ranks.sum_blocks(|range| vector[range].iter().fold(0.0, |s, v| s + v))?;
                add_scaled(sums, centre, -total);
            }
        }
        Ok(product)
    }

    /// `(X - c 1')' Q`, of own columns.
    fn transposed_times(&self, block: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let (m, k) = (self.matrix.n_rows(), block.len());
        let packed: Vec<f64> =
            (0..m).flat_map(|d| block.iter().map(move |vector| vector[d])).collect();
        let shares: Vec<f64> = block
            .iter()
            .map(|vector| self.centre.map_or(0.0, |centre| dot(centre, vector)))
            .collect();
        let rows: Vec<Vec<f64>> = (0..self.matrix.n_columns())
            .into_par_iter()
            .with_min_len(64)
            .map_init(Line::default, |column, j| {
                let mut sums = vec![0.0; k];
                self.matrix.read_column(j, column);
                column.for_each(|d, v| add_scaled(&mut sums, &packed[d * k..(d + 1) * k], v));
                sums.iter_mut().zip(&shares).for_each(|(sum, share)| *sum -= share);
                sums
            })
            .collect();
        (0..k).map(|c| rows.iter().map(|row| row[c]).collect()).collect()
    }

    /// Inner products of vectors over the columns of all ranks, in block order.
    fn shared_products(&self, basis: &[Vec<f64>], vector: &[f64]) -> Result<Vec<f64>> {
        let Ranks { comm, columns, .. } = self.ranks;
        let part = |range: std::ops::Range<usize>| -> Vec<f64> {
            basis.iter().map(|q| dot(&q[range.clone()], &vector[range.clone()])).collect()
        };
        let own: Vec<f64> = columns.own_blocks().into_par_iter().flat_map_iter(part).collect();
        let all = comm.gather(&own)?;
        let mut sums = vec![0.0; basis.len()];
        for block in columns.in_block_order(&all, basis.len()) {
            sums.iter_mut().zip(block).for_each(|(sum, part)| *sum += part);
        }
        Ok(sums)
    }
}

/// Inner products of vectors that every rank has.
fn local_products(basis: &[Vec<f64>], vector: &[f64]) -> Result<Vec<f64>> {
    Ok(basis.iter().map(|q| dot(q, vector)).collect())
}

/// A basis, and coefficients of vectors in it.
type Orthonormal = (Vec<Vec<f64>>, Vec<Vec<f64>>);

/// An orthonormal basis of the block's span, and the coefficients of every vector of the block:
/// `block[c] = sum_q basis[q] coefficients[c][q]`. Gram and Schmidt, twice.
fn orthonormal(
    block: &[Vec<f64>],
    products: impl Fn(&[Vec<f64>], &[f64]) -> Result<Vec<f64>>,
) -> Result<Orthonormal> {
    let norm = |v: &Vec<f64>| Ok(products(std::slice::from_ref(v), v)?[0].sqrt());
    let mut basis: Vec<Vec<f64>> = Vec::new();
    let mut coefficients = Vec::new();
    for vector in block {
        let mut left = vector.clone();
        let mut shares = vec![0.0; block.len()];
        for _ in 0..2 {
            for ((q, share), part) in basis.iter().zip(&mut shares).zip(products(&basis, &left)?) {
                add_scaled(&mut left, q, -part);
                *share += part;
            }
        }
        let (length, before): (f64, f64) = (norm(&left)?, norm(vector)?);
        if length > DEPENDENT * before {
            shares[basis.len()] = length;
            left.iter_mut().for_each(|v| *v /= length);
            basis.push(left);
        }
        coefficients.push(shares);
    }
    coefficients.iter_mut().for_each(|shares| shares.truncate(basis.len()));
    Ok((basis, coefficients))
}

fn combination(block: &[Vec<f64>], shares: &[f64], length: usize) -> Vec<f64> {
    let mut sum = vec![0.0; length];
    block.iter().zip(shares).for_each(|(vector, &share)| add_scaled(&mut sum, vector, share));
    sum
}

/// The SVD of a small matrix, largest value first.
#[derive(Default)]
struct Small {
    values: Vec<f64>,
    /// Left singular vectors: one entry for each row.
    left: Vec<Vec<f64>>,
    /// Right singular vectors: one entry for each column.
    right: Vec<Vec<f64>>,
}

impl Small {
    /// One-sided Jacobi: rotates pairs of columns until all are orthogonal.
    fn of_columns(mut columns: Vec<Vec<f64>>) -> Self {
        let k = columns.len();
        let unit = |c: usize| (0..k).map(|q| if q == c { 1.0 } else { 0.0 }).collect();
        let mut turned: Vec<Vec<f64>> = (0..k).map(unit).collect();
        for _ in 0..60 {
            let mut moved = false;
            for a in 0..k {
                for b in a + 1..k {
                    if let Some((c, s)) = rotation(&columns[a], &columns[b]) {
                        moved = true;
                        rotate(&mut columns, a, b, c, s);
                        rotate(&mut turned, a, b, c, s);
                    }
                }
            }
            if !moved {
                break;
            }
        }
        let norms: Vec<f64> = columns.iter().map(|column| dot(column, column).sqrt()).collect();
        let mut order: Vec<usize> = (0..k).filter(|&c| norms[c] > 0.0).collect();
        order.sort_by(|&a, &b| norms[b].total_cmp(&norms[a]));
        Self {
            values: order.iter().map(|&c| norms[c]).collect(),
            left: order
                .iter()
                .map(|&c| columns[c].iter().map(|v| v / norms[c]).collect())
                .collect(),
            right: order.iter().map(|&c| turned[c].clone()).collect(),
        }
    }
}

/// Cosine and sine of the rotation that makes two vectors orthogonal, unless they are.
fn rotation(x: &[f64], y: &[f64]) -> Option<(f64, f64)> {
    let (xx, yy, xy) = (dot(x, x), dot(y, y), dot(x, y));
    if xy.abs() <= 1e-15 * (xx * yy).sqrt() || xy == 0.0 {
        return None;
    }
    let zeta = (yy - xx) / (2.0 * xy);
    let tangent = zeta.signum() / (zeta.abs() + (1.0 + zeta * zeta).sqrt());
    let cosine = 1.0 / (1.0 + tangent * tangent).sqrt();
    Some((cosine, cosine * tangent))
}

fn rotate(columns: &mut [Vec<f64>], a: usize, b: usize, cosine: f64, sine: f64) {
    let (before, after) = columns.split_at_mut(b);
    for (x, y) in before[a].iter_mut().zip(&mut after[0]) {
        (*x, *y) = (cosine * *x - sine * *y, sine * *x + cosine * *y);
    }
}
