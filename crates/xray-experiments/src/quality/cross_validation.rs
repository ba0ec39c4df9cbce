//! The choice of C: every fold is predicted from the others, once for each value of the grid.

use rayon::prelude::*;
use xray_nmf::Matrix;

use crate::quality::error::{Error, Result, check_length};
use crate::quality::protocol::Protocol;
use crate::quality::split::stratified_folds;
use crate::quality::svm::{Examples, LinearSvm, SvmParams};

/// The accuracy of each C in cross-validation.
#[derive(Debug, Clone, PartialEq)]
pub struct ChosenC {
    /// The C with the best accuracy, the smallest one among ties.
    pub c: f64,
    /// The share of rows that were predicted right from the other folds, for each C of the grid.
    pub accuracies: Vec<f64>,
}

/// Chooses C from the protocol's grid by stratified cross-validation over all rows. Runs in the current
/// rayon pool.
///
/// # Errors
/// If there is not one label for each row, there are fewer than two rows, or a parameter is outside
/// its range.
///
/// # Examples
/// ```
/// use xray_experiments::quality::{Protocol, choose_c};
/// use xray_nmf::DenseMatrix;
/// let rows = DenseMatrix::from_row_major(6, 1, vec![-3.0, -2.0, -1.0, 1.0, 2.0, 3.0])?;
/// let chosen = choose_c(&rows, &[0, 0, 0, 1, 1, 1], &Protocol::default())?;
/// assert_eq!(chosen.accuracies.len(), 11);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn choose_c(features: &dyn Matrix, labels: &[usize], protocol: &Protocol) -> Result<ChosenC> {
    protocol.check()?;
    check_length("labels", features.n_rows(), labels.len())?;
    let examples = Examples::new(features);
    let rows: Vec<usize> = (0..labels.len()).collect();
    cross_validate(&examples, labels, &rows, protocol, protocol.seed)
}

/// Chooses C on the listed rows alone; the protocol is checked before.
pub(crate) fn cross_validate(
    examples: &Examples,
    labels: &[usize],
    rows: &[usize],
    protocol: &Protocol,
    seed: u64,
) -> Result<ChosenC> {
    if rows.len() < 2 {
        let what = "rows for cross-validation";
        return Err(Error::TooFew { what, found: rows.len(), needed: 2 });
    }
    let of_rows: Vec<usize> = rows.iter().map(|&i| labels[i]).collect();
    let n_folds = protocol.n_folds.min(rows.len());
    let folds = stratified_folds(&of_rows, n_folds, seed);
    let right = |task: usize| {
        let (c, fold) = (protocol.grid[task / n_folds], task % n_folds);
        let part = |inside: bool| -> Vec<usize> {
            (0..rows.len()).filter(|&q| (folds[q] == fold) == inside).map(|q| rows[q]).collect()
        };
        let params = SvmParams { c, seed, ..protocol.svm };
        count_right(examples, labels, &part(false), &part(true), &params)
    };
    let n_tasks = protocol.grid.len() * n_folds;
    let right: Result<Vec<usize>> =
        (0..n_tasks).into_par_iter().with_max_len(1).map(right).collect();
    let share = |folds: &[usize]| folds.iter().sum::<usize>() as f64 / rows.len() as f64;
    let accuracies: Vec<f64> = right?.chunks_exact(n_folds).map(share).collect();
    Ok(ChosenC { c: best_of(&protocol.grid, &accuracies), accuracies })
}

/// How many of the rows `test` are predicted right by a support vector machine that saw the rows `train`.
fn count_right(
    examples: &Examples,
    labels: &[usize],
    train: &[usize],
    test: &[usize],
    params: &SvmParams,
) -> Result<usize> {
    let svm = LinearSvm::fit_rows(examples, labels, train, params)?;
    let predicted = svm.predict_rows(examples, test);
    Ok(test.iter().zip(predicted).filter(|(i, class)| labels[**i] == *class).count())
}

/// The C with the best accuracy, the smallest one among ties.
fn best_of(grid: &[f64], accuracies: &[f64]) -> f64 {
    let ranked = |k: &usize, l: &usize| {
        accuracies[*k].total_cmp(&accuracies[*l]).then(grid[*l].total_cmp(&grid[*k]))
    };
    (0..grid.len()).max_by(ranked).map(|k| grid[k]).expect("the grid is not empty")
}
