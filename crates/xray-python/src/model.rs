//! The model file, and what can be done with a model.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray2};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyType};
use serde_json::Value;
use xray_data::{ModelKind, Provenance};
use xray_nmf::SparseMatrix;
use xray_pipeline::measure::Coherence;
use xray_pipeline::shards::load_model;
use xray_pipeline::{
    COHERENT_WORDS, Result, Topic, apply, dense_rows, heaviest_topics, model_clusters, model_topics,
};

use crate::doorway::{self, Watch};
use crate::text::Documents;

/// A model with all that the file keeps.
#[pyclass(frozen, module = "xray_nmf._xray_nmf")]
pub(crate) struct Model(pub(crate) Arc<xray_data::Model>);

/// Where a model comes from: data in memory has no name.
pub(crate) fn origin(seed: u64) -> Provenance {
    Provenance::new("Python".into(), None, seed)
}

/// Known words in each document, each counted once.
pub(crate) fn lengths(documents: &SparseMatrix<'_, f64>) -> Vec<usize> {
    documents.csr().0.windows(2).map(|pair| pair[1] - pair[0]).collect()
}

/// NPMI and UMass of the first words of each list, as many as the evidence looks at. Uses the current pool.
pub(crate) fn coherence(
    documents: &SparseMatrix<'_, f64>,
    mut lists: Vec<Vec<usize>>,
) -> Vec<(f64, f64)> {
    lists.iter_mut().for_each(|words| words.truncate(COHERENT_WORDS));
    let scores = Coherence::new(documents).topics(&lists);
    scores.into_iter().map(|score| (score.npmi, score.umass)).collect()
}

/// Anchors, words, their weights, share, margin, name, the anchor's place, whether it has left, its runner-up.
pub(crate) type Listed = (
    Vec<usize>,
    Vec<usize>,
    Vec<f64>,
    f64,
    Option<f64>,
    String,
    Option<usize>,
    bool,
    Option<usize>,
);

pub(crate) fn listed(topic: Topic) -> Listed {
    let (words, weights) = topic.words.iter().copied().unzip();
    let Topic { anchors, share, margin, name, anchor_place, anchor_left, runner_up, .. } = topic;
    (anchors, words, weights, share, margin, name, anchor_place, anchor_left, runner_up)
}

/// The number of each document's topic, -1 for none.
pub(crate) fn numbered<'py>(
    py: Python<'py>,
    topics: &[Option<usize>],
) -> Bound<'py, PyArray1<i64>> {
    PyArray1::from_iter(py, topics.iter().map(|topic| topic.map_or(-1, |k| k as i64)))
}

#[pymethods]
impl Model {
    /// From a file, or from the folder that a run has written, in one piece or in shards.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        doorway::run(py, None, move |_: &Watch| load_model(&path)).map(Self::own)
    }

    /// Writes the file, with parameters that only Python has.
    #[pyo3(signature = (path, more = None))]
    fn save(
        &self,
        py: Python<'_>,
        path: PathBuf,
        more: Option<BTreeMap<String, String>>,
    ) -> PyResult<()> {
        let model = Arc::clone(&self.0);
        doorway::run(py, None, move |_: &Watch| match more {
            None => model.save(&path),
            Some(more) => {
                let mut model = xray_data::Model::clone(&model);
                let more = more.into_iter().map(|(name, value)| (name, Value::from(value)));
                model.parameters.extend(more);
                model.save(&path)
            }
        })
    }

    /// From the bytes of a file.
    #[new]
    fn new(py: Python<'_>, data: Vec<u8>) -> PyResult<Self> {
        doorway::run(py, None, move |_: &Watch| xray_data::Model::from_bytes(data)).map(Self::own)
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let model = Arc::clone(&self.0);
        let bytes = doorway::run(py, None, move |_: &Watch| model.to_bytes())?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// "topics" or "factorize".
    #[getter]
    fn kind(&self) -> &'static str {
        match self.0.kind {
            ModelKind::Topics => "topics",
            ModelKind::Factorize => "factorize",
        }
    }

    #[getter]
    fn anchors<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        PyArray1::from_iter(py, self.0.anchors.iter().map(|&j| j as i64))
    }

    #[getter]
    fn residuals<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, &self.0.residual_norm)
    }

    /// H: one row for each topic.
    #[getter]
    fn components<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let shape = [self.0.h.n_rows(), self.0.h.n_columns()];
        dense_rows(&self.0.h).into_pyarray(py).reshape(shape)
    }

    /// W: one row for each document, if the model has it.
    #[getter]
    fn weights<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray2<f64>>>> {
        let Some(w) = &self.0.w else { return Ok(None) };
        dense_rows(w).into_pyarray(py).reshape([w.n_rows(), w.n_columns()]).map(Some)
    }

    /// Names of the columns, if they have names.
    #[getter]
    fn vocabulary(&self) -> Option<Vec<String>> {
        self.0.column_names().map(<[String]>::to_vec)
    }

    /// Documents with each word, if the model was fitted to documents.
    #[getter]
    fn document_frequencies<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<i64>>> {
        let frequencies = self.0.preprocessing.as_ref()?.document_frequencies();
        Some(PyArray1::from_iter(py, frequencies.iter().map(|&n| n as i64)))
    }

    /// The parameters of the fit, as JSON.
    #[getter]
    fn parameters(&self) -> String {
        Value::Object(self.0.parameters.clone()).to_string()
    }

    /// How texts were weighed, as JSON.
    #[getter]
    fn text_options(&self) -> PyResult<Option<String>> {
        let Some(vectorizer) = &self.0.preprocessing else { return Ok(None) };
        let json = serde_json::to_string(vectorizer.options());
        json.map(Some).map_err(|e| PyRuntimeError::new_err(e.to_string()))
    }

    /// The topics as they were listed, without margins.
    fn topics(&self, n_words: usize, distinct: bool) -> Vec<Listed> {
        model_topics(&self.0, n_words, distinct).into_iter().map(listed).collect()
    }

    /// The topic that explains most of each row of weights, -1 for none.
    fn heaviest<'py>(
        &self,
        py: Python<'py>,
        weights: PyReadonlyArray2<'py, f64>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let (view, model) = (weights.as_array(), Arc::clone(&self.0));
        let (n_rows, weights) = (view.nrows(), view.iter().copied().collect::<Vec<f64>>());
        let work = move |_: &Watch| -> Result<_> { Ok(heaviest_topics(&model, &weights, n_rows)) };
        let topics = doorway::run_with_threads(py, threads, None, work)?;
        Ok(numbered(py, &topics))
    }

    /// The cluster of each document of W, -1 for none, if the model has them.
    #[getter]
    fn document_clusters<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<i64>>> {
        let documents = self.0.clusters.as_ref()?.documents.as_ref()?;
        Some(numbered(py, documents))
    }

    /// The clusters of new documents, -1 for none, if the model has clusters.
    fn clusters<'py>(
        &self,
        py: Python<'py>,
        documents: &Bound<'py, Documents>,
        threads: usize,
    ) -> PyResult<Option<Bound<'py, PyArray1<i64>>>> {
        let (model, given) = (Arc::clone(&self.0), Arc::clone(&documents.get().0));
        let work = move |_: &Watch| -> Result<_> {
            let Some(clusters) = model_clusters(&model) else { return Ok(None) };
            let assigned = match &model.preprocessing {
                Some(vectorizer) => clusters.assign(&given.weigh(vectorizer)?),
                None => clusters.assign(given.as_given()?),
            };
            Ok(Some(assigned))
        };
        let clusters = doorway::run_with_threads(py, threads, None, work)?;
        Ok(clusters.map(|clusters| numbered(py, &clusters)))
    }

    /// The weights of new documents.
    fn weigh<'py>(
        &self,
        py: Python<'py>,
        documents: &Bound<'py, Documents>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (model, given) = (Arc::clone(&self.0), Arc::clone(&documents.get().0));
        let shape = [given.n_documents(), model.rank()];
        let work = move |_: &Watch| match &model.preprocessing {
            Some(vectorizer) => apply(&model, &given.weigh(vectorizer)?),
            None => apply(&model, given.as_given()?),
        };
        doorway::run_with_threads(py, threads, None, work)?.into_pyarray(py).reshape(shape)
    }

    /// NPMI and UMass of lists of words (by column) in documents, and known words in each document.
    fn coherence<'py>(
        &self,
        py: Python<'py>,
        documents: &Bound<'py, Documents>,
        lists: Vec<Vec<usize>>,
        threads: usize,
    ) -> PyResult<Measured> {
        let (model, given) = (Arc::clone(&self.0), Arc::clone(&documents.get().0));
        let work = move |_: &Watch| -> Result<_> {
            let matrix = match &model.preprocessing {
                Some(vectorizer) => given.weigh(vectorizer)?,
                None => given.as_given()?.clone(),
            };
            Ok((coherence(&matrix, lists), lengths(&matrix)))
        };
        doorway::run_with_threads(py, threads, None, work)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Reduced<'py>> {
        let bytes = slf.get().to_bytes(slf.py())?;
        Ok((slf.get_type(), (bytes,)))
    }
}

/// NPMI and UMass of each list, and known words in each document.
type Measured = (Vec<(f64, f64)>, Vec<usize>);

/// A type and what to call it with.
type Reduced<'py> = (Bound<'py, PyType>, (Bound<'py, PyBytes>,));

impl Model {
    fn own(model: xray_data::Model) -> Self {
        Self(Arc::new(model))
    }
}
