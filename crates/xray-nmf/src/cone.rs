//! The current cone: its rays, and every column's projection onto it. Algebra only.
//!
//! | symbol | identifier | kept |
//! |---|---|---|
//! | `X_A` | `rays` | on every rank |
//! | `C_A = X_A'X` | `inner_products` | own columns |
//! | `S = C_AA` | `normal` | on every rank |
//! | H | `weights` | own columns, sparse |
//! | `\|\|R_i\|\|^2` | `residuals` | own columns |

use rayon::prelude::*;

use crate::error::Result;
use crate::gram::{AnchorRows, ColumnState, Gram, GramColumn, NormalMatrix};
use crate::matrix::Line;
use crate::params::Descent;
use crate::project::{
    Basis, Certificate, ChangeBlock, Coordinates, Kept, Projection, Rays, WeightBlock,
    project_block,
};
use crate::ranks::Ranks;

/// Below this share of `||X_i||^2` the difference `C_ii - c_i'h_i` has lost its digits, and the
/// residual is computed from X itself.
pub(crate) const CANCELLATION: f64 = 1e-10;

/// The cone and all projections onto it, seen from one rank.
#[derive(Debug)]
pub(crate) struct Cone<'a> {
    pub(crate) gram: Gram<'a>,
    /// `||X_i||^2`, own columns.
    pub(crate) squared_norms: Vec<f64>,
    /// `||X||_F^2`.
    pub(crate) total: f64,
    pub(crate) signed: bool,
    pub(crate) inner_products: AnchorRows,
    pub(crate) normal: NormalMatrix,
    pub(crate) weights: Vec<WeightBlock>,
    pub(crate) residuals: Vec<f64>,
    rays: Vec<Line>,
    basis: Basis,
    kept: Vec<Kept>,
    descent: Option<Descent>,
    /// While a step can be given up: the weights without its ray, of the blocks that have been projected.
    before: Option<Vec<Option<WeightBlock>>>,
}

impl<'a> Cone<'a> {
    /// The empty cone: nothing is explained.
    pub(crate) fn new(gram: Gram<'a>, signed: bool, descent: Option<Descent>) -> Result<Self> {
        let squared_norms = gram.matrix.squared_norms();
        let blocks = gram.ranks.columns.own_blocks();
        let mut cone = Self {
            residuals: squared_norms.clone(),
            squared_norms,
            total: 0.0,
            signed,
            inner_products: AnchorRows::new(gram.ranks.columns.n_own()),
            normal: NormalMatrix::default(),
            weights: blocks.iter().map(|b| WeightBlock::empty(b.len())).collect(),
            rays: Vec::new(),
            basis: Basis::default(),
            kept: blocks.iter().map(|b| Kept::new(b.len(), &gram.factors)).collect(),
            descent,
            before: None,
            gram,
        };
        cone.total = cone.residual()?;
        Ok(cone)
    }

    /// A cone of the same columns without any ray, and without a cache.
    pub(crate) fn emptied(&self) -> Result<Self> {
        Self::new(self.gram.without_cache(), self.signed, self.descent)
    }

    pub(crate) fn ranks(&self) -> &Ranks<'a> {
        &self.gram.ranks
    }

    pub(crate) fn descent(&self) -> Option<Descent> {
        self.descent
    }

    /// Number of rays, counting a virtual one.
    pub(crate) fn n_rays(&self) -> usize {
        self.normal.size()
    }

    /// Ray k, on every rank.
    pub(crate) fn ray(&self, k: usize) -> &Line {
        &self.rays[k]
    }

    /// `||R||_F^2`, summed in block order.
    pub(crate) fn residual(&self) -> Result<f64> {
        self.ranks().sum_blocks(|range| self.residuals[range].iter().fold(0.0, |sum, r| sum + r))
    }

    /// Whether own column i lies outside the cone.
    pub(crate) fn is_exterior(&self, i: usize, tolerance: f64) -> bool {
        self.residuals[i] > tolerance * tolerance * self.squared_norms[i]
    }

    /// The size of the terms that the squared residual of own column i was computed from: `||X_i||^2`, or,
    /// where it is the square of a vector, of that vector and of what it is the difference of.
    pub(crate) fn residual_terms(&self, i: usize) -> f64 {
        let (residual, squared_norm) = (self.residuals[i], self.squared_norms[i]);
        if residual < CANCELLATION * squared_norm {
            (residual * squared_norm).sqrt()
        } else {
            squared_norm
        }
    }

    /// Weights of own column i.
    pub(crate) fn column_weights(&self, i: usize) -> (&[u32], &[f64]) {
        let block = self.ranks().columns.block_size();
        self.weights[i / block].column(i % block)
    }

    /// `||X_i - X_A h||^2` of own column i and any weights of the rays, from the columns themselves.
    pub(crate) fn explicit_residual(&self, i: usize, rays: &[u32], weights: &[f64]) -> f64 {
        explicit_residual(self.gram.matrix.column(i), &self.rays, rays, weights)
    }

    /// What others need to know of own column i.
    pub(crate) fn state(&self, i: usize) -> ColumnState {
        let mut inner_products = vec![0.0; self.n_rays()];
        self.inner_products.gather(i, &mut inner_products);
        let (rays, weights) = self.column_weights(i);
        ColumnState {
            squared_norm: self.squared_norms[i],
            inner_products,
            rays: rays.to_vec(),
            weights: weights.to_vec(),
        }
    }

    /// Adds column j as a ray: `C_A` and S grow by one row. The projections do not change yet.
    pub(crate) fn admit(&mut self, j: usize) -> Result<()> {
        let fetched = self.gram.fetch(j, |i| self.state(i))?;
        let gram = self.gram.once(&fetched)?;
        self.gram.forget(j);
        let mut inner = fetched.state.inner_products;
        inner.push(fetched.state.squared_norm);
        self.push_ray(fetched.entries, &gram, &inner);
        Ok(())
    }

    /// Starts the cone with a ray that is no column of X: `vector` (one entry for each row).
    pub(crate) fn admit_virtual(&mut self, vector: Vec<f64>) {
        assert_eq!(self.n_rays(), 0, "a virtual ray comes first");
        let squared_norm = vector.iter().fold(0.0, |sum, v| sum + v * v);
        let ray = Line { indices: None, values: vector };
        let gram = self.gram.matrix.gram(&[&ray]).remove(0);
        self.push_ray(ray, &gram, &[squared_norm]);
    }

    fn push_ray(&mut self, ray: Line, gram: &GramColumn, inner_products: &[f64]) {
        self.inner_products.push(gram);
        self.normal.push(inner_products);
        self.rays.push(ray);
        self.basis.push(&self.normal);
        let blocks = || vec![None; self.weights.len()];
        self.before = self.ranks().stop.is_possible().then(blocks);
    }

    /// The step with the newest ray is complete.
    pub(crate) fn settle(&mut self) {
        self.before = None;
    }

    /// Takes back the newest ray, if its step is not complete: rays and weights are as they were before. They
    /// can be taken [apart](Self::into_parts) then, but not projected any more.
    pub(crate) fn retract(&mut self) {
        let Some(before) = self.before.take() else { return };
        for (weights, before) in self.weights.iter_mut().zip(before) {
            if let Some(before) = before {
                *weights = before;
            }
        }
        self.inner_products.pop();
        self.normal.pop();
        self.rays.pop();
        let n_rays = self.n_rays();
        self.basis = self.basis.truncated(n_rays);
        for kept in &mut self.kept {
            kept.coordinates = kept.coordinates.truncated(n_rays);
        }
    }

    fn rays(&self) -> Rays<'_> {
        let matrix = self.gram.matrix;
        let n_rows = matrix.n_rows();
        Rays { lines: &self.rays, basis: &self.basis, n_rows, matrix: Some(matrix) }
    }

    /// Projects all columns onto the cone with its newest ray; an error if it is to stop before the end.
    pub(crate) fn project(&mut self, record: bool) -> Result<Vec<ChangeBlock>> {
        let input = Projection {
            inner_products: &self.inner_products,
            normal: &self.normal,
            squared_norms: &self.squared_norms,
            signed: self.signed,
            descent: self.descent,
            record,
            rays: Rays {
                lines: &self.rays,
                basis: &self.basis,
                n_rows: self.gram.matrix.n_rows(),
                matrix: Some(self.gram.matrix),
            },
        };
        let Ranks { columns, stop, .. } = *self.ranks();
        let (matrix, rays) = (self.gram.matrix, &self.rays);
        let mut nowhere = vec![None; self.weights.len()];
        let before = self.before.as_mut().unwrap_or(&mut nowhere).par_iter_mut();
        let residuals = self.residuals.par_chunks_mut(columns.block_size());
        let blocks = columns.own_blocks();
        let kept = self.kept.par_iter_mut().zip(before);
        let changes =
            self.weights.par_iter_mut().zip(blocks).zip(kept).zip(residuals).with_max_len(1).map(
                |(((weights, range), (kept, before)), residuals)| {
                    stop.check()?;
                    let start = range.start;
                    let (new, changes) = project_block(&input, range, weights, kept, residuals);
                    let old = std::mem::replace(weights, new);
                    *before = stop.is_possible().then_some(old);
                    for &i in &changes.columns {
                        let (i, local) = (i as usize, i as usize - start);
                        if residuals[local] < CANCELLATION * input.squared_norms[i] {
                            let (anchors, values) = weights.column(local);
                            residuals[local] =
                                explicit_residual(matrix.column(i), rays, anchors, values);
                        }
                    }
                    Ok(changes)
                },
            );
        changes.collect()
    }

    /// Takes the cone apart: H, and what remains.
    pub(crate) fn into_parts(mut self) -> (Vec<WeightBlock>, ConeParts) {
        let mut kept = std::mem::take(&mut self.kept);
        let rays = self.rays();
        kept.iter_mut().for_each(|kept| kept.coordinates.complete(&rays));
        self.basis.forget_directions();
        let parts = ConeParts {
            n_rows: self.gram.matrix.n_rows(),
            rays: self.rays,
            inner_products: self.inner_products,
            normal: self.normal,
            squared_norms: self.squared_norms,
            basis: self.basis,
            coordinates: kept.into_iter().map(|kept| kept.coordinates).collect(),
        };
        (self.weights, parts)
    }
}

/// What remains of a cone when the run is over.
#[derive(Debug, Clone)]
pub(crate) struct ConeParts {
    pub(crate) n_rows: usize,
    pub(crate) rays: Vec<Line>,
    pub(crate) inner_products: AnchorRows,
    pub(crate) normal: NormalMatrix,
    pub(crate) squared_norms: Vec<f64>,
    pub(crate) basis: Basis,
    /// Of each block, for the columns that needed them.
    pub(crate) coordinates: Vec<Coordinates>,
}

impl ConeParts {
    /// What tells how good weights are.
    pub(crate) fn certificate(&self) -> Certificate<'_> {
        Certificate {
            inner_products: &self.inner_products,
            normal: &self.normal,
            squared_norms: &self.squared_norms,
            rays: self.first_rays(self.rays.len()),
            coordinates: &self.coordinates,
        }
    }

    /// The first rays; all coordinates with respect to them are known.
    pub(crate) fn first_rays(&self, n_rays: usize) -> Rays<'_> {
        let (lines, n_rows) = (&self.rays[..n_rays], self.n_rows);
        Rays { lines, basis: &self.basis, n_rows, matrix: None }
    }
}

/// `||X_i - X_A h||^2` from the columns themselves.
fn explicit_residual(own: Line, rays: &[Line], anchors: &[u32], weights: &[f64]) -> f64 {
    let parts = anchors.iter().zip(weights).map(|(&k, &h)| (&rays[k as usize], -h));
    let mut entries: Vec<(usize, f64)> = Vec::new();
    own.for_each(|d, v| entries.push((d, v)));
    for (column, factor) in parts {
        column.for_each(|d, v| entries.push((d, factor * v)));
    }
    entries.sort_by_key(|&(d, _)| d);
    let sums = entries.chunk_by(|a, b| a.0 == b.0);
    sums.map(|same_row| same_row.iter().fold(0.0, |sum, (_, v)| sum + v))
        .fold(0.0, |sum, difference| sum + difference * difference)
}
