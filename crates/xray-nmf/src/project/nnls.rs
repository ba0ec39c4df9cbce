//! Nonnegative least squares with many right-hand sides: `min_{Z >= 0} ||A Z - B||_F`.

use rayon::prelude::*;

use super::ActiveSet;
use super::system::{RightSide, System};
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
    /// The largest violation of the optimality conditions, relative to the norms involved, from residuals.
    pub kkt_violation: f64,
}

/// Solves `min_{z >= 0} ||A z - b||` exactly for every column b of `right`, in parallel.
///
/// Works on the normal equations, once formed for all right-hand sides: fast where there are many. These lose
/// the square of the condition of A, so every solution is corrected from its residual `r = b - Az`, and
/// found by orthogonal transformations where columns are nearly dependent or gradients within rounding may hide a
/// weight. The certificate is always computed from r. Columns of A that depend linearly on others get weight
/// 0 where that is optimal.
///
/// | condition of A (columns of length 1) | error of weights, relative to the largest |
/// |---|---|
/// | up to 1e2 | 1e-13 |
/// | 1e3 | 1e-12 |
/// | 1e5 | 1e-10 |
/// | 1e7 | 1e-8 |
/// | 1e10 | 1e-5 |
///
/// In all of them the residual is within 1e-14 `||b||` of the smallest and the certificate below 1e-14, unless A
/// has both signs and weights are so large that their terms cancel: then rounding of the weights themselves costs
/// more, and the certificate tells how much. No class is worse than SciPy's by more than a factor of 10 (`bench/nnls_accuracy.py`, against exact arithmetic).
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
    let system = System::new(a);
    // C_Ai for all right-hand sides i, as rows for each column of A.
    let products = right.gram(&system.columns.iter().collect::<Vec<_>>());
    let mut targets = vec![vec![0.0; a.n_columns()]; right.n_columns()];
    for (k, product) in products.iter().enumerate() {
        product.for_each(|i, v| targets[i][k] = v);
    }
    let squared_norms = right.squared_norms();
    let starts = (0..right.n_columns()).into_par_iter().step_by(LINES_PER_TASK);
    let chunks = starts.zip(targets.par_chunks(LINES_PER_TASK));
    let solved: Vec<Solved> = chunks
        .flat_map_iter(|(start, targets)| {
            solve_chunk(&system, right, start, targets, &squared_norms[start..])
        })
        .collect();
    let mut answer = Nnls { solutions: vec![], residual_norms: vec![], kkt_violation: 0.0 };
    for Solved { solution, residual_norm, violation } in solved {
        answer.solutions.push(solution);
        answer.residual_norms.push(residual_norm);
        answer.kkt_violation = answer.kkt_violation.max(violation);
    }
    Ok(answer)
}

/// Right-hand sides handled by one task.
const LINES_PER_TASK: usize = 64;

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

/// One right-hand side, solved.
pub(super) struct Solved {
    pub(super) solution: Vec<f64>,
    pub(super) residual_norm: f64,
    pub(super) violation: f64,
}

multiversion! {
    fn solve_chunk(
        system: &System,
        right: &dyn Matrix,
        start: usize,
        targets: &[Vec<f64>],
        squared_norms: &[f64],
    ) -> Vec<Solved> = solve_chunk_body
}

#[inline(always)]
fn solve_chunk_body(
    system: &System,
    right: &dyn Matrix,
    start: usize,
    targets: &[Vec<f64>],
    squared_norms: &[f64],
) -> Vec<Solved> {
    let (mut solver, mut line) = (ActiveSet::default(), Line::default());
    let mut side = RightSide::new(system);
    let mut solution = vec![0.0; system.columns.len()];
    let mut solved = Vec::with_capacity(targets.len());
    for (i, (target, &squared_norm)) in targets.iter().zip(squared_norms).enumerate() {
        solution.fill(0.0);
        solver.solve_dense(&system.normal, target, squared_norm.sqrt(), &mut solution);
        right.read_column(start + i, &mut line);
        side.read(&line, squared_norm);
        solved.push(side.finish(&mut solver));
    }
    solved
}
