//! Texts in: documents are counted where they are, terms meet at the rank of their hash, and the weighed
//! entries go to the owners of their columns.
//!
//! A matrix of counts is read by columns and weighed by rows, so its entries travel twice.
//!
//! Block b of 4,096 documents belongs to rank `b % size`, whoever has read it. The vocabulary and its
//! weights are on every rank; the texts are given up once they are counted.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use xray_data::text::{
    ColumnCount, CountedDocuments, TermCount, TextOptions, Vectorizer, position_names,
};
use xray_data::{Documents, Input, LoadOptions, Loaded, Share, load};
use xray_nmf::comm::Communicator;
use xray_nmf::{Matrix, ROW_BLOCK, SparseMatrix, rank_columns};

use super::exchange::{Entry, assemble_columns, exchange};
use super::files::{check_same_data, data_files, own_files};
use super::tables::{
    Part, RowNames, Shard, check_same_list, gather_sizes, shard_of_many, shard_of_one,
};
use crate::agree::{same_everywhere, together};
use crate::corpus::{into_sparse, is_whole};
use crate::error::{Error, Result};
use crate::options::TextRequest;
use crate::rows::{numbers, own_rows, own_share};

/// What one rank has of a weighed corpus.
#[derive(Debug)]
pub struct SharedCorpus {
    /// The own columns (words), with all documents.
    pub columns: SparseMatrix<'static, f64>,
    /// The own documents, with all words.
    pub rows: SparseMatrix<'static, f64>,
    /// The vocabulary, and how documents were weighed.
    pub vectorizer: Vectorizer,
    /// Names of the own documents.
    pub ids: Vec<String>,
    /// Classes of the own documents, if any rank's have some.
    pub labels: Option<Vec<String>>,
    /// Number of documents on all ranks.
    pub n_documents: usize,
    /// Number of entries on all ranks.
    pub n_entries: usize,
}

/// Reads and weighs texts, or a matrix of counts, on all ranks.
///
/// # Errors
/// The same on all ranks, if any of them cannot read its part.
pub fn read_corpus(
    comm: &dyn Communicator,
    data: &Path,
    options: &LoadOptions,
    text: &TextRequest,
) -> Result<SharedCorpus> {
    match together(comm, data_files(data))? {
        None => read_one_file(comm, data, options, text),
        Some(files) => read_many_files(comm, &files, options, text),
    }
}

fn read_one_file(
    comm: &dyn Communicator,
    data: &Path,
    options: &LoadOptions,
    text: &TextRequest,
) -> Result<SharedCorpus> {
    let source = Input::from(data);
    check_same_data(comm, &source)?;
    let options = LoadOptions { share: Some(own_share(comm)), ..options.clone() };
    match together(comm, load(&source, &options))? {
        Loaded::Documents(documents) => {
            together(comm, refuse_transpose(&options))?;
            weigh_texts(comm, documents, text)
        }
        Loaded::Table(table) => weigh_counts(comm, shard_of_one(comm, table)?, text),
    }
}

fn refuse_transpose(options: &LoadOptions) -> Result<()> {
    if options.transpose {
        return Err(Error::Usage("--transpose is for matrices, and this is text".into()));
    }
    Ok(())
}

fn read_many_files(
    comm: &dyn Communicator,
    files: &[PathBuf],
    options: &LoadOptions,
    text: &TextRequest,
) -> Result<SharedCorpus> {
    together(comm, refuse_transpose(options))?;
    check_same_list(comm, files)?;
    let files = own_files(files, comm.rank(), comm.size());
    let own = files.iter().map(|file| load(&Input::Path(file.clone()), options));
    let own: Result<Vec<Loaded>, xray_data::Error> = own.collect();
    let (mut texts, mut tables) = (Vec::new(), Vec::new());
    for (loaded, file) in together(comm, own)?.into_iter().zip(files) {
        match loaded {
            Loaded::Documents(documents) => texts.push(documents),
            Loaded::Table(table) => tables.push(Part { file: file.clone(), table }),
        }
    }
    let kinds = gather_sizes(comm, [texts.len(), tables.len()])?;
    let [n_texts, n_tables] = [0, 1].map(|q| kinds.iter().map(|kind| kind[q]).sum::<usize>());
    let mixed = (n_texts > 0 && n_tables > 0)
        .then(|| format!("{n_texts} of the files hold texts and {n_tables} numbers"));
    together(comm, mixed.map_or(Ok(()), |message| Err(Error::Mismatch(message))))?;
    match n_tables > 0 {
        true => weigh_counts(comm, shard_of_many(comm, tables)?, text),
        false => weigh_texts(comm, to_block_owners(comm, joined(texts))?, text),
    }
}

/// Documents that were read file by file.
fn joined(parts: Vec<Documents>) -> Documents {
    let mut all = Documents::default();
    let mut labels = Vec::new();
    let labelled = parts.iter().any(|part| part.labels.is_some());
    for part in parts {
        let n = part.len();
        labels.extend(part.labels.unwrap_or_else(|| vec![String::new(); n]));
        all.ids.extend(part.ids);
        all.texts.extend(part.texts);
    }
    all.labels = labelled.then_some(labels);
    all
}

/// The options, with what they read from files (stop words), if they are the same on all ranks.
fn same_options(comm: &dyn Communicator, options: TextOptions) -> Result<TextOptions> {
    same_everywhere(comm, "the options for texts", &serde_json::to_vec(&options)?)?;
    Ok(options)
}

/// From the own documents.
fn weigh_texts(
    comm: &dyn Communicator,
    documents: Documents,
    text: &TextRequest,
) -> Result<SharedCorpus> {
    let options = same_options(comm, text.options(true))?;
    let Documents { ids, texts, labels } = documents;
    let n_documents = gather_sizes(comm, [texts.len()])?.iter().map(|size| size[0]).sum();
    let counted = together(comm, CountedDocuments::new(&options, &texts))?;
    drop(texts);
    let vectorizer = learn(comm, options, &counted, n_documents)?;
    let rows = together(comm, vectorizer.weigh(&counted))?;
    drop(counted);
    corpus_of_rows(comm, rows, vectorizer, ids, labels, n_documents)
}

/// From the own columns of a matrix of counts, or of weights that are left as they are.
fn weigh_counts(comm: &dyn Communicator, shard: Shard, text: &TextRequest) -> Result<SharedCorpus> {
    let Shard { matrix, n_columns, column_names, rows: row_names, .. } = shard;
    let whole = comm.all_gather(&[u8::from(is_whole(&matrix))])?.iter().all(|w| w[0] == 1);
    let options = same_options(comm, text.options(whole))?;
    let names = column_names.unwrap_or_else(|| position_names(n_columns));
    let counts = together(comm, into_sparse(matrix))?;
    let n_documents = counts.n_rows();
    let columns = gather_columns(comm, &counts, n_columns)?;
    let vectorizer = Vectorizer::from_columns(options, n_documents, names.clone(), &columns);
    let vectorizer = together(comm, vectorizer)?;
    let rows = own_rows(comm, &counts, n_columns)?;
    drop(counts);
    let weighed = vectorizer.transform_counts(&rows, Some(&names));
    drop(rows);
    let weighed = together(comm, weighed)?;
    let (ids, labels) = own_row_names(comm, row_names)?;
    corpus_of_rows(comm, weighed, vectorizer, ids, labels, n_documents)
}

/// What is known of each column, on all ranks.
fn gather_columns(
    comm: &dyn Communicator,
    own: &SparseMatrix<'static, f64>,
    n_columns: usize,
) -> Result<Vec<ColumnCount>> {
    let bytes = |c: &ColumnCount| [c.document_frequency as f64, c.total].map(f64::to_le_bytes);
    let own = ColumnCount::of_columns(own).iter().flat_map(bytes).flatten().collect::<Vec<u8>>();
    let all: Vec<f64> = comm.all_gather(&own)?.iter().flat_map(|part| numbers(part)).collect();
    let all = rank_columns(n_columns, comm.rank(), comm.size()).in_order(&all, 2);
    let column = |c: &[f64]| ColumnCount { document_frequency: c[0] as u64, total: c[1] };
    Ok(all.chunks_exact(2).map(column).collect())
}

/// Names and classes of the own rows.
fn own_row_names(
    comm: &dyn Communicator,
    rows: RowNames,
) -> Result<(Vec<String>, Option<Vec<String>>)> {
    let places = || rows.listed.clone().map(|d| d.to_string()).collect();
    let ids: Vec<String> = rows.names.unwrap_or_else(places);
    if rows.shared {
        let share = own_share(comm);
        let own = |list: Vec<String>| -> Vec<String> {
            let kept = list.into_iter().enumerate().filter(|(d, _)| share.keeps_document(*d));
            kept.map(|(_, name)| name).collect()
        };
        return Ok((own(ids), rows.labels.map(own)));
    }
    let texts = vec![String::new(); ids.len()];
    let Documents { ids, labels, .. } =
        to_block_owners(comm, Documents { ids, texts, labels: rows.labels })?;
    Ok((ids, labels))
}

/// The corpus of weighed rows: their entries go to the owners of their columns.
fn corpus_of_rows(
    comm: &dyn Communicator,
    rows: SparseMatrix<'static, f64>,
    vectorizer: Vectorizer,
    ids: Vec<String>,
    labels: Option<Vec<String>>,
    n_documents: usize,
) -> Result<SharedCorpus> {
    let labelled = comm.all_gather(&[u8::from(labels.is_some())])?.iter().any(|any| any[0] == 1);
    let labels = labelled.then(|| labels.unwrap_or_else(|| vec![String::new(); ids.len()]));
    let columns = columns_of(comm, &rows, own_share(comm), n_documents)?;
    let n_entries = gather_sizes(comm, [rows.n_entries()])?.iter().map(|size| size[0]).sum();
    Ok(SharedCorpus { columns, rows, vectorizer, ids, labels, n_documents, n_entries })
}

/// A document on its way.
#[derive(Serialize, Deserialize)]
struct Travelling {
    place: usize,
    id: String,
    label: Option<String>,
    text: String,
}

/// Documents that were read in consecutive parts, to the owners of their blocks.
fn to_block_owners(comm: &dyn Communicator, documents: Documents) -> Result<Documents> {
    let sizes = gather_sizes(comm, [documents.len()])?;
    let first: usize = sizes[..comm.rank()].iter().map(|size| size[0]).sum();
    let Documents { ids, texts, labels } = documents;
    let mut labels = labels.map(Vec::into_iter);
    let mut outgoing: Vec<Vec<Travelling>> = (0..comm.size()).map(|_| Vec::new()).collect();
    for (k, (id, text)) in ids.into_iter().zip(texts).enumerate() {
        let place = first + k;
        let label = labels.as_mut().and_then(Iterator::next);
        outgoing[place / ROW_BLOCK % comm.size()].push(Travelling { place, id, label, text });
    }
    let messages = outgoing.iter().map(serde_json::to_vec).collect::<Result<_, _>>()?;
    drop(outgoing);
    // Ranks have read consecutive parts, so what arrives in rank order is in document order.
    let mut own = Documents::default();
    let mut labels = Vec::new();
    let mut labelled = false;
    for message in comm.all_to_all(messages)? {
        for document in serde_json::from_slice::<Vec<Travelling>>(&message)? {
            labelled |= document.label.is_some();
            labels.push(document.label.unwrap_or_default());
            own.ids.push(document.id);
            own.texts.push(document.text);
        }
    }
    own.labels = labelled.then_some(labels);
    Ok(own)
}

/// Vocabulary and weights, the same on all ranks, from what each has counted.
fn learn(
    comm: &dyn Communicator,
    options: TextOptions,
    counted: &CountedDocuments,
    n_documents: usize,
) -> Result<Vectorizer> {
    let mut messages = vec![Vec::new(); comm.size()];
    for term in counted.terms() {
        let hash = blake3::hash(term.term.as_bytes());
        let place = u32::from_le_bytes(hash.as_bytes()[..4].try_into().expect("4 bytes"));
        write_term(&term, &mut messages[place as usize % comm.size()]);
    }
    let mut merged: std::collections::HashMap<String, TermCount> = std::collections::HashMap::new();
    for message in comm.all_to_all(messages)? {
        for term in read_terms(&message) {
            match merged.get_mut(&term.term) {
                Some(known) => {
                    known.document_frequency += term.document_frequency;
                    known.total += term.total;
                }
                None => {
                    merged.insert(term.term.clone(), term);
                }
            }
        }
    }
    let (min, max) = together(comm, options.frequency_range(n_documents))?;
    let mut own = Vec::new();
    let frequent = |t: &&TermCount| (min..=max).contains(&(t.document_frequency as f64));
    merged.values().filter(frequent).for_each(|term| write_term(term, &mut own));
    drop(merged);
    let kept = comm.all_gather(&own)?.iter().flat_map(|part| read_terms(part)).collect();
    together(comm, Vectorizer::from_terms(options, n_documents, kept))
}

/// Frequency, total, length and text.
fn write_term(term: &TermCount, out: &mut Vec<u8>) {
    for number in [term.document_frequency, term.total, term.term.len() as u64] {
        out.extend_from_slice(&number.to_le_bytes());
    }
    out.extend_from_slice(term.term.as_bytes());
}

fn read_terms(mut bytes: &[u8]) -> Vec<TermCount> {
    let mut terms = Vec::new();
    while let Some((head, rest)) = bytes.split_at_checked(24) {
        let number = |q: usize| u64::from_le_bytes(head[8 * q..][..8].try_into().expect("8 bytes"));
        let (text, rest) = rest.split_at(number(2) as usize);
        let term = String::from_utf8_lossy(text).into_owned();
        terms.push(TermCount { term, document_frequency: number(0), total: number(1) });
        bytes = rest;
    }
    terms
}

/// The own columns, from all ranks' rows.
fn columns_of(
    comm: &dyn Communicator,
    rows: &SparseMatrix<'static, f64>,
    share: Share,
    n_documents: usize,
) -> Result<SparseMatrix<'static, f64>> {
    let n = rows.n_columns();
    let (offsets, columns, values) = rows.csr();
    let entries = (0..rows.n_rows()).flat_map(|k| {
        let row = share.document(k) as u32;
        (offsets[k]..offsets[k + 1]).map(move |q| Entry {
            row,
            column: columns[q],
            value: values[q],
        })
    });
    let own = rank_columns(n, comm.rank(), comm.size());
    let arrived = exchange(comm, entries, |e| own.owner(e.column as usize))?;
    let columns = assemble_columns(n_documents, &own, arrived);
    together(comm, columns)
}
