//! `greedy`, and its exact siblings `agg` and `joint`: score columns by all residuals at once.
//!
//! | rule | score of column j |
//! |---|---|
//! | `greedy` | `\|\|(R'X_j)_+\|\|^2 / \|\|X_j\|\|^2`: how much j alone can lower `\|\|R\|\|^2` |
//! | `agg` | `\|\|(R'X_j)_+\|\| / p'X_j`: convex in `X_j / p'X_j`, so largest at an extreme ray |
//! | `joint` | `max_i R_i'X_j / p'X_j`: the rule of the paper's equation 1, over all i |

use super::bound::Bounds;
use super::lazy::{BoundedColumn, Scores};
use super::scoring::{Side, positive_parts};
use super::{Candidates, Detect, Detection, ties};
use crate::comm::Collectives;
use crate::cone::Cone;
use crate::error::Result;
use crate::matrix::kernels::Fold;
use crate::project::ChangeBlock;

/// A score counts if `||(R'X_j)_+||` exceeds this multiple of `||X||_F ||X_j||`: rounding.
const NEGLIGIBLE: f64 = 1e-13;

/// Which of the three.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rule {
    Greedy,
    Agg,
    Joint,
}

impl Rule {
    fn fold(self) -> Fold {
        match self {
            Rule::Greedy | Rule::Agg => Fold::SumOfSquares,
            Rule::Joint => Fold::Largest,
        }
    }

    fn score(self, folded: f64, denominator: f64) -> f64 {
        match self {
            Rule::Greedy | Rule::Joint => folded / denominator,
            Rule::Agg => folded.sqrt() / denominator,
        }
    }

    /// A bound on the score from a bound on `||(R'X_j)_+||`.
    fn score_bound(self, norm: f64, denominator: f64) -> f64 {
        match self {
            Rule::Greedy => norm * norm / denominator,
            Rule::Agg | Rule::Joint => norm / denominator,
        }
    }

    /// `||(R'X_j)_+||` (for `joint` its largest entry) back from the score.
    fn norm(self, score: f64, denominator: f64) -> f64 {
        match self {
            Rule::Greedy => (score * denominator).sqrt(),
            Rule::Agg | Rule::Joint => score * denominator,
        }
    }
}

pub(crate) struct Greedy {
    rule: Rule,
    scores: Scores,
    /// None for the direct engine.
    bounds: Option<Bounds>,
    denominators: Vec<f64>,
    /// The runner-up's score of the last step: about what the next anchor's will be.
    goal: f64,
}

impl Greedy {
    pub(crate) fn new(
        cone: &Cone<'_>,
        choice: &Candidates,
        rule: Rule,
        lazy: bool,
    ) -> Result<Self> {
        let denominators = match rule {
            Rule::Greedy => cone.squared_norms.clone(),
            Rule::Agg | Rule::Joint => choice.weighted_sums.clone(),
        };
        Ok(Self {
            rule,
            scores: Scores::new(cone.layout.n_own()),
            bounds: if lazy { Some(Bounds::new(cone)?) } else { None },
            denominators,
            goal: 0.0,
        })
    }
}

impl Detect for Greedy {
    fn detect(&mut self, cone: &Cone<'_>, choice: &Candidates) -> Result<Option<Detection>> {
        let exterior = (0..cone.residuals.len()).any(|i| cone.is_exterior(i, choice.tolerance));
        if !cone.comm.any(exterior)? {
            return Ok(None);
        }
        let Greedy { rule, scores, bounds, denominators, goal } = self;
        let rule = *rule;
        let upper = bounds.as_ref().map(|bounds| &bounds.upper);
        let open = |i: usize| {
            choice.eligible[i].then(|| {
                let denominator = denominators[i];
                let bound = upper.map_or(0.0, |upper| rule.score_bound(upper[i], denominator));
                BoundedColumn { index: cone.layout.global(i) as u64, bound, denominator }
            })
        };
        let evaluate = |round: &[BoundedColumn]| {
            let listed: Vec<usize> = round.iter().map(|c| c.index as usize).collect();
            let folded = positive_parts(cone, &listed, Side::Columns, rule.fold())?;
            Ok(folded.iter().zip(round).map(|(f, c)| rule.score(*f, c.denominator)).collect())
        };
        scores.known.fill(None);
        if bounds.is_some() {
            scores.search(cone.comm, &cone.layout, 2, open, evaluate)?;
        } else {
            scores.evaluate_all(cone.comm, &cone.layout, open, evaluate)?;
        }
        if let Some(bounds) = bounds {
            for (i, score) in scores.known.iter().enumerate() {
                if let Some(score) = score {
                    bounds.set_exact(i, rule.norm(*score, denominators[i]), cone.n_rays());
                }
            }
        }
        let significant: Vec<Option<f64>> = scores
            .known
            .iter()
            .enumerate()
            .map(|(i, score)| {
                let least = NEGLIGIBLE * (cone.total * cone.squared_norms[i]).sqrt();
                score.filter(|&score| rule.norm(score, denominators[i]) > least)
            })
            .collect();
        // Greedy has no geometric tie rule: ties go to the lowest index.
        let spread = |i: usize| match rule {
            Rule::Greedy => 0.0,
            Rule::Agg | Rule::Joint => cone.squared_norms[i].sqrt() / choice.weighted_sums[i],
        };
        let chosen = ties::choose(cone.comm, &cone.layout, &significant, spread)?;
        *goal = chosen.map_or(0.0, |chosen| chosen.runner_up.max(0.0));
        Ok(chosen.map(|chosen| Detection {
            column: chosen.column,
            score: Some(chosen.score),
            margin: Some(chosen.margin()),
            exterior: None,
        }))
    }

    fn update(&mut self, cone: &Cone<'_>, changes: &[ChangeBlock]) -> Result<()> {
        let Some(bounds) = &mut self.bounds else { return Ok(()) };
        let Greedy { rule, goal, denominators, .. } = self;
        bounds.raise_columns(cone, changes, |i| rule.norm(*goal, denominators[i]))
    }

    fn needs_changes(&self) -> bool {
        self.bounds.is_some()
    }

    fn take_evaluations(&mut self) -> u64 {
        std::mem::take(&mut self.scores.evaluations)
    }
}
