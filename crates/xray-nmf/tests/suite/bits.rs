//! Threads, ranks, repetition and truncation never change a bit.

use crate::support::problems::{Kind, Random, problem};
use crate::support::verify::verify;
use crate::support::{Grid, all_bits, comparable};
use xray_nmf::comm::{LocalRank, run_local_ranks};
use xray_nmf::{
    Factorization, Fit, Matrix, Normalize, Ownership, Params, Portion, Result, Selection, Solver,
    Termination, fit, with_threads,
};

/// All rules, with and without the mean ray.
fn every_rule() -> impl Iterator<Item = Params> {
    let rules = Selection::ALL.into_iter().flat_map(|s| [(s, false), (s, true)]);
    rules.map(|(selection, mean_ray)| Params { selection, mean_ray, seed: 11, ..Params::new(7) })
}

fn many_columns(kind: Kind, m: usize, n: usize) -> Grid {
    problem(kind, m, n, &mut Random((m * n) as u64))
}

#[test]
fn threads_and_repetition_change_no_bit() {
    let problems = [many_columns(Kind::Sparse, 40, 1100), many_columns(Kind::Noisy, 12, 700)];
    for (x, params) in problems.iter().flat_map(|x| every_rule().map(move |p| (x, p))) {
        let (sparse, dense) = (x.sparse(), x.dense());
        let reference = fit(&dense, &params).unwrap();
        for threads in [1, 2, 3, 2] {
            let both = || (fit(&sparse, &params).unwrap(), fit(&dense, &params).unwrap());
            let (a, b) = with_threads(Some(threads), both).unwrap();
            let what = format!("{threads} threads {params:?}");
            assert_eq!(all_bits(&a), all_bits(&reference), "sparse, {what}");
            assert_eq!(all_bits(&b), all_bits(&reference), "dense, {what}");
            assert_eq!(b.steps(), reference.steps(), "evaluations, {what}");
        }
        verify(x, &reference, 1e-9);
    }
}

#[test]
fn threads_change_no_bit_of_large_products() {
    let x = many_columns(Kind::Sparse, 500, 900);
    for selection in [Selection::Max, Selection::Greedy] {
        let params = Params { selection, ..Params::new(4) };
        let on = |threads| {
            let uncached = || Fit::of(&x.sparse()).memory(Some(0)).run(&params).unwrap();
            with_threads(Some(threads), uncached).unwrap()
        };
        let reference = on(1);
        for threads in [2, 3] {
            assert_eq!(all_bits(&on(threads)), all_bits(&reference), "{selection:?}");
        }
        verify(&x, &reference, 1e-9);
    }
}

/// Each rank's own columns' weights are those of `whole`, and everything else is the same.
fn assert_same_on_ranks(parts: &[Result<Factorization>], whole: &Factorization, what: &str) {
    let mut n_owned = 0;
    for part in parts {
        let part = part.as_ref().unwrap();
        assert_eq!(comparable(part.steps()), comparable(whole.steps()), "{what}");
        assert_eq!(part.termination(), whole.termination(), "{what}");
        assert_eq!(part.anchor_columns(), whole.anchor_columns(), "{what}");
        assert_eq!(part.residual().to_bits(), whole.residual().to_bits(), "{what}: residual");
        assert_eq!(part.kkt_violation().to_bits(), whole.kkt_violation().to_bits(), "{what}");
        let own = part.own_columns();
        assert_eq!(part.coefficients().n_columns(), own.n_own(), "{what}");
        for (i, j) in own.ranges().into_iter().flatten().enumerate() {
            assert_eq!(
                part.coefficients().column(i),
                whole.coefficients().column(j),
                "{what}: column {j}"
            );
        }
        n_owned += own.n_own();
    }
    assert_eq!(n_owned, whole.n_columns(), "{what}: every column has one owner");
}

/// Fits with 1 to 8 ranks, each with the part of X that `shard` cuts out.
fn compare_ranks<M: Matrix, S: Matrix>(
    x: &M,
    params: &Params,
    sizes: impl Iterator<Item = usize>,
    shard: impl Fn(&Ownership) -> S + Sync,
) {
    let whole = fit(x, params).unwrap();
    let n = x.n_columns();
    for size in sizes {
        let on_rank = |comm: &LocalRank| {
            let part = shard(&Ownership::columns(n, comm));
            let portion = Portion { columns: &part, rows: None, n_columns: n };
            Fit::part(portion, comm).run(params)
        };
        let parts = run_local_ranks(size, on_rank);
        assert_same_on_ranks(&parts, &whole, &format!("{size} ranks, {params:?}"));
    }
}

#[test]
fn ranks_change_no_bit_of_sparse_fits() {
    let x = many_columns(Kind::Sparse, 15, 1100);
    let sparse = x.sparse();
    for params in every_rule() {
        let params = Params { rank: 4, ..params };
        compare_ranks(&sparse, &params, 1..=8, |own| sparse.columns_of(own));
        verify(&x, &fit(&sparse, &params).unwrap(), 1e-9);
    }
}

#[test]
fn ranks_that_all_own_blocks_change_no_bit() {
    let x = many_columns(Kind::Sparse, 15, 4700);
    let sparse = x.sparse();
    for params in every_rule() {
        let looks = matches!(params.selection, Selection::Rand | Selection::Max);
        let params = Params { rank: if looks { 8 } else { 3 }, ..params };
        let sizes = if looks { 2..=8 } else { 8..=8 };
        compare_ranks(&sparse, &params, sizes, |own| sparse.columns_of(own));
        verify(&x, &fit(&sparse, &params).unwrap(), 1e-9);
    }
}

#[test]
fn ranks_change_no_bit_of_dense_fits() {
    let x = many_columns(Kind::Noisy, 12, 1100);
    let dense = x.dense();
    for params in every_rule() {
        compare_ranks(&dense, &params, 2..=3, |own| dense.columns_of(own));
        verify(&x, &fit(&dense, &params).unwrap(), 1e-9);
    }
}

#[test]
fn ranks_without_columns_take_part() {
    for n in [1, 3, 40, 513] {
        let x = many_columns(Kind::Integers, 6, n);
        for params in every_rule() {
            compare_ranks(&x.dense(), &params, 1..=4, |own| x.dense().columns_of(own));
            compare_ranks(&x.sparse(), &params, 3..=3, |own| x.sparse().columns_of(own));
            verify(&x, &fit(&x.dense(), &params).unwrap(), 1e-9);
        }
    }
}

#[test]
fn ranks_agree_on_options() {
    let x = many_columns(Kind::Signed, 10, 1600);
    let dense = x.dense();
    let plain = Params { allow_negative: true, ..Params::new(5) };
    let options = [
        Params { normalize: Normalize::L1, mean_ray: true, ..plain.clone() },
        Params { normalize: Normalize::L2, selection: Selection::Dist, ..plain.clone() },
        Params { solver: Solver::CoordinateDescent, ..plain.clone() },
        Params { fixed: vec![1599, 3], excluded: vec![700], ..plain.clone() },
        Params { candidates: Some((0..1600).step_by(7).collect()), ..plain.clone() },
        Params { min_improvement: 0.05, ..plain.clone() },
        Params { row_weights: Some((1..=10).map(f64::from).collect()), ..plain.clone() },
    ];
    for params in options {
        compare_ranks(&dense, &params, 2..=4, |own| dense.columns_of(own));
    }
    verify(&x, &fit(&dense, &plain).unwrap(), 1e-9);
}

#[test]
fn ranks_agree_that_nothing_was_found() {
    let x = many_columns(Kind::Uniform, 5, 600);
    let params = Params::new(0);
    compare_ranks(&x.dense(), &params, 1..=3, |own| x.dense().columns_of(own));
    verify(&x, &fit(&x.dense(), &params).unwrap(), 1e-9);
}

#[test]
fn truncation_is_a_fit_of_lower_rank() {
    let problems = [many_columns(Kind::Sparse, 30, 700), many_columns(Kind::Planted, 8, 40)];
    for (x, params) in problems.iter().flat_map(|x| every_rule().map(move |p| (x, p))) {
        let dense = x.dense();
        let whole = fit(&dense, &Params { rank: 12, ..params.clone() }).unwrap();
        for k in 0..=whole.rank() {
            let (part, alone) =
                (whole.truncate(k), fit(&dense, &Params { rank: k, ..params.clone() }).unwrap());
            assert_eq!(all_bits(&part), all_bits(&alone), "rank {k} {params:?}");
            assert_eq!(part.steps(), alone.steps(), "rank {k} {params:?}");
            assert_eq!(part.anchors(), whole.anchors()[..k], "nested");
            assert_eq!(part.residual().to_bits(), alone.residual().to_bits());
            assert_eq!(part.kkt_violation().to_bits(), alone.kkt_violation().to_bits());
            assert_eq!(part.anchor_columns(), alone.anchor_columns());
            verify(x, &part, 1e-9);
        }
        assert_eq!(all_bits(&whole.truncate(100)), all_bits(&whole));
    }
}

#[test]
fn truncation_holds_for_every_solver_and_scaling() {
    let x = many_columns(Kind::Noisy, 9, 60);
    let plain = Params::new(6);
    let ways = [
        (Params { solver: Solver::CoordinateDescent, ..plain.clone() }, 1e-3),
        (Params { normalize: Normalize::L1, ..plain.clone() }, 1e-9),
        (Params { normalize: Normalize::L2, mean_ray: true, ..plain.clone() }, 1e-9),
        (Params { fixed: vec![4, 9], ..plain.clone() }, 1e-9),
    ];
    for (params, tolerance) in ways {
        let whole = fit(&x.dense(), &params).unwrap();
        for k in 0..=whole.rank() {
            let alone = fit(&x.dense(), &Params { rank: k, ..params.clone() }).unwrap();
            assert_eq!(all_bits(&whole.truncate(k)), all_bits(&alone), "rank {k} {params:?}");
            verify(&x, &alone, tolerance);
        }
    }
}

#[test]
fn a_truncated_fit_says_that_its_rank_was_reached() {
    let x = many_columns(Kind::Planted, 8, 40);
    let whole = fit(&x.dense(), &Params::new(100)).unwrap();
    assert_eq!(whole.termination(), Termination::Exhausted);
    let part = whole.truncate(1);
    let alone = fit(&x.dense(), &Params::new(1)).unwrap();
    assert_eq!(part.termination(), alone.termination());
    verify(&x, &part, 1e-9);
}
