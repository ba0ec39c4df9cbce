//! What `topics` tells beyond the topics: other numbers of them, classes, and time.

use std::io::Write;

use xray_data::{Cells, csv_text};
use xray_nmf::comm::{Collectives, Communicator};
#[cfg(feature = "pictures")]
use xray_pipeline::GroupShares;
use xray_pipeline::report::{
    TopicsReport, flows_csv, groups_csv, groups_table, levels_csv, levels_table,
};
use xray_pipeline::{Content, Day, Folder, Period, TopicOptions, level_ranks};
use xray_report::{Cell, Column, Table};
#[cfg(feature = "pictures")]
use xray_report::{Chart, Panel, Series};

use super::WIDEST_PRINTED;
use crate::agree::together;
use crate::args::{InputArgs, TopicsArgs};
use crate::data::about;
use crate::outcome::UsageError;
use crate::session::Session;

/// With levels and no number of topics, the largest level is the answer.
pub(super) fn with_levels(
    args: &TopicsArgs,
    options: TopicOptions,
) -> anyhow::Result<(TopicOptions, Vec<usize>)> {
    if args.levels.is_empty() {
        return Ok((options, Vec::new()));
    }
    if options.fast {
        let message =
            "--levels says which numbers of topics: leave out -k fast, or give -k a number";
        return Err(UsageError(message.into()).into());
    }
    let ranks = level_ranks(&args.levels, options.rank, options.anchors.len())?;
    let rank = options.rank.or(ranks.last().copied());
    Ok((TopicOptions { rank, ..options }, ranks))
}

/// The period of each own document, if times were asked for; collective. The column is read by itself.
pub(super) fn read_periods(
    comm: &dyn Communicator,
    session: &mut Session,
    args: &TopicsArgs,
) -> anyhow::Result<Option<Vec<String>>> {
    let Some(column) = &args.time else { return Ok(None) };
    if args.input.data.iter().any(|path| path.as_os_str() == "-") {
        let message =
            "--time reads the data a second time, and standard input cannot be: give a file";
        return together(comm, Err(UsageError(message.into()).into()));
    }
    let input = InputArgs { text: vec![column.clone()], labels: None, ..args.input.clone() };
    let inputs = together(comm, input.inputs())?;
    let content =
        session.stage("read", || xray_pipeline::read(comm, &inputs, &input.load_options()));
    let content = about(&args.input, content.map_err(Into::into))?;
    let Content::Documents(times) = content else {
        let message = "--time names a column of texts with dates, and this is a matrix";
        return together(comm, Err(UsageError(message.into()).into()));
    };
    let days: Vec<Option<Day>> = times.own.texts.iter().map(|text| Day::parse(text)).collect();
    let unknown = comm.total(days.iter().filter(|day| day.is_none()).count())?;
    if unknown == times.n_documents {
        let example = times.own.texts.first().cloned().unwrap_or_default();
        let message = format!(
            "--time {column}: no document has a date there that can be read (such as {example:?}); dates look like \
             2024-03-05, 5 March 2024, 3/5/2024 or 2024"
        );
        return together(comm, Err(UsageError(message).into()));
    }
    if unknown > 0 {
        session.warn(format!("{unknown} documents have no date in {column:?} that can be read"));
    }
    let period = match args.period {
        Some(period) => period,
        None => fitting_period(comm, &days)?,
    };
    let name = |day: &Option<Day>| day.map_or(String::new(), |day| period.of(day));
    Ok(Some(days.iter().map(name).collect()))
}

/// The period that suits all days of all ranks.
fn fitting_period(comm: &dyn Communicator, days: &[Option<Day>]) -> anyhow::Result<Period> {
    let names = |day: Option<&Day>| day.map_or(String::new(), Day::to_string).into_bytes();
    let own = [days.iter().flatten().min(), days.iter().flatten().max()];
    let all = comm.gather(&own.map(names).concat())?;
    let text = String::from_utf8_lossy(&all).into_owned();
    let ends: Vec<Day> = text
        .as_bytes()
        .chunks(10)
        .filter_map(|day| Day::parse(str::from_utf8(day).ok()?))
        .collect();
    let ends = (ends.iter().min(), ends.iter().max());
    Ok(match ends {
        (Some(&first), Some(&last)) => Period::for_span(first, last),
        _ => Period::Day,
    })
}

/// Writes the files of what was asked for.
pub(super) fn write(
    report: &TopicsReport,
    folder: &mut Folder,
    cells: Cells,
) -> anyhow::Result<()> {
    let mut file =
        |name: &str, text: String| folder.write(name, |out| out.write_all(text.as_bytes()));
    if let Some(classes) = &report.classes {
        file("classes.csv", groups_csv(classes, "label", cells))?;
    }
    if let Some(periods) = &report.periods {
        file("periods.csv", groups_csv(periods, "period", cells))?;
    }
    if !report.levels.is_empty() {
        file("levels.csv", levels_csv(&report.levels, cells))?;
        file("flows.csv", flows_csv(&report.levels))?;
    }
    if !report.nearest.is_empty() {
        file("nearest.csv", csv_text(cells, nearest_table(report).records()))?;
    }
    #[cfg(feature = "pictures")]
    if let Some(periods) = &report.periods {
        crate::cmd::write_picture(folder, "periods", &chart(report, periods))?;
    }
    Ok(())
}

/// A row for each neighbour.
fn nearest_table(report: &TopicsReport) -> Table {
    let mut table = Table::new([
        Column::left("document"),
        Column::left("neighbour"),
        Column::right("similarity"),
    ]);
    for nearest in &report.nearest {
        for near in &nearest.neighbours {
            let similarity = Cell::fixed(near.similarity, 4);
            table.row([nearest.id.as_str().into(), near.id.as_str().into(), similarity]);
        }
    }
    table
}

/// Topics whose lines can still be told apart.
#[cfg(feature = "pictures")]
const MOST_LINES: usize = 8;

/// The shares of the largest topics over time.
#[cfg(feature = "pictures")]
fn chart(report: &TopicsReport, periods: &GroupShares) -> Chart {
    let mut largest: Vec<usize> = (0..report.topics.len()).collect();
    largest.sort_by(|&a, &b| {
        report.topics[b].share.total_cmp(&report.topics[a].share).then(a.cmp(&b))
    });
    largest.truncate(MOST_LINES);
    // Periods whose documents have no topic say nothing.
    let filled = periods.groups.iter().zip(&periods.shares).enumerate();
    let filled = filled.filter(|(_, (_, shares))| shares.iter().any(|share| *share > 0.0));
    let filled: Vec<(usize, &String, &Vec<f64>)> =
        filled.map(|(t, (name, shares))| (t, name, shares)).collect();
    let years = |name: &str| Day::parse(name).map_or(0.0, Day::in_years);
    let (first, last) = match (filled.first(), filled.last()) {
        (Some((_, first, _)), Some((_, last, _))) => (first.as_str(), last.as_str()),
        _ => ("", ""),
    };
    let over_years = years(last) - years(first) > 3.0;
    let mut panel = Panel::new("share of the documents");
    for k in largest {
        let place = |t: usize, name: &str| if over_years { years(name) } else { t as f64 + 1.0 };
        let points = filled.iter().map(|(t, name, shares)| (place(*t, name), shares[k]));
        let points: Vec<(f64, f64)> = points.collect();
        panel = panel.series(Series::new(report.topics[k].name.clone(), points));
    }
    let label = match over_years {
        true => "year".to_owned(),
        false => format!("period, from {first} to {last}"),
    };
    Chart::new("Topics over time").x_label(label).panel(panel)
}

/// Prints what was asked for.
pub(super) fn print(session: &Session, report: &TopicsReport) -> anyhow::Result<()> {
    if !report.levels.is_empty() {
        session.print_line("")?;
        session.print_table(&levels_table(&report.levels))?;
    }
    if !report.nearest.is_empty() {
        session.print_line("")?;
        session.print_table(&nearest_table(report))?;
    }
    let Some(periods) = &report.periods else { return Ok(()) };
    if report.rank > WIDEST_PRINTED {
        session.note(
            "the shares of so many topics over time are too wide to print: periods.csv has them",
        );
        return Ok(());
    }
    session.print_line("\nshares of the topics over time")?;
    session.print_table(&groups_table(periods, "period"))
}
