//! Shares of topics in classes and periods, in words.

use xray_data::{Cells, csv_text};
use xray_report::{Cell, Column, Table};

use crate::groups::GroupShares;

/// A row for each group, a column for each topic.
pub fn groups_table(groups: &GroupShares, kind: &str) -> Table {
    let rank = groups.shares.first().map_or(0, Vec::len);
    let columns = [Column::left(kind).max_width(30), Column::right("documents")];
    let topics = (1..=rank).map(|k| Column::right(k.to_string()));
    let mut table = Table::new(columns.into_iter().chain(topics));
    for (group, (&documents, shares)) in rows(groups) {
        let cells = [Cell::from(group.as_str()), Cell::count(documents as u64)];
        let shares = shares.iter().map(|&share| Cell::percent(share, 1));
        table.row(cells.into_iter().chain(shares));
    }
    table
}

/// A row for each group, a column for each topic, with all digits.
pub fn groups_csv(groups: &GroupShares, kind: &str, cells: Cells) -> String {
    let rank = groups.shares.first().map_or(0, Vec::len);
    let headers = [kind.to_owned(), "documents".to_owned()];
    let topics = (1..=rank).map(|k| format!("topic_{k}"));
    let mut table = Table::new(headers.into_iter().chain(topics).map(Column::left));
    for (group, (documents, shares)) in rows(groups) {
        let start = [group.clone(), documents.to_string()];
        table.row(start.into_iter().chain(shares.iter().map(f64::to_string)));
    }
    csv_text(cells, table.records())
}

fn rows(groups: &GroupShares) -> impl Iterator<Item = (&String, (&usize, &Vec<f64>))> {
    groups.groups.iter().zip(groups.documents.iter().zip(&groups.shares))
}
