//! The words that say most about a topic.

use xray_data::text::{Language, Stemmer};
use xray_nmf::Coefficients;

/// The columns with the largest weights in each topic, heaviest first, ties by position.
///
/// `h` is the transpose of H: `rank` weights for each column. Columns in `excluded` are never listed;
/// with `distinct`, of several forms of a word (same stem) only the heaviest is, where the crate was built
/// with the feature `stemming` ([`find_topics`](crate::find_topics) refuses it where it was not).
pub fn top_words(
    h: &[f64],
    rank: usize,
    n_words: usize,
    vocabulary: &[String],
    excluded: &[usize],
    distinct: bool,
) -> Vec<Vec<(usize, f64)>> {
    let mut topics: Vec<Vec<(usize, f64)>> = vec![Vec::new(); rank];
    for (j, weights) in h.chunks_exact(rank.max(1)).enumerate() {
        for (topic, &weight) in topics.iter_mut().zip(weights).filter(|(_, weight)| **weight > 0.0)
        {
            topic.push((j, weight));
        }
    }
    for topic in &mut topics {
        topic.retain(|(j, _)| !excluded.contains(j));
        // Forms of a word may crowd out others: look further down the list then.
        let wanted = if distinct { n_words.saturating_mul(4) } else { n_words };
        heaviest_first(topic, wanted);
        if distinct && let Ok(stemmer) = Stemmer::new(Language::English) {
            keep_distinct(topic, vocabulary, &stemmer);
        }
        topic.truncate(n_words);
    }
    topics
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
fn keep_distinct(topic: &mut Vec<(usize, f64)>, vocabulary: &[String], stemmer: &Stemmer) {
    let mut seen: Vec<String> = Vec::new();
    topic.retain(|&(j, _)| {
        let stem = stemmer.stem(&vocabulary[j]);
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
        let words = top_words(&h, 2, 3, &vocabulary(), &[], false);
        assert_eq!(words[0], [(1, 0.7), (0, 0.5), (2, 0.5)]);
        assert_eq!(words[1], [(1, 0.1), (2, 0.1)]);
        assert_eq!(top_words(&h, 2, 1, &vocabulary(), &[1], false)[0], [(0, 0.5)]);
        assert!(top_words(&[], 0, 3, &[], &[], false).is_empty());
    }

    #[cfg(feature = "stemming")]
    #[test]
    fn forms_of_a_word_are_listed_once_on_request() {
        let h = [0.5, 0.7, 0.3, 0.1];
        let words = top_words(&h, 1, 3, &vocabulary(), &[], true);
        assert_eq!(words[0].iter().map(|w| w.0).collect::<Vec<_>>(), [1, 2, 3]);
    }
}
