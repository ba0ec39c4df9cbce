//! W of the own rows, which is never whole anywhere: blocks of rows travel to rank 0 one after the other.

use std::borrow::Cow;
use std::ops::Range;

use rayon::prelude::*;
use xray_nmf::Ownership;
use xray_nmf::comm::{Collectives, Communicator};

use crate::agree::together;
use crate::corpus::RowNames;
use crate::error::Result;
use crate::read::{read_text, write_text};

/// How the own documents are made of topics.
#[derive(Debug, Clone, PartialEq)]
pub struct DocumentWeights {
    /// Which documents are here.
    pub own: Ownership,
    /// Number of topics.
    pub rank: usize,
    /// `rank` weights for each own document.
    pub weights: Vec<f64>,
    /// The heaviest topic of each own document; none for a document without any known word.
    pub heaviest: Vec<Option<usize>>,
    /// The cluster of each own document, if they were put into any ([`Clusters`](crate::Clusters)); none for a document
    /// that shares no word with any.
    pub clusters: Option<Vec<Option<usize>>>,
    /// What the topics explain of each own document, if it was looked for.
    pub explained: Option<Explained<Vec<f64>>>,
}

/// How much topics explain of documents.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Explained<P> {
    /// The part of the squared length of each document that its topics explain.
    pub parts: P,
    /// What is explained less than this is about something else than the topics.
    pub least: f64,
}

impl Explained<Vec<f64>> {
    /// Those of some documents.
    pub fn of(&self, places: Range<usize>) -> Explained<&[f64]> {
        Explained { parts: &self.parts[places], least: self.least }
    }
}

/// Some documents, one after the other.
#[derive(Debug, Clone, PartialEq)]
pub struct DocumentBlock<'a> {
    /// Their places among all.
    pub rows: Range<usize>,
    /// Their names.
    pub ids: Cow<'a, [String]>,
    /// Their classes, if documents have any.
    pub labels: Option<Cow<'a, [String]>>,
    /// Their heaviest topics.
    pub heaviest: &'a [Option<usize>],
    /// Their clusters, if documents have any.
    pub clusters: Option<&'a [Option<usize>]>,
    /// What their topics explain of them, if it is known.
    pub explained: Option<Explained<&'a [f64]>>,
    /// `rank` weights for each.
    pub weights: &'a [f64],
}

impl DocumentWeights {
    /// Finds the heaviest topic of each own document: the first of the largest weights, if it has any.
    pub fn new(own: Ownership, rank: usize, weights: Vec<f64>) -> Self {
        let heaviest = heaviest(&weights, rank, own.n_own());
        Self { own, rank, weights, heaviest, clusters: None, explained: None }
    }

    /// The part of all documents in which each topic is the heaviest; collective.
    ///
    /// # Errors
    /// If the ranks cannot exchange data.
    pub fn shares(&self, comm: &dyn Communicator) -> Result<Vec<f64>> {
        let n = self.own.n().max(1) as f64;
        Ok(self.counts(comm)?.into_iter().map(|count| count as f64 / n).collect())
    }

    /// The number of documents of all ranks in which each topic is the heaviest; collective.
    ///
    /// # Errors
    /// If the ranks cannot exchange data.
    pub fn counts(&self, comm: &dyn Communicator) -> Result<Vec<usize>> {
        let mut counts = vec![0_u64; self.rank];
        self.heaviest.iter().flatten().for_each(|&k| counts[k] += 1);
        Ok(sum_over_ranks(comm, &counts)?.into_iter().map(|count| count as usize).collect())
    }

    /// Number of documents of all ranks that are in no topic; collective.
    ///
    /// # Errors
    /// If the ranks cannot exchange data.
    pub fn n_silent(&self, comm: &dyn Communicator) -> Result<usize> {
        let own = self.heaviest.iter().filter(|topic| topic.is_none()).count();
        Ok(comm.total(own)?)
    }

    /// The own blocks, ascending, with the names of their rows.
    pub fn own_blocks<'a>(
        &'a self,
        names: &'a RowNames,
    ) -> impl Iterator<Item = DocumentBlock<'a>> {
        let rows = |places: Range<usize>| {
            let first = self.own.global(places.start);
            first..first + places.len()
        };
        self.own.own_blocks().into_iter().map(move |places| self.block(names, rows(places)))
    }

    /// Shows all blocks of all ranks, ascending, to `visit` on rank 0; collective. No more than one block
    /// of another rank is there at a time.
    ///
    /// # Errors
    /// The first of `visit`, on all ranks; blocks after it are not shown.
    pub fn for_each_block(
        &self,
        comm: &dyn Communicator,
        names: &RowNames,
        mut visit: impl FnMut(&DocumentBlock<'_>) -> Result<()>,
    ) -> Result<()> {
        if comm.size() == 1 && names.ids.is_some() {
            return visit(&self.block(names, 0..self.own.n()));
        }
        let mut result = Ok(());
        for b in 0..self.own.n_blocks() {
            let owner = self.own.block_owner(b);
            if owner == 0 {
                if comm.rank() == 0 && result.is_ok() {
                    result = visit(&self.block(names, self.own.block_lines(b)));
                }
                continue;
            }
            let mut messages = vec![Vec::new(); comm.size()];
            if comm.rank() == owner {
                messages[0] = self.block(names, self.own.block_lines(b)).to_bytes();
            }
            let received = comm.all_to_all(messages)?;
            if comm.rank() == 0 && result.is_ok() {
                let has = Parts {
                    labels: names.labels.is_some(),
                    clusters: self.clusters.is_some(),
                    least_explained: self.explained.as_ref().map(|explained| explained.least),
                    rank: self.rank,
                };
                let rows = self.own.block_lines(b);
                result = read_block(&received[owner], rows, has, &mut visit);
            }
        }
        together(comm, result)
    }

    /// Own rows that follow each other.
    fn block<'a>(&'a self, names: &'a RowNames, rows: Range<usize>) -> DocumentBlock<'a> {
        let first = self.own.local(rows.start).unwrap_or(0);
        let places = first..first + rows.len();
        let ids = match &names.ids {
            Some(ids) => Cow::Borrowed(&ids[places.clone()]),
            None => rows.clone().map(|d| d.to_string()).collect(),
        };
        DocumentBlock {
            rows,
            ids,
            labels: names.labels.as_ref().map(|labels| Cow::Borrowed(&labels[places.clone()])),
            heaviest: &self.heaviest[places.clone()],
            clusters: self.clusters.as_ref().map(|clusters| &clusters[places.clone()]),
            explained: self.explained.as_ref().map(|explained| explained.of(places.clone())),
            weights: &self.weights[places.start * self.rank..places.end * self.rank],
        }
    }
}

impl DocumentBlock<'_> {
    /// Names, classes, weights, explained parts, heaviest topics and clusters.
    fn to_bytes(&self) -> Vec<u8> {
        let mut message = Vec::new();
        self.ids.iter().for_each(|id| write_text(&mut message, id));
        self.labels
            .iter()
            .flat_map(|labels| labels.iter())
            .for_each(|label| write_text(&mut message, label));
        let numbers = self.weights.iter().chain(self.explained.map_or(&[][..], |of| of.parts));
        message.extend(numbers.flat_map(|number| number.to_le_bytes()));
        // The heaviest topic need not be that of the largest weight: topics may differ in length.
        let number = |topic: &Option<usize>| topic.map_or(u32::MAX, |k| k as u32);
        let clusters = self.clusters.unwrap_or_default();
        let topics = self.heaviest.iter().chain(clusters);
        message.extend(topics.flat_map(|topic| number(topic).to_le_bytes()));
        message
    }
}

/// The sums of as many numbers as each rank has; collective.
pub(crate) fn sum_over_ranks(comm: &dyn Communicator, own: &[u64]) -> Result<Vec<u64>> {
    let all = comm.gather(own)?;
    Ok((0..own.len()).map(|k| all.iter().skip(k).step_by(own.len()).sum()).collect())
}

/// What is in a block that has arrived.
#[derive(Clone, Copy)]
struct Parts {
    labels: bool,
    clusters: bool,
    least_explained: Option<f64>,
    rank: usize,
}

/// Shows a block that has arrived.
fn read_block(
    mut message: &[u8],
    rows: Range<usize>,
    has: Parts,
    visit: &mut dyn FnMut(&DocumentBlock<'_>) -> Result<()>,
) -> Result<()> {
    let n = rows.len();
    let ids: Cow<'_, [String]> = (0..n).map(|_| read_text(&mut message)).collect();
    let labels = has.labels.then(|| (0..n).map(|_| read_text(&mut message)).collect());
    let n_numbers = n * (has.rank + usize::from(has.least_explained.is_some()));
    let (numbers, topics) = message.split_at(8 * n_numbers);
    let numbers: Vec<f64> =
        numbers.as_chunks().0.iter().map(|number| f64::from_le_bytes(*number)).collect();
    let (weights, parts) = numbers.split_at(n * has.rank);
    let explained = has.least_explained.map(|least| Explained { parts, least });
    let topic = |bytes: &[u8; 4]| {
        let number = u32::from_le_bytes(*bytes);
        (number != u32::MAX).then_some(number as usize)
    };
    let topics: Vec<Option<usize>> = topics.as_chunks().0.iter().map(topic).collect();
    let (heaviest, clusters) = topics.split_at(n);
    let clusters = has.clusters.then_some(clusters);
    visit(&DocumentBlock { rows, ids, labels, heaviest, clusters, explained, weights })
}

/// The first heaviest topic of each document, if it has any weight.
pub(crate) fn heaviest(weights: &[f64], rank: usize, n_documents: usize) -> Vec<Option<usize>> {
    if rank == 0 {
        return vec![None; n_documents];
    }
    let largest = |row: &[f64]| {
        let best = (0..rank).reduce(|best, k| if row[k] > row[best] { k } else { best });
        best.filter(|&k| row[k] > 0.0)
    };
    weights.par_chunks_exact(rank).map(largest).collect()
}

/// The part of all documents in which each topic is the heaviest.
pub(crate) fn shares_of(topic_of_document: &[Option<usize>], rank: usize) -> Vec<f64> {
    let mut counts = vec![0_usize; rank];
    topic_of_document.iter().flatten().for_each(|&k| counts[k] += 1);
    let n = topic_of_document.len().max(1) as f64;
    counts.into_iter().map(|count| count as f64 / n).collect()
}
