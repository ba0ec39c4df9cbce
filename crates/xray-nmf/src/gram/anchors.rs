//! What is kept of C for the anchors: `C_A` (t x n) and `S = C_AA` (t x t).

use std::ops::Range;

use super::GramColumn;
use crate::matrix::kernels::Lanes;

/// Anchors in a panel: one cache line.
pub(crate) const ANCHOR_PANEL: usize = 8;

/// The coefficients of one column with respect to the anchors of a panel.
pub(crate) type PanelProducts = [f64; ANCHOR_PANEL];

/// `C_Ai = X_A'X_i` for all columns i, in panels of 8 anchors so that one column's coefficients
/// lie in few cache lines and a new anchor moves nothing.
#[derive(Debug, Clone, Default)]
pub(crate) struct AnchorRows {
    n_columns: usize,
    n_anchors: usize,
    panels: Vec<Vec<PanelProducts>>,
}

impl AnchorRows {
    pub(crate) fn new(n_columns: usize) -> Self {
        Self { n_columns, n_anchors: 0, panels: Vec::new() }
    }

    /// Appends `C_t` of a new anchor t.
    pub(crate) fn push(&mut self, row: &GramColumn) {
        let lane = self.n_anchors % ANCHOR_PANEL;
        if lane == 0 {
            self.panels.push(vec![[0.0; ANCHOR_PANEL]; self.n_columns]);
        }
        let panel = self.panels.last_mut().expect("a panel was just made");
        row.for_each(|i, c| panel[i][lane] = c);
        self.n_anchors += 1;
    }

    /// Drops the newest anchor.
    pub(crate) fn pop(&mut self) {
        self.n_anchors -= 1;
        let lane = self.n_anchors % ANCHOR_PANEL;
        if lane == 0 {
            self.panels.pop();
        } else if let Some(panel) = self.panels.last_mut() {
            panel.iter_mut().for_each(|products| products[lane] = 0.0);
        }
    }

    /// Appends row k of `other`.
    pub(crate) fn push_from(&mut self, other: &AnchorRows, k: usize) {
        let row = (0..self.n_columns).map(|i| other.get(k, i)).collect();
        self.push(&GramColumn::Dense(row));
    }

    /// `C_ki`.
    #[inline(always)]
    pub(crate) fn get(&self, k: usize, i: usize) -> f64 {
        self.panels[k / ANCHOR_PANEL][i][k % ANCHOR_PANEL]
    }

    /// Copies `C_ki` for the first `out.len()` anchors k, rounded up to whole panels in `out`'s
    /// spare capacity.
    #[inline(always)]
    pub(crate) fn gather(&self, i: usize, out: &mut [f64]) {
        for (part, panel) in out.chunks_mut(ANCHOR_PANEL).zip(&self.panels) {
            part.copy_from_slice(&panel[i][..part.len()]);
        }
    }

    /// `C_Ai` for up to 16 listed columns i at once: `batch[k][l] = C_ki` for the l-th of them.
    #[inline(always)]
    pub(crate) fn gather_batch(&self, columns: &[u32], batch: &mut [Lanes]) {
        for (part, panel) in batch.chunks_mut(ANCHOR_PANEL).zip(&self.panels) {
            for (l, &i) in columns.iter().enumerate() {
                let values = &panel[i as usize];
                part.iter_mut().zip(values).for_each(|(lanes, v)| lanes[l] = *v);
            }
        }
    }

    /// The panels restricted to the columns in `range`.
    pub(crate) fn panels_in(&self, range: Range<usize>) -> Vec<&[PanelProducts]> {
        self.panels.iter().map(|panel| &panel[range.clone()]).collect()
    }
}

/// `S = X_A'X_A`, growing by one anchor at a time.
#[derive(Debug, Clone, Default)]
pub(crate) struct NormalMatrix {
    size: usize,
    stride: usize,
    values: Vec<f64>,
    /// `1 / ||X_k||`: gradients are compared after scaling anchors to unit length.
    inverse_norms: Vec<f64>,
}

impl NormalMatrix {
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    /// From all rows of a symmetric matrix with a positive diagonal.
    pub(crate) fn from_rows(rows: &[Vec<f64>]) -> Self {
        let mut matrix = Self::default();
        for (k, row) in rows.iter().enumerate() {
            matrix.push(&row[..=k]);
        }
        matrix
    }

    /// `change(k, l, S_kl)` instead of each entry; only those with l <= k are asked for.
    pub(crate) fn map(&self, change: impl Fn(usize, usize, f64) -> f64) -> Self {
        let mut matrix = Self::default();
        for k in 0..self.size {
            let row = self.row(k)[..=k].iter().enumerate();
            matrix.push(&row.map(|(l, &v)| change(k, l, v)).collect::<Vec<_>>());
        }
        matrix
    }

    /// Appends anchor t, given `C_kt` for all anchors k up to and including t.
    pub(crate) fn push(&mut self, row: &[f64]) {
        let t = self.size;
        assert_eq!(row.len(), t + 1, "one inner product for each anchor");
        if t == self.stride {
            self.widen();
        }
        for (k, &value) in row.iter().enumerate() {
            self.values[t * self.stride + k] = value;
            self.values[k * self.stride + t] = value;
        }
        let norm = row[t].sqrt();
        self.inverse_norms.push(if norm > 0.0 { 1.0 / norm } else { 0.0 });
        self.size += 1;
    }

    /// Drops the newest anchor.
    pub(crate) fn pop(&mut self) {
        self.size -= 1;
        self.inverse_norms.pop();
    }

    fn widen(&mut self) {
        let stride = (2 * self.stride).max(ANCHOR_PANEL);
        let mut values = vec![0.0; stride * stride];
        for k in 0..self.size {
            let old = &self.values[k * self.stride..][..self.size];
            values[k * stride..][..self.size].copy_from_slice(old);
        }
        (self.stride, self.values) = (stride, values);
    }

    /// Row k, one value for each anchor.
    #[inline(always)]
    pub(crate) fn row(&self, k: usize) -> &[f64] {
        &self.values[k * self.stride..][..self.size]
    }

    #[inline(always)]
    pub(crate) fn inverse_norm(&self, k: usize) -> f64 {
        self.inverse_norms[k]
    }
}
