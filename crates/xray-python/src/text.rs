//! Texts and counts as Python has them.

use std::sync::Arc;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use xray_data::text::{Vectorizer, position_names};
use xray_nmf::{Error, Matrix as _, SparseMatrix};
use xray_pipeline::{Corpus, TextRequest};

use crate::matrix::{Borrowed, Matrix, Storage};

/// Texts, or counts of words with the words' names.
#[pyclass(frozen, module = "xray_nmf._xray_nmf")]
pub(crate) struct Documents(pub(crate) Arc<Given>);

pub(crate) enum Given {
    Texts(Vec<String>),
    Counts(Arc<Borrowed>, Option<Vec<String>>),
}

#[pymethods]
impl Documents {
    #[staticmethod]
    fn of_texts(texts: Vec<String>) -> Self {
        Self(Arc::new(Given::Texts(texts)))
    }

    /// Counts are a sparse matrix of float64; columns without names are called by their positions.
    #[staticmethod]
    #[pyo3(signature = (matrix, names = None))]
    fn of_counts(matrix: &Bound<'_, Matrix>, names: Option<Vec<String>>) -> PyResult<Self> {
        let borrowed = Arc::clone(&matrix.get().0);
        match borrowed.storage {
            Storage::Sparse64(_) => Ok(Self(Arc::new(Given::Counts(borrowed, names)))),
            _ => Err(PyTypeError::new_err("counts are no sparse matrix of float64")),
        }
    }
}

impl Given {
    pub(crate) fn n_documents(&self) -> usize {
        match self {
            Given::Texts(texts) => texts.len(),
            Given::Counts(borrowed, _) => counts(borrowed).map_or(0, |x| x.n_rows()),
        }
    }

    /// Learns the vocabulary and its weights. Uses the current pool.
    pub(crate) fn to_corpus(&self, request: &TextRequest) -> xray_pipeline::Result<Corpus> {
        let (matrix, vectorizer) = match self {
            Given::Texts(texts) => Vectorizer::fit_transform(request.options(true), texts)?,
            Given::Counts(borrowed, names) => {
                let counts = counts(borrowed)?;
                let whole = counts.csr().2.iter().all(|v| v.fract() == 0.0);
                let n_columns = counts.n_columns();
                let names = names.clone().unwrap_or_else(|| position_names(n_columns));
                Vectorizer::fit_counts(request.options(whole), counts, names)?
            }
        };
        Ok(Corpus::of_words(matrix, vectorizer, None, None))
    }

    /// Weighs as a model does. Uses the current pool.
    pub(crate) fn weigh(
        &self,
        vectorizer: &Vectorizer,
    ) -> xray_pipeline::Result<SparseMatrix<'static, f64>> {
        Ok(match self {
            Given::Texts(texts) => vectorizer.transform(texts)?,
            Given::Counts(borrowed, names) => {
                vectorizer.transform_counts(counts(borrowed)?, names.as_deref())?
            }
        })
    }

    /// The numbers as they are, for models that do not weigh.
    pub(crate) fn as_given(&self) -> xray_pipeline::Result<&SparseMatrix<'static, f64>> {
        match self {
            Given::Counts(borrowed, _) => Ok(counts(borrowed)?),
            Given::Texts(_) => {
                let allowed = "the model was fitted to a matrix: give it rows of numbers";
                Ok(refuse("texts", allowed)?)
            }
        }
    }
}

fn refuse<T>(documents: &str, allowed: &'static str) -> Result<T, Error> {
    Err(Error::Parameter { name: "documents", value: documents.to_owned(), allowed })
}

fn counts(borrowed: &Borrowed) -> Result<&SparseMatrix<'static, f64>, Error> {
    match &borrowed.storage {
        Storage::Sparse64(x) => Ok(x),
        _ => refuse("numbers", "give a sparse matrix of float64"),
    }
}
