//! The detection step: which column becomes the next anchor (Algorithm 1, step 1).
//!
//! Each rule is one file behind [`Detect`]. `max`, `dist` and `rand` differ in the exterior point i
//! they look from and share the look itself ([`exterior`]); `greedy`, `agg` and `joint` score
//! columns ([`greedy`]). Rules that score every row or column each step do so either directly or
//! with certified bounds ([`lazy`], [`bound`]).

mod bound;
mod dist;
mod exterior;
mod greedy;
mod lazy;
mod max;
mod norms;
mod rand;
mod scoring;
pub(crate) mod ties;

use crate::cone::Cone;
use crate::error::Result;
use crate::ownership::Ownership;
use crate::params::{Engine, Params, Selection};
use crate::project::ChangeBlock;

/// What the detection step found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Detection {
    /// The next anchor.
    pub(crate) column: usize,
    /// Absent for a fixed anchor, as is the margin.
    pub(crate) score: Option<f64>,
    pub(crate) margin: Option<f64>,
    /// The exterior point it was seen from, for the rules that use one.
    pub(crate) exterior: Option<usize>,
}

impl Detection {
    /// An anchor that the caller fixed.
    pub(crate) fn fixed(column: usize) -> Self {
        Self { column, score: None, margin: None, exterior: None }
    }
}

/// What the past steps of a rule decide about its next ones, besides the anchors themselves.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Memory {
    /// Columns that are exterior but see no candidate: of this rank, or of all.
    pub(crate) settled: Vec<usize>,
    /// Where the stream of random numbers stands.
    pub(crate) drawn: u128,
}

/// A selection rule: finds the next anchor, and follows the changes that it brings.
pub(crate) trait Detect {
    /// The next anchor, or `None` if no exterior point is left that a candidate could reach.
    fn detect(&mut self, cone: &Cone<'_>, choice: &Candidates) -> Result<Option<Detection>>;

    /// Takes note of the changes D of the weights that the newest ray brought.
    fn update(&mut self, _cone: &Cone<'_>, _changes: &[ChangeBlock]) -> Result<()> {
        Ok(())
    }

    /// Whether [`update`](Detect::update) reads the changes.
    fn needs_changes(&self) -> bool {
        false
    }

    /// Number of rows or columns scored exactly since the last call.
    fn take_evaluations(&mut self) -> u64;

    /// What the rule must not forget between a checkpoint and the run that resumes from it.
    fn memory(&self, _layout: &Ownership) -> Memory {
        Memory::default()
    }

    /// Takes up a memory again, of all ranks together.
    fn recall(&mut self, _layout: &Ownership, _memory: &Memory) {}
}

/// Which own columns may be chosen, and their denominators.
#[derive(Debug)]
pub(crate) struct Candidates {
    /// Allowed, not zero, `p'X_j > 0`, not yet an anchor.
    pub(crate) eligible: Vec<bool>,
    /// `p'X_j`.
    pub(crate) weighted_sums: Vec<f64>,
    /// Exterior means `||R_i|| > tolerance ||X_i||`.
    pub(crate) tolerance: f64,
}

impl Candidates {
    /// A column that has become an anchor is no candidate any more.
    pub(crate) fn withdraw(&mut self, layout: &Ownership, column: usize) {
        if let Some(i) = layout.local(column) {
            self.eligible[i] = false;
        }
    }
}

/// The rule that the parameters ask for.
pub(crate) fn rule(
    params: &Params,
    cone: &Cone<'_>,
    choice: &Candidates,
) -> Result<Box<dyn Detect>> {
    let lazy = params.engine == Engine::Lazy;
    let by_columns = |rule| greedy::Greedy::new(cone, choice, rule, lazy);
    Ok(match params.selection {
        Selection::Rand => Box::new(rand::Rand::new(cone, params.seed)),
        Selection::Max => Box::new(max::Max::new(cone)),
        Selection::Dist => Box::new(dist::Dist::new(cone, lazy)?),
        Selection::Greedy => Box::new(by_columns(greedy::Rule::Greedy)?),
        Selection::Agg => Box::new(by_columns(greedy::Rule::Agg)?),
        Selection::Joint => Box::new(by_columns(greedy::Rule::Joint)?),
    })
}
