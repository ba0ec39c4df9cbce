//! The n x n matrix C, in strips of 32 columns, each row by row.
//!
//! A step reads and writes one cell of a strip for each nonzero of its row of X: a few cache lines, with
//! the 32 errors in registers. A task takes its strips through a whole epoch one after the other; a
//! strip of some thousand rows stays in the cache meanwhile.

use rayon::prelude::*;

use super::projection::threshold;
use super::real::Real;
use crate::error::Result;
use crate::matrix::Line;
use crate::matrix::kernels::multiversion;
use crate::stop::StopRequest;

/// Columns in a strip.
const WIDTH: usize = 32;

/// Rows projected by one task: what they take of a strip is in one piece.
const ROWS: usize = 64;

/// One row of a strip, on cache lines of its own.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(super) struct Cell<T>([T; WIDTH]);

/// What all steps of an epoch have in common.
pub(super) struct Step<T> {
    /// The step size s.
    size: T,
    /// What each step takes from `C_ii`: `s (b + p_i) / k_i`.
    drops: Vec<T>,
}

impl<T: Real> Step<T> {
    pub(super) fn new(size: f64, drops: impl Iterator<Item = f64>) -> Self {
        Self { size: T::from_f64(size), drops: drops.map(T::from_f64).collect() }
    }
}

/// The rows of X in the order that an epoch takes them, one after the other in memory.
pub(super) struct Rows<T> {
    offsets: Vec<usize>,
    entries: Vec<(u32, T)>,
}

impl<T: Real> Rows<T> {
    pub(super) fn new(rows: &[Line], order: &[usize]) -> Self {
        let (mut offsets, mut entries) = (vec![0], Vec::new());
        for &d in order {
            rows[d].for_each(|i, x| entries.push((i as u32, T::from_f64(x))));
            offsets.push(entries.len());
        }
        Self { offsets, entries }
    }

    #[inline(always)]
    fn iter(&self) -> impl Iterator<Item = &[(u32, T)]> {
        self.offsets.windows(2).map(|pair| &self.entries[pair[0]..pair[1]])
    }
}

/// C.
pub(super) struct Coefficients<T> {
    n: usize,
    /// Strips that a task takes at least.
    together: usize,
    /// Strip q holds the columns from `32 q` on; what is beyond the last column stays 0.
    strips: Vec<Vec<Cell<T>>>,
}

impl<T: Real> Coefficients<T> {
    /// Zeros, for `splits` tasks, or one for each strip if that is 0.
    pub(super) fn zero(n: usize, splits: usize) -> Self {
        let count = n.div_ceil(WIDTH);
        let together = if splits == 0 { 1 } else { count.div_ceil(splits).max(1) };
        let strips = (0..count).map(|_| vec![Cell([T::default(); WIDTH]); n]).collect();
        Self { n, together, strips }
    }

    /// `C_ii`.
    pub(super) fn diagonal(&self, i: usize) -> f64 {
        self.strips[i / WIDTH][i].0[i % WIDTH].to_f64()
    }

    /// One step for each row of X; returns `sum |e|`, each before its step, columns first.
    pub(super) fn epoch(
        &mut self,
        rows: &Rows<T>,
        step: &Step<T>,
        stop: &StopRequest,
    ) -> Result<f64> {
        let errors: Vec<[f64; WIDTH]> = self
            .strips
            .par_iter_mut()
            .enumerate()
            .with_min_len(self.together)
            .with_max_len(self.together)
            .map(|(q, strip)| {
                stop.check()?;
                let mut errors = [0.0; WIDTH];
                strip_epoch(strip, q * WIDTH, rows, step, &mut errors);
                Ok(errors)
            })
            .collect::<Result<_>>()?;
        Ok(errors.iter().flatten().fold(0.0, |sum, error| sum + error))
    }

    /// Projects every row onto `0 <= C_ij <= C_ii <= 1`.
    ///
    /// First the new diagonals, which need whole rows; then every strip is cut off at them by itself.
    pub(super) fn project(&mut self) {
        let starts: Vec<usize> = (0..self.n).step_by(ROWS).collect();
        let parts = starts.par_iter().map(|&start| self.thresholds(start)).collect::<Vec<_>>();
        let limits: Vec<T> = parts.concat().into_iter().map(T::from_f64).collect();
        self.strips.par_iter_mut().enumerate().for_each(|(q, strip)| {
            for (i, (cell, &limit)) in strip.iter_mut().zip(&limits).enumerate() {
                cell.0.iter_mut().for_each(|c| *c = c.clamped(limit));
                if i / WIDTH == q {
                    cell.0[i % WIDTH] = limit;
                }
            }
        });
    }

    /// The projected diagonals of the rows from `start` on.
    fn thresholds(&self, start: usize) -> Vec<f64> {
        let rows = start..(start + ROWS).min(self.n);
        let owns: Vec<f64> = rows.clone().map(|i| self.diagonal(i)).collect();
        let floors: Vec<T> = owns.iter().map(|own| T::from_f64(own.max(0.0))).collect();
        let mut above: Vec<Vec<f64>> = vec![Vec::new(); owns.len()];
        for strip in &self.strips {
            for ((cell, floor), above) in strip[rows.clone()].iter().zip(&floors).zip(&mut above) {
                let larger = cell.0.iter().filter(|c| *c > floor);
                above.extend(larger.map(|c| c.to_f64()));
            }
        }
        owns.into_iter().zip(above).map(|(own, above)| threshold(own, above)).collect()
    }
}

multiversion! {
    /// All steps of an epoch for the columns from `first` on; adds `|e_j|` to `errors`.
    fn strip_epoch<T: Real>(
        strip: &mut [Cell<T>],
        first: usize,
        rows: &Rows<T>,
        step: &Step<T>,
        errors: &mut [f64; WIDTH],
    ) = strip_epoch_body
}

#[inline(always)]
fn strip_epoch_body<T: Real>(
    strip: &mut [Cell<T>],
    first: usize,
    rows: &Rows<T>,
    step: &Step<T>,
    errors: &mut [f64; WIDTH],
) {
    for row in rows.iter() {
        let mut error = [T::default(); WIDTH];
        for &(i, x) in row {
            let cell = &strip[i as usize].0;
            for l in 0..WIDTH {
                error[l] = error[l] - x * cell[l];
            }
        }
        for &(j, x) in row {
            let l = (j as usize).wrapping_sub(first);
            if l < WIDTH {
                error[l] = error[l] + x;
            }
        }
        let mut moves = [T::default(); WIDTH];
        for l in 0..WIDTH {
            errors[l] += error[l].to_f64().abs();
            moves[l] = error[l].signed(step.size);
        }
        for &(i, x) in row {
            let cell = &mut strip[i as usize].0;
            for l in 0..WIDTH {
                cell[l] = cell[l] + x * moves[l];
            }
            let l = (i as usize).wrapping_sub(first);
            if l < WIDTH {
                cell[l] = cell[l] - step.drops[i as usize];
            }
        }
    }
}
