//! Products of a dense panel of X with one vector or a batch of them.

use super::quad::{Quad, Sums};
use super::{Lanes, multiversion};
use crate::matrix::Scalar;
use std::ops::Range;

multiversion! {
    /// `out[i][l] = sum_d X_di packed[d][l]` for a column-major panel.
    fn products_by_column<T: Scalar>(panel: &[T], packed: &[Lanes], out: &mut [Lanes]) = quad by_column_body
}

#[inline(always)]
fn by_column_body<Q: Quad, T: Scalar>(panel: &[T], packed: &[Lanes], out: &mut [Lanes]) {
    let m = packed.len();
    let mut pairs = out.chunks_exact_mut(2);
    let mut i = 0;
    for pair in &mut pairs {
        let first = &panel[i * m..(i + 1) * m];
        let second = &panel[(i + 1) * m..(i + 2) * m];
        let mut sums = (Sums::<Q>::zero(), Sums::<Q>::zero());
        for ((x, &a), &b) in packed.iter().zip(first).zip(second) {
            sums = (sums.0.add_scaled(a.to_f64(), x), sums.1.add_scaled(b.to_f64(), x));
        }
        pair.copy_from_slice(&[sums.0.to_lanes(), sums.1.to_lanes()]);
        i += 2;
    }
    for single in pairs.into_remainder() {
        let terms = packed.iter().zip(&panel[i * m..(i + 1) * m]);
        let sums = terms.fold(Sums::<Q>::zero(), |sums, (x, &a)| sums.add_scaled(a.to_f64(), x));
        *single = sums.to_lanes();
    }
}

multiversion! {
    /// `out[i][l] = sum_d X_di packed[d][l]` for the columns `panel` of a row-major matrix.
    fn products_by_row<T: Scalar>(values: &[T], n: usize, panel: Range<usize>, packed: &[Lanes], out: &mut [Lanes]) = quad by_row_body
}

#[inline(always)]
fn by_row_body<Q: Quad, T: Scalar>(
    values: &[T],
    n: usize,
    panel: Range<usize>,
    packed: &[Lanes],
    out: &mut [Lanes],
) {
    for (i, sums) in panel.zip(out) {
        let terms = packed.iter().zip(values.iter().skip(i).step_by(n));
        let total = terms.fold(Sums::<Q>::zero(), |sums, (x, &a)| sums.add_scaled(a.to_f64(), x));
        *sums = total.to_lanes();
    }
}

multiversion! {
    /// `out[i] = sum_d X_di x[d]` for a column-major panel.
    fn product_by_column<T: Scalar>(panel: &[T], x: &[f64], out: &mut [f64]) = single_by_column_body
}

#[inline(always)]
fn single_by_column_body<T: Scalar>(panel: &[T], x: &[f64], out: &mut [f64]) {
    const TOGETHER: usize = 8;
    let m = x.len();
    let mut groups = out.chunks_exact_mut(TOGETHER);
    let mut i = 0;
    for group in &mut groups {
        let columns: [&[T]; TOGETHER] =
            std::array::from_fn(|c| &panel[(i + c) * m..(i + c + 1) * m]);
        let mut sums = [0.0; TOGETHER];
        for (d, &x_d) in x.iter().enumerate() {
            for c in 0..TOGETHER {
                sums[c] += columns[c][d].to_f64() * x_d;
            }
        }
        group.copy_from_slice(&sums);
        i += TOGETHER;
    }
    for single in groups.into_remainder() {
        let column = &panel[i * m..(i + 1) * m];
        *single = column.iter().zip(x).fold(0.0, |sum, (v, &x_d)| sum + v.to_f64() * x_d);
        i += 1;
    }
}

multiversion! {
    /// `out[i] = sum_d X_di x[d]` for `out.len()` columns from `start` on of a row-major matrix.
    fn product_by_row<T: Scalar>(values: &[T], n: usize, start: usize, x: &[f64], out: &mut [f64]) = single_by_row_body
}

#[inline(always)]
fn single_by_row_body<T: Scalar>(values: &[T], n: usize, start: usize, x: &[f64], out: &mut [f64]) {
    out.fill(0.0);
    for (d, &x_d) in x.iter().enumerate() {
        let row = &values[d * n + start..][..out.len()];
        for (sum, v) in out.iter_mut().zip(row) {
            *sum += v.to_f64() * x_d;
        }
    }
}

multiversion! {
    /// Adds `sum_j x_j x_j'`, rows from `first` on, to `stripe` (whole rows of an m x m matrix);
    /// `columns` holds the vectors x_j one after the other.
    fn add_outer_products(columns: &[f64], m: usize, first: usize, stripe: &mut [f64]) = outer_body
}

#[inline(always)]
fn outer_body(columns: &[f64], m: usize, first: usize, stripe: &mut [f64]) {
    for x in columns.chunks_exact(m) {
        for (row, &x_d) in stripe.chunks_exact_mut(m).zip(&x[first..]) {
            for (sum, &v) in row.iter_mut().zip(x) {
                *sum += x_d * v;
            }
        }
    }
}

/// `x'Gx` for a full symmetric G, row by row.
pub(crate) fn quadratic_form(gram: &[f64], x: &[f64]) -> f64 {
    let mut form = 0.0;
    let mut product = vec![0.0; x.len()];
    for (row, &x_d) in gram.chunks_exact(x.len().max(1)).zip(x) {
        super::add_scaled(&mut product, row, x_d);
    }
    for (p, v) in product.iter().zip(x) {
        form += p * v;
    }
    form
}
