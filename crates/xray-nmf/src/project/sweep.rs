//! Cyclic coordinate descent on one line: `min_{z >= 0} 1/2 z'Sz - c'z`.
//!
//! A cheap approximation whose support is close to the optimal one: the exact solver starts from it,
//! and HALS is made of it. Cost of a cycle: t for each topic that changes.
//!
//! Plain loops throughout: a closure would not be compiled for the vector units of its caller.

use crate::gram::NormalMatrix;
use crate::matrix::Column;
use crate::matrix::kernels::add_scaled;

/// `image <- Sz`.
#[inline(always)]
pub(crate) fn image_of(s: &NormalMatrix, z: &[f64], image: &mut [f64]) {
    image.fill(0.0);
    for (k, &v) in z.iter().enumerate() {
        if v != 0.0 {
            add_scaled(image, s.row(k), v);
        }
    }
}

/// `target <- sum_q x_q l_q` over the lines l of the other factor; returns `||x||^2`.
#[inline(always)]
pub(crate) fn weighted_lines(x: &Column, lines: &[f64], target: &mut [f64]) -> f64 {
    target.fill(0.0);
    let rank = target.len();
    let mut squared_norm = 0.0;
    for (i, &v) in x.values.iter().enumerate() {
        let q = match &x.rows {
            Some(rows) => rows[i] as usize,
            None => i,
        };
        squared_norm += v * v;
        add_scaled(target, &lines[q * rank..(q + 1) * rank], v);
    }
    squared_norm
}

/// One cycle `z_k <- (z_k + (c_k - (Sz)_k) / S_kk)_+`, keeping `image = Sz`.
#[inline(always)]
pub(crate) fn sweep(s: &NormalMatrix, target: &[f64], z: &mut [f64], image: &mut [f64]) {
    for k in 0..z.len() {
        let row = s.row(k);
        if row[k] > 0.0 {
            let better = (z[k] + (target[k] - image[k]) / row[k]).max(0.0);
            let change = better - z[k];
            if change != 0.0 {
                add_scaled(image, row, change);
                z[k] = better;
            }
        }
    }
}
