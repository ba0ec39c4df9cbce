//! Sparse document-word matrices with the statistics of large text collections.
//!
//! Each topic has anchor words of its own and prefers some of the shared words; words follow Zipf's
//! law within topics and in the shared background. A document mixes a few topics with the background
//! until it has as many different words as its log-normal length says; a few long documents list
//! words at random. The entry of a word with tf occurrences in the document is
//!
//! ```text
//! x = (1 + ln tf) (1 + ln((1 + m) / (1 + df))),    rows then scaled to norm 1 if asked for
//! ```
//!
//! with m documents, df of them with the word. Lengths come first, so the arrays of the result are
//! filled in place: memory is that of the result. Time is O(entries).

use rayon::prelude::*;

use super::documents::{Chunk, Writer, chunks};
use super::lengths::{LengthLimits, document_offsets};
use super::require;
use super::vocabulary::Vocabulary;
use crate::choices;
use crate::error::Result;
use crate::matrix::SparseMatrix;

choices! {
    /// A collection of the paper's Table 3.
    #[derive(Default)]
    pub enum Collection ("corpus") {
        #[default]
        Rcv1 = "rcv1": "newswire: documents of medium length",
        Ppl2 = "ppl2": "people and places on web pages: a few very long lists",
        Ibmt = "ibmt": "short messages: eight words each",
    }
}

/// The shape of a corpus, and the model that draws it.
///
/// The three constructors have the documents, words and nonzeros of the paper's Table 3 exactly.
/// Pairs of co-occurring words, nnz(X'X) (both triangles and the diagonal), seed 0:
///
/// | corpus | documents | words | nnz(X) | nnz(X'X) here | in the paper |
/// |---|---|---|---|---|---|
/// | [`rcv1`](Corpus::rcv1) | 781,265 | 43,001 | 59.16e6 | 183.6e6 | 172.3e6 |
/// | [`ppl2`](Corpus::ppl2) | 351,849 | 44,739 | 19.43e6 | 1.993e9 | 1.99e9 |
/// | [`ibmt`](Corpus::ibmt) | 124,708 | 25,998 | 1.03e6 | 1.90e6 | 1.77e6 |
///
/// # Examples
/// ```
/// use xray_nmf::Matrix;
/// use xray_nmf::synth::Corpus;
/// let x = Corpus::rcv1().scaled(0.01)?.generate()?;
/// assert_eq!((x.n_rows(), x.n_columns(), x.n_entries()), (7813, 430, 591_600));
/// # Ok::<(), xray_nmf::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Corpus {
    /// Number of documents (rows).
    pub n_documents: usize,
    /// Number of words (columns); each occurs in some document.
    pub n_words: usize,
    /// Number of stored entries; met exactly.
    pub n_entries: usize,
    /// Number of topics; topic k is drawn in proportion to `1 / sqrt(k + 1)`.
    pub n_topics: usize,
    /// Words that occur in one topic only, for each topic: its most frequent words.
    pub anchors_per_topic: usize,
    /// Shared words that a topic prefers, for each topic.
    pub words_per_topic: usize,
    /// A document mixes one to this many topics.
    pub topics_per_document: usize,
    /// Share of the words drawn from the background instead of the document's topics, 0 to 1.
    pub background: f64,
    /// Exponent of Zipf's law in the background.
    pub background_exponent: f64,
    /// Exponent of Zipf's law within topics.
    pub topic_exponent: f64,
    /// Standard deviation of the logarithm of a document's length.
    pub length_sigma: f64,
    /// Documents that list words at random, all topics' anchors too.
    pub n_long_documents: usize,
    /// Share of all words in a long document, at most 1/2.
    pub long_share: f64,
    /// Scale each document to Euclidean norm 1.
    pub normalize: bool,
    /// Everything random follows from it.
    pub seed: u64,
}

impl Corpus {
    /// The shape and the model of a collection.
    pub fn like(collection: Collection) -> Self {
        match collection {
            Collection::Rcv1 => Self::rcv1(),
            Collection::Ppl2 => Self::ppl2(),
            Collection::Ibmt => Self::ibmt(),
        }
    }

    /// Newswire: documents of medium length; 10 % of the pairs of words co-occur.
    pub fn rcv1() -> Self {
        Self {
            n_documents: 781_265,
            n_words: 43_001,
            n_entries: 59_160_000,
            n_topics: 100,
            anchors_per_topic: 5,
            words_per_topic: 400,
            topics_per_document: 2,
            background: 0.5,
            background_exponent: 2.5,
            topic_exponent: 1.4,
            length_sigma: 0.5,
            n_long_documents: 0,
            long_share: 0.0,
            normalize: true,
            seed: 0,
        }
    }

    /// People and places on web pages: a few very long lists make nearly all pairs co-occur.
    pub fn ppl2() -> Self {
        Self {
            n_documents: 351_849,
            n_words: 44_739,
            n_entries: 19_430_000,
            words_per_topic: 1_000,
            topic_exponent: 1.2,
            n_long_documents: 40,
            long_share: 0.35,
            length_sigma: 1.0,
            ..Self::rcv1()
        }
    }

    /// Short messages: eight words each; 0.3 % of the pairs of words co-occur.
    pub fn ibmt() -> Self {
        Self {
            n_documents: 124_708,
            n_words: 25_998,
            n_entries: 1_030_000,
            words_per_topic: 200,
            topics_per_document: 1,
            background: 0.2,
            background_exponent: 3.5,
            topic_exponent: 1.7,
            length_sigma: 0.4,
            ..Self::rcv1()
        }
    }

    /// The same model with `factor` times the documents, words and entries (so documents keep their
    /// length), and `sqrt(factor)` times the topics, long documents and words of a topic.
    ///
    /// A smaller corpus is denser, in X and more so in X'X. Counts do not fall below 1, and at most a
    /// quarter of X is not zero. Below a factor of about 0.001 there are too few words for the
    /// topics' anchors, which [`generate`](Corpus::generate) reports.
    ///
    /// # Errors
    /// If the factor is not above 0, or above 10.
    pub fn scaled(self, factor: f64) -> Result<Self> {
        let allowed = "give a number above 0, at most 10";
        require(factor > 0.0 && factor <= 10.0, "scale", factor, allowed)?;
        let times = |n: usize, factor: f64| ((n as f64 * factor).round() as usize).max(n.min(1));
        let (n_documents, n_words) = (times(self.n_documents, factor), times(self.n_words, factor));
        let most = n_documents.saturating_mul(n_words / 4);
        Ok(Self {
            n_documents,
            n_words,
            n_entries: times(self.n_entries, factor).min(most),
            n_topics: times(self.n_topics, factor.sqrt()),
            words_per_topic: times(self.words_per_topic, factor.sqrt()),
            n_long_documents: times(self.n_long_documents, factor.sqrt()),
            ..self
        })
    }

    /// Draws the corpus, in the current rayon pool; the result does not depend on the pool.
    ///
    /// # Errors
    /// If a parameter is outside its range.
    pub fn generate(&self) -> Result<SparseMatrix<'static, f32>> {
        let limits = self.check()?;
        let vocabulary = Vocabulary::new(self);
        let offsets = document_offsets(self, limits);
        let mut indices = vec![0u32; self.n_entries];
        let mut values = vec![0f32; self.n_entries];
        chunks(&offsets, &mut indices, &mut values)
            .into_par_iter()
            .for_each_init(|| Writer::new(self, &vocabulary), |writer, chunk| writer.write(chunk));
        let inverse_frequencies = self.inverse_frequencies(&indices);
        chunks(&offsets, &mut indices, &mut values)
            .into_par_iter()
            .for_each(|chunk| self.weigh(chunk, &inverse_frequencies));
        SparseMatrix::from_csr(self.n_documents, self.n_words, offsets, indices, values)
    }

    /// For each topic, its anchor words: they occur only in documents about that topic, and in long
    /// documents.
    ///
    /// # Errors
    /// If a parameter is outside its range.
    pub fn anchors(&self) -> Result<Vec<Vec<usize>>> {
        self.check()?;
        Ok(Vocabulary::new(self).anchors())
    }

    /// `1 + ln((1 + m) / (1 + df))` for each word.
    fn inverse_frequencies(&self, indices: &[u32]) -> Vec<f32> {
        let mut frequencies = vec![0u32; self.n_words];
        indices.iter().for_each(|&word| frequencies[word as usize] += 1);
        let m = self.n_documents as f64;
        frequencies
            .iter()
            .map(|&df| (1.0 + ((1.0 + m) / (1.0 + f64::from(df))).ln()) as f32)
            .collect()
    }

    /// Turns counts into weights.
    fn weigh(&self, chunk: Chunk<'_>, inverse_frequencies: &[f32]) {
        chunk.for_each_document(|_, words, values| {
            for (value, &word) in values.iter_mut().zip(&*words) {
                *value = (1.0 + value.ln()) * inverse_frequencies[word as usize];
            }
            if self.normalize {
                let square = values.iter().fold(0.0f64, |sum, &v| sum + f64::from(v * v));
                let factor = (1.0 / square.sqrt()) as f32;
                values.iter_mut().for_each(|value| *value *= factor);
            }
        });
    }

    /// Checks the parameters; the least and the largest length of a document.
    fn check(&self) -> Result<LengthLimits> {
        let (m, n) = (self.n_documents, self.n_words);
        let limit = u32::MAX as usize - 1;
        require((1..=limit).contains(&m), "n_documents", m, "give 1 to 2^32 - 2")?;
        require((4..=limit).contains(&n), "n_words", n, "give 4 to 2^32 - 2")?;
        let topics = self.n_topics;
        require((1..=n).contains(&topics), "n_topics", topics, "give 1 to n_words")?;
        let anchors = topics.saturating_mul(self.anchors_per_topic);
        let allowed = "at most half the words are anchors; give fewer topics or anchors";
        require(anchors <= n / 2, "n_topics x anchors_per_topic", anchors, allowed)?;
        let mixed = self.topics_per_document;
        require((1..=100).contains(&mixed), "topics_per_document", mixed, "give 1 to 100")?;
        let ranges = [
            ("background", self.background, 1.0, "give a share from 0 to 1"),
            ("background_exponent", self.background_exponent, 5.0, "give a number from 0 to 5"),
            ("topic_exponent", self.topic_exponent, 5.0, "give a number from 0 to 5"),
            ("length_sigma", self.length_sigma, 3.0, "give a number from 0 to 3"),
            ("long_share", self.long_share, 0.5, "give a share from 0 to 1/2"),
        ];
        for (name, value, largest, allowed) in ranges {
            require((0.0..=largest).contains(&value), name, value, allowed)?;
        }
        let limits = LengthLimits::new(self);
        let long = self.n_long_documents;
        require(long < m, "n_long_documents", long, "give less than n_documents")?;
        let allowed = "every word needs a document and every document a word, and no document has \
                       more than half the shared words";
        require(limits.allow(self), "n_entries", self.n_entries, allowed)?;
        Ok(limits)
    }
}
