//! How text becomes a matrix.

use serde::{Deserialize, Serialize};
use xray_nmf::choices;

use super::clean::Keep;
use super::pattern::Pattern;
use super::phrases::Phrases;
use super::stems::Stemmer;
use super::stop_words::of_language;
use crate::error::{Error, Result};

/// Options of a [`Vectorizer`](super::Vectorizer).
///
/// | Name | Default | Purpose | Range |
/// |---|---|---|---|
/// | `keep` | nothing | what is kept of links, tags, mail headers, numbers, ... | |
/// | `lowercase` | yes | fold case first | |
/// | `min_characters` | 2 | shorter tokens are dropped | 1.. |
/// | `token_pattern` | none | a regular expression for tokens; then it alone decides, not `min_characters` | one group at most |
/// | `stop_words` | English | words to drop | |
/// | `stemming` | none | reduce words to stems of a language | |
/// | `phrases` | none | pairs of words that are one term | |
/// | `ngrams` | (1, 1) | shortest and longest runs of words | 1 <= shortest <= longest <= 8 |
/// | `min_df` | automatic | rarer terms are dropped | count, or share in 0..=1 |
/// | `max_df` | automatic | more frequent terms are dropped | count, or share in 0..=1 |
/// | `max_features` | none | keep the terms with the largest total counts | 1.. |
/// | `tf_idf` | yes | weigh by rarity; otherwise plain counts | |
/// | `sublinear_tf` | yes | 1 + ln(count) instead of the count | |
/// | `smooth_idf` | yes | ln((1+n)/(1+df)) + 1; otherwise ln(n/df) + 1 | |
/// | `normalize` | l2 | what every document is divided by: its length, its sum, or nothing | |
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TextOptions {
    /// What is kept of that which is no word. Options that were written without it are of a time when texts were left
    /// as they are, and say so by its absence.
    #[serde(default = "all", skip_serializing_if = "is_all")]
    pub keep: Vec<Keep>,
    /// Fold case first.
    pub lowercase: bool,
    /// Tokens with fewer characters are dropped.
    pub min_characters: usize,
    /// What tokens look like, as a regular expression on the lowercased text; if there is one, `min_characters` is not
    /// looked at.
    pub token_pattern: Option<String>,
    /// Words to drop.
    pub stop_words: StopWords,
    /// Reduce words to stems, after stop words are dropped (needs the feature `stemming`).
    pub stemming: Option<Language>,
    /// Pairs of words that are one term, after stop words are dropped and words reduced to stems.
    pub phrases: Phrases,
    /// Shortest and longest runs of words that make a term.
    pub ngrams: (usize, usize),
    /// Terms in fewer documents are dropped.
    pub min_df: DocumentFrequency,
    /// Terms in more documents are dropped.
    pub max_df: DocumentFrequency,
    /// Keep only this many terms, by total count, ties in alphabetical order.
    pub max_features: Option<usize>,
    /// Weigh terms by rarity; otherwise `sublinear_tf` and `normalize` apply to plain counts.
    pub tf_idf: bool,
    /// 1 + ln(count) instead of the count.
    pub sublinear_tf: bool,
    /// Count one more document that has every term.
    pub smooth_idf: bool,
    /// What every document is divided by. Written as yes for its length and no for nothing, which was all there was.
    #[serde(with = "scale_or_flag")]
    pub normalize: RowScale,
}

impl Default for TextOptions {
    fn default() -> Self {
        Self {
            keep: Vec::new(),
            lowercase: true,
            min_characters: 2,
            token_pattern: None,
            stop_words: StopWords::English,
            stemming: None,
            phrases: Phrases::None,
            ngrams: (1, 1),
            min_df: DocumentFrequency::Automatic,
            max_df: DocumentFrequency::Automatic,
            max_features: None,
            tf_idf: true,
            sublinear_tf: true,
            smooth_idf: true,
            normalize: RowScale::L2,
        }
    }
}

impl TextOptions {
    /// The defaults of scikit-learn's `TfidfVectorizer`.
    pub fn scikit_learn() -> Self {
        Self {
            keep: all(),
            stop_words: StopWords::None,
            min_df: DocumentFrequency::Count(1),
            max_df: DocumentFrequency::Share(1.0),
            sublinear_tf: false,
            ..Self::default()
        }
    }

    /// Plain counts of the words, without weights: a bag of words.
    pub fn counts() -> Self {
        Self { tf_idf: false, sublinear_tf: false, normalize: RowScale::None, ..Self::default() }
    }

    /// For matrices of counts that are used as they are: every column kept, nothing weighed.
    pub fn plain() -> Self {
        Self {
            keep: all(),
            stop_words: StopWords::None,
            min_df: DocumentFrequency::Count(0),
            max_df: DocumentFrequency::Share(1.0),
            ..Self::counts()
        }
    }

    /// Checks every range.
    ///
    /// # Errors
    /// Names the first option that is outside its range.
    pub fn check(&self) -> Result<()> {
        let (shortest, longest) = self.ngrams;
        if shortest == 0 || longest < shortest || longest > 8 {
            let value = format!("({shortest}, {longest})");
            return Err(refused("ngrams", value, "use 1 <= shortest <= longest <= 8"));
        }
        if self.min_characters == 0 {
            return Err(refused("min_characters", "0".into(), "use 1 or more"));
        }
        if self.max_features == Some(0) {
            return Err(refused("max_features", "0".into(), "use 1 or more, or none"));
        }
        for (name, frequency) in [("min_df", self.min_df), ("max_df", self.max_df)] {
            if let DocumentFrequency::Share(share) = frequency
                && !(0.0..=1.0).contains(&share)
            {
                return Err(refused(name, share.to_string(), "a share lies between 0 and 1"));
            }
        }
        self.token_pattern.as_deref().map(Pattern::new).transpose()?;
        self.stemming.map_or(Ok(()), |language| Stemmer::new(language).map(|_| ()))
    }

    /// The smallest and largest document frequency that a term may have, in so many documents.
    ///
    /// # Errors
    /// If a share is out of range.
    pub fn frequency_range(&self, n_documents: usize) -> Result<(f64, f64)> {
        let n = n_documents as f64;
        let min = match self.min_df {
            DocumentFrequency::Automatic => automatic_min_df(n_documents) as f64,
            DocumentFrequency::Count(count) => count as f64,
            DocumentFrequency::Share(share) => share * n,
        };
        let max = match self.max_df {
            DocumentFrequency::Automatic if n_documents < 20 => n,
            DocumentFrequency::Automatic => 0.5 * n,
            DocumentFrequency::Count(count) => count as f64,
            DocumentFrequency::Share(share) => share * n,
        };
        if max < min {
            return Err(self.crossed(min, max, n));
        }
        Ok((min, max))
    }
}

impl TextOptions {
    /// No frequency is left; blames the option that was given.
    fn crossed(&self, min: f64, max: f64, n: f64) -> Error {
        if self.max_df == DocumentFrequency::Automatic {
            let allowed = format!(
                "it stands for {min} of {n} documents, and words in more than {max} are dropped; lower it \
                 or raise `max_df`"
            );
            return Error::Parameter { name: "min_df", value: self.min_df.to_string(), allowed };
        }
        let allowed = format!(
            "it stands for {max} of {n} documents, and words in fewer than {min} are dropped; raise it or \
             lower `min_df`"
        );
        Error::Parameter { name: "max_df", value: self.max_df.to_string(), allowed }
    }
}

/// Texts exactly as they are.
fn all() -> Vec<Keep> {
    vec![Keep::All]
}

fn is_all(keep: &[Keep]) -> bool {
    keep == [Keep::All]
}

fn refused(name: &'static str, value: String, allowed: &str) -> Error {
    Error::Parameter { name, value, allowed: allowed.to_owned() }
}

/// A term must be seen often enough to be told from a misspelling: more often in larger corpora.
fn automatic_min_df(n_documents: usize) -> u64 {
    match n_documents {
        0..200 => 1,
        200..1_000 => 2,
        1_000..10_000 => 3,
        10_000..100_000 => 5,
        _ => 10,
    }
}

/// A number of documents.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DocumentFrequency {
    /// As a minimum 1, 2, 3, 5 or 10 documents for corpora below 200, 1,000, 10,000, 100,000 and
    /// above; as a maximum half of all documents, or all below 20.
    Automatic,
    /// So many documents.
    Count(u64),
    /// This share of all documents, between 0 and 1.
    Share(f64),
}

impl std::fmt::Display for DocumentFrequency {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            DocumentFrequency::Automatic => f.write_str("automatic"),
            DocumentFrequency::Count(count) => write!(f, "{count}"),
            DocumentFrequency::Share(share) => write!(f, "{share:?}"),
        }
    }
}

choices! {
    /// What every document is divided by.
    pub enum RowScale ("row scale") {
        L2 = "l2": "its Euclidean length",
        L1 = "l1": "its sum",
        None = "none": "nothing",
    }
}

/// Lengths and nothing as yes and no, sums by name.
mod scale_or_flag {
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serializer};

    use super::RowScale;

    pub(super) fn serialize<S: Serializer>(scale: &RowScale, to: S) -> Result<S::Ok, S::Error> {
        match scale {
            RowScale::L2 => to.serialize_bool(true),
            RowScale::None => to.serialize_bool(false),
            RowScale::L1 => to.serialize_str(scale.name()),
        }
    }

    #[derive(Deserialize)]
    #[serde(
        untagged,
        expecting = "documents are scaled by l1, l2 or none; or yes for l2, no for none"
    )]
    enum Given {
        Flag(bool),
        Name(String),
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<RowScale, D::Error> {
        match Given::deserialize(from)? {
            Given::Flag(true) => Ok(RowScale::L2),
            Given::Flag(false) => Ok(RowScale::None),
            Given::Name(name) => name.parse().map_err(D::Error::custom),
        }
    }
}

/// Words that are dropped before terms are counted.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(
    rename_all = "snake_case",
    expecting = "stop words are english or another language that has stems, a list of words, or none"
)]
pub enum StopWords {
    /// Drop nothing.
    None,
    /// Drop [`ENGLISH_STOP_WORDS`](super::ENGLISH_STOP_WORDS).
    #[default]
    English,
    /// Drop these words.
    List(Vec<String>),
    /// Drop the English list and these words.
    EnglishAnd(Vec<String>),
    /// Drop the function words of a language and these words.
    OfAnd(Language, Vec<String>),
    /// Drop the function words of a language; its name alone says so.
    #[serde(untagged)]
    Of(Language),
}

impl StopWords {
    /// The function words of a language.
    ///
    /// ```
    /// use xray_data::text::{Language, StopWords};
    /// assert_eq!(StopWords::of(Language::English), StopWords::English);
    /// assert!(StopWords::of(Language::German).all().contains(&"und".to_owned()));
    /// ```
    pub fn of(language: Language) -> Self {
        if language == Language::English { StopWords::English } else { StopWords::Of(language) }
    }

    /// Whether they are English ones, perhaps with more.
    pub fn are_english(&self) -> bool {
        matches!(self, StopWords::English | StopWords::EnglishAnd(_))
    }

    /// These words and more.
    #[must_use]
    pub fn and(self, more: &[String]) -> Self {
        match self {
            _ if more.is_empty() => self,
            StopWords::None => StopWords::List(more.to_vec()),
            StopWords::English => StopWords::EnglishAnd(more.to_vec()),
            StopWords::List(words) => StopWords::List([&words, more].concat()),
            StopWords::EnglishAnd(words) => StopWords::EnglishAnd([&words, more].concat()),
            StopWords::Of(language) => StopWords::OfAnd(language, more.to_vec()),
            StopWords::OfAnd(language, words) => {
                StopWords::OfAnd(language, [&words, more].concat())
            }
        }
    }

    /// All words to drop.
    pub fn all(&self) -> Vec<String> {
        match self {
            StopWords::None => Vec::new(),
            StopWords::English => of_language(Language::English),
            StopWords::List(words) => words.clone(),
            StopWords::EnglishAnd(words) => {
                [of_language(Language::English), words.clone()].concat()
            }
            StopWords::Of(language) => of_language(*language),
            StopWords::OfAnd(language, words) => [of_language(*language), words.clone()].concat(),
        }
    }
}

choices! {
    /// A language whose words can be reduced to stems (Snowball algorithms).
    pub enum Language ("stemming") {
        Arabic = "arabic": "Arabic",
        Danish = "danish": "Danish",
        Dutch = "dutch": "Dutch",
        English = "english": "English",
        Finnish = "finnish": "Finnish",
        French = "french": "French",
        German = "german": "German",
        Greek = "greek": "Greek",
        Hungarian = "hungarian": "Hungarian",
        Italian = "italian": "Italian",
        Norwegian = "norwegian": "Norwegian",
        Portuguese = "portuguese": "Portuguese",
        Romanian = "romanian": "Romanian",
        Russian = "russian": "Russian",
        Spanish = "spanish": "Spanish",
        Swedish = "swedish": "Swedish",
        Tamil = "tamil": "Tamil",
        Turkish = "turkish": "Turkish",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_checked() {
        let wrong = [
            TextOptions { ngrams: (0, 1), ..TextOptions::default() },
            TextOptions { ngrams: (2, 1), ..TextOptions::default() },
            TextOptions { max_features: Some(0), ..TextOptions::default() },
            TextOptions { min_characters: 0, ..TextOptions::default() },
            TextOptions { token_pattern: Some("(".into()), ..TextOptions::default() },
            TextOptions { min_df: DocumentFrequency::Share(1.5), ..TextOptions::default() },
            TextOptions { max_df: DocumentFrequency::Share(f64::NAN), ..TextOptions::default() },
        ];
        for options in wrong {
            assert!(options.check().is_err(), "{options:?}");
        }
        assert!(TextOptions::default().check().is_ok());
    }

    #[test]
    fn words_to_drop_are_added_to_any_list() {
        let (one, more) = (vec!["one".to_owned()], vec!["more".to_owned()]);
        let both = [one.clone(), more.clone()].concat();
        for (words, with_more) in [
            (StopWords::None, StopWords::List(more.clone())),
            (StopWords::English, StopWords::EnglishAnd(more.clone())),
            (StopWords::List(one.clone()), StopWords::List(both.clone())),
            (StopWords::EnglishAnd(one.clone()), StopWords::EnglishAnd(both.clone())),
            (StopWords::Of(Language::Greek), StopWords::OfAnd(Language::Greek, more.clone())),
            (StopWords::OfAnd(Language::Dutch, one), StopWords::OfAnd(Language::Dutch, both)),
        ] {
            assert_eq!(words.clone().and(&[]), words);
            assert_eq!(words.and(&more), with_more);
        }
    }

    #[test]
    fn stop_words_are_said_by_their_language() {
        for (json, words) in [
            (r#""none""#, StopWords::None),
            (r#""english""#, StopWords::English),
            (r#""german""#, StopWords::Of(Language::German)),
            (r#"{"list":["a"]}"#, StopWords::List(vec!["a".into()])),
            (
                r#"{"of_and":["german",["a"]]}"#,
                StopWords::OfAnd(Language::German, vec!["a".into()]),
            ),
        ] {
            assert_eq!(serde_json::from_str::<StopWords>(json).expect("words"), words);
            assert_eq!(serde_json::to_string(&words).expect("serialisable"), json);
        }
        assert!(serde_json::from_str::<StopWords>(r#""klingon""#).is_err());
    }

    #[test]
    fn scales_of_documents_are_flags_or_names() {
        for (json, scale, written) in [
            ("true", RowScale::L2, "true"),
            ("\"l2\"", RowScale::L2, "true"),
            ("false", RowScale::None, "false"),
            ("\"none\"", RowScale::None, "false"),
            ("\"l1\"", RowScale::L1, "\"l1\""),
        ] {
            let json = format!("{{\"normalize\": {json}}}");
            let options: TextOptions = serde_json::from_str(&json).expect("options");
            assert_eq!(options.normalize, scale);
            let value = serde_json::to_value(&options).expect("serialisable");
            assert_eq!(value["normalize"].to_string(), written);
        }
        let error = serde_json::from_str::<TextOptions>(r#"{"normalize": "l3"}"#).unwrap_err();
        assert!(error.to_string().contains("l1"), "{error}");
    }

    #[test]
    fn options_survive_json() {
        let options = TextOptions { min_df: DocumentFrequency::Share(0.1), ..Default::default() };
        let json = serde_json::to_string(&options).expect("options are serialisable");
        assert_eq!(options, serde_json::from_str(&json).expect("written by ourselves"));
        assert!(json.contains(r#""keep":[]"#), "{json}");
        let options: TextOptions =
            serde_json::from_str(r#"{"token_pattern": "[a-z]+"}"#).expect("options");
        assert_eq!(options.token_pattern.as_deref(), Some("[a-z]+"));
    }

    #[test]
    fn options_from_before_texts_were_cleaned_keep_all() {
        let old: TextOptions = serde_json::from_str(r#"{"min_characters": 3}"#).expect("options");
        assert_eq!(old.keep, [Keep::All]);
        let json = serde_json::to_string(&old).expect("options are serialisable");
        assert!(!json.contains("keep"), "{json}");
        assert_eq!(old, serde_json::from_str(&json).expect("written by ourselves"));
        let some: TextOptions = serde_json::from_str(r#"{"keep": ["urls"]}"#).expect("options");
        assert_eq!(some.keep, [Keep::Urls]);
        let error = serde_json::from_str::<TextOptions>(r#"{"keep": ["links"]}"#).unwrap_err();
        assert!(error.to_string().contains("urls"), "{error}");
    }
}
