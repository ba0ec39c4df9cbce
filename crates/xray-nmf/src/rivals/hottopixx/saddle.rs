//! The program solved to a known gap, by primal-dual steps with restarts.
//!
//! With step sizes t and s, `t s (||X||^2 + k^2 n) < 1`, and a multiplier b of `k (tr C - r) = 0`:
//!
//! ```text
//! C' = P(C + t (X'Y - diag(p + k b)))       P: the projection of rows onto Phi
//! Y' = clip(Y + s (X - X(2C' - C)))         to [-1, 1]
//! b' = b + s k (tr(2C' - C) - r)
//! ```
//!
//! From time to time both the last pair and the mean of all pairs since the last restart are
//! judged by the gap between their bounds. Once the better one has closed enough of the gap, the steps
//! start anew from it; on linear programs this converges at a linear rate. At a restart the ratio of
//! the step sizes follows the ratio of the distances that Y and C have come.
//!
//! Reference: Applegate and others, "Practical large-scale linear programming using primal-dual hybrid
//! gradient" (NeurIPS 2021), sections 3 and 4; here with the true gap, which is at hand.

use rayon::prelude::*;

use super::program::{Bounds, Pair, Program, trace};
use super::projection::project_row;
use crate::error::Result;
use crate::stop::StopRequest;

/// Matrices of C's shape and of Y's shape that are held at once: where the steps are, the start, the
/// sums, their mean; and for C the best and the one ahead.
pub(super) const SQUARES: f64 = 6.0;
pub(super) const OBLONGS: f64 = 4.0;

/// Rounds between two looks at the gap.
const LOOK: usize = 32;

/// A restart follows when the gap has come down to this share of that at the last restart,
const ENOUGH: f64 = 0.2;
/// or to this share and grows again,
const SOME: f64 = 0.8;
/// or when the rounds since the last restart are this share of all.
const LONG: f64 = 0.36;

/// The best C found, what is known of the optimum, and the upper bound at each look.
pub(super) struct Solved {
    pub(super) c: Vec<Vec<f64>>,
    pub(super) bounds: Bounds,
    pub(super) objective: Vec<f64>,
}

/// Solves the program until the gap is at most `gap`, in at most `rounds` rounds.
pub(super) fn solve(
    program: &Program,
    gap: f64,
    rounds: usize,
    stop: &StopRequest,
) -> Result<Solved> {
    let mut steps = Steps::new(program);
    let mut best = (steps.now.c.clone(), program.bounds(&steps.now));
    let mut objective = vec![best.1.upper];
    let (mut at_restart, mut before) = (best.1.gap(), f64::INFINITY);
    for round in 1..=rounds {
        if best.1.gap() <= gap {
            break;
        }
        stop.check()?;
        steps.step();
        if round % LOOK != 0 && round != rounds {
            continue;
        }
        let mean = steps.mean();
        let (now, averaged) = (program.bounds(&steps.now), program.bounds(&mean));
        let take_mean = averaged.gap() < now.gap();
        let (pair, bounds) = if take_mean { (&mean, averaged) } else { (&steps.now, now) };
        if bounds.upper < best.1.upper {
            best = (pair.c.clone(), Bounds { upper: bounds.upper, ..best.1 });
        }
        best.1.lower = best.1.lower.max(now.lower).max(averaged.lower);
        objective.push(best.1.upper);
        let left = bounds.gap();
        let grows = left <= SOME * at_restart && left > before;
        let long = steps.count as f64 >= LONG * round as f64;
        before = left;
        if left <= ENOUGH * at_restart || grows || long {
            steps.restart(take_mean.then_some(mean));
            (at_restart, before) = (left, f64::INFINITY);
        }
    }
    Ok(Solved { c: best.0, bounds: best.1, objective })
}

/// Where the steps are, and where they have been since the last restart.
struct Steps<'a> {
    program: &'a Program,
    now: Pair,
    /// b, and its sum since the restart.
    multiplier: (f64, f64),
    start: Pair,
    /// The sums of all pairs since the restart, and their number.
    sums: Pair,
    count: usize,
    /// `2C' - C`.
    ahead: Vec<Vec<f64>>,
    /// `sqrt(t s)`, and `sqrt(s / t)`.
    size: f64,
    ratio: f64,
    /// k.
    scale: f64,
}

impl<'a> Steps<'a> {
    fn new(program: &'a Program) -> Self {
        let (m, n) = (program.rows.len(), program.n());
        let zero = Pair { c: vec![vec![0.0; n]; n], y: vec![vec![0.0; n]; m] };
        let norm = program.norm().max(f64::MIN_POSITIVE);
        Self {
            program,
            now: zero.clone(),
            multiplier: (0.0, 0.0),
            start: zero.clone(),
            ahead: zero.c.clone(),
            sums: zero,
            count: 0,
            size: 0.99 / (norm * 2f64.sqrt()),
            ratio: 1.0,
            scale: norm / (n.max(1) as f64).sqrt(),
        }
    }

    fn step(&mut self) {
        let Self { program, scale, .. } = *self;
        let (primal, dual) = (self.size / self.ratio, self.size * self.ratio);
        let price = scale * self.multiplier.0;
        let Pair { c, y } = &mut self.now;
        let rows = c.par_iter_mut().zip(&mut self.ahead).zip(&mut self.sums.c).enumerate();
        rows.for_each(|(i, ((c, ahead), sum))| {
            let mut row = program.gradient(i, y);
            row.iter_mut().zip(c.iter()).for_each(|(g, c)| *g = c + primal * *g);
            row[i] -= primal * (program.cost[i] + price);
            project_row(&mut row, i);
            for (((c, ahead), sum), new) in c.iter_mut().zip(ahead).zip(sum).zip(row) {
                *ahead = 2.0 * new - *c;
                *sum += new;
                *c = new;
            }
        });
        let ahead = &self.ahead;
        y.par_iter_mut().zip(&mut self.sums.y).enumerate().for_each(|(d, (y, sum))| {
            let mut error = program.image(d, ahead);
            error.iter_mut().for_each(|e| *e = -*e);
            program.rows[d].for_each(|j, x| error[j] += x);
            for ((y, sum), e) in y.iter_mut().zip(sum).zip(error) {
                *y = (*y + dual * e).clamp(-1.0, 1.0);
                *sum += *y;
            }
        });
        self.multiplier.0 += dual * scale * (trace(ahead) - program.rank as f64);
        self.multiplier.1 += self.multiplier.0;
        self.count += 1;
    }

    /// The mean of all pairs since the last restart.
    fn mean(&self) -> Pair {
        let share = 1.0 / self.count.max(1) as f64;
        let scaled = |rows: &[Vec<f64>]| -> Vec<Vec<f64>> {
            rows.iter().map(|row| row.iter().map(|v| v * share).collect()).collect()
        };
        Pair { c: scaled(&self.sums.c), y: scaled(&self.sums.y) }
    }

    /// Starts anew, from the mean if it is given.
    fn restart(&mut self, mean: Option<Pair>) {
        if let Some(mean) = mean {
            self.now = mean;
            self.multiplier.0 = self.multiplier.1 / self.count as f64;
        }
        let primal = distance(&self.now.c, &self.start.c);
        let dual = distance(&self.now.y, &self.start.y);
        if primal > 1e-12 && dual > 1e-12 {
            self.ratio = (self.ratio * dual / primal).sqrt();
        }
        self.start.clone_from(&self.now);
        self.sums.c.iter_mut().chain(&mut self.sums.y).for_each(|row| row.fill(0.0));
        (self.multiplier.1, self.count) = (0.0, 0);
    }
}

/// The Frobenius norm of a difference.
fn distance(a: &[Vec<f64>], b: &[Vec<f64>]) -> f64 {
    let entries = a.iter().flatten().zip(b.iter().flatten());
    entries.fold(0.0, |sum, (a, b)| sum + (a - b) * (a - b)).sqrt()
}
