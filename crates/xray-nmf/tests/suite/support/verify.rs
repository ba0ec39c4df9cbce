//! One independent check at the end of every end-to-end test: recomputes from X and the result
//! alone what the solver reported.

use super::Grid;
use xray_nmf::Factorization;

/// Checks weights, residual path and certificate of `found` against X.
pub fn verify(x: &Grid, found: &Factorization, tolerance: f64) {
    let anchors = found.anchors();
    let mut distinct = anchors.clone();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(distinct.len(), anchors.len(), "anchors repeat: {anchors:?}");
    assert_eq!((found.n_rows(), found.n_columns()), (x.m, x.n));
    assert_eq!(
        (found.coefficients().rank(), found.coefficients().n_columns()),
        (anchors.len(), x.n)
    );
    assert_eq!(found.anchor_columns().len(), anchors.len());
    for (column, &a) in found.anchor_columns().iter().zip(&anchors) {
        assert_eq!(column.to_dense(x.m), x.column(a), "W is not the columns of X");
    }
    let total: f64 = x.values.iter().map(|v| v * v).sum();
    let mut residual = 0.0;
    for i in 0..x.n {
        let h = found.coefficients().dense_column(i);
        assert!(h.iter().all(|v| *v >= 0.0 && v.is_finite()), "weights of column {i}: {h:?}");
        let r = residual_column(x, &anchors, i, &h);
        let squared: f64 = r.iter().map(|v| v * v).sum();
        residual += squared;
        let norm = dot(x.column(i), x.column(i)).sqrt();
        for (k, &a) in anchors.iter().enumerate() {
            let gradient = dot(&r, x.column(a));
            let scale = norm * dot(x.column(a), x.column(a)).sqrt();
            assert!(gradient <= tolerance * scale, "column {i} sees anchor {a}: {gradient:e}");
            assert!((gradient * h[k]).abs() <= tolerance * norm * norm, "slackness");
        }
    }
    if total > 0.0 && !anchors.is_empty() {
        let relative = (residual / total).sqrt();
        assert!(
            (relative - found.residual()).abs() <= 1e-9 + 1e-6 * relative,
            "residual {relative:e}, reported {:e}",
            found.residual()
        );
    }
    assert!(found.kkt_violation() <= tolerance, "certificate {:e}", found.kkt_violation());
    let path: Vec<f64> = found.steps().iter().map(|step| step.residual).collect();
    assert!(path.windows(2).all(|w| w[1] <= w[0] * (1.0 + 1e-9) + 1e-12), "path {path:?}");
}

fn residual_column(x: &Grid, anchors: &[usize], i: usize, h: &[f64]) -> Vec<f64> {
    let mut r = x.column(i).to_vec();
    for (&a, &w) in anchors.iter().zip(h) {
        r.iter_mut().zip(x.column(a)).for_each(|(r, v)| *r -= w * v);
    }
    r
}

pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The anchors as directions: whether two columns are positive multiples of each other.
pub fn same_ray(a: &[f64], b: &[f64]) -> bool {
    let (aa, bb, ab) = (dot(a, a), dot(b, b), dot(a, b));
    aa > 0.0 && bb > 0.0 && ab > 0.0 && aa * bb - ab * ab <= 1e-14 * aa * bb
}
