//! Dense near-separable data: `X = W [I, H'] + N`, columns shuffled.
//!
//! m = `n_rows`, n = `n_columns`, r = `rank`, delta = `noise`. Costs O(m n r).

use rand::seq::SliceRandom;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Gamma, StandardNormal};

use super::basis::{basis, combination};
use super::design::{Design, Noise};
use super::require;
use crate::error::Result;
use crate::matrix::DenseMatrix;

/// Noise has a stream of its own: one seed gives the same W and H at every noise level.
const NOISE_STREAM: u64 = 1;

/// A dense matrix, and where its anchors are.
#[derive(Debug, Clone)]
pub struct Planted {
    /// The data X.
    pub matrix: DenseMatrix<'static, f64>,
    /// `anchors[k]` is the column of X that holds column k of W.
    pub anchors: Vec<usize>,
}

impl Planted {
    /// The fraction of the true anchors among `found`: the measure of the paper's Figure 3.
    ///
    /// 1 if there are no anchors to find.
    pub fn recovery(&self, found: &[usize]) -> f64 {
        if self.anchors.is_empty() {
            return 1.0;
        }
        let hits = self.anchors.iter().filter(|anchor| found.contains(anchor)).count();
        hits as f64 / self.anchors.len() as f64
    }
}

/// The parameters of a dense data set; by default the paper's experiment without noise.
///
/// | field | default | purpose | range |
/// |---|---|---|---|
/// | `design` | `Dirichlet` | how W and H' are drawn | see [`Design`] |
/// | `n_rows` | 200 | m | at least `rank` (or the dimension of `RankDeficient`) |
/// | `n_columns` | 210 | n, anchors included | at least `rank`; m n at most 2^32 |
/// | `rank` | 20 | r, number of anchors | at least 1 |
/// | `noise` | 0 | the noise level delta | not negative |
/// | `noise_kind` | `Gaussian` | what the noise is | |
/// | `seed` | 0 | | any |
/// | `clip` | false | replace negative entries by 0 | |
/// | `shuffle` | true | permute columns; else the anchors are columns 0 to r - 1 | |
///
/// With `MiddlePoints`, `n_columns` is `rank + rank (rank - 1) / 2`, which the defaults fulfil.
/// Gaussian noise makes entries negative: clip them, or fit with `allow_negative` (the paper's
/// experiment keeps them, and clipping hurts recovery).
///
/// # Examples
/// ```
/// use xray_nmf::synth::Synthetic;
/// use xray_nmf::{Params, fit};
/// let data = Synthetic { noise: 0.1, seed: 7, ..Synthetic::default() }.generate()?;
/// let found = fit(&data.matrix, &Params { allow_negative: true, ..Params::new(20) })?;
/// assert!(data.recovery(&found.anchors()) > 0.9);
/// # Ok::<(), xray_nmf::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Synthetic {
    /// How W and H' are drawn.
    pub design: Design,
    /// Number of rows.
    pub n_rows: usize,
    /// Number of columns, anchors included.
    pub n_columns: usize,
    /// Number of anchors.
    pub rank: usize,
    /// The noise level delta.
    pub noise: f64,
    /// What the noise is.
    pub noise_kind: Noise,
    /// Everything random follows from it.
    pub seed: u64,
    /// Replace negative entries by 0.
    pub clip: bool,
    /// Permute the columns.
    pub shuffle: bool,
}

impl Default for Synthetic {
    fn default() -> Self {
        Self {
            design: Design::default(),
            n_rows: 200,
            n_columns: 210,
            rank: 20,
            noise: 0.0,
            noise_kind: Noise::default(),
            seed: 0,
            clip: false,
            shuffle: true,
        }
    }
}

impl Synthetic {
    /// Makes the data.
    ///
    /// # Errors
    /// If a parameter is outside its range, or so large a noise level or scale was asked for that
    /// entries are.
    pub fn generate(&self) -> Result<Planted> {
        self.check()?;
        let (m, n, r) = (self.n_rows, self.n_columns, self.rank);
        let mut random = ChaCha8Rng::seed_from_u64(self.seed);
        let mut noise = ChaCha8Rng::seed_from_u64(self.seed);
        noise.set_stream(NOISE_STREAM);
        let basis = basis(self.design, m, r, &mut random);
        let mean = combination(&basis, m, &vec![1.0 / r as f64; r]);
        let mixtures = self.mixtures(&mut random);
        let places = self.places(&mut random);
        let mut values = vec![0.0; m * n];
        for (k, &place) in places.iter().enumerate() {
            let mut x = match k.checked_sub(r) {
                None => basis[k * m..(k + 1) * m].to_vec(),
                Some(q) => combination(&basis, m, &mixtures[q]),
            };
            if k >= r && self.noise_kind == Noise::Outward {
                x.iter_mut().zip(&mean).for_each(|(x, w)| *x += self.noise * (*x - w));
            }
            let scale = self.scale(&mut random);
            x.iter_mut().for_each(|x| *x *= scale);
            self.disturb(&mut x, &mut noise);
            values[place * m..(place + 1) * m].copy_from_slice(&x);
        }
        let matrix = DenseMatrix::from_column_major(m, n, values)?;
        Ok(Planted { matrix, anchors: places[..r].to_vec() })
    }

    /// The columns of H'.
    fn mixtures(&self, random: &mut impl Rng) -> Vec<Vec<f64>> {
        let r = self.rank;
        if self.design.has_middle_points() {
            let pairs = (1..r).flat_map(|b| (0..b).map(move |a| (a, b)));
            let half = |on: bool| if on { 0.5 } else { 0.0 };
            let middle = |(a, b)| (0..r).map(|k| half(k == a || k == b)).collect();
            return pairs.map(middle).collect();
        }
        let parameters: Vec<f64> = (0..r).map(|_| random.random::<f64>()).collect();
        (r..self.n_columns).map(|_| dirichlet(&parameters, random)).collect()
    }

    /// Where each column goes: `places[k]` is the place of column k of `[W, W H']`.
    fn places(&self, random: &mut impl Rng) -> Vec<usize> {
        let mut places: Vec<usize> = (0..self.n_columns).collect();
        if self.shuffle {
            places.shuffle(random);
        }
        places
    }

    /// The factor of one column.
    fn scale(&self, random: &mut impl Rng) -> f64 {
        match self.design {
            Design::ScaledColumns { sigma } => {
                let z: f64 = StandardNormal.sample(random);
                (sigma * z).exp()
            }
            _ => 1.0,
        }
    }

    /// Adds Gaussian noise, and clips.
    fn disturb(&self, x: &mut [f64], noise: &mut impl Rng) {
        if self.noise_kind == Noise::Gaussian && self.noise > 0.0 {
            for value in x.iter_mut() {
                let z: f64 = StandardNormal.sample(noise);
                *value += self.noise * z;
            }
        }
        if self.clip {
            x.iter_mut().for_each(|value| *value = value.max(0.0));
        }
    }

    fn check(&self) -> Result<()> {
        let (m, n, r) = (self.n_rows, self.n_columns, self.rank);
        require(r >= 1, "rank", r, "give at least 1")?;
        require(r <= n, "rank", r, "give at most n_columns: every anchor is a column")?;
        let entries = m.checked_mul(n).is_some_and(|entries| entries <= 1 << 32);
        require(entries, "n_rows x n_columns", format!("{m} x {n}"), "give at most 2^32 entries")?;
        let delta = self.noise;
        require(delta >= 0.0 && delta.is_finite(), "noise", delta, "give 0 or a positive number")?;
        let (dimension, allowed) = match self.design {
            Design::RankDeficient { dimension } => {
                (dimension, "give at least the dimension of the rank-deficient design")
            }
            _ => (r, "give at least the rank, or use the rank-deficient design"),
        };
        require(m >= dimension, "n_rows", m, allowed)?;
        self.check_design()
    }

    fn check_design(&self) -> Result<()> {
        let (n, r) = (self.n_columns, self.rank);
        if self.design.has_middle_points() {
            let allowed = "middle points need n_columns = rank + rank (rank - 1) / 2";
            require(n - r == r * (r - 1) / 2, "n_columns", n, allowed)?;
        }
        match self.design {
            Design::IllConditioned { condition }
            | Design::IllConditionedMiddlePoints { condition } => {
                let holds = (1.0..=1e12).contains(&condition);
                require(holds, "condition", condition, "give a number from 1 to 1e12")
            }
            Design::ScaledColumns { sigma } => {
                let holds = (0.0..=10.0).contains(&sigma);
                require(holds, "sigma", sigma, "give a number from 0 to 10")
            }
            Design::RankDeficient { dimension } => {
                let holds = (3..r).contains(&dimension);
                require(holds, "dimension", dimension, "give at least 3 and less than the rank")
            }
            Design::Dirichlet | Design::MiddlePoints => Ok(()),
        }
    }
}

/// A draw from the Dirichlet distribution: independent Gamma draws over their sum.
fn dirichlet(parameters: &[f64], random: &mut impl Rng) -> Vec<f64> {
    let mut draw = |shape: f64| match Gamma::new(shape, 1.0) {
        Ok(gamma) => gamma.sample(random),
        // The limit of shape 0, which a uniform draw can return.
        Err(_) => 0.0,
    };
    let mut weights: Vec<f64> = parameters.iter().map(|&shape| draw(shape)).collect();
    let sum = weights.iter().sum::<f64>();
    if sum < f64::MIN_POSITIVE {
        // All draws underflowed: the distribution sits on its corners.
        let corner = random.random_range(0..weights.len());
        weights.fill(0.0);
        weights[corner] = 1.0;
        return weights;
    }
    weights.iter_mut().for_each(|weight| *weight /= sum);
    weights
}
