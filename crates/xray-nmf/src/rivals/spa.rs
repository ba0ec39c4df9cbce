//! The successive projection algorithm (SPA).
//!
//! Take the column with the largest norm, project all columns onto its orthogonal complement,
//! repeat:
//!
//! ```text
//! j = argmax_j ||R_j||,   q = R_j / ||R_j||,   R <- (I - q q') R
//! ```
//!
//! R is never formed. With the orthonormal directions `q_1 .. q_t` (`directions`), which are the
//! anchors orthogonalised one after the other, `||R_j||^2` (`squared`) goes down by `(q_t'X_j)^2`.
//! That difference loses its digits when it becomes small: such a residual is computed anew from the
//! column itself before it may win.
//!
//! Exact on separable data if the columns are scaled to sum 1 ([`Normalize::L1`], the default) and
//! the anchors are linearly independent. There are never more anchors than the rank of X: 8 extreme
//! rays in three dimensions give 3 anchors and [`Termination::Exhausted`].
//!
//! Cost: one product `X'q` for each anchor, O(nnz) for sparse and O(m n) for dense data, and O(m t)
//! for each residual computed anew. Memory: O(n + m r).
//!
//! Reference: Gillis and Vavasis, "Fast and robust recursive algorithms for separable nonnegative
//! matrix factorization", IEEE TPAMI 36 (2014), Algorithm 1.
//!
//! [`Termination::Exhausted`]: crate::Termination::Exhausted

use rayon::prelude::*;

use super::anchors::Anchors;
use super::largest::largest;
use super::require;
use crate::error::Result;
use crate::matrix::kernels::{add_scaled, dot};
use crate::matrix::{Line, Matrix};
use crate::params::Normalize;

/// A squared residual below this share of its last exact value is computed anew before it may win:
/// what is left of its digits is about 1e-10.
const TRUSTED: f64 = 1e-6;

/// Columns handled by one task.
const LINES_PER_TASK: usize = 64;

/// The parameters of [`spa`], with their defaults.
///
/// | field | default | purpose | range |
/// |---|---|---|---|
/// | `rank` | required | number of anchors to find | any |
/// | `normalize` | `L1` | scale columns first; the method needs it unless they have equal sums | |
/// | `tolerance` | 1e-9 | a column within this relative distance of the anchors' span is dependent | 1e-12 to below 1 |
#[derive(Debug, Clone, PartialEq)]
pub struct SpaParams {
    /// Number of anchors to find.
    pub rank: usize,
    /// Scaling of the columns.
    pub normalize: Normalize,
    /// A column is dependent on the anchors if `||R_j|| <= tolerance ||X_j||`.
    pub tolerance: f64,
}

impl SpaParams {
    /// The defaults, for a given rank.
    pub fn new(rank: usize) -> Self {
        Self { rank, normalize: Normalize::L1, tolerance: 1e-9 }
    }
}

/// Finds anchors by successive projection. The scores are `||R_j||^2` at the time of choice.
///
/// Negative entries are allowed. Ends with `Exhausted` when all columns depend on the anchors.
///
/// # Examples
/// ```
/// use xray_nmf::DenseMatrix;
/// use xray_nmf::rivals::{SpaParams, spa};
/// // Columns 0 and 2 span the cone; column 1 is their sum.
/// let x = DenseMatrix::from_column_major(2, 3, vec![1.0, 0.0, 1.0, 1.0, 0.0, 1.0])?;
/// let mut found = spa(&x, &SpaParams::new(2))?.anchors;
/// found.sort();
/// assert_eq!(found, [0, 2]);
/// # Ok::<(), xray_nmf::Error>(())
/// ```
///
/// # Errors
/// If the tolerance is outside its range.
pub fn spa(matrix: &dyn Matrix, params: &SpaParams) -> Result<Anchors> {
    let SpaParams { rank, normalize, tolerance } = *params;
    let allowed = "give a number from 1e-12 to below 1";
    require((1e-12..1.0).contains(&tolerance), "tolerance", tolerance, allowed)?;
    Ok(match normalize {
        Normalize::None => run(matrix, rank, tolerance),
        norm => run(&*matrix.normalized(norm), rank, tolerance),
    })
}

fn run(matrix: &dyn Matrix, rank: usize, tolerance: f64) -> Anchors {
    let mut residuals = Residuals::new(matrix, tolerance);
    let mut found = Anchors::none();
    while found.anchors.len() < rank {
        residuals.refresh();
        let Some(j) = largest(&residuals.squared, &residuals.norms) else { break };
        found.push(j, residuals.squared[j]);
        residuals.project_out(j);
    }
    found.ended(rank)
}

/// The norms of all columns of R, and the space that R is orthogonal to.
struct Residuals<'a> {
    matrix: &'a dyn Matrix,
    /// `||X_j||^2`.
    norms: Vec<f64>,
    /// `||R_j||^2`; exactly 0 once the column is dependent.
    squared: Vec<f64>,
    /// `||R_j||^2` when it was last computed from the column itself.
    exact: Vec<f64>,
    /// `q_1 .. q_t`.
    directions: Vec<Vec<f64>>,
    tolerance: f64,
}

impl<'a> Residuals<'a> {
    fn new(matrix: &'a dyn Matrix, tolerance: f64) -> Self {
        let norms = matrix.squared_norms();
        let (squared, exact) = (norms.clone(), norms.clone());
        Self { matrix, norms, squared, exact, directions: Vec::new(), tolerance }
    }

    /// Computes anew every residual that might be the largest but has lost its digits.
    fn refresh(&mut self) {
        let limit = self.tolerance * self.tolerance;
        let trusted = |j: usize| {
            self.squared[j] >= TRUSTED * self.exact[j] && self.squared[j] > limit * self.norms[j]
        };
        let columns = 0..self.squared.len();
        let safe = columns.clone().filter(|&j| trusted(j));
        let best = safe.map(|j| self.squared[j]).fold(0.0, f64::max);
        let error = 64.0 * f64::EPSILON * (1 + self.directions.len()) as f64;
        let doubtful: Vec<usize> = columns
            .filter(|&j| self.exact[j] > 0.0 && !trusted(j))
            .filter(|&j| self.squared[j] + error * self.exact[j] >= 0.5 * best)
            .collect();
        let anew: Vec<f64> = doubtful
            .par_chunks(LINES_PER_TASK)
            .flat_map_iter(|part| part.iter().map(|&j| self.computed_anew(j)))
            .collect();
        for (j, value) in doubtful.into_iter().zip(anew) {
            (self.squared[j], self.exact[j]) = (value, value);
        }
    }

    /// `||R_j||^2` from column j, or 0 if that is dependent on the anchors.
    fn computed_anew(&self, j: usize) -> f64 {
        let residual = self.residual(j);
        let value = dot(&residual, &residual);
        let limit = self.tolerance * self.tolerance * self.norms[j];
        if value > limit { value } else { 0.0 }
    }

    /// `R_j`, orthogonalised twice: once leaves errors of the size of the first projection.
    fn residual(&self, j: usize) -> Vec<f64> {
        let mut residual = self.matrix.column(j).to_dense(self.matrix.n_rows());
        for q in self.directions.iter().chain(&self.directions) {
            let share = dot(q, &residual);
            add_scaled(&mut residual, q, -share);
        }
        residual
    }

    /// `X'q`. Both ways add up each product in row order: sparse columns are fastest one by one, dense
    /// ones several at a time. Column j shows which they are.
    fn products(&self, q: &[f64], j: usize) -> Vec<f64> {
        if self.matrix.column(j).indices.is_some() {
            return self.matrix.weighted_sums(q);
        }
        let q = Line { indices: None, values: q.to_vec() };
        let mut products = vec![0.0; self.norms.len()];
        for product in self.matrix.gram(&[&q]) {
            product.for_each(|i, v| products[i] = v);
        }
        products
    }

    /// Adds the direction of `R_j` and takes it out of all columns.
    fn project_out(&mut self, j: usize) {
        let mut direction = self.residual(j);
        let size = direction.iter().fold(0.0, |size: f64, v| size.max(v.abs()));
        if size > 0.0 {
            direction.iter_mut().for_each(|v| *v /= size);
            let norm = dot(&direction, &direction).sqrt();
            direction.iter_mut().for_each(|v| *v /= norm);
            let shares = self.products(&direction, j);
            for (squared, share) in self.squared.iter_mut().zip(shares) {
                *squared = (*squared - share * share).max(0.0);
            }
            self.directions.push(direction);
        }
        (self.squared[j], self.exact[j]) = (0.0, 0.0);
    }
}
