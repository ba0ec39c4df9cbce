//! Texts in: documents are counted where they are, terms meet at the rank of their hash, and the weighed
//! entries go to the owners of their columns.
//!
//! Block b of 4,096 documents belongs to rank `b % size`, whoever has read it. The vocabulary and its
//! weights are on every rank; the texts are given up once they are counted.

use std::path::PathBuf;

use anyhow::bail;
use serde::{Deserialize, Serialize};
use xray_cli::args::{InputArgs, TextArgs};
use xray_data::text::{CountedDocuments, TermCount, TextOptions, Vectorizer};
use xray_data::{Documents, Input, LoadOptions, Loaded, Share, load};
use xray_nmf::comm::Communicator;
use xray_nmf::{Matrix, ROW_BLOCK, SparseMatrix, rank_columns};

use crate::agree::{same_everywhere, together};
use crate::exchange::{Entry, assemble_columns, exchange};
use crate::files::{data_files, fingerprint, own_files};
use crate::ingest::gather_sizes;

// Refinement and reading must agree on who has which documents.
const _: () = assert!(Share::BLOCK == ROW_BLOCK);

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

/// Reads and weighs texts on all ranks.
///
/// # Errors
/// The same on all ranks, if any of them cannot read its part.
pub fn read_corpus(
    comm: &impl Communicator,
    input: &InputArgs,
    text: &TextArgs,
) -> anyhow::Result<SharedCorpus> {
    let options = together(comm, text.options(true))?;
    let share = Share { part: comm.rank(), parts: comm.size() };
    let Documents { ids, texts, labels } = read_documents(comm, input, share)?;
    let n_documents = gather_sizes(comm, [texts.len()])?.iter().map(|size| size[0]).sum();
    let labelled = comm.all_gather(&[u8::from(labels.is_some())])?.iter().any(|any| any[0] == 1);
    let labels = labelled.then(|| labels.unwrap_or_else(|| vec![String::new(); ids.len()]));
    let counted = together(comm, CountedDocuments::new(&options, &texts).map_err(Into::into))?;
    drop(texts);
    let vectorizer = learn(comm, options, &counted, n_documents)?;
    let rows = together(comm, vectorizer.weigh(&counted).map_err(Into::into))?;
    drop(counted);
    let columns = columns_of(comm, &rows, share, n_documents)?;
    let n_entries = gather_sizes(comm, [rows.n_entries()])?.iter().map(|size| size[0]).sum();
    Ok(SharedCorpus { columns, rows, vectorizer, ids, labels, n_documents, n_entries })
}

/// The own documents, in order.
fn read_documents(
    comm: &impl Communicator,
    input: &InputArgs,
    share: Share,
) -> anyhow::Result<Documents> {
    let source = input.source();
    match together(comm, data_files(&input.data))? {
        None => {
            if source == Input::Stdin && comm.size() > 1 {
                bail!("standard input reaches only one rank; name a file that all ranks can read");
            }
            let print = together(comm, fingerprint(&source))?;
            same_everywhere(comm, "the data", &print)?;
            let options = LoadOptions { share: Some(share), ..input.load_options() };
            together(comm, load_texts(&source, &options))
        }
        Some(files) => {
            let own = own_files(&files, comm.rank(), comm.size());
            let loaded = together(comm, load_files(own, &input.load_options()))?;
            to_block_owners(comm, loaded)
        }
    }
}

fn load_texts(source: &Input, options: &LoadOptions) -> anyhow::Result<Documents> {
    match load(source, options)? {
        Loaded::Documents(documents) => Ok(documents),
        Loaded::Table(_) => bail!(
            "{}: found numbers, expected texts; weigh the matrix with `xray convert --weighting tfidf` \
             and use `xray-mpi factorize`",
            source.name()
        ),
    }
}

fn load_files(files: &[PathBuf], options: &LoadOptions) -> anyhow::Result<Documents> {
    let mut all = Documents::default();
    let mut labels = Vec::new();
    for file in files {
        let documents = load_texts(&Input::Path(file.clone()), options)?;
        let n = documents.len();
        let labelled = documents.labels.is_some();
        labels.extend(documents.labels.unwrap_or_else(|| vec![String::new(); n]));
        all.labels = (labelled || all.labels.is_some()).then(Vec::new);
        all.ids.extend(documents.ids);
        all.texts.extend(documents.texts);
    }
    all.labels = all.labels.map(|_| labels);
    Ok(all)
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
fn to_block_owners(comm: &impl Communicator, documents: Documents) -> anyhow::Result<Documents> {
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
    comm: &impl Communicator,
    options: TextOptions,
    counted: &CountedDocuments,
    n_documents: usize,
) -> anyhow::Result<Vectorizer> {
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
    let (min, max) = together(comm, options.frequency_range(n_documents).map_err(Into::into))?;
    let mut own = Vec::new();
    let frequent = |t: &&TermCount| (min..=max).contains(&(t.document_frequency as f64));
    merged.values().filter(frequent).for_each(|term| write_term(term, &mut own));
    drop(merged);
    let kept = comm.all_gather(&own)?.iter().flat_map(|part| read_terms(part)).collect();
    together(comm, Vectorizer::from_terms(options, n_documents, kept).map_err(Into::into))
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
    comm: &impl Communicator,
    rows: &SparseMatrix<'static, f64>,
    share: Share,
    n_documents: usize,
) -> anyhow::Result<SparseMatrix<'static, f64>> {
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
    together(comm, columns.map_err(Into::into))
}
