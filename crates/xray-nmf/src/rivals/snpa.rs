//! The successive nonnegative projection algorithm (SNPA).
//!
//! As SPA, but columns are projected onto the convex hull of the anchors and the origin instead of
//! their span:
//!
//! ```text
//! j = argmax_j ||R_j||,   A <- A + j,   R_i = X_i - X_A h_i,
//! h_i = argmin ||X_i - X_A h||  over  h >= 0, sum h <= 1
//! ```
//!
//! Exact on separable data with columns scaled to sum 1 ([`Normalize::L1`], the default), also where
//! the anchors are linearly dependent; more robust to noise than SPA.
//!
//! **The projection.** With the origin as one more vertex (`w_0 = 0`, and `h_0` the slack),
//! `X_i - X_A h = P h` for the columns `p_k = X_i - w_k` of P, and h is on the unit simplex: the point
//! of a polytope nearest to the origin. That is a nonnegative least-squares problem, since
//!
//! ```text
//! min_{z >= 0} ||P z||^2 + s (1'z - 1)^2,   h = z / 1'z
//! ```
//!
//! has for fixed h the minimum `s ||Ph||^2 / (s + ||Ph||^2)`, which grows with `||Ph||`. It is solved
//! exactly by the crate's active-set method on `P'P + s 11'`, `s = max_k ||p_k||^2`.
//!
//! **Columns that do not change.** The multiplier of `sum h <= 1` is `l = h'g` with `g = X_A'R_i`. The
//! old h stays optimal when anchor t enters unless `R_i'X_t > l`.
//!
//! Cost: one product `X'X_j` for each anchor and O(t^3) for each column that changes. Memory: O(n r).
//!
//! Reference: Gillis, "Successive nonnegative projection algorithm for robust nonnegative blind source
//! separation", SIAM J. Imaging Sciences 7 (2014), Algorithm 2.

use rayon::prelude::*;

use super::anchors::Anchors;
use super::largest::largest;
use super::require;
use crate::error::{Result, check_rank};
use crate::gram::NormalMatrix;
use crate::matrix::kernels::{add_scaled, dot};
use crate::matrix::{Line, Matrix};
use crate::params::Normalize;
use crate::project::{ActiveSet, GRADIENT_TOLERANCE};

/// Below this share of `||X_i||^2`, `||R_i||^2` is computed from the columns themselves.
const TRUSTED: f64 = 1e-8;

/// Columns handled by one task.
const LINES_PER_TASK: usize = 64;

/// The parameters of [`snpa`], with their defaults.
///
/// | field | default | purpose | range |
/// |---|---|---|---|
/// | `rank` | required | number of anchors to find | at most 32768 |
/// | `normalize` | `L1` | scale columns first; the method needs it unless they have equal sums | |
/// | `tolerance` | 1e-6 | exterior means `\|\|R_i\|\| > tolerance \|\|X_i\|\|` | 1e-7 to below 1 |
#[derive(Debug, Clone, PartialEq)]
pub struct SnpaParams {
    /// Number of anchors to find.
    pub rank: usize,
    /// Scaling of the columns.
    pub normalize: Normalize,
    /// A column is exterior if its residual exceeds this times its norm.
    pub tolerance: f64,
}

impl SnpaParams {
    /// The defaults, for a given rank.
    pub fn new(rank: usize) -> Self {
        Self { rank, normalize: Normalize::L1, tolerance: 1e-6 }
    }
}

/// Finds anchors by successive nonnegative projection. The scores are `||R_j||^2` at the time of
/// choice.
///
/// Negative entries are allowed. Ends with `Exhausted` when all columns lie in the hull.
///
/// # Examples
/// ```
/// use xray_nmf::DenseMatrix;
/// use xray_nmf::rivals::{SnpaParams, snpa};
/// let x = DenseMatrix::from_column_major(2, 3, vec![1.0, 0.0, 1.0, 1.0, 0.0, 1.0])?;
/// let mut found = snpa(&x, &SnpaParams::new(2))?.anchors;
/// found.sort();
/// assert_eq!(found, [0, 2]);
/// # Ok::<(), xray_nmf::Error>(())
/// ```
///
/// # Errors
/// If a parameter is outside its range.
pub fn snpa(matrix: &dyn Matrix, params: &SnpaParams) -> Result<Anchors> {
    let SnpaParams { rank, normalize, tolerance } = *params;
    check_rank(rank.min(matrix.n_columns()))?;
    let allowed = "give a number from 1e-7 to below 1";
    require((1e-7..1.0).contains(&tolerance), "tolerance", tolerance, allowed)?;
    Ok(match normalize {
        Normalize::None => run(matrix, rank, tolerance),
        norm => run(&*matrix.normalized(norm), rank, tolerance),
    })
}

fn run(matrix: &dyn Matrix, rank: usize, tolerance: f64) -> Anchors {
    let norms = matrix.squared_norms();
    let mut squared = norms.clone();
    let mut hull = Hull::default();
    let mut points: Vec<Point> = vec![Point::default(); norms.len()];
    let mut found = Anchors::none();
    while found.anchors.len() < rank {
        let Some(j) = largest(&squared, &norms) else { break };
        found.push(j, squared[j]);
        hull.admit(matrix, j, &mut points);
        let chunks =
            points.par_chunks_mut(LINES_PER_TASK).zip(squared.par_chunks_mut(LINES_PER_TASK));
        chunks.enumerate().for_each(|(q, (points, squared))| {
            let mut solver = ActiveSet::default();
            for (l, (point, squared)) in points.iter_mut().zip(squared).enumerate() {
                let i = q * LINES_PER_TASK + l;
                if point.sees_newest(&hull, norms[i]) {
                    *squared = point.project(&hull, norms[i], &mut solver);
                    hull.check(matrix, i, point, tolerance * tolerance * norms[i], squared);
                }
            }
        });
        squared[j] = 0.0;
    }
    found.ended(rank)
}

/// The anchors so far.
#[derive(Default)]
struct Hull {
    columns: Vec<Line>,
    /// `X_A'X_A`.
    gram: Vec<Vec<f64>>,
}

impl Hull {
    /// Takes column j as an anchor, and tells every point its inner product with it.
    fn admit(&mut self, matrix: &dyn Matrix, j: usize, points: &mut [Point]) {
        let column = matrix.column(j);
        for product in matrix.gram(&[&column]) {
            points.iter_mut().for_each(|point| point.target.push(0.0));
            product.for_each(|i, v| *points[i].target.last_mut().expect("just pushed") = v);
        }
        let row = points[j].target.clone();
        for (old, &value) in self.gram.iter_mut().zip(&row) {
            old.push(value);
        }
        self.gram.push(row);
        self.columns.push(column);
        points.iter_mut().for_each(|point| point.weights.push(0.0));
    }

    /// Where `squared = ||R_i||^2` is too small to be trusted, computes it from the columns; 0 if it
    /// is not above `limit`.
    fn check(&self, matrix: &dyn Matrix, i: usize, point: &Point, limit: f64, squared: &mut f64) {
        let column = matrix.column(i);
        let norm = column.values.iter().fold(0.0, |sum, v| sum + v * v);
        if *squared < TRUSTED * norm {
            let mut residual = column.to_dense(matrix.n_rows());
            for (anchor, &h) in self.columns.iter().zip(&point.weights) {
                if h > 0.0 {
                    anchor.for_each(|d, v| residual[d] -= h * v);
                }
            }
            *squared = dot(&residual, &residual);
        }
        if *squared <= limit {
            *squared = 0.0;
        }
    }
}

/// One column and its projection.
#[derive(Debug, Clone, Default)]
struct Point {
    /// `c = X_A'X_i`.
    target: Vec<f64>,
    /// h.
    weights: Vec<f64>,
}

impl Point {
    /// `g = X_A'R_i = c - S h`.
    fn gradient(&self, hull: &Hull) -> Vec<f64> {
        let mut gradient = self.target.clone();
        for (row, &h) in hull.gram.iter().zip(&self.weights) {
            if h > 0.0 {
                add_scaled(&mut gradient, row, -h);
            }
        }
        gradient
    }

    /// Whether the newest anchor would change the projection.
    fn sees_newest(&self, hull: &Hull, squared_norm: f64) -> bool {
        let gradient = self.gradient(hull);
        let newest = gradient.len() - 1;
        let multiplier = dot(&self.weights, &gradient).max(0.0);
        let size = (hull.gram[newest][newest] * squared_norm).sqrt();
        gradient[newest] - multiplier > GRADIENT_TOLERANCE * size
    }

    /// Projects onto the hull and returns `||R_i||^2`.
    fn project(&mut self, hull: &Hull, squared_norm: f64, solver: &mut ActiveSet) -> f64 {
        let t = self.target.len();
        // p_k'p_l, the origin first.
        let inner = |k: usize, l: usize| match (k.checked_sub(1), l.checked_sub(1)) {
            (None, None) => squared_norm,
            (None, Some(a)) | (Some(a), None) => squared_norm - self.target[a],
            (Some(a), Some(b)) => {
                (squared_norm - self.target[a]) + (hull.gram[a][b] - self.target[b])
            }
        };
        let scale = (0..=t).map(|k| inner(k, k)).fold(0.0, f64::max);
        if scale <= 0.0 {
            return 0.0;
        }
        let mut s = NormalMatrix::default();
        for k in 0..=t {
            let row: Vec<f64> = (0..=k).map(|l| inner(k, l) / scale + 1.0).collect();
            s.push(&row);
        }
        let slack = 1.0 - self.weights.iter().fold(0.0, |sum, h| sum + h);
        let mut solution = vec![slack.max(0.0)];
        solution.extend_from_slice(&self.weights);
        solver.solve_dense(&s, &vec![1.0; t + 1], 1.0, &mut solution);
        let total = solution.iter().fold(0.0, |sum, z| sum + z);
        if total > 0.0 {
            self.weights.clear();
            self.weights.extend(solution[1..].iter().map(|z| z / total));
        }
        let gradient = self.gradient(hull);
        let explained = dot(&self.weights, &self.target) + dot(&self.weights, &gradient);
        (squared_norm - explained).max(0.0)
    }
}
