//! Who owns which lines of X: blocks of fixed size, dealt out to the ranks in turn.
//!
//! **Columns** are cut into fixed blocks that depend on n alone. Threads and ranks take whole blocks,
//! and sums over columns are sums of block sums in block order: that is why the number of threads
//! and ranks never changes a bit of the result. Work is uneven over columns (frequent words come first in
//! many corpora), so parallel loops hand out blocks one by one (`with_max_len(1)`), and ranks get blocks
//! in turn, to and fro: with three ranks 0 1 2 2 1 0 0 1 2 and so on.
//!
//! **Rows** (documents) come in blocks of 4,096, round and round: 0 1 2 0 1 2. A row's owner does not
//! depend on their number, so files can be dealt out while they are read.

use std::ops::Range;

use crate::comm::Communicator;

/// Smallest block of columns: shorter ones would cost more to hand out than to work on.
const MIN_BLOCK: usize = 256;
/// About as many blocks as keep 64 threads busy; the partial sums of each take t^2 numbers.
const USUAL_BLOCKS: usize = 128;
/// Largest block of columns: wide matrices get more blocks instead, so that a million columns can be
/// shared by a thousand ranks.
const MAX_BLOCK: usize = 1024;

/// The lines (columns or rows) of a matrix in blocks, and those that one rank owns.
///
/// # Examples
/// ```
/// use xray_nmf::Ownership;
/// let own = Ownership::columns_of_rank(1_000, 1, 2);
/// assert_eq!(own.ranges(), [256..768]);
/// assert_eq!((own.n_own(), own.local(300), own.global(44)), (512, Some(44), 300));
/// let own = Ownership::rows_of_rank(10_000, 1, 2);
/// assert_eq!(own.ranges(), [4_096..8_192]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ownership {
    n: usize,
    block: usize,
    deal: Deal,
    rank: usize,
    size: usize,
    n_own: usize,
}

/// In which order blocks are dealt to the ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Deal {
    /// 0 1 2 2 1 0 0 1 2: every rank has two places in a turn.
    ToAndFro,
    /// 0 1 2 0 1 2.
    Round,
}

impl Deal {
    /// The rank that gets block b.
    fn owner(self, b: usize, size: usize) -> usize {
        match self {
            Deal::ToAndFro => {
                let place = b % (2 * size);
                place.min(2 * size - 1 - place)
            }
            Deal::Round => b % size,
        }
    }

    /// How many blocks the owner of block b got before it.
    fn place(self, b: usize, size: usize) -> usize {
        match self {
            Deal::ToAndFro => b / (2 * size) * 2 + usize::from(b % (2 * size) >= size),
            Deal::Round => b / size,
        }
    }

    /// The k-th block that a rank gets.
    fn block(self, k: usize, rank: usize, size: usize) -> usize {
        match self {
            Deal::ToAndFro if k.is_multiple_of(2) => k * size + rank,
            Deal::ToAndFro => (k + 1) * size - 1 - rank,
            Deal::Round => k * size + rank,
        }
    }

    /// How many of `n_blocks` blocks a rank gets.
    fn n_own(self, n_blocks: usize, rank: usize, size: usize) -> usize {
        let (turns, rest) = (n_blocks / size, n_blocks % size);
        match self {
            Deal::ToAndFro if turns % 2 == 1 => turns + usize::from(size - 1 - rank < rest),
            _ => turns + usize::from(rank < rest),
        }
    }
}

impl Ownership {
    /// Rows in a block.
    pub const ROW_BLOCK: usize = 4096;

    /// The columns that this rank owns, of n.
    pub fn columns(n: usize, comm: &dyn Communicator) -> Self {
        Self::columns_of_rank(n, comm.rank(), comm.size())
    }

    /// The rows that this rank owns, of n.
    pub fn rows(n: usize, comm: &dyn Communicator) -> Self {
        Self::rows_of_rank(n, comm.rank(), comm.size())
    }

    /// The columns that rank `rank` of `size` owns, of n; none if there is no such rank.
    pub fn columns_of_rank(n: usize, rank: usize, size: usize) -> Self {
        let block = n.div_ceil(USUAL_BLOCKS).clamp(MIN_BLOCK, MAX_BLOCK);
        Self::new(n, block, Deal::ToAndFro, rank, size)
    }

    /// The rows that rank `rank` of `size` owns, of n; none if there is no such rank.
    pub fn rows_of_rank(n: usize, rank: usize, size: usize) -> Self {
        Self::new(n, Self::ROW_BLOCK, Deal::Round, rank, size)
    }

    fn new(n: usize, block: usize, deal: Deal, rank: usize, size: usize) -> Self {
        let n_blocks = n.div_ceil(block);
        // Ranks beyond the number of blocks own nothing.
        let size = size.min(n_blocks);
        let mut own = Self { n, block, deal, rank, size: size.max(1), n_own: 0 };
        if rank >= size {
            return own;
        }
        let (n_own_blocks, last) = (deal.n_own(n_blocks, rank, size), n_blocks - 1);
        own.n_own = if own.block_owner(last) == rank {
            (n_own_blocks - 1) * block + own.block_lines(last).len()
        } else {
            n_own_blocks * block
        };
        own
    }

    /// The same lines, seen from another rank.
    #[must_use]
    pub fn of_rank(&self, rank: usize) -> Self {
        Self::new(self.n, self.block, self.deal, rank, self.size)
    }

    /// Number of lines on all ranks.
    pub fn n(&self) -> usize {
        self.n
    }

    /// Number of lines that this rank owns.
    pub fn n_own(&self) -> usize {
        self.n_own
    }

    /// The lines that this rank owns, as ascending ranges with gaps between them.
    pub fn ranges(&self) -> Vec<Range<usize>> {
        let mut ranges: Vec<Range<usize>> = Vec::new();
        for k in 0..self.n_own.div_ceil(self.block) {
            let block = self.block_lines(self.block_number(k));
            match ranges.last_mut() {
                Some(last) if last.end == block.start => last.end = block.end,
                _ => ranges.push(block),
            }
        }
        ranges
    }

    /// Local index of a line, if this rank owns it. Local indices ascend with the lines.
    pub fn local(&self, line: usize) -> Option<usize> {
        if self.n_own == 0 || line >= self.n || self.owner(line) != self.rank {
            return None;
        }
        let place = self.deal.place(line / self.block, self.size);
        Some(place * self.block + line % self.block)
    }

    /// The line with the given local index.
    pub fn global(&self, local: usize) -> usize {
        self.block_number(local / self.block) * self.block + local % self.block
    }

    /// The rank that owns a line.
    pub fn owner(&self, line: usize) -> usize {
        self.block_owner(line / self.block)
    }

    /// Number of blocks of all ranks.
    pub fn n_blocks(&self) -> usize {
        self.n.div_ceil(self.block)
    }

    /// Lines in a block; the last one may have fewer.
    pub fn block_size(&self) -> usize {
        self.block
    }

    /// Lines of block b of all.
    pub fn block_lines(&self, b: usize) -> Range<usize> {
        let start = (b * self.block).min(self.n);
        start..start.saturating_add(self.block).min(self.n)
    }

    /// The rank that owns block b.
    pub fn block_owner(&self, b: usize) -> usize {
        self.deal.owner(b, self.size)
    }

    /// This rank's blocks as ranges of local indices.
    pub fn own_blocks(&self) -> Vec<Range<usize>> {
        let n = self.n_own;
        (0..n).step_by(self.block).map(|start| start..(start + self.block).min(n)).collect()
    }

    /// What all ranks have gathered of their lines, rank after rank, in the order of the lines; `length`
    /// items for each line.
    pub fn in_order<T: Clone>(&self, gathered: &[T], length: usize) -> Vec<T> {
        self.blocks_in_order(gathered, |b| self.block_lines(b).len() * length).concat()
    }

    /// What all ranks have gathered of their blocks, rank after rank, in block order; `length` items
    /// for each block.
    pub(crate) fn in_block_order<'t, T>(&self, gathered: &'t [T], length: usize) -> Vec<&'t [T]> {
        self.blocks_in_order(gathered, |_| length)
    }

    /// The items of each block, in block order; `length` is the number of items of a block.
    fn blocks_in_order<'t, T>(
        &self,
        gathered: &'t [T],
        length: impl Fn(usize) -> usize,
    ) -> Vec<&'t [T]> {
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

    /// The number among all of this rank's block `k`.
    fn block_number(&self, k: usize) -> usize {
        self.deal.block(k, self.rank, self.size)
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
                for (rank, rows) in (0..size).flat_map(|rank| [(rank, false), (rank, true)]) {
                    let own = match rows {
                        true => Ownership::rows_of_rank(n, rank, size),
                        false => Ownership::columns_of_rank(n, rank, size),
                    };
                    let lines: Vec<usize> = own.ranges().into_iter().flatten().collect();
                    assert_eq!(lines.len(), own.n_own());
                    assert_eq!(
                        own.own_blocks().iter().map(|b| b.len()).sum::<usize>(),
                        lines.len()
                    );
                    for (i, &j) in lines.iter().enumerate() {
                        owned[j] += 1;
                        assert_eq!((own.global(i), own.local(j)), (j, Some(i)));
                        assert_eq!(own.owner(j), rank);
                    }
                }
                assert!(owned.iter().all(|&times| times == 2), "{n} {size}");
            }
        }
    }

    #[test]
    fn blocks_are_put_back_in_order() {
        let (n, size) = (20 * MIN_BLOCK + 3, 3);
        let of_rank = |rank: usize| -> Vec<usize> {
            let own = Ownership::columns_of_rank(n, rank, size);
            let blocks = (0..own.own_blocks().len()).map(|k| own.block_number(k));
            blocks.flat_map(|b| [b, 100 + b]).collect()
        };
        let gathered: Vec<usize> = (0..size).flat_map(of_rank).collect();
        let ordered = Ownership::columns_of_rank(n, 1, size).in_block_order(&gathered, 2).concat();
        assert_eq!(ordered, (0..21).flat_map(|b| [b, 100 + b]).collect::<Vec<_>>());
    }

    #[test]
    fn the_frequent_and_the_rare_are_dealt_fairly() {
        // Entries fall off with the place of a column, as words do in a sorted vocabulary.
        let (n, size) = (40_000, 4);
        let weight = |j: usize| 1.0 / (j as f64 + 300.0);
        let total: f64 = (0..n).map(weight).sum();
        for rank in 0..size {
            let own = Ownership::columns_of_rank(n, rank, size);
            let own: f64 = own.ranges().into_iter().flatten().map(weight).sum();
            assert!((0.2..0.32).contains(&(own / total)), "rank {rank}: {}", own / total);
        }
    }

    #[test]
    fn rows_are_dealt_out_without_knowing_their_number() {
        let (known, unknown) =
            (Ownership::rows_of_rank(30_000, 2, 3), Ownership::rows_of_rank(usize::MAX, 2, 3));
        for d in (0..30_000).step_by(100) {
            assert_eq!(known.local(d), unknown.local(d));
            assert_eq!(known.local(d).is_some(), d / Ownership::ROW_BLOCK % 3 == 2);
        }
        assert_eq!(unknown.global(Ownership::ROW_BLOCK), 5 * Ownership::ROW_BLOCK);
    }
}
