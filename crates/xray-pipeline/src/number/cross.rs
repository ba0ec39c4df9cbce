//! Bi-cross-validation: entries that neither W nor H has seen.
//!
//! Rows are split into three quarters, of which H is made, and a quarter; columns into two halves A and B at random.
//! `w = argmin ||x_A - w'H_A||` for each row x of the quarter, and the error is `||x_B - w'H_B||^2`.
//! Leaving out only rows is not enough: weights that have seen all of a row follow its noise.

use xray_nmf::{Factorization, RowModel, split_rows};

use super::Trial;
use crate::corpus::DistributedMatrix;
use crate::error::Result;
use crate::left_over::{row_errors, sum_of_errors};

/// Several ways to split.
pub(super) struct Folds {
    folds: Vec<Fold>,
}

struct Fold {
    train: DistributedMatrix,
    test: DistributedMatrix,
    found: Factorization,
    /// Whether a column is in the half that weights are made of.
    seen: Vec<bool>,
}

impl Folds {
    /// How many.
    pub(super) const NUMBER: usize = 2;

    /// Draws them, and finds the anchors of each; collective.
    pub(super) fn new(trial: &Trial<'_>, matrix: &DistributedMatrix) -> Result<Self> {
        let params = &trial.options.params;
        let fold = |f: usize| {
            let seed = params.seed.wrapping_add(1 + f as u64);
            let (kept, held) = split_rows(matrix.n_rows(), 0.25, seed);
            let (train, found) = trial.anchors(matrix, &kept, params.rank)?;
            let test = matrix.rows_at(trial.comm, &held)?;
            Ok(Fold { train, test, found, seen: half(matrix.n_columns(), seed) })
        };
        Ok(Self { folds: (0..Self::NUMBER).map(fold).collect::<Result<_>>()? })
    }

    /// The largest rank that all have.
    pub(super) fn largest_rank(&self) -> usize {
        self.folds.iter().map(|fold| fold.found.rank()).min().unwrap_or(0)
    }

    /// The relative squared error of rank k; collective.
    pub(super) fn error(&self, trial: &Trial<'_>, k: usize) -> Result<f64> {
        let (mut error, mut total) = (0.0, 0.0);
        for fold in &self.folds {
            let h = trial.topics(&fold.train, &fold.found, k)?;
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
