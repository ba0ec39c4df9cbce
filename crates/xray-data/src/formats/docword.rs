//! UCI bag of words: numbers of documents, words and entries on three lines, then
//! `document word count`, all counted from 1. The words are in a second file, `vocab.*` beside
//! `docword.*`, one a line.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::{Format, Keeps, Parsed, Reader, TableWriter, Told};
use crate::assemble::{Entries, check_shape};
use crate::error::Result;
use crate::options::LoadOptions;
use crate::read::lines::{Lines, parse_count};
use crate::read::{LARGEST_WHOLE, cautious_capacity};
use crate::source::{Source, check_room};
use crate::table::Table;
use crate::write::write_number;

pub(crate) static FORMAT: Format = Format {
    name: "docword",
    words: "UCI bag of words",
    endings: &["docword"],
    beginning: Some("docword."),
    told: Told::Content(looks_like_docword),
    has_columns: false,
    has_variables: false,
    read: Reader::File(|source, options| read(source, options).map(Parsed::from)),
    write_table: Some(TableWriter { keeps: Keeps::COLUMNS, check: check_counts, write }),
    write_documents: None,
    names_beside: Some(vocabulary_path),
    decide: None,
    is_zero_based: None,
};

/// A line has at least `1 1 1` and its end.
const BYTES_PER_ENTRY: u64 = 6;

pub(crate) fn read(source: Source, options: &LoadOptions) -> Result<Table> {
    let (file, most_bytes) = (source.name.clone(), source.most_bytes);
    let mut lines = Lines::new(source, options.limits.line_bytes);
    let n_documents = header(&mut lines, "the number of documents")? as usize;
    let n_words = header(&mut lines, "the number of words")? as usize;
    let declared = header(&mut lines, "the number of entries")?;
    check_room(&file, most_bytes, "entries", declared, BYTES_PER_ENTRY, Some(3))?;
    check_shape(&file, n_documents, n_words, declared as usize, &options.limits)?;
    let mut entries = Entries::keeping(options.kept(n_documents, n_words));
    let mut claim = options.limits.claim(&file);
    if options.share.is_none() {
        claim.hold(declared.saturating_mul(16))?;
        entries.values.reserve(cautious_capacity(declared));
    }
    while let Some(line) = lines.next_line()? {
        if line.is_blank() {
            continue;
        }
        let mut fields = line.fields();
        let document = fields.expect("a document")?.index_from_one("document", n_documents)?;
        let word = fields.expect("a word")?.index_from_one("word", n_words)?;
        let count = fields.expect("a count")?.count("a count, a whole number")?;
        fields.expect_end()?;
        if entries.len() as u64 == declared {
            return Err(line.error(format!("the end after {declared} entries")).into());
        }
        entries.push(document, word, count as f64);
        claim.hold(entries.bytes())?;
    }
    if (entries.len() as u64) < declared {
        let expected = format!("{declared} entries, of which {} are there", entries.len());
        return Err(lines.ends_early(expected).into());
    }
    Ok(Table::new(entries.into_matrix(&mut claim, n_documents, n_words, &options.limits)?))
}

fn header(lines: &mut Lines, expected: &str) -> Result<u64> {
    if lines.next_line()?.is_none() {
        return Err(lines.ends_early(expected).into());
    }
    let mut fields = lines.current().fields();
    let count = fields.expect(expected)?.count(expected)?;
    fields.expect_end()?;
    if count >= u64::from(u32::MAX) && expected != "the number of entries" {
        return Err(lines.current().error(format!("{expected}, below 2^32 - 1")).into());
    }
    Ok(count)
}

/// Where the vocabulary of a file belongs: `vocab.NAME` beside `docword.NAME`, otherwise
/// `NAME.vocab`.
fn vocabulary_path(path: &Path) -> PathBuf {
    let name = path.file_name().map_or(String::new(), |name| name.to_string_lossy().into_owned());
    match name.strip_prefix("docword") {
        Some(rest) => path.with_file_name(format!("vocab{rest}")),
        None => path.with_file_name(format!("{name}.vocab")),
    }
}

/// Whether the first lines are three numbers and one entry.
fn looks_like_docword(head: &[u8]) -> bool {
    let mut lines = Lines::of_bytes("", head);
    let mut n_fields = |n: usize| -> Option<()> {
        let line = lines.next_line().ok()??;
        let fields: Vec<_> = line.fields().collect();
        let counts = fields.iter().all(|field| parse_count(field.bytes).is_some());
        (fields.len() == n && counts).then_some(())
    };
    let mut check = || -> Option<()> {
        n_fields(1)?;
        n_fields(1)?;
        n_fields(1)?;
        n_fields(3)
    };
    check().is_some()
}

/// Every entry must be a count.
fn check_counts(table: &Table) -> Result<(), String> {
    let mut wrong = None;
    for d in 0..table.matrix.n_rows() {
        table.matrix.for_each_in_row(d, |j, v| {
            if wrong.is_none() && !((0.0..=LARGEST_WHOLE).contains(&v) && v.fract() == 0.0) {
                wrong = Some((d, j, v));
            }
        });
        if let Some((d, j, v)) = wrong {
            return Err(format!(
                "entry ({d}, {j}) is {v} and no count; write it as mtx or npz instead"
            ));
        }
    }
    Ok(())
}

fn write(table: &Table, out: &mut dyn Write) -> io::Result<()> {
    let matrix = &table.matrix;
    let mut n_entries = 0;
    for d in 0..matrix.n_rows() {
        matrix.for_each_in_row(d, |_, _| n_entries += 1);
    }
    writeln!(out, "{}\n{}\n{n_entries}", matrix.n_rows(), matrix.n_columns())?;
    for d in 0..matrix.n_rows() {
        let mut written = Ok(());
        matrix.for_each_in_row(d, |j, v| {
            if written.is_ok() {
                written = write!(out, "{} {} ", d + 1, j + 1)
                    .and_then(|()| write_number(v.abs(), out))
                    .and_then(|()| out.write_all(b"\n"));
            }
        });
        written?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Input;
    use crate::table::LoadedMatrix;

    fn parse(content: &str) -> Result<Table> {
        let input = Input::Bytes { name: "docword".into(), bytes: content.into() };
        let options = LoadOptions::default();
        read(Source::open(&input, &options)?, &options)
    }

    #[test]
    fn counts_from_one() {
        let table = parse("2\n3\n2\n1 3 5\n2 1 1\n").expect("valid");
        let LoadedMatrix::Sparse(x) = &table.matrix else { panic!("sparse") };
        assert_eq!(x.csr(), (&[0, 1, 2][..], &[2, 0][..], &[5.0, 1.0][..]));
    }

    #[test]
    fn declared_and_found_entries_agree() {
        for content in ["2\n3\n3\n1 3 5\n2 1 1\n", "2\n3\n1\n1 3 5\n2 1 1\n", "2\n3\n", "x\n"] {
            assert!(parse(content).is_err(), "{content}");
        }
        assert!(parse("1\n1\n1000000000000000000\n1 1 1\n").is_err());
    }
}
