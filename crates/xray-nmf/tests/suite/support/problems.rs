//! Random problems, from a seed. Every value is exact in f32, so that all storages hold the same X.

use super::Grid;

/// Steele, Lea and Flood's SplitMix64.
#[derive(Debug, Clone)]
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    /// A number from `low` to `high`.
    pub fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high - low + 1)
    }

    pub fn chance(&mut self, share: f64) -> bool {
        self.unit() < share
    }

    /// A multiple of 2^-16 in [0, 1).
    pub fn unit(&mut self) -> f64 {
        self.below(1 << 16) as f64 / 65536.0
    }

    pub fn shuffle<T>(&mut self, values: &mut [T]) {
        for q in (1..values.len()).rev() {
            values.swap(q, self.below(q + 1));
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Every entry uniform.
    Uniform,
    /// Small integers, mostly 0: many ties, duplicates and zero columns.
    Integers,
    /// All columns in the cone of a few.
    Planted,
    /// The same with a little nonnegative noise.
    Noisy,
    /// Few nonzeros in each column.
    Sparse,
    /// Uniform with negative entries.
    Signed,
}

impl Kind {
    pub const NONNEGATIVE: [Kind; 5] =
        [Kind::Uniform, Kind::Integers, Kind::Planted, Kind::Noisy, Kind::Sparse];
}

/// A matrix of the given kind and shape.
pub fn problem(kind: Kind, m: usize, n: usize, random: &mut Random) -> Grid {
    let columns: Vec<Vec<f64>> = match kind {
        Kind::Planted => planted(m, n, 0.0, random),
        Kind::Noisy => planted(m, n, 1.0 / 64.0, random),
        _ => (0..n).map(|_| (0..m).map(|_| entry(kind, random)).collect()).collect(),
    };
    Grid { m, n, values: columns.concat() }
}

fn entry(kind: Kind, random: &mut Random) -> f64 {
    match kind {
        Kind::Integers if random.chance(0.5) => 0.0,
        Kind::Integers => random.between(0, 3) as f64,
        Kind::Sparse if random.chance(0.85) => 0.0,
        Kind::Signed => random.unit() - 0.25,
        _ => random.unit(),
    }
}

/// Columns with entries in sixteenths, mixed by weights in eighths.
fn planted(m: usize, n: usize, noise: f64, random: &mut Random) -> Vec<Vec<f64>> {
    let r = random.between(1, m.min(n).min(6));
    let mut columns: Vec<Vec<f64>> =
        (0..r).map(|_| (0..m).map(|_| random.below(16) as f64 / 16.0).collect()).collect();
    for _ in r..n {
        let weights: Vec<f64> = (0..r).map(|_| random.below(8) as f64 / 8.0).collect();
        let mixed = |d: usize| (0..r).map(|k| weights[k] * columns[k][d]).sum::<f64>();
        columns.push((0..m).map(mixed).collect());
    }
    random.shuffle(&mut columns);
    columns.iter_mut().flatten().for_each(|v| *v += noise * random.unit());
    columns
}

/// Matrices that are empty in one way or another, with the number of their rays.
pub fn corners() -> Vec<(Grid, usize)> {
    vec![
        (Grid { m: 4, n: 6, values: vec![0.0; 24] }, 0),
        (Grid { m: 3, n: 1, values: vec![1.0, 2.0, 0.0] }, 1),
        (Grid { m: 3, n: 0, values: vec![] }, 0),
        (Grid { m: 0, n: 3, values: vec![] }, 0),
    ]
}
