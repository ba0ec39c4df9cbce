//! What every method that chooses columns returns.

use crate::observe::Termination;

/// The columns that a method chose, and by what measure.
#[derive(Debug, Clone, PartialEq)]
pub struct Anchors {
    /// Column indices, in the order chosen.
    pub anchors: Vec<usize>,
    /// For each anchor, the number that it was chosen by; each method says which.
    pub scores: Vec<f64>,
    /// Why the method ended: `Exhausted` if it could not find as many anchors as asked for.
    pub termination: Termination,
    /// The objective after each round of an iterative method; empty for direct ones.
    pub objective: Vec<f64>,
    /// A proven lower bound on the objective, from [`hottopixx`](fn@super::hottopixx) with a `gap`: the
    /// optimum is between this and the last objective.
    pub bound: Option<f64>,
}

impl Anchors {
    /// Nothing chosen yet.
    pub(super) fn none() -> Self {
        Self {
            anchors: Vec::new(),
            scores: Vec::new(),
            termination: Termination::Exhausted,
            objective: Vec::new(),
            bound: None,
        }
    }

    /// Takes one more.
    pub(super) fn push(&mut self, anchor: usize, score: f64) {
        self.anchors.push(anchor);
        self.scores.push(score);
    }

    /// Ends with `RankReached` if there are `rank` anchors, else with `Exhausted`.
    pub(super) fn ended(mut self, rank: usize) -> Self {
        if self.anchors.len() >= rank {
            self.termination = Termination::RankReached;
        }
        self
    }
}
