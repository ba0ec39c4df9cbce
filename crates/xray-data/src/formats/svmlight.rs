//! svmlight / libsvm: `label [qid:n] column:value column:value ... [# comment]`.
//!
//! Columns ascend within a line and count from 1, or from 0 if column 0 occurs (the rule of
//! scikit-learn's `zero_based="auto"`). Labels are kept as they are written.

use std::io::{self, Write};

use super::{Format, Keeps, Parsed, Reader, TableWriter, Told};
use crate::assemble::{Compressed, Stored, check_shape};
use crate::budget::string_bytes;
use crate::error::{Malformed, Result};
use crate::options::LoadOptions;
use crate::read::lines::{Field, Line, Lines, parse_count, parse_number};
use crate::source::Source;
use crate::table::Table;
use crate::write::write_number;

/// Lines at the start that must all look like svmlight.
const SVMLIGHT_LINES: usize = 5;

pub(crate) static FORMAT: Format = Format {
    name: "svmlight",
    words: "svmlight or libsvm",
    endings: &["svm", "svmlight", "libsvm"],
    beginning: None,
    told: Told::Content(looks_like_svmlight),
    has_columns: false,
    has_variables: false,
    read: Reader::File(read),
    write_table: Some(TableWriter {
        keeps: Keeps::LABELS,
        check: |table| numeric_labels(table).map(|_| ()),
        write,
    }),
    write_documents: None,
    names_beside: None,
    decide: None,
    is_zero_based: Some(has_column_zero),
};

fn read(source: Source, options: &LoadOptions) -> Result<Parsed> {
    let file = source.name.clone();
    let mut lines = Lines::new(source, options.limits.line_bytes);
    let mut rows = Compressed { offsets: vec![0], indices: Vec::new(), values: Vec::new() };
    let mut labels = Vec::new();
    let mut claim = options.limits.claim(&file);
    while let Some(line) = lines.next_line()? {
        if let Some(label) = read_row(without_comment(line), &mut rows)? {
            let n_entries = rows.values.len() - rows.offsets[labels.len()];
            claim.take(string_bytes(label.len()) + 8 + 12 * n_entries as u64)?;
            labels.push(label);
            rows.offsets.push(rows.values.len());
        }
    }
    let smallest = rows.indices.iter().min().copied();
    let zero_based = options.zero_based.unwrap_or(smallest == Some(0));
    if !zero_based {
        if smallest == Some(0) {
            let found = "column 0 in a file whose columns count from 1";
            return Err(Malformed::new(&file, found, "columns from 1")
                .remedy("say that columns count from 0")
                .into());
        }
        rows.indices.iter_mut().for_each(|column| *column -= 1);
    }
    let n_columns = rows.indices.iter().max().map_or(0, |&column| column as usize + 1);
    check_shape(&file, labels.len(), n_columns, rows.values.len(), &options.limits)?;
    let matrix = rows.into_matrix(&mut claim, Stored::ByRows, n_columns)?;
    let table = Table { labels: Some(labels), ..Table::new(matrix) };
    Ok(Parsed { zero_based: Some(zero_based), ..table.into() })
}

/// Whether column 0 occurs.
fn has_column_zero(source: Source, options: &LoadOptions) -> Result<bool> {
    let mut lines = Lines::new(source, options.limits.line_bytes);
    while let Some(line) = lines.next_line()? {
        let mut row = Compressed { offsets: vec![0], indices: Vec::new(), values: Vec::new() };
        if read_row(without_comment(line), &mut row)?.is_some() && row.indices.first() == Some(&0) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn without_comment(line: Line<'_>) -> Line<'_> {
    let end = memchr::memchr(b'#', line.bytes).unwrap_or(line.bytes.len());
    Line { bytes: &line.bytes[..end], ..line }
}

/// Reads one row and returns its label; `None` if the line is blank.
fn read_row(line: Line<'_>, rows: &mut Compressed) -> Result<Option<String>> {
    let mut fields = line.fields();
    let Some(label) = fields.next() else { return Ok(None) };
    if memchr::memchr(b':', label.bytes).is_some() {
        return Err(label.error("a label before the first column:value").into());
    }
    if label.bytes.split(|&b| b == b',').any(|part| parse_number(part).is_none()) {
        return Err(label.error("a label that is a number, or several with commas").into());
    }
    let mut previous = None;
    for field in fields {
        if field.bytes.starts_with(b"qid:") {
            continue;
        }
        let (column, value) = read_pair(field)?;
        if previous.is_some_and(|previous| previous >= column) {
            return Err(field.error("columns in ascending order").into());
        }
        previous = Some(column);
        rows.indices.push(column);
        rows.values.push(value);
    }
    Ok(Some(String::from_utf8_lossy(label.bytes).into_owned()))
}

fn read_pair(field: Field<'_>) -> Result<(u32, f64)> {
    let Some(colon) = memchr::memchr(b':', field.bytes) else {
        return Err(field.error("column:value").into());
    };
    let column = field.part(0..colon);
    match parse_count(column.bytes).filter(|&c| c < u64::from(u32::MAX)) {
        Some(c) => Ok((c as u32, field.part(colon + 1..field.bytes.len()).number()?)),
        None => Err(column.error("a column number below 2^32 - 1").into()),
    }
}

/// Whether a line looks like a row with at least one entry.
fn looks_like_row(line: Line<'_>) -> bool {
    let mut rows = Compressed { offsets: vec![0], indices: Vec::new(), values: Vec::new() };
    matches!(read_row(without_comment(line), &mut rows), Ok(Some(_))) && !rows.values.is_empty()
}

/// Whether the first lines look like rows.
fn looks_like_svmlight(text: &[u8]) -> bool {
    let mut lines = Lines::of_bytes("", text);
    let mut rows = 0;
    while let Ok(Some(line)) = lines.next_line() {
        if line.is_blank() || line.bytes.starts_with(b"#") {
            continue;
        }
        if !looks_like_row(line) {
            // A row may be empty, but the first may not: it could be anything.
            return false;
        }
        rows += 1;
        if rows == SVMLIGHT_LINES {
            break;
        }
    }
    rows > 0
}

/// The labels as svmlight needs them; 0 where there are none.
fn numeric_labels(table: &Table) -> Result<Vec<&str>, String> {
    let Some(labels) = &table.labels else { return Ok(vec!["0"; table.matrix.n_rows()]) };
    let numeric =
        |label: &str| label.split(',').all(|part| parse_number(part.as_bytes()).is_some());
    match labels.iter().find(|label| !label.is_empty() && !numeric(label)) {
        Some(label) => {
            Err(format!("label {label:?} is no number; drop the labels or write npz instead"))
        }
        None => Ok(labels.iter().map(|l| if l.is_empty() { "0" } else { l.as_str() }).collect()),
    }
}

/// Columns count from 1.
fn write(table: &Table, out: &mut dyn Write) -> io::Result<()> {
    let labels = numeric_labels(table).map_err(io::Error::other)?;
    // The largest column number tells how many there are: if the last column has no entry, a zero says so.
    let n = table.matrix.n_columns();
    let mut is_told = n == 0;
    let rows = 0..labels.len();
    rows.for_each(|d| table.matrix.for_each_in_row(d, |j, _| is_told |= j + 1 == n));
    for (d, label) in labels.iter().enumerate() {
        out.write_all(label.as_bytes())?;
        let mut written = Ok(());
        table.matrix.for_each_in_row(d, |j, v| {
            if written.is_ok() {
                written = write!(out, " {}:", j + 1).and_then(|()| write_number(v, out));
            }
        });
        written?;
        if d == 0 && !is_told {
            write!(out, " {n}:0")?;
        }
        out.write_all(b"\n")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Input;
    use crate::table::LoadedMatrix;

    fn parse(content: &str) -> Result<Table> {
        let input = Input::Bytes { name: "test.svm".into(), bytes: content.into() };
        let options = LoadOptions::default();
        let read = read(Source::open(&input, &options)?, &options)?;
        Ok(read.loaded.into_table().expect("numbers"))
    }

    #[test]
    fn columns_count_from_one_unless_zero_occurs() {
        let table = parse("# header\n+1 qid:3 1:2 3:.5 # note\n-1,2\n").expect("valid");
        let LoadedMatrix::Sparse(x) = &table.matrix else { panic!("sparse") };
        assert_eq!(x.csr(), (&[0, 2, 2][..], &[0, 2][..], &[2.0, 0.5][..]));
        assert_eq!(table.labels, Some(vec!["+1".into(), "-1,2".into()]));
        let table = parse("0 0:2\n").expect("valid");
        assert_eq!(table.matrix.n_columns(), 1);
    }

    #[test]
    fn errors_say_where() {
        let message = |content| parse(content).map(|_| ()).unwrap_err().to_string();
        assert!(message("1 2:1 2:1\n").starts_with("test.svm:1:7: found \"2:1\""));
        assert!(message("1 2:x\n").starts_with("test.svm:1:5: found \"x\""));
        assert!(message("1:2\n").contains("a label"));
        assert!(message("1 4294967295:1\n").contains("below 2^32"));
    }
}
