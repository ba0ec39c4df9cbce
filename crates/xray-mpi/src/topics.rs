//! `xray-mpi topics`: texts to topics, with words and documents shared out.

use std::ops::ControlFlow;
use std::path::PathBuf;

use xray_cli::args::TopicsArgs;
use xray_cli::parts::{
    FoundTopics, Outcome, Session, UsageError, peak_memory, topic_options, topic_parameters,
};
use xray_nmf::comm::{Communicator, Counted, OneRank};
use xray_nmf::{
    Factorization, Params, Refined, RowModel, RunState, SharedMatrix, SparseMatrix, Step,
    Termination, fit_resumed, refine_distributed,
};
use xray_pipeline::checkpoint::{Checkpointer, restore_everywhere};
use xray_pipeline::report::{RankFacts, TopicsReport};
use xray_pipeline::rows::{gather_rows, start};
use xray_pipeline::{
    Corpus, Event, SharedCorpus, Stage, TopicNumbers, TopicOptions, gather_sizes, provenance,
    read_corpus, scale_topics,
};

use crate::agree::together;
use crate::args::{ClusterArgs, Topics};
use crate::factorize::{check_checkpoint, check_method, depends_on, own_resources, stop_together};

/// Runs the verb on one rank; all ranks call it with the same arguments.
///
/// # Errors
/// As [`factorize`](crate::factorize).
pub fn topics(comm: &dyn Communicator, verb: &Topics) -> anyhow::Result<Outcome> {
    let comm = &Counted::new(comm);
    let mut args = verb.args.clone();
    own_resources(comm, &mut args.common)?;
    together(comm, check_cluster(&verb.cluster))?;
    check_checkpoint(comm, &verb.cluster)?;
    let mut session = together(comm, Session::new(&args.common))?;
    let text = together(comm, args.text.request())?;
    let (data, loading) = (&args.input.data, args.input.load_options());
    let corpus = session.stage("read", || read_corpus(comm, data, &loading, &text))?;
    let reading = comm.traffic().bytes as usize;
    let options = topic_options(&session, &args, &corpus.vectorizer);
    let options = together(comm, options.and_then(check_supported))?;
    let found = choose(comm, &mut session, &corpus, &options, &verb.cluster)?;
    let numbers = refine(comm, &mut session, &corpus, &options, found)?;
    session.end();
    finish(comm, session, &args, corpus, &options, numbers, reading)
}

fn check_cluster(cluster: &ClusterArgs) -> anyhow::Result<()> {
    match cluster.shards || cluster.gather {
        true => Err(UsageError("--shards and --gather are for factorize".into()).into()),
        false => Ok(()),
    }
}

fn check_supported(options: TopicOptions) -> anyhow::Result<TopicOptions> {
    if options.anchors.iter().any(|words| words.len() > 1) {
        let message =
            "a topic that begins with several words needs one machine: give --anchor one word";
        return Err(UsageError(message.into()).into());
    }
    check_method(options.refine.unwrap_or(1), options.method)?;
    Ok(options)
}

/// The anchors, and how their number was chosen.
struct Found {
    fit: Factorization,
    kkt_violation: f64,
    suggestion: Option<xray_nmf::RankSuggestion>,
}

fn choose(
    comm: &dyn Communicator,
    session: &mut Session,
    corpus: &SharedCorpus,
    options: &TopicOptions,
    cluster: &ClusterArgs,
) -> anyhow::Result<Found> {
    let rank = options.rank.unwrap_or(options.max_rank).max(options.anchors.len());
    let params = Params {
        rank,
        fixed: options.anchors.iter().map(|words| words[0]).collect(),
        excluded: options.excluded.clone(),
        ..options.params.clone()
    };
    let n_words = corpus.vectorizer.vocabulary().len();
    let about = depends_on(&params, corpus.n_documents, n_words, corpus.n_entries);
    let state = match (&cluster.checkpoint, cluster.resume) {
        (Some(path), true) => restore_everywhere(comm, path, &about)?,
        _ => RunState::default(),
    };
    let plan = cluster.checkpoint.clone().map(|path| (path, cluster.checkpoint_every as usize));
    let _ = session.watch(Event::Begin(Stage::Anchors, rank));
    let watch = |step: &Step| session.watch(Event::Anchor(step));
    let mut observer = Checkpointer { plan, writes: comm.rank() == 0, about, watch, failed: None };
    let fit = fit_resumed(comm, n_words, &corpus.columns, None, &params, &state, &mut observer);
    let failed = observer.failed.map_or(Ok(()), Err);
    let mut fit = fit?;
    xray_pipeline::together(comm, failed)?;
    let mut suggestion = None;
    if options.rank.is_none() && fit.termination() != Termination::Stopped {
        let suggested = fit.suggest_rank();
        fit = fit.truncate(suggested.rank.max(options.anchors.len()));
        suggestion = Some(suggested);
    }
    let violations = comm.all_gather(&fit.kkt_violation().to_bits().to_le_bytes())?;
    let violation = |bytes: &Vec<u8>| {
        f64::from_bits(u64::from_le_bytes(bytes[..].try_into().expect("8 bytes")))
    };
    let kkt_violation = violations.iter().map(violation).fold(0.0, f64::max);
    Ok(Found { fit, kkt_violation, suggestion })
}

fn refine(
    comm: &dyn Communicator,
    session: &mut Session,
    corpus: &SharedCorpus,
    options: &TopicOptions,
    found: Found,
) -> anyhow::Result<TopicNumbers> {
    let Found { fit, kkt_violation, suggestion } = found;
    let (rank, n_words) = (fit.rank(), corpus.vectorizer.vocabulary().len());
    let iterations = match options.refine {
        _ if fit.termination() == Termination::Stopped => 0,
        Some(iterations) => iterations,
        None => TopicOptions::default_refine(corpus.n_documents, n_words, rank),
    };
    let _ = session.watch(Event::Begin(Stage::Refinement, iterations));
    let mut before = f64::INFINITY;
    let mut observer = |_, objective: f64| {
        let settled = before - objective < options.refine_tolerance * objective;
        before = objective;
        let wish = stop_together(comm, session.watch(Event::Advance));
        if settled { ControlFlow::Break(()) } else { wish }
    };
    let matrix = SharedMatrix { columns: &corpus.columns, rows: &corpus.rows, n_columns: n_words };
    let start = start(comm, corpus.ids.len(), &fit)?;
    let threads = options.params.threads;
    let refined = refine_distributed(
        comm,
        matrix,
        start,
        options.method,
        iterations,
        threads,
        &mut observer,
    )?;
    let Refined { mut h, objective, .. } = refined;
    let _ = session.watch(Event::Begin(Stage::Weights, 1));
    scale_topics(&mut h, rank);
    let own = RowModel::new(rank, n_words, h.clone())?.weights(&corpus.rows, threads)?;
    Ok(TopicNumbers {
        n_documents: corpus.n_documents,
        h,
        weights: own,
        steps: fit.steps().to_vec(),
        termination: fit.termination(),
        kkt_violation,
        objective,
        suggestion,
    })
}

/// Puts all documents together on rank 0, which writes and prints.
fn finish(
    comm: &Counted<'_>,
    session: Session,
    args: &TopicsArgs,
    corpus: SharedCorpus,
    options: &TopicOptions,
    numbers: TopicNumbers,
    reading: usize,
) -> anyhow::Result<Outcome> {
    let rank = numbers.steps.len();
    let received = comm.traffic().bytes as usize;
    let memory = peak_memory().unwrap_or(0) as usize;
    let sizes = gather_sizes(comm, [corpus.columns.n_entries(), memory, reading, received])?;
    let all = gather_documents(comm, &corpus, &numbers.weights, rank)?;
    let folder = match &args.output {
        Some(folder) => Some(folder.clone()),
        None if args.common.json => None,
        None => Some(PathBuf::from(format!("{}-topics", args.input.stem()))),
    };
    let output = match folder {
        Some(folder) => Some((folder, provenance(comm, &args.input.data, args.common.seed)?)),
        None => None,
    };
    let stopped = numbers.termination == Termination::Stopped;
    let outcome = match all {
        None => Ok(if stopped { Outcome::Interrupted } else { Outcome::Done }),
        Some(Gathered { ids, labels, weights }) => {
            let SharedCorpus { vectorizer, n_documents: m, n_entries, .. } = corpus;
            let n = vectorizer.vocabulary().len();
            let matrix = SparseMatrix::from_csr(m, n, vec![0; m + 1], vec![], vec![])?;
            let whole = Corpus { matrix, vectorizer, ids, labels };
            let found = TopicNumbers { weights, ..numbers };
            let found = found.describe(whole.vectorizer.vocabulary(), options);
            let parameters = topic_parameters(args, options, &found);
            let report = TopicsReport {
                entries: n_entries,
                ranks: Some(about_ranks(&sizes)),
                ..TopicsReport::new(&OneRank, &whole, &found)?
            };
            FoundTopics { corpus: whole, found, report, parameters }.finish(session, output)
        }
    };
    together(comm, outcome)
}

fn about_ranks(sizes: &[[usize; 4]]) -> RankFacts {
    let bytes = |q: usize| sizes.iter().map(|own| own[q] as u64).collect::<Vec<u64>>();
    let (reading, all) = (bytes(2), bytes(3));
    RankFacts {
        number: sizes.len(),
        entries: sizes.iter().map(|own| own[0]).collect(),
        peak_memory_bytes: bytes(1),
        received_fitting_bytes: all.iter().zip(&reading).map(|(all, part)| all - part).collect(),
        received_bytes: all,
        received_reading_bytes: reading,
    }
}

/// All documents, in order.
struct Gathered {
    ids: Vec<String>,
    labels: Option<Vec<String>>,
    weights: Vec<f64>,
}

fn gather_documents(
    comm: &dyn Communicator,
    corpus: &SharedCorpus,
    weights: &[f64],
    rank: usize,
) -> anyhow::Result<Option<Gathered>> {
    let mut messages = vec![Vec::new(); comm.size()];
    messages[0] = serde_json::to_vec(&(&corpus.ids, &corpus.labels))?;
    let names = comm.all_to_all(messages)?;
    let Some(weights) = gather_rows(comm, weights, corpus.n_documents, rank)? else {
        return Ok(None);
    };
    let m = corpus.n_documents;
    let labelled = corpus.labels.is_some();
    let mut all = Gathered {
        ids: vec![String::new(); m],
        labels: labelled.then(|| vec![String::new(); m]),
        weights,
    };
    for (part, names) in names.iter().enumerate() {
        let (ids, labels): (Vec<String>, Option<Vec<String>>) = serde_json::from_slice(names)?;
        let share = xray_data::Share { part, parts: comm.size() };
        let mut labels = labels.map(Vec::into_iter);
        for (k, id) in ids.into_iter().enumerate() {
            let d = share.document(k);
            all.ids[d] = id;
            if let (Some(all), Some(label)) =
                (&mut all.labels, labels.as_mut().and_then(Iterator::next))
            {
                all[d] = label;
            }
        }
    }
    Ok(Some(all))
}
