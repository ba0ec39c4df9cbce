//! What the integration tests share.

#![allow(dead_code, unreachable_pub, missing_docs)]

pub mod files;
pub mod naive;
pub mod verify;

use xray_nmf::{DenseMatrix, SparseMatrix};

/// A small dense matrix, column after column: the tests' own form of X.
#[derive(Debug, Clone, PartialEq)]
pub struct Grid {
    pub m: usize,
    pub n: usize,
    pub values: Vec<f64>,
}

impl Grid {
    pub fn from_columns(columns: &[Vec<f64>]) -> Self {
        let m = columns.first().map_or(0, Vec::len);
        Self { m, n: columns.len(), values: columns.concat() }
    }

    pub fn column(&self, j: usize) -> &[f64] {
        &self.values[j * self.m..(j + 1) * self.m]
    }

    pub fn dense(&self) -> DenseMatrix<'_, f64> {
        DenseMatrix::from_column_major(self.m, self.n, &self.values[..]).unwrap()
    }

    pub fn row_major(&self) -> Vec<f64> {
        (0..self.m).flat_map(|d| (0..self.n).map(move |j| self.values[j * self.m + d])).collect()
    }

    pub fn sparse(&self) -> SparseMatrix<'static, f64> {
        let entries = (0..self.n).flat_map(|j| (0..self.m).map(move |d| (d, j)));
        let entries = entries.map(|(d, j)| (d, j, self.values[j * self.m + d]));
        SparseMatrix::<f64>::from_triplets(self.m, self.n, entries.filter(|e| e.2 != 0.0)).unwrap()
    }

    pub fn map_columns(&self, f: impl Fn(usize, &[f64]) -> Vec<f64>) -> Grid {
        let columns: Vec<Vec<f64>> = (0..self.n).map(|j| f(j, self.column(j))).collect();
        Grid { m: self.m, n: self.n, values: columns.concat() }
    }
}
