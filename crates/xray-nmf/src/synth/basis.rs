//! The anchors: the matrix W of a design, m x r, one column after the other.

use rand::{Rng, RngExt};
use rand_distr::{Distribution, StandardNormal};

use super::design::Design;
use super::spectrum::with_log_spaced_spectrum;

/// W of `design`; the parameters have been checked.
pub(super) fn basis(design: Design, m: usize, r: usize, random: &mut impl Rng) -> Vec<f64> {
    match design {
        Design::Dirichlet | Design::MiddlePoints | Design::ScaledColumns { .. } => {
            uniform(m * r, random)
        }
        Design::IllConditioned { condition } | Design::IllConditionedMiddlePoints { condition } => {
            let mut w = with_log_spaced_spectrum(uniform(m * r, random), m, condition);
            let least = w.iter().copied().fold(0.0, f64::min);
            w.iter_mut().for_each(|value| *value -= least);
            w
        }
        Design::RankDeficient { dimension } => {
            let map = uniform(m * dimension, random);
            let rays = rays_on_sphere(dimension, r, random);
            rays.iter().flat_map(|ray| combination(&map, m, ray)).collect()
        }
    }
}

/// `W h`: the columns of `basis` with weights `h`, in ascending order.
pub(super) fn combination(basis: &[f64], m: usize, weights: &[f64]) -> Vec<f64> {
    let mut sum = vec![0.0; m];
    for (column, &weight) in basis.chunks_exact(m).zip(weights).filter(|(_, h)| **h != 0.0) {
        sum.iter_mut().zip(column).for_each(|(sum, value)| *sum += weight * value);
    }
    sum
}

fn uniform(n: usize, random: &mut impl Rng) -> Vec<f64> {
    (0..n).map(|_| random.random::<f64>()).collect()
}

/// `count` rays `(1, (1 + u) / 2)` with u on the unit sphere of dimension - 1: nonnegative, and all
/// extreme since no point of a sphere lies among others.
fn rays_on_sphere(dimension: usize, count: usize, random: &mut impl Rng) -> Vec<Vec<f64>> {
    let turn = random.random::<f64>();
    let mut point = |k: usize| -> Vec<f64> {
        if dimension == 3 {
            let angle = std::f64::consts::TAU * (k as f64 + turn) / count as f64;
            return vec![angle.cos(), angle.sin()];
        }
        let direction: Vec<f64> =
            (1..dimension).map(|_| StandardNormal.sample(&mut *random)).collect();
        let norm = direction.iter().map(|u: &f64| u * u).sum::<f64>().sqrt();
        direction.into_iter().map(|u| u / norm).collect()
    };
    let lift = |u: Vec<f64>| {
        let halves = u.into_iter().map(|u| 0.5 * (1.0 + u).max(0.0));
        std::iter::once(1.0).chain(halves).collect()
    };
    (0..count).map(|k| lift(point(k))).collect()
}
