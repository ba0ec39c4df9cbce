//! The rivals that solve linear programs, and Hottopixx against its linear program.

#![cfg(feature = "lp")]

mod support;

use microlp::{ComparisonOp, OptimizationDirection, Problem, Variable};
use support::Grid;
use support::files::{golden, indices};
use support::naive::extreme_rays;
use support::problems::{Kind, Random, problem};
use xray_nmf::baseline::{
    AroraParams, ClarksonParams, HottopixxParams, arora, clarkson, hottopixx,
};
use xray_nmf::{Error, Termination};

/// Exactly one column of each ray.
fn assert_all_rays(anchors: &[usize], rays: &[Vec<usize>], what: &str) {
    let ray = |a: &usize| rays.iter().position(|ray| ray.contains(a)).map_or(-1, |k| k as i64);
    let mut found: Vec<i64> = anchors.iter().map(ray).collect();
    found.sort_unstable();
    let expected: Vec<i64> = (0..rays.len() as i64).collect();
    assert_eq!(found, expected, "{what}: {anchors:?} of {rays:?}");
}

#[test]
fn exact_files_give_one_column_of_each_ray() {
    for problem in golden().iter().filter(|p| p.answers["kind"] == "exact") {
        let classes = problem.answers["expected_ray_classes"].as_array().unwrap();
        let rays: Vec<Vec<usize>> = classes.iter().map(indices).collect();
        for rank in [rays.len(), rays.len() + 5] {
            let ended =
                if rank > rays.len() { Termination::Exhausted } else { Termination::RankReached };
            let found = [
                arora(&problem.x.dense(), &AroraParams::new(rank)).unwrap(),
                clarkson(&problem.x.sparse(), &ClarksonParams::new(rank)).unwrap(),
            ];
            for found in found {
                assert_all_rays(&found.anchors, &rays, &problem.name);
                assert_eq!(found.termination, ended, "{}", problem.name);
            }
        }
    }
}

#[test]
fn random_separable_problems_give_all_rays() {
    for seed in 0..200 {
        let mut random = Random(seed ^ 0x5ba);
        let kind = [Kind::Planted, Kind::Integers, Kind::Uniform, Kind::Sparse][seed as usize % 4];
        let (m, n) = (random.between(2, 8), random.between(1, 16));
        let x = problem(kind, m, n, &mut random);
        let rays = extreme_rays(&x);
        let what = format!("seed {seed} {kind:?} {x:?}");
        let found = arora(&x.dense(), &AroraParams { threads: Some(2), ..AroraParams::new(n) });
        assert_all_rays(&found.unwrap().anchors, &rays, &what);
        let found = clarkson(&x.dense(), &ClarksonParams::new(n)).unwrap();
        assert_all_rays(&found.anchors, &rays, &what);
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
fn corners_have_answers_and_too_much_work_is_refused() {
    let zero = Grid { m: 4, n: 6, values: vec![0.0; 24] };
    let one = Grid { m: 3, n: 1, values: vec![1.0, 2.0, 0.0] };
    let none = Grid { m: 3, n: 0, values: vec![] };
    let huge = problem(Kind::Planted, 5, 9, &mut Random(3)).scaled(1e69);
    let rays = extreme_rays(&problem(Kind::Planted, 5, 9, &mut Random(3)));
    for (x, most) in [(&zero, 0), (&one, 1), (&none, 0), (&huge, rays.len())] {
        for rank in [0, 1, 20] {
            let a = arora(&x.dense(), &AroraParams::new(rank)).unwrap();
            let b = clarkson(&x.dense(), &ClarksonParams::new(rank)).unwrap();
            assert_eq!([a.anchors.len(), b.anchors.len()], [most.min(rank); 2]);
        }
    }
    let params = AroraParams { largest_work: 10.0, ..AroraParams::new(3) };
    let refused = arora(&huge.dense(), &params).unwrap_err();
    assert!(refused.to_string().contains("largest_work"), "{refused}");
    let params = ClarksonParams { largest_work: 10.0, ..ClarksonParams::new(3) };
    assert!(matches!(clarkson(&huge.dense(), &params), Err(Error::Magnitude { .. })));
    let signed = problem(Kind::Signed, 5, 9, &mut Random(3));
    let refused = clarkson(&signed.dense(), &ClarksonParams::new(3));
    assert!(matches!(refused, Err(Error::Negative { .. })));
}

/// `min sum |X - XC|` over Phi with trace r, for columns of sum 1.
fn program(x: &Grid, rank: usize) -> f64 {
    let mut problem = Problem::new(OptimizationDirection::Minimize);
    let n = x.n;
    let mut c: Vec<Variable> = Vec::new();
    for _ in 0..n * n {
        c.push(problem.add_var(0.0, (0.0, 1.0)));
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
    problem.solve().unwrap().into_solution().unwrap().objective()
}

#[test]
fn hottopixx_comes_near_the_optimum_of_its_linear_program() {
    for seed in 0..12 {
        let mut random = Random(seed ^ 0x407);
        let kind = if seed % 2 == 0 { Kind::Noisy } else { Kind::Uniform };
        let x = problem(kind, 6, 9, &mut random)
            .map_columns(|_, column| column.iter().map(|v| v + 1.0 / 64.0).collect());
        let rank = 2 + seed as usize % 3;
        let best = program(&x, rank);
        let params = HottopixxParams {
            epochs: 10_000,
            primal_step: 1.0,
            decay: 0.9993,
            cost: 0.0,
            ..HottopixxParams::new(rank)
        };
        let reached = *hottopixx(&x.dense(), &params).unwrap().objective.last().unwrap();
        println!("seed {seed} {kind:?} rank {rank}: {reached:.4}, optimum {best:.4}");
        assert!((reached - best).abs() <= 0.02 * best + 0.02, "seed {seed}: {reached}, {best}");
    }
}
