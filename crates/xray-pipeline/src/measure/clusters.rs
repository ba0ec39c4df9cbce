//! Agreement of two groupings of the same items: true classes and found clusters.
//!
//! With `n_ij` items of class i in cluster j, totals `n_i` and `n_j`, and n items:
//!
//! ```text
//! mutual information   I = sum_ij n_ij/n ln(n n_ij / (n_i n_j))
//! entropies            H = sum_i n_i/n ln(n / n_i), and so for j
//! NMI                  I / ((H_classes + H_clusters) / 2)
//! ```
//!
//! Labels may be of any ordered type. Items without a cluster (`None`) are a cluster of their own.
//! Degenerate cases are those of scikit-learn: NMI is 1 if neither grouping splits the items (or there
//! are none), and 0 if only one of them does. Sums are taken over sorted terms, so NMI is symmetric and
//! does not depend on the names of the groups, bit for bit.
//!
//! Cost: `O(n log n)` and memory `O(n)`.

use super::labelling::dense_ids;

/// How many items each pair of a class (row) and a cluster (column) shares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Contingency {
    n_items: usize,
    /// (row, column, count), ascending, counts above 0.
    cells: Vec<(usize, usize, usize)>,
    row_totals: Vec<usize>,
    column_totals: Vec<usize>,
}

impl Contingency {
    /// Counts the pairs of labels; rows and columns are the distinct labels in ascending order.
    fn new<A: Ord, B: Ord>(classes: &[A], clusters: &[B]) -> Self {
        let (a, b) = (classes.len(), clusters.len());
        assert_eq!(a, b, "{a} items have a class, but {b} have a cluster");
        let (rows, columns) = (dense_ids(classes).0, dense_ids(clusters).0);
        let mut pairs: Vec<(usize, usize)> = rows.into_iter().zip(columns).collect();
        pairs.sort_unstable();
        let cells = pairs.chunk_by(|p, q| p == q).map(|same| (same[0].0, same[0].1, same.len()));
        Self::from_counts(cells.collect())
    }

    /// From rows, columns and counts above 0, each pair of class and cluster once.
    pub(crate) fn from_counts(mut cells: Vec<(usize, usize, usize)>) -> Self {
        cells.sort_unstable();
        let size = |end: Option<usize>| end.map_or(0, |last| last + 1);
        let mut row_totals = vec![0; size(cells.iter().map(|cell| cell.0).max())];
        let mut column_totals = vec![0; size(cells.iter().map(|cell| cell.1).max())];
        for &(i, j, count) in &cells {
            row_totals[i] += count;
            column_totals[j] += count;
        }
        let n_items = row_totals.iter().sum();
        Self { n_items, cells, row_totals, column_totals }
    }

    /// Mutual information over the arithmetic mean of the entropies: between 0 and 1.
    pub(crate) fn normalized_mutual_information(&self) -> f64 {
        let (n_rows, n_columns) = (self.row_totals.len(), self.column_totals.len());
        if n_rows <= 1 && n_columns <= 1 {
            return 1.0;
        }
        let n = self.n_items as f64;
        let terms = self.cells.iter().map(|&(i, j, count)| {
            let (n_ij, n_i, n_j) =
                (count as f64, self.row_totals[i] as f64, self.column_totals[j] as f64);
            n_ij / n * (n * n_ij / (n_i * n_j)).ln()
        });
        let information = sum_of_sorted(terms);
        let mean = (entropy(&self.row_totals, n) + entropy(&self.column_totals, n)) / 2.0;
        (information / mean).clamp(0.0, 1.0)
    }
}

/// `sum_i n_i/n ln(n / n_i)` over totals above 0.
fn entropy(totals: &[usize], n: f64) -> f64 {
    sum_of_sorted(totals.iter().map(|&total| total as f64 / n * (n / total as f64).ln()))
}

/// A sum that does not depend on the order of the terms.
fn sum_of_sorted(terms: impl Iterator<Item = f64>) -> f64 {
    let mut terms: Vec<f64> = terms.collect();
    terms.sort_unstable_by(f64::total_cmp);
    terms.iter().fold(0.0, |sum, term| sum + term)
}

/// Mutual information of true classes and found clusters, over the mean of their entropies: 1 if they
/// are the same grouping, 0 if they have nothing to do with each other.
///
/// # Panics
/// If the slices differ in length.
///
/// # Examples
/// ```
/// use xray_pipeline::measure::normalized_mutual_information;
/// assert_eq!(normalized_mutual_information(&[0, 0, 1, 1], &[5, 5, 3, 3]), 1.0);
/// assert_eq!(normalized_mutual_information(&[0, 0, 1, 1], &[0, 1, 0, 1]), 0.0);
/// ```
pub fn normalized_mutual_information<A: Ord, B: Ord>(classes: &[A], clusters: &[B]) -> f64 {
    Contingency::new(classes, clusters).normalized_mutual_information()
}

#[cfg(test)]
mod tests;
