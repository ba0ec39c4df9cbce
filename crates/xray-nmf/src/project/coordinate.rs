//! Algorithm 2 of the paper: cyclic coordinate descent for one column.
//!
//! For each anchor k in turn, with `u = Sb`:
//!
//! ```text
//! b_k <- (c_k - (u_k - s_k b_k))_+ / s_k,   u <- u + (change of b_k) S_k
//! ```
//!
//! until a cycle lowers the objective `||X_i||^2 + (u - 2c)'b` by less than `tolerance ||X_i||^2` or
//! `max_cycles` have passed. Columns are independent, so each stops by itself.
//!
//! The paper's listing has two misprints. It updates U with b itself where it must be the *change* of b, and
//! its objective has a sign wrong: with `U = SB` and `C = X_A'X` it is
//! `||X||^2 + sum_i (U_i - 2 C_i)'(B')_i`, since `||X - X_A B||^2 = ||X||^2 - 2 tr(C'B) + tr(B'SB)`.
//!
//! The answer is approximate: its KKT violation is about the square root of the tolerance. It is certified as
//! that of the active set is: by [`kkt_violation`](crate::Factorization::kkt_violation), and by
//! [`excess_bound`](crate::Factorization::excess_bound), which tells what is left to gain.

use super::{Kept, Projection, Projector, WeightBlock};
use crate::gram::NormalMatrix;
use crate::matrix::kernels::{add_scaled, dot};
use crate::params::Descent;

/// The solver, and its buffers.
#[derive(Debug)]
pub(crate) struct CoordinateDescent {
    ends: Descent,
    /// `c = X_A'X_i`.
    target: Vec<f64>,
    /// b: one entry for each anchor.
    weights: Vec<f64>,
    /// `u = Sb`.
    products: Vec<f64>,
}

impl CoordinateDescent {
    pub(crate) fn new(ends: Descent) -> Self {
        Self { ends, target: Vec::new(), weights: Vec::new(), products: Vec::new() }
    }

    /// Starts from the weights of some rays; the caller fills in the target, of `n_rays` entries, that is
    /// returned.
    #[inline(always)]
    fn start(&mut self, n_rays: usize, (rays, weights): (&[u32], &[f64])) -> &mut [f64] {
        self.weights.clear();
        self.weights.resize(n_rays, 0.0);
        for (&k, &h) in rays.iter().zip(weights) {
            self.weights[k as usize] = h;
        }
        self.target.resize(n_rays, 0.0);
        &mut self.target
    }

    /// Solves for the target, from the [start](Self::start); `squared_norm` is `||X_i||^2`.
    #[inline(always)]
    fn solve(&mut self, s: &NormalMatrix, squared_norm: f64) {
        let Descent { tolerance, max_cycles } = self.ends;
        self.products.clear();
        self.products.resize(s.size(), 0.0);
        for (k, &b) in self.weights.iter().enumerate() {
            if b > 0.0 {
                add_scaled(&mut self.products, s.row(k), b);
            }
        }
        let mut objective = self.objective();
        for _ in 0..max_cycles {
            self.cycle(s);
            let lower = self.objective();
            if objective - lower < tolerance * squared_norm {
                break;
            }
            objective = lower;
        }
    }

    #[inline(always)]
    fn cycle(&mut self, s: &NormalMatrix) {
        for k in 0..s.size() {
            let row = s.row(k);
            let diagonal = row[k];
            if diagonal <= 0.0 {
                continue;
            }
            let old = self.weights[k];
            let new = ((self.target[k] - self.products[k] + diagonal * old) / diagonal).max(0.0);
            if new != old {
                add_scaled(&mut self.products, row, new - old);
                self.weights[k] = new;
            }
        }
    }

    /// The objective without its constant `||X_i||^2`.
    #[inline(always)]
    fn objective(&self) -> f64 {
        dot(&self.products, &self.weights) - 2.0 * dot(&self.target, &self.weights)
    }
}

impl Projector for CoordinateDescent {
    #[inline(always)]
    fn project(
        &mut self,
        input: &Projection<'_>,
        i: usize,
        before: (&[u32], &[f64]),
        _hidden: bool,
        _kept: &mut Kept,
        weights: &mut WeightBlock,
    ) -> f64 {
        let Projection { inner_products, normal, .. } = *input;
        let squared_norm = input.squared_norms[i];
        inner_products.gather(i, self.start(normal.size(), before));
        self.solve(normal, squared_norm);
        weights.push_dense(&self.weights);
        (squared_norm + self.objective()).max(0.0)
    }
}
