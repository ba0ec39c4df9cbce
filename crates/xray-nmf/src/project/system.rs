//! `min_{z >= 0} ||b - Az||` seen from the columns of A: residuals, gradients and certificates of one
//! right-hand side after the other.

use std::sync::OnceLock;

use super::active_set::{Gradients, correct};
use super::basis::Basis;
use super::compensated::add_product;
use super::crowding::is_crowded;
use super::kkt::violation_of;
use super::nnls::{Solved, normal_matrix};
use super::orthogonal::OrthogonalSet;
use super::{ActiveSet, sum_of_lines};
use crate::gram::NormalMatrix;
use crate::matrix::kernels::{add_scaled, dot};
use crate::matrix::{Line, Matrix};

/// A gradient from the residual counts as positive above this multiple of `||a_k|| ||b||`.
const GRADIENT_ROUNDING: f64 = 8.0 * f64::EPSILON;

/// Where the terms of `Az` are so much larger than b, they cancel: never for nonnegative A and b.
const CANCELLING: f64 = 8.0;

/// Rows of a residual that are computed together.
const TILE: usize = 16;

/// Below this least pivot, rounding errors of gradients cost too many digits.
const SENSITIVE: f64 = 1e-5;

/// A, and all that right-hand sides share.
pub(super) struct System {
    pub(super) columns: Vec<Line>,
    pub(super) normal: NormalMatrix,
    n_rows: usize,
    /// A row after row, if it is stored densely.
    rows: Option<Vec<f64>>,
    basis: Basis,
    is_crowded: OnceLock<bool>,
}

impl System {
    pub(super) fn new(a: &dyn Matrix) -> Self {
        let (n_rows, n) = (a.n_rows(), a.n_columns());
        let columns: Vec<Line> = (0..n).map(|k| a.column(k)).collect();
        let rows = columns.iter().all(|column| column.indices.is_none()).then(|| {
            let mut rows = vec![0.0; n_rows * n];
            for (k, column) in columns.iter().enumerate() {
                column.for_each(|d, v| rows[d * n + k] = v);
            }
            rows
        });
        let normal = normal_matrix(a, &columns);
        Self { normal, n_rows, rows, basis: Basis::new(n), is_crowded: OnceLock::new(), columns }
    }

    /// `A'r`, each entry added up in row order; returns `||r||^2`.
    #[inline(always)]
    fn gradient(&self, residual: &Line, gradient: &mut [f64]) -> f64 {
        if let (Some(rows), false) = (&self.rows, gradient.is_empty()) {
            sum_of_lines(residual, rows, gradient);
        } else {
            for (sum, column) in gradient.iter_mut().zip(&self.columns) {
                *sum = 0.0;
                column.for_each(|d, v| *sum += v * residual.values[d]);
            }
        }
        dot(&residual.values, &residual.values)
    }

    /// `sum_k z_k ||a_k||`.
    #[inline(always)]
    fn size_of(&self, solution: &[f64]) -> f64 {
        let mut size = 0.0;
        for (k, &z) in solution.iter().enumerate() {
            if z > 0.0 {
                size += z / self.normal.inverse_norm(k).max(f64::MIN_POSITIVE);
            }
        }
        size
    }

    /// Whether columns are so near to each other that a gradient within rounding may hide a weight that is
    /// worth having.
    fn is_crowded(&self) -> bool {
        *self.is_crowded.get_or_init(|| is_crowded(&self.normal))
    }
}

/// One right-hand side, and buffers.
pub(super) struct RightSide<'a> {
    system: &'a System,
    right: Vec<f64>,
    squared_norm: f64,
    /// Whether its solution needs twice the precision.
    is_sensitive: bool,
    residual: Line,
    /// `||r||^2` of the last residual.
    left: f64,
    gradient: Vec<f64>,
    /// The last solution, with zeros.
    solution: Vec<f64>,
}

impl<'a> RightSide<'a> {
    pub(super) fn new(system: &'a System) -> Self {
        Self {
            system,
            right: vec![0.0; system.n_rows],
            squared_norm: 0.0,
            is_sensitive: false,
            residual: Line { indices: None, values: vec![0.0; system.n_rows] },
            left: 0.0,
            gradient: vec![0.0; system.columns.len()],
            solution: vec![0.0; system.columns.len()],
        }
    }

    #[inline(always)]
    pub(super) fn read(&mut self, right: &Line, squared_norm: f64) {
        self.squared_norm = squared_norm;
        match right.indices {
            Some(_) => {
                self.right.fill(0.0);
                right.for_each(|d, v| self.right[d] = v);
            }
            None => self.right.copy_from_slice(&right.values),
        }
    }

    /// Makes the solution of the normal equations as good as the numbers of A and b allow, and certifies it.
    #[inline(always)]
    pub(super) fn finish(&mut self, solver: &mut ActiveSet) -> Solved {
        let s = &self.system.normal;
        let mut gradient = std::mem::take(&mut self.gradient);
        let settled = self.correct(solver, &mut gradient);
        let is_done = self.squared_norm <= 0.0 || (settled && self.is_complete(&gradient));
        if !is_done {
            let (support, weights) = self.orthogonal(solver.solution());
            solver.adopt(s, (&support, &weights));
            if !self.correct(solver, &mut gradient) {
                self.gradient_of((&support, &weights), &mut gradient);
            }
        }
        let solved = Solved {
            solution: self.solution.clone(),
            residual_norm: self.left.sqrt(),
            violation: violation_of(&self.solution, s, self.squared_norm, &gradient),
        };
        self.gradient = gradient;
        solved
    }

    /// Corrects the solution in the active set, and leaves its gradient in the buffer; false if that is no use.
    #[inline(always)]
    fn correct(&mut self, solver: &mut ActiveSet, gradient: &mut [f64]) -> bool {
        let s = &self.system.normal;
        self.is_sensitive = solver.least_pivot(s) < SENSITIVE;
        correct(solver, s, self.squared_norm.sqrt(), gradient, self)
    }

    /// Whether no column outside the support could lower the residual, as far as gradients can tell.
    #[inline(always)]
    fn is_complete(&self, gradient: &[f64]) -> bool {
        let (s, solution) = (&self.system.normal, &self.solution);
        let mut largest = f64::NEG_INFINITY;
        for (k, (&z, &g)) in solution.iter().zip(gradient).enumerate() {
            if z == 0.0 && s.inverse_norm(k) > 0.0 {
                largest = largest.max(g * s.inverse_norm(k));
            }
        }
        let terms = self.squared_norm.sqrt() + self.system.size_of(solution);
        let sum = (self.system.n_rows as f64 * self.left).sqrt();
        let rounding = GRADIENT_ROUNDING * (terms + sum);
        largest < -rounding || (largest <= rounding && !self.system.is_crowded())
    }

    /// Solves by orthogonal transformations, from the given solution.
    #[cold]
    fn orthogonal(&self, start: (&[u32], &[f64])) -> (Vec<u32>, Vec<f64>) {
        let System { columns, basis, n_rows, .. } = self.system;
        let mut coordinates = Vec::new();
        basis.extend(columns, &self.right, &mut coordinates);
        let triangle = basis.triangle(columns, *n_rows);
        OrthogonalSet::new(&triangle, &coordinates).solve(start)
    }
}

impl Gradients for RightSide<'_> {
    #[inline(always)]
    fn gradient_of(&mut self, solution: (&[u32], &[f64]), gradient: &mut [f64]) {
        spread(solution, &mut self.solution);
        let (solution, residual) = (&self.solution, &mut self.residual.values);
        residual.copy_from_slice(&self.right);
        let columns = &self.system.columns;
        let cancels = self.system.size_of(solution) > CANCELLING * self.squared_norm.sqrt();
        if cancels || self.is_sensitive {
            differentiate_carefully(residual, columns, solution, gradient);
            self.left = residual.iter().fold(0.0, |sum, v| sum + v * v);
        } else {
            subtract(residual, columns, solution);
            self.left = self.system.gradient(&self.residual, gradient);
        }
    }
}

/// `residual -= A z`, column after column in each row.
#[inline(always)]
fn subtract(residual: &mut [f64], columns: &[Line], solution: &[f64]) {
    if columns.iter().any(|column| column.indices.is_some()) {
        for (column, &z) in columns.iter().zip(solution).filter(|(_, z)| **z > 0.0) {
            column.for_each(|d, v| residual[d] -= z * v);
        }
        return;
    }
    // Tiles of rows stay in registers while the columns pass by.
    let (tiles, rest) = residual.as_chunks_mut::<TILE>();
    let n_tiled = TILE * tiles.len();
    for (t, tile) in tiles.iter_mut().enumerate() {
        let mut sums = *tile;
        for (column, &z) in columns.iter().zip(solution) {
            if z > 0.0 {
                let values = &column.values[t * TILE..][..TILE];
                for l in 0..TILE {
                    sums[l] -= z * values[l];
                }
            }
        }
        *tile = sums;
    }
    for (column, &z) in columns.iter().zip(solution) {
        if z > 0.0 {
            add_scaled(rest, &column.values[n_tiled..], -z);
        }
    }
}

/// `residual -= A z` and `gradient = A'r`, in twice the precision.
#[cold]
fn differentiate_carefully(
    residual: &mut [f64],
    columns: &[Line],
    solution: &[f64],
    gradient: &mut [f64],
) {
    let mut lost = vec![0.0; residual.len()];
    for (column, &z) in columns.iter().zip(solution).filter(|(_, z)| **z > 0.0) {
        column.for_each(|d, v| add_product(&mut residual[d], &mut lost[d], -z, v));
    }
    for (sum, lost) in residual.iter_mut().zip(&mut lost) {
        let total = *sum + *lost;
        *lost -= total - *sum;
        *sum = total;
    }
    for (column, gradient) in columns.iter().zip(gradient) {
        let (mut sum, mut rest) = (0.0, 0.0);
        column.for_each(|d, v| {
            add_product(&mut sum, &mut rest, v, residual[d]);
            rest += v * lost[d];
        });
        *gradient = sum + rest;
    }
}

/// The weights of a support, with zeros for all others.
#[inline(always)]
fn spread((support, weights): (&[u32], &[f64]), dense: &mut [f64]) {
    dense.fill(0.0);
    for (&k, &z) in support.iter().zip(weights) {
        dense[k as usize] = z;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::DenseMatrix;

    #[test]
    fn sizes_are_those_of_the_terms() {
        let a =
            DenseMatrix::from_row_major(2, 3, vec![3.0, 1.0, 0.0, 4.0, 0.0, 2.0]).expect("2 x 3");
        let system = System::new(&a);
        for (z, size) in [([2.0, 0.0, 3.0], 16.0), ([0.0; 3], 0.0), ([0.5, 4.0, 0.0], 6.5)] {
            assert!((system.size_of(&z) - size).abs() < 1e-14, "{z:?}");
        }
    }
}
