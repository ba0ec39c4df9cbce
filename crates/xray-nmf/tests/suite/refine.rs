//! Refinement never makes the objective worse, and reports the objective of what it returns.

use std::ops::ControlFlow;

use crate::support::Grid;
use crate::support::problems::{Kind, Random, problem};
use crate::support::verify::{dot, verify};
use xray_nmf::comm::{Communicator, OneRank, run_local_ranks};
use xray_nmf::{
    Error, Factorization, Factors, Fit, Matrix, Next, Observer, Ownership, Params, Portion, Refine,
    Refinement, Result, SeededTopics, Selection, SparseMatrix, Step, fit, with_threads,
};

const METHODS: [Refinement; 4] = Refinement::ALL;

/// So many steps from given factors.
fn refine_from(x: &dyn Matrix, start: Factors, method: Refinement, n: usize) -> Result<Factors> {
    Refine::of(x).method(method).steps(n, 0.0).run(start)
}

/// So many steps from the anchors of a fit.
fn refine(x: &dyn Matrix, found: &Factorization, method: Refinement, n: usize) -> Result<Factors> {
    refine_from(x, found.factors(&OneRank)?, method, n)
}

fn product(found: &Factors, d: usize, j: usize) -> f64 {
    let r = found.rank;
    dot(&found.w[d * r..(d + 1) * r], &found.h[j * r..(j + 1) * r])
}

/// The objective from its definition.
fn objective(x: &Grid, found: &Factors, method: Refinement) -> f64 {
    let mut sum = 0.0;
    for (j, d) in (0..x.n).flat_map(|j| (0..x.m).map(move |d| (j, d))) {
        let (v, y) = (x.column(j)[d], product(found, d, j));
        sum += match method {
            Refinement::KullbackLeibler if v > 0.0 => v * (v / y).ln() - v + y,
            Refinement::KullbackLeibler => y,
            _ => (v - y) * (v - y),
        };
    }
    sum
}

fn assert_sound(x: &Grid, found: &Factors, method: Refinement, iterations: usize, what: &str) {
    let path = &found.objective;
    let total = dot(&x.values, &x.values) + x.values.iter().sum::<f64>().abs();
    assert_eq!(path.len(), iterations + 1, "{what}");
    assert!(path.iter().all(|v| *v >= 0.0 && v.is_finite()), "{what}: {path:?}");
    assert!(found.w.iter().chain(&found.h).all(|v| *v >= 0.0 && v.is_finite()), "{what}");
    assert!(path.windows(2).all(|p| p[1] <= p[0] + 1e-12 * total), "{what}: {path:?}");
    let (expected, last) = (objective(x, found, method), path[iterations]);
    assert!((last - expected).abs() <= 1e-10 * total, "{what}: {last} for {expected}");
}

#[test]
fn every_method_descends_and_reports_the_truth() {
    for (seed, kind) in Kind::NONNEGATIVE.into_iter().enumerate() {
        for (trial, method) in METHODS.into_iter().cycle().take(12).enumerate() {
            let mut random = Random((100 * seed + trial) as u64);
            let (m, n) = (random.between(2, 90), random.between(2, 90));
            let x = problem(kind, m, n, &mut random);
            let selection = Selection::ALL[trial % Selection::ALL.len()];
            let start = fit(&x.dense(), &Params { selection, ..Params::new(4) }).unwrap();
            verify(&x, &start, 1e-9);
            if start.rank() == 0 {
                continue;
            }
            let found = refine(&x.dense(), &start, method, 15).unwrap();
            let what = format!("{kind:?} {trial} {method:?} {m} x {n}");
            assert_sound(&x, &found, method, 15, &what);
            for threads in [1, 2] {
                let same = || refine(&x.sparse(), &start, method, 15).unwrap();
                let same = with_threads(Some(threads), same);
                assert_eq!(same.as_ref(), Ok(&found), "{what}: {threads} threads");
            }
        }
    }
}

#[test]
fn refinement_starts_from_the_fit() {
    let x = problem(Kind::Noisy, 20, 30, &mut Random(6));
    let start = fit(&x.dense(), &Params::new(3)).unwrap();
    verify(&x, &start, 1e-9);
    let total = dot(&x.values, &x.values);
    for method in [Refinement::Exact, Refinement::Hals] {
        let found = refine(&x.dense(), &start, method, 0).unwrap();
        let expected = start.residual().powi(2) * total;
        assert!((found.objective[0] - expected).abs() <= 1e-9 * total, "{method:?}");
    }
}

/// Exact steps are the best that each factor alone can make: to beat them takes looking ahead (without
/// it, HALS does so on 2 of these 20).
#[test]
fn ten_steps_of_hals_do_better_than_ten_exact_ones() {
    let wins = |seed| {
        let x = problem(Kind::Uniform, 60, 80, &mut Random(seed));
        let x = x.dense();
        let start = fit(&x, &Params::new(12)).unwrap();
        let after = |method| refine(&x, &start, method, 10).unwrap().objective[10];
        after(Refinement::Hals) < after(Refinement::Exact)
    };
    let won = (0..20).filter(|&seed| wins(seed)).count();
    assert!(won >= 18, "{won} of 20");
}

/// Columns of a few smooth bumps on a common slope, and mixtures of them with noise: topics overlap.
fn overlapping(width: f64) -> Grid {
    let mut random = Random(31);
    let bump = |centre: f64, d: usize| {
        0.2 + d as f64 / 60.0 + (-((d as f64 / 40.0 - centre) / width).powi(2)).exp()
    };
    let columns: Vec<Vec<f64>> = (0..90)
        .map(|_| {
            let mix: Vec<f64> = (0..4).map(|_| random.unit().powi(3)).collect();
            let sum = |d| {
                mix.iter().enumerate().map(|(k, w)| w * bump(0.2 * k as f64 + 0.2, d)).sum::<f64>()
            };
            (0..40).map(|d| sum(d) + 0.01 * random.unit()).collect()
        })
        .collect();
    Grid::from_columns(&columns)
}

#[test]
fn the_method_is_chosen_by_how_near_topics_are() {
    for (x, method) in [
        (overlapping(0.3), Refinement::Exact),
        (overlapping(0.05), Refinement::Hals),
        (problem(Kind::Sparse, 60, 80, &mut Random(4)), Refinement::Hals),
    ] {
        let found = fit(&x.dense(), &Params::new(4)).unwrap();
        let auto = refine(&x.dense(), &found, Refinement::Auto, 10).unwrap();
        assert_eq!(auto.method, Some(method));
        assert_eq!(auto, refine(&x.dense(), &found, method, 10).unwrap());
    }
    let x = overlapping(0.3);
    let found = fit(&x.dense(), &Params::new(4)).unwrap();
    let after = |method| refine(&x.dense(), &found, method, 10).unwrap().objective[10];
    assert!(after(Refinement::Auto) < 0.9 * after(Refinement::Hals));
}

/// The first change leads away from the start: to look ahead along it made the first step worse by half.
#[test]
fn the_first_step_of_hals_is_as_good_as_a_plain_one() {
    for width in [0.05, 0.1, 0.3] {
        let x = overlapping(width);
        let found = fit(&x.dense(), &Params::new(2)).unwrap();
        let after = |method| refine(&x.dense(), &found, method, 1).unwrap().objective[1];
        let (hals, exact) = (after(Refinement::Hals), after(Refinement::Exact));
        assert!(hals < 1.25 * exact, "{width}: {hals} after an exact step's {exact}");
    }
}

#[test]
fn topics_that_one_factor_has_nothing_of_come_back() {
    let x = problem(Kind::Noisy, 30, 40, &mut Random(12));
    let found = fit(&x.dense(), &Params::new(4)).unwrap();
    for method in METHODS {
        let whole = refine(&x.dense(), &found, method, 40).unwrap().objective[40];
        for of_h in [true, false] {
            let mut start = found.factors(&OneRank).unwrap();
            let factor = if of_h { &mut start.h } else { &mut start.w };
            factor.iter_mut().skip(1).step_by(4).for_each(|v| *v = 0.0);
            let refined = refine_from(&x.dense(), start, method, 40).unwrap();
            let (first, last) = (refined.objective[0], refined.objective[40]);
            assert!(
                last < 1.2 * whole + 0.02 * first,
                "{method:?}: {last} for {whole}, from {first}"
            );
        }
    }
}

#[test]
fn divergence_does_not_depend_on_the_scale_of_topics() {
    let x = problem(Kind::Noisy, 25, 35, &mut Random(13));
    let start = fit(&x.dense(), &Params::new(3)).unwrap().factors(&OneRank).unwrap();
    let mut scaled = start.clone();
    for (k, scale) in [1e-4, 1.0, 1e4].into_iter().enumerate() {
        scaled.w.iter_mut().skip(k).step_by(3).for_each(|v| *v *= scale);
        scaled.h.iter_mut().skip(k).step_by(3).for_each(|v| *v /= scale);
    }
    let method = Refinement::KullbackLeibler;
    let [plain, other] = [start.clone(), scaled]
        .map(|start| refine_from(&x.dense(), start, method, 20).unwrap().objective);
    for (a, b) in plain.iter().zip(&other) {
        assert!((a - b).abs() <= 1e-9 * a, "{plain:?} {other:?}");
    }
    // The first is that of the start as given, zeros included.
    let expected = objective(&x, &start, method);
    let zero = start.w.chunks(3).any(|w| start.h.chunks(3).any(|h| dot(w, h) == 0.0));
    assert!(zero || (plain[0] - expected).abs() <= 1e-9 * expected, "{} {expected}", plain[0]);
}

#[test]
fn tiny_entries_have_a_divergence() {
    for (tiny, large) in [(1e-65, 1e65), (1e-200, 1e20), (5e-324, 1e20)] {
        let x = Grid { m: 2, n: 2, values: vec![tiny, large, 0.0, tiny] };
        for (w, h) in [(1e140, 1e140), (1e-140, 1e-140), (1e-200, 1e-200), (0.0, 1.0)] {
            let mut start = start(&x, 1, |_| w);
            start.h.fill(h);
            let found = refine_from(&x.dense(), start, Refinement::KullbackLeibler, 3).unwrap();
            let numbers = [&found.objective, &found.w, &found.h].into_iter().flatten();
            assert!(numbers.copied().all(|v| v.is_finite() && v >= 0.0), "{tiny} {w}: {found:?}");
        }
    }
}

#[test]
fn nothing_is_left_of_an_exact_product_and_never_less() {
    for seed in 0..20 {
        let mut random = Random(seed ^ 0x77);
        let x = problem(Kind::Planted, 12, 20, &mut random);
        let found = fit(&x.dense(), &Params::new(12)).unwrap();
        for method in METHODS {
            let path = refine(&x.dense(), &found, method, 6).unwrap().objective;
            assert!(path.iter().all(|v| *v >= 0.0), "{method:?}: {path:?}");
        }
    }
}

#[test]
fn exact_refinement_descends_on_negative_data() {
    let x = problem(Kind::Signed, 20, 30, &mut Random(7));
    let params = Params { allow_negative: true, ..Params::new(3) };
    let start = fit(&x.dense(), &params).unwrap();
    verify(&x, &start, 1e-9);
    for method in [Refinement::Exact, Refinement::Hals] {
        let found = refine(&x.dense(), &start, method, 10).unwrap();
        assert_sound(&x, &found, method, 10, &format!("{method:?}"));
    }
    let refused = refine(&x.dense(), &start, Refinement::KullbackLeibler, 1);
    assert!(matches!(refused, Err(Error::Negative { .. })));
}

fn start(x: &Grid, rank: usize, value: impl Fn(usize) -> f64) -> Factors {
    let numbers = |n: usize| (0..n * rank).map(&value).collect();
    Factors { rank, w: numbers(x.m), h: numbers(x.n), objective: vec![9.0], method: None }
}

#[test]
fn zeros_and_equal_topics_are_allowed_starts() {
    let x = problem(Kind::Integers, 7, 9, &mut Random(8));
    let values: [fn(usize) -> f64; 4] = [
        |_| 0.0,
        |q| if q % 3 == 0 { 0.0 } else { 1.0 },
        |_| 1.0,
        |q| if q % 2 == 0 { 1e-30 } else { 1e5 },
    ];
    for (method, (k, value)) in
        METHODS.into_iter().flat_map(|m| values.iter().enumerate().map(move |v| (m, v)))
    {
        let found = refine_from(&x.dense(), start(&x, 3, value), method, 8).unwrap();
        assert_sound(&x, &found, method, 8, &format!("{method:?} start {k}"));
    }
}

#[test]
fn a_zero_matrix_is_refined_to_zero() {
    let x = Grid { m: 3, n: 4, values: vec![0.0; 12] };
    for method in METHODS {
        let found = refine_from(&x.dense(), start(&x, 2, |_| 1.0), method, 3).unwrap();
        assert_sound(&x, &found, method, 3, &format!("{method:?}"));
        assert!(found.objective[3].abs() < 1e-12, "{method:?}: {:?}", found.objective);
    }
}

/// Stops in one iteration, and keeps what it is shown.
struct StopsAt<'a> {
    iteration: usize,
    seen: &'a mut Vec<(usize, f64)>,
}

impl Observer for StopsAt<'_> {
    fn step(&mut self, _: &Step) -> Next {
        Next::Continue
    }

    fn iteration(&mut self, t: usize, objective: f64) -> ControlFlow<()> {
        self.seen.push((t, objective));
        if t == self.iteration { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

#[test]
fn an_observer_sees_every_iteration_and_may_end_the_run() {
    let x = problem(Kind::Noisy, 20, 30, &mut Random(11));
    for method in METHODS {
        let first = start(&x, 3, |q| (q % 7) as f64);
        let whole = refine_from(&x.dense(), first.clone(), method, 3).unwrap();
        let mut seen = Vec::new();
        let observer = &mut StopsAt { iteration: 3, seen: &mut seen };
        let dense = x.dense();
        let refine = Refine::of(&dense).method(method).steps(9, 0.0).observe(observer);
        let stopped = refine.run(first).unwrap();
        assert_eq!(stopped, whole, "{method:?}");
        let expected: Vec<_> = (1..=3).map(|t| (t, whole.objective[t])).collect();
        assert_eq!(seen, expected, "{method:?}");
    }
}

#[test]
fn methods_are_found_by_name() {
    assert!(METHODS.into_iter().all(|method| method.name().parse() == Ok(method)));
    assert!("newton".parse::<Refinement>().is_err());
}

#[test]
fn bad_starts_are_refused() {
    let x = problem(Kind::Uniform, 4, 5, &mut Random(9));
    for method in METHODS {
        for bad in [-1.0, f64::NAN, f64::INFINITY] {
            let mut first = start(&x, 2, |_| 1.0);
            first.w[3] = bad;
            assert!(refine_from(&x.dense(), first, method, 1).is_err(), "{method:?} {bad}");
        }
        let mut short = start(&x, 2, |_| 1.0);
        short.h.pop();
        let refused = refine_from(&x.dense(), short, method, 1);
        assert!(matches!(refused, Err(Error::Length { .. })), "{method:?}");
        let other = fit(&x.dense().rows_at(&[0, 1]), &Params::new(2)).unwrap();
        assert!(refine(&x.dense(), &other, method, 1).is_err(), "{method:?}");
    }
}

#[test]
fn rank_zero_has_nothing_to_refine_but_an_objective() {
    let x = problem(Kind::Uniform, 4, 5, &mut Random(10));
    let nothing = fit(&x.dense(), &Params::new(0)).unwrap();
    for method in [Refinement::Auto, Refinement::Exact, Refinement::Hals] {
        let found = refine(&x.dense(), &nothing, method, 2).unwrap();
        assert!(found.w.is_empty() && found.h.is_empty() && found.rank == 0);
        assert_sound(&x, &found, method, 2, &format!("{method:?}"));
    }
    verify(&x, &nothing, 1e-9);
}

#[test]
fn ranks_change_no_bit_of_a_refinement() {
    // More rows than two blocks, and columns that do not end with a chunk.
    let (m, n, rank) = (2 * Ownership::ROW_BLOCK + 300, 1100, 4);
    let mut state = 5u64;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        state >> 33
    };
    let entries: Vec<(usize, usize, f64)> = (0..6 * m)
        .map(|_| (next() as usize % m, next() as usize % n, (1 + next() % 9) as f64 / 3.0))
        .collect();
    let x = SparseMatrix::from_triplets(m, n, entries).expect("in range");
    let found = fit(&x, &Params::new(rank)).expect("a fit");
    let start = found.factors(&OneRank).expect("one rank");
    let columns: Vec<Vec<usize>> = found.anchors().iter().take(2).map(|&j| vec![j]).collect();
    let strengths = [0.0, 0.3, 1.0].map(|strength| (columns.clone(), strength));
    let seeds = strengths.map(|(columns, strength)| SeededTopics { columns, strength });
    for (method, seeded) in METHODS.into_iter().flat_map(|m| seeds.iter().map(move |s| (m, s))) {
        let whole = Refine::of(&x).method(method).steps(3, 0.0).seeded(seeded);
        let whole = whole.run(start.clone()).expect("refined");
        for size in [1, 2, 3, 5] {
            let parts = run_local_ranks(size, |comm| {
                let mine = |d: &usize| d / Ownership::ROW_BLOCK % size == comm.rank();
                let own: Vec<usize> = (0..m).filter(mine).collect();
                let columns = x.columns_of(&Ownership::columns(n, comm));
                let rows = x.rows_at(&own);
                let portion = Portion { columns: &columns, rows: Some(&rows), n_columns: n };
                let refined = with_threads(Some(1), || {
                    let found = Fit::part(portion, comm).run(&Params::new(rank))?;
                    let start = found.factors(comm)?;
                    let refine = Refine::part(portion, comm).method(method).steps(3, 0.0);
                    refine.seeded(seeded).run(start)
                });
                (own, refined.expect("a pool").expect("refined"))
            });
            for (own, part) in parts {
                assert_eq!(part.h, whole.h, "{method:?} {size}");
                assert_eq!(part.objective, whole.objective, "{method:?} {size}");
                for (q, d) in own.into_iter().enumerate() {
                    let lines = (&part.w[q * rank..][..rank], &whole.w[d * rank..][..rank]);
                    assert_eq!(lines.0, lines.1, "{method:?} {size}: row {d}");
                }
            }
        }
    }
}

#[test]
fn refinement_ends_when_it_settles_and_when_any_rank_wants_to() {
    let grid = problem(Kind::Uniform, 12, 20, &mut Random(77));
    let x = grid.dense();
    let first = fit(&x, &Params::new(3)).unwrap().factors(&OneRank).unwrap();
    let all = Refine::of(&x).steps(30, 0.0).run(first.clone()).unwrap().objective;
    let few = Refine::of(&x).steps(30, 1e-2).run(first).unwrap().objective;
    assert!(few.len() < all.len() && all.starts_with(&few), "{few:?}");
    // Three steps together, each window from the start on.
    let small: Vec<bool> = few.windows(4).map(|f| f[0] - f[3] < 1e-2 * f[3]).collect();
    assert!(small.iter().rev().skip(1).all(|small| !small) && small.last() == Some(&true));

    let lengths = run_local_ranks(3, |comm| {
        let columns = x.columns_of(&Ownership::columns(20, comm));
        let rows = x.rows_at(&(0..if comm.rank() == 0 { 12 } else { 0 }).collect::<Vec<_>>());
        let portion = Portion { columns: &columns, rows: Some(&rows), n_columns: 20 };
        let start = Fit::part(portion, comm).run(&Params::new(3)).unwrap().factors(comm).unwrap();
        let iteration = if comm.rank() == 1 { 4 } else { 100 };
        let observer = &mut StopsAt { iteration, seen: &mut Vec::new() };
        let refine = Refine::part(portion, comm).steps(9, 0.0).observe(observer);
        refine.run(start).unwrap().objective.len()
    });
    assert_eq!(lengths, [5; 3]);
}

#[test]
fn what_one_rank_refuses_no_rank_waits_for() {
    let grid = problem(Kind::Uniform, 6, 8, &mut Random(3));
    let x = grid.dense();
    let results = run_local_ranks(2, |comm| {
        let columns = x.columns_of(&Ownership::columns(8, comm));
        let rows = x.rows_at(&(0..if comm.rank() == 0 { 6 } else { 0 }).collect::<Vec<_>>());
        let portion = Portion { columns: &columns, rows: Some(&rows), n_columns: 8 };
        let found = Fit::part(portion, comm).run(&Params::new(2)).unwrap();
        let mut start = found.factors(comm).unwrap();
        if comm.rank() == 1 {
            start.h[3] = -1.0;
        }
        Refine::part(portion, comm).run(start)
    });
    assert!(matches!(&results[0], Err(Error::Communication(words)) if words.contains("rank 1")));
    assert!(matches!(&results[1], Err(Error::Parameter { .. })));
}
