//! Refinement: a few steps of alternating optimisation from the separable solution
//! ("Solution Refinement" in the paper).
//!
//! Starting from `W = X_A` and H, each iteration improves W for fixed H and then H for fixed W.
//! Both halves are the same problem, one row of X (or column) at a time, so both are one function.
//! The objective never increases: it is recorded after every iteration.

mod alternate;
mod frobenius;
mod kullback;
mod shared;

pub(crate) use frobenius::{gram_of_few_lines, gram_of_lines};
pub(crate) use kullback::lift_zeros;
pub use shared::{SharedMatrix, refine_distributed};

use std::ops::ControlFlow;

use crate::choices;
use crate::error::{Error, Result, check_length, check_rank};
use crate::factorization::Factorization;
use crate::matrix::Matrix;
use crate::solver::in_pool;

/// Entries of W and H beyond this could overflow.
const LARGEST: f64 = 1e140;

/// Lines handled by one task.
const CHUNK: usize = 64;

choices! {
    /// What is minimised, and how.
    #[derive(Default)]
    pub enum Refinement ("refinement") {
        Exact = "exact": "||X - WH||_F^2 by alternating exact nonnegative least squares",
        #[default]
        Hals = "hals": "||X - WH||_F^2 by a few sweeps of coordinate descent at a time, looking ahead",
        KullbackLeibler = "kullback-leibler": "divergence of X from WH, by multiplicative updates",
    }
}

/// Told each iteration's number, from 1, and its objective; `Break` ends the refinement after it.
pub type RefineObserver<'a> = &'a mut (dyn FnMut(usize, f64) -> ControlFlow<()> + Send);

/// W (m x rank) and H (rank x n) with nonnegative entries, `X ~= WH`.
#[derive(Debug, Clone, PartialEq)]
pub struct Refined {
    /// Number of topics.
    pub rank: usize,
    /// W, one row for each row of X, row after row.
    pub w: Vec<f64>,
    /// The transpose of H: one row for each column of X, row after row.
    pub h: Vec<f64>,
    /// The objective at the start and after each iteration; never increases.
    pub objective: Vec<f64>,
}

impl Refined {
    /// `W = X_A` and H of a factorization, as the start of a refinement.
    pub fn from_factorization(found: &Factorization) -> Self {
        let (rank, n) = (found.rank(), found.weights().n_columns());
        let mut w = vec![0.0; found.n_rows() * rank];
        for (k, column) in found.anchor_columns().iter().enumerate() {
            column.for_each(|d, v| w[d * rank + k] = v.max(0.0));
        }
        let mut h = vec![0.0; n * rank];
        for i in 0..n {
            let (anchors, weights) = found.weights().column(i);
            anchors.iter().zip(weights).for_each(|(&k, &v)| h[i * rank + k as usize] = v);
        }
        Self { rank, w, h, objective: Vec::new() }
    }

    /// The same product WH, scaled so that the weights of different topics compare: each row of H has a
    /// sum and a length whose product is 1. Topics without any entry in H stay as they are.
    ///
    /// With rows of sum 1, broad topics win over narrow ones; with rows of length 1, it is the other
    /// way round.
    ///
    /// # Examples
    /// ```
    /// use xray_nmf::Refined;
    /// let pair = Refined { rank: 1, w: vec![1.0, 3.0], h: vec![0.0, 4.0], objective: vec![] };
    /// let scaled = pair.with_comparable_topics();
    /// assert_eq!((scaled.w, scaled.h), (vec![4.0, 12.0], vec![0.0, 1.0]));
    /// ```
    #[must_use]
    pub fn with_comparable_topics(mut self) -> Self {
        let rank = self.rank.max(1);
        let (mut sums, mut squares) = (vec![0.0; self.rank], vec![0.0; self.rank]);
        for line in self.h.chunks_exact(rank) {
            for (k, v) in line.iter().enumerate() {
                sums[k] += v;
                squares[k] += v * v;
            }
        }
        let size = |(sum, square): (&f64, &f64)| (sum * square.sqrt()).sqrt();
        let mut sizes: Vec<f64> = sums.iter().zip(&squares).map(size).collect();
        sizes.iter_mut().filter(|size| **size == 0.0).for_each(|size| *size = 1.0);
        for line in self.h.chunks_exact_mut(rank) {
            line.iter_mut().zip(&sizes).for_each(|(v, size)| *v /= size);
        }
        for line in self.w.chunks_exact_mut(rank) {
            line.iter_mut().zip(&sizes).for_each(|(v, size)| *v *= size);
        }
        self
    }
}

/// Improves a factorization of `matrix` by `iterations` alternating steps.
///
/// # Examples
/// ```
/// use xray_nmf::{DenseMatrix, Params, Refinement, fit, refine};
/// let x = DenseMatrix::from_row_major(3, 3, vec![1.0, 2.0, 0.1, 0.5, 1.0, 1.0, 0.0, 0.2, 2.0])?;
/// let found = fit(&x, &Params::new(2))?;
/// let better = refine(&x, &found, Refinement::Exact, 10, None)?;
/// assert!(better.objective[10] <= better.objective[0]);
/// # Ok::<(), xray_nmf::Error>(())
/// ```
///
/// # Errors
/// If the shapes do not match, the worker threads cannot be started, or Kullback-Leibler divergence
/// is asked for a matrix with negative entries.
pub fn refine(
    matrix: &dyn Matrix,
    start: &Factorization,
    method: Refinement,
    iterations: usize,
    threads: Option<usize>,
) -> Result<Refined> {
    refine_from(matrix, from_anchors(matrix, start)?, method, iterations, threads)
}

/// `W = X_A` and H of a fit to `matrix`.
pub(crate) fn from_anchors(matrix: &dyn Matrix, start: &Factorization) -> Result<Refined> {
    check_length("rows of the matrix", start.n_rows(), matrix.n_rows())?;
    check_length("columns of the matrix", start.own_columns().n_own(), matrix.n_columns())?;
    Ok(Refined::from_factorization(start))
}

/// Improves any nonnegative W and H; `start.objective` is replaced.
///
/// # Errors
/// As [`refine`]; also if W or H has a negative entry or one above 1e140, or the rank is above 32768.
pub fn refine_from(
    matrix: &dyn Matrix,
    start: Refined,
    method: Refinement,
    iterations: usize,
    threads: Option<usize>,
) -> Result<Refined> {
    let unwatched = &mut |_, _| ControlFlow::Continue(());
    refine_observed(matrix, start, method, iterations, threads, unwatched)
}

/// [`refine_from`] with an observer.
///
/// # Errors
/// As [`refine_from`].
pub fn refine_observed(
    matrix: &dyn Matrix,
    start: Refined,
    method: Refinement,
    iterations: usize,
    threads: Option<usize>,
    observer: RefineObserver<'_>,
) -> Result<Refined> {
    let Refined { rank, mut w, mut h, .. } = start;
    check_rank(rank)?;
    check_length("W", matrix.n_rows().saturating_mul(rank), w.len())?;
    check_length("H", matrix.n_columns().saturating_mul(rank), h.len())?;
    if let Some(v) = w.iter().chain(&h).find(|v| !(0.0..=LARGEST).contains(*v)) {
        let allowed = "every entry must be not negative and at most 1e140";
        return Err(Error::Parameter { name: "W or H", value: v.to_string(), allowed });
    }
    if let (Refinement::KullbackLeibler, Some(e)) = (method, matrix.first_negative()) {
        return Err(Error::Negative { row: e.row, column: e.column, value: e.value });
    }
    let mut trace = Trace { iterations, objective: Vec::new(), observer };
    in_pool(threads, || {
        match method {
            _ if rank == 0 => {
                let nothing = objective_of_nothing(matrix, method);
                trace.follow(nothing, || nothing);
            }
            Refinement::KullbackLeibler => {
                kullback::run(matrix, rank, &mut w, &mut h, &mut trace);
            }
            _ => frobenius::run(matrix, rank, method, &mut w, &mut h, &mut trace)?,
        }
        Ok(Refined { rank, w, h, objective: trace.objective })
    })?
}

/// Counts the iterations, keeps their objectives and shows them to the observer.
struct Trace<'a> {
    iterations: usize,
    objective: Vec<f64>,
    observer: RefineObserver<'a>,
}

impl Trace<'_> {
    fn follow(&mut self, start: f64, mut iterate: impl FnMut() -> f64) {
        let never_fails = self.try_follow(start, || Ok(iterate()));
        debug_assert!(never_fails.is_ok());
    }

    /// [`follow`](Self::follow), if iterations may fail.
    fn try_follow(&mut self, start: f64, mut iterate: impl FnMut() -> Result<f64>) -> Result<()> {
        self.objective.push(start);
        for t in 1..=self.iterations {
            let objective = iterate()?;
            self.objective.push(objective);
            if (self.observer)(t, objective).is_break() {
                return Ok(());
            }
        }
        Ok(())
    }
}

/// The objective with no topics at all: WH = 0.
fn objective_of_nothing(matrix: &dyn Matrix, method: Refinement) -> f64 {
    let squares = matrix.squared_norms().iter().fold(0.0, |sum, v| sum + v);
    match method {
        Refinement::KullbackLeibler if squares > 0.0 => f64::INFINITY,
        _ => squares,
    }
}
