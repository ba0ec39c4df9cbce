//! The corner cases that the method's contract lists: ties, duplicates, zeros, too few rays, rank
//! deficiency, negative data.

use crate::support::naive::{EXACT, difference, extreme_rays};
use crate::support::problems::{Kind, Random, problem};
use crate::support::rays::assert_all_rays;
use crate::support::verify::{dot, verify};
use crate::support::{Grid, every_rule, fitted};
use xray_nmf::{
    Descent, Factorization, Normalize, Params, Selection, Solver, SparseMatrix, Termination, fit,
};

fn columns(columns: &[&[f64]]) -> Grid {
    Grid::from_columns(&columns.iter().map(|c| c.to_vec()).collect::<Vec<_>>())
}

fn sorted(mut values: Vec<usize>) -> Vec<usize> {
    values.sort_unstable();
    values
}

/// Matrix, and the lowest index of each extreme ray.
fn separable_cases() -> Vec<(&'static str, Grid, Vec<usize>)> {
    let eight: Vec<Vec<f64>> = (0..8)
        .map(|k| std::f64::consts::TAU * f64::from(k) / 8.0)
        .map(|angle| vec![2.0, 1.0 + angle.cos(), 1.0 + angle.sin()])
        .collect();
    vec![
        ("one column", columns(&[&[3.0, 4.0]]), vec![0]),
        ("one row", columns(&[&[3.0], &[0.0], &[5.0], &[1.0]]), vec![0]),
        ("duplicates", columns(&[&[1.0, 0.0], &[1.0, 0.0], &[0.0, 1.0], &[0.0, 1.0]]), vec![0, 2]),
        ("multiples", columns(&[&[1.0, 2.0], &[2.0, 4.0], &[3.0, 0.0], &[1e-3, 0.0]]), vec![0, 2]),
        ("one ray", columns(&[&[0.0, 0.0], &[1.0, 2.0], &[0.5, 1.0], &[3.0, 6.0]]), vec![1]),
        ("the mean is a column", columns(&[&[1.0, 1.0], &[2.0, 0.0], &[0.0, 2.0]]), vec![1, 2]),
        (
            "p is collinear with the first residual",
            columns(&[&[1.0, 1.0, 1.0], &[1.0, 0.0, 0.0], &[0.0, 1.0, 0.0], &[0.0, 0.0, 1.0]]),
            vec![1, 2, 3],
        ),
        (
            "an interior column comes first and ties",
            columns(&[&[1.0, 1.0, 2.0], &[2.0, 0.0, 2.0], &[0.0, 2.0, 2.0], &[3.0, 3.0, 1.0]]),
            vec![1, 2, 3],
        ),
        ("more rays than dimensions", Grid::from_columns(&eight), (0..8).collect()),
        (
            "zero columns",
            columns(&[&[0.0, 0.0], &[1.0, 0.0], &[0.0, 0.0], &[1.0, 1.0]]),
            vec![1, 3],
        ),
        ("zero rows", columns(&[&[0.0, 1.0, 0.0], &[0.0, 2.0, 0.0]]), vec![0]),
    ]
}

#[test]
fn listed_cases_give_the_lowest_index_of_every_ray() {
    for (name, x, rays) in separable_cases() {
        assert_eq!(extreme_rays(&x).iter().map(|ray| ray[0]).collect::<Vec<_>>(), rays, "{name}");
        for params in every_rule(20).filter(|p| p.selection != Selection::Greedy) {
            let found = fitted(&x, &params);
            assert_eq!(sorted(found.anchors()), rays, "{name} {params:?}");
            assert_eq!(found.termination(), Termination::Exhausted, "{name} {params:?}");
            assert!(found.residual() < 1e-7, "{name} {params:?}: {:e}", found.residual());
            let exact = fitted(&x, &Params { rank: rays.len(), ..params.clone() });
            assert_eq!(exact.termination(), Termination::RankReached, "{name} {params:?}");
            assert_eq!(exact.anchors(), found.anchors(), "{name} {params:?}");
        }
    }
}

/// 400 small-integer matrices; a first-index argmax fails on about 7 % of them.
#[test]
fn small_integer_matrices_give_exactly_their_extreme_rays() {
    for seed in 0..400 {
        let mut random = Random(seed ^ 0x7135);
        let (m, n) = (random.between(3, 6), random.between(4, 16));
        let x = problem(Kind::Integers, m, n, &mut random);
        let rays: Vec<usize> = extreme_rays(&x).iter().map(|ray| ray[0]).collect();
        for (selection, mean_ray) in EXACT.into_iter().flat_map(|s| [(s, false), (s, true)]) {
            let params = Params { selection, mean_ray, seed, ..Params::new(n) };
            let found = fitted(&x, &params);
            assert_eq!(sorted(found.anchors()), rays, "seed {seed} {params:?} {x:?}");
        }
    }
}

#[test]
fn greedy_explains_small_integer_matrices_too() {
    for seed in 0..100 {
        let x = problem(Kind::Integers, 5, 14, &mut Random(seed ^ 0x62ee));
        let params = Params { selection: Selection::Greedy, ..Params::new(usize::MAX) };
        let found = fitted(&x, &params);
        assert_eq!(found.termination(), Termination::Exhausted);
        assert!(found.anchors().is_empty() || found.residual() < 1e-6, "{:e}", found.residual());
    }
}

#[test]
fn nothing_to_find_is_success() {
    let zeros = Grid { m: 3, n: 4, values: vec![0.0; 12] };
    let shapes = [(0, 0), (0, 4), (4, 0)].map(|(m, n)| Grid { m, n, values: Vec::new() });
    for (x, params) in
        [zeros].iter().chain(&shapes).flat_map(|x| every_rule(3).map(move |p| (x, p)))
    {
        for normalize in [Normalize::None, Normalize::L1, Normalize::L2] {
            let params = Params { normalize, ..params.clone() };
            let found = fitted(x, &params);
            assert_eq!((found.rank(), found.residual()), (0, 0.0), "{params:?}");
            assert_eq!(found.termination(), Termination::Exhausted, "{params:?}");
            let sparse = SparseMatrix::<f32>::from_triplets(x.m, x.n, []).unwrap();
            assert_eq!(fit(&sparse, &params).unwrap().rank(), 0, "{params:?}");
            assert_eq!(found.suggest_rank().rank, 0);
        }
    }
}

#[test]
fn rank_zero_finds_nothing_and_succeeds() {
    let x = problem(Kind::Uniform, 4, 9, &mut Random(1));
    for params in every_rule(0) {
        let found = fitted(&x, &params);
        assert_eq!((found.rank(), found.residual()), (0, 1.0), "{params:?}");
        assert_eq!(found.termination(), Termination::RankReached);
        assert_eq!(found.coefficients().n_nonzero(), 0);
    }
}

#[test]
fn stored_zeros_and_negative_zeros_are_zeros() {
    let entries = [(0, 0, 0.0), (1, 0, -0.0), (0, 1, 1.0), (1, 2, 2.0), (0, 2, -0.0)];
    let x = SparseMatrix::from_triplets(2, 3, entries).unwrap();
    for params in every_rule(3) {
        let found = fit(&x, &params).unwrap();
        assert_eq!(sorted(found.anchors()), [1, 2], "{params:?}");
        assert!(found.coefficients().column(0).0.is_empty());
        verify(&columns(&[&[0.0, 0.0], &[1.0, 0.0], &[0.0, 2.0]]), &found, 1e-12);
    }
}

#[test]
fn columns_with_a_nonpositive_sum_are_projected_but_never_chosen() {
    // Column 0 has p'x < 0, column 1 has p'x = 0; both are far out.
    let x = columns(&[&[9.0, -10.0], &[4.0, -4.0], &[1.0, 0.5], &[0.5, 1.0], &[-1.0, 2.0]]);
    for params in every_rule(5).filter(|p| p.selection != Selection::Greedy) {
        let params = Params { allow_negative: true, ..params };
        let found = fitted(&x, &params);
        assert!(found.anchors().iter().all(|j| *j > 1), "{:?} {params:?}", found.anchors());
        assert!(found.rank() > 0, "{params:?}");
        assert!(!found.coefficients().column(0).0.is_empty() || found.anchors()[0] == 4);
        let other = Params { row_weights: Some(vec![2.0, 1.0]), ..params };
        let chosen = fitted(&x, &other).anchors();
        assert!(chosen.iter().all(|j| [0, 1, 2, 3, 4].contains(j)), "{chosen:?}");
    }
}

#[test]
fn only_nonpositive_sums_leave_nothing_to_choose_but_for_greedy() {
    let x = columns(&[&[-1.0, 0.5], &[-1.0, -1.0], &[1.0, -1.0]]);
    for params in every_rule(3) {
        let found = fitted(&x, &Params { allow_negative: true, ..params.clone() });
        if params.selection == Selection::Greedy {
            assert!(found.rank() > 1, "{params:?}");
            continue;
        }
        assert_eq!(found.rank(), 0, "{params:?}");
        assert_eq!(found.termination(), Termination::Exhausted, "{params:?}");
        assert_eq!(found.residual(), 1.0, "{params:?}");
    }
}

/// Column 0 is a little noise whose sum all but cancels: dividing by it would make any score win.
#[test]
fn a_sum_that_all_but_cancels_does_not_win() {
    let noise = [0.01, -0.01 + 1e-7, 0.01, -0.01];
    let x = columns(&[&noise, &[1.0, 0.0, 0.0, 0.2], &[0.0, 1.0, 0.0, 0.2], &[0.5, 0.5, 1.0, 0.2]]);
    for params in every_rule(3).filter(|p| p.selection != Selection::Greedy) {
        let found = fitted(&x, &Params { allow_negative: true, ..params.clone() });
        assert_eq!(sorted(found.anchors()), [1, 2, 3], "{params:?}");
    }
}

/// Every column is in the cone of the anchors, by the tolerance.
fn assert_nothing_outside(x: &Grid, found: &Factorization, what: &str) {
    let anchors = found.anchors();
    let rays: Vec<&[f64]> = anchors.iter().map(|&a| x.column(a)).collect();
    for i in 0..x.n {
        let r = difference(&rays, &found.coefficients().dense_column(i), x.column(i));
        let (left, all) = (dot(&r, &r), dot(x.column(i), x.column(i)));
        assert!(left <= 1.01e-12 * all, "{what}: {:e} of column {i} is left", (left / all).sqrt());
    }
}

#[test]
fn small_columns_are_found_beside_huge_ones() {
    let diagonal = |entries: [f64; 3]| {
        let column = |k: usize| (0..3).map(|d| if d == k { entries[k] } else { 0.0 }).collect();
        Grid::from_columns(&[0, 1, 2].map(column))
    };
    let small = |s: f64| columns(&[&[1.0, 0.0, 0.0], &[0.0, 1.0, 0.0], &[s, s, 1e-3 * s]]);
    let cases = [
        diagonal([1e9, 1.0, 1e-6]),
        diagonal([1.0, 1e-7, 1e-14]),
        diagonal([1e-30, 1e30, 1.0]),
        small(1e-7),
        small(1e-12),
    ];
    // The mean of such columns is the largest of them, by any tolerance.
    let rules = || every_rule(9).filter(|params| !params.mean_ray);
    for (x, params) in cases.iter().flat_map(|x| rules().map(move |p| (x, p))) {
        let found = fitted(x, &params);
        assert_eq!(sorted(found.anchors()), [0, 1, 2], "{params:?} {x:?}");
        assert_eq!(found.termination(), Termination::Exhausted, "{params:?} {x:?}");
    }
}

#[test]
fn rays_are_found_beside_one_that_is_much_longer() {
    for (seed, factor) in (0..8).flat_map(|seed| [1e6, 1e12, 1e13, 1e18].map(|f| (seed, f))) {
        let mut random = Random(seed ^ 0xb16);
        let x = problem(Kind::Planted, 9, 40, &mut random);
        let rays = extreme_rays(&x);
        let longest = rays[random.below(rays.len())].clone();
        let x = x.map_columns(|j, column| {
            let factor = if longest.contains(&j) { factor } else { 1.0 };
            column.iter().map(|v| v * factor).collect()
        });
        for selection in Selection::ALL {
            let params = Params { selection, seed, ..Params::new(40) };
            let found = fitted(&x, &params);
            let what = format!("seed {seed} {factor:e} {selection:?}");
            assert_eq!(found.termination(), Termination::Exhausted, "{what}");
            assert_nothing_outside(&x, &found, &what);
            if selection != Selection::Greedy {
                assert_all_rays(&found.anchors(), &rays, &what);
            }
        }
    }
}

#[test]
fn columns_of_very_different_size_never_end_a_run_early() {
    for seed in 0..60 {
        let mut random = Random(seed ^ 0x517e);
        let x = problem([Kind::Planted, Kind::Noisy][seed as usize % 2], 8, 30, &mut random);
        let factors: Vec<f64> = (0..x.n).map(|_| 10f64.powi(-(random.below(11) as i32))).collect();
        let x = x.map_columns(|j, column| column.iter().map(|v| v * factors[j]).collect());
        for params in every_rule(30) {
            let found = fitted(&x, &Params { seed, ..params.clone() });
            let end = found.termination();
            let what = format!("seed {seed} {params:?}: {end:?} after {} anchors", found.rank());
            assert!(matches!(end, Termination::Exhausted | Termination::RankReached), "{what}");
            // The mean ray is in the cone that is searched, but not in that of the answer.
            if end == Termination::Exhausted && !params.mean_ray {
                assert_nothing_outside(&x, &found, &what);
            }
        }
    }
}

#[test]
fn columns_too_small_to_square_or_invert_do_no_harm() {
    for tiny in [1e-150, 1e-165, 1e-200, 1e-309, 5e-324] {
        let x =
            columns(&[&[tiny, 0.0, tiny], &[1.0, 0.0, 0.0], &[0.0, 1.0, 0.0], &[1.0, 1.0, 0.0]]);
        for (params, normalize) in every_rule(4)
            .flat_map(|p| [Normalize::None, Normalize::L1, Normalize::L2].map(|n| (p.clone(), n)))
        {
            let found = fit(&x.dense(), &Params { normalize, ..params.clone() }).unwrap();
            let what = format!("{tiny:e} {normalize:?} {params:?} {:?}", found.steps());
            assert!([1, 2].iter().all(|j| found.anchors().contains(j)), "{what}");
            assert!(found.residual() < 1e-6, "{what}");
            assert!(found.coefficients().to_dense().iter().all(|v| v.is_finite()), "{what}");
        }
    }
}

#[test]
fn coordinate_descent_comes_close_to_the_exact_solver() {
    for (seed, kind) in Kind::NONNEGATIVE.into_iter().enumerate() {
        let x = problem(kind, 12, 40, &mut Random(seed as u64 ^ 0xcd));
        let params = Params::new(4);
        let exact = fitted(&x, &params);
        let solver = Solver::CoordinateDescent;
        let descent = Descent { tolerance: 1e-14, max_cycles: 100_000 };
        let close = fit(&x.dense(), &Params { solver, descent, ..params }).unwrap();
        verify(&x, &close, 1e-5);
        assert_eq!(close.anchors(), exact.anchors(), "{kind:?}");
        assert!((close.residual() - exact.residual()).abs() < 1e-6, "{kind:?}");
        let pairs =
            close.coefficients().to_dense().into_iter().zip(exact.coefficients().to_dense());
        pairs.for_each(|(a, b)| assert!((a - b).abs() < 1e-3, "{kind:?}: {a} for {b}"));
    }
}
