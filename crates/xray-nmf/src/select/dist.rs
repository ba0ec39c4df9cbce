//! `dist`: look from the exterior point whose residual sees the most mass,
//! `i = argmax_k ||(R_k'X)_+||`.
//!
//! A point's score changes only when its projection does: all others keep their exact score.

use super::bound::Bounds;
use super::lazy::{BoundedColumn, Scores, Wanted};
use super::look::{Exterior, Point, Value, first_largest};
use super::scoring::{Side, positive_parts};
use super::ties::norm_error;
use crate::comm::Collectives;
use crate::cone::Cone;
use crate::error::Result;
use crate::matrix::kernels::Fold;
use crate::project::ChangeBlock;

/// No error is taken for a larger share of a score: a point that sees next to nothing ties with no other.
const LARGEST_ERROR: f64 = 0.25;

/// How far behind the best, relatively, points are scored at least, and at most: with errors of
/// [`LARGEST_ERROR`] a score ties with one that is 3/5 of it.
const LEAST_REACH: f64 = 4e-9;
const WIDEST_REACH: f64 = 0.5;

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

    /// Scores until the best open point is known, with all that may tie with it.
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
        scores.search(cone.ranks(), Wanted { count: 1, reach: LEAST_REACH }, open, evaluate)?;
        let reach = reach_of_ties(cone, scores)?;
        if reach > LEAST_REACH {
            scores.search(cone.ranks(), Wanted { count: 1, reach }, open, evaluate)?;
        }
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

/// How far behind the best, relatively, a point that ties with it can be; the same on all ranks.
///
/// With `v = s^2` and errors of at most `2 E s`, `v_i + 2 E s_i >= v - 2 E s` means `s_i >= s - 2 E`, and
/// so `v_i >= v (1 - 4 E / s)`. No column is longer than all of X; twice that for rounding.
fn reach_of_ties(cone: &Cone<'_>, scores: &Scores) -> Result<f64> {
    let own = scores.known.iter().flatten().copied().reduce(f64::max);
    let best = cone.ranks().comm.gather(own.as_slice())?.into_iter().fold(0.0, f64::max);
    let reach = 8.0 * norm_error(cone) * cone.total.sqrt() / best.sqrt();
    Ok(reach.clamp(LEAST_REACH, WIDEST_REACH))
}

impl Exterior for Dist {
    fn point(&mut self, cone: &Cone<'_>, open: &dyn Fn(usize) -> bool) -> Result<Option<Point>> {
        self.score_points(cone, open)?;
        let evaluations = std::mem::take(&mut self.scores.evaluations);
        let error = norm_error(cone);
        let value = |i: usize| {
            let value = self.scores.known[i].filter(|_| open(i))?;
            let error = 2.0 * error * cone.squared_norms[i].sqrt() * value.sqrt();
            Some(Value { value, error: error.min(LARGEST_ERROR * value) })
        };
        let values: Vec<Option<Value>> = (0..self.scores.known.len()).map(value).collect();
        let largest = first_largest(cone.ranks(), &values)?;
        Ok(largest.map(|column| Point { column, evaluations }))
    }

    fn update(&mut self, cone: &Cone<'_>, changes: &[ChangeBlock]) -> Result<()> {
        let Some(bounds) = &mut self.bounds else { return Ok(()) };
        self.gram.push(Self::newest_products(cone)?);
        bounds.raise_rows(cone, &self.gram, changes)?;
        for &k in changes.iter().flat_map(|block| &block.columns) {
            self.scores.known[k as usize] = None;
        }
        Ok(())
    }

    fn reads_changes(&self) -> bool {
        self.bounds.is_some()
    }
}
