//! The certificate: how far H is from satisfying the optimality conditions of the projection.
//!
//! `h >= 0` minimises `||X_i - X_A h||` exactly if `g = c_i - S h = X_A'R_i` has `g <= 0` (Lemma
//! 2.1) and `h_k g_k = 0` for all k. The violation of a column is the largest of
//! `g_k / (||X_k|| ||X_i||)` and `|g_k| h_k / ||X_i||^2`: free of scale, 0 at the optimum.

use rayon::prelude::*;

use super::WeightBlock;
use crate::gram::{AnchorRows, NormalMatrix};
use crate::matrix::kernels::add_scaled;

/// The largest violation over all columns of the given blocks.
pub(crate) fn kkt_violation(
    blocks: &[WeightBlock],
    rows: &AnchorRows,
    s: &NormalMatrix,
    squared_norms: &[f64],
) -> f64 {
    let mut starts = Vec::with_capacity(blocks.len());
    let mut next = 0;
    for block in blocks {
        starts.push(next);
        next += block.n_columns();
    }
    let block_violation = |(block, &start): (&WeightBlock, &usize)| {
        let mut gradient = vec![0.0; s.size()];
        let columns = (0..block.n_columns()).filter(|i| squared_norms[start + i] > 0.0);
        columns.fold(0.0f64, |worst, i| {
            rows.gather(start + i, &mut gradient);
            worst.max(column_violation(block.column(i), s, squared_norms[start + i], &mut gradient))
        })
    };
    blocks.par_iter().zip(&starts).map(block_violation).reduce(|| 0.0, f64::max)
}

/// The violation of one column; `gradient` holds c and is overwritten.
pub(crate) fn column_violation(
    (anchors, weights): (&[u32], &[f64]),
    s: &NormalMatrix,
    squared_norm: f64,
    gradient: &mut [f64],
) -> f64 {
    for (&k, &h) in anchors.iter().zip(weights) {
        add_scaled(gradient, s.row(k as usize), -h);
    }
    let norm = squared_norm.sqrt();
    let mut worst = 0.0f64;
    for (k, &g) in gradient.iter().enumerate() {
        worst = worst.max(g * s.inverse_norm(k) / norm);
    }
    for (&k, &h) in anchors.iter().zip(weights) {
        worst = worst.max((gradient[k as usize] * h).abs() / squared_norm);
    }
    worst
}
