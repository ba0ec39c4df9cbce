//! The terms of all chunks become the columns of the matrix.
//!
//! Terms are merged in shards by hash, so that shards can be merged at the same time; within a
//! shard chunks come in order. The kept terms are sorted by code points, as scikit-learn does.

use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use super::clean::Dropped;
use super::counts::ChunkCounts;
use super::interner::Interner;
use super::options::TextOptions;
use crate::budget::{Budget, Claim, list_bytes, string_bytes, table_bytes};
use crate::error::{Error, Result};

/// Parts that are merged independently.
const SHARDS: usize = 16;

/// What a term of a chunk takes while it is merged (its number in a shard, in a list that grows), and then (its column).
const PER_MERGED: u64 = 12;
pub(super) const PER_COLUMN_OF_CHUNK: u64 = 4;

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

impl Vocabulary {
    /// The memory that it takes: its terms, how many documents have each, and the columns of chunks.
    pub(super) fn bytes(&self) -> u64 {
        let columns = self.columns.iter().map(|columns| columns.len() as u64).sum::<u64>();
        list_bytes(&self.terms) + 8 * self.terms.len() as u64 + PER_COLUMN_OF_CHUNK * columns
    }

    /// What weighing by it takes besides: the index from term to column, and weights.
    pub(super) fn index_bytes(&self) -> u64 {
        let n = self.terms.len();
        table_bytes(n, size_of::<u32>()) + 8 * n as u64
    }
}

/// Chooses the columns for what was counted; `claim` then holds them.
pub(super) fn choose(
    chunks: &[ChunkCounts],
    options: &TextOptions,
    n_documents: usize,
    claim: &mut Claim,
) -> Result<Vocabulary> {
    let before = claim.held();
    let vocabulary = merged(chunks, options, n_documents, claim)?;
    // By now all else is gone.
    claim.give_back(claim.held() - before);
    claim.take(vocabulary.bytes())?;
    Ok(vocabulary)
}

fn merged(
    chunks: &[ChunkCounts],
    options: &TextOptions,
    n_documents: usize,
    claim: &mut Claim,
) -> Result<Vocabulary> {
    let (min, max) = options.frequency_range(n_documents)?;
    let n_of_chunks = chunks.iter().map(|chunk| chunk.terms.len() as u64).sum::<u64>();
    claim.take((PER_MERGED + PER_COLUMN_OF_CHUNK) * n_of_chunks)?;
    let shards = shards(chunks, claim)?;
    let n_merged = shards.iter().map(|shard| shard.terms.len()).sum::<usize>();
    claim.take((n_merged * (size_of::<Candidate<'_>>() + size_of::<u32>())) as u64)?;
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
    claim.take(kept.iter().map(|c| string_bytes(c.term.len()) + 8).sum())?;
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
    // Nothing is refused here: on many ranks nobody may leave the others alone.
    let mut claim = Budget::new(u64::MAX).claim("terms");
    let shards = shards(chunks, &mut claim).unwrap_or_default();
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

/// Merges the terms of all shards at the same time.
fn shards(chunks: &[ChunkCounts], claim: &mut Claim) -> Result<Vec<Shard>> {
    let claim = Mutex::new(claim);
    (0..SHARDS).into_par_iter().map(|s| merge(chunks, s, &claim)).collect()
}

/// Merges the terms of one shard, chunk after chunk.
fn merge(chunks: &[ChunkCounts], s: usize, claim: &Mutex<&mut Claim>) -> Result<Shard> {
    let mut shard = Shard::default();
    for chunk in chunks {
        let before = shard.bytes();
        let renumbered = shard.add(chunk, s);
        shard.renumbered.push(renumbered);
        // A lock that another thread has left behind by a panic is as good as any.
        let mut claim = claim.lock().unwrap_or_else(PoisonError::into_inner);
        claim.take(shard.bytes() - before)?;
    }
    Ok(shard)
}

impl Shard {
    /// The memory that it takes, but for the numbers of the terms of chunks.
    fn bytes(&self) -> u64 {
        self.terms.bytes() + 16 * self.total.capacity() as u64
    }

    /// Adds the terms of a chunk that belong here, and tells their numbers.
    fn add(&mut self, chunk: &ChunkCounts, s: usize) -> Vec<(u32, u32)> {
        let mut renumbered = Vec::with_capacity(chunk.terms.len() / SHARDS);
        for t in 0..chunk.terms.len() as u32 {
            let hash = chunk.terms.hash(t);
            if shard_of(hash) != s {
                continue;
            }
            let (id, new) = self.terms.intern_hashed(chunk.terms.get(t), hash);
            if new {
                self.document_frequency.push(0);
                self.total.push(0);
            }
            self.document_frequency[id as usize] += u64::from(chunk.document_frequency[t as usize]);
            self.total[id as usize] += chunk.total[t as usize];
            renumbered.push((t, id));
        }
        renumbered
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::counts::Analyzer;

    #[test]
    fn what_is_merged_is_claimed_and_what_is_kept_stays_so() {
        let text = |k: u32| (0..4_000).map(|j| format!("w{} ", k * 4_000 + j)).collect::<String>();
        let documents: Vec<String> = (0..10).map(text).collect();
        let options = TextOptions::default();
        let chunks = [Analyzer::new(&options).expect("options").count(&documents)];
        let chosen = |megabytes: u64| {
            let mut claim = Budget::new(megabytes << 20).claim("words");
            claim.take(1000).expect("room");
            let vocabulary = choose(&chunks, &options, documents.len(), &mut claim)?;
            assert_eq!(vocabulary.terms.len(), 40_000);
            assert_eq!(claim.held(), 1000 + vocabulary.bytes());
            Ok(vocabulary.bytes())
        };
        let kept = chosen(16).expect("room");
        assert!((2 << 20..4 << 20).contains(&kept), "{kept}");
        // There would be room for what is kept, but not for what it is chosen from.
        assert!(matches!(chosen(4), Err(Error::Memory { .. })));
    }
}
