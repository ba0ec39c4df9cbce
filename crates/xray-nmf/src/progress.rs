//! The record of a run, and when it ends before its rank.

use std::ops::ControlFlow;

use crate::comm::{Collectives, Communicator};
use crate::cone::Cone;
use crate::error::Result;
use crate::holdout::HeldOut;
use crate::observe::{Observer, Step, Termination};
use crate::params::Params;
use crate::project::ChangeBlock;
use crate::select::Detection;

/// What an anchor brought.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Outcome {
    residual: f64,
    held_out: Option<f64>,
    changed_columns: usize,
}

impl Outcome {
    /// After `anchor` was admitted to `cone` and the columns in `changes` projected anew.
    pub(crate) fn of(
        cone: &Cone<'_>,
        changes: &[ChangeBlock],
        held_out: Option<&mut HeldOut<'_>>,
        anchor: usize,
    ) -> Result<Self> {
        let own: usize = changes.iter().map(|block| block.columns.len()).sum();
        let changed_columns = cone.comm.total(own)?;
        let held_out = held_out.map(|test| test.error_with(anchor, cone, changes)).transpose()?;
        let residual = (cone.residual()? / cone.total).sqrt();
        Ok(Self { residual, held_out, changed_columns })
    }
}

/// All steps so far.
#[derive(Debug)]
pub(crate) struct Progress<'a> {
    params: &'a Params,
    pub(crate) steps: Vec<Step>,
}

impl<'a> Progress<'a> {
    pub(crate) fn new(params: &'a Params) -> Self {
        Self { params, steps: Vec::new() }
    }

    pub(crate) fn record(&mut self, found: Detection, outcome: Outcome, evaluations: u64) {
        self.steps.push(Step {
            anchor: found.column,
            score: found.score,
            margin: found.margin,
            exterior: found.exterior,
            residual: outcome.residual,
            held_out: outcome.held_out,
            evaluations,
            changed_columns: outcome.changed_columns,
        });
    }

    /// Why the run ends after the newest step, if it does.
    pub(crate) fn end(
        &self,
        comm: &dyn Communicator,
        observer: &mut dyn Observer,
    ) -> Result<Option<Termination>> {
        let newest = self.steps.last().expect("called after a step");
        let stop = observer.step(newest) == ControlFlow::Break(());
        if comm.any(stop)? {
            return Ok(Some(Termination::Stopped));
        }
        let fixed = self.steps.len() <= self.params.fixed.len();
        let ended = !fixed && (self.improvement() < self.params.min_improvement || self.stalled());
        Ok(ended.then_some(Termination::BelowThreshold))
    }

    /// How much the newest anchor lowered the relative residual.
    fn improvement(&self) -> f64 {
        let residual = |steps: &[Step]| steps.last().map_or(1.0, |step| step.residual);
        residual(&self.steps[..self.steps.len() - 1]) - residual(&self.steps)
    }

    /// Whether the held-out error has not improved for as long as the patience lasts.
    fn stalled(&self) -> bool {
        let Some(patience) = self.params.patience else { return false };
        self.best_held_out().is_some_and(|best| self.steps.len() - best >= patience)
    }

    /// The rank with the lowest held-out error.
    fn best_held_out(&self) -> Option<usize> {
        let errors =
            self.steps.iter().enumerate().filter_map(|(t, s)| s.held_out.map(|e| (t + 1, e)));
        errors.reduce(|best, next| if next.1 < best.1 { next } else { best }).map(|(rank, _)| rank)
    }

    /// How many anchors to keep: a run that ended for want of improvement drops those that brought
    /// too little, but never a fixed one.
    pub(crate) fn n_kept(&self, termination: Termination) -> usize {
        let all = self.steps.len();
        if termination != Termination::BelowThreshold {
            return all;
        }
        let kept = if self.stalled() { self.best_held_out().unwrap_or(all) } else { all - 1 };
        kept.max(self.params.fixed.len())
    }
}
