//! How topics are found.

use xray_data::text::{Language, Stemmer, TextOptions};
use xray_nmf::{Params, Refinement, Selection};

use crate::error::Result;

/// Options of [`find_topics`](crate::find_topics).
///
/// | Name | Default | Purpose | Range |
/// |---|---|---|---|
/// | `rank` | suggested | number of topics | any |
/// | `max_rank` | 40 | most topics to consider for the suggestion | 1.. |
/// | `anchors` | none | columns of words that begin the first topics, one list a topic | |
/// | `excluded` | none | columns that are never anchors nor top words | |
/// | `refine` | by size | most steps of alternating optimisation: 40, down to 5 for large data | any |
/// | `refine_tolerance` | 1e-5 | end it when a step lowers the objective by less, relatively | 0.. |
/// | `method` | HALS | how they are made | |
/// | `n_words` | 10 | words to list for each topic | any |
/// | `distinct` | no | list one of several forms of a word | |
/// | `params` | greedy | everything else about the choice of anchors | |
#[derive(Debug, Clone, PartialEq)]
pub struct TopicOptions {
    /// Number of topics, or `None` to have it suggested.
    pub rank: Option<usize>,
    /// The most topics that are considered for the suggestion.
    pub max_rank: usize,
    /// Words that begin the first topics: a topic for each list.
    pub anchors: Vec<Vec<usize>>,
    /// Words that are never anchors and never listed.
    pub excluded: Vec<usize>,
    /// The most steps of alternating optimisation, or `None` for as many as
    /// [`default_refine`](Self::default_refine) says.
    pub refine: Option<usize>,
    /// Refinement ends when a step lowers `||X - WH||^2` by less than this part of it.
    pub refine_tolerance: f64,
    /// How refinement is done.
    pub method: Refinement,
    /// Words to list for each topic.
    pub n_words: usize,
    /// List only one of several forms of a word.
    pub distinct: bool,
    /// Rule, solver, threads, memory and seed; `rank`, `fixed` and `excluded` are overwritten.
    pub params: Params,
}

impl Default for TopicOptions {
    fn default() -> Self {
        Self {
            rank: None,
            max_rank: 40,
            anchors: Vec::new(),
            excluded: Vec::new(),
            refine: None,
            refine_tolerance: 1e-5,
            method: Refinement::Hals,
            n_words: 10,
            distinct: false,
            params: Params { selection: Selection::Greedy, ..Params::new(0) },
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
        let several = self.anchors.iter().filter(|words| words.len() > 1).flatten();
        Params {
            rank: self.rank.unwrap_or(self.max_rank).max(self.anchors.len()),
            fixed: fixed.collect(),
            excluded: self.excluded.iter().chain(several).copied().collect(),
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

    /// Steps of refinement for so many documents, words and topics: 40, or as many as 10^10
    /// multiplications pay for, but at least 5.
    pub fn default_refine(n_documents: usize, n_words: usize, rank: usize) -> usize {
        let step = (n_documents + n_words) as f64 * (rank * rank) as f64;
        (1e10 / step.max(1.0)).clamp(5.0, 40.0) as usize
    }
}

/// What the entries of a matrix of words are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weighting {
    /// Frequent words weigh less.
    Tfidf,
    /// Plain counts of words.
    Counts,
    /// Numbers as they are in the file.
    None,
}

/// How texts, or a matrix of counts, are to be weighed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TextRequest {
    /// What the entries are to be, or `None` for tf-idf of texts and whole numbers, and other numbers as
    /// they are.
    pub weighting: Option<Weighting>,
    /// How words are told and weighed if they are.
    pub text: TextOptions,
}

impl TextRequest {
    /// The options for texts and whole numbers (`counted`), or for other numbers.
    pub fn options(&self, counted: bool) -> TextOptions {
        let default = if counted { Weighting::Tfidf } else { Weighting::None };
        let weigh = self.weighting.unwrap_or(default) == Weighting::Tfidf;
        TextOptions {
            tf_idf: weigh && self.text.tf_idf,
            sublinear_tf: weigh && self.text.sublinear_tf,
            normalize: weigh && self.text.normalize,
            ..self.text.clone()
        }
    }
}
