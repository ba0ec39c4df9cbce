//! Saved and fixed anchors first, then what the rule detects: one stream of anchors.
//!
//! Anchors decide everything else: with them given, the projections can be made again without any
//! selection, bit for bit. So a resumed run replays its saved steps and then goes on as if it had never
//! stopped. Only the number of evaluations may differ afterwards: the bounds of the scores begin anew.

use crate::error::Result;
use crate::observe::Step;
use crate::resume::RunState;
use crate::search::{Changes, Search};
use crate::select::{Detection, Rule, RuleState};

/// A rule that begins with anchors which are known.
pub(crate) struct Replay<'a> {
    saved: &'a [Step],
    fixed: &'a [usize],
    rule: Box<dyn Rule>,
    /// Number of detections so far.
    step: usize,
}

impl<'a> Replay<'a> {
    /// The rule takes up what it remembered when the state was saved.
    pub(crate) fn new(state: &'a RunState, fixed: &'a [usize], mut rule: Box<dyn Rule>) -> Self {
        rule.restore(&RuleState { settled: state.settled.clone(), drawn: state.drawn });
        Self { saved: &state.steps, fixed, rule, step: 0 }
    }
}

impl Rule for Replay<'_> {
    fn detect(&mut self, search: &Search<'_>) -> Result<Option<Detection>> {
        let step = self.step;
        self.step += 1;
        match (self.saved.get(step), self.fixed.get(step)) {
            (Some(saved), _) => Ok(Some(Detection::from(saved))),
            (None, Some(&column)) => Ok(Some(Detection::fixed(column))),
            (None, None) => self.rule.detect(search),
        }
    }

    fn update(&mut self, search: &Search<'_>, changes: &Changes) -> Result<()> {
        self.rule.update(search, changes)
    }

    fn reads_changes(&self) -> bool {
        self.rule.reads_changes()
    }

    fn state(&self) -> RuleState {
        self.rule.state()
    }

    fn restore(&mut self, state: &RuleState) {
        self.rule.restore(state);
    }
}

impl From<&Step> for Detection {
    fn from(step: &Step) -> Self {
        let Step { anchor: column, score, margin, runner_up, exterior, evaluations, .. } = *step;
        Self { column, score, margin, runner_up, exterior, evaluations }
    }
}
