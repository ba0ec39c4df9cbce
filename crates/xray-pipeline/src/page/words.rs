//! Which words a page tells of each topic, and which topics of each word.

use std::collections::HashMap;

use xray_report::PageWord;

use super::excerpt::short;
use super::rounded;
use crate::evidence::RelatedTopic;
use crate::words::{Listing, Ranked, most_first, ranked_words};

/// The heaviest words of a topic that are told, and of the others those that it has most to itself, if they weigh at
/// least this part of the heaviest: the order of words can lean to either.
const HEAVIEST: usize = 24;
const TELLING: usize = 16;
const LEAST_WEIGHT: f64 = 0.08;

/// Words that two topics have in common, as told.
const SHARED: usize = 3;

/// Words whose topics can be looked up, the topics that are told of each, and the least part of one, in percent.
const LOOKED_UP: usize = 5_000;
const TOPICS_OF_WORD: usize = 4;
const LEAST_PERCENT: u32 = 2;

/// A word of a topic, by its column: its part of the topic's weight, and the part of the word that is there.
pub(crate) type ShownWord = (usize, f64, f64);

/// The words of every topic. `h` is the transpose of H.
pub(crate) fn shown_words(h: &[f64], rank: usize, listing: &Listing<'_>) -> Vec<Vec<ShownWord>> {
    let sum = |k: usize| h.iter().skip(k).step_by(rank).fold(0.0, |sum, weight| sum + weight);
    let shown = |(k, mut rest): (usize, Vec<Ranked>)| {
        let mut words = rest.clone();
        most_first(&mut words, HEAVIEST, |word| word.weight);
        let least = words.first().map_or(0.0, |word| LEAST_WEIGHT * word.weight);
        rest.retain(|word| word.weight >= least && !words.contains(word));
        most_first(&mut rest, TELLING, |word| word.exclusivity);
        words.extend(rest);
        most_first(&mut words, usize::MAX, |word| word.weight);
        let all = sum(k).max(f64::MIN_POSITIVE);
        words.iter().map(|word| (word.column, word.weight / all, word.exclusivity)).collect()
    };
    ranked_words(h, rank, listing).into_iter().enumerate().map(shown).collect()
}

/// The words that a topic has most in common with each of those related to it.
pub(crate) fn shared_words(
    h: &[f64],
    rank: usize,
    topic: usize,
    related: &[RelatedTopic],
) -> Vec<Vec<usize>> {
    let shared = |other: &RelatedTopic| {
        let product = |j: usize| h[j * rank + topic] * h[j * rank + other.topic - 1];
        let mut words: Vec<(usize, f64)> = Vec::new();
        for j in 0..h.len() / rank.max(1) {
            let common = product(j);
            if common > 0.0 {
                words.push((j, common));
            }
        }
        crate::words::heaviest_first(&mut words, SHARED);
        words.into_iter().map(|(j, _)| j).collect()
    };
    related.iter().map(shared).collect()
}

/// Places in the list of words that a page has, by columns.
pub(super) struct WordList<'a> {
    names: &'a [String],
    places: HashMap<usize, usize>,
    pub(super) words: Vec<String>,
}

impl<'a> WordList<'a> {
    pub(super) fn new(names: &'a [String]) -> Self {
        Self { names, places: HashMap::new(), words: Vec::new() }
    }

    /// The place of a column's word, which is added if it is new.
    pub(super) fn place(&mut self, column: usize) -> usize {
        let Self { names, places, words } = self;
        *places.entry(column).or_insert_with(|| {
            words.push(short(&names[column]));
            words.len() - 1
        })
    }

    pub(super) fn page_words(&mut self, words: &[ShownWord]) -> Vec<PageWord> {
        let word = |&(column, weight, exclusivity): &ShownWord| {
            PageWord(self.place(column), rounded(weight, 5), rounded(exclusivity, 3))
        };
        words.iter().map(word).collect()
    }

    /// For the heaviest words that may be listed their topics with percentages of the word.
    pub(super) fn lookup(&mut self, h: &[f64], rank: usize, excluded: &[usize]) -> Vec<Vec<u32>> {
        let mut sums: Vec<(usize, f64)> = h
            .chunks_exact(rank.max(1))
            .map(|line| line.iter().fold(0.0, |sum, weight| sum + weight))
            .enumerate()
            .filter(|(column, sum)| *sum > 0.0 && !excluded.contains(column))
            .collect();
        crate::words::heaviest_first(&mut sums, LOOKED_UP);
        let entry = |(column, sum): (usize, f64)| {
            let line = &h[column * rank..(column + 1) * rank];
            let mut topics: Vec<(usize, f64)> =
                line.iter().map(|weight| 100.0 * weight / sum).enumerate().collect();
            crate::words::heaviest_first(&mut topics, TOPICS_OF_WORD);
            let told = topics.into_iter().map(|(k, part)| (k as u32, part.round() as u32));
            let told = told.filter(|(_, part)| *part >= LEAST_PERCENT);
            let pairs = told.flat_map(|(k, part)| [k, part]);
            std::iter::once(self.place(column) as u32).chain(pairs).collect()
        };
        sums.into_iter().map(entry).collect()
    }
}
