//! NMF by local optimisation: pivoting is exact, objectives fall, starts are as defined.

use crate::support::Grid;
use crate::support::problems::{Kind, Random, corners, problem};
use crate::support::verify::dot;
use xray_nmf::rivals::{Fill, LocalMethod, LocalParams, Start, local_nmf, nnls_block_pivoting};
use xray_nmf::{Error, Factors, Matrix, Params, fit, nnls, with_threads};

const METHODS: [LocalMethod; 3] =
    [LocalMethod::Hals, LocalMethod::Anls, LocalMethod::Multiplicative];

/// `||X - WH||_F^2`, entry by entry.
fn distance(x: &Grid, found: &Factors) -> f64 {
    let r = found.rank;
    let entries = (0..x.n).flat_map(|j| (0..x.m).map(move |d| (d, j)));
    let error = |(d, j): (usize, usize)| {
        let product = dot(&found.w[d * r..(d + 1) * r], &found.h[j * r..(j + 1) * r]);
        (x.column(j)[d] - product).powi(2)
    };
    entries.map(error).sum()
}

/// Nonnegative, finite, an objective that never rises and is that of the factors.
fn assert_sound(x: &Grid, found: &Factors, iterations: usize, what: &str) {
    let total = dot(&x.values, &x.values);
    assert!(found.w.iter().chain(&found.h).all(|v| *v >= 0.0 && v.is_finite()), "{what}");
    assert_eq!(found.objective.len(), iterations + 1, "{what}");
    let falls = found.objective.windows(2).all(|pair| pair[1] <= pair[0] + 1e-12 * total);
    assert!(falls, "{what}: {:?}", found.objective);
    let last = found.objective[iterations];
    assert!((last - distance(x, found)).abs() <= 1e-9 * total, "{what}: {last}");
}

#[test]
fn pivoting_gives_the_answers_of_the_active_set() {
    for seed in 0..300 {
        let mut random = Random(seed ^ 0xb99);
        let kind = [Kind::Uniform, Kind::Noisy, Kind::Sparse, Kind::Signed][seed as usize % 4];
        let n = random.between(1, 9);
        let (a, b) = (
            problem(kind, n + random.below(9), n, &mut random),
            problem(Kind::Signed, 18, random.between(1, 40), &mut random),
        );
        let b = Grid { m: a.m, n: b.n, values: b.values[..a.m * b.n].to_vec() };
        let solved = nnls(&a.dense(), &b.dense()).unwrap();
        let pivoted = nnls_block_pivoting(&a.dense(), &b.dense()).unwrap();
        for threads in [1, 2] {
            let again = || nnls_block_pivoting(&a.sparse(), &b.sparse()).unwrap();
            let again = with_threads(Some(threads), again);
            assert_eq!(again.as_ref(), Ok(&pivoted), "seed {seed}");
        }
        for (i, (z, expected)) in pivoted.iter().zip(&solved.solutions).enumerate() {
            let size = expected.iter().copied().fold(1.0, f64::max);
            for (z, expected) in z.iter().zip(expected) {
                assert!((z - expected).abs() <= 1e-10 * size, "seed {seed} {kind:?} {i}: {a:?}");
            }
        }
    }
}

#[test]
fn pivoting_survives_dependent_and_zero_columns() {
    let half = problem(Kind::Integers, 6, 4, &mut Random(5));
    let values = [half.values.clone(), vec![0.0; 6], half.values].concat();
    let a = Grid { m: 6, n: 9, values };
    let b = problem(Kind::Signed, 6, 50, &mut Random(6));
    let solved = nnls(&a.dense(), &b.dense()).unwrap();
    for (i, z) in nnls_block_pivoting(&a.dense(), &b.dense()).unwrap().iter().enumerate() {
        let mut r = b.column(i).to_vec();
        for (k, z) in z.iter().enumerate() {
            r.iter_mut().zip(a.column(k)).for_each(|(r, v)| *r -= z * v);
        }
        assert!((dot(&r, &r).sqrt() - solved.residual_norms[i]).abs() < 1e-10, "{i}");
    }
}

#[test]
fn objectives_never_rise_and_threads_change_no_bit() {
    for (seed, kind) in Kind::NONNEGATIVE.into_iter().enumerate() {
        let x = problem(kind, 30, 45, &mut Random(seed as u64 ^ 0x10ca));
        let anchors = fit(&x.dense(), &Params::new(4)).unwrap();
        let starts = [
            Start::Random { seed: 3 },
            Start::Nndsvd { fill: Fill::Zeros },
            Start::Nndsvd { fill: Fill::Mean },
            Start::Nndsvd { fill: Fill::Random { seed: 1 } },
            Start::Anchors(&anchors),
        ];
        for (start, method) in starts.iter().flat_map(|s| METHODS.map(|method| (s, method))) {
            let what = format!("{kind:?} {method:?} {start:?}");
            let params = LocalParams {
                method,
                start: start.clone(),
                iterations: 15,
                ..LocalParams::new(anchors.rank())
            };
            let found = local_nmf(&x.dense(), &params).unwrap();
            assert_sound(&x, &found, 15, &what);
            for threads in [1, 2] {
                let same = || local_nmf(&x.sparse(), &params).unwrap();
                assert_eq!(with_threads(Some(threads), same).as_ref(), Ok(&found), "{what}");
            }
        }
    }
}

#[test]
fn seeds_differ_and_repeat() {
    let x = problem(Kind::Noisy, 12, 20, &mut Random(2));
    let run = |seed| {
        let start = Start::Random { seed };
        local_nmf(&x.dense(), &LocalParams { start, ..LocalParams::new(3) }).unwrap()
    };
    assert_eq!(run(1), run(1));
    assert_ne!(run(1).w, run(2).w);
}

/// X X'u = s^2 u for what NNDSVD starts from: checked through the leading pair, which is kept whole.
#[test]
fn nndsvd_starts_with_the_leading_singular_pair() {
    let x = problem(Kind::Uniform, 14, 11, &mut Random(8));
    let start = Start::Nndsvd { fill: Fill::Zeros };
    let params =
        LocalParams { start, iterations: 0, method: LocalMethod::Anls, ..LocalParams::new(4) };
    let found = local_nmf(&x.dense(), &params).unwrap();
    let u: Vec<f64> = found.w.chunks(4).map(|row| row[0]).collect();
    let v: Vec<f64> = found.h.chunks(4).map(|row| row[0]).collect();
    let value = (dot(&u, &u) * dot(&v, &v)).sqrt();
    for (j, v) in v.iter().enumerate() {
        assert!((dot(x.column(j), &u) - value * v).abs() < 1e-9 * value, "column {j}");
    }
    for k in 1..4 {
        let zeros = |factor: &[f64]| factor.chunks(4).filter(|row| row[k] == 0.0).count();
        assert!(zeros(&found.w) > 0 && zeros(&found.h) > 0, "topic {k} keeps one sign");
    }
}

#[test]
fn corners_have_answers_without_nan() {
    let huge = problem(Kind::Planted, 5, 9, &mut Random(3)).scaled(1e69);
    let grids: Vec<Grid> = corners().into_iter().map(|(x, _)| x).chain([huge]).collect();
    for (x, method) in grids.iter().flat_map(|x| METHODS.map(|m| (x, m))) {
        let starts = [Start::Random { seed: 1 }, Start::Nndsvd { fill: Fill::Zeros }];
        for (rank, start) in [0, 1, 7].into_iter().flat_map(|r| starts.clone().map(|s| (r, s))) {
            let what = format!("{} x {} {method:?} {rank} {start:?}", x.m, x.n);
            let params = LocalParams { method, start, iterations: 5, ..LocalParams::new(rank) };
            assert_sound(x, &local_nmf(&x.dense(), &params).unwrap(), 5, &what);
        }
    }
}

#[test]
fn wrong_starts_and_signs_are_refused() {
    let x = problem(Kind::Uniform, 4, 5, &mut Random(9));
    for method in METHODS {
        let (w, h) = (vec![-1.0; 4], vec![1.0; 5]);
        let bad = Factors { rank: 1, w, h, objective: vec![], method: None };
        let start = Start::Factors(&bad);
        let params = LocalParams { method, start, ..LocalParams::new(1) };
        assert!(local_nmf(&x.dense(), &params).is_err(), "{method:?}");
        let params = LocalParams { rank: 2, ..params };
        assert!(matches!(local_nmf(&x.dense(), &params), Err(Error::Length { .. })));
    }
    let signed = problem(Kind::Signed, 4, 5, &mut Random(9));
    assert!(signed.dense().first_negative().is_some());
    let params = LocalParams { method: LocalMethod::Multiplicative, ..LocalParams::new(2) };
    assert!(matches!(local_nmf(&signed.dense(), &params), Err(Error::Negative { .. })));
}
