//! Columns of `C = X'X` on demand: fetched from their owners, multiplied, kept within a budget.
//!
//! C itself (n x n) is never formed. Three things are kept of it: the columns of the anchors
//! ([`AnchorRows`], r x n), a bounded number of recently used columns ([`GramCache`]), and the
//! diagonal (the squared norms). Entries of columns travel in pieces of at most 64 MB, so that no rank
//! has to hold all candidates of a round at once.

mod anchors;
mod cache;
mod column;

pub(crate) use anchors::{AnchorRows, Coefficients, NormalMatrix, PANEL};
pub(crate) use column::GramColumn;

use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytemuck::{Pod, Zeroable};

use crate::comm::Collectives;
use crate::error::Result;
use crate::matrix::{Column, Matrix};
use crate::packet::{Reader, Writer};
use crate::ranks::Ranks;
use cache::GramCache;

/// Bytes of entries that are fetched at once, unless a single column has more.
const PIECE: u64 = 64 << 20;

/// What the cone knows of a column: it travels with it.
#[derive(Debug, Clone, Default)]
pub(crate) struct ColumnState {
    pub(crate) squared_norm: f64,
    /// `C_Aj`: one for each ray.
    pub(crate) inner_products: Vec<f64>,
    /// The rays that its projection uses, and their weights.
    pub(crate) rays: Vec<u32>,
    pub(crate) weights: Vec<f64>,
}

/// A column as its owner sends it to all ranks.
#[derive(Debug, Clone, Default)]
pub(crate) struct Fetched {
    pub(crate) index: usize,
    /// Empty where every rank has the products already.
    pub(crate) entries: Column,
    pub(crate) state: ColumnState,
}

/// What a rank says of a column before it is fetched.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Need {
    /// 1 if its part of `C_j` is not in the cache.
    missing: u64,
    /// Bytes of its entries, from its owner; 0 from the others.
    bytes: u64,
}

/// X, its ranks, and the products that were made of it.
#[derive(Debug)]
pub(crate) struct Gram<'a> {
    pub(crate) matrix: &'a dyn Matrix,
    pub(crate) ranks: Ranks<'a>,
    cache: Mutex<GramCache>,
}

impl<'a> Gram<'a> {
    /// With so many bytes for cached columns.
    pub(crate) fn new(matrix: &'a dyn Matrix, ranks: Ranks<'a>, memory: usize) -> Self {
        Self { matrix, ranks, cache: Mutex::new(GramCache::new(memory)) }
    }

    fn cache(&self) -> MutexGuard<'_, GramCache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One column, from its owner to all ranks; `state` tells of an own column.
    pub(crate) fn fetch(&self, j: usize, state: impl Fn(usize) -> ColumnState) -> Result<Fetched> {
        let Ranks { comm, columns } = self.ranks;
        let own = columns.local(j).map(|i| self.own(j, i, true, &state));
        if comm.is_alone() {
            return Ok(own.expect("the only rank owns all columns"));
        }
        let mut writer = Writer::default();
        if let Some(fetched) = own {
            fetched.write(&mut writer);
        }
        comm.share(columns.owner(j), &mut writer.0)?;
        Ok(Fetched::read(&mut Reader(&writer.0)))
    }

    /// Own part of `C_j` for a fetched column that will hardly be asked for again, except to be admitted.
    pub(crate) fn once(&self, fetched: &Fetched) -> Arc<GramColumn> {
        let mut cache = self.cache();
        cache.get(fetched.index).unwrap_or_else(|| {
            let column = Arc::new(self.matrix.gram(&[&fetched.entries]).remove(0));
            cache.keep_latest(fetched.index, &column);
            column
        })
    }

    /// Column j has become a ray, and will not be asked for again.
    pub(crate) fn forget(&mut self, j: usize) {
        self.cache.get_mut().unwrap_or_else(PoisonError::into_inner).forget(j);
    }

    /// The states of the listed columns, from their owners, and own parts of their `C_j`, from the cache
    /// where they are there.
    pub(crate) fn products(
        &self,
        columns: &[usize],
        state: impl Fn(usize) -> ColumnState,
    ) -> Result<(Vec<ColumnState>, Vec<Arc<GramColumn>>)> {
        let mut cache = self.cache();
        let mut found: Vec<Option<Arc<GramColumn>>> =
            columns.iter().map(|&j| cache.get(j)).collect();
        let bytes = self.bytes_needed(columns, &found)?;
        let mut states = Vec::with_capacity(columns.len());
        for piece in pieces(&bytes) {
            let fetched =
                self.fetch_piece(&columns[piece.clone()], &bytes[piece.clone()], &state)?;
            let missing: Vec<usize> = piece.clone().filter(|&q| found[q].is_none()).collect();
            let entries: Vec<&Column> =
                missing.iter().map(|&q| &fetched[q - piece.start].entries).collect();
            for (q, column) in missing.into_iter().zip(self.matrix.gram(&entries)) {
                let column = Arc::new(column);
                cache.insert(columns[q], &column);
                found[q] = Some(column);
            }
            states.extend(fetched.into_iter().map(|fetched| fetched.state));
        }
        let found = found.into_iter().map(|column| column.expect("found or computed"));
        Ok((states, found.collect()))
    }

    /// Bytes of the entries of each listed column, the same on all ranks; `None` where every rank has
    /// found its part of `C_j`.
    fn bytes_needed(
        &self,
        columns: &[usize],
        found: &[Option<Arc<GramColumn>>],
    ) -> Result<Vec<Option<u64>>> {
        let own = columns.iter().zip(found).map(|(&j, found)| Need {
            missing: u64::from(found.is_none()),
            bytes: self.ranks.columns.local(j).map_or(0, |i| self.matrix.column_bytes(i) as u64),
        });
        let all = self.ranks.comm.gather(&own.collect::<Vec<Need>>())?;
        let n = columns.len();
        let of_column = |q: usize| all.iter().skip(q).step_by(n.max(1));
        let needed = |q: usize| {
            let missing = of_column(q).any(|need| need.missing > 0);
            missing.then(|| of_column(q).map(|need| need.bytes).sum())
        };
        Ok((0..n).map(needed).collect())
    }

    /// Listed columns from their owners to all ranks, with entries where some are needed.
    fn fetch_piece(
        &self,
        columns: &[usize],
        bytes: &[Option<u64>],
        state: &impl Fn(usize) -> ColumnState,
    ) -> Result<Vec<Fetched>> {
        let Ranks { comm, columns: ownership } = self.ranks;
        let own = columns.iter().zip(bytes).filter_map(|(&j, bytes)| {
            Some(self.own(j, ownership.local(j)?, bytes.is_some(), state))
        });
        if comm.is_alone() {
            return Ok(own.collect());
        }
        let mut writer = Writer::default();
        own.for_each(|fetched| fetched.write(&mut writer));
        let parts = comm.gather_parts(&writer.0)?;
        let mut readers: Vec<Reader<'_>> = parts.iter().map(|part| Reader(part)).collect();
        let from_owner = |&j: &usize| Fetched::read(&mut readers[ownership.owner(j)]);
        Ok(columns.iter().map(from_owner).collect())
    }

    /// Column j, which is own column i.
    fn own(
        &self,
        j: usize,
        i: usize,
        with_entries: bool,
        state: impl Fn(usize) -> ColumnState,
    ) -> Fetched {
        let entries = if with_entries { self.matrix.column(i) } else { Column::default() };
        Fetched { index: j, entries, state: state(i) }
    }
}

/// Consecutive columns whose entries have at most [`PIECE`] bytes together, or one that has more.
fn pieces(bytes: &[Option<u64>]) -> Vec<Range<usize>> {
    let (mut pieces, mut start, mut sum) = (Vec::new(), 0, 0);
    for (q, bytes) in bytes.iter().enumerate() {
        let bytes = bytes.unwrap_or(0);
        if q > start && sum + bytes > PIECE {
            pieces.push(start..q);
            (start, sum) = (q, 0);
        }
        sum += bytes;
    }
    pieces.push(start..bytes.len());
    pieces
}

impl Fetched {
    fn write(&self, writer: &mut Writer) {
        writer.put(&[self.index as u64, u64::from(self.entries.rows.is_some())]);
        writer.put(self.entries.rows.as_deref().unwrap_or_default());
        writer.put(&self.entries.values);
        writer.put(&[self.state.squared_norm]);
        writer.put(&self.state.inner_products);
        writer.put(&self.state.rays);
        writer.put(&self.state.weights);
    }

    fn read(reader: &mut Reader<'_>) -> Self {
        let head: Vec<u64> = reader.take();
        let rows: Vec<u32> = reader.take();
        let entries = Column { rows: (head[1] == 1).then_some(rows), values: reader.take() };
        let state = ColumnState {
            squared_norm: reader.take::<f64>()[0],
            inner_products: reader.take(),
            rays: reader.take(),
            weights: reader.take(),
        };
        Fetched { index: head[0] as usize, entries, state }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_bounded_unless_a_column_is_not() {
        let bytes = [Some(PIECE / 2), None, Some(PIECE / 2), Some(1), Some(2 * PIECE), Some(PIECE)];
        assert_eq!(pieces(&bytes), [0..3, 3..4, 4..5, 5..6]);
        assert_eq!(pieces(&[None; 3]).first(), Some(&(0..3)));
    }
}
