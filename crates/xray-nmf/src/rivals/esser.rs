//! The convex model of Esser and others: reconstruct X from few of its own columns.
//!
//! ```text
//! min 1/2 ||X - XC||_F^2 + l sum_i max_j C_ij   over  C >= 0
//! ```
//!
//! The penalty sums the largest entries of the rows of C (n x n), so that whole rows vanish; the
//! anchors are the columns whose rows have the largest maximum. Columns are scaled to l2 norm 1.
//! Near-duplicates of an anchor share its row: they all look like anchors. Therefore the authors
//! merge similar columns first ([`EsserParams::merge`]); without that the model is as the paper under
//! test describes it.
//!
//! Solved by the accelerated proximal gradient method (FISTA) with restarts. With `G = X'X`, the
//! gradient is `GC - G`, the step 1 / ||G||, and the proximal step for each row is exact:
//!
//! ```text
//! c_j <- min((x_j)_+, t)   where  sum_j ((x_j)_+ - t)_+ = l / ||G||,  or c = 0 if that has no t >= 0
//! ```
//!
//! With [`RowPenalty::Length`] the penalty sums the lengths of the rows instead (the l1,2 norm, as in sparse multivariate
//! regression), and the proximal step shortens each row: `c <- (x)_+ max(0, 1 - l / (||G|| ||(x)_+||))`.
//!
//! Cost: O(n^3) for an iteration, n^2 numbers of memory four times; refused above limits.
//!
//! Reference: Esser, Möller, Osher, Sapiro and Xin, "A convex model for nonnegative matrix
//! factorization and dimensionality reduction on physical space", IEEE Trans. Image Processing 21 (2012).

use rayon::prelude::*;

use super::anchors::Anchors;
use super::cost::{check_memory, check_work};
use super::require;
use crate::error::Result;
use crate::matrix::Matrix;
use crate::matrix::kernels::{add_scaled, dot};
use crate::params::Normalize;
use crate::stop::StopRequest;

/// The matrices that are held at once: G, C, the extrapolated C, and the next C.
const MATRICES: f64 = 4.0;

/// What the penalty sums over the rows of C.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum RowPenalty {
    /// The largest entry of each: the l1,infinity norm of the reference.
    #[default]
    Maximum,
    /// The length of each: the l1,2 norm.
    Length,
}

impl RowPenalty {
    /// The size of a row without negative entries.
    fn size(self, row: &[f64]) -> f64 {
        match self {
            RowPenalty::Maximum => row.iter().copied().fold(0.0, f64::max),
            RowPenalty::Length => dot(row, row).sqrt(),
        }
    }

    /// The proximal step of `weight` times the size, over rows without negative entries.
    fn shrink(self, row: &mut [f64], weight: f64) {
        match self {
            RowPenalty::Maximum => shrink_maximum(row, weight),
            RowPenalty::Length => {
                row.iter_mut().for_each(|v| *v = v.max(0.0));
                let length = self.size(row);
                let left = if length > weight { 1.0 - weight / length } else { 0.0 };
                row.iter_mut().for_each(|v| *v *= left);
            }
        }
    }
}

/// The parameters of [`esser`], with their defaults.
///
/// | field | default | purpose | range |
/// |---|---|---|---|
/// | `rank` | required | number of anchors to find | any |
/// | `penalty` | 0.1 | l | positive |
/// | `rows` | `Maximum` | what the penalty sums: the maxima of rows, or their lengths | |
/// | `merge` | none | columns with a larger cosine than this are merged first | above 0, below 1 |
/// | `iterations` | 500 | proximal steps at most | any |
/// | `tolerance` | 1e-7 | stop when C moves by less than this, relative | not negative |
/// | `largest_work` | 1e13 | refuse more multiply-adds than this, as predicted for all iterations | any |
/// | `memory` | a quarter of RAM | bytes that the n x n matrices may take | any |
/// | `stop` | never made | a request to give the work up | |
#[derive(Debug, Clone)]
pub struct EsserParams {
    /// Number of anchors to find.
    pub rank: usize,
    /// The weight l of the penalty.
    pub penalty: f64,
    /// What the penalty sums over rows.
    pub rows: RowPenalty,
    /// Columns with a larger cosine than this to an earlier, kept one are left out.
    pub merge: Option<f64>,
    /// Proximal steps at most.
    pub iterations: usize,
    /// Stop when `||C_new - C|| <= tolerance ||C_new||`.
    pub tolerance: f64,
    /// The most multiply-adds, as predicted for all iterations.
    pub largest_work: f64,
    /// Bytes that the matrices may take; a quarter of the machine's memory if absent.
    pub memory: Option<usize>,
    /// The work is given up with [`Error::Stopped`](crate::Error::Stopped) soon after this is made.
    pub stop: StopRequest,
}

impl EsserParams {
    /// The defaults, for a given rank.
    pub fn new(rank: usize) -> Self {
        Self {
            rank,
            penalty: 0.1,
            rows: RowPenalty::Maximum,
            merge: None,
            iterations: 500,
            tolerance: 1e-7,
            largest_work: 1e13,
            memory: None,
            stop: StopRequest::new(),
        }
    }

    fn check(&self) -> Result<()> {
        let holds = self.penalty > 0.0 && self.penalty.is_finite();
        require(holds, "penalty", self.penalty, "give a positive number")?;
        let cosine = self.merge.unwrap_or(0.5);
        require(cosine > 0.0 && cosine < 1.0, "merge", cosine, "give a cosine between 0 and 1")?;
        let holds = self.tolerance >= 0.0 && self.tolerance.is_finite();
        require(holds, "tolerance", self.tolerance, "give 0 or a positive number")
    }
}

/// Finds anchors by the convex model. The scores are the rows' maxima (or lengths), largest first; the objective
/// is that of the model after each step taken, and never increases.
///
/// # Examples
/// ```
/// use xray_nmf::DenseMatrix;
/// use xray_nmf::rivals::{EsserParams, esser};
/// let x = DenseMatrix::from_column_major(2, 3, vec![1.0, 0.0, 1.0, 1.0, 0.0, 1.0])?;
/// let mut found = esser(&x, &EsserParams::new(2))?.anchors;
/// found.sort();
/// assert_eq!(found, [0, 2]);
/// # Ok::<(), xray_nmf::Error>(())
/// ```
///
/// # Errors
/// If a parameter is outside its range, or the predicted work or memory is above its limit.
pub fn esser(matrix: &dyn Matrix, params: &EsserParams) -> Result<Anchors> {
    params.check()?;
    let (m, n) = (matrix.n_rows() as f64, matrix.n_columns() as f64);
    check_memory("esser", 8.0 * MATRICES * n * n, params.memory)?;
    // Each iteration multiplies by G twice: for the step and for the objective.
    let work = m * n * n + 2.0 * params.iterations as f64 * n * n * n;
    check_work("esser", work, params.largest_work)?;
    let scaled = matrix.normalized(Normalize::L2);
    let columns: Vec<_> = (0..scaled.n_columns()).map(|j| scaled.column(j)).collect();
    let mut gram: Vec<Vec<f64>> = Vec::new();
    for product in scaled.gram(&columns.iter().collect::<Vec<_>>()) {
        let mut row = vec![0.0; columns.len()];
        product.for_each(|i, v| row[i] = v);
        gram.push(row);
    }
    let kept = representatives(&gram, params.merge);
    let restricted: Vec<Vec<f64>> =
        kept.iter().map(|&i| kept.iter().map(|&j| gram[i][j]).collect()).collect();
    drop(gram);
    let mut found = Anchors::none();
    let c = minimise(&restricted, params, &mut found.objective)?;
    let sizes: Vec<f64> = c.iter().map(|row| params.rows.size(row)).collect();
    let mut ranked: Vec<usize> = (0..kept.len()).filter(|&q| sizes[q] > 0.0).collect();
    ranked.sort_by(|&a, &b| sizes[b].total_cmp(&sizes[a]).then(a.cmp(&b)));
    ranked.iter().take(params.rank).for_each(|&q| found.push(kept[q], sizes[q]));
    Ok(found.ended(params.rank))
}

/// The nonzero columns, without those too similar to one kept before.
fn representatives(gram: &[Vec<f64>], merge: Option<f64>) -> Vec<usize> {
    let mut kept: Vec<usize> = Vec::new();
    for (j, row) in gram.iter().enumerate() {
        let similar = |&i: &usize| merge.is_some_and(|cosine| row[i] > cosine);
        if row[j] > 0.0 && !kept.iter().any(similar) {
            kept.push(j);
        }
    }
    kept
}

/// C, by FISTA; pushes the objective of every step taken.
///
/// A step that would raise the objective is not taken: the next one starts from C itself, without
/// momentum, and cannot raise it but by rounding. So the objective never increases.
fn minimise(
    gram: &[Vec<f64>],
    params: &EsserParams,
    objective: &mut Vec<f64>,
) -> Result<Vec<Vec<f64>>> {
    let step = 1.0 / largest_eigenvalue(gram).max(f64::MIN_POSITIVE);
    let mut c = vec![vec![0.0; gram.len()]; gram.len()];
    let mut ahead = c.clone();
    let mut momentum = 1.0f64;
    let mut best = model(gram, &c, params);
    for _ in 0..params.iterations {
        let next = proximal_step(gram, &ahead, step, params)?;
        let value = model(gram, &next, params);
        if value > best {
            if momentum == 1.0 {
                break;
            }
            (ahead, momentum) = (c.clone(), 1.0);
            continue;
        }
        let after = (1.0 + (1.0 + 4.0 * momentum * momentum).sqrt()) / 2.0;
        let (moved, size) = look_ahead(&mut ahead, &next, &c, (momentum - 1.0) / after);
        (c, momentum, best) = (next, after, value);
        objective.push(value);
        if moved <= params.tolerance * params.tolerance * size {
            break;
        }
    }
    Ok(c)
}

/// A gradient step from `ahead`, then the proximal step of every row.
fn proximal_step(
    gram: &[Vec<f64>],
    ahead: &[Vec<f64>],
    step: f64,
    params: &EsserParams,
) -> Result<Vec<Vec<f64>>> {
    let row = |i: usize| {
        params.stop.check()?;
        let mut row = ahead[i].clone();
        add_scaled(&mut row, &gram[i], step);
        ahead.iter().zip(&gram[i]).for_each(|(a, g)| add_scaled(&mut row, a, -step * g));
        params.rows.shrink(&mut row, step * params.penalty);
        Ok(row)
    };
    (0..gram.len()).into_par_iter().map(row).collect()
}

/// `ahead = new + share (new - old)`; returns `||new - old||^2` and `||new||^2`.
fn look_ahead(
    ahead: &mut [Vec<f64>],
    new: &[Vec<f64>],
    old: &[Vec<f64>],
    share: f64,
) -> (f64, f64) {
    let (mut moved, mut size) = (0.0, 0.0);
    for ((ahead, new), old) in ahead.iter_mut().zip(new).zip(old) {
        for ((a, v), o) in ahead.iter_mut().zip(new).zip(old) {
            (moved, size) = (moved + (v - o) * (v - o), size + v * v);
            *a = v + share * (v - o);
        }
    }
    (moved, size)
}

/// `1/2 tr((I - C)'G(I - C)) + l sum_i size(C_i.)`.
fn model(gram: &[Vec<f64>], c: &[Vec<f64>], params: &EsserParams) -> f64 {
    let parts: Vec<f64> = (0..gram.len())
        .into_par_iter()
        .map(|i| {
            // Row i of G (I - C), times row i of I - C.
            let mut row = gram[i].clone();
            c.iter().zip(&gram[i]).for_each(|(c, g)| add_scaled(&mut row, c, -g));
            0.5 * (row[i] - dot(&row, &c[i])) + params.penalty * params.rows.size(&c[i])
        })
        .collect();
    parts.iter().fold(0.0, |sum, part| sum + part)
}

/// An upper bound on the norm of a symmetric matrix that is close to it: power iteration, then 1 %
/// more.
fn largest_eigenvalue(gram: &[Vec<f64>]) -> f64 {
    let mut vector = vec![1.0; gram.len()];
    let mut value = 0.0;
    for _ in 0..100 {
        let product: Vec<f64> = gram.iter().map(|row| dot(row, &vector)).collect();
        value = dot(&product, &product).sqrt();
        if value == 0.0 {
            break;
        }
        vector = product.iter().map(|v| v / value).collect();
    }
    1.01 * value
}

/// The proximal step of `weight * max_j c_j` over `c >= 0`.
fn shrink_maximum(row: &mut [f64], weight: f64) {
    let mut above: Vec<f64> = row.iter().copied().filter(|v| *v > 0.0).collect();
    above.sort_unstable_by(|a, b| b.total_cmp(a));
    // t is the mean of the k largest less their share of the weight, while it is below the k-th.
    let (mut sum, mut t) = (0.0, 0.0f64);
    for (k, &value) in above.iter().enumerate() {
        if value <= t {
            break;
        }
        sum += value;
        t = (sum - weight) / (k + 1) as f64;
    }
    let t = t.max(0.0);
    row.iter_mut().for_each(|v| *v = v.clamp(0.0, t));
}
