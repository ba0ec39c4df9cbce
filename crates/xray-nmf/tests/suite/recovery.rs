//! The paper's noise experiment (Figure 3): the share of true anchors found, 200 x 210, r = 20.

use xray_nmf::synth::Synthetic;
use xray_nmf::{Params, Selection, fit};

const RUNS: u64 = 25;
const TOLERANCE: f64 = 0.03;

fn recovery(selection: Selection, noise: f64) -> f64 {
    let shares = (0..RUNS).map(|seed| {
        let planted = Synthetic { noise, seed, ..Synthetic::default() }.generate().unwrap();
        let params = Params { selection, seed, allow_negative: true, ..Params::new(20) };
        planted.recovery(&fit(&planted.matrix, &params).unwrap().anchors())
    });
    shares.sum::<f64>() / RUNS as f64
}

fn check(selection: Selection, expected: &[(f64, f64)]) {
    for &(noise, share) in expected {
        let found = recovery(selection, noise);
        println!("{} at {noise}: {found:.3}, expected {share}", selection.name());
        assert!(
            (found - share).abs() <= TOLERANCE,
            "{selection:?} at {noise}: {found}, not {share}"
        );
    }
}

#[test]
fn max_recovers_as_expected_under_noise() {
    check(Selection::Max, &[(0.3, 1.0), (0.4, 0.92), (0.6, 0.54), (1.0, 0.24)]);
}

#[test]
fn dist_recovers_as_expected_under_noise() {
    check(Selection::Dist, &[(0.3, 0.89), (0.4, 0.69), (0.6, 0.37), (1.0, 0.17)]);
}

#[test]
fn greedy_recovers_as_expected_under_noise() {
    check(Selection::Greedy, &[(0.3, 0.76), (0.4, 0.55), (0.6, 0.25), (1.0, 0.15)]);
}

#[test]
fn rand_is_exact_without_noise_and_poor_with_it() {
    check(Selection::Rand, &[(0.0, 1.0), (0.2, 0.11), (0.5, 0.11), (1.0, 0.11)]);
}
