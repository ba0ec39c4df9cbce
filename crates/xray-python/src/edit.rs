//! Topics changed by hand: a door to `xray-pipeline`.

use std::sync::Arc;

use pyo3::prelude::*;
use xray_pipeline::{Corpus, Result, TopicEdits, edit_model};

use crate::doorway::{self, Watch};
use crate::model::Model;
use crate::request::read;
use crate::text::Documents;

/// A model with topics changed as `edits` (JSON, numbers from 1) say, and with the weights of these documents.
#[pyfunction]
pub(crate) fn edit_topics(
    py: Python<'_>,
    model: &Bound<'_, Model>,
    edits: &str,
    documents: Option<&Bound<'_, Documents>>,
    threads: usize,
) -> PyResult<Model> {
    let edits: TopicEdits = read(edits)?;
    let (model, given) = (Arc::clone(&model.get().0), documents.map(|d| Arc::clone(&d.get().0)));
    let work = move |_: &Watch| -> Result<_> {
        let mut corpus = match (&given, &model.preprocessing) {
            (Some(given), Some(vectorizer)) => {
                let matrix = given.weigh(vectorizer)?;
                Some(Corpus::of_words(matrix, vectorizer.clone(), None, None))
            }
            _ => None,
        };
        edit_model(&model, &edits, corpus.as_mut())
    };
    let edited = doorway::run_with_threads(py, threads, None, work)?;
    Ok(Model(Arc::new(edited)))
}
