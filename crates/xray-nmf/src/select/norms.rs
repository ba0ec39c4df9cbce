//! The first bounds where X is shared out over ranks: `||C_j||^2 = sum_i C_ij^2` over all columns i.
//!
//! Columns i and j of one rank are left to its own streaming pass. Of two ranks s < k, rank k multiplies its
//! columns with the first half of those of s, and s multiplies the second half of its own with those of
//! k: every product is made once, and both have about the same work. Each rank's columns travel
//! once, in pieces, so no rank ever holds another's. Sums run in an order that depends on the
//! number of ranks; bounds may do so, as they include their rounding errors.

use crate::comm::Collectives;
use crate::cone::Cone;
use crate::error::Result;
use crate::matrix::{Line, Matrix};
use crate::packet::{Reader, Writer};

/// Entries that travel at once: 3 MB.
const ENTRIES_PER_MESSAGE: usize = 1 << 18;

/// Upper bounds on `||X'X_j||` for the own columns j, or `None` where none is cheaper than the products.
pub(super) fn shared_norm_bounds(cone: &Cone<'_>) -> Result<Option<Vec<f64>>> {
    let Some((middle, half)) = cone.gram.matrix.second_half() else { return Ok(None) };
    let own = cone.gram.matrix.gram_norm_bounds(cone.ranks().stop)?.unwrap_or_default();
    let mut squares = Squares {
        own: own.iter().map(|bound| bound * bound).collect(),
        others: vec![0.0; cone.ranks().columns.n()],
        starts: starts(cone),
    };
    for root in 0..cone.ranks().comm.size() {
        let mut next = 0;
        loop {
            let mut message = Vec::new();
            if root == cone.ranks().comm.rank() {
                (message, next) = piece(cone, middle, next);
            }
            cone.ranks().comm.share(root, &mut message)?;
            if message.is_empty() {
                break;
            }
            let piece = Piece::read(&message);
            match cone.ranks().comm.rank() {
                rank if rank > root && !piece.of_second_half => {
                    squares.add(cone.gram.matrix, 0, root, &piece);
                }
                rank if rank < root => squares.add(&*half, middle, root, &piece),
                _ => {}
            }
        }
    }
    let totals = squares.exchanged(cone)?;
    // All terms are nonnegative squares: the relative error of their sum is below (n + m) eps.
    let slack = cone.ranks().columns.n() + cone.gram.matrix.n_rows();
    let slack = 1.0 + 8.0 * slack as f64 * f64::EPSILON;
    Ok(Some(totals.into_iter().map(|total| total.sqrt() * slack).collect()))
}

/// Where each rank's columns start if they are listed rank after rank, and where the last end.
fn starts(cone: &Cone<'_>) -> Vec<usize> {
    let mut starts = vec![0];
    for rank in 0..cone.ranks().comm.size() {
        starts.push(starts[rank] + cone.ranks().columns.of_rank(rank).n_own());
    }
    starts
}

/// Some columns of one half of a rank's own.
struct Piece {
    /// The first, by its index on that rank.
    first: usize,
    of_second_half: bool,
    columns: Vec<Line>,
}

/// The next piece from own column `start` on, which does not cross the middle, and the column after
/// it; nothing after the last.
fn piece(cone: &Cone<'_>, middle: usize, start: usize) -> (Vec<u8>, usize) {
    let n_own = cone.ranks().columns.n_own();
    if start == n_own {
        return (Vec::new(), start);
    }
    let end = if start < middle { middle } else { n_own };
    let (mut offsets, mut rows, mut values) = (vec![0u64], Vec::<u32>::new(), Vec::<f64>::new());
    let mut next = start;
    while next < end && (next == start || values.len() < ENTRIES_PER_MESSAGE) {
        cone.gram.matrix.column(next).for_each(|d, v| {
            rows.push(d as u32);
            values.push(v);
        });
        offsets.push(values.len() as u64);
        next += 1;
    }
    let mut writer = Writer::default();
    writer.put(&[start as u64, u64::from(start >= middle)]);
    writer.put(&offsets);
    writer.put(&rows);
    writer.put(&values);
    (writer.0, next)
}

impl Piece {
    fn read(message: &[u8]) -> Self {
        let mut reader = Reader(message);
        let head: Vec<u64> = reader.take();
        let offsets: Vec<u64> = reader.take();
        let rows: Vec<u32> = reader.take();
        let values: Vec<f64> = reader.take();
        let column = |range: &[u64]| {
            let range = range[0] as usize..range[1] as usize;
            Line { indices: Some(rows[range.clone()].to_vec()), values: values[range].to_vec() }
        };
        Self {
            first: head[0] as usize,
            of_second_half: head[1] == 1,
            columns: offsets.windows(2).map(column).collect(),
        }
    }
}

/// `sum C_ij^2` so far.
struct Squares {
    /// For each own column.
    own: Vec<f64>,
    /// For each column of all ranks, rank after rank, what its owner has to be told.
    others: Vec<f64>,
    /// Where each rank's columns start among these, and where the last end.
    starts: Vec<usize>,
}

impl Squares {
    /// Adds the squares of the products of a piece from rank `root` with a matrix of own columns from
    /// `start` on.
    fn add(&mut self, matrix: &dyn Matrix, start: usize, root: usize, piece: &Piece) {
        let sums = matrix.add_product_squares(&piece.columns, &mut self.own[start..]);
        let others = &mut self.others[self.starts[root] + piece.first..];
        others.iter_mut().zip(sums).for_each(|(other, sum)| *other += sum);
    }

    /// The own columns' sums, with what the other ranks found for them.
    fn exchanged(mut self, cone: &Cone<'_>) -> Result<Vec<f64>> {
        let of_rank = |ends: &[usize]| self.others[ends[0]..ends[1]].to_vec();
        let messages = self.starts.windows(2).map(of_rank).collect();
        for sums in cone.ranks().comm.exchange(messages)? {
            self.own.iter_mut().zip(sums).for_each(|(own, sum)| *own += sum);
        }
        Ok(self.own)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comm::run_local_ranks;
    use crate::gram::Gram;
    use crate::matrix::{Products, SparseMatrix};
    use crate::ranks::Ranks;

    /// Above the norms, and by no more than rounding: each product is made once.
    #[test]
    fn shared_bounds_are_the_norms() {
        let (m, n) = (30, 1_300);
        let entries = (0..7_000usize).map(|e| (e * 7 % m, e * 11 % n, 1.0 + (e % 13) as f64));
        let x = SparseMatrix::from_triplets(m, n, entries).expect("in range");
        let norm = |j: usize| {
            let mut sum = 0f64;
            x.gram(&[&x.column(j)])[0].for_each(|_, c| sum += c * c);
            sum.sqrt()
        };
        for size in [2, 3, 5] {
            run_local_ranks(size, |comm| {
                let ranks = Ranks::new(comm, n);
                let own = x.columns_of(&ranks.columns);
                let cone = Cone::new(Gram::new(&own, ranks, 0), false, None).expect("ranks talk");
                let bounds = shared_norm_bounds(&cone).expect("ranks talk").expect("sparse");
                assert_eq!(bounds.len(), own.n_columns());
                for (i, bound) in bounds.into_iter().enumerate() {
                    let norm = norm(ranks.columns.global(i));
                    assert!(
                        bound >= norm && bound <= norm * (1.0 + 1e-9),
                        "{size}: {bound} {norm}"
                    );
                }
            });
        }
    }
}
