//! Topics: a door to `xray-pipeline`.

use std::ops::ControlFlow;
use std::sync::Arc;

use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use xray_nmf::RunState;
use xray_nmf::comm::OneRank;
use xray_pipeline::report::{Suggestion, TopicsParameters, json};
use xray_pipeline::{
    Corpus, Event, Result, Stage, Stoppable, TextRequest, Topic, TopicOptions, TopicsRequest,
    find_topics,
};

use crate::doorway::{self, Watch};
use crate::model::{Model, coherence, lengths, listed, numbered, origin};
use crate::request::read;
use crate::text::Documents;

/// What a fit gave beside the model: the record of the run, which the file does not keep.
struct Run {
    topics: Vec<Topic>,
    document_topics: Vec<Option<usize>>,
    lengths: Vec<usize>,
    coherence: Vec<(f64, f64)>,
    /// What speaks for each topic, as JSON.
    evidence: String,
    /// The part of each document that the topics explain.
    explained: Vec<f64>,
    /// What is explained less than this is about something else.
    least_explained: f64,
    termination: &'static str,
    kkt_violation: f64,
    objective: Vec<f64>,
    /// `||X - WH||^2`.
    squared_error: f64,
    warnings: Vec<String>,
    /// JSON.
    suggestion: Option<String>,
}

/// Finds the topics of documents, as `request` and `text` (JSON) say; the model, and the record of the run.
#[pyfunction]
#[pyo3(signature = (documents, request, text, threads, memory = None, progress = None))]
pub(crate) fn fit_topics<'py>(
    py: Python<'py>,
    documents: &Bound<'py, Documents>,
    request: &str,
    text: &str,
    threads: usize,
    memory: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(Model, Bound<'py, PyDict>)> {
    let given = Arc::clone(&documents.get().0);
    let (request, text): (TopicsRequest, TextRequest) = (read(request)?, read(text)?);
    let work = move |watch: &Watch| {
        let corpus = given.to_corpus(&text)?;
        fit(corpus, request, memory, watch)
    };
    let (model, run) = doorway::run_with_threads(py, threads, progress, work)?;
    Ok((Model(Arc::new(model)), run.into_dict(py)?))
}

fn fit(
    mut corpus: Corpus,
    request: TopicsRequest,
    memory: Option<usize>,
    watch: &Watch,
) -> Result<(xray_data::Model, Run)> {
    let (options, warnings) = resolve(&request, &corpus, memory)?;
    let new = RunState::default();
    let mut progress = Stoppable { stop: watch.stop().clone(), tell: reporter(watch) };
    let found = find_topics(&OneRank, &mut corpus, &options, &new, &mut progress)?;
    let words = found.topics.iter().map(|topic| columns_of(&topic.words)).collect();
    let parameters = TopicsParameters::new(&options, &found, request.anchor, request.exclude);
    let origin = origin(options.params.seed);
    let vectorizer = corpus.vectorizer().expect("a corpus of words");
    let model = found.to_model(&OneRank, &corpus.rows, vectorizer, &parameters, origin)?;
    let model = model.expect("rank 0");
    let matrix = corpus.matrix.sparse_columns().expect("words are sparse");
    let explained = found.documents.explained.expect("documents of a fit");
    let run = Run {
        lengths: lengths(matrix),
        coherence: coherence(matrix, words),
        evidence: json(&found.evidence),
        explained: explained.parts,
        least_explained: explained.least,
        topics: found.topics,
        document_topics: found.documents.heaviest,
        termination: found.run.termination.name(),
        kkt_violation: found.run.kkt_violation,
        objective: found.run.objective,
        squared_error: found.run.squared_error[0],
        warnings,
        suggestion: found.run.suggestion.map(|number| json(&Suggestion::from(number))),
    };
    Ok((model, run))
}

/// Words become columns; what a person should know of some of them is beside.
pub(crate) fn resolve(
    request: &TopicsRequest,
    corpus: &Corpus,
    memory: Option<usize>,
) -> Result<(TopicOptions, Vec<String>)> {
    let vectorizer = corpus.vectorizer().expect("a corpus of words");
    let (options, warnings) = request.resolve(vectorizer)?;
    Ok((TopicOptions { memory, ..options }, warnings))
}

/// Tells the doorway what the pipeline tells.
pub(crate) fn reporter(watch: &Watch) -> impl FnMut(Event<'_>) -> ControlFlow<()> + Send + '_ {
    let (mut stage, mut done, mut total) = (Stage::Anchors, 0, 0);
    move |event| {
        let mut error = f64::NAN;
        match event {
            Event::Begin(next, steps) => (stage, done, total) = (next, 0, steps),
            Event::Anchor(step) => {
                done += 1;
                error = step.residual;
            }
            Event::Advance => done += 1,
        }
        watch.step((stage.name(), done, total, error))
    }
}

fn columns_of(words: &[(usize, f64)]) -> Vec<usize> {
    words.iter().map(|word| word.0).collect()
}

impl Run {
    fn into_dict(self, py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
        let facts = PyDict::new(py);
        facts.set_item("topics", self.topics.into_iter().map(listed).collect::<Vec<_>>())?;
        facts.set_item("document_topics", numbered(py, &self.document_topics))?;
        facts
            .set_item("lengths", PyArray1::from_iter(py, self.lengths.iter().map(|&n| n as i64)))?;
        facts.set_item("coherence", self.coherence)?;
        facts.set_item("evidence", self.evidence)?;
        facts.set_item("explained", self.explained.into_pyarray(py))?;
        facts.set_item("least_explained", self.least_explained)?;
        facts.set_item("termination", self.termination)?;
        facts.set_item("kkt_violation", self.kkt_violation)?;
        facts.set_item("objective", self.objective.into_pyarray(py))?;
        facts.set_item("squared_error", self.squared_error)?;
        facts.set_item("warnings", self.warnings)?;
        facts.set_item("suggestion", self.suggestion)?;
        Ok(facts)
    }
}
