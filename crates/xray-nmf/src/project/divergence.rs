//! Weights of least Kullback-Leibler divergence of one line x under a fixed H:
//! `min_{w >= 0} sum_j x_j ln(x_j / y_j) - x_j + y_j` with `y = H'w`.
//!
//! In shares `p_k = w_k ||h_k||_1 / ||x||_1` of topics scaled to sum 1 (`a_k`), with `v = x / ||x||_1` and `s = sum_k p_k`,
//! that is `s - sum_j v_j ln(sum_k p_k a_kj)`. At the minimum s = 1, whether the size s counts as it is or, as here, as
//! `s^2 / 2`: `D(p) = s^2 / 2 - sum_j v_j ln y_j` with `y_j = sum_k p_k a_kj`, whose gradient is `s - sum_j v_j a_kj / y_j`.
//! Newton's step minimises the quadratic model over p >= 0: with rows `m_j = a_j sqrt(v_j) / y_j` and a row of ones that is
//! nonnegative least squares with `S = M'M + 11'` and target `2 M'sqrt(v)`, which is in the range of S, as the exact active set
//! needs it where topics depend on each other. D is self-concordant, so shortened steps lead to the minimum, in some ten of them;
//! Lee and Seung's multiplications, which never fail, begin.
//!
//! Degenerate: entries that no topic has are left out, since nothing explains them; topics that x does not meet weigh
//! nothing.

use super::ActiveSet;
use crate::matrix::Line;
use crate::refine::gram_of_few_lines;

/// Multiplications to begin with, and steps at most.
const WARM_UP: usize = 3;
const MOST_STEPS: usize = 100;

/// Shares are found when the gradient promises to gain no more than this.
const SETTLED: f64 = 1e-15;

/// Differences of values that mean nothing.
const ROUNDING: f64 = 1e-14;

/// Halvings of a step at most.
const MOST_HALVINGS: i32 = 40;

/// What the steps of all lines share: a place to work in.
#[derive(Default)]
pub(crate) struct LeastDivergence {
    solver: ActiveSet,
    /// Topics that x meets, and their entries scaled to sum 1: for each entry of x one for each of these topics.
    topics: Vec<usize>,
    lines: Vec<f64>,
    /// v and y.
    parts: Vec<f64>,
    products: Vec<f64>,
    shares: Vec<f64>,
    gradient: Vec<f64>,
}

impl LeastDivergence {
    /// Finds the weights of x; `h` has as many entries for each column as there are weights, `sums` are those of its rows.
    pub(crate) fn solve(&mut self, x: &Line, h: &[f64], sums: &[f64], weights: &mut [f64]) {
        weights.fill(0.0);
        let total = self.begin(x, h, sums);
        let n_topics = self.topics.len();
        if n_topics == 0 {
            return;
        }
        self.shares.clear();
        self.shares.resize(n_topics, 1.0 / n_topics as f64);
        let mut value = self.look();
        for step in 0..MOST_STEPS {
            if self.gain() <= SETTLED {
                break;
            }
            let moved = step >= WARM_UP && self.newton(&mut value);
            if !moved {
                let sum = self.shares.iter().sum::<f64>();
                let multiplied = self.shares.iter_mut().zip(&self.gradient);
                multiplied.for_each(|(p, g)| *p *= sum - g);
                let before = std::mem::replace(&mut value, self.look());
                if step > WARM_UP && value >= before {
                    break;
                }
            }
        }
        for (&k, &share) in self.topics.iter().zip(&self.shares) {
            weights[k] = total * share / sums[k];
        }
    }

    /// Takes a line, and returns the sum of what topics have of it.
    fn begin(&mut self, x: &Line, h: &[f64], sums: &[f64]) -> f64 {
        let rank = sums.len();
        let mut meets = vec![false; rank];
        let mut entries = Vec::with_capacity(x.values.len());
        x.for_each(|j, value| {
            let line = &h[j * rank..][..rank];
            if value > 0.0 && line.iter().any(|&v| v > 0.0) {
                entries.push((j, value));
                meets.iter_mut().zip(line).for_each(|(meets, &v)| *meets |= v > 0.0);
            }
        });
        self.topics.clear();
        self.topics.extend((0..rank).filter(|&k| meets[k]));
        // Of the largest, so that no sum overflows.
        let largest = entries.iter().fold(0.0, |most: f64, (_, value)| most.max(*value));
        let scaled = entries.iter().map(|(_, value)| value / largest);
        let total = scaled.clone().sum::<f64>();
        self.parts.clear();
        self.parts.extend(scaled.map(|value| value / total));
        self.lines.clear();
        for (j, _) in &entries {
            self.lines.extend(self.topics.iter().map(|&k| h[j * rank + k] / sums[k]));
        }
        total * largest
    }

    /// Products, gradient and value of the shares.
    fn look(&mut self) -> f64 {
        let Self { shares, lines, parts, products, gradient, .. } = self;
        let lines = lines.chunks_exact(shares.len());
        let product = |line: &[f64]| line.iter().zip(&*shares).map(|(a, p)| a * p).sum::<f64>();
        products.clear();
        products.extend(lines.clone().map(product));
        let sum = shares.iter().sum::<f64>();
        gradient.clear();
        gradient.resize(shares.len(), sum);
        let mut told = 0.0;
        for (line, (v, y)) in lines.zip(parts.iter().zip(&*products)) {
            let part = v / y;
            gradient.iter_mut().zip(line).for_each(|(g, a)| *g -= part * a);
            told += v * y.ln();
        }
        0.5 * sum.powi(2) - told
    }

    /// At most how much smaller D can be: shares sum to 1 at the minimum, and D is convex.
    fn gain(&self) -> f64 {
        let steepest = self.gradient.iter().copied().fold(0.0, f64::min);
        let bound = self.gradient.iter().zip(&self.shares).map(|(g, p)| g * p).sum::<f64>();
        bound - steepest
    }

    /// Moves to the minimum of the quadratic model, or a part of the way; whether D is less there.
    fn newton(&mut self, value: &mut f64) -> bool {
        let n_topics = self.shares.len();
        let mut model = self.lines.clone();
        let mut target = vec![0.0; n_topics];
        let parts = self.parts.iter().zip(&self.products);
        for (line, (v, y)) in model.chunks_exact_mut(n_topics).zip(parts) {
            let root = v.sqrt();
            for (a, t) in line.iter_mut().zip(&mut target) {
                *a *= root / y;
                *t += 2.0 * root * *a;
            }
        }
        model.resize(model.len() + n_topics, 1.0);
        let mut found = self.shares.clone();
        // The length of 2 sqrt(v), since v sums to 1.
        self.solver.solve_dense(&gram_of_few_lines(&model, n_topics), &target, 2.0, &mut found);
        if !found.iter().all(|p| p.is_finite()) {
            return false;
        }
        let start = self.shares.clone();
        let slope = |(g, (new, old)): (&f64, (&f64, &f64))| g * (new - old);
        let promised: f64 = self.gradient.iter().zip(found.iter().zip(&start)).map(slope).sum();
        let gain = self.gain();
        for halving in 0..MOST_HALVINGS {
            let part = 0.5_f64.powi(halving);
            let mixed = start.iter().zip(&found).map(|(old, new)| old + part * (new - old));
            self.shares = mixed.map(|p| p.max(0.0)).collect();
            let there = self.look();
            // Near the minimum differences of values are lost in rounding, and what can be gained is not.
            let is_near = halving == 0 && there <= *value + ROUNDING * value.abs().max(1.0);
            let is_better = there < *value && there <= *value + 1e-4 * part * promised;
            if is_better || is_near && self.gain() < gain {
                *value = there;
                return true;
            }
        }
        self.shares = start;
        *value = self.look();
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// A minimum by its conditions: no slope where there is weight, none downwards where there is none.
    fn assert_least(x: &[f64], h: &[f64], weights: &[f64]) {
        let rank = weights.len();
        let product = |j: usize| (0..rank).map(|k| weights[k] * h[j * rank + k]).sum::<f64>();
        for k in 0..rank {
            let sum: f64 = (0..x.len()).map(|j| h[j * rank + k]).sum();
            let met = (0..x.len()).filter(|j| x[*j] > 0.0 && h[j * rank + k] > 0.0);
            let slope = sum - met.map(|j| x[j] * h[j * rank + k] / product(j)).sum::<f64>();
            let slope = slope / sum.max(1e-300);
            assert!(slope > -1e-6, "weight {k} should be larger: {slope:e}");
            let share = weights[k] * sum / x.iter().sum::<f64>();
            assert!((share * slope).abs() < 1e-7, "weight {k} of {share:e} has slope {slope:e}");
        }
    }

    fn solved(x: &[f64], h: &[f64], rank: usize) -> Vec<f64> {
        let mut sums = vec![0.0; rank];
        h.chunks_exact(rank).for_each(|line| sums.iter_mut().zip(line).for_each(|(s, v)| *s += v));
        let mut weights = vec![f64::NAN; rank];
        let line = Line { indices: None, values: x.to_vec() };
        LeastDivergence::default().solve(&line, h, &sums, &mut weights);
        weights
    }

    #[test]
    fn random_lines_have_the_least_divergence() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        for round in 0..300 {
            let (rank, n) = (1 + round % 12, 2 + round % 30);
            let mut draw = |zeros: f64| match rng.random::<f64>() < zeros {
                true => 0.0,
                false => 10_f64.powf(4.0 * rng.random::<f64>() - 2.0),
            };
            let h: Vec<f64> = (0..n * rank).map(|_| draw(0.4)).collect();
            let x: Vec<f64> = (0..n).map(|_| draw(0.3)).collect();
            // What no topic has is no part of the problem.
            let told = |j: usize| h[j * rank..][..rank].iter().any(|v| *v > 0.0);
            let x: Vec<f64> = (0..n).map(|j| if told(j) { x[j] } else { 0.0 }).collect();
            let weights = solved(&x, &h, rank);
            if x.iter().any(|v| *v > 0.0) {
                assert_least(&x, &h, &weights);
            } else {
                assert!(weights.iter().all(|w| *w == 0.0));
            }
        }
    }

    #[test]
    fn mixtures_are_found_whatever_their_size() {
        let h = [1.0, 0.0, 1.0, 0.0, 0.0, 2.0, 1e-3, 5.0];
        for size in [1e-200, 1.0, 1e200] {
            let x: Vec<f64> =
                h.chunks_exact(2).map(|z| size * (3.0 * z[0] + 0.25 * z[1])).collect();
            let weights = solved(&x, &h, 2);
            for (found, wanted) in weights.iter().zip([3.0, 0.25]) {
                assert!(
                    (found / size - wanted).abs() < 1e-9,
                    "{found} instead of {size} x {wanted}"
                );
            }
        }
    }

    #[test]
    fn topics_that_are_the_same_share_what_there_is() {
        let h = [1.0, 1.0, 2.0, 2.0, 3.0, 3.0];
        let weights = solved(&[1.0, 2.0, 3.0], &h, 2);
        assert!((weights[0] + weights[1] - 1.0).abs() < 1e-12, "{weights:?}");
        assert_eq!(solved(&[0.0; 3], &h, 2), [0.0, 0.0]);
        assert_eq!(solved(&[1.0, 1.0, 1.0], &[0.0; 6], 2), [0.0, 0.0]);
    }
}
