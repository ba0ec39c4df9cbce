//! `xray topics`: text to topics.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use xray_data::{AtomicFile, Error as DataError, Model, Provenance};
use xray_nmf::comm::{Communicator, Counted};
use xray_nmf::{Selection, Termination};
use xray_pipeline::checkpoint::depends_on;
use xray_pipeline::report::{
    TopicsParameters, TopicsReport, WeightRows, contingency_csv, contingency_table, json,
    topics_csv, topics_table,
};
use xray_pipeline::{
    Corpus, DocumentBlock, TopicOptions, Topics, find_topics, resolve_words, split_words,
};
use xray_report::number;

use crate::agree::{check_checkpoint, rank_facts, together, with_checkpoints};
use crate::args::{RunArgs, TopicsArgs};
use crate::data::{about, provenance, read_corpus};
use crate::interrupt;
use crate::outcome::{Outcome, UsageError};
use crate::output::Folder;
use crate::session::Session;

pub(crate) fn run(comm: &dyn Communicator, args: &TopicsArgs) -> anyhow::Result<Outcome> {
    let comm = &Counted::new(comm);
    let mut session = Session::on(comm, &args.common)?;
    check_checkpoint(comm, &args.run)?;
    let mut corpus = read_corpus(comm, &mut session, &args.input, &args.text)?;
    let reading = comm.traffic().bytes;
    let options = together(comm, options(&session, args, &corpus))?;
    let found = find(comm, &mut session, &mut corpus, &options, &args.run);
    let found = about(&args.input, found)?;
    let report = TopicsReport::new(comm, &corpus, &found)?;
    let folder = match &args.output {
        Some(folder) => Some(folder.clone()),
        None if args.common.json => None,
        None => Some(PathBuf::from(format!("{}-topics", args.input.stem()))),
    };
    let parameters = parameters(args, &options, &found);
    let output = folder.map(|folder| (folder, provenance(&corpus, args.common.seed)));
    FoundTopics { corpus, found, report, parameters }.finish(comm, session, output, reading)
}

/// Runs the search under the eyes of the session.
pub(crate) fn find(
    comm: &dyn Communicator,
    session: &mut Session,
    corpus: &mut Corpus,
    options: &TopicOptions,
    run: &RunArgs,
) -> anyhow::Result<Topics> {
    let about = depends_on(&options.search_params(corpus.n_words()), &corpus.matrix);
    with_checkpoints(comm, session, run, about, |saved, progress| {
        find_topics(comm, corpus, options, saved, progress)
    })
}

/// Words become columns; unknown ones are warned about.
fn options(session: &Session, args: &TopicsArgs, corpus: &Corpus) -> anyhow::Result<TopicOptions> {
    let vectorizer = corpus.vectorizer().expect("texts and counts are weighed");
    let lists: Vec<Vec<String>> = args.anchor.iter().map(|list| split_words(list)).collect();
    let anchors = resolve_words(vectorizer, &lists);
    let excluded = resolve_words(vectorizer, &[split_words(&args.exclude.join(","))]);
    for unknown in anchors.unknown.iter().chain(&excluded.unknown) {
        session.warn(unknown);
    }
    let excluded = excluded.columns.concat();
    if let Some(&both) = anchors.columns.iter().flatten().find(|word| excluded.contains(word)) {
        let word = &vectorizer.vocabulary()[both];
        return Err(UsageError(format!("\"{word}\" is given to --anchor and to --exclude")).into());
    }
    Ok(TopicOptions {
        rank: args.rank,
        max_rank: args.max_topics,
        anchors: anchors.columns,
        excluded,
        refine: args.refine,
        refine_tolerance: TopicOptions::default().refine_tolerance,
        method: args.engine.refine_method.unwrap_or(TopicOptions::default().method),
        n_words: args.words,
        distinct: args.distinct,
        params: args.engine.params(0, Selection::Greedy, &args.common),
    })
}

/// What the model file remembers of the arguments.
fn parameters(args: &TopicsArgs, options: &TopicOptions, found: &Topics) -> TopicsParameters {
    let anchor = args.anchor.iter().map(|list| split_words(list)).collect();
    TopicsParameters::new(options, found, anchor, args.exclude.clone())
}

/// A corpus, its topics, and what is told of them.
pub struct FoundTopics {
    /// The documents.
    pub corpus: Corpus,
    /// Their topics.
    pub found: Topics,
    /// What people and programs are told.
    pub report: TopicsReport,
    /// What the model file remembers.
    pub parameters: TopicsParameters,
}

/// Tables of more classes or topics than this are left to the CSV file.
const WIDEST_PRINTED: usize = 20;

impl FoundTopics {
    /// Writes the files, prints the answer, and says how the run ended; collective. `reading` is the
    /// traffic of reading.
    pub fn finish(
        mut self,
        comm: &Counted<'_>,
        mut session: Session,
        output: Option<(PathBuf, Provenance)>,
        reading: u64,
    ) -> anyhow::Result<Outcome> {
        let stopped = self.found.run.termination == Termination::Stopped || interrupt::requested();
        let written = match output {
            Some((folder, origin)) => {
                Some(session.stage("write", || self.write(comm, &folder, origin))?)
            }
            None => None,
        };
        let entries = self.corpus.matrix.columns().n_entries();
        self.report.ranks = rank_facts(comm, &session, entries, reading)?;
        let told = match comm.rank() {
            0 if session.json => session.print_answer(&self.report),
            0 => print(&session, &self.report),
            _ => Ok(()),
        };
        together(comm, told)?;
        Ok(session.conclude(written, stopped))
    }

    fn write(
        &self,
        comm: &dyn Communicator,
        folder: &Path,
        provenance: Provenance,
    ) -> anyhow::Result<String> {
        let (corpus, found, rank) = (&self.corpus, &self.found, self.found.rank());
        let opened = if comm.rank() == 0 { self.open(folder).map(Some) } else { Ok(None) };
        let mut files = together(comm, opened)?;
        found.documents.for_each_block(comm, &corpus.rows, |block| {
            let Some((_, documents)) = &mut files else { return Ok(()) };
            let file = folder.join("documents.csv").display().to_string();
            let full = |source| DataError::Io { file, action: "write", source }.into();
            weight_rows(block, rank).write_lines(documents).map_err(full)
        })?;
        let model = found.to_model(comm, corpus, &self.parameters, provenance)?;
        let closed = match (files, model) {
            (Some((folder, documents)), Some(model)) => self.close(folder, documents, &model),
            _ => Ok(String::new()),
        };
        together(comm, closed)
    }

    /// The folder with the small files, and the one that documents go to.
    fn open(&self, folder: &Path) -> anyhow::Result<(Folder, AtomicFile)> {
        let mut folder = Folder::create(folder)?;
        folder.write("topics.csv", topics_csv(&self.report).as_bytes())?;
        folder.write("topics.json", json(&self.report).as_bytes())?;
        let mut documents = AtomicFile::create(&folder.file("documents.csv"))?;
        let labelled = self.corpus.rows.labels.is_some();
        documents.write_all(&WeightRows::header(labelled, self.found.rank())).context(FULL)?;
        Ok((folder, documents))
    }

    /// What comes after the documents, and what was written.
    fn close(
        &self,
        mut folder: Folder,
        documents: AtomicFile,
        model: &Model,
    ) -> anyhow::Result<String> {
        documents.commit()?;
        if let Some(agreement) = &self.report.agreement {
            let table = contingency_csv(&agreement.contingency);
            folder.write("contingency.csv", table.as_bytes())?;
        }
        model.save(&folder.file("model.npz"))?;
        Ok(folder.summary())
    }
}

/// What failed if a file cannot take more.
const FULL: &str = "cannot write; is the disk full?";

/// The rows of a block, to be written.
pub(crate) fn weight_rows<'a>(block: &'a DocumentBlock<'_>, rank: usize) -> WeightRows<'a> {
    WeightRows {
        ids: &block.ids,
        labels: block.labels.as_deref(),
        topics: block.heaviest,
        weights: block.weights,
        rank,
    }
}

/// Prints the topics, for people.
fn print(session: &Session, report: &TopicsReport) -> anyhow::Result<()> {
    let documents = number::count(report.documents as u64);
    let words = number::count(report.vocabulary as u64);
    let (topics, time) = (report.rank, number::duration(session.elapsed()));
    session.note(format!("{documents} documents, {words} words, {topics} topics in {time}\n"));
    session.print_table(&topics_table(report))?;
    if report.silent > 0 {
        let silent = number::count(report.silent as u64);
        session.note(format!(
            "\n{silent} documents are in no topic: they have none of the topics' words"
        ));
    }
    if let Some(suggestion) = report.suggestion {
        session.note(format!(
            "\n{} topics: {}; choose another number with -k",
            suggestion.rank, suggestion.reason
        ));
    }
    let Some(agreement) = &report.agreement else { return Ok(()) };
    session.print_line(format!("\nagreement with the labels (NMI): {:.3}", agreement.nmi))?;
    let table = &agreement.contingency;
    if table.labels.len() <= WIDEST_PRINTED && table.topics.len() <= WIDEST_PRINTED {
        session.print_line("")?;
        session.print_table(&contingency_table(table))?;
    }
    Ok(())
}
