//! Requests: JSON that is laid over the defaults, which are told here.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;
use xray_data::text::DocumentFrequency;
use xray_nmf::{Refine, Selection};
use xray_pipeline::{
    BEST_DOCUMENTS, FactorizeOptions, Frequent, TextRequest, TopicsRequest, from_json,
};

use crate::failure::Failure;

/// A request as JSON; a name or a field that does not exist is a `ValueError`.
pub(crate) fn read<T: Default + Serialize + DeserializeOwned>(json: &str) -> PyResult<T> {
    from_json(json).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// The columns with entries in enough of `n_rows` rows, of which `frequencies` tells how many each has; none if all have.
/// `asked` is a number or a share, as JSON.
#[pyfunction]
pub(crate) fn frequent(
    frequencies: Vec<u64>,
    n_rows: usize,
    asked: &str,
) -> PyResult<Option<Vec<usize>>> {
    let asked: DocumentFrequency =
        serde_json::from_str(asked).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let found = Frequent::among(&frequencies, n_rows, asked, Some(Selection::Greedy));
    let found = found.map_err(Failure::into_exception)?;
    Ok(found.map(|frequent| frequent.columns))
}

/// All requests with their defaults, and what the evidence for topics has, as JSON.
#[pyfunction]
pub(crate) fn defaults() -> String {
    let requests = json!({
        "factorize": FactorizeOptions::default(),
        "topics": TopicsRequest::default(),
        "text": TextRequest::default(),
        "refine": {"steps": Refine::STEPS},
        "evidence": {"best_documents": BEST_DOCUMENTS},
    });
    requests.to_string()
}
