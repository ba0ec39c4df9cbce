//! Topics: a door to `xray-pipeline`.

use std::ops::ControlFlow;
use std::sync::Arc;

use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use xray_data::text::TextOptions;
use xray_nmf::comm::OneRank;
use xray_nmf::{Refinement, RunState};
use xray_pipeline::report::TopicsParameters;
use xray_pipeline::{Event, Result, Stage, Topic, TopicOptions, find_topics, resolve_words};

use crate::doorway::{self, Watch};
use crate::fit::{Settings, refuse};
use crate::model::{Model, coherence, lengths, listed, numbered, origin};
use crate::text::{Documents, Given, TextSettings};

/// `xray_pipeline::TopicOptions` as a dictionary, with words instead of columns.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct TopicSettings {
    n_topics: Option<usize>,
    max_topics: usize,
    anchor_words: Vec<Vec<String>>,
    exclude: Vec<String>,
    refine_steps: Option<usize>,
    refinement: String,
    n_words: usize,
    distinct: bool,
    text: TextSettings,
    params: Settings,
}

/// The defaults that have a value in Python, too.
#[pyfunction]
pub(crate) fn topic_defaults(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let (options, text) = (TopicOptions::default(), TextOptions::default());
    let values = PyDict::new(py);
    values.set_item("max_topics", options.max_rank)?;
    values.set_item("refinement", options.method.name())?;
    values.set_item("n_words", options.n_words)?;
    values.set_item("distinct", options.distinct)?;
    values.set_item("selection", options.params.selection.name())?;
    values.set_item("mean_ray", options.params.mean_ray)?;
    values.set_item("tol", options.params.tolerance)?;
    values.set_item("min_improvement", options.params.min_improvement)?;
    values.set_item("random_state", options.params.seed)?;
    values.set_item("lowercase", text.lowercase)?;
    values.set_item("min_characters", text.min_characters)?;
    values.set_item("ngram_range", text.ngrams)?;
    values.set_item("max_features", text.max_features)?;
    values.set_item("sublinear_tf", text.sublinear_tf)?;
    values.set_item("normalize_documents", text.normalize)?;
    Ok(values)
}

/// What a fit gave beside the model: the record of the run, which the file does not keep.
struct Run {
    topics: Vec<Topic>,
    document_topics: Vec<Option<usize>>,
    lengths: Vec<usize>,
    coherence: Vec<(f64, f64)>,
    termination: &'static str,
    kkt_violation: f64,
    objective: Vec<f64>,
    warnings: Vec<String>,
}

/// Finds the topics of documents; the model, and the record of the run.
#[pyfunction]
#[pyo3(signature = (documents, settings, progress = None))]
pub(crate) fn fit_topics<'py>(
    py: Python<'py>,
    documents: &Bound<'py, Documents>,
    settings: TopicSettings,
    progress: Option<Py<PyAny>>,
) -> PyResult<(Model, Bound<'py, PyDict>)> {
    let given = Arc::clone(&documents.get().0);
    let threads = settings.params.threads();
    let work =
        move |watch: &Watch| -> Result<(xray_data::Model, Run)> { fit(&given, settings, watch) };
    let (model, run) = doorway::run_with_threads(py, threads, progress, work)?;
    Ok((Model(Arc::new(model)), run.into_dict(py)?))
}

fn fit(given: &Given, settings: TopicSettings, watch: &Watch) -> Result<(xray_data::Model, Run)> {
    let TopicSettings { anchor_words, exclude, n_words, distinct, .. } = settings;
    let method: Refinement = settings.refinement.parse()?;
    let memory = settings.params.memory();
    let params = settings.params.params()?;
    let mut corpus = given.to_corpus(settings.text)?;
    let vectorizer = corpus.vectorizer().expect("a corpus of words");
    let anchors = resolve_words(vectorizer, &anchor_words);
    let excluded = resolve_words(vectorizer, std::slice::from_ref(&exclude));
    let unknown = anchors.unknown.iter().chain(&excluded.unknown);
    let warnings = unknown.map(ToString::to_string).collect();
    let excluded = excluded.columns.concat();
    if let Some(&both) = anchors.columns.iter().flatten().find(|word| excluded.contains(word)) {
        let remedy = "it is in exclude, too: leave it out of one";
        refuse::<()>("anchor_words", &corpus.word(both), remedy)?;
    }
    let options = TopicOptions {
        rank: settings.n_topics,
        max_rank: settings.max_topics,
        anchors: anchors.columns,
        excluded,
        refine: settings.refine_steps,
        method,
        n_words,
        distinct,
        params,
        memory,
        ..TopicOptions::default()
    };
    let new = RunState::default();
    let found = find_topics(&OneRank, &mut corpus, &options, &new, &mut reporter(watch))?;
    let words = found.topics.iter().map(|topic| columns_of(&topic.words)).collect();
    let parameters = TopicsParameters::new(&options, &found, anchor_words, exclude);
    let origin = origin(options.params.seed);
    let vectorizer = corpus.vectorizer().expect("a corpus of words");
    let model = found.to_model(&OneRank, &corpus.rows, vectorizer, &parameters, origin)?;
    let model = model.expect("rank 0");
    let matrix = corpus.matrix.sparse_columns().expect("words are sparse");
    let run = Run {
        lengths: lengths(matrix),
        coherence: coherence(matrix, words),
        topics: found.topics,
        document_topics: found.documents.heaviest,
        termination: found.run.termination.name(),
        kkt_violation: found.run.kkt_violation,
        objective: found.run.objective,
        warnings,
    };
    Ok((model, run))
}

/// Tells the doorway what the pipeline tells.
fn reporter(watch: &Watch) -> impl FnMut(Event<'_>) -> ControlFlow<()> + Send + '_ {
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
        facts.set_item("termination", self.termination)?;
        facts.set_item("kkt_violation", self.kkt_violation)?;
        facts.set_item("objective", self.objective.into_pyarray(py))?;
        facts.set_item("warnings", self.warnings)?;
        Ok(facts)
    }
}
