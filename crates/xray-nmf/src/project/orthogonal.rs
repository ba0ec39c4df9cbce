//! Exact projection where the normal equations are too inaccurate: `min_{z >= 0} ||b - Az||` by
//! orthogonal transformations.
//!
//! Lawson and Hanson's method, as in [`active_set`](super::active_set), but on the columns of A
//! themselves. The passive columns have an orthonormal basis; what lies in it is taken away from b and
//! from all other columns. So the gradient of a column is the product of what is left of both, and its
//! rounding error shrinks with them: a weight is found down to 1e-16 times the condition of A, where
//! the normal equations (and gradients `a'(b - Az)`) need its square.
//!
//! Cost for each column that enters, of k columns with d entries: k d. The columns are those of R in
//! `X_A = QR` (see [`basis`](super::basis)), so d is k and not the number of rows.

use super::basis::take_away;
use crate::matrix::kernels::{add_scaled, dot};

/// A gradient counts as positive above this multiple of its terms: some roundings of them.
const TOLERANCE: f64 = 4.0 * f64::EPSILON;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// z = 0, may enter.
    Free,
    Passive,
    /// z = 0, dependent on the passive columns or rejected by rounding.
    Blocked,
}

/// The problem, and how far it is solved.
#[derive(Debug)]
pub(crate) struct OrthogonalSet<'a> {
    columns: &'a [&'a [f64]],
    right: &'a [f64],
    norms: Vec<f64>,
    state: Vec<State>,
    /// In order of entry.
    passive: Vec<u32>,
    weights: Vec<f64>,
    trial: Vec<f64>,
    /// An orthonormal basis of the passive columns.
    directions: Vec<Vec<f64>>,
    /// Of each column, its components along them; those of a passive column end with its own.
    components: Vec<Vec<f64>>,
    /// `directions' b`.
    right_components: Vec<f64>,
    /// What is left of each column, and of b.
    left: Vec<Vec<f64>>,
    right_left: Vec<f64>,
}

impl<'a> OrthogonalSet<'a> {
    /// Columns may be shorter than `right`: then they end in zeros.
    pub(crate) fn new(columns: &'a [&'a [f64]], right: &'a [f64]) -> Self {
        let mut set = Self {
            columns,
            right,
            norms: columns.iter().map(|column| dot(column, column).sqrt()).collect(),
            state: vec![State::Free; columns.len()],
            passive: Vec::new(),
            weights: Vec::new(),
            trial: Vec::new(),
            directions: Vec::new(),
            components: Vec::new(),
            right_components: Vec::new(),
            left: Vec::new(),
            right_left: Vec::new(),
        };
        set.restore();
        set
    }

    /// Solves from any set of columns and weights; returns the columns and weights of the
    /// solution.
    pub(crate) fn solve(mut self, (start, weights): (&[u32], &[f64])) -> (Vec<u32>, Vec<f64>) {
        for (&k, &z) in start.iter().zip(weights) {
            self.enter(k, z.max(0.0), f64::NEG_INFINITY);
        }
        self.descend();
        for _ in 0..10 * self.columns.len() + 50 {
            let Some(k) = self.most_violated() else { break };
            if self.enter(k, 0.0, 0.0) {
                self.descend();
            }
        }
        (self.passive, self.weights)
    }

    /// Forgets the passive columns: nothing is taken away from any column.
    fn restore(&mut self) {
        let whole = |column: &&[f64]| {
            let mut column = column.to_vec();
            column.resize(self.right.len(), 0.0);
            column
        };
        self.left = self.columns.iter().map(whole).collect();
        self.right_left = self.right.to_vec();
        self.components = vec![Vec::new(); self.columns.len()];
        self.directions.clear();
        self.right_components.clear();
        self.passive.clear();
        self.weights.clear();
    }

    /// Column k becomes passive with a weight, unless it depends on those that are, or its direction
    /// explains no more than `least` of b.
    fn enter(&mut self, k: u32, weight: f64, least: f64) -> bool {
        let place = k as usize;
        let mut vector = self.left[place].clone();
        let along: Vec<&[f64]> = self.directions.iter().map(|d| &d[..]).collect();
        let length = take_away(&mut vector, &along, &mut self.components[place]);
        self.state[place] = State::Blocked;
        if length <= f64::EPSILON * self.norms[place] {
            return false;
        }
        vector.iter_mut().for_each(|v| *v /= length);
        let part = dot(&vector, &self.right_left);
        if part <= least {
            return false;
        }
        add_scaled(&mut self.right_left, &vector, -part);
        self.right_components.push(part);
        self.components[place].push(length);
        self.state[place] = State::Passive;
        for (l, left) in self.left.iter_mut().enumerate() {
            if self.state[l] != State::Passive {
                let part = dot(&vector, left);
                add_scaled(left, &vector, -part);
                self.components[l].push(part);
            }
        }
        self.directions.push(vector);
        self.passive.push(k);
        self.weights.push(weight);
        true
    }

    /// The column with the largest scaled gradient among those that may enter, if one is positive.
    fn most_violated(&self) -> Option<u32> {
        let whole = dot(self.right, self.right).sqrt();
        let left = dot(&self.right_left, &self.right_left).sqrt();
        let (mut best, mut largest) = (None, 0.0);
        for (l, column) in self.left.iter().enumerate() {
            if self.state[l] == State::Free {
                let gradient = dot(column, &self.right_left);
                let rounding = dot(column, column).sqrt() * whole + self.norms[l] * left;
                let scaled = gradient / self.norms[l];
                if gradient > TOLERANCE * rounding && scaled > largest {
                    (best, largest) = (Some(l as u32), scaled);
                }
            }
        }
        best
    }

    /// Moves the weights to the minimum over the passive columns, dropping those that would turn
    /// negative.
    fn descend(&mut self) {
        self.solve_trial();
        while let Some(step) = self.longest_step() {
            for (h, z) in self.weights.iter_mut().zip(&self.trial) {
                *h += step * (z - *h);
            }
            self.drop_vanished();
            self.solve_trial();
        }
        self.weights.copy_from_slice(&self.trial);
    }

    /// The triangle of the passive columns' components, solved from below.
    fn solve_trial(&mut self) {
        self.trial.clear();
        self.trial.extend_from_slice(&self.right_components);
        for q in (0..self.trial.len()).rev() {
            let own = &self.components[self.passive[q] as usize];
            let z = self.trial[q] / own[q];
            self.trial[q] = z;
            add_scaled(&mut self.trial[..q], &own[..q], -z);
        }
    }

    /// The fraction of the way at which the first weight vanishes, if one does.
    fn longest_step(&self) -> Option<f64> {
        let falling = self.weights.iter().zip(&self.trial).filter(|(_, z)| **z <= 0.0);
        falling.map(|(&h, &z)| if h > z { h / (h - z) } else { 0.0 }).reduce(f64::min)
    }

    /// The smallest of the falling weights goes, with all that are not above it.
    fn drop_vanished(&mut self) {
        let falling = self.weights.iter().zip(&self.trial).filter(|(_, z)| **z <= 0.0);
        let floor = falling.map(|(h, _)| *h).fold(f64::INFINITY, f64::min).max(0.0);
        let weights = self.passive.iter().zip(&self.weights).zip(&self.trial);
        let stays =
            |((k, h), z): ((&u32, &f64), &f64)| (*z > 0.0 || *h > floor).then_some((*k, *h));
        let kept: Vec<(u32, f64)> = weights.filter_map(stays).collect();
        self.state.fill(State::Free);
        self.restore();
        for (k, h) in kept {
            self.enter(k, h, f64::NEG_INFINITY);
        }
    }
}
