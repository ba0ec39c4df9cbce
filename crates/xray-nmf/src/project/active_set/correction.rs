//! Weights made better from the true residual: the corrected semi-normal equations.
//!
//! The normal equations `S_PP z = c_P` lose the square of the condition of A: their weights have errors of
//! about 1e-16 divided by the least pivot. The gradient `g = A'r` of the true residual `r = b - Az` tells
//! what is missing, and the same Cholesky factor turns it into a correction, `S_PP d = g_P`. Each round
//! shrinks the error by that same 1e-16 / pivot, down to that of orthogonal transformations. Where no
//! correction helps, they take over ([`orthogonal`](crate::project::orthogonal)).

use super::ActiveSet;
use crate::gram::NormalMatrix;
use crate::matrix::kernels::add_scaled;

/// Below this least pivot corrections need not converge.
const LEAST_PIVOT: f64 = 1e-12;

/// Smaller corrections, relative to `||b|| / ||a_k||`, are left out: ordinary answers keep their bits.
const NEGLIGIBLE: f64 = 1e-14;

/// Each round gains at least three digits.
const MOST_ROUNDS: usize = 4;

/// What computes gradients from residuals.
///
/// No closure: that would not be compiled for the vector units of its caller.
pub(crate) trait Gradients {
    /// `A'r` for the residual r of a solution.
    fn gradient_of(&mut self, solution: (&[u32], &[f64]), gradient: &mut [f64]);
}

/// Corrects the solution in the active set; its gradient is left in `gradient`. False if P is not the support, or cannot be told to be.
#[inline(always)]
pub(crate) fn correct(
    solver: &mut ActiveSet,
    s: &NormalMatrix,
    norm: f64,
    gradient: &mut [f64],
    residuals: &mut impl Gradients,
) -> bool {
    residuals.gradient_of(solver.solution(), gradient);
    if solver.least_pivot(s) < LEAST_PIVOT {
        return false;
    }
    let mut last = f64::INFINITY;
    for _ in 0..MOST_ROUNDS {
        let size = solver.prepare_correction(s, gradient);
        // What shrinks no more is rounding of the gradient.
        if size <= NEGLIGIBLE * norm || size > 0.5 * last {
            break;
        }
        last = size;
        if !solver.correct() {
            return false;
        }
        residuals.gradient_of(solver.solution(), gradient);
    }
    true
}

/// How good the solution is, and how to make it better.
impl ActiveSet {
    /// The least pivot of P, relative to `||X_k||^2`; 0 if an anchor was found dependent. The solution is
    /// accurate to about 1e-16 divided by it.
    #[inline(always)]
    pub(crate) fn least_pivot(&self, s: &NormalMatrix) -> f64 {
        if self.has_blocked {
            return 0.0;
        }
        let mut largest = 1.0f64;
        for (&k, &inverse) in self.passive.iter().zip(&self.inverse_diagonal) {
            largest = largest.max(inverse * inverse * s.row(k as usize)[k as usize]);
        }
        1.0 / largest
    }

    /// Prepares the correction `S_PP^-1 g_P` for the gradient `g = X_A'r` of the solution's residual r, and
    /// returns its largest entry, times `||X_k||`.
    #[inline(always)]
    pub(crate) fn prepare_correction(&mut self, s: &NormalMatrix, gradient: &[f64]) -> f64 {
        let p = self.passive.len();
        self.trial.clear();
        for &k in &self.passive {
            self.trial.push(gradient[k as usize]);
        }
        for q in 0..p {
            let value = self.trial[q] * self.inverse_diagonal[q];
            self.trial[q] = value;
            let below = &self.columns[q * self.stride..][q + 1..p];
            add_scaled(&mut self.trial[q + 1..], below, -value);
        }
        self.solve_transposed();
        let mut largest = 0.0f64;
        for (&k, change) in self.passive.iter().zip(&self.trial) {
            largest = largest.max(change.abs() / s.inverse_norm(k as usize).max(f64::MIN_POSITIVE));
        }
        largest
    }

    /// Takes another solution, and the factor of its support.
    pub(crate) fn adopt(&mut self, s: &NormalMatrix, (passive, weights): (&[u32], &[f64])) {
        self.passive = passive.to_vec();
        self.weights = weights.to_vec();
        self.has_blocked = false;
        self.refactor(s, 0);
    }

    /// Adds the correction; false if a weight is no longer positive: then P is not the support.
    #[inline(always)]
    pub(crate) fn correct(&mut self) -> bool {
        let mut positive = true;
        for (h, change) in self.weights.iter_mut().zip(&self.trial) {
            *h += change;
            positive &= *h > 0.0;
        }
        positive
    }
}
