//! How topics are found.

use std::collections::BTreeSet;

use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use xray_data::text::{DocumentFrequency, Language, RowScale, Stemmer, TextOptions, Vectorizer};
use xray_nmf::{Params, Refinement, SeededTopics, Selection, choices};

use crate::error::{Error, Result};
use crate::frequent::Frequent;
use crate::seeds::{Seeds, resolve_words, warn_of_rare};

/// Options of [`find_topics`](crate::find_topics).
///
/// | Name | Default | Purpose | Range |
/// |---|---|---|---|
/// | `rank` | suggested | number of topics | any |
/// | `fast` | no | take the knee of the residual for the suggestion | |
/// | `max_rank` | 40 | most topics to consider for the suggestion | 1.. |
/// | `anchors` | none | columns of words that begin the first topics, one list a topic | |
/// | `anchor_strength` | 0.5 | how far those topics stay with their words: from not at all to held | 0 to 1 |
/// | `excluded` | none | columns that are never anchors nor top words | |
/// | `anchor_min_df` | none | documents that an anchor word is in at least, with the words in `params.candidates` | |
/// | `refine` | until it settles | steps of alternating optimisation: 100 at most, down to 5 for large data | any |
/// | `refine_tolerance` | 1e-7, or 0 with `refine` | end it when three steps lower the objective by less, relatively | 0.. |
/// | `method` | HALS | how they are made | |
/// | `n_words` | 10 | words to list for each topic | any |
/// | `distinct` | no | list one of several forms of a word | |
/// | `stability` | no | look how stable each topic is | |
/// | `params` | greedy | everything else about the choice of anchors | |
/// | `memory` | a quarter of RAM | bytes for cached products; no effect on the result | any |
#[derive(Debug, Clone, PartialEq)]
pub struct TopicOptions {
    /// Number of topics, or `None` to have it suggested.
    pub rank: Option<usize>,
    /// Whether the knee of the residual is enough of a suggestion ([`study_number`](crate::study_number) takes longer).
    pub fast: bool,
    /// The most topics that are considered for the suggestion.
    pub max_rank: usize,
    /// Words that begin the first topics: a topic for each list.
    pub anchors: Vec<Vec<usize>>,
    /// How far refinement leaves these topics with their words: 0 (they are where it starts) to 1 (held).
    pub anchor_strength: f64,
    /// Words that are never anchors and never listed.
    pub excluded: Vec<usize>,
    /// What `params.candidates` were chosen by: the documents that an anchor word is in at least.
    pub anchor_min_df: Option<u64>,
    /// The most steps of alternating optimisation, or `None` for as many as
    /// [`default_refine`](Self::default_refine) says.
    pub refine: Option<usize>,
    /// Refinement ends when three steps together lower `||X - WH||^2` by less than this part of it; `None` for what
    /// [`settled`](Self::settled) says.
    pub refine_tolerance: Option<f64>,
    /// How refinement is done.
    pub method: Refinement,
    /// Words to list for each topic.
    pub n_words: usize,
    /// List only one of several forms of a word.
    pub distinct: bool,
    /// Whether to look how stable each topic is.
    pub stability: bool,
    /// Rule, solver and seed; `rank`, `fixed` and `excluded` are overwritten.
    pub params: Params,
    /// Bytes for cached products; a quarter of the machine's memory if absent.
    pub memory: Option<usize>,
}

impl Default for TopicOptions {
    fn default() -> Self {
        Self {
            rank: None,
            fast: false,
            max_rank: 40,
            anchors: Vec::new(),
            anchor_strength: SeededTopics::STRENGTH,
            excluded: Vec::new(),
            anchor_min_df: None,
            refine: None,
            refine_tolerance: None,
            method: Refinement::Hals,
            n_words: 10,
            distinct: false,
            stability: false,
            params: Params { selection: Selection::Greedy, ..Params::new(0) },
            memory: None,
        }
    }
}

impl TopicOptions {
    /// The parameters of the search for anchors among so many words. A topic that begins with several words
    /// has a column of its own as its anchor, after all words, and its words are no anchors.
    pub fn search_params(&self, n_words: usize) -> Params {
        let mut next = n_words;
        let fixed = self.anchors.iter().map(|words| match words[..] {
            [word] => word,
            _ => {
                next += 1;
                next - 1
            }
        });
        let fixed: Vec<usize> = fixed.collect();
        let several = self.anchors.iter().filter(|words| words.len() > 1).flatten();
        let several = several.filter(|word| !fixed.contains(word));
        Params {
            rank: self.rank.unwrap_or(self.max_rank).max(self.anchors.len()),
            excluded: self.excluded.iter().chain(several).copied().collect(),
            fixed,
            ..self.params.clone()
        }
    }

    /// Refuses `distinct` where stems cannot be made.
    pub(crate) fn check(&self) -> Result<()> {
        if self.distinct {
            Stemmer::new(Language::English)?;
        }
        Ok(())
    }

    /// Most steps of refinement for so many documents, words and topics: 100, or as many as 10^10
    /// multiplications pay for, but at least 5.
    pub fn default_refine(n_documents: usize, n_words: usize, rank: usize) -> usize {
        let step = (n_documents + n_words) as f64 * (rank * rank) as f64;
        (1e10 / step.max(1.0)).clamp(5.0, 100.0) as usize
    }

    /// When refinement ends by itself: never, if a number of steps is asked for, unless it is said.
    pub fn settled(&self) -> f64 {
        let default = if self.refine.is_some() { 0.0 } else { 1e-7 };
        self.refine_tolerance.unwrap_or(default)
    }
}

/// What is asked of topics, by any door: the program's arguments, JSON, or Python's keywords.
///
/// Words are as users write them; [`resolve`](Self::resolve) finds their columns.
///
/// # Examples
/// ```
/// use xray_nmf::Selection;
/// use xray_pipeline::{TopicsRequest, from_json};
/// let request: TopicsRequest = from_json(r#"{"topics": 5, "params": {"tolerance": 1e-5}}"#)?;
/// // An inner part that is given in part has the defaults of topics, not of the engine.
/// assert_eq!(request.params.selection, Selection::Greedy);
/// assert_eq!((request.topics, request.max_topics), (Some(5), 40));
/// assert!(from_json::<TopicsRequest>(r#"{"topcis": 5}"#).is_err());
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TopicsRequest {
    /// Number of topics, or none to have it suggested.
    pub topics: Option<usize>,
    /// Whether the suggestion is to be quick.
    pub fast: bool,
    /// The most topics that are considered for the suggestion.
    pub max_topics: usize,
    /// Words that begin the first topics: a topic for each list.
    pub anchor: Vec<Vec<String>>,
    /// How far refinement leaves these topics with their words, from 0 to 1.
    pub anchor_strength: f64,
    /// Words that are never anchors and never listed.
    pub exclude: Vec<String>,
    /// Words in fewer documents are no anchors, unless one is asked for; they stay in the data.
    pub anchor_min_df: DocumentFrequency,
    /// The most steps of refinement; by the size of the data if absent.
    pub refine: Option<usize>,
    /// Refinement ends when three steps together improve by less than this part; 1e-7 if absent, and never if the number
    /// of steps is given.
    pub refine_tolerance: Option<f64>,
    /// How refinement is done.
    pub refine_method: Refinement,
    /// Words to list for each topic.
    pub words: usize,
    /// List only one of several forms of a word.
    pub distinct: bool,
    /// Whether to look how stable each topic is.
    pub stability: bool,
    /// Rule, solver and seed; rank and columns are found from the rest.
    pub params: Params,
}

impl Default for TopicsRequest {
    fn default() -> Self {
        let options = TopicOptions::default();
        Self {
            topics: options.rank,
            fast: options.fast,
            max_topics: options.max_rank,
            anchor: Vec::new(),
            anchor_strength: options.anchor_strength,
            exclude: Vec::new(),
            anchor_min_df: DocumentFrequency::Automatic,
            refine: options.refine,
            refine_tolerance: options.refine_tolerance,
            refine_method: options.method,
            words: options.n_words,
            distinct: options.distinct,
            stability: options.stability,
            params: options.params,
        }
    }
}

impl TopicsRequest {
    /// Words become columns; what a person should know of some of them (not in the vocabulary, or rare) is returned
    /// beside. Memory is the machine's, not the request's: who knows it sets it in the options.
    ///
    /// # Errors
    /// If two topics are to begin with the same words, a word is to begin one and to be excluded, words are given for
    /// more topics than are asked for, no word is as frequent as anchors are to be, or the strength is not from 0 to 1.
    pub fn resolve(&self, vectorizer: &Vectorizer) -> Result<(TopicOptions, Vec<String>)> {
        let anchors = resolve_words(vectorizer, &self.anchor);
        self.check_anchors(&anchors, vectorizer)?;
        let excluded = resolve_words(vectorizer, std::slice::from_ref(&self.exclude));
        let unknown = anchors.unknown.iter().chain(&excluded.unknown).map(ToString::to_string);
        let warnings = unknown.chain(warn_of_rare(vectorizer, &anchors.columns)).collect();
        let excluded = excluded.columns.concat();
        if let Some(&both) = anchors.columns.iter().flatten().find(|word| excluded.contains(word)) {
            let word = &vectorizer.vocabulary()[both];
            return Err(Error::Usage(format!(
                "\"{word}\" is among the anchor words and among the words to exclude: leave it out of one"
            )));
        }
        let frequencies = vectorizer.document_frequencies();
        let frequent = Frequent::among(
            frequencies,
            vectorizer.n_documents(),
            self.anchor_min_df,
            Some(self.params.selection),
        )?;
        let (anchor_min_df, candidates) = match frequent {
            Some(Frequent { least, columns }) => (Some(least), Some(columns)),
            None => (None, None),
        };
        let options = TopicOptions {
            rank: self.topics,
            fast: self.fast,
            max_rank: self.max_topics,
            anchors: anchors.columns,
            anchor_strength: self.anchor_strength,
            excluded,
            anchor_min_df,
            refine: self.refine,
            refine_tolerance: self.refine_tolerance,
            method: self.refine_method,
            n_words: self.words,
            distinct: self.distinct,
            stability: self.stability,
            params: Params { candidates, ..self.params.clone() },
            memory: None,
        };
        Ok((options, warnings))
    }

    fn check_anchors(&self, anchors: &Seeds, vectorizer: &Vectorizer) -> Result<()> {
        if !(0.0..=1.0).contains(&self.anchor_strength) {
            return Err(Error::Usage(format!(
                "the strength of anchor words is {}: it is from 0 (only a start) to 1 (held)",
                self.anchor_strength
            )));
        }
        let sorted = |columns: &Vec<usize>| columns.iter().copied().collect::<BTreeSet<_>>();
        let mut seen = BTreeSet::new();
        if let Some(again) = anchors.columns.iter().find(|list| !seen.insert(sorted(list))) {
            let words = again.iter().map(|&j| vectorizer.vocabulary()[j].as_str());
            let unknown = anchors.unknown.iter().map(|unknown| format!("; {unknown}"));
            return Err(Error::Usage(format!(
                "two topics are to begin with \"{}\": leave out one, or give it another word beside{}",
                words.collect::<Vec<_>>().join(","),
                unknown.collect::<String>()
            )));
        }
        let given = self.anchor.len();
        match self.topics {
            Some(asked) if asked < given => Err(Error::Usage(format!(
                "words are given for {given} topics, and {asked} {} asked for: ask for more, or give fewer words",
                if asked == 1 { "is" } else { "are" }
            ))),
            None if self.max_topics < given => Err(Error::Usage(format!(
                "words are given for {given} topics, and at most {} are to be looked at: allow more, ask for {given} or \
                 more, or give fewer words",
                self.max_topics
            ))),
            _ => Ok(()),
        }
    }
}

/// Lays JSON over the defaults of a request, field by field at every depth.
///
/// `serde(default)` alone gives an inner part that is there in part the defaults of its own type.
///
/// # Errors
/// If it is no JSON, or has a field that is unknown or of another type.
pub fn from_json<T: Default + Serialize + DeserializeOwned>(text: &str) -> serde_json::Result<T> {
    let mut request = serde_json::to_value(T::default())?;
    lay(serde_json::from_str(text)?, &mut request)?;
    serde_json::from_value(request)
}

fn lay(over: Value, under: &mut Value) -> serde_json::Result<()> {
    let (over, fields) = match (over, under) {
        (Value::Object(over), Value::Object(fields)) => (over, fields),
        (over, under) => {
            *under = over;
            return Ok(());
        }
    };
    for (name, value) in over {
        let Some(field) = fields.get_mut(&name) else {
            let known: Vec<&str> = fields.keys().map(String::as_str).collect();
            let message = format!("{name} is no field; there are {}", known.join(", "));
            return Err(serde_json::Error::custom(message));
        };
        lay(value, field)?;
    }
    Ok(())
}

choices! {
    /// What the entries of a matrix of words are.
    pub enum Weighting ("weighting") {
        Tfidf = "tfidf": "(1 + ln tf) (1 + ln((1 + n) / (1 + df))), documents of length 1",
        Counts = "counts": "plain counts of words",
        None = "none": "numbers as they are in the file",
    }
}

/// How texts, or a matrix of counts, are to be weighed, by any door.
///
/// # Examples
/// ```
/// use xray_data::text::{DocumentFrequency, StopWords};
/// use xray_pipeline::{TextRequest, from_json};
/// let json = r#"{"drop": ["said"], "text": {"min_df": {"count": 2}}}"#;
/// let options = from_json::<TextRequest>(json)?.options(true);
/// assert_eq!(options.stop_words, StopWords::EnglishAnd(vec!["said".into()]));
/// assert_eq!((options.min_df, options.tf_idf), (DocumentFrequency::Count(2), true));
/// let error = from_json::<TextRequest>(r#"{"text": {"mindf": 2}}"#).unwrap_err();
/// assert!(error.to_string().starts_with("mindf is no field; there are keep, lowercase, "));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TextRequest {
    /// What the entries are to be, or `None` for tf-idf of texts and whole numbers, and other numbers as
    /// they are.
    pub weighting: Option<Weighting>,
    /// Words to drop beside the stop words.
    pub drop: Vec<String>,
    /// How words are told and weighed if they are.
    pub text: TextOptions,
}

impl TextRequest {
    /// The options for texts and whole numbers (`counted`), or for other numbers.
    pub fn options(&self, counted: bool) -> TextOptions {
        let default = if counted { Weighting::Tfidf } else { Weighting::None };
        let weigh = self.weighting.unwrap_or(default) == Weighting::Tfidf;
        let text = self.text.clone();
        TextOptions {
            stop_words: text.stop_words.and(&self.drop),
            tf_idf: weigh && text.tf_idf,
            sublinear_tf: weigh && text.sublinear_tf,
            normalize: if weigh { text.normalize } else { RowScale::None },
            ..text
        }
    }
}
