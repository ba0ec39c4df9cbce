//! Held-out rows: how well H, found on some rows, explains the others.
//!
//! With test rows X' of the same columns, the error of column i is
//! `||X'_i - X'_A h_i||^2 = C'_ii - 2 c'_i'h_i + h_i'S'h_i`, from the same kinds of inner products as
//! the projection, taken over the test rows; where that has lost its digits, from the columns themselves.
//! Only columns whose h_i changed are computed anew.

use crate::cone::{CANCELLATION, Cone};
use crate::error::Result;
use crate::gram::Gram;
use crate::matrix::Matrix;
use crate::params::Params;
use crate::project::ChangeBlock;
use crate::ranks::Ranks;

/// Columns between two looks at a request to stop.
const COLUMNS_PER_LOOK: usize = 1 << 10;

/// The test rows, with rays as they are found.
#[derive(Debug)]
pub(crate) struct HeldOut<'a> {
    /// Rays and inner products over the test rows; its `residuals` hold the errors.
    test: Cone<'a>,
}

impl<'a> HeldOut<'a> {
    pub(crate) fn new(test: &'a dyn Matrix, ranks: Ranks<'a>, params: &Params) -> Result<Self> {
        let gram = Gram::new(test, ranks, 0);
        Ok(Self { test: Cone::new(gram, params.allow_negative, params.descent())? })
    }

    /// The relative error after `anchor` was added and `fitted` changed in the columns of `changes`.
    pub(crate) fn error_with(
        &mut self,
        anchor: usize,
        fitted: &Cone<'_>,
        changes: &[ChangeBlock],
    ) -> Result<f64> {
        self.test.admit(anchor)?;
        for (c, &i) in changes.iter().flat_map(|block| &block.columns).enumerate() {
            if c % COLUMNS_PER_LOOK == 0 {
                fitted.ranks().stop.check()?;
            }
            let i = i as usize;
            let (anchors, weights) = fitted.column_weights(i);
            let mut error = self.test.squared_norms[i];
            for (&k, &h) in anchors.iter().zip(weights) {
                let row = self.test.normal.row(k as usize);
                let explained = anchors
                    .iter()
                    .zip(weights)
                    .fold(0.0, |sum, (&l, &g)| sum + g * row[l as usize]);
                error += h * (explained - 2.0 * self.test.inner_products.get(k as usize, i));
            }
            let lost = error < CANCELLATION * self.test.squared_norms[i];
            self.test.residuals[i] =
                if lost { self.test.explicit_residual(i, anchors, weights) } else { error };
        }
        let total = self.test.total;
        Ok(if total > 0.0 { (self.test.residual()? / total).sqrt() } else { 0.0 })
    }
}
