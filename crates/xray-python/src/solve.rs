//! Nonnegative least squares, refinement, and weights of new rows.

use std::sync::Arc;

use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray2};
use pyo3::prelude::*;
use xray_nmf::{Factors, Nnls, Refine, Refinement, Result, RowModel};

use crate::doorway::{self, Watch};
use crate::failure::Failure;
use crate::fit::Reporter;
use crate::matrix::Matrix;

type Solved<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray1<f64>>, f64);

/// Solutions (one row for each right-hand side), residual norms, and the certificate.
#[pyfunction]
pub(crate) fn nnls<'py>(
    py: Python<'py>,
    matrix: &Bound<'py, Matrix>,
    right: &Bound<'py, Matrix>,
    threads: usize,
) -> PyResult<Solved<'py>> {
    let (a, b) = (Arc::clone(&matrix.get().0), Arc::clone(&right.get().0));
    let work = move |_: &Watch| -> Result<_> {
        let (a, b) = (a.storage.as_matrix(), b.storage.as_matrix());
        let solved = xray_nmf::nnls(a, b)?;
        Ok((solved.solutions.concat(), solved, [b.n_columns(), a.n_columns()]))
    };
    let (solutions, Nnls { residual_norms, kkt_violation, .. }, shape) =
        doorway::run_with_threads(py, threads, None, work)?;
    let solutions = solutions.into_pyarray(py).reshape(shape)?;
    Ok((solutions, residual_norms.into_pyarray(py), kkt_violation))
}

/// The weights of each row of `rows` under `components`, one row of weights for each.
///
/// `components` is the transpose of H: one row for each column of `rows`, one column for each topic. The weights
/// minimise the Kullback-Leibler divergence if `by_divergence`, else the squared error.
#[pyfunction]
pub(crate) fn row_weights<'py>(
    py: Python<'py>,
    rows: &Bound<'py, Matrix>,
    components: PyReadonlyArray2<'py, f64>,
    threads: usize,
    by_divergence: bool,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let (h, n, rank) = numbers(&components);
    let borrowed = Arc::clone(&rows.get().0);
    let work = move |_: &Watch| -> Result<_> {
        let model = RowModel::new(rank, n, h)?;
        let rows = borrowed.storage.as_matrix();
        let weights =
            if by_divergence { model.divergence_weights(rows) } else { model.weights(rows) };
        Ok((weights?, rows.n_rows()))
    };
    let (weights, n_rows) = doorway::run_with_threads(py, threads, None, work)?;
    weights.into_pyarray(py).reshape([n_rows, rank])
}

type Better<'py> =
    (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray2<f64>>, Bound<'py, PyArray1<f64>>);

/// Improves W (m x r) and the transpose of H (n x r); both, and the objective after each step. `limits` are the most
/// steps, and the part of the objective that each has to bring.
#[pyfunction]
#[pyo3(signature = (matrix, start, method, limits, threads, progress = None))]
pub(crate) fn refine<'py>(
    py: Python<'py>,
    matrix: &Bound<'py, Matrix>,
    start: (PyReadonlyArray2<'py, f64>, PyReadonlyArray2<'py, f64>),
    method: &str,
    limits: (usize, f64),
    threads: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<Better<'py>> {
    let ((w, m, rank), (h, n, _)) = (numbers(&start.0), numbers(&start.1));
    let start = Factors { rank, w, h, objective: Vec::new(), method: None };
    let method: Refinement = method.parse().map_err(Failure::into_exception)?;
    let borrowed = Arc::clone(&matrix.get().0);
    let work = move |watch: &Watch| {
        let (steps, tolerance) = limits;
        let mut reporter = Reporter { watch, found: 0, planned: steps };
        let refine = Refine::of(borrowed.storage.as_matrix()).method(method);
        refine.steps(steps, tolerance).stop(watch.stop()).observe(&mut reporter).run(start)
    };
    let Factors { w, h, objective, .. } = doorway::run_with_threads(py, threads, progress, work)?;
    let w = w.into_pyarray(py).reshape([m, rank])?;
    let h = h.into_pyarray(py).reshape([n, rank])?;
    Ok((w, h, objective.into_pyarray(py)))
}

/// The numbers of a small factor, row after row, and its shape.
fn numbers(array: &PyReadonlyArray2<'_, f64>) -> (Vec<f64>, usize, usize) {
    let view = array.as_array();
    (view.iter().copied().collect(), view.nrows(), view.ncols())
}
