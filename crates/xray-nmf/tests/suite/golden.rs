//! Reference answers: exactly separable matrices with their extreme rays, and noisy matrices with
//! the full sequence of every rule.

use crate::support::files::{Golden, golden, indices, numbers};
use crate::support::naive::EXACT;
use crate::support::verify::verify;
use serde_json::Value;
use xray_nmf::{DenseMatrix, Engine, Factorization, Matrix, Params, Selection, fit, with_threads};

/// Fits in every storage and with 1 and 2 threads; all must agree to the last bit.
fn fit_all_ways(problem: &Golden, params: &Params) -> Factorization {
    let x = &problem.x;
    let rows = x.row_major();
    let by_rows = DenseMatrix::from_row_major(x.m, x.n, &rows[..]).unwrap();
    let reference = fit(&x.dense(), params).unwrap();
    let check = |other: Factorization, way: &str| {
        assert_eq!(other.steps(), reference.steps(), "{}: {way}", problem.name);
        assert_eq!(other.coefficients(), reference.coefficients(), "{}: {way}", problem.name);
    };
    for threads in [1, 2] {
        let on = |x: &dyn Matrix| with_threads(Some(threads), || fit(x, params).unwrap()).unwrap();
        check(on(&x.dense()), "dense by columns");
        check(on(&by_rows), "dense by rows");
        check(on(&x.sparse()), "sparse");
    }
    let direct = Params { engine: Engine::Direct, ..params.clone() };
    let direct = fit(&x.sparse(), &direct).unwrap();
    assert_eq!(direct.anchors(), reference.anchors(), "{}: direct", problem.name);
    assert_eq!(direct.coefficients(), reference.coefficients(), "{}: direct", problem.name);
    reference
}

fn selection_of(method: &str) -> Option<(Selection, bool)> {
    let name = method.strip_prefix("xray_")?;
    let (name, mean_ray) = match name.strip_suffix("_virtual_mean_ray") {
        Some(name) => (name, true),
        None => (name, false),
    };
    Some((name.parse().unwrap(), mean_ray))
}

#[test]
fn exact_files_give_one_column_of_each_extreme_ray() {
    for problem in golden().iter().filter(|p| p.answers["kind"] == "exact") {
        let classes: Vec<Vec<usize>> = problem.answers["expected_ray_classes"]
            .as_array()
            .unwrap()
            .iter()
            .map(indices)
            .collect();
        let rank = problem.answers["r"].as_u64().unwrap() as usize;
        for (selection, mean_ray) in EXACT.into_iter().flat_map(|s| [(s, false), (s, true)]) {
            for seed in 0..3 {
                let params = Params { selection, mean_ray, seed, ..Params::new(rank) };
                let found = fit_all_ways(problem, &params);
                let mut seen: Vec<usize> = found
                    .anchors()
                    .iter()
                    .map(|a| {
                        classes.iter().position(|c| c.contains(a)).unwrap_or_else(|| {
                            panic!(
                                "{} {selection:?} mean {mean_ray}: {a} is interior",
                                problem.name
                            )
                        })
                    })
                    .collect();
                seen.sort_unstable();
                seen.dedup();
                let expected = problem.answers["expected_n_anchors"].as_u64().unwrap() as usize;
                assert_eq!(seen.len(), found.rank(), "{}: one column a ray", problem.name);
                assert_eq!(
                    found.rank(),
                    expected,
                    "{} {selection:?} mean {mean_ray}",
                    problem.name
                );
                let lowest = found.anchors().iter().all(|a| {
                    classes.iter().find(|c| c.contains(a)).unwrap().iter().min() == Some(a)
                });
                assert!(lowest, "{} {selection:?}: the lowest index of each ray", problem.name);
                verify(&problem.x, &found, 1e-9);
                if expected == classes.len() && expected > 0 {
                    assert!(found.residual() < 1e-7, "{}: {:e}", problem.name, found.residual());
                }
            }
            let more = Params { selection, mean_ray, ..Params::new(rank + 50) };
            let found = fit(&problem.x.dense(), &more).unwrap();
            assert_eq!(found.rank(), classes.len(), "{} {selection:?}: exhausted", problem.name);
        }
    }
}

#[test]
fn exact_files_give_the_tie_aware_sequences() {
    for problem in golden().iter().filter(|p| p.answers["kind"] == "exact") {
        for (method, answer) in problem.answers["methods"].as_object().unwrap() {
            let Some((selection, mean_ray)) = selection_of(method) else { continue };
            if selection == Selection::Greedy {
                continue;
            }
            let rank = problem.answers["r"].as_u64().unwrap() as usize;
            let params = Params { selection, mean_ray, ..Params::new(rank) };
            let found = fit(&problem.x.dense(), &params).unwrap();
            let expected = indices(&answer["tie_aware_sequence"]);
            assert_eq!(found.anchors(), expected, "{} {method}", problem.name);
        }
    }
}

#[test]
fn noisy_files_give_the_sequence_of_every_rule() {
    for problem in golden().iter().filter(|p| p.answers["kind"] == "noisy") {
        let rank = problem.answers["r"].as_u64().unwrap() as usize;
        for (method, answer) in problem.answers["methods"].as_object().unwrap() {
            let Some((selection, mean_ray)) = selection_of(method) else { continue };
            let signed = problem.x.dense().first_negative().is_some();
            let params =
                Params { selection, mean_ray, allow_negative: signed, ..Params::new(rank) };
            let found = fit_all_ways(problem, &params);
            let what = format!("{} {method}", problem.name);
            assert_eq!(found.anchors(), indices(&answer["sequence"]), "{what}");
            let scores: Vec<f64> = found.steps().iter().map(|s| s.score.unwrap()).collect();
            assert_close(&scores, &numbers(&answer["scores"]), &what);
            let points: Vec<i64> =
                found.steps().iter().map(|step| step.exterior.map_or(-1, |i| i as i64)).collect();
            let expected: Vec<i64> = answer["i_sequence"]
                .as_array()
                .unwrap()
                .iter()
                .map(|v| v.as_i64().unwrap())
                .collect();
            assert_eq!(points, expected, "{what}: exterior points");
            if let Value::Array(_) = &answer["fro_residual_after_each"] {
                let total = problem.x.values.iter().map(|v| v * v).sum::<f64>().sqrt();
                let path: Vec<f64> = found.steps().iter().map(|s| s.residual * total).collect();
                assert_close(&path, &numbers(&answer["fro_residual_after_each"]), &what);
                let sum: f64 = found.coefficients().to_dense().iter().sum();
                assert_close(&[sum], &[answer["H_sum"].as_f64().unwrap()], &what);
            }
            verify(&problem.x, &found, 1e-10);
        }
    }
}

fn assert_close(found: &[f64], expected: &[f64], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (a, b) in found.iter().zip(expected) {
        assert!((a - b).abs() <= 1e-7 * b.abs(), "{what}: {a} for {b}");
    }
}
