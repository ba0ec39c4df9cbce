//! Step 6: how much of each endmember is in every pixel.

use rayon::prelude::*;

use crate::choices;
use crate::error::{Result, check_length};
use crate::gram::NormalMatrix;
use crate::matrix::kernels::dot;
use crate::project::ActiveSet;

choices! {
    /// What the abundances of a pixel are.
    #[derive(Default)]
    pub enum AbundanceRule ("abundances") {
        #[default]
        Scaled = "scaled": "nonnegative least squares, then scaled to sum 1: light and shade make no difference",
        SumToOne = "sum-to-one": "least squares among weights that are not negative and sum to 1",
        Nnls = "nnls": "nonnegative least squares, as it is",
    }
}

/// Pixels handled by one task.
const PIXELS_PER_TASK: usize = 256;

/// Endmembers, ready for pixels.
#[derive(Debug, Clone)]
pub struct Abundances {
    spectra: Vec<Vec<f64>>,
    /// One where a band counts, else zero.
    live: Vec<f64>,
    gram: Vec<Vec<f64>>,
    rule: AbundanceRule,
}

/// How well a pixel is explained, or all pixels of a block.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct PixelFit {
    /// `sum ||x - Wh||^2` over live bands, where h are the weights that explain best under the rule (before they are scaled).
    pub squared_residual: f64,
    /// `sum ||x||^2` over live bands.
    pub squared_norm: f64,
}

impl Abundances {
    /// Of spectra with all bands; bands that are not `live` do not count.
    ///
    /// # Errors
    /// If a spectrum or a band is missing.
    pub fn new(spectra: Vec<Vec<f64>>, live: &[bool], rule: AbundanceRule) -> Result<Self> {
        let live: Vec<f64> = live.iter().map(|&live| f64::from(u8::from(live))).collect();
        for spectrum in &spectra {
            check_length("bands of an endmember", live.len(), spectrum.len())?;
        }
        let clear = |s: Vec<f64>| s.iter().zip(&live).map(|(v, l)| v * l).collect::<Vec<f64>>();
        let spectra: Vec<Vec<f64>> = spectra.into_iter().map(clear).collect();
        let row = |a: &Vec<f64>| spectra.iter().map(|b| dot(a, b)).collect();
        let gram = spectra.iter().map(row).collect();
        Ok(Self { spectra, live, gram, rule })
    }

    /// The number of endmembers r.
    pub fn count(&self) -> usize {
        self.spectra.len()
    }

    /// The abundances of pixels, r numbers for each, and how well each is explained.
    ///
    /// # Examples
    /// ```
    /// use xray_nmf::unmix::{AbundanceRule, Abundances};
    /// let spectra = vec![vec![1.0, 0.0, 0.0], vec![0.0, 1.0, 0.0]];
    /// let rule = AbundanceRule::Scaled;
    /// let (found, fits) = Abundances::new(spectra, &[true; 3], rule)?.of_pixels(&[1.0, 3.0, 0.0]);
    /// assert_eq!(found, [0.25, 0.75]);
    /// assert_eq!(fits[0].squared_residual, 0.0);
    /// # Ok::<(), xray_nmf::Error>(())
    /// ```
    pub fn of_pixels(&self, pixels: &[f64]) -> (Vec<f64>, Vec<PixelFit>) {
        let (m, r) = (self.live.len(), self.count());
        let normal = NormalMatrix::from_rows(&self.gram);
        let n = pixels.len() / m.max(1);
        let (mut found, mut fits) = (vec![0.0; n * r], vec![PixelFit::default(); n]);
        let tasks = found
            .par_chunks_mut((PIXELS_PER_TASK * r).max(1))
            .zip(fits.par_chunks_mut(PIXELS_PER_TASK))
            .zip(pixels.par_chunks((PIXELS_PER_TASK * m).max(1)));
        tasks.for_each(|((found, fits), pixels)| {
            let mut solver = ActiveSet::default();
            let weights = found.chunks_exact_mut(r).zip(fits);
            for ((h, fit), pixel) in weights.zip(pixels.chunks_exact(m)) {
                *fit = self.solve(&mut solver, &normal, pixel, h);
            }
        });
        (found, fits)
    }

    fn solve(
        &self,
        solver: &mut ActiveSet,
        normal: &NormalMatrix,
        pixel: &[f64],
        h: &mut [f64],
    ) -> PixelFit {
        let products: Vec<f64> = self.spectra.iter().map(|w| dot(w, pixel)).collect();
        let square = pixel.iter().zip(&self.live).fold(0.0, |sum, (v, l)| sum + v * v * l);
        match self.rule {
            AbundanceRule::SumToOne => self.solve_in_simplex(solver, &products, square, h),
            AbundanceRule::Scaled | AbundanceRule::Nnls => {
                solver.solve_dense(normal, &products, square.sqrt(), h);
            }
        }
        let part = |k: usize| h[k] * (dot(&self.gram[k], h) - 2.0 * products[k]);
        let residual = (0..h.len()).fold(square, |sum, k| sum + part(k));
        if self.rule != AbundanceRule::Nnls {
            let sum = h.iter().fold(0.0, |sum, v| sum + v);
            if sum > 0.0 {
                h.iter_mut().for_each(|v| *v /= sum);
            }
        }
        PixelFit { squared_residual: residual.max(0.0), squared_norm: square }
    }

    /// `min ||Wh - x||` over `h >= 0, 1'h = 1` is `min ||(W - x1')h||` there. For any s > 0 the nonnegative solution of
    /// `min ||(W - x1')h||^2 + s (1'h - 1)^2` lies on the same ray, so it is only to be scaled.
    fn solve_in_simplex(
        &self,
        solver: &mut ActiveSet,
        products: &[f64],
        square: f64,
        h: &mut [f64],
    ) {
        let r = h.len();
        let size = (0..r).fold(square, |size, k| size.max(self.gram[k][k]));
        if size == 0.0 {
            return;
        }
        let entry =
            |k: usize, l: usize| self.gram[k][l] - products[k] - products[l] + square + size;
        let rows: Vec<Vec<f64>> = (0..r).map(|k| (0..r).map(|l| entry(k, l)).collect()).collect();
        solver.solve_dense(&NormalMatrix::from_rows(&rows), &vec![size; r], size.sqrt(), h);
        let sum = h.iter().fold(0.0, |sum, v| sum + v);
        if sum > 0.0 {
            h.iter_mut().for_each(|v| *v /= sum);
        }
    }
}

impl PixelFit {
    /// Both together.
    #[must_use]
    pub fn plus(self, other: PixelFit) -> Self {
        Self {
            squared_residual: self.squared_residual + other.squared_residual,
            squared_norm: self.squared_norm + other.squared_norm,
        }
    }

    /// All pixels of a block together, in an order that depends on their number alone.
    pub fn total(fits: &[PixelFit]) -> Self {
        let sum = |fits: &[PixelFit]| fits.iter().fold(Self::default(), |sum, &fit| sum.plus(fit));
        fits.chunks(PIXELS_PER_TASK).map(sum).fold(Self::default(), Self::plus)
    }

    /// `||x - Wh|| / ||x||`, or 0 if there is no light.
    pub fn unexplained(self) -> f64 {
        (self.squared_residual / self.squared_norm.max(f64::MIN_POSITIVE)).sqrt()
    }
}
