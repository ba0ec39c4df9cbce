//! Columns of `C = X'X` on demand: fetched from their owners, multiplied, kept within a budget.
//!
//! C itself (n x n) is never formed. Three things are kept of it: the columns of the anchors
//! ([`AnchorRows`], r x n), a bounded number of recently used columns ([`GramCache`]), and the
//! diagonal (the squared norms). Entries of columns travel in pieces of at most 64 MB, so that no rank
//! has to hold all candidates of a round at once.

mod anchors;
mod cache;
mod column;

pub(crate) use anchors::{ANCHOR_PANEL, AnchorRows, NormalMatrix, PanelProducts};
pub(crate) use column::GramColumn;

use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytemuck::{Pod, Zeroable};

use crate::comm::Collectives;
use crate::error::{Error, Result};
use crate::matrix::{Line, Matrix};
use crate::packet::{Reader, Writer};
use crate::project::Room;
use crate::ranks::Ranks;
use cache::GramCache;

/// Bytes of entries that are fetched at once.
const BYTES_PER_MESSAGE: u64 = 64 << 20;

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
    pub(crate) entries: Line,
    pub(crate) state: ColumnState,
}

/// The part of the memory that is for factors of the projection.
const FACTORS: usize = 4;

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
    /// What is left for factors of the projection.
    pub(crate) factors: Room,
    /// Bytes of entries that are fetched at once, unless a single column has more.
    piece: u64,
}

impl<'a> Gram<'a> {
    /// With so many bytes for cached columns and factors.
    pub(crate) fn new(matrix: &'a dyn Matrix, ranks: Ranks<'a>, memory: usize) -> Self {
        let factors = memory / FACTORS;
        Self {
            matrix,
            ranks,
            cache: Mutex::new(GramCache::new(memory - factors)),
            factors: Room::new(factors),
            piece: BYTES_PER_MESSAGE,
        }
    }

    /// The same data and room for factors, without a cache.
    pub(crate) fn without_cache(&self) -> Self {
        Self { factors: self.factors.clone(), ..Self::new(self.matrix, self.ranks, 0) }
    }

    fn cache(&self) -> MutexGuard<'_, GramCache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One column, from its owner to all ranks; `state` tells of an own column.
    pub(crate) fn fetch(&self, j: usize, state: impl Fn(usize) -> ColumnState) -> Result<Fetched> {
        let Ranks { comm, columns, .. } = self.ranks;
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
    pub(crate) fn once(&self, fetched: &Fetched) -> Result<Arc<GramColumn>> {
        let mut cache = self.cache();
        if let Some(column) = cache.get(fetched.index) {
            return Ok(column);
        }
        let column = self.matrix.gram_until(self.ranks.stop, &[&fetched.entries])?.remove(0);
        let column = Arc::new(column);
        cache.keep_latest(fetched.index, &column);
        Ok(column)
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
        for piece in pieces(&bytes, self.piece) {
            let fetched =
                self.fetch_piece(&columns[piece.clone()], &bytes[piece.clone()], &state)?;
            let missing: Vec<usize> = piece.clone().filter(|&q| found[q].is_none()).collect();
            let entries: Vec<&Line> =
                missing.iter().map(|&q| &fetched[q - piece.start].entries).collect();
            let computed = self.matrix.gram_until(self.ranks.stop, &entries)?;
            for (q, column) in missing.into_iter().zip(computed) {
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
    /// found its part of `C_j`. An error on all ranks if any is to stop.
    fn bytes_needed(
        &self,
        columns: &[usize],
        found: &[Option<Arc<GramColumn>>],
    ) -> Result<Vec<Option<u64>>> {
        let own = columns.iter().zip(found).map(|(&j, found)| Need {
            missing: u64::from(found.is_none()),
            bytes: self.ranks.columns.local(j).map_or(0, |i| self.matrix.column_bytes(i) as u64),
        });
        let stops = Need { missing: u64::from(self.ranks.stop.is_made()), bytes: 0 };
        let all = self.ranks.comm.gather(&own.chain([stops]).collect::<Vec<Need>>())?;
        let n = columns.len();
        let of_column = |q: usize| all.iter().skip(q).step_by(n + 1);
        if of_column(n).any(|stops| stops.missing > 0) {
            return Err(Error::Stopped);
        }
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
        let Ranks { comm, columns: ownership, .. } = self.ranks;
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
        let entries = if with_entries { self.matrix.column(i) } else { Line::default() };
        Fetched { index: j, entries, state: state(i) }
    }
}

/// Consecutive columns whose entries have at most `most` bytes together, or one that has more.
fn pieces(bytes: &[Option<u64>], most: u64) -> Vec<Range<usize>> {
    let (mut pieces, mut start, mut sum) = (Vec::new(), 0, 0);
    for (q, bytes) in bytes.iter().enumerate() {
        let bytes = bytes.unwrap_or(0);
        if q > start && sum + bytes > most {
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
        writer.put(&[self.index as u64, u64::from(self.entries.indices.is_some())]);
        writer.put(self.entries.indices.as_deref().unwrap_or_default());
        writer.put(&self.entries.values);
        writer.put(&[self.state.squared_norm]);
        writer.put(&self.state.inner_products);
        writer.put(&self.state.rays);
        writer.put(&self.state.weights);
    }

    fn read(reader: &mut Reader<'_>) -> Self {
        let head: Vec<u64> = reader.take();
        let indices: Vec<u32> = reader.take();
        let entries = Line { indices: (head[1] == 1).then_some(indices), values: reader.take() };
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
    use crate::comm::run_local_ranks;
    use crate::matrix::{Products, SparseMatrix};

    #[test]
    fn pieces_are_bounded_unless_a_column_is_not() {
        let bytes = [Some(50), None, Some(50), Some(1), Some(200), Some(100)];
        assert_eq!(pieces(&bytes, 100), [0..3, 3..4, 4..5, 5..6]);
        assert_eq!(pieces(&[None; 3], 100).first(), Some(&(0..3)));
    }

    #[test]
    fn products_do_not_depend_on_pieces_and_ranks() {
        let entries = (0..9_000usize).map(|e| (e * 7 % 40, e * 11 % 800, 1.0 + (e % 13) as f64));
        let x = SparseMatrix::from_triplets(40, 800, entries).expect("entries in range");
        let listed = [3, 799, 400, 3 + 256, 512, 17];
        let columns: Vec<Line> = listed.iter().map(|&j| x.column(j)).collect();
        let whole = x.gram(&columns.iter().collect::<Vec<_>>());
        for (size, piece) in
            [1, 2, 3, 4, 5].into_iter().flat_map(|s| [(s, 1), (s, 300), (s, BYTES_PER_MESSAGE)])
        {
            run_local_ranks(size, |comm| {
                let ranks = Ranks::new(comm, 800);
                let own = x.columns_of(&ranks.columns);
                let gram = Gram { piece, ..Gram::new(&own, ranks, 1 << 16) };
                let state = |i: usize| ColumnState {
                    squared_norm: ranks.columns.global(i) as f64,
                    ..ColumnState::default()
                };
                // The second time most of them are in the cache.
                for listed in [&listed[..4], &listed] {
                    let (states, products) = gram.products(listed, state).expect("ranks talk");
                    for (q, product) in products.iter().enumerate() {
                        assert_eq!(states[q].squared_norm, listed[q] as f64);
                        let mut expected = vec![0.0; 800];
                        whole[q].for_each(|j, c| expected[j] = c);
                        let mut found = vec![0.0; own.n_columns()];
                        product.for_each(|i, c| found[i] = c);
                        for (i, c) in found.into_iter().enumerate() {
                            assert_eq!(c, expected[ranks.columns.global(i)], "{size} {piece}");
                        }
                    }
                }
            });
        }
    }
}
