//! What the integration tests share.

#![allow(dead_code, unreachable_pub, missing_docs)]

pub mod files;
pub mod naive;
pub mod problems;
pub mod rays;
pub mod verify;

use xray_nmf::{DenseMatrix, Factorization, Params, Selection, SparseMatrix, Step, fit};

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

    pub fn scaled(&self, factor: f64) -> Grid {
        self.map_columns(|_, column| column.iter().map(|v| v * factor).collect())
    }

    /// The columns in the order listed.
    pub fn columns_at(&self, columns: &[usize]) -> Grid {
        let values = columns.iter().flat_map(|&j| self.column(j).to_vec()).collect();
        Grid { m: self.m, n: columns.len(), values }
    }
}

/// The steps without how many columns were scored, which the engine and the ranks decide.
pub fn comparable(steps: &[Step]) -> Vec<Step> {
    steps.iter().map(|step| Step { evaluations: 0, ..step.clone() }).collect()
}

/// Everything that the caller sees, as text that shows every bit.
pub fn all_bits(found: &Factorization) -> String {
    let (offsets, anchors, values) = found.coefficients().csc();
    let values: Vec<u64> = values.iter().map(|v| v.to_bits()).collect();
    let steps = comparable(found.steps());
    format!("{steps:?} {offsets:?} {anchors:?} {values:?}")
}

/// Every rule, with and without the mean ray.
pub fn every_rule(rank: usize) -> impl Iterator<Item = Params> {
    let rules = Selection::ALL.into_iter().flat_map(|s| [(s, false), (s, true)]);
    rules.map(move |(selection, mean_ray)| Params { selection, mean_ray, ..Params::new(rank) })
}

/// A verified fit of dense storage.
pub fn fitted(x: &Grid, params: &Params) -> Factorization {
    let found = fit(&x.dense(), params).unwrap_or_else(|e| panic!("{e}: {x:?}"));
    verify::verify(x, &found, 1e-9);
    found
}
