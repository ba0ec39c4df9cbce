//! Hottopixx's linear program as data, and how good a pair of points for it is.
//!
//! ```text
//! min_C max_Y  <Y, X - XC> + p'diag(C)   over  C in Phi, tr C = r,   -1 <= Y_dj <= 1
//! ```
//!
//! Any Y gives a lower bound: with `G = X'Y`, row i of C is best at `C_ij = C_ii` where `G_ij > 0` and 0
//! elsewhere, which is worth `a_i = p_i - G_ii - sum_{j != i} (G_ij)_+` for each unit of `C_ii`. So
//!
//! ```text
//! optimum >= <Y, X> + the sum of the r smallest a_i
//! ```
//!
//! Any C of Phi gives an upper bound once its trace is r: it is scaled down, or moved towards the
//! identity, both of which stay in Phi.

use rayon::prelude::*;

use super::nonzeros;
use crate::matrix::kernels::add_scaled;
use crate::matrix::{Line, Matrix};

/// Scaled columns this near in l1 are copies: rounding errors apart.
const SAME_POINT: f64 = 1e-9;

/// X by rows and by columns, the cost p and the rank.
pub(super) struct Program {
    pub(super) rows: Vec<Line>,
    pub(super) columns: Vec<Line>,
    pub(super) cost: Vec<f64>,
    /// At most the number of columns: the trace cannot be larger.
    pub(super) rank: usize,
}

/// C by rows and Y by rows.
#[derive(Clone)]
pub(super) struct Pair {
    pub(super) c: Vec<Vec<f64>>,
    pub(super) y: Vec<Vec<f64>>,
}

/// An upper and a lower bound on the optimum.
#[derive(Clone, Copy)]
pub(super) struct Bounds {
    pub(super) upper: f64,
    pub(super) lower: f64,
}

impl Bounds {
    pub(super) fn gap(self) -> f64 {
        self.upper - self.lower
    }
}

impl Program {
    pub(super) fn new(matrix: &dyn Matrix, cost: Vec<f64>, rank: usize) -> Self {
        let rows = (0..matrix.n_rows()).map(|d| nonzeros(matrix.row(d))).collect();
        let columns =
            (0..matrix.n_columns()).map(|i| nonzeros(matrix.column(i))).collect::<Vec<_>>();
        let rank = rank.min(columns.len());
        Self { rows, columns, cost, rank }
    }

    pub(super) fn n(&self) -> usize {
        self.columns.len()
    }

    /// `sum |X|`: the objective at C = 0.
    pub(super) fn size(&self) -> f64 {
        let mut sum = 0.0;
        self.columns.iter().for_each(|x| x.for_each(|_, v| sum += v.abs()));
        sum
    }

    /// One column of each point (copies are one point) with the sum of its copies' `C_ii`, largest first.
    ///
    /// The column is the copy with the largest `C_ii`.
    pub(super) fn points(&self, c: &[Vec<f64>]) -> Vec<(usize, f64)> {
        let mut ranked: Vec<usize> =
            (0..self.n()).filter(|&i| !self.columns[i].values.is_empty()).collect();
        ranked.sort_by(|&a, &b| c[b][b].total_cmp(&c[a][a]).then(a.cmp(&b)));
        let mut points: Vec<(usize, f64)> = Vec::new();
        for i in ranked {
            let same = |(k, _): &&mut (usize, f64)| self.are_copies(*k, i);
            match points.iter_mut().find(same) {
                Some((_, sum)) => *sum += c[i][i],
                None => points.push((i, c[i][i])),
            }
        }
        points.sort_by(|a, b| b.1.total_cmp(&a.1));
        points
    }

    fn are_copies(&self, a: usize, b: usize) -> bool {
        let m = self.rows.len();
        let mut difference = self.columns[a].to_dense(m);
        self.columns[b].for_each(|d, v| difference[d] -= v);
        difference.iter().fold(0.0, |sum, v| sum + v.abs()) <= SAME_POINT
    }

    /// An upper bound on the largest singular value of X that is close to it: power iteration, then
    /// 1 % more.
    pub(super) fn norm(&self) -> f64 {
        let mut v = vec![1.0; self.n()];
        let mut value = 0.0;
        for _ in 0..100 {
            let u: Vec<f64> = self.rows.iter().map(|row| sparse_dot(row, &v)).collect();
            let product: Vec<f64> = self.columns.iter().map(|x| sparse_dot(x, &u)).collect();
            let size = product.iter().fold(0.0, |sum, v| sum + v * v).sqrt();
            if size == 0.0 {
                break;
            }
            value = size.sqrt();
            v = product.iter().map(|v| v / size).collect();
        }
        1.01 * value
    }

    /// Row i of X'Y.
    pub(super) fn gradient(&self, i: usize, y: &[Vec<f64>]) -> Vec<f64> {
        let mut row = vec![0.0; self.n()];
        self.columns[i].for_each(|d, x| add_scaled(&mut row, &y[d], x));
        row
    }

    /// Row d of XC.
    pub(super) fn image(&self, d: usize, c: &[Vec<f64>]) -> Vec<f64> {
        let mut row = vec![0.0; self.n()];
        self.rows[d].for_each(|i, x| add_scaled(&mut row, &c[i], x));
        row
    }

    /// What C and Y prove.
    pub(super) fn bounds(&self, pair: &Pair) -> Bounds {
        Bounds { upper: self.upper(&pair.c), lower: self.lower(&pair.y) }
    }

    /// The objective of C, brought to trace r.
    fn upper(&self, c: &[Vec<f64>]) -> f64 {
        let (n, r) = (self.n() as f64, self.rank as f64);
        let trace = trace(c);
        let scale = if trace > r { r / trace } else { 1.0 };
        let lift = if trace < r { (r - trace) / (n - trace) } else { 0.0 };
        let added = |j: usize| lift * (1.0 - c[j][j]);
        let errors: Vec<f64> = (0..self.rows.len())
            .into_par_iter()
            .map(|d| {
                let mut error = self.image(d, c);
                error.iter_mut().for_each(|e| *e *= -scale);
                self.rows[d].for_each(|j, x| error[j] += x * (1.0 - added(j)));
                error.iter().fold(0.0, |sum, e| sum + e.abs())
            })
            .collect();
        let diagonal = (0..self.n()).map(|i| self.cost[i] * (scale * c[i][i] + added(i)));
        errors.iter().copied().chain(diagonal).fold(0.0, |sum, part| sum + part)
    }

    /// The bound of Y.
    fn lower(&self, y: &[Vec<f64>]) -> f64 {
        let parts: Vec<(f64, f64)> = (0..self.n())
            .into_par_iter()
            .map(|i| {
                let g = self.gradient(i, y);
                let others = g.iter().enumerate().filter(|(j, _)| *j != i);
                let gain = others.fold(0.0, |sum, (_, g)| sum + g.max(0.0));
                (g[i], self.cost[i] - g[i] - gain)
            })
            .collect();
        // <Y, X> is the trace of X'Y.
        let constant = parts.iter().fold(0.0, |sum, part| sum + part.0);
        let mut worth: Vec<f64> = parts.iter().map(|part| part.1).collect();
        worth.sort_unstable_by(f64::total_cmp);
        worth[..self.rank].iter().fold(constant, |sum, a| sum + a)
    }
}

pub(super) fn trace(c: &[Vec<f64>]) -> f64 {
    c.iter().enumerate().fold(0.0, |sum, (i, row)| sum + row[i])
}

fn sparse_dot(x: &Line, v: &[f64]) -> f64 {
    let mut sum = 0.0;
    x.for_each(|i, x| sum += x * v[i]);
    sum
}
