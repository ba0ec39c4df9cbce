//! Entries to the owners of their columns or rows, in rounds of bounded size.

use xray_nmf::comm::Communicator;
use xray_nmf::{Ownership, Result, SparseMatrix};

/// Entries that a rank sends in one round: 16 MiB.
const ROUND: usize = 1 << 20;

/// One entry on its way.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Entry {
    /// Row of X.
    pub row: u32,
    /// Column of X.
    pub column: u32,
    /// Value.
    pub value: f64,
}

/// Bytes of an entry in a message.
const BYTES: usize = 16;

impl Entry {
    fn to_bytes(self) -> [u8; BYTES] {
        let mut bytes = [0; BYTES];
        bytes[..4].copy_from_slice(&self.row.to_le_bytes());
        bytes[4..8].copy_from_slice(&self.column.to_le_bytes());
        bytes[8..].copy_from_slice(&self.value.to_le_bytes());
        bytes
    }

    fn from_bytes(bytes: &[u8; BYTES]) -> Self {
        let [row, column, low, high] = [0, 4, 8, 12]
            .map(|q| u32::from_le_bytes([bytes[q], bytes[q + 1], bytes[q + 2], bytes[q + 3]]));
        Self { row, column, value: f64::from_bits(u64::from(high) << 32 | u64::from(low)) }
    }
}

/// Sends each entry to `owner(entry)` and returns those that arrive here, in no order. All ranks call
/// this; each may have any number of entries.
///
/// # Errors
/// If the ranks cannot exchange data.
pub fn exchange(
    comm: &dyn Communicator,
    entries: impl IntoIterator<Item = Entry>,
    owner: impl Fn(&Entry) -> usize,
) -> Result<Vec<Entry>> {
    let mut entries = entries.into_iter();
    let mut arrived: Vec<Entry> = Vec::new();
    loop {
        let mut messages: Vec<Vec<u8>> = vec![Vec::new(); comm.size()];
        let mut n_sent = 0;
        for entry in entries.by_ref().take(ROUND) {
            messages[owner(&entry)].extend_from_slice(&entry.to_bytes());
            n_sent += 1;
        }
        let more = comm.all_gather(&[u8::from(n_sent > 0)])?;
        if more.iter().all(|flag| flag[0] == 0) {
            return Ok(arrived);
        }
        for message in comm.all_to_all(messages)? {
            arrived.extend(message.as_chunks().0.iter().map(Entry::from_bytes));
        }
    }
}

/// The matrix of the own columns, renumbered from 0, from its entries in any order.
///
/// # Errors
/// If an entry is not finite, or two are of the same place.
///
/// # Panics
/// If an entry is of another rank's column.
pub fn assemble_columns(
    n_rows: usize,
    own: &Ownership,
    entries: Vec<Entry>,
) -> Result<SparseMatrix<'static, f64>> {
    assemble(n_rows, own.n_own(), |j| own.local(j).expect("an own column"), entries)
}

/// The matrix of the columns that `local` numbers.
pub(crate) fn assemble(
    n_rows: usize,
    n_columns: usize,
    local: impl Fn(usize) -> usize,
    entries: Vec<Entry>,
) -> Result<SparseMatrix<'static, f64>> {
    let mut offsets = vec![0usize; n_columns + 1];
    entries.iter().for_each(|e| offsets[local(e.column as usize) + 1] += 1);
    (0..n_columns).for_each(|j| offsets[j + 1] += offsets[j]);
    let mut next = offsets.clone();
    let mut lines: Vec<(u32, f64)> = vec![(0, 0.0); entries.len()];
    for e in entries {
        let place = &mut next[local(e.column as usize)];
        lines[*place] = (e.row, e.value);
        *place += 1;
    }
    for j in 0..n_columns {
        lines[offsets[j]..offsets[j + 1]].sort_unstable_by_key(|&(row, _)| row);
    }
    let rows: Vec<u32> = lines.iter().map(|&(row, _)| row).collect();
    let values: Vec<f64> = lines.iter().map(|&(_, value)| value).collect();
    drop(lines);
    SparseMatrix::from_csc(n_rows, n_columns, offsets, rows, values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use xray_nmf::comm::run_local_ranks;
    use xray_nmf::rank_columns;

    #[test]
    fn every_entry_arrives_once_and_columns_are_sorted() {
        let (m, n) = (50, 1000);
        let value = |d: usize, j: usize| (d * 31 + j * 17) as f64 % 7.0;
        let all = || (0..m).flat_map(|d| (0..n).map(move |j| (d, j)));
        let all = || all().filter(|&(d, j)| value(d, j) > 4.0);
        let whole =
            SparseMatrix::from_triplets(m, n, all().map(|(d, j)| (d, j, value(d, j)))).unwrap();
        for size in [1, 3, 4] {
            let parts = run_local_ranks(size, |comm| {
                // Rows in an order that is not the matrix's.
                let rows = all().filter(|(d, _)| (d * 7 + 3) % size == comm.rank());
                let rows = rows.map(|(d, j)| Entry {
                    row: d as u32,
                    column: j as u32,
                    value: value(d, j),
                });
                let own = rank_columns(n, comm.rank(), size);
                let arrived = exchange(comm, rows, |e| own.owner(e.column as usize)).unwrap();
                assemble_columns(m, &own, arrived).unwrap()
            });
            for (rank, part) in parts.iter().enumerate() {
                assert_eq!(part.csc(), whole.columns_of(&rank_columns(n, rank, size)).csc());
            }
        }
    }
}
