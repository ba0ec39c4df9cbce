//! From what a method found to numbers: factors, clusters, features, accuracy.

use anyhow::Result;
use xray_nmf::comm::OneRank;
use xray_nmf::{DenseMatrix, Factors, Matrix, Ownership, SparseMatrix};
use xray_pipeline::DocumentWeights;

use crate::quality::{Protocol, SvmAccuracy, SvmParams, linear_svm_accuracy};

/// Features are stored as sparse ones if at most one in so many is not zero.
const SPARSE: usize = 4;

/// The same factors with topics of length 1: what the weights of a row say can then be compared.
pub(crate) fn scaled(mut factors: Factors) -> Factors {
    let rank = factors.rank.max(1);
    let mut lengths = vec![0.0; rank];
    for row in factors.h.chunks_exact(rank) {
        lengths.iter_mut().zip(row).for_each(|(sum, v)| *sum += v * v);
    }
    lengths.iter_mut().for_each(|length| *length = length.sqrt());
    for row in factors.w.chunks_exact_mut(rank) {
        row.iter_mut().zip(&lengths).for_each(|(w, length)| *w *= length);
    }
    for row in factors.h.chunks_exact_mut(rank) {
        let some = row.iter_mut().zip(&lengths).filter(|(_, length)| **length > 0.0);
        some.for_each(|(h, length)| *h /= length);
    }
    factors
}

/// The heaviest topic of each row, after topics are scaled.
pub(crate) fn clusters(factors: Factors) -> Vec<Option<usize>> {
    let Factors { rank, w, .. } = scaled(factors);
    let own = Ownership::rows(w.len() / rank.max(1), &OneRank);
    DocumentWeights::new(own, rank, w).heaviest
}

/// How accuracy is measured here: the usual protocol, with support vector machines trained to a
/// tolerance of 0.01, ten times finer than LIBLINEAR's own.
pub fn protocol(seed: u64) -> Protocol {
    let svm = SvmParams { tolerance: 0.01, ..SvmParams::default() };
    Protocol { svm, seed, ..Protocol::default() }
}

/// How the paper's experiments measure accuracy: LIBLINEAR as it comes, which has no bias, on features as they are.
/// C has a wide grid; [`PaperAccuracy::at_ends`] tells whether it was wide enough.
pub(crate) fn paper_protocol(seed: u64, repeats: usize) -> Protocol {
    let svm = SvmParams { bias: None, ..SvmParams::default() };
    let grid = (-4..=4).map(|power| 4f64.powi(power)).collect();
    Protocol { svm, seed, repeats, grid, ..Protocol::default() }
}

/// What the paper's experiments look at.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PaperAccuracy {
    /// One for each split; all features see the same splits.
    pub per_split: Vec<f64>,
    /// Splits whose C is the smallest of the grid, and the largest. Where all values are as good, as at the accuracy of
    /// the largest class, the smallest is taken.
    pub at_ends: [usize; 2],
}

impl PaperAccuracy {
    fn new(found: SvmAccuracy, protocol: &Protocol) -> Self {
        let ends = [protocol.grid.first(), protocol.grid.last()];
        let at_ends = ends.map(|end| found.chosen_c.iter().filter(|c| end == Some(c)).count());
        Self { per_split: found.per_repeat, at_ends }
    }
}

/// Accuracy on features as they are, but for one factor for all of them that makes the mean squared length of a row 1:
/// it shifts C, and one grid serves documents of sum 1 and of length 1.
///
/// # Errors
/// If there are too few rows of a class.
pub(crate) fn accuracy_as_given(
    mut features: Vec<f64>,
    rank: usize,
    classes: &[usize],
    protocol: &Protocol,
) -> Result<PaperAccuracy> {
    let factor = common_factor(&features, classes.len());
    features.iter_mut().for_each(|v| *v *= factor);
    let protocol = &for_features(protocol, rank);
    Ok(PaperAccuracy::new(classify(features, rank, classes, protocol)?, protocol))
}

/// The same with all columns of a matrix as features.
///
/// # Errors
/// If there are too few rows of a class.
pub(crate) fn accuracy_of_all(
    matrix: &SparseMatrix<'_, f64>,
    classes: &[usize],
    protocol: &Protocol,
) -> Result<PaperAccuracy> {
    let (starts, columns, values) = matrix.csr();
    let factor = common_factor(values, classes.len());
    let values: Vec<f64> = values.iter().map(|v| factor * v).collect();
    let n = matrix.n_columns();
    let features = SparseMatrix::from_csr(classes.len(), n, starts, columns, values)?;
    let protocol = &for_features(protocol, n);
    Ok(PaperAccuracy::new(linear_svm_accuracy(&features, classes, protocol)?, protocol))
}

/// Newton's method for few features; for more, LIBLINEAR's own tolerance of 0.1.
fn for_features(protocol: &Protocol, n_features: usize) -> Protocol {
    const FEW: usize = 128;
    let svm = SvmParams { newton: n_features <= FEW, tolerance: 0.1, ..protocol.svm };
    Protocol { svm, ..protocol.clone() }
}

/// What the entries of `m` rows are multiplied by to make the mean squared length of a row 1.
fn common_factor(values: &[f64], m: usize) -> f64 {
    let squares: f64 = values.iter().map(|v| v * v).sum();
    if squares > 0.0 { (m as f64 / squares).sqrt() } else { 1.0 }
}

/// Accuracy of linear support vector machines on features that are scaled to length 1 for each row.
///
/// # Errors
/// If there are too few rows of a class.
pub(crate) fn accuracy(
    mut features: Vec<f64>,
    rank: usize,
    classes: &[usize],
    protocol: &Protocol,
) -> Result<SvmAccuracy> {
    for row in features.chunks_exact_mut(rank.max(1)) {
        let length = row.iter().fold(0.0, |sum, v| sum + v * v).sqrt();
        if length > 0.0 {
            row.iter_mut().for_each(|v| *v /= length);
        }
    }
    classify(features, rank, classes, protocol)
}

fn classify(
    features: Vec<f64>,
    rank: usize,
    classes: &[usize],
    protocol: &Protocol,
) -> Result<SvmAccuracy> {
    let m = classes.len();
    let n_nonzero = features.iter().filter(|v| **v != 0.0).count();
    if n_nonzero > features.len() / SPARSE {
        let features = DenseMatrix::from_row_major(m, rank, features)?;
        return Ok(linear_svm_accuracy(&features, classes, protocol)?);
    }
    let entries = features.iter().enumerate().filter(|(_, v)| **v != 0.0);
    let entries = entries.map(|(place, v)| (place / rank, place % rank, *v));
    let features = SparseMatrix::from_triplets(m, rank, entries)?;
    Ok(linear_svm_accuracy(&features, classes, protocol)?)
}

/// Mean and standard deviation (with n - 1; 0 for a single value).
pub(crate) fn mean_and_spread(values: &[f64]) -> (f64, f64) {
    let n = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|v| (v - mean) * (v - mean)).sum();
    (mean, if n > 1.0 { (squares / (n - 1.0)).sqrt() } else { 0.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scaling_keeps_the_product_and_clusters_follow_it() {
        // One topic is ten times as long, so its weights are a tenth.
        let factors = Factors {
            rank: 2,
            w: vec![0.2, 1.0, 0.0, 1.0],
            h: vec![10.0, 0.0, 0.0, 1.0],
            objective: Vec::new(),
            method: None,
        };
        let same = scaled(factors.clone());
        assert_eq!(same.w, [2.0, 1.0, 0.0, 1.0]);
        assert_eq!(same.h, [1.0, 0.0, 0.0, 1.0]);
        assert_eq!(clusters(factors), [Some(0), Some(1)]);
    }

    #[test]
    fn a_factor_common_to_all_features_changes_nothing() {
        let classes: Vec<usize> = (0..80).map(|d| d % 2).collect();
        let feature = |d: usize| [1.0 + (d % 7) as f64, (d % 2) as f64 * (1.0 + (d % 3) as f64)];
        let features: Vec<f64> = (0..80).flat_map(feature).collect();
        let protocol = Protocol { share: 0.2, ..paper_protocol(0, 3) };
        let judge = |factor: f64| {
            let features = features.iter().map(|v| factor * v).collect();
            accuracy_as_given(features, 2, &classes, &protocol).expect("accuracy").per_split
        };
        assert_eq!(judge(1.0), judge(1e-4));
        assert!(judge(1.0).iter().all(|share| *share > 0.9));
    }

    #[test]
    fn spread_has_one_degree_less() {
        assert_eq!(mean_and_spread(&[1.0, 3.0]), (2.0, 2f64.sqrt()));
        assert_eq!(mean_and_spread(&[5.0]), (5.0, 0.0));
    }
}
