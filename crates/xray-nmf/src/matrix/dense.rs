//! Dense matrices, borrowed in either order.
//!
//! Products `X'x` for up to [`LANES`] vectors x at a time run over fixed panels of columns, so X is
//! read once for each batch (BLAS-3 shape) and each sum stays in ascending row order.

use std::borrow::Cow;
use std::ops::Range;

use rayon::prelude::*;

use super::kernels::{self, LANES, Lanes};
use super::{
    Entry, Line, Matrix, Products, Scalar, check_dimensions, check_largest, check_value,
    normalized_column,
};
use crate::error::{Result, check_length};
use crate::gram::GramColumn;
use crate::ownership::Ownership;
use crate::params::Normalize;
use crate::stop::Stop;

/// Columns in a panel of a product.
const COLUMN_PANEL: usize = 256;

/// How the entries of a dense matrix follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    ColumnMajor,
    RowMajor,
}

/// A dense m x n matrix of `f32` or `f64`, usually borrowed.
///
/// # Examples
/// ```
/// use xray_nmf::{DenseMatrix, Matrix};
/// let by_columns = DenseMatrix::from_column_major(2, 2, &[1.0f32, 2.0, 3.0, 4.0])?;
/// let by_rows = DenseMatrix::from_row_major(2, 2, &[1.0f32, 3.0, 2.0, 4.0])?;
/// assert_eq!(by_columns.column(1), by_rows.column(1));
/// # Ok::<(), xray_nmf::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct DenseMatrix<'a, T: Scalar> {
    n_rows: usize,
    n_columns: usize,
    values: Cow<'a, [T]>,
    order: Order,
    first_negative: Option<Entry>,
}

impl<'a, T: Scalar> DenseMatrix<'a, T> {
    /// From values with one column after the other (Fortran order), borrowed or owned.
    pub fn from_column_major(
        n_rows: usize,
        n_columns: usize,
        values: impl Into<Cow<'a, [T]>>,
    ) -> Result<Self> {
        Self::checked(n_rows, n_columns, values.into(), Order::ColumnMajor)
    }

    /// From values with one row after the other (C order), borrowed or owned.
    pub fn from_row_major(
        n_rows: usize,
        n_columns: usize,
        values: impl Into<Cow<'a, [T]>>,
    ) -> Result<Self> {
        Self::checked(n_rows, n_columns, values.into(), Order::RowMajor)
    }

    fn checked(
        n_rows: usize,
        n_columns: usize,
        values: Cow<'a, [T]>,
        order: Order,
    ) -> Result<Self> {
        check_dimensions(n_rows, n_columns)?;
        check_length("values", n_rows.saturating_mul(n_columns), values.len())?;
        let mut matrix = Self { n_rows, n_columns, values, order, first_negative: None };
        let wrong = |v: &T| check_value(0, 0, v.to_f64()).is_err();
        if let Some(place) = matrix.values.iter().position(wrong) {
            let (row, column) = matrix.position(place);
            check_value(row, column, matrix.values[place].to_f64())?;
        }
        check_largest(&matrix.values)?;
        matrix.first_negative = matrix.find_negative();
        Ok(matrix)
    }

    fn position(&self, place: usize) -> (usize, usize) {
        match self.order {
            Order::ColumnMajor => (place % self.n_rows, place / self.n_rows),
            Order::RowMajor => (place / self.n_columns, place % self.n_columns),
        }
    }

    fn find_negative(&self) -> Option<Entry> {
        let place = self.values.iter().position(|v| v.to_f64() < 0.0)?;
        let (row, column) = self.position(place);
        Some(Entry { row, column, value: self.values[place].to_f64() })
    }

    /// The entry at (row, column). Panics if out of range.
    pub fn get(&self, row: usize, column: usize) -> T {
        assert!(row < self.n_rows && column < self.n_columns, "entry ({row}, {column}) is outside");
        match self.order {
            Order::ColumnMajor => self.values[column * self.n_rows + row],
            Order::RowMajor => self.values[row * self.n_columns + column],
        }
    }

    /// The columns that a rank owns, renumbered from 0. Panics if out of range.
    pub fn columns_of(&self, own: &Ownership) -> DenseMatrix<'static, T> {
        self.columns_at(own.ranges().into_iter().flatten())
    }

    fn columns_at(&self, columns: impl Iterator<Item = usize>) -> DenseMatrix<'static, T> {
        let (rows, mut n_columns) = (0..self.n_rows, 0);
        let mut values: Vec<T> = Vec::new();
        for j in columns {
            values.extend(rows.clone().map(|d| self.get(d, j)));
            n_columns += 1;
        }
        self.part(self.n_rows, n_columns, values, Order::ColumnMajor)
    }

    /// The listed rows, in the given order. Panics if one is out of range.
    pub fn rows_at(&self, rows: &[usize]) -> DenseMatrix<'static, T> {
        let columns = 0..self.n_columns;
        let values: Vec<T> = rows
            .iter()
            .flat_map(|&d| columns.clone().map(move |j| (d, j)))
            .map(|(d, j)| self.get(d, j))
            .collect();
        self.part(rows.len(), self.n_columns, values, Order::RowMajor)
    }

    fn part(
        &self,
        n_rows: usize,
        n_columns: usize,
        values: Vec<T>,
        order: Order,
    ) -> DenseMatrix<'static, T> {
        let mut part =
            DenseMatrix { n_rows, n_columns, values: values.into(), order, first_negative: None };
        part.first_negative = part.find_negative();
        part
    }

    /// The transposed matrix, of the same storage.
    pub fn transposed(self) -> DenseMatrix<'a, T> {
        let order = match self.order {
            Order::ColumnMajor => Order::RowMajor,
            Order::RowMajor => Order::ColumnMajor,
        };
        let swap = |e: Entry| Entry { row: e.column, column: e.row, value: e.value };
        DenseMatrix {
            n_rows: self.n_columns,
            n_columns: self.n_rows,
            order,
            first_negative: self.first_negative.map(swap),
            values: self.values,
        }
    }

    /// Line l of `length` entries, one of `n_lines`, where `along` is the order that has it in one
    /// piece.
    fn read_line(&self, l: usize, length: usize, n_lines: usize, along: Order, into: &mut Line) {
        into.indices = None;
        into.values.clear();
        if self.order == along {
            into.values
                .extend(self.values[l * length..(l + 1) * length].iter().map(|v| v.to_f64()));
        } else {
            into.values.extend((0..length).map(|q| self.values[q * n_lines + l].to_f64()));
        }
    }

    /// `x_l'X_i` for a batch of packed vectors and the columns i of a panel.
    fn panel_products(&self, packed: &[Lanes], panel: Range<usize>, out: &mut [Lanes]) {
        let (m, n) = (self.n_rows, self.n_columns);
        match self.order {
            Order::ColumnMajor => {
                kernels::products_by_column(
                    &self.values[panel.start * m..panel.end * m],
                    packed,
                    out,
                );
            }
            Order::RowMajor => kernels::products_by_row(&self.values, n, panel, packed, out),
        }
    }

    /// `X'x` for one vector: no packing, one sum for each column.
    fn single_product(&self, x: &[f64]) -> Vec<f64> {
        let (m, n) = (self.n_rows, self.n_columns);
        let mut out = vec![0.0; n];
        out.par_chunks_mut(COLUMN_PANEL).enumerate().for_each(|(k, part)| match self.order {
            Order::ColumnMajor => {
                let start = k * COLUMN_PANEL * m;
                kernels::product_by_column(&self.values[start..start + part.len() * m], x, part);
            }
            Order::RowMajor => kernels::product_by_row(&self.values, n, k * COLUMN_PANEL, x, part),
        });
        out
    }

    /// `X'x` for at most [`LANES`] vectors.
    fn batch_products(&self, stop: Stop<'_>, batch: &[&Line]) -> Result<Vec<GramColumn>> {
        let n = self.n_columns;
        let mut packed = vec![[0.0; LANES]; self.n_rows];
        for (l, x) in batch.iter().enumerate() {
            x.for_each(|d, v| packed[d][l] = v);
        }
        let mut results: Vec<Vec<f64>> = batch.iter().map(|_| vec![0.0; n]).collect();
        let panels: Vec<Vec<Lanes>> = (0..n.div_ceil(COLUMN_PANEL))
            .into_par_iter()
            .map(|k| {
                stop.check()?;
                let panel = k * COLUMN_PANEL..((k + 1) * COLUMN_PANEL).min(n);
                let mut out = vec![[0.0; LANES]; panel.len()];
                self.panel_products(&packed, panel, &mut out);
                Ok(out)
            })
            .collect::<Result<_>>()?;
        results.par_iter_mut().enumerate().for_each(|(l, result)| {
            for (part, panel) in result.chunks_mut(COLUMN_PANEL).zip(&panels) {
                part.iter_mut().zip(panel).for_each(|(value, lanes)| *value = lanes[l]);
            }
        });
        Ok(results.into_iter().map(GramColumn::Dense).collect())
    }

    /// `XX'` (m x m), added up in column order.
    fn row_gram(&self, stop: Stop<'_>) -> Result<Vec<f64>> {
        const COLUMNS_AT_ONCE: usize = 512;
        let (m, n) = (self.n_rows, self.n_columns);
        let mut gram = vec![0.0; m * m];
        let mut columns = Vec::with_capacity(COLUMNS_AT_ONCE * m);
        for start in (0..n).step_by(COLUMNS_AT_ONCE) {
            columns.clear();
            for j in start..(start + COLUMNS_AT_ONCE).min(n) {
                columns.extend(self.column(j).values);
            }
            gram.par_chunks_mut(m * 8).enumerate().try_for_each(|(k, stripe)| {
                stop.check()?;
                kernels::add_outer_products(&columns, m, k * 8, 0, stripe);
                Ok(())
            })?;
        }
        Ok(gram)
    }
}

impl<T: Scalar> Matrix for DenseMatrix<'_, T> {
    fn n_rows(&self) -> usize {
        self.n_rows
    }

    fn n_columns(&self) -> usize {
        self.n_columns
    }

    fn read_column(&self, j: usize, into: &mut Line) {
        let (m, n) = (self.n_rows, self.n_columns);
        assert!(j < n, "column {j} of {n}");
        self.read_line(j, m, n, Order::ColumnMajor, into);
    }

    fn read_row(&self, d: usize, into: &mut Line) {
        let (m, n) = (self.n_rows, self.n_columns);
        assert!(d < m, "row {d} of {m}");
        self.read_line(d, n, m, Order::RowMajor, into);
    }

    fn first_negative(&self) -> Option<Entry> {
        self.first_negative
    }

    fn squared_norms(&self) -> Vec<f64> {
        self.fold_columns(|_, sum, v| sum + v * v)
    }
}

impl<T: Scalar> Products for DenseMatrix<'_, T> {
    fn normalized(&self, norm: Normalize) -> Box<dyn Matrix> {
        let n = self.n_columns;
        let normalized = |j| normalized_column(norm, self.column(j).values);
        let values: Vec<f64> = (0..n).flat_map(normalized).collect();
        Box::new(DenseMatrix {
            n_rows: self.n_rows,
            n_columns: n,
            values: values.into(),
            order: Order::ColumnMajor,
            first_negative: self.first_negative,
        })
    }

    fn gram_until(&self, stop: Stop<'_>, columns: &[&Line]) -> Result<Vec<GramColumn>> {
        if let [x] = columns {
            stop.check()?;
            let x = x.to_dense(self.n_rows);
            return Ok(vec![GramColumn::Dense(self.single_product(&x))]);
        }
        let mut products = Vec::with_capacity(columns.len());
        for batch in columns.chunks(LANES) {
            products.append(&mut self.batch_products(stop, batch)?);
        }
        Ok(products)
    }

    fn column_bytes(&self, _j: usize) -> usize {
        self.n_rows * size_of::<f64>()
    }

    fn weighted_sums(&self, p: &[f64]) -> Vec<f64> {
        self.fold_columns(|d, sum, v| sum + p[d] * v)
    }

    fn add_columns_to(&self, columns: Range<usize>, sums: &mut [f64]) {
        let add = |sum: &mut f64, v: &T| *sum += v.to_f64();
        match self.order {
            Order::ColumnMajor => {
                let own = columns.start * self.n_rows..columns.end * self.n_rows;
                for column in self.values[own].chunks_exact(self.n_rows.max(1)) {
                    sums.iter_mut().zip(column).for_each(|(sum, v)| add(sum, v));
                }
            }
            Order::RowMajor => {
                let rows = self.values.par_chunks_exact(self.n_columns.max(1));
                sums.par_iter_mut().zip(rows).for_each(|(sum, row)| {
                    row[columns.clone()].iter().for_each(|v| add(sum, v));
                });
            }
        }
    }

    fn second_half(&self) -> Option<(usize, Box<dyn Matrix>)> {
        None
    }

    fn gram_norm_bounds(&self, stop: Stop<'_>) -> Result<Option<Vec<f64>>> {
        let (m, n) = (self.n_rows, self.n_columns);
        if m >= n || m == 0 {
            return Ok(None);
        }
        // ||X'x||^2 = x'(XX')x. Rounding is at most about (m + n) eps of the same form with all
        // signs removed, itself at most ||x||^2 times the trace of XX'.
        let gram = self.row_gram(stop)?;
        let trace = (0..m).fold(0.0, |sum, d| sum + gram[d * m + d]);
        let relative = 4.0 * (m + n) as f64 * f64::EPSILON;
        let signed = self.first_negative.is_some();
        let bound = |j: usize| {
            stop.check()?;
            let x = self.column(j).values;
            let form = kernels::quadratic_form(&gram, &x);
            let scale = if signed { trace * x.iter().fold(0.0, |s, v| s + v * v) } else { form };
            Ok((form + relative * scale).max(0.0).sqrt() * (1.0 + relative))
        };
        let bounds = (0..n).into_par_iter().with_min_len(64).map(bound);
        Ok(Some(bounds.collect::<Result<_>>()?))
    }
}

impl<T: Scalar> DenseMatrix<'_, T> {
    /// Folds each column in row order: `fold(row, sum so far, value)`.
    fn fold_columns(&self, fold: impl Fn(usize, f64, f64) -> f64 + Sync) -> Vec<f64> {
        let (m, n) = (self.n_rows, self.n_columns);
        let mut sums = vec![0.0; n];
        sums.par_chunks_mut(COLUMN_PANEL).enumerate().for_each(|(k, part)| match self.order {
            Order::ColumnMajor => {
                for (c, sum) in part.iter_mut().enumerate() {
                    let start = (k * COLUMN_PANEL + c) * m;
                    let column = self.values[start..start + m].iter().enumerate();
                    *sum = column.fold(0.0, |sum, (d, v)| fold(d, sum, v.to_f64()));
                }
            }
            Order::RowMajor => {
                for d in 0..m {
                    let start = d * n + k * COLUMN_PANEL;
                    let row = &self.values[start..start + part.len()];
                    part.iter_mut().zip(row).for_each(|(sum, v)| *sum = fold(d, *sum, v.to_f64()));
                }
            }
        });
        sums
    }
}
