//! The leading singular triplets of X, sparse or dense, by subspace iteration.
//!
//! From a fixed random n x k block V (k = rank + 8, at most the smaller side):
//!
//! ```text
//! Q = orth(X V),   X'Q = P R (P orthonormal),   V <- P
//! ```
//!
//! until the leading singular values of R stand still; with `R' = A S B'`, `X ~= (QA) S (PB)'`. The small
//! SVD is one-sided Jacobi. All sums run in a fixed order. Cost: O(nnz k + (m + n) k^2) a round.
//!
//! Columns may be centred, `X - c 1'`, without forming that: `(X - c 1')V = XV - c (1'V)`.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use rayon::prelude::*;

use crate::matrix::kernels::{add_scaled, dot};
use crate::matrix::{Line, Matrix};

/// Columns of the block beyond those asked for: they speed convergence.
const OVERSAMPLING: usize = 8;
const MOST_ROUNDS: usize = 200;
/// Singular values stand still when they change by less than this times the largest.
const CONVERGED: f64 = 1e-13;
/// A column that keeps less than this share of its norm is dependent on those before.
const DEPENDENT: f64 = 1e-12;

/// `s_k`, `u_k` and `v_k`.
pub(super) struct Triplet {
    pub(super) value: f64,
    pub(super) left: Vec<f64>,
    pub(super) right: Vec<f64>,
}

/// The `rank` leading triplets, fewer if the rank of X is smaller; in the current pool.
pub(super) fn truncated_svd(matrix: &dyn Matrix, rank: usize) -> Vec<Triplet> {
    leading(matrix, None, rank)
}

/// The same of the columns less `centre`.
pub(super) fn centred_svd(matrix: &dyn Matrix, centre: &[f64], rank: usize) -> Vec<Triplet> {
    leading(matrix, Some(centre), rank)
}

/// The mean column of X; zero if there is none.
pub(super) fn mean_column(matrix: &dyn Matrix) -> Vec<f64> {
    let n = matrix.n_columns();
    let sums = product(matrix.n_rows(), |d| matrix.row(d), &[vec![1.0; n]]).swap_remove(0);
    sums.into_iter().map(|sum| sum / n.max(1) as f64).collect()
}

fn leading(matrix: &dyn Matrix, centre: Option<&[f64]>, rank: usize) -> Vec<Triplet> {
    let (m, n) = (matrix.n_rows(), matrix.n_columns());
    let k = (rank + OVERSAMPLING).min(m).min(n);
    let mut generator = ChaCha8Rng::seed_from_u64(0);
    let mut basis: Vec<Vec<f64>> =
        (0..k).map(|_| (0..n).map(|_| StandardNormal.sample(&mut generator)).collect()).collect();
    let mut before = vec![0.0; rank];
    let mut small = Small::default();
    let mut left = Vec::new();
    for _ in 0..MOST_ROUNDS {
        left = orthonormal(&times_block(matrix, centre, &basis)).0;
        let (right, r) = orthonormal(&transposed_times_block(matrix, centre, &left));
        small = Small::of_columns(r);
        basis = right;
        let largest = small.values.first().copied().unwrap_or(0.0);
        let values: Vec<f64> =
            (0..rank).map(|q| small.values.get(q).copied().unwrap_or(0.0)).collect();
        let change = values.iter().zip(&before).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        before = values;
        if change <= CONVERGED * largest {
            break;
        }
    }
    let rounding = f64::EPSILON * (m + n) as f64 * before.first().unwrap_or(&0.0);
    let kept = (0..small.values.len().min(rank)).take_while(|&q| small.values[q] > rounding);
    kept.map(|q| Triplet {
        value: small.values[q],
        left: combination(&left, &small.right[q], m),
        right: combination(&basis, &small.left[q], n),
    })
    .collect()
}

/// `(X - c 1') V`.
fn times_block(matrix: &dyn Matrix, centre: Option<&[f64]>, block: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let mut product = product(matrix.n_rows(), |d| matrix.row(d), block);
    for (sums, vector) in product.iter_mut().zip(block) {
        let total = vector.iter().fold(0.0, |sum, v| sum + v);
        centre.into_iter().for_each(|centre| add_scaled(sums, centre, -total));
    }
    product
}

/// `(X - c 1')' Q`.
fn transposed_times_block(
    matrix: &dyn Matrix,
    centre: Option<&[f64]>,
    block: &[Vec<f64>],
) -> Vec<Vec<f64>> {
    let mut product = product(matrix.n_columns(), |j| matrix.column(j), block);
    for (sums, vector) in product.iter_mut().zip(block) {
        let share = centre.map_or(0.0, |centre| dot(centre, vector));
        sums.iter_mut().for_each(|sum| *sum -= share);
    }
    product
}

/// The lines of X times the block: one vector of `n_lines` for each vector of the block.
fn product(
    n_lines: usize,
    line: impl Fn(usize) -> Line + Sync,
    block: &[Vec<f64>],
) -> Vec<Vec<f64>> {
    let length = block.first().map_or(0, Vec::len);
    let packed: Vec<f64> =
        (0..length).flat_map(|q| block.iter().map(move |vector| vector[q])).collect();
    let k = block.len();
    let rows: Vec<Vec<f64>> = (0..n_lines)
        .into_par_iter()
        .with_min_len(64)
        .map(|l| {
            let mut sums = vec![0.0; k];
            line(l).for_each(|q, v| add_scaled(&mut sums, &packed[q * k..(q + 1) * k], v));
            sums
        })
        .collect();
    (0..k).map(|c| rows.iter().map(|row| row[c]).collect()).collect()
}

/// An orthonormal basis of the block's span, and the coefficients of every vector of the block:
/// `block[c] = sum_q basis[q] coefficients[c][q]`.
fn orthonormal(block: &[Vec<f64>]) -> (Vec<Vec<f64>>, Vec<Vec<f64>>) {
    let mut basis: Vec<Vec<f64>> = Vec::new();
    let mut coefficients = Vec::new();
    for vector in block {
        let mut left = vector.clone();
        let mut shares = vec![0.0; block.len()];
        for _ in 0..2 {
            for (q, share) in basis.iter().zip(&mut shares) {
                let part = dot(q, &left);
                add_scaled(&mut left, q, -part);
                *share += part;
            }
        }
        let norm = dot(&left, &left).sqrt();
        if norm > DEPENDENT * dot(vector, vector).sqrt() {
            shares[basis.len()] = norm;
            left.iter_mut().for_each(|v| *v /= norm);
            basis.push(left);
        }
        coefficients.push(shares);
    }
    coefficients.iter_mut().for_each(|shares| shares.truncate(basis.len()));
    (basis, coefficients)
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
