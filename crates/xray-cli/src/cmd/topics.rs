//! `xray topics`: text to topics.

mod more;
mod over_time;
pub(crate) mod page;

use std::io::Write;
use std::path::PathBuf;

use xray_data::text::Vectorizer;
use xray_data::{Model, Provenance};
use xray_nmf::Termination;
use xray_nmf::comm::{Communicator, Counted};
use xray_pipeline::checkpoint::RunKey;
use xray_pipeline::report::{
    LEFT_MARK, LevelReport, RowStyle, Suggestion, TopicsParameters, TopicsReport,
    best_documents_table, contingency_csv, contingency_table, evidence_table, json, topics_csv,
    topics_table,
};
use xray_pipeline::shards::{ManifestHead, Part, ShardFile};
use xray_pipeline::{
    Anchors, ColumnNames, Corpus, Folder, GroupShares, NumberOptions, Period, Plan, Purpose,
    RowNames, TopicOptions, Topics, TopicsRequest, Work, beginning, find_topics_and_anchors,
    kept_characters, nearest_documents, split_words,
};
use xray_report::number;

use crate::agree::{anywhere, check_checkpoint, rank_facts, together, with_checkpoints};
use crate::args::{RunArgs, TopicNumber, TopicsArgs};
use crate::data::{about, counted, provenance, read_dated, tell_frequent, weigh_content};
use crate::documents::{
    DocumentsFile, header, own_ranges, weight_rows, write_model, write_w_shard,
};
use crate::interrupt;
use crate::memory;
use crate::outcome::{Outcome, UsageError};
use crate::output::{Guarded, resumable};
use crate::session::Session;

use over_time::Times;

/// Documents that are listed as nearest to one.
const NEIGHBOURS: usize = 10;

/// Characters of a document that are told.
const BEGINNING: usize = 300;

pub(crate) fn run(comm: &dyn Communicator, args: &TopicsArgs) -> anyhow::Result<Outcome> {
    let comm = &Counted::new(comm);
    let mut session = Session::on(comm, &args.common);
    let guarded = Guarded::new(&args.input).and_words(&args.text).and_checkpoint(&args.run);
    let guarded = guarded.and(args.engine.row_weights.clone());
    let folder = match output(args) {
        Some(path) => {
            // Beside the data, results of other data stay.
            let (shards, only_same_input) = (args.shards.shards, args.output.is_none());
            let plan = Plan { shards, only_same_input, ..Plan::new(Purpose::Topics) };
            Some(guarded.open(comm, &session, &path, plan)?)
        }
        None if args.shards.shards => {
            let message = "--shards needs a folder to write to: add -o FOLDER";
            return Err(UsageError(message.into()).into());
        }
        None => {
            guarded.check(comm, Vec::new())?;
            None
        }
    };
    check_checkpoint(comm, &args.run)?;
    let mut content = read_dated(comm, &mut session, &args.input, args.time.as_deref())?;
    let times = over_time::read(comm, &session, args, &mut content)?;
    let shows_page = folder.is_some() && (!args.no_report || args.figures());
    let memory = args.common.memory();
    let kept = if shows_page { kept_characters(content.n_rows(), memory) } else { BEGINNING };
    let beginnings = (args.details || shows_page).then(|| content.beginnings(kept)).flatten();
    let mut corpus = weigh_content(comm, &mut session, &args.input, &args.text, content)?;
    let reading = comm.traffic().bytes;
    let request = together(comm, request(args))?;
    let options = together(comm, options(&session, &request, &corpus))?;
    let (options, ranks) = together(comm, more::with_levels(args, options))?;
    let rank = options.search_params(corpus.n_words()).rank;
    let tries = options.rank.is_none() && !options.fast;
    let copied = if tries { NumberOptions::copies(corpus.matrix.n_entries()) } else { 0.0 };
    let work = Work {
        rank,
        refines: options.refine != Some(0),
        weighs: true,
        copied,
        halves: args.details,
        ..args.engine.work()
    };
    let cache = memory::cache(comm, &session, &args.common, &corpus, &work);
    let options = TopicOptions { memory: about(&args.input, cache)?, ..options };
    let found = find(comm, &mut session, &mut corpus, &options, &args.run);
    let (mut found, anchors) = about(&args.input, found)?;
    if let (Some(beginnings), true) = (&beginnings, args.details) {
        let short = beginnings.iter().map(|text| beginning(text, BEGINNING));
        found.add_texts(comm, &short.collect::<Vec<_>>())?;
    }
    let mut report = TopicsReport::new(comm, &corpus, &found)?;
    let by_period = |times: &Times| GroupShares::new(comm, &found.documents, &times.periods);
    report.periods = times.as_ref().map(by_period).transpose()?;
    report.nearest =
        nearest_documents(comm, &corpus.rows, &found.documents, &args.nearest, NEIGHBOURS)?;
    let about = page::about(&args.input.name(), Some(&corpus));
    let texts = beginnings.as_deref();
    let files = page::Files { html: !args.no_report, pictures: args.figures() };
    let wanted = page::Wanted { shows_page, files, ranks: &ranks, ladder: None, texts, about };
    let levels = wanted.levels(comm, &mut session, &mut corpus, &options, (&found, &anchors))?;
    drop(anchors);
    if !ranks.is_empty() {
        report.levels = levels.iter().map(|level| LevelReport::new(&corpus, level)).collect();
    }
    let page = wanted.page(comm, &mut session, &corpus, &options, (&found, &levels, &report))?;
    let TopicsRequest { anchor, exclude, .. } = request;
    let parameters = TopicsParameters::new(&options, &found, anchor, exclude);
    let output = match folder {
        Some(folder) => {
            let n_numbers = corpus.n_documents() * found.rank();
            let sharded = args.shards.in_shards(comm, n_numbers);
            let origin = provenance(&corpus, args.common.seed);
            Some(Output { folder, origin, sharded, checkpoint: args.run.checkpoint.clone() })
        }
        None => None,
    };
    let found = FoundTopics::new(corpus, found, report, parameters)
        .style(args.weights.style(), args.parquet())
        .details(args.details)
        .periods_of(times.map(|times| times.period))
        .page(page);
    found.finish(comm, session, output, reading)
}

/// The folder that was asked for, or one beside the data.
fn output(args: &TopicsArgs) -> Option<PathBuf> {
    match &args.output {
        Some(folder) => Some(folder.clone()),
        None if args.common.json => None,
        None => Some(PathBuf::from(format!("{}-topics", args.input.stem()))),
    }
}

/// Runs the search under the eyes of the session.
pub(crate) fn find(
    comm: &dyn Communicator,
    session: &mut Session,
    corpus: &mut Corpus,
    options: &TopicOptions,
    run: &RunArgs,
) -> anyhow::Result<(Topics, Anchors)> {
    let key = RunKey::of(&corpus.matrix, &options.search_params(corpus.n_words()));
    with_checkpoints(comm, session, run, key, |saved, progress| {
        find_topics_and_anchors(comm, corpus, options, saved, progress)
    })
}

/// What is asked for.
pub(crate) fn request(args: &TopicsArgs) -> anyhow::Result<TopicsRequest> {
    let default = TopicsRequest::default();
    Ok(TopicsRequest {
        topics: match args.rank {
            Some(TopicNumber::Given(number)) => Some(number),
            Some(TopicNumber::Fast) | None => None,
        },
        fast: args.rank == Some(TopicNumber::Fast),
        max_topics: args.max_topics,
        anchor: args.anchor.iter().map(|list| split_words(list)).collect(),
        anchor_strength: args.anchor_strength,
        exclude: split_words(&args.exclude.join(",")),
        anchor_min_df: args.engine.anchor_min_df(),
        refine: args.refine,
        refine_tolerance: args.refine_tolerance,
        refine_method: args.engine.refine_method.unwrap_or(default.refine_method),
        words: args.words,
        distinct: args.distinct,
        stability: args.details,
        params: args.engine.params(0, default.params.selection, &args.common)?,
    })
}

/// Words become columns; unknown and rare ones are warned about.
fn options(
    session: &Session,
    request: &TopicsRequest,
    corpus: &Corpus,
) -> anyhow::Result<TopicOptions> {
    let vectorizer = corpus.vectorizer().expect("texts and counts are weighed");
    let (options, warnings) = request.resolve(vectorizer)?;
    warnings.iter().for_each(|warning| session.warn(warning));
    tell_frequent(session, options.anchor_min_df);
    Ok(options)
}

/// Topics, and what is told of them. The matrix is gone: files are written in the room that it leaves.
pub(crate) struct FoundTopics {
    /// What the own documents are called.
    rows: RowNames,
    /// The words, and how documents were weighed.
    vectorizer: Box<Vectorizer>,
    /// Entries of the matrix that this rank had.
    own_entries: usize,
    found: Topics,
    /// What people and programs are told.
    report: TopicsReport,
    /// What the model file remembers.
    parameters: TopicsParameters,
    style: RowStyle,
    /// Whether documents are written to a Parquet file.
    parquet: bool,
    /// Whether people want to know what speaks for each topic.
    details: bool,
    /// How long the periods are.
    period: Option<Period>,
    /// The page and its pictures, as they are wanted.
    page: Vec<(String, Vec<u8>)>,
}

/// Where the files go, and how.
pub(crate) struct Output {
    pub(crate) folder: Folder,
    pub(crate) origin: Provenance,
    /// Whether every rank writes its own documents.
    pub(crate) sharded: bool,
    /// What an interrupted run can go on from.
    pub(crate) checkpoint: Option<PathBuf>,
}

/// Tables of more classes or topics than this are left to the CSV file.
const WIDEST_PRINTED: usize = 20;

impl FoundTopics {
    /// Keeps of the corpus what the files need.
    ///
    /// # Panics
    /// If it is no corpus of words.
    pub(crate) fn new(
        corpus: Corpus,
        found: Topics,
        report: TopicsReport,
        parameters: TopicsParameters,
    ) -> Self {
        let Corpus { matrix, names, rows, .. } = corpus;
        let ColumnNames::Words(vectorizer) = names else { panic!("topics are made of words") };
        let own_entries = matrix.columns().n_entries();
        let style = RowStyle::default();
        Self {
            rows,
            vectorizer,
            own_entries,
            found,
            report,
            parameters,
            style,
            parquet: false,
            details: false,
            period: None,
            page: Vec::new(),
        }
    }

    /// With a page and pictures.
    pub(crate) fn page(self, page: Vec<(String, Vec<u8>)>) -> Self {
        Self { page, ..self }
    }

    /// With CSV files written in this way.
    pub(crate) fn style(self, style: RowStyle, parquet: bool) -> Self {
        Self { style, parquet, ..self }
    }

    /// With what speaks for each topic told, or not.
    pub(crate) fn details(self, details: bool) -> Self {
        Self { details, ..self }
    }

    /// With periods of this length, if there are any.
    fn periods_of(self, period: Option<Period>) -> Self {
        Self { period, ..self }
    }

    /// Writes the files, prints the answer, and says how the run ended; collective. `reading` is the
    /// traffic of reading.
    pub(crate) fn finish(
        mut self,
        comm: &Counted<'_>,
        mut session: Session,
        output: Option<Output>,
        reading: u64,
    ) -> anyhow::Result<Outcome> {
        let stopped = self.found.run.termination == Termination::Stopped || interrupt::requested();
        let stopped = anywhere(comm, stopped)?;
        let written = match output {
            Some(output) => session.stage("write", || self.write(comm, output, stopped)).map(Some),
            None => Ok(None),
        };
        self.report.ranks = rank_facts(comm, &session, self.own_entries, reading)?;
        let told = match comm.rank() {
            0 if session.json => session.print_answer(&self.report),
            0 => print(&session, &self.report, self.details),
            _ => Ok(()),
        };
        // What could not be written is told all the same.
        let written = together(comm, written)?;
        together(comm, told)?;
        if !self.page.is_empty() {
            page::tell_time(&session);
        }
        Ok(session.conclude(written, stopped))
    }

    fn write(
        &self,
        comm: &dyn Communicator,
        output: Output,
        stopped: bool,
    ) -> anyhow::Result<String> {
        if !stopped {
            return self.write_files(comm, output);
        }
        let (kept, checkpoint) = (output.folder.path().to_owned(), output.checkpoint.clone());
        let folder = output.folder.into_partial(comm)?;
        let written = self.write_files(comm, Output { folder, ..output })?;
        Ok(resumable(&written, &kept, checkpoint.as_deref()))
    }

    fn write_files(&self, comm: &dyn Communicator, output: Output) -> anyhow::Result<String> {
        let Output { mut folder, origin, sharded, .. } = output;
        let small = if comm.rank() == 0 { self.write_small(&mut folder) } else { Ok(()) };
        together(comm, small)?;
        let (vectorizer, parameters) = (&self.vectorizer, &self.parameters);
        if sharded {
            let own = xray_pipeline::together(comm, self.write_own(comm, &mut folder))?;
            let model = self.found.to_model_without_w(vectorizer, parameters, origin.clone())?;
            let model = (comm.rank() == 0).then_some(model);
            xray_pipeline::together(comm, self.write_rest(&mut folder, model))?;
            let head = ManifestHead::of_topics(&self.report, parameters, origin);
            return Ok(folder.commit(comm, Some((head, own)))?);
        }
        self.write_documents(comm, &mut folder)?;
        let model = self.found.to_model(comm, &self.rows, vectorizer, parameters, origin)?;
        xray_pipeline::together(comm, self.write_rest(&mut folder, model))?;
        Ok(folder.commit(comm, None)?)
    }

    fn write_small(&self, folder: &mut Folder) -> anyhow::Result<()> {
        let report = &self.report;
        folder.write("topics.csv", |out| {
            out.write_all(topics_csv(report, self.style.cells).as_bytes())
        })?;
        folder.write("topics.json", |out| out.write_all(json(report).as_bytes()))?;
        for (name, bytes) in &self.page {
            folder.write(name, |out| out.write_all(bytes))?;
        }
        more::write(report, folder, self.style.cells)?;
        over_time::write_picture(report, self.period, folder)
    }

    /// What comes after the documents, on the rank that has a model.
    fn write_rest(&self, folder: &mut Folder, model: Option<Model>) -> xray_pipeline::Result<()> {
        let Some(model) = model else { return Ok(()) };
        if let Some(agreement) = &self.report.agreement {
            let table = contingency_csv(&agreement.contingency, self.style.cells);
            folder.write("contingency.csv", |out| out.write_all(table.as_bytes()))?;
        }
        write_model(folder, Some(model))
    }

    /// All documents in one file, which rank 0 writes as they arrive; collective.
    fn write_documents(
        &self,
        comm: &dyn Communicator,
        folder: &mut Folder,
    ) -> xray_pipeline::Result<()> {
        let (rows, rank) = (&self.rows, self.found.rank());
        let mut open = || -> xray_pipeline::Result<Option<DocumentsFile>> {
            if comm.rank() > 0 {
                return Ok(None);
            }
            DocumentsFile::create(folder, self.parquet, rows, &self.found.documents, self.style)
                .map(Some)
        };
        let mut file = xray_pipeline::together(comm, open())?;
        self.found.documents.for_each_block(comm, rows, |block| match &mut file {
            Some(file) => file.write(&weight_rows(block, rank, self.style)),
            None => Ok(()),
        })?;
        let added = file.map_or(Ok(()), |file| folder.add(file.finish()?));
        xray_pipeline::together(comm, added)
    }

    /// The own documents and their weights, in files of this rank.
    fn write_own(
        &self,
        comm: &dyn Communicator,
        folder: &mut Folder,
    ) -> xray_pipeline::Result<Vec<ShardFile>> {
        let (documents, rows) = (&self.found.documents, &self.rows);
        let shard =
            |part| ShardFile::new(part, comm.rank(), comm.size(), own_ranges(documents), None);
        let lines = folder.write_shard(shard(Part::Documents), |out| {
            out.write_all(&header(rows, documents, self.style))?;
            let mut blocks = documents.own_blocks(rows);
            blocks.try_for_each(|block| {
                weight_rows(&block, documents.rank, self.style).write_lines(out)
            })
        })?;
        let weights = write_w_shard(folder, shard(Part::W), documents)?;
        Ok(vec![lines, weights])
    }
}

/// Prints the topics, for people.
fn print(session: &Session, report: &TopicsReport, details: bool) -> anyhow::Result<()> {
    let documents = counted(report.documents as u64, "document", "documents");
    let words = counted(report.vocabulary as u64, "word", "words");
    let (topics, time) = (counted_topics(report.rank), number::duration(session.elapsed()));
    session.note(format!("{documents}, {words}, {topics} in {time}\n"));
    session.print_table(&topics_table(report))?;
    if details {
        session.print_line("")?;
        session.print_table(&evidence_table(report))?;
        session.print_line("")?;
        session.print_table(&best_documents_table(report))?;
    }
    more::print(session, report)?;
    if report.topics.iter().any(|line| line.anchor_left) {
        session.note(format!(
            "\n{LEFT_MARK} this anchor has left its topic: it is heavier in another, or not among the first 20 words"
        ));
    }
    if report.termination == Termination::Exhausted && report.suggestion.is_none() {
        let (verb, topics) = (if report.rank == 1 { "s" } else { "" }, counted_topics(report.rank));
        session.note(format!("\n{topics} explain{verb} everything: no more were found"));
    }
    if report.silent > 0 {
        let (one, many) =
            ("document is in no topic: it has", "documents are in no topic: they have");
        let silent = counted(report.silent as u64, one, many);
        session.note(format!("\n{silent} none of the topics' words"));
    }
    if let Some(Suggestion { sentence, .. }) = &report.suggestion {
        session.note(format!("\n{sentence}; choose another number with -k"));
    }
    let Some(agreement) = &report.agreement else { return Ok(()) };
    let mut agrees = format!("\nagreement with the labels (NMI): {:.3}", agreement.nmi);
    if let Some(clusters) = report.nmi_clusters {
        agrees += &format!(" by heaviest topic, {clusters:.3} by cluster");
    }
    session.print_line(agrees)?;
    let table = &agreement.contingency;
    if table.labels.len() <= WIDEST_PRINTED && table.topics.len() <= WIDEST_PRINTED {
        session.print_line("")?;
        return session.print_table(&contingency_table(table));
    }
    session.note(format!(
        "the table of {} against {} is too large to print: contingency.csv has it",
        counted(table.labels.len() as u64, "label", "labels"),
        counted_topics(report.rank)
    ));
    Ok(())
}

fn counted_topics(rank: usize) -> String {
    counted(rank as u64, "topic", "topics")
}
