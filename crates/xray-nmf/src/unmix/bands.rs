//! Step 2: which bands are dead, and how noisy the others are.

use super::Moments;
use super::points::median;
use crate::small::inverse;

/// A band with less than this share of the mean power is dead.
const DEAD: f64 = 1e-8;
/// What is added to the diagonal, as a share of the mean power.
const RIDGE: f64 = 1e-10;
/// Bands are tamed that are so many times noisier than the median.
const GUARD: f64 = 3.0;

/// What is known of the bands.
#[derive(Debug, Clone, PartialEq)]
pub struct Bands {
    /// Bands that have anything, ascending.
    pub live: Vec<usize>,
    /// The noise `v_b` of each live band: what the other bands do not predict.
    pub noise: Vec<f64>,
    /// The weight `w_b` of each live band: below 1 where it is far noisier than the median.
    pub weights: Vec<f64>,
}

impl Bands {
    /// Judges the bands by their moments.
    pub fn of(moments: &Moments) -> Self {
        let m = moments.n_bands();
        let power = (0..m).fold(0.0, |sum, b| sum + moments.mean(b, b)) / m.max(1) as f64;
        let live: Vec<usize> = (0..m).filter(|&b| moments.mean(b, b) > DEAD * power).collect();
        let n = live.len();
        let entry = |q: usize| {
            let (a, b) = (live[q / n], live[q % n]);
            moments.mean(a, b) + if a == b { RIDGE * power } else { 0.0 }
        };
        let matrix: Vec<f64> = (0..n * n).map(entry).collect();
        let inverse = inverse(&matrix, n);
        // With fewer pixels than bands nothing can be told; all are taken alike.
        let noise: Vec<f64> = match inverse {
            Some(inverse) => {
                (0..n).map(|b| 1.0 / inverse[b * n + b].max(f64::MIN_POSITIVE).sqrt()).collect()
            }
            None => vec![1.0; n],
        };
        let usual = median(&noise);
        let weights = noise.iter().map(|v| (GUARD * usual / v).min(1.0)).collect();
        Self { live, noise, weights }
    }

    /// The bands that are tamed, as they are numbered in the cube.
    pub fn tamed(&self) -> Vec<usize> {
        let tamed = self.live.iter().zip(&self.weights).filter(|(_, w)| **w < 1.0);
        tamed.map(|(&band, _)| band).collect()
    }
}
