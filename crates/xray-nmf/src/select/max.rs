//! `max`: look from the exterior point with the largest residual, `i = argmax_k ||R_k||`.
//!
//! Needs the residual norms only, which the projection keeps; one or two products `X'x` a step.

use super::look::{Exterior, Point, first_largest};
use crate::cone::Cone;
use crate::error::Result;

#[derive(Debug)]
pub(super) struct Max;

impl Exterior for Max {
    fn point(&mut self, cone: &Cone<'_>, open: &dyn Fn(usize) -> bool) -> Result<Option<Point>> {
        let residual = |i: usize| open(i).then(|| cone.residuals[i]);
        let residuals: Vec<Option<f64>> = (0..cone.residuals.len()).map(residual).collect();
        let largest = first_largest(cone.ranks(), &residuals)?;
        Ok(largest.map(|column| Point { column, evaluations: 1 }))
    }
}
