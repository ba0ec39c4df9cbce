//! `max`: look from the exterior point with the largest residual, `i = argmax_k ||R_k||`.
//!
//! Needs the residual norms only, which the projection keeps; one or two products `X'x` a step.

use super::look::{Exterior, Point, Value, first_largest};
use super::ties::sum_rounding;
use crate::cone::Cone;
use crate::error::Result;

#[derive(Debug)]
pub(super) struct Max;

impl Exterior for Max {
    fn point(&mut self, cone: &Cone<'_>, open: &dyn Fn(usize) -> bool) -> Result<Option<Point>> {
        let rounding = sum_rounding(cone, cone.n_rays());
        let residual = |i: usize| {
            open(i).then(|| Value {
                value: cone.residuals[i],
                error: rounding * cone.residual_terms(i),
            })
        };
        let residuals: Vec<Option<Value>> = (0..cone.residuals.len()).map(residual).collect();
        let largest = first_largest(cone.ranks(), &residuals)?;
        Ok(largest.map(|column| Point { column, evaluations: 1 }))
    }
}
