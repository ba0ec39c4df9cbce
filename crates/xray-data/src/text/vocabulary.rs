//! The terms of all chunks become the columns of the matrix.
//!
//! Terms are merged in shards by hash, so that shards can be merged at the same time; within a
//! shard chunks come in order. The kept terms are sorted by code points, as scikit-learn does.

use rayon::prelude::*;

use super::clean::Dropped;
use super::counts::ChunkCounts;
use super::interner::Interner;
use super::options::TextOptions;
use crate::error::{Error, Result};

/// Parts that are merged independently.
const SHARDS: usize = 16;

/// Marks a term that has no column.
pub(super) const DROPPED: u32 = u32::MAX;

/// The columns: their terms in order, and how many documents have them.
pub(super) struct Vocabulary {
    pub terms: Vec<String>,
    pub document_frequency: Vec<u64>,
    /// For each chunk, the column of each of its terms or [`DROPPED`].
    pub columns: Vec<Vec<u32>>,
    /// The terms that have no column, and why.
    pub dropped: Dropped,
}

/// The merged terms of one shard.
#[derive(Default)]
struct Shard {
    terms: Interner,
    document_frequency: Vec<u64>,
    total: Vec<u64>,
    /// For each chunk, its terms in this shard: (number in the chunk, number in the shard).
    renumbered: Vec<Vec<(u32, u32)>>,
}

/// A term that may become a column.
struct Candidate<'a> {
    term: &'a str,
    document_frequency: u64,
    total: u64,
    shard: usize,
    id: u32,
}

/// Which shard a term belongs to: bits of the hash that the tables do not begin with.
fn shard_of(hash: u64) -> usize {
    (hash >> 40) as usize % SHARDS
}

/// Chooses the columns for what was counted.
pub(super) fn choose(
    chunks: &[ChunkCounts],
    options: &TextOptions,
    n_documents: usize,
) -> Result<Vocabulary> {
    let (min, max) = options.frequency_range(n_documents)?;
    let shards: Vec<Shard> = (0..SHARDS).into_par_iter().map(|s| merge(chunks, s)).collect();
    let mut kept: Vec<Candidate<'_>> = Vec::new();
    let mut dropped = Dropped::default();
    for (s, shard) in shards.iter().enumerate() {
        let terms = candidates(s, shard).filter(|c| c.document_frequency > 0);
        kept.extend(terms.filter(|c| {
            let frequency = c.document_frequency as f64;
            dropped.rare += u64::from(frequency < min);
            dropped.frequent += u64::from(frequency > max);
            frequency >= min && frequency <= max
        }));
    }
    let n_terms = kept.len() + (dropped.rare + dropped.frequent) as usize;
    if kept.is_empty() {
        return Err(Error::EmptyVocabulary { reason: why_empty(n_terms, n_documents, min, max) });
    }
    dropped.surplus = keep_most_frequent(&mut kept, options, |c| (c.term, c.total));
    Ok(Vocabulary {
        dropped,
        columns: columns_of_chunks(chunks, &shards, &kept),
        terms: kept.iter().map(|c| c.term.to_owned()).collect(),
        document_frequency: kept.iter().map(|c| c.document_frequency).collect(),
    })
}

/// Sorts terms by code points, drops the rarest beyond `max_features`, and says how many those were.
fn keep_most_frequent<T: Send + Sync>(
    kept: &mut Vec<T>,
    options: &TextOptions,
    term_and_total: impl Fn(&T) -> (&str, u64) + Sync,
) -> u64 {
    let before = kept.len();
    let by_term = |a: &T, b: &T| term_and_total(a).0.cmp(term_and_total(b).0);
    kept.par_sort_unstable_by(by_term);
    if let Some(limit) = options.max_features.filter(|&limit| limit < kept.len()) {
        // A stable sort by count leaves ties in alphabetical order.
        kept.sort_by_key(|c| std::cmp::Reverse(term_and_total(c).1));
        kept.truncate(limit);
        kept.par_sort_unstable_by(by_term);
    }
    (before - kept.len()) as u64
}

/// A term and how often it occurs in some documents.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct TermCount {
    /// The term.
    pub term: String,
    /// How many of the documents have it.
    pub document_frequency: u64,
    /// How often it occurs in all of them.
    pub total: u64,
}

/// The terms of what was counted, merged, in no order.
pub(super) fn merged_terms(chunks: &[ChunkCounts]) -> Vec<TermCount> {
    let shards: Vec<Shard> = (0..SHARDS).into_par_iter().map(|s| merge(chunks, s)).collect();
    let all = shards.iter().enumerate().flat_map(|(s, shard)| candidates(s, shard));
    all.filter(|c| c.document_frequency > 0)
        .map(|c| TermCount {
            term: c.term.to_owned(),
            document_frequency: c.document_frequency,
            total: c.total,
        })
        .collect()
}

/// Chooses columns as [`choose`] does, from the terms of all documents, each listed once.
pub(super) fn choose_terms(
    terms: Vec<TermCount>,
    options: &TextOptions,
    n_documents: usize,
) -> Result<Vec<TermCount>> {
    let (min, max) = options.frequency_range(n_documents)?;
    let n_terms = terms.len();
    let in_range = |t: &TermCount| (min..=max).contains(&(t.document_frequency as f64));
    let mut kept: Vec<TermCount> = terms.into_iter().filter(in_range).collect();
    if kept.is_empty() {
        return Err(Error::EmptyVocabulary { reason: why_empty(n_terms, n_documents, min, max) });
    }
    keep_most_frequent(&mut kept, options, |t| (&t.term, t.total));
    Ok(kept)
}

fn why_empty(n_terms: usize, n_documents: usize, min: f64, max: f64) -> String {
    if n_terms == 0 {
        format!(
            "{n_documents} documents have no word besides stop words and what is cleaned away; check \
             the text column, the stop words, and what is to be kept"
        )
    } else {
        format!(
            "none of {n_terms} terms occurs in at least {min} and at most {max} of {n_documents} \
             documents; lower `min_df` or raise `max_df`"
        )
    }
}

/// Merges the terms of one shard, chunk after chunk.
fn merge(chunks: &[ChunkCounts], s: usize) -> Shard {
    let mut shard = Shard::default();
    for chunk in chunks {
        let mut renumbered = Vec::with_capacity(chunk.terms.len() / SHARDS);
        for t in 0..chunk.terms.len() as u32 {
            let hash = chunk.terms.hash(t);
            if shard_of(hash) != s {
                continue;
            }
            let (id, new) = shard.terms.intern_hashed(chunk.terms.get(t), hash);
            if new {
                shard.document_frequency.push(0);
                shard.total.push(0);
            }
            shard.document_frequency[id as usize] +=
                u64::from(chunk.document_frequency[t as usize]);
            shard.total[id as usize] += chunk.total[t as usize];
            renumbered.push((t, id));
        }
        shard.renumbered.push(renumbered);
    }
    shard
}

fn candidates(s: usize, shard: &Shard) -> impl Iterator<Item = Candidate<'_>> {
    (0..shard.terms.len() as u32).map(move |id| Candidate {
        term: shard.terms.get(id),
        document_frequency: shard.document_frequency[id as usize],
        total: shard.total[id as usize],
        shard: s,
        id,
    })
}

fn columns_of_chunks(
    chunks: &[ChunkCounts],
    shards: &[Shard],
    kept: &[Candidate<'_>],
) -> Vec<Vec<u32>> {
    let mut columns: Vec<Vec<u32>> =
        shards.iter().map(|shard| vec![DROPPED; shard.terms.len()]).collect();
    for (column, candidate) in kept.iter().enumerate() {
        columns[candidate.shard][candidate.id as usize] = column as u32;
    }
    let of_chunk = |(c, chunk): (usize, &ChunkCounts)| {
        let mut of_term = vec![DROPPED; chunk.terms.len()];
        for (shard, columns) in shards.iter().zip(&columns) {
            for &(t, id) in &shard.renumbered[c] {
                of_term[t as usize] = columns[id as usize];
            }
        }
        of_term
    };
    chunks.par_iter().enumerate().map(of_chunk).collect()
}
