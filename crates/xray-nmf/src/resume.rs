//! Going on with a run that was cut short, on any number of ranks.
//!
//! Anchors decide everything else: with them given, the projections can be made again without any
//! selection, bit for bit. So a checkpoint is small: the steps so far, and what the rule remembers. A
//! resumed run makes the projections of the saved steps, compares each residual with the saved one to
//! the last bit, and then goes on as if it had never stopped. Only the number of evaluations
//! may differ afterwards: the bounds of the scores begin anew.

use crate::error::{Error, Result};
use crate::observe::Step;
use crate::select::Memory;

/// The state of a run between two anchors.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RunState {
    /// The anchors so far, and what each of them brought.
    pub steps: Vec<Step>,
    /// Columns outside the cone from which no candidate is seen; they are not looked from again.
    pub settled: Vec<usize>,
    /// Where the stream of random numbers of `rand` stands.
    pub drawn: u128,
}

impl RunState {
    /// The saved step that the run is about to make again, if it is one.
    pub(crate) fn saved(&self, step: usize) -> Option<&Step> {
        self.steps.get(step)
    }

    pub(crate) fn memory(&self) -> Memory {
        Memory { settled: self.settled.clone(), drawn: self.drawn }
    }

    /// All anchors are columns, each once.
    pub(crate) fn check_columns(&self, n_columns: usize) -> Result<()> {
        for (q, step) in self.steps.iter().enumerate() {
            let column = step.anchor;
            let reason = match self.steps[..q].iter().any(|other| other.anchor == column) {
                true => "which it lists twice",
                false if column >= n_columns => "which does not exist",
                false => continue,
            };
            return Err(Error::ColumnList { list: "the checkpoint", column, reason });
        }
        Ok(())
    }

    /// The newest step has the residual that was saved for it.
    pub(crate) fn check(&self, steps: &[Step]) -> Result<()> {
        let step = steps.len();
        match (self.saved(step - 1), steps.last()) {
            (Some(saved), Some(made)) if saved.residual.to_bits() != made.residual.to_bits() => {
                Err(Error::Resume { step, saved: saved.residual, found: made.residual })
            }
            _ => Ok(()),
        }
    }
}
