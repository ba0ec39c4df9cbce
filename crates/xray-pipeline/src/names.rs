//! A short name for a topic: two or three telling words.
//!
//! Of the 20 words with most `h_kj e_kj` (weight times exclusivity, [`words`](crate::words)) they are taken in order
//! until there are three. A word is left out if it is a form of one that was taken: the same stem, where the crate
//! was built with the feature `stemming`, or a common beginning of at least five letters and 70 % of the longer word.
//! Where the vocabulary has runs of words, a pair among the 20 is a phrase: it stands in for its words and counts as
//! two. Which words stand side by side in the texts is not known here otherwise: texts are not kept. A topic without
//! any word has an empty name.

use xray_data::text::Stemmer;

use crate::words::{Ranked, most_first};

/// Words that may be in a name.
const CANDIDATES: usize = 20;

/// Words of a name, at most, unless the first term has more.
const MOST_WORDS: usize = 3;

/// Letters that two forms of a word begin with, at least.
const COMMON_LETTERS: usize = 5;

/// The part of the longer form that these are, at least.
const COMMON_PART: f64 = 0.7;

/// The name of a topic with these words.
pub(crate) fn topic_name(
    mut topic: Vec<Ranked>,
    vocabulary: &[String],
    stemmer: Option<&Stemmer>,
) -> String {
    most_first(&mut topic, CANDIDATES, |word| word.weight * word.exclusivity);
    let terms: Vec<&str> = topic.iter().map(|word| vocabulary[word.column].as_str()).collect();
    let mut name = Name { taken: Vec::new(), words: Vec::new(), stemmer };
    for term in &terms {
        if name.words.len() >= MOST_WORDS {
            break;
        }
        let phrase =
            |other: &&&str| words_of(other).count() == 2 && words_of(other).any(|w| w == *term);
        let phrase = terms.iter().find(|other| phrase(other) && name.has_room_for(other));
        let term = phrase.unwrap_or(term);
        if name.has_room_for(term) {
            name.take(term);
        }
    }
    name.taken.join(", ")
}

fn words_of(term: &str) -> impl Iterator<Item = &str> {
    term.split_whitespace()
}

/// What has been taken so far.
struct Name<'a> {
    taken: Vec<&'a str>,
    words: Vec<&'a str>,
    stemmer: Option<&'a Stemmer>,
}

impl<'a> Name<'a> {
    /// Whether a term is short enough, and says something new.
    fn has_room_for(&self, term: &str) -> bool {
        let fits = self.taken.is_empty() || self.words.len() + words_of(term).count() <= MOST_WORDS;
        fits && words_of(term).all(|word| self.words.iter().all(|taken| !self.alike(word, taken)))
    }

    fn take(&mut self, term: &'a str) {
        self.taken.push(term);
        self.words.extend(words_of(term));
    }

    /// Whether these are forms of one word.
    fn alike(&self, a: &str, b: &str) -> bool {
        let same_stem = self.stemmer.is_some_and(|stemmer| stemmer.stem(a) == stemmer.stem(b));
        let common = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
        let longer = a.chars().count().max(b.chars().count());
        let same_beginning =
            common >= COMMON_LETTERS && common as f64 >= COMMON_PART * longer as f64;
        a == b || same_stem || same_beginning
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The name of a topic that has these terms, the first most.
    fn named(terms: &[&str], stemmer: Option<&Stemmer>) -> String {
        let vocabulary: Vec<String> = terms.iter().map(|term| (*term).to_owned()).collect();
        let word = |column| Ranked {
            column,
            weight: 1.0 / (column + 1) as f64,
            exclusivity: 1.0,
            given: false,
        };
        topic_name((0..terms.len()).map(word).collect(), &vocabulary, stemmer)
    }

    #[test]
    fn names_have_three_words_of_which_none_is_a_form_of_another() {
        assert_eq!(named(&["growth", "economy", "bank", "rate"], None), "growth, economy, bank");
        assert_eq!(named(&["economy", "economic", "rate"], None), "economy, rate");
        // Five letters in common, but not 70 % of the longer; then 70 %, but not five letters.
        assert_eq!(named(&["party", "partysocks", "film", "x"], None), "party, partysocks, film");
        assert_eq!(named(&["film", "films", "bank", "x"], None), "film, films, bank");
        assert_eq!(named(&["film"], None), "film");
        assert_eq!(named(&[], None), "");
    }

    #[cfg(feature = "stemming")]
    #[test]
    fn forms_of_short_words_are_told_by_their_stems() {
        let stemmer = Stemmer::new(xray_data::text::Language::English).expect("English");
        assert_eq!(named(&["film", "films", "bank", "x"], Some(&stemmer)), "film, bank, x");
    }

    #[test]
    fn pairs_in_the_vocabulary_are_phrases() {
        assert_eq!(named(&["office", "film", "box office"], None), "box office, film");
        assert_eq!(named(&["box office", "office", "film", "box"], None), "box office, film");
        // Two words are there, and a phrase would be the third and fourth.
        assert_eq!(named(&["film", "actor", "office", "box office"], None), "film, actor, office");
        assert_eq!(named(&["film", "actor", "box office", "star"], None), "film, actor, star");
        assert_eq!(named(&["a run of four", "film"], None), "a run of four");
    }

    #[test]
    fn exclusive_words_come_first() {
        let vocabulary = ["people", "film"].map(String::from);
        let people = Ranked { column: 0, weight: 0.9, exclusivity: 0.5, given: false };
        let film = Ranked { column: 1, weight: 0.5, exclusivity: 1.0, given: false };
        assert_eq!(topic_name(vec![people, film], &vocabulary, None), "film, people");
    }
}
