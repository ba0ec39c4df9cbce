//! How well a linear support vector machine tells the classes apart by given features: repeated random splits, C
//! chosen by cross-validation on the training part alone.

use rayon::prelude::*;
use xray_nmf::Matrix;

use crate::quality::cross_validation::{best_of, cross_validate};
use crate::quality::error::{Error, Result, check_length};
use crate::quality::split::stratified_split;
use crate::quality::svm::{Examples, LinearSvm, SvmParams};

/// How accuracy is measured.
///
/// | field | default | purpose | range |
/// |---|---|---|---|
/// | `share` | 0.05 | the part of each class to train on | above 0, below 1 |
/// | `repeats` | 10 | number of random splits | at least 1 |
/// | `n_folds` | 4 | folds of the cross-validation | at least 2 |
/// | `grid` | 2^-5, 2^-4, ..., 2^5 | values of C to choose from, ascending | 1e-70 to 1e70 |
/// | `svm` | see [`SvmParams`] | how support vector machines are trained; `c` and `seed` are not used | |
/// | `seed` | 0 | splits, folds and the order of steps | any |
#[derive(Debug, Clone, PartialEq)]
pub struct Protocol {
    /// The part of each class to train on.
    pub share: f64,
    /// Number of random splits.
    pub repeats: usize,
    /// Folds of the cross-validation.
    pub n_folds: usize,
    /// Values of C to choose from.
    pub grid: Vec<f64>,
    /// How support vector machines are trained.
    pub svm: SvmParams,
    /// Everything random follows from it.
    pub seed: u64,
}

impl Default for Protocol {
    fn default() -> Self {
        Self {
            share: 0.05,
            repeats: 10,
            n_folds: 4,
            grid: (-5..=5).map(|power| 2f64.powi(power)).collect(),
            svm: SvmParams::default(),
            seed: 0,
        }
    }
}

impl Protocol {
    pub(crate) fn check(&self) -> Result<()> {
        let refuse = |name, value: usize, allowed| {
            Err(Error::Parameter { name, value: value.to_string(), allowed })
        };
        if self.repeats == 0 {
            return refuse("repeats", 0, "give at least 1");
        }
        if self.n_folds < 2 {
            return refuse("n_folds", self.n_folds, "give at least 2 folds");
        }
        if self.grid.is_empty() {
            return refuse("grid", 0, "give at least one value of C");
        }
        self.grid.iter().try_for_each(|&c| SvmParams { c, ..self.svm }.check())
    }
}

/// Accuracy over repeated splits.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SvmAccuracy {
    /// The mean of `per_repeat`.
    pub mean: f64,
    /// The standard deviation of `per_repeat` (with `repeats - 1`); 0 for a single one.
    pub std: f64,
    /// The share of test rows whose class was predicted, for each split.
    pub per_repeat: Vec<f64>,
    /// C, as chosen for each split.
    pub chosen_c: Vec<f64>,
    /// Final support vector machines that did not reach the tolerance; their accuracy counts all the same.
    pub not_converged: usize,
}

/// The share of items whose prediction is right; 1 if there are no items.
///
/// # Panics
/// If the slices differ in length.
pub(crate) fn accuracy<L: PartialEq>(truth: &[L], predicted: &[L]) -> f64 {
    let (n, m) = (truth.len(), predicted.len());
    assert_eq!(n, m, "{n} items have a class, but {m} have a prediction");
    let right = truth.iter().zip(predicted).filter(|(t, p)| t == p).count();
    if n == 0 { 1.0 } else { right as f64 / n as f64 }
}

/// The accuracy of linear support vector machines that are trained on a share of the rows and tested on the rest.
///
/// For each repeat: a stratified split, C by cross-validation within the training part, a support vector machine
/// trained with it on all of the training part, and its accuracy on the test part.
///
/// Features are taken as given; scale rows to length 1 where they are not alike. Runs in the current
/// rayon pool; the result is the same for any number of threads.
///
/// # Errors
/// If there is not one label for each row, the rows are too few to split, or a parameter is outside
/// its range.
pub(crate) fn linear_svm_accuracy(
    features: &dyn Matrix,
    labels: &[usize],
    protocol: &Protocol,
) -> Result<SvmAccuracy> {
    protocol.check()?;
    check_length("labels", features.n_rows(), labels.len())?;
    let examples = Examples::new(features);
    let repeat = |k: usize| one_split(&examples, labels, protocol, k as u64);
    let runs = (0..protocol.repeats).into_par_iter().map(repeat).collect::<Result<Vec<Run>>>()?;
    let per_repeat: Vec<f64> = runs.iter().map(|run| run.accuracy).collect();
    let (mean, std) = mean_and_std(&per_repeat);
    let chosen_c = runs.iter().map(|run| run.c).collect();
    let not_converged = runs.iter().filter(|run| !run.converged).count();
    Ok(SvmAccuracy { mean, std, per_repeat, chosen_c, not_converged })
}

/// What one split gave.
struct Run {
    accuracy: f64,
    c: f64,
    converged: bool,
}

fn one_split(examples: &Examples, labels: &[usize], protocol: &Protocol, k: u64) -> Result<Run> {
    let seed = protocol.seed.wrapping_add(k);
    let split = stratified_split(labels, protocol.share, seed)?;
    let c = match protocol.grid[..] {
        [only] => only,
        _ => {
            let accuracies = cross_validate(examples, labels, &split.train, protocol, seed)?;
            best_of(&protocol.grid, &accuracies)
        }
    };
    let params = SvmParams { c, seed, ..protocol.svm };
    let svm = LinearSvm::fit(examples, labels, &split.train, &params)?;
    let truth: Vec<usize> = split.test.iter().map(|&i| labels[i]).collect();
    let accuracy = accuracy(&truth, &svm.predict(examples, &split.test));
    Ok(Run { accuracy, c, converged: svm.converged() })
}

fn mean_and_std(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().fold(0.0, |sum, v| sum + v) / n;
    let squares = values.iter().fold(0.0, |sum, v| sum + (v - mean) * (v - mean));
    (mean, if n > 1.0 { (squares / (n - 1.0)).sqrt() } else { 0.0 })
}
