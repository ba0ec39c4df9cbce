//! How near columns are to each other: the distance of each to the span of all others.
//!
//! Gradients hide what a column at distance d would explain: they are d times that, and a weight
//! may be lost where this looks like rounding.

use super::triangle::Triangle;
use crate::gram::NormalMatrix;

/// Squared distances, relative to the columns' norms, below which descent along one column after the
/// other is slow and gradients hide weights.
const CROWDED: f64 = 1e-2;

/// Distances below this cannot be told from the normal matrix.
const LEAST_DISTANCE: f64 = 1e-15;

/// Whether a column is that near to the span of the others, given `S = A'A`.
pub(crate) fn is_crowded(s: &NormalMatrix) -> bool {
    let mut distances = Distances::default();
    (1..=s.size()).any(|n_columns| {
        distances.push(s);
        distances.least(n_columns) < CROWDED
    })
}

/// The least squared distance of a column to the span of the others, for the first k columns of each k.
#[derive(Debug, Clone, Default)]
pub(crate) struct Distances {
    factor: Triangle,
    /// `(S^-1)_kk` for S scaled to a diagonal of ones: `1 / d_k^2`.
    inverses: Vec<f64>,
    least: Vec<f64>,
}

impl Distances {
    /// Takes in the next column of `S = A'A`, that with all columns before it.
    ///
    /// With `S z = s` for its products s, and p its own squared distance, the diagonal of the
    /// inverse grows by `z_k^2 / p`.
    pub(crate) fn push(&mut self, s: &NormalMatrix) {
        let k = self.least.len();
        let before = self.least.last().copied().unwrap_or(1.0);
        let scaled = (0..k).map(|l| s.row(k)[l] * s.inverse_norm(k) * s.inverse_norm(l));
        let coefficients = self.factor.solve(scaled.clone());
        let pivot = self.factor.push(scaled, 1.0).max(LEAST_DISTANCE);
        let grown = self.inverses.iter_mut().zip(coefficients);
        grown.for_each(|(sum, z)| *sum += z * z / pivot);
        self.inverses.push(1.0 / pivot);
        let distances = self.inverses.iter().map(|sum| 1.0 / sum);
        self.least.push(distances.fold(before, f64::min).max(LEAST_DISTANCE));
    }

    /// Among the first columns alone.
    pub(crate) fn least(&self, n_columns: usize) -> f64 {
        n_columns.checked_sub(1).map_or(1.0, |last| self.least[last])
    }
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
        let least = |s: &NormalMatrix| {
            let mut distances = Distances::default();
            (0..s.size()).for_each(|_| distances.push(s));
            (1..=s.size()).map(|k| distances.least(k)).collect::<Vec<f64>>()
        };
        for c in [0.0, 0.5, 0.99, 0.999_999] {
            let expected = [1.0, 1.0 - c * c, 1.0 - 2.0 * c * c / (1.0 + c)];
            for (found, expected) in least(&angle(c)).into_iter().zip(expected) {
                assert!((found / expected - 1.0).abs() < 1e-9, "{c}: {found} for {expected}");
            }
        }
        assert!(is_crowded(&angle(1.0)) && !is_crowded(&angle(0.9)));
        let scaled = NormalMatrix::from_rows(&[vec![1e-40], vec![0.0, 1e40]].map(|mut row| {
            row.resize(2, 0.0);
            row
        }));
        assert_eq!(least(&scaled), [1.0, 1.0]);
    }
}
