//! The steps of a run: recorded, shown, compared with saved ones; and when it ends before its rank.

use crate::comm::Collectives;
use crate::error::{Error, Result};
use crate::observe::{Next, Observer, Step, Termination};
use crate::params::Params;
use crate::resume::RunState;
use crate::search::{Changes, Search};
use crate::select::{Detection, Rule, RuleState};

/// All steps so far.
#[derive(Debug)]
pub(crate) struct Path<'a> {
    params: &'a Params,
    saved: &'a RunState,
    pub(crate) steps: Vec<Step>,
}

impl<'a> Path<'a> {
    pub(crate) fn new(params: &'a Params, saved: &'a RunState) -> Self {
        Self { params, saved, steps: Vec::new() }
    }

    /// Records what an anchor brought, shows it, and says why the run ends here, if it does.
    pub(crate) fn record(
        &mut self,
        found: Detection,
        search: &mut Search<'_>,
        changes: &Changes,
        rule: &dyn Rule,
        observer: &mut dyn Observer,
    ) -> Result<Option<Termination>> {
        let effect = search.effect(found.column, changes)?;
        let step = Step {
            anchor: found.column,
            score: found.score,
            margin: found.margin,
            runner_up: found.runner_up,
            exterior: found.exterior,
            residual: effect.residual,
            held_out: effect.held_out,
            evaluations: found.evaluations,
            changed_columns: effect.changed_columns,
        };
        search.settle();
        self.steps.push(step.clone());
        self.compare_with_saved()?;
        // Any rank may ask, and all do the same.
        let next = observer.step(&step);
        let next = if search.cone.ranks().stop.is_made() { Next::Stop } else { next };
        let next = search.cone.ranks().comm.gather(&[next as u8])?.into_iter().max();
        if next >= Some(Next::Save as u8) {
            self.show_state(search, rule.state(), observer)?;
        }
        if next == Some(Next::Stop as u8) {
            return Ok(Some(Termination::Stopped));
        }
        Ok(self.ends().then_some(Termination::BelowThreshold))
    }

    /// Shows what the run can be resumed from, the same on all ranks, unless it has not come so far before.
    pub(crate) fn show_state(
        &self,
        search: &Search<'_>,
        rule: RuleState,
        observer: &mut dyn Observer,
    ) -> Result<()> {
        if self.steps.len() > self.saved.steps.len() {
            observer.state(&self.state(search, rule)?);
        }
        Ok(())
    }

    fn state(&self, search: &Search<'_>, rule: RuleState) -> Result<RunState> {
        let RuleState { settled, drawn } = rule;
        let own: Vec<u64> = settled.into_iter().map(|j| j as u64).collect();
        let mut settled = search.cone.ranks().comm.gather(&own)?;
        settled.sort_unstable();
        let settled = settled.into_iter().map(|j| j as usize).collect();
        Ok(RunState { steps: self.steps.clone(), settled, drawn })
    }

    /// A saved step that was made again has the saved residual, to the last bit.
    fn compare_with_saved(&self) -> Result<()> {
        let step = self.steps.len();
        match (self.saved.steps.get(step - 1), self.steps.last()) {
            (Some(saved), Some(made)) if saved.residual.to_bits() != made.residual.to_bits() => {
                Err(Error::Resume { step, saved: saved.residual, found: made.residual })
            }
            _ => Ok(()),
        }
    }

    /// Whether the newest anchor brought too little; a fixed one never does.
    fn ends(&self) -> bool {
        let fixed = self.steps.len() <= self.params.fixed.len();
        !fixed && (self.improvement() < self.params.min_improvement || self.stalled())
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
