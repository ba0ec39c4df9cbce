//! Step 5, its end: anchors move towards the simplex of least volume that still explains the pixels.
//!
//! In the first r coordinates, with pixels `z_j = y_j / max(d_j, .001 median d)`, by turns for 20 steps:
//!
//! ```text
//! H = argmin_{H >= 0} ||Z - WH||^2
//! W = argmin ||Z - WH||^2 + mu tr((W0'W0 + e I)^-1 W'W)  subject to p'W = 1
//! ```
//!
//! where W0 is the W before: the second term is the tangent of the logarithm of the squared volume there. p turns a place into
//! its brightness, `mu` is half the squared residual at the start, `e` a thousandth of `||W||^2`. With `K = HH' + mu (W0'W0 + e I)^-1`
//! and `B = ZH'`, `W = (B + p nu') K^-1` and `nu = (K 1 - B'p) / p'p`. In the end every anchor gets its brightness back.

use super::eliminate::eliminate;
use super::points::Points;
use super::rays::Rays;
use super::select::select;
use super::subspace::Subspace;
use crate::error::Result;
use crate::matrix::kernels::dot;
use crate::small::{inverse, symmetric_eigen};

/// Anchors that are sought beyond those asked for: the subspace has as many dimensions more.
pub const EXTRA: usize = 2;

const STEPS: usize = 20;
/// `mu` as a part of the squared residual.
const STRENGTH: f64 = 0.5;
/// `e` as a part of `||W||^2`.
const RIDGE: f64 = 1e-3;
/// Pixels darker than this share of the median are not made as bright as the others.
const DARK: f64 = 1e-3;
/// A squared residual below this part of the data is rounding.
const LEAST: f64 = 1e-12;

/// Endmembers in the subspace, and what they are made of.
#[derive(Debug, Clone, PartialEq)]
pub struct Endmembers {
    /// The places of the endmembers, in the first r coordinates.
    pub places: Vec<Vec<f64>>,
    /// For each endmember the pixels whose mean it was before its last move, best first.
    pub members: Vec<Vec<usize>>,
}

impl Points {
    /// Finds endmembers of pixels that are given in `count + 2` dimensions. Of more than 2^18, so many are looked at that
    /// are spread evenly. `tell` hears of every step of [`n_steps`](Self::n_steps) and may end the search with an error.
    ///
    /// # Errors
    /// If no pixel is lit, or `tell` has one.
    pub fn endmembers(
        &self,
        subspace: &Subspace,
        count: usize,
        tell: impl FnMut() -> Result<()>,
    ) -> Result<Endmembers> {
        let Some((few, numbers)) = self.thinned() else {
            return self.search(subspace, count, tell);
        };
        let mut found = few.search(subspace, count, tell)?;
        found.members.iter_mut().flatten().for_each(|j| *j = numbers[*j]);
        Ok(found)
    }

    fn search(
        &self,
        subspace: &Subspace,
        count: usize,
        mut tell: impl FnMut() -> Result<()>,
    ) -> Result<Endmembers> {
        let chosen = select(self, count + EXTRA, &mut tell)?;
        let chosen = eliminate(self, chosen, count, &mut tell)?;
        let dimensions = count.min(self.dimensions());
        let places: Vec<Vec<f64>> =
            chosen.anchors.iter().map(|anchor| anchor[..dimensions].to_vec()).collect();
        let places = smallest(self, &subspace.sums()[..dimensions], places, tell)?;
        Ok(Endmembers { places, members: chosen.members })
    }

    /// The steps of [`endmembers`](Self::endmembers) for so many of them.
    pub fn n_steps(count: usize) -> usize {
        let tried: usize = (count + 1..=count + EXTRA).sum();
        count + EXTRA + tried + STEPS
    }
}

/// `ZH'`, `HH'` and `||Z - WH||^2 - ||Z||^2`, and `||Z||^2`.
struct Sums {
    products: Vec<f64>,
    weights: Vec<f64>,
    unexplained: f64,
    total: f64,
}

impl Sums {
    fn zero(r: usize) -> Self {
        let zeros = vec![0.0; r * r];
        Self { products: zeros.clone(), weights: zeros, unexplained: 0.0, total: 0.0 }
    }

    fn add(&mut self, place: &[f64], products: &[f64], h: &[f64]) {
        let r = h.len();
        for k in (0..r).filter(|&k| h[k] > 0.0) {
            (0..place.len()).for_each(|l| self.products[k * r + l] += h[k] * place[l]);
            (0..r).for_each(|l| self.weights[k * r + l] += h[k] * h[l]);
        }
        self.unexplained -= products.iter().zip(h).fold(0.0, |sum, (c, h)| sum + c * h);
        self.total += dot(place, place);
    }

    fn merge(mut self, other: &Sums) -> Self {
        let all = self.products.iter_mut().zip(&other.products);
        all.chain(self.weights.iter_mut().zip(&other.weights)).for_each(|(a, b)| *a += b);
        self.unexplained += other.unexplained;
        self.total += other.total;
        self
    }
}

/// Moves the anchors; leaves them as they are where there is nothing to compute with.
fn smallest(
    points: &Points,
    p: &[f64],
    places: Vec<Vec<f64>>,
    mut tell: impl FnMut() -> Result<()>,
) -> Result<Vec<Vec<f64>>> {
    let r = places.len();
    let bright: Vec<f64> = places.iter().map(|place| dot(p, place)).collect();
    // As many coordinates as anchors, and all of them bright, or it is no simplex.
    if p.len() < r || bright.iter().any(|&b| b.is_nan() || b <= 0.0) {
        return Ok(places);
    }
    let scaled = |place: &Vec<f64>, b: f64| place.iter().map(|v| v * b).collect::<Vec<f64>>();
    let mut w: Vec<Vec<f64>> =
        places.iter().zip(&bright).map(|(w, b)| scaled(w, 1.0 / b)).collect();
    let ridge = RIDGE * symmetric_eigen(&gram(&w), r).0.first().copied().unwrap_or(0.0);
    let least = DARK * points.usual_brightness();
    let light = |j: usize| 1.0 / f64::from(points.brightness()[j]).max(least);
    let mut strength = None;
    for _ in 0..STEPS {
        let blocks = Rays::new(&w).over(
            points,
            light,
            || Sums::zero(r),
            |sums, pixel| {
                sums.add(pixel.place, pixel.products, pixel.weights);
            },
        );
        let sums = blocks.iter().fold(Sums::zero(r), Sums::merge);
        let residual = (sums.total + sums.unexplained).max(LEAST * sums.total);
        let mu = *strength.get_or_insert(STRENGTH * residual);
        let Some(moved) = moved(&sums, &w, p, mu, ridge) else { break };
        w = moved;
        tell()?;
    }
    Ok(w.iter().zip(&bright).map(|(w, &b)| scaled(w, b)).collect())
}

/// `W'W`.
fn gram(w: &[Vec<f64>]) -> Vec<f64> {
    w.iter().flat_map(|a| w.iter().map(|b| dot(a, b))).collect()
}

/// The next W, or none if a matrix has no inverse.
fn moved(sums: &Sums, w: &[Vec<f64>], p: &[f64], mu: f64, ridge: f64) -> Option<Vec<Vec<f64>>> {
    let r = w.len();
    let mut volume = gram(w);
    (0..r).for_each(|k| volume[k * r + k] += ridge);
    let volume = inverse(&volume, r)?;
    let k: Vec<f64> = sums.weights.iter().zip(&volume).map(|(h, v)| h + mu * v).collect();
    let column = |c: usize| &sums.products[c * r..(c + 1) * r];
    let nu = |c: usize| {
        let total = (0..r).fold(0.0, |sum, a| sum + k[a * r + c]);
        (total - dot(p, column(c))) / dot(p, p)
    };
    let nu: Vec<f64> = (0..r).map(nu).collect();
    let k = inverse(&k, r)?;
    let entry = |c: usize, l: usize| {
        (0..r).fold(0.0, |sum, a| sum + (column(a)[l] + p[l] * nu[a]) * k[c * r + a])
    };
    Some((0..r).map(|c| (0..r).map(|l| entry(c, l)).collect()).collect())
}
