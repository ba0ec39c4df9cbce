//! One column of `X'X`, own part.

use std::ops::Range;

use crate::matrix::kernels::Lanes;

/// One column of `X'X`, dense or sparse, whichever is smaller.
#[derive(Debug, Clone, PartialEq)]
pub enum GramColumn {
    /// One value for each column of X.
    Dense(Vec<f64>),
    /// The nonzero values, in ascending order of their indices.
    Sparse {
        /// Number of columns of X.
        n: usize,
        /// Ascending column indices.
        indices: Vec<u32>,
        /// The values at `indices`.
        values: Vec<f64>,
    },
}

/// Bytes of a stored index and value against those of a dense value.
const SPARSE_BYTES: usize = 12;
const DENSE_BYTES: usize = 8;

impl GramColumn {
    /// From all values, keeping the vector if dense storage is the smaller.
    pub(crate) fn from_dense(values: Vec<f64>) -> Self {
        match Self::sparse_from(&values) {
            Some(sparse) => sparse,
            None => GramColumn::Dense(values),
        }
    }

    /// From all values, copied.
    pub(crate) fn from_slice(values: &[f64]) -> Self {
        Self::sparse_from(values).unwrap_or_else(|| GramColumn::Dense(values.to_vec()))
    }

    /// The sparse form, if it is the smaller one.
    fn sparse_from(values: &[f64]) -> Option<Self> {
        let stored = values.iter().filter(|v| **v != 0.0).count();
        if stored * SPARSE_BYTES >= values.len() * DENSE_BYTES {
            return None;
        }
        // Every value is written, and kept by moving on: no branch to mispredict.
        let (mut indices, mut kept) = (vec![0u32; stored + 1], vec![0.0; stored + 1]);
        let mut next = 0;
        for (i, &v) in values.iter().enumerate() {
            indices[next] = i as u32;
            kept[next] = v;
            next += usize::from(v != 0.0);
        }
        indices.truncate(stored);
        kept.truncate(stored);
        Some(GramColumn::Sparse { n: values.len(), indices, values: kept })
    }

    /// Number of columns of X.
    pub fn len(&self) -> usize {
        match self {
            GramColumn::Dense(values) => values.len(),
            GramColumn::Sparse { n, .. } => *n,
        }
    }

    /// Whether X has no columns.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Memory taken.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            GramColumn::Dense(values) => values.len() * DENSE_BYTES,
            GramColumn::Sparse { indices, .. } => indices.len() * SPARSE_BYTES,
        }
    }

    /// Number of stored values.
    pub(crate) fn n_stored(&self) -> usize {
        match self {
            GramColumn::Dense(values) => values.len(),
            GramColumn::Sparse { values, .. } => values.len(),
        }
    }

    /// Calls `visit(i, value)` for the stored values with i in `range`, in ascending order.
    pub(crate) fn for_each_in(&self, range: Range<usize>, mut visit: impl FnMut(usize, f64)) {
        match self {
            GramColumn::Dense(values) => {
                range.clone().zip(&values[range]).for_each(|(i, &v)| visit(i, v));
            }
            GramColumn::Sparse { indices, values, .. } => {
                let from = indices.partition_point(|&i| (i as usize) < range.start);
                for (&i, &v) in indices[from..].iter().zip(&values[from..]) {
                    if i as usize >= range.end {
                        break;
                    }
                    visit(i as usize, v);
                }
            }
        }
    }

    /// Calls `visit(i, value)` for all stored values.
    pub(crate) fn for_each(&self, visit: impl FnMut(usize, f64)) {
        self.for_each_in(0..self.len(), visit);
    }

    /// Writes the values in `range` into lane `lane` of `out`, whose first entry is `range.start`.
    pub(crate) fn fill_lane(&self, range: Range<usize>, lane: usize, out: &mut [Lanes]) {
        match self {
            GramColumn::Dense(values) => {
                out.iter_mut().zip(&values[range]).for_each(|(lanes, v)| lanes[lane] = *v);
            }
            GramColumn::Sparse { .. } => {
                let start = range.start;
                self.for_each_in(range, |i, v| out[i - start][lane] = v);
            }
        }
    }
}
