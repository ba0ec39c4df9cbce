//! NMF by local optimisation: `min ||X - WH||_F^2` over nonnegative W (m x r) and H (r x n).
//!
//! The traditional way: start somewhere, improve W for fixed H and H for fixed W by turns. The
//! result is a stationary point at best and depends on the start; run several seeds and keep the one
//! with the smallest last objective. Nothing here chooses columns of X.
//!
//! | method | half-step for each line z, `S = UU'`, `c = U x` for the other factor's U | cost |
//! |---|---|---|
//! | [`LocalMethod::Hals`] | three sweeps `z_k <- (z_k + (c_k - S_k z) / S_kk)_+`, from a look ahead | r^2 |
//! | [`LocalMethod::Anls`] | the exact minimum, by block principal pivoting | r^3 for each group |
//! | [`LocalMethod::Multiplicative`] | `z_k <- z_k c_k / (S z)_k` | r^2 |
//!
//! and O(nnz r) for c. The objective never increases. Memory: O((m + n) r).
//!
//! References: Cichocki and Phan (2009) for HALS; Kim and Park, "Toward faster nonnegative matrix
//! factorization" (ICDM 2008) for ANLS; Lee and Seung (NIPS 2000) for multiplicative updates.

mod alternate;
mod pivoting;
mod start;

pub use pivoting::nnls_block_pivoting;
pub use start::{Fill, Start};

use super::require;
use crate::error::{Error, Result, check_length, check_rank};
use crate::matrix::Matrix;
use crate::refine::{Factors, Refine, Refinement};
use crate::stop::StopRequest;

/// How each half-step improves a factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum LocalMethod {
    /// Hierarchical alternating least squares: three sweeps over the topics, as
    /// [`Refinement::Hals`] makes them.
    #[default]
    Hals,
    /// Alternating nonnegative least squares, each exact by block principal pivoting.
    Anls,
    /// Lee and Seung's multiplicative updates; needs nonnegative data.
    Multiplicative,
}

/// The parameters of [`local_nmf`], with their defaults.
///
/// | field | default | purpose | range |
/// |---|---|---|---|
/// | `rank` | required | number of topics | at most 32768 |
/// | `method` | `Hals` | how each factor is improved | |
/// | `start` | random, seed 0 | where to start | |
/// | `iterations` | 100 | how often both factors are improved | any |
/// | `stop` | never made | a request to give the work up | |
#[derive(Debug, Clone)]
pub struct LocalParams<'a> {
    /// Number of topics.
    pub rank: usize,
    /// How each factor is improved.
    pub method: LocalMethod,
    /// Where to start.
    pub start: Start<'a>,
    /// How often both factors are improved.
    pub iterations: usize,
    /// The work is given up with [`Error::Stopped`](crate::Error::Stopped) soon after this is made.
    pub stop: StopRequest,
}

impl LocalParams<'_> {
    /// The defaults, for a given rank.
    pub fn new(rank: usize) -> Self {
        Self {
            rank,
            method: LocalMethod::default(),
            start: Start::Random { seed: 0 },
            iterations: 100,
            stop: StopRequest::new(),
        }
    }
}

/// Factors X by local optimisation; the result has the objective after each iteration.
///
/// # Examples
/// ```
/// use xray_nmf::DenseMatrix;
/// use xray_nmf::rivals::{Fill, LocalParams, Start, local_nmf};
/// let x = DenseMatrix::from_row_major(3, 3, vec![1.0, 2.0, 0.1, 0.5, 1.0, 1.0, 0.0, 0.2, 2.0])?;
/// let start = Start::Nndsvd { fill: Fill::Zeros };
/// let found = local_nmf(&x, &LocalParams { start, iterations: 20, ..LocalParams::new(2) })?;
/// assert!(found.objective[20] <= found.objective[0]);
/// # Ok::<(), xray_nmf::Error>(())
/// ```
///
/// # Errors
/// If the rank is too large or differs from that of the start, the start does not fit X, or X has
/// negative entries and the method is multiplicative.
pub fn local_nmf(matrix: &dyn Matrix, params: &LocalParams<'_>) -> Result<Factors> {
    let LocalParams { rank, method, ref start, iterations, ref stop } = *params;
    check_rank(rank)?;
    if let (LocalMethod::Multiplicative, Some(e)) = (method, matrix.first_negative()) {
        return Err(Error::Negative { row: e.row, column: e.column, value: e.value });
    }
    let start = start.factors(matrix, rank)?;
    check_length("W of the start", matrix.n_rows() * rank, start.w.len())?;
    check_length("H of the start", matrix.n_columns() * rank, start.h.len())?;
    if method == LocalMethod::Hals || rank == 0 {
        let hals = Refine::of(matrix).method(Refinement::Hals).steps(iterations, 0.0);
        return hals.stop(stop).run(start);
    }
    let wrong = start.w.iter().chain(&start.h).find(|v| !(**v >= 0.0 && v.is_finite()));
    let allowed = "every entry must be finite and not negative";
    require(wrong.is_none(), "W or H of the start", wrong.unwrap_or(&0.0), allowed)?;
    alternate::run(matrix, start, params)
}
