//! What the caller may decide: who may be chosen, when to stop, from which point to look.

use crate::support::problems::{Kind, Random, problem};
use crate::support::verify::{dot, verify};
use crate::support::{Grid, all_bits, every_rule, fitted};
use std::ops::ControlFlow;
use xray_nmf::{Factorization, Fit, Params, RankReason, Selection, Step, Termination, split_rows};

fn noisy(seed: u64) -> Grid {
    problem(Kind::Noisy, 10, 40, &mut Random(seed ^ 0xc4))
}

#[test]
fn fixed_anchors_come_first_and_without_score() {
    let x = noisy(1);
    for params in every_rule(5) {
        let params = Params { fixed: vec![7, 3], ..params };
        let found = fitted(&x, &params);
        assert_eq!(found.anchors()[..2], [7, 3], "{params:?}");
        assert!(found.steps()[..2].iter().all(|s| s.score.is_none() && s.exterior.is_none()));
        assert!(found.steps()[2..].iter().all(|s| s.score.is_some()), "{params:?}");
        let one = fitted(&x, &Params { rank: 1, ..params.clone() });
        assert_eq!(one.anchors(), [7]);
    }
}

#[test]
fn fixing_the_first_choices_changes_no_later_one() {
    let x = noisy(2);
    for params in every_rule(6).filter(|p| p.selection != Selection::Rand) {
        let free = fitted(&x, &params);
        let fixed = fitted(&x, &Params { fixed: free.anchors()[..3].to_vec(), ..params.clone() });
        assert_eq!(free.anchors(), fixed.anchors(), "{params:?}");
        assert_eq!(free.coefficients(), fixed.coefficients(), "{params:?}");
    }
}

#[test]
fn excluded_columns_are_projected_but_never_chosen() {
    let x = noisy(3);
    for params in every_rule(6) {
        let excluded = fitted(&x, &params).anchors()[..4].to_vec();
        let found = fitted(&x, &Params { excluded: excluded.clone(), ..params.clone() });
        assert!(found.anchors().iter().all(|j| !excluded.contains(j)), "{params:?}");
        assert!(excluded.iter().any(|&j| !found.coefficients().column(j).0.is_empty()));
    }
}

#[test]
fn only_candidates_are_chosen_and_a_run_ends_when_they_see_nothing() {
    let x = noisy(4);
    for params in every_rule(40) {
        for candidates in [vec![], vec![5], vec![5, 5, 8, 9], (0..40).step_by(3).collect()] {
            let params = Params { candidates: Some(candidates.clone()), ..params.clone() };
            let found = fitted(&x, &params);
            assert!(found.anchors().iter().all(|j| candidates.contains(j)), "{params:?}");
            assert_eq!(found.termination(), Termination::Exhausted, "{params:?}");
        }
    }
}

#[test]
fn exterior_points_out_of_reach_of_all_candidates_are_left_alone() {
    // Only columns 0 and 1 may be chosen; column 2 is orthogonal to both, column 3 not quite.
    let columns =
        [vec![1.0, 0.0, 0.0], vec![1.0, 1.0, 0.0], vec![0.0, 0.0, 9.0], vec![0.0, 1.0, 9.0]];
    let x = Grid::from_columns(&columns);
    for params in every_rule(4) {
        let params = Params { candidates: Some(vec![0, 1]), ..params };
        let found = fitted(&x, &params);
        assert_eq!(found.termination(), Termination::Exhausted, "{params:?}");
        assert!(found.rank() <= 2 && found.anchors().contains(&1), "{params:?}");
        assert!(found.coefficients().column(2).0.is_empty());
    }
}

#[test]
fn a_run_ends_before_an_anchor_that_improves_too_little() {
    let x = noisy(5);
    for params in every_rule(12) {
        let free = fitted(&x, &params);
        let path: Vec<f64> =
            std::iter::once(1.0).chain(free.steps().iter().map(|step| step.residual)).collect();
        let least = 0.02;
        let kept = path.windows(2).position(|w| w[0] - w[1] < least);
        let found = fitted(&x, &Params { min_improvement: least, ..params.clone() });
        assert_eq!(found.rank(), kept.unwrap_or(free.rank()), "{params:?}");
        assert_eq!(found.anchors(), free.anchors()[..found.rank()], "{params:?}");
        let ended = found.termination() == Termination::BelowThreshold;
        assert_eq!(ended, kept.is_some(), "{params:?}");
        assert_eq!(all_bits(&found), all_bits(&free.truncate(found.rank())), "{params:?}");
    }
}

#[test]
fn fixed_anchors_stay_however_little_they_improve() {
    let x = noisy(6);
    let copy =
        Grid { m: x.m, n: x.n + 1, values: [x.values.clone(), x.column(2).to_vec()].concat() };
    let params = Params { fixed: vec![2, 40], min_improvement: 0.9, ..Params::new(5) };
    let found = fitted(&copy, &params);
    assert_eq!(found.anchors(), [2, 40]);
    assert_eq!(found.termination(), Termination::BelowThreshold);
}

/// The held-out error of every rank, computed from the definition.
fn held_out_errors(found: &Factorization, test: &Grid) -> Vec<f64> {
    let total = dot(&test.values, &test.values);
    let error = |k: usize| {
        let part = found.truncate(k);
        let mut sum = 0.0;
        for i in 0..test.n {
            let mut r = test.column(i).to_vec();
            for (a, h) in part.anchors().iter().zip(part.coefficients().dense_column(i)) {
                r.iter_mut().zip(test.column(*a)).for_each(|(r, v)| *r -= h * v);
            }
            sum += dot(&r, &r);
        }
        (sum / total).sqrt()
    };
    (1..=found.rank()).map(error).collect()
}

#[test]
fn held_out_errors_are_those_of_the_definition_and_patience_stops_at_the_best() {
    for seed in 0..5 {
        let all = problem(Kind::Noisy, 16, 40, &mut Random(seed ^ 0x8e1d));
        let (kept, held) = split_rows(16, 0.4, seed);
        let part = |rows: &[usize]| {
            let picked = all.map_columns(|_, c| rows.iter().map(|&d| c[d]).collect());
            Grid { m: rows.len(), ..picked }
        };
        let (x, test) = (part(&kept), part(&held));
        for params in every_rule(12) {
            let run =
                |params: &Params| Fit::of(&x.dense()).held_out(&test.dense()).run(params).unwrap();
            let free = run(&params);
            verify(&x, &free, 1e-9);
            let errors: Vec<f64> = free.steps().iter().map(|s| s.held_out.unwrap()).collect();
            for (a, b) in errors.iter().zip(held_out_errors(&free, &test)) {
                assert!((a - b).abs() < 1e-9, "{params:?}: {a} for {b}");
            }
            let found = run(&Params { patience: Some(2), ..params.clone() });
            let lowest =
                |n: usize| (0..n).min_by(|&a, &b| errors[a].total_cmp(&errors[b])).unwrap();
            let stop = (1..=errors.len()).find(|&n| n - (lowest(n) + 1) >= 2);
            let expected = stop.map_or(free.rank(), |n| lowest(n) + 1);
            assert_eq!(found.rank(), expected, "{params:?} {errors:?}");
            let ended = found.termination() == Termination::BelowThreshold;
            assert_eq!(ended, stop.is_some(), "{params:?}");
            assert!(found.suggest_rank().rank <= found.rank());
        }
    }
}

#[test]
fn an_observer_sees_every_step_and_may_stop() {
    let x = noisy(7);
    for params in every_rule(6) {
        let mut seen = Vec::new();
        let mut observer = |step: &Step| {
            seen.push(step.anchor);
            if seen.len() == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let found = Fit::of(&x.dense()).observe(&mut observer).run(&params).unwrap();
        assert_eq!(found.termination(), Termination::Stopped, "{params:?}");
        assert_eq!(found.anchors(), seen);
        assert_eq!(all_bits(&found), all_bits(&fitted(&x, &Params { rank: 3, ..params })));
    }
}

#[test]
fn the_seed_decides_what_rand_finds_and_nothing_else() {
    let x = noisy(8);
    let first =
        |selection, seed| fitted(&x, &Params { selection, seed, ..Params::new(4) }).anchors();
    let runs: Vec<Vec<usize>> = (0..12).map(|seed| first(Selection::Rand, seed)).collect();
    assert!(runs.iter().any(|run| *run != runs[0]), "{runs:?}");
    assert_eq!(first(Selection::Rand, 5), runs[5]);
    for selection in Selection::ALL.into_iter().filter(|s| *s != Selection::Rand) {
        assert_eq!(first(selection, 0), first(selection, 9));
    }
}

#[test]
fn an_exhausted_run_suggests_all_its_anchors() {
    let x = problem(Kind::Planted, 9, 30, &mut Random(3));
    let found = fitted(&x, &Params::new(30));
    let suggestion = found.suggest_rank();
    assert_eq!((suggestion.rank, suggestion.reason), (found.rank(), RankReason::Exhausted));
    let short = fitted(&noisy(9), &Params::new(8)).suggest_rank();
    assert!((1..=8).contains(&short.rank) && short.reason == RankReason::Knee);
}
