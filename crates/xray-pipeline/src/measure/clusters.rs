//! Agreement of two groupings of the same items: true classes and found clusters.
//!
//! With `n_ij` items of class i in cluster j, totals `n_i` and `n_j`, and n items:
//!
//! ```text
//! mutual information   I = sum_ij n_ij/n ln(n n_ij / (n_i n_j))
//! entropies            H = sum_i n_i/n ln(n / n_i), and so for j
//! NMI                  I / ((H_classes + H_clusters) / 2)
//! matched accuracy     largest sum of n_ij / n over one-to-one matchings of classes and clusters
//! purity               sum_j max_i n_ij / n
//! ```
//!
//! Labels may be of any ordered type. Items without a cluster (`None` of [`argmax_rows`]) are a
//! cluster of their own. Degenerate cases are those of scikit-learn: NMI is 1 if neither grouping
//! splits the items (or there are none), and 0 if only one of them does. Sums are taken over sorted
//! terms, so NMI is symmetric and does not depend on the names of the groups, bit for bit.
//!
//! Cost: `O(n log n)` and memory `O(n)`; the matching of a classes and b clusters adds
//! `O(min(a, b) a b)` and a table of a b numbers.

use crate::error::{Result, check_rows};
use crate::labelling::dense_ids;
use crate::matching::cheapest_matching;

/// How many items each pair of a class (row) and a cluster (column) shares.
///
/// # Examples
/// ```
/// use xray_eval::Contingency;
/// let table = Contingency::new(&["a", "a", "b", "b"], &[7, 7, 7, 9]);
/// assert_eq!(table.cells(), [(0, 0, 2), (1, 0, 1), (1, 1, 1)]);
/// assert_eq!(table.count(0, 1), 0);
/// assert_eq!(table.matched_accuracy(), 0.75);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contingency {
    n_items: usize,
    /// (row, column, count), ascending, counts above 0.
    cells: Vec<(usize, usize, usize)>,
    row_totals: Vec<usize>,
    column_totals: Vec<usize>,
}

impl Contingency {
    /// Counts the pairs of labels; rows and columns are the distinct labels in ascending order.
    ///
    /// # Panics
    /// If the slices differ in length.
    pub fn new<A: Ord, B: Ord>(classes: &[A], clusters: &[B]) -> Self {
        let (a, b) = (classes.len(), clusters.len());
        assert_eq!(a, b, "{a} items have a class, but {b} have a cluster");
        let (rows, columns) = (dense_ids(classes).0, dense_ids(clusters).0);
        let mut pairs: Vec<(usize, usize)> = rows.into_iter().zip(columns).collect();
        pairs.sort_unstable();
        let cells = pairs.chunk_by(|p, q| p == q).map(|same| (same[0].0, same[0].1, same.len()));
        Self::from_counts(cells.collect())
    }

    /// From cells as [`cells`](Self::cells) gives them, each pair of class and cluster once.
    ///
    /// # Examples
    /// ```
    /// use xray_eval::Contingency;
    /// let table = Contingency::new(&["a", "b", "b"], &[4, 9, 9]);
    /// assert_eq!(Contingency::from_counts(table.cells().to_vec()), table);
    /// ```
    pub fn from_counts(mut cells: Vec<(usize, usize, usize)>) -> Self {
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

    /// Number of items.
    pub fn n_items(&self) -> usize {
        self.n_items
    }

    /// The nonzero cells as (row, column, count), row after row.
    pub fn cells(&self) -> &[(usize, usize, usize)] {
        &self.cells
    }

    /// Items of each class.
    pub fn row_totals(&self) -> &[usize] {
        &self.row_totals
    }

    /// Items of each cluster.
    pub fn column_totals(&self) -> &[usize] {
        &self.column_totals
    }

    /// Items of class `row` in cluster `column`.
    pub fn count(&self, row: usize, column: usize) -> usize {
        let place = self.cells.binary_search_by_key(&(row, column), |&(i, j, _)| (i, j));
        place.map_or(0, |place| self.cells[place].2)
    }

    /// Mutual information over the arithmetic mean of the entropies: between 0 and 1.
    pub fn normalized_mutual_information(&self) -> f64 {
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

    /// The cluster of each class in the one-to-one matching that shares the most items.
    pub fn matching(&self) -> Vec<Option<usize>> {
        let (n_rows, n_columns) = (self.row_totals.len(), self.column_totals.len());
        let mut shared = vec![0.0; n_rows * n_columns];
        for &(i, j, count) in &self.cells {
            shared[i * n_columns + j] = count as f64;
        }
        cheapest_matching(n_rows, n_columns, |i, j| -shared[i * n_columns + j])
    }

    /// The share of items whose class is matched with their cluster; 1 if there are no items.
    ///
    /// Items of classes or clusters without a partner count as wrong.
    pub fn matched_accuracy(&self) -> f64 {
        let matched = self.matching();
        let right = (0..matched.len()).filter_map(|i| matched[i].map(|j| self.count(i, j))).sum();
        self.share(right)
    }

    /// The share of items that are of their cluster's most frequent class; 1 if there are no items.
    pub fn purity(&self) -> f64 {
        let mut largest = vec![0; self.column_totals.len()];
        for &(_, j, count) in &self.cells {
            largest[j] = count.max(largest[j]);
        }
        self.share(largest.iter().sum())
    }

    fn share(&self, items: usize) -> f64 {
        if self.n_items == 0 { 1.0 } else { items as f64 / self.n_items as f64 }
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

/// [`Contingency::normalized_mutual_information`] of two groupings.
///
/// # Panics
/// If the slices differ in length.
///
/// # Examples
/// ```
/// use xray_eval::normalized_mutual_information;
/// assert_eq!(normalized_mutual_information(&[0, 0, 1, 1], &[5, 5, 3, 3]), 1.0);
/// assert_eq!(normalized_mutual_information(&[0, 0, 1, 1], &[0, 1, 0, 1]), 0.0);
/// ```
pub fn normalized_mutual_information<A: Ord, B: Ord>(classes: &[A], clusters: &[B]) -> f64 {
    Contingency::new(classes, clusters).normalized_mutual_information()
}

/// [`Contingency::matched_accuracy`] of two groupings.
///
/// # Panics
/// If the slices differ in length.
///
/// # Examples
/// ```
/// use xray_eval::matched_accuracy;
/// assert_eq!(matched_accuracy(&[0, 0, 0, 1], &[8, 8, 9, 9]), 0.75);
/// ```
pub fn matched_accuracy<A: Ord, B: Ord>(classes: &[A], clusters: &[B]) -> f64 {
    Contingency::new(classes, clusters).matched_accuracy()
}

/// [`Contingency::purity`] of the clusters.
///
/// # Panics
/// If the slices differ in length.
///
/// # Examples
/// ```
/// assert_eq!(xray_eval::purity(&[0, 0, 0, 1], &[8, 9, 9, 9]), 0.75);
/// ```
pub fn purity<A: Ord, B: Ord>(classes: &[A], clusters: &[B]) -> f64 {
    Contingency::new(classes, clusters).purity()
}

/// The cluster of each row: the column of its largest weight, the lowest one among ties.
///
/// `weights` has `rank` entries for each row, row after row, and is taken as given: scale its
/// columns first if topics differ in scale. A row without a positive weight is in no cluster,
/// `None`.
///
/// # Errors
/// If the length is not a multiple of `rank`, or a weight is not finite.
///
/// # Examples
/// ```
/// let clusters = xray_eval::argmax_rows(&[0.2, 0.5, 3.0, 3.0, 0.0, 0.0], 2)?;
/// assert_eq!(clusters, [Some(1), Some(0), None]);
/// # Ok::<(), xray_eval::Error>(())
/// ```
pub fn argmax_rows(weights: &[f64], rank: usize) -> Result<Vec<Option<usize>>> {
    check_rows("weights", weights, rank)?;
    let largest = |row: &[f64]| {
        let best = (0..rank).reduce(|best, k| if row[k] > row[best] { k } else { best });
        best.filter(|&k| row[k] > 0.0)
    };
    Ok(weights.chunks_exact(rank.max(1)).map(largest).collect())
}
