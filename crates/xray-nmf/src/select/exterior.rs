//! Looking from an exterior point i: `j = argmax_j R_i'X_j / p'X_j` (the paper's equation 1).

use rayon::prelude::*;

use super::ties::{self, TIE_TOLERANCE};
use super::{Candidates, Detection};
use crate::comm::Collectives;
use crate::cone::{Cone, Sent};
use crate::error::Result;
use crate::gram::GramColumn;
use crate::ownership::Ownership;

/// Inner products `R_i'X_j` up to this multiple of `||X_i|| ||X_j||` are rounding errors.
const NEGLIGIBLE: f64 = 1e-14;

/// Exterior points from which no candidate can be seen.
///
/// If `R_i'X_j <= 0` for every candidate j, then h_i is optimal for the cone of all candidates:
/// i is settled for good.
#[derive(Debug)]
pub(crate) struct Settled(Vec<bool>);

impl Settled {
    pub(crate) fn new(n_own: usize) -> Self {
        Self(vec![false; n_own])
    }

    /// The settled own columns, by their global indices.
    pub(crate) fn columns(&self, layout: &Ownership) -> Vec<usize> {
        (0..self.0.len()).filter(|&i| self.0[i]).map(|i| layout.global(i)).collect()
    }

    /// Settles the own ones among the listed columns.
    pub(crate) fn recall(&mut self, layout: &Ownership, columns: &[usize]) {
        columns.iter().filter_map(|&j| layout.local(j)).for_each(|i| self.0[i] = true);
    }

    /// Whether own column i is exterior and not settled.
    pub(crate) fn is_open(&self, cone: &Cone<'_>, i: usize, tolerance: f64) -> bool {
        !self.0[i] && cone.is_exterior(i, tolerance)
    }

    /// Looks from points given by `next_point` until a candidate is seen or no point is left.
    pub(crate) fn look(
        &mut self,
        cone: &Cone<'_>,
        choice: &Candidates,
        mut next_point: impl FnMut(&Settled) -> Result<Option<usize>>,
    ) -> Result<Option<Detection>> {
        while let Some(i) = next_point(self)? {
            if let Some(seen) = look_from(cone, choice, i)? {
                return Ok(Some(seen));
            }
            if let Some(local) = cone.layout.local(i) {
                self.0[local] = true;
            }
        }
        Ok(None)
    }
}

/// The farthest candidate seen from exterior point i, if any has a positive score.
fn look_from(cone: &Cone<'_>, choice: &Candidates, i: usize) -> Result<Option<Detection>> {
    let sent = cone.fetch_one(i)?;
    let gram = cone.gram_once(&sent);
    let products = residual_products(cone, &sent, &gram);
    let norm = sent.squared_norm.sqrt();
    let score = |(j, product): (usize, &f64)| {
        let negligible = NEGLIGIBLE * norm * cone.squared_norms[j].sqrt();
        (choice.eligible[j] && *product > negligible).then(|| product / choice.weighted_sums[j])
    };
    let scores: Vec<Option<f64>> = products.iter().enumerate().map(score).collect();
    let spread = |j: usize| cone.squared_norms[j].sqrt() / choice.weighted_sums[j];
    let chosen = ties::choose(cone.comm, &cone.layout, &scores, spread)?;
    Ok(chosen.map(|chosen| Detection {
        column: chosen.column,
        score: Some(chosen.score),
        margin: Some(chosen.margin()),
        exterior: Some(i),
    }))
}

/// `R_i'X_j = C_ij - h_i'C_Aj` for all own columns j.
fn residual_products(cone: &Cone<'_>, sent: &Sent, gram: &GramColumn) -> Vec<f64> {
    let mut products = vec![0.0; cone.layout.n_own()];
    let block = cone.layout.block_size();
    products.par_chunks_mut(block).enumerate().for_each(|(b, part)| {
        let start = b * block;
        gram.for_each_in(start..start + part.len(), |j, c| part[j - start] = c);
        for (j, product) in part.iter_mut().enumerate() {
            let explained = sent.rays.iter().zip(&sent.weights);
            let explained =
                explained.fold(0.0, |sum, (&k, &h)| sum + h * cone.rows.get(k as usize, start + j));
            *product -= explained;
        }
    });
    products
}

/// The lowest index among the points whose value ties with the largest; `values` are those of the
/// own columns, `None` where not a point to look from.
pub(crate) fn first_largest(cone: &Cone<'_>, values: &[Option<f64>]) -> Result<Option<usize>> {
    let own = values.iter().flatten().copied().reduce(f64::max);
    let Some(largest) = cone.comm.gather(own.as_slice())?.into_iter().reduce(f64::max) else {
        return Ok(None);
    };
    // Values are squares: a relative difference of the roots is half that of the squares.
    let threshold = largest * (1.0 - 2.0 * TIE_TOLERANCE);
    let first = values.iter().position(|value| value.is_some_and(|v| v >= threshold));
    let first = first.map(|i| cone.layout.global(i) as u64);
    Ok(cone.comm.gather(first.as_slice())?.into_iter().min().map(|j| j as usize))
}
