//! The words of a corpus: which are anchors, and how often each topic uses each word.
//!
//! Words are numbered at random. Topic k owns `anchors_per_topic` words; the others are shared. The
//! weight of the word of rank q = 0, 1, ... is `(q + offset)^-exponent` (Zipf's law with
//! Mandelbrot's offset), in the background over all shared words, in a topic over its anchors and
//! then its shared words. A draw is O(1), by Walker's alias method.

use rand::seq::SliceRandom;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::Distribution;
use rand_distr::weighted::WeightedAliasIndex;

use super::corpus::Corpus;

/// The stream of random numbers that the vocabulary is drawn from.
const VOCABULARY_STREAM: u64 = 0;

/// Mandelbrot's offset within topics.
const TOPIC_OFFSET: f64 = 2.7;

/// Mandelbrot's offset in the background: as if stop words had been removed, no word is in nearly
/// all documents.
const BACKGROUND_OFFSET: f64 = 50.0;

/// Topics differ in size: topic k is drawn in proportion to `(k + 1)^-TOPIC_SIZES`.
const TOPIC_SIZES: f64 = 0.5;

/// Words with probabilities that fall with their rank.
struct Table {
    words: Vec<u32>,
    ranks: WeightedAliasIndex<f64>,
}

impl Table {
    /// `words` is not empty.
    fn new(words: Vec<u32>, exponent: f64, offset: f64) -> Self {
        let weights = (0..words.len()).map(|q| (q as f64 + offset).powf(-exponent)).collect();
        let ranks = WeightedAliasIndex::new(weights).expect("weights are positive and finite");
        Self { words, ranks }
    }

    fn draw(&self, random: &mut impl Rng) -> u32 {
        self.words[self.ranks.sample(random)]
    }
}

/// Who uses which words, and how often.
pub(super) struct Vocabulary {
    /// All words; first the anchors, topic after topic, then the shared words by frequency.
    words: Vec<u32>,
    /// For each word, the topic whose anchor it is.
    owners: Vec<Option<u32>>,
    anchors_per_topic: usize,
    n_anchors: usize,
    topics: Vec<Table>,
    sizes: Table,
    background: Table,
}

impl Vocabulary {
    /// The parameters have been checked.
    pub(super) fn new(corpus: &Corpus) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(corpus.seed);
        random.set_stream(VOCABULARY_STREAM);
        let (n_topics, anchors_per_topic) = (corpus.n_topics, corpus.anchors_per_topic);
        let mut words: Vec<u32> = (0..corpus.n_words as u32).collect();
        words.shuffle(&mut random);
        let n_anchors = n_topics * anchors_per_topic;
        let (anchors, shared) = words.split_at(n_anchors);
        let mut owners = vec![None; corpus.n_words];
        for (q, &word) in anchors.iter().enumerate() {
            owners[word as usize] = Some((q / anchors_per_topic) as u32);
        }
        let preferred = corpus.words_per_topic.clamp(1, shared.len());
        let mut topic = |k: usize| {
            let chosen = rand::seq::index::sample(&mut random, shared.len(), preferred);
            let own = &anchors[k * anchors_per_topic..(k + 1) * anchors_per_topic];
            let list = own.iter().copied().chain(chosen.iter().map(|q| shared[q])).collect();
            Table::new(list, corpus.topic_exponent, TOPIC_OFFSET)
        };
        let topics = (0..n_topics).map(&mut topic).collect();
        let sizes = Table::new((0..n_topics as u32).collect(), TOPIC_SIZES, 1.0);
        let background = Table::new(shared.to_vec(), corpus.background_exponent, BACKGROUND_OFFSET);
        Self { words, owners, anchors_per_topic, n_anchors, topics, sizes, background }
    }

    /// The anchor words of each topic.
    pub(super) fn anchors(&self) -> Vec<Vec<usize>> {
        let own = |k: usize| &self.words[k * self.anchors_per_topic..][..self.anchors_per_topic];
        let numbers = |k| own(k).iter().map(|&word| word as usize).collect();
        (0..self.topics.len()).map(numbers).collect()
    }

    /// The topic whose anchor `word` is.
    pub(super) fn owner(&self, word: u32) -> Option<u32> {
        self.owners[word as usize]
    }

    pub(super) fn draw_topic(&self, random: &mut impl Rng) -> u32 {
        self.sizes.draw(random)
    }

    pub(super) fn draw_word_of(&self, topic: u32, random: &mut impl Rng) -> u32 {
        self.topics[topic as usize].draw(random)
    }

    pub(super) fn draw_background(&self, random: &mut impl Rng) -> u32 {
        self.background.draw(random)
    }

    /// Any shared word, all equally likely.
    pub(super) fn draw_shared(&self, random: &mut impl Rng) -> u32 {
        self.words[random.random_range(self.n_anchors..self.words.len())]
    }

    /// Any word, all equally likely.
    pub(super) fn draw_any(&self, random: &mut impl Rng) -> u32 {
        random.random_range(0..self.words.len() as u32)
    }
}
