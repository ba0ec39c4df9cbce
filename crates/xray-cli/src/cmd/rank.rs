//! `xray rank`: every rank in one run, and which one to take.

use std::io::Write;

use xray_nmf::comm::Communicator;
use xray_nmf::{Selection, Termination};
#[cfg(feature = "pictures")]
use xray_pipeline::report::RankLine;
use xray_pipeline::report::{RankReport, ranks_csv, ranks_table};
use xray_pipeline::{Event, Folder, StudyOptions, Work, rank_study};
#[cfg(feature = "pictures")]
use xray_report::{Chart, Panel, Series};

use crate::agree::together;
use crate::args::RankArgs;
#[cfg(feature = "pictures")]
use crate::cmd::write_picture;
use crate::data::{about, read_weighed};
use crate::interrupt;
use crate::memory;
use crate::outcome::Outcome;
use crate::session::Session;

pub(crate) fn run(comm: &dyn Communicator, args: &RankArgs) -> anyhow::Result<Outcome> {
    let mut session = Session::on(comm, &args.common);
    let folder = match &args.output {
        Some(path) => Some(Folder::open(comm, path, false)?),
        None => None,
    };
    let corpus = read_weighed(comm, &mut session, &args.input, &args.text)?;
    let words = !corpus.matrix.is_dense();
    let rule = if words { Selection::Greedy } else { Selection::Max };
    let copied = if args.held_out > 0.0 { 1.0 } else { 0.0 };
    let work = Work { rank: args.max, refines: false, weighs: false, copied };
    let cache = memory::cache(comm, &session, &args.common, &corpus, &work);
    let options = StudyOptions {
        params: args.engine.params(args.max, rule, &args.common),
        memory: about(&args.input, cache)?,
        held_out: args.held_out,
        coherence_words: (words && args.words > 1).then_some(args.words),
    };
    let mut watch = |event: Event<'_>| session.watch(event);
    let study = rank_study(comm, &corpus, &options, &mut watch);
    session.end();
    let study = about(&args.input, study.map_err(anyhow::Error::from))?;
    let stopped = study.termination == Termination::Stopped || interrupt::requested();
    let report = RankReport::new(&study, |j| corpus.word(j).into_owned());
    let written = match folder {
        Some(folder) => Some(session.stage("write", || write(comm, &report, folder))?),
        None => None,
    };
    let told = if comm.rank() == 0 { tell(&session, &report) } else { Ok(()) };
    together(comm, told)?;
    Ok(session.conclude(written, stopped))
}

fn tell(session: &Session, report: &RankReport) -> anyhow::Result<()> {
    if session.json {
        return session.print_answer(report);
    }
    session.print_table(&ranks_table(report))?;
    match report.sentence() {
        Some(sentence) => session.print_line(format!("\n{sentence}")),
        None => Ok(()),
    }
}

fn write(
    comm: &dyn Communicator,
    report: &RankReport,
    mut folder: Folder,
) -> anyhow::Result<String> {
    let mut files = || -> anyhow::Result<()> {
        if comm.rank() > 0 {
            return Ok(());
        }
        folder.write("rank.csv", |out| out.write_all(ranks_csv(report).as_bytes()))?;
        #[cfg(feature = "pictures")]
        write_picture(&mut folder, "rank", &chart(report))?;
        Ok(())
    };
    together(comm, files())?;
    Ok(folder.commit(comm, None)?)
}

#[cfg(feature = "pictures")]
fn chart(report: &RankReport) -> Chart {
    let points = |value: fn(&RankLine) -> Option<f64>| -> Vec<(f64, f64)> {
        let ranks = report.ranks.iter();
        ranks.filter_map(|rank| Some((rank.rank as f64, value(rank)?))).collect()
    };
    let mut errors = Panel::new("left unexplained")
        .series(Series::new("all rows", points(|rank| Some(rank.residual_norm))));
    let held_out = points(|rank| rank.held_out);
    if !held_out.is_empty() {
        errors = errors.series(Series::new("held-out rows", held_out).dashed());
    }
    let mut chart = Chart::new("How many?").x_label("rank").panel(errors);
    let npmi = points(|rank| rank.npmi);
    if !npmi.is_empty() {
        let coherence = Series::new("coherence (NPMI)", npmi);
        chart = chart.panel(Panel::new("NPMI").series(coherence).height(0.6));
    }
    match report.suggested_rank {
        Some(rank) => chart.vertical(rank as f64, format!("suggested rank {rank}")),
        None => chart,
    }
}
