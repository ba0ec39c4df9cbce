//! Topics of several numbers: a door to `xray-pipeline`.

use std::sync::Arc;

use pyo3::prelude::*;
use xray_nmf::RunState;
use xray_nmf::comm::OneRank;
use xray_pipeline::report::{LevelReport, json};
use xray_pipeline::{
    Corpus, Result, Stoppable, TextRequest, TopicOptions, TopicsRequest, find_levels,
    find_topics_and_anchors, level_ranks,
};

use crate::doorway::{self, Watch};
use crate::request::read;
use crate::text::Documents;
use crate::topics::{reporter, resolve};

/// Topics of each of these numbers, found as `request` and `text` (JSON) say, as JSON; and what a person should know.
/// `machine` are threads and memory.
#[pyfunction]
#[pyo3(signature = (documents, levels, request, text, machine, progress = None))]
pub(crate) fn topic_levels(
    py: Python<'_>,
    documents: &Bound<'_, Documents>,
    levels: Vec<usize>,
    request: &str,
    text: &str,
    machine: (usize, Option<usize>),
    progress: Option<Py<PyAny>>,
) -> PyResult<(String, Vec<String>)> {
    let given = Arc::clone(&documents.get().0);
    let (request, text): (TopicsRequest, TextRequest) = (read(request)?, read(text)?);
    let (threads, memory) = machine;
    let work = move |watch: &Watch| -> Result<_> {
        let mut corpus = given.to_corpus(&text)?;
        let (options, warnings) = resolve(&request, &corpus, memory)?;
        Ok((find(&mut corpus, options, &levels, watch)?, warnings))
    };
    doorway::run_with_threads(py, threads, progress, work)
}

fn find(
    corpus: &mut Corpus,
    options: TopicOptions,
    levels: &[usize],
    watch: &Watch,
) -> Result<String> {
    let ranks = level_ranks(levels, None, options.anchors.len())?;
    let options = TopicOptions { rank: ranks.last().copied(), ..options };
    let mut progress = Stoppable { stop: watch.stop().clone(), tell: reporter(watch) };
    let new = RunState::default();
    let (found, anchors) =
        find_topics_and_anchors(&OneRank, corpus, &options, &new, &mut progress)?;
    let answer = (&found, &anchors);
    let levels = find_levels(&OneRank, corpus, &options, &ranks, answer, &mut progress)?;
    let reports: Vec<LevelReport> =
        levels.iter().map(|level| LevelReport::new(corpus, level)).collect();
    Ok(json(&reports))
}
