//! Blocks of W on their way to all ranks, in row order.
//!
//! Each rank has its columns of X, and also some of its rows: block b of [`Ownership::ROW_BLOCK`] rows belongs to
//! rank `b % size`. H is on every rank (rank x n numbers), W never: each rank has the lines of its rows.
//! For fixed H every line of W is improved where its row is. For fixed W its blocks travel, one after
//! the other in row order, to all ranks, which add them up for their columns: so every sum runs in the
//! order in which one machine adds.

use rayon::prelude::*;

use super::LINES_PER_TASK;
use crate::comm::{Collectives, Communicator};
use crate::error::Result;
use crate::matrix::{Line, Matrix};
use crate::ownership::Ownership;
use crate::stop::Stop;

/// What one rank has of X, and who has the rest.
pub(super) struct Parts<'a> {
    pub(super) comm: &'a dyn Communicator,
    /// The own columns, with all rows.
    pub(super) columns: &'a dyn Matrix,
    /// The own rows, with all columns.
    pub(super) rows: &'a dyn Matrix,
    pub(super) rank: usize,
    pub(super) layout: Ownership,
    pub(super) stop: Stop<'a>,
}

impl Parts<'_> {
    /// Whether this rank has everything.
    pub(super) fn is_whole(&self) -> bool {
        self.comm.is_alone()
    }

    /// Calls `visit(first row, head, lines)` for all blocks of W, in row order, on all ranks. The heads are
    /// `head_length` numbers that travel with each own block; without W they travel alone.
    pub(super) fn travel(
        &self,
        w: &[f64],
        heads: &[Vec<f64>],
        head_length: usize,
        mut visit: impl FnMut(usize, &[f64], &[f64]),
    ) -> Result<()> {
        let size = self.comm.size();
        let own: Vec<&[f64]> = w.chunks(Ownership::ROW_BLOCK * self.rank).collect();
        for (b, start) in (0..self.columns.n_rows()).step_by(Ownership::ROW_BLOCK).enumerate() {
            let (root, q) = (b % size, b / size);
            let mut numbers = Vec::new();
            if root == self.comm.rank() {
                let head = heads.get(q).map_or(&[][..], |head| head);
                numbers = [head, own.get(q).copied().unwrap_or_default()].concat();
            }
            self.comm.share(root, &mut numbers)?;
            let (head, lines) = numbers.split_at(head_length);
            visit(start, head, lines);
        }
        Ok(())
    }

    /// Calls `add(j, line, x, sums of j)` for the entries x of the own columns j in the rows of a block, row
    /// after row for each column; `width` sums belong to a column.
    pub(super) fn add_block(
        &self,
        start: usize,
        lines: &[f64],
        sums: &mut [f64],
        width: usize,
        add: impl Fn(usize, &[f64], f64, &mut [f64]) + Sync,
    ) {
        let block = start..start + lines.len() / self.rank;
        let rows: Vec<Line> = block.into_par_iter().map(|d| self.columns.row(d)).collect();
        let size = self.layout.block_size();
        sums.par_chunks_mut(size * width).enumerate().with_max_len(1).for_each(|(q, sums)| {
            let columns = q * size..q * size + sums.len() / width;
            for (row, line) in rows.iter().zip(lines.chunks_exact(self.rank)) {
                for_each_within(row, columns.clone(), |j, x| {
                    let place = (j - columns.start) * width;
                    add(j, line, x, &mut sums[place..place + width]);
                });
            }
        });
    }

    /// The lines of H of the own columns.
    pub(super) fn own_lines(&self, h: &[f64]) -> Vec<f64> {
        let ranges = self.layout.ranges().into_iter();
        let own = ranges.map(|range| &h[range.start * self.rank..range.end * self.rank]);
        own.collect::<Vec<_>>().concat()
    }

    /// All ranks' numbers of their columns, in column order; `width` of each.
    pub(super) fn gathered(&self, own: &[f64], width: usize) -> Result<Vec<f64>> {
        Ok(self.layout.in_order(&self.comm.gather(own)?, width))
    }

    /// The sum of a number of each column, in the chunks of one machine, which need not begin where a rank's
    /// columns do.
    pub(super) fn sum_of_terms(&self, own: &[f64]) -> Result<f64> {
        let terms = self.gathered(own, 1)?;
        let parts = terms.chunks(LINES_PER_TASK);
        let parts = parts.map(|part| part.iter().fold(0.0, |sum, term| sum + term));
        Ok(parts.fold(0.0, |sum, part| sum + part))
    }

    /// The sum of all entries of X.
    pub(super) fn sum_of_entries(&self) -> Result<f64> {
        let own: Vec<f64> = (0..self.columns.n_columns())
            .into_par_iter()
            .map(|j| self.columns.column(j).values.iter().fold(0.0, |sum, v| sum + v))
            .collect();
        Ok(self.gathered(&own, 1)?.iter().fold(0.0, |sum, v| sum + v))
    }

    /// `||X||_F^2`.
    pub(super) fn sum_of_squares(&self) -> Result<f64> {
        let squares = self.gathered(&self.columns.squared_norms(), 1)?;
        Ok(squares.iter().fold(0.0, |sum, v| sum + v))
    }
}

/// Calls `visit(index, value)` for the entries of a line within a range of indices.
fn for_each_within(line: &Line, range: std::ops::Range<usize>, mut visit: impl FnMut(usize, f64)) {
    match &line.indices {
        Some(indices) => {
            let from = indices.partition_point(|&i| (i as usize) < range.start);
            let to = from + indices[from..].partition_point(|&i| (i as usize) < range.end);
            for (&i, &v) in indices[from..to].iter().zip(&line.values[from..to]) {
                visit(i as usize, v);
            }
        }
        None => range.clone().zip(&line.values[range]).for_each(|(i, &v)| visit(i, v)),
    }
}
