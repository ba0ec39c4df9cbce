//! `xray rank`: every rank in one run, and which one to take.

use xray_nmf::comm::Communicator;
use xray_nmf::{Selection, Termination};
use xray_pipeline::report::{RankLine, RankReport, ranks_csv, ranks_table};
use xray_pipeline::{Event, StudyOptions, rank_study};
use xray_report::{Chart, Panel, Picture, Series};

use crate::agree::together;
use crate::args::RankArgs;
use crate::data::{about, read_weighed};
use crate::interrupt;
use crate::outcome::Outcome;
use crate::output::Folder;
use crate::session::Session;

pub(crate) fn run(comm: &dyn Communicator, args: &RankArgs) -> anyhow::Result<Outcome> {
    let mut session = Session::on(comm, &args.common)?;
    let corpus = read_weighed(comm, &mut session, &args.input, &args.text)?;
    let words = !corpus.matrix.is_dense();
    let rule = if words { Selection::Greedy } else { Selection::Max };
    let options = StudyOptions {
        params: args.engine.params(args.max, rule, &args.common),
        held_out: args.held_out,
        coherence_words: (words && args.words > 1).then_some(args.words),
    };
    let mut watch = |event: Event<'_>| session.watch(event);
    let study = rank_study(comm, &corpus, &options, &mut watch);
    session.end();
    let study = about(&args.input, study.map_err(anyhow::Error::from))?;
    let stopped = study.termination == Termination::Stopped || interrupt::requested();
    let report = RankReport::new(&study, |j| corpus.word(j).into_owned());
    let finished = if comm.rank() == 0 { finish(&mut session, args, &report) } else { Ok(None) };
    let written = together(comm, finished)?;
    Ok(session.conclude(written, stopped))
}

/// Writes the files and prints the answer.
fn finish(
    session: &mut Session,
    args: &RankArgs,
    report: &RankReport,
) -> anyhow::Result<Option<String>> {
    let written = match &args.output {
        Some(folder) => Some(session.stage("write", || write(report, folder))?),
        None => None,
    };
    if session.json {
        session.print_answer(report)?;
    } else {
        session.print_table(&ranks_table(report))?;
        if let Some(sentence) = report.sentence() {
            session.print_line(format!("\n{sentence}"))?;
        }
    }
    Ok(written)
}

fn write(report: &RankReport, folder: &std::path::Path) -> anyhow::Result<String> {
    let mut folder = Folder::create(folder)?;
    folder.write("rank.csv", ranks_csv(report).as_bytes())?;
    let chart = chart(report);
    folder.write("rank.svg", chart.svg().as_bytes())?;
    folder.write("rank.png", &chart.png(2.0)?)?;
    Ok(folder.summary())
}

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
