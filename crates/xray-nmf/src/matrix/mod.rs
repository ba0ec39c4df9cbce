//! The data X: m rows (documents, bands) by n columns (words, pixels), sparse or dense.
//!
//! The solver sees X only through [`Matrix`]: single columns, sums over columns, and products
//! `C_j = X'X_j`. One rule makes every result independent of storage, threads and ranks:
//!
//! > **`C_ij = sum_d X_di X_dj` is added up in ascending row order d, in f64, one term at a time,
//! > without fused multiply-add.**
//!
//! Absent entries add an exact zero, so sparse and dense storage of the same numbers give the same
//! bits, and so do batches of any size and any split of the columns over threads or machines.

mod compressed;
mod dense;
pub(crate) mod kernels;
mod products;
mod scalar;
mod sparse;

pub use dense::DenseMatrix;
pub(crate) use products::Products;
pub use scalar::Scalar;
pub use sparse::SparseMatrix;

use crate::error::{Error, Result};
use crate::params::Normalize;

/// Largest magnitude that an entry may have, and the reciprocal of the smallest that the largest
/// entry may have: scores are of fourth order in X and must neither overflow nor vanish.
pub const LARGEST_ENTRY: f64 = 1e70;

const RESCALE: &str = "multiply the whole matrix by a constant: the anchors do not change";

/// Dimensions fit u32 indices.
fn check_dimensions(n_rows: usize, n_columns: usize) -> Result<()> {
    for (what, n) in [("number of rows", n_rows), ("number of columns", n_columns)] {
        let limit = f64::from(u32::MAX) - 1.0;
        if n as f64 > limit {
            return Err(Error::Magnitude {
                what,
                value: n as f64,
                limit,
                remedy: "split the data",
            });
        }
    }
    Ok(())
}

/// An entry is finite and not too large.
fn check_value(row: usize, column: usize, value: f64) -> Result<()> {
    if !value.is_finite() {
        return Err(Error::NotFinite { row, column, value });
    }
    if value.abs() > LARGEST_ENTRY {
        let what = "an entry's magnitude";
        let (value, limit) = (value.abs(), LARGEST_ENTRY);
        return Err(Error::Magnitude { what, value, limit, remedy: RESCALE });
    }
    Ok(())
}

/// The largest entry is 0 or not too small.
fn check_largest<T: Scalar>(values: &[T]) -> Result<()> {
    let value = values.iter().map(|v| v.to_f64().abs()).fold(0.0, f64::max);
    let limit = 1.0 / LARGEST_ENTRY;
    if value > 0.0 && value < limit {
        let what = "the largest entry's magnitude";
        return Err(Error::Magnitude { what, value, limit, remedy: RESCALE });
    }
    Ok(())
}

/// One entry of a matrix.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Entry {
    /// Row index.
    pub row: usize,
    /// Column index.
    pub column: usize,
    /// Value.
    pub value: f64,
}

/// One column or row taken out of a matrix: sparse (`indices` given) or dense.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Line {
    /// Ascending indices of `values`, or `None` if every entry is there.
    pub indices: Option<Vec<u32>>,
    /// The entries.
    pub values: Vec<f64>,
}

impl Line {
    /// Calls `visit(index, value)` for each stored entry in ascending order.
    #[inline]
    pub fn for_each(&self, mut visit: impl FnMut(usize, f64)) {
        match &self.indices {
            Some(indices) => {
                indices.iter().zip(&self.values).for_each(|(&d, &v)| visit(d as usize, v));
            }
            None => self.values.iter().enumerate().for_each(|(d, &v)| visit(d, v)),
        }
    }

    /// The line as a dense vector of `length` entries.
    pub fn to_dense(&self, length: usize) -> Vec<f64> {
        let mut dense = vec![0.0; length];
        self.for_each(|d, v| dense[d] = v);
        dense
    }
}

/// A matrix: [`SparseMatrix`] or [`DenseMatrix`]; sealed.
///
/// Everything in this crate takes `&dyn Matrix`, so it is compiled once for all ways of storage.
pub trait Matrix: Products {
    /// Number of rows m.
    fn n_rows(&self) -> usize;

    /// Number of columns n.
    fn n_columns(&self) -> usize;

    /// [`column`](Matrix::column) in place of what `into` holds, in its memory.
    fn read_column(&self, j: usize, into: &mut Line);

    /// [`row`](Matrix::row) in place of what `into` holds, in its memory.
    fn read_row(&self, d: usize, into: &mut Line);

    /// Column j. Panics if j is out of range.
    fn column(&self, j: usize) -> Line {
        let mut column = Line::default();
        self.read_column(j, &mut column);
        column
    }

    /// Row d, as a vector over the columns. Panics if d is out of range.
    fn row(&self, d: usize) -> Line {
        let mut row = Line::default();
        self.read_row(d, &mut row);
        row
    }

    /// The first negative entry in storage order, if there is one; found when the matrix was made.
    fn first_negative(&self) -> Option<Entry>;

    /// `||X_j||^2` for all j.
    fn squared_norms(&self) -> Vec<f64>;
}

/// The norm of a column by which it is to be divided: never 0.
fn column_size(norm: Normalize, values: &[f64]) -> f64 {
    let largest = values.iter().fold(0.0, |largest: f64, v| largest.max(v.abs()));
    if largest == 0.0 {
        return 1.0;
    }
    match norm {
        Normalize::None => 1.0,
        Normalize::L1 => values.iter().fold(0.0, |sum, v| sum + v.abs()),
        // Relative to the largest entry, so that squares of tiny ones do not vanish.
        Normalize::L2 => {
            let squares = values.iter().fold(0.0, |sum, v| sum + (v / largest) * (v / largest));
            largest * squares.sqrt()
        }
    }
}

/// The column's values, each divided by the column's norm.
fn normalized_column(norm: Normalize, mut values: Vec<f64>) -> Vec<f64> {
    let size = column_size(norm, &values);
    values.iter_mut().for_each(|v| *v /= size);
    values
}
