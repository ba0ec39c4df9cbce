//! Tables as aligned lines of text.

use super::width::{elide, one_line, width};
use super::{Align, Column, Emphasis, Table};

/// Between columns.
const GAP: &str = "  ";
/// Text columns keep this many places while others are wider.
const READABLE: usize = 8;

pub(super) fn render(table: &Table, room: Option<usize>, styled: bool) -> String {
    let widths = widths(table, room);
    let mut out = String::new();
    let header = table.columns.iter().map(|column| (column.header.as_str(), Emphasis::Bold));
    line(header, &table.columns, &widths, styled, &mut out);
    let rules: Vec<String> = widths.iter().map(|&width| "─".repeat(width)).collect();
    line(
        rules.iter().map(|rule| (rule.as_str(), Emphasis::Dim)),
        &table.columns,
        &widths,
        styled,
        &mut out,
    );
    for row in &table.rows {
        let cells = row.iter().map(|cell| (cell.text.as_str(), cell.emphasis));
        line(cells, &table.columns, &widths, styled, &mut out);
    }
    out
}

fn line<'a>(
    cells: impl Iterator<Item = (&'a str, Emphasis)>,
    columns: &[Column],
    widths: &[usize],
    styled: bool,
    out: &mut String,
) {
    let start = out.len();
    for (i, ((text, emphasis), column)) in cells.zip(columns).enumerate() {
        if i > 0 {
            out.push_str(GAP);
        }
        let text = elide(&one_line(text), widths[i]);
        let free = widths[i] - width(&text);
        let before = match column.align {
            Align::Left => 0,
            Align::Right => free,
        };
        out.push_str(&" ".repeat(before));
        let style = if styled && !text.is_empty() { emphasis } else { Emphasis::Plain };
        match style {
            Emphasis::Plain => out.push_str(&text),
            Emphasis::Bold => out.extend(["\u{1b}[1m", &text, "\u{1b}[0m"]),
            Emphasis::Dim => out.extend(["\u{1b}[2m", &text, "\u{1b}[0m"]),
        }
        out.push_str(&" ".repeat(free - before));
    }
    let end = start + out[start..].trim_end_matches(' ').len();
    out.truncate(end);
    out.push('\n');
}

/// The places of each column.
fn widths(table: &Table, room: Option<usize>) -> Vec<usize> {
    let mut widths: Vec<usize> = (0..table.columns.len())
        .map(|j| {
            let column = &table.columns[j];
            let cells = table.rows.iter().map(|row| width(&one_line(&row[j].text)));
            let widest = cells.max().unwrap_or(0).max(width(&one_line(&column.header)));
            widest.min(column.max_width)
        })
        .collect();
    if let Some(room) = room {
        let gaps = GAP.len() * widths.len().saturating_sub(1);
        let room = room.saturating_sub(gaps);
        let is_text: Vec<bool> = table.columns.iter().map(|c| c.align == Align::Left).collect();
        shrink(&mut widths, room, |j| if is_text[j] { READABLE } else { usize::MAX });
        shrink(&mut widths, room, |j| if is_text[j] { 1 } else { READABLE });
        shrink(&mut widths, room, |_| 1);
    }
    widths
}

/// Takes places from the widest column, one by one, until all fit or none is wider than its least.
fn shrink(widths: &mut [usize], room: usize, least: impl Fn(usize) -> usize) {
    let mut excess = widths.iter().sum::<usize>().saturating_sub(room);
    while excess > 0 {
        let wider = (0..widths.len()).filter(|&j| widths[j] > least(j));
        let Some(j) = wider.max_by_key(|&j| widths[j]) else { return };
        widths[j] -= 1;
        excess -= 1;
    }
}
