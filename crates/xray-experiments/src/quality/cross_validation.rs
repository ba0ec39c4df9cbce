//! The choice of C: every fold is predicted from the others, once for each value of the grid.

use rayon::prelude::*;

use crate::quality::error::{Error, Result};
use crate::quality::protocol::Protocol;
use crate::quality::split::stratified_folds;
use crate::quality::svm::{Examples, LinearSvm, SvmParams};

/// The share of the listed rows that are predicted right from the other folds, for each C of the grid; the
/// protocol is checked before.
pub(crate) fn cross_validate(
    examples: &Examples,
    labels: &[usize],
    rows: &[usize],
    protocol: &Protocol,
    seed: u64,
) -> Result<Vec<f64>> {
    if rows.len() < 2 {
        let what = "rows for cross-validation";
        return Err(Error::TooFew { what, found: rows.len(), needed: 2 });
    }
    let of_rows: Vec<usize> = rows.iter().map(|&i| labels[i]).collect();
    let n_folds = protocol.n_folds.min(rows.len());
    let folds = stratified_folds(&of_rows, n_folds, seed);
    // One C after the other, each where the one before has ended.
    let right = |fold: usize| -> Result<Vec<usize>> {
        let part = |inside: bool| -> Vec<usize> {
            (0..rows.len()).filter(|&q| (folds[q] == fold) == inside).map(|q| rows[q]).collect()
        };
        let (train, test) = (part(false), part(true));
        let (mut counts, mut before) = (Vec::new(), None);
        for &c in &protocol.grid {
            let params = SvmParams { c, seed, ..protocol.svm };
            let svm = LinearSvm::fit_from(examples, labels, &train, &params, before.as_ref())?;
            counts.push(count_right(&svm, examples, labels, &test));
            before = Some(svm);
        }
        Ok(counts)
    };
    let right: Result<Vec<Vec<usize>>> =
        (0..n_folds).into_par_iter().with_max_len(1).map(right).collect();
    let right = right?;
    let share = |k: usize| right.iter().map(|counts| counts[k]).sum::<usize>() as f64;
    Ok((0..protocol.grid.len()).map(|k| share(k) / rows.len() as f64).collect())
}

/// How many of the rows `test` are predicted right.
fn count_right(svm: &LinearSvm, examples: &Examples, labels: &[usize], test: &[usize]) -> usize {
    let predicted = svm.predict(examples, test);
    test.iter().zip(predicted).filter(|(i, class)| labels[**i] == *class).count()
}

/// The C with the best accuracy, the smallest one among ties.
pub(crate) fn best_of(grid: &[f64], accuracies: &[f64]) -> f64 {
    let ranked = |k: &usize, l: &usize| {
        accuracies[*k].total_cmp(&accuracies[*l]).then(grid[*l].total_cmp(&grid[*k]))
    };
    (0..grid.len()).max_by(ranked).map(|k| grid[k]).expect("the grid is not empty")
}
