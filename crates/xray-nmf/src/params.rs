//! What to find and how: the parameters of a fit.

use crate::choices;
use crate::error::{Result, require};
use crate::select::Selection;

choices! {
    /// How the scores of `dist`, `greedy`, `agg` and `joint` are kept; both give the same anchors.
    #[derive(Default)]
    pub enum Engine ("engine") {
        #[default]
        Lazy = "lazy": "certified upper bounds: only columns that might win are scored",
        Direct = "direct": "the paper's: every column is scored in every step",
    }
}

choices! {
    /// How columns are projected onto the cone.
    #[derive(Default)]
    pub enum Solver ("solver") {
        #[default]
        ActiveSet = "active-set": "exact, by a warm-started active-set method",
        CoordinateDescent = "coordinate-descent" | "cd": "the paper's Algorithm 2",
    }
}

choices! {
    /// Scaling of the columns before anchors are chosen (the paper's Table 1 compares them).
    ///
    /// Weights and residuals always refer to the columns as given.
    #[derive(Default)]
    pub enum Normalize ("normalize") {
        #[default]
        None = "none": "columns as they are; what the method is made for",
        L1 = "l1": "each column divided by its sum of magnitudes",
        L2 = "l2": "each column divided by its Euclidean norm",
    }
}

/// When coordinate descent ends; only [`Solver::CoordinateDescent`] looks at it.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Descent {
    /// A column is done when a cycle lowers its objective by less than this times `||X_i||^2`.
    pub tolerance: f64,
    /// The most cycles for each column and step.
    pub max_cycles: usize,
}

impl Default for Descent {
    /// A tolerance of 1e-10 and at most 200 cycles.
    fn default() -> Self {
        Self { tolerance: 1e-10, max_cycles: 200 }
    }
}

/// The parameters of a fit, with their defaults.
///
/// | field | default | purpose | range |
/// |---|---|---|---|
/// | `rank` | required | number of anchors to find | any |
/// | `selection` | `Max` | rule for the next anchor | |
/// | `engine` | `Lazy` | certified bounds, or every score every step | |
/// | `solver` | `ActiveSet` | projection method | |
/// | `descent` | 1e-10, 200 | when coordinate descent ends | tolerance >= 0, cycles > 0 |
/// | `normalize` | `None` | scale columns before choosing anchors | |
/// | `mean_ray` | false | start the cone with the mean column, never return it | |
/// | `allow_negative` | false | keep negative entries instead of refusing them; but for `greedy`, columns with `p'X_j` below a thousandth of `p'\|X_j\|` are not chosen | |
/// | `tolerance` | 1e-6 | exterior means `\|\|R_i\|\| > tolerance \|\|X_i\|\|` | 1e-6 to below 1 |
/// | `min_improvement` | 0 | stop when an anchor lowers the relative residual by less | 0 to below 1 |
/// | `patience` | none | stop when held-out error has not improved for so many anchors | > 0 |
/// | `row_weights` | ones | the vector p of the rules | 1e-70 to 1e70, one for each row |
/// | `fixed` | none | columns taken as the first anchors | distinct, not zero |
/// | `excluded` | none | columns never chosen | |
/// | `candidates` | all | the only columns that may be chosen | |
/// | `seed` | 0 | for `rand` | any |
/// | `robust` | false | seek anchors above the noise; then the rule is `dist` with a mean ray, whatever is said | |
/// | `outliers` | 0 | with `robust`: the share of columns that may be something else; anchors that explain only themselves are dropped | 0 to below 1 |
///
/// All of them matter for the answer: what does not is said to [`Fit`](crate::Fit::memory) and
/// [`with_threads`](crate::with_threads).
///
/// With the feature `serde`, any part of the fields can be read from JSON; unknown ones are refused by name.
/// `row_weights` are not written: p is as long as X.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Params {
    /// Number of anchors to find.
    pub rank: usize,
    /// Rule for the next anchor.
    pub selection: Selection,
    /// How scores are kept.
    pub engine: Engine,
    /// How columns are projected.
    pub solver: Solver,
    /// When coordinate descent ends, if that is the solver.
    pub descent: Descent,
    /// Scaling of the columns before anchors are chosen.
    pub normalize: Normalize,
    /// Start the cone with the mean column (never returned): more robust to noise.
    pub mean_ray: bool,
    /// Keep negative entries instead of refusing them.
    pub allow_negative: bool,
    /// A column is exterior if its residual exceeds this times its norm.
    pub tolerance: f64,
    /// Stop when an anchor lowers `||R|| / ||X||` by less than this; that anchor is not kept.
    pub min_improvement: f64,
    /// With held-out rows: stop after so many anchors without a lower held-out error.
    pub patience: Option<usize>,
    /// The positive vector p; ones if absent.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub row_weights: Option<Vec<f64>>,
    /// Columns taken as the first anchors, in this order.
    pub fixed: Vec<usize>,
    /// Columns never chosen (still projected).
    pub excluded: Vec<usize>,
    /// The only columns that may be chosen, if given.
    pub candidates: Option<Vec<usize>>,
    /// Seed of `rand`.
    pub seed: u64,
    /// Seek anchors above the noise, see [`Gate`](crate::Gate). The rule and the mean ray are decided by it.
    pub robust: bool,
    /// With `robust`: the share of columns that may be something else. So many anchors more are sought, and those that only
    /// explain themselves are dropped; without outliers that costs good ones.
    pub outliers: f64,
}

impl Default for Params {
    /// The defaults, for no anchors at all.
    fn default() -> Self {
        Self::new(0)
    }
}

impl Params {
    /// The defaults, for a given rank.
    pub fn new(rank: usize) -> Self {
        Self {
            rank,
            selection: Selection::default(),
            engine: Engine::default(),
            solver: Solver::default(),
            descent: Descent::default(),
            normalize: Normalize::default(),
            mean_ray: false,
            allow_negative: false,
            tolerance: 1e-6,
            min_improvement: 0.0,
            patience: None,
            row_weights: None,
            fixed: Vec::new(),
            excluded: Vec::new(),
            candidates: None,
            seed: 0,
            robust: false,
            outliers: 0.0,
        }
    }

    /// Checks all that does not depend on the data.
    pub(crate) fn check(&self) -> Result<()> {
        let ranges = [
            ("tolerance", self.tolerance, 1e-6, "give a number from 1e-6 to below 1"),
            ("min_improvement", self.min_improvement, 0.0, "give a number from 0 to below 1"),
            ("outliers", self.outliers, 0.0, "give a share from 0 to below 1"),
        ];
        for (name, value, least, allowed) in ranges {
            require((least..1.0).contains(&value), name, value, allowed)?;
        }
        let Descent { tolerance, max_cycles } = self.descent;
        let ends = tolerance >= 0.0 && tolerance.is_finite() && max_cycles > 0;
        let value = format!("(tolerance {tolerance}, max_cycles {max_cycles})");
        let allowed = "the tolerance is finite and not negative, and max_cycles is at least 1";
        require(ends, "descent", value, allowed)?;
        let plain = self.normalize == Normalize::None || !self.robust;
        require(
            plain,
            "normalize",
            self.normalize,
            "a robust fit decides by itself what is searched",
        )?;
        let robust = self.robust || self.outliers == 0.0;
        require(robust, "outliers", self.outliers, "it needs a robust fit")?;
        require(self.patience != Some(0), "patience", 0, "give at least 1, or leave it out")
    }

    /// Refuses more fixed anchors than the rank, of which a fit takes the first: people who ask for that have
    /// miscounted.
    ///
    /// # Errors
    /// If there are more.
    pub fn check_fixed(&self) -> Result<()> {
        let fixed = format!("{} columns", self.fixed.len());
        require(self.fixed.len() <= self.rank, "fixed", fixed, "give at most as many as the rank")
    }

    /// How columns are projected: by coordinate descent, or exactly.
    pub(crate) fn descent(&self) -> Option<Descent> {
        (self.solver == Solver::CoordinateDescent).then_some(self.descent)
    }
}
