//! The parameters of Hottopixx.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::error::Result;
use crate::rivals::require;
use crate::stop::StopRequest;

/// The numbers that C is made of and computed with; sums over many are `f64`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum Precision {
    /// 4 bytes.
    Single,
    /// 8 bytes.
    #[default]
    Double,
}

/// The parameters of [`hottopixx`](super::hottopixx), with their defaults.
///
/// | field | default | purpose | range |
/// |---|---|---|---|
/// | `rank` | required | number of anchors to find | any |
/// | `epochs` | 50 | passes over the rows of X | any |
/// | `primal_step` | 0.1 | first step size s of C | positive |
/// | `dual_step` | 0.01 | first step size s_d of the multiplier | positive |
/// | `decay` | 1 | factor of both step sizes from epoch to epoch | above 0, at most 1 |
/// | `cost` | 0.001 | the entries of p are random from 0 to this | not negative |
/// | `seed` | 0 | for p and the order of rows | any |
/// | `gap` | none | solve the program to this gap; see [`converged`](Self::converged) | above 0, below 1 |
/// | `largest_work` | 1e13 | refuse more multiply-adds than this, as predicted for all epochs | any |
/// | `splits` | 0 | tasks of an epoch; 0 for one for each 32 columns of C; no effect on the result | any |
/// | `precision` | `Double` | the numbers of C; always double with a `gap` | |
/// | `memory` | a quarter of RAM | bytes that C may take | any |
/// | `stop` | never made | a request to give the work up | |
#[derive(Debug, Clone)]
pub struct HottopixxParams {
    /// Number of anchors to find.
    pub rank: usize,
    /// Passes over the rows of X.
    pub epochs: usize,
    /// First step size of C.
    pub primal_step: f64,
    /// First step size of the multiplier.
    pub dual_step: f64,
    /// Factor of both step sizes from epoch to epoch.
    pub decay: f64,
    /// The largest entry of the tie-breaking cost p.
    pub cost: f64,
    /// Everything random follows from it.
    pub seed: u64,
    /// Solve the program until its objective is proven to be within this, relative to `sum |X|` of scaled
    /// columns (their number), of the optimum.
    pub gap: Option<f64>,
    /// The most multiply-adds, as predicted for all epochs.
    pub largest_work: f64,
    /// Tasks of an epoch; 0 for one for each 32 columns of C.
    pub splits: usize,
    /// The numbers of C.
    pub precision: Precision,
    /// Bytes that C may take; a quarter of the machine's memory if absent.
    pub memory: Option<usize>,
    /// The work is given up with [`Error::Stopped`](crate::Error::Stopped) soon after this is made.
    pub stop: StopRequest,
}

impl HottopixxParams {
    /// The defaults, for a given rank.
    pub fn new(rank: usize) -> Self {
        Self {
            rank,
            epochs: 50,
            primal_step: 0.1,
            dual_step: 0.01,
            decay: 1.0,
            cost: 0.001,
            seed: 0,
            gap: None,
            largest_work: 1e13,
            splits: 0,
            precision: Precision::Double,
            memory: None,
            stop: StopRequest::new(),
        }
    }

    /// Hottopixx at convergence: its linear program, solved to a proven gap of 1e-7.
    ///
    /// On exactly separable data, with as many anchors as extreme rays, this gives all of them. The
    /// incremental steps of the reference would need a step size, a decay and a cost made for each problem.
    /// So the program is solved by primal-dual steps with restarts instead, each of which costs about as
    /// much as an epoch; `epochs` is the most that may be taken, and the step sizes are found on the way.
    ///
    /// There is no cost p unless it is set: copies of a point need none to break their ties, as their
    /// `C_ii` are added up, and any cost hides extreme rays that are nearer to the hull of the others.
    pub fn converged(rank: usize) -> Self {
        Self { epochs: 100_000, cost: 0.0, gap: Some(1e-7), ..Self::new(rank) }
    }

    /// The tie-breaking cost p for a matrix with that many columns.
    pub fn costs(&self, n_columns: usize) -> Vec<f64> {
        self.random_costs(&mut ChaCha8Rng::seed_from_u64(self.seed), n_columns)
    }

    /// p, the first thing that is drawn.
    pub(super) fn random_costs(&self, generator: &mut ChaCha8Rng, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.cost * generator.random::<f64>()).collect()
    }

    pub(super) fn check(&self) -> Result<()> {
        let positive = |value: f64| value > 0.0 && value.is_finite();
        for (name, value) in [("primal_step", self.primal_step), ("dual_step", self.dual_step)] {
            require(positive(value), name, value, "give a positive number")?;
        }
        let holds = self.decay > 0.0 && self.decay <= 1.0;
        require(holds, "decay", self.decay, "give a number above 0 and at most 1")?;
        let gap = self.gap.unwrap_or(0.5);
        require(gap > 0.0 && gap < 1.0, "gap", gap, "give a number between 0 and 1")?;
        let holds = self.cost >= 0.0 && self.cost.is_finite();
        require(holds, "cost", self.cost, "give 0 or a positive number")
    }
}
