//! Step 5: anchors that are means of many pixels.
//!
//! The cone begins with the mean pixel, which is never returned. With the residual `R = Y - projection on the cone`,
//!
//! ```text
//! i = argmax_i sum_t max(R_i'Y_t, 0)^2 over a sample of pixels t,   s_j = R_i'Y_j / d_j
//! ```
//!
//! and the next anchor is the mean of the pixels whose score is within a tenth of the k-th best, k = n/1000: a single pixel
//! is its material and its noise. The sum over the sample is at most `R_i' (sum_t Y_t Y_t') R_i`, which is all that most pixels
//! cost.

use std::sync::atomic::{AtomicU64, Ordering};

use super::points::GOLDEN;
use super::rays::Rays;
use super::{BLOCK, Points};
use crate::error::{Result, require};
use crate::matrix::kernels::{LANES, Lanes, positive_squares, quadratic_form};

/// Pixels with a score below this part of the k-th best are not members.
const LEAST_SCORE: f64 = 0.9;
/// k as a share of the pixels, and at least.
const SMALLEST_SHARE: f64 = 0.001;
const SMALLEST: usize = 3;
/// The most members, as a share of the pixels.
const LARGEST_SHARE: f64 = 0.05;
/// So many pixels are the sample, or all. The sum over 400, as it was designed with, depends on which they are.
const SAMPLE: usize = 4_000;
/// Pixels darker than this share of the median are not looked at.
const DARK: f64 = 1e-6;

/// Anchors and what they are made of.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Chosen {
    /// The places of the anchors.
    pub anchors: Vec<Vec<f64>>,
    /// For each anchor the pixels that it is the mean of, best first.
    pub members: Vec<Vec<usize>>,
}

/// The pixels that are looked at.
struct Search<'a> {
    points: &'a Points,
    /// Brightness that is too little.
    dark: f64,
    /// Its coordinates in batches; zeros fill up the last one.
    sample: Vec<Lanes>,
    /// `sum_t Y_t Y_t'`.
    spread: Vec<f64>,
    /// Fewest and most members.
    members: (usize, usize),
}

/// Chooses anchors; `tell` hears of every one and may end the search with an error.
///
/// # Errors
/// If no pixel is lit, or `tell` has one.
pub(super) fn select(
    points: &Points,
    count: usize,
    mut tell: impl FnMut() -> Result<()>,
) -> Result<Chosen> {
    let search = Search::new(points)?;
    let mut cone = vec![search.mean()];
    let mut chosen = Chosen::default();
    for _ in 0..count {
        let direction = search.direction(&Rays::new(&cone));
        let members = search.best(&direction);
        let anchor = search.mean_of(&members);
        cone.push(anchor.clone());
        chosen.anchors.push(anchor);
        chosen.members.push(members);
        tell()?;
    }
    Ok(chosen)
}

impl<'a> Search<'a> {
    fn new(points: &'a Points) -> Result<Self> {
        let dark = DARK * points.usual_brightness();
        let lit = points.brightness().iter().enumerate().filter(|(_, d)| f64::from(**d) > dark);
        let lit: Vec<usize> = lit.map(|(j, _)| j).collect();
        require(!lit.is_empty(), "pixels", "all dark", "give a cube with light in it")?;
        let sample: Vec<Vec<f64>> = sampled(&lit).map(|j| wide(points.place(j))).collect();
        let q = points.dimensions();
        let mut spread = vec![0.0; q * q];
        for y in &sample {
            for (a, b) in (0..q * q).map(|e| (e / q, e % q)) {
                spread[a * q + b] += y[a] * y[b];
            }
        }
        let sample = sample.chunks(LANES).flat_map(|batch| batched(batch, q)).collect();
        let n = points.n_used();
        let share = |share: f64| (share * n as f64).round_ties_even() as usize;
        let fewest = share(SMALLEST_SHARE).max(SMALLEST);
        let most = share(LARGEST_SHARE).max(fewest).min(lit.len());
        Ok(Self { points, dark, sample, spread, members: (fewest.min(most), most) })
    }

    fn is_lit(&self, j: usize) -> bool {
        f64::from(self.points.brightness()[j]) > self.dark
    }

    /// The mean of all lit pixels.
    fn mean(&self) -> Vec<f64> {
        let lit: Vec<usize> = (0..self.points.n()).filter(|&j| self.is_lit(j)).collect();
        self.mean_of(&lit)
    }

    fn mean_of(&self, pixels: &[usize]) -> Vec<f64> {
        let q = self.points.dimensions();
        let mut total = vec![0.0; q];
        for block in pixels.chunks(BLOCK) {
            let mut sum = vec![0.0; q];
            for &j in block {
                let place = self.points.place(j);
                sum.iter_mut().zip(place).for_each(|(sum, &v)| *sum += f64::from(v));
            }
            total.iter_mut().zip(sum).for_each(|(total, sum)| *total += sum);
        }
        total.iter_mut().for_each(|v| *v /= pixels.len() as f64);
        total
    }

    /// `R_i` of the pixel i with the largest sum; the first of several. What any block has found spares the others work,
    /// and changes nothing else: only pixels that are below it are not looked at.
    fn direction(&self, cone: &Rays<'_>) -> Vec<f64> {
        let begin = || (f64::NEG_INFINITY, Vec::new());
        // Sums are not negative, and such numbers are in the order of their bits.
        let known = AtomicU64::new(0.0_f64.to_bits());
        let blocks = cone.over(
            self.points,
            |_| 1.0,
            begin,
            |best, pixel| {
                if !self.is_lit(pixel.j) {
                    return;
                }
                let mut residual = pixel.place.to_vec();
                cone.residual(pixel.weights, &mut residual);
                // Rounding of both sums is far less than this.
                let most = quadratic_form(&self.spread, &residual) * (1.0 + 1e-9);
                if most < f64::from_bits(known.load(Ordering::Relaxed)) {
                    return;
                }
                let sum = positive_squares(&self.sample, &residual);
                known.fetch_max(sum.to_bits(), Ordering::Relaxed);
                if sum > best.0 {
                    *best = (sum, residual);
                }
            },
        );
        let first = |best: (f64, Vec<f64>), next: (f64, Vec<f64>)| {
            if next.0 > best.0 { next } else { best }
        };
        blocks.into_iter().fold(begin(), first).1
    }

    /// The pixels whose scores are near the best, best first.
    fn best(&self, direction: &[f64]) -> Vec<usize> {
        let (fewest, most) = self.members;
        let score = |j: usize| {
            let place = self.points.place(j);
            let product =
                direction.iter().zip(place).fold(0.0, |sum, (u, &y)| sum + u * f64::from(y));
            product / f64::from(self.points.brightness()[j])
        };
        let lit = (0..self.points.n()).filter(|&j| self.is_lit(j));
        let mut scores: Vec<(f64, usize)> = lit.map(|j| (score(j), j)).collect();
        let order = |a: &(f64, usize), b: &(f64, usize)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
        if most < scores.len() {
            scores.select_nth_unstable_by(most - 1, order);
            scores.truncate(most);
        }
        scores.sort_unstable_by(order);
        let level = LEAST_SCORE * scores[fewest - 1].0;
        let near = scores.iter().filter(|(score, _)| *score >= level).count().max(fewest);
        scores.into_iter().take(near).map(|(_, j)| j).collect()
    }
}

/// All pixels, or some that are spread evenly.
fn sampled(pixels: &[usize]) -> impl Iterator<Item = usize> + '_ {
    let n = pixels.len();
    (0..n.min(SAMPLE)).map(move |t| match n {
        0..=SAMPLE => pixels[t],
        _ => pixels[((t as f64 * GOLDEN).fract() * n as f64) as usize],
    })
}

/// The q coordinates of at most as many places as fit a batch.
fn batched(places: &[Vec<f64>], q: usize) -> impl Iterator<Item = Lanes> + '_ {
    let coordinate = |d: usize| std::array::from_fn(|l| places.get(l).map_or(0.0, |y| y[d]));
    (0..q).map(coordinate)
}

fn wide(place: &[f32]) -> Vec<f64> {
    place.iter().map(|&v| f64::from(v)).collect()
}
