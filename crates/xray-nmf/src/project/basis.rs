//! An orthonormal basis of the rays, for columns whose normal equations are too inaccurate.
//!
//! `X_A = QR` by Gram and Schmidt's method, repeated until nothing is left to take away. In the
//! coordinates `b = Q'X_i` a projection is the small problem `min_{h >= 0} ||b - Rh||`, whose numbers
//! have relative errors of 1e-16, where those of the normal equations lose the square of the condition.
//! Ray t changes nothing before it, so the first k coordinates are those of a run of rank k.
//!
//! Directions (m numbers each) are found when a column asks for them: on ordinary data never.

use std::sync::OnceLock;

use super::crowding::Distances;
use crate::gram::NormalMatrix;
use crate::matrix::Line;
use crate::matrix::kernels::{add_scaled, dot};

/// What is left of a ray below this share of its length is rounding: it depends on those before it.
const DEPENDENT: f64 = 1e-15;

/// A pass that leaves more than this share has taken away rounding errors alone.
const SETTLED: f64 = 0.5;

/// No ray needs more passes.
const MOST_PASSES: usize = 4;

/// Pivots and squared distances below this cost half of all digits.
pub(super) const NEARLY_DEPENDENT: f64 = 1e-8;

/// Q and R, as far as they were asked for.
#[derive(Debug, Clone, Default)]
pub(crate) struct Basis {
    directions: Vec<OnceLock<Direction>>,
    distances: Distances,
}

#[derive(Debug, Clone)]
struct Direction {
    /// The unit vector; empty if the ray depends on those before it, or if nobody needs it any more.
    vector: Vec<f64>,
    /// The ray in the directions up to its own.
    coordinates: Vec<f64>,
}

impl Basis {
    /// For so many rays.
    pub(crate) fn new(n_rays: usize) -> Self {
        let directions = (0..n_rays).map(|_| OnceLock::new()).collect();
        Self { directions, distances: Distances::default() }
    }

    /// A place for one more ray, the next of S.
    pub(crate) fn push(&mut self, s: &NormalMatrix) {
        self.directions.push(OnceLock::new());
        self.distances.push(s);
    }

    /// Whether one of the first rays is nearly dependent on the others.
    pub(crate) fn hides(&self, n_rays: usize) -> bool {
        self.distances.least(n_rays) < NEARLY_DEPENDENT
    }

    /// R: one column for each of the first rays, as long as its place.
    pub(crate) fn triangle(&self, rays: &[Line], n_rows: usize) -> Vec<&[f64]> {
        (0..rays.len()).map(|t| &self.direction(rays, n_rows, t).coordinates[..]).collect()
    }

    /// Appends to the `known` coordinates of a column those that are missing.
    pub(crate) fn extend(&self, rays: &[Line], column: &[f64], known: &mut Vec<f64>) {
        for t in known.len()..rays.len() {
            known.push(dot(&self.direction(rays, column.len(), t).vector, column));
        }
    }

    /// Gives up Q, and keeps R.
    pub(crate) fn forget_directions(&mut self) {
        self.directions
            .iter_mut()
            .filter_map(OnceLock::get_mut)
            .for_each(|d| d.vector = Vec::new());
    }

    /// The first rays only.
    pub(crate) fn truncated(&self, n_rays: usize) -> Self {
        let directions = self.directions[..n_rays].to_vec();
        Self { directions, distances: self.distances.clone() }
    }

    fn direction(&self, rays: &[Line], n_rows: usize, t: usize) -> &Direction {
        self.directions[t].get_or_init(|| {
            let before: Vec<&[f64]> =
                (0..t).map(|q| &self.direction(rays, n_rows, q).vector[..]).collect();
            orthogonalised(rays[t].to_dense(n_rows), &before)
        })
    }
}

fn orthogonalised(mut vector: Vec<f64>, before: &[&[f64]]) -> Direction {
    let mut coordinates = vec![0.0; before.len()];
    let length = take_away(&mut vector, before, &mut coordinates);
    if length == 0.0 {
        vector.clear();
    } else {
        vector.iter_mut().for_each(|v| *v /= length);
    }
    coordinates.push(length);
    Direction { vector, coordinates }
}

/// Takes from a vector its components along orthonormal directions, and adds them to `coordinates`;
/// returns the length of what is left, 0 if that is rounding.
pub(super) fn take_away(vector: &mut [f64], along: &[&[f64]], coordinates: &mut [f64]) -> f64 {
    let whole = dot(vector, vector).sqrt();
    let mut length = whole;
    for _ in 0..MOST_PASSES {
        for (direction, sum) in along.iter().zip(&mut *coordinates) {
            let part = dot(direction, vector);
            add_scaled(vector, direction, -part);
            *sum += part;
        }
        let left = dot(vector, vector).sqrt();
        if left <= DEPENDENT * whole {
            return 0.0;
        }
        if left > SETTLED * length {
            return left;
        }
        length = left;
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearly_parallel_rays_have_orthonormal_directions() {
        for exponent in 0..18 {
            let angle = 10f64.powi(-exponent);
            let rays: Vec<Line> =
                [[1.0, 1.0, 1.0], [1.0 + angle, 1.0, 1.0], [1.0, 1.0 + angle, 1.0]]
                    .map(|values| Line { indices: None, values: values.to_vec() })
                    .into();
            let basis = Basis::new(3);
            let triangle = basis.triangle(&rays, 3);
            let vectors: Vec<_> = (0..3).map(|t| &basis.direction(&rays, 3, t).vector).collect();
            for (t, ray) in rays.iter().enumerate() {
                for (d, value) in ray.values.iter().enumerate() {
                    let directions = vectors.iter().zip(triangle[t]).filter(|(v, _)| !v.is_empty());
                    let sum: f64 = directions.map(|(vector, c)| vector[d] * c).sum();
                    assert!((sum - value).abs() < 4e-15, "{angle:e}: {sum} for {value}");
                }
                let mut known = Vec::new();
                basis.extend(&rays, &ray.values, &mut known);
                for (q, vector) in vectors.iter().enumerate().filter(|(_, v)| !v.is_empty()) {
                    let inner = dot(vectors[t], vector);
                    let expected = f64::from(u8::from(q == t && !vectors[t].is_empty()));
                    assert!((inner - expected).abs() < 1e-15, "{angle:e}: {inner:e}");
                    let own = triangle[t].get(q).copied().unwrap_or(0.0);
                    assert!((known[q] - own).abs() < 4e-15, "{angle:e}: {} for {own}", known[q]);
                }
            }
        }
    }
}
