//! A matrix with the same singular vectors and other singular values.
//!
//! One-sided Jacobi: rotations V of the columns of W (m x r, m >= r) make them orthogonal,
//! `W V = U diag(sigma)`, so `W = U diag(sigma) V'`, and the answer is `U diag(s) V'`. Costs
//! O(m r^2) a sweep, and about ten sweeps.
//!
//! Reference: Golub and Van Loan, "Matrix Computations", section 8.6.3.

/// Two columns count as orthogonal below this cosine.
const ORTHOGONAL: f64 = 1e-15;

/// Far more than are ever needed; Jacobi converges quadratically.
const MAX_SWEEPS: usize = 60;

/// The singular values of a matrix with columns of length m, largest first.
///
/// # Examples
/// ```
/// use xray_nmf::synth::{singular_values, with_log_spaced_spectrum};
/// let w = with_log_spaced_spectrum(vec![1.0, 2.0, 0.5, 0.3, 1.0, 2.0], 3, 100.0);
/// let found = singular_values(w, 3);
/// assert!((found[0] - 1.0).abs() < 1e-12 && (found[1] - 0.01).abs() < 1e-12);
/// ```
pub fn singular_values(w: Vec<f64>, m: usize) -> Vec<f64> {
    let mut columns: Vec<Vec<f64>> = w.chunks_exact(m).map(<[f64]>::to_vec).collect();
    let mut ignored = vec![Vec::new(); columns.len()];
    orthogonalize(&mut columns, &mut ignored);
    let mut values: Vec<f64> = columns.iter().map(|u| dot(u, u).sqrt()).collect();
    values.sort_by(|a, b| b.total_cmp(a));
    values
}

/// Replaces the singular values of `w` (columns of length m) by log-spaced ones from 1 down to
/// `1 / condition`, in the same order.
pub fn with_log_spaced_spectrum(w: Vec<f64>, m: usize, condition: f64) -> Vec<f64> {
    let r = w.len() / m;
    let mut columns: Vec<Vec<f64>> = w.chunks_exact(m).map(<[f64]>::to_vec).collect();
    let unit = |k: usize| (0..r).map(|j| f64::from(j == k)).collect();
    let mut rotations: Vec<Vec<f64>> = (0..r).map(unit).collect();
    orthogonalize(&mut columns, &mut rotations);
    let sigma: Vec<f64> = columns.iter().map(|u| dot(u, u).sqrt()).collect();
    let mut order: Vec<usize> = (0..r).collect();
    order.sort_by(|&a, &b| sigma[b].total_cmp(&sigma[a]));
    let mut out = vec![0.0; m * r];
    for (rank, &k) in order.iter().enumerate() {
        let wanted = condition.powf(-(rank as f64) / (r.max(2) - 1) as f64);
        let factor = wanted / sigma[k].max(f64::MIN_POSITIVE);
        for (column, &v) in out.chunks_exact_mut(m).zip(&rotations[k]) {
            column.iter_mut().zip(&columns[k]).for_each(|(sum, u)| *sum += factor * v * u);
        }
    }
    out
}

/// Rotates pairs of columns until all are orthogonal; `rotations` goes along.
fn orthogonalize(columns: &mut [Vec<f64>], rotations: &mut [Vec<f64>]) {
    for _ in 0..MAX_SWEEPS {
        let mut rotated = false;
        for q in 1..columns.len() {
            for p in 0..q {
                let (a, b) = (dot(&columns[p], &columns[p]), dot(&columns[q], &columns[q]));
                let c = dot(&columns[p], &columns[q]);
                if c.abs() <= ORTHOGONAL * (a * b).sqrt() {
                    continue;
                }
                rotated = true;
                let zeta = (b - a) / (2.0 * c);
                let tangent = zeta.signum() / (zeta.abs() + zeta.hypot(1.0));
                rotate(columns, p, q, tangent);
                rotate(rotations, p, q, tangent);
            }
        }
        if !rotated {
            return;
        }
    }
}

/// Rotates columns p < q by the angle with this tangent.
fn rotate(columns: &mut [Vec<f64>], p: usize, q: usize, tangent: f64) {
    let cosine = 1.0 / tangent.hypot(1.0);
    let sine = cosine * tangent;
    let (left, right) = columns.split_at_mut(q);
    for (x, y) in left[p].iter_mut().zip(&mut right[0]) {
        (*x, *y) = (cosine * *x - sine * *y, sine * *x + cosine * *y);
    }
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).fold(0.0, |sum, (x, y)| sum + x * y)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn singular_values_are_replaced() {
        let w: Vec<f64> = (0..60).map(|i| f64::from(i * i % 17) / 17.0).collect();
        let sigma = singular_values(with_log_spaced_spectrum(w, 12, 1e4), 12);
        for (found, wanted) in sigma.iter().zip([1.0, 1e-1, 1e-2, 1e-3, 1e-4]) {
            assert!((found / wanted - 1.0).abs() < 1e-9, "{sigma:?}");
        }
    }
}
