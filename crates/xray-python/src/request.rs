//! Requests: JSON that is laid over the defaults, which are told here.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;
use xray_nmf::Refine;
use xray_pipeline::{BEST_DOCUMENTS, FactorizeOptions, TextRequest, TopicsRequest, from_json};

/// A request as JSON; a name or a field that does not exist is a `ValueError`.
pub(crate) fn read<T: Default + Serialize + DeserializeOwned>(json: &str) -> PyResult<T> {
    from_json(json).map_err(|error| PyValueError::new_err(error.to_string()))
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
