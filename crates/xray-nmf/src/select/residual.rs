//! The residual of one point as a vector, for where its inner products have lost their digits.
//!
//! `R_i'X_j = C_ij - h_i'C_Aj` has an error of about `eps ||X_i|| ||X_j||`, however small R_i is. With
//! `r = R_i` as a vector the error of `r'X_j` is about `eps ||r|| ||X_j||`. That r is rounded, too, does no
//! harm to the search: for *any* r the largest `r'X_j / p'X_j` is that of an extreme ray. It only
//! has to be orthogonal to the rays of its face, so that nothing in the cone seems to be seen.

use crate::cone::Cone;
use crate::gram::{ColumnState, NormalMatrix};
use crate::matrix::Line;

/// A pivot below this share of a ray's squared norm: the ray depends on those before.
const DEPENDENT: f64 = 1e-13;

/// Corrections of the weights: each takes the error down by about `eps cond^2`.
const CORRECTIONS: usize = 2;

/// `X_i - X_A h`, orthogonal to the rays that h_i uses; the same on all ranks.
pub(super) fn residual_vector(cone: &Cone<'_>, column: &Line, point: &ColumnState) -> Vec<f64> {
    let mut r = column.to_dense(cone.gram.matrix.n_rows());
    let rays: Vec<&Line> = point.rays.iter().map(|&k| cone.ray(k as usize)).collect();
    subtract(&mut r, &rays, &point.weights);
    let face = Face::new(&cone.normal, &point.rays);
    for _ in 0..CORRECTIONS {
        let products = rays.iter().map(|ray| product(ray, &r)).collect();
        subtract(&mut r, &rays, &face.solve(products));
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

/// The rays of a face: the Cholesky factor of their part of S, row after row.
struct Face(Vec<Vec<f64>>);

impl Face {
    fn new(normal: &NormalMatrix, rays: &[u32]) -> Self {
        let mut rows: Vec<Vec<f64>> = Vec::with_capacity(rays.len());
        for (q, &k) in rays.iter().enumerate() {
            let entries = normal.row(k as usize);
            let mut row = forward(&rows, rays[..q].iter().map(|&l| entries[l as usize]));
            let diagonal = entries[k as usize];
            let pivot = row.iter().fold(diagonal, |rest, v| rest - v * v);
            // A dependent ray takes no part: infinite, so that all it is divided into vanishes.
            row.push(if pivot > DEPENDENT * diagonal { pivot.sqrt() } else { f64::INFINITY });
            rows.push(row);
        }
        Self(rows)
    }

    /// Solves `S z = c`.
    fn solve(&self, c: Vec<f64>) -> Vec<f64> {
        let mut z = forward(&self.0, c.into_iter());
        for q in (0..z.len()).rev() {
            z[q] /= self.0[q][q];
            let (before, own) = z.split_at_mut(q);
            before.iter_mut().zip(&self.0[q]).for_each(|(z, l)| *z -= l * own[0]);
        }
        z
    }
}

/// Solves `L y = c` for as many entries as c has.
fn forward(rows: &[Vec<f64>], c: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut y: Vec<f64> = Vec::with_capacity(rows.len());
    for (row, c) in rows.iter().zip(c) {
        let (diagonal, before) = row.split_last().expect("a row has its diagonal");
        let rest = before.iter().zip(&y).fold(c, |rest, (l, y)| rest - l * y);
        y.push(rest / diagonal);
    }
    y
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_face_is_solved_and_a_dependent_ray_left_out() {
        let rows = [vec![4.0, 2.0, 4.0], vec![2.0, 5.0, 2.0], vec![4.0, 2.0, 4.0]];
        let normal = NormalMatrix::from_rows(&rows);
        let z = Face::new(&normal, &[1, 0]).solve(vec![9.0, 10.0]);
        assert!((z[0] - 1.0).abs() < 1e-15 && (z[1] - 2.0).abs() < 1e-15, "{z:?}");
        // Ray 2 is a copy of ray 0.
        let z = Face::new(&normal, &[0, 1, 2]).solve(vec![10.0, 9.0, 10.0]);
        assert_eq!(z[2], 0.0);
        assert!((z[0] - 2.0).abs() < 1e-15 && (z[1] - 1.0).abs() < 1e-15, "{z:?}");
    }
}
