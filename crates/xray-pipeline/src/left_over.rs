//! What topics leave unexplained of rows.

use rayon::prelude::*;
use xray_nmf::comm::{Collectives, Communicator};
use xray_nmf::{Line, Matrix, Ownership};

use crate::documents::Explained;
use crate::error::Result;

/// `||x - w'H||^2` and `||x||^2` of each row x, over the columns that count; H is zero in the others. `h` is the
/// transpose of H, `weights` has k entries for each row.
pub(crate) fn row_errors(
    rows: &dyn Matrix,
    h: &[f64],
    weights: &[f64],
    k: usize,
    counts: impl Fn(usize) -> bool + Sync,
) -> Vec<[f64; 2]> {
    let gram = gram(h, k);
    (0..rows.n_rows())
        .into_par_iter()
        .map_init(Line::default, |line, d| {
            let w = &weights[d * k..(d + 1) * k];
            rows.read_row(d, line);
            let (mut product, mut squares) = (0.0, 0.0);
            line.for_each(|j, x| {
                if counts(j) {
                    product += x * dot(&h[j * k..(j + 1) * k], w);
                    squares += x * x;
                }
            });
            let explained = gram.chunks_exact(k.max(1)).zip(w).map(|(row, v)| v * dot(row, w));
            [squares - 2.0 * product + explained.fold(0.0, |sum, v| sum + v), squares]
        })
        .collect()
}

/// The sums over the rows of all ranks, in row order; collective.
pub(crate) fn sum_of_errors(
    comm: &dyn Communicator,
    n_rows: usize,
    own: &[[f64; 2]],
) -> Result<[f64; 2]> {
    let terms = comm.gather(own.as_flattened())?;
    let terms = Ownership::rows(n_rows, comm).in_order(&terms, 2);
    let add = |sum: [f64; 2], term: &[f64]| [sum[0] + term[0], sum[1] + term[1]];
    Ok(terms.chunks_exact(2).fold([0.0; 2], add))
}

/// What is explained of each own row, by the measure of all; collective.
pub(crate) fn explained_rows(
    comm: &dyn Communicator,
    errors: &[[f64; 2]],
) -> Result<Explained<Vec<f64>>> {
    let parts: Vec<f64> = errors.iter().map(explained_part).collect();
    let mut all = comm.gather(&parts)?;
    let middle = all.len() / 2;
    let median = match all.get(middle) {
        Some(_) => *all.select_nth_unstable_by(middle, f64::total_cmp).1,
        None => 0.0,
    };
    Ok(Explained { parts, least: LEAST_EXPLAINED * median })
}

/// A document is unexplained if its topics explain less of it than this part of what they explain of the median one.
const LEAST_EXPLAINED: f64 = 0.2;

/// The part of `||x||^2` that is not in `||x - w'H||^2`; rounding makes it neither negative nor more than 1.
pub(crate) fn explained_part(&[left, all]: &[f64; 2]) -> f64 {
    if all > 0.0 { (1.0 - left / all).clamp(0.0, 1.0) } else { 0.0 }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |sum, (a, b)| sum + a * b)
}

/// `sum_j h_j h_j'`.
pub(crate) fn gram(h: &[f64], k: usize) -> Vec<f64> {
    let mut gram = vec![0.0; k * k];
    for line in h.chunks_exact(k.max(1)) {
        for (row, &v) in gram.chunks_exact_mut(k.max(1)).zip(line).filter(|(_, v)| **v != 0.0) {
            row.iter_mut().zip(line).for_each(|(sum, other)| *sum += v * other);
        }
    }
    gram
}
