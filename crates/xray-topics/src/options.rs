//! How topics are found.

use xray_nmf::{Params, Refinement, Selection};

/// Options of [`find_topics`](crate::find_topics).
///
/// | Name | Default | Purpose | Range |
/// |---|---|---|---|
/// | `rank` | suggested | number of topics | any |
/// | `max_rank` | 40 | most topics to consider for the suggestion | 1.. |
/// | `anchors` | none | columns of words that begin the first topics, one list a topic | |
/// | `excluded` | none | columns that are never anchors nor top words | |
/// | `refine` | 10 | steps of alternating optimisation | any |
/// | `method` | exact | how they are made | |
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
    /// Steps of alternating optimisation.
    pub refine: usize,
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
            refine: 10,
            method: Refinement::Exact,
            n_words: 10,
            distinct: false,
            params: Params { selection: Selection::Greedy, ..Params::new(0) },
        }
    }
}
