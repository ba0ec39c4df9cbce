//! Rules that score every column by all residuals at once, directly or with certified bounds.

use std::marker::PhantomData;

use super::bound::Bounds;
use super::lazy::{BoundedColumn, Scores};
use super::scoring::{Side, positive_parts};
use super::{Detection, Rule, ties};
use crate::candidates::Candidates;
use crate::cone::Cone;
use crate::error::Result;
use crate::matrix::kernels::Fold;
use crate::search::{Changes, Search};

/// A score counts if `||(R'X_j)_+||` exceeds this multiple of `||X||_F ||X_j||`: rounding.
const NEGLIGIBLE: f64 = 1e-13;

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

    /// Among ties the own column with the largest spread wins, then the lowest index.
    fn spread(cone: &Cone<'_>, candidates: &Candidates, i: usize) -> f64 {
        cone.squared_norms[i].sqrt() / candidates.weighted_sums[i]
    }
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
            score: PhantomData,
        })
    }

    /// Scores until the two best columns are known.
    fn score_columns(&mut self, search: &Search<'_>) -> Result<()> {
        let Search { cone, candidates, .. } = search;
        let Scored { scores, bounds, denominators, .. } = self;
        let columns = cone.ranks().columns;
        let open = |i: usize| {
            candidates.eligible[i].then(|| {
                let denominator = denominators[i];
                let bound = bounds.as_ref().map_or(0.0, |b| S::bound(b.upper[i], denominator));
                BoundedColumn { index: columns.global(i) as u64, bound, denominator }
            })
        };
        let evaluate = |round: &[BoundedColumn]| {
            let listed: Vec<usize> = round.iter().map(|c| c.index as usize).collect();
            let folded = positive_parts(cone, &listed, Side::Columns, S::FOLD)?;
            Ok(folded.iter().zip(round).map(|(f, c)| S::score(*f, c.denominator)).collect())
        };
        scores.known.fill(None);
        if bounds.is_none() {
            return scores.evaluate_all(cone.ranks(), open, evaluate);
        }
        scores.search(cone.ranks(), 2, open, evaluate)?;
        if let Some(bounds) = bounds {
            scores.for_each_known(|i, score| {
                bounds.set_exact(i, S::norm(score, denominators[i]), cone.n_rays());
            });
        }
        Ok(())
    }
}

impl<S: Score> Rule for Scored<S> {
    fn detect(&mut self, search: &Search<'_>) -> Result<Option<Detection>> {
        let Search { cone, candidates, .. } = search;
        let tolerance = candidates.tolerance;
        if !cone.ranks().any_column(|i| cone.is_exterior(i, tolerance))? {
            return Ok(None);
        }
        self.score_columns(search)?;
        let evaluations = std::mem::take(&mut self.scores.evaluations);
        let significant = |(i, score): (usize, &Option<f64>)| {
            let least = NEGLIGIBLE * (cone.total * cone.squared_norms[i]).sqrt();
            score.filter(|&score| S::norm(score, self.denominators[i]) > least)
        };
        let scores: Vec<Option<f64>> =
            self.scores.known.iter().enumerate().map(significant).collect();
        let winner = ties::choose(cone.ranks(), &scores, |i| S::spread(cone, candidates, i))?;
        self.goal = winner.map_or(0.0, |winner| winner.runner_up.max(0.0));
        Ok(winner.map(|winner| Detection::won(winner, None, evaluations)))
    }

    fn update(&mut self, search: &Search<'_>, changes: &Changes) -> Result<()> {
        let Some(bounds) = &mut self.bounds else { return Ok(()) };
        let matters = |i: usize| S::norm(self.goal, self.denominators[i]);
        bounds.raise_columns(&search.cone, &changes.searched, matters)
    }

    fn reads_changes(&self) -> bool {
        self.bounds.is_some()
    }
}
