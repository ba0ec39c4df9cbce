//! Accuracy of linear support vector machines over repeated splits.

use xray_nmf::synth::Synthetic;
use xray_nmf::{DenseMatrix, Matrix, SparseMatrix, with_threads};

use crate::quality::cross_validation::{best_of, cross_validate};
use crate::quality::error::Error;
use crate::quality::protocol::{Protocol, accuracy, linear_svm_accuracy};
use crate::quality::svm::{Examples, SvmParams};

type Dense = DenseMatrix<'static, f64>;

/// `n` rows in three classes, each near its own axis.
fn three_classes(n: usize) -> (Dense, Vec<usize>) {
    let labels: Vec<usize> = (0..n).map(|i| i % 3).collect();
    let entry = |i: usize, j: usize| {
        let noise = ((i * 31 + j * 17) % 13) as f64 / 65.0;
        if labels[i] == j { 1.0 - noise } else { noise }
    };
    let values = (0..n).flat_map(|i| (0..3).map(move |j| (i, j))).map(|(i, j)| entry(i, j));
    (DenseMatrix::from_row_major(n, 3, values.collect::<Vec<_>>()).unwrap(), labels)
}

#[test]
fn clear_classes_are_told_apart() {
    let (x, labels) = three_classes(300);
    let found = linear_svm_accuracy(&x, &labels, &Protocol::default()).unwrap();
    assert!(found.mean > 0.99, "{found:?}");
    assert_eq!((found.per_repeat.len(), found.chosen_c.len()), (10, 10));
    assert_eq!(found.not_converged, 0);
}

#[test]
fn classes_without_a_trace_are_not() {
    let n_columns = 30;
    let shape = Synthetic { n_rows: 400, n_columns, rank: 5, ..Synthetic::default() };
    let planted = shape.generate().unwrap();
    let labels: Vec<usize> = (0..400).map(|i| (i * i / 7) % 4).collect();
    let grid = vec![0.1, 1.0];
    let protocol = Protocol { share: 0.3, repeats: 4, grid, ..Protocol::default() };
    let found = linear_svm_accuracy(&planted.matrix, &labels, &protocol).unwrap();
    assert!((0.15..0.4).contains(&found.mean), "{found:?}");
}

#[test]
fn threads_and_storage_do_not_change_the_result() {
    let (x, labels) = three_classes(90);
    let entries = (0..90).flat_map(|i| (0..3).map(move |j| (i, j))).collect::<Vec<_>>();
    let sparse =
        SparseMatrix::from_triplets(90, 3, entries.iter().map(|&(i, j)| (i, j, x.get(i, j))))
            .unwrap();
    let protocol = Protocol { share: 0.2, repeats: 3, ..Protocol::default() };
    let run = |threads, x: &dyn Matrix| {
        with_threads(threads, || linear_svm_accuracy(x, &labels, &protocol)).unwrap().unwrap()
    };
    let one = run(Some(1), &x);
    assert_eq!(one, run(Some(3), &x));
    assert_eq!(one, run(None, &sparse));
}

#[test]
fn the_summary_belongs_to_the_repeats() {
    let (x, labels) = three_classes(60);
    let noisy: Vec<usize> =
        labels.iter().enumerate().map(|(i, &l)| if i % 5 == 0 { (l + 1) % 3 } else { l }).collect();
    let protocol = Protocol { share: 0.3, repeats: 5, ..Protocol::default() };
    let found = linear_svm_accuracy(&x, &noisy, &protocol).unwrap();
    let mean = found.per_repeat.iter().sum::<f64>() / 5.0;
    let squares: f64 = found.per_repeat.iter().map(|a| (a - mean).powi(2)).sum();
    assert!(
        (found.mean - mean).abs() < 1e-15 && (found.std - (squares / 4.0).sqrt()).abs() < 1e-15
    );
    assert!(found.chosen_c.iter().all(|c| protocol.grid.contains(c)));
    let once = Protocol { repeats: 1, ..protocol };
    assert_eq!(linear_svm_accuracy(&x, &noisy, &once).unwrap().std, 0.0);
}

#[test]
fn the_best_c_is_chosen_and_ties_go_to_the_smallest() {
    let (x, labels) = three_classes(60);
    let grid = vec![8.0, 1.0, 1e-6, 2.0];
    let protocol = Protocol { grid: grid.clone(), ..Protocol::default() };
    let rows: Vec<usize> = (0..60).collect();
    let accuracies = cross_validate(&Examples::new(&x), &labels, &rows, &protocol, 0).unwrap();
    assert_eq!(accuracies.len(), 4);
    let best = accuracies.iter().copied().fold(0.0, f64::max);
    assert_eq!(best, 1.0);
    let tied = grid.iter().zip(&accuracies).filter(|(_, a)| **a == best);
    let smallest = tied.map(|(c, _)| *c).fold(f64::INFINITY, f64::min);
    assert_eq!(best_of(&grid, &accuracies), smallest);
}

#[test]
fn a_single_c_needs_no_cross_validation() {
    // One row of each class to train on: too few for folds with two classes each.
    let x = DenseMatrix::from_row_major(4, 1, vec![-1.0, -1.0, 1.0, 1.0]).unwrap();
    let protocol = Protocol { grid: vec![3.0], repeats: 2, ..Protocol::default() };
    let found = linear_svm_accuracy(&x, &[0, 0, 1, 1], &protocol).unwrap();
    assert_eq!((found.mean, found.chosen_c), (1.0, vec![3.0, 3.0]));
}

#[test]
fn one_class_is_easy() {
    let (x, _) = three_classes(12);
    let protocol = Protocol { share: 0.5, repeats: 2, ..Protocol::default() };
    assert_eq!(linear_svm_accuracy(&x, &[4; 12], &protocol).unwrap().mean, 1.0);
}

#[test]
fn what_cannot_be_measured_is_refused() {
    let (x, labels) = three_classes(12);
    let refused =
        |protocol: Protocol| linear_svm_accuracy(&x, &labels, &protocol).unwrap_err().to_string();
    let default = Protocol::default;
    assert!(refused(Protocol { repeats: 0, ..default() }).starts_with("repeats = 0"));
    assert!(refused(Protocol { n_folds: 1, ..default() }).starts_with("n_folds = 1"));
    assert!(refused(Protocol { grid: vec![], ..default() }).contains("at least one value of C"));
    assert!(refused(Protocol { grid: vec![-1.0], ..default() }).starts_with("c = -1"));
    assert!(refused(Protocol { share: 2.0, ..default() }).starts_with("share = 2"));
    let svm = SvmParams { tolerance: 0.0, ..SvmParams::default() };
    assert!(refused(Protocol { svm, ..default() }).starts_with("tolerance = 0"));
    let error = linear_svm_accuracy(&x, &labels[1..], &default()).unwrap_err();
    assert_eq!(error, Error::Length { what: "labels", expected: 12, found: 11 });
    let one = DenseMatrix::from_row_major(1, 3, vec![1.0; 3]).unwrap();
    let refused = cross_validate(&Examples::new(&one), &[0], &[0], &default(), 0);
    assert!(matches!(refused, Err(Error::TooFew { found: 1, .. })));
}

#[test]
fn accuracy_counts_equal_labels() {
    assert_eq!(accuracy(&["a", "b"], &["a", "c"]), 0.5);
    assert_eq!(accuracy::<usize>(&[], &[]), 1.0);
}

#[test]
#[should_panic(expected = "1 items have a class, but 2 have a prediction")]
fn predictions_are_for_the_same_items() {
    accuracy(&[1], &[1, 2]);
}
