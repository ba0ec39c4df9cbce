//! What the engine asks of X besides its lines: sums and products over all columns.

use std::ops::Range;

use super::Matrix;
use crate::error::Result;
use crate::gram::GramColumn;
use crate::matrix::Line;
use crate::params::Normalize;
use crate::stop::Stop;

/// The hidden half of [`Matrix`]: it can be named by this crate alone, so nobody else can implement
/// either. Parallel methods run in the rayon pool of the caller.
pub trait Products: Sync + std::fmt::Debug {
    /// A copy with each nonzero column divided by its norm.
    fn normalized(&self, norm: Normalize) -> Box<dyn Matrix>;

    /// `C_j = X'x` for each given column x, in order; an error if it is to stop before the end.
    fn gram_until(&self, stop: Stop<'_>, columns: &[&Line]) -> Result<Vec<GramColumn>>;

    /// The same, to the end.
    fn gram(&self, columns: &[&Line]) -> Vec<GramColumn> {
        self.gram_until(Stop::NEVER, columns).expect("nobody asks to stop")
    }

    /// Memory that column j takes when it is taken out.
    fn column_bytes(&self, j: usize) -> usize;

    /// `p'X_j` for all j; `p` has one entry for each row.
    fn weighted_sums(&self, p: &[f64]) -> Vec<f64>;

    /// Adds the columns, in ascending order, to `sums` (one entry for each row).
    fn add_columns_to(&self, columns: Range<usize>, sums: &mut [f64]);

    /// Upper bounds on `||X'X_j||` for all j, or `None` where none is cheaper than the products.
    ///
    /// Certified: each bound includes the rounding errors made in computing it. An error if it is to stop before
    /// the end.
    fn gram_norm_bounds(&self, stop: Stop<'_>) -> Result<Option<Vec<f64>>>;

    /// The last columns, with half of the entries, and the first of them; `None` where products are
    /// no cheaper with fewer columns.
    fn second_half(&self) -> Option<(usize, Box<dyn Matrix>)>;

    /// Adds the squares of the products `X_i'x` to `squares[i]`, for each of the given vectors x, and
    /// returns their sum for each x. For bounds: the order of the sums is not fixed.
    fn add_product_squares(&self, vectors: &[Line], squares: &mut [f64]) -> Vec<f64> {
        let add = |x: &Line| {
            let mut sum = 0.0;
            self.gram(&[x])[0].for_each(|i, c| {
                squares[i] += c * c;
                sum += c * c;
            });
            sum
        };
        vectors.iter().map(add).collect()
    }
}
