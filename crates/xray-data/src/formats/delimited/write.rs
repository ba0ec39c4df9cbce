//! CSV, TSV and numbers between spaces: dense numbers with a header if columns have names, and a
//! first column if rows have names.
//!
//! Names must not be taken for numbers when the file is read: a header or a first column that does
//! not name anything but places is added where it is needed to tell them apart.

use std::io::{self, Write};

use super::is_number;
use super::sample::looks_like_value;
use crate::csv::{write_field, write_record};
use crate::table::{Documents, Table};
use crate::write::write_number;

/// Refuses names that would break a record.
pub(in crate::formats) fn check_table(table: &Table, delimiter: u8) -> Result<(), String> {
    let mut names = [&table.row_names, &table.column_names].into_iter().flatten().flatten();
    let breaks = |name: &&String| match delimiter {
        b' ' => name.is_empty() || name.contains(char::is_whitespace),
        b'\t' => name.contains('\n'),
        _ => false,
    };
    if let Some(name) = names.find(breaks) {
        return Err(format!("the name {name:?} would break its line; write csv instead"));
    }
    match distinct_names(table).1 {
        Some(names) if delimiter == b' ' && names.iter().all(|name| is_number(name.as_bytes())) => {
            Err("names that are numbers would be read as a row; write csv instead".to_owned())
        }
        _ => Ok(()),
    }
}

pub(in crate::formats) fn write_table(
    table: &Table,
    delimiter: u8,
    out: &mut dyn Write,
) -> io::Result<()> {
    let (m, n) = (table.matrix.n_rows(), table.matrix.n_columns());
    let (row_names, column_names) = distinct_names(table);
    if let Some(names) = &column_names {
        // Between spaces there is no empty field: as in R, one name less says the same.
        let corner = (row_names.is_some() && delimiter != b' ').then_some("");
        let fields = corner.into_iter().chain(names.iter().map(String::as_str));
        write_record(fields, delimiter, out)?;
    }
    let mut row = vec![0.0; n];
    for d in 0..m {
        table.matrix.copy_row(d, &mut row);
        if let Some(names) = &row_names {
            write_field(&names[d], delimiter, out)?;
            out.write_all(&[delimiter])?;
        }
        for (j, &value) in row.iter().enumerate() {
            if j > 0 {
                out.write_all(&[delimiter])?;
            }
            write_number(value, out)?;
        }
        out.write_all(b"\n")?;
    }
    Ok(())
}

type Names = Option<Vec<String>>;

/// Names of rows and columns that are not taken for numbers.
fn distinct_names(table: &Table) -> (Names, Names) {
    let places = |n: usize| Some((1..=n).map(|place| place.to_string()).collect());
    let (rows, columns) = (table.row_names.clone(), table.column_names.clone());
    match (rows, columns) {
        (Some(rows), None) if rows.iter().any(|name| looks_like_value(name)) => {
            (Some(rows), places(table.matrix.n_columns()))
        }
        (None, Some(columns)) if columns.iter().any(|name| looks_like_value(name)) => {
            (places(table.matrix.n_rows()), Some(columns))
        }
        names => names,
    }
}

/// Columns `id`, `label` (where there are labels) and `text`.
pub(in crate::formats) fn write_documents(
    documents: &Documents,
    delimiter: u8,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut write = |id: &str, label: Option<&str>, text: &str| {
        write_record([id].into_iter().chain(label).chain([text]), delimiter, out)
    };
    let labels = documents.labels.as_deref();
    write("id", labels.map(|_| "label"), "text")?;
    for (d, (id, text)) in documents.ids.iter().zip(&documents.texts).enumerate() {
        write(id, labels.map(|labels| labels[d].as_str()), text)?;
    }
    Ok(())
}
