//! Vertex component analysis (VCA): the extreme columns in random directions.
//!
//! Columns are first brought into r dimensions. With little noise, `z = U_r'x` for the leading left
//! singular vectors of X, divided by `z'u` with the mean u: a projection on the plane `z'u = 1`, which
//! takes differences of brightness away. With much noise, `z = U_{r-1}'(x - mean)` with one more
//! coordinate, the same for all. Then r times:
//!
//! ```text
//! f = (I - A A^+) w, w random;   j = argmax_j |f'y_j|;   A <- [A y_j]
//! ```
//!
//! where A starts as the last unit vector, which the first y_j replaces. The borderline is that of the
//! authors, a signal-to-noise ratio of 15 + 10 log10(r) dB, where
//!
//! ```text
//! SNR = 10 log10 (P_z - (r/m) P_x) / (P_x - P_z),   P_x = ||X||_F^2 / n,   P_z = sum_{i<=r} s_i^2 / n + ||mean||^2
//! ```
//!
//! with the singular values s_i of X less its mean.
//!
//! Exact on separable data with little noise if the anchors are linearly independent. There are never
//! more anchors than the rank of X. Another seed gives other anchors where data is noisy.
//!
//! Cost: two truncated singular value decompositions and O(n r^2). Memory: O(n r).
//!
//! Reference: Nascimento and Bioucas-Dias, "Vertex component analysis: a fast algorithm to unmix
//! hyperspectral data", IEEE TGRS 43 (2005).

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use rayon::prelude::*;

use super::anchors::Anchors;
use super::decompose::{centred_svd, mean_column, truncated_svd};
use super::largest::largest;
use crate::error::Result;
use crate::matrix::Matrix;
use crate::matrix::kernels::{add_scaled, dot};
use crate::stop::StopRequest;
use crate::svd::Triplet;

/// Directions shorter than this share of X are rounding.
const FLAT: f64 = 1e-9;
/// Noise below this share of the power of X is rounding.
const SILENT: f64 = 1e-12;

/// The parameters of [`vca`], with their defaults.
///
/// | field | default | purpose | range |
/// |---|---|---|---|
/// | `rank` | required | number of anchors to find | any |
/// | `seed` | 0 | everything random follows from it | any |
/// | `stop` | never made | a request to give the work up | |
#[derive(Debug, Clone)]
pub struct VcaParams {
    /// Number of anchors to find.
    pub rank: usize,
    /// Everything random follows from it.
    pub seed: u64,
    /// Looked at in every round of the decomposition.
    pub stop: StopRequest,
}

impl VcaParams {
    /// The defaults, for a given rank.
    pub fn new(rank: usize) -> Self {
        Self { rank, seed: 0, stop: StopRequest::new() }
    }
}

/// Finds anchors by vertex component analysis. The scores are `|f'y_j|` at the time of choice.
///
/// Negative entries are allowed. Ends with `Exhausted` when X has fewer dimensions.
///
/// # Examples
/// ```
/// use xray_nmf::DenseMatrix;
/// use xray_nmf::rivals::{VcaParams, vca};
/// // Columns 0 and 2 span the cone; column 1 is their sum.
/// let x = DenseMatrix::from_column_major(2, 3, vec![1.0, 0.0, 1.0, 1.0, 0.0, 1.0])?;
/// let mut found = vca(&x, &VcaParams::new(2))?.anchors;
/// found.sort();
/// assert_eq!(found, [0, 2]);
/// # Ok::<(), xray_nmf::Error>(())
/// ```
///
/// # Errors
/// If it is to stop.
pub fn vca(matrix: &dyn Matrix, params: &VcaParams) -> Result<Anchors> {
    let VcaParams { rank, seed, ref stop } = *params;
    let points = Points::of(matrix, rank, stop)?;
    let mut generator = ChaCha8Rng::seed_from_u64(seed);
    let mut found = Anchors::none();
    let mut taken = Taken::new(points.dimensions);
    while found.anchors.len() < points.dimensions {
        let direction = taken.direction(&mut generator);
        let heights: Vec<f64> = points
            .places
            .par_chunks(points.dimensions)
            .with_min_len(1024)
            .map(|y| dot(&direction, y).abs())
            .collect();
        let Some(j) = largest(&heights, &heights) else { break };
        found.push(j, heights[j]);
        taken.add(points.place(j));
    }
    Ok(found.ended(rank))
}

/// The columns in few dimensions.
struct Points {
    dimensions: usize,
    /// `y_j`, one after the other; zero if the column is not to be chosen.
    places: Vec<f64>,
}

impl Points {
    fn of(matrix: &dyn Matrix, rank: usize, stop: &StopRequest) -> Result<Self> {
        let n = matrix.n_columns();
        let norms = matrix.squared_norms();
        let power = norms.iter().fold(0.0, |sum, v| sum + v);
        if n == 0 || power == 0.0 {
            return Ok(Self { dimensions: 0, places: Vec::new() });
        }
        let flat = |triplet: &Triplet| triplet.value > FLAT * power.sqrt();
        let mean = mean_column(matrix)?;
        let mut centred = centred_svd(matrix, &mean, rank, stop)?;
        let signal = centred.iter().fold(0.0, |sum, triplet| sum + triplet.value.powi(2));
        let signal = signal + n as f64 * dot(&mean, &mean);
        if is_noisy(power, signal, rank as f64 / matrix.n_rows() as f64, rank) {
            centred.truncate(rank.saturating_sub(1));
            centred.retain(flat);
            return Ok(Self::flattened(&centred, &norms));
        }
        let mut triplets = truncated_svd(matrix, rank, stop)?;
        triplets.retain(flat);
        Ok(Self::projected(&triplets, n))
    }

    /// `y = [z; c]` with the length c of the longest z; zero where the column is.
    fn flattened(triplets: &[Triplet], norms: &[f64]) -> Self {
        let (dimensions, n) = (triplets.len() + 1, norms.len());
        let square = |j: usize| triplets.iter().fold(0.0, |sum, t| sum + coordinate(t, j).powi(2));
        let longest = (0..n).map(square).fold(0.0, f64::max).sqrt();
        let constant = if longest > 0.0 { longest } else { 1.0 };
        let place = |j: usize| {
            let lit = f64::from(u8::from(norms[j] > 0.0));
            triplets.iter().map(move |t| lit * coordinate(t, j)).chain([lit * constant])
        };
        Self { dimensions, places: (0..n).flat_map(place).collect() }
    }

    /// `y = z / z'u` with the mean u of all z.
    fn projected(triplets: &[Triplet], n: usize) -> Self {
        let sum = |t: &Triplet| (0..n).fold(0.0, |sum, j| sum + coordinate(t, j));
        let mean: Vec<f64> = triplets.iter().map(|t| sum(t) / n as f64).collect();
        let height = |j: usize| {
            triplets.iter().zip(&mean).fold(0.0, |sum, (t, u)| sum + coordinate(t, j) * u)
        };
        let heights: Vec<f64> = (0..n).map(height).collect();
        let limit = FLAT * heights.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
        let place = |j: usize| {
            let scale = if heights[j].abs() > limit { 1.0 / heights[j] } else { 0.0 };
            triplets.iter().map(move |t| coordinate(t, j) * scale)
        };
        Self { dimensions: triplets.len(), places: (0..n).flat_map(place).collect() }
    }

    fn place(&self, j: usize) -> &[f64] {
        &self.places[j * self.dimensions..(j + 1) * self.dimensions]
    }
}

/// `u_k'x_j`.
fn coordinate(triplet: &Triplet, j: usize) -> f64 {
    triplet.value * triplet.right[j]
}

/// Whether the ratio of signal to noise is below the authors' borderline; `share` is r/m.
fn is_noisy(power: f64, signal: f64, share: f64, rank: usize) -> bool {
    let noise = power - signal;
    if noise <= SILENT * power {
        return false;
    }
    let ratio = ((signal - share * power) / noise).max(SILENT);
    10.0 * ratio.log10() < 15.0 + 10.0 * (rank as f64).log10()
}

/// The span of what was chosen, as an orthonormal basis.
struct Taken {
    basis: Vec<Vec<f64>>,
    /// Nothing was chosen yet: the basis is the last unit vector.
    is_empty: bool,
}

impl Taken {
    fn new(dimensions: usize) -> Self {
        let last = (0..dimensions).map(|l| f64::from(u8::from(l + 1 == dimensions))).collect();
        // In one dimension nothing is orthogonal to it.
        let basis = if dimensions > 1 { vec![last] } else { Vec::new() };
        Self { basis, is_empty: true }
    }

    /// A random direction that is orthogonal to what was chosen.
    fn direction(&self, generator: &mut ChaCha8Rng) -> Vec<f64> {
        let dimensions = self.basis.first().map_or(1, Vec::len);
        let w = (0..dimensions).map(|_| StandardNormal.sample(generator)).collect();
        self.orthogonal(w)
    }

    /// The unit vector along the part of a vector that is orthogonal to the basis.
    fn orthogonal(&self, mut vector: Vec<f64>) -> Vec<f64> {
        for q in self.basis.iter().chain(&self.basis) {
            let share = dot(q, &vector);
            add_scaled(&mut vector, q, -share);
        }
        let norm = dot(&vector, &vector).sqrt();
        vector.iter_mut().for_each(|v| *v /= norm);
        vector
    }

    fn add(&mut self, place: &[f64]) {
        if self.is_empty {
            self.basis.clear();
            self.is_empty = false;
        }
        let direction = self.orthogonal(place.to_vec());
        self.basis.push(direction);
    }
}
