//! How far an answer in `f64` may be from the exact one, by rounding alone. A disagreement within these bounds is
//! a tie, any other is an error of the engine.
//!
//! With u = 2^-53, a sum of m products has an error of at most m u times the sum of their magnitudes. The engine's
//! sums have m terms (an inner product) and then t (over the rays), so [`unit`] is `8 (m + t + 4) u`. For a column x
//! with nearest point `A h`, all relative to `||x||`:
//!
//! | symbol | is | bounds |
//! |---|---|---|
//! | `load` | `1 + sum_k h_k \|\|a_k\|\| / \|\|x\|\|` | magnitudes of the terms of `x - A h` |
//! | `reach` | `1 + sqrt(p) \|\|R^-1\|\|_F` | how much an error of the gradient moves `A h` |
//! | `shift` | `8 unit load reach` | `\|\|R_engine - R_exact\|\|` |
//!
//! An engine takes a gradient, or the difference of two scores, for zero when it cannot tell it from rounding, and what it
//! knows of its rounding is a generous estimate: hence another factor of 8 ([`GENEROUS`]) wherever such a decision
//! matters.
//!
//! R is the triangular factor of the p rays of unit length that have a weight or whose gradient is zero to
//! rounding. Rays whose distance d from the span of the others is invisible to gradients, which it changes by `d^2`, move
//! `A h` by about that distance, which is added instead. So may one ray that takes the place of such a twin.

use crate::nnls::{Nearest, Rays};
use crate::wide::{Wide, norm};

pub(crate) const U: f64 = f64::EPSILON / 2.0;

/// How much larger than the rounding an engine's own estimate of it may be.
pub(crate) const GENEROUS: f64 = 8.0;

/// Squared residuals above this share of the squared norm may be a difference of inner products; below, too
/// few digits would be left, and they are to be computed from the columns.
const CANCELLATION: f64 = 0.9e-10;

/// The rounding of one entry of `X_A'R`, relative to the norms.
pub(crate) fn unit(m: usize, t: usize) -> f64 {
    8.0 * (m + t + 4) as f64 * U
}

/// Error bounds of one column's projection.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Uncertainty {
    /// See the head of this file; absolute here.
    pub(crate) shift: f64,
    /// Of the residual's norm.
    pub(crate) norm: f64,
    /// Of `C_ij - h_i'C_Aj` for a column j of length 1: that of its sums alone.
    pub(crate) sums: f64,
}

/// Unit rays in `f64`, for the condition of parts of them.
#[derive(Debug)]
pub(crate) struct Directions(Vec<Vec<f64>>);

impl Directions {
    pub(crate) fn of(rays: &Rays) -> Self {
        let unit = |(vector, norm): (&Vec<Wide>, &Wide)| {
            vector.iter().map(|v| (*v / *norm).round()).collect()
        };
        Self(rays.vectors.iter().zip(&rays.norms).map(unit).collect())
    }

    fn distance(&self, k: usize, l: usize) -> f64 {
        let differences = self.0[k].iter().zip(&self.0[l]).map(|(a, b)| a - b);
        differences.map(|d| d * d).sum::<f64>().sqrt()
    }

    /// `1 + sqrt(p) ||R^-1||_F` of the listed rays, and the distances of those that were left out because they
    /// are nearer to the others than `nearest`.
    fn reach(&self, listed: &[usize], nearest: f64) -> (f64, f64) {
        let (mut basis, mut inverse): (Vec<Vec<f64>>, Vec<Vec<f64>>) = (Vec::new(), Vec::new());
        let (mut left_out, mut squares) = (0.0, 0.0);
        for &k in listed {
            let mut vector = self.0[k].clone();
            let mut parts = vec![0.0; basis.len()];
            for _ in 0..2 {
                for (part, q) in parts.iter_mut().zip(&basis) {
                    let along: f64 = q.iter().zip(&vector).map(|(a, b)| a * b).sum();
                    vector.iter_mut().zip(q).for_each(|(v, q)| *v -= along * q);
                    *part += along;
                }
            }
            let pivot = vector.iter().map(|v| v * v).sum::<f64>().sqrt();
            if pivot <= nearest {
                left_out += pivot;
                continue;
            }
            basis.push(vector.iter().map(|v| v / pivot).collect());
            // The new column of R^-1 is -R^-1 parts / pivot over 1 / pivot.
            let mut column = vec![0.0; parts.len()];
            for (q, part) in parts.iter().enumerate() {
                for (row, entry) in inverse[q].iter().enumerate() {
                    column[row] -= entry * part / pivot;
                }
            }
            column.push(1.0 / pivot);
            squares += column.iter().map(|v| v * v).sum::<f64>();
            inverse.push(column);
        }
        (1.0 + (basis.len() as f64 * squares).sqrt(), left_out)
    }
}

/// The bounds of a column x, whose exact nearest point is known.
pub(crate) fn uncertainty(
    unit: f64,
    rays: &Rays,
    directions: &Directions,
    length: f64,
    nearest: &Nearest,
) -> Uncertainty {
    let weighted = nearest.support.iter().zip(&nearest.weights);
    let explained: f64 = weighted.map(|(&k, h)| (*h * rays.norms[k]).round()).sum();
    let load = length + explained;
    let mut listed = nearest.support.clone();
    let residual: Vec<f64> = nearest.residual.iter().map(|v| v.round()).collect();
    for (k, direction) in directions.0.iter().enumerate() {
        let slope: f64 = direction.iter().zip(&residual).map(|(a, b)| a * b).sum();
        if slope >= -GENEROUS * unit * load && !nearest.support.contains(&k) {
            listed.push(k);
        }
    }
    let invisible = (GENEROUS * unit).sqrt();
    let (reach, left_out) = directions.reach(&listed, invisible);
    let twins = listed[nearest.support.len()..].iter().map(|&k| {
        let apart = |&l: &usize| directions.distance(k, l);
        nearest.support.iter().map(apart).filter(|d| *d <= invisible).fold(0.0, f64::max)
    });
    let shift = GENEROUS * load * (unit * reach + left_out + twins.sum::<f64>());
    let distance = norm(&nearest.residual).round();
    let norm = shift + root_error(distance * distance, unit, load, length);
    Uncertainty { shift, norm, sums: unit * load }
}

/// The error of a squared residual that is computed as well as it can be.
pub(crate) fn square_error(squared: f64, unit: f64, load: f64, length: f64) -> f64 {
    if squared >= CANCELLATION * length * length {
        unit * load * load
    } else {
        unit * load * (2.0 * squared.sqrt() + unit * load)
    }
}

/// The same of its root.
fn root_error(squared: f64, unit: f64, load: f64, length: f64) -> f64 {
    let error = square_error(squared, unit, load, length);
    if squared > 0.0 { (error / squared.sqrt()).min(error.sqrt()) } else { error.sqrt() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two unit vectors at an angle have `R^-1 = [1, -cot; 0, 1 / sin]`, whose squares add up to `2 / sin^2`.
    #[test]
    fn the_reach_of_two_rays_grows_as_their_angle_shrinks() {
        for angle in [1.5, 1e-2, 1e-6] {
            let (sine, cosine) = f64::sin_cos(angle);
            let directions = Directions(vec![vec![1.0, 0.0], vec![cosine, sine]]);
            let (reach, left_out) = directions.reach(&[0, 1], U.sqrt());
            let expected = 1.0 + 2.0 / sine;
            assert!((reach / expected - 1.0).abs() < 1e-9, "{angle}: {reach} for {expected}");
            assert_eq!(left_out, 0.0);
        }
        let twins = Directions(vec![vec![1.0, 0.0], vec![1.0, 1e-9]]);
        assert_eq!(twins.reach(&[0, 1], U.sqrt()), (2.0, 1e-9));
    }
}
