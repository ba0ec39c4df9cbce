//! Step 1: second moments of the pixels.

use rayon::prelude::*;

use crate::matrix::kernels::add_outer_products;

/// Bands whose sums one task adds up; a multiple of the tiles' rows.
const STRIPE: usize = 8;

/// `sum_j x_j x_j'`, and how many pixels that is.
///
/// Blocks are added in the order in which they come: the same blocks give the same bits.
///
/// # Examples
/// ```
/// use xray_nmf::unmix::Moments;
/// let mut moments = Moments::new(2);
/// moments.add(&[1.0, 2.0, 3.0, 4.0]); // two pixels of two bands
/// assert_eq!(moments.n_pixels(), 2);
/// assert_eq!(moments.mean(0, 1), (1.0 * 2.0 + 3.0 * 4.0) / 2.0);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Moments {
    n_bands: usize,
    n_pixels: usize,
    /// All rows; of each, what stands left of the diagonal by more than a stripe is not kept.
    sums: Vec<f64>,
}

impl Moments {
    /// Of no pixels yet.
    pub fn new(n_bands: usize) -> Self {
        Self { n_bands, n_pixels: 0, sums: vec![0.0; n_bands * n_bands] }
    }

    /// Adds pixels, one after the other, each with all its bands.
    ///
    /// # Panics
    /// If the last pixel is not whole.
    pub fn add(&mut self, pixels: &[f64]) {
        let m = self.n_bands;
        assert!(pixels.len().is_multiple_of(m.max(1)), "whole pixels");
        let stripes = self.sums.par_chunks_mut((STRIPE * m).max(1)).enumerate();
        stripes.with_max_len(1).for_each(|(s, stripe)| {
            add_outer_products(pixels, m, s * STRIPE, s * STRIPE, stripe);
        });
        self.n_pixels += pixels.len() / m.max(1);
    }

    /// Number of bands.
    pub fn n_bands(&self) -> usize {
        self.n_bands
    }

    /// Number of pixels.
    pub fn n_pixels(&self) -> usize {
        self.n_pixels
    }

    /// `C_ab`.
    pub fn mean(&self, a: usize, b: usize) -> f64 {
        self.sums[a.min(b) * self.n_bands + a.max(b)] / self.n_pixels.max(1) as f64
    }
}
