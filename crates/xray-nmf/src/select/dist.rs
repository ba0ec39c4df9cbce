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
use crate::robust::Guard;

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
    /// What is taken for noise, if anything is: scores are of `(R_k'X - guard_k)_+` then. Bounds are on them without it, which are
    /// larger.
    guard: Option<Guard>,
}

impl Dist {
    pub(super) fn new(cone: &Cone<'_>, lazy: bool, guard: Option<Guard>) -> Result<Self> {
        let bounds = if lazy { Some(Bounds::new(cone)?) } else { None };
        let scores = Scores::new(cone.ranks().columns.n_own());
        Ok(Self { scores, bounds, gram: Vec::new(), guard })
    }

    /// Scores until the best open point is known, with all that may tie with it.
    fn score_points(&mut self, cone: &Cone<'_>, is_open: &dyn Fn(usize) -> bool) -> Result<()> {
        let Dist { scores, bounds, guard, .. } = self;
        let columns = cone.ranks().columns;
        // Scores without the guard, of own points.
        let mut unguarded: Vec<(usize, f64)> = Vec::new();
        let mut evaluate = |round: &[BoundedColumn]| {
            let listed: Vec<usize> = round.iter().map(|c| c.index as usize).collect();
            let parts = |guards: &[f64]| {
                positive_parts(cone, &listed, Side::Rows, Fold::SumOfSquares, guards)
            };
            if guard.is_none() {
                return parts(&[]);
            }
            let own = listed.iter().zip(parts(&[])?);
            unguarded.extend(own.filter_map(|(&j, score)| columns.local(j).map(|i| (i, score))));
            parts(&round.iter().map(|c| c.denominator).collect::<Vec<f64>>())
        };
        let open = |i: usize| {
            is_open(i).then(|| {
                let bound = bounds.as_ref().map_or(0.0, |b| b.upper[i] * b.upper[i]);
                let denominator = guard.as_ref().map_or(0.0, |guard| guard.of_column(cone, i));
                BoundedColumn { index: columns.global(i) as u64, bound, denominator }
            })
        };
        if bounds.is_none() {
            return scores.evaluate_all(cone.ranks(), open, &mut evaluate);
        }
        let closed = scores.known.iter_mut().enumerate().filter(|(i, _)| !is_open(*i));
        closed.for_each(|(_, score)| *score = None);
        scores.search(
            cone.ranks(),
            Wanted { count: 1, reach: LEAST_REACH },
            open,
            &mut evaluate,
        )?;
        let reach = reach_of_ties(cone, scores)?;
        if reach > LEAST_REACH {
            scores.search(cone.ranks(), Wanted { count: 1, reach }, open, &mut evaluate)?;
        }
        if let Some(bounds) = bounds {
            let mut exact = |i: usize, score: f64| bounds.set_exact(i, score.sqrt(), cone.n_rays());
            if guard.is_some() {
                unguarded.into_iter().for_each(|(i, score)| exact(i, score));
            } else {
                scores.for_each_known(exact);
            }
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

    fn guard(&self) -> Option<&Guard> {
        self.guard.as_ref()
    }

    fn drop_guard(&mut self) -> bool {
        self.scores.known.fill(None);
        self.guard.take().is_some()
    }
}
