//! The cells of a sheet, in order.

use std::borrow::Cow;

use super::dates::date_text;
use super::parts::{Parts, Piece, Sheet, Styles, append, attribute, broken};
use crate::budget::Claim;
use crate::error::{Malformed, Result};
use crate::read::lines::parse_number;
use crate::write::write_number;

/// Rows and columns of the largest sheet that programs write.
const MOST_ROWS: usize = 1 << 20;
const MOST_COLUMNS: usize = 1 << 14;

/// A cell that is not empty.
pub(super) struct Cell<'a> {
    /// Counted from 1.
    pub row: usize,
    /// Counted from 0.
    pub column: usize,
    pub text: Cow<'a, str>,
}

/// The cell that is being read.
#[derive(Default)]
struct Open {
    row: usize,
    /// The column of the next cell that does not say its own.
    next: usize,
    column: usize,
    kind: String,
    style: usize,
    /// Whether a value is being read.
    in_value: bool,
    value: String,
}

/// Shows all cells that are not empty, row by row from left to right.
pub(super) fn for_each_cell(
    parts: &mut Parts<'_>,
    sheet: &Sheet,
    strings: &[String],
    styles: &Styles,
    visit: &mut dyn FnMut(Cell<'_>, &mut Claim) -> Result<()>,
) -> Result<()> {
    let (file, limits) = (parts.file, parts.limits);
    let mut open = Open::default();
    let mut last = (0, MOST_COLUMNS);
    let found = parts.scan(&sheet.part, &mut |piece, claim| {
        match piece {
            Piece::Open("row", tag) => {
                let said = attribute(tag, "r").and_then(|row| row.parse().ok());
                (open.row, open.next) = (said.unwrap_or(open.row + 1), 0);
            }
            Piece::Open("c", tag) => {
                let place = attribute(tag, "r").and_then(|place| column_of(&place));
                open.column = place.unwrap_or(open.next);
                open.next = open.column + 1;
                open.kind = attribute(tag, "t").unwrap_or_default();
                open.style = attribute(tag, "s").and_then(|s| s.parse().ok()).unwrap_or(0);
                open.value.clear();
            }
            Piece::Open("v" | "t", _) => open.in_value = true,
            Piece::Close("v" | "t") => open.in_value = false,
            Piece::Text(text) if open.in_value => append(&mut open.value, &text, file, limits)?,
            Piece::Close("c") => {
                let place = (open.row, open.column);
                if place <= last || place.0 > MOST_ROWS || place.1 >= MOST_COLUMNS {
                    let found = format!("row {}, column {} out of order", place.0, place.1 + 1);
                    return Err(broken(file, &sheet.part, &found));
                }
                last = place;
                let text = open.text(file, strings, styles)?;
                if !text.is_empty() {
                    visit(Cell { row: open.row, column: open.column, text }, claim)?;
                }
            }
            _ => {}
        }
        Ok(())
    })?;
    if found { Ok(()) } else { Err(broken(file, &sheet.part, "nothing")) }
}

impl Open {
    /// The cell as a field of CSV.
    fn text<'a>(
        &'a self,
        file: &str,
        strings: &'a [String],
        styles: &Styles,
    ) -> Result<Cow<'a, str>> {
        let value = self.value.as_str();
        Ok(match self.kind.as_str() {
            _ if value.is_empty() => Cow::Borrowed(""),
            "s" => match value.trim().parse().ok().and_then(|k: usize| strings.get(k)) {
                Some(string) => Cow::Borrowed(string),
                None => {
                    let found = format!("string {value:?} of {}", strings.len());
                    let error = Malformed::damaged(file, found, "one of them");
                    return Err(error.at_line(self.row as u64).into());
                }
            },
            "b" => Cow::Borrowed(if value.trim() == "1" { "true" } else { "false" }),
            "" | "n" => match parse_number(value.trim().as_bytes()) {
                Some(number) if styles.is_date(self.style) => {
                    date_text(number, styles.from_1904).unwrap_or_else(|| value.to_owned()).into()
                }
                Some(number) => shortest(number).into(),
                None => Cow::Borrowed(value),
            },
            // Strings of formulas and in place, errors such as #N/A, dates as ISO 8601 has them.
            _ => Cow::Borrowed(value),
        })
    }
}

fn shortest(number: f64) -> String {
    let mut text = Vec::new();
    // Writing to memory cannot fail.
    let _ = write_number(number, &mut text);
    String::from_utf8(text).unwrap_or_default()
}

/// The column of a place such as `BC12`, counted from 0.
fn column_of(place: &str) -> Option<usize> {
    let letters = place.bytes().take_while(u8::is_ascii_alphabetic);
    let column = letters.take(5).fold(0, |column, letter| {
        column * 26 + usize::from(letter.to_ascii_uppercase() - b'A') + 1
    });
    column.checked_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_letters() {
        for (place, column) in [("A1", 0), ("Z9", 25), ("AA1", 26), ("xfd7", MOST_COLUMNS - 1)] {
            assert_eq!(column_of(place), Some(column));
        }
        assert_eq!(column_of("12"), None);
    }
}
