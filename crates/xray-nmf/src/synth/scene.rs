//! Hyperspectral scenes with known endmembers and abundances.
//!
//! Materials have drawn spectra: a smooth continuum, sometimes with an edge as vegetation has it, times a few absorptions. How
//! much of each is where follows from smooth random fields. Light, variability of the materials, noise and faults of the sensor
//! are added as asked for. Spectra are drawn, not measured: what is found here need not hold for minerals.
//!
//! Lines are made one by one, each from the seed and its number, so scenes larger than memory can be written.

mod fields;
mod spectra;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use super::require;
use crate::error::Result;
use fields::{smooth_field, standardized};

/// Cosines over the bands that materials vary by.
const MODES: usize = 8;
/// Spectra that outliers are made of.
const STRANGERS: usize = 20;
/// How much brighter than the others' noise a bad band's is.
const BAD: f64 = 10.0;

/// What a scene is to be like.
///
/// # Examples
/// ```
/// use xray_nmf::synth::Scene;
/// let scene = Scene { rows: 8, columns: 9, bands: 20, rank: 3, ..Scene::default() }.draw()?;
/// let mut line = Vec::new();
/// scene.line(7, &mut line);
/// assert_eq!(line.len(), 9 * 20);
/// assert!((scene.abundances(0).iter().sum::<f64>() - 1.0).abs() < 1e-12);
/// # Ok::<(), xray_nmf::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Scene {
    /// Lines.
    pub rows: usize,
    /// Pixels of a line.
    pub columns: usize,
    /// Bands.
    pub bands: usize,
    /// Materials.
    pub rank: usize,
    /// Signal to noise, in decibels.
    pub snr: f64,
    /// The largest abundance of any material in a pixel.
    pub purity: f64,
    /// Whether light is uneven.
    pub shade: bool,
    /// Whether the first material is dark, as water is.
    pub dark: bool,
    /// How much the spectrum of a material varies over the scene.
    pub variability: f64,
    /// Bands with ten times the noise.
    pub bad: usize,
    /// Bands without light.
    pub dead: usize,
    /// The share of pixels that are something else.
    pub outliers: f64,
    /// The last material is only in a patch of so many pixels squared.
    pub patch: Option<usize>,
    /// How much of the product of two spectra is in their mixtures.
    pub bilinear: f64,
    /// Whether noise is greatest in the middle bands.
    pub coloured: bool,
    /// Everything random follows from it.
    pub seed: u64,
}

impl Default for Scene {
    fn default() -> Self {
        Self {
            rows: 64,
            columns: 64,
            bands: 150,
            rank: 5,
            snr: 30.0,
            purity: 1.0,
            shade: false,
            dark: false,
            variability: 0.0,
            bad: 0,
            dead: 0,
            outliers: 0.0,
            patch: None,
            bilinear: 0.0,
            coloured: false,
            seed: 0,
        }
    }
}

/// A scene that was drawn.
#[derive(Debug, Clone)]
pub struct DrawnScene {
    scene: Scene,
    /// The spectrum of each material.
    spectra: Vec<Vec<f64>>,
    /// Abundances, r numbers for each pixel.
    abundances: Vec<f64>,
    /// The light of each pixel, if it is uneven.
    light: Option<Vec<f64>>,
    /// For each material the modes' fields, one after the other, if it varies.
    variation: Vec<Vec<f64>>,
    /// The deviation of each band's noise, and none for dead bands.
    noise: Vec<Option<f64>>,
    strangers: Vec<Vec<f64>>,
}

/// The sixteen scenes that the recipe was judged by, by name.
pub fn scene_designs() -> Vec<(&'static str, Scene)> {
    let base = Scene::default;
    vec![
        ("base", base()),
        ("snr 20", Scene { snr: 20.0, ..base() }),
        ("snr 50, r = 8", Scene { rank: 8, snr: 50.0, ..base() }),
        ("r = 10", Scene { rank: 10, snr: 40.0, ..base() }),
        ("dark, r = 3", Scene { rank: 3, dark: true, shade: true, variability: 0.05, ..base() }),
        (
            "dark, r = 4",
            Scene { rank: 4, dark: true, shade: true, variability: 0.1, snr: 35.0, ..base() },
        ),
        ("purity .8", Scene { purity: 0.8, snr: 35.0, ..base() }),
        ("purity .9, shade", Scene { rank: 6, purity: 0.9, shade: true, ..base() }),
        ("bad bands", Scene { bad: 10, dead: 3, ..base() }),
        ("outliers", Scene { outliers: 0.005, ..base() }),
        ("small patch", Scene { patch: Some(5), ..base() }),
        ("variability", Scene { rank: 6, variability: 0.1, snr: 40.0, ..base() }),
        ("coloured noise", Scene { coloured: true, snr: 25.0, ..base() }),
        ("bilinear", Scene { bilinear: 0.3, snr: 40.0, ..base() }),
        ("shade", Scene { shade: true, ..base() }),
        (
            "all at once",
            Scene {
                rank: 6,
                snr: 25.0,
                purity: 0.95,
                outliers: 0.002,
                shade: true,
                bad: 4,
                dead: 2,
                variability: 0.05,
                dark: true,
                ..base()
            },
        ),
    ]
}

impl Scene {
    /// Draws what all lines have in common.
    ///
    /// # Errors
    /// If a parameter is outside its range.
    pub fn draw(&self) -> Result<DrawnScene> {
        self.check()?;
        let mut random = ChaCha8Rng::seed_from_u64(self.seed);
        let spectra = spectra::distinct(self.bands, self.rank, self.dark, &mut random);
        let abundances = self.draw_abundances(&mut random);
        let size = (self.rows, self.columns);
        let variation = if self.variability > 0.0 {
            let draw = |_| {
                standardized(
                    (0..MODES).flat_map(|_| smooth_field(size, 2.0, &mut random)).collect(),
                )
            };
            (0..self.rank).map(draw).collect()
        } else {
            Vec::new()
        };
        let light = self.shade.then(|| {
            let field = smooth_field(size, 2.0, &mut random);
            field.iter().map(|v| (0.65 + 2.1 * v).clamp(0.15, 1.15)).collect()
        });
        let noise = vec![Some(0.0); self.bands];
        let strangers =
            (0..STRANGERS).map(|_| spectra::spectrum(self.bands, false, &mut random)).collect();
        let scene = self.clone();
        let mut drawn =
            DrawnScene { scene, spectra, abundances, light, variation, noise, strangers };
        drawn.draw_noise(&mut random);
        Ok(drawn)
    }

    fn draw_abundances(&self, random: &mut ChaCha8Rng) -> Vec<f64> {
        let (r, n) = (self.rank, self.rows * self.columns);
        let fields: Vec<Vec<f64>> = (0..r)
            .map(|_| standardized(smooth_field((self.rows, self.columns), 3.0, random)))
            .collect();
        let mut abundances = Vec::with_capacity(n * r);
        for j in 0..n {
            let start = abundances.len();
            abundances.extend(fields.iter().map(|field| (3.0 * field[j]).exp()));
            let own = &mut abundances[start..];
            if let Some(side) = self.patch {
                let first = self.rows / 3;
                let within = |place: usize| (first..first + side).contains(&place);
                let inside = within(j / self.columns) && within(j % self.columns);
                let others: f64 = own[..r - 1].iter().sum();
                own[r - 1] = if inside { 1e6 * others } else { 1e-3 * own[r - 1] };
            }
            let sum: f64 = own.iter().sum();
            own.iter_mut().for_each(|v| *v /= sum);
            let most = own.iter().copied().fold(0.0, f64::max);
            let even = 1.0 / r as f64;
            if most > self.purity {
                let towards = (self.purity - even) / (most - even);
                own.iter_mut().for_each(|v| *v = even + (*v - even) * towards);
            }
        }
        abundances
    }

    fn check(&self) -> Result<()> {
        let sizes = [self.rows, self.columns, self.bands, self.rank];
        let n = sizes[..2].iter().try_fold(1usize, |n, &k| n.checked_mul(k));
        require(
            sizes.iter().all(|&size| size > 0),
            "rows, columns, bands and rank",
            format!("{sizes:?}"),
            "give at least 1 of each",
        )?;
        require(
            n.is_some_and(|n| n <= 1 << 31),
            "rows x columns",
            format!("{sizes:?}"),
            "give at most 2^31 pixels",
        )?;
        require(self.rank <= 64, "rank", self.rank, "give at most 64 materials")?;
        require(self.bands >= 10, "bands", self.bands, "give at least 10: spectra must differ")?;
        require(
            self.bad + self.dead < self.bands,
            "bad and dead bands",
            self.bad + self.dead,
            "some bands must be good",
        )?;
        let share = self.purity > 1.0 / self.rank as f64 && self.purity <= 1.0 || self.rank == 1;
        require(share, "purity", self.purity, "give a share above 1 / rank, at most 1")?;
        let positive = [self.snr, self.variability, self.outliers, self.bilinear];
        require(positive.iter().all(|v| v.is_finite()), "snr", self.snr, "give finite numbers")
    }
}

impl DrawnScene {
    /// What was asked for.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// The spectrum of each material.
    pub fn spectra(&self) -> &[Vec<f64>] {
        &self.spectra
    }

    /// The abundances in a pixel, counted line after line.
    pub fn abundances(&self, j: usize) -> &[f64] {
        let r = self.scene.rank;
        &self.abundances[j * r..(j + 1) * r]
    }

    /// The whole scene, pixel after pixel, each with all its bands.
    pub fn pixels(&self) -> Vec<f64> {
        let mut all = Vec::new();
        let mut line = Vec::new();
        for row in 0..self.scene.rows {
            self.line(row, &mut line);
            all.extend_from_slice(&line);
        }
        all
    }

    /// One line in place of what is there: pixel after pixel, each with all its bands.
    pub fn line(&self, row: usize, line: &mut Vec<f64>) {
        let Scene { columns, bands, outliers, seed, .. } = self.scene;
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(1 + row as u64);
        line.clear();
        line.resize(columns * bands, 0.0);
        for (column, pixel) in line.chunks_exact_mut(bands).enumerate() {
            self.signal(row * columns + column, pixel);
            for (value, noise) in pixel.iter_mut().zip(&self.noise) {
                let drawn: f64 = StandardNormal.sample(&mut random);
                *value = noise.map_or(0.0, |noise| *value + noise * drawn);
            }
            if random.random::<f64>() < outliers {
                self.make_strange(pixel, &mut random);
            }
            pixel.iter_mut().for_each(|v| *v = v.max(0.0));
        }
    }

    /// What a pixel would be without noise.
    fn signal(&self, j: usize, pixel: &mut [f64]) {
        let Scene { bilinear, variability, rank, rows, columns, bands, .. } = self.scene;
        let weights = self.abundances(j);
        pixel.fill(0.0);
        for (k, spectrum) in self.spectra.iter().enumerate() {
            for (b, value) in pixel.iter_mut().enumerate() {
                let varied = self.variation.get(k).map_or(0.0, |fields| {
                    let mode = |q: usize| {
                        (std::f64::consts::PI * (q * b) as f64 / (bands - 1) as f64).cos()
                    };
                    let part = |q: usize| mode(q) * fields[q * rows * columns + j];
                    variability * (0..MODES).map(part).sum::<f64>() / (MODES as f64).sqrt()
                });
                *value += weights[k] * spectrum[b] * (1.0 + varied);
            }
        }
        if bilinear > 0.0 {
            for (k, l) in (0..rank).flat_map(|k| (0..k).map(move |l| (k, l))) {
                let share = bilinear * weights[k] * weights[l];
                for (b, value) in pixel.iter_mut().enumerate() {
                    *value += share * self.spectra[k][b] * self.spectra[l][b];
                }
            }
        }
        if let Some(light) = &self.light {
            pixel.iter_mut().for_each(|v| *v *= light[j]);
        }
    }

    /// Decides the noise of each band by the power of some pixels.
    fn draw_noise(&mut self, random: &mut ChaCha8Rng) {
        let Scene { rows, columns, bands, snr, bad, dead, coloured, .. } = self.scene;
        let n = rows * columns;
        let mut pixel = vec![0.0; bands];
        let (mut power, mut count) = (0.0, 0);
        for j in (0..n).step_by((n / 4096).max(1)) {
            self.signal(j, &mut pixel);
            power += pixel.iter().map(|v| v * v).sum::<f64>() / bands as f64;
            count += 1;
        }
        let usual = (power / f64::from(count) / 10f64.powf(snr / 10.0)).sqrt();
        let mut shape = vec![1.0; bands];
        if coloured {
            let x = |b: usize| 2.0 * b as f64 / (bands - 1) as f64 - 1.0;
            shape = (0..bands).map(|b| (-x(b) * x(b) / 0.18).exp() + 0.05).collect();
            let mean = (shape.iter().map(|s| s * s).sum::<f64>() / bands as f64).sqrt();
            shape.iter_mut().for_each(|s| *s /= mean);
        }
        self.noise = shape.iter().map(|s| Some(usual * s)).collect();
        let chosen = rand::seq::index::sample(random, bands, bad + dead).into_vec();
        for (k, band) in chosen.into_iter().enumerate() {
            let own = usual * shape[band];
            self.noise[band] = (k < bad).then(|| (own * own + (BAD * usual).powi(2)).sqrt());
        }
    }

    /// Half of a pixel becomes something else; a quarter of such pixels get a spike, too.
    fn make_strange(&self, pixel: &mut [f64], random: &mut ChaCha8Rng) {
        let stranger = &self.strangers[random.random_range(0..STRANGERS)];
        let bright = random.random_range(0.1..0.5);
        pixel.iter_mut().zip(stranger).for_each(|(v, s)| *v = 0.5 * *v + bright * s);
        if random.random::<f64>() < 0.25 {
            let band = random.random_range(0..pixel.len());
            pixel[band] += 2.0;
        }
    }
}
