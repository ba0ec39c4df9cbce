//! The n x n matrix C, in blocks of whole columns, each row by row.

use rayon::prelude::*;

use super::projection::project_row;
use crate::matrix::kernels::multiversion;
use crate::matrix::{Column, Scalar};

/// Columns in a block unless the caller says how many blocks: their part of a row is a few
/// registers wide, and a block of some thousand rows stays in the second-level cache.
const USUAL_WIDTH: usize = 32;

/// Rows projected together: bounds what they take outside C.
const BATCH: usize = 256;

/// What all steps of an epoch have in common.
pub(super) struct Step {
    /// The step size s.
    pub(super) size: f64,
    /// What each step takes from `C_ii`: `s (b + p_i) / k_i`.
    pub(super) drops: Vec<f64>,
}

/// C.
pub(super) struct Coefficients<T> {
    n: usize,
    width: usize,
    /// Block q holds the columns from `q width` on: row i is at `i w..(i + 1) w`, w its own width.
    blocks: Vec<Vec<T>>,
}

impl<T: Scalar> Coefficients<T> {
    /// Zeros, in `splits` blocks, or as many as have 32 columns if that is 0.
    pub(super) fn zero(n: usize, splits: usize) -> Self {
        let width = if splits == 0 { USUAL_WIDTH } else { n.div_ceil(splits) }.max(1);
        let starts = (0..n).step_by(width);
        let blocks = starts.map(|j| vec![T::default(); n * width.min(n - j)]).collect();
        Self { n, width, blocks }
    }

    fn own_width(&self, block: usize) -> usize {
        self.width.min(self.n - block * self.width)
    }

    /// `C_ii`.
    pub(super) fn diagonal(&self, i: usize) -> f64 {
        let q = i / self.width;
        self.blocks[q][i * self.own_width(q) + i % self.width].to_f64()
    }

    /// One step for each row of X in the given order; returns `sum |e|`, each before its step.
    ///
    /// The sum runs over columns first, so that it does not depend on the width of blocks.
    pub(super) fn epoch(&mut self, rows: &[Column], order: &[usize], step: &Step) -> f64 {
        let (n, width) = (self.n, self.width);
        let errors: Vec<Vec<f64>> = self
            .blocks
            .par_iter_mut()
            .enumerate()
            .with_max_len(1)
            .map(|(q, block)| {
                let first = q * width;
                let mut errors = vec![0.0; width.min(n - first)];
                block_epoch(block, first, rows, order, step, &mut errors);
                errors
            })
            .collect();
        errors.iter().flatten().fold(0.0, |sum, error| sum + error)
    }

    /// Projects every row onto `0 <= C_ij <= C_ii <= 1`.
    pub(super) fn project(&mut self) {
        for start in (0..self.n).step_by(BATCH) {
            let batch = start..(start + BATCH).min(self.n);
            let projected: Vec<Vec<f64>> = batch
                .clone()
                .into_par_iter()
                .map(|i| {
                    let mut row = self.row(i);
                    project_row(&mut row, i);
                    row
                })
                .collect();
            let (n, width) = (self.n, self.width);
            self.blocks.par_iter_mut().enumerate().for_each(|(q, block)| {
                let own = width.min(n - q * width);
                for (i, row) in batch.clone().zip(&projected) {
                    let from = &row[q * width..q * width + own];
                    let to = &mut block[i * own..(i + 1) * own];
                    to.iter_mut().zip(from).for_each(|(c, v)| *c = T::from_f64(*v));
                }
            });
        }
    }

    /// Row i.
    fn row(&self, i: usize) -> Vec<f64> {
        let part = |(q, block): (usize, &Vec<T>)| {
            let own = self.own_width(q);
            block[i * own..(i + 1) * own].iter().map(|v| v.to_f64()).collect::<Vec<_>>()
        };
        self.blocks.iter().enumerate().flat_map(part).collect()
    }
}

multiversion! {
    /// All steps of an epoch for the columns from `first` on; adds `|e_j|` to `errors`.
    fn block_epoch<T: Scalar>(
        block: &mut [T],
        first: usize,
        rows: &[Column],
        order: &[usize],
        step: &Step,
        errors: &mut [f64],
    ) = block_epoch_body
}

#[inline(always)]
fn block_epoch_body<T: Scalar>(
    block: &mut [T],
    first: usize,
    rows: &[Column],
    order: &[usize],
    step: &Step,
    errors: &mut [f64],
) {
    let width = errors.len();
    let mut error = vec![0.0; width];
    for &d in order {
        let x = &rows[d];
        error.fill(0.0);
        x.for_each(|i, x_i| {
            let own = &block[i * width..(i + 1) * width];
            error.iter_mut().zip(own).for_each(|(e, c)| *e -= x_i * c.to_f64());
        });
        x.for_each(|j, x_j| {
            if (first..first + width).contains(&j) {
                error[j - first] += x_j;
            }
        });
        errors.iter_mut().zip(&error).for_each(|(sum, e)| *sum += e.abs());
        error.iter_mut().for_each(|e| *e = sign(*e) * step.size);
        x.for_each(|i, x_i| {
            let own = &mut block[i * width..(i + 1) * width];
            for (c, s) in own.iter_mut().zip(&error) {
                *c = T::from_f64(c.to_f64() + x_i * s);
            }
            if (first..first + width).contains(&i) {
                let c = &mut own[i - first];
                *c = T::from_f64(c.to_f64() - step.drops[i]);
            }
        });
    }
}

/// -1, 0 or 1.
#[inline(always)]
fn sign(value: f64) -> f64 {
    f64::from(u8::from(value > 0.0)) - f64::from(u8::from(value < 0.0))
}
