//! How many different words each document has.
//!
//! `length_d = least + min(s g_d, room)` with g_d log-normal and s such that the lengths add up to
//! the number of entries; fractions are carried over to the next document. Long documents have a
//! fixed length. Finding s by bisection takes about 60 passes over the documents.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use super::corpus::Corpus;
use super::documents::is_long;

/// The stream of random numbers that lengths are drawn from.
const LENGTH_STREAM: u64 = 1;

/// Halvings of the interval of the scale; beyond the precision of f64.
const BISECTIONS: usize = 64;

/// The least and the largest length of a document.
#[derive(Debug, Clone, Copy)]
pub(super) struct LengthLimits {
    /// Enough for every word to be put into some document.
    least: usize,
    /// What an ordinary document may have beyond the least.
    room: usize,
    /// What a long document has beyond the least.
    long: usize,
}

impl LengthLimits {
    pub(super) fn new(corpus: &Corpus) -> Self {
        let least = corpus.n_words.div_ceil(corpus.n_documents);
        let shared = corpus.n_words - corpus.n_topics * corpus.anchors_per_topic;
        let long = (corpus.long_share * corpus.n_words as f64) as usize;
        Self { least, room: (shared / 2).saturating_sub(least), long: long.saturating_sub(least) }
    }

    /// Whether lengths within the limits can add up to the number of entries.
    pub(super) fn allow(&self, corpus: &Corpus) -> bool {
        let long = corpus.n_long_documents as f64;
        let fixed = corpus.n_documents as f64 * self.least as f64 + long * self.long as f64;
        let most = fixed + (corpus.n_documents as f64 - long) * self.room as f64;
        (fixed..=most).contains(&(corpus.n_entries as f64))
    }
}

/// The row offsets of the corpus.
pub(super) fn document_offsets(corpus: &Corpus, limits: LengthLimits) -> Vec<usize> {
    let mut random = ChaCha8Rng::seed_from_u64(corpus.seed);
    random.set_stream(LENGTH_STREAM);
    let (m, room) = (corpus.n_documents, limits.room as f64);
    let mut draw = |d: usize| {
        let z: f64 = StandardNormal.sample(&mut random);
        if is_long(corpus, d) { f64::NAN } else { (corpus.length_sigma * z).exp() }
    };
    let relative: Vec<f64> = (0..m).map(&mut draw).collect();
    let beyond = |g: f64, scale: f64| {
        if g.is_nan() { limits.long as f64 } else { (scale * g).min(room) }
    };
    let total = |scale: f64| relative.iter().fold(0.0, |sum, &g| sum + beyond(g, scale));
    let target = (corpus.n_entries - m * limits.least) as f64;
    let scale = largest_below(target, room, total);
    let mut sum = 0.0;
    let mut offset = |d: usize| {
        sum += beyond(relative[d], scale);
        (d + 1) * limits.least + (sum as usize).min(target as usize)
    };
    let mut offsets: Vec<usize> = std::iter::once(0).chain((0..m).map(&mut offset)).collect();
    // The sum is below the target by rounding only: the last document gets the rest.
    offsets[m] = corpus.n_entries;
    offsets
}

/// The largest scale, up to rounding, at which the increasing function `total` is at most `target`.
fn largest_below(target: f64, start: f64, total: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (0.0, start.max(1.0));
    // Lengths stop growing at the limit: after enough doublings all have reached it.
    for _ in 0..BISECTIONS {
        if total(high) > target {
            break;
        }
        (low, high) = (high, 2.0 * high);
    }
    for _ in 0..BISECTIONS {
        let middle = 0.5 * (low + high);
        if total(middle) <= target {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}
