//! Documents whose terms are counted: what is merged before there is a vocabulary.

use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use super::clean::Dropped;
use super::counts::{Analyzer, ChunkCounts, chunks};
use super::forms::{FormCount, forms_of};
use super::options::TextOptions;
use super::phrases::Phrases;
use super::vocabulary::{TermCount, merged_terms};
use crate::budget::{Budget, Claim, string_bytes};
use crate::error::{Error, Result};

/// Documents whose terms have been counted but not weighed: the texts themselves are no longer needed.
///
/// # Examples
/// ```
/// use xray_data::text::{CountedDocuments, TextOptions, Vectorizer};
/// let documents = ["red apples", "green apples"];
/// let counted = CountedDocuments::new(&TextOptions::default(), &documents)?;
/// let vectorizer = Vectorizer::from_terms(TextOptions::default(), 2, counted.terms())?;
/// let (x, same) = Vectorizer::fit_transform(TextOptions::default(), &documents)?;
/// assert_eq!(vectorizer, same);
/// assert_eq!(vectorizer.weigh(&counted)?.csr(), x.csr());
/// # Ok::<(), xray_data::Error>(())
/// ```
#[derive(Debug)]
pub struct CountedDocuments {
    pub(super) chunks: Vec<ChunkCounts>,
    /// The memory that they take, given back with them.
    _claim: Claim,
}

impl CountedDocuments {
    /// Counts the terms of documents.
    ///
    /// # Errors
    /// If an option is out of range, or phrases are to be learned: that takes all texts together.
    pub fn new(options: &TextOptions, documents: &[impl AsRef<str> + Sync]) -> Result<Self> {
        options.check()?;
        if options.phrases == Phrases::Learn {
            let allowed = "they are learned from all texts together: run it on one rank".to_owned();
            let value = "learn".to_owned();
            return Err(Error::Parameter { name: "phrases", value, allowed });
        }
        let (chunks, claim) = count(options, documents)?;
        Ok(Self { chunks, _claim: claim })
    }

    /// All terms with their counts, in no order.
    pub fn terms(&self) -> Vec<TermCount> {
        merged_terms(&self.chunks)
    }

    /// All words that stems stand for, in no order; none where words are terms.
    pub fn forms(&self) -> Vec<FormCount> {
        forms_of(&self.chunks)
    }

    /// What was dropped before terms were counted.
    pub fn dropped(&self) -> Dropped {
        dropped_of(&self.chunks)
    }
}

pub(super) fn dropped_of(chunks: &[ChunkCounts]) -> Dropped {
    chunks.iter().fold(Dropped::default(), |sum, chunk| sum.plus(chunk.dropped))
}

/// What documents take: besides its text each has a name, which whoever has the text keeps as well.
pub(super) fn documents_bytes(documents: &[impl AsRef<str>]) -> u64 {
    let bytes = |text: &str| string_bytes(text.len()) + string_bytes(0);
    documents.iter().map(|text| bytes(text.as_ref())).sum()
}

/// Counts all chunks in parallel; the memory of documents and counts is held.
pub(super) fn count(
    options: &TextOptions,
    documents: &[impl AsRef<str> + Sync],
) -> Result<(Vec<ChunkCounts>, Claim)> {
    let analyzer = Analyzer::new(options)?;
    let mut claim = Budget::of_process().claim("words of the texts");
    claim.take(documents_bytes(documents))?;
    let claim = Mutex::new(claim);
    let counted = chunks(documents).into_par_iter().map(|chunk| {
        let counted = analyzer.count(&documents[chunk]);
        // A lock that another thread has left behind by a panic is as good as any.
        let mut claim = claim.lock().unwrap_or_else(PoisonError::into_inner);
        claim.take(counted.bytes()).map(|()| counted)
    });
    let counted = counted.collect::<Result<_>>()?;
    Ok((counted, claim.into_inner().unwrap_or_else(PoisonError::into_inner)))
}
