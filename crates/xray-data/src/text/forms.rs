//! The words that stems stand for, by which people know them.

use std::cmp::Reverse;

use rustc_hash::FxHashMap;

use super::counts::ChunkCounts;
use crate::budget::string_bytes;

/// A word, the stem that it is reduced to, and how often it occurs in some documents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormCount {
    /// The stem.
    pub stem: String,
    /// The word.
    pub word: String,
    /// How often it occurs.
    pub total: u64,
}

impl FormCount {
    /// The memory that it takes in a list.
    pub(super) fn bytes(&self) -> u64 {
        string_bytes(self.stem.len()) + string_bytes(self.word.len()) + 8
    }

    /// The most frequent word of each stem, by stem; of as frequent ones the first by code points.
    pub fn most_frequent(
        forms: impl IntoIterator<Item = FormCount>,
    ) -> FxHashMap<String, FormCount> {
        let mut best: FxHashMap<String, FormCount> = FxHashMap::default();
        for form in forms {
            let known = best.entry(form.stem.clone()).or_insert_with(|| form.clone());
            if (Reverse(form.total), &form.word) < (Reverse(known.total), &known.word) {
                *known = form;
            }
        }
        best
    }
}

/// The words of all chunks, each once.
pub(super) fn forms_of(chunks: &[ChunkCounts]) -> Vec<FormCount> {
    let mut merged: FxHashMap<&str, (&str, u64)> = FxHashMap::default();
    for (stem, word, total) in chunks.iter().flat_map(|chunk| chunk.forms.kept(&chunk.terms)) {
        merged.entry(word).or_insert((stem, 0)).1 += total;
    }
    let form = |(word, (stem, total)): (&str, (&str, u64))| FormCount {
        stem: stem.to_owned(),
        word: word.to_owned(),
        total,
    };
    merged.into_iter().map(form).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_as_frequent_words_the_first_is_shown_however_texts_are_cut() {
        let forms = |words: [(&str, u64); 3]| {
            let form = |(word, total): (&str, u64)| FormCount {
                stem: "s".into(),
                word: word.into(),
                total,
            };
            FormCount::most_frequent(words.map(form))["s"].word.clone()
        };
        assert_eq!(forms([("sb", 2), ("sa", 2), ("sc", 1)]), "sa");
        assert_eq!(forms([("sa", 2), ("sc", 3), ("sb", 2)]), "sc");
    }
}
