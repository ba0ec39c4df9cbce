//! Spectral angles: how far found endmembers are from the true ones, whatever their brightness.
//!
//! The angle of spectra a and b is `arccos(a'b / (||a|| ||b||))`, in radians. A spectrum of zeros
//! has no direction: its angle is 0 to another such spectrum and a right angle to any other.
//!
//! Reference: F. A. Kruse et al., "The spectral image processing system (SIPS)", Remote Sensing of
//! Environment 44 (1993).

use std::f64::consts::FRAC_PI_2;

use xray_nmf::Column;

use crate::error::{Result, check_length, check_rows};
use crate::matching::cheapest_matching;
use crate::ray::Ray;

/// The angle of two spectra in radians, between 0 and pi.
///
/// # Errors
/// If the spectra differ in length or have an entry that is not finite.
///
/// # Examples
/// ```
/// use xray_eval::spectral_angle;
/// assert_eq!(spectral_angle(&[1.0, 2.0], &[2.0, 4.0])?, 0.0);
/// assert_eq!(spectral_angle(&[1.0, 0.0], &[0.0, 3.0])?.to_degrees(), 90.0);
/// # Ok::<(), xray_eval::Error>(())
/// ```
pub fn spectral_angle(a: &[f64], b: &[f64]) -> Result<f64> {
    check_length("bands of the second spectrum", a.len(), b.len())?;
    Ok(angle(&ray("first spectrum", 0, a)?, &ray("second spectrum", 0, b)?))
}

/// True endmembers and their partners among found ones.
#[derive(Debug, Clone, PartialEq)]
pub struct EndmemberMatch {
    /// The found spectrum of each true one, or `None` where too few were found.
    pub partners: Vec<Option<usize>>,
    /// The angle of each true spectrum to its partner; a right angle without one.
    pub angles: Vec<f64>,
    /// The mean of `angles`; 0 if there are none.
    pub mean: f64,
}

/// Matches true endmembers with found ones, one to one, so that the mean angle is smallest.
///
/// Both arrays have `n_bands` entries for each spectrum, spectrum after spectrum.
///
/// # Errors
/// If a length is not a multiple of `n_bands`, or an entry is not finite.
///
/// # Examples
/// ```
/// use xray_eval::match_endmembers;
/// let truth = [1.0, 0.0, 0.0, 1.0];
/// let found = [0.0, 5.0, 1.0, 1.0, 2.0, 0.0];
/// let matched = match_endmembers(&truth, &found, 2)?;
/// assert_eq!(matched.partners, [Some(2), Some(0)]);
/// assert_eq!(matched.mean, 0.0);
/// # Ok::<(), xray_eval::Error>(())
/// ```
pub fn match_endmembers(truth: &[f64], found: &[f64], n_bands: usize) -> Result<EndmemberMatch> {
    let truth = rays("true endmembers", truth, n_bands)?;
    let found = rays("found endmembers", found, n_bands)?;
    let table: Vec<Vec<f64>> =
        truth.iter().map(|t| found.iter().map(|f| angle(t, f)).collect()).collect();
    let partners = cheapest_matching(truth.len(), found.len(), |i, j| table[i][j]);
    let angles: Vec<f64> =
        partners.iter().zip(&table).map(|(j, row)| j.map_or(FRAC_PI_2, |j| row[j])).collect();
    let mean = angles.iter().fold(0.0, |sum, angle| sum + angle) / angles.len().max(1) as f64;
    Ok(EndmemberMatch { partners, angles, mean })
}

fn ray(what: &'static str, row: usize, spectrum: &[f64]) -> Result<Option<Ray>> {
    Ray::new(what, row, &Column { rows: None, values: spectrum.to_vec() })
}

fn rays(what: &'static str, spectra: &[f64], n_bands: usize) -> Result<Vec<Option<Ray>>> {
    check_rows(what, spectra, n_bands)?;
    let each = spectra.chunks_exact(n_bands.max(1)).enumerate();
    each.map(|(k, spectrum)| ray(what, k, spectrum)).collect()
}

fn angle(a: &Option<Ray>, b: &Option<Ray>) -> f64 {
    match (a, b) {
        (Some(a), Some(b)) => a.angle(b),
        (None, None) => 0.0,
        _ => FRAC_PI_2,
    }
}
