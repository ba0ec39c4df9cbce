//! Newton's method for one hyperplane of few features.
//!
//! ```text
//! min_w  f(w) = 1/2 ||w||^2 + C sum_i max(0, 1 - y_i w'x_i)^2
//! ```
//!
//! With the rows I that are inside the margin (`y_i w'x_i < 1`), `f` is a quadratic function there: a step solves
//!
//! ```text
//! (1/(2C) + X_I'X_I) w_new = X_I'y_I
//! ```
//!
//! (or, if I has fewer rows than there are features, `(1/(2C) + X_I X_I') a = y_I` with `w_new = X_I'a`, which is the
//! same) and is halved until `f` goes down enough. It ends, at the minimiser itself, when a full step leaves I as it is. Unlike
//! dual coordinate descent it does not mind a large C, for which thousands of passes are not enough there.
//!
//! Symbols: I `inside`, `y_i w'x_i` `margins`, `1/(2C) + X_I'X_I` `curvature`. Cost of a step for r features: the
//! squares of the rows' numbers of entries, and r^3 / 6, or |I|^3 / 6 if that is less. The bias is a feature like the others.
//!
//! Reference: O. Mangasarian, "A finite Newton method for classification", Optimization Methods and Software 17 (2002).

use super::examples::dense_dot;
use super::{Examples, Hyperplane, SvmParams};

/// Most steps; about ten are needed.
const MOST_STEPS: usize = 100;

/// Most halvings of a step.
const MOST_HALVINGS: usize = 30;

/// The part of the decrease that the slope promises which a step has to bring.
const ENOUGH: f64 = 1e-4;

/// Minimises f over the listed rows with these signs, from `start`.
pub(super) fn solve(
    examples: &Examples,
    rows: &[usize],
    signs: &[f64],
    params: &SvmParams,
    start: Option<&Hyperplane>,
) -> Hyperplane {
    let problem = Problem { examples, rows, signs, bias: params.bias, c: params.c };
    let n = examples.n_columns() + usize::from(params.bias.is_some());
    let mut w = match (start, params.bias) {
        (Some(start), None) => start.weights.clone(),
        (Some(start), Some(bias)) => [&start.weights[..], &[start.intercept / bias]].concat(),
        (None, _) => vec![0.0; n],
    };
    let (mut iterations, mut converged) = (0, false);
    let mut margins = problem.margins(&w);
    while iterations < MOST_STEPS && !converged {
        iterations += 1;
        let inside: Vec<bool> = margins.iter().map(|margin| *margin < 1.0).collect();
        let target = problem.minimiser(&inside, n);
        let (next, next_margins) = problem.step(&w, &margins, &target);
        let same =
            next_margins.iter().zip(&inside).all(|(margin, inside)| (*margin < 1.0) == *inside);
        converged = next == w || (same && next == target);
        (w, margins) = (next, next_margins);
    }
    let intercept = params.bias.map_or(0.0, |bias| bias * w.pop().unwrap_or(0.0));
    Hyperplane { weights: w, intercept, iterations, converged }
}

struct Problem<'a> {
    examples: &'a Examples,
    rows: &'a [usize],
    signs: &'a [f64],
    bias: Option<f64>,
    c: f64,
}

impl Problem<'_> {
    /// `y_i w'x_i` of all rows.
    fn margins(&self, w: &[f64]) -> Vec<f64> {
        let n = self.examples.n_columns();
        let constant = self.bias.map_or(0.0, |bias| bias * w[n]);
        let pairs = self.rows.iter().zip(self.signs);
        pairs.map(|(&i, sign)| sign * (self.examples.dot(i, &w[..n]) + constant)).collect()
    }

    /// f, from the margins.
    fn value(&self, w: &[f64], margins: &[f64]) -> f64 {
        let losses = margins.iter().map(|margin| (1.0 - margin).max(0.0));
        let losses = losses.fold(0.0, |sum, loss| sum + loss * loss);
        0.5 * w.iter().fold(0.0, |sum, v| sum + v * v) + self.c * losses
    }

    /// The minimiser of the quadratic function that f is while the rows inside stay the same.
    fn minimiser(&self, inside: &[bool], n: usize) -> Vec<f64> {
        let rows: Vec<usize> = (0..inside.len()).filter(|&q| inside[q]).collect();
        if rows.len() < n { self.by_rows(&rows, n) } else { self.by_features(&rows, n) }
    }

    /// The entries of row q, with the bias.
    fn entries(&self, q: usize, n: usize, entries: &mut Vec<(usize, f64)>) {
        entries.clear();
        self.examples.for_each(self.rows[q], |j, value| entries.push((j, value)));
        entries.extend(self.bias.map(|bias| (n - 1, bias)));
    }

    /// From the products of the rows with each other.
    fn by_rows(&self, rows: &[usize], n: usize) -> Vec<f64> {
        let size = rows.len();
        let mut products = vec![0.0; size * size];
        let mut weights: Vec<f64> = rows.iter().map(|&q| self.signs[q]).collect();
        let (mut entries, mut row) = (Vec::new(), vec![0.0; n]);
        let n_columns = self.examples.n_columns();
        for (k, &q) in rows.iter().enumerate() {
            self.entries(q, n, &mut entries);
            entries.iter().for_each(|&(j, value)| row[j] = value);
            let constant = self.bias.map_or(0.0, |bias| bias * bias);
            for (l, &other) in rows[..=k].iter().enumerate() {
                let product = self.examples.dot(self.rows[other], &row[..n_columns]);
                products[k * size + l] = product + constant;
            }
            products[k * size + k] += 0.5 / self.c;
            entries.iter().for_each(|&(j, _)| row[j] = 0.0);
        }
        solve_positive(&mut products, &mut weights);
        let mut target = vec![0.0; n];
        for (&q, weight) in rows.iter().zip(weights) {
            self.entries(q, n, &mut entries);
            entries.iter().for_each(|&(j, value)| target[j] += weight * value);
        }
        target
    }

    /// From the products of the features with each other.
    fn by_features(&self, rows: &[usize], n: usize) -> Vec<f64> {
        let mut curvature = vec![0.0; n * n];
        let mut target = vec![0.0; n];
        (0..n).for_each(|k| curvature[k * n + k] = 0.5 / self.c);
        let mut entries: Vec<(usize, f64)> = Vec::new();
        for &q in rows {
            self.entries(q, n, &mut entries);
            for (place, &(k, a)) in entries.iter().enumerate() {
                target[k] += self.signs[q] * a;
                let line = &mut curvature[k * n..(k + 1) * n];
                // Entries come in ascending order: the lower triangle.
                entries[..=place].iter().for_each(|&(l, b)| line[l] += a * b);
            }
        }
        solve_positive(&mut curvature, &mut target);
        target
    }

    /// From w towards the target, as far as f goes down enough; the new w and its margins.
    fn step(&self, w: &[f64], margins: &[f64], target: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let goal = self.margins(target);
        let now = self.value(w, margins);
        // The slope of f from w towards the target.
        let mut slope = w.iter().zip(target).fold(0.0, |sum, (w, t)| sum + w * (t - w));
        for (margin, goal) in margins.iter().zip(&goal).filter(|(margin, _)| **margin < 1.0) {
            slope -= 2.0 * self.c * (1.0 - margin) * (goal - margin);
        }
        if slope >= 0.0 {
            return (w.to_vec(), margins.to_vec());
        }
        let mut share = 1.0;
        for _ in 0..MOST_HALVINGS {
            let mix = |a: &[f64], b: &[f64]| -> Vec<f64> {
                a.iter().zip(b).map(|(a, b)| a + share * (b - a)).collect()
            };
            let (next, between) = if share == 1.0 {
                (target.to_vec(), goal.clone())
            } else {
                (mix(w, target), mix(margins, &goal))
            };
            if self.value(&next, &between) <= now + ENOUGH * share * slope {
                return (next, between);
            }
            share /= 2.0;
        }
        (w.to_vec(), margins.to_vec())
    }
}

/// Solves `A x = b` for a positive definite A, whose lower triangle is given, by Cholesky; b becomes x.
fn solve_positive(a: &mut [f64], b: &mut [f64]) {
    let n = b.len();
    for k in 0..n {
        let (above, line) = a.split_at_mut(k * n);
        for l in 0..k {
            let other = &above[l * n..l * n + l];
            line[l] = (line[l] - dense_dot(&line[..l], other)) / above[l * n + l];
        }
        let square = dense_dot(&line[..k], &line[..k]);
        line[k] = (line[k] - square).max(f64::MIN_POSITIVE).sqrt();
        b[k] = (b[k] - dense_dot(&line[..k], &b[..k])) / line[k];
    }
    for k in (0..n).rev() {
        b[k] /= a[k * n + k];
        let value = b[k];
        (0..k).for_each(|l| b[l] -= a[k * n + l] * value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positive_systems_are_solved() {
        // The upper triangle is not looked at.
        let mut a = vec![4.0, 9e9, 9e9, 2.0, 5.0, 9e9, 1.0, 3.0, 6.0];
        let mut b = vec![11.0, 21.0, 25.0];
        solve_positive(&mut a, &mut b);
        for (found, wanted) in b.iter().zip([1.0, 2.0, 3.0]) {
            assert!((found - wanted).abs() < 1e-12, "{b:?}");
        }
    }
}
