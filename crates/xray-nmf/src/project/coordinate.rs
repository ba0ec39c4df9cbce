//! Algorithm 2 of the paper: cyclic coordinate descent for one column.
//!
//! For each anchor k in turn, with `u = Sb`:
//!
//! ```text
//! b_k <- (c_k - (u_k - s_k b_k))_+ / s_k,   u <- u + (change of b_k) S_k
//! ```
//!
//! (the paper's listing adds the old b instead of its change), until a cycle lowers the objective
//! `||X_i||^2 + (u - 2c)'b` by less than `tolerance ||X_i||^2` or `max_cycles` have passed. Columns
//! are independent, so each stops by itself. The answer is approximate: its KKT violation is about
//! the square root of the tolerance.

use crate::gram::NormalMatrix;
use crate::matrix::kernels::{add_scaled, dot};

/// Buffers of the solver.
#[derive(Debug, Default)]
pub(crate) struct CoordinateDescent {
    /// `c = X_A'X_i`, set by the caller.
    pub(crate) target: Vec<f64>,
    /// b: the warm start before, the solution after; one entry for each anchor.
    pub(crate) weights: Vec<f64>,
    products: Vec<f64>,
}

impl CoordinateDescent {
    /// Solves for `target` from `weights`; `squared_norm` is `||X_i||^2`.
    #[inline(always)]
    pub(crate) fn solve(
        &mut self,
        s: &NormalMatrix,
        squared_norm: f64,
        tolerance: f64,
        max_cycles: usize,
    ) {
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
    pub(crate) fn objective(&self) -> f64 {
        dot(&self.products, &self.weights) - 2.0 * dot(&self.target, &self.weights)
    }
}
