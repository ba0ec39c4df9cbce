//! Agreement of two groupings of the same items: true classes and found clusters.
//!
//! With `n_ij` items of class i in cluster j, totals `n_i` and `n_j`, and n items:
//!
//! ```text
//! mutual information   I = sum_ij n_ij/n ln(n n_ij / (n_i n_j))
//! entropies            H = sum_i n_i/n ln(n / n_i), and so for j
//! NMI                  I / ((H_classes + H_clusters) / 2)
//! AMI                  (I - E) / ((H_classes + H_clusters) / 2 - E)
//! ```
//!
//! E is the mutual information that is to be expected of groupings of these sizes that have nothing to do with each other
//! (all permutations alike): many small groups agree by chance.
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
        if self.is_one_group() {
            return 1.0;
        }
        (self.mutual_information() / self.mean_entropy()).clamp(0.0, 1.0)
    }

    /// The same above what chance gives, at most 1.
    fn adjusted_mutual_information(&self) -> f64 {
        if self.is_one_group() {
            return 1.0;
        }
        let expected = self.expected_information();
        let scale = self.mean_entropy() - expected;
        // Groups of one item each agree by chance as well as can be.
        if scale > f64::EPSILON { (self.mutual_information() - expected) / scale } else { 1.0 }
    }

    /// The same over the most that so many groups could tell of each other, which equal groups do.
    fn shared_information(&self, n_groups: usize) -> f64 {
        let expected = self.expected_information();
        let most = (n_groups as f64).ln() - expected;
        if most > f64::EPSILON { (self.mutual_information() - expected) / most } else { 1.0 }
    }

    /// Whether neither grouping splits the items.
    fn is_one_group(&self) -> bool {
        self.row_totals.len() <= 1 && self.column_totals.len() <= 1
    }

    fn mean_entropy(&self) -> f64 {
        let n = self.n_items as f64;
        (entropy(&self.row_totals, n) + entropy(&self.column_totals, n)) / 2.0
    }

    /// `sum_ij sum_c P(n_ij = c) c/n ln(n c / (n_i n_j))`, where n_ij is hypergeometric.
    fn expected_information(&self) -> f64 {
        let n = self.n_items;
        let mut logarithms = vec![0.0; n + 1];
        for i in 1..=n {
            logarithms[i] = logarithms[i - 1] + (i as f64).ln();
        }
        let factorial = |i: usize| logarithms[i];
        let mut expected = 0.0;
        for &a in &self.row_totals {
            for &b in &self.column_totals {
                let fixed = factorial(a) + factorial(b) + factorial(n - a) + factorial(n - b)
                    - factorial(n);
                for c in 1.max((a + b).saturating_sub(n))..=a.min(b) {
                    let free = factorial(c)
                        + factorial(a - c)
                        + factorial(b - c)
                        + factorial(n + c - a - b);
                    let (n, c) = (n as f64, c as f64);
                    expected += (fixed - free).exp() * c / n * (n * c / (a as f64 * b as f64)).ln();
                }
            }
        }
        expected
    }

    fn mutual_information(&self) -> f64 {
        let n = self.n_items as f64;
        let terms = self.cells.iter().map(|&(i, j, count)| {
            let (n_ij, n_i, n_j) =
                (count as f64, self.row_totals[i] as f64, self.column_totals[j] as f64);
            n_ij / n * (n * n_ij / (n_i * n_j)).ln()
        });
        sum_of_sorted(terms)
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

/// Mutual information of two groupings above what chance gives groups of these sizes, over the mean of their entropies
/// above the same: 1 if they are the same grouping, about 0 if they have nothing to do with each other.
///
/// # Panics
/// If the slices differ in length.
///
/// # Examples
/// ```
/// use xray_pipeline::measure::adjusted_mutual_information;
/// assert_eq!(adjusted_mutual_information(&[0, 0, 1, 1], &[5, 5, 3, 3]), 1.0);
/// assert!((adjusted_mutual_information(&[0, 0, 1, 1], &[0, 1, 0, 1]) + 0.5).abs() < 1e-12);
/// ```
pub fn adjusted_mutual_information<A: Ord, B: Ord>(one: &[A], other: &[B]) -> f64 {
    Contingency::new(one, other).adjusted_mutual_information()
}

/// Mutual information of two groupings into at most so many groups, above what chance gives groups of these sizes, over
/// the most that so many groups could share above the same: 1 if they are the same and of equal sizes. A small group
/// beside all the rest shares little, however often it comes out again.
///
/// # Panics
/// If the slices differ in length.
///
/// # Examples
/// ```
/// use xray_pipeline::measure::shared_information;
/// let (equal, small) = ([0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 0, 0, 0, 0, 0, 1]);
/// assert!((shared_information(&equal, &equal, 2) - 1.0).abs() < 1e-12);
/// assert!(shared_information(&small, &small, 2) < 0.5);
/// ```
pub fn shared_information<A: Ord, B: Ord>(one: &[A], other: &[B], n_groups: usize) -> f64 {
    Contingency::new(one, other).shared_information(n_groups)
}

#[cfg(test)]
mod tests;
