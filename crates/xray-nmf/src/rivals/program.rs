//! What the rivals that solve linear programs share: scaled points and one solver call.

use microlp::{Problem, Solution};

use crate::error::{Error, Result};
use crate::matrix::Matrix;
use crate::params::Normalize;

/// The nonzero columns of X, scaled to a mean entry of 1: the sum of each is the number of rows.
///
/// The solver's tolerances are absolute; this is the size that they are made for.
pub(super) struct Points {
    /// The column of X that each point comes from.
    pub(super) columns: Vec<usize>,
    /// The points.
    pub(super) points: Vec<Vec<f64>>,
    /// Number of rows.
    pub(super) dimension: usize,
}

impl Points {
    /// An error if X has a negative entry: the hull of scaled columns is only then that of the cone.
    pub(super) fn new(matrix: &dyn Matrix) -> Result<Self> {
        if let Some(e) = matrix.first_negative() {
            return Err(Error::Negative { row: e.row, column: e.column, value: e.value });
        }
        let scaled = matrix.normalized(Normalize::L1);
        let m = matrix.n_rows();
        let (mut columns, mut points) = (Vec::new(), Vec::new());
        for j in 0..matrix.n_columns() {
            let mut point = scaled.column(j).to_dense(m);
            if point.iter().any(|v| *v != 0.0) {
                point.iter_mut().for_each(|v| *v *= m as f64);
                columns.push(j);
                points.push(point);
            }
        }
        Ok(Self { columns, points, dimension: m })
    }
}

/// Solves the program that belongs to `column`.
pub(super) fn solved(problem: &Problem, column: usize) -> Result<Solution> {
    let failed = |reason: String| Error::LinearProgram { column, reason };
    let outcome = problem.solve().map_err(|e| failed(e.to_string()))?;
    outcome.into_solution().map_err(|_| failed("interrupted".to_string()))
}
