//! Rules that score every column by all residuals at once, directly or with certified bounds.
//!
//! These scores add up residuals of all sizes, so the rounding errors of large columns can hide small ones
//! that lie outside the cone. Where they do, the next anchor is looked for as `max` does: such a rule ends
//! like all others, when no column outside the cone sees a candidate.

use std::marker::PhantomData;

use super::bound::Bounds;
use super::lazy::{BoundedColumn, Scores, Wanted};
use super::look::LookFrom;
use super::max::Max;
use super::scoring::{Side, positive_parts};
use super::ties::{Contest, Estimate, REACH, norm_error, sum_rounding};
use super::{Detection, Rule, RuleState};
use crate::candidates::Candidates;
use crate::cone::Cone;
use crate::error::Result;
use crate::matrix::kernels::Fold;
use crate::ranks::Ranks;
use crate::search::{Changes, Search};

/// A score of columns. Its *norm* is `||(R'X_j)_+||`, or the largest entry where that is folded.
pub(super) trait Score: 'static {
    /// How the positive parts of `R'X_j` become one number.
    const FOLD: Fold;

    /// What the folded value is divided by, for each own column.
    fn denominators(cone: &Cone<'_>, candidates: &Candidates) -> Vec<f64>;

    /// The score from the folded value.
    fn score(folded: f64, denominator: f64) -> f64;

    /// A bound on the score from a bound on the norm.
    fn bound(norm: f64, denominator: f64) -> f64;

    /// The norm back from the score.
    fn norm(score: f64, denominator: f64) -> f64;
}

/// The rule of a score.
#[derive(Debug)]
pub(super) struct Scored<S> {
    scores: Scores,
    /// None for the direct engine.
    bounds: Option<Bounds>,
    denominators: Vec<f64>,
    /// The runner-up's score of the last step: about what the next anchor's will be.
    goal: f64,
    /// Where rounding hides the scores.
    look: LookFrom<Max>,
    score: PhantomData<S>,
}

impl<S: Score> Scored<S> {
    pub(super) fn new(search: &Search<'_>, lazy: bool) -> Result<Self> {
        let Search { cone, candidates, .. } = search;
        Ok(Self {
            scores: Scores::new(cone.ranks().columns.n_own()),
            bounds: if lazy { Some(Bounds::new(cone)?) } else { None },
            denominators: S::denominators(cone, candidates),
            goal: 0.0,
            look: LookFrom::new(Max, search),
            score: PhantomData,
        })
    }

    /// Scores until the two best columns are known.
    fn score_columns(&mut self, search: &Search<'_>) -> Result<()> {
        let Search { cone, candidates, .. } = search;
        let Scored { scores, bounds, denominators, .. } = self;
        let (columns, error) = (cone.ranks().columns, norm_error(cone));
        let open = |i: usize| {
            candidates.eligible[i].then(|| {
                let denominator = denominators[i];
                let error = error * candidates.norm(i);
                let norm = bounds.as_ref().map_or(0.0, |bounds| bounds.upper[i] + error);
                let bound = S::bound(norm, denominator);
                BoundedColumn { index: columns.global(i) as u64, bound, denominator }
            })
        };
        let evaluate = |round: &[BoundedColumn]| {
            let listed: Vec<usize> = round.iter().map(|c| c.index as usize).collect();
            let folded = positive_parts(cone, &listed, Side::Columns, S::FOLD, &[])?;
            Ok(folded.iter().zip(round).map(|(f, c)| S::score(*f, c.denominator)).collect())
        };
        scores.known.fill(None);
        if bounds.is_none() {
            return scores.evaluate_all(cone.ranks(), open, evaluate);
        }
        let wanted = Wanted { count: 2, reach: REACH };
        scores.search(cone.ranks(), wanted, open, evaluate)?;
        if let Some(bounds) = bounds {
            scores.for_each_known(|i, score| {
                bounds.set_exact(i, S::norm(score, denominators[i]), cone.n_rays());
            });
        }
        Ok(())
    }

    /// The own scores that are known, with their errors.
    fn estimates(&self, search: &Search<'_>) -> Vec<Option<Estimate>> {
        let Search { cone, candidates, .. } = search;
        let (error, relative) = (norm_error(cone), relative_rounding(search));
        let estimate = |(i, score): (usize, &Option<f64>)| {
            score.map(|score| {
                let denominator = self.denominators[i];
                let most = S::norm(score, denominator) + error * candidates.norm(i);
                let error = S::bound(most, denominator) - score + relative * score;
                Estimate { score, error, spread: candidates.spreads[i] }
            })
        };
        self.scores.known.iter().enumerate().map(estimate).collect()
    }
}

/// Relative rounding error of a size, and of a sum over all columns, block by block.
fn relative_rounding(search: &Search<'_>) -> f64 {
    let Search { cone, candidates, .. } = search;
    let Ranks { columns, .. } = cone.ranks();
    candidates.cancellation * sum_rounding(cone, columns.block_size() + columns.n_blocks())
}

impl<S: Score> Rule for Scored<S> {
    fn detect(&mut self, search: &Search<'_>) -> Result<Option<Detection>> {
        let (cone, tolerance) = (&search.cone, search.candidates.tolerance);
        if !cone.ranks().any_column(|i| cone.is_exterior(i, tolerance))? {
            return Ok(None);
        }
        self.score_columns(search)?;
        let evaluations = std::mem::take(&mut self.scores.evaluations);
        let estimates = self.estimates(search);
        let contest = Contest::new(cone.ranks(), &estimates)?.filter(Contest::is_clear);
        let winner =
            contest.map(|contest| contest.winner(relative_rounding(search))).transpose()?;
        self.goal = winner.map_or(0.0, |winner| winner.runner_up.max(0.0));
        if let Some(winner) = winner {
            return Ok(Some(Detection::won(winner, None, evaluations)));
        }
        let seen = self.look.detect(search)?;
        Ok(seen.map(|seen| Detection { evaluations: evaluations + seen.evaluations, ..seen }))
    }

    fn update(&mut self, search: &Search<'_>, changes: &Changes) -> Result<()> {
        let Some(bounds) = &mut self.bounds else { return Ok(()) };
        let matters = |i: usize| S::norm(self.goal, self.denominators[i]);
        bounds.raise_columns(&search.cone, &changes.searched, matters)
    }

    fn reads_changes(&self) -> bool {
        self.bounds.is_some()
    }

    fn state(&self) -> RuleState {
        self.look.state()
    }

    fn restore(&mut self, state: &RuleState) {
        self.look.restore(state);
    }
}
