//! Topics that begin with given words.
//!
//! One word is an anchor like any other. Several words have as their anchor the mean of their columns, which
//! is appended to the matrix for the search and dropped from H after it. The columns are dealt anew then,
//! because the blocks in which sums are made depend on their number.

use xray_nmf::comm::{Collectives, Communicator};
use xray_nmf::{Factorization, Line, Matrix, Ownership, SparseMatrix, Step};

use crate::agree::together;
use crate::corpus::DistributedMatrix;
use crate::error::Result;
use crate::read::{Entry, exchange};

/// A matrix with a column for each topic that begins with several words.
pub(crate) struct Given {
    /// The own columns of it, if there are such topics.
    pub matrix: Option<SparseMatrix<'static, f64>>,
    /// Columns of all ranks, with and without those that were appended.
    pub n_columns: usize,
    n_words: usize,
}

impl Given {
    /// Appends the means; collective.
    pub(crate) fn new(
        comm: &dyn Communicator,
        matrix: &DistributedMatrix,
        anchors: &[Vec<usize>],
    ) -> Result<Self> {
        let n_words = matrix.n_columns();
        let several: Vec<&Vec<usize>> = anchors.iter().filter(|words| words.len() > 1).collect();
        let extended =
            if several.is_empty() { None } else { Some(extend(comm, matrix, &several)?) };
        Ok(Self { matrix: extended, n_columns: n_words + several.len(), n_words })
    }

    /// The steps with anchors and residuals of the matrix without the appended columns; collective.
    pub(crate) fn steps(
        &self,
        comm: &dyn Communicator,
        found: &Factorization,
        anchors: &[Vec<usize>],
    ) -> Result<Vec<Step>> {
        let mut steps = found.steps().to_vec();
        let Some(matrix) = &self.matrix else { return Ok(steps) };
        let norms = comm.gather(&matrix.squared_norms())?;
        let norms = found.own_columns().in_order(&norms, 1);
        let sum = |norms: &[f64]| norms.iter().fold(0.0, |sum, v| sum + v);
        let (total, own) = (sum(&norms), sum(&norms[..self.n_words]));
        let left = self.left_of_appended(comm, found, matrix)?;
        for (t, step) in steps.iter_mut().enumerate() {
            let squared = step.residual * step.residual * total - left[t];
            step.residual = if own > 0.0 { (squared.max(0.0) / own).sqrt() } else { 0.0 };
            if let Some(words) = anchors.get(t) {
                step.anchor = words[0];
            }
            // What was appended is no word.
            step.runner_up = step.runner_up.filter(|column| *column < self.n_words);
        }
        Ok(steps)
    }

    /// What every rank leaves unexplained of the appended columns.
    fn left_of_appended(
        &self,
        comm: &dyn Communicator,
        found: &Factorization,
        matrix: &SparseMatrix<'static, f64>,
    ) -> Result<Vec<f64>> {
        let layout = found.own_columns();
        let appended: Vec<usize> = (self.n_words..self.n_columns).collect();
        let own: Vec<(usize, Line)> = appended
            .iter()
            .filter_map(|&j| layout.local(j))
            .map(|i| (i, matrix.column(i)))
            .collect();
        let mut distances: Vec<f64> = Vec::new();
        found.for_each_rank(|k, weights| {
            let rays = &found.anchor_columns()[..k];
            distances.extend(own.iter().map(|(i, column)| {
                distance_squared(column, rays, &weights.dense_column(*i), matrix.n_rows())
            }));
        });
        let all = comm.gather_parts(&distances)?;
        // Each rank lists its columns for every number of anchors; sums are made column after column.
        let counts: Vec<usize> = (0..comm.size())
            .map(|rank| appended.iter().filter(|&&j| layout.owner(j) == rank).count())
            .collect();
        let left = |t: usize| {
            let mut next: Vec<usize> = counts.iter().map(|count| t * count).collect();
            let parts = appended.iter().map(|&j| {
                let owner = layout.owner(j);
                next[owner] += 1;
                all[owner][next[owner] - 1]
            });
            parts.sum()
        };
        Ok((0..found.rank()).map(left).collect())
    }
}

/// The own columns of the matrix with the mean of each list of words appended; collective.
fn extend(
    comm: &dyn Communicator,
    matrix: &DistributedMatrix,
    lists: &[&Vec<usize>],
) -> Result<SparseMatrix<'static, f64>> {
    let (m, n) = (matrix.n_rows(), matrix.n_columns());
    let before = Ownership::columns(n, comm);
    let after = Ownership::columns(n + lists.len(), comm);
    let columns = matrix.columns().as_matrix();
    let mut means = Vec::with_capacity(lists.len());
    for words in lists {
        means.push(mean_column(&matrix.fetch_columns(comm, words)?, m));
    }
    // The means are on every rank; those that own them send them to themselves.
    let appended = |q: usize| after.local(n + q).is_some();
    let entries = || {
        let own =
            (0..before.n_own()).flat_map(|i| entries_of(before.global(i), &columns.column(i)));
        let new = means.iter().enumerate().filter(move |(q, _)| appended(*q));
        own.chain(new.flat_map(move |(q, mean)| {
            let positive = mean.iter().enumerate().filter(|(_, v)| **v > 0.0);
            positive.map(move |(d, &value)| Entry { line: (n + q) as u32, place: d as u32, value })
        }))
    };
    together(comm, exchange(comm, &after, m, entries))
}

fn entries_of(column: usize, entries: &Line) -> Vec<Entry> {
    let mut listed = Vec::with_capacity(entries.values.len());
    entries.for_each(|d, value| listed.push(Entry { line: column as u32, place: d as u32, value }));
    listed
}

fn mean_column(columns: &[Line], n_rows: usize) -> Vec<f64> {
    let mut mean = vec![0.0; n_rows];
    for column in columns {
        column.for_each(|d, v| mean[d] += v / columns.len() as f64);
    }
    mean
}

/// `||x - sum_k h_k ray_k||^2`.
fn distance_squared(x: &Line, rays: &[Line], h: &[f64], n_rows: usize) -> f64 {
    let mut rest = x.to_dense(n_rows);
    for (ray, &weight) in rays.iter().zip(h) {
        ray.for_each(|d, v| rest[d] -= weight * v);
    }
    rest.iter().fold(0.0, |sum, v| sum + v * v)
}
