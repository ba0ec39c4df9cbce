//! Other ways to find anchors.

use std::sync::Arc;

use numpy::PyArray1;
use pyo3::prelude::*;
use xray_nmf::rivals::{Anchors, SnpaParams, SpaParams, snpa, spa};
use xray_nmf::{Normalize, Result};

use crate::doorway::{self, Watch};
use crate::failure::Failure;
use crate::matrix::Matrix;

type Chosen<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<f64>>, &'static str);

/// Anchors by "spa" or "snpa" with this scaling of columns and tolerance, or the method's own, what they were
/// chosen by, and why the search ended.
#[pyfunction]
pub(crate) fn successive<'py>(
    py: Python<'py>,
    matrix: &Bound<'py, Matrix>,
    method: &str,
    rank: usize,
    normalize: Option<&str>,
    tolerance: Option<f64>,
    threads: usize,
) -> PyResult<Chosen<'py>> {
    let borrowed = Arc::clone(&matrix.get().0);
    let normalize = normalize.map_or(Ok(Normalize::None), str::parse);
    let normalize = normalize.map_err(Failure::into_exception)?;
    let nonnegative = method == "snpa";
    let work = move |_: &Watch| -> Result<Anchors> {
        let matrix = borrowed.storage.as_matrix();
        if nonnegative {
            let default = SnpaParams { normalize, ..SnpaParams::new(rank) };
            let tolerance = tolerance.unwrap_or(default.tolerance);
            return snpa(matrix, &SnpaParams { tolerance, ..default });
        }
        let default = SpaParams { normalize, ..SpaParams::new(rank) };
        let tolerance = tolerance.unwrap_or(default.tolerance);
        spa(matrix, &SpaParams { tolerance, ..default })
    };
    let found = doorway::run_with_threads(py, threads, None, work)?;
    let anchors = PyArray1::from_iter(py, found.anchors.iter().map(|&j| j as i64));
    Ok((anchors, PyArray1::from_vec(py, found.scores), found.termination.name()))
}
