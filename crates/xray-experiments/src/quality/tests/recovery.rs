//! Recovery of anchors by ray.

use proptest::prelude::*;
use xray_nmf::synth::Synthetic;
use xray_nmf::{Line, Matrix, Params, fit};

use crate::quality::ray_recovery;

/// The cosine tolerance for data without noise: an angle of about 4e-5.
const RAY_TOLERANCE: f64 = 1e-9;

fn dense(values: &[f64]) -> Line {
    Line { indices: None, values: values.to_vec() }
}

fn sparse(indices: &[u32], values: &[f64]) -> Line {
    Line { indices: Some(indices.to_vec()), values: values.to_vec() }
}

fn share(truth: &[Line], found: &[Line]) -> f64 {
    ray_recovery(truth, found, RAY_TOLERANCE).unwrap()
}

/// The textbook cosine, for rays that are clearly the same or clearly not.
fn cosine(a: &[f64], b: &[f64]) -> f64 {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}

fn small_columns() -> impl Strategy<Value = Vec<Vec<f64>>> {
    let entry = (-2i32..4).prop_map(f64::from);
    prop::collection::vec(prop::collection::vec(entry, 3), 0..7)
}

proptest! {
    #[test]
    fn rays_agree_with_cosines(truth in small_columns(), found in small_columns()) {
        let directed = |v: &&Vec<f64>| v.iter().any(|x| *x != 0.0);
        let same = |a: &[f64], b: &[f64]| cosine(a, b) > 1.0 - 1e-9;
        let mut rays: Vec<&Vec<f64>> = Vec::new();
        for t in truth.iter().filter(directed) {
            if !rays.iter().any(|r| same(r, t)) {
                rays.push(t);
            }
        }
        let hit = |t: &&&Vec<f64>| found.iter().filter(directed).any(|f| same(f, t));
        let hits = rays.iter().filter(hit).count() as f64;
        let expected = if rays.is_empty() { 1.0 } else { hits / rays.len() as f64 };
        let columns = |vectors: &[Vec<f64>]| vectors.iter().map(|v| dense(v)).collect::<Vec<_>>();
        prop_assert_eq!(share(&columns(&truth), &columns(&found)), expected);
    }

    #[test]
    fn multiples_are_found_at_any_scale(
        ray in prop::collection::vec(0.1..9.0f64, 1..20),
        exponent in -150i32..150,
    ) {
        let scaled: Vec<f64> = ray.iter().map(|v| v * 10f64.powi(exponent)).collect();
        prop_assert_eq!(ray_recovery(&[dense(&ray)], &[dense(&scaled)], 1e-20).unwrap(), 1.0);
    }
}

#[test]
fn storage_does_not_matter() {
    let truth = [sparse(&[1, 4], &[1.0, 2.0])];
    assert_eq!(share(&truth, &[dense(&[0.0, 2.0, 0.0, 0.0, 4.0])]), 1.0);
    assert_eq!(share(&truth, &[sparse(&[1, 3, 4], &[3.0, 0.0, 6.0])]), 1.0);
    assert_eq!(share(&truth, &[sparse(&[1, 3, 4], &[3.0, 1.0, 6.0])]), 0.0);
}

#[test]
fn rays_count_once_and_opposites_not_at_all() {
    let truth = [dense(&[1.0, 0.0]), dense(&[5.0, 0.0]), dense(&[0.0, 1.0]), dense(&[0.0, 0.0])];
    assert_eq!(share(&truth, &[dense(&[2.0, 0.0]), dense(&[3.0, 0.0])]), 0.5);
    assert_eq!(share(&truth, &[dense(&[-1.0, 0.0]), dense(&[0.0, 0.0])]), 0.0);
    assert_eq!(share(&[], &truth), 1.0);
    assert_eq!(share(&truth[3..], &[]), 1.0);
}

#[test]
fn the_tolerance_is_on_the_cosine() {
    let truth = [dense(&[1.0, 0.0])];
    let (inside, outside) = ((1.99e-9f64).sqrt(), (2.01e-9f64).sqrt());
    assert_eq!(share(&truth, &[dense(&[inside.cos(), inside.sin()])]), 1.0);
    assert_eq!(share(&truth, &[dense(&[outside.cos(), outside.sin()])]), 0.0);
}

#[test]
fn a_fit_without_noise_finds_every_ray() {
    let planted = Synthetic { seed: 3, ..Synthetic::default() }.generate().unwrap();
    let found = fit(&planted.matrix, &Params::new(20)).unwrap();
    let truth: Vec<Line> = planted.anchors.iter().map(|&j| planted.matrix.column(j)).collect();
    assert_eq!(share(&truth, found.anchor_columns()), 1.0);
}

#[test]
fn what_is_no_number_is_refused() {
    let error = ray_recovery(&[dense(&[1.0]), dense(&[f64::NAN])], &[], 0.1).unwrap_err();
    assert!(error.to_string().contains("true anchors: entry (1, 0) is NaN"), "{error}");
    for tolerance in [-0.1, 1.1, f64::NAN] {
        let error = ray_recovery(&[], &[], tolerance).unwrap_err();
        assert!(error.to_string().contains("tolerance"), "{error}");
    }
}
