//! TSV: fields between tabs.

use super::delimited::write::{check_table, write_documents, write_table};
use super::delimited::{decide, looks_delimited, looks_like_numbers_with_gaps, read};
use super::{DocumentWriter, Format, Keeps, Reader, TableWriter, Told};
use crate::table::Documents;

pub(crate) static FORMAT: Format = Format {
    name: "tsv",
    words: "fields between tabs",
    endings: &["tsv", "tab"],
    beginning: None,
    told: Told::Guess(|head| looks_delimited(head, b'\t') || looks_like_numbers_with_gaps(head)),
    has_columns: true,
    has_variables: false,
    read: Reader::File(|source, options| read(source, Some(b'\t'), options)),
    write_table: Some(TableWriter {
        keeps: Keeps::NAMES,
        check: |table| check_table(table, b'\t'),
        write: |table, out| write_table(table, b'\t', out),
    }),
    write_documents: Some(DocumentWriter::File {
        check: check_documents,
        write: |documents, out| write_documents(documents, b'\t', out),
    }),
    names_beside: None,
    decide: Some(|sources, options| decide(sources, Some(b'\t'), options)),
    is_zero_based: None,
};

/// Refuses line breaks, which would end a record.
fn check_documents(documents: &Documents) -> Result<(), String> {
    match documents.fields().find(|(_, field)| field.contains('\n')) {
        Some((d, _)) => Err(format!("document {} has a line break; write csv", d + 1)),
        None => Ok(()),
    }
}
