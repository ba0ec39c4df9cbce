//! The certificate: how far H is from satisfying the optimality conditions of the projection.
//!
//! `h >= 0` minimises `||X_i - X_A h||` exactly if `g = c_i - S h = X_A'R_i` has `g <= 0` (Lemma
//! 2.1) and `h_k g_k = 0` for all k. The violation of a column is the largest of
//! `g_k / (||X_k|| ||X_i||)` and `|g_k| h_k / ||X_i||^2`: free of scale, 0 at the optimum. The same
//! gradients bound how much lower the residual could be ([`Certificate::excess`]).

use rayon::prelude::*;

use super::{Coordinates, Rays, WeightBlock};
use crate::gram::{AnchorRows, NormalMatrix};
use crate::matrix::kernels::{add_scaled, dot};

/// All that tells how good weights are.
pub(crate) struct Certificate<'a> {
    pub(crate) inner_products: &'a AnchorRows,
    pub(crate) normal: &'a NormalMatrix,
    pub(crate) squared_norms: &'a [f64],
    pub(crate) rays: Rays<'a>,
    /// Of each block.
    pub(crate) coordinates: &'a [Coordinates],
}

impl Certificate<'_> {
    /// The largest violation over all columns of the given blocks. Columns with coordinates have their
    /// gradients from the residual, the others from the normal equations.
    pub(crate) fn violation(&self, blocks: &[WeightBlock]) -> f64 {
        let all_normal = self.coordinates.iter().all(Coordinates::is_empty);
        let triangle = if all_normal { Vec::new() } else { self.rays.triangle() };
        let mut starts = Vec::with_capacity(blocks.len());
        let mut next = 0;
        for block in blocks {
            starts.push(next);
            next += block.n_columns();
        }
        let blocks = blocks.par_iter().zip(self.coordinates).zip(starts);
        let violations =
            blocks.map(|((block, known), start)| self.of_block(block, known, start, &triangle));
        violations.reduce(|| 0.0, f64::max)
    }

    fn of_block(
        &self,
        block: &WeightBlock,
        known: &Coordinates,
        start: usize,
        triangle: &[&[f64]],
    ) -> f64 {
        let s = self.normal;
        let mut gradient = vec![0.0; s.size()];
        let columns = (0..block.n_columns()).filter(|i| self.squared_norms[start + i] > 0.0);
        columns.fold(0.0f64, |worst, i| {
            let solution = block.column(i);
            match known.known(start + i, s.size()) {
                Some(right) => {
                    gradient_in_coordinates(triangle, right, solution, &mut gradient);
                }
                None => self.gradient(start + i, solution, &mut gradient),
            }
            worst.max(largest_violation(solution, s, self.squared_norms[start + i], &gradient))
        })
    }

    /// `c_i - S h`.
    fn gradient(&self, i: usize, (rays, weights): (&[u32], &[f64]), gradient: &mut [f64]) {
        self.inner_products.gather(i, gradient);
        for (&k, &h) in rays.iter().zip(weights) {
            add_scaled(gradient, self.normal.row(k as usize), -h);
        }
    }

    /// A bound of how far `||R_i||^2` lies above its minimum, for X without negative entries.
    ///
    /// The objective is convex: `||R_i||^2 - ||R*_i||^2 <= 2 g'(h* - h)`. Nothing cancels in `X_A h*`, so
    /// `h*_k <= ||X_i|| / ||X_k||`, and only positive gradients can gain by it.
    pub(crate) fn excess(&self, i: usize, (rays, weights): (&[u32], &[f64])) -> f64 {
        let (s, norm) = (self.normal, self.squared_norms[i].sqrt());
        let mut gradient = vec![0.0; s.size()];
        self.gradient(i, (rays, weights), &mut gradient);
        let gains = gradient.iter().enumerate().map(|(k, g)| g.max(0.0) * s.inverse_norm(k));
        let gain = norm * gains.fold(0.0, |sum, gain| sum + gain);
        let spent =
            rays.iter().zip(weights).fold(0.0, |sum, (&k, h)| sum + gradient[k as usize] * h);
        2.0 * (gain - spent).max(0.0)
    }
}

/// `R'r` for the residual `r = b - Rh` of a solution; returns `||r||^2`.
pub(super) fn gradient_in_coordinates(
    triangle: &[&[f64]],
    right: &[f64],
    (anchors, weights): (&[u32], &[f64]),
    gradient: &mut [f64],
) -> f64 {
    let mut residual = right.to_vec();
    for (&k, &h) in anchors.iter().zip(weights) {
        add_scaled(&mut residual, triangle[k as usize], -h);
    }
    gradient.iter_mut().zip(triangle).for_each(|(g, column)| *g = dot(column, &residual));
    dot(&residual, &residual)
}

/// The violation of one column with the given gradient.
fn largest_violation(
    (anchors, weights): (&[u32], &[f64]),
    s: &NormalMatrix,
    squared_norm: f64,
    gradient: &[f64],
) -> f64 {
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

/// The violation of dense weights with the given gradient.
#[inline(always)]
pub(crate) fn violation_of(
    weights: &[f64],
    s: &NormalMatrix,
    squared_norm: f64,
    gradient: &[f64],
) -> f64 {
    let norm = squared_norm.sqrt();
    let (mut positive, mut products) = (0.0f64, 0.0f64);
    for (k, (&g, &h)) in gradient.iter().zip(weights).enumerate() {
        positive = positive.max(g * s.inverse_norm(k));
        products = products.max((g * h).abs());
    }
    if squared_norm > 0.0 { (positive / norm).max(products / squared_norm) } else { 0.0 }
}
