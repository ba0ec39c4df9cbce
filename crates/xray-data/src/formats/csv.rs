//! CSV: fields between commas or semicolons.

use super::delimited::write::{check_table, write_documents, write_table};
use super::delimited::{decide, looks_delimited, read};
use super::{DocumentWriter, Format, Keeps, Reader, TableWriter, Told};

pub(crate) static FORMAT: Format = Format {
    name: "csv",
    words: "fields between commas or semicolons",
    endings: &["csv"],
    beginning: None,
    told: Told::LastGuess(|head| looks_delimited(head, b',') || looks_delimited(head, b';')),
    has_columns: true,
    has_variables: false,
    read: Reader::File(|source, options| read(source, None, options)),
    write_table: Some(TableWriter {
        keeps: Keeps::NAMES,
        check: |table| check_table(table, b','),
        write: |table, out| write_table(table, b',', out),
    }),
    write_documents: Some(DocumentWriter::File {
        check: |_| Ok(()),
        write: |documents, out| write_documents(documents, b',', out),
    }),
    names_beside: None,
    decide: Some(|sources, options| decide(sources, None, options)),
    is_zero_based: None,
};
