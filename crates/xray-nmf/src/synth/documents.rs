//! Writes documents: words and their counts, chunk by chunk.
//!
//! Chunks of documents have fixed sizes and random streams of their own, so they can be written in
//! any order by any number of threads. Word w must occur in document `floor(w m / n)`, which so gets
//! its due share of required words; if one of them is an anchor, its topic is among the document's.

use std::ops::Range;

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::corpus::Corpus;
use super::vocabulary::Vocabulary;

/// Documents of a chunk.
const CHUNK: usize = 1024;

/// Chunk k draws from stream `FIRST_STREAM + k`; the ones before serve vocabulary and lengths.
const FIRST_STREAM: u64 = 2;

/// A document that has not found enough words in so many draws for each is filled up with shared
/// words at random.
const DRAWS_PER_WORD: usize = 8;

/// Whether document d is one of the long ones, which are evenly spread.
pub(super) fn is_long(corpus: &Corpus, d: usize) -> bool {
    let before =
        |d: usize| d as u128 * corpus.n_long_documents as u128 / corpus.n_documents as u128;
    before(d + 1) > before(d)
}

/// Consecutive documents and their part of the arrays.
pub(super) struct Chunk<'a> {
    number: usize,
    /// Row offsets of the documents, one more than there are documents.
    offsets: &'a [usize],
    indices: &'a mut [u32],
    values: &'a mut [f32],
}

impl Chunk<'_> {
    /// Calls `visit` with each document, its words and its values.
    pub(super) fn for_each_document(self, mut visit: impl FnMut(usize, &mut [u32], &mut [f32])) {
        let start = self.offsets[0];
        for (q, pair) in self.offsets.windows(2).enumerate() {
            let own = pair[0] - start..pair[1] - start;
            let d = self.number * CHUNK + q;
            visit(d, &mut self.indices[own.clone()], &mut self.values[own]);
        }
    }
}

/// Splits the arrays into chunks.
pub(super) fn chunks<'a>(
    offsets: &'a [usize],
    mut indices: &'a mut [u32],
    mut values: &'a mut [f32],
) -> Vec<Chunk<'a>> {
    let m = offsets.len() - 1;
    let mut cut = |number: usize| {
        let documents = number * CHUNK..((number + 1) * CHUNK).min(m);
        let offsets = &offsets[documents.start..=documents.end];
        let length = offsets[offsets.len() - 1] - offsets[0];
        let own_indices = indices.split_off_mut(..length).unwrap_or_default();
        let own_values = values.split_off_mut(..length).unwrap_or_default();
        Chunk { number, offsets, indices: own_indices, values: own_values }
    };
    (0..m.div_ceil(CHUNK)).map(&mut cut).collect()
}

/// Writes documents one at a time.
pub(super) struct Writer<'a> {
    corpus: &'a Corpus,
    vocabulary: &'a Vocabulary,
    /// Occurrences of each word in the current document; zero between documents.
    counts: Vec<u32>,
    /// The topics of the current document.
    topics: Vec<u32>,
}

impl<'a> Writer<'a> {
    pub(super) fn new(corpus: &'a Corpus, vocabulary: &'a Vocabulary) -> Self {
        Self { corpus, vocabulary, counts: vec![0; corpus.n_words], topics: Vec::new() }
    }

    /// Fills the chunk with words, ascending in each document, and counts.
    pub(super) fn write(&mut self, chunk: Chunk<'_>) {
        let mut random = ChaCha8Rng::seed_from_u64(self.corpus.seed);
        random.set_stream(FIRST_STREAM + chunk.number as u64);
        chunk.for_each_document(|d, words, values| {
            self.draw_words(d, words, &mut random);
            words.sort_unstable();
            for (value, &word) in values.iter_mut().zip(&*words) {
                *value = std::mem::take(&mut self.counts[word as usize]) as f32;
            }
        });
    }

    /// Draws until all places of `words` have different words.
    fn draw_words(&mut self, d: usize, words: &mut [u32], random: &mut impl Rng) {
        let required = self.required_words(d);
        self.choose_topics(required.clone(), random);
        let mut found = 0;
        for word in required {
            self.counts[word as usize] = 1;
            words[found] = word;
            found += 1;
        }
        let long = is_long(self.corpus, d);
        let mut draws = words.len() * DRAWS_PER_WORD;
        while found < words.len() {
            let word = match draws {
                _ if long => self.vocabulary.draw_any(random),
                0 => self.vocabulary.draw_shared(random),
                _ => self.draw_word(random),
            };
            draws = draws.saturating_sub(1);
            let count = &mut self.counts[word as usize];
            *count += 1;
            if *count == 1 {
                words[found] = word;
                found += 1;
            }
        }
    }

    /// The words w with `floor(w m / n) = d`.
    fn required_words(&self, d: usize) -> Range<u32> {
        let (m, n) = (self.corpus.n_documents as u128, self.corpus.n_words as u128);
        let first = |d: usize| (d as u128 * n).div_ceil(m) as u32;
        first(d)..first(d + 1)
    }

    /// The topics of required anchors, and random ones up to one to `topics_per_document`.
    fn choose_topics(&mut self, required: Range<u32>, random: &mut impl Rng) {
        let count = random.random_range(1..=self.corpus.topics_per_document);
        self.topics.clear();
        self.topics.extend(required.filter_map(|word| self.vocabulary.owner(word)));
        while self.topics.len() < count {
            self.topics.push(self.vocabulary.draw_topic(random));
        }
    }

    /// A word of the background or of one of the topics.
    fn draw_word(&self, random: &mut impl Rng) -> u32 {
        if random.random::<f64>() < self.corpus.background {
            return self.vocabulary.draw_background(random);
        }
        let topic = self.topics[random.random_range(0..self.topics.len())];
        self.vocabulary.draw_word_of(topic, random)
    }
}
