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
mod facts;
mod files;
mod side;
mod tables;
mod texts;
mod weigh;

use xray_data::{
    FileHash, Input, Inputs, LoadOptions, Loaded, Noticed, Origin, ReadParts, Reading, Schema,
    Share, load_inputs, load_with_origin, read_parts,
};
use xray_nmf::comm::{Collectives, Communicator};

pub(crate) use exchange::{Entry, exchange};
pub use facts::InputFacts;
pub use files::fingerprint;
pub(crate) use tables::own_rows;
pub use texts::OwnDocuments;
pub(crate) use texts::{read_text, write_text};
pub use weigh::{weigh, weigh_counts};

use crate::agree::together;
use crate::corpus::Corpus;
use crate::error::{Error, Result};
use files::{check_same_data, check_same_list, check_side_files};
use side::{with_labels, with_names};
use tables::{corpus_of_files, corpus_of_one};
use texts::{documents_of_files, documents_of_one};

/// What was read: the own documents, or a table of numbers as a corpus that is not weighed.
#[derive(Debug)]
pub enum Content {
    /// Texts.
    Documents(Box<OwnDocuments>),
    /// Numbers.
    Table(Box<Corpus>),
}

impl Content {
    /// The first `length` characters or so of each own document; none of numbers.
    pub fn beginnings(&self, length: usize) -> Option<Vec<String>> {
        let Content::Documents(documents) = self else { return None };
        Some(documents.own.texts.iter().map(|text| beginning(text, length)).collect())
    }

    /// The date of each own document or row as the file has it, handed over; none if no column of dates was chosen.
    pub fn take_times(&mut self) -> Option<Vec<String>> {
        match self {
            Content::Documents(documents) => documents.own.times.take(),
            Content::Table(corpus) => corpus.rows.times.take(),
        }
    }

    /// Number of documents or rows on all ranks.
    pub fn n_rows(&self) -> usize {
        match self {
            Content::Documents(documents) => documents.n_documents,
            Content::Table(corpus) => corpus.n_documents(),
        }
    }
}

/// The first `length` characters or so of a text, in whole words with one blank between them.
pub fn beginning(text: &str, length: usize) -> String {
    let (mut words, mut n) = (String::new(), 0);
    for word in text.split_whitespace() {
        let letters = word.chars().count();
        if n + letters > length {
            words.extend(word.chars().take(length.saturating_sub(n)));
            words.push('…');
            break;
        }
        words += word;
        words.push(' ');
        n += letters + 1;
    }
    words.truncate(words.trim_end().len());
    words
}

/// Reads texts or numbers; collective. Many files are read as one: rank 0 decides what they have in common.
///
/// # Errors
/// The same on all ranks, if any of them cannot read its part or the parts do not fit together.
pub fn read(comm: &dyn Communicator, inputs: &Inputs, options: &LoadOptions) -> Result<Content> {
    let content = match inputs.single() {
        _ if comm.is_alone() => read_alone(comm, inputs, options)?,
        Some(input) => read_one_file(comm, input, options)?,
        None => read_many_files(comm, inputs, options)?,
    };
    match (&content, for_matrices(options)) {
        (Content::Documents(_), Some(option)) => {
            let message = format!("{option} is for matrices, and {} holds texts", inputs.name());
            together(comm, Err(Error::Usage(message)))
        }
        _ => Ok(content),
    }
}

/// An option that means nothing for texts, and would be lost.
fn for_matrices(options: &LoadOptions) -> Option<&'static str> {
    let given = [
        ("--transpose", options.transpose),
        ("--terms", options.column_names.is_some()),
        ("--row-names", options.row_names.is_some()),
    ];
    given.into_iter().find(|(_, given)| *given).map(|(option, _)| option)
}

/// Reads numbers; texts are refused; collective.
///
/// # Errors
/// As [`read`].
pub fn read_table(
    comm: &dyn Communicator,
    inputs: &Inputs,
    options: &LoadOptions,
) -> Result<Corpus> {
    as_table(comm, read(comm, inputs, options)?, inputs.name())
}

/// The numbers that were read from an input of this name; texts are refused; collective.
///
/// # Errors
/// If they are texts.
pub fn as_table(comm: &dyn Communicator, content: Content, name: &str) -> Result<Corpus> {
    match content {
        Content::Table(corpus) => Ok(*corpus),
        Content::Documents(documents) => {
            let n = documents.n_documents;
            let message = format!(
                "{name}: found {n} texts, expected numbers; use `xray topics`, or make a matrix with \
                 `xray convert`"
            );
            together(comm, Err(Error::Mismatch(message)))
        }
    }
}

/// One rank has everything.
fn read_alone(comm: &dyn Communicator, inputs: &Inputs, options: &LoadOptions) -> Result<Content> {
    match load_inputs(inputs, options)? {
        (Loaded::Documents(documents), origin) => {
            Ok(Content::Documents(documents_of_one(comm, documents, origin)?.into()))
        }
        (Loaded::Table(table), origin) => {
            Ok(Content::Table(Box::new(Corpus { origin: Some(origin), ..Corpus::whole(table) })))
        }
    }
}

/// Every rank reads the file and keeps its part of it.
fn read_one_file(comm: &dyn Communicator, input: &Input, options: &LoadOptions) -> Result<Content> {
    check_same_data(comm, input)?;
    check_side_files(comm, options)?;
    let share = Some(Share { part: comm.rank(), parts: comm.size() });
    let options = LoadOptions { share, ..options.clone() };
    let (loaded, mut origin) = together(comm, load_with_origin(input, &options))?;
    if let Some(reading) = &mut origin.reading {
        // Of a folder every rank has read its own files.
        let encodings = std::mem::take(&mut reading.noticed.encodings);
        let own = Noticed { encodings, ..Noticed::default() };
        reading.noticed.encodings = noticed_by_all(comm, &own)?.encodings;
    }
    match (loaded, origin) {
        (Loaded::Documents(documents), origin) => {
            Ok(Content::Documents(documents_of_one(comm, documents, origin)?.into()))
        }
        (Loaded::Table(table), origin) => {
            let corpus = corpus_of_one(comm, table)?;
            Ok(Content::Table(Box::new(Corpus { origin: Some(origin), ..corpus })))
        }
    }
}

/// Every rank reads its files, and what is another's travels.
fn read_many_files(
    comm: &dyn Communicator,
    inputs: &Inputs,
    options: &LoadOptions,
) -> Result<Content> {
    check_same_list(comm, inputs)?;
    check_side_files(comm, options)?;
    let schema = shared_schema(comm, inputs, options)?;
    let own = inputs.share(comm.rank(), comm.size());
    let own = together(comm, read_parts(inputs, &schema, options, own))?;
    let ReadParts { loaded, files, blank_lines, noticed } = own;
    let (blank_lines, noticed) = (comm.total(blank_lines)?, noticed_by_all(comm, &noticed)?);
    let reading = Reading { schema: schema.clone(), blank_lines, noticed };
    let origin = Origin { reading: Some(Box::new(reading)), ..origin_of_all(comm, inputs, files)? };
    let tables = comm.any(matches!(loaded, Some(Loaded::Table(_))))?;
    let texts = comm.any(matches!(loaded, Some(Loaded::Documents(_))))?;
    let problem = match (texts, tables) {
        (true, true) => "some of the files hold texts and others numbers",
        (false, false) => "no records in any of the files",
        (false, true) if options.transpose => {
            "several files hold some of the rows each and cannot be transposed"
        }
        (true, false) => {
            let documents = loaded.and_then(Loaded::into_documents).unwrap_or_default();
            let documents = documents_of_files(comm, documents, &schema, origin)?;
            return Ok(Content::Documents(with_labels(comm, documents, options)?.into()));
        }
        (false, true) => {
            let open = schema.zero_based.is_some();
            let corpus = corpus_of_files(comm, loaded.and_then(Loaded::into_table), open)?;
            let corpus = with_names(comm, Corpus { origin: Some(origin), ..corpus }, options)?;
            return Ok(Content::Table(Box::new(corpus)));
        }
    };
    together(comm, Err(Error::Mismatch(format!("{}: {problem}", inputs.name()))))
}

/// What rank 0 decides about the files, on all ranks.
fn shared_schema(
    comm: &dyn Communicator,
    inputs: &Inputs,
    options: &LoadOptions,
) -> Result<Schema> {
    let first = comm.rank() == 0;
    let decided = if first { Schema::decide(inputs, options).map(Some) } else { Ok(None) };
    let mut message = serde_json::to_vec(&together(comm, decided)?)?;
    comm.broadcast(0, &mut message)?;
    serde_json::from_slice::<Option<Schema>>(&message)?
        .ok_or_else(|| Error::Mismatch("rank 0 has decided nothing".into()))
}

/// The files of all ranks, in order.
fn origin_of_all(comm: &dyn Communicator, inputs: &Inputs, own: Vec<FileHash>) -> Result<Origin> {
    let mut files: Vec<FileHash> = Vec::new();
    for message in comm.all_gather(&serde_json::to_vec(&own)?)? {
        files.extend(serde_json::from_slice::<Vec<FileHash>>(&message)?);
    }
    Ok(Origin { name: inputs.name().to_owned(), files, reading: None })
}

/// What all ranks have noticed.
fn noticed_by_all(comm: &dyn Communicator, own: &Noticed) -> Result<Noticed> {
    let mut all = Noticed::default();
    for message in comm.all_gather(&serde_json::to_vec(own)?)? {
        all = all.and(&serde_json::from_slice(&message)?);
    }
    Ok(all)
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
