//! The words that say most about a topic.
//!
//! The rows of H have length 1, and the *exclusivity* of word j in topic k is
//!
//! ```text
//! e_kj = h_kj / sum_i h_ij                       1 if no other topic has the word
//! ```
//!
//! Words are listed by `h_kj e_kj^(1/2)`: words that are heavy everywhere (`government`, `people`) go down the list, and
//! rare ones do not come up, as they do where exclusivity weighs more. The numbers that are told are weights all the same.
//! Words that were given to a topic are its own: their exclusivity there is 1, also where several topics were given
//! one, and they come first among equals. Cost: one pass over H.

use std::cmp::Ordering;

use xray_data::text::{Language, Stemmer};
use xray_nmf::Coefficients;

use crate::names::topic_name;

/// Which words are listed for each topic.
#[derive(Debug, Clone, Copy)]
pub struct Listing<'a> {
    /// How many, at most.
    pub n_words: usize,
    /// What the columns are called.
    pub vocabulary: &'a [String],
    /// Columns that are never listed.
    pub excluded: &'a [usize],
    /// Whether of several forms of a word (same stem) only the first is listed, where the crate was built with the
    /// feature `stemming` ([`find_topics`](crate::find_topics) refuses it where it was not).
    pub distinct: bool,
    /// Columns that the first topics were given to begin with, a list each.
    pub given: &'a [Vec<usize>],
}

impl<'a> Listing<'a> {
    /// So many words, whatever they are.
    pub fn new(n_words: usize, vocabulary: &'a [String]) -> Self {
        Self { n_words, vocabulary, excluded: &[], distinct: false, given: &[] }
    }
}

/// A column in a topic.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Ranked {
    pub(crate) column: usize,
    pub(crate) weight: f64,
    /// From above 0 to 1.
    pub(crate) exclusivity: f64,
    /// Whether it was given to the topic.
    pub(crate) given: bool,
}

impl Ranked {
    /// What words are listed by.
    fn telling(&self) -> f64 {
        self.weight * self.exclusivity.sqrt()
    }

    /// The order of words of which there is so much; ties by who was given, then by position.
    fn order(&self, other: &Self, of: impl Fn(&Self) -> f64) -> Ordering {
        let most = of(other).total_cmp(&of(self));
        most.then(other.given.cmp(&self.given)).then(self.column.cmp(&other.column))
    }
}

/// What is told of a topic in words.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TopicWords {
    /// Columns that say most about it, and their shares in its weight.
    pub(crate) words: Vec<(usize, f64)>,
    pub(crate) name: String,
    pub(crate) anchor: AnchorPlace,
}

/// Where a topic's anchor stands in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct AnchorPlace {
    /// From 1, in the order in which words are listed; none if the topic does not have the word.
    pub(crate) place: Option<usize>,
    /// Whether it is heavier in another topic, or not among the first words of its own.
    pub(crate) left: bool,
}

/// Words that an anchor is expected to be among.
pub(crate) const FIRST_WORDS: usize = 20;

/// The columns that say most about each topic, with their weights: by weight times the square root of
/// exclusivity, ties by position.
///
/// `h` is the transpose of H: `rank` weights for each column.
///
/// # Examples
/// ```
/// use xray_pipeline::{Listing, top_words};
/// let words = ["people", "film"].map(String::from);
/// // Both topics have people in them.
/// let h = [0.75, 1.0, 0.66, 0.0];
/// let lists = top_words(&h, 2, &Listing::new(10, &words));
/// assert_eq!(lists, [vec![(1, 0.66), (0, 0.75)], vec![(0, 1.0)]]);
/// ```
pub fn top_words(h: &[f64], rank: usize, listing: &Listing<'_>) -> Vec<Vec<(usize, f64)>> {
    ranked_words(h, rank, listing).into_iter().map(|topic| listed(topic, listing)).collect()
}

/// The columns with the largest weights in each topic, ties by position.
pub fn heaviest_words(h: &[f64], rank: usize, n_words: usize) -> Vec<Vec<(usize, f64)>> {
    let everything = Listing::new(n_words, &[]);
    let weighted = |topic: Vec<Ranked>| {
        let mut topic = topic.into_iter().map(|word| (word.column, word.weight)).collect();
        heaviest_first(&mut topic, n_words);
        topic
    };
    ranked_words(h, rank, &everything).into_iter().map(weighted).collect()
}

/// Words, name and place of the anchors (columns) of each topic.
pub(crate) fn describe_words(
    h: &[f64],
    rank: usize,
    listing: &Listing<'_>,
    anchors: &[Vec<usize>],
) -> Vec<TopicWords> {
    let stemmer = Stemmer::new(Language::English).ok();
    let described = |(k, (topic, anchors)): (usize, (Vec<Ranked>, &Vec<usize>))| {
        // Excluded words have weight, too.
        let sum = h.iter().skip(k).step_by(rank).fold(0.0, |sum, weight| sum + weight);
        let anchor = anchor_place(h, rank, k, &topic, anchors);
        let mut words = listed(topic.clone(), listing);
        words.iter_mut().for_each(|(_, weight)| *weight /= sum);
        TopicWords { words, name: topic_name(topic, listing.vocabulary, stemmer.as_ref()), anchor }
    };
    let topics = ranked_words(h, rank, listing).into_iter().zip(anchors).enumerate();
    topics.map(described).collect()
}

/// Where the best placed of a topic's anchors stands; they have left it if all of them have.
fn anchor_place(
    h: &[f64],
    rank: usize,
    k: usize,
    topic: &[Ranked],
    anchors: &[usize],
) -> AnchorPlace {
    let place = |&anchor: &usize| {
        let own = topic.iter().find(|word| word.column == anchor)?;
        let before = |word: &&Ranked| word.order(own, Ranked::telling).is_lt();
        Some(1 + topic.iter().filter(before).count())
    };
    let stays = |anchor: &usize| {
        let Some(weights) = h.get(anchor * rank..(anchor + 1) * rank) else { return false };
        let heaviest = weights.iter().all(|weight| *weight <= weights[k]);
        heaviest && place(anchor).is_some_and(|place| place <= FIRST_WORDS)
    };
    AnchorPlace { place: anchors.iter().filter_map(place).min(), left: !anchors.iter().any(stays) }
}

/// The words of each topic that may be listed, in the order of the columns.
pub(crate) fn ranked_words(h: &[f64], rank: usize, listing: &Listing<'_>) -> Vec<Vec<Ranked>> {
    let mut topics: Vec<Vec<Ranked>> = vec![Vec::new(); rank];
    let mut barred = vec![false; h.len() / rank.max(1)];
    for &j in listing.excluded.iter().filter(|j| **j < h.len() / rank.max(1)) {
        barred[j] = true;
    }
    for (j, weights) in h.chunks_exact(rank.max(1)).enumerate().filter(|(j, _)| !barred[*j]) {
        let sum = weights.iter().fold(0.0, |sum, weight| sum + weight);
        for (k, &weight) in weights.iter().enumerate().filter(|(_, weight)| **weight > 0.0) {
            let given = listing.given.get(k).is_some_and(|given| given.contains(&j));
            let exclusivity = if given { 1.0 } else { weight / sum };
            topics[k].push(Ranked { column: j, weight, exclusivity, given });
        }
    }
    topics
}

/// The words of a topic as they are listed.
fn listed(mut topic: Vec<Ranked>, listing: &Listing<'_>) -> Vec<(usize, f64)> {
    let Listing { n_words, vocabulary, distinct, .. } = *listing;
    // Forms of a word may crowd out others: look further down the list then.
    let wanted = if distinct { n_words.saturating_mul(4) } else { n_words };
    most_first(&mut topic, wanted, Ranked::telling);
    if distinct && let Ok(stemmer) = Stemmer::new(Language::English) {
        keep_distinct(&mut topic, vocabulary, &stemmer);
    }
    topic.truncate(n_words);
    topic.into_iter().map(|word| (word.column, word.weight)).collect()
}

/// Keeps the `n` words of which there is most, in order.
pub(crate) fn most_first(topic: &mut Vec<Ranked>, n: usize, of: impl Fn(&Ranked) -> f64) {
    let order = |a: &Ranked, b: &Ranked| a.order(b, &of);
    if n < topic.len() {
        topic.select_nth_unstable_by(n, order);
        topic.truncate(n);
    }
    topic.sort_unstable_by(order);
}

/// Every topic's columns with their weights, before refinement.
pub(crate) fn weighted_words(weights: &Coefficients) -> Vec<Vec<(usize, f64)>> {
    let mut topics = vec![Vec::new(); weights.rank()];
    for j in 0..weights.n_columns() {
        let (anchors, values) = weights.column(j);
        anchors.iter().zip(values).for_each(|(&k, &v)| topics[k as usize].push((j, v)));
    }
    topics
}

/// Keeps the `n` heaviest, in order.
pub(crate) fn heaviest_first(topic: &mut Vec<(usize, f64)>, n: usize) {
    let by_weight = |a: &(usize, f64), b: &(usize, f64)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
    if n < topic.len() {
        topic.select_nth_unstable_by(n, by_weight);
        topic.truncate(n);
    }
    topic.sort_unstable_by(by_weight);
}

/// Drops words whose stem was seen before.
fn keep_distinct(topic: &mut Vec<Ranked>, vocabulary: &[String], stemmer: &Stemmer) {
    let mut seen: Vec<String> = Vec::new();
    topic.retain(|word| {
        let stem = stemmer.stem(&vocabulary[word.column]);
        let new = !seen.contains(&stem);
        if new {
            seen.push(stem);
        }
        new
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vocabulary() -> Vec<String> {
        ["film", "films", "music", "song"].map(String::from).to_vec()
    }

    #[test]
    fn heaviest_words_come_first_and_ties_by_position() {
        let h = [0.5, 0.0, 0.7, 0.1, 0.5, 0.1, 0.0, 0.0];
        let words = heaviest_words(&h, 2, 3);
        assert_eq!(words[0], [(1, 0.7), (0, 0.5), (2, 0.5)]);
        assert_eq!(words[1], [(1, 0.1), (2, 0.1)]);
        let names = vocabulary();
        let but_second = Listing { excluded: &[1], ..Listing::new(1, &names) };
        assert_eq!(top_words(&h, 2, &but_second)[0], [(0, 0.5)]);
        assert!(top_words(&[], 0, &Listing::new(3, &[])).is_empty());
    }

    #[test]
    fn words_of_other_topics_go_down_the_list() {
        // Telling: 0.5, 0.6 sqrt(1/2) = 0.42, 0.55 sqrt(11/13) = 0.51.
        let h = [0.5, 0.0, 0.6, 0.6, 0.55, 0.1, 0.0, 0.0];
        let names = vocabulary();
        let words = top_words(&h, 2, &Listing::new(4, &names));
        assert_eq!(words[0], [(2, 0.55), (0, 0.5), (1, 0.6)]);
        assert_eq!(words[1], [(1, 0.6), (2, 0.1)]);
        let given = [vec![1]];
        let words = top_words(&h, 2, &Listing { given: &given, ..Listing::new(1, &names) });
        assert_eq!(words, [[(1, 0.6)], [(1, 0.6)]], "a given word is its topic's own");
        let given = [vec![2]];
        let words = top_words(&[0.5; 4], 1, &Listing { given: &given, ..Listing::new(1, &names) });
        assert_eq!(words, [[(2, 0.5)]], "and comes first among equals");
    }

    #[test]
    fn lists_are_those_of_sorting_everything() {
        let (rank, n) = (4, 300);
        let number = |i: usize| ((i * 2_654_435_761) >> 7) % 97;
        let h: Vec<f64> = (0..rank * n).map(|i| number(i).saturating_sub(30) as f64).collect();
        let names: Vec<String> = (0..n).map(|j| j.to_string()).collect();
        for n_words in [0, 1, 7, 150, 1000] {
            let lists = top_words(&h, rank, &Listing::new(n_words, &names));
            for (k, list) in lists.iter().enumerate() {
                let line = |j: usize| &h[j * rank..(j + 1) * rank];
                let score =
                    |j: usize| line(j)[k] * (line(j)[k] / line(j).iter().sum::<f64>()).sqrt();
                let mut all: Vec<usize> = (0..n).filter(|&j| line(j)[k] > 0.0).collect();
                all.sort_by(|&a, &b| score(b).total_cmp(&score(a)));
                all.truncate(n_words);
                let expected: Vec<_> = all.into_iter().map(|j| (j, line(j)[k])).collect();
                assert_eq!(*list, expected, "topic {k}, {n_words} words");
            }
        }
    }

    #[test]
    fn anchors_are_told_where_they_stand() {
        // Topic 0 has 30 words of its own that are heavier than column 30; column 31 is heavier in topic 1.
        let own = (0..30).flat_map(|j| [1.0 - 0.01 * j as f64, 0.0]);
        let h: Vec<f64> = own.chain([0.1, 0.0, 0.9, 1.0]).collect();
        let names: Vec<String> = (0..32).map(|j| format!("w{j}")).collect();
        let listing = Listing::new(3, &names);
        let told = |first: &[usize], second: usize| {
            let anchors = [first.to_vec(), vec![second]];
            let topics = describe_words(&h, 2, &listing, &anchors);
            [topics[0].anchor, topics[1].anchor].map(|anchor| (anchor.place, anchor.left))
        };
        assert_eq!(told(&[2], 31), [(Some(3), false), (Some(1), false)]);
        // Telling of column 31 in topic 0: 0.9 sqrt(0.9 / 1.9) = 0.62, after all of the 30.
        assert_eq!(told(&[31], 0), [(Some(31), true), (None, true)]);
        assert_eq!(told(&[20], 31)[0], (Some(21), true));
        assert_eq!(told(&[31, 19], 31)[0], (Some(20), false), "one of its words stays");
        let listed = &describe_words(&h, 2, &listing, &[vec![0], vec![31]])[1];
        assert_eq!((listed.name.as_str(), &listed.words[..]), ("w31", &[(31, 1.0)][..]));
    }

    #[cfg(feature = "stemming")]
    #[test]
    fn forms_of_a_word_are_listed_once_on_request() {
        let h = [0.5, 0.7, 0.3, 0.1];
        let names = vocabulary();
        let once = Listing { distinct: true, ..Listing::new(3, &names) };
        let words = top_words(&h, 1, &once);
        assert_eq!(words[0].iter().map(|w| w.0).collect::<Vec<_>>(), [1, 2, 3]);
    }
}
