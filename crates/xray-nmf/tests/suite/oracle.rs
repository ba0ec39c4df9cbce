//! Every rule against the paper's pseudo-code, and every storage against every other.

use crate::support::naive::{Naive, xray};
use crate::support::problems::{Kind, Random, problem};
use crate::support::verify::verify;
use crate::support::{Grid, all_bits};
use proptest::prelude::*;
use xray_nmf::{
    DenseMatrix, Factorization, Fit, Params, Selection, SparseMatrix, Termination, fit,
};

const RULES: [Selection; 5] =
    [Selection::Max, Selection::Dist, Selection::Greedy, Selection::Agg, Selection::Joint];

/// A relative gap above this decides a choice in any arithmetic.
const COMFORTABLE: f64 = 1e-6;

/// Problems of each kind.
const PROBLEMS: usize = 100;

fn assert_close(found: &[f64], expected: &[f64], least: f64, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (a, b) in found.iter().zip(expected) {
        assert!((a - b).abs() <= 1e-6 * b.abs() + least, "{what}: {a:e} for {b:e}");
    }
}

fn assert_same(found: &Factorization, expected: &Naive, selection: Selection, what: &str) {
    assert_eq!(found.anchors(), expected.anchors, "{what}");
    let scored = !matches!(selection, Selection::Rand | Selection::Max | Selection::Dist);
    let steps = found.steps().iter().zip(&expected.scores);
    // Where rounding hides the scores of all columns, the score is that of a look from one point.
    let (hidden, clear): (Vec<_>, Vec<_>) =
        steps.partition(|(step, _)| scored && step.exterior.is_some());
    assert!(hidden.iter().all(|(step, _)| step.residual < 1e-6), "{what}: {hidden:?}");
    let (scores, wanted): (Vec<f64>, Vec<f64>) =
        clear.iter().map(|(step, wanted)| (step.score.unwrap(), **wanted)).unzip();
    assert_close(&scores, &wanted, 0.0, &format!("{what}: scores"));
    let path: Vec<f64> = found.steps().iter().map(|step| step.residual).collect();
    assert_close(&path, &expected.residuals, 1e-12, &format!("{what}: residuals"));
}

/// Fits one problem by every rule; how many comparisons the oracle could decide, and how many not.
fn compare(x: &Grid, rank: usize, what: &str) -> (usize, usize) {
    let (mut decided, mut open) = (0, 0);
    for (selection, mean_ray) in RULES.into_iter().flat_map(|s| [(s, false), (s, true)]) {
        let what = format!("{what} {selection:?} mean {mean_ray} {x:?}");
        let params = Params { selection, mean_ray, ..Params::new(rank) };
        let found = fit(&x.dense(), &params).unwrap();
        verify(x, &found, 1e-9);
        let expected = xray(x, rank, selection, mean_ray);
        if expected.smallest_gap <= COMFORTABLE {
            open += 1;
            continue;
        }
        decided += 1;
        assert_same(&found, &expected, selection, &what);
        let reached = found.termination() == Termination::RankReached;
        assert_eq!(reached, expected.anchors.len() == rank, "{what}: {:?}", found.termination());
    }
    (decided, open)
}

#[test]
fn anchors_scores_and_residuals_are_those_of_the_pseudo_code() {
    for kind in Kind::NONNEGATIVE {
        let (mut decided, mut open) = (0, 0);
        for seed in 0..PROBLEMS as u64 {
            let mut random = Random(seed * 7919 + kind as u64);
            let (m, n) = (random.between(2, 12), random.between(2, 30));
            let x = problem(kind, m, n, &mut random);
            let counts = compare(&x, random.between(1, 8), &format!("{kind:?} seed {seed}"));
            (decided, open) = (decided + counts.0, open + counts.1);
        }
        println!("{kind:?}: {decided} decided, {open} too close to call");
        assert!(decided >= open, "{kind:?}: only {decided} of {} decided", decided + open);
    }
}

#[test]
fn negative_entries_give_the_same_as_the_pseudo_code() {
    let (mut decided, mut all) = (0, 0);
    for seed in 0..PROBLEMS as u64 {
        let mut random = Random(seed ^ 0x5eed);
        let (m, n) = (random.between(3, 12), random.between(2, 30));
        let x = problem(Kind::Signed, m, n, &mut random);
        for selection in RULES {
            let params = Params { selection, allow_negative: true, ..Params::new(5) };
            let found = fit(&x.dense(), &params).unwrap();
            verify(&x, &found, 1e-9);
            let expected = xray(&x, 5, selection, false);
            // The oracle looks from one point only: it cannot tell that nothing is seen from there.
            let visible = expected.scores.iter().all(|score| *score > 1e-9);
            all += 1;
            if expected.smallest_gap > COMFORTABLE && visible {
                decided += 1;
                let what = format!("seed {seed} {selection:?} {x:?}");
                assert_same(&found, &expected, selection, &what);
            }
        }
    }
    assert!(2 * decided >= all, "only {decided} of {all} decided");
}

/// All bits of the fits of one X in every storage.
fn in_every_storage(x: &Grid, params: &Params) -> Vec<(&'static str, String)> {
    let (m, n) = (x.m, x.n);
    let narrow = |values: &[f64]| values.iter().map(|v| *v as f32).collect::<Vec<f32>>();
    let rows = x.row_major();
    let narrow_columns = DenseMatrix::from_column_major(m, n, narrow(&x.values)).unwrap();
    let narrow_rows = DenseMatrix::from_row_major(m, n, narrow(&rows)).unwrap();
    let by_rows = DenseMatrix::from_row_major(m, n, rows).unwrap();
    let sparse = x.sparse();
    let (offsets, indices, values) = sparse.csc();
    let narrow_sparse = SparseMatrix::from_csc(m, n, offsets, indices, narrow(values)).unwrap();
    let stored_zeros = (0..n).flat_map(|j| (0..m).map(move |d| (d, j, x.column(j)[d])));
    let stored_zeros = SparseMatrix::<f64>::from_triplets(m, n, stored_zeros).unwrap();
    vec![
        ("dense by columns", all_bits(&fit(&x.dense(), params).unwrap())),
        ("dense by rows", all_bits(&fit(&by_rows, params).unwrap())),
        ("dense by columns, f32", all_bits(&fit(&narrow_columns, params).unwrap())),
        ("dense by rows, f32", all_bits(&fit(&narrow_rows, params).unwrap())),
        ("sparse", all_bits(&fit(&sparse, params).unwrap())),
        ("sparse, f32", all_bits(&fit(&narrow_sparse, params).unwrap())),
        ("sparse with stored zeros", all_bits(&fit(&stored_zeros, params).unwrap())),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn every_storage_gives_the_same_bits(seed: u64, kind in 0..6usize, rule in 0..6usize) {
        let mut random = Random(seed);
        let kind = [&Kind::NONNEGATIVE[..], &[Kind::Signed]].concat()[kind];
        let (m, n) = (random.between(2, 12), random.between(2, 30));
        let x = problem(kind, m, n, &mut random);
        let params = Params {
            selection: Selection::ALL[rule],
            mean_ray: random.chance(0.5),
            allow_negative: kind == Kind::Signed,
            ..Params::new(random.between(1, 8))
        };
        let fits = in_every_storage(&x, &params);
        for (storage, bits) in &fits[1..] {
            prop_assert_eq!(bits, &fits[0].1, "{} differs", storage);
        }
        verify(&x, &fit(&x.dense(), &params).unwrap(), 1e-9);
    }
}

#[test]
fn observed_and_plain_fits_are_the_same() {
    let x = problem(Kind::Noisy, 8, 25, &mut Random(3));
    for selection in Selection::ALL {
        let params = Params { selection, ..Params::new(5) };
        let mut seen = Vec::new();
        let mut observer = |step: &xray_nmf::Step| {
            seen.push(step.clone());
            std::ops::ControlFlow::Continue(())
        };
        let observed = Fit::of(&x.dense()).observe(&mut observer).run(&params).unwrap();
        let plain = fit(&x.dense(), &params).unwrap();
        assert_eq!(all_bits(&observed), all_bits(&plain));
        assert_eq!(observed.steps(), seen);
        verify(&x, &plain, 1e-9);
    }
}
