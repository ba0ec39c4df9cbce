//! `xray compare`: many methods on the same data.

use std::io::Write;
use std::path::Path;

use anyhow::Context;
use serde::Serialize;
use xray_data::csv_text;
use xray_experiments::{
    CompareOptions, Comparison, DataSet, Fate, Interrupted, Job, METHODS, Run, compare, protocol,
};
use xray_nmf::comm::OneRank;
use xray_pipeline::measure::Labelling;
use xray_pipeline::{Corpus, Folder};
use xray_report::Picture;

use crate::args::CompareArgs;
use crate::data::{find_column, read_weighed};
use crate::outcome::{Outcome, UsageError};
use crate::session::Session;

pub(crate) fn run(args: &CompareArgs) -> anyhow::Result<Outcome> {
    let mut session = Session::new(&args.common);
    let folder =
        args.output.as_ref().map(|path| Folder::open(&OneRank, path, false)).transpose()?;
    let corpus = read_weighed(&OneRank, &mut session, &args.input, &args.text)?;
    let data = data_set(args, corpus)?;
    let found = compare(&data, &options(args), &mut session);
    session.end();
    match found {
        Ok(found) => finish(session, folder, &found),
        Err(error) if error.is::<Interrupted>() => Ok(session.conclude(None, true)),
        Err(error) => Err(error),
    }
}

fn data_set(args: &CompareArgs, corpus: Corpus) -> anyhow::Result<DataSet> {
    let anchors = args.true_anchors.as_deref().map(|list| true_anchors(list, &corpus));
    let words = corpus.words().into_owned();
    let (matrix, labels) = (corpus.matrix.into_columns(), corpus.rows.labels);
    if let Some(d) = labels.as_ref().and_then(|labels| labels.iter().position(String::is_empty)) {
        let message = format!(
            "row {} has no class, and methods are compared by classes; leave --labels out or complete them",
            d + 1
        );
        return Err(anyhow::anyhow!(message).context(args.input.name()));
    }
    Ok(DataSet {
        name: args.input.stem(),
        matrix,
        words,
        labels: labels.map(|labels| Labelling::from_names(&labels)),
        anchors: anchors.transpose()?,
    })
}

/// Columns from a list, or from a file in which commas, blanks or line ends separate them.
fn true_anchors(list: &str, corpus: &Corpus) -> anyhow::Result<Vec<usize>> {
    let path = Path::new(list);
    let text = match path.is_file() {
        true => std::fs::read_to_string(path).with_context(|| format!("{list}: cannot read"))?,
        false => list.to_owned(),
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
        job: Job { rank: args.rank, seed, epochs: args.epochs, iterations: args.iterations },
        seeds: args.runs as usize,
        refine: args.refine,
        time_limit: args.time_limit,
        protocol: (!args.no_accuracy).then(|| protocol(seed)),
    }
}

fn finish(
    mut session: Session,
    folder: Option<Folder>,
    found: &Comparison,
) -> anyhow::Result<Outcome> {
    let written = match folder {
        Some(folder) => Some(session.stage("write", || write(folder, found))?),
        None => None,
    };
    if session.json {
        session.print_answer(&Compared::new(found))?;
    } else {
        session.print_table(&found.table())?;
    }
    for (method, reason) in found.left_out() {
        session.note(format!("left out: {method}: {reason}"));
    }
    if found.results.iter().all(|(_, fate)| matches!(fate, Fate::LeftOut(_))) {
        return Err(anyhow::anyhow!("no method ran; see above why"));
    }
    Ok(session.conclude(written, false))
}

fn write(mut folder: Folder, found: &Comparison) -> anyhow::Result<String> {
    folder.write("compare.csv", |out| out.write_all(csv_text(found.csv().records()).as_bytes()))?;
    let picture = found.picture();
    folder.write("compare.svg", |out| out.write_all(picture.svg().as_bytes()))?;
    let png = picture.png(2.0)?;
    folder.write("compare.png", |out| out.write_all(&png))?;
    Ok(folder.commit(&OneRank, None)?)
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
    memory_bytes: Option<u64>,
    anchors: Option<&'a [usize]>,
    error: f64,
    refined_error: f64,
    recovery: Option<f64>,
    nmi: Option<f64>,
    accuracy_anchors: Option<f64>,
    accuracy_weights: Option<f64>,
    npmi: Option<f64>,
}

impl<'a> Compared<'a> {
    fn new(found: &'a Comparison) -> Self {
        let methods = found.results.iter().map(|(method, fate)| match fate {
            Fate::Ran(runs) => {
                let runs = Some(runs.iter().map(RunLine::new).collect());
                MethodLine { method: method.name, runs, left_out: None }
            }
            Fate::LeftOut(reason) => {
                MethodLine { method: method.name, runs: None, left_out: Some(reason) }
            }
        });
        let methods = methods.collect();
        Self { version: env!("CARGO_PKG_VERSION"), rank: found.rank, methods }
    }
}

impl<'a> RunLine<'a> {
    fn new(run: &'a Run) -> Self {
        Self {
            seconds: run.spent.time.as_secs_f64(),
            memory_bytes: run.spent.memory,
            anchors: run.anchors.as_deref(),
            error: run.error,
            refined_error: run.refined_error,
            recovery: run.recovery,
            nmi: run.nmi,
            accuracy_anchors: run.anchor_accuracy,
            accuracy_weights: run.weight_accuracy,
            npmi: run.npmi,
        }
    }
}
