//! Content to a corpus: documents are counted where they are, terms meet at the rank of their hash, and the
//! weighed entries go to the owners of their columns.
//!
//! A matrix of counts is read by columns and weighed by rows, so its entries travel twice. The vocabulary
//! and its weights are on every rank; texts and counts are given up once they are weighed.

use std::collections::HashMap;

use xray_data::text::{
    ColumnCount, CountedDocuments, Dropped, FormCount, TermCount, TextOptions, Vectorizer,
    position_names,
};
use xray_data::{Documents, LoadedMatrix, Table};
use xray_nmf::comm::{Collectives, Communicator};
use xray_nmf::{Ownership, SparseMatrix};

use super::Content;
use super::exchange::{Entry, exchange, exchange_records};
use super::tables::own_rows;
use super::texts::{OwnDocuments, read_text, write_text};
use crate::agree::{same_everywhere, together};
use crate::corpus::{ColumnNames, Corpus, DistributedMatrix, RowNames, into_sparse, is_whole};
use crate::error::Result;
use crate::options::TextRequest;

/// Weighs texts, and numbers as counts; collective.
///
/// # Errors
/// The same on all ranks, if an option is out of range, or no word is left.
pub fn weigh(comm: &dyn Communicator, content: Content, text: &TextRequest) -> Result<Corpus> {
    match content {
        Content::Documents(documents) => weigh_texts(comm, *documents, text),
        Content::Table(corpus) => weigh_table(comm, *corpus, text),
    }
}

/// Weighs texts and counts, and leaves other numbers as they are: dense tables, and sparse ones with
/// fractions unless a weighting was asked for; collective.
///
/// # Errors
/// As [`weigh`].
pub fn weigh_counts(
    comm: &dyn Communicator,
    content: Content,
    text: &TextRequest,
) -> Result<Corpus> {
    let corpus = match content {
        Content::Documents(documents) => return weigh_texts(comm, *documents, text),
        Content::Table(corpus) => corpus,
    };
    let sparse = !corpus.matrix.is_dense();
    let counts = !comm.any(!is_whole(corpus.matrix.columns()))?;
    if sparse && (text.weighting.is_some() || counts) {
        return weigh_table(comm, *corpus, text);
    }
    Ok(*corpus)
}

/// From the own documents.
fn weigh_texts(
    comm: &dyn Communicator,
    documents: OwnDocuments,
    text: &TextRequest,
) -> Result<Corpus> {
    let options = text.options(true);
    let OwnDocuments { own, n_documents, origin } = documents;
    if comm.is_alone() {
        return Ok(Corpus { origin, ..Corpus::from_documents(own, options)? });
    }
    same_everywhere(comm, "the options for texts", &serde_json::to_vec(&options)?)?;
    let Documents { ids, texts, labels, .. } = own;
    let counted = together(comm, CountedDocuments::new(&options, &texts))?;
    drop(texts);
    let (vectorizer, dropped) = learn(comm, options, &counted, n_documents)?;
    let rows = together(comm, vectorizer.weigh(&counted))?;
    drop(counted);
    let own = Ownership::rows(n_documents, comm);
    let matrix = matrix_of_rows(comm, rows, &own)?;
    let names = ColumnNames::Words(Box::new(vectorizer));
    let rows = RowNames { own, ids: Some(ids), labels, times: None };
    Ok(Corpus { matrix, names, rows, origin, dropped: Some(dropped) })
}

/// From a matrix of counts, or of weights that are left as they are.
fn weigh_table(comm: &dyn Communicator, corpus: Corpus, text: &TextRequest) -> Result<Corpus> {
    let Corpus { matrix, names, rows: row_names, origin, .. } = corpus;
    let options = text.options(!comm.any(!is_whole(matrix.columns()))?);
    let column_names = match names {
        ColumnNames::Given(names) => Some(names),
        ColumnNames::Words(_) | ColumnNames::Positions => None,
    };
    if comm.size() == 1 {
        let RowNames { ids, labels, .. } = row_names;
        let matrix = matrix.into_columns();
        let table = Table { matrix, row_names: ids, column_names, labels, times: None };
        return Ok(Corpus { origin, ..Corpus::from_table(table, options)? });
    }
    same_everywhere(comm, "the options for texts", &serde_json::to_vec(&options)?)?;
    let n_columns = matrix.n_columns();
    let names = column_names.unwrap_or_else(|| position_names(n_columns));
    let counts = together(comm, into_sparse(matrix.into_columns()))?;
    let columns = gather_columns(comm, &counts, n_columns)?;
    let vectorizer = Vectorizer::from_columns(options, row_names.own.n(), names.clone(), &columns);
    let vectorizer = together(comm, vectorizer)?;
    let rows = own_rows(comm, &counts, n_columns)?;
    drop(counts);
    let weighed = vectorizer.transform_counts(&rows, Some(&names));
    drop(rows);
    let matrix = matrix_of_rows(comm, together(comm, weighed)?, &row_names.own)?;
    let names = ColumnNames::Words(Box::new(vectorizer));
    Ok(Corpus { matrix, names, rows: row_names, origin, dropped: None })
}

/// What is known of each column, on all ranks.
fn gather_columns(
    comm: &dyn Communicator,
    own: &SparseMatrix<'static, f64>,
    n_columns: usize,
) -> Result<Vec<ColumnCount>> {
    let numbers = |c: &ColumnCount| [c.document_frequency as f64, c.total];
    let own: Vec<f64> = ColumnCount::of_columns(own).iter().flat_map(numbers).collect();
    let all = comm.gather(&own)?;
    let all = Ownership::columns(n_columns, comm).in_order(&all, 2);
    let column = |c: &[f64]| ColumnCount { document_frequency: c[0] as u64, total: c[1] };
    Ok(all.chunks_exact(2).map(column).collect())
}

/// The matrix of weighed rows: their entries go to the owners of their columns.
fn matrix_of_rows(
    comm: &dyn Communicator,
    rows: SparseMatrix<'static, f64>,
    own: &Ownership,
) -> Result<DistributedMatrix> {
    let n_columns = xray_nmf::Matrix::n_columns(&rows);
    let (offsets, columns, values) = rows.csr();
    let entries = || {
        (0..own.n_own()).flat_map(|k| {
            let place = own.global(k) as u32;
            (offsets[k]..offsets[k + 1]).map(move |q| Entry {
                line: columns[q],
                place,
                value: values[q],
            })
        })
    };
    let layout = Ownership::columns(n_columns, comm);
    let arrived = together(comm, exchange(comm, &layout, own.n(), entries))?;
    let n_entries = comm.total(rows.n_entries())?;
    let columns = LoadedMatrix::Sparse(arrived);
    Ok(DistributedMatrix::shared(columns, n_columns, n_entries, false).with_rows(rows))
}

/// Vocabulary and weights, and what was dropped, the same on all ranks, from what each has counted.
fn learn(
    comm: &dyn Communicator,
    options: TextOptions,
    counted: &CountedDocuments,
    n_documents: usize,
) -> Result<(Vectorizer, Dropped)> {
    let mut leaving = counted.terms().into_iter();
    let write = |messages: &mut [Vec<u8>]| {
        let term = leaving.next()?;
        let message = &mut messages[meeting_place(&term.term, comm.size())];
        let before = message.len();
        write_term(&term, message);
        Some(message.len() - before)
    };
    let mut merged: HashMap<String, [u64; 2]> = HashMap::new();
    let read = |message: &[u8]| {
        for term in read_terms(message) {
            let [frequency, sum] = merged.entry(term.term).or_default();
            *frequency += term.document_frequency;
            *sum += term.total;
        }
    };
    exchange_records(comm, write, read)?;
    let (min, max) = together(comm, options.frequency_range(n_documents))?;
    let (mut own, mut dropped) = (Vec::new(), counted.dropped());
    for (term, [document_frequency, total]) in merged {
        dropped.rare += u64::from((document_frequency as f64) < min);
        dropped.frequent += u64::from(document_frequency as f64 > max);
        if (min..=max).contains(&(document_frequency as f64)) {
            write_term(&TermCount { term, document_frequency, total }, &mut own);
        }
    }
    let kept: Vec<_> = comm.all_gather(&own)?.iter().flat_map(|part| read_terms(part)).collect();
    let mut dropped = total_dropped(comm, dropped)?;
    let n_kept = kept.len();
    let vectorizer = together(comm, Vectorizer::from_terms(options, n_documents, kept))?;
    dropped.surplus = (n_kept - vectorizer.vocabulary().len()) as u64;
    Ok((vectorizer.shown_as(forms(comm, counted)?), dropped))
}

/// For each stem the words that stand for it most often, on all ranks: those of a stem meet at the rank of its hash.
fn forms(comm: &dyn Communicator, counted: &CountedDocuments) -> Result<Vec<FormCount>> {
    let mut leaving = counted.forms().into_iter();
    let write = |messages: &mut [Vec<u8>]| {
        let form = leaving.next()?;
        let message = &mut messages[meeting_place(&form.stem, comm.size())];
        let before = message.len();
        write_form(&form, message);
        Some(message.len() - before)
    };
    let mut merged: HashMap<(String, String), u64> = HashMap::new();
    let read = |message: &[u8]| {
        for FormCount { stem, word, total } in read_forms(message) {
            *merged.entry((stem, word)).or_default() += total;
        }
    };
    exchange_records(comm, write, read)?;
    let merged = merged.into_iter().map(|((stem, word), total)| FormCount { stem, word, total });
    let best = FormCount::most_frequent(merged);
    let mut own = Vec::new();
    best.values().for_each(|form| write_form(form, &mut own));
    Ok(comm.all_gather(&own)?.iter().flat_map(|part| read_forms(part)).collect())
}

/// The rank where all that is known of a term meets.
fn meeting_place(term: &str, n_ranks: usize) -> usize {
    let hash = blake3::hash(term.as_bytes());
    u32::from_le_bytes(*hash.as_bytes().first_chunk().expect("32 bytes")) as usize % n_ranks
}

/// What all ranks have dropped.
fn total_dropped(comm: &dyn Communicator, own: Dropped) -> Result<Dropped> {
    let all = comm.gather(&own.counts())?;
    let (ranks, _) = all.as_chunks();
    Ok(ranks.iter().fold(Dropped::default(), |sum, rank| sum.plus(Dropped::from_counts(*rank))))
}

/// Frequency, total, length and text.
fn write_term(term: &TermCount, message: &mut Vec<u8>) {
    for number in [term.document_frequency, term.total] {
        message.extend_from_slice(&number.to_le_bytes());
    }
    write_text(message, &term.term);
}

fn read_terms(mut message: &[u8]) -> Vec<TermCount> {
    let mut terms = Vec::new();
    while let Some((head, rest)) = message.split_first_chunk::<16>() {
        let number = |q: usize| u64::from_le_bytes(head[8 * q..][..8].try_into().expect("8 bytes"));
        message = rest;
        let term = read_text(&mut message);
        terms.push(TermCount { term, document_frequency: number(0), total: number(1) });
    }
    terms
}

/// Total, stem and word.
fn write_form(form: &FormCount, message: &mut Vec<u8>) {
    message.extend_from_slice(&form.total.to_le_bytes());
    write_text(message, &form.stem);
    write_text(message, &form.word);
}

fn read_forms(mut message: &[u8]) -> Vec<FormCount> {
    let mut forms = Vec::new();
    while let Some((total, rest)) = message.split_first_chunk() {
        message = rest;
        let (stem, word) = (read_text(&mut message), read_text(&mut message));
        forms.push(FormCount { stem, word, total: u64::from_le_bytes(*total) });
    }
    forms
}
