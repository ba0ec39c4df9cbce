//! Looking from an exterior point i: `j = argmax_j R_i'X_j / p'X_j` (the paper's equation 1).
//!
//! Has all that the rules with an exterior point share: settled points, and the look. The inner products come
//! from those that are kept, `C_ij - h_i'C_Aj`. Where their rounding leaves it open who wins, or is too large
//! a part of the score, the point is looked from once more with its residual as a vector.

use rayon::prelude::*;

use super::residual::residual_vector;
use super::ties::{Contest, Estimate, Winner, product_error, sum_rounding};
use super::{Detection, Rule, RuleState};
use crate::comm::Collectives;
use crate::cone::Cone;
use crate::error::Result;
use crate::gram::{ColumnState, Fetched, GramColumn};
use crate::matrix::Line;
use crate::ownership::Ownership;
use crate::project::ChangeBlock;
use crate::ranks::Ranks;
use crate::robust::Guard;
use crate::search::{Changes, Search};

/// Inner products `R_i'X_j` up to this multiple of `||X_i|| ||X_j||` are rounding errors.
const NEGLIGIBLE: f64 = 1e-14;

/// A point to look from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Point {
    pub(super) column: usize,
    /// Points that were scored exactly to choose it.
    pub(super) evaluations: u64,
}

/// How the exterior point is chosen.
pub(super) trait Exterior {
    /// The point to look from among the own columns that are `open`: exterior, and not settled. `None`
    /// if no rank has one.
    fn point(&mut self, cone: &Cone<'_>, open: &dyn Fn(usize) -> bool) -> Result<Option<Point>>;

    /// As [`Rule::update`].
    fn update(&mut self, _cone: &Cone<'_>, _changes: &[ChangeBlock]) -> Result<()> {
        Ok(())
    }

    /// As [`Rule::reads_changes`].
    fn reads_changes(&self) -> bool {
        false
    }

    /// What is taken for noise, if anything is.
    fn guard(&self) -> Option<&Guard> {
        None
    }

    /// Takes nothing for noise any more; whether that is new.
    fn drop_guard(&mut self) -> bool {
        false
    }

    /// Where its stream of random numbers stands.
    fn drawn(&self) -> u128 {
        0
    }

    /// Goes on with its random numbers from there.
    fn set_drawn(&mut self, _drawn: u128) {}
}

/// A rule that looks from exterior points.
#[derive(Debug)]
pub(super) struct LookFrom<P> {
    exterior: P,
    /// Own points from which no candidate can be seen.
    ///
    /// If `R_i'X_j <= 0` for every candidate j, then h_i is optimal for the cone of all candidates:
    /// i is settled for good.
    settled_points: Vec<bool>,
    columns: Ownership,
}

impl<P: Exterior> LookFrom<P> {
    pub(super) fn new(exterior: P, search: &Search<'_>) -> Self {
        let columns = search.cone.ranks().columns;
        Self { exterior, settled_points: vec![false; columns.n_own()], columns }
    }
}

impl<P: Exterior> Rule for LookFrom<P> {
    fn detect(&mut self, search: &Search<'_>) -> Result<Option<Detection>> {
        let (cone, tolerance) = (&search.cone, search.candidates.tolerance);
        let mut evaluations = 0;
        loop {
            let settled = &self.settled_points;
            let open = |i: usize| !settled[i] && cone.is_exterior(i, tolerance);
            let Some(point) = self.exterior.point(cone, &open)? else {
                // What is left is no more than noise; but more anchors are wanted.
                if self.exterior.drop_guard() {
                    self.settled_points.fill(false);
                    continue;
                }
                return Ok(None);
            };
            evaluations += point.evaluations;
            if let Some(seen) = look_from(search, point.column, self.exterior.guard())? {
                return Ok(Some(Detection { evaluations, ..seen }));
            }
            if let Some(i) = self.columns.local(point.column) {
                self.settled_points[i] = true;
            }
        }
    }

    fn update(&mut self, search: &Search<'_>, changes: &Changes) -> Result<()> {
        self.exterior.update(&search.cone, &changes.searched)
    }

    fn reads_changes(&self) -> bool {
        self.exterior.reads_changes()
    }

    fn state(&self) -> RuleState {
        let settled = (0..self.settled_points.len()).filter(|&i| self.settled_points[i]);
        let settled = settled.map(|i| self.columns.global(i)).collect();
        RuleState { settled, drawn: self.exterior.drawn() }
    }

    fn restore(&mut self, state: &RuleState) {
        let own = state.settled.iter().filter_map(|&j| self.columns.local(j));
        own.for_each(|i| self.settled_points[i] = true);
        self.exterior.set_drawn(state.drawn);
    }
}

/// The farthest candidate seen from exterior point i, if any has a positive score.
fn look_from(search: &Search<'_>, i: usize, guard: Option<&Guard>) -> Result<Option<Detection>> {
    let fetched = search.cone.gram.fetch(i, |i| search.cone.state(i))?;
    let view = View::new(search, &fetched, guard);
    let gram = search.cone.gram.once(&fetched)?;
    let products = residual_products(&search.cone, &fetched.state, &gram);
    let winner = if fetched.state.rays.is_empty() {
        // The residual is the column itself.
        view.farthest(&products, view.norm)?
    } else {
        let scores = view.scores(&products, view.lost, -view.lost);
        let Some(contest) = Contest::new(search.cone.ranks(), &scores)? else { return Ok(None) };
        match contest.clear_winner() {
            Some(winner) => Some(winner),
            None => view.look_again(&fetched)?,
        }
    };
    Ok(winner.map(|winner| Detection::won(winner, Some(i), 0)))
}

/// What is seen from a point, and how precisely. Products and errors are in units of `||X_j||`.
struct View<'s, 'a> {
    search: &'s Search<'a>,
    /// `||X_i||`.
    norm: f64,
    /// The error of `C_ij - h_i'C_Aj`.
    lost: f64,
    /// Relative rounding error of a product without weights.
    rounding: f64,
    /// Relative rounding error of sizes and spreads.
    size_rounding: f64,
    /// What is taken from every product, as noise might have made it.
    guard: f64,
}

impl<'s, 'a> View<'s, 'a> {
    fn new(search: &'s Search<'a>, point: &Fetched, guard: Option<&Guard>) -> Self {
        let Fetched { state, entries, .. } = point;
        let guard = guard
            .map_or(0.0, |guard| guard.of_residual(&residual_vector(&search.cone, entries, state)));
        let norm = state.squared_norm.sqrt();
        let used = state.rays.iter().zip(&state.weights);
        let ray_norm = |k: u32| search.cone.normal.row(k as usize)[k as usize].sqrt();
        let terms = used.fold(norm, |sum, (&k, &h)| sum + h * ray_norm(k));
        let rounding = sum_rounding(&search.cone, 0);
        let lost = product_error(&search.cone, state.rays.len()) * terms;
        let size_rounding = search.candidates.cancellation * rounding;
        Self { search, norm, lost, rounding, size_rounding, guard }
    }

    /// The scores of the own candidates whose product exceeds `least`.
    fn scores(&self, products: &[f64], error: f64, least: f64) -> Vec<Option<Estimate>> {
        let candidates = &self.search.candidates;
        let estimate = |(j, product): (usize, &f64)| {
            let product = product - self.guard;
            let (score, spread) = (product / candidates.sizes[j], candidates.spreads[j]);
            let error = error * spread + self.size_rounding * score.abs();
            let counts = candidates.eligible[j] && score > least * spread;
            counts.then_some(Estimate { score, error, spread })
        };
        products.iter().enumerate().map(estimate).collect()
    }

    /// The winner with a residual of length `length`, whose products are given.
    fn farthest(&self, products: &[f64], length: f64) -> Result<Option<Winner>> {
        let scores = self.scores(products, self.rounding * length, NEGLIGIBLE * self.norm);
        let contest = Contest::new(self.search.cone.ranks(), &scores)?;
        contest.map(|contest| contest.winner(self.size_rounding)).transpose()
    }

    /// Looks with the residual as a vector.
    fn look_again(&self, point: &Fetched) -> Result<Option<Winner>> {
        let cone = &self.search.cone;
        let residual = residual_vector(cone, &point.entries, &point.state);
        let length = residual.iter().fold(0.0, |sum, v| sum + v * v).sqrt();
        let residual = Line { indices: None, values: residual };
        let mut products = vec![0.0; cone.ranks().columns.n_own()];
        cone.gram.matrix.gram(&[&residual]).remove(0).for_each(|j, c| products[j] = c);
        self.farthest(&products, length)
    }
}

/// `R_i'X_j = C_ij - h_i'C_Aj` for all own columns j.
fn residual_products(cone: &Cone<'_>, point: &ColumnState, gram: &GramColumn) -> Vec<f64> {
    let columns = cone.ranks().columns;
    let mut products = vec![0.0; columns.n_own()];
    let block = columns.block_size();
    products.par_chunks_mut(block).enumerate().for_each(|(b, part)| {
        let start = b * block;
        gram.for_each_in(start..start + part.len(), |j, c| part[j - start] = c);
        for (j, product) in part.iter_mut().enumerate() {
            let used = point.rays.iter().zip(&point.weights);
            let row = |k: u32| cone.inner_products.get(k as usize, start + j);
            *product -= used.fold(0.0, |sum, (&k, &h)| sum + h * row(k));
        }
    });
    products
}

/// What a point is chosen by, and how far that may be off by rounding.
#[derive(Debug, Clone, Copy)]
pub(super) struct Value {
    pub(super) value: f64,
    pub(super) error: f64,
}

/// The lowest index among the points whose value may be the largest; `values` are those of the
/// own columns, `None` where not a point to look from.
pub(super) fn first_largest(ranks: &Ranks<'_>, values: &[Option<Value>]) -> Result<Option<usize>> {
    let own = values.iter().flatten().map(|v| v.value - v.error).reduce(f64::max);
    let Some(least) = ranks.comm.gather(own.as_slice())?.into_iter().reduce(f64::max) else {
        return Ok(None);
    };
    let first = values.iter().position(|v| v.is_some_and(|v| v.value + v.error >= least));
    let first = first.map(|i| ranks.columns.global(i) as u64);
    Ok(ranks.comm.gather(first.as_slice())?.into_iter().min().map(|j| j as usize))
}
