//! `dist`: look from the exterior point whose residual sees the most mass,
//! `i = argmax_k ||(R_k'X)_+||`.
//!
//! A point's score changes only when its projection does: all others keep their exact score.

use super::bound::Bounds;
use super::exterior::{Settled, first_largest};
use super::lazy::{BoundedColumn, Scores};
use super::scoring::{Side, positive_parts};
use super::{Candidates, Detect, Detection, Memory};
use crate::cone::Cone;
use crate::error::Result;
use crate::matrix::kernels::Fold;
use crate::ownership::Ownership;
use crate::project::ChangeBlock;

pub(crate) struct Dist {
    settled: Settled,
    /// `||(R_k'X)_+||^2`.
    scores: Scores,
    /// None for the direct engine.
    bounds: Option<Bounds>,
    /// `C_A C_A'`: row t holds the inner products with the rays up to t.
    gram: Vec<Vec<f64>>,
}

impl Dist {
    pub(crate) fn new(cone: &Cone<'_>, lazy: bool) -> Result<Self> {
        let n_own = cone.layout.n_own();
        let bounds = if lazy { Some(Bounds::new(cone)?) } else { None };
        Ok(Self {
            settled: Settled::new(n_own),
            scores: Scores::new(n_own),
            bounds,
            gram: Vec::new(),
        })
    }

    /// Scores until the best open point is known.
    fn score_points(
        scores: &mut Scores,
        bounds: Option<&mut Bounds>,
        cone: &Cone<'_>,
        is_open: impl Fn(usize) -> bool,
    ) -> Result<()> {
        let evaluate = |round: &[BoundedColumn]| {
            let listed: Vec<usize> = round.iter().map(|c| c.index as usize).collect();
            positive_parts(cone, &listed, Side::Rows, Fold::SumOfSquares)
        };
        let upper = bounds.as_ref().map(|bounds| &bounds.upper);
        let open = |i: usize| {
            is_open(i).then(|| {
                let bound = upper.map_or(0.0, |upper| upper[i] * upper[i]);
                BoundedColumn { index: cone.layout.global(i) as u64, bound, denominator: 1.0 }
            })
        };
        let Some(upper) = upper else {
            return scores.evaluate_all(cone.comm, &cone.layout, open, evaluate);
        };
        debug_assert_eq!(upper.len(), scores.known.len());
        for i in 0..scores.known.len() {
            if !is_open(i) {
                scores.known[i] = None;
            }
        }
        scores.search(cone.comm, &cone.layout, 1, open, evaluate)?;
        if let Some(bounds) = bounds {
            for (i, score) in scores.known.iter().enumerate() {
                if let Some(score) = score {
                    bounds.set_exact(i, score.sqrt(), cone.n_rays());
                }
            }
        }
        Ok(())
    }
}

impl Detect for Dist {
    fn detect(&mut self, cone: &Cone<'_>, choice: &Candidates) -> Result<Option<Detection>> {
        let Dist { settled, scores, bounds, .. } = self;
        settled.look(cone, choice, |settled| {
            let is_open = |i: usize| settled.is_open(cone, i, choice.tolerance);
            Dist::score_points(scores, bounds.as_mut(), cone, is_open)?;
            let open_score = |i: usize| scores.known[i].filter(|_| is_open(i));
            let values: Vec<Option<f64>> = (0..scores.known.len()).map(open_score).collect();
            first_largest(cone, &values)
        })
    }

    fn update(&mut self, cone: &Cone<'_>, changes: &[ChangeBlock]) -> Result<()> {
        let Some(bounds) = &mut self.bounds else { return Ok(()) };
        let t = cone.n_rays();
        let newest = cone.sum_for_bounds(t, |_, range| {
            let mut sums = vec![0.0; t];
            let mut coefficients = vec![0.0; t];
            for j in range {
                cone.rows.gather(j, &mut coefficients);
                let own = coefficients[t - 1];
                if own != 0.0 {
                    sums.iter_mut().zip(&coefficients).for_each(|(sum, c)| *sum += own * c);
                }
            }
            sums
        })?;
        self.gram.push(newest);
        bounds.raise_rows(cone, &self.gram, changes);
        for &k in changes.iter().flat_map(|block| &block.columns) {
            self.scores.known[k as usize] = None;
        }
        Ok(())
    }

    fn needs_changes(&self) -> bool {
        self.bounds.is_some()
    }

    fn take_evaluations(&mut self) -> u64 {
        std::mem::take(&mut self.scores.evaluations)
    }

    fn memory(&self, layout: &Ownership) -> Memory {
        Memory { settled: self.settled.columns(layout), ..Memory::default() }
    }

    fn recall(&mut self, layout: &Ownership, memory: &Memory) {
        self.settled.recall(layout, &memory.settled);
    }
}
