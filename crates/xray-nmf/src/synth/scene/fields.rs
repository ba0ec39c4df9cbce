//! Smooth random fields.

use rand::Rng;
use rand_distr::{Distribution, StandardNormal};

/// Where the bell curve is cut off, in deviations.
const CUT: f64 = 4.0;

/// White noise over an image, smoothed by a bell curve of this deviation; opposite edges are neighbours.
pub(super) fn smooth_field(
    (rows, columns): (usize, usize),
    deviation: f64,
    random: &mut impl Rng,
) -> Vec<f64> {
    let white: Vec<f64> = (0..rows * columns).map(|_| StandardNormal.sample(random)).collect();
    let weights = bell(deviation);
    let along = |r: usize, c: usize, k: usize| r * columns + shifted(c, k, columns);
    let once: Vec<f64> = smooth(&white, (rows, columns), &weights, along);
    let across = |r: usize, c: usize, k: usize| shifted(r, k, rows) * columns + c;
    smooth(&once, (rows, columns), &weights, across)
}

fn smooth(
    field: &[f64],
    (rows, columns): (usize, usize),
    weights: &[f64],
    place: impl Fn(usize, usize, usize) -> usize,
) -> Vec<f64> {
    let places = (0..rows).flat_map(|r| (0..columns).map(move |c| (r, c)));
    let mean = |(r, c)| weights.iter().enumerate().map(|(k, w)| w * field[place(r, c, k)]).sum();
    places.map(mean).collect()
}

/// The place `k - reach` further on, around the edge.
fn shifted(place: usize, k: usize, n: usize) -> usize {
    // The reach of a bell curve is far less than this multiple of n.
    (place + k + n * 1000 - REACH) % n
}

/// Weights of neighbours at most so far away.
const REACH: usize = 12;

fn bell(deviation: f64) -> Vec<f64> {
    let far = |k: usize| (k as f64 - REACH as f64) / deviation;
    let weights: Vec<f64> = (0..=2 * REACH)
        .map(|k| if far(k).abs() <= CUT { (-0.5 * far(k) * far(k)).exp() } else { 0.0 })
        .collect();
    let sum: f64 = weights.iter().sum();
    weights.iter().map(|w| w / sum).collect()
}

/// The field divided by its deviation.
pub(super) fn standardized(field: Vec<f64>) -> Vec<f64> {
    let n = field.len() as f64;
    let mean = field.iter().sum::<f64>() / n;
    let deviation = (field.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n).sqrt();
    let scale = if deviation > 0.0 { 1.0 / deviation } else { 0.0 };
    field.iter().map(|v| v * scale).collect()
}
