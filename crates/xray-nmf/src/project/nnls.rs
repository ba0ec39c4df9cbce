//! Nonnegative least squares with many right-hand sides: `min_{Z >= 0} ||A Z - B||_F`.

use rayon::prelude::*;

use super::ActiveSet;
use super::kkt::column_violation;
use crate::error::{Result, check_length};
use crate::gram::NormalMatrix;
use crate::matrix::kernels::multiversion;
use crate::matrix::{Line, Matrix};

/// The solution of [`nnls`].
#[derive(Debug, Clone, PartialEq)]
pub struct Nnls {
    /// Z, one column for each right-hand side, each with one entry for each column of A.
    pub solutions: Vec<Vec<f64>>,
    /// `||A z - b||` for each right-hand side.
    pub residual_norms: Vec<f64>,
    /// The largest violation of the optimality conditions, relative to the norms involved.
    pub kkt_violation: f64,
}

/// Solves `min_{z >= 0} ||A z - b||` exactly for every column b of `right`, in parallel.
///
/// Works on the normal equations, once formed for all right-hand sides: fast where there are many,
/// and accurate to about `1e-16 cond(A)^2`. Columns of A that depend linearly on others get weight 0
/// where that is optimal.
///
/// # Examples
/// ```
/// use xray_nmf::{DenseMatrix, nnls};
/// let a = DenseMatrix::from_column_major(3, 2, vec![1.0, 0.0, 1.0, 0.0, 1.0, 1.0])?;
/// let b = DenseMatrix::from_column_major(3, 2, vec![2.0, 3.0, 5.0, 1.0, -1.0, 0.0])?;
/// let solved = nnls(&a, &b)?;
/// assert!((solved.solutions[0][1] - 3.0).abs() < 1e-12);
/// assert!((solved.solutions[1][0] - 0.5).abs() < 1e-12 && solved.solutions[1][1] == 0.0);
/// # Ok::<(), xray_nmf::Error>(())
/// ```
///
/// # Errors
/// If A and B have different numbers of rows.
pub fn nnls(a: &dyn Matrix, right: &dyn Matrix) -> Result<Nnls> {
    check_length("rows of the right-hand sides", a.n_rows(), right.n_rows())?;
    let columns: Vec<Line> = (0..a.n_columns()).map(|k| a.column(k)).collect();
    let s = normal_matrix(a, &columns);
    // C_Ai for all right-hand sides i, as rows for each column of A.
    let products = right.gram(&columns.iter().collect::<Vec<_>>());
    let mut targets = vec![vec![0.0; columns.len()]; right.n_columns()];
    for (k, product) in products.iter().enumerate() {
        product.for_each(|i, v| targets[i][k] = v);
    }
    let squared_norms = right.squared_norms();
    let (solutions, violations): (Vec<_>, Vec<_>) =
        solve_many(&s, &targets, &squared_norms).into_iter().unzip();
    let residual_norms = (0..right.n_columns())
        .into_par_iter()
        .map(|i| residual_norm(&columns, &right.column(i), &solutions[i], a.n_rows()))
        .collect();
    let kkt_violation = violations.into_iter().fold(0.0, f64::max);
    Ok(Nnls { solutions, residual_norms, kkt_violation })
}

/// `A'A`, from the products of A with its own columns.
pub(crate) fn normal_matrix(a: &dyn Matrix, columns: &[Line]) -> NormalMatrix {
    let n = columns.len();
    let rows = a.gram(&columns.iter().collect::<Vec<_>>());
    let dense = rows.iter().map(|row| {
        let mut values = vec![0.0; n];
        row.for_each(|l, v| values[l] = v);
        values
    });
    NormalMatrix::from_rows(&dense.collect::<Vec<_>>())
}

fn residual_norm(columns: &[Line], right: &Line, solution: &[f64], n_rows: usize) -> f64 {
    let mut residual = right.to_dense(n_rows);
    for (column, &z) in columns.iter().zip(solution) {
        if z > 0.0 {
            column.for_each(|d, v| residual[d] -= z * v);
        }
    }
    residual.iter().fold(0.0, |sum, v| sum + v * v).sqrt()
}

/// For each target c: the dense solution of `min_{z >= 0} 1/2 z'Sz - c'z` and its KKT violation.
fn solve_many(
    s: &NormalMatrix,
    targets: &[Vec<f64>],
    squared_norms: &[f64],
) -> Vec<(Vec<f64>, f64)> {
    const LINES_PER_TASK: usize = 64;
    let chunks = targets.par_chunks(LINES_PER_TASK).zip(squared_norms.par_chunks(LINES_PER_TASK));
    chunks.flat_map_iter(|(targets, norms)| solve_chunk(s, targets, norms)).collect()
}

multiversion! {
    fn solve_chunk(s: &NormalMatrix, targets: &[Vec<f64>], squared_norms: &[f64]) -> Vec<(Vec<f64>, f64)>
        = solve_chunk_body
}

#[inline(always)]
fn solve_chunk_body(
    s: &NormalMatrix,
    targets: &[Vec<f64>],
    squared_norms: &[f64],
) -> Vec<(Vec<f64>, f64)> {
    let mut solver = ActiveSet::default();
    let mut solutions = Vec::with_capacity(targets.len());
    for (target, &squared_norm) in targets.iter().zip(squared_norms) {
        let mut dense = vec![0.0; s.size()];
        solver.solve_dense(s, target, squared_norm.sqrt(), &mut dense);
        let support = solver.solution();
        let violation = if squared_norm > 0.0 {
            column_violation(support, s, squared_norm, &mut target.clone())
        } else {
            0.0
        };
        solutions.push((dense, violation));
    }
    solutions
}
