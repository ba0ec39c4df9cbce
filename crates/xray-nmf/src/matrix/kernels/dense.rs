//! Products of a dense panel of X with one vector or a batch of them.

use super::quad::{Quad, Sums};
use super::{LANES, Lanes, multiversion};
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
    /// Adds `sum_j x_j x_j'`, rows from `rows.start` on and columns from `from` on, to `stripe` (whole rows of an m x m
    /// matrix); `columns` holds the vectors x_j one after the other. Every entry is added up in the order of the vectors.
    fn add_outer_products(columns: &[f64], m: usize, first: usize, from: usize, stripe: &mut [f64]) = quad outer_body
}

/// Vectors that stay near the processor while all tiles take them.
const VECTORS_AT_ONCE: usize = 64;
/// The rows and columns of a tile, whose sums stay in registers.
const TILE: (usize, usize) = (4, 8);

#[inline(always)]
fn outer_body<Q: Quad>(columns: &[f64], m: usize, first: usize, from: usize, stripe: &mut [f64]) {
    let n_rows = stripe.len() / m.max(1);
    let (whole_rows, whole_columns) = (n_rows - n_rows % TILE.0, m - (m - from) % TILE.1);
    for part in columns.chunks(VECTORS_AT_ONCE * m.max(1)) {
        for row in (0..whole_rows).step_by(TILE.0) {
            for column in (from..whole_columns).step_by(TILE.1) {
                outer_tile::<Q>(part, m, (first + row, column), &mut stripe[row * m..]);
            }
            outer_rest(
                part,
                m,
                first + row,
                whole_columns,
                &mut stripe[row * m..(row + TILE.0) * m],
            );
        }
        outer_rest(part, m, first + whole_rows, from, &mut stripe[whole_rows * m..]);
    }
}

/// One tile; `rows` begin with its first row.
#[inline(always)]
fn outer_tile<Q: Quad>(
    columns: &[f64],
    m: usize,
    (first, column): (usize, usize),
    rows: &mut [f64],
) {
    let halves = |row: &[f64]| {
        let (quads, _) = row[column..column + TILE.1].as_chunks::<4>();
        [Q::load(&quads[0]), Q::load(&quads[1])]
    };
    let mut sums: [[Q; 2]; TILE.0] = std::array::from_fn(|d| halves(&rows[d * m..(d + 1) * m]));
    for x in columns.chunks_exact(m) {
        let v = halves(x);
        for (sums, &x_d) in sums.iter_mut().zip(&x[first..first + TILE.0]) {
            let x_d = Q::splat(x_d);
            sums[0] = sums[0].add_product(x_d, v[0]);
            sums[1] = sums[1].add_product(x_d, v[1]);
        }
    }
    for (d, sums) in sums.into_iter().enumerate() {
        let (quads, _) = rows[d * m + column..d * m + column + TILE.1].as_chunks_mut::<4>();
        sums.into_iter().zip(quads).for_each(|(sum, quad)| sum.store(quad));
    }
}

/// What makes no whole tile: all rows, columns from `from` on.
#[inline(always)]
fn outer_rest(columns: &[f64], m: usize, first: usize, from: usize, rows: &mut [f64]) {
    if from >= m {
        return;
    }
    for x in columns.chunks_exact(m) {
        for (row, &x_d) in rows.chunks_exact_mut(m).zip(&x[first..]) {
            for (sum, &v) in row[from..].iter_mut().zip(&x[from..]) {
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

multiversion! {
    /// `sum_t max(x'y_t, 0)^2` over vectors in batches, coordinate after coordinate.
    fn positive_squares(batches: &[Lanes], x: &[f64]) -> f64 = positive_squares_body
}

#[inline(always)]
fn positive_squares_body(batches: &[Lanes], x: &[f64]) -> f64 {
    let mut totals = [0.0; LANES];
    for batch in batches.chunks_exact(x.len().max(1)) {
        let mut products = [0.0; LANES];
        for (coordinates, &x_d) in batch.iter().zip(x) {
            super::add_scaled(&mut products, coordinates, x_d);
        }
        for l in 0..LANES {
            let positive = if products[l] > 0.0 { products[l] } else { 0.0 };
            totals[l] += positive * positive;
        }
    }
    totals.iter().fold(0.0, |total, term| total + term)
}
