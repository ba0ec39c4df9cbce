//! Certified bounds and scoring everything give the same answer to the last bit.

use crate::support::problems::{Kind, Random, problem};
use crate::support::verify::verify;
use crate::support::{Grid, comparable};
use xray_nmf::{Engine, Factorization, Matrix, Params, Selection, Termination, fit};

const KINDS: [Kind; 6] =
    [Kind::Uniform, Kind::Integers, Kind::Planted, Kind::Noisy, Kind::Sparse, Kind::Signed];

fn fit_with(x: &dyn Matrix, params: &Params, engine: Engine) -> Factorization {
    fit(x, &Params { engine, ..params.clone() }).unwrap()
}

fn assert_same(lazy: &Factorization, direct: &Factorization, what: &str) {
    assert_eq!(comparable(lazy.steps()), comparable(direct.steps()), "{what}");
    assert_eq!(lazy.weights(), direct.weights(), "{what}");
    assert_eq!(lazy.termination(), direct.termination(), "{what}");
    assert_eq!(lazy.kkt_violation().to_bits(), direct.kkt_violation().to_bits(), "{what}");
}

/// Fits X in one storage with both engines, and checks the answer.
fn compare(x: &Grid, sparse: bool, params: &Params, what: &str) -> (Factorization, Factorization) {
    let both = |engine: Engine| match sparse {
        true => fit_with(&x.sparse(), params, engine),
        false => fit_with(&x.dense(), params, engine),
    };
    let (lazy, direct) = (both(Engine::Lazy), both(Engine::Direct));
    assert_same(&lazy, &direct, &format!("{what} sparse {sparse} {params:?}"));
    verify(x, &lazy, 1e-9);
    (lazy, direct)
}

fn random_params(kind: Kind, random: &mut Random) -> Params {
    let rules = [Selection::Dist, Selection::Greedy, Selection::Agg, Selection::Joint];
    // Half of the problems each for dist and greedy, a part of the rest for their siblings.
    let rule = if random.chance(0.7) { random.below(2) } else { random.between(2, 3) };
    Params {
        selection: rules[rule],
        mean_ray: random.chance(0.5),
        allow_negative: kind == Kind::Signed,
        threads: Some(1),
        memory: [None, Some(0), Some(1000)][random.below(3)],
        ..Params::new(random.between(1, 12))
    }
}

#[test]
fn engines_agree_on_a_thousand_small_problems() {
    for seed in 0..1000 {
        let mut random = Random(seed);
        let kind = KINDS[random.below(KINDS.len())];
        let (m, n) = (random.between(1, 25), random.between(1, 60));
        let x = problem(kind, m, n, &mut random);
        let params = random_params(kind, &mut random);
        compare(&x, random.chance(0.5), &params, &format!("seed {seed} {kind:?}"));
    }
}

#[test]
fn engines_agree_where_columns_fill_several_blocks() {
    for seed in 0..48 {
        let mut random = Random(seed ^ 0xb10c);
        let kind = KINDS[seed as usize % KINDS.len()];
        let (m, n) = (random.between(4, 30), random.between(513, 1500));
        let x = problem(kind, m, n, &mut random);
        let params = random_params(kind, &mut random);
        compare(&x, random.chance(0.5), &params, &format!("seed {seed} {kind:?} n {n}"));
    }
}

#[test]
fn engines_agree_where_columns_differ_in_size() {
    for seed in 0..100 {
        let mut random = Random(seed ^ 0x512e);
        let kind = KINDS[seed as usize % KINDS.len()];
        let x = problem(kind, 15, 120, &mut random);
        let factors: Vec<f64> = (0..x.n).map(|_| 10f64.powi(random.below(7) as i32 - 3)).collect();
        let x = x.map_columns(|j, column| column.iter().map(|v| v * factors[j]).collect());
        let params = random_params(kind, &mut random);
        compare(&x, random.chance(0.5), &params, &format!("seed {seed} {kind:?}"));
    }
}

#[test]
fn engines_agree_on_who_may_be_chosen() {
    for seed in 0..60 {
        let mut random = Random(seed ^ 0xca4d);
        let x = problem(Kind::Noisy, 10, 80, &mut random);
        let mut columns: Vec<usize> = (0..x.n).collect();
        random.shuffle(&mut columns);
        let params = Params {
            fixed: columns[..2].to_vec(),
            excluded: columns[2..10].to_vec(),
            candidates: (seed % 2 == 0).then(|| columns[5..30].to_vec()),
            row_weights: (seed % 3 == 0).then(|| (0..x.m).map(|_| 0.5 + random.unit()).collect()),
            ..random_params(Kind::Noisy, &mut random)
        };
        let (lazy, _) = compare(&x, random.chance(0.5), &params, &format!("seed {seed}"));
        let chosen = lazy.anchors();
        assert!(chosen.iter().all(|j| !params.excluded.contains(j)), "{chosen:?}");
    }
}

#[test]
fn bounds_save_evaluations() {
    let x = problem(Kind::Noisy, 20, 1200, &mut Random(5));
    for selection in [Selection::Dist, Selection::Greedy, Selection::Agg, Selection::Joint] {
        let params = Params { selection, threads: Some(1), ..Params::new(10) };
        let (lazy, direct) = compare(&x, false, &params, "evaluations");
        let count = |found: &Factorization| -> u64 {
            found.steps().iter().map(|step| step.evaluations).sum()
        };
        assert_eq!(lazy.termination(), Termination::RankReached);
        assert!(count(&lazy) < count(&direct), "{selection:?}: {}", count(&lazy));
    }
}
