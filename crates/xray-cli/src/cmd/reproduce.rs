//! `xray reproduce`: the figures and tables of the paper.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde::Serialize;
use xray_experiments::{CountedSet, EXPERIMENTS, Experiment, Page, Settings, join, write_file};
use xray_nmf::comm::OneRank;
use xray_pipeline::{Folder, Plan, Purpose};
use xray_report::number;

use crate::args::ReproduceArgs;
use crate::cmd::demo;
use crate::outcome::Outcome;
use crate::session::Session;

/// What one experiment wrote.
struct Done {
    page: Page,
    files: Vec<String>,
    time: Duration,
}

pub(crate) fn run(args: &ReproduceArgs) -> anyhow::Result<Outcome> {
    let mut session = Session::new(&args.common);
    // Tried first; each page opens it again.
    drop(Folder::open(&OneRank, &args.output, Plan::new(Purpose::Pages))?);
    let settings = Settings {
        quick: args.quick,
        data: args.data.clone().or_else(|| std::env::var_os("XRAY_DATA").map(PathBuf::from)),
        demo: CountedSet::from_corpus("demo", demo::counts()?)?,
        seed: args.common.seed,
    };
    let (mut done, mut failed) = (Vec::new(), Vec::new());
    for experiment in wanted(args) {
        match reproduce(&mut session, args, experiment, &settings) {
            Ok(finished) => done.push(finished),
            // The others may still tell something.
            Err(error) => {
                session.warn(format!("{} failed: {error:#}", experiment.name));
                failed.push((experiment.name, error));
            }
        }
    }
    finish(session, args, done, failed)
}

/// The experiments that were asked for, in the paper's order.
fn wanted(args: &ReproduceArgs) -> impl Iterator<Item = &'static Experiment> {
    let named = |name: &str| args.experiments.iter().any(|wanted| wanted == name);
    EXPERIMENTS.iter().filter(move |experiment| named("all") || named(experiment.name))
}

fn reproduce(
    session: &mut Session,
    args: &ReproduceArgs,
    experiment: &Experiment,
    settings: &Settings,
) -> anyhow::Result<Done> {
    let start = Instant::now();
    let page = (experiment.run)(settings, session);
    session.end();
    let page = page?;
    let files = page.write(&args.output)?;
    let time = start.elapsed();
    let path = args.output.join(format!("{}.md", page.name()));
    session.note(format!(
        "{:<10}{:>10}   {}",
        experiment.name,
        number::duration(time),
        path.display()
    ));
    Ok(Done { page, files, time })
}

fn finish(
    session: Session,
    args: &ReproduceArgs,
    done: Vec<Done>,
    failed: Vec<(&'static str, anyhow::Error)>,
) -> anyhow::Result<Outcome> {
    let complete = args.experiments.iter().any(|name| name == "all") && failed.is_empty();
    if session.json {
        session.print_answer(&Reproduced::new(&done, &failed))?;
    }
    let pages: Vec<Page> = done.into_iter().map(|done| done.page).collect();
    let written = summarize(args, &pages, complete)?;
    match failed.into_iter().next() {
        Some((name, error)) => Err(error.context(name)),
        None => Ok(session.conclude(written, false)),
    }
}

/// Writes all pages in one, or puts those that are new in their places there.
fn summarize(
    args: &ReproduceArgs,
    pages: &[Page],
    complete: bool,
) -> anyhow::Result<Option<String>> {
    let path = args.output.with_extension("md");
    let folder = args.output.file_name().map(|name| format!("{}/", name.to_string_lossy()));
    let folder = folder.unwrap_or_default();
    if complete {
        write_file(&path, join(pages, &folder).as_bytes())?;
        return Ok(Some(format!("wrote {}, all pages in one", path.display())));
    }
    // Quick figures must not take the place of others.
    let before = if args.quick { None } else { std::fs::read_to_string(&path).ok() };
    let replaced = |text: &String, page: &Page| page.replaced_in(text, &folder);
    let after = before.as_ref().map(|before| {
        pages.iter().fold(before.clone(), |text, page| replaced(&text, page).unwrap_or(text))
    });
    match after.filter(|after| Some(after) != before.as_ref()) {
        Some(text) => {
            write_file(&path, text.as_bytes())?;
            Ok(Some(format!("renewed these pages in {}", path.display())))
        }
        None => Ok(None),
    }
}

/// What `--json` prints.
#[derive(Serialize)]
struct Reproduced {
    version: &'static str,
    experiments: Vec<ExperimentLine>,
}

/// How an experiment ended.
#[derive(Serialize)]
#[serde(untagged)]
enum ExperimentLine {
    Done { experiment: String, files: Vec<String>, seconds: f64 },
    Failed { experiment: &'static str, error: String },
}

impl Reproduced {
    fn new(done: &[Done], failed: &[(&'static str, anyhow::Error)]) -> Self {
        let done = done.iter().map(|done| ExperimentLine::Done {
            experiment: done.page.name().to_owned(),
            files: done.files.clone(),
            seconds: done.time.as_secs_f64(),
        });
        let failed = failed.iter();
        let failed = failed.map(|&(experiment, ref error)| ExperimentLine::Failed {
            experiment,
            error: format!("{error:#}"),
        });
        Self { version: env!("CARGO_PKG_VERSION"), experiments: done.chain(failed).collect() }
    }
}
