//! Certified bounds and scoring everything give the same answer to the last bit.

use crate::support::problems::{Kind, Random, problem};
use crate::support::verify::verify;
use crate::support::{Grid, comparable};
use xray_nmf::{Engine, Factorization, Fit, Matrix, Params, Selection, Termination};

const KINDS: [Kind; 6] =
    [Kind::Uniform, Kind::Integers, Kind::Planted, Kind::Noisy, Kind::Sparse, Kind::Signed];

/// Rule and options, and bytes for cached products.
struct Search {
    params: Params,
    memory: Option<usize>,
}

impl Search {
    fn run(&self, x: &dyn Matrix, engine: Engine) -> Factorization {
        let params = Params { engine, ..self.params.clone() };
        Fit::of(x).memory(self.memory).run(&params).unwrap()
    }
}

fn assert_same(lazy: &Factorization, direct: &Factorization, what: &str) {
    assert_eq!(comparable(lazy.steps()), comparable(direct.steps()), "{what}");
    assert_eq!(lazy.coefficients(), direct.coefficients(), "{what}");
    assert_eq!(lazy.termination(), direct.termination(), "{what}");
    assert_eq!(lazy.kkt_violation().to_bits(), direct.kkt_violation().to_bits(), "{what}");
}

/// Fits X in one storage with both engines, and checks the answer.
fn compare(x: &Grid, sparse: bool, search: &Search, what: &str) -> (Factorization, Factorization) {
    let both = |engine: Engine| match sparse {
        true => search.run(&x.sparse(), engine),
        false => search.run(&x.dense(), engine),
    };
    let (lazy, direct) = (both(Engine::Lazy), both(Engine::Direct));
    assert_same(&lazy, &direct, &format!("{what} sparse {sparse} {:?}", search.params));
    verify(x, &lazy, 1e-9);
    (lazy, direct)
}

fn random_search(kind: Kind, random: &mut Random) -> Search {
    let rules = [Selection::Dist, Selection::Greedy, Selection::Agg, Selection::Joint];
    // Half of the problems each for dist and greedy, a part of the rest for their siblings.
    let rule = if random.chance(0.7) { random.below(2) } else { random.between(2, 3) };
    let (selection, mean_ray) = (rules[rule], random.chance(0.5));
    let memory = [None, Some(0), Some(1000)][random.below(3)];
    let allow_negative = kind == Kind::Signed;
    let plain = Params::new(random.between(1, 12));
    Search { params: Params { selection, mean_ray, allow_negative, ..plain }, memory }
}

#[test]
fn engines_agree_on_a_thousand_small_problems() {
    for seed in 0..1000 {
        let mut random = Random(seed);
        let kind = KINDS[random.below(KINDS.len())];
        let (m, n) = (random.between(1, 25), random.between(1, 60));
        let x = problem(kind, m, n, &mut random);
        let search = random_search(kind, &mut random);
        compare(&x, random.chance(0.5), &search, &format!("seed {seed} {kind:?}"));
    }
}

#[test]
fn engines_agree_where_columns_fill_several_blocks() {
    for seed in 0..48 {
        let mut random = Random(seed ^ 0xb10c);
        let kind = KINDS[seed as usize % KINDS.len()];
        let (m, n) = (random.between(4, 30), random.between(513, 1500));
        let x = problem(kind, m, n, &mut random);
        let search = random_search(kind, &mut random);
        compare(&x, random.chance(0.5), &search, &format!("seed {seed} {kind:?} n {n}"));
    }
}

#[test]
fn engines_agree_where_columns_differ_in_size() {
    for seed in 0..100 {
        let mut random = Random(seed ^ 0x512e);
        let kind = KINDS[seed as usize % KINDS.len()];
        let x = problem(kind, 15, 120, &mut random);
        // So much, in the second half, that rounding hides the scores of small columns.
        let powers = if seed < 50 { 7 } else { 15 };
        let factors: Vec<f64> =
            (0..x.n).map(|_| 10f64.powi(random.below(powers) as i32 - 3)).collect();
        let x = x.map_columns(|j, column| column.iter().map(|v| v * factors[j]).collect());
        let search = random_search(kind, &mut random);
        compare(&x, random.chance(0.5), &search, &format!("seed {seed} {kind:?}"));
    }
}

#[test]
fn engines_agree_on_who_may_be_chosen() {
    for seed in 0..60 {
        let mut random = Random(seed ^ 0xca4d);
        let x = problem(Kind::Noisy, 10, 80, &mut random);
        let mut columns: Vec<usize> = (0..x.n).collect();
        random.shuffle(&mut columns);
        let row_weights = (seed % 3 == 0).then(|| (0..x.m).map(|_| 0.5 + random.unit()).collect());
        let Search { params, memory } = random_search(Kind::Noisy, &mut random);
        let params = Params {
            fixed: columns[..2].to_vec(),
            excluded: columns[2..10].to_vec(),
            candidates: (seed % 2 == 0).then(|| columns[5..30].to_vec()),
            row_weights,
            ..params
        };
        let search = Search { params, memory };
        let (lazy, _) = compare(&x, random.chance(0.5), &search, &format!("seed {seed}"));
        let chosen = lazy.anchors();
        assert!(chosen.iter().all(|j| !search.params.excluded.contains(j)), "{chosen:?}");
    }
}

#[test]
fn bounds_save_evaluations() {
    let x = problem(Kind::Noisy, 20, 1200, &mut Random(5));
    for selection in [Selection::Dist, Selection::Greedy, Selection::Agg, Selection::Joint] {
        let search = Search { params: Params { selection, ..Params::new(10) }, memory: None };
        let (lazy, direct) = compare(&x, false, &search, "evaluations");
        let count = |found: &Factorization| -> u64 {
            found.steps().iter().map(|step| step.evaluations).sum()
        };
        assert_eq!(lazy.termination(), Termination::RankReached);
        assert!(count(&lazy) < count(&direct), "{selection:?}: {}", count(&lazy));
    }
}
