//! Which columns may become anchors.

use crate::comm::Collectives;
use crate::cone::Cone;
use crate::error::{Error, Result, check_length};
use crate::matrix::{LARGEST_ENTRY, Matrix};
use crate::ownership::Ownership;
use crate::params::Params;
use crate::select::Selection;

/// With negative entries, `p'X_j` is at least this share of `p'|X_j|` for candidates: the sum of a column
/// that all but cancels is noise, and would make its score enormous.
const LEAST_SHARE: f64 = 1e-3;

/// In other coordinates, columns smaller than this share of the largest are noise.
const LEAST_SIZE: f64 = 1e-12;

/// Which own columns may be chosen, and their sizes.
#[derive(Debug)]
pub(crate) struct Candidates {
    /// Allowed, not zero, of positive size, not yet an anchor.
    pub(crate) eligible: Vec<bool>,
    /// What scores are relative to: `p'X_j`, or `||X_j||` for greedy, which needs no p.
    pub(crate) sizes: Vec<f64>,
    /// `||X_j||` relative to the size: the larger, the farther the column is from p.
    pub(crate) spreads: Vec<f64>,
    /// `p'|X_j|` is at most so many times `p'X_j`, for candidates: rounding errors of sizes are so much larger
    /// than those of positive sums.
    pub(crate) cancellation: f64,
    /// Exterior means `||R_i|| > tolerance ||X_i||`.
    pub(crate) tolerance: f64,
    columns: Ownership,
}

impl Candidates {
    /// Of the columns in a cone that is still empty. Where the cone is in other coordinates, sizes are those of the columns
    /// `given`, which may be signed.
    pub(crate) fn new(
        params: &Params,
        cone: &Cone<'_>,
        given: Option<(&dyn Matrix, bool)>,
    ) -> Result<Self> {
        let columns = cone.ranks().columns;
        let (matrix, signed) = given.unwrap_or((cone.gram.matrix, cone.signed));
        let p = params.row_weights.clone().unwrap_or_else(|| vec![1.0; matrix.n_rows()]);
        check_weights(&p, matrix.n_rows())?;
        let norms: Vec<f64> = cone.squared_norms.iter().map(|squared| squared.sqrt()).collect();
        let mut eligible: Vec<bool> = norms.iter().map(|norm| *norm > 0.0).collect();
        let (mut sizes, mut cancellation) = (norms.clone(), 1.0);
        if params.selection != Selection::Greedy {
            sizes = matrix.weighted_sums(&p);
            cancellation = if signed { 1.0 / LEAST_SHARE } else { 1.0 };
            let own = sizes.iter().copied().fold(0.0, f64::max);
            let least =
                if given.is_some() { LEAST_SIZE * cone.ranks().comm.largest(own)? } else { 0.0 };
            let usable =
                |i: usize| sizes[i] > least && (!signed || has_sum(matrix, i, &p, sizes[i]));
            eligible.iter_mut().enumerate().for_each(|(i, eligible)| *eligible &= usable(i));
        }
        if let Some(listed) = &params.candidates {
            let mut allowed = vec![false; eligible.len()];
            mark("candidates", listed, &columns, &mut allowed, true)?;
            eligible.iter_mut().zip(allowed).for_each(|(eligible, allowed)| *eligible &= allowed);
        }
        mark("excluded", &params.excluded, &columns, &mut eligible, false)?;
        mark("fixed", &params.fixed, &columns, &mut eligible, false)?;
        check_fixed(params, cone)?;
        let spreads = norms.iter().zip(&sizes).map(|(norm, size)| norm / size).collect();
        Ok(Self { eligible, sizes, spreads, cancellation, tolerance: params.tolerance, columns })
    }

    /// `||X_j||` of own candidate j.
    pub(crate) fn norm(&self, j: usize) -> f64 {
        self.spreads[j] * self.sizes[j]
    }

    /// A column that has become an anchor is no candidate any more.
    pub(crate) fn withdraw(&mut self, column: usize) {
        if let Some(i) = self.columns.local(column) {
            self.eligible[i] = false;
        }
    }
}

/// Whether own column i's sum `p'X_i` is more than what cancelling left of it.
fn has_sum(matrix: &dyn Matrix, i: usize, p: &[f64], sum: f64) -> bool {
    let mut gross = 0.0;
    matrix.column(i).for_each(|d, v| gross += p[d] * v.abs());
    sum > LEAST_SHARE * gross
}

/// p has one positive entry of sensible size for each row.
fn check_weights(p: &[f64], n_rows: usize) -> Result<()> {
    check_length("row_weights (the vector p)", n_rows, p.len())?;
    match p.iter().find(|v| !(1.0 / LARGEST_ENTRY..=LARGEST_ENTRY).contains(*v)) {
        Some(v) => Err(Error::Parameter {
            name: "row_weights",
            value: v.to_string(),
            allowed: "every entry of p must be positive, from 1e-70 to 1e70",
        }),
        None => Ok(()),
    }
}

/// Sets `flags` of the listed own columns; an error if one is not a column at all.
fn mark(
    list: &'static str,
    listed: &[usize],
    columns: &Ownership,
    flags: &mut [bool],
    value: bool,
) -> Result<()> {
    for &column in listed {
        if column >= columns.n() {
            return Err(Error::ColumnList { list, column, reason: "which does not exist" });
        }
        if let Some(i) = columns.local(column) {
            flags[i] = value;
        }
    }
    Ok(())
}

/// Fixed anchors are distinct, not excluded, and not zero.
fn check_fixed(params: &Params, cone: &Cone<'_>) -> Result<()> {
    let Params { fixed, excluded, .. } = params;
    let local = |j: usize| cone.ranks().columns.local(j);
    let is_zero = |&j: &usize| local(j).is_some_and(|i| cone.squared_norms[i] == 0.0);
    let own_zero = fixed.iter().find(|j| is_zero(j)).map(|&j| j as u64);
    let zero = cone.ranks().comm.gather(own_zero.as_slice())?.into_iter().max();
    let mut problem = zero.map(|column| (column as usize, "which has no nonzero entry"));
    for (q, &column) in fixed.iter().enumerate() {
        if fixed[..q].contains(&column) {
            problem = Some((column, "which it lists twice"));
        }
        if excluded.contains(&column) {
            problem = Some((column, "which is also excluded"));
        }
    }
    match problem {
        Some((column, reason)) => Err(Error::ColumnList { list: "fixed", column, reason }),
        None => Ok(()),
    }
}
