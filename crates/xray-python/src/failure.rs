//! Errors of the crates as exceptions, by their kind: wrong data and parameters are `ValueError`, what the
//! system refuses is `RuntimeError` or, for files, the `OSError` that says why, and too little memory is `MemoryError`.

use std::error::Error;

use pyo3::exceptions::{PyMemoryError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use xray_nmf::ErrorKind;
use xray_report::printable;

/// An error that Python can see.
pub(crate) trait Failure: Error + Send + Sized + 'static {
    /// Whose fault it is.
    fn kind(&self) -> ErrorKind;

    /// The exception, with the crate's message.
    fn into_exception(self) -> PyErr {
        // Options are in backticks for doors that spell them in another way.
        let words = printable(&self.to_string()).replace('`', "");
        let first: &(dyn Error + 'static) = &self;
        let mut causes = std::iter::successors(Some(first), |&cause| cause.source());
        let refusal = causes.find_map(|cause| cause.downcast_ref::<std::io::Error>());
        match (self.kind(), refusal) {
            // The kind of the refusal decides which subclass of OSError it becomes.
            (ErrorKind::System, Some(refusal)) => std::io::Error::new(refusal.kind(), words).into(),
            (ErrorKind::System | ErrorKind::Ranks, _) => PyRuntimeError::new_err(words),
            (ErrorKind::Memory, _) => PyMemoryError::new_err(words),
            (ErrorKind::Usage | ErrorKind::Data, _) => PyValueError::new_err(words),
        }
    }
}

impl Failure for xray_nmf::Error {
    fn kind(&self) -> ErrorKind {
        self.kind()
    }
}

impl Failure for xray_data::Error {
    fn kind(&self) -> ErrorKind {
        self.kind()
    }
}

impl Failure for xray_pipeline::Error {
    fn kind(&self) -> ErrorKind {
        self.kind()
    }
}
