//! Weights made better from the true residual: the corrected semi-normal equations.
//!
//! The normal equations `S_PP z = c_P` lose the square of the condition of A: their weights have errors of
//! about 1e-16 divided by the least pivot. The gradient `g = A'r` of the true residual `r = b - Az` tells
//! what is missing, and the same Cholesky factor turns it into a correction, `S_PP d = g_P`. Each round
//! shrinks the error by that same 1e-16 / pivot, down to that of orthogonal transformations. Where no
//! correction helps, they take over ([`orthogonal`](super::orthogonal)).

use super::ActiveSet;
use crate::gram::NormalMatrix;

/// Below this least pivot corrections need not converge.
const LEAST_PIVOT: f64 = 1e-12;

/// Smaller corrections, relative to `||b|| / ||a_k||`, are left out: ordinary answers keep their bits.
const NEGLIGIBLE: f64 = 1e-14;

/// Each round gains at least three digits.
const MOST_ROUNDS: usize = 4;

/// Corrects the solution in the active set; `gradient_of` computes its gradient from the residual, which is
/// left in `gradient`. False if P is not the support, or cannot be told to be.
#[inline(always)]
pub(crate) fn correct(
    solver: &mut ActiveSet,
    s: &NormalMatrix,
    norm: f64,
    gradient: &mut [f64],
    mut gradient_of: impl FnMut((&[u32], &[f64]), &mut [f64]),
) -> bool {
    gradient_of(solver.solution(), gradient);
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
        gradient_of(solver.solution(), gradient);
    }
    true
}
