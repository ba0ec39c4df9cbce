//! Which columns belong together, and to whom.
//!
//! Columns are cut into fixed blocks that depend on n alone. Threads and ranks take whole blocks,
//! and sums over columns are sums of block sums in block order: that is why the number of threads
//! and ranks never changes a bit of the result. Work is uneven over columns (frequent words come first in
//! many corpora), so parallel loops hand out blocks one by one (`with_max_len(1)`).

use std::ops::Range;

/// Smallest block: shorter ones would cost more to hand out than to work on.
const MIN_BLOCK: usize = 256;
/// About as many blocks as keep 64 threads busy; the partial sums of each take t^2 numbers.
const USUAL_BLOCKS: usize = 128;
/// Largest block: wide matrices get more blocks instead, so that a million columns can be shared by a
/// thousand ranks.
const MAX_BLOCK: usize = 1024;

/// The blocks of all n columns, and the range of them that one rank owns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Layout {
    n_columns: usize,
    block: usize,
    first_block: usize,
    end_block: usize,
}

impl Layout {
    /// The part of rank `rank` of `size`.
    pub(crate) fn new(n_columns: usize, rank: usize, size: usize) -> Self {
        let block = n_columns.div_ceil(USUAL_BLOCKS).clamp(MIN_BLOCK, MAX_BLOCK);
        let n_blocks = n_columns.div_ceil(block);
        let share = |rank: usize| (rank as u128 * n_blocks as u128 / size as u128) as usize;
        let (first_block, end_block) = (share(rank), share(rank + 1));
        Self { n_columns, block, first_block, end_block }
    }

    /// Number of columns on all ranks.
    pub(crate) fn n_columns(&self) -> usize {
        self.n_columns
    }

    /// The columns that this rank owns.
    pub(crate) fn own_columns(&self) -> Range<usize> {
        let end = self.end_block.saturating_mul(self.block).min(self.n_columns);
        self.first_block.saturating_mul(self.block).min(end)..end
    }

    /// Number of columns that this rank owns.
    pub(crate) fn n_own(&self) -> usize {
        self.own_columns().len()
    }

    /// Local index of column j, if this rank owns it.
    pub(crate) fn local(&self, j: usize) -> Option<usize> {
        let own = self.own_columns();
        own.contains(&j).then(|| j - own.start)
    }

    /// The column with the given local index.
    pub(crate) fn global(&self, local: usize) -> usize {
        self.first_block * self.block + local
    }

    /// The rank of `size` that owns column j.
    pub(crate) fn owner(&self, j: usize, size: usize) -> usize {
        let has_it = |rank: &usize| Layout::new(self.n_columns, *rank, size).local(j).is_some();
        (0..size).find(has_it).expect("every column has an owner")
    }

    /// Columns in a block.
    pub(crate) fn block_size(&self) -> usize {
        self.block
    }

    /// This rank's blocks as ranges of local column indices.
    pub(crate) fn own_blocks(&self) -> Vec<Range<usize>> {
        let n = self.n_own();
        (0..n).step_by(self.block).map(|start| start..(start + self.block).min(n)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_share_all_blocks_without_overlap() {
        for n in [0, 1, 511, 512, 513, 20_000, 1_000_000, 5_000_000] {
            for size in [1, 2, 3, 7, 64] {
                let mut next = 0;
                for rank in 0..size {
                    let layout = Layout::new(n, rank, size);
                    let own = layout.own_columns();
                    if own.is_empty() {
                        continue;
                    }
                    assert_eq!(own.start, next);
                    assert_eq!(layout.global(0), own.start);
                    assert_eq!(layout.owner(own.start, size), rank);
                    assert_eq!(layout.owner(own.end - 1, size), rank);
                    assert_eq!(
                        layout.own_blocks().iter().map(|b| b.len()).sum::<usize>(),
                        own.len()
                    );
                    next = own.end;
                }
                assert_eq!(next, n);
            }
        }
    }
}
