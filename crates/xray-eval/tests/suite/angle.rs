//! Spectral angles and the matching of endmembers.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

use proptest::prelude::*;
use xray_eval::{match_endmembers, spectral_angle};

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-12
}

proptest! {
    #[test]
    fn angles_agree_with_the_arc_cosine(
        pairs in prop::collection::vec((0.0..1.0f64, 0.0..1.0f64), 2..30),
    ) {
        let (a, b): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
        let cosine = dot(&a, &b) / (dot(&a, &a) * dot(&b, &b)).sqrt();
        let found = spectral_angle(&a, &b).unwrap();
        prop_assert!((found.cos() - cosine).abs() < 1e-13);
        prop_assert_eq!(found, spectral_angle(&b, &a).unwrap());
    }

    #[test]
    fn a_shuffled_set_is_matched_with_itself(
        spectra in prop::collection::vec(prop::collection::vec(0.1..1.0f64, 6), 1..7),
        turn in 0usize..6,
    ) {
        let mut shuffled: Vec<Vec<f64>> =
            spectra.iter().map(|s| s.iter().map(|v| v * 3.0).collect()).collect();
        shuffled.rotate_left(turn % spectra.len());
        let matched = match_endmembers(&spectra.concat(), &shuffled.concat(), 6).unwrap();
        prop_assert!(matched.mean < 1e-14, "{:?}", matched);
    }
}

#[test]
fn small_angles_keep_their_digits() {
    for angle in [1e-3, 1e-7, 1e-9, 1e-15] {
        let found = spectral_angle(&[1.0, 0.0], &[f64::cos(angle), f64::sin(angle)]).unwrap();
        assert!((found / angle - 1.0).abs() < 1e-9, "{found} {angle}");
    }
}

#[test]
fn known_angles() {
    for (a, b, expected) in [
        ([1.0, 0.0], [1.0, 1.0], FRAC_PI_4),
        ([1.0, 0.0], [-2.0, 0.0], PI),
        ([1e200, 1e200], [1e-200, 0.0], FRAC_PI_4),
        ([0.0, 0.0], [1.0, 0.0], FRAC_PI_2),
        ([0.0, 0.0], [0.0, 0.0], 0.0),
    ] {
        assert!(close(spectral_angle(&a, &b).unwrap(), expected), "{a:?} {b:?}");
    }
    assert_eq!(spectral_angle(&[], &[]).unwrap(), 0.0);
}

#[test]
fn missing_endmembers_count_as_right_angles() {
    let matched = match_endmembers(&[1.0, 0.0, 0.0, 1.0], &[0.0, 2.0], 2).unwrap();
    assert_eq!(matched.partners, [None, Some(0)]);
    assert!(close(matched.mean, FRAC_PI_4));
    let none = match_endmembers(&[], &[1.0], 1).unwrap();
    assert_eq!((none.partners.len(), none.mean), (0, 0.0));
    assert_eq!(match_endmembers(&[], &[], 0).unwrap().mean, 0.0);
}

#[test]
fn the_whole_matching_is_best_not_each_part() {
    // Both true spectra are nearest to found 0; only one may have it.
    let at = |degrees: f64| [degrees.to_radians().cos(), degrees.to_radians().sin()];
    let truth = [at(10.0), at(12.0)].concat();
    let found = [at(11.0), at(40.0)].concat();
    let matched = match_endmembers(&truth, &found, 2).unwrap();
    assert_eq!(matched.partners, [Some(0), Some(1)]);
    assert!(close(matched.mean.to_degrees(), 14.5));
}

#[test]
fn what_is_no_spectrum_is_refused() {
    assert!(spectral_angle(&[1.0], &[1.0, 2.0]).is_err());
    let error = spectral_angle(&[1.0, 2.0], &[1.0, f64::NAN]).unwrap_err();
    assert!(error.to_string().contains("second spectrum: entry (0, 1) is NaN"), "{error}");
    let error = match_endmembers(&[1.0; 4], &[1.0; 3], 2).unwrap_err();
    assert!(error.to_string().contains("found endmembers: 3 entries"), "{error}");
}
