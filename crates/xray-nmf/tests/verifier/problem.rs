//! A problem is made from its number alone: family, rule, data, options, storage.

use xray_nmf::{Normalize, Params, Selection};

use crate::families::{Columns, FAMILIES, Family, fine, power};
use crate::support::Grid;
use crate::support::problems::Random;

/// One in so many problems has columns in several blocks, so that three ranks share them.
const WIDE_SHARE: f64 = 1.0 / 150.0;

/// One in so many of the others is also solved on three ranks.
const RANKS_SHARE: f64 = 0.25;

/// A matrix and what is asked of it.
#[derive(Debug, Clone)]
pub(crate) struct Problem {
    pub(crate) seed: u64,
    pub(crate) family: Family,
    pub(crate) x: Grid,
    pub(crate) held_out: Option<Grid>,
    pub(crate) params: Params,
    pub(crate) sparse: bool,
    pub(crate) on_ranks: bool,
}

impl Problem {
    pub(crate) fn new(seed: u64) -> Self {
        let n_families = FAMILIES.len() as u64;
        let family = FAMILIES[(seed % n_families) as usize];
        let rules = Selection::ALL;
        let selection = rules[(seed / n_families % rules.len() as u64) as usize];
        let mut random = Random(seed ^ 0x7e51_f1e5);
        // The first numbers of neighbouring seeds are related.
        random.next();
        let mut columns = family.problem(&mut random);
        let wide = random.chance(WIDE_SHARE);
        if wide {
            widen(&mut columns, &mut random);
        }
        let most = if wide { 3 } else { 8 };
        let plain = Params {
            selection,
            allow_negative: family.signed,
            seed: random.next(),
            ..Params::new(random.between(1, most))
        };
        let mut problem = Self {
            seed,
            family,
            x: Grid::from_columns(&columns),
            held_out: None,
            params: plain,
            sparse: random.chance(0.5),
            on_ranks: wide || random.chance(RANKS_SHARE),
        };
        if random.chance(0.5) {
            problem.add_options(&mut random);
        }
        problem
    }

    fn add_options(&mut self, random: &mut Random) {
        if self.x.m > 3 && random.chance(0.3) {
            self.hold_out_rows(random);
        }
        let (n, m) = (self.x.n, self.x.m);
        let params = &mut self.params;
        params.mean_ray = random.chance(0.4);
        params.normalize =
            [Normalize::None, Normalize::None, Normalize::L1, Normalize::L2][random.below(4)];
        params.tolerance = [1e-6, 1e-6, 1e-6, 1e-5, 1e-4, 0.05][random.below(6)];
        if random.chance(0.3) {
            params.row_weights = Some((0..m).map(|_| power(random, -1.0, 1.0)).collect());
        }
        if random.chance(0.15) {
            params.min_improvement = 0.2 * fine(random);
        }
        if self.held_out.is_some() && random.chance(0.4) {
            params.patience = Some(random.between(1, 3));
        }
        let mut order: Vec<usize> = (0..n).collect();
        random.shuffle(&mut order);
        if random.chance(0.3) {
            let listed =
                order.iter().copied().filter(|j| self.x.column(*j).iter().any(|v| *v != 0.0));
            params.fixed = listed.take(random.between(1, 3)).collect();
        }
        if random.chance(0.3) {
            let free = order.iter().copied().filter(|j| !params.fixed.contains(j));
            params.excluded = free.take(random.between(1, 5)).collect();
        }
        if random.chance(0.2) {
            let last = random.between(0, n - 1);
            params.candidates = Some(order[..=last].to_vec());
        }
    }

    fn hold_out_rows(&mut self, random: &mut Random) {
        let mut rows: Vec<usize> = (0..self.x.m).collect();
        random.shuffle(&mut rows);
        let (held, kept) = rows.split_at(random.between(1, self.x.m - 2));
        let all = self.x.clone();
        let part = |listed: &[usize]| {
            let picked = all.map_columns(|_, c| listed.iter().map(|&d| c[d]).collect());
            Grid { m: listed.len(), ..picked }
        };
        (self.x, self.held_out) = (part(kept), Some(part(held)));
    }

    /// What to type to see this problem again.
    pub(crate) fn reproduction(&self) -> String {
        format!(
            "seed {} ({}, {}): XRAY_VERIFY_SEED={} cargo test -p xray-nmf --test verifier random -- --nocapture",
            self.seed, self.family.name, self.params.selection, self.seed
        )
    }
}

/// More columns than a block has: multiples of the others, and sums of two.
fn widen(columns: &mut Columns, random: &mut Random) {
    let n = columns.len();
    for _ in n..random.between(520, 700) {
        let (a, b) = (random.below(n), random.below(n));
        let share = if random.chance(0.5) { 0.0 } else { fine(random) };
        let factor = 0.5 + fine(random);
        let sum = columns[a].iter().zip(&columns[b]).map(|(a, b)| factor * (a + share * b));
        columns.push(sum.collect());
    }
}
