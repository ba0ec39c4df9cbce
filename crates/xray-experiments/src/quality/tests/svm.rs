//! Linear support vector machines: optimality, storage, shrinking, and corner cases.

use proptest::prelude::*;
use xray_nmf::{DenseMatrix, Matrix, SparseMatrix};

use crate::quality::error::{Error, Result};
use crate::quality::svm::{Examples, Hyperplane, LinearSvm, SvmParams};

/// Trains on all rows.
pub(super) fn fit(x: &dyn Matrix, labels: &[usize], params: &SvmParams) -> Result<LinearSvm> {
    params.check()?;
    let rows: Vec<usize> = (0..labels.len()).collect();
    LinearSvm::fit(&Examples::new(x), labels, &rows, params)
}

/// The class of each row.
pub(super) fn predict(svm: &LinearSvm, x: &dyn Matrix) -> Vec<usize> {
    let rows: Vec<usize> = (0..x.n_rows()).collect();
    svm.predict(&Examples::new(x), &rows)
}

const EXACT: SvmParams = SvmParams {
    c: 1.0,
    bias: Some(1.0),
    tolerance: 1e-11,
    max_iterations: 200_000,
    newton: false,
    shrinking: true,
    seed: 0,
};

type Dense = DenseMatrix<'static, f64>;

fn dense(n_columns: usize, values: &[f64]) -> Dense {
    let n_rows = values.len() / n_columns;
    DenseMatrix::from_row_major(n_rows, n_columns, values.to_vec()).unwrap()
}

fn sparse(x: &Dense) -> SparseMatrix<'static, f64> {
    let places = (0..x.n_rows()).flat_map(|i| (0..x.n_columns()).map(move |j| (i, j)));
    let entries = places.map(|(i, j)| (i, j, x.get(i, j))).filter(|entry| entry.2 != 0.0);
    SparseMatrix::from_triplets(x.n_rows(), x.n_columns(), entries.collect::<Vec<_>>()).unwrap()
}

/// The size of the primal gradient `w - 2C sum_i max(0, 1 - y_i w'x_i) y_i x_i`, bias included:
/// the minimiser is the one point where it is 0.
fn gradient(x: &Dense, signs: &[f64], plane: &Hyperplane, params: &SvmParams) -> f64 {
    let bias = params.bias.unwrap_or(0.0);
    let mut sums = plane.weights.clone();
    sums.push(if bias > 0.0 { plane.intercept / bias } else { 0.0 });
    for (i, y) in signs.iter().enumerate() {
        let mut row = x.row(i).values;
        let score: f64 = row.iter().zip(&plane.weights).map(|(v, w)| v * w).sum();
        let loss = (1.0 - y * (score + plane.intercept)).max(0.0);
        row.push(bias);
        sums.iter_mut().zip(row).for_each(|(sum, v)| *sum -= 2.0 * params.c * loss * y * v);
    }
    sums.iter().map(|v| v.abs()).fold(0.0, f64::max)
}

fn check_optimal(x: &Dense, labels: &[usize], svm: &LinearSvm, params: &SvmParams) {
    assert!(svm.converged());
    let LinearSvm { classes, planes } = svm;
    assert_eq!(planes.len(), if classes.len() > 2 { classes.len() } else { classes.len() - 1 });
    for (k, plane) in planes.iter().enumerate() {
        let own = if planes.len() == 1 { classes[1] } else { classes[k] };
        let signs: Vec<f64> = labels.iter().map(|&l| if l == own { 1.0 } else { -1.0 }).collect();
        let size = gradient(x, &signs, plane, params);
        assert!(size < 1e-7, "gradient {size} for class {own}");
    }
}

/// Rows of three features with labels among `n_classes`.
fn problem(n_classes: usize) -> impl Strategy<Value = (Dense, Vec<usize>)> {
    let row = (prop::collection::vec(-3i32..4, 3), 0..n_classes);
    prop::collection::vec(row, 1..25).prop_map(|rows| {
        let values: Vec<f64> = rows.iter().flat_map(|(x, _)| x).map(|&v| f64::from(v)).collect();
        (dense(3, &values), rows.iter().map(|(_, label)| label * 10).collect())
    })
}

/// The gradients of both rows come to the same value, which is not 0, in one pass.
#[test]
fn equal_gradients_are_not_the_end() {
    let (x, labels) = (dense(1, &[-1.0, -2.0]), [0, 10]);
    let params = SvmParams { c: 0.5, bias: None, shrinking: false, ..EXACT };
    for seed in 0..20 {
        let params = SvmParams { seed, ..params };
        let svm = fit(&x, &labels, &params).unwrap();
        check_optimal(&x, &labels, &svm, &params);
        assert!((svm.planes[0].weights[0] + 1.0 / 6.0).abs() < 1e-9);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_hyperplane_is_optimal(
        (x, labels) in problem(4),
        c in prop::sample::select(vec![0.01, 0.5, 1.0, 8.0]),
        bias in prop::sample::select(vec![None, Some(1.0), Some(5.0)]),
        shrinking: bool,
        newton: bool,
    ) {
        let params = SvmParams { c, bias, shrinking, newton, ..EXACT };
        let svm = fit(&x, &labels, &params).unwrap();
        check_optimal(&x, &labels, &svm, &params);
    }

    #[test]
    fn storage_seed_and_shrinking_do_not_move_the_minimum((x, labels) in problem(3)) {
        let svm = fit(&x, &labels, &EXACT).unwrap();
        let others = [
            fit(&sparse(&x), &labels, &EXACT).unwrap(),
            fit(&x, &labels, &SvmParams { seed: 9, ..EXACT }).unwrap(),
            fit(&x, &labels, &SvmParams { shrinking: false, ..EXACT }).unwrap(),
            fit(&x, &labels, &SvmParams { newton: true, ..EXACT }).unwrap(),
            fit(&sparse(&x), &labels, &SvmParams { newton: true, ..EXACT }).unwrap(),
        ];
        for other in others {
            for (a, b) in svm.planes.iter().zip(&other.planes) {
                prop_assert!((a.intercept - b.intercept).abs() < 1e-7);
                prop_assert!(a.weights.iter().zip(&b.weights).all(|(v, w)| (v - w).abs() < 1e-7));
            }
        }
    }

    #[test]
    fn predictions_have_the_largest_score((x, labels) in problem(4)) {
        let svm = fit(&x, &labels, &SvmParams::default()).unwrap();
        let predicted = predict(&svm, &x);
        prop_assert_eq!(&predicted, &predict(&svm, &sparse(&x)));
        for (i, class) in predicted.iter().enumerate() {
            let score = |plane: &Hyperplane| {
                let products = x.row(i).values.into_iter().zip(&plane.weights).map(|(v, w)| v * w);
                products.sum::<f64>() + plane.intercept
            };
            let scores: Vec<f64> = svm.planes.iter().map(score).collect();
            let own = svm.classes.binary_search(class).unwrap();
            if scores.len() > 1 {
                prop_assert!(scores.iter().all(|s| *s <= scores[own] + 1e-12));
            } else {
                let right = |s: &f64| own == usize::from(*s > 0.0) || s.abs() < 1e-12;
                prop_assert!(scores.iter().all(right));
            }
        }
    }
}

#[test]
fn two_points_have_the_answer_of_the_formula() {
    for c in [0.01, 1.0, 100.0] {
        let params = SvmParams { c, bias: None, ..EXACT };
        let svm = fit(&dense(1, &[-1.0, 1.0]), &[0, 1], &params).unwrap();
        let plane = &svm.planes[0];
        assert!((plane.weights[0] - 4.0 * c / (1.0 + 4.0 * c)).abs() < 1e-10);
        assert_eq!(plane.intercept, 0.0);
    }
}

#[test]
fn the_bias_makes_an_intercept() {
    let x = dense(1, &[10.0, 10.5, 12.5, 13.0]);
    let labels = [0, 0, 1, 1];
    let params = SvmParams { bias: Some(20.0), c: 100.0, ..EXACT };
    let svm = fit(&x, &labels, &params).unwrap();
    assert_eq!(predict(&svm, &x), labels);
    let without = SvmParams { bias: None, ..params };
    let svm = fit(&x, &labels, &without).unwrap();
    assert_ne!(predict(&svm, &x), labels);
}

#[test]
fn newton_finds_the_minimum_for_a_large_c_and_from_any_start() {
    let value = |i: usize, j: usize| ((i * 7 + j * 13 + i * j * 5) % 11) as f64 / 11.0;
    let values: Vec<f64> = (0..60).flat_map(|i| (0..6).map(move |j| value(i, j))).collect();
    let x = dense(6, &values);
    let labels: Vec<usize> =
        (0..60).map(|i| usize::from(value(i, 0) + value(i, 3) > 1.0)).collect();
    let rows: Vec<usize> = (0..60).collect();
    for bias in [None, Some(1.0)] {
        let params = SvmParams { c: 1e4, bias, newton: true, ..EXACT };
        let svm = fit(&x, &labels, &params).unwrap();
        assert!(svm.converged());
        let examples = Examples::new(&x);
        let before = fit(&x, &labels, &SvmParams { c: 0.01, ..params }).unwrap();
        let again = LinearSvm::fit_from(&examples, &labels, &rows, &params, Some(&before)).unwrap();
        let (a, b) = (&svm.planes[0], &again.planes[0]);
        let size = a.weights.iter().map(|v| v.abs()).fold(1.0, f64::max);
        assert!((a.intercept - b.intercept).abs() < 1e-8 * size, "{a:?} {b:?}");
        assert!(a.weights.iter().zip(&b.weights).all(|(v, w)| (v - w).abs() < 1e-8 * size));
        assert!(gradient(&x, &signs(&labels), a, &params) < 1e-6 * size);
    }
}

fn signs(labels: &[usize]) -> Vec<f64> {
    labels.iter().map(|&class| if class == 1 { 1.0 } else { -1.0 }).collect()
}

#[test]
fn threads_do_not_change_the_bits() {
    let values: Vec<f64> = (0..300 * 20).map(|q| ((q * q + 7 * q) % 101) as f64 / 101.0).collect();
    let labels: Vec<usize> = (0..300).map(|i| (i * i) % 7).collect();
    let x = dense(20, &values);
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| fit(&x, &labels, &SvmParams::default()).unwrap())
    };
    assert_eq!(run(1), run(3));
}

#[test]
fn one_class_is_always_predicted() {
    let svm = fit(&dense(1, &[1.0, 2.0]), &[5, 5], &SvmParams::default()).unwrap();
    assert!(svm.planes.is_empty());
    assert_eq!(predict(&svm, &dense(1, &[-9.0])), [5]);
}

#[test]
fn rows_of_zeros_and_no_features() {
    let params = SvmParams { bias: None, ..SvmParams::default() };
    let svm = fit(&dense(1, &[0.0, 0.0, 0.0]), &[4, 2, 2], &params).unwrap();
    assert_eq!(svm.planes[0].weights, [0.0]);
    assert_eq!(predict(&svm, &dense(1, &[1.0])), [2]);
    let none = DenseMatrix::from_row_major(3, 0, vec![0.0f64; 0]).unwrap();
    let svm = fit(&none, &[4, 4, 2], &SvmParams::default()).unwrap();
    assert_eq!(predict(&svm, &none), [4, 4, 4]);
}

#[test]
fn stopping_early_is_said() {
    let x = dense(1, &[1.0, 1.1, 0.9, 2.0, 1.2]);
    let params = SvmParams { max_iterations: 1, c: 1e4, ..SvmParams::default() };
    let svm = fit(&x, &[0, 1, 0, 1, 0], &params).unwrap();
    assert!(!svm.converged());
    assert_eq!(svm.planes[0].iterations, 1);
}

#[test]
fn extreme_parameters_give_numbers() {
    let x = dense(2, &[1e70, 0.0, -1e70, 1.0, 0.0, 1e-70]);
    for (c, bias) in [(1e70, None), (1e-70, Some(1e70)), (1e70, Some(1e-70))] {
        let params = SvmParams { c, bias, ..SvmParams::default() };
        let svm = fit(&x, &[0, 1, 2], &params).unwrap();
        let finite = |plane: &Hyperplane| {
            plane.intercept.is_finite() && plane.weights.iter().all(|w| w.is_finite())
        };
        assert!(svm.planes.iter().all(finite), "{c} {bias:?}: {svm:?}");
    }
}

#[test]
fn what_cannot_be_trained_is_refused() {
    let x = dense(1, &[1.0, 2.0]);
    let refused = |params| fit(&x, &[0, 1], &params).unwrap_err().to_string();
    let default = SvmParams::default();
    assert!(refused(SvmParams { c: 0.0, ..default }).starts_with("c = 0 is not allowed"));
    assert!(refused(SvmParams { c: f64::NAN, ..default }).starts_with("c = NaN"));
    assert!(refused(SvmParams { bias: Some(-1.0), ..default }).starts_with("bias = -1"));
    assert!(refused(SvmParams { tolerance: f64::NAN, ..default }).starts_with("tolerance = NaN"));
    assert!(refused(SvmParams { max_iterations: 0, ..default }).starts_with("max_iterations = 0"));
    let none = DenseMatrix::from_row_major(0, 1, vec![0.0f64; 0]).unwrap();
    assert!(matches!(fit(&none, &[], &default), Err(Error::TooFew { .. })));
}
