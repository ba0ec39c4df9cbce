//! Step 3: the directions that pixels differ in.

use rayon::prelude::*;

use super::{Bands, Moments};
use crate::matrix::kernels::dot;
use crate::small::symmetric_eigen;

/// The leading eigenvectors of `diag(w) C diag(w)`.
#[derive(Debug, Clone, PartialEq)]
pub struct Subspace {
    n_bands: usize,
    /// `diag(w) u_l`, over all bands; zero where a band is dead.
    weighed: Vec<Vec<f64>>,
    /// `diag(1/w) u_l`, in the same way.
    restored: Vec<Vec<f64>>,
    /// `u_l'(1/w)`: what turns a place into its brightness.
    sums: Vec<f64>,
    /// One where a band is live.
    live: Vec<f64>,
}

impl Subspace {
    /// So many directions, or as many as there are live bands.
    pub fn new(moments: &Moments, bands: &Bands, dimensions: usize) -> Self {
        let (m, n) = (moments.n_bands(), bands.live.len());
        let Bands { live, weights, .. } = bands;
        let entry = |q: usize| {
            let (a, b) = (q / n, q % n);
            moments.mean(live[a], live[b]) * weights[a] * weights[b]
        };
        let matrix: Vec<f64> = (0..n * n).map(entry).collect();
        let (_, mut vectors) = symmetric_eigen(&matrix, n);
        vectors.truncate(dimensions);
        let spread = |vector: &[f64], factor: &dyn Fn(usize) -> f64| {
            let mut whole = vec![0.0; m];
            (0..n).for_each(|b| whole[live[b]] = vector[b] * factor(b));
            whole
        };
        let weighed = vectors.iter().map(|u| spread(u, &|b| weights[b])).collect();
        let restored: Vec<Vec<f64>> =
            vectors.iter().map(|u| spread(u, &|b| 1.0 / weights[b])).collect();
        let sums = restored.iter().map(|u| u.iter().fold(0.0, |sum, v| sum + v)).collect();
        let mut lit = vec![0.0; m];
        live.iter().for_each(|&b| lit[b] = 1.0);
        Self { n_bands: m, weighed, restored, sums, live: lit }
    }

    /// Number of directions q.
    pub fn dimensions(&self) -> usize {
        self.weighed.len()
    }

    /// The places `U'diag(w)x` of pixels, each with its brightness (the sum of its live bands) behind it: `q + 1` numbers a pixel.
    pub fn places(&self, pixels: &[f64]) -> Vec<f64> {
        let width = self.dimensions() + 1;
        let mut places = vec![0.0; pixels.len() / self.n_bands.max(1) * width];
        places
            .par_chunks_mut(width)
            .zip(pixels.par_chunks(self.n_bands.max(1)))
            .with_min_len(64)
            .for_each(|(place, pixel)| {
                for (value, u) in place.iter_mut().zip(self.weighed.iter().chain([&self.live])) {
                    *value = dot(u, pixel);
                }
            });
        places
    }

    /// `u_l'(1/w)` for all directions.
    pub(super) fn sums(&self) -> &[f64] {
        &self.sums
    }

    /// The spectrum `max(diag(1/w) U v, 0)` at a place, which may have fewer coordinates than there are directions.
    pub fn spectrum(&self, place: &[f64]) -> Vec<f64> {
        let mut spectrum = vec![0.0; self.n_bands];
        for (u, &v) in self.restored.iter().zip(place) {
            spectrum.iter_mut().zip(u).for_each(|(sum, u)| *sum += u * v);
        }
        spectrum.iter_mut().for_each(|v| *v = v.max(0.0));
        spectrum
    }
}
