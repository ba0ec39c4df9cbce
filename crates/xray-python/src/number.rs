//! How many anchors: a door to `xray-pipeline`.

use std::sync::Arc;

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use xray_nmf::Params;
use xray_nmf::comm::OneRank;
use xray_pipeline::report::{Suggestion, json};
use xray_pipeline::{
    DistributedMatrix, FactorizeOptions, NumberOptions, NumberSuggestion, Result, Stoppable,
    sampled_rows, study_sample,
};

use crate::doorway::{self, Watch};
use crate::matrix::{Matrix, Storage};
use crate::request::read;
use crate::topics::reporter;

/// The number of anchors that `xray rank` suggests for this matrix with these `options` (JSON), and why, as
/// JSON; none if it cannot be studied. Of large data some rows are copied.
#[pyfunction]
#[pyo3(signature = (matrix, options, threads, memory = None, row_weights = None, progress = None))]
pub(crate) fn study_number(
    py: Python<'_>,
    matrix: &Bound<'_, Matrix>,
    options: &str,
    threads: usize,
    memory: Option<usize>,
    row_weights: Option<PyReadonlyArray1<'_, f64>>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Option<String>> {
    let row_weights = row_weights.map(|p| p.as_array().to_vec());
    let FactorizeOptions { params, refine_method: method, .. } = read(options)?;
    let borrowed = Arc::clone(&matrix.get().0);
    let grouped = !borrowed.storage.is_dense();
    let params = Params { row_weights, ..params };
    let options = NumberOptions { params, method, memory, grouped };
    let work = move |watch: &Watch| study(&borrowed.storage, &options, watch);
    doorway::run_with_threads(py, threads, progress, work)
}

fn study(storage: &Storage, options: &NumberOptions, watch: &Watch) -> Result<Option<String>> {
    let n_rows = storage.as_matrix().n_rows();
    let rows = sampled_rows(n_rows, storage.n_entries(), options.params.seed);
    let options = match &rows {
        Some(rows) => options.at_rows(n_rows, rows)?,
        None => options.clone(),
    };
    let matrix = DistributedMatrix::whole(storage.copied_rows(rows.as_deref())?);
    let mut progress = Stoppable { stop: watch.stop().clone(), tell: reporter(watch) };
    let study = study_sample(&OneRank, &matrix, &options, &mut progress)?;
    Ok(study.map(|study| suggestion_json(study.suggestion, options.params.fixed.len())))
}

/// A suggested number of anchors as Python gets it; those that were given are kept.
pub(crate) fn suggestion_json(number: NumberSuggestion, n_given: usize) -> String {
    let number = NumberSuggestion { rank: number.rank.max(n_given), ..number };
    json(&Suggestion { number, sentence: number.sentence("anchor") })
}
