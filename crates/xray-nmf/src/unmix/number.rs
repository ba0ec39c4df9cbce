//! How many endmembers there are: the knee of the logarithm of what the first k anchors leave.

use super::eliminate::unexplained;
use super::points::Points;
use super::select::select;
use crate::error::Result;

/// Coordinates in which the number is sought.
pub const NUMBER_DIMENSIONS: usize = 20;
/// The largest number that is looked at; the knee depends on it a little.
pub const LARGEST_NUMBER: usize = 15;
/// Pixels darker than this share of the median are not made as bright as the others.
const DARK: f64 = 0.2;
/// Residuals below this are rounding.
const LEAST: f64 = 1e-12;

impl Points {
    /// The part of `||Y||^2` that the first 1, 2, .. anchors leave unexplained, of pixels made equally bright; of more
    /// than 2^18 pixels, so many that are spread evenly.
    ///
    /// # Errors
    /// If no pixel is lit, or `tell`, which hears of every step of `2 limit`, has one.
    pub fn residual_path(
        self,
        limit: usize,
        mut tell: impl FnMut() -> Result<()>,
    ) -> Result<Vec<f64>> {
        let points = self.thinned().map_or(self, |(few, _)| few).with_equal_light(DARK);
        let anchors = select(&points, limit, &mut tell)?.anchors;
        let square = |sum: f64, &v: &f32| sum + f64::from(v) * f64::from(v);
        let total =
            points.places().chunks(super::BLOCK).map(|block| block.iter().fold(0.0, square));
        let total = total.fold(0.0, |sum, part| sum + part);
        let mut path = Vec::new();
        for k in 1..=anchors.len() {
            let left = (total + unexplained(&points, &anchors[..k])).max(0.0);
            path.push(if total > 0.0 { left / total } else { 0.0 });
            tell()?;
        }
        Ok(path)
    }
}

/// The number of anchors at the knee of a path of residuals: where the logarithm is farthest below the chord from the first to
/// the last, both axes scaled to 0..1.
///
/// # Examples
/// ```
/// // Falls tenfold until three, then slowly.
/// assert_eq!(xray_nmf::unmix::knee(&[1.0, 0.1, 0.01, 0.009, 0.008, 0.007]), 3);
/// assert_eq!(xray_nmf::unmix::knee(&[0.5]), 1);
/// ```
pub fn knee(path: &[f64]) -> usize {
    let logs: Vec<f64> = path.iter().map(|v| v.max(LEAST).ln()).collect();
    let (Some(first), Some(last)) = (logs.first(), logs.last()) else { return 0 };
    if first <= last {
        return 1;
    }
    let height = |k: usize| {
        let x = k as f64 / (logs.len() - 1) as f64;
        1.0 - x - (logs[k] - last) / (first - last)
    };
    let best = (0..logs.len()).fold(0, |best, k| if height(k) > height(best) { k } else { best });
    best + 1
}
