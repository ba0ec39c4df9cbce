//! New data under a fitted model: exact, in parallel, one line at a time.

use rayon::prelude::*;

use crate::error::{Error, Result, check_length, check_rank};
use crate::factorization::Factorization;
use crate::gram::NormalMatrix;
use crate::machine::afford;
use crate::matrix::kernels::{add_scaled, multiversion};
use crate::matrix::{Entry, Line, Matrix};
use crate::project::{ActiveSet, LeastDivergence, Nnls, nnls, sweep, weighted_lines};
use crate::refine::gram_of_few_lines;

/// Sweeps of coordinate descent before the exact solver.
const WARM_UP: usize = 4;

/// Lines handled by one task.
const LINES_PER_TASK: usize = 64;

impl Factorization {
    /// Projects new columns (with the same rows) onto the anchors: `min_{z >= 0} ||x - X_A z||`.
    ///
    /// # Errors
    /// If the number of rows differs.
    pub fn project(&self, columns: &dyn Matrix) -> Result<Nnls> {
        nnls(&self.anchor_matrix(), columns)
    }

    /// A model that weighs new rows under this factorization's H.
    pub fn row_model(&self) -> RowModel {
        let h =
            (0..self.coefficients().n_columns()).flat_map(|i| self.coefficients().dense_column(i));
        RowModel::from_parts(self.rank(), h.collect())
    }
}

/// Weights of rows (documents) under a fixed H: `min_{w >= 0} ||x - w'H||` for each row x.
///
/// # Examples
/// ```
/// use xray_nmf::{DenseMatrix, RowModel};
/// // Two topics over three words.
/// let model = RowModel::new(2, 3, vec![1.0, 0.0, 1.0, 0.0, 0.0, 2.0])?;
/// let rows = DenseMatrix::from_row_major(1, 3, vec![3.0, 3.0, 4.0])?;
/// let weights = model.weights(&rows)?;
/// assert!((weights[0] - 3.0).abs() < 1e-12 && (weights[1] - 2.0).abs() < 1e-12);
/// # Ok::<(), xray_nmf::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct RowModel {
    rank: usize,
    /// The transpose of H: rank entries for each column of X.
    h: Vec<f64>,
    s: NormalMatrix,
}

impl RowModel {
    /// From the transpose of H: `rank` entries for each of `n_columns` columns.
    ///
    /// # Errors
    /// If the length does not fit, an entry is negative or not finite, or the rank is above 32768.
    pub fn new(rank: usize, n_columns: usize, h: Vec<f64>) -> Result<Self> {
        check_rank(rank)?;
        check_length("H", rank.saturating_mul(n_columns), h.len())?;
        match h.iter().find(|v| !(**v >= 0.0 && v.is_finite())) {
            Some(v) => Err(Error::Parameter {
                name: "H",
                value: v.to_string(),
                allowed: "every weight must be finite and not negative",
            }),
            None => Ok(Self::from_parts(rank, h)),
        }
    }

    fn from_parts(rank: usize, h: Vec<f64>) -> Self {
        let s = if rank > 0 { gram_of_few_lines(&h, rank) } else { NormalMatrix::default() };
        Self { rank, s, h }
    }

    /// Number of topics.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// The transpose of H, given up to the caller.
    pub fn into_topics(self) -> Vec<f64> {
        self.h
    }

    /// The weights of each row of `rows`: rank entries for each, row after row.
    ///
    /// # Errors
    /// If the number of columns differs.
    pub fn weights(&self, rows: &dyn Matrix) -> Result<Vec<f64>> {
        if self.rank == 0 {
            return Ok(Vec::new());
        }
        check_length("columns of the rows", self.h.len() / self.rank, rows.n_columns())?;
        afford::<f64>("the weights of all rows", rows.n_rows().saturating_mul(self.rank))?;
        let mut weights = vec![0.0; rows.n_rows() * self.rank];
        weights.par_chunks_mut(LINES_PER_TASK * self.rank).enumerate().for_each_init(
            || vec![Line::default(); LINES_PER_TASK],
            |lines, (q, chunk)| {
                let lines = &mut lines[..chunk.len() / self.rank];
                let read = |(l, into)| rows.read_row(q * LINES_PER_TASK + l, into);
                lines.iter_mut().enumerate().for_each(read);
                weigh_chunk(self, lines, chunk);
            },
        );
        Ok(weights)
    }
}

impl RowModel {
    /// The weights of each row of `rows` that minimise the Kullback-Leibler divergence from `w'H`, for topics
    /// that were refined by it: rank entries for each, row after row.
    ///
    /// The problem is convex, and Newton's steps lead to its minimum: they end when no more than 1e-15 of the row can be
    /// gained.
    ///
    /// # Examples
    /// ```
    /// use xray_nmf::{DenseMatrix, RowModel};
    /// let model = RowModel::new(2, 3, vec![1.0, 0.0, 1.0, 0.0, 0.0, 2.0])?;
    /// let rows = DenseMatrix::from_row_major(1, 3, vec![3.0, 5.0, 4.0])?;
    /// let weights = model.divergence_weights(&rows)?;
    /// assert!((weights[0] - 4.0).abs() < 1e-7 && (weights[1] - 2.0).abs() < 1e-7);
    /// # Ok::<(), xray_nmf::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the number of columns differs, or an entry is negative.
    pub fn divergence_weights(&self, rows: &dyn Matrix) -> Result<Vec<f64>> {
        if let Some(Entry { row, column, value }) = rows.first_negative() {
            return Err(Error::Negative { row, column, value });
        }
        if self.rank == 0 {
            return Ok(Vec::new());
        }
        check_length("columns of the rows", self.h.len() / self.rank, rows.n_columns())?;
        let mut sums = vec![0.0; self.rank];
        self.h.chunks_exact(self.rank).for_each(|line| add_scaled(&mut sums, line, 1.0));
        afford::<f64>("the weights of all rows", rows.n_rows().saturating_mul(self.rank))?;
        let mut weights = vec![0.0; rows.n_rows() * self.rank];
        weights
            .par_chunks_mut(self.rank)
            .enumerate()
            .for_each_init(LeastDivergence::default, |solver, (d, weights)| {
                solver.solve(&rows.row(d), &self.h, &sums, weights)
            });
        Ok(weights)
    }
}

multiversion! {
    fn weigh_chunk(model: &RowModel, lines: &[Line], chunk: &mut [f64]) = weigh_chunk_body
}

#[inline(always)]
fn weigh_chunk_body(model: &RowModel, lines: &[Line], chunk: &mut [f64]) {
    let mut solver = ActiveSet::default();
    let (mut target, mut image) = (vec![0.0; model.rank], vec![0.0; model.rank]);
    for (x, weights) in lines.iter().zip(chunk.chunks_exact_mut(model.rank)) {
        let squared_norm = weighted_lines(x, &model.h, &mut target);
        // From nothing the solver would add one topic at a time: sweeps find most of them at once.
        image.fill(0.0);
        for _ in 0..WARM_UP {
            sweep(&model.s, &target, weights, &mut image);
        }
        solver.solve_dense(&model.s, &target, squared_norm.sqrt(), weights);
    }
}
