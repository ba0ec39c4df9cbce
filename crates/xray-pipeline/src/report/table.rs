//! Reports as tables for people.

use xray_report::{Cell, Column, Table};

use super::{ContingencyTable, FactorizeReport, RankReport, TopicsReport};

fn optional(value: Option<f64>, decimals: usize) -> Cell {
    value.map_or_else(Cell::missing, |value| Cell::fixed(value, decimals))
}

/// What follows an anchor that has left its topic.
pub const LEFT_MARK: &str = "*";

/// A row for each topic. Anchors that have left their topics are marked.
pub fn topics_table(report: &TopicsReport) -> Table {
    let mut table = Table::new([
        Column::right("topic"),
        Column::left("anchor").max_width(24),
        Column::right("share"),
        Column::right("margin"),
        Column::left("name").max_width(32),
        Column::left("words"),
    ]);
    for line in &report.topics {
        table.row([
            Cell::from(line.topic.to_string()),
            Cell::from(format!("{}{}", line.anchor, if line.anchor_left { LEFT_MARK } else { "" }))
                .bold(),
            Cell::percent(line.share, 1),
            optional(line.margin, 3),
            Cell::from(line.name.as_str()),
            Cell::from(line.words.join(", ")),
        ]);
    }
    table
}

/// A row for each label, a column for each topic.
pub fn contingency_table(contingency: &ContingencyTable) -> Table {
    let name = |topic: &Option<usize>| topic.map_or("none".to_owned(), |k| k.to_string());
    let topics = contingency.topics.iter().map(|topic| Column::right(name(topic)));
    let mut table = Table::new(std::iter::once(Column::left("label")).chain(topics));
    for (label, counts) in contingency.labels.iter().zip(&contingency.counts) {
        let counts = counts.iter().map(|n| Cell::from(n.to_string()));
        table.row(std::iter::once(Cell::from(label.as_str())).chain(counts));
    }
    table
}

/// A row for each anchor.
pub fn anchors_table(report: &FactorizeReport) -> Table {
    let mut table = Table::new([
        Column::right("order"),
        Column::right("column"),
        Column::left("name").max_width(30),
        Column::right("residual"),
        Column::right("margin"),
    ]);
    for (t, name) in report.anchor_names.iter().enumerate() {
        table.row([
            Cell::from((t + 1).to_string()),
            Cell::from(report.anchors[t].to_string()),
            Cell::from(name.as_str()).bold(),
            Cell::fixed(report.residual_norm[t], 5),
            optional(report.margin[t], 4),
        ]);
    }
    table
}

/// A row for each rank; the suggested one is marked.
pub fn ranks_table(report: &RankReport) -> Table {
    let mut table = Table::new([
        Column::right("rank"),
        Column::left("anchor").max_width(24),
        Column::right("residual"),
        Column::right("unseen"),
        Column::right("stability"),
        Column::right("NPMI"),
        Column::right("UMass"),
        Column::left(""),
    ]);
    for line in &report.ranks {
        let mark = if report.suggested_rank == Some(line.rank) { "<- suggested" } else { "" };
        table.row([
            Cell::from(line.rank.to_string()),
            Cell::from(line.anchor_name.as_str()).bold(),
            Cell::fixed(line.residual_norm, 4),
            optional(line.unseen, 4),
            optional(line.stability, 3),
            optional(line.npmi, 3),
            optional(line.umass, 3),
            Cell::from(mark),
        ]);
    }
    table
}
