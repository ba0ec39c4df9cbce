//! The mean ray: the mean of all columns as the first ray of the cone, which is no column of X.
//!
//! It is summed in column order, so that the number of ranks changes no bit: the sums travel from one owner
//! of blocks to the next.

use std::ops::Range;

use crate::comm::{Collectives, Communicator};
use crate::cone::Cone;
use crate::error::Result;
use crate::matrix::Matrix;
use crate::ranks::Ranks;

/// Puts the mean column into the empty cone, unless it is zero or all columns lie on it; whether it did.
pub(crate) fn start_with_mean(cone: &mut Cone<'_>, tolerance: f64) -> Result<bool> {
    let Some(mean) = mean_column(cone.gram.matrix, cone.ranks())? else { return Ok(false) };
    let mut trial = cone.emptied()?;
    trial.admit_virtual(mean.clone());
    trial.project(false)?;
    if !trial.ranks().any_column(|i| trial.is_exterior(i, tolerance))? {
        return Ok(false);
    }
    cone.admit_virtual(mean);
    Ok(true)
}

/// The mean of all columns, if it is not zero.
pub(crate) fn mean_column(matrix: &dyn Matrix, ranks: &Ranks<'_>) -> Result<Option<Vec<f64>>> {
    let mut sums = vec![0.0; matrix.n_rows()];
    in_column_order(ranks, &mut sums, |range, sums| matrix.add_columns_to(range, sums))?;
    let n = ranks.columns.n() as f64;
    let mean: Vec<f64> = sums.into_iter().map(|sum| sum / n).collect();
    Ok(mean.iter().any(|v| *v != 0.0).then_some(mean))
}

/// Adds up something over all columns in their order: `add(range, sums)` for one run of own columns after the other. The same
/// sums on all ranks.
pub(crate) fn in_column_order(
    ranks: &Ranks<'_>,
    sums: &mut Vec<f64>,
    add: impl Fn(Range<usize>, &mut [f64]),
) -> Result<()> {
    let Ranks { comm, columns, .. } = *ranks;
    let n_blocks = columns.n_blocks();
    let mut b = 0;
    while b < n_blocks {
        let owner = columns.block_owner(b);
        let next = (b + 1..n_blocks).find(|&next| columns.block_owner(next) != owner);
        let end = columns.block_lines(next.unwrap_or(n_blocks) - 1).end;
        let start = columns.block_lines(b).start;
        if let Some(local) = columns.local(start) {
            add(local..local + (end - start), sums);
        }
        match next {
            Some(next) => pass_on(comm, owner, columns.block_owner(next), sums)?,
            None => comm.share(owner, sums)?,
        }
        b = next.unwrap_or(n_blocks);
    }
    Ok(())
}

/// Replaces the numbers on rank `to` by those on rank `from`.
fn pass_on(comm: &dyn Communicator, from: usize, to: usize, numbers: &mut Vec<f64>) -> Result<()> {
    let mut messages = vec![Vec::new(); comm.size()];
    if comm.rank() == from {
        messages[to].clone_from(numbers);
    }
    let mut received = comm.exchange(messages)?;
    if comm.rank() == to {
        *numbers = received.swap_remove(from);
    }
    Ok(())
}
