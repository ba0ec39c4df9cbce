//! What to find and how: the parameters of a fit.

use crate::error::{Error, Result};

/// Which exterior point, and so which column, is chosen next (the paper's Algorithm 1).
///
/// | rule | next anchor | on separable data |
/// |---|---|---|
/// | `rand` | `argmax_j R_i'X_j / p'X_j` for a random exterior i | exact |
/// | `max` | the same, `i = argmax_k \|\|R_k\|\|` | exact |
/// | `dist` | the same, `i = argmax_k \|\|(R_k'X)_+\|\|` | exact |
/// | `greedy` | `argmax_j \|\|(R'X_j)_+\|\|^2 / \|\|X_j\|\|^2` | not exact; strongest on text |
/// | `agg` | `argmax_j \|\|(R'X_j)_+\|\| / p'X_j` | exact; greedy's exact sibling |
/// | `joint` | `argmax_{i,j} R_i'X_j / p'X_j` | exact |
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum Selection {
    /// A random exterior point, from the seed.
    Rand,
    /// The exterior point with the largest residual.
    #[default]
    Max,
    /// The exterior point whose residual sees the most mass.
    Dist,
    /// The column that by itself lowers the residual most.
    Greedy,
    /// The column that all residuals together see farthest out.
    Agg,
    /// The column that any residual sees farthest out.
    Joint,
}

impl Selection {
    /// All rules, in the order of the table.
    pub const ALL: [Selection; 6] = [
        Selection::Rand,
        Selection::Max,
        Selection::Dist,
        Selection::Greedy,
        Selection::Agg,
        Selection::Joint,
    ];

    /// The rule's name: `rand`, `max`, `dist`, `greedy`, `agg` or `joint`.
    pub fn name(self) -> &'static str {
        match self {
            Selection::Rand => "rand",
            Selection::Max => "max",
            Selection::Dist => "dist",
            Selection::Greedy => "greedy",
            Selection::Agg => "agg",
            Selection::Joint => "joint",
        }
    }
}

impl std::str::FromStr for Selection {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Selection::ALL.into_iter().find(|rule| rule.name() == name).ok_or_else(|| {
            Error::Parameter {
                name: "selection",
                value: name.to_string(),
                allowed: "use rand, max, dist, greedy, agg or joint",
            }
        })
    }
}

/// How the scores of `dist`, `greedy`, `agg` and `joint` are kept; both give the same anchors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum Engine {
    /// Certified upper bounds; only columns that might win are scored.
    #[default]
    Lazy,
    /// The paper's: every column is scored in every step.
    Direct,
}

/// How columns are projected onto the cone.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Solver {
    /// Exact, by a warm-started active-set method.
    #[default]
    ActiveSet,
    /// The paper's Algorithm 2.
    CoordinateDescent {
        /// A column is done when a cycle lowers its objective by less than this times `||X_i||^2`.
        tolerance: f64,
        /// The most cycles for each column and step.
        max_cycles: usize,
    },
}

impl Solver {
    /// Algorithm 2 with a tolerance of 1e-10 and at most 200 cycles.
    pub const fn coordinate_descent() -> Self {
        Solver::CoordinateDescent { tolerance: 1e-10, max_cycles: 200 }
    }
}

/// Scaling of the columns before anchors are chosen (the paper's Table 1 compares them).
///
/// Weights and residuals always refer to the columns as given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum Normalize {
    /// As they are; what the method is made for.
    #[default]
    None,
    /// Each column divided by its sum of magnitudes.
    L1,
    /// Each column divided by its Euclidean norm.
    L2,
}

/// The parameters of a fit, with their defaults.
///
/// | field | default | purpose | range |
/// |---|---|---|---|
/// | `rank` | required | number of anchors to find | any |
/// | `selection` | `Max` | rule for the next anchor | |
/// | `engine` | `Lazy` | certified bounds, or every score every step | |
/// | `solver` | `ActiveSet` | projection method | tolerance >= 0, cycles > 0 |
/// | `normalize` | `None` | scale columns before choosing anchors | |
/// | `mean_ray` | false | start the cone with the mean column, never return it | |
/// | `allow_negative` | false | keep negative entries instead of refusing them | |
/// | `tolerance` | 1e-6 | exterior means `\|\|R_i\|\| > tolerance \|\|X_i\|\|` | 1e-7 to below 1 |
/// | `min_improvement` | 0 | stop when an anchor lowers the relative residual by less | 0 to below 1 |
/// | `patience` | none | stop when held-out error has not improved for so many anchors | > 0 |
/// | `weights` | ones | the vector p of the rules | 1e-70 to 1e70, one for each row |
/// | `fixed` | none | columns taken as the first anchors | distinct, not zero |
/// | `excluded` | none | columns never chosen | |
/// | `candidates` | all | the only columns that may be chosen | |
/// | `seed` | 0 | for `rand` | any |
/// | `threads` | all cores | worker threads; no effect on the result | 1 to 1024 |
/// | `memory` | a quarter of RAM | bytes for cached columns of X'X | any |
#[derive(Debug, Clone, PartialEq)]
pub struct Params {
    /// Number of anchors to find.
    pub rank: usize,
    /// Rule for the next anchor.
    pub selection: Selection,
    /// How scores are kept.
    pub engine: Engine,
    /// How columns are projected.
    pub solver: Solver,
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
    pub weights: Option<Vec<f64>>,
    /// Columns taken as the first anchors, in this order.
    pub fixed: Vec<usize>,
    /// Columns never chosen (still projected).
    pub excluded: Vec<usize>,
    /// The only columns that may be chosen, if given.
    pub candidates: Option<Vec<usize>>,
    /// Seed of `rand`.
    pub seed: u64,
    /// Worker threads; all cores if absent.
    pub threads: Option<usize>,
    /// Bytes for cached columns of X'X; a quarter of the machine's memory if absent.
    pub memory: Option<usize>,
}

impl Params {
    /// The defaults, for a given rank.
    pub fn new(rank: usize) -> Self {
        Self {
            rank,
            selection: Selection::default(),
            engine: Engine::default(),
            solver: Solver::default(),
            normalize: Normalize::default(),
            mean_ray: false,
            allow_negative: false,
            tolerance: 1e-6,
            min_improvement: 0.0,
            patience: None,
            weights: None,
            fixed: Vec::new(),
            excluded: Vec::new(),
            candidates: None,
            seed: 0,
            threads: None,
            memory: None,
        }
    }

    /// Checks all that does not depend on the data.
    pub(crate) fn check(&self) -> Result<()> {
        let ranges = [
            ("tolerance", self.tolerance, 1e-7, "give a number from 1e-7 to below 1"),
            ("min_improvement", self.min_improvement, 0.0, "give a number from 0 to below 1"),
        ];
        for (name, value, least, allowed) in ranges {
            if !(least..1.0).contains(&value) {
                return Err(Error::Parameter { name, value: value.to_string(), allowed });
            }
        }
        if let Solver::CoordinateDescent { tolerance, max_cycles } = self.solver
            && (!(tolerance >= 0.0 && tolerance.is_finite()) || max_cycles == 0)
        {
            return Err(Error::Parameter {
                name: "solver",
                value: format!("{:?}", self.solver),
                allowed: "the tolerance is finite and not negative, and max_cycles is at least 1",
            });
        }
        if self.patience == Some(0) {
            let allowed = "give at least 1, or leave it out";
            return Err(Error::Parameter { name: "patience", value: "0".into(), allowed });
        }
        Ok(())
    }
}
