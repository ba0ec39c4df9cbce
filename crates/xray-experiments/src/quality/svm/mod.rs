//! Linear support vector machines for any number of classes.
//!
//! For each class a hyperplane separates its rows (`y_i = 1`) from all others (`y_i = -1`):
//!
//! ```text
//! min_w  1/2 ||w||^2 + C sum_i max(0, 1 - y_i w'x_i)^2
//! ```
//!
//! where every row x has the bias B appended as a last feature, so that the intercept is `B w_last`
//! (and is regularised as the rest). A row belongs to the class with the largest `w'x`, the lowest
//! one among ties. Two classes need one problem only; a single class needs none.
//!
//! The problem, the bias, the stopping rule and the defaults are those of LIBLINEAR's
//! `-s 1` and of scikit-learn's `LinearSVC(dual=True)`; the minimiser is unique. See [`dual`] and
//! [`newton`] for the algorithms. Rows should be of similar length, about 1: C and the tolerance are relative to
//! that, and longer rows need more passes.

mod dual;
mod examples;
mod newton;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use crate::quality::error::{Error, Result};
pub(crate) use examples::Examples;
use xray_pipeline::measure::dense_ids;

/// Magnitudes beyond this (or its reciprocal) are a slip of the keyboard.
const LARGEST: f64 = 1e70;

/// How a support vector machine is trained.
///
/// | field | default | purpose | range |
/// |---|---|---|---|
/// | `c` | 1 | C, the weight of the losses | 1e-70 to 1e70 |
/// | `bias` | `Some(1.0)` | B, or `None` for no intercept | 1e-70 to 1e70 |
/// | `tolerance` | 1e-4 | largest spread of the projected gradient at the end | above 0 |
/// | `max_iterations` | 1000 | the most passes over the rows | at least 1 |
/// | `newton` | false | Newton's method, for at most some hundred features: exact, and C may be large | |
/// | `shrinking` | true | leave out rows that seem settled: fewer steps, same minimiser if converged | |
/// | `seed` | 0 | the order of the steps | any |
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SvmParams {
    /// The weight of the losses.
    pub c: f64,
    /// The value of the feature that makes the intercept.
    pub bias: Option<f64>,
    /// The largest spread of the projected gradient at the end.
    pub tolerance: f64,
    /// The most passes over the rows.
    pub max_iterations: usize,
    /// Newton's method instead of dual coordinate descent: `tolerance`, `max_iterations` and `shrinking` do not matter.
    pub newton: bool,
    /// Leave out rows that seem settled.
    pub shrinking: bool,
    /// The order of the steps follows from it.
    pub seed: u64,
}

impl Default for SvmParams {
    fn default() -> Self {
        Self {
            c: 1.0,
            bias: Some(1.0),
            tolerance: 1e-4,
            max_iterations: 1000,
            newton: false,
            shrinking: true,
            seed: 0,
        }
    }
}

impl SvmParams {
    pub(crate) fn check(&self) -> Result<()> {
        let sensible = |v: f64| (1.0 / LARGEST..=LARGEST).contains(&v);
        let refuse = |name, value: String, allowed| Err(Error::Parameter { name, value, allowed });
        if !sensible(self.c) {
            return refuse("c", self.c.to_string(), "give a number from 1e-70 to 1e70");
        }
        if let Some(bias) = self.bias.filter(|bias| !sensible(*bias)) {
            let allowed = "give a number from 1e-70 to 1e70, or none for no intercept";
            return refuse("bias", bias.to_string(), allowed);
        }
        if self.tolerance.is_nan() || self.tolerance <= 0.0 {
            return refuse("tolerance", self.tolerance.to_string(), "give a number above 0");
        }
        if self.max_iterations == 0 {
            return refuse("max_iterations", "0".to_string(), "give at least 1");
        }
        Ok(())
    }
}

/// The hyperplane of one class: rows x with `weights'x + intercept > 0` are on its side.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Hyperplane {
    /// One weight for each feature.
    pub weights: Vec<f64>,
    /// The constant; 0 without a bias.
    pub intercept: f64,
    /// Passes over the rows.
    pub iterations: usize,
    /// Whether the tolerance was reached in that many passes.
    pub converged: bool,
}

/// 1 for the rows of a class, -1 for all others.
fn signs_of(ids: &[usize], class: usize) -> impl Iterator<Item = f64> {
    ids.iter().map(move |&id| if id == class { 1.0 } else { -1.0 })
}

/// A trained support vector machine.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LinearSvm {
    /// Ascending.
    pub classes: Vec<usize>,
    /// One hyperplane for each class; for two classes only that of the second; for one none.
    pub planes: Vec<Hyperplane>,
}

impl LinearSvm {
    /// Trains on some of the examples; classes are their distinct labels. Parameters are checked before.
    pub(crate) fn fit(
        examples: &Examples,
        labels: &[usize],
        rows: &[usize],
        params: &SvmParams,
    ) -> Result<Self> {
        Self::fit_from(examples, labels, rows, params, None)
    }

    /// The same; what was found on the same rows with another C is where Newton's method starts.
    pub(crate) fn fit_from(
        examples: &Examples,
        labels: &[usize],
        rows: &[usize],
        params: &SvmParams,
        start: Option<&Self>,
    ) -> Result<Self> {
        let of_rows: Vec<usize> = rows.iter().map(|&i| labels[i]).collect();
        let (ids, classes) = dense_ids(&of_rows);
        let positive: Vec<usize> = match classes.len() {
            0 => return Err(Error::TooFew { what: "rows to train on", found: 0, needed: 1 }),
            1 => vec![],
            2 => vec![1],
            n => (0..n).collect(),
        };
        let plane = |(place, &class): (usize, &usize)| {
            if params.newton {
                let signs: Vec<f64> = signs_of(&ids, class).collect();
                let start = start.map(|start| &start.planes[place]);
                return newton::solve(examples, rows, &signs, params, start);
            }
            let mut random = ChaCha8Rng::seed_from_u64(params.seed);
            random.set_stream(class as u64);
            dual::solve(examples, rows, signs_of(&ids, class).collect(), params, &mut random)
        };
        let planes = positive.par_iter().enumerate().with_max_len(1).map(plane).collect();
        let classes = classes.into_iter().copied().collect();
        Ok(Self { classes, planes })
    }

    /// Whether all hyperplanes reached the tolerance.
    pub(crate) fn converged(&self) -> bool {
        self.planes.iter().all(|plane| plane.converged)
    }

    /// The class of each of these rows. Runs in the current rayon pool.
    pub(crate) fn predict(&self, examples: &Examples, rows: &[usize]) -> Vec<usize> {
        rows.par_iter().with_min_len(64).map(|&i| self.classes[self.nearest(examples, i)]).collect()
    }

    /// The position of the class of row i.
    fn nearest(&self, examples: &Examples, i: usize) -> usize {
        let score = |plane: &Hyperplane| examples.dot(i, &plane.weights) + plane.intercept;
        let scores: Vec<f64> = self.planes.iter().map(score).collect();
        match scores[..] {
            [] => 0,
            [second] => usize::from(second > 0.0),
            _ => (0..scores.len())
                .reduce(|best, k| if scores[k] > scores[best] { k } else { best })
                .unwrap_or(0),
        }
    }
}
