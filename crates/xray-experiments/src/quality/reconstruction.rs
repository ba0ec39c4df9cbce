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
use xray_nmf::comm::{Collectives, Communicator};
use xray_nmf::{Factors, LARGEST_ENTRY, Matrix, Ownership, Portion};

use crate::part::Part;
use crate::quality::error::{Error, Result, check_length, check_rows};

/// Rows handled by one task; fixed, so that sums do not depend on threads and ranks.
const CHUNK: usize = 64;

/// A sum below this part of its terms is computed again without cancellation.
const LOST_DIGITS: f64 = 1e-8;

/// The relative error of `X ~= WH`, of factors of either sign; collective.
///
/// 0 if X and WH are both zero; infinite if only X is. Runs in the current rayon pool.
///
/// # Errors
/// If a length does not fit the matrix, an entry of W or H is not finite or above 1e70, or the ranks cannot
/// exchange data.
///
/// # Panics
/// If the own rows have not been made.
pub(crate) fn reconstruction_error(part: Part<'_>, factors: &Factors) -> anyhow::Result<f64> {
    let Portion { columns, rows, n_columns } = part.portion;
    let rows = rows.expect("rows are made");
    let Factors { rank, w, h, .. } = factors;
    check_factor("W", w, rows.n_rows(), *rank)?;
    check_factor("H", h, n_columns, *rank)?;
    let product = Product { rows, w, h, rank: *rank, s: gram(h, *rank) };
    let own = Ownership::rows(columns.n_rows(), part.comm);
    let (mut error, scale) = sum_rows(part.comm, &own, |i| product.by_gram(i))?;
    if error < LOST_DIGITS * scale {
        error = sum_rows(part.comm, &own, |i| (product.by_entries(i), 0.0))?.0;
    }
    let squares = part.comm.gather(&columns.squared_norms())?;
    let squares = Ownership::columns(n_columns, part.comm).in_order(&squares, 1);
    let total = squares.iter().fold(0.0, |sum, square| sum + square);
    Ok(if error == 0.0 { 0.0 } else { error.sqrt() / total.sqrt() })
}

/// Adds up a pair of numbers over the rows of all ranks, of which `of_row` is given the own ones by their local
/// index: chunk by chunk, in order. Blocks of rows are made of whole chunks.
fn sum_rows(
    comm: &dyn Communicator,
    own: &Ownership,
    of_row: impl Fn(usize) -> (f64, f64) + Sync,
) -> anyhow::Result<(f64, f64)> {
    const { assert!(Ownership::ROW_BLOCK.is_multiple_of(CHUNK)) };
    let add = |a: (f64, f64), b: (f64, f64)| (a.0 + b.0, a.1 + b.1);
    let chunk = |q: usize| {
        let rows = q * CHUNK..own.n_own().min((q + 1) * CHUNK);
        let (a, b) = rows.map(&of_row).fold((0.0, 0.0), add);
        [a, b]
    };
    let sums: Vec<[f64; 2]> = (0..own.n_own().div_ceil(CHUNK)).into_par_iter().map(chunk).collect();
    let mut parts: Vec<_> = comm.gather_parts(&sums)?.into_iter().map(Vec::into_iter).collect();
    let chunks = (0..own.n_blocks()).flat_map(|b| {
        let n = own.block_lines(b).len().div_ceil(CHUNK);
        parts[own.block_owner(b)].by_ref().take(n).collect::<Vec<_>>()
    });
    Ok(chunks.fold((0.0, 0.0), |sum, [a, b]| add(sum, (a, b))))
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
    /// The own rows of X, those of W, and all of H.
    rows: &'a dyn Matrix,
    w: &'a [f64],
    h: &'a [f64],
    rank: usize,
    /// `HH'`, row after row.
    s: Vec<f64>,
}

impl Product<'_> {
    /// The squared error of row i, and the sum of its terms' magnitudes.
    fn by_gram(&self, i: usize) -> (f64, f64) {
        let w = line(self.w, i, self.rank);
        let mut target = vec![0.0; self.rank];
        let mut square = 0.0;
        self.rows.row(i).for_each(|j, x| {
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
        let row = self.rows.row(i).to_dense(self.rows.n_columns());
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
