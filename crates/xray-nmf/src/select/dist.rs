//! `dist`: look from the exterior point whose residual sees the most mass,
//! `i = argmax_k ||(R_k'X)_+||`.
//!
//! A point's score changes only when its projection does: all others keep their exact score.

use super::bound::Bounds;
use super::lazy::{BoundedColumn, Scores, Wanted};
use super::look::{Exterior, Point, Value, first_largest};
use super::scoring::{Side, positive_parts};
use super::ties::norm_error;
use crate::cone::Cone;
use crate::error::Result;
use crate::matrix::kernels::Fold;
use crate::project::ChangeBlock;

/// Points whose scores differ by more than this, relatively, do not tie, whatever their errors are: both
/// engines must know the scores of all that do.
const WIDEST_TIE: f64 = 1e-9;

#[derive(Debug)]
pub(super) struct Dist {
    /// `||(R_k'X)_+||^2`.
    scores: Scores,
    /// None for the direct engine.
    bounds: Option<Bounds>,
    /// `C_A C_A'`: row t holds the inner products with the rays up to t.
    gram: Vec<Vec<f64>>,
}

impl Dist {
    pub(super) fn new(cone: &Cone<'_>, lazy: bool) -> Result<Self> {
        let bounds = if lazy { Some(Bounds::new(cone)?) } else { None };
        let scores = Scores::new(cone.ranks().columns.n_own());
        Ok(Self { scores, bounds, gram: Vec::new() })
    }

    /// Scores until the best open point is known.
    fn score_points(&mut self, cone: &Cone<'_>, is_open: &dyn Fn(usize) -> bool) -> Result<()> {
        let Dist { scores, bounds, .. } = self;
        let evaluate = |round: &[BoundedColumn]| {
            let listed: Vec<usize> = round.iter().map(|c| c.index as usize).collect();
            positive_parts(cone, &listed, Side::Rows, Fold::SumOfSquares)
        };
        let columns = cone.ranks().columns;
        let open = |i: usize| {
            is_open(i).then(|| {
                let bound = bounds.as_ref().map_or(0.0, |b| b.upper[i] * b.upper[i]);
                BoundedColumn { index: columns.global(i) as u64, bound, denominator: 1.0 }
            })
        };
        if bounds.is_none() {
            return scores.evaluate_all(cone.ranks(), open, evaluate);
        }
        let closed = scores.known.iter_mut().enumerate().filter(|(i, _)| !is_open(*i));
        closed.for_each(|(_, score)| *score = None);
        let wanted = Wanted { count: 1, reach: 4.0 * WIDEST_TIE };
        scores.search(cone.ranks(), wanted, open, evaluate)?;
        if let Some(bounds) = bounds {
            scores.for_each_known(|i, score| bounds.set_exact(i, score.sqrt(), cone.n_rays()));
        }
        Ok(())
    }

    /// The newest row of `C_A C_A'`.
    fn newest_products(cone: &Cone<'_>) -> Result<Vec<f64>> {
        let t = cone.n_rays();
        cone.ranks().sum_for_bounds(t, |_, range| {
            let mut sums = vec![0.0; t];
            let mut inner_products = vec![0.0; t];
            for j in range {
                cone.inner_products.gather(j, &mut inner_products);
                let own = inner_products[t - 1];
                if own != 0.0 {
                    sums.iter_mut().zip(&inner_products).for_each(|(sum, c)| *sum += own * c);
                }
            }
            sums
        })
    }
}

impl Exterior for Dist {
    fn point(&mut self, cone: &Cone<'_>, open: &dyn Fn(usize) -> bool) -> Result<Option<Point>> {
        self.score_points(cone, open)?;
        let evaluations = std::mem::take(&mut self.scores.evaluations);
        let error = norm_error(cone);
        let value = |i: usize| {
            let value = self.scores.known[i].filter(|_| open(i))?;
            let error = 2.0 * error * cone.squared_norms[i].sqrt() * value.sqrt();
            Some(Value { value, error: error.min(WIDEST_TIE * value) })
        };
        let values: Vec<Option<Value>> = (0..self.scores.known.len()).map(value).collect();
        let largest = first_largest(cone.ranks(), &values)?;
        Ok(largest.map(|column| Point { column, evaluations }))
    }

    fn update(&mut self, cone: &Cone<'_>, changes: &[ChangeBlock]) -> Result<()> {
        let Some(bounds) = &mut self.bounds else { return Ok(()) };
        self.gram.push(Self::newest_products(cone)?);
        bounds.raise_rows(cone, &self.gram, changes);
        for &k in changes.iter().flat_map(|block| &block.columns) {
            self.scores.known[k as usize] = None;
        }
        Ok(())
    }

    fn reads_changes(&self) -> bool {
        self.bounds.is_some()
    }
}
