//! A drawn hyperspectral cube, and what it costs to read it as often as there are anchors.

use std::time::Instant;

use anyhow::Result;
use rayon::prelude::*;
use serde_json::json;
use xray_nmf::DenseMatrix;

use crate::arguments::Arguments;
use crate::{announce, print, time};

/// Pure spectra that pixels are mixed of.
const SPECTRA: usize = 20;

/// Times fits of n pixels in m bands against one product X'x for each anchor asked for.
pub(crate) fn time_cube(arguments: &Arguments, (m, n): (usize, usize)) -> Result<()> {
    let start = Instant::now();
    let values = mixtures(m, n);
    let matrix = DenseMatrix::from_column_major(m, n, &values[..])?;
    announce(&matrix, values.len(), start);
    for _ in 0..arguments.repeat {
        let start = Instant::now();
        let total: f64 =
            (0..arguments.rank).map(|k| product(&values, m, k * n / arguments.rank)).sum();
        let products = start.elapsed().as_secs_f64();
        let start = Instant::now();
        time(arguments, &matrix, start)?;
        let ratio = start.elapsed().as_secs_f64() / products;
        print(json!({ "product_seconds": products, "ratio": ratio, "sum": total }));
    }
    Ok(())
}

/// The sum of `X'x_j`, by a plain loop over the columns.
fn product(values: &[f32], m: usize, j: usize) -> f64 {
    let x = &values[j * m..(j + 1) * m];
    let dot = |column: &[f32]| -> f64 {
        column.iter().zip(x).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
    };
    values.par_chunks_exact(m).map(dot).sum()
}

/// Sparse mixtures of the spectra with 1 % noise, from a fixed formula: no generator in the timing.
fn mixtures(m: usize, n: usize) -> Vec<f32> {
    let spectra: Vec<Vec<f32>> =
        (0..SPECTRA).map(|k| (0..m).map(|d| unit(k + 1, d + 1)).collect()).collect();
    let mut values = vec![0.0f32; m * n];
    values.par_chunks_exact_mut(m).enumerate().for_each(|(j, column)| {
        for q in 0..3 {
            let (k, share) = ((unit(j, 7 + q) * SPECTRA as f32) as usize, unit(j, 31 + q));
            let spectrum = &spectra[k.min(SPECTRA - 1)];
            column.iter_mut().zip(spectrum).for_each(|(x, s)| *x += share * s);
        }
        column.iter_mut().enumerate().for_each(|(d, x)| *x += 0.01 * unit(j + 99, d + 1000));
    });
    values
}

/// A number from 0 to 1 that looks random, for two numbers.
fn unit(a: usize, b: usize) -> f32 {
    let mut x = (a as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15)
        ^ (b as u64).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x ^= x >> 31;
    x = x.wrapping_mul(0x94D0_49BB_1331_11EB);
    ((x ^ (x >> 29)) >> 40) as f32 / (1u64 << 24) as f32
}
