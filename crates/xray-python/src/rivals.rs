//! Other ways to find anchors.

use std::sync::Arc;

use numpy::PyArray1;
use pyo3::prelude::*;
use xray_nmf::rivals::{Anchors, SnpaParams, SpaParams, snpa, spa};
use xray_nmf::{Normalize, Result};

use crate::doorway::{self, Watch};
use crate::fit::{normalize_of, refuse};
use crate::matrix::Matrix;

/// Which method, how many anchors, scaling of columns, tolerance (if not the default), threads.
type Plan = (String, usize, Option<String>, Option<f64>, usize);

type Chosen<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<f64>>, &'static str);

/// Anchors, what they were chosen by, and why the search ended.
#[pyfunction]
pub(crate) fn successive<'py>(
    py: Python<'py>,
    matrix: &Bound<'py, Matrix>,
    plan: Plan,
) -> PyResult<Chosen<'py>> {
    let borrowed = Arc::clone(&matrix.get().0);
    let threads = plan.4;
    let work = move |_: &Watch| choose(borrowed.storage.as_matrix(), plan);
    let found = doorway::run_with_threads(py, threads, None, work)?;
    let anchors = PyArray1::from_iter(py, found.anchors.iter().map(|&j| j as i64));
    Ok((anchors, PyArray1::from_vec(py, found.scores), found.termination.name()))
}

fn choose(matrix: &dyn xray_nmf::Matrix, plan: Plan) -> Result<Anchors> {
    let (method, rank, normalize, tolerance, _) = plan;
    let normalize: Normalize = normalize_of(normalize.as_deref())?;
    match method.as_str() {
        "spa" => {
            let default = SpaParams::new(rank);
            let tolerance = tolerance.unwrap_or(default.tolerance);
            spa(matrix, &SpaParams { normalize, tolerance, ..default })
        }
        "snpa" => {
            let default = SnpaParams::new(rank);
            let tolerance = tolerance.unwrap_or(default.tolerance);
            snpa(matrix, &SnpaParams { normalize, tolerance, ..default })
        }
        other => refuse("method", other, "use spa or snpa"),
    }
}
