//! Anchors that explain nothing but themselves are dropped.
//!
//! Of more anchors than wanted, one at a time goes: the one that the *other* columns miss least,
//!
//! ```text
//! c_a = sum_{j != a} (h_aj / max(d_j, .1 median d))^2 / ((X_A'X_A)^-1)_aa
//! ```
//!
//! which is about how much their residuals, relative to their sizes d, would rise without it.

use crate::comm::Collectives;
use crate::error::Result;
use crate::factorization::Factorization;
use crate::matrix::Matrix;
use crate::ranks::Ranks;
use crate::small::inverse;

/// Columns smaller than this share of the median count as if they had it.
const SMALL: f64 = 0.1;
/// What is added to the diagonal of `X_A'X_A` where it has no inverse, as a share of its mean.
const RIDGE: f64 = 1e-12;

/// The place among the anchors, from `first` on, of the one to drop; collective.
///
/// # Errors
/// If the ranks cannot exchange data.
pub(crate) fn prune(
    found: &Factorization,
    matrix: &dyn Matrix,
    ranks: &Ranks<'_>,
    (p, first): (&[f64], usize),
) -> Result<usize> {
    let sizes = at_least_small(matrix.weighted_sums(p), ranks)?;
    let used = used_by_others(found, &sizes, ranks)?;
    let r = found.rank();
    let spread = inverse_diagonal(found, r);
    let lost = |a: usize| used[a] / spread[a].max(f64::MIN_POSITIVE);
    Ok((first..r).fold(first, |least, a| if lost(a) < lost(least) { a } else { least }))
}

/// Sizes of own columns, none far below the median of all.
fn at_least_small(mut sizes: Vec<f64>, ranks: &Ranks<'_>) -> Result<Vec<f64>> {
    let mut all = ranks.comm.gather(&sizes)?;
    all.sort_by(f64::total_cmp);
    let n = all.len();
    let median = if n == 0 { 0.0 } else { (all[(n - 1) / 2] + all[n / 2]) / 2.0 };
    let least = (SMALL * median).max(f64::MIN_POSITIVE);
    sizes.iter_mut().for_each(|size| *size = size.max(least));
    Ok(sizes)
}

/// `sum_{j != a} (h_aj / d_j)^2` for each anchor, in block order.
fn used_by_others(found: &Factorization, sizes: &[f64], ranks: &Ranks<'_>) -> Result<Vec<f64>> {
    let (anchors, r, columns) = (found.anchors(), found.rank(), ranks.columns);
    let part = |block: std::ops::Range<usize>| {
        let mut sums = vec![0.0; r];
        for i in block {
            let (rays, weights) = found.coefficients().column(i);
            let others = rays.iter().zip(weights).map(|(&a, &h)| (a as usize, h));
            for (a, h) in others.filter(|&(a, _)| anchors[a] != columns.global(i)) {
                sums[a] += (h / sizes[i]) * (h / sizes[i]);
            }
        }
        sums
    };
    let own: Vec<f64> = columns.own_blocks().into_iter().flat_map(part).collect();
    let all = ranks.comm.gather(&own)?;
    let mut sums = vec![0.0; r];
    for block in columns.in_block_order(&all, r) {
        sums.iter_mut().zip(block).for_each(|(sum, part)| *sum += part);
    }
    Ok(sums)
}

/// The diagonal of `(X_A'X_A)^-1`.
fn inverse_diagonal(found: &Factorization, r: usize) -> Vec<f64> {
    let normal = found.normal();
    let mut matrix: Vec<f64> = (0..r).flat_map(|k| normal.row(k)[..r].to_vec()).collect();
    let mean = (0..r).fold(0.0, |sum, k| sum + matrix[k * r + k]) / r as f64;
    let inverted = inverse(&matrix, r).or_else(|| {
        (0..r).for_each(|k| matrix[k * r + k] += RIDGE * mean);
        inverse(&matrix, r)
    });
    match inverted {
        Some(inverse) => (0..r).map(|k| inverse[k * r + k].abs()).collect(),
        None => vec![1.0; r],
    }
}
