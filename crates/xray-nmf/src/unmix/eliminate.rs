//! Of more anchors than wanted, those are dropped that are missed least.

use super::Points;
use super::rays::Rays;
use super::select::Chosen;
use crate::error::Result;

/// Drops the anchor without which `||Y - BH||^2` rises least, until `count` are left.
///
/// # Errors
/// If `tell`, which hears of every anchor that is tried, has one.
pub(super) fn eliminate(
    points: &Points,
    mut chosen: Chosen,
    count: usize,
    mut tell: impl FnMut() -> Result<()>,
) -> Result<Chosen> {
    while chosen.anchors.len() > count {
        let mut least = (f64::INFINITY, 0);
        for t in 0..chosen.anchors.len() {
            let mut others = chosen.anchors.clone();
            others.remove(t);
            let loss = unexplained(points, &others);
            if loss < least.0 {
                least = (loss, t);
            }
            tell()?;
        }
        chosen.anchors.remove(least.1);
        chosen.members.remove(least.1);
    }
    Ok(chosen)
}

/// `||Y - BH||^2 - ||Y||^2`, which is `-sum_j h_j'B'y_j` for the best H.
pub(super) fn unexplained(points: &Points, anchors: &[Vec<f64>]) -> f64 {
    let parts = Rays::new(anchors).over(
        points,
        |_| 1.0,
        || 0.0,
        |sum, pixel| {
            let product = pixel.products.iter().zip(pixel.weights).fold(0.0, |s, (c, h)| s + c * h);
            *sum -= product;
        },
    );
    parts.into_iter().fold(0.0, |sum, part: f64| sum + part)
}
