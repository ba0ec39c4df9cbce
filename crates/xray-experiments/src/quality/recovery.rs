//! How many of the true anchors were found.
//!
//! Anchors are compared as rays: columns that are positive multiples of each other span the same
//! ray, and any of them serves.

use xray_nmf::Line;

use crate::quality::error::{Error, Result};
use crate::quality::ray::Ray;

/// The share of the true rays on which a found column lies; 1 if there are none to find.
///
/// Two columns are on one ray if the cosine of their angle is at least `1 - tolerance`. True columns on one
/// ray count once. Zero columns have no ray and are left out.
///
/// # Errors
/// If the tolerance is not between 0 and 1, or an entry is not finite.
pub(crate) fn ray_recovery(truth: &[Line], found: &[Line], tolerance: f64) -> Result<f64> {
    if !(0.0..=1.0).contains(&tolerance) {
        let allowed = "give a number from 0 (same direction) to 1 (any acute angle)";
        return Err(Error::Parameter { name: "tolerance", value: tolerance.to_string(), allowed });
    }
    let same = |u: &Ray, v: &Ray| u.cosine_distance(v) <= tolerance;
    let mut distinct: Vec<Ray> = Vec::new();
    for ray in rays("true anchors", truth)? {
        if !distinct.iter().any(|other| same(other, &ray)) {
            distinct.push(ray);
        }
    }
    let found = rays("found anchors", found)?;
    let hit = |ray: &&Ray| found.iter().any(|other| same(ray, other));
    let hits = distinct.iter().filter(hit).count();
    Ok(if distinct.is_empty() { 1.0 } else { hits as f64 / distinct.len() as f64 })
}

/// The rays of all columns other than 0.
fn rays(what: &'static str, columns: &[Line]) -> Result<Vec<Ray>> {
    let each = columns.iter().enumerate().map(|(k, column)| Ray::new(what, k, column));
    each.filter_map(Result::transpose).collect()
}
