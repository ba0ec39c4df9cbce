//! Counts to weights: rows of the matrix.
//!
//! For term t of document d with count c: `tf = c` or `1 + ln c`; `idf = ln((1 + n)/(1 + df)) + 1`
//! (without smoothing `ln(n/df) + 1`); the weight is `tf idf`, divided by the document's Euclidean
//! norm or its sum. Sums run in column order.

use rayon::prelude::*;

use super::counts::ChunkCounts;
use super::options::{RowScale, TextOptions};
use super::vocabulary::DROPPED;

/// `idf` of every column.
pub(super) fn inverse_frequencies(
    options: &TextOptions,
    n_documents: usize,
    document_frequency: &[u64],
) -> Vec<f64> {
    let extra = if options.smooth_idf { 1.0 } else { 0.0 };
    let n = n_documents as f64 + extra;
    document_frequency.iter().map(|&df| (n / (df as f64 + extra)).ln() + 1.0).collect()
}

/// Compressed rows: offsets, columns, values.
#[derive(Default)]
pub(super) struct Rows {
    pub offsets: Vec<usize>,
    pub columns: Vec<u32>,
    pub values: Vec<f64>,
}

impl Rows {
    /// All rows of parts whose offsets are the ends of their rows.
    pub(super) fn concatenated(parts: Vec<Rows>) -> Rows {
        let n_entries = parts.iter().map(|part| part.values.len()).sum();
        let n_rows: usize = parts.iter().map(|part| part.offsets.len()).sum();
        let mut rows = Rows {
            offsets: Vec::with_capacity(n_rows + 1),
            columns: Vec::with_capacity(n_entries),
            values: Vec::with_capacity(n_entries),
        };
        rows.offsets.push(0);
        for part in parts {
            let start = rows.values.len();
            rows.offsets.extend(part.offsets.iter().map(|end| start + end));
            rows.columns.extend_from_slice(&part.columns);
            rows.values.extend_from_slice(&part.values);
        }
        rows
    }
}

/// The weighted rows of all chunks; `columns[c]` maps the terms of chunk c to columns.
pub(super) fn weigh(
    options: &TextOptions,
    idf: &[f64],
    chunks: &[ChunkCounts],
    columns: &[Vec<u32>],
) -> Rows {
    let parts = chunks
        .par_iter()
        .zip(columns)
        .map(|(chunk, columns)| weigh_chunk(options, idf, chunk, columns))
        .collect();
    Rows::concatenated(parts)
}

/// The rows of one chunk; its offsets are the ends of the rows.
fn weigh_chunk(options: &TextOptions, idf: &[f64], chunk: &ChunkCounts, columns: &[u32]) -> Rows {
    let mut rows = Rows::default();
    let mut row: Vec<u64> = Vec::new();
    let mut start = 0;
    for &end in &chunk.ends {
        row.clear();
        // Column and count in one number sort fast.
        row.extend(chunk.entries[start..end].iter().filter_map(|&(term, count)| {
            let column = columns[term as usize];
            (column != DROPPED).then_some(u64::from(column) << 32 | u64::from(count))
        }));
        row.sort_unstable();
        let unpack = |&packed: &u64| ((packed >> 32) as u32, f64::from(packed as u32));
        push_row(options, idf, row.iter().map(unpack), &mut rows);
        start = end;
    }
    rows
}

/// Weighs the (column, count) of one document, in order of columns, and appends them.
pub(super) fn push_row(
    options: &TextOptions,
    idf: &[f64],
    counts: impl Iterator<Item = (u32, f64)>,
    rows: &mut Rows,
) {
    let first = rows.values.len();
    for (column, count) in counts {
        let tf = if options.sublinear_tf { count.ln() + 1.0 } else { count };
        rows.columns.push(column);
        rows.values.push(if options.tf_idf { tf * idf[column as usize] } else { tf });
    }
    match options.normalize {
        RowScale::L2 => normalize(&mut rows.values[first..]),
        RowScale::L1 => sum_to_one(&mut rows.values[first..]),
        RowScale::None => {}
    }
    rows.offsets.push(rows.values.len());
}

/// Scales to sum 1; zero stays zero.
fn sum_to_one(values: &mut [f64]) {
    let sum = |values: &[f64]| values.iter().fold(0.0, |sum, v| sum + v);
    if sum(values).is_infinite() {
        let largest = values.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        values.iter_mut().for_each(|v| *v /= largest);
    }
    let sum = sum(values);
    if sum > 0.0 {
        values.iter_mut().for_each(|v| *v /= sum);
    }
}

/// Scales to Euclidean length 1; zero stays zero.
fn normalize(values: &mut [f64]) {
    let norm = |values: &[f64]| values.iter().fold(0.0, |sum, v| sum + v * v).sqrt();
    if norm(values) < 1e-140 {
        // Squares would vanish.
        let largest = values.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        values.iter_mut().for_each(|v| *v /= largest);
    }
    let norm = norm(values);
    if norm > 0.0 {
        values.iter_mut().for_each(|v| *v /= norm);
    }
}
