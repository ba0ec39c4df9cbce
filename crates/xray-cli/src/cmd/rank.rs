//! `xray rank`: every rank in one run, and which one to take.

mod page;

use std::io::Write;

use xray_data::Cells;
use xray_nmf::comm::Communicator;
use xray_nmf::{Params, Refinement, Termination};
#[cfg(feature = "pictures")]
use xray_pipeline::report::RankLine;
use xray_pipeline::report::{RankReport, ranks_csv, ranks_table};
use xray_pipeline::{
    Folder, Frequent, NumberOptions, Plan, Purpose, StudyOptions, Work, rank_study,
};
#[cfg(feature = "pictures")]
use xray_report::{Chart, Panel, Series};

use crate::agree::{anywhere, together};
use crate::args::RankArgs;
#[cfg(feature = "pictures")]
use crate::cmd::write_picture;
use crate::data::{about, read_weighed, tell_frequent};
use crate::interrupt;
use crate::memory;
use crate::outcome::Outcome;
use crate::output::{Guarded, partial};
use crate::session::Session;

pub(crate) fn run(comm: &dyn Communicator, args: &RankArgs) -> anyhow::Result<Outcome> {
    let mut session = Session::on(comm, &args.common);
    let guarded = Guarded::new(&args.input).and_words(&args.text);
    let guarded = guarded.and(args.engine.row_weights.clone());
    let folder = match &args.output {
        Some(path) => Some(guarded.open(comm, &session, path, Plan::new(Purpose::Ranks))?),
        None => None,
    };
    let mut corpus = read_weighed(comm, &mut session, &args.input, &args.text)?;
    let words = !corpus.matrix.is_dense();
    let rule = corpus.matrix.suited_rule();
    let copied = if args.fast { 0.0 } else { NumberOptions::copies(corpus.matrix.n_entries()) };
    let work = Work { rank: args.max, copied, ..args.engine.work() };
    let cache = memory::cache(comm, &session, &args.common, &corpus, &work);
    let params = together(comm, args.engine.params(args.max, rule, &args.common))?;
    let asked = args.engine.anchor_min_df();
    let frequent = Frequent::of(comm, &corpus, asked, Some(params.selection))?;
    tell_frequent(&session, frequent.as_ref().map(|frequent| frequent.least));
    let options = StudyOptions {
        params: Params { candidates: frequent.map(|frequent| frequent.columns), ..params },
        memory: about(&args.input, cache)?,
        number: (!args.fast).then_some(Refinement::Auto),
        coherence_words: (words && args.words > 1).then_some(args.words),
    };
    let study = rank_study(comm, &corpus, &options, &mut session.progress());
    session.end();
    let study = about(&args.input, study.map_err(anyhow::Error::from))?;
    let stopped = study.termination == Termination::Stopped || interrupt::requested();
    let stopped = anywhere(comm, stopped)?;
    let report = RankReport::new(&study, |j| corpus.word(j).into_owned());
    let page = match folder.is_some() && !args.no_report && !stopped {
        true => Some(page::html(comm, &mut session, &mut corpus, &options, (&report, args))?),
        false => None,
    };
    let written = match folder {
        Some(folder) => {
            let told = (&report, page.as_deref(), args.csv.cells());
            session.stage("write", || write(comm, told, folder, stopped)).map(Some)
        }
        None => Ok(None),
    };
    let told = if comm.rank() == 0 { tell(&session, &report) } else { Ok(()) };
    // What could not be written is told all the same.
    let written = together(comm, written)?;
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
    (report, page, cells): (&RankReport, Option<&str>, Cells),
    folder: Folder,
    stopped: bool,
) -> anyhow::Result<String> {
    let kept = folder.path().to_owned();
    let mut folder = if stopped { folder.into_partial(comm)? } else { folder };
    let mut files = || -> anyhow::Result<()> {
        if comm.rank() > 0 {
            return Ok(());
        }
        folder.write("rank.csv", |out| out.write_all(ranks_csv(report, cells).as_bytes()))?;
        if let Some(page) = page {
            folder.write("rank.html", |out| out.write_all(page.as_bytes()))?;
        }
        #[cfg(feature = "pictures")]
        write_picture(&mut folder, "rank", &chart(report))?;
        Ok(())
    };
    together(comm, files())?;
    let written = folder.commit(comm, None)?;
    Ok(if stopped { partial(&written, &kept) } else { written })
}

#[cfg(feature = "pictures")]
fn chart(report: &RankReport) -> Chart {
    let points = |value: fn(&RankLine) -> Option<f64>| -> Vec<(f64, f64)> {
        let ranks = report.ranks.iter();
        ranks.filter_map(|rank| Some((rank.rank as f64, value(rank)?))).collect()
    };
    let mut errors = Panel::new("left unexplained")
        .series(Series::new("all rows", points(|rank| Some(rank.residual_norm))));
    let unseen = points(|rank| rank.unseen);
    if !unseen.is_empty() {
        errors = errors.series(Series::new("unseen entries", unseen).dashed());
    }
    let mut chart = Chart::new("How many?").x_label("rank").panel(errors);
    let stability = points(|rank| rank.stability);
    if !stability.is_empty() {
        let stability = Series::new("agreement of two halves (AMI)", stability);
        chart = chart.panel(Panel::new("stability").series(stability).height(0.6));
    }
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
