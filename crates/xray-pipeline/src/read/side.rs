//! Files with names and classes, one a line, for all rows of many files together.

use std::path::Path;

use xray_data::{Input, LoadOptions, read_names};
use xray_nmf::Ownership;
use xray_nmf::comm::Communicator;

use super::OwnDocuments;
use crate::agree::together;
use crate::corpus::{ColumnNames, Corpus};
use crate::error::{Error, Result};

/// Documents with the classes of a file, if one is given; collective.
pub(super) fn with_labels(
    comm: &dyn Communicator,
    mut documents: OwnDocuments,
    options: &LoadOptions,
) -> Result<OwnDocuments> {
    if let Some(file) = &options.labels {
        let rows = Ownership::rows(documents.n_documents, comm);
        documents.own.labels = Some(own_entries(comm, file, options, &rows)?);
    }
    Ok(documents)
}

/// A table with the names and classes of files, as far as they are given; collective.
pub(super) fn with_names(
    comm: &dyn Communicator,
    mut corpus: Corpus,
    options: &LoadOptions,
) -> Result<Corpus> {
    let rows = corpus.rows.own;
    if let Some(file) = &options.row_names {
        corpus.rows.ids = Some(own_entries(comm, file, options, &rows)?);
    }
    if let Some(file) = &options.labels {
        corpus.rows.labels = Some(own_entries(comm, file, options, &rows)?);
    }
    if let Some(file) = &options.column_names {
        let names = entries(file, options, corpus.matrix.n_columns(), "column");
        corpus.names = ColumnNames::Given(together(comm, names)?);
    }
    Ok(corpus)
}

/// The entries of the own rows.
fn own_entries(
    comm: &dyn Communicator,
    file: &Path,
    options: &LoadOptions,
    rows: &Ownership,
) -> Result<Vec<String>> {
    let all = together(comm, entries(file, options, rows.n(), "row"))?;
    let own = all.into_iter().enumerate().filter(|(d, _)| rows.local(*d).is_some());
    Ok(own.map(|(_, entry)| entry).collect())
}

/// One entry for each of `n` lines of the matrix.
fn entries(file: &Path, options: &LoadOptions, n: usize, line: &str) -> Result<Vec<String>> {
    let entries = read_names(&Input::from(file), options)?;
    if entries.len() == n {
        return Ok(entries);
    }
    let (file, found) = (file.display(), entries.len());
    Err(Error::Mismatch(format!(
        "{file}: found {found} entries, expected {n}: one for each {line}"
    )))
}
