//! Singular value decompositions of a whole matrix, to the last digits.

use crate::comm::OneRank;
use crate::error::Result;
use crate::matrix::Matrix;
use crate::mean;
use crate::ranks::Ranks;
use crate::stop::StopRequest;
use crate::svd::{Decomposed, Effort, Triplet};

/// The `rank` leading triplets, fewer if the rank of X is smaller; in the current pool.
pub(super) fn truncated_svd(
    matrix: &dyn Matrix,
    rank: usize,
    stop: &StopRequest,
) -> Result<Vec<Triplet>> {
    leading(matrix, None, rank, stop)
}

/// The same of the columns less `centre`.
pub(super) fn centred_svd(
    matrix: &dyn Matrix,
    centre: &[f64],
    rank: usize,
    stop: &StopRequest,
) -> Result<Vec<Triplet>> {
    leading(matrix, Some(centre), rank, stop)
}

fn leading(
    matrix: &dyn Matrix,
    centre: Option<&[f64]>,
    rank: usize,
    stop: &StopRequest,
) -> Result<Vec<Triplet>> {
    let ranks = Ranks::new(&OneRank, matrix.n_columns()).stopped_by(Some(stop));
    Decomposed { matrix, ranks, centre }.leading(rank, Effort::ALL)
}

/// The mean column of X; zero if there is none.
pub(super) fn mean_column(matrix: &dyn Matrix) -> Result<Vec<f64>> {
    let mean = mean::mean_column(matrix, &Ranks::new(&OneRank, matrix.n_columns()))?;
    Ok(mean.unwrap_or_else(|| vec![0.0; matrix.n_rows()]))
}
