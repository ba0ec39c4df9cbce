//! How near columns are to each other: the distance of each to the span of all others.

use crate::gram::NormalMatrix;
use crate::matrix::kernels::{add_scaled, dot};

/// Squared distances, relative to the columns' norms, below which descent along one column after the
/// other is slow and gradients hide weights.
const CROWDED: f64 = 1e-2;

/// Distances below this cannot be told from the normal matrix.
const LEAST_DISTANCE: f64 = 1e-15;

/// Whether a column is that near to the span of the others, given `S = A'A`.
pub(crate) fn is_crowded(s: &NormalMatrix) -> bool {
    least_distance(s) < CROWDED
}

/// `min_k 1 / (S_kk (S^-1)_kk)`.
fn least_distance(s: &NormalMatrix) -> f64 {
    let n = s.size();
    // Rows of L and of its inverse, of S scaled to a diagonal of ones.
    let (mut factor, mut inverse): (Vec<Vec<f64>>, Vec<Vec<f64>>) = (Vec::new(), Vec::new());
    let mut squares = vec![0.0; n];
    for k in 0..n {
        let scaled = |l: usize| s.row(k)[l] * s.inverse_norm(k) * s.inverse_norm(l);
        let mut row: Vec<f64> = Vec::with_capacity(k + 1);
        for l in 0..k {
            let product = dot(&row, &factor[l][..l]);
            row.push((scaled(l) - product) / factor[l][l]);
        }
        let pivot = 1.0 - dot(&row, &row);
        if pivot <= LEAST_DISTANCE {
            return LEAST_DISTANCE;
        }
        let diagonal = pivot.sqrt();
        let mut own = vec![0.0; k + 1];
        for (l, before) in inverse.iter().enumerate() {
            add_scaled(&mut own, before, -row[l] / diagonal);
        }
        own[k] = 1.0 / diagonal;
        squares.iter_mut().zip(&own).for_each(|(sum, v)| *sum += v * v);
        row.push(diagonal);
        factor.push(row);
        inverse.push(own);
    }
    squares.into_iter().map(|sum| 1.0 / sum).fold(1.0, f64::min).max(LEAST_DISTANCE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_those_to_all_others() {
        // Three unit vectors with equal angles: the distance of one to the plane of the others.
        let angle = |c: f64| {
            NormalMatrix::from_rows(&[[1.0, c, c], [c, 1.0, c], [c, c, 1.0]].map(Vec::from))
        };
        for c in [0.0, 0.5, 0.99, 0.999_999] {
            let expected = 1.0 - 2.0 * c * c / (1.0 + c);
            assert!((least_distance(&angle(c)) / expected - 1.0).abs() < 1e-9, "{c}");
        }
        assert!(is_crowded(&angle(1.0)) && !is_crowded(&angle(0.9)));
        let scaled = NormalMatrix::from_rows(&[vec![1e-40], vec![0.0, 1e40]].map(|mut row| {
            row.resize(2, 0.0);
            row
        }));
        assert_eq!(least_distance(&scaled), 1.0);
    }
}
