//! `xray topics`: text to topics.

use std::path::{Path, PathBuf};

use xray_data::Provenance;
use xray_data::text::Vectorizer;
use xray_nmf::comm::OneRank;
use xray_nmf::{Selection, Termination};
use xray_pipeline::report::{
    TopicsParameters, TopicsReport, WeightRows, contingency_csv, contingency_table, json,
    topics_csv, topics_table,
};
use xray_pipeline::{Corpus, Event, TopicOptions, Topics, find_topics, resolve_words, split_words};
use xray_report::number;

use crate::args::TopicsArgs;
use crate::data::{about, read_corpus};
use crate::interrupt;
use crate::outcome::{Outcome, UsageError};
use crate::output::{Folder, write_file};
use crate::session::Session;

pub(crate) fn run(args: &TopicsArgs) -> anyhow::Result<Outcome> {
    let mut session = Session::new(&args.common)?;
    let (corpus, origin) = read_corpus(&mut session, &args.input, &args.text)?;
    let options = options(&session, args, &corpus.vectorizer)?;
    let found = about(&args.input, find(&mut session, &corpus, &options))?;
    let report = TopicsReport::new(&OneRank, &corpus, &found)?;
    let folder = match &args.output {
        Some(folder) => Some(folder.clone()),
        None if args.common.json => None,
        None => Some(PathBuf::from(format!("{}-topics", args.input.stem()))),
    };
    let parameters = parameters(args, &options, &found);
    let output = folder.map(|folder| (folder, origin.provenance(args.common.seed)));
    FoundTopics { corpus, found, report, parameters }.finish(session, output)
}

/// Runs the search under the eyes of the session.
pub(crate) fn find(
    session: &mut Session,
    corpus: &Corpus,
    options: &TopicOptions,
) -> anyhow::Result<Topics> {
    let found = find_topics(corpus, options, &mut |event: Event<'_>| session.watch(event));
    session.end();
    Ok(found?)
}

/// Words become columns; unknown ones are warned about.
pub fn options(
    session: &Session,
    args: &TopicsArgs,
    vectorizer: &Vectorizer,
) -> anyhow::Result<TopicOptions> {
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
pub fn parameters(args: &TopicsArgs, options: &TopicOptions, found: &Topics) -> TopicsParameters {
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
    /// Writes the files, prints the answer, and says how the run ended.
    pub fn finish(
        self,
        mut session: Session,
        output: Option<(PathBuf, Provenance)>,
    ) -> anyhow::Result<Outcome> {
        let stopped = self.found.termination == Termination::Stopped || interrupt::requested();
        let written = match output {
            Some((folder, origin)) => Some(session.stage("write", || self.write(&folder, origin))?),
            None => None,
        };
        if session.json {
            session.print_answer(&self.report)?;
        } else {
            print(&session, &self.report)?;
        }
        Ok(session.conclude(written, stopped))
    }

    fn write(&self, folder: &Path, provenance: Provenance) -> anyhow::Result<String> {
        let (corpus, found, report) = (&self.corpus, &self.found, &self.report);
        let mut folder = Folder::create(folder)?;
        folder.write("topics.csv", topics_csv(report).as_bytes())?;
        folder.write("topics.json", json(report).as_bytes())?;
        let rows = WeightRows {
            ids: &corpus.ids,
            labels: corpus.labels.as_deref(),
            topics: &found.topic_of_document,
            weights: &found.weights,
            rank: found.rank(),
        };
        write_file(&folder.file("documents.csv"), |out| rows.write(out))?;
        if let Some(agreement) = &report.agreement {
            folder.write("contingency.csv", contingency_csv(&agreement.contingency).as_bytes())?;
        }
        found.to_model(corpus, &self.parameters, provenance)?.save(&folder.file("model.npz"))?;
        Ok(folder.summary())
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
