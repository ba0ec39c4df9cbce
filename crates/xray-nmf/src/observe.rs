//! What a run reports, step by step.

use std::ops::ControlFlow;

use crate::choices;
use crate::resume::RunState;

/// One anchor and what it brought.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Step {
    /// The column that became an anchor.
    pub anchor: usize,
    /// Its score under the selection rule; absent for a fixed anchor.
    pub score: Option<f64>,
    /// How far the runner-up's score was behind, relative to the score: 0 for a tie, at most 1.
    pub margin: Option<f64>,
    /// The column that would have been chosen without it; absent for a fixed anchor, and where nothing else competed.
    #[cfg_attr(feature = "serde", serde(default))]
    pub runner_up: Option<usize>,
    /// The exterior point that it was chosen from, for `rand`, `max` and `dist`; for the other rules, where
    /// rounding hid their scores and it was looked for as by `max`. Score and margin are those of that look.
    pub exterior: Option<usize>,
    /// `||X - X_A H||_F / ||X||_F` with this anchor and all before.
    pub residual: f64,
    /// The same on held-out rows, with H from the other rows; absent without held-out rows.
    pub held_out: Option<f64>,
    /// Rows or columns of `R'X` that were scored exactly to find it.
    pub evaluations: u64,
    /// Columns whose projection it changed.
    pub changed_columns: usize,
}

choices! {
    /// Why a run ended. All of these are success.
    pub enum Termination ("termination") {
        RankReached = "rank_reached": "as many anchors as asked for",
        Exhausted = "exhausted": "no column outside the cone of the anchors sees a candidate; as a rule none lies outside",
        BelowThreshold = "below_threshold": "the next anchor improved the residual or the held-out error too little",
        Stopped = "stopped": "asked to stop",
    }
}

/// What an observer wants after a step.
///
/// Of all ranks' answers the largest counts, so a clock or a signal of one rank is enough, and all ranks do
/// the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Next {
    /// Go on.
    Continue,
    /// Show the [state](Observer::state), as a checkpoint is due, and go on.
    Save,
    /// Show the state, and end the run with [`Termination::Stopped`].
    Stop,
}

impl From<ControlFlow<()>> for Next {
    fn from(flow: ControlFlow<()>) -> Self {
        if flow.is_break() { Next::Stop } else { Next::Continue }
    }
}

/// Receives each step of a fit or refinement as it is done, and may stop the run after it.
///
/// Any `FnMut(&Step) -> ControlFlow<()>` is an observer; `()` is one that watches nothing.
pub trait Observer {
    /// Called after each anchor.
    fn step(&mut self, step: &Step) -> Next;

    /// Called after each iteration of refinement, with its number, from 1, and its objective; `Break` ends
    /// the refinement.
    fn iteration(&mut self, _t: usize, _objective: f64) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// The state of the run, the same on all ranks, if the observer of any rank asks for it. Steps that
    /// a resumed run makes again are not shown.
    fn state(&mut self, _state: &RunState) {}
}

impl<F: FnMut(&Step) -> ControlFlow<()>> Observer for F {
    fn step(&mut self, step: &Step) -> Next {
        self(step).into()
    }
}

impl Observer for () {
    fn step(&mut self, _step: &Step) -> Next {
        Next::Continue
    }
}
