//! How much of X a factorization leaves unexplained: `||X - WH||_F / ||X||_F`.
//!
//! WH is never formed. With `S = HH'`, the error of row x with weights w is
//!
//! ```text
//! ||x - w'H||^2 = ||x||^2 - 2 w'(Hx) + w'Sw
//! ```
//!
//! at `O(e r + (m + n) r^2)` for e stored entries. The difference has lost its digits where the
//! factors fit (nearly) exactly; then each row of `x - w'H` is computed by itself, at `O(m n r)`.
//!
//! [`Factorization::residual`](xray_nmf::Factorization::residual) has this number for anchors and
//! their weights, and [`Factors::objective`](xray_nmf::Factors) its numerator; this is for any
//! factors, of either sign, wherever they come from.

use rayon::prelude::*;
use xray_nmf::{LARGEST_ENTRY, Matrix};

use crate::quality::error::{Error, Result, check_length, check_rows};

/// Rows handled by one task; fixed, so that sums do not depend on threads.
const CHUNK: usize = 64;

/// A sum below this part of its terms is computed again without cancellation.
const LOST_DIGITS: f64 = 1e-8;

/// The relative error of `X ~= WH`, for W (m x rank) and the transpose of H (n x rank), both row
/// after row.
///
/// 0 if X and WH are both zero; infinite if only X is. Runs in the current rayon pool.
///
/// # Errors
/// If a length does not fit the matrix, or an entry of W or H is not finite or above 1e70.
///
/// # Examples
/// ```
/// use xray_experiments::quality::reconstruction_error;
/// use xray_nmf::DenseMatrix;
/// let x = DenseMatrix::from_row_major(1, 2, vec![3.0, 4.0])?;
/// assert_eq!(reconstruction_error(&x, &[1.0], &[3.0, 4.0], 1)?, 0.0);
/// assert_eq!(reconstruction_error(&x, &[1.0], &[3.0, 0.0], 1)?, 0.8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn reconstruction_error(matrix: &dyn Matrix, w: &[f64], h: &[f64], rank: usize) -> Result<f64> {
    check_factor("W", w, matrix.n_rows(), rank)?;
    check_factor("H", h, matrix.n_columns(), rank)?;
    let product = Product { matrix, w, h, rank, s: gram(h, rank) };
    let (mut error, scale) = product.sum_rows(|i| product.by_gram(i));
    if error < LOST_DIGITS * scale {
        error = product.sum_rows(|i| (product.by_entries(i), 0.0)).0;
    }
    let total = matrix.squared_norms().iter().fold(0.0, |sum, square| sum + square);
    Ok(if error == 0.0 { 0.0 } else { error.sqrt() / total.sqrt() })
}

/// A factor has `rank` entries for each line, all of a size that can be squared twice.
fn check_factor(what: &'static str, factor: &[f64], n_lines: usize, rank: usize) -> Result<()> {
    check_length(what, n_lines.saturating_mul(rank), factor.len())?;
    check_rows(what, factor, rank)?;
    match factor.iter().find(|v| v.abs() > LARGEST_ENTRY) {
        Some(v) => {
            let allowed = "magnitudes may be 1e70 at most; scale W down and H up, or X as well";
            Err(Error::Parameter { name: what, value: v.to_string(), allowed })
        }
        None => Ok(()),
    }
}

struct Product<'a> {
    matrix: &'a dyn Matrix,
    w: &'a [f64],
    h: &'a [f64],
    rank: usize,
    /// `HH'`, row after row.
    s: Vec<f64>,
}

impl Product<'_> {
    /// Adds up a pair of numbers over the rows: chunk by chunk, in order.
    fn sum_rows(&self, of_row: impl Fn(usize) -> (f64, f64) + Sync) -> (f64, f64) {
        let n_rows = self.matrix.n_rows();
        let add = |a: (f64, f64), b: (f64, f64)| (a.0 + b.0, a.1 + b.1);
        let chunk = |q: usize| {
            let rows = q * CHUNK..n_rows.min((q + 1) * CHUNK);
            rows.map(&of_row).fold((0.0, 0.0), add)
        };
        let n_chunks = n_rows.div_ceil(CHUNK);
        let parts: Vec<(f64, f64)> = (0..n_chunks).into_par_iter().map(chunk).collect();
        parts.into_iter().fold((0.0, 0.0), add)
    }

    /// The squared error of row i, and the sum of its terms' magnitudes.
    fn by_gram(&self, i: usize) -> (f64, f64) {
        let w = line(self.w, i, self.rank);
        let mut target = vec![0.0; self.rank];
        let mut square = 0.0;
        self.matrix.row(i).for_each(|j, x| {
            square += x * x;
            let h = line(self.h, j, self.rank);
            target.iter_mut().zip(h).for_each(|(t, v)| *t += x * v);
        });
        let cross = dot(&target, w);
        let quadratic =
            (0..self.rank).fold(0.0, |sum, k| sum + w[k] * dot(line(&self.s, k, self.rank), w));
        (square - 2.0 * cross + quadratic, square + 2.0 * cross.abs() + quadratic.abs())
    }

    /// The squared error of row i, entry by entry.
    fn by_entries(&self, i: usize) -> f64 {
        let w = line(self.w, i, self.rank);
        let row = self.matrix.row(i).to_dense(self.matrix.n_columns());
        row.iter().enumerate().fold(0.0, |sum, (j, x)| {
            let error = x - dot(w, line(self.h, j, self.rank));
            sum + error * error
        })
    }
}

/// `sum_l z_l z_l'` over lines of `rank` entries, in fixed chunks.
fn gram(lines: &[f64], rank: usize) -> Vec<f64> {
    let add_line = |mut sums: Vec<f64>, z: &[f64]| {
        for (k, &v) in z.iter().enumerate().filter(|(_, v)| **v != 0.0) {
            let row = &mut sums[k * rank..(k + 1) * rank];
            row.iter_mut().zip(z).for_each(|(sum, u)| *sum += v * u);
        }
        sums
    };
    let width = rank.max(1);
    let parts: Vec<Vec<f64>> = lines
        .par_chunks(4096 * width)
        .map(|chunk| chunk.chunks_exact(width).fold(vec![0.0; rank * rank], add_line))
        .collect();
    let mut total = vec![0.0; rank * rank];
    for part in parts {
        total.iter_mut().zip(part).for_each(|(sum, v)| *sum += v);
    }
    total
}

fn line(lines: &[f64], i: usize, rank: usize) -> &[f64] {
    &lines[i * rank..(i + 1) * rank]
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |sum, (x, y)| sum + x * y)
}
