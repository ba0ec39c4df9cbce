//! Coherence of topics: do the top words of a topic occur in the same documents?
//!
//! With D documents, `d_i` of them with word i and `d_ij` with both i and j, a list of words scores
//! the mean over its pairs of
//!
//! ```text
//! NPMI    ln(D d_ij / (d_i d_j)) / ln(D / d_ij)      between -1 (never together) and 1 (always)
//! UMass   ln((d_ij + 1) / d_i), i before j in the list
//! ```
//!
//! A word occurs in a document if the matrix has an entry other than 0 there. Degenerate cases:
//!
//! - two words that never meet: NPMI -1;
//! - two words that are both in every document: NPMI 1;
//! - a word in no document never meets another: NPMI -1; UMass as if it were in every document,
//!   `ln(1 / D)`, which is the lowest value that there is;
//! - fewer than two words, so no pair: both 0;
//! - a word that is listed twice meets itself wherever it occurs.
//!
//! Documents in common are counted by merging two columns of the matrix, for pairs in lists only.
//! Cost: `O(d_i + d_j)` for a pair.
//!
//! References: G. Bouma, "Normalized (pointwise) mutual information in collocation extraction",
//! GSCL 2009; D. Mimno et al., "Optimizing semantic coherence in topic models", EMNLP 2011,
//! equation 1, whose score is the sum over the pairs: ours times `w (w - 1) / 2` for w words.

use std::cmp::Ordering;

use rayon::prelude::*;
use xray_nmf::comm::Communicator;
use xray_nmf::{Matrix, Scalar, SparseMatrix};

use crate::corpus::DistributedMatrix;
use crate::error::Result;

/// The coherence of one list of words.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TopicCoherence {
    /// Mean normalized pointwise mutual information, between -1 and 1.
    pub npmi: f64,
    /// Mean UMass score; at most `ln(1 + 1 / d_i)`, so mostly below 0.
    pub umass: f64,
}

/// Which documents each word occurs in.
///
/// # Examples
/// ```
/// use xray_pipeline::measure::Coherence;
/// use xray_nmf::SparseMatrix;
/// // Words 0 and 1 share documents 0 and 1; word 2 is elsewhere.
/// let entries = [(0, 0, 1.0), (0, 1, 1.0), (1, 0, 2.0), (1, 1, 1.0), (2, 2, 1.0), (3, 2, 1.0)];
/// let documents = SparseMatrix::from_triplets(4, 3, entries)?;
/// let coherence = Coherence::new(&documents);
/// assert_eq!(coherence.npmi(&[0, 1]), 1.0);
/// assert_eq!(coherence.npmi(&[0, 2]), -1.0);
/// assert_eq!(coherence.umass(&[0, 1]), (3.0f64 / 2.0).ln());
/// # Ok::<(), xray_nmf::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Coherence<'a, T: Scalar> {
    documents: &'a SparseMatrix<'a, T>,
    /// Documents with each word.
    counts: Vec<usize>,
}

impl<'a, T: Scalar> Coherence<'a, T> {
    /// From a matrix of documents (rows) by words (columns).
    pub fn new(documents: &'a SparseMatrix<'a, T>) -> Self {
        let mut coherence = Self { documents, counts: Vec::new() };
        coherence.counts =
            (0..documents.n_columns()).map(|word| coherence.places(word).count()).collect();
        coherence
    }

    /// Mean NPMI of the pairs of `words`.
    ///
    /// # Panics
    /// If a word is out of range.
    pub fn npmi(&self, words: &[usize]) -> f64 {
        self.topic(words).npmi
    }

    /// Mean UMass score of the pairs of `words`, the most important word first.
    ///
    /// # Panics
    /// If a word is out of range.
    pub fn umass(&self, words: &[usize]) -> f64 {
        self.topic(words).umass
    }

    /// Both scores of `words`, the most important word first.
    ///
    /// # Panics
    /// If a word is out of range.
    pub fn topic(&self, words: &[usize]) -> TopicCoherence {
        let n_words = self.counts.len();
        if let Some(word) = words.iter().find(|word| **word >= n_words) {
            panic!("word {word} is out of range, the matrix has {n_words} words");
        }
        let (mut npmi, mut umass) = (0.0, 0.0);
        for (q, &second) in words.iter().enumerate() {
            for &first in &words[..q] {
                let shared = self.shared(first, second);
                npmi += self.pair_npmi(self.counts[first], self.counts[second], shared);
                umass += self.pair_umass(self.counts[first], shared);
            }
        }
        let n_pairs = (words.len() * words.len().saturating_sub(1) / 2).max(1) as f64;
        TopicCoherence { npmi: npmi / n_pairs, umass: umass / n_pairs }
    }

    /// Both scores of each list, in the current rayon pool.
    ///
    /// # Panics
    /// If a word is out of range.
    pub fn topics<L: AsRef<[usize]> + Sync>(&self, lists: &[L]) -> Vec<TopicCoherence> {
        lists.par_iter().map(|words| self.topic(words.as_ref())).collect()
    }

    /// The documents with a word, ascending.
    fn places(&self, word: usize) -> impl Iterator<Item = u32> {
        let (offsets, rows, values) = self.documents.csc();
        let range = offsets[word]..offsets[word + 1];
        let entries = rows[range.clone()].iter().zip(&values[range]);
        entries.filter(|(_, value)| value.to_f64() != 0.0).map(|(&document, _)| document)
    }

    /// Number of documents with both words.
    fn shared(&self, first: usize, second: usize) -> usize {
        let (mut left, mut right) = (self.places(first), self.places(second));
        let (mut a, mut b) = (left.next(), right.next());
        let mut n = 0;
        while let (Some(x), Some(y)) = (a, b) {
            match x.cmp(&y) {
                Ordering::Less => a = left.next(),
                Ordering::Greater => b = right.next(),
                Ordering::Equal => {
                    n += 1;
                    (a, b) = (left.next(), right.next());
                }
            }
        }
        n
    }

    fn pair_npmi(&self, first: usize, second: usize, shared: usize) -> f64 {
        let n = self.documents.n_rows();
        if shared == 0 {
            return -1.0;
        }
        if shared == n {
            return 1.0;
        }
        let (n, shared) = (n as f64, shared as f64);
        let lift = n * shared / (first as f64 * second as f64);
        (lift.ln() / (n / shared).ln()).clamp(-1.0, 1.0)
    }

    fn pair_umass(&self, first: usize, shared: usize) -> f64 {
        let given = if first == 0 { self.documents.n_rows().max(1) } else { first };
        ((shared + 1) as f64 / given as f64).ln()
    }
}

/// Both scores of each list of columns, the most important word first, on all ranks; collective. Only the
/// columns in the lists travel.
///
/// # Errors
/// If the ranks cannot exchange data.
///
/// # Panics
/// If a column is out of range.
pub fn coherence_of(
    comm: &dyn Communicator,
    matrix: &DistributedMatrix,
    lists: &[Vec<usize>],
) -> Result<Vec<TopicCoherence>> {
    let mut words: Vec<usize> = lists.iter().flatten().copied().collect();
    words.sort_unstable();
    words.dedup();
    let documents = documents_with(comm, matrix, &words)?;
    let place = |word: &usize| words.partition_point(|other| other < word);
    let places = |list: &Vec<usize>| -> Vec<usize> { list.iter().map(place).collect() };
    let lists: Vec<Vec<usize>> = lists.iter().map(places).collect();
    Ok(Coherence::new(&documents).topics(&lists))
}

/// All documents, with the given words only; collective.
fn documents_with(
    comm: &dyn Communicator,
    matrix: &DistributedMatrix,
    words: &[usize],
) -> Result<SparseMatrix<'static, f64>> {
    let mut offsets = vec![0];
    let (mut rows, mut values) = (Vec::new(), Vec::new());
    for column in matrix.fetch_columns(comm, words)? {
        rows.extend(column.indices.unwrap_or_default());
        values.extend(column.values);
        offsets.push(rows.len());
    }
    Ok(SparseMatrix::from_csc(matrix.n_rows(), words.len(), offsets, rows, values)?)
}

#[cfg(test)]
mod tests;
