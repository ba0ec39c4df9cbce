//! Files to a matrix or a corpus, on any number of ranks.
//!
//! [`read`] gives every rank its documents, or its columns of a table; [`weigh`] makes a [`Corpus`] of them.
//! One rank reads all of it, and then nothing travels.
//!
//! | | one file | many files |
//! |---|---|---|
//! | texts | every rank reads it as a stream and keeps its blocks of 4,096 documents | own files; documents travel to the owners of their blocks |
//! | numbers | every rank reads it as a stream and keeps its columns | own files; entries travel to the owners of their columns |

mod exchange;
mod files;
mod tables;
mod texts;
mod weigh;

use std::path::{Path, PathBuf};

use xray_data::{FileHash, Input, LoadOptions, Loaded, Origin, Share, load_with_origin};
use xray_nmf::comm::Communicator;

pub(crate) use exchange::{Entry, exchange};
pub use files::{data_files, fingerprint, own_files};
pub(crate) use tables::own_rows;
pub use texts::OwnDocuments;
pub(crate) use texts::{read_text, write_text};
pub use weigh::{weigh, weigh_counts};

use crate::agree::together;
use crate::corpus::Corpus;
use crate::error::{Error, Result};
use files::{check_same_data, check_same_list, check_side_files};
use tables::{Part, corpus_of_files, corpus_of_one};
use texts::{documents_of_files, documents_of_one};

/// What was read: the own documents, or a table of numbers as a corpus that is not weighed.
#[derive(Debug)]
pub enum Content {
    /// Texts.
    Documents(OwnDocuments),
    /// Numbers.
    Table(Box<Corpus>),
}

/// Reads texts or numbers; collective.
///
/// # Errors
/// The same on all ranks, if any of them cannot read its part or the parts do not fit together.
pub fn read(comm: &dyn Communicator, data: &Path, options: &LoadOptions) -> Result<Content> {
    check_side_files(comm, options)?;
    let loaded = match together(comm, data_files(data))? {
        None => read_one_file(comm, data, options)?,
        Some(files) => read_many_files(comm, data, &files, options)?,
    };
    match loaded {
        Content::Documents(_) if options.transpose => {
            let message = "--transpose is for matrices, and this is text";
            together(comm, Err(Error::Usage(message.into())))
        }
        content => Ok(content),
    }
}

/// Reads numbers; texts are refused; collective.
///
/// # Errors
/// As [`read`].
pub fn read_table(comm: &dyn Communicator, data: &Path, options: &LoadOptions) -> Result<Corpus> {
    match read(comm, data, options)? {
        Content::Table(corpus) => Ok(*corpus),
        Content::Documents(documents) => {
            let (name, n) = (Input::from(data).name(), documents.n_documents);
            let message = format!(
                "{name}: found {n} texts, expected numbers; use `xray topics`, or make a matrix with \
                 `xray convert`"
            );
            together(comm, Err(Error::Mismatch(message)))
        }
    }
}

fn read_one_file(comm: &dyn Communicator, data: &Path, options: &LoadOptions) -> Result<Content> {
    let source = Input::from(data);
    check_same_data(comm, &source)?;
    let share = Share { part: comm.rank(), parts: comm.size() };
    let share = (comm.size() > 1).then_some(share);
    let options = LoadOptions { share, ..options.clone() };
    match together(comm, load_with_origin(&source, &options))? {
        (Loaded::Documents(documents), origin) => {
            Ok(Content::Documents(documents_of_one(comm, documents, origin)?))
        }
        (Loaded::Table(table), origin) => {
            let corpus = corpus_of_one(comm, table)?;
            Ok(Content::Table(Box::new(Corpus { origin: Some(origin), ..corpus })))
        }
    }
}

fn read_many_files(
    comm: &dyn Communicator,
    data: &Path,
    files: &[PathBuf],
    options: &LoadOptions,
) -> Result<Content> {
    check_same_list(comm, files)?;
    let files = own_files(files, comm.rank(), comm.size());
    let own = files.iter().map(|file| load_with_origin(&Input::Path(file.clone()), options));
    let own: Result<Vec<(Loaded, Origin)>, xray_data::Error> = own.collect();
    let (mut texts, mut tables, mut read) = (Vec::new(), Vec::new(), Vec::new());
    for ((loaded, origin), file) in together(comm, own)?.into_iter().zip(files) {
        read.extend(origin.files);
        match loaded {
            Loaded::Documents(documents) => texts.push(documents),
            Loaded::Table(table) => tables.push(Part { file: file.clone(), table }),
        }
    }
    let kinds = gather_sizes(comm, [texts.len(), tables.len()])?;
    let [n_texts, n_tables] = [0, 1].map(|q| kinds.iter().map(|kind| kind[q]).sum::<usize>());
    if n_texts > 0 && n_tables > 0 {
        let message = format!("{n_texts} of the files hold texts and {n_tables} numbers");
        return together(comm, Err(Error::Mismatch(message)));
    }
    let origin = origin_of_all(comm, data, read)?;
    if n_tables == 0 {
        return Ok(Content::Documents(documents_of_files(comm, texts, origin)?));
    }
    if options.transpose {
        let message = "several files hold some of the rows each and cannot be transposed";
        return together(comm, Err(Error::Usage(message.into())));
    }
    let corpus = corpus_of_files(comm, tables)?;
    Ok(Content::Table(Box::new(Corpus { origin: Some(origin), ..corpus })))
}

/// The files of all ranks, in order.
fn origin_of_all(comm: &dyn Communicator, data: &Path, own: Vec<FileHash>) -> Result<Origin> {
    let mut files: Vec<FileHash> = Vec::new();
    for message in comm.all_gather(&serde_json::to_vec(&own)?)? {
        files.extend(serde_json::from_slice::<Vec<FileHash>>(&message)?);
    }
    Ok(Origin { name: data.display().to_string(), files })
}

/// Everybody's sizes.
///
/// # Errors
/// If the ranks cannot exchange data.
pub fn gather_sizes<const N: usize>(
    comm: &dyn Communicator,
    own: [usize; N],
) -> Result<Vec<[usize; N]>> {
    let own: Vec<u8> = own.iter().flat_map(|&size| (size as u64).to_le_bytes()).collect();
    let number = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("8 bytes")) as usize;
    let all = comm.all_gather(&own)?;
    Ok(all.iter().map(|sizes| std::array::from_fn(|q| number(&sizes[8 * q..][..8]))).collect())
}

/// Indices of rows are of 32 bits.
fn check_rows(n_rows: usize) -> Result<()> {
    if n_rows < u32::MAX as usize {
        return Ok(());
    }
    Err(Error::Mismatch(format!("{n_rows} rows: a matrix has fewer than 2^32 - 1; split the data")))
}
