//! The page of a model: a door to `xray-pipeline`.

use std::sync::Arc;

use pyo3::prelude::*;
use xray_pipeline::{
    Corpus, Error, ModelPage, Result, Stoppable, TopicsRequest, beginning, kept_characters,
};
use xray_report::About;

use crate::doorway::{self, Watch};
use crate::model::Model;
use crate::request::read;
use crate::text::{Documents, Given};
use crate::topics::reporter;

/// A title, what documents are called, and their classes.
type Names = (String, Option<Vec<String>>, Option<Vec<String>>);

/// The page of a model and documents, as HTML. `asked` are the request (JSON) and numbers of topics to show beside,
/// `machine` threads and memory.
#[pyfunction]
#[pyo3(signature = (model, documents, asked, names, machine, progress = None))]
pub(crate) fn topics_page(
    py: Python<'_>,
    model: &Bound<'_, Model>,
    documents: &Bound<'_, Documents>,
    asked: (String, Vec<usize>),
    names: Names,
    machine: (usize, Option<usize>),
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let (model, given) = (Arc::clone(&model.get().0), Arc::clone(&documents.get().0));
    let (request, levels): (TopicsRequest, _) = (read(&asked.0)?, asked.1);
    let (title, ids, labels) = names;
    let (threads, memory) = machine;
    let work = move |watch: &Watch| -> Result<String> {
        let vectorizer = model.preprocessing.as_ref().expect("a model of words");
        let matrix = given.weigh(vectorizer)?;
        for (name, list) in [("ids", &ids), ("labels", &labels)] {
            check_length(name, list.as_deref(), given.n_documents())?;
        }
        let mut corpus = Corpus::of_words(matrix, vectorizer.clone(), ids, labels);
        let texts = beginnings(&given);
        let program = format!("xray_nmf {}", env!("CARGO_PKG_VERSION"));
        let about = About { title, program, ..About::default() };
        let page = ModelPage {
            request: &request,
            levels: &levels,
            texts: texts.as_deref(),
            about: &about,
            memory,
        };
        let mut progress = Stoppable { stop: watch.stop().clone(), tell: reporter(watch) };
        Ok(page.page(&mut corpus, &model, &mut progress)?.html())
    };
    doorway::run_with_threads(py, threads, progress, work)
}

/// As many names as documents.
fn check_length(name: &str, list: Option<&[String]>, n: usize) -> Result<()> {
    match list {
        Some(list) if list.len() != n => Err(Error::Usage(format!(
            "`{name}` has {} entries for {n} documents: give one for each",
            list.len()
        ))),
        _ => Ok(()),
    }
}

/// How texts begin; none of counts.
fn beginnings(given: &Given) -> Option<Vec<String>> {
    let Given::Texts(texts) = given else { return None };
    let kept = kept_characters(texts.len(), None);
    Some(texts.iter().map(|text| beginning(text, kept)).collect())
}
