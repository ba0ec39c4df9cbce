//! The rivals that solve linear programs, and Hottopixx against its linear program.
//!
//! What they must find on separable data is in `rivals_exact.rs`.

use crate::support::Grid;
use crate::support::naive::extreme_rays;
use crate::support::problems::{Kind, Random, corners, problem};
use microlp::{ComparisonOp, OptimizationDirection, Problem, Variable};
use xray_nmf::rivals::{AroraParams, ClarksonParams, HottopixxParams, arora, clarkson, hottopixx};
use xray_nmf::{Error, SparseMatrix};

/// Anchors are unit vectors, so a = 2; every column of sum 1 is off by at most 0.04 in l1. That is
/// within the theorem's `20e/a + 13e < a`: one cluster for each anchor, near to it.
#[test]
fn arora_finds_one_column_near_each_anchor_under_noise() {
    for seed in 0..10 {
        let mut random = Random(seed ^ 0xa404);
        let mut columns: Vec<Vec<f64>> = Vec::new();
        for j in 0..16 {
            let mut column = [0.0; 6];
            for (k, v) in column[..3].iter_mut().enumerate() {
                *v = if j < 3 { f64::from(u8::from(k == j)) } else { 0.05 + random.unit() };
            }
            let sum: f64 = column.iter().sum();
            // 6 entries below 0.02 / 6 each, and as much again by scaling to sum 1.
            let noisy = column.iter().map(|v| v / sum + 0.02 / 6.0 * random.unit());
            columns.push(noisy.collect());
        }
        random.shuffle(&mut columns);
        let x = Grid::from_columns(&columns);
        let params = AroraParams { noise: 0.05, simplicity: 2.0, ..AroraParams::new(9) };
        let anchors = arora(&x.dense(), &params).unwrap().anchors;
        let near = |a: &usize| (0..3).find(|&k| x.column(*a)[k] > 0.8);
        let mut found: Vec<Option<usize>> = anchors.iter().map(near).collect();
        found.sort_unstable();
        assert_eq!(found, [Some(0), Some(1), Some(2)], "seed {seed}: {anchors:?}");
        // Taken as exact, the same data has many more vertices.
        let exact = arora(&x.dense(), &AroraParams::new(9)).unwrap().anchors;
        assert!(exact.len() > 5, "seed {seed}: {exact:?}");
    }
}

/// Noise within the model: each anchor and its near-copies make one cluster.
#[test]
fn arora_merges_noisy_copies_of_an_anchor() {
    let mut columns = Vec::new();
    for k in 0..3 {
        for copy in 0..3 {
            let entry = |d: usize| if d == k { 1.0 } else { 0.001 * copy as f64 };
            columns.push((0..3).map(entry).collect::<Vec<f64>>());
        }
    }
    columns.push(vec![0.4, 0.3, 0.3]);
    let x = Grid::from_columns(&columns);
    let params = AroraParams { noise: 0.01, ..AroraParams::new(9) };
    let mut anchors = arora(&x.dense(), &params).unwrap().anchors;
    anchors.iter_mut().for_each(|a| *a /= 3);
    anchors.sort_unstable();
    assert_eq!(anchors, [0, 1, 2]);
}

#[test]
fn corners_have_answers() {
    let planted = problem(Kind::Planted, 5, 9, &mut Random(3));
    let huge = (planted.scaled(1e69), extreme_rays(&planted).len());
    for (x, most) in corners().into_iter().filter(|(x, _)| x.m > 0).chain([huge]) {
        for rank in [0, 1, 20] {
            let a = arora(&x.dense(), &AroraParams::new(rank)).unwrap();
            let b = clarkson(&x.dense(), &ClarksonParams::new(rank)).unwrap();
            assert_eq!([a.anchors.len(), b.anchors.len()], [most.min(rank); 2]);
        }
    }
    let signed = problem(Kind::Signed, 5, 9, &mut Random(3));
    let refused = clarkson(&signed.dense(), &ClarksonParams::new(3));
    assert!(matches!(refused, Err(Error::Negative { .. })));
}

/// A corpus of some size: refused at once, with the time that it would take.
#[test]
fn too_much_work_is_refused_before_it_is_begun() {
    let entries = (0..20_000).map(|j| (j % 10_000, j, 1.0));
    let x = SparseMatrix::<f64>::from_triplets(10_000, 20_000, entries).unwrap();
    for refused in [arora(&x, &AroraParams::new(50)), clarkson(&x, &ClarksonParams::new(50))] {
        let Err(refused @ Error::TooCostly { .. }) = refused else { panic!("{refused:?}") };
        let text = refused.to_string();
        for part in ["multiply-adds (about", "1.0e11", "raise `largest_work`"] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
    let x = problem(Kind::Planted, 5, 9, &mut Random(3));
    let params = ClarksonParams { largest_work: 10.0, ..ClarksonParams::new(3) };
    assert!(matches!(clarkson(&x.dense(), &params), Err(Error::TooCostly { .. })));
    let params = ClarksonParams { largest_work: 1e9, ..params };
    assert!(clarkson(&x.dense(), &params).is_ok());
}

/// `min sum |X - XC| + p'diag(C)` over Phi with trace r, for columns of sum 1: the optimum and the
/// diagonal of C.
fn program(x: &Grid, rank: usize, costs: &[f64]) -> (f64, Vec<f64>) {
    let mut problem = Problem::new(OptimizationDirection::Minimize);
    let n = x.n;
    let mut c: Vec<Variable> = Vec::new();
    for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
        c.push(problem.add_var(if i == j { costs[i] } else { 0.0 }, (0.0, 1.0)));
    }
    for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))).filter(|(i, j)| i != j) {
        let pair = [(c[i * n + j], 1.0), (c[i * n + i], -1.0)];
        problem.add_constraint(&pair[..], ComparisonOp::Le, 0.0);
    }
    let trace: Vec<(Variable, f64)> = (0..n).map(|i| (c[i * n + i], 1.0)).collect();
    problem.add_constraint(&trace[..], ComparisonOp::Eq, rank as f64);
    let sums: Vec<f64> = (0..n).map(|j| x.column(j).iter().sum()).collect();
    for (d, j) in (0..x.m).flat_map(|d| (0..n).map(move |j| (d, j))) {
        let open = (0.0, f64::INFINITY);
        let (over, under) = (problem.add_var(1.0, open), problem.add_var(1.0, open));
        let entries = (0..n).map(|i| (c[i * n + j], x.column(i)[d] / sums[i]));
        let row: Vec<(Variable, f64)> = entries.chain([(over, 1.0), (under, -1.0)]).collect();
        problem.add_constraint(&row[..], ComparisonOp::Eq, x.column(j)[d] / sums[j]);
    }
    let solution = problem.solve().unwrap().into_solution().unwrap();
    (solution.objective(), (0..n).map(|i| solution.var_value(c[i * n + i])).collect())
}

/// A problem with 8 to 15 nonzero columns, and a rank for it: exact, nearly so, or far from it.
fn small(seed: u64) -> (Grid, usize) {
    let mut random = Random(seed ^ 0x407);
    let kind = [Kind::Planted, Kind::Noisy, Kind::Uniform][seed as usize % 3];
    let (m, n) = (random.between(4, 7), random.between(8, 15));
    let x = problem(kind, m, n, &mut random);
    let nonzero: Vec<usize> = (0..n).filter(|&j| x.column(j).iter().any(|v| *v != 0.0)).collect();
    let x = x.columns_at(&nonzero);
    let rank = if kind == Kind::Planted { extreme_rays(&x).len() } else { random.between(2, 5) };
    (x, rank)
}

/// The r largest, and by how much the last of them is ahead of the next.
fn leading(diagonal: &[f64], rank: usize) -> (Vec<usize>, f64) {
    let mut ranked: Vec<usize> = (0..diagonal.len()).collect();
    ranked.sort_by(|&a, &b| diagonal[b].total_cmp(&diagonal[a]));
    let next = ranked.get(rank).map_or(0.0, |&i| diagonal[i]);
    let lead = diagonal[ranked[rank - 1]] - next;
    (ranked[..rank].to_vec(), lead)
}

/// The cost makes the optimum unique, so the anchors must be the same as well.
#[test]
fn hottopixx_at_convergence_agrees_with_a_linear_programming_solver() {
    let mut decided = 0;
    for seed in 0..24 {
        let (x, rank) = small(seed);
        let params = HottopixxParams {
            cost: 0.01,
            seed,
            gap: Some(1e-10),
            ..HottopixxParams::converged(rank)
        };
        let (optimum, diagonal) = program(&x, rank, &params.costs(x.n));
        let found = hottopixx(&x.dense(), &params).unwrap();
        let (reached, bound) = (*found.objective.last().unwrap(), found.bound.unwrap());
        println!("seed {seed} {} x {} rank {rank}: {bound:.8} {optimum:.8} {reached:.8}", x.m, x.n);
        assert!((reached - optimum).abs() <= 1e-5 * optimum, "seed {seed}: {reached} {optimum}");
        assert!((bound - optimum).abs() <= 1e-4 * optimum, "seed {seed}: {bound} {optimum}");
        assert!(bound <= optimum + 1e-9 && optimum <= reached + 1e-9, "seed {seed}");
        let (mut expected, lead) = leading(&diagonal, rank);
        if lead > 0.05 {
            decided += 1;
            let mut anchors = found.anchors.clone();
            anchors.sort_unstable();
            expected.sort_unstable();
            assert_eq!(anchors, expected, "seed {seed}: {diagonal:?} {:?}", found.scores);
        }
    }
    println!("{decided} of 24 with a clear choice");
    assert!(decided >= 14, "{decided}");
}

/// The incremental steps of the reference come near the same optimum, but only near.
#[test]
fn incremental_steps_come_near_the_optimum() {
    for seed in 0..12 {
        let mut random = Random(seed ^ 0x407);
        let kind = if seed % 2 == 0 { Kind::Noisy } else { Kind::Uniform };
        let x = problem(kind, 6, 9, &mut random)
            .map_columns(|_, column| column.iter().map(|v| v + 1.0 / 64.0).collect());
        let rank = 2 + seed as usize % 3;
        let (best, _) = program(&x, rank, &[0.0; 9]);
        let params = HottopixxParams {
            epochs: 10_000,
            primal_step: 1.0,
            dual_step: 0.1,
            decay: 0.9993,
            cost: 0.0,
            ..HottopixxParams::new(rank)
        };
        let reached = *hottopixx(&x.dense(), &params).unwrap().objective.last().unwrap();
        println!("seed {seed} {kind:?} rank {rank}: {reached:.4}, optimum {best:.4}");
        assert!((reached - best).abs() <= 0.02 * best + 0.02, "seed {seed}: {reached}, {best}");
    }
}
