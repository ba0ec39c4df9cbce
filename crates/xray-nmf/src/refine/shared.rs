//! Refinement on many ranks, with the bits of one.
//!
//! Each rank has its columns of X, and also some of its rows: block b of [`ROW_BLOCK`] rows belongs to
//! rank `b % size`. H is on every rank (rank x n numbers), W never: each rank has the lines of its rows.
//! For fixed H every line of W is improved where its row is. For fixed W its blocks travel, one after
//! the other in row order, to all ranks, which add them up for their columns: so every sum runs in the
//! order in which one machine adds.

use rayon::prelude::*;

use super::alternate::{Pace, alternate};
use super::frobenius::{gram_of_chunk, half_step, improve_lines, lines_of_gram};
use super::{RefineObserver, Refined, Refinement, Trace};
use crate::comm::{Collectives, Communicator};
use crate::error::{Error, Result, check_length, check_rank};
use crate::matrix::kernels::add_scaled;
use crate::matrix::{Column, Matrix};
use crate::ownership::{Ownership, ROW_BLOCK};
use crate::solver::in_pool;

/// What one rank has of X.
#[derive(Debug)]
pub struct SharedMatrix<'a> {
    /// The own columns (see [`rank_columns`](crate::rank_columns)) with all rows.
    pub columns: &'a dyn Matrix,
    /// The own rows, block after block, with all columns.
    pub rows: &'a dyn Matrix,
    /// Number of columns on all ranks.
    pub n_columns: usize,
}

/// [`refine_observed`](super::refine_observed) on many ranks. `start.w` has the lines of the own rows,
/// `start.h` those of all columns; so has the result.
///
/// # Errors
/// As [`refine_from`](super::refine_from); also if Kullback-Leibler divergence is asked for, which
/// needs W and H in one place.
pub fn refine_distributed(
    comm: &dyn Communicator,
    matrix: SharedMatrix<'_>,
    start: Refined,
    method: Refinement,
    iterations: usize,
    threads: Option<usize>,
    observer: RefineObserver<'_>,
) -> Result<Refined> {
    let Refined { rank, mut w, mut h, .. } = start;
    check_rank(rank)?;
    check_length("W", matrix.rows.n_rows().saturating_mul(rank), w.len())?;
    check_length("H", matrix.n_columns.saturating_mul(rank), h.len())?;
    if method == Refinement::KullbackLeibler {
        let allowed = "use exact or hals on many ranks";
        return Err(Error::Parameter { name: "refinement", value: method.name().into(), allowed });
    }
    let own_rows = Ownership::rows(matrix.columns.n_rows(), comm);
    check_length("own rows", own_rows.n_own(), matrix.rows.n_rows())?;
    let rows = matrix.rows;
    let layout = Ownership::columns_of_rank(matrix.n_columns, comm.rank(), comm.size());
    let shared = Shared { comm, matrix, rank, layout };
    let mut trace = Trace { iterations, objective: Vec::new(), observer };
    in_pool(threads, || {
        if rank == 0 {
            let nothing = shared.objective_of_nothing()?;
            trace.follow(nothing, || nothing);
        } else {
            let improve_w = |h: &[f64], w: &mut [f64]| {
                half_step(&|d, into| rows.read_row(d, into), rank, h, w, Some(method));
                Ok(())
            };
            let improve_h = |w: &[f64], h: &mut [f64]| shared.column_step(w, h, Some(method));
            let start = shared.column_step(&w, &mut h, None)?;
            let pace = Pace::of(method);
            alternate(&mut w, &mut h, pace, start, &mut trace, improve_w, improve_h)?;
        }
        Ok(Refined { rank, w, h, objective: trace.objective })
    })?
}

struct Shared<'a> {
    comm: &'a dyn Communicator,
    matrix: SharedMatrix<'a>,
    rank: usize,
    layout: Ownership,
}

impl Shared<'_> {
    fn objective_of_nothing(&self) -> Result<f64> {
        let squares = self.comm.gather(&self.matrix.columns.squared_norms())?;
        let squares = self.layout.in_order(&squares, 1);
        Ok(squares.iter().fold(0.0, |sum, v| sum + v))
    }

    /// Improves all columns of H for fixed W, or leaves them if `method` is None; returns
    /// `||X - WH||_F^2` after it.
    fn column_step(&self, w: &[f64], h: &mut [f64], method: Option<Refinement>) -> Result<f64> {
        let rank = self.rank;
        let (gram, targets) = self.products(w)?;
        let s = lines_of_gram(&gram, rank);
        let squares = self.matrix.columns.squared_norms();
        let own = self.layout.ranges().into_iter();
        let own = own.map(|range| &h[range.start * rank..range.end * rank]);
        let mut lines = own.collect::<Vec<_>>().concat();
        let terms: Vec<Vec<f64>> = lines
            .par_chunks_mut(super::CHUNK * rank)
            .zip(targets.par_chunks(super::CHUNK * rank))
            .zip(squares.par_chunks(super::CHUNK))
            .map(|((lines, targets), squares)| improve_lines(&s, targets, squares, lines, method))
            .collect();
        if method.is_some() {
            h.copy_from_slice(&self.layout.in_order(&self.comm.gather(&lines)?, rank));
        }
        // In the chunks of one machine, which need not begin where a rank's columns do.
        let terms = self.layout.in_order(&self.comm.gather(&terms.concat())?, 1);
        let parts = terms.chunks(super::CHUNK).map(|part| part.iter().fold(0.0, |sum, t| sum + t));
        Ok(parts.fold(0.0, |sum, part| sum + part))
    }

    /// `W'W`, and `W'X_j` for the own columns j, one line after the other.
    fn products(&self, w: &[f64]) -> Result<(Vec<f64>, Vec<f64>)> {
        let (rank, columns) = (self.rank, self.matrix.columns);
        let (m, size) = (columns.n_rows(), self.comm.size());
        let mut gram = vec![0.0; rank * rank];
        let mut targets = vec![0.0; columns.n_columns() * rank];
        let own: Vec<&[f64]> = w.chunks(ROW_BLOCK * rank).collect();
        let own_grams: Vec<Vec<f64>> =
            own.par_iter().map(|lines| gram_of_chunk(lines, rank)).collect();
        for (b, start) in (0..m).step_by(ROW_BLOCK).enumerate() {
            let mut numbers = Vec::new();
            let (root, q) = (b % size, b / size);
            if root == self.comm.rank() {
                numbers = [&own_grams[q], own[q]].concat();
            }
            self.comm.share(root, &mut numbers)?;
            let (part, lines) = numbers.split_at(rank * rank);
            add_scaled(&mut gram, part, 1.0);
            let block = start..start + lines.len() / rank;
            let rows: Vec<Column> = block.into_par_iter().map(|d| columns.row(d)).collect();
            self.add_rows(&rows, lines, &mut targets);
        }
        Ok((gram, targets))
    }

    /// Adds `x_dj w_d` to the target of each own column j, for the rows d of one block.
    fn add_rows(&self, rows: &[Column], lines: &[f64], targets: &mut [f64]) {
        let (rank, width) = (self.rank, self.layout.block_size());
        targets.par_chunks_mut(width * rank).enumerate().with_max_len(1).for_each(
            |(q, targets)| {
                let range = q * width..q * width + targets.len() / rank;
                for (row, line) in rows.iter().zip(lines.chunks_exact(rank)) {
                    for_each_within(row, range.clone(), |j, x| {
                        let place = (j - range.start) * rank;
                        add_scaled(&mut targets[place..place + rank], line, x);
                    });
                }
            },
        );
    }
}

/// Calls `visit(index, value)` for the entries of a line within a range of indices.
fn for_each_within(
    line: &Column,
    range: std::ops::Range<usize>,
    mut visit: impl FnMut(usize, f64),
) {
    match &line.rows {
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
