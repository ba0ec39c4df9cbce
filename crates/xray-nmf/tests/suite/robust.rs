//! Robust fits: exact on separable data, the same bits everywhere, and better under noise.

use crate::support::Grid;
use crate::support::problems::Random;
use crate::support::rays::{assert_all_rays, dependent_rays, exact_files, rays_of};
use crate::support::{all_bits, comparable};
use xray_nmf::comm::{LocalRank, run_local_ranks};
use xray_nmf::synth::{Design, Noise, Synthetic};
use xray_nmf::{
    Engine, Fit, Gate, Ownership, Params, Portion, RunState, Selection, fit, with_threads,
};

fn robust(rank: usize) -> Params {
    Params { robust: true, allow_negative: true, ..Params::new(rank) }
}

/// A separable matrix: r rays in m > r rows (small integers or generic, sometimes in fewer dimensions), mixtures, columns of
/// sizes that differ a thousandfold. The rays are the first columns.
fn separable(seed: u64) -> (Grid, usize) {
    let mut random = Random(seed ^ 0x10b5);
    let r = random.between(2, 7);
    let m = r + random.between(1, 8);
    let n = r + random.between(1, 25);
    let integers = random.chance(0.5);
    let mut rays: Vec<Vec<f64>> = Vec::new();
    for k in 0..r {
        let mut ray: Vec<f64> =
            (0..m).map(|_| if integers { random.below(5) as f64 } else { random.unit() }).collect();
        // Nothing else has its own row, so it is extreme.
        (0..r).for_each(|d| ray[d] = f64::from(u8::from(d == k)));
        rays.push(ray);
    }
    let mut columns = rays.clone();
    for _ in r..n {
        let weights: Vec<f64> =
            (0..r).map(|_| if random.chance(0.4) { 0.0 } else { random.unit() }).collect();
        let used = weights.iter().filter(|w| **w > 0.0).count();
        if used < 2 {
            continue;
        }
        columns.push((0..m).map(|d| (0..r).map(|k| weights[k] * rays[k][d]).sum()).collect());
    }
    let scaled: Vec<Vec<f64>> = columns
        .iter()
        .map(|column| {
            let scale = (7.0 * (random.unit() - 0.5)).exp();
            column.iter().map(|v| v * scale).collect()
        })
        .collect();
    (Grid::from_columns(&scaled), r)
}

/// More rays than dimensions: points of a circle, turned at random, lifted into m rows.
fn deficient(seed: u64) -> (Grid, usize) {
    let mut random = Random(seed ^ 0xdef1);
    let (r, m) = (random.between(4, 8), random.between(10, 14));
    let turn = random.unit();
    let lift: Vec<Vec<f64>> = (0..3).map(|_| (0..m).map(|_| random.unit()).collect()).collect();
    let ray = |k: usize| {
        let angle = std::f64::consts::TAU * (k as f64 + turn) / r as f64;
        let place = [1.0, 0.5 + 0.4 * angle.cos(), 0.5 + 0.4 * angle.sin()];
        (0..m).map(|d| (0..3).map(|l| place[l] * lift[l][d]).sum()).collect::<Vec<f64>>()
    };
    let rays: Vec<Vec<f64>> = (0..r).map(ray).collect();
    let mut columns = rays.clone();
    for _ in 0..12 {
        let (a, b, w) = (random.below(r), random.below(r), random.unit());
        if a != b {
            columns.push((0..m).map(|d| (0.2 + w) * rays[a][d] + (1.2 - w) * rays[b][d]).collect());
        }
    }
    (Grid::from_columns(&columns), r)
}

/// `XRAY_ROBUST=10000` looks at so many problems; the tests at some.
#[test]
fn separable_problems_are_solved_exactly() {
    let count = std::env::var("XRAY_ROBUST").ok().and_then(|n| n.parse().ok()).unwrap_or(600);
    let mut gates = std::collections::BTreeMap::new();
    for seed in 0..count {
        let (x, r) = if seed % 4 == 3 { deficient(seed) } else { separable(seed) };
        let found = fit(&x.dense(), &robust(r)).unwrap();
        let mut anchors = found.anchors();
        anchors.sort_unstable();
        assert_eq!(anchors, (0..r).collect::<Vec<_>>(), "seed {seed}: {:?}", found.noise());
        assert!(found.residual() < 1e-6, "seed {seed}");
        *gates.entry(format!("{:?}", found.noise().unwrap().gate)).or_insert(0) += 1;
    }
    println!("{count} problems: {gates:?}");
    assert!(gates.contains_key("Whitened") && gates.contains_key("PartlyWhitened"), "{gates:?}");
}

#[test]
fn reference_problems_are_solved_exactly() {
    for problem in exact_files().into_iter().chain(dependent_rays()) {
        let found = fit(&problem.x.dense(), &robust(problem.rays.len())).unwrap();
        assert_all_rays(&found.anchors(), &problem.rays, &problem.name);
    }
}

#[test]
fn corners_have_answers() {
    let one_ray =
        Grid::from_columns(&[vec![1.0, 2.0, 0.5], vec![2.0, 4.0, 1.0], vec![0.5, 1.0, 0.25]]);
    let found = fit(&one_ray.dense(), &robust(1)).unwrap();
    assert_eq!(found.rank(), 1);
    assert!(found.residual() < 1e-9);
    for (m, n) in [(4, 6), (3, 1), (3, 0), (0, 3)] {
        let zero = Grid { m, n, values: vec![0.0; m * n] };
        for rank in [0, 1, 2, 9] {
            let found = fit(&zero.dense(), &robust(rank)).unwrap();
            assert_eq!(found.rank(), 0, "{m} x {n}");
        }
    }
    // As many anchors as rows: nothing is left to estimate noise from.
    let square = separable(1).0;
    let found = fit(&square.dense(), &robust(square.m)).unwrap();
    assert_eq!(found.noise().unwrap().gate, Gate::Unknown);
    let plain =
        fit(&square.dense(), &Params { allow_negative: true, ..Params::new(square.m) }).unwrap();
    assert_eq!(found.anchors(), plain.anchors());
    assert_eq!(plain.noise(), None);
    for wrong in [
        Params { outliers: 0.1, ..Params::new(2) },
        Params { outliers: 1.0, ..robust(2) },
        Params { normalize: xray_nmf::Normalize::L1, ..robust(2) },
    ] {
        assert!(fit(&square.dense(), &wrong).is_err(), "{wrong:?}");
    }
}

/// A noisy matrix with zeros in it, wide enough for several blocks, for each gate.
fn noisy() -> Vec<(Gate, Grid, usize)> {
    let made = |noise: f64, seed: u64| {
        let mut random = Random(seed);
        let columns: Vec<Vec<f64>> = (0..700)
            .map(|j| {
                let weights: Vec<f64> = (0..5)
                    .map(|k| {
                        if j < 5 {
                            f64::from(u8::from(j == k))
                        } else {
                            random.unit() * random.unit()
                        }
                    })
                    .collect();
                let signal = |d: usize| {
                    (0..5).map(|k| weights[k] * f64::from(u8::from(d % 5 == k))).sum::<f64>()
                };
                (0..30)
                    .map(|d| {
                        if random.chance(0.3) {
                            0.0
                        } else {
                            (signal(d) + noise * random.unit()).max(0.0)
                        }
                    })
                    .collect()
            })
            .collect();
        Grid::from_columns(&columns)
    };
    vec![(Gate::Whitened, made(0.01, 1), 5), (Gate::Shut, made(0.3, 2), 12)]
}

#[test]
fn storage_threads_engines_and_ranks_change_no_bit() {
    for (gate, x, rank) in noisy() {
        for params in [robust(rank), Params { outliers: 0.005, ..robust(rank) }] {
            let whole = fit(&x.dense(), &params).unwrap();
            assert_eq!(whole.noise().unwrap().gate, gate);
            let bits = all_bits(&whole);
            assert_eq!(all_bits(&fit(&x.sparse(), &params).unwrap()), bits, "sparse");
            let direct = Params { engine: Engine::Direct, ..params.clone() };
            assert_eq!(all_bits(&fit(&x.dense(), &direct).unwrap()), bits, "direct");
            for threads in [1, 3] {
                let found =
                    with_threads(Some(threads), || fit(&x.sparse(), &params).unwrap()).unwrap();
                assert_eq!(all_bits(&found), bits, "{threads} threads");
                assert_eq!(found.noise(), whole.noise());
            }
            let (dense, n) = (x.dense(), x.n);
            for size in [2, 3, 4] {
                let on_rank = |comm: &LocalRank| {
                    let own = Ownership::columns(n, comm);
                    let part = dense.columns_of(&own);
                    let portion = Portion { columns: &part, rows: None, n_columns: n };
                    Fit::part(portion, comm).run(&params).unwrap()
                };
                for part in run_local_ranks(size, on_rank) {
                    assert_eq!(comparable(part.steps()), comparable(whole.steps()), "{size} ranks");
                    assert_eq!(part.noise(), whole.noise(), "{size} ranks");
                    let own = part.own_columns();
                    for (i, j) in own.ranges().into_iter().flatten().enumerate() {
                        assert_eq!(part.coefficients().column(i), whole.coefficients().column(j));
                    }
                }
            }
        }
    }
}

#[test]
fn a_run_goes_on_where_it_stood() {
    struct Keep(Vec<RunState>);
    impl xray_nmf::Observer for Keep {
        fn step(&mut self, _: &xray_nmf::Step) -> xray_nmf::Next {
            xray_nmf::Next::Save
        }
        fn state(&mut self, state: &RunState) {
            self.0.push(state.clone());
        }
    }
    for (_, x, rank) in noisy() {
        let mut keep = Keep(Vec::new());
        let dense = x.dense();
        let whole = Fit::of(&dense).observe(&mut keep).run(&robust(rank)).unwrap();
        for state in [&keep.0[1], &keep.0[rank - 2]] {
            let resumed = Fit::of(&dense).resume(state).run(&robust(rank)).unwrap();
            assert_eq!(all_bits(&resumed), all_bits(&whole));
        }
    }
}

/// The mean recovery over seeds of a design at each level of noise.
fn recovery(data: &Synthetic, levels: &[f64], params: &Params) -> f64 {
    let mut total = 0.0;
    for (&noise, seed) in levels.iter().flat_map(|noise| (900..903).map(move |seed| (noise, seed)))
    {
        let planted = Synthetic { noise, seed, ..data.clone() }.generate().unwrap();
        total += planted.recovery(&fit(&planted.matrix, params).unwrap().anchors());
    }
    total / (3 * levels.len()) as f64
}

#[test]
fn middle_points_are_told_from_anchors() {
    let data = Synthetic {
        design: Design::MiddlePoints,
        noise_kind: Noise::Outward,
        ..Synthetic::default()
    };
    let plain = Params { allow_negative: true, ..Params::new(20) };
    let levels = [0.3, 0.4, 0.5];
    assert_eq!(recovery(&data, &levels, &robust(20)), 1.0);
    let max = recovery(&data, &levels, &plain);
    assert!(max < 0.6, "{max}");
    // The noise of the paper's experiment is too strong to whiten; nothing is lost there.
    let data = Synthetic::default();
    let levels = [0.4, 0.6];
    let dist = recovery(&data, &levels, &Params { selection: Selection::Dist, ..plain });
    let found = recovery(&data, &levels, &robust(20));
    println!("the paper's noise: robust {found:.3}, dist {dist:.3}");
    assert!(found > dist + 0.05, "{found} {dist}");
}

#[test]
fn outliers_are_dropped_on_request() {
    let mut total = [0.0; 2];
    for seed in 40..43 {
        let planted = Synthetic { noise: 0.1, seed, ..Synthetic::default() }.generate().unwrap();
        let mut random = Random(seed);
        let mut columns: Vec<Vec<f64>> =
            (0..210).map(|j| xray_nmf::Matrix::column(&planted.matrix, j).values).collect();
        let free = (0..210).filter(|j| !planted.anchors.contains(j)).step_by(19).take(10);
        for j in free {
            columns[j].iter_mut().for_each(|v| *v = 3.0 * random.unit());
        }
        let x = Grid::from_columns(&columns);
        for (total, outliers) in total.iter_mut().zip([0.0, 0.05]) {
            let found = fit(&x.dense(), &Params { outliers, ..robust(20) }).unwrap();
            assert_eq!(found.rank(), 20);
            *total += planted.recovery(&found.anchors()) / 3.0;
        }
    }
    println!("bright outliers: {:.3} without, {:.3} with", total[0], total[1]);
    assert!(total[0] < 0.6 && total[1] > 0.85, "{total:?}");
    let (x, r) = separable(3);
    let kept = fit(&x.dense(), &Params { outliers: 0.05, fixed: vec![r], ..robust(r) }).unwrap();
    assert!(rays_of(&kept.anchors(), &[vec![r]]).contains(&0), "what is fixed stays");
    // Of more fixed columns than the rank the first count, as in any fit.
    for rank in [0, 1, 2] {
        let params = Params { outliers: 0.05, fixed: vec![r, 0, 1], ..robust(rank) };
        let found = fit(&x.dense(), &params).unwrap();
        assert_eq!(found.anchors(), params.fixed[..rank]);
    }
}
