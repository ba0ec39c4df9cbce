//! Phrases: pairs of words that stand side by side so often that they are one term.
//!
//! ```text
//! npmi(a, b) = ln(p(ab) / (p(a) p(b))) / -ln p(ab) >= 0.45,   n(ab) >= 5
//! ```
//!
//! where p is a count over the number of words, after stop words, numbers and stems. Words are side by side if nothing
//! but a space is between them: neither a dropped word nor punctuation, nor an empty line. Phrases are learned from all
//! texts, which are then read again; in a text the first pair from the left is joined. Counts are whole numbers, so any
//! number of threads gives the same. Reference: Bouma, "Normalized (pointwise) mutual information in collocation
//! extraction" (2009).

use std::hash::Hash;
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::counted::documents_bytes;
use super::counts::{Analyzer, PairCounts, chunks};
use super::options::TextOptions;
use crate::budget::{Budget, Claim, table_bytes};
use crate::error::Result;

/// A pair must be seen so often, and be so much more frequent than by chance.
const FEWEST: u64 = 5;
const LEAST_NPMI: f64 = 0.45;

/// Which pairs of words are one term.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phrases {
    /// None.
    #[default]
    None,
    /// Those that the texts have often; a vectorizer that has learned them says which.
    Learn,
    /// These, with a space between both words.
    These(Vec<String>),
}

impl Phrases {
    /// Whether there are none.
    pub fn is_none(&self) -> bool {
        *self == Phrases::None
    }
}

/// The options with the phrases of the texts, if they are to be learned.
pub(super) fn learned(
    options: TextOptions,
    documents: &[impl AsRef<str> + Sync],
) -> Result<TextOptions> {
    if options.phrases != Phrases::Learn {
        return Ok(options);
    }
    let analyzer = Analyzer::new(&options)?;
    let mut claim = Budget::of_process().claim("pairs of words");
    claim.take(documents_bytes(documents))?;
    let claim = Mutex::new(claim);
    let chunks = chunks(documents).into_par_iter();
    let counted = chunks.map(|chunk| analyzer.pairs(&documents[chunk], &claim));
    let counted: Vec<PairCounts> = counted.collect::<Result<_>>()?;
    let phrases = chosen(&counted, &claim)?;
    Ok(TextOptions { phrases: Phrases::These(phrases), ..options })
}

/// How often things were seen, in a table whose room is claimed before it grows.
pub(super) struct Tally<T>(FxHashMap<T, u64>);

impl<T> Default for Tally<T> {
    fn default() -> Self {
        Self(FxHashMap::default())
    }
}

impl<T: Eq + Hash> Tally<T> {
    /// Counts so many more of a thing.
    ///
    /// # Errors
    /// If there is no room for it.
    pub(super) fn add(&mut self, thing: T, more: u64, claim: &Mutex<Claim>) -> Result<()> {
        let room = self.0.capacity();
        if self.0.len() == room && !self.0.contains_key(&thing) {
            let bytes = |room| table_bytes(room, size_of::<(T, u64)>());
            // A lock that another thread has left behind by a panic is as good as any.
            let mut claim = claim.lock().unwrap_or_else(PoisonError::into_inner);
            // The old table stands beside the new one until all have moved.
            claim.take(bytes(room + 1))?;
            self.0.reserve(1);
            claim.give_back(bytes(room));
        }
        *self.0.entry(thing).or_insert(0) += more;
        Ok(())
    }
}

/// The phrases of all chunks, sorted.
fn chosen(counted: &[PairCounts], claim: &Mutex<Claim>) -> Result<Vec<String>> {
    let (mut words, mut pairs) = (Tally::<&str>::default(), Tally::<(&str, &str)>::default());
    for chunk in counted {
        for (term, &count) in chunk.counts.iter().enumerate() {
            words.add(chunk.terms.get(term as u32), count, claim)?;
        }
        for (&(a, b), &count) in &chunk.pairs.0 {
            pairs.add((chunk.terms.get(a), chunk.terms.get(b)), count, claim)?;
        }
    }
    let (Tally(words), Tally(pairs)) = (words, pairs);
    let n = words.values().sum::<u64>() as f64;
    let share = |word: &str| words.get(word).copied().unwrap_or(0) as f64 / n;
    let is_phrase = |((a, b), count): &(&(&str, &str), &u64)| {
        let together = **count as f64 / n;
        let npmi = (together / (share(a) * share(b))).ln() / -together.ln();
        **count >= FEWEST && npmi >= LEAST_NPMI
    };
    let found = pairs.iter().filter(is_phrase).map(|((a, b), _)| format!("{a} {b}"));
    let mut found: Vec<String> = found.collect();
    found.sort_unstable();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Vectorizer;

    fn fitted(documents: &[String]) -> Vectorizer {
        let options = TextOptions { phrases: Phrases::Learn, ..TextOptions::default() };
        Vectorizer::fit_transform(options, documents).expect("words").1
    }

    fn texts() -> Vec<String> {
        let filler = ["red", "green", "blue", "cats", "dogs", "trees", "birds"];
        let text = |k: usize| {
            let other = |j: usize| filler[(k * 3 + j * j) % filler.len()];
            let (a, b, c) = (other(1), other(2), other(k));
            match k % 3 {
                0 => format!("{a} New York {b} {c}"),
                1 => format!("{a} new, york {b} machine learning {c}"),
                _ => format!("{a} {b} the machine of learning {c}"),
            }
        };
        (0..60).map(text).collect()
    }

    #[test]
    fn pairs_that_stand_together_become_one_term() {
        let documents = texts();
        let vectorizer = fitted(&documents);
        let Phrases::These(phrases) = &vectorizer.options().phrases else { panic!("learned") };
        assert_eq!(phrases, &["machine learning", "new york"]);
        let df = |term: &str| {
            vectorizer.column(term).map_or(0, |j| vectorizer.document_frequencies()[j])
        };
        // A comma or a stop word between them keeps words apart.
        assert_eq!((df("new york"), df("york"), df("new")), (20, 20, 20));
        assert_eq!((df("machine learning"), df("machine")), (20, 20));
    }

    #[test]
    fn pairs_are_claimed_before_the_table_grows() {
        let budget = Budget::new(8 << 20);
        let claim = Mutex::new(budget.claim("pairs"));
        let mut tally = Tally::<(u32, u32)>::default();
        let refused = (0..).find(|&k| {
            // Those that are known need no more room.
            let known =
                tally.add((0, 0), 1, &claim).and_then(|()| tally.add((0, k / 2), 1, &claim));
            known.and_then(|()| tally.add((k, 1), 1, &claim)).is_err()
        });
        // Two tables of 17 bytes a place, one of them twice as large, have to fit.
        assert!(tally.0.len() == tally.0.capacity() && tally.0.len() >= 100_000, "{refused:?}");
        assert_eq!(
            claim.into_inner().expect("no panic").held(),
            table_bytes(tally.0.capacity(), 16)
        );
    }

    #[test]
    fn chunks_claim_their_words_and_pairs() {
        let text = |k: u32| (0..4_000).map(|j| format!("w{} ", k * 4_000 + j)).collect::<String>();
        let documents: Vec<String> = (0..10).map(text).collect();
        let options = TextOptions::default();
        let pairs = |megabytes: u64| {
            let claim = Mutex::new(Budget::new(megabytes << 20).claim("pairs"));
            let analyzer = Analyzer::new(&options).expect("options");
            let counted = analyzer.pairs(&documents, &claim)?;
            chosen(&[counted], &claim)
        };
        assert!(matches!(pairs(2), Err(crate::Error::Memory { .. })));
        assert!(matches!(pairs(4), Err(crate::Error::Memory { .. })), "all chunks together");
        assert!(pairs(16).is_ok());
    }

    #[test]
    fn new_texts_are_read_in_the_same_way() {
        let documents = texts();
        let options = TextOptions { phrases: Phrases::Learn, ..TextOptions::default() };
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            let fit = || Vectorizer::fit_transform(options.clone(), &documents);
            pool.expect("threads start").install(fit).expect("words")
        };
        let (x, vectorizer) = run(1);
        let (y, same) = run(3);
        assert_eq!((x.csr(), &vectorizer), (y.csr(), &same));
        assert_eq!(vectorizer.transform(&documents).expect("texts").csr(), x.csr());
        let json = serde_json::to_string(&vectorizer).expect("serialisable");
        let again: Vectorizer = serde_json::from_str(&json).expect("written by ourselves");
        assert_eq!(again, vectorizer);
        let new = again.transform(&["New York. York"]).expect("texts");
        let mut columns =
            [again.column("new york"), again.column("york")].map(|j| j.expect("a word") as u32);
        columns.sort_unstable();
        assert_eq!(new.csr().1, columns);
    }

    #[test]
    fn a_word_is_in_one_phrase_only() {
        let text = |k: usize| match k % 3 {
            0 => format!("x{k}y alpha beta gamma z{k}y"),
            _ => format!("x{k}y z{k}y"),
        };
        let documents: Vec<String> = (0..90).map(text).collect();
        let vectorizer = fitted(&documents);
        assert!(vectorizer.column("alpha beta").is_some() && vectorizer.column("gamma").is_some());
        assert!(vectorizer.column("beta gamma").is_none() && vectorizer.column("beta").is_none());
    }

    #[test]
    fn they_are_learned_from_all_texts_together() {
        let options = TextOptions { phrases: Phrases::Learn, ..TextOptions::default() };
        let error = crate::text::CountedDocuments::new(&options, &texts()).map(|_| ()).unwrap_err();
        assert!(error.to_string().contains("on one rank"), "{error}");
    }

    #[test]
    fn options_that_say_nothing_of_phrases_have_none() {
        let options: TextOptions = serde_json::from_str("{}").expect("options");
        assert_eq!(options.phrases, Phrases::None);
        let options: TextOptions =
            serde_json::from_str(r#"{"phrases": "learn"}"#).expect("options");
        assert_eq!(options.phrases, Phrases::Learn);
    }
}
