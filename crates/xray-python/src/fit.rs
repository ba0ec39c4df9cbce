//! Fits and their results.

use std::sync::Arc;

use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use xray_nmf::{Error, Fit, Normalize, Params, Result, Step};

use crate::doorway::{self, Watch};
use crate::matrix::Matrix;

/// `xray_nmf::Params` as a dictionary of numbers, strings and lists.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Settings {
    rank: usize,
    selection: String,
    engine: String,
    solver: String,
    normalize: Option<String>,
    mean_ray: bool,
    allow_negative: bool,
    tolerance: f64,
    min_improvement: f64,
    weights: Option<Vec<f64>>,
    fixed: Vec<usize>,
    excluded: Vec<usize>,
    candidates: Option<Vec<usize>>,
    seed: u64,
    threads: usize,
    memory: Option<usize>,
}

pub(crate) fn refuse<T>(name: &'static str, value: &str, allowed: &'static str) -> Result<T> {
    Err(Error::Parameter { name, value: value.to_owned(), allowed })
}

/// How columns are scaled, by name.
pub(crate) fn normalize_of(name: Option<&str>) -> Result<Normalize> {
    name.map_or(Ok(Normalize::None), str::parse)
}

impl Settings {
    /// Number of worker threads.
    pub(crate) fn threads(&self) -> usize {
        self.threads
    }

    /// Bytes for cached products.
    pub(crate) fn memory(&self) -> Option<usize> {
        self.memory
    }

    pub(crate) fn params(self) -> Result<Params> {
        let normalize = normalize_of(self.normalize.as_deref())?;
        Ok(Params {
            selection: self.selection.parse()?,
            engine: self.engine.parse()?,
            solver: self.solver.parse()?,
            normalize,
            mean_ray: self.mean_ray,
            allow_negative: self.allow_negative,
            tolerance: self.tolerance,
            min_improvement: self.min_improvement,
            row_weights: self.weights,
            fixed: self.fixed,
            excluded: self.excluded,
            candidates: self.candidates,
            seed: self.seed,
            ..Params::new(self.rank)
        })
    }
}

/// The engine's defaults that have a value in Python, too.
#[pyfunction]
pub(crate) fn defaults(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let params = Params::new(0);
    let values = PyDict::new(py);
    values.set_item("selection", params.selection.name())?;
    values.set_item("mean_ray", params.mean_ray)?;
    values.set_item("allow_negative", params.allow_negative)?;
    values.set_item("tol", params.tolerance)?;
    values.set_item("min_improvement", params.min_improvement)?;
    values.set_item("random_state", params.seed)?;
    values.set_item("refinement", xray_nmf::Refinement::default().name())?;
    Ok(values)
}

/// Anchors among the columns of a matrix, and every column's weights.
#[pyclass(frozen, module = "xray_nmf._xray_nmf")]
pub(crate) struct Factorization(Arc<xray_nmf::Factorization>);

/// Finds anchors; `progress` is called with the number of anchors and the relative residual.
#[pyfunction]
#[pyo3(signature = (matrix, settings, progress = None))]
pub(crate) fn fit(
    py: Python<'_>,
    matrix: &Bound<'_, Matrix>,
    settings: Settings,
    progress: Option<Py<PyAny>>,
) -> PyResult<Factorization> {
    let borrowed = Arc::clone(&matrix.get().0);
    let (threads, memory) = (settings.threads, settings.memory);
    let work = move |watch: &Watch| {
        let params = settings.params()?;
        let (mut found, wanted) = (0, params.rank);
        let mut observer = |step: &Step| {
            found += 1;
            watch.step(("anchor", found, wanted, step.residual))
        };
        let fit = Fit::of(borrowed.storage.as_matrix()).memory(memory);
        fit.observe(&mut observer).run(&params)
    };
    doorway::run_with_threads(py, threads, progress, work)
        .map(|found| Factorization(Arc::new(found)))
}

#[pymethods]
impl Factorization {
    /// The anchors, in the order found.
    #[getter]
    fn anchors<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        PyArray1::from_iter(py, self.0.anchors().into_iter().map(|j| j as i64))
    }

    /// The relative residual after each anchor.
    #[getter]
    fn residuals<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_iter(py, self.0.steps().iter().map(|step| step.residual))
    }

    /// Why the run ended.
    #[getter]
    fn termination(&self) -> &'static str {
        self.0.termination().name()
    }

    /// The largest violation of the optimality conditions.
    #[getter]
    fn kkt_violation(&self) -> f64 {
        self.0.kkt_violation()
    }

    /// How many anchors to keep.
    #[getter]
    fn suggested_rank(&self) -> usize {
        self.0.suggest_rank().rank
    }

    /// The solution with the first `rank` anchors.
    fn truncate(&self, py: Python<'_>, rank: usize, threads: usize) -> PyResult<Self> {
        let whole = Arc::clone(&self.0);
        let work = move |_: &Watch| -> Result<_> { Ok(whole.truncate(rank)) };
        doorway::run_with_threads(py, threads, None, work).map(|found| Self(Arc::new(found)))
    }

    /// H: one row for each anchor, one column for each column of the matrix.
    fn weights<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let shape = [self.0.rank(), self.0.coefficients().n_columns()];
        let found = Arc::clone(&self.0);
        let dense = py.detach(move || found.coefficients().to_dense());
        dense.into_pyarray(py).reshape(shape)
    }
}
