//! `xray compare`: many methods on the same data.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::Serialize;
use xray_data::csv_text;
use xray_data::text::DocumentFrequency;
use xray_experiments::{
    CompareOptions, Comparison, Job, METHODS, MethodRuns, Run, compare, protocol,
};
use xray_nmf::comm::Communicator;
use xray_pipeline::{Corpus, Folder, Plan, Purpose, Work};
use xray_report::Page;

use crate::agree::together;
use crate::args::CompareArgs;
use crate::cmd::topics::page;
use crate::cmd::write_picture;
use crate::data::{about, find_column, read_weighed};
use crate::memory;
use crate::outcome::{Outcome, UsageError};
use crate::output::Guarded;
use crate::session::Session;

pub(crate) fn run(comm: &dyn Communicator, args: &CompareArgs) -> anyhow::Result<Outcome> {
    let mut session = Session::on(comm, &args.common);
    let guarded = Guarded::new(&args.input).and_words(&args.text);
    let guarded = guarded.and(args.true_anchors.iter().map(PathBuf::from));
    let folder = match &args.output {
        Some(path) => Some(guarded.open(comm, &session, path, Plan::new(Purpose::Comparison))?),
        None => None,
    };
    let mut corpus = read_weighed(comm, &mut session, &args.input, &args.text)?;
    let true_anchors = match &args.true_anchors {
        Some(list) => Some(together(comm, true_anchors(list, &corpus))?),
        None => None,
    };
    let refines = args.refine > 0;
    let work = Work { rank: args.rank, refines, weighs: true, ..Work::default() };
    let cache = memory::cache(comm, &session, &args.common, &corpus, &work);
    let memory = about(&args.input, cache)?;
    let options = CompareOptions { true_anchors, memory, ..options(args) };
    let found = compare(comm, &mut corpus, &options, &mut session);
    session.end();
    match found {
        Ok(found) => finish(comm, session, folder, &found, args),
        Err(error) => about(&args.input, Err(error)),
    }
}

/// Columns from a list, or from a file in which commas, blanks or line ends separate them.
fn true_anchors(list: &str, corpus: &Corpus) -> anyhow::Result<Vec<usize>> {
    let path = Path::new(list);
    let text = if path.is_file() {
        std::fs::read_to_string(path).with_context(|| format!("{list}: cannot read"))?
    } else {
        list.to_owned()
    };
    let words = text.split(|c: char| c == ',' || c.is_whitespace()).filter(|word| !word.is_empty());
    let anchors = words.map(|word| find_column(word, corpus));
    let anchors = anchors.collect::<anyhow::Result<Vec<usize>>>().context("--true-anchors")?;
    if anchors.is_empty() {
        return Err(UsageError(format!("--true-anchors {list}: no columns are listed")).into());
    }
    Ok(anchors)
}

fn options(args: &CompareArgs) -> CompareOptions {
    let seed = args.common.seed;
    CompareOptions {
        methods: if args.methods.is_empty() { METHODS.to_vec() } else { args.methods.clone() },
        job: Job { seed, epochs: args.epochs, iterations: args.iterations, ..Job::new(args.rank) },
        seeds: args.runs as usize,
        refine: args.refine,
        time_limit: args.time_limit,
        protocol: (!args.no_accuracy).then(|| protocol(seed)),
        true_anchors: None,
        anchor_min_df: args.anchor_min_df.unwrap_or(DocumentFrequency::Automatic),
        memory: None,
    }
}

fn finish(
    comm: &dyn Communicator,
    mut session: Session,
    folder: Option<Folder>,
    found: &Comparison,
    args: &CompareArgs,
) -> anyhow::Result<Outcome> {
    let written = match folder {
        Some(folder) => session.stage("write", || write(comm, folder, found, args)).map(Some),
        None => Ok(None),
    };
    let told = if comm.rank() == 0 { tell(&session, found) } else { Ok(()) };
    // What could not be written is told all the same.
    let written = together(comm, written)?;
    together(comm, told)?;
    if found.results.iter().all(|result| result.runs.is_err()) {
        together(comm, Err(anyhow::anyhow!("no method ran; see above why")))?;
    }
    Ok(session.conclude(written, false))
}

fn tell(session: &Session, found: &Comparison) -> anyhow::Result<()> {
    if session.json {
        session.print_answer(&Compared::new(found))?;
    } else {
        session.print_table(&found.table())?;
    }
    for (method, reason) in found.left_out() {
        session.note(format!("left out: {method}: {reason}"));
    }
    Ok(())
}

fn write(
    comm: &dyn Communicator,
    mut folder: Folder,
    found: &Comparison,
    args: &CompareArgs,
) -> anyhow::Result<String> {
    let mut files = || -> anyhow::Result<()> {
        if comm.rank() > 0 {
            return Ok(());
        }
        let csv = csv_text(args.csv.cells(), found.csv().records());
        folder.write("compare.csv", |out| out.write_all(csv.as_bytes()))?;
        if !args.no_report {
            let about = page::about(&args.input.name(), None);
            let page = Page::new(about, found.page(&args.input.stem())?).html();
            folder.write("compare.html", |out| out.write_all(page.as_bytes()))?;
        }
        write_picture(&mut folder, "compare", &found.picture(&args.input.stem()))
    };
    together(comm, files())?;
    Ok(folder.commit(comm, None)?)
}

/// What `--json` prints.
#[derive(Serialize)]
struct Compared<'a> {
    version: &'static str,
    rank: usize,
    methods: Vec<MethodLine<'a>>,
}

#[derive(Serialize)]
struct MethodLine<'a> {
    method: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    runs: Option<Vec<RunLine<'a>>>,
    /// Why it did not run.
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<&'a str>,
}

#[derive(Serialize)]
struct RunLine<'a> {
    seconds: f64,
    refined_seconds: f64,
    memory_bytes: Option<u64>,
    anchors: Option<&'a [usize]>,
    error: f64,
    refined_error: f64,
    recovery: Option<f64>,
    nmi: Option<f64>,
    nmi_clusters: Option<f64>,
    accuracy_anchors: Option<f64>,
    accuracy_weights: Option<f64>,
    npmi: Option<f64>,
}

impl<'a> Compared<'a> {
    fn new(found: &'a Comparison) -> Self {
        let line = |MethodRuns { method, runs }: &'a MethodRuns| MethodLine {
            method: method.name,
            runs: runs.as_ref().ok().map(|runs| runs.iter().map(RunLine::new).collect()),
            left_out: runs.as_ref().err().map(String::as_str),
        };
        let methods = found.results.iter().map(line).collect();
        Self { version: env!("CARGO_PKG_VERSION"), rank: found.rank, methods }
    }
}

impl<'a> RunLine<'a> {
    fn new(run: &'a Run) -> Self {
        Self {
            seconds: run.spent.time.as_secs_f64(),
            refined_seconds: run.refined_time.as_secs_f64(),
            memory_bytes: run.spent.memory,
            anchors: run.anchors.as_deref(),
            error: run.error,
            refined_error: run.refined_error,
            recovery: run.recovery,
            nmi: run.nmi,
            nmi_clusters: run.nmi_clusters,
            accuracy_anchors: run.anchor_accuracy,
            accuracy_weights: run.weight_accuracy,
            npmi: run.npmi,
        }
    }
}
