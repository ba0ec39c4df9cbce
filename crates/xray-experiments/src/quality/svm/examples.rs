//! The rows of a matrix, taken out once, for many passes over them.

use xray_nmf::{Line, Matrix};

/// Independent sums of a product, so that it need not wait for each addition.
const LANES: usize = 8;

/// Rows with their squared norms.
#[derive(Debug, Clone)]
pub(crate) struct Examples {
    rows: Vec<Line>,
    squared_norms: Vec<f64>,
    n_columns: usize,
}

impl Examples {
    pub(crate) fn new(features: &dyn Matrix) -> Self {
        let rows: Vec<Line> = (0..features.n_rows()).map(|i| features.row(i)).collect();
        let squared_norm = |row: &Line| row.values.iter().fold(0.0, |sum, v| sum + v * v);
        let squared_norms = rows.iter().map(squared_norm).collect();
        Self { rows, squared_norms, n_columns: features.n_columns() }
    }

    pub(crate) fn n_columns(&self) -> usize {
        self.n_columns
    }

    /// `||x_i||^2`.
    pub(super) fn squared_norm(&self, i: usize) -> f64 {
        self.squared_norms[i]
    }

    /// `w'x_i`.
    pub(super) fn dot(&self, i: usize, weights: &[f64]) -> f64 {
        let row = &self.rows[i];
        match &row.indices {
            Some(columns) => sparse_dot(columns, &row.values, weights),
            None => dense_dot(&row.values, weights),
        }
    }

    /// The entries of row i, in ascending order of columns.
    pub(super) fn for_each(&self, i: usize, visit: impl FnMut(usize, f64)) {
        self.rows[i].for_each(visit);
    }

    /// `w <- w + scale x_i`.
    pub(super) fn add_scaled(&self, i: usize, scale: f64, weights: &mut [f64]) {
        let row = &self.rows[i];
        match &row.indices {
            Some(columns) => columns
                .iter()
                .zip(&row.values)
                .for_each(|(&j, value)| weights[j as usize] += scale * value),
            None => weights.iter_mut().zip(&row.values).for_each(|(w, value)| *w += scale * value),
        }
    }
}

fn sparse_dot(columns: &[u32], values: &[f64], weights: &[f64]) -> f64 {
    let (column_lanes, column_rest) = columns.as_chunks::<LANES>();
    let (value_lanes, value_rest) = values.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for (j, x) in column_lanes.iter().zip(value_lanes) {
        (0..LANES).for_each(|l| sums[l] += weights[j[l] as usize] * x[l]);
    }
    let rest = column_rest.iter().zip(value_rest);
    let rest = rest.fold(0.0, |sum, (&j, x)| sum + weights[j as usize] * x);
    sums.iter().fold(rest, |sum, lane| sum + lane)
}

pub(super) fn dense_dot(a: &[f64], b: &[f64]) -> f64 {
    let (a_lanes, a_rest) = a.as_chunks::<LANES>();
    let (b_lanes, b_rest) = b.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for (x, y) in a_lanes.iter().zip(b_lanes) {
        (0..LANES).for_each(|l| sums[l] += x[l] * y[l]);
    }
    let rest = a_rest.iter().zip(b_rest).fold(0.0, |sum, (x, y)| sum + x * y);
    sums.iter().fold(rest, |sum, lane| sum + lane)
}
