//! Columns of X projected by the active set, and made better where anchors are nearly dependent.

use super::{ActiveSet, GRADIENT_TOLERANCE, Gradients, State, correct};
use crate::matrix::kernels::dot;
use crate::project::basis::NEARLY_DEPENDENT;
use crate::project::kkt::gradient_in_coordinates;
use crate::project::orthogonal::OrthogonalSet;
use crate::project::{Coordinates, Kept, Projection, Projector, WeightBlock, sparse_dot};

/// A column in the coordinates of an orthonormal basis of the rays.
struct InCoordinates<'a> {
    triangle: &'a [&'a [f64]],
    right: &'a [f64],
}

impl Gradients for InCoordinates<'_> {
    fn gradient_of(&mut self, solution: (&[u32], &[f64]), gradient: &mut [f64]) {
        gradient_in_coordinates(self.triangle, self.right, solution, gradient);
    }
}

impl Projector for ActiveSet {
    #[inline(always)]
    fn project(
        &mut self,
        input: &Projection<'_>,
        i: usize,
        before: (&[u32], &[f64]),
        hidden: bool,
        kept: &mut Kept,
        weights: &mut WeightBlock,
    ) -> f64 {
        let Projection { inner_products, normal, .. } = *input;
        let (n_rays, squared_norm) = (normal.size(), input.squared_norms[i]);
        let place = weights.n_columns();
        inner_products.gather(i, self.start(n_rays, before));
        if !hidden {
            let factor = kept.factor(place);
            let factor = if factor.is_empty() { None } else { Some(factor) };
            self.solve(normal, squared_norm.sqrt(), Some(n_rays - 1), factor);
        }
        let hidden =
            hidden || (input.rays.hide() && self.may_hide_weights(input, squared_norm.sqrt()));
        let corrected = if hidden || self.least_pivot(normal) < NEARLY_DEPENDENT {
            Some(self.solve_in_coordinates(input, i, &mut kept.coordinates, hidden))
        } else {
            None
        };
        kept.keep_factor(place, || {
            let worth = self.has_factor && self.passive.len() >= Kept::LEAST_FACTOR;
            if worth { self.factor() } else { Box::default() }
        });
        weights.push(&self.passive, &self.weights);
        let residual =
            corrected.unwrap_or_else(|| squared_norm - sparse_dot(self.solution(), &self.target));
        residual.max(0.0)
    }
}

impl ActiveSet {
    /// Whether the gradient of a ray outside P is zero to rounding: for one that is near to the span of P, that
    /// says nothing.
    #[cold]
    fn may_hide_weights(&self, input: &Projection<'_>, norm: f64) -> bool {
        let Projection { normal, signed, .. } = *input;
        let tolerance = GRADIENT_TOLERANCE * norm;
        (0..normal.size()).filter(|&k| self.state[k] != State::Passive).any(|k| {
            let scaled = |v: f64| v * normal.inverse_norm(k);
            // Without negative entries the gradient is at most C_ki.
            let counts = signed || scaled(self.target[k]) > tolerance;
            counts && scaled(self.gradient[k]).abs() <= tolerance
        })
    }

    /// Makes the solution for column i better in the coordinates of an orthonormal basis; returns
    /// `||R_i||^2`.
    #[cold]
    fn solve_in_coordinates(
        &mut self,
        input: &Projection<'_>,
        i: usize,
        coordinates: &mut Coordinates,
        hidden: bool,
    ) -> f64 {
        let (normal, squared_norm) = (input.normal, input.squared_norms[i]);
        let (right, triangle) = (coordinates.of(i, &input.rays), input.rays.triangle());
        let mut gradient = vec![0.0; normal.size()];
        let norm = squared_norm.sqrt();
        let mut residuals = InCoordinates { triangle: &triangle, right };
        let settled = !hidden && correct(self, normal, norm, &mut gradient, &mut residuals);
        let outside = |k: usize| self.state[k] != State::Passive;
        let violated = |k: usize| gradient[k] * normal.inverse_norm(k) > GRADIENT_TOLERANCE * norm;
        if !settled || (0..normal.size()).any(|k| outside(k) && violated(k)) {
            let set = OrthogonalSet::new(&triangle, right);
            (self.passive, self.weights) = set.solve((&self.passive, &self.weights));
            self.has_factor = false;
        }
        let inside = gradient_in_coordinates(&triangle, right, self.solution(), &mut gradient);
        inside + (squared_norm - dot(right, right)).max(0.0)
    }
}
