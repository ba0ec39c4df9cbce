//! Drawn spectra.

use rand::{Rng, RngExt};

/// Two materials differ by at least this angle, in degrees.
const LEAST_ANGLE: f64 = 6.0;
/// The continuum goes through so many random values.
const KNOTS: usize = 5;

/// Spectra that differ from each other.
pub(super) fn distinct(
    bands: usize,
    count: usize,
    dark: bool,
    random: &mut impl Rng,
) -> Vec<Vec<f64>> {
    let mut all: Vec<Vec<f64>> = Vec::new();
    while all.len() < count {
        let next = spectrum(bands, dark && all.is_empty(), random);
        if all.iter().all(|other| angle(other, &next) >= LEAST_ANGLE) {
            all.push(next);
        }
    }
    all
}

fn angle(a: &[f64], b: &[f64]) -> f64 {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    (dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()).clamp(-1.0, 1.0).acos().to_degrees()
}

/// A continuum, sometimes with an edge, times absorptions.
pub(super) fn spectrum(bands: usize, dark: bool, random: &mut impl Rng) -> Vec<f64> {
    let x: Vec<f64> = (0..bands).map(|b| b as f64 / (bands - 1) as f64).collect();
    let knots: Vec<f64> = (0..KNOTS).map(|_| random.random_range(0.1..0.9)).collect();
    // Cosines instead of straight lines between the knots: no corners.
    let continuum = |x: f64| {
        let place = x * (KNOTS - 1) as f64;
        let below = (place as usize).min(KNOTS - 2);
        let share = 0.5 - 0.5 * (std::f64::consts::PI * (place - below as f64)).cos();
        knots[below] + share * (knots[below + 1] - knots[below])
    };
    let mut values: Vec<f64> = x.iter().map(|&x| continuum(x)).collect();
    if random.random::<f64>() < 0.4 {
        let (high, place, width) = (
            random.random_range(0.2..0.9),
            random.random_range(0.15..0.6),
            random.random_range(0.01..0.05),
        );
        let edge = |x: f64| 0.5 * high / (1.0 + (-(x - place) / width).exp());
        values.iter_mut().zip(&x).for_each(|(v, &x)| *v = 0.5 * *v + edge(x));
    }
    for _ in 0..random.random_range(2..7) {
        let (depth, place, width) = (
            random.random_range(0.1..0.7),
            random.random::<f64>(),
            random.random_range(0.01..0.06),
        );
        let left = |x: f64| 1.0 - depth * (-0.5 * ((x - place) / width).powi(2)).exp();
        values.iter_mut().zip(&x).for_each(|(v, &x)| *v *= left(x));
    }
    if dark {
        let (high, fall) = (random.random_range(0.03..0.08), random.random_range(0.15..0.5));
        values.iter_mut().zip(&x).for_each(|(v, &x)| *v = high * (-x / fall).exp() + 0.004 * *v);
    }
    values
}
