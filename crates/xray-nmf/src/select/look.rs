//! Looking from an exterior point i: `j = argmax_j R_i'X_j / p'X_j` (the paper's equation 1).
//!
//! Has all that the rules with an exterior point share: settled points, the look, ties.

use rayon::prelude::*;

use super::ties::{self, TIE_TOLERANCE};
use super::{Detection, Rule, RuleState};
use crate::comm::Collectives;
use crate::cone::Cone;
use crate::error::Result;
use crate::gram::{ColumnState, GramColumn};
use crate::ownership::Ownership;
use crate::project::ChangeBlock;
use crate::ranks::Ranks;
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
            let Some(point) = self.exterior.point(cone, &open)? else { return Ok(None) };
            evaluations += point.evaluations;
            if let Some(seen) = look_from(search, point.column)? {
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
fn look_from(search: &Search<'_>, i: usize) -> Result<Option<Detection>> {
    let Search { cone, candidates, .. } = search;
    let fetched = cone.gram.fetch(i, |i| cone.state(i))?;
    let gram = cone.gram.once(&fetched);
    let products = residual_products(cone, &fetched.state, &gram);
    let norm = fetched.state.squared_norm.sqrt();
    let score = |(j, product): (usize, &f64)| {
        let negligible = NEGLIGIBLE * norm * cone.squared_norms[j].sqrt();
        let counts = candidates.eligible[j] && *product > negligible;
        counts.then(|| product / candidates.weighted_sums[j])
    };
    let scores: Vec<Option<f64>> = products.iter().enumerate().map(score).collect();
    let spread = |j: usize| cone.squared_norms[j].sqrt() / candidates.weighted_sums[j];
    let winner = ties::choose(cone.ranks(), &scores, spread)?;
    Ok(winner.map(|winner| Detection::won(winner, Some(i), 0)))
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

/// The lowest index among the points whose value ties with the largest; `values` are those of the
/// own columns, `None` where not a point to look from.
pub(super) fn first_largest(ranks: &Ranks<'_>, values: &[Option<f64>]) -> Result<Option<usize>> {
    let own = values.iter().flatten().copied().reduce(f64::max);
    let Some(largest) = ranks.comm.gather(own.as_slice())?.into_iter().reduce(f64::max) else {
        return Ok(None);
    };
    // Values are squares: a relative difference of the roots is half that of the squares.
    let threshold = largest * (1.0 - 2.0 * TIE_TOLERANCE);
    let first = values.iter().position(|value| value.is_some_and(|v| v >= threshold));
    let first = first.map(|i| ranks.columns.global(i) as u64);
    Ok(ranks.comm.gather(first.as_slice())?.into_iter().min().map(|j| j as usize))
}
