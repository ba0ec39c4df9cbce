//! What `topics` tells beyond the topics: other numbers of them, classes, and time.

use std::io::Write;

use xray_data::{Cells, csv_text};
use xray_pipeline::report::{
    TopicsReport, flows_csv, groups_csv, groups_table, levels_csv, levels_table,
};
use xray_pipeline::{Folder, TopicOptions, level_ranks};
use xray_report::{Cell, Column, Table};

use super::WIDEST_PRINTED;
use crate::args::TopicsArgs;
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
