//! The detection step: which column becomes the next anchor (Algorithm 1, step 1).
//!
//! Each rule is one file. `rand`, `max` and `dist` choose the exterior point i to look from
//! ([`Exterior`](look::Exterior)) and share the look itself ([`look`]); `greedy`, `agg` and `joint` score
//! columns ([`Score`](scored::Score)) and share the search ([`scored`]). Rules that score every row or
//! column each step do so either directly or with certified bounds ([`lazy`], [`bound`]). A new rule is a
//! row of [`Selection`], an arm in [`rule`], and a file.

mod agg;
mod bound;
mod dist;
mod greedy;
mod joint;
mod lazy;
mod look;
mod max;
mod norms;
mod rand;
mod residual;
mod scored;
mod scoring;
mod ties;

use crate::choices;
use crate::error::Result;
use crate::params::{Engine, Params};
use crate::search::{Changes, Search};
use look::LookFrom;
use scored::Scored;
use ties::Winner;

choices! {
    /// Which exterior point, and so which column, is chosen next (the paper's Algorithm 1).
    ///
    /// | rule | next anchor | on separable data |
    /// |---|---|---|
    /// | `rand` | `argmax_j R_i'X_j / p'X_j` for a random exterior i | exact |
    /// | `max` | the same, `i = argmax_k \|\|R_k\|\|` | exact |
    /// | `dist` | the same, `i = argmax_k \|\|(R_k'X)_+\|\|` | exact |
    /// | `greedy` | `argmax_j \|\|(R'X_j)_+\|\|^2 / \|\|X_j\|\|^2` | not exact; strongest on text |
    /// | `agg` | `argmax_j \|\|(R'X_j)_+\|\| / p'X_j` | exact; greedy's exact sibling |
    /// | `joint` | `argmax_{i,j} R_i'X_j / p'X_j` | exact |
    #[derive(Default)]
    pub enum Selection ("selection") {
        Rand = "rand": "a random exterior column leads to the next anchor",
        #[default]
        Max = "max": "the column with the largest residual leads to the next anchor",
        Dist = "dist": "the column whose residual sees the most mass leads to the next anchor",
        Greedy = "greedy": "the next anchor by itself lowers the residual most; strongest on text",
        Agg = "agg": "the next anchor is the column that all residuals together see farthest out",
        Joint = "joint": "the next anchor is the column that any residual sees farthest out",
    }
}

/// What the detection step found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Detection {
    /// The next anchor.
    pub(crate) column: usize,
    /// Absent for a fixed anchor, as is the margin.
    pub(crate) score: Option<f64>,
    pub(crate) margin: Option<f64>,
    /// The column that was next best, if there was another.
    pub(crate) runner_up: Option<usize>,
    /// The exterior point it was seen from, if there is one.
    pub(crate) exterior: Option<usize>,
    /// Rows or columns that were scored exactly to find it.
    pub(crate) evaluations: u64,
}

impl Detection {
    /// An anchor that the caller fixed.
    pub(crate) fn fixed(column: usize) -> Self {
        let (score, margin, runner_up, exterior) = (None, None, None, None);
        Self { column, score, margin, runner_up, exterior, evaluations: 0 }
    }

    /// The column that won.
    fn won(winner: Winner, exterior: Option<usize>, evaluations: u64) -> Self {
        let (score, margin) = (Some(winner.score), Some(winner.margin()));
        let Winner { column, second: runner_up, .. } = winner;
        Self { column, score, margin, runner_up, exterior, evaluations }
    }
}

/// What the past steps of a rule decide about its next ones, besides the anchors themselves.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct RuleState {
    /// Columns that are exterior but see no candidate: of this rank, or of all.
    pub(crate) settled: Vec<usize>,
    /// Where the stream of random numbers stands.
    pub(crate) drawn: u128,
}

/// A selection rule: finds the next anchor, and follows the changes that it brings.
pub(crate) trait Rule {
    /// The next anchor, or `None` if no column outside the cone sees a candidate.
    fn detect(&mut self, search: &Search<'_>) -> Result<Option<Detection>>;

    /// Takes note of the changes D of the weights that the newest ray brought.
    fn update(&mut self, _search: &Search<'_>, _changes: &Changes) -> Result<()> {
        Ok(())
    }

    /// Whether [`update`](Rule::update) reads how much weights changed.
    fn reads_changes(&self) -> bool {
        false
    }

    /// What the rule must not forget between a checkpoint and the run that resumes from it; of own columns.
    fn state(&self) -> RuleState {
        RuleState::default()
    }

    /// Takes up a state again, of all ranks together.
    fn restore(&mut self, _state: &RuleState) {}
}

/// The rule that the parameters ask for.
pub(crate) fn rule(params: &Params, search: &Search<'_>) -> Result<Box<dyn Rule>> {
    let lazy = params.engine == Engine::Lazy;
    Ok(match params.selection {
        Selection::Rand => Box::new(LookFrom::new(rand::Rand::new(params.seed), search)),
        Selection::Max => Box::new(LookFrom::new(max::Max, search)),
        Selection::Dist => Box::new(LookFrom::new(
            dist::Dist::new(&search.cone, lazy, search.guard.clone())?,
            search,
        )),
        Selection::Greedy => Box::new(Scored::<greedy::Greedy>::new(search, lazy)?),
        Selection::Agg => Box::new(Scored::<agg::Agg>::new(search, lazy)?),
        Selection::Joint => Box::new(Scored::<joint::Joint>::new(search, lazy)?),
    })
}
