//! The known terms closest to an unknown word, for messages.
//!
//! The distance counts insertions, deletions, substitutions and swaps of neighbours (optimal string
//! alignment), whatever the case. It is at least the difference of lengths, and at least the number
//! of distinct characters that only one of both has, so most terms are passed over; and only places
//! near the diagonal can matter:
//!
//! ```text
//! d(i, j) = min( d(i-1, j) + 1, d(i, j-1) + 1, d(i-1, j-1) + [a_i != b_j],
//!                d(i-2, j-2) + 1 if a_i = b_(j-1) and a_(i-1) = b_j )
//! ```

use std::cmp::Reverse;

use rayon::prelude::*;

use super::vectorizer::Vectorizer;

impl Vectorizer {
    /// At most `most` known terms that `word` may be a misspelling of, closest first; of equally
    /// close ones those that begin alike, then those in more documents, come first. None are farther
    /// than about a third of the word's length.
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
        let word: Vec<char> = folded(word).collect();
        let limit = (word.len() + 1) / 3;
        let characters = characters(word.iter().copied());
        let rank = |distances: &mut Distances, j: usize| {
            let term = &self.vocabulary()[j];
            if is_farther(characters, word.len(), term, limit) {
                return None;
            }
            let distance = distances.between(&word, term, limit)?;
            let alike = word.iter().zip(folded(term)).take_while(|(a, b)| **a == *b).count();
            let frequency = self.document_frequencies()[j];
            Some((distance, Reverse(alike), Reverse(frequency), term.as_str()))
        };
        let mut found: Vec<_> = (0..self.vocabulary().len())
            .into_par_iter()
            .map_init(Distances::default, rank)
            .flatten()
            .collect();
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

/// Room for computing distances.
#[derive(Default)]
struct Distances {
    other: Vec<char>,
    /// Rows i - 2, i - 1 and i of d.
    rows: [Vec<usize>; 3],
}

impl Distances {
    /// The distance of a word from a term, if it is at most `limit`.
    fn between(&mut self, word: &[char], term: &str, limit: usize) -> Option<usize> {
        self.other.clear();
        self.other.extend(folded(term));
        let (a, b) = (word, &self.other[..]);
        if a.len().abs_diff(b.len()) > limit {
            return None;
        }
        let far = limit + 1;
        for row in &mut self.rows {
            row.clear();
            row.resize(b.len() + 1, far);
        }
        let [before, previous, current] = &mut self.rows;
        (0..=b.len()).for_each(|j| previous[j] = j.min(far));
        for i in 1..=a.len() {
            let from = i.saturating_sub(limit).max(1);
            let to = (i + limit).min(b.len());
            current[from - 1] = if from == 1 { i.min(far) } else { far };
            let mut least = current[from - 1];
            for j in from..=to {
                let mut d = previous[j].min(current[j - 1]) + 1;
                d = d.min(previous[j - 1] + usize::from(a[i - 1] != b[j - 1]));
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    d = d.min(before[j - 2] + 1);
                }
                current[j] = d.min(far);
                least = least.min(d);
            }
            // The next row looks one place further.
            if let Some(next) = current.get_mut(to + 1) {
                *next = far;
            }
            if least > limit {
                return None;
            }
            std::mem::swap(before, previous);
            std::mem::swap(previous, current);
        }
        Some(previous[b.len()]).filter(|&distance| distance <= limit)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::TextOptions;

    #[test]
    fn ties_go_to_like_beginnings_then_to_frequent_terms() {
        let documents = ["bard bark cart darn", "cart darn", "Bark", "übung"];
        let options = TextOptions { lowercase: false, ..TextOptions::scikit_learn() };
        let (_, vectorizer) = Vectorizer::fit_transform(options, &documents).expect("words");
        assert_eq!(vectorizer.nearest("barn", 9), ["Bark", "bard", "bark", "darn"]);
        assert_eq!(vectorizer.nearest("wart", 2), ["cart"]);
        assert_eq!(vectorizer.nearest("BARK", 1), ["Bark"]);
        assert_eq!(vectorizer.nearest("ÜBNUG", 1), ["übung"]);
        assert!(vectorizer.nearest("", 3).is_empty() && vectorizer.nearest("barn", 0).is_empty());
    }

    /// The recurrence as it stands.
    fn naive(a: &[char], b: &[char]) -> usize {
        let mut d = vec![vec![0; b.len() + 1]; a.len() + 1];
        for i in 0..=a.len() {
            for j in 0..=b.len() {
                if i == 0 || j == 0 {
                    d[i][j] = i + j;
                    continue;
                }
                d[i][j] = (d[i - 1][j] + 1)
                    .min(d[i][j - 1] + 1)
                    .min(d[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]));
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    d[i][j] = d[i][j].min(d[i - 2][j - 2] + 1);
                }
            }
        }
        d[a.len()][b.len()]
    }

    proptest! {
        #[test]
        fn near_the_diagonal_is_enough(a in "[abé]{0,9}", b in "[abé]{0,9}", limit in 0_usize..5) {
            let chars: Vec<char> = a.chars().collect();
            let whole = naive(&chars, &b.chars().collect::<Vec<_>>());
            let expected = Some(whole).filter(|&d| d <= limit);
            // Room used before must not matter.
            let mut distances = Distances::default();
            distances.between(&['x'; 7], "xyxyxyxy", 4);
            prop_assert_eq!(distances.between(&chars, &b, limit), expected);
            let passed_over = is_farther(characters(chars.iter().copied()), chars.len(), &b, limit);
            prop_assert!(!passed_over || expected.is_none());
        }
    }
}
