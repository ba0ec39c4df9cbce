//! The known terms closest to an unknown word, for messages.
//!
//! The distance counts insertions, deletions, substitutions and swaps of neighbours (optimal string
//! alignment), whatever the case. It is at least the difference of lengths, and at least the number
//! of distinct characters that only one of both has, so most terms are passed over.

use std::cmp::Reverse;

use rayon::prelude::*;
use strsim::osa_distance;

use super::vectorizer::Vectorizer;

impl Vectorizer {
    /// At most `most` known terms that `word` may be a misspelling of, closest first; of equally
    /// close ones those that begin alike, then those in more documents, come first. One letter in five
    /// may differ: of a short word, nearly any other would be near.
    ///
    /// # Examples
    /// ```
    /// use xray_data::text::{TextOptions, Vectorizer};
    /// let documents = ["goverment governor", "government", "government music"];
    /// let (_, vectorizer) = Vectorizer::fit_transform(TextOptions::scikit_learn(), &documents)?;
    /// assert_eq!(vectorizer.nearest("govenrment", 2), ["government", "goverment"]);
    /// assert!(vectorizer.nearest("unicorn", 2).is_empty());
    /// # Ok::<(), xray_data::Error>(())
    /// ```
    pub fn nearest(&self, word: &str, most: usize) -> Vec<&str> {
        let word: String = folded(word).collect();
        let length = word.chars().count();
        let limit = length / 5;
        let characters = characters(word.chars());
        let rank = |j: usize| {
            let term = &self.vocabulary()[j];
            if is_farther(characters, length, term, limit) {
                return None;
            }
            let other: String = folded(term).collect();
            let distance = Some(osa_distance(&word, &other)).filter(|&d| d <= limit)?;
            let alike = word.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
            let frequency = self.document_frequencies()[j];
            Some((distance, Reverse(alike), Reverse(frequency), term.as_str()))
        };
        let mut found: Vec<_> =
            (0..self.vocabulary().len()).into_par_iter().filter_map(rank).collect();
        found.sort_unstable();
        found.into_iter().take(most).map(|(.., term)| term).collect()
    }
}

/// The characters of a word, whatever their case.
fn folded(word: &str) -> impl Iterator<Item = char> {
    word.chars().flat_map(char::to_lowercase)
}

/// A set of characters, as bits; several may share one.
fn characters(word: impl Iterator<Item = char>) -> u64 {
    word.fold(0, |set, c| set | 1 << (u32::from(c) % 64))
}

/// Whether a term is surely farther than `limit` from a word with these characters.
fn is_farther(word: u64, length: usize, term: &str, limit: usize) -> bool {
    if !term.is_ascii() {
        return false;
    }
    let lowercase = term.bytes().map(|byte| char::from(byte.to_ascii_lowercase()));
    let other = characters(lowercase);
    let only_one_has = (word & !other).count_ones().max((other & !word).count_ones());
    term.len().abs_diff(length) > limit || only_one_has as usize > limit
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::TextOptions;

    #[test]
    fn ties_go_to_like_beginnings_then_to_frequent_terms() {
        let documents =
            ["boarde barked carted darned", "carted darned", "Barked", "übung sail sad"];
        let options = TextOptions { lowercase: false, ..TextOptions::scikit_learn() };
        let (_, vectorizer) = Vectorizer::fit_transform(options, &documents).expect("words");
        assert_eq!(vectorizer.nearest("barned", 9), ["Barked", "barked", "darned"]);
        assert_eq!(vectorizer.nearest("warted", 2), ["carted"]);
        assert_eq!(vectorizer.nearest("BARKED", 1), ["Barked"]);
        assert!(
            vectorizer.nearest("said", 3).is_empty(),
            "too short to be a misspelling of anything"
        );
        assert_eq!(vectorizer.nearest("ÜBNUG", 1), ["übung"]);
        assert!(vectorizer.nearest("", 3).is_empty() && vectorizer.nearest("barned", 0).is_empty());
    }

    proptest! {
        #[test]
        fn what_is_passed_over_is_farther(a in "[abcé]{0,9}", b in "[abcdeé]{0,9}", limit in 0_usize..5) {
            let passed_over = is_farther(characters(a.chars()), a.chars().count(), &b, limit);
            prop_assert!(!passed_over || osa_distance(&a, &b) > limit);
        }
    }
}
