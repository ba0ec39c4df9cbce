//! Exact projection of one column: `min_{h >= 0} 1/2 h'Sh - c'h` by an active-set method.
//!
//! Lawson and Hanson's method on the normal equations, started from the previous solution. The
//! passive set P (where h > 0) keeps a Cholesky factor of `S_PP`:
//!
//! 1. the anchor with the largest scaled gradient `g_k / ||X_k||`, `g = c - Sh`, enters P;
//! 2. z solves `S_PP z = c_P`; while some `z_q <= 0`, move from h towards z until the first
//!    component vanishes, drop it from P and solve again;
//! 3. stop when no gradient outside P is positive.
//!
//! An anchor whose Cholesky pivot vanishes is linearly dependent on P and stays out (`X_A` may be
//! rank-deficient, Remark 4 of the paper): at the optimum over P its gradient is zero anyway.
//!
//! Cost for each pivot, p = |P|: p^2 for the factor and the solves, p t for the gradient.

mod correction;
mod projector;

pub(crate) use correction::{Gradients, correct};

use crate::gram::NormalMatrix;
use crate::matrix::kernels::{add_scaled, dot};

/// A gradient counts as positive above this multiple of `||X_k|| ||X_i||`: some tens of times
/// the rounding error of its terms.
pub(crate) const GRADIENT_TOLERANCE: f64 = 2.5e-14;

/// A pivot below this multiple of `||X_k||^2` means linear dependence.
const PIVOT_TOLERANCE: f64 = 1e-13;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// h = 0, may enter.
    Free,
    /// In P.
    Passive,
    /// h = 0, dependent on P or rejected by rounding.
    Blocked,
}

/// Buffers of the solver; one for each thread's run over a block.
#[derive(Debug, Default)]
pub(crate) struct ActiveSet {
    /// `c = X_A'X_i`.
    target: Vec<f64>,
    /// P in order of entry.
    passive: Vec<u32>,
    /// h on P.
    weights: Vec<f64>,
    state: Vec<State>,
    gradient: Vec<f64>,
    /// The Cholesky factor L of `S_PP`, column after column, each of `stride` entries, with zeros in
    /// place of the diagonal: columns are worked on in whole quads.
    columns: Vec<f64>,
    stride: usize,
    /// `1 / L_qq`.
    inverse_diagonal: Vec<f64>,
    /// `L^-1 c_P`.
    forward: Vec<f64>,
    trial: Vec<f64>,
    /// The row that is being added to L.
    row: Vec<f64>,
    restart: Vec<(u32, f64)>,
    /// Whether an anchor is blocked.
    has_blocked: bool,
    /// Whether the Cholesky factor is that of P.
    has_factor: bool,
}

impl ActiveSet {
    /// Starts from P and the weights on it; the caller fills in the target, of `n_rays` entries, that is
    /// returned.
    #[inline(always)]
    pub(crate) fn start(
        &mut self,
        n_rays: usize,
        (passive, weights): (&[u32], &[f64]),
    ) -> &mut [f64] {
        self.passive.clear();
        self.passive.extend_from_slice(passive);
        self.weights.clear();
        self.weights.extend_from_slice(weights);
        self.target.resize(n_rays, 0.0);
        &mut self.target
    }

    /// P, in order of entry, and the weights on it: after [`solve`](Self::solve), the solution.
    #[inline(always)]
    pub(crate) fn solution(&self) -> (&[u32], &[f64]) {
        (&self.passive, &self.weights)
    }

    /// Solves for the target, from the [start](Self::start). `norm` is `||X_i||`.
    ///
    /// With `entering`, the start must be optimal for all other anchors, and `entering` must have a
    /// positive gradient; else the start may be any set of anchors. `kept` is what
    /// [`factor`](Self::factor) returned for the start, if that is known.
    #[inline(always)]
    fn solve(
        &mut self,
        s: &NormalMatrix,
        norm: f64,
        entering: Option<usize>,
        kept: Option<&[f64]>,
    ) {
        if self.stride < s.size() {
            self.stride = s.size().next_multiple_of(4);
            self.columns = vec![0.0; self.stride * self.stride];
            self.row = vec![0.0; self.stride];
        }
        self.has_blocked = false;
        self.has_factor = true;
        self.state.clear();
        self.state.resize(s.size(), State::Free);
        for &k in &self.passive {
            self.state[k as usize] = State::Passive;
        }
        match kept {
            Some(kept) => self.restore(kept),
            None => self.refactor(s, 0),
        }
        let mut next = entering;
        if next.is_none() {
            if !self.passive.is_empty() {
                self.descend(s);
            }
            next = self.most_violated(s, norm);
        }
        let limit = 10 * s.size() + 50;
        for _ in 0..limit {
            let Some(k) = next else { return };
            if self.append(s, k as u32) {
                self.weights.push(0.0);
                self.state[k] = State::Passive;
                self.descend(s);
            } else {
                self.block(k);
            }
            next = self.most_violated(s, norm);
        }
    }

    /// Solves for target c, starting from the support of `solution`, which it replaces.
    #[inline(always)]
    pub(crate) fn solve_dense(
        &mut self,
        s: &NormalMatrix,
        target: &[f64],
        norm: f64,
        solution: &mut [f64],
    ) {
        self.target.clear();
        self.target.extend_from_slice(target);
        self.passive.clear();
        self.weights.clear();
        for (k, &z) in solution.iter().enumerate() {
            if z > 0.0 {
                self.passive.push(k as u32);
                self.weights.push(z);
            }
        }
        self.solve(s, norm, None, None);
        solution.fill(0.0);
        for (&k, &z) in self.passive.iter().zip(&self.weights) {
            solution[k as usize] = z;
        }
    }

    /// The anchor outside P with the largest scaled gradient, if that is positive.
    #[inline(always)]
    fn most_violated(&mut self, s: &NormalMatrix, norm: f64) -> Option<usize> {
        self.gradient.clear();
        self.gradient.extend_from_slice(&self.target);
        for (&k, &h) in self.passive.iter().zip(&self.weights) {
            add_scaled(&mut self.gradient, s.row(k as usize), -h);
        }
        let (mut best, mut largest) = (None, GRADIENT_TOLERANCE * norm);
        for (k, &g) in self.gradient.iter().enumerate() {
            if g > 0.0 && self.state[k] == State::Free {
                let scaled = g * s.inverse_norm(k);
                if scaled > largest {
                    (best, largest) = (Some(k), scaled);
                }
            }
        }
        best
    }

    /// Moves h to the minimum over P, dropping components that would turn negative.
    #[inline(always)]
    fn descend(&mut self, s: &NormalMatrix) {
        let newest = self.passive.len() - 1;
        self.solve_trial();
        if self.weights[newest] == 0.0 && self.trial[newest] <= 0.0 {
            // Only rounding can do this to an anchor with a positive gradient: leave it out.
            self.block(self.passive[newest] as usize);
            self.truncate(newest);
            return;
        }
        while let Some(step) = self.longest_step() {
            for (h, z) in self.weights.iter_mut().zip(&self.trial) {
                *h += step * (z - *h);
            }
            let first = self.drop_vanished();
            self.refactor(s, first);
            self.unblock();
            if self.passive.is_empty() {
                return;
            }
            self.solve_trial();
        }
        self.weights.copy_from_slice(&self.trial);
    }

    /// The fraction of the way from h to z at which the first component vanishes, if one does.
    #[inline(always)]
    fn longest_step(&self) -> Option<f64> {
        let mut step = None;
        for (&h, &z) in self.weights.iter().zip(&self.trial) {
            if z <= 0.0 {
                let fraction = if h > z { h / (h - z) } else { 0.0 };
                step = Some(step.map_or(fraction, |s: f64| s.min(fraction)));
            }
        }
        step
    }

    /// Drops from P every component that the last step brought to zero; returns the first place.
    #[inline(always)]
    fn drop_vanished(&mut self) -> usize {
        // The step ends where some h hits zero, up to rounding: the smallest among those that were
        // to become nonpositive goes, with everything not above it.
        let falling = self.weights.iter().zip(&self.trial).filter(|(_, z)| **z <= 0.0);
        let floor = falling.map(|(h, _)| *h).fold(f64::INFINITY, f64::min).max(0.0);
        let mut kept = 0;
        let mut first = self.passive.len();
        for q in 0..self.passive.len() {
            if self.trial[q] <= 0.0 && self.weights[q] <= floor {
                self.state[self.passive[q] as usize] = State::Free;
                first = first.min(q);
            } else {
                self.passive[kept] = self.passive[q];
                self.weights[kept] = self.weights[q];
                kept += 1;
            }
        }
        self.passive.truncate(kept);
        self.weights.truncate(kept);
        first
    }

    #[inline(always)]
    fn block(&mut self, k: usize) {
        self.state[k] = State::Blocked;
        self.has_blocked = true;
    }

    /// P has shrunk: what depended on it may be independent now.
    #[inline(always)]
    fn unblock(&mut self) {
        self.has_blocked = false;
        for state in &mut self.state {
            if *state == State::Blocked {
                *state = State::Free;
            }
        }
    }

    /// Factors `S_PP` from place `from` on; members of P found dependent on those before leave it.
    #[inline(always)]
    fn refactor(&mut self, s: &NormalMatrix, from: usize) {
        self.restart.clear();
        let tail = self.passive[from..].iter().copied().zip(self.weights[from..].iter().copied());
        self.restart.extend(tail);
        self.truncate(from);
        for q in 0..self.restart.len() {
            let (k, h) = self.restart[q];
            if self.append(s, k) {
                self.weights.push(h);
            } else {
                self.block(k as usize);
            }
        }
    }

    /// The factor of `S_PP` in a form to keep: `1 / L_qq`, `L^-1 c_P`, then the columns of L below
    /// the diagonal.
    #[inline(always)]
    fn factor(&self) -> Box<[f64]> {
        let p = self.passive.len();
        let mut kept = Vec::with_capacity(p * (p + 3) / 2);
        kept.extend_from_slice(&self.inverse_diagonal);
        kept.extend_from_slice(&self.forward);
        for a in 0..p {
            kept.extend_from_slice(&self.columns[a * self.stride..][a + 1..p]);
        }
        kept.into_boxed_slice()
    }

    /// Takes back a kept factor instead of computing it: the same numbers.
    #[inline(always)]
    fn restore(&mut self, kept: &[f64]) {
        let p = self.passive.len();
        let (diagonal, kept) = kept.split_at(p);
        let (forward, mut kept) = kept.split_at(p);
        self.inverse_diagonal.clear();
        self.inverse_diagonal.extend_from_slice(diagonal);
        self.forward.clear();
        self.forward.extend_from_slice(forward);
        for a in 0..p {
            let column = &mut self.columns[a * self.stride..][..p];
            column[a / 4 * 4..=a].fill(0.0);
            let (below, rest) = kept.split_at(p - a - 1);
            column[a + 1..].copy_from_slice(below);
            kept = rest;
        }
    }

    #[inline(always)]
    fn truncate(&mut self, length: usize) {
        self.passive.truncate(length);
        self.weights.truncate(length);
        self.inverse_diagonal.truncate(length);
        self.forward.truncate(length);
    }

    /// Extends the factor by anchor k unless it depends on P; the caller sets its weight.
    ///
    /// The new row l solves `L l = S_Pk`, one column of L at a time.
    #[inline(always)]
    fn append(&mut self, s: &NormalMatrix, k: u32) -> bool {
        let from = s.row(k as usize);
        let (p, stride) = (self.passive.len(), self.stride);
        let row = &mut self.row;
        for (value, &q) in row.iter_mut().zip(&self.passive) {
            *value = from[q as usize];
        }
        for a in 0..p {
            let value = row[a] * self.inverse_diagonal[a];
            subtract_scaled(row, &self.columns[a * stride..][..stride], value, a, p);
            row[a] = value;
        }
        let row = &row[..p];
        let diagonal = from[k as usize];
        let pivot = diagonal - dot(row, row);
        if pivot <= PIVOT_TOLERANCE * diagonal || diagonal <= 0.0 {
            return false;
        }
        for (a, &value) in row.iter().enumerate() {
            self.columns[a * stride + p] = value;
        }
        self.columns[p * stride..][p / 4 * 4..=p].fill(0.0);
        let inverse = 1.0 / pivot.sqrt();
        self.forward.push((self.target[k as usize] - dot(row, &self.forward)) * inverse);
        self.inverse_diagonal.push(inverse);
        self.passive.push(k);
        true
    }

    /// `z = L^-T (L^-1 c_P)`.
    #[inline(always)]
    fn solve_trial(&mut self) {
        self.trial.clear();
        self.trial.extend_from_slice(&self.forward);
        self.solve_transposed();
    }

    /// The trial t becomes `L^-T t`.
    #[inline(always)]
    fn solve_transposed(&mut self) {
        let p = self.passive.len();
        for q in (0..p).rev() {
            let below = &self.columns[q * self.stride..][q + 1..p];
            let z = (self.trial[q] - dot(below, &self.trial[q + 1..])) * self.inverse_diagonal[q];
            self.trial[q] = z;
        }
    }
}

/// `out[from..to] -= value * x[from..to]` in whole quads; what lies in the same quads before `from`
/// or after `to` is changed too.
#[inline(always)]
fn subtract_scaled(out: &mut [f64], x: &[f64], value: f64, from: usize, to: usize) {
    let quads = from / 4..to.div_ceil(4);
    let (out, _) = out.as_chunks_mut::<4>();
    let (x, _) = x.as_chunks::<4>();
    for (o, v) in out[quads.clone()].iter_mut().zip(&x[quads]) {
        // Whole quads in and out: the compiler need not fear that the slices overlap.
        let (old, v) = (*o, *v);
        *o = std::array::from_fn(|l| old[l] - value * v[l]);
    }
}
