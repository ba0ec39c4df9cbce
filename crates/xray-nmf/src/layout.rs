//! Which columns belong together, and to whom.
//!
//! Columns are cut into fixed blocks that depend on n alone. Threads and ranks take whole blocks,
//! and sums over columns are sums of block sums in block order: that is why the number of threads
//! and ranks never changes a bit of the result. Work is uneven over columns (frequent words come first in
//! many corpora), so parallel loops hand out blocks one by one (`with_max_len(1)`), and ranks get blocks
//! in turn, to and fro: with three ranks 0 1 2 2 1 0 0 1 2 and so on.

use std::ops::Range;

/// Smallest block: shorter ones would cost more to hand out than to work on.
const MIN_BLOCK: usize = 256;
/// About as many blocks as keep 64 threads busy; the partial sums of each take t^2 numbers.
const USUAL_BLOCKS: usize = 128;
/// Largest block: wide matrices get more blocks instead, so that a million columns can be shared by a
/// thousand ranks.
const MAX_BLOCK: usize = 1024;

/// The blocks of all n columns, and those that one rank owns.
///
/// # Examples
/// ```
/// let own = xray_nmf::rank_columns(1_000, 1, 2);
/// assert_eq!(own.ranges(), [256..768]);
/// assert_eq!((own.n_own(), own.local(300), own.global(44)), (512, Some(44), 300));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    n_columns: usize,
    block: usize,
    rank: usize,
    size: usize,
    n_own: usize,
}

impl Layout {
    /// The part of rank `rank` of `size`; nothing if there is no such rank.
    pub(crate) fn new(n_columns: usize, rank: usize, size: usize) -> Self {
        let block = n_columns.div_ceil(USUAL_BLOCKS).clamp(MIN_BLOCK, MAX_BLOCK);
        let n_blocks = n_columns.div_ceil(block);
        // Ranks beyond the number of blocks own nothing.
        let size = size.min(n_blocks);
        let mut layout = Self { n_columns, block, rank, size, n_own: 0 };
        if rank >= size {
            return layout;
        }
        let (turns, rest) = (n_blocks / (2 * size), n_blocks % (2 * size));
        let n_own_blocks =
            2 * turns + usize::from(rank < rest) + usize::from(2 * size - 1 - rank < rest);
        let last = n_blocks - 1;
        layout.n_own = match layout.block_owner(last) == rank {
            true => (n_own_blocks - 1) * block + layout.block_columns(last).len(),
            false => n_own_blocks * block,
        };
        layout
    }

    /// Number of columns on all ranks.
    pub fn n_columns(&self) -> usize {
        self.n_columns
    }

    /// Number of columns that this rank owns.
    pub fn n_own(&self) -> usize {
        self.n_own
    }

    /// The columns that this rank owns, as ascending ranges with gaps between them.
    pub fn ranges(&self) -> Vec<Range<usize>> {
        let mut ranges: Vec<Range<usize>> = Vec::new();
        if self.n_own == 0 {
            return ranges;
        }
        for block in self.own_block_numbers().map(|b| self.block_columns(b)) {
            match ranges.last_mut() {
                Some(last) if last.end == block.start => last.end = block.end,
                _ => ranges.push(block),
            }
        }
        ranges
    }

    /// Local index of column j, if this rank owns it. Local indices ascend with the columns.
    pub fn local(&self, j: usize) -> Option<usize> {
        if self.n_own == 0 || j >= self.n_columns || self.owner(j) != self.rank {
            return None;
        }
        let (turn, place) = self.turn(j / self.block);
        let number = 2 * turn + usize::from(place >= self.size);
        Some(number * self.block + j % self.block)
    }

    /// The column with the given local index.
    pub fn global(&self, local: usize) -> usize {
        self.block_number(local / self.block) * self.block + local % self.block
    }

    /// The rank that owns column j.
    pub fn owner(&self, j: usize) -> usize {
        self.block_owner(j / self.block)
    }

    /// Number of blocks of all ranks.
    pub(crate) fn n_blocks(&self) -> usize {
        self.n_columns.div_ceil(self.block)
    }

    /// Columns in a block.
    pub(crate) fn block_size(&self) -> usize {
        self.block
    }

    /// Columns of block b of all.
    pub(crate) fn block_columns(&self, b: usize) -> Range<usize> {
        let start = (b * self.block).min(self.n_columns);
        start..start.saturating_add(self.block).min(self.n_columns)
    }

    /// The rank that owns block b.
    pub(crate) fn block_owner(&self, b: usize) -> usize {
        let place = self.turn(b).1;
        place.min(2 * self.size - 1 - place)
    }

    /// This rank's blocks as ranges of local column indices.
    pub(crate) fn own_blocks(&self) -> Vec<Range<usize>> {
        let n = self.n_own;
        (0..n).step_by(self.block).map(|start| start..(start + self.block).min(n)).collect()
    }

    /// What all ranks have gathered of their columns, rank after rank, in column order; `length` items
    /// for each column.
    pub fn in_column_order<T: Clone>(&self, gathered: &[T], length: usize) -> Vec<T> {
        self.in_order(gathered, |b| self.block_columns(b).len() * length).concat()
    }

    /// What all ranks have gathered of their blocks, rank after rank, in block order; `length` items
    /// for each block.
    pub(crate) fn in_block_order<'t, T>(&self, gathered: &'t [T], length: usize) -> Vec<&'t [T]> {
        self.in_order(gathered, |_| length)
    }

    /// The items of each block, in block order; `length` is the number of items of a block.
    fn in_order<'t, T>(&self, gathered: &'t [T], length: impl Fn(usize) -> usize) -> Vec<&'t [T]> {
        let n_blocks = self.n_blocks();
        let mut next = vec![0; self.size + 1];
        (0..n_blocks).for_each(|b| next[self.block_owner(b) + 1] += length(b));
        (0..self.size).for_each(|rank| next[rank + 1] += next[rank]);
        let take = |b: usize| {
            let start = &mut next[self.block_owner(b)];
            *start += length(b);
            &gathered[*start - length(b)..*start]
        };
        (0..n_blocks).map(take).collect()
    }

    /// Which turn block b is dealt in, and its place in it: every rank has two places.
    fn turn(&self, b: usize) -> (usize, usize) {
        (b / (2 * self.size), b % (2 * self.size))
    }

    /// The number among all of this rank's block `k`.
    fn block_number(&self, k: usize) -> usize {
        let place = if k.is_multiple_of(2) { self.rank } else { 2 * self.size - 1 - self.rank };
        k / 2 * 2 * self.size + place
    }

    fn own_block_numbers(&self) -> impl Iterator<Item = usize> {
        let n_blocks = self.n_blocks();
        (0..).map(|k| self.block_number(k)).take_while(move |&b| b < n_blocks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_share_all_blocks_without_overlap() {
        for n in [0, 1, 511, 512, 513, 20_000, 300_001] {
            for size in [1, 2, 3, 7, 64] {
                let mut owned = vec![0; n];
                for rank in 0..size {
                    let layout = Layout::new(n, rank, size);
                    let own: Vec<usize> = layout.ranges().into_iter().flatten().collect();
                    assert_eq!(own.len(), layout.n_own());
                    assert_eq!(
                        layout.own_blocks().iter().map(|b| b.len()).sum::<usize>(),
                        own.len()
                    );
                    for (i, &j) in own.iter().enumerate() {
                        owned[j] += 1;
                        assert_eq!((layout.global(i), layout.local(j)), (j, Some(i)));
                        assert_eq!(layout.owner(j), rank);
                    }
                }
                assert!(owned.iter().all(|&times| times == 1), "{n} {size}");
            }
        }
    }

    #[test]
    fn blocks_are_put_back_in_order() {
        let (n, size) = (20 * MIN_BLOCK + 3, 3);
        let of_rank = |rank: usize| -> Vec<usize> {
            let layout = Layout::new(n, rank, size);
            layout.own_block_numbers().flat_map(|b| [b, 100 + b]).collect()
        };
        let gathered: Vec<usize> = (0..size).flat_map(of_rank).collect();
        let ordered = Layout::new(n, 1, size).in_block_order(&gathered, 2).concat();
        assert_eq!(ordered, (0..21).flat_map(|b| [b, 100 + b]).collect::<Vec<_>>());
    }

    #[test]
    fn the_frequent_and_the_rare_are_dealt_fairly() {
        // Entries fall off with the place of a column, as words do in a sorted vocabulary.
        let (n, size) = (40_000, 4);
        let weight = |j: usize| 1.0 / (j as f64 + 300.0);
        let total: f64 = (0..n).map(weight).sum();
        for rank in 0..size {
            let layout = Layout::new(n, rank, size);
            let own: f64 = layout.ranges().into_iter().flatten().map(weight).sum();
            assert!((0.2..0.32).contains(&(own / total)), "rank {rank}: {}", own / total);
        }
    }
}
