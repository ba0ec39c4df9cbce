//! The result of a fit: anchors, weights, and how they were found.

use std::ops::{ControlFlow, Range};

use rayon::prelude::*;

use crate::comm::{Collectives, Communicator};
use crate::cone::{Cone, ConeParts};
use crate::error::Result;
use crate::gram::{AnchorRows, NormalMatrix};
use crate::matrix::{Line, SparseMatrix};
use crate::observe::{Step, Termination};
use crate::ownership::Ownership;
use crate::packet::{Reader, Writer};
use crate::params::Descent;
use crate::path::Path;
use crate::project::{Kept, Projection, WeightBlock, project_block};
use crate::robust::Noise;

/// Anchors A and weights H with `X ~= X_A H`, for every rank up to the one asked for.
#[derive(Debug, Clone)]
pub struct Factorization {
    n_rows: usize,
    columns: Ownership,
    steps: Vec<Step>,
    termination: Termination,
    kkt_violation: f64,
    coefficients: Coefficients,
    parts: ConeParts,
    /// The relative residual without any anchor: 1, or 0 for a zero matrix.
    residual_of_nothing: f64,
    signed: bool,
    /// Coordinate descent instead of exact projections.
    descent: Option<Descent>,
    noise: Option<Noise>,
}

impl Factorization {
    /// Takes the cone apart; anchors beyond those to keep are dropped.
    pub(crate) fn new(cone: Cone<'_>, path: Path<'_>, termination: Termination) -> Result<Self> {
        let n_kept = path.n_kept(termination);
        let comm = cone.ranks().comm;
        let (n_rows, columns, signed) =
            (cone.gram.matrix.n_rows(), cone.ranks().columns, cone.signed);
        let descent = cone.descent();
        let residual_of_nothing = if cone.total > 0.0 { 1.0 } else { 0.0 };
        let (weights, parts) = cone.into_parts();
        let kkt_violation = comm.largest(parts.certificate().violation(&weights))?;
        let found = Self {
            n_rows,
            columns,
            coefficients: Coefficients::new(weights, parts.normal.size()),
            steps: path.steps,
            termination,
            kkt_violation,
            parts,
            residual_of_nothing,
            signed,
            descent,
            noise: None,
        };
        Ok(if n_kept < found.rank() { found.first_anchors(n_kept) } else { found })
    }

    pub(crate) fn with_noise(self, noise: Noise) -> Self {
        Self { noise: Some(noise), ..self }
    }

    /// What a [robust](crate::Params::robust) fit saw of the noise, and decided; none of other fits.
    ///
    /// # Examples
    /// ```
    /// use xray_nmf::synth::Synthetic;
    /// use xray_nmf::{Gate, Params, fit};
    /// let data = Synthetic { noise: 0.1, ..Synthetic::default() }.generate()?;
    /// let found = fit(&data.matrix, &Params { robust: true, allow_negative: true, ..Params::new(20) })?;
    /// let noise = found.noise().expect("it was robust");
    /// assert_eq!(noise.gate, Gate::Whitened);
    /// assert!((noise.deviation - 0.1).abs() < 0.01);
    /// # Ok::<(), xray_nmf::Error>(())
    /// ```
    pub fn noise(&self) -> Option<Noise> {
        self.noise
    }

    /// `X_A'X_A`.
    pub(crate) fn normal(&self) -> &NormalMatrix {
        &self.parts.normal
    }

    /// Number of anchors found.
    pub fn rank(&self) -> usize {
        self.steps.len()
    }

    /// Number of rows of X.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// Number of columns of X, on all ranks.
    pub fn n_columns(&self) -> usize {
        self.columns.n()
    }

    /// The columns whose weights are here: all of them, unless the fit ran on many ranks.
    pub fn own_columns(&self) -> Ownership {
        self.columns
    }

    /// The anchors, in the order found.
    pub fn anchors(&self) -> Vec<usize> {
        self.steps.iter().map(|step| step.anchor).collect()
    }

    /// One record for each anchor.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Why the run ended.
    pub fn termination(&self) -> Termination {
        self.termination
    }

    /// The largest violation of the projection's optimality conditions over all columns, relative
    /// to the norms involved: about 1e-13 for the exact solver, which passes over gradients below 2.5e-14.
    pub fn kkt_violation(&self) -> f64 {
        self.kkt_violation
    }

    /// At most how far `||X - X_A H||_F^2` lies above its minimum over H, relative to `||X||_F^2`: a proof, up
    /// to rounding of about 1e-15, of what a better solver could still gain. Next to nothing for the exact solver; it
    /// tells whether [coordinate descent](crate::Solver::CoordinateDescent) went far enough. After a fit on
    /// many ranks, of the own columns. `None` if X has negative entries: then no such bound is known.
    ///
    /// # Examples
    /// ```
    /// use xray_nmf::{DenseMatrix, Params, Solver, fit};
    /// let x = DenseMatrix::from_row_major(3, 3, vec![1.0, 2.0, 0.1, 0.5, 1.0, 1.0, 0.0, 0.2, 2.0])?;
    /// let quick = Params { solver: Solver::CoordinateDescent, ..Params::new(2) };
    /// let (exact, quick) = (fit(&x, &Params::new(2))?, fit(&x, &quick)?);
    /// let gained = quick.residual().powi(2) - exact.residual().powi(2);
    /// assert!(quick.excess_bound().is_some_and(|bound| gained <= bound + 1e-15));
    /// # Ok::<(), xray_nmf::Error>(())
    /// ```
    pub fn excess_bound(&self) -> Option<f64> {
        if self.signed {
            return None;
        }
        let certificate = self.parts.certificate();
        let columns = 0..self.coefficients.n_columns();
        let excess: Vec<f64> = columns
            .into_par_iter()
            .map(|i| certificate.excess(i, self.coefficients.column(i)))
            .collect();
        let sum = |values: &[f64]| values.iter().fold(0.0, |sum, v| sum + v);
        let total = sum(&self.parts.squared_norms);
        Some(if total > 0.0 { sum(&excess) / total } else { 0.0 })
    }

    /// `||X - X_A H||_F / ||X||_F` with all anchors; 1 without any, 0 for a zero matrix.
    pub fn residual(&self) -> f64 {
        self.steps.last().map_or(self.residual_of_nothing, |step| step.residual)
    }

    /// H.
    pub fn coefficients(&self) -> &Coefficients {
        &self.coefficients
    }

    /// `W = X_A`, column by column.
    pub fn anchor_columns(&self) -> &[Line] {
        &self.parts.rays
    }

    /// `W = X_A` as a matrix of its nonzero entries.
    pub fn anchor_matrix(&self) -> SparseMatrix<'static, f64> {
        let (mut offsets, mut rows, mut values) = (vec![0], Vec::new(), Vec::new());
        for column in self.anchor_columns() {
            column.for_each(|d, v| {
                // A sparse column keeps what it stores, as X does.
                if v != 0.0 || column.indices.is_some() {
                    rows.push(d as u32);
                    values.push(v);
                }
            });
            offsets.push(rows.len());
        }
        SparseMatrix::from_own_csc(self.n_rows, offsets, rows, values)
    }

    /// The solution of rank k: the first k anchors, and every column projected onto them alone.
    ///
    /// Bit for bit what a fit of rank k returns, without another selection. All of it if k is not
    /// smaller than the rank. Runs in the current rayon pool. After a fit on many ranks the
    /// certificate is that of the own columns.
    pub fn truncate(&self, k: usize) -> Self {
        if k >= self.rank() {
            return self.clone();
        }
        Self { termination: Termination::RankReached, ..self.first_anchors(k) }
    }

    /// Calls `visit(k, H)` for every rank k from 1 up, with the weights of [`truncate`](Self::truncate)
    /// at that rank: all ranks for about the price of the last.
    pub fn for_each_rank(&self, mut visit: impl FnMut(usize, Coefficients)) {
        let _ = self.try_for_each_rank(|k, h| {
            visit(k, h);
            ControlFlow::Continue(())
        });
    }

    /// The same until `visit` breaks.
    pub fn try_for_each_rank(
        &self,
        mut visit: impl FnMut(usize, Coefficients) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut path = Retraced::new(self);
        for t in 0..self.rank() {
            path.admit(t);
            visit(t + 1, Coefficients::new(path.weights.clone(), t + 1))?;
        }
        ControlFlow::Continue(())
    }

    fn first_anchors(&self, k: usize) -> Self {
        let mut path = Retraced::new(self);
        (0..k).for_each(|t| path.admit(t));
        let Retraced { inner_products, normal, weights, .. } = path;
        let parts = ConeParts {
            n_rows: self.n_rows,
            rays: self.parts.rays[..k].to_vec(),
            inner_products,
            normal,
            squared_norms: self.parts.squared_norms.clone(),
            basis: self.parts.basis.truncated(k),
            coordinates: self.parts.coordinates.iter().map(|known| known.truncated(k)).collect(),
        };
        Self {
            steps: self.steps[..k].to_vec(),
            kkt_violation: parts.certificate().violation(&weights),
            coefficients: Coefficients::new(weights, k),
            parts,
            ..*self
        }
    }
}

/// The projections of a run, made again anchor by anchor.
struct Retraced<'a> {
    found: &'a Factorization,
    blocks: Vec<Range<usize>>,
    inner_products: AnchorRows,
    normal: NormalMatrix,
    residuals: Vec<f64>,
    weights: Vec<WeightBlock>,
    kept: Vec<Kept>,
}

impl<'a> Retraced<'a> {
    fn new(found: &'a Factorization) -> Self {
        let blocks = found.columns.own_blocks();
        Self {
            inner_products: AnchorRows::new(found.columns.n_own()),
            normal: NormalMatrix::default(),
            residuals: found.parts.squared_norms.clone(),
            weights: blocks.iter().map(|block| WeightBlock::empty(block.len())).collect(),
            kept: found.parts.coordinates.iter().cloned().map(Kept::only).collect(),
            found,
            blocks,
        }
    }

    /// Adds anchor t and projects every column.
    fn admit(&mut self, t: usize) {
        let Factorization { parts, columns, signed, descent, .. } = self.found;
        self.inner_products.push_from(&parts.inner_products, t);
        self.normal.push(&parts.normal.row(t)[..=t]);
        let input = Projection {
            inner_products: &self.inner_products,
            normal: &self.normal,
            squared_norms: &parts.squared_norms,
            signed: *signed,
            descent: *descent,
            record: false,
            rays: parts.first_rays(t + 1),
        };
        let residuals = self.residuals.par_chunks_mut(columns.block_size());
        let blocks = self.weights.par_iter_mut().zip(&self.blocks).zip(&mut self.kept);
        blocks.zip(residuals).with_max_len(1).for_each(|(((weights, block), kept), residuals)| {
            *weights = project_block(&input, block.clone(), weights, kept, residuals).0;
        });
    }
}

/// One rank's columns of H on their way.
struct Part {
    lengths: Vec<u64>,
    anchors: Vec<u32>,
    values: Vec<f64>,
    /// Columns and entries that have been moved.
    moved: (usize, usize),
}

impl Part {
    fn read(message: &[u8]) -> Self {
        let mut reader = Reader(message);
        let (lengths, anchors) = (reader.take(), reader.take());
        Self { lengths, anchors, values: reader.take(), moved: (0, 0) }
    }

    /// Appends the next columns to `all`.
    fn move_columns(&mut self, n_columns: usize, all: &mut Coefficients) {
        let (column, entry) = self.moved;
        let mut end = entry;
        for length in &self.lengths[column..column + n_columns] {
            end += *length as usize;
            all.offsets.push(all.anchors.len() + end - entry);
        }
        all.anchors.extend_from_slice(&self.anchors[entry..end]);
        all.values.extend_from_slice(&self.values[entry..end]);
        self.moved = (column + n_columns, end);
    }
}

/// H (rank x n), stored by columns; positions of anchors ascend within each column.
#[derive(Debug, Clone, PartialEq)]
pub struct Coefficients {
    rank: usize,
    offsets: Vec<usize>,
    anchors: Vec<u32>,
    values: Vec<f64>,
}

impl Coefficients {
    /// Block after block, each given up as soon as it is copied.
    fn new(blocks: Vec<WeightBlock>, rank: usize) -> Self {
        let mut weights = Self { rank, offsets: vec![0], anchors: Vec::new(), values: Vec::new() };
        let mut sorted: Vec<(u32, f64)> = Vec::new();
        for block in blocks {
            for i in 0..block.n_columns() {
                let (anchors, values) = block.column(i);
                sorted.clear();
                sorted.extend(anchors.iter().copied().zip(values.iter().copied()));
                sorted.sort_unstable_by_key(|&(k, _)| k);
                weights.anchors.extend(sorted.iter().map(|&(k, _)| k));
                weights.values.extend(sorted.iter().map(|&(_, h)| h));
                weights.offsets.push(weights.anchors.len());
            }
        }
        weights
    }

    /// All ranks' columns, in order, on rank `root`; `None` on the others. Every rank calls this.
    ///
    /// # Errors
    /// If the ranks cannot exchange data.
    pub fn gathered(&self, comm: &dyn Communicator, root: usize) -> Result<Option<Self>> {
        let lengths: Vec<u64> = self.offsets.windows(2).map(|w| (w[1] - w[0]) as u64).collect();
        let mut writer = Writer::default();
        writer.put(&lengths);
        writer.put(&self.anchors);
        writer.put(&self.values);
        let mut messages = vec![Vec::new(); comm.size()];
        messages[root] = writer.0;
        let received = comm.exchange(messages)?;
        if comm.rank() != root {
            return Ok(None);
        }
        let mut parts: Vec<Part> = received.iter().map(|message| Part::read(message)).collect();
        let n_columns = parts.iter().map(|part| part.lengths.len()).sum();
        let columns = Ownership::columns(n_columns, comm);
        let mut all =
            Self { rank: self.rank, offsets: vec![0], anchors: Vec::new(), values: Vec::new() };
        for b in 0..columns.n_blocks() {
            let part = &mut parts[columns.block_owner(b)];
            part.move_columns(columns.block_lines(b).len(), &mut all);
        }
        Ok(Some(all))
    }

    /// Number of anchors.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Number of columns.
    pub fn n_columns(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Number of nonzero weights.
    pub fn n_nonzero(&self) -> usize {
        self.values.len()
    }

    /// Column i: positions of anchors (0 is the first anchor), ascending, and their weights.
    pub fn column(&self, i: usize) -> (&[u32], &[f64]) {
        let range = self.offsets[i]..self.offsets[i + 1];
        (&self.anchors[range.clone()], &self.values[range])
    }

    /// Column i with zeros.
    pub fn dense_column(&self, i: usize) -> Vec<f64> {
        let mut dense = vec![0.0; self.rank];
        let (anchors, values) = self.column(i);
        anchors.iter().zip(values).for_each(|(&k, &h)| dense[k as usize] = h);
        dense
    }

    /// All of H, one row for each anchor, row after row.
    pub fn to_dense(&self) -> Vec<f64> {
        let n = self.n_columns();
        let mut dense = vec![0.0; self.rank * n];
        for i in 0..n {
            let (anchors, values) = self.column(i);
            anchors.iter().zip(values).for_each(|(&k, &h)| dense[k as usize * n + i] = h);
        }
        dense
    }

    /// The same arrays as a matrix, rank x columns: no copy, and no check of what the engine made itself.
    ///
    /// # Examples
    /// ```
    /// use xray_nmf::{DenseMatrix, Matrix, Params, fit};
    /// let x = DenseMatrix::from_column_major(2, 3, vec![1.0, 0.0, 1.0, 1.0, 0.0, 1.0])?;
    /// let found = fit(&x, &Params::new(2))?;
    /// let (w, h) = (found.anchor_matrix(), found.coefficients().clone().into_matrix());
    /// assert_eq!(w.column(1).to_dense(2), [0.0, 1.0]);
    /// assert_eq!(h.row(0).to_dense(3), [1.0, 1.0, 0.0]);
    /// # Ok::<(), xray_nmf::Error>(())
    /// ```
    pub fn into_matrix(self) -> SparseMatrix<'static, f64> {
        SparseMatrix::from_own_csc(self.rank, self.offsets, self.anchors, self.values)
    }

    /// The column-compressed arrays: offsets, positions of anchors, weights.
    pub fn csc(&self) -> (&[usize], &[u32], &[f64]) {
        (&self.offsets, &self.anchors, &self.values)
    }
}
