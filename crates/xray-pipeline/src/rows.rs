//! Refinement needs X by rows, too: block b of 4,096 rows belongs to rank `b % size`.

use xray_data::Share;
use xray_nmf::comm::Communicator;
use xray_nmf::{Factorization, Matrix, ROW_BLOCK, Refined, SparseMatrix};

use crate::agree::together;
use crate::error::Result;
use crate::read::{Entry, assemble, exchange};

/// The part of this rank.
pub(crate) fn own_share(comm: &dyn Communicator) -> Share {
    Share { part: comm.rank(), parts: comm.size() }
}

/// The own rows, with all columns, from everybody's columns.
///
/// # Errors
/// The same on all ranks, if they cannot exchange data.
pub fn own_rows(
    comm: &dyn Communicator,
    columns: &dyn Matrix,
    n_columns: usize,
) -> Result<SparseMatrix<'static, f64>> {
    let (n_rows, size) = (columns.n_rows(), comm.size());
    let layout = xray_nmf::rank_columns(n_columns, comm.rank(), size);
    let entries = (0..layout.n_own()).flat_map(|i| {
        let mut entries = Vec::new();
        let j = layout.global(i) as u32;
        // Rows and columns change places: what is assembled are columns.
        columns.column(i).for_each(|d, value| {
            if value != 0.0 {
                entries.push(Entry { row: j, column: d as u32, value });
            }
        });
        entries
    });
    let arrived = exchange(comm, entries, |e| e.column as usize / ROW_BLOCK % size)?;
    let local = |d: usize| d / ROW_BLOCK / size * ROW_BLOCK + d % ROW_BLOCK;
    let n_own = (0..n_rows).filter(|&d| own_share(comm).keeps_document(d)).count();
    let turned = assemble(n_columns, n_own, local, arrived);
    Ok(together(comm, turned)?.transposed())
}

/// What refinement starts from: W of the own rows, H of all columns.
///
/// # Errors
/// If the ranks cannot exchange data.
pub fn start(comm: &dyn Communicator, n_own_rows: usize, fit: &Factorization) -> Result<Refined> {
    let (rank, share) = (fit.rank(), own_share(comm));
    let mut w = vec![0.0; n_own_rows * rank];
    for (q, column) in fit.anchor_columns().iter().enumerate() {
        column.for_each(|d, v| {
            if share.keeps_document(d) {
                let k = d / ROW_BLOCK / comm.size() * ROW_BLOCK + d % ROW_BLOCK;
                w[k * rank + q] = v.max(0.0);
            }
        });
    }
    let n_own = fit.weights().n_columns();
    let own: Vec<u8> =
        (0..n_own).flat_map(|i| fit.weights().dense_column(i)).flat_map(f64::to_le_bytes).collect();
    let all: Vec<f64> = comm.all_gather(&own)?.iter().flat_map(|part| numbers(part)).collect();
    let h = fit.own_columns().in_order(&all, rank);
    Ok(Refined { rank, w, h, objective: Vec::new() })
}

/// All rows of W on rank 0, in order, from everybody's own; nothing on the other ranks.
///
/// # Errors
/// If the ranks cannot exchange data.
pub fn gather_rows(
    comm: &dyn Communicator,
    own: &[f64],
    n_rows: usize,
    rank: usize,
) -> Result<Option<Vec<f64>>> {
    let mut messages = vec![Vec::new(); comm.size()];
    messages[0] = own.iter().flat_map(|v| v.to_le_bytes()).collect();
    let received = comm.all_to_all(messages)?;
    if comm.rank() > 0 {
        return Ok(None);
    }
    let mut all = vec![0.0; n_rows * rank];
    for (part, message) in received.iter().enumerate() {
        let share = Share { part, parts: comm.size() };
        for (k, line) in numbers(message).chunks_exact(rank.max(1)).enumerate() {
            let d = share.document(k);
            all[d * rank..(d + 1) * rank].copy_from_slice(line);
        }
    }
    Ok(Some(all))
}

pub(crate) fn numbers(bytes: &[u8]) -> Vec<f64> {
    bytes.as_chunks().0.iter().map(|number| f64::from_le_bytes(*number)).collect()
}
