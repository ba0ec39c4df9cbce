//! What one rank has read and another owns, on its way in rounds of bounded size.
//!
//! Entries go to the owners of their lines (columns, or rows of X). How many entries each line has travels
//! first, so every owner knows where an entry belongs when it arrives: a rank needs no more memory than its
//! matrix and one round.

use xray_nmf::comm::Communicator;
use xray_nmf::{Ownership, Result, SparseMatrix};

/// Entries that a rank sends in one round: 16 MiB.
const ENTRIES_PER_ROUND: usize = 1 << 20;

/// Bytes of records that a rank sends in one round, or a little more.
const BYTES_PER_ROUND: usize = 1 << 24;

/// One entry on its way.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Entry {
    /// The line that it is to be a part of.
    pub line: u32,
    /// Its place in that line.
    pub place: u32,
    /// Value.
    pub value: f64,
}

/// Bytes of an entry in a message.
const ENTRY_BYTES: usize = 16;

impl Entry {
    fn to_bytes(self) -> [u8; ENTRY_BYTES] {
        let mut bytes = [0; ENTRY_BYTES];
        bytes[..4].copy_from_slice(&self.line.to_le_bytes());
        bytes[4..8].copy_from_slice(&self.place.to_le_bytes());
        bytes[8..].copy_from_slice(&self.value.to_le_bytes());
        bytes
    }

    fn from_bytes(bytes: &[u8; ENTRY_BYTES]) -> Self {
        let [line, place, low, high] = [0, 4, 8, 12]
            .map(|q| u32::from_le_bytes([bytes[q], bytes[q + 1], bytes[q + 2], bytes[q + 3]]));
        Self { line, place, value: f64::from_bits(u64::from(high) << 32 | u64::from(low)) }
    }
}

/// The own lines as the columns of a matrix with `length` rows, from the entries of all ranks in any order.
/// `entries` is asked for the own ones twice; all ranks call this, and each may have any number.
///
/// # Errors
/// If the ranks cannot exchange data, an entry is not finite, or two are of the same place.
pub(crate) fn exchange<I: Iterator<Item = Entry>>(
    comm: &dyn Communicator,
    own: &Ownership,
    length: usize,
    entries: impl Fn() -> I,
) -> Result<SparseMatrix<'static, f64>> {
    let offsets = told_offsets(comm, own, entries())?;
    let n_entries = offsets.last().copied().unwrap_or(0);
    let (mut places, mut values) = (vec![0_u32; n_entries], vec![0.0; n_entries]);
    let mut next = offsets[..own.n_own()].to_vec();
    let mut entries = entries();
    loop {
        let mut messages: Vec<Vec<u8>> = vec![Vec::new(); comm.size()];
        for entry in entries.by_ref().take(ENTRIES_PER_ROUND) {
            messages[own.owner(entry.line as usize)].extend_from_slice(&entry.to_bytes());
        }
        let Some(received) = round(comm, messages)? else { break };
        for entry in
            received.iter().flat_map(|message| message.as_chunks().0).map(Entry::from_bytes)
        {
            let at = &mut next[own.local(entry.line as usize).expect("an own line")];
            (places[*at], values[*at]) = (entry.place, entry.value);
            *at += 1;
        }
    }
    sort_lines(&offsets, &mut places, &mut values);
    SparseMatrix::from_csc(length, own.n_own(), offsets, places, values)
}

/// Where each own line begins, from how many entries of it all ranks have.
fn told_offsets(
    comm: &dyn Communicator,
    own: &Ownership,
    entries: impl Iterator<Item = Entry>,
) -> Result<Vec<usize>> {
    let mut counts = vec![0_u32; own.n()];
    entries.for_each(|entry| counts[entry.line as usize] += 1);
    let mut messages: Vec<Vec<u8>> = vec![Vec::new(); comm.size()];
    for (line, count) in counts.iter().enumerate() {
        messages[own.owner(line)].extend_from_slice(&count.to_le_bytes());
    }
    drop(counts);
    let mut offsets = vec![0; own.n_own() + 1];
    for message in comm.all_to_all(messages)? {
        let counts = message.as_chunks().0.iter().map(|count| u32::from_le_bytes(*count));
        offsets[1..].iter_mut().zip(counts).for_each(|(sum, count)| *sum += count as usize);
    }
    (0..own.n_own()).for_each(|line| offsets[line + 1] += offsets[line]);
    Ok(offsets)
}

/// Places ascend within each line.
fn sort_lines(offsets: &[usize], places: &mut [u32], values: &mut [f64]) {
    let mut line: Vec<(u32, f64)> = Vec::new();
    for range in offsets.windows(2).map(|w| w[0]..w[1]) {
        if places[range.clone()].is_sorted() {
            continue;
        }
        line.clear();
        line.extend(
            places[range.clone()].iter().copied().zip(values[range.clone()].iter().copied()),
        );
        line.sort_unstable_by_key(|&(place, _)| place);
        for (k, &(place, value)) in range.zip(&line) {
            (places[k], values[k]) = (place, value);
        }
    }
}

/// What arrives in one round, or nothing once no rank has anything to send.
fn round(comm: &dyn Communicator, messages: Vec<Vec<u8>>) -> Result<Option<Vec<Vec<u8>>>> {
    let sends = messages.iter().any(|message| !message.is_empty());
    let all = comm.all_gather(&[u8::from(sends)])?;
    if all.iter().all(|flag| flag[0] == 0) {
        return Ok(None);
    }
    comm.all_to_all(messages).map(Some)
}

/// Sends records to ranks and hands out those that arrive here; `write` appends the next record to one of
/// the messages and says how many bytes it added, or `None` after the last. All ranks call this.
pub(crate) fn exchange_records(
    comm: &dyn Communicator,
    mut write: impl FnMut(&mut [Vec<u8>]) -> Option<usize>,
    mut read: impl FnMut(&[u8]),
) -> Result<()> {
    loop {
        let mut messages: Vec<Vec<u8>> = vec![Vec::new(); comm.size()];
        let mut n_bytes = 0;
        while n_bytes < BYTES_PER_ROUND {
            let Some(added) = write(&mut messages) else { break };
            n_bytes += added;
        }
        let Some(received) = round(comm, messages)? else { return Ok(()) };
        received.iter().for_each(|message| read(message));
    }
}

#[cfg(test)]
mod tests {
    use xray_nmf::comm::run_local_ranks;

    use super::*;

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
                let own = Ownership::columns(n, comm);
                let rows = || {
                    let rows = all().filter(|(d, _)| (d * 7 + 3) % size == comm.rank());
                    rows.map(|(d, j)| Entry { line: j as u32, place: d as u32, value: value(d, j) })
                };
                exchange(comm, &own, m, rows).unwrap()
            });
            for (rank, part) in parts.iter().enumerate() {
                assert_eq!(
                    part.csc(),
                    whole.columns_of(&Ownership::columns_of_rank(n, rank, size)).csc()
                );
            }
        }
    }

    #[test]
    fn records_of_any_length_arrive() {
        let received = run_local_ranks(3, |comm| {
            let mut left = (0..7_u8).filter(|k| usize::from(*k) % 3 == comm.rank());
            let mut arrived = Vec::new();
            let write = |messages: &mut [Vec<u8>]| {
                let k = left.next()?;
                messages[usize::from(k) % 2].push(k);
                Some(1)
            };
            exchange_records(comm, write, |message| arrived.extend_from_slice(message)).unwrap();
            arrived.sort_unstable();
            arrived
        });
        assert_eq!(received, [vec![0, 2, 4, 6], vec![1, 3, 5], vec![]]);
    }
}
