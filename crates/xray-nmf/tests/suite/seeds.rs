//! Topics that stay with the columns they began with.

use xray_nmf::comm::OneRank;
use xray_nmf::{
    Error, Factors, Matrix, Params, Refine, Refinement, SeededTopics, SparseMatrix, fit,
};

const RANK: usize = 4;
const SEEDS: [usize; 3] = [3, 7, 11];

/// Sparse data without much structure: refinement leaves any start.
fn data() -> SparseMatrix<'static, f64> {
    let (m, n) = (120, 60);
    let mut state = 9u64;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize
    };
    let entries: Vec<(usize, usize, f64)> =
        (0..8 * m).map(|_| (next() % m, next() % n, (1 + next() % 9) as f64 / 3.0)).collect();
    SparseMatrix::from_triplets(m, n, entries).expect("in range")
}

/// Topics that begin with column 3 and with the mean of columns 7 and 11, and two free ones.
fn start(x: &SparseMatrix<'_, f64>) -> Factors {
    let params = Params { fixed: vec![SEEDS[0], SEEDS[1]], ..Params::new(RANK) };
    let mut start = fit(x, &params).expect("a fit").factors(&OneRank).expect("one rank");
    let other = x.column(SEEDS[2]).to_dense(x.n_rows());
    for (line, other) in start.w.chunks_exact_mut(RANK).zip(other) {
        line[1] = (line[1] + other) / 2.0;
    }
    start
}

fn seeded(strength: f64) -> SeededTopics {
    SeededTopics { columns: vec![vec![SEEDS[0]], vec![SEEDS[1], SEEDS[2]]], strength }
}

fn refined(x: &dyn Matrix, method: Refinement, seeded: &SeededTopics) -> Factors {
    let refine = Refine::of(x).method(method).steps(30, 0.0).seeded(seeded);
    refine.run(start(&data())).expect("refined")
}

fn column(values: &[f64], k: usize) -> Vec<f64> {
    values.iter().skip(k).step_by(RANK).copied().collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// `||X - WH||^2`, from the entries.
fn squared_error(x: &dyn Matrix, found: &Factors) -> f64 {
    let term = |j: usize| {
        let column = x.column(j).to_dense(x.n_rows());
        let h = &found.h[j * RANK..][..RANK];
        let left = column.iter().zip(found.w.chunks_exact(RANK)).map(|(x, w)| x - dot(w, h));
        left.map(|v| v * v).sum::<f64>()
    };
    (0..x.n_columns()).map(term).sum()
}

/// What is minimised, as the documentation has it.
fn pulled_error(x: &dyn Matrix, found: &Factors, strength: f64) -> f64 {
    let start = start(&data());
    let mut h = start.h.clone();
    for (j, own) in [(SEEDS[0], 0), (SEEDS[1], 1), (SEEDS[2], 1)] {
        (0..RANK).filter(|k| *k != own).for_each(|k| h[j * RANK + k] = 0.0);
    }
    let square = |v: &[f64]| dot(v, v);
    let energy = |k: usize| square(&column(&start.w, k)) * square(&column(&h, k));
    let mean = (0..RANK).map(energy).sum::<f64>() / RANK as f64;
    let penalty = |t: usize| {
        let force = (strength / (1.0 - strength) * (mean / energy(t)).max(1.0)).min(1e4);
        let (towards, w) = (column(&start.w, t), column(&found.w, t));
        let along = dot(&towards, &w) / square(&towards);
        let left: Vec<f64> = w.iter().zip(&towards).map(|(w, to)| w - along * to).collect();
        force * square(&column(&found.h, t)) * square(&left)
    };
    squared_error(x, found) + (0..2).map(penalty).sum::<f64>()
}

#[test]
fn the_objective_is_what_is_documented_and_never_rises() {
    let x = data();
    for method in [Refinement::Hals, Refinement::Exact, Refinement::KullbackLeibler] {
        for strength in [0.0, 0.1, 0.5, 0.9, 0.9999, 1.0] {
            let found = refined(&x, method, &seeded(strength));
            let steps = found.objective.windows(2);
            let rises = steps.clone().filter(|pair| pair[1] > pair[0]).count();
            // What multiplications leave out is rounding.
            let rounding = 1e-12 * found.objective[0];
            let largest = steps.map(|pair| pair[1] - pair[0]).fold(f64::NEG_INFINITY, f64::max);
            assert!(largest <= rounding, "{method:?} {strength}: {rises} rises, {largest}");
            if method != Refinement::KullbackLeibler {
                let truth = if strength < 1.0 {
                    pulled_error(&x, &found, strength)
                } else {
                    squared_error(&x, &found)
                };
                let told = found.objective[30];
                assert!(
                    (told - truth).abs() <= 1e-9 * truth,
                    "{method:?} {strength}: {told} {truth}"
                );
            }
        }
    }
}

#[test]
fn strength_draws_topics_to_their_seeds() {
    let x = data();
    let start = start(&x);
    let cosine = |found: &Factors, t: usize| {
        let (a, b) = (column(&start.w, t), column(&found.w, t));
        dot(&a, &b) / (dot(&a, &a) * dot(&b, &b)).sqrt()
    };
    for method in [Refinement::Hals, Refinement::Exact] {
        let found = [0.0, 0.25, 0.5, 0.9].map(|s| refined(&x, method, &seeded(s)));
        for t in 0..2 {
            let cosines = found.each_ref().map(|found| cosine(found, t));
            assert!(cosines.is_sorted() && cosines[3] > 0.97, "{method:?} topic {t}: {cosines:?}");
            assert!(cosines[0] < 0.9, "{method:?} topic {t}: {cosines:?}");
        }
    }
}

#[test]
fn seeds_belong_to_their_topics_and_held_topics_do_not_move() {
    let x = data();
    let start = start(&x);
    for method in [Refinement::Hals, Refinement::Exact, Refinement::KullbackLeibler] {
        for strength in [0.5, 1.0] {
            let found = refined(&x, method, &seeded(strength));
            for (j, own) in [(SEEDS[0], 0), (SEEDS[1], 1), (SEEDS[2], 1)] {
                let line = &found.h[j * RANK..][..RANK];
                let others = line.iter().enumerate().filter(|(k, _)| *k != own);
                assert!(others.into_iter().all(|(_, v)| *v == 0.0), "{method:?}: {line:?}");
                assert!(line[own] > 0.0, "{method:?} {strength}: {line:?}");
            }
            let held = strength == 1.0 || method == Refinement::KullbackLeibler;
            for t in 0..2 {
                let same = column(&found.w, t) == column(&start.w, t);
                assert_eq!(same, held, "{method:?} {strength} topic {t}");
            }
            assert_ne!(column(&found.w, 2), column(&start.w, 2));
        }
    }
}

#[test]
fn strength_zero_changes_no_bit() {
    let x = data();
    for method in [Refinement::Hals, Refinement::Exact, Refinement::KullbackLeibler] {
        let free = Refine::of(&x).method(method).steps(30, 0.0).run(start(&x)).expect("refined");
        assert_eq!(refined(&x, method, &seeded(0.0)), free);
    }
}

#[test]
fn a_seed_may_belong_to_several_topics() {
    let x = data();
    let seeded = SeededTopics { columns: vec![vec![3], vec![3, 7]], strength: 0.5 };
    let found = refined(&x, Refinement::Hals, &seeded);
    let line = &found.h[3 * RANK..][..RANK];
    assert!(line[2..] == [0.0, 0.0] && line[..2] != [0.0, 0.0], "{line:?}");
}

#[test]
fn seeds_that_cannot_be_are_refused() {
    let x = data();
    let refused = |columns: Vec<Vec<usize>>, strength: f64, what: &str| {
        let seeded = SeededTopics { columns, strength };
        match Refine::of(&x).seeded(&seeded).run(start(&x)) {
            Err(Error::Parameter { name, .. }) => assert_eq!(name, what),
            other => panic!("{what}: {other:?}"),
        }
    };
    refused(vec![vec![3]], 1.5, "strength");
    refused(vec![vec![3]], f64::NAN, "strength");
    refused(vec![vec![3]; 5], 0.5, "lists of seeds");
    refused(vec![vec![60]], 0.5, "seed");
}

#[test]
fn the_pull_does_not_depend_on_the_scale_of_topics() {
    let x = data();
    let start = start(&x);
    let mut scaled = start.clone();
    for (k, scale) in [64.0, 1.0 / 64.0, 16.0, 1.0].into_iter().enumerate() {
        scaled.w.iter_mut().skip(k).step_by(RANK).for_each(|v| *v *= scale);
        scaled.h.iter_mut().skip(k).step_by(RANK).for_each(|v| *v /= scale);
    }
    for method in [Refinement::Hals, Refinement::Exact] {
        let [plain, other] = [&start, &scaled].map(|start| {
            let seeded = seeded(0.5);
            let refine = Refine::of(&x).method(method).steps(5, 0.0).seeded(&seeded);
            refine.run(start.clone()).expect("refined").objective
        });
        for (a, b) in plain.iter().zip(&other) {
            assert!((a - b).abs() <= 1e-9 * a, "{method:?}: {plain:?} {other:?}");
        }
    }
}
