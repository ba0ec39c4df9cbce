//! Numbers between white space.

use super::delimited::write::{check_table, write_table};
use super::delimited::{decide, looks_like_spaced_numbers, read};
use super::{Format, Keeps, Reader, TableWriter, Told};

pub(crate) static FORMAT: Format = Format {
    name: "spaced",
    words: "numbers between white space",
    endings: &[],
    beginning: None,
    told: Told::Guess(looks_like_spaced_numbers),
    has_columns: true,
    has_variables: false,
    read: Reader::File(|source, options| read(source, Some(b' '), options)),
    write_table: Some(TableWriter {
        keeps: Keeps::NAMES,
        check: |table| check_table(table, b' '),
        write: |table, out| write_table(table, b' ', out),
    }),
    write_documents: None,
    names_beside: None,
    decide: Some(|sources, options| decide(sources, Some(b' '), options)),
    is_zero_based: None,
};
