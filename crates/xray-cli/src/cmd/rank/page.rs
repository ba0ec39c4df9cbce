//! The page of `rank`: curves, and the topics of some ranks.

use xray_nmf::comm::Communicator;
use xray_nmf::{RunState, Termination};
use xray_pipeline::report::{RankLine, RankReport};
use xray_pipeline::{
    Corpus, Level, StudyOptions, TopicOptions, find_levels, find_topics_and_anchors, ladder,
};
use xray_report::{Page, RankCurve, RankLevel, RankPage, RankTopic};

use crate::args::RankArgs;
use crate::cmd::topics::page::about;
use crate::data;
use crate::session::Session;

/// The page as a file, on every rank; collective.
pub(super) fn html(
    comm: &dyn Communicator,
    session: &mut Session,
    corpus: &mut Corpus,
    options: &StudyOptions,
    (report, args): (&RankReport, &RankArgs),
) -> anyhow::Result<String> {
    let is_text = corpus.vectorizer().is_some();
    let (what, one) = if is_text { ("topics", "topic") } else { ("anchors", "anchor") };
    let levels = match report.suggested_rank {
        Some(rank) if is_text => {
            data::about(&args.input, levels(comm, session, corpus, options, rank))?
        }
        _ => Vec::new(),
    };
    let content = RankPage {
        what: what.to_owned(),
        suggested: report.suggested_rank,
        range: report.suggestion.map(|suggestion| suggestion.range),
        reason: report.suggestion.map(|suggestion| suggestion.sentence(one)),
        anchors: report.ranks.iter().map(|line| line.anchor_name.clone()).collect(),
        curves: curves(report),
        levels: levels.iter().map(|level| rank_level(level, corpus.n_documents())).collect(),
    };
    Ok(Page::new(about(&args.input.name(), Some(corpus)), content).html())
}

/// Topics of the suggested number, and of some beside it; none if the run is stopped.
fn levels(
    comm: &dyn Communicator,
    session: &mut Session,
    corpus: &mut Corpus,
    study: &StudyOptions,
    rank: usize,
) -> anyhow::Result<Vec<Level>> {
    let options = TopicOptions {
        rank: Some(rank),
        params: study.params.clone(),
        memory: study.memory,
        ..TopicOptions::default()
    };
    let progress = &mut session.page_progress();
    let new = RunState::default();
    let (found, anchors) = find_topics_and_anchors(comm, corpus, &options, &new, progress)?;
    let levels = if found.run.termination == Termination::Stopped {
        Vec::new()
    } else {
        let ranks = ladder(found.rank(), 0);
        find_levels(comm, corpus, &options, &ranks, (&found, &anchors), progress)?
    };
    session.end();
    Ok(levels)
}

fn rank_level(level: &Level, n_documents: usize) -> RankLevel {
    let topics = level.topics.iter().zip(&level.documents).enumerate();
    let topic = |(k, (topic, documents)): (usize, (&xray_pipeline::Topic, &usize))| {
        RankTopic(k + 1, topic.name.clone(), *documents as f64 / n_documents.max(1) as f64)
    };
    RankLevel { k: level.topics.len(), topics: topics.map(topic).collect() }
}

/// What was measured, the most telling first.
fn curves(report: &RankReport) -> Vec<RankCurve> {
    let curve = |name: &str, help: &str, decimals, value: fn(&RankLine) -> Option<f64>| RankCurve {
        name: name.to_owned(),
        help: help.to_owned(),
        decimals,
        values: report.ranks.iter().map(value).collect(),
    };
    let all = [
        curve(
            "Stability",
            "higher is better: do two halves of the rows agree on the topics?",
            3,
            |line| line.stability,
        ),
        curve(
            "Unseen entries",
            "lower is better: what is left unexplained of entries that were not seen",
            4,
            |line| line.unseen,
        ),
        curve("Left unexplained", "of all that was seen; it always falls", 4, |line| {
            Some(line.residual_norm)
        }),
        curve("Coherence", "higher is better: do the first words of topics meet?", 3, |line| {
            line.npmi
        }),
    ];
    let is_known = |curve: &RankCurve| curve.values.iter().any(Option::is_some);
    all.into_iter().filter(is_known).collect()
}
