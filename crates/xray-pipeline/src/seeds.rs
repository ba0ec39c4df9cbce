//! Words that a user gives, found in the vocabulary.

use std::collections::BTreeSet;

use xray_data::text::{Keep, Stemmer, Vectorizer};

/// Words found, list by list, and those that are not in the vocabulary.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Seeds {
    /// Columns of the known words; lists without any known word are left out.
    pub columns: Vec<Vec<usize>>,
    /// Words that are not in the vocabulary.
    pub unknown: Vec<UnknownWord>,
}

/// A word that is not in the vocabulary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownWord {
    /// The word as given.
    pub word: String,
    /// Why it was dropped from the texts, if that is known.
    pub dropped: Option<&'static str>,
    /// The known words that are spelt most like it, nearest first.
    pub nearest: Vec<String>,
}

impl std::fmt::Display for UnknownWord {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "\"{}\" is not in the vocabulary", self.word)?;
        match (self.dropped, &self.nearest[..]) {
            (Some(why), _) => write!(f, ": {why}"),
            (None, []) => write!(f, "; it may be too rare or too frequent"),
            (None, words) => write!(f, "; did you mean {}?", words.join(", ")),
        }
    }
}

/// What to say of words in so few documents that a topic that begins with them may be about no more than these.
pub(crate) fn warn_of_rare(vectorizer: &Vectorizer, lists: &[Vec<usize>]) -> Vec<String> {
    const FEW_DOCUMENTS: u64 = 10;
    let columns: BTreeSet<usize> = lists.iter().flatten().copied().collect();
    let counted = columns.into_iter().map(|j| (j, vectorizer.document_frequencies()[j]));
    let rare = counted.filter(|(_, documents)| *documents < FEW_DOCUMENTS);
    let warning = |(j, documents): (usize, u64)| {
        let (word, plural) = (&vectorizer.vocabulary()[j], if documents == 1 { "" } else { "s" });
        format!(
            "\"{word}\" is in {documents} document{plural} only, and its topic may be about no more than that; \
             add words to it, or lower the strength of anchor words"
        )
    };
    rare.map(warning).collect()
}

/// The words of a list that is written with commas between them.
pub fn split_words(list: &str) -> Vec<String> {
    list.split(',').map(|word| word.trim().to_owned()).filter(|word| !word.is_empty()).collect()
}

/// Finds words as the vocabulary spells them (lower case, stemmed) in each list; in a list, a word counts once.
pub fn resolve_words(vectorizer: &Vectorizer, lists: &[Vec<String>]) -> Seeds {
    const MOST_SUGGESTIONS: usize = 3;
    let options = vectorizer.options();
    let stop_words = options.stop_words.all();
    let keeps_numbers = [Keep::All, Keep::Numbers].iter().any(|kept| options.keep.contains(kept));
    let is_number = |word: &str| !keeps_numbers && word.bytes().all(|byte| byte.is_ascii_digit());
    let dropped = |word: &String| match word {
        word if stop_words.contains(word) => Some("it is a stop word"),
        word if is_number(word) => Some("numbers are dropped"),
        _ => None,
    };
    // A vectorizer that stems is only there where stems can be made.
    let stemmer = options.stemming.and_then(|language| Stemmer::new(language).ok());
    let mut seeds = Seeds::default();
    for list in lists {
        let mut columns = Vec::new();
        for word in list {
            let exact = vectorizer.column(word);
            let mut spelt = if options.lowercase { word.to_lowercase() } else { word.clone() };
            if let Some(stemmer) = &stemmer {
                let stems: Vec<String> =
                    spelt.split_whitespace().map(|part| stemmer.stem(part)).collect();
                spelt = stems.join(" ");
            }
            match exact.or_else(|| vectorizer.column(&spelt)) {
                Some(column) if columns.contains(&column) => {}
                Some(column) => columns.push(column),
                None => {
                    let nearest = vectorizer.nearest(&spelt, MOST_SUGGESTIONS);
                    let nearest = nearest.into_iter().map(String::from).collect();
                    let (word, dropped) = (word.clone(), dropped(&word.to_lowercase()));
                    seeds.unknown.push(UnknownWord { word, dropped, nearest });
                }
            }
        }
        if !columns.is_empty() {
            seeds.columns.push(columns);
        }
    }
    seeds
}
