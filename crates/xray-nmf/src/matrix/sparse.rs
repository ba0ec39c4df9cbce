//! Sparse matrices, stored by rows and by columns at once.
//!
//! Products `X'x` walk the rows that x touches (Gustavson), so X is needed by rows; candidate
//! columns are read by columns. The form that the caller has is borrowed, the other one is built:
//! 8 (f32) or 12 (f64) bytes for each entry, twice.

use std::borrow::Cow;
use std::cell::RefCell;
use std::ops::Range;

use rayon::prelude::*;

use super::compressed::{Compressed, accumulate};
use super::kernels::take_squares;
use super::{Entry, Line, Matrix, Products, Scalar, check_dimensions, normalized_column};
use crate::error::{Error, Result};
use crate::gram::GramColumn;
use crate::ownership::Ownership;
use crate::params::Normalize;
use crate::stop::Stop;

/// A product below this many multiply-adds is not worth splitting over threads.
const MIN_PARALLEL_WORK: usize = 100_000;

/// Column groups of the streaming norm pass; fixed, so that sums do not depend on threads.
const NORM_GROUPS: usize = 16;

/// A sparse m x n matrix with entries of type `f32` or `f64`.
///
/// Invariants, checked once when it is made:
/// - offsets start at 0, never decrease, and end at the number of stored entries;
/// - indices strictly increase within each row (column) and are in range;
/// - values are finite and at most 1e70 in magnitude (negative ones are the solver's business).
///
/// # Examples
/// ```
/// use xray_nmf::{Matrix, SparseMatrix};
/// // [1 0 2]
/// // [0 3 0]
/// let x = SparseMatrix::from_csr(2, 3, vec![0, 2, 3], vec![0, 2, 1], vec![1.0, 2.0, 3.0])?;
/// assert_eq!(x.squared_norms(), [1.0, 9.0, 4.0]);
/// # Ok::<(), xray_nmf::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct SparseMatrix<'a, T: Scalar> {
    by_row: Compressed<'a, T>,
    by_column: Compressed<'a, T>,
    first_negative: Option<Entry>,
}

impl<'a, T: Scalar> SparseMatrix<'a, T> {
    /// From compressed rows (CSR), owned or borrowed.
    pub fn from_csr(
        n_rows: usize,
        n_columns: usize,
        offsets: impl Into<Cow<'a, [usize]>>,
        indices: impl Into<Cow<'a, [u32]>>,
        values: impl Into<Cow<'a, [T]>>,
    ) -> Result<Self> {
        let by_row = Compressed::checked("row", n_rows, n_columns, offsets, indices, values)?;
        let first_negative =
            by_row.first_negative().map(|(d, j, value)| Entry { row: d, column: j, value });
        by_row.afford_transposed(n_columns)?;
        let by_column = by_row.transposed(n_columns);
        Ok(Self { by_row, by_column, first_negative })
    }

    /// From compressed columns (CSC), owned or borrowed.
    pub fn from_csc(
        n_rows: usize,
        n_columns: usize,
        offsets: impl Into<Cow<'a, [usize]>>,
        indices: impl Into<Cow<'a, [u32]>>,
        values: impl Into<Cow<'a, [T]>>,
    ) -> Result<Self> {
        let by_column = Compressed::checked("column", n_columns, n_rows, offsets, indices, values)?;
        let first_negative =
            by_column.first_negative().map(|(j, d, value)| Entry { row: d, column: j, value });
        by_column.afford_transposed(n_rows)?;
        let by_row = by_column.transposed(n_rows);
        Ok(Self { by_row, by_column, first_negative })
    }

    /// From (row, column, value) entries in any order; entries of one place are added up.
    pub fn from_triplets(
        n_rows: usize,
        n_columns: usize,
        entries: impl IntoIterator<Item = (usize, usize, T)>,
    ) -> Result<SparseMatrix<'static, T>> {
        check_dimensions(n_rows, n_columns)?;
        let mut entries: Vec<(usize, usize, T)> = entries.into_iter().collect();
        for &(row, column, _) in &entries {
            for (axis, line, index, bound) in
                [("row", row, column, n_columns), ("column", column, row, n_rows)]
            {
                if index >= bound {
                    return Err(Error::IndexOutOfRange { axis, line, index: index as u64, bound });
                }
            }
        }
        entries.sort_by_key(|&(row, column, _)| (row, column));
        let mut offsets = vec![0; n_rows + 1];
        let mut indices: Vec<u32> = Vec::with_capacity(entries.len());
        let mut values: Vec<T> = Vec::with_capacity(entries.len());
        let mut last = None;
        for (row, column, value) in entries {
            if last == Some((row, column)) {
                let sum = values.last_mut().expect("an entry precedes its duplicate");
                *sum = T::from_f64(sum.to_f64() + value.to_f64());
            } else {
                indices.push(column as u32);
                values.push(value);
                offsets[row + 1] += 1;
            }
            last = Some((row, column));
        }
        accumulate(&mut offsets);
        SparseMatrix::from_csr(n_rows, n_columns, offsets, indices, values)
    }

    /// Number of stored entries.
    pub fn n_entries(&self) -> usize {
        self.by_row.values.len()
    }

    /// The row-compressed form: offsets, indices, values.
    pub fn csr(&self) -> (&[usize], &[u32], &[T]) {
        (&self.by_row.offsets, &self.by_row.indices, &self.by_row.values)
    }

    /// The column-compressed form: offsets, indices, values.
    pub fn csc(&self) -> (&[usize], &[u32], &[T]) {
        (&self.by_column.offsets, &self.by_column.indices, &self.by_column.values)
    }

    /// The columns that a rank owns, renumbered from 0, with all rows. Panics if out of range.
    pub fn columns_of(&self, own: &Ownership) -> SparseMatrix<'static, T> {
        let own: Vec<usize> = own.ranges().into_iter().flatten().collect();
        SparseMatrix::of_columns(self.by_column.lines_at(&own), self.n_rows())
    }

    /// From compressed columns that this crate has made, so that nothing needs to be checked.
    pub(crate) fn from_own_csc(
        n_rows: usize,
        offsets: Vec<usize>,
        indices: Vec<u32>,
        values: Vec<T>,
    ) -> SparseMatrix<'static, T> {
        let (offsets, indices, values) = (offsets.into(), indices.into(), values.into());
        SparseMatrix::of_columns(Compressed { offsets, indices, values }, n_rows)
    }

    /// From the compressed columns: the rows are made of them.
    fn of_columns(by_column: Compressed<'a, T>, n_rows: usize) -> Self {
        let by_row = by_column.transposed(n_rows);
        let first_negative =
            by_column.first_negative().map(|(j, d, value)| Entry { row: d, column: j, value });
        SparseMatrix { by_row, by_column, first_negative }
    }

    /// The listed rows, in the given order. Panics if one is out of range.
    pub fn rows_at(&self, rows: &[usize]) -> SparseMatrix<'static, T> {
        let by_row = self.by_row.lines_at(rows);
        let first_negative =
            by_row.first_negative().map(|(d, j, value)| Entry { row: d, column: j, value });
        let by_column = by_row.transposed(self.n_columns());
        SparseMatrix { by_row, by_column, first_negative }
    }

    /// The transposed matrix; shares or moves the arrays.
    pub fn transposed(self) -> SparseMatrix<'a, T> {
        let first_negative =
            self.first_negative.map(|e| Entry { row: e.column, column: e.row, value: e.value });
        SparseMatrix { by_row: self.by_column, by_column: self.by_row, first_negative }
    }

    /// Multiply-adds of the product `X'x`.
    fn product_work(&self, x: &Line) -> usize {
        match &x.indices {
            Some(rows) => rows.iter().map(|&d| self.by_row.line_length(d as usize)).sum(),
            None => self.n_entries(),
        }
    }

    /// Adds `X'x` over the columns in `range` to `sums`, whose first entry is column `range.start`.
    fn add_product(&self, x: &Line, range: Range<usize>, sums: &mut [f64]) {
        let whole = range == (0..self.n_columns());
        x.for_each(|d, x_d| {
            let (mut indices, mut values) = self.by_row.line(d);
            if !whole {
                let from = indices.partition_point(|&i| (i as usize) < range.start);
                let to = from + indices[from..].partition_point(|&i| (i as usize) < range.end);
                (indices, values) = (&indices[from..to], &values[from..to]);
            }
            for (&i, &value) in indices.iter().zip(values) {
                sums[i as usize - range.start] += value.to_f64() * x_d;
            }
        });
    }

    /// `X'x` where the product is large: columns are split over threads, rows stay in order.
    fn product_striped(&self, x: &Line) -> GramColumn {
        let n = self.n_columns();
        let stripe = n.div_ceil(rayon::current_num_threads()).max(1);
        let mut sums = vec![0.0; n];
        sums.par_chunks_mut(stripe).enumerate().for_each(|(k, part)| {
            self.add_product(x, k * stripe..k * stripe + part.len(), part);
        });
        GramColumn::from_dense(sums)
    }

    /// `X'x` on the current thread.
    fn product_serial(&self, x: &Line, work: usize) -> GramColumn {
        let n = self.n_columns();
        SUMS.with_borrow_mut(|sums| {
            sums.resize(n.max(sums.len()), 0.0);
            if work < n / 8 {
                self.product_of_few(x, work, sums)
            } else {
                self.add_product(x, 0..n, &mut sums[..n]);
                let column = GramColumn::from_slice(&sums[..n]);
                sums[..n].fill(0.0);
                column
            }
        })
    }

    /// `X'x` with few terms: only the touched sums are read and cleared. `sums` is all zero
    /// before and after.
    fn product_of_few(&self, x: &Line, work: usize, sums: &mut [f64]) -> GramColumn {
        let mut touched = Vec::with_capacity(work);
        x.for_each(|d, x_d| {
            let (indices, values) = self.by_row.line(d);
            for (&i, &value) in indices.iter().zip(values) {
                sums[i as usize] += value.to_f64() * x_d;
                touched.push(i);
            }
        });
        touched.sort_unstable();
        touched.dedup();
        let values = touched.iter().map(|&i| std::mem::take(&mut sums[i as usize])).collect();
        GramColumn::Sparse { n: self.n_columns(), indices: touched, values }
    }

    /// One group's part of the streaming pass: for each column j of the group and each i >= j,
    /// adds `C_ij^2` to both `squares[i]` and `squares[j]`.
    ///
    /// `next[d]` is the position in row d of the first column not yet passed; since the group's
    /// columns ascend, finding j in row d takes no search after the first.
    fn add_upper_squares(
        &self,
        stop: Stop<'_>,
        group: Range<usize>,
        work: &[usize],
        squares: &mut [f64],
    ) -> Result<()> {
        const UNSEEN: u32 = u32::MAX;
        let mut next = vec![UNSEEN; self.n_rows()];
        let mut sums = vec![0.0f64; self.n_columns()];
        let mut touched: Vec<u32> = Vec::new();
        for j in group {
            stop.check()?;
            let few = work[j] < (self.n_columns() - j) / 4;
            let (rows, values) = self.by_column.line(j);
            for (&d, &value) in rows.iter().zip(values) {
                let (indices, row_values) = self.by_row.line(d as usize);
                let position = match next[d as usize] {
                    UNSEEN => indices.partition_point(|&i| (i as usize) < j),
                    seen => seen as usize,
                };
                next[d as usize] = position as u32 + 1;
                let x_d = value.to_f64();
                let (indices, row_values) = (&indices[position..], &row_values[position..]);
                for (&i, &v) in indices.iter().zip(row_values) {
                    sums[i as usize] += v.to_f64() * x_d;
                }
                if few {
                    touched.extend_from_slice(indices);
                }
            }
            let mut own = sums[j] * sums[j];
            sums[j] = 0.0;
            // The own sum is zero by now, so that it does not count twice.
            own += match few {
                true => take_touched_squares(&mut touched, &mut sums, squares),
                false => take_squares(&mut sums[j + 1..], &mut squares[j + 1..]),
            };
            squares[j] += own;
        }
        Ok(())
    }

    /// One thread's part of [`Products::add_product_squares`]; `work` is the number of products for each x.
    fn squares_of(&self, vectors: &[Line], work: &[usize], squares: &mut [f64]) -> Vec<f64> {
        let mut sums = vec![0.0f64; self.n_columns()];
        let mut touched: Vec<u32> = Vec::new();
        let mut totals = Vec::with_capacity(vectors.len());
        for (x, &work) in vectors.iter().zip(work) {
            let few = work < self.n_columns() / 4;
            x.for_each(|d, x_d| {
                let (indices, values) = self.by_row.line(d);
                for (&i, &v) in indices.iter().zip(values) {
                    sums[i as usize] += v.to_f64() * x_d;
                }
                if few {
                    touched.extend_from_slice(indices);
                }
            });
            totals.push(match few {
                true => take_touched_squares(&mut touched, &mut sums, squares),
                false => take_squares(&mut sums, squares),
            });
        }
        totals
    }
}

/// [`take_squares`] of the listed sums alone; one that is listed again is zero by then.
fn take_touched_squares(touched: &mut Vec<u32>, sums: &mut [f64], squares: &mut [f64]) -> f64 {
    let mut total = 0.0;
    for i in touched.drain(..).map(|i| i as usize) {
        let term = sums[i] * sums[i];
        total += term;
        squares[i] += term;
        sums[i] = 0.0;
    }
    total
}

thread_local! {
    /// Accumulator of [`SparseMatrix::product_serial`]; all zero between calls.
    static SUMS: RefCell<Vec<f64>> = const { RefCell::new(Vec::new()) };
}

impl<T: Scalar> Matrix for SparseMatrix<'_, T> {
    fn n_rows(&self) -> usize {
        self.by_row.n_lines()
    }

    fn n_columns(&self) -> usize {
        self.by_column.n_lines()
    }

    fn read_column(&self, j: usize, into: &mut Line) {
        self.by_column.read_line(j, into);
    }

    fn read_row(&self, d: usize, into: &mut Line) {
        self.by_row.read_line(d, into);
    }

    fn first_negative(&self) -> Option<Entry> {
        self.first_negative
    }

    fn squared_norms(&self) -> Vec<f64> {
        self.by_column.map_lines(|_, values| {
            values.iter().map(|v| v.to_f64()).fold(0.0, |sum, v| sum + v * v)
        })
    }
}

impl<T: Scalar> Products for SparseMatrix<'_, T> {
    fn normalized(&self, norm: Normalize) -> Box<dyn Matrix> {
        let n = self.n_columns();
        let normalized = |j| normalized_column(norm, self.column(j).values);
        let values: Vec<f64> = (0..n).flat_map(normalized).collect();
        let by_column = Compressed {
            offsets: self.by_column.offsets.to_vec().into(),
            indices: self.by_column.indices.to_vec().into(),
            values: values.into(),
        };
        let by_row = by_column.transposed(self.n_rows());
        let first_negative = self.first_negative;
        Box::new(SparseMatrix { by_row, by_column, first_negative })
    }

    fn gram_until(&self, stop: Stop<'_>, columns: &[&Line]) -> Result<Vec<GramColumn>> {
        let threads = rayon::current_num_threads();
        let work: Vec<usize> = columns.iter().map(|x| self.product_work(x)).collect();
        let total: usize = work.iter().sum();
        let serial = |(x, &w): (&&Line, &usize)| {
            stop.check()?;
            Ok(self.product_serial(x, w))
        };
        if total < MIN_PARALLEL_WORK || threads == 1 {
            return columns.iter().zip(&work).map(serial).collect();
        }
        if columns.len() < 2 * threads {
            let striped = |x: &&Line| stop.check().map(|()| self.product_striped(x));
            return columns.iter().map(striped).collect();
        }
        columns.par_iter().zip(&work).with_max_len(1).map(serial).collect()
    }

    fn column_bytes(&self, j: usize) -> usize {
        self.by_column.line_length(j) * (size_of::<u32>() + size_of::<f64>())
    }

    fn weighted_sums(&self, p: &[f64]) -> Vec<f64> {
        self.by_column.map_lines(|rows, values| {
            let terms = rows.iter().zip(values).map(|(&d, v)| p[d as usize] * v.to_f64());
            terms.fold(0.0, |sum, term| sum + term)
        })
    }

    fn add_columns_to(&self, columns: Range<usize>, sums: &mut [f64]) {
        sums.par_iter_mut().enumerate().for_each(|(d, sum)| {
            let (indices, values) = self.by_row.line(d);
            let from = indices.partition_point(|&j| (j as usize) < columns.start);
            let to = from + indices[from..].partition_point(|&j| (j as usize) < columns.end);
            *sum = values[from..to].iter().fold(*sum, |sum, v| sum + v.to_f64());
        });
    }

    fn add_product_squares(&self, vectors: &[Line], squares: &mut [f64]) -> Vec<f64> {
        let row_length = |&d: &u32| self.by_row.line_length(d as usize);
        let work_of = |x: &Line| x.indices.iter().flatten().map(row_length).sum::<usize>();
        let work: Vec<usize> = vectors.iter().map(work_of).collect();
        let parts: Vec<(Vec<f64>, Vec<f64>)> = equal_shares(&work, rayon::current_num_threads())
            .into_par_iter()
            .with_max_len(1)
            .map(|group| {
                let mut own = vec![0.0; squares.len()];
                let sums = self.squares_of(&vectors[group.clone()], &work[group], &mut own);
                (own, sums)
            })
            .collect();
        for (part, _) in &parts {
            squares.iter_mut().zip(part).for_each(|(square, v)| *square += v);
        }
        parts.into_iter().flat_map(|(_, sums)| sums).collect()
    }

    fn second_half(&self) -> Option<(usize, Box<dyn Matrix>)> {
        let n = self.n_columns();
        let middle = self.by_column.offsets.partition_point(|&o| o < self.n_entries() / 2).min(n);
        let Compressed { offsets, indices, values } = self.by_column.lines_in(middle..n);
        let values: Vec<f64> = values.iter().map(|v| v.to_f64()).collect();
        let by_column = Compressed { offsets, indices, values: values.into() };
        let by_row = by_column.transposed(self.n_rows());
        Some((middle, Box::new(SparseMatrix { by_row, by_column, first_negative: None })))
    }

    fn gram_norm_bounds(&self, stop: Stop<'_>) -> Result<Option<Vec<f64>>> {
        let n = self.n_columns();
        let row_length = |&d: &u32| self.by_row.line_length(d as usize);
        let work = self.by_column.map_lines(|rows, _| rows.iter().map(row_length).sum::<usize>());
        let groups = equal_shares(&work, NORM_GROUPS);
        let parts: Vec<Vec<f64>> = groups
            .into_par_iter()
            .with_max_len(1)
            .map(|group| {
                let mut squares = vec![0.0; n];
                self.add_upper_squares(stop, group, &work, &mut squares)?;
                Ok(squares)
            })
            .collect::<Result<_>>()?;
        // All terms are nonnegative squares: the relative error of their sum is below (n + m) eps.
        let slack = 1.0 + 4.0 * (n + self.n_rows()) as f64 * f64::EPSILON;
        let total = |j: usize| parts.iter().fold(0.0, |sum, part| sum + part[j]);
        Ok(Some((0..n).map(|j| total(j).sqrt() * slack).collect()))
    }
}

/// Consecutive ranges with about equal shares of the work.
fn equal_shares(work: &[usize], n_shares: usize) -> Vec<Range<usize>> {
    let share = work.iter().sum::<usize>() / n_shares + 1;
    let (mut ranges, mut start, mut sum) = (Vec::new(), 0, 0);
    for (j, w) in work.iter().enumerate() {
        sum += w;
        if sum >= share {
            ranges.push(start..j + 1);
            (start, sum) = (j + 1, 0);
        }
    }
    ranges.push(start..work.len());
    ranges
}
