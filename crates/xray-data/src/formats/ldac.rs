//! LDA-C: `n column:count column:count ...`, a document a line, where n is the number of pairs on it.
//!
//! Columns count from 0 and stand in any order. It looks like svmlight, whose first number is a class: n tells
//! one from the other, if it fits on every line. The file does not tell how many words there are; a file with
//! their names does.

use super::{Format, Parsed, Reader, Told};
use crate::assemble::Entries;
use crate::error::{Malformed, Result};
use crate::options::LoadOptions;
use crate::read::lines::{Line, Lines, parse_count};
use crate::read::names::read_names;
use crate::source::{Input, Source};
use crate::table::Table;

/// Pairs that one of the first lines must have at least, unless lines differ in them: a class may be 1 or 2 by
/// accident.
const FEWEST_PAIRS: u64 = 3;

pub(crate) static FORMAT: Format = Format {
    name: "ldac",
    words: "LDA-C, word:count pairs",
    endings: &["ldac"],
    beginning: None,
    told: Told::Content(looks_like_ldac),
    has_columns: false,
    has_variables: false,
    read: Reader::File(|source, options| read(source, options).map(Parsed::from)),
    write_table: None,
    write_documents: None,
    names_beside: None,
    decide: None,
    is_zero_based: Some(|_, _| Ok(true)),
};

fn read(source: Source, options: &LoadOptions) -> Result<Table> {
    let file = source.name.clone();
    let mut lines = Lines::new(source, options.limits.line_bytes);
    let mut entries = Entries::default();
    let mut claim = options.limits.claim(&file);
    let (mut n_rows, mut n_columns) = (0, n_names(options)?);
    while let Some(line) = lines.next_line()? {
        if line.is_blank() {
            continue;
        }
        let held = entries.bytes();
        n_columns = n_columns.max(read_document(line, n_rows, &mut entries)?);
        claim.take(8 + entries.bytes() - held)?;
        n_rows += 1;
    }
    let n_rows = n_rows as usize;
    Ok(Table::new(entries.into_matrix(&mut claim, n_rows, n_columns, &options.limits)?))
}

/// Words that a file names, of which those of this file are the first.
fn n_names(options: &LoadOptions) -> Result<usize> {
    match &options.column_names {
        Some(path) if !options.transpose => {
            Ok(read_names(&Input::Path(path.clone()), options)?.len())
        }
        _ => Ok(0),
    }
}

/// Adds the pairs of a line; the largest column and one.
fn read_document(line: Line<'_>, row: u32, entries: &mut Entries) -> Result<usize> {
    let mut fields = line.fields();
    let declared = fields.expect("the number of pairs")?.count("the number of pairs")?;
    let (mut found, mut n_columns) = (0, 0);
    for field in fields {
        let Some(colon) = memchr::memchr(b':', field.bytes) else {
            return Err(field.error("word:count").into());
        };
        let (word, count) = (field.part(0..colon), field.part(colon + 1..field.bytes.len()));
        let word = match word.count("a word, counted from 0")? {
            column if column < u64::from(u32::MAX) => column as u32,
            _ => return Err(word.error("a word below 2^32 - 1").into()),
        };
        entries.push(row, word, count.count("a count, a whole number")? as f64);
        n_columns = n_columns.max(word as usize + 1);
        found += 1;
    }
    if found != declared {
        let (found, expected) = (format!("{found} pairs"), format!("{declared}, as the line says"));
        return Err(Malformed::damaged(line.file, found, expected).at_line(line.number).into());
    }
    Ok(n_columns)
}

/// Whether every line says how many pairs of whole numbers follow.
fn looks_like_ldac(text: &[u8]) -> bool {
    let mut lines = Lines::of_bytes("", text);
    let (mut least, mut most) = (u64::MAX, 0);
    while let Ok(Some(line)) = lines.next_line() {
        if line.is_blank() {
            continue;
        }
        match pairs_of(line) {
            Some(n) => (least, most) = (least.min(n), most.max(n)),
            None => return false,
        }
    }
    most >= FEWEST_PAIRS || most > 0 && least < most
}

/// How many pairs a line has, if it says so and all are of whole numbers.
fn pairs_of(line: Line<'_>) -> Option<u64> {
    let mut fields = line.fields();
    let declared = parse_count(fields.next()?.bytes)?;
    let mut found = 0;
    for field in fields {
        let colon = memchr::memchr(b':', field.bytes)?;
        parse_count(&field.bytes[..colon])?;
        parse_count(&field.bytes[colon + 1..])?;
        found += 1;
    }
    (found == declared).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_pairs_tells_it_from_svmlight() {
        assert!(looks_like_ldac(b"3 0:1 7:2 3:1\n1 4:5\n0\n"));
        assert!(looks_like_ldac(b"2 0:1 7:2\n1 4:5\n"));
        for other in ["1 2:3 4:5\n-1 1:1\n", "1 1:1\n1 3:2\n", "2 1:0.5 2:1\n1 1:1\n", "words\n"] {
            assert!(!looks_like_ldac(other.as_bytes()), "{other}");
        }
    }
}
