//! The projection step: `H = argmin_{B >= 0} ||X - X_A B||^2` (Algorithm 1, step 3).
//!
//! Column i of H depends only on `S = C_AA` and `c_i = C_Ai`. When anchor t enters, h_i changes
//! **only if** `R_i'X_t = c_ti - S_t h_i > 0`: otherwise it already satisfies the optimality
//! conditions of the larger problem. All other columns are passed over, exactly; the rest start
//! from where they were. `||R_i||^2 = C_ii - c_i'h_i - h_i'(c_i - S h_i)`: R is never formed.

mod active_set;
mod basis;
mod compensated;
mod coordinate;
mod crowding;
mod divergence;
mod kept;
mod kkt;
mod nnls;
mod orthogonal;
mod sweep;
mod system;
mod triangle;

pub(crate) use active_set::{ActiveSet, GRADIENT_TOLERANCE};
pub(crate) use basis::Basis;
pub(crate) use crowding::is_crowded;
pub(crate) use divergence::LeastDivergence;
pub(crate) use kept::{Coordinates, Kept, Rays, Room};
pub(crate) use kkt::Certificate;
#[cfg(feature = "rivals")]
pub(crate) use nnls::normal_matrix;
pub(crate) use sweep::{descend, sum_of_lines, sweep, weighted_lines};
pub(crate) use triangle::Triangle;

pub use nnls::{Nnls, nnls};

use std::ops::Range;

use crate::gram::{AnchorRows, NormalMatrix};
use crate::matrix::kernels::{WeightRows, multiversion};
use crate::params::Descent;
use coordinate::CoordinateDescent;

/// The weights h_i of a block of columns, column after column.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct WeightBlock {
    offsets: Vec<u32>,
    anchors: Vec<u32>,
    values: Vec<f64>,
}

impl WeightBlock {
    /// A block of `n` columns without weights.
    pub(crate) fn empty(n: usize) -> Self {
        Self { offsets: vec![0; n + 1], anchors: Vec::new(), values: Vec::new() }
    }

    fn with_capacity(like: &WeightBlock) -> Self {
        let mut offsets = Vec::with_capacity(like.offsets.len());
        offsets.push(0);
        let entries = like.values.len() + like.values.len() / 8;
        Self { offsets, anchors: Vec::with_capacity(entries), values: Vec::with_capacity(entries) }
    }

    /// Column i of the block: anchors' positions, in no particular order, and weights.
    #[inline(always)]
    pub(crate) fn column(&self, i: usize) -> (&[u32], &[f64]) {
        let range = self.offsets[i] as usize..self.offsets[i + 1] as usize;
        (&self.anchors[range.clone()], &self.values[range])
    }

    pub(crate) fn n_columns(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The columns in `range` of the block, for a scoring kernel.
    pub(crate) fn rows(&self, range: Range<usize>) -> WeightRows<'_> {
        WeightRows {
            offsets: &self.offsets[range.start..=range.end],
            anchors: &self.anchors,
            values: &self.values,
        }
    }

    #[inline(always)]
    fn push(&mut self, anchors: &[u32], values: &[f64]) {
        self.anchors.extend_from_slice(anchors);
        self.values.extend_from_slice(values);
        self.offsets.push(self.anchors.len() as u32);
    }

    #[inline(always)]
    fn push_dense(&mut self, weights: &[f64]) {
        for (k, &h) in weights.iter().enumerate() {
            if h > 0.0 {
                self.anchors.push(k as u32);
                self.values.push(h);
            }
        }
        self.offsets.push(self.anchors.len() as u32);
    }
}

/// The changes D (new minus old weights) of the columns of a block that changed.
#[derive(Debug, Clone, Default)]
pub(crate) struct ChangeBlock {
    /// Local indices of the changed columns, ascending.
    pub(crate) columns: Vec<u32>,
    offsets: Vec<u32>,
    anchors: Vec<u32>,
    values: Vec<f64>,
}

impl ChangeBlock {
    /// The change of the q-th changed column: anchors' positions and differences.
    pub(crate) fn change(&self, q: usize) -> (&[u32], &[f64]) {
        let range = self.offsets[q] as usize..self.offsets[q + 1] as usize;
        (&self.anchors[range.clone()], &self.values[range])
    }

    /// Records column i; `dense` is all zero before and after.
    #[inline(always)]
    fn push(&mut self, i: usize, old: (&[u32], &[f64]), new: (&[u32], &[f64]), dense: &mut [f64]) {
        if self.offsets.is_empty() {
            self.offsets.push(0);
        }
        for (&k, &h) in old.0.iter().zip(old.1) {
            dense[k as usize] = h;
        }
        for (&k, &h) in new.0.iter().zip(new.1) {
            let difference = h - std::mem::take(&mut dense[k as usize]);
            if difference != 0.0 {
                self.anchors.push(k);
                self.values.push(difference);
            }
        }
        for &k in old.0 {
            let gone = std::mem::take(&mut dense[k as usize]);
            if gone != 0.0 {
                self.anchors.push(k);
                self.values.push(-gone);
            }
        }
        self.columns.push(i as u32);
        self.offsets.push(self.anchors.len() as u32);
    }
}

/// All that the projection of one block reads.
pub(crate) struct Projection<'a> {
    pub(crate) inner_products: &'a AnchorRows,
    pub(crate) normal: &'a NormalMatrix,
    /// `||X_i||^2` of all own columns.
    pub(crate) squared_norms: &'a [f64],
    /// Whether X has negative entries.
    pub(crate) signed: bool,
    /// Coordinate descent instead of exact projections.
    pub(crate) descent: Option<Descent>,
    /// Whether to record the changes of the weights, or only which columns changed.
    pub(crate) record: bool,
    pub(crate) rays: Rays<'a>,
}

multiversion! {
    /// Projects the columns in `range` onto the cone with its newest anchor: weights, squared
    /// residuals (updated in place) and changes.
    fn project_block(
        input: &Projection<'_>,
        range: Range<usize>,
        old: &WeightBlock,
        kept: &mut Kept,
        residuals: &mut [f64],
    ) -> (WeightBlock, ChangeBlock) = project_block_body
}

/// Projects one column at a time onto the cone.
trait Projector {
    /// The weights of column i, which is the next of the block and had those of `before`: appends them to
    /// `weights`, and returns `||R_i||^2`.
    ///
    /// `before` is optimal for all rays but the newest, whose gradient is positive; or, if it is `hidden`, zero to
    /// rounding.
    fn project(
        &mut self,
        input: &Projection<'_>,
        i: usize,
        before: (&[u32], &[f64]),
        hidden: bool,
        kept: &mut Kept,
        weights: &mut WeightBlock,
    ) -> f64;
}

#[inline(always)]
fn project_block_body(
    input: &Projection<'_>,
    range: Range<usize>,
    old: &WeightBlock,
    kept: &mut Kept,
    residuals: &mut [f64],
) -> (WeightBlock, ChangeBlock) {
    match input.descent {
        None => project_columns(ActiveSet::default(), input, range, old, kept, residuals),
        Some(descent) => {
            let solver = CoordinateDescent::new(descent);
            project_columns(solver, input, range, old, kept, residuals)
        }
    }
}

/// Passes over the columns that the newest anchor does not change, and projects the others.
#[inline(always)]
fn project_columns(
    mut solver: impl Projector,
    input: &Projection<'_>,
    range: Range<usize>,
    old: &WeightBlock,
    kept: &mut Kept,
    residuals: &mut [f64],
) -> (WeightBlock, ChangeBlock) {
    let Projection { inner_products, normal, .. } = *input;
    let newest = normal.size() - 1;
    let newest_row = normal.row(newest);
    let tolerance = GRADIENT_TOLERANCE / normal.inverse_norm(newest).max(f64::MIN_POSITIVE);
    // What a nearly dependent ray explains may look like rounding.
    let hides = input.rays.hide();
    let mut weights = WeightBlock::with_capacity(old);
    let mut changes = ChangeBlock::default();
    let mut difference = vec![0.0; normal.size()];
    for (i, residual) in range.clone().zip(residuals) {
        let before = old.column(i - range.start);
        let own = inner_products.get(newest, i);
        let threshold = tolerance * input.squared_norms[i].sqrt();
        // Without negative entries the gradient is at most C_ti.
        let gradient = if own <= threshold && !input.signed {
            f64::NEG_INFINITY
        } else {
            own - sparse_dot(before, newest_row)
        };
        let hidden = hides && gradient.abs() <= threshold && threshold > 0.0;
        if gradient <= threshold && !hidden {
            weights.push(before.0, before.1);
            continue;
        }
        *residual = solver.project(input, i, before, hidden, kept, &mut weights);
        if input.record {
            let after = weights.column(weights.n_columns() - 1);
            changes.push(i, before, after, &mut difference);
        } else {
            changes.columns.push(i as u32);
        }
    }
    (weights, changes)
}

#[inline(always)]
fn sparse_dot((indices, values): (&[u32], &[f64]), dense: &[f64]) -> f64 {
    indices.iter().zip(values).fold(0.0, |sum, (&k, &v)| sum + v * dense[k as usize])
}
