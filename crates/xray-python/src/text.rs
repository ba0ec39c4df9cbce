//! Texts and counts as Python has them, and how they are weighed.

use std::sync::Arc;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use xray_data::text::{DocumentFrequency, StopWords, TextOptions, Vectorizer, position_names};
use xray_nmf::{Error, Matrix as _, SparseMatrix};
use xray_pipeline::Corpus;

use crate::fit::refuse;
use crate::matrix::{Borrowed, Matrix, Storage};

/// `xray_data::text::TextOptions` as a dictionary; the names are those of scikit-learn.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct TextSettings {
    weighting: Option<String>,
    lowercase: bool,
    min_characters: usize,
    stop_words: Option<Words>,
    drop: Vec<String>,
    stemming: Option<String>,
    ngram_range: (usize, usize),
    min_df: Option<Frequency>,
    max_df: Option<Frequency>,
    max_features: Option<usize>,
    sublinear_tf: bool,
    normalize_documents: bool,
}

/// The name of a list of words, or a list.
#[derive(FromPyObject)]
enum Words {
    Name(String),
    List(Vec<String>),
}

/// A whole number is a count, a number with a point is a share.
#[derive(FromPyObject)]
enum Frequency {
    Count(u64),
    Share(f64),
}

fn limit(given: Option<Frequency>) -> DocumentFrequency {
    match given {
        None => DocumentFrequency::Automatic,
        Some(Frequency::Count(count)) => DocumentFrequency::Count(count),
        Some(Frequency::Share(share)) => DocumentFrequency::Share(share),
    }
}

impl TextSettings {
    /// The options for texts or whole numbers (`counted`), or for other numbers.
    fn options(self, counted: bool) -> Result<TextOptions, Error> {
        let weigh = match self.weighting.as_deref() {
            None => counted,
            Some("tfidf") => true,
            Some("counts" | "none") => false,
            Some(other) => refuse("weighting", other, "use tfidf, counts, none or None")?,
        };
        Ok(TextOptions {
            lowercase: self.lowercase,
            min_characters: self.min_characters,
            stop_words: stop_words(self.stop_words, self.drop)?,
            stemming: self.stemming.map(|name| name.to_ascii_lowercase().parse()).transpose()?,
            ngrams: self.ngram_range,
            min_df: limit(self.min_df),
            max_df: limit(self.max_df),
            max_features: self.max_features,
            tf_idf: weigh,
            sublinear_tf: weigh && self.sublinear_tf,
            normalize: weigh && self.normalize_documents,
            ..TextOptions::default()
        })
    }
}

fn stop_words(given: Option<Words>, more: Vec<String>) -> Result<StopWords, Error> {
    Ok(match given {
        Some(Words::Name(name)) if name == "english" && more.is_empty() => StopWords::English,
        Some(Words::Name(name)) if name == "english" => StopWords::EnglishAnd(more),
        Some(Words::Name(other)) => {
            refuse("stop_words", &other, "use english, a list of words, or None")?
        }
        None if more.is_empty() => StopWords::None,
        None => StopWords::List(more),
        Some(Words::List(words)) => StopWords::List([words, more].concat()),
    })
}

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
    pub(crate) fn to_corpus(&self, settings: TextSettings) -> xray_pipeline::Result<Corpus> {
        let (matrix, vectorizer) = match self {
            Given::Texts(texts) => Vectorizer::fit_transform(settings.options(true)?, texts)?,
            Given::Counts(borrowed, names) => {
                let counts = counts(borrowed)?;
                let whole = counts.csr().2.iter().all(|v| v.fract() == 0.0);
                let n_columns = counts.n_columns();
                let names = names.clone().unwrap_or_else(|| position_names(n_columns));
                Vectorizer::fit_counts(settings.options(whole)?, counts, names)?
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
            Given::Texts(_) => refuse_texts(),
        }
    }
}

fn refuse_texts<T>() -> xray_pipeline::Result<T> {
    let allowed = "the model was fitted to a matrix: give it rows of numbers";
    Ok(refuse("documents", "texts", allowed)?)
}

fn counts(borrowed: &Borrowed) -> Result<&SparseMatrix<'static, f64>, Error> {
    match &borrowed.storage {
        Storage::Sparse64(x) => Ok(x),
        _ => refuse("documents", "numbers", "give a sparse matrix of float64"),
    }
}
