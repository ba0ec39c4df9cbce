//! The residual of one point as a vector, for where its inner products have lost their digits.
//!
//! `R_i'X_j = C_ij - h_i'C_Aj` has an error of about `eps ||X_i|| ||X_j||`, however small R_i is. With
//! `r = R_i` as a vector the error of `r'X_j` is about `eps ||r|| ||X_j||`. That r is rounded, too, does no
//! harm to the search: for *any* r the largest `r'X_j / p'X_j` is that of an extreme ray. It only
//! has to be orthogonal to the rays of its face, so that nothing in the cone seems to be seen.

use crate::cone::Cone;
use crate::gram::ColumnState;
use crate::matrix::Line;
use crate::project::Triangle;

/// Corrections of the weights: each takes the error down by about `eps cond^2`.
const CORRECTIONS: usize = 2;

/// `X_i - X_A h`, orthogonal to the rays that h_i uses; the same on all ranks.
pub(super) fn residual_vector(cone: &Cone<'_>, column: &Line, point: &ColumnState) -> Vec<f64> {
    let mut r = column.to_dense(cone.gram.matrix.n_rows());
    let rays: Vec<&Line> = point.rays.iter().map(|&k| cone.ray(k as usize)).collect();
    subtract(&mut r, &rays, &point.weights);
    let mut face = Triangle::default();
    for (q, &k) in point.rays.iter().enumerate() {
        let products = cone.normal.row(k as usize);
        let before = point.rays[..q].iter().map(|&l| products[l as usize]);
        face.push(before, products[k as usize]);
    }
    for _ in 0..CORRECTIONS {
        let excess = face.solve(rays.iter().map(|ray| product(ray, &r)));
        subtract(&mut r, &rays, &excess);
    }
    r
}

/// `r -= sum_k w_k ray_k`.
fn subtract(r: &mut [f64], rays: &[&Line], weights: &[f64]) {
    for (ray, w) in rays.iter().zip(weights) {
        ray.for_each(|d, v| r[d] -= w * v);
    }
}

fn product(ray: &Line, r: &[f64]) -> f64 {
    let mut sum = 0.0;
    ray.for_each(|d, v| sum += v * r[d]);
    sum
}
