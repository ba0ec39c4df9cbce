//! Tables in GitHub's Markdown, aligned in the source as well.

use super::width::{one_line, width};
use super::{Align, Emphasis, Table};

pub(super) fn render(table: &Table) -> String {
    let header: Vec<String> = table.columns.iter().map(|column| escape(&column.header)).collect();
    let rows: Vec<Vec<String>> =
        table.rows.iter().map(|row| row.iter().map(cell).collect()).collect();
    let widths: Vec<usize> = (0..table.columns.len())
        .map(|j| rows.iter().chain([&header]).map(|row| width(&row[j])).max().unwrap_or(0).max(4))
        .collect();
    let rules: Vec<String> = table
        .columns
        .iter()
        .zip(&widths)
        .map(|(column, &width)| rule(column.align, width))
        .collect();
    let mut out = String::new();
    for row in [&header, &rules].into_iter().chain(&rows) {
        for ((text, column), &room) in row.iter().zip(&table.columns).zip(&widths) {
            let free = room - width(text);
            let before = match column.align {
                Align::Left => 0,
                Align::Right => free,
            };
            out.push_str("| ");
            out.push_str(&" ".repeat(before));
            out.push_str(text);
            out.push_str(&" ".repeat(free - before + 1));
        }
        out.push_str("|\n");
    }
    out
}

fn rule(align: Align, width: usize) -> String {
    match align {
        Align::Left => "-".repeat(width),
        Align::Right => format!("{}:", "-".repeat(width - 1)),
    }
}

fn cell(cell: &super::Cell) -> String {
    let text = escape(&cell.text);
    if cell.emphasis == Emphasis::Bold && !text.is_empty() { format!("**{text}**") } else { text }
}

/// Escapes what would be markup; words like `snake_case` and `<unk>` come out as they are.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in one_line(text).trim().chars() {
        if matches!(letter, '|' | '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '&' | '~' | '#')
        {
            out.push('\\');
        }
        out.push(letter);
    }
    out
}
