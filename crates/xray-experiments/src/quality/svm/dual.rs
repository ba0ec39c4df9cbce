//! Dual coordinate descent for one hyperplane.
//!
//! ```text
//! min_a  1/2 a'(Q + D)a - sum_i a_i,   a >= 0,   Q_ij = y_i y_j x_i'x_j,   D = 1/(2C)
//! ```
//!
//! with `w = sum_i a_i y_i x_i` kept up to date: the gradient `G_i = y_i w'x_i - 1 + a_i D` costs
//! one product, and the exact step is `a_i <- max(0, a_i - G_i / (Q_ii + D))`. Rows are visited in a
//! new random order in each pass. The projected gradient is `min(G_i, 0)` at `a_i = 0`, else `G_i`;
//! the end is when its values in a pass over all rows are within the tolerance of each other and of 0.
//!
//! Shrinking: a row at `a_i = 0` with `G_i` above the largest projected gradient of the pass before
//! will probably stay there and is left out, until the others have converged; then all are visited
//! again. If the passes run out before, rows left out by mistake still weigh on the objective.
//!
//! Where the passes run out, with shrinking or without, the objective can be well above its minimum:
//! up to 16 % on the reference problems, in LIBLINEAR too. `converged` tells.
//!
//! Symbols: a `duals`, y `signs`, D `diagonal`, `Q_ii + D` `curvatures`. Cost of a pass: the stored
//! entries of the rows, twice. A row of zeros without a bias has no say in w.
//!
//! Reference: C.-J. Hsieh et al., "A dual coordinate descent method for large-scale linear SVM",
//! ICML 2008, Algorithm 3.

use rand::Rng;
use rand::seq::SliceRandom;

use super::{Examples, Hyperplane, SvmParams};

/// Projected gradients below this make no step.
const NO_STEP: f64 = 1e-12;

/// Minimises the dual problem of the listed rows and signs.
pub(super) fn solve(
    examples: &Examples,
    rows: &[usize],
    signs: Vec<f64>,
    params: &SvmParams,
    random: &mut impl Rng,
) -> Hyperplane {
    let mut state = Dual::new(examples, rows, signs, params);
    let (mut iterations, mut converged) = (0, false);
    while iterations < params.max_iterations && !converged {
        iterations += 1;
        state.order[..state.n_active].shuffle(random);
        let (largest, smallest) = state.pass();
        // Gradients that are alike need not be small.
        let calm = (largest - smallest).max(largest).max(-smallest) <= params.tolerance;
        converged = calm && state.n_active == rows.len();
        if calm {
            state.n_active = rows.len();
        }
        let shrinks = params.shrinking && !calm && largest > 0.0;
        state.settled_above = if shrinks { largest } else { f64::INFINITY };
    }
    let intercept = state.bias * state.bias_weight;
    Hyperplane { weights: state.weights, intercept, iterations, converged }
}

struct Dual<'a> {
    examples: &'a Examples,
    rows: &'a [usize],
    signs: Vec<f64>,
    duals: Vec<f64>,
    curvatures: Vec<f64>,
    diagonal: f64,
    weights: Vec<f64>,
    /// B, or 0 without an intercept.
    bias: f64,
    bias_weight: f64,
    /// Positions in `rows`: active ones first.
    order: Vec<usize>,
    n_active: usize,
    /// A row with dual 0 and a gradient above this is left out.
    settled_above: f64,
}

impl<'a> Dual<'a> {
    fn new(examples: &'a Examples, rows: &'a [usize], signs: Vec<f64>, params: &SvmParams) -> Self {
        let bias = params.bias.unwrap_or(0.0);
        let diagonal = 0.5 / params.c;
        let curvature = |&i: &usize| diagonal + examples.squared_norm(i) + bias * bias;
        Self {
            examples,
            rows,
            signs,
            duals: vec![0.0; rows.len()],
            curvatures: rows.iter().map(curvature).collect(),
            diagonal,
            weights: vec![0.0; examples.n_columns()],
            bias,
            bias_weight: 0.0,
            order: (0..rows.len()).collect(),
            n_active: rows.len(),
            settled_above: f64::INFINITY,
        }
    }

    /// One step for each active row; the largest and the smallest projected gradient.
    fn pass(&mut self) -> (f64, f64) {
        let (mut largest, mut smallest) = (f64::NEG_INFINITY, f64::INFINITY);
        let mut q = 0;
        while q < self.n_active {
            let s = self.order[q];
            let gradient = self.gradient(s);
            let at_bound = self.duals[s] == 0.0;
            if at_bound && gradient > self.settled_above {
                self.n_active -= 1;
                self.order.swap(q, self.n_active);
                continue;
            }
            let projected = if at_bound { gradient.min(0.0) } else { gradient };
            largest = projected.max(largest);
            smallest = projected.min(smallest);
            if projected.abs() > NO_STEP {
                self.step(s, gradient);
            }
            q += 1;
        }
        (largest, smallest)
    }

    /// `G_s = y_s w'x_s - 1 + a_s D`.
    fn gradient(&self, s: usize) -> f64 {
        let score = self.examples.dot(self.rows[s], &self.weights) + self.bias * self.bias_weight;
        self.signs[s] * score - 1.0 + self.duals[s] * self.diagonal
    }

    fn step(&mut self, s: usize, gradient: f64) {
        let before = self.duals[s];
        self.duals[s] = (before - gradient / self.curvatures[s]).max(0.0);
        let change = (self.duals[s] - before) * self.signs[s];
        self.examples.add_scaled(self.rows[s], change, &mut self.weights);
        self.bias_weight += change * self.bias;
    }
}
