//! Bi-cross-validation: entries that neither W nor H has seen.
//!
//! Rows are split into three quarters, of which H is made, and a quarter; columns into two halves A and B at random.
//! `w = argmin ||x_A - w'H_A||` for each row x of the quarter, and the error is `||x_B - w'H_B||^2`.
//! Leaving out only rows is not enough: weights that have seen all of a row follow its noise.

use xray_nmf::{RowModel, split_rows};

use super::{Part, Trial};
use crate::corpus::DistributedMatrix;
use crate::error::Result;
use crate::left_over::{row_errors, sum_of_errors};

/// Several ways to split.
pub(super) struct Folds {
    folds: Vec<Fold>,
}

struct Fold {
    train: Part,
    test: DistributedMatrix,
    /// Whether a column is in the half that weights are made of.
    seen: Vec<bool>,
}

impl Folds {
    /// How many.
    pub(super) const NUMBER: usize = 2;

    /// Draws them; collective.
    pub(super) fn new(trial: &Trial<'_>, matrix: &DistributedMatrix) -> Result<Self> {
        let fold = |f: usize| {
            let seed = trial.options.params.seed.wrapping_add(1 + f as u64);
            let (kept, held) = split_rows(matrix.n_rows(), 0.25, seed);
            let train = Part::new(trial, matrix, &kept)?;
            let test = matrix.rows_at(trial.comm, &held)?;
            Ok(Fold { train, test, seen: half(matrix.n_columns(), seed) })
        };
        Ok(Self { folds: (0..Self::NUMBER).map(fold).collect::<Result<_>>()? })
    }

    /// As many anchors as all have, up to k; collective.
    pub(super) fn reach(&mut self, trial: &Trial<'_>, k: usize) -> Result<usize> {
        let mut all = k;
        for fold in &mut self.folds {
            all = all.min(fold.train.reach(trial, k)?);
        }
        Ok(all)
    }

    /// The relative squared error of rank k, which all [have](Self::reach); collective.
    pub(super) fn error(&self, trial: &Trial<'_>, k: usize) -> Result<f64> {
        let (mut error, mut total) = (0.0, 0.0);
        for fold in &self.folds {
            let h = fold.train.topics(trial, k)?;
            let [left, all] = fold.unseen(trial, &h, k)?;
            error += left;
            total += all;
        }
        Ok(if total > 0.0 { error / total } else { 0.0 })
    }
}

impl Fold {
    /// The squared error on unseen entries, and their squared sum; collective.
    fn unseen(&self, trial: &Trial<'_>, h: &[f64], k: usize) -> Result<[f64; 2]> {
        // What is zero in H says nothing about weights, and explains nothing.
        let masked = |seen: bool| -> Vec<f64> {
            let mut masked = h.to_vec();
            let lines = masked.chunks_exact_mut(k).zip(&self.seen);
            lines.filter(|(_, s)| **s != seen).for_each(|(line, _)| line.fill(0.0));
            masked
        };
        let rows = self.test.rows().expect("rows are made");
        let weights = RowModel::new(k, self.seen.len(), masked(true))?.weights(rows)?;
        let unseen = masked(false);
        let terms = row_errors(rows, &unseen, &weights, k, |j| !self.seen[j]);
        sum_of_errors(trial.comm, self.test.n_rows(), &terms)
    }
}

/// A random half of the columns.
fn half(n_columns: usize, seed: u64) -> Vec<bool> {
    let mut seen = vec![false; n_columns];
    split_rows(n_columns, 0.5, seed).0.into_iter().for_each(|j| seen[j] = true);
    seen
}
