//! Relative error of factorizations against the definition, and near exact fits.

use proptest::prelude::*;
use xray_nmf::comm::OneRank;
use xray_nmf::synth::Synthetic;
use xray_nmf::{DenseMatrix, Factors, Matrix, Params, Refine, Refinement, SparseMatrix, fit};

use crate::part::Part;
use crate::quality::error::Error;

/// The error of W and the transpose of H, on one rank.
pub(super) fn reconstruction_error(
    x: &dyn Matrix,
    w: &[f64],
    h: &[f64],
    rank: usize,
) -> anyhow::Result<f64> {
    let factors =
        Factors { rank, w: w.to_vec(), h: h.to_vec(), objective: Vec::new(), method: None };
    crate::quality::reconstruction_error(Part::whole(x), &factors)
}

/// The definition: forms WH.
fn naive(x: &[f64], w: &[f64], h: &[f64], rank: usize) -> f64 {
    let n = h.len() / rank;
    let product = |i: usize, j: usize| (0..rank).map(|k| w[i * rank + k] * h[j * rank + k]).sum();
    let error: f64 = (0..x.len())
        .map(|q| {
            let entry: f64 = product(q / n, q % n);
            (x[q] - entry).powi(2)
        })
        .sum();
    let total: f64 = x.iter().map(|v| v * v).sum();
    if error == 0.0 { 0.0 } else { (error / total).sqrt() }
}

/// X (m x n), W (m x r) and H' (n x r) of small integers.
fn problem() -> impl Strategy<Value = (usize, usize, Vec<f64>, Vec<f64>, Vec<f64>)> {
    let sizes = (1usize..90, 1usize..8, 1usize..4);
    sizes.prop_flat_map(|(m, n, r)| {
        let entries =
            |length| prop::collection::vec((-3i32..4).prop_map(f64::from), length..=length);
        (Just(n), Just(r), entries(m * n), entries(m * r), entries(n * r))
    })
}

proptest! {
    #[test]
    fn errors_agree_with_the_definition((n, r, x, w, h) in problem()) {
        let m = x.len() / n;
        let dense = DenseMatrix::from_row_major(m, n, &x).unwrap();
        let found = reconstruction_error(&dense, &w, &h, r).unwrap();
        let expected = naive(&x, &w, &h, r);
        prop_assert!(found == expected || (found - expected).abs() < 1e-13 * expected);
        let entries = (0..x.len()).map(|q| (q / n, q % n, x[q])).filter(|entry| entry.2 != 0.0);
        let sparse = SparseMatrix::from_triplets(m, n, entries).unwrap();
        prop_assert_eq!(found, reconstruction_error(&sparse, &w, &h, r).unwrap());
    }

    #[test]
    fn small_errors_keep_their_digits((n, r, _, w, h) in problem(), power in 6i32..40) {
        let m = w.len() / r;
        // One entry is off by a power of two, exactly.
        let off = 2f64.powi(-power);
        let mut x: Vec<f64> = (0..m * n)
            .map(|q| (0..r).map(|k| w[q / n * r + k] * h[q % n * r + k]).sum())
            .collect();
        x[0] += off;
        let total: f64 = x.iter().map(|v| v * v).sum();
        let dense = DenseMatrix::from_row_major(m, n, &x).unwrap();
        let found = reconstruction_error(&dense, &w, &h, r).unwrap();
        let expected = off / total.sqrt();
        prop_assert!((found - expected).abs() < 1e-7 * expected, "{} {}", found, expected);
    }
}

#[test]
fn refinement_reports_the_same_error() {
    let planted = Synthetic { noise: 0.3, clip: true, ..Synthetic::default() }.generate().unwrap();
    let x = planted.matrix;
    let found = fit(&x, &Params::new(20)).unwrap();
    let start = found.factors(&OneRank).unwrap();
    let refined = Refine::of(&x).method(Refinement::Exact).steps(0, 0.0).run(start).unwrap();
    let error = reconstruction_error(&x, &refined.w, &refined.h, 20).unwrap();
    assert!((error - found.residual()).abs() < 1e-12, "{error} {}", found.residual());
}

#[test]
fn threads_do_not_change_the_bits() {
    let planted = Synthetic { n_rows: 300, noise: 0.3, ..Synthetic::default() }.generate().unwrap();
    let w: Vec<f64> = (0..300 * 3).map(|q| (q % 7) as f64 / 7.0).collect();
    let h: Vec<f64> = (0..210 * 3).map(|q| (q % 5) as f64 / 5.0).collect();
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| reconstruction_error(&planted.matrix, &w, &h, 3).unwrap())
    };
    assert_eq!(run(1), run(3));
}

#[test]
fn corner_cases_are_as_documented() {
    let x = DenseMatrix::from_row_major(1, 2, vec![3.0, 4.0]).unwrap();
    assert_eq!(reconstruction_error(&x, &[], &[], 0).unwrap(), 1.0);
    assert_eq!(reconstruction_error(&x, &[0.0], &[1.0, 1.0], 1).unwrap(), 1.0);
    let zero = DenseMatrix::from_row_major(1, 2, vec![0.0; 2]).unwrap();
    assert_eq!(reconstruction_error(&zero, &[], &[], 0).unwrap(), 0.0);
    assert_eq!(reconstruction_error(&zero, &[1.0], &[0.0, 0.0], 1).unwrap(), 0.0);
    assert_eq!(reconstruction_error(&zero, &[1.0], &[1.0, 0.0], 1).unwrap(), f64::INFINITY);
    let none = DenseMatrix::from_row_major(0, 0, vec![0.0f64; 0]).unwrap();
    assert_eq!(reconstruction_error(&none, &[], &[], 5).unwrap(), 0.0);
}

#[test]
fn large_and_small_factors_give_numbers() {
    let x = DenseMatrix::from_row_major(1, 1, vec![1e70]).unwrap();
    assert_eq!(reconstruction_error(&x, &[1e70], &[1.0], 1).unwrap(), 0.0);
    let far = reconstruction_error(&x, &[1e70], &[1e70], 1).unwrap();
    assert!((far / 1e70 - 1.0).abs() < 1e-12);
    let x = DenseMatrix::from_row_major(1, 1, vec![1e-70]).unwrap();
    assert!((reconstruction_error(&x, &[1e70], &[1e70], 1).unwrap() / 1e210 - 1.0).abs() < 1e-12);
}

#[test]
fn what_is_no_factor_is_refused() {
    let x = DenseMatrix::from_row_major(1, 2, vec![3.0, 4.0]).unwrap();
    let error = reconstruction_error(&x, &[1.0], &[1.0], 1).unwrap_err();
    let expected = Error::Length { what: "H", expected: 2, found: 1 };
    assert_eq!(error.downcast::<Error>().unwrap(), expected);
    let error = reconstruction_error(&x, &[f64::NAN], &[1.0, 1.0], 1).unwrap_err();
    assert!(error.to_string().contains("W: entry (0, 0) is NaN"), "{error}");
    let error = reconstruction_error(&x, &[1.0], &[1.0, 1e71], 1).unwrap_err();
    assert!(error.to_string().contains("1e70 at most"), "{error}");
}
