//! Errors of the crates as exceptions: wrong data and parameters are `ValueError`, what the system refuses
//! is `RuntimeError` or, for files, the `OSError` that says why.

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

/// An error that Python can see.
pub(crate) trait Failure: Send + 'static {
    /// The exception, with the crate's message.
    fn into_exception(self) -> PyErr;
}

impl Failure for xray_nmf::Error {
    fn into_exception(self) -> PyErr {
        use xray_nmf::Error;
        match self {
            // scikit-learn's checks of estimators look for these words.
            Error::Negative { .. } => {
                PyValueError::new_err(format!("Negative values in data: {self}"))
            }
            Error::Threads { .. } | Error::Communication(_) => {
                PyRuntimeError::new_err(self.to_string())
            }
            _ => PyValueError::new_err(self.to_string()),
        }
    }
}

impl Failure for xray_data::Error {
    fn into_exception(self) -> PyErr {
        let words = self.to_string();
        match self {
            // The kind decides which subclass of OSError it becomes.
            xray_data::Error::Io { source, .. } => std::io::Error::new(source.kind(), words).into(),
            _ => PyValueError::new_err(words),
        }
    }
}

impl Failure for xray_pipeline::Error {
    fn into_exception(self) -> PyErr {
        match self {
            xray_pipeline::Error::Data(error) => error.into_exception(),
            xray_pipeline::Error::Fit(error) => error.into_exception(),
            other => PyValueError::new_err(other.to_string()),
        }
    }
}
