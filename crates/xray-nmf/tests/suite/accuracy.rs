//! Accuracies as documented: of `nnls` by condition, of fits with nearly dependent anchors, of certificates.
//!
//! Entries are sums of a few powers of 2 and weights small whole numbers, so that right-hand sides have no
//! rounding errors and the true weights are known.

use crate::support::Grid;
use crate::support::problems::{Kind, Random, problem};
use xray_nmf::comm::run_local_ranks;
use xray_nmf::{
    Engine, Fit, Ownership, Params, Portion, Selection, Solver, fit, nnls, with_threads,
};

/// What the documentation of `nnls` promises: the condition up to which, and the error of weights.
const PROMISED: [(f64, f64); 5] =
    [(1e2, 1e-13), (1e3, 1e-12), (1e5, 1e-10), (1e7, 1e-8), (1e10, 1e-5)];

/// Columns within 2^-exponent of each other, and one row that no column has.
fn neighbours(random: &mut Random, k: usize, exponent: i32, signed: bool) -> Grid {
    let m = 12;
    let step = 2f64.powi(-exponent);
    let mut draw = |range: f64| {
        let value = (random.below(range as usize) + 1) as f64;
        if signed && random.chance(0.5) { -value } else { value }
    };
    let mut columns: Vec<Vec<f64>> = Vec::new();
    for j in 0..k {
        let near = j % 2 == 1;
        let mut column: Vec<f64> = (0..m).map(|_| draw(8.0)).collect();
        if near {
            column = columns[j - 1].iter().zip(&column).map(|(a, b)| a + step * b).collect();
        }
        column[m - 1] = 0.0;
        columns.push(column);
    }
    Grid::from_columns(&columns)
}

/// `A x`, which is exact, with `left` in the row that no column has.
fn right_side(a: &Grid, x: &[f64], left: f64) -> Vec<f64> {
    let mut b = vec![0.0; a.m];
    for (k, x) in x.iter().enumerate() {
        b.iter_mut().zip(a.column(k)).for_each(|(b, v)| *b += x * v);
    }
    b[a.m - 1] = left;
    b
}

#[test]
fn weights_are_as_accurate_as_documented() {
    for (seed, &(condition, promised)) in
        (0..40).flat_map(|seed| PROMISED.iter().map(move |class| (seed, class)))
    {
        let mut random = Random(seed ^ 0xacc);
        // Neighbours at an angle of theta have a condition of some 4 / theta.
        let exponent = condition.log2() as i32 - 5;
        let signed = seed % 2 == 1;
        let a = neighbours(&mut random, 6, exponent, signed);
        let x: Vec<f64> = (0..6).map(|_| random.below(4) as f64).collect();
        for left in [0.0, 2f64.powi(-27), 2f64.powi(-10), 2.0] {
            let b = Grid::from_columns(&[right_side(&a, &x, left)]);
            let solved = nnls(&a.dense(), &b.dense()).unwrap();
            let error = solved.solutions[0].iter().zip(&x).map(|(a, b)| (a - b).abs());
            let error = error.fold(0.0, f64::max) / 3.0;
            let what = format!("seed {seed}, condition {condition:e}, residual {left:e}");
            assert!(error <= promised, "{what}: error {error:e}");
            let size = b.values.iter().fold(0.0, |sum: f64, v| sum + v * v).sqrt();
            assert!((solved.residual_norms[0] - left).abs() <= 1e-14 * size, "{what}");
            assert!(solved.kkt_violation <= 1e-14, "{what}: {:e}", solved.kkt_violation);
        }
    }
}

/// The violation of x for A = [[1, -1], [0, t]] and b = (0, 1), whose residuals `mul_add` has exactly.
fn true_violation(t: f64, x: &[f64]) -> f64 {
    let r = [x[1] - x[0], (-t).mul_add(x[1], 1.0)];
    let gradient = [r[0], t.mul_add(r[1], -r[0])];
    let norms = [1.0, 1f64.hypot(t)];
    (0..2).fold(0.0, |worst: f64, k| {
        worst.max(gradient[k] / norms[k]).max((gradient[k] * x[k]).abs())
    })
}

#[test]
fn opposite_columns_are_solved_and_certified() {
    for exponent in 0..42 {
        let t = 10f64.powf(-f64::from(exponent) / 3.0);
        let a = Grid { m: 2, n: 2, values: vec![1.0, 0.0, -1.0, t] };
        let b = Grid { m: 2, n: 1, values: vec![0.0, 1.0] };
        let solved = nnls(&a.dense(), &b.dense()).unwrap();
        let x = &solved.solutions[0];
        assert!(solved.residual_norms[0] <= 1e-14 / t.max(1e-7), "{t:e}: {solved:?}");
        assert!(x.iter().all(|x| (x * t - 1.0).abs() < 1e-12), "{t:e}: {x:?}");
        let (reported, truth) = (solved.kkt_violation, true_violation(t, x));
        assert!(truth <= 3.0 * reported + 1e-14, "{t:e}: {reported:e} for {truth:e}");
        assert!(reported <= 3.0 * truth + 1e-14, "{t:e}: {reported:e} for {truth:e}");
    }
}

#[test]
fn a_small_weight_of_a_near_copy_is_found() {
    let (step, weight) = (2f64.powi(-18), 2f64.powi(-10));
    let a = Grid::from_columns(&[vec![3.0, 1.0, 2.0, 5.0], vec![3.0 + step, 1.0, 2.0 - step, 5.0]]);
    let b = Grid::from_columns(&[right_side(&a, &[1.0, weight], 5.0 * (1.0 + weight))]);
    let solved = nnls(&a.dense(), &b.dense()).unwrap();
    assert!((solved.solutions[0][1] - weight).abs() < 1e-10, "{:?}", solved.solutions[0]);
}

/// Rays in a narrow cone, and points inside it.
fn narrow(random: &mut Random, angle: f64, signed: bool) -> Grid {
    let (m, rays) = (9, 5);
    let mut columns: Vec<Vec<f64>> = (0..rays)
        .map(|_| {
            (0..m)
                .map(|d| {
                    let base = if signed && d % 2 == 0 { -1.0 } else { 1.0 };
                    base + angle * random.unit()
                })
                .collect()
        })
        .collect();
    for _ in 0..40 {
        let mix: Vec<f64> = (0..rays).map(|_| random.unit().powi(2)).collect();
        let noise = 1e-3 * angle;
        let point = |d: usize| mix.iter().zip(&columns).map(|(w, ray)| w * ray[d]).sum::<f64>();
        columns.push((0..m).map(|d| point(d) + noise * random.unit()).collect());
    }
    Grid::from_columns(&columns)
}

/// The violation of a fit, with residuals from the columns themselves.
fn violation_of_fit(x: &Grid, found: &xray_nmf::Factorization) -> f64 {
    let anchors = found.anchors();
    let norm = |v: &[f64]| v.iter().fold(0.0, |sum: f64, v| sum + v * v).sqrt();
    (0..x.n).fold(0.0, |worst: f64, i| {
        let h = found.coefficients().dense_column(i);
        let mut r = x.column(i).to_vec();
        for (&a, h) in anchors.iter().zip(&h) {
            r.iter_mut().zip(x.column(a)).for_each(|(r, v)| *r = (-h).mul_add(*v, *r));
        }
        let size = norm(x.column(i));
        anchors.iter().zip(&h).fold(worst, |worst, (&a, h)| {
            let g: f64 = x.column(a).iter().zip(&r).map(|(a, r)| a * r).sum();
            worst.max(g / (norm(x.column(a)) * size)).max((g * h).abs() / (size * size))
        })
    })
}

#[test]
fn fits_with_nearly_dependent_anchors_are_optimal_and_say_so() {
    for (seed, exponent) in (0..6).flat_map(|seed| (4..14).map(move |e| (seed, e))) {
        let mut random = Random(seed ^ 0xf17);
        let signed = seed % 2 == 1;
        let x = narrow(&mut random, 10f64.powf(-f64::from(exponent) / 2.0), signed);
        let params = Params { allow_negative: signed, ..Params::new(7) };
        let found = fit(&x.dense(), &params).unwrap();
        let (reported, truth) = (found.kkt_violation(), violation_of_fit(&x, &found));
        assert!(truth <= 1.1e-12, "{seed} {exponent}: {truth:e}");
        assert!(truth <= 3.0 * reported + 1e-14, "{seed} {exponent}: {reported:e} for {truth:e}");
    }
}

/// What is corrected is the same bits for any rank that is kept, storage, engine, threads and ranks.
#[test]
fn corrected_fits_have_the_bits_of_shorter_ones_and_of_ranks() {
    for (seed, selection) in Selection::ALL.into_iter().enumerate() {
        let x = narrow(&mut Random(seed as u64 ^ 0xb17), 1e-5, false);
        let params = Params { selection, ..Params::new(6) };
        let whole = fit(&x.dense(), &params).unwrap();
        for rank in 0..=whole.rank() {
            let (short, cut) = (
                fit(&x.sparse(), &Params { rank, ..params.clone() }).unwrap(),
                whole.truncate(rank),
            );
            assert_eq!(short.coefficients(), cut.coefficients(), "{selection:?} {rank}");
            assert_eq!(short.kkt_violation().to_bits(), cut.kkt_violation().to_bits());
        }
        let direct = Params { engine: Engine::Direct, ..params.clone() };
        let other = with_threads(Some(1), || fit(&x.dense(), &direct).unwrap()).unwrap();
        assert_eq!(other.coefficients(), whole.coefficients(), "{selection:?}");
        for size in [2, 3] {
            let parts = run_local_ranks(size, |comm| {
                let columns = x.dense().columns_of(&Ownership::columns(x.n, comm));
                let portion = Portion { columns: &columns, rows: None, n_columns: x.n };
                let found = Fit::part(portion, comm).run(&params).unwrap();
                let all = found.coefficients().gathered(comm, 0).unwrap();
                (all, found.kkt_violation().to_bits())
            });
            assert_eq!(parts[0].0.as_ref(), Some(whole.coefficients()), "{selection:?} {size}");
            assert!(parts.iter().all(|part| part.1 == whole.kkt_violation().to_bits()));
        }
    }
}

#[test]
fn an_anchor_explains_itself_however_near_the_others_are() {
    let values = vec![1.0, 0.0, 0.0, 1.0, 2e-7, 0.0, 0.0, 0.0, 1.0];
    let x = Grid { m: 3, n: 3, values };
    let found = fit(&x.dense(), &Params { fixed: vec![0, 1, 2], ..Params::new(3) }).unwrap();
    assert_eq!((found.rank(), found.residual()), (3, 0.0), "{:?}", found.steps());
}

/// What a ray at distance d explains has a gradient of d times that, which looks like rounding.
#[test]
fn a_weight_is_found_however_little_its_gradient_tells() {
    for exponent in 5..13 {
        let distance = 10f64.powi(-exponent);
        let rays = [[0.58, 0.86, distance], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]];
        let mixed = |d: usize| 0.95 * rays[0][d] + 0.02 * rays[1][d] + 0.06 * rays[2][d];
        let mut columns: Vec<Vec<f64>> = rays.iter().map(|ray| ray.to_vec()).collect();
        columns.push((0..3).map(mixed).collect());
        let x = Grid::from_columns(&columns);
        let found = fit(&x.dense(), &Params { fixed: vec![0, 1, 2], ..Params::new(3) }).unwrap();
        let h = found.coefficients().dense_column(3);
        for (d, own) in x.column(3).iter().enumerate() {
            let left = own - (0..3).map(|k| h[k] * rays[k][d]).sum::<f64>();
            assert!(left.abs() <= 1e-15, "{distance:e}: {left:e} of row {d}, {h:?}");
        }
    }
}

#[test]
fn held_out_errors_have_no_floor() {
    // Weights of whole numbers: the other rows are explained without any error.
    let mut random = Random(3);
    let column =
        |random: &mut Random| -> Vec<f64> { (0..20).map(|_| random.below(9) as f64).collect() };
    let mut columns: Vec<Vec<f64>> = (0..3).map(|_| column(&mut random)).collect();
    for _ in 0..30 {
        let mix: Vec<f64> = (0..3).map(|_| random.below(5) as f64).collect();
        columns.push((0..20).map(|d| (0..3).map(|k| mix[k] * columns[k][d]).sum()).collect());
    }
    let x = Grid::from_columns(&columns);
    let (seen, held) = ((0..12).collect::<Vec<_>>(), (12..20).collect::<Vec<_>>());
    let (train, test) = (x.dense().rows_at(&seen), x.dense().rows_at(&held));
    let found = Fit::of(&train).held_out(&test).run(&Params::new(3)).unwrap();
    let error = found.steps()[2].held_out.unwrap();
    assert!(error < 1e-13, "{error:e}");
}

#[test]
fn what_coordinate_descent_leaves_is_bounded() {
    for seed in 0..40 {
        let mut random = Random(seed ^ 0xcd);
        let x = problem(Kind::NONNEGATIVE[seed as usize % 4], 12, 30, &mut random);
        let exact = fit(&x.dense(), &Params::new(5)).unwrap();
        for tolerance in [1e-2, 1e-4, 1e-10] {
            let mut params = Params { fixed: exact.anchors(), ..Params::new(exact.rank()) };
            params.solver = Solver::CoordinateDescent;
            params.descent.tolerance = tolerance;
            let quick = fit(&x.dense(), &params).unwrap();
            let left = quick.residual().powi(2) - exact.residual().powi(2);
            let bound = quick.excess_bound().unwrap();
            assert!(left <= bound + 1e-14, "{seed} {tolerance:e}: {left:e} above {bound:e}");
            assert!(
                bound <= 1e3 * tolerance.sqrt(),
                "{seed} {tolerance:e}: {bound:e} says nothing"
            );
            let truth = violation_of_fit(&x, &quick);
            assert!((quick.kkt_violation() - truth).abs() <= 1e-12, "{seed} {tolerance:e}");
        }
        assert!(exact.excess_bound().unwrap() <= 1e-11);
    }
    let signed = problem(Kind::Signed, 8, 10, &mut Random(1));
    let params = Params { allow_negative: true, ..Params::new(3) };
    assert_eq!(fit(&signed.dense(), &params).unwrap().excess_bound(), None);
}
