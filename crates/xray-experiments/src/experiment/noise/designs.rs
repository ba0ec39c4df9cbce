//! Matrices with known anchors under noise of many kinds. Columns are not shuffled: the first `copies * r` are anchors, column k of
//! anchor `k % r`.

use rand::seq::index::sample;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Gamma, Pareto, Poisson, StandardNormal};
use xray_nmf::synth::with_log_spaced_spectrum;
use xray_nmf::{DenseMatrix, Result};

/// Columns of outliers, where there are any.
const OUTLIERS: usize = 10;

/// A way to draw data, and the levels of noise that it is looked at with.
pub(super) struct Design {
    pub name: &'static str,
    pub levels: &'static [f64],
    draw: fn(&mut ChaCha8Rng) -> Drawn,
}

/// Data without noise (m rows, column after column), and what noise of level 1 adds.
struct Drawn {
    m: usize,
    clean: Vec<f64>,
    noise: Noise,
    rank: usize,
    copies: usize,
}

enum Noise {
    Added(Vec<f64>),
    /// Counts with the clean entries, times the level, as means.
    Counts,
}

/// Data with noise.
pub(super) struct Noisy {
    pub matrix: DenseMatrix<'static, f64>,
    pub rank: usize,
    copies: usize,
}

impl Noisy {
    /// The share of anchors that were found.
    pub(super) fn recovery(&self, anchors: &[usize]) -> f64 {
        let mut found: Vec<usize> = anchors.iter().filter_map(|&j| self.anchor(j)).collect();
        found.sort_unstable();
        found.dedup();
        found.len() as f64 / self.rank as f64
    }

    /// Whether each of the columns is an anchor that was not there before.
    pub(super) fn are_right(&self, anchors: &[usize]) -> Vec<bool> {
        let mut seen = vec![false; self.rank];
        let is_new =
            |&j: &usize| self.anchor(j).is_some_and(|k| !std::mem::replace(&mut seen[k], true));
        anchors.iter().map(is_new).collect()
    }

    fn anchor(&self, j: usize) -> Option<usize> {
        (j < self.copies * self.rank).then_some(j % self.rank)
    }
}

pub(super) static DESIGNS: [Design; 15] = [
    Design {
        name: "paper",
        levels: &[0.3, 0.4, 0.5, 0.6, 0.8, 1.0],
        draw: |random| paper(random, 200, 20, 210),
    },
    Design {
        name: "Dirichlet, each anchor twice",
        levels: &[0.3, 0.4, 0.5, 0.6],
        draw: |random| twice(random, None),
    },
    Design {
        name: "middle points",
        levels: &[0.3, 0.4, 0.5],
        draw: |random| middle(random, None, 0.0),
    },
    Design {
        name: "middle points + Gaussian .1",
        levels: &[0.3, 0.4, 0.5],
        draw: |random| middle(random, None, 0.1),
    },
    Design {
        name: "condition 1e3, Dirichlet",
        levels: &[0.003, 0.01, 0.03],
        draw: |random| twice(random, Some(1e3)),
    },
    Design {
        name: "condition 1e3, middle points",
        levels: &[0.1, 0.3, 0.5],
        draw: |random| middle(random, Some(1e3), 0.0),
    },
    Design {
        name: "the same + Gaussian .001",
        levels: &[0.1, 0.3, 0.5],
        draw: |random| middle(random, Some(1e3), 1e-3),
    },
    Design { name: "log-normal column scales", levels: &[0.0, 0.05, 0.1, 0.2], draw: scaled },
    Design { name: "m = 10 < r = 20", levels: &[0.0, 0.03, 0.1], draw: few_rows },
    Design {
        name: "n = 1000, r = 10",
        levels: &[0.2, 0.3, 0.4, 0.5],
        draw: |random| paper(random, 200, 10, 1000),
    },
    Design {
        name: "40 x 800, r = 6",
        levels: &[0.1, 0.2, 0.3, 0.4],
        draw: |random| paper(random, 40, 6, 800),
    },
    Design { name: "Poisson counts", levels: &[1.0, 4.0, 16.0], draw: counts },
    Design {
        name: "10 dense outliers",
        levels: &[0.0, 0.1, 0.2, 0.3],
        draw: |random| outliers(random, uniform),
    },
    Design { name: "10 spiked outliers", levels: &[0.0, 0.1, 0.2, 0.3], draw: spiked },
    Design {
        name: "10 bright outliers",
        levels: &[0.0, 0.1, 0.2, 0.3],
        draw: |random| {
            outliers(random, |m, random| uniform(m, random).iter().map(|v| 3.0 * v).collect())
        },
    },
];

impl Design {
    /// The data of a seed at every level; the same noise, more or less of it.
    pub(super) fn data(&self, seed: u64) -> Result<Vec<Noisy>> {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let Drawn { m, clean, noise, rank, copies } = (self.draw)(&mut random);
        let n = clean.len() / m;
        let mut noisy = |level: f64| -> Result<Noisy> {
            let values: Vec<f64> = match &noise {
                Noise::Added(noise) => {
                    clean.iter().zip(noise).map(|(v, e)| v + level * e).collect()
                }
                Noise::Counts => clean.iter().map(|v| count(v * level, &mut random)).collect(),
            };
            Ok(Noisy { matrix: DenseMatrix::from_column_major(m, n, values)?, rank, copies })
        };
        self.levels.iter().map(|&level| noisy(level)).collect()
    }
}

/// A matrix W of condition `condition` (uniform entries if none), its Dirichlet mixtures, and unit noise: for noise relative to the
/// singular values of W.
pub(super) fn conditioned(
    seed: u64,
    condition: Option<f64>,
    level: f64,
) -> Result<(Noisy, Vec<f64>)> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let (m, r) = (200, 20);
    let w = basis(&mut random, m, r, condition);
    let singular = xray_nmf::synth::singular_values(w.clone(), m);
    let drawn = twice_of(&mut random, w, m, r);
    let Noise::Added(noise) = &drawn.noise else { unreachable!("it is added") };
    let values: Vec<f64> = drawn.clean.iter().zip(noise).map(|(v, e)| v + level * e).collect();
    let n = values.len() / m;
    Ok((
        Noisy { matrix: DenseMatrix::from_column_major(m, n, values)?, rank: r, copies: 2 },
        singular,
    ))
}

fn uniform(n: usize, random: &mut impl Rng) -> Vec<f64> {
    (0..n).map(|_| random.random::<f64>()).collect()
}

fn gaussian(n: usize, random: &mut impl Rng) -> Vec<f64> {
    (0..n).map(|_| StandardNormal.sample(random)).collect()
}

fn count(mean: f64, random: &mut impl Rng) -> f64 {
    Poisson::new(mean).map_or(0.0, |poisson| poisson.sample(random))
}

/// W, with singular values from 1 down to 1 / condition if that is given.
fn basis(random: &mut impl Rng, m: usize, r: usize, condition: Option<f64>) -> Vec<f64> {
    let w = uniform(m * r, random);
    condition
        .map_or_else(|| w.clone(), |condition| with_log_spaced_spectrum(w.clone(), m, condition))
}

fn dirichlet(parameters: &[f64], random: &mut impl Rng) -> Vec<f64> {
    let drawn: Vec<f64> = parameters
        .iter()
        .map(|&shape| Gamma::new(shape.max(1e-6), 1.0).map_or(0.0, |gamma| gamma.sample(random)))
        .collect();
    let sum: f64 = drawn.iter().sum();
    drawn.iter().map(|v| if sum > 0.0 { v / sum } else { 1.0 / parameters.len() as f64 }).collect()
}

/// `W h`.
fn mixed(w: &[f64], m: usize, h: &[f64]) -> Vec<f64> {
    let mut sum = vec![0.0; m];
    for (column, &h) in w.chunks_exact(m).zip(h) {
        sum.iter_mut().zip(column).for_each(|(sum, v)| *sum += h * v);
    }
    sum
}

fn paper(random: &mut ChaCha8Rng, m: usize, r: usize, n: usize) -> Drawn {
    let w = uniform(m * r, random);
    let parameters = uniform(r, random);
    let mut clean = w.clone();
    (r..n).for_each(|_| clean.extend(mixed(&w, m, &dirichlet(&parameters, random))));
    let noise = Noise::Added(gaussian(m * n, random));
    Drawn { m, clean, noise, rank: r, copies: 1 }
}

fn twice(random: &mut ChaCha8Rng, condition: Option<f64>) -> Drawn {
    let (m, r) = (200, 20);
    let w = basis(random, m, r, condition);
    twice_of(random, w, m, r)
}

/// Every anchor twice, and 200 mixtures.
fn twice_of(random: &mut ChaCha8Rng, w: Vec<f64>, m: usize, r: usize) -> Drawn {
    let parameters = uniform(r, random);
    let mut clean = [w.clone(), w.clone()].concat();
    (0..200).for_each(|_| clean.extend(mixed(&w, m, &dirichlet(&parameters, random))));
    let noise = Noise::Added(gaussian(clean.len(), random));
    Drawn { m, clean, noise, rank: r, copies: 2 }
}

/// Anchors and the middles of all pairs, which noise moves away from the mean of the anchors; and some Gaussian noise.
fn middle(random: &mut ChaCha8Rng, condition: Option<f64>, more: f64) -> Drawn {
    let (m, r) = (200, 20);
    let w = basis(random, m, r, condition);
    let mean = mixed(&w, m, &vec![1.0 / r as f64; r]);
    let mut clean = w.clone();
    let mut noise = vec![0.0; m * r];
    for (a, b) in (0..r).flat_map(|a| (a + 1..r).map(move |b| (a, b))) {
        let half = |k: usize| if k == a || k == b { 0.5 } else { 0.0 };
        let point = mixed(&w, m, &(0..r).map(half).collect::<Vec<f64>>());
        noise.extend(point.iter().zip(&mean).map(|(v, mean)| v - mean));
        clean.extend(point);
    }
    clean.iter_mut().zip(gaussian(noise.len(), random)).for_each(|(v, e)| *v += more * e);
    Drawn { m, clean, noise: Noise::Added(noise), rank: r, copies: 1 }
}

fn scaled(random: &mut ChaCha8Rng) -> Drawn {
    let mut drawn = paper(random, 200, 20, 210);
    for column in drawn.clean.chunks_exact_mut(drawn.m) {
        let drawn: f64 = StandardNormal.sample(random);
        column.iter_mut().for_each(|v| *v *= drawn.exp());
    }
    drawn
}

fn few_rows(random: &mut ChaCha8Rng) -> Drawn {
    let (m, r, n) = (10, 20, 210);
    let mut w = uniform(m * r, random);
    for column in w.chunks_exact_mut(m) {
        let norm = column.iter().map(|v| v * v).sum::<f64>().sqrt();
        column.iter_mut().for_each(|v| *v /= norm);
    }
    let mut clean = w.clone();
    (r..n).for_each(|_| clean.extend(mixed(&w, m, &dirichlet(&vec![1.0; r], random))));
    Drawn { m, noise: Noise::Added(gaussian(clean.len(), random)), clean, rank: r, copies: 1 }
}

/// Some columns that are no mixtures take another's place.
fn outliers(random: &mut ChaCha8Rng, column: impl Fn(usize, &mut ChaCha8Rng) -> Vec<f64>) -> Drawn {
    let mut drawn = paper(random, 200, 20, 210);
    for place in sample(random, 190, OUTLIERS) {
        let start = (20 + place) * drawn.m;
        let other = column(drawn.m, random);
        drawn.clean[start..start + drawn.m].copy_from_slice(&other);
    }
    drawn
}

/// Some columns have four entries that are far too large.
fn spiked(random: &mut ChaCha8Rng) -> Drawn {
    let mut drawn = paper(random, 200, 20, 210);
    for place in sample(random, 190, OUTLIERS) {
        for row in sample(random, drawn.m, 4) {
            drawn.clean[(20 + place) * drawn.m + row] += 5.0;
        }
    }
    drawn
}

/// Documents x words: two anchor words for each topic, word frequencies that fall off like a power.
fn counts(random: &mut ChaCha8Rng) -> Drawn {
    let (m, r, n) = (400, 10, 400);
    let documents: Vec<Vec<f64>> = (0..m).map(|_| dirichlet(&vec![0.3; r], random)).collect();
    let mut clean = Vec::with_capacity(m * n);
    for j in 0..n {
        let mut topics = vec![0.0; r];
        let frequency = if j < 2 * r {
            topics[j % r] = 1.0;
            random.random_range(0.5..2.0)
        } else {
            let gamma =
                |random: &mut ChaCha8Rng| Gamma::new(0.3, 1.0).map_or(0.0, |g| g.sample(random));
            topics.iter_mut().for_each(|v| *v = gamma(random));
            let most = topics.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
            topics.iter_mut().for_each(|v| *v /= most);
            // Lomax: what NumPy calls Pareto.
            Pareto::new(1.0, 1.5).map_or(1.0, |pareto| pareto.sample(random)) - 1.0 + 0.1
        };
        let mean = |document: &Vec<f64>| {
            document.iter().zip(&topics).map(|(t, b)| t * b).sum::<f64>() * frequency
        };
        clean.extend(documents.iter().map(mean));
    }
    Drawn { m, clean, noise: Noise::Counts, rank: r, copies: 2 }
}
