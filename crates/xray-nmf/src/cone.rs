//! The current cone: its rays, and every column's projection onto it.
//!
//! | symbol | identifier | kept |
//! |---|---|---|
//! | `X_A` | `ray_columns` | on every rank |
//! | `C_A = X_A'X` | `rows` | own columns |
//! | `S = C_AA` | `s` | on every rank |
//! | H | `weights` | own columns, sparse |
//! | `\|\|R_i\|\|^2` | `residuals` | own columns |

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;

use crate::comm::{Collectives, Communicator};
use crate::error::Result;
use crate::gram::{AnchorRows, GramCache, GramColumn, NormalMatrix};
use crate::matrix::{Column, Matrix};
use crate::ownership::Ownership;
use crate::packet::{Reader, Writer};
use crate::params::Descent;
use crate::project::{ChangeBlock, Factors, Projection, WeightBlock, kkt_violation, project_block};

/// Below this share of `||X_i||^2` the difference `C_ii - c_i'h_i` has lost its digits, and the
/// residual is computed from X itself.
const CANCELLATION: f64 = 1e-10;

/// A column as its owner sends it to all ranks.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sent {
    pub(crate) index: usize,
    pub(crate) column: Column,
    pub(crate) squared_norm: f64,
    /// `C_Aj`: one for each ray.
    pub(crate) coefficients: Vec<f64>,
    /// The rays that its projection uses, and their weights.
    pub(crate) rays: Vec<u32>,
    pub(crate) weights: Vec<f64>,
}

/// The cone and all projections onto it, seen from one rank.
pub(crate) struct Cone<'a> {
    pub(crate) matrix: &'a dyn Matrix,
    pub(crate) comm: &'a dyn Communicator,
    pub(crate) layout: Ownership,
    /// `||X_i||^2`, own columns.
    pub(crate) squared_norms: Vec<f64>,
    /// `||X||_F^2`.
    pub(crate) total: f64,
    pub(crate) signed: bool,
    pub(crate) rows: AnchorRows,
    pub(crate) s: NormalMatrix,
    pub(crate) weights: Vec<WeightBlock>,
    pub(crate) residuals: Vec<f64>,
    ray_columns: Vec<Column>,
    factors: Vec<Factors>,
    descent: Option<Descent>,
    cache: Mutex<GramCache>,
}

impl<'a> Cone<'a> {
    /// The empty cone: nothing is explained.
    pub(crate) fn new(
        matrix: &'a dyn Matrix,
        comm: &'a dyn Communicator,
        layout: Ownership,
        signed: bool,
        descent: Option<Descent>,
        memory: usize,
    ) -> Result<Self> {
        let squared_norms = matrix.squared_norms();
        let weights = layout.own_blocks().iter().map(|b| WeightBlock::empty(b.len())).collect();
        let mut cone = Self {
            matrix,
            comm,
            layout,
            residuals: squared_norms.clone(),
            squared_norms,
            total: 0.0,
            signed,
            rows: AnchorRows::new(layout.n_own()),
            s: NormalMatrix::default(),
            weights,
            ray_columns: Vec::new(),
            factors: layout.own_blocks().iter().map(|b| Factors::new(b.len())).collect(),
            descent,
            cache: Mutex::new(GramCache::new(memory)),
        };
        cone.total = cone.residual()?;
        Ok(cone)
    }

    pub(crate) fn descent(&self) -> Option<Descent> {
        self.descent
    }

    /// Number of rays, counting a virtual one.
    pub(crate) fn n_rays(&self) -> usize {
        self.s.size()
    }

    /// `||R||_F^2`, summed in block order.
    pub(crate) fn residual(&self) -> Result<f64> {
        self.sum_blocks(|range| self.residuals[range].iter().fold(0.0, |sum, r| sum + r))
    }

    /// Sums `part` over all blocks of all ranks in block order.
    pub(crate) fn sum_blocks(
        &self,
        part: impl Fn(Range<usize>) -> f64 + Sync + Send,
    ) -> Result<f64> {
        let local: Vec<f64> = self.layout.own_blocks().into_par_iter().map(part).collect();
        let all = self.comm.gather(&local)?;
        let in_order = self.layout.in_block_order(&all, 1);
        Ok(in_order.iter().fold(0.0, |sum, part| sum + part[0]))
    }

    /// Sums vectors of equal length over all blocks: first those of each rank, then over the ranks.
    ///
    /// The last bits depend on the number of ranks, so this is for bounds only; it spares sending a
    /// vector for each block.
    pub(crate) fn sum_for_bounds(
        &self,
        length: usize,
        part: impl Fn(usize, Range<usize>) -> Vec<f64> + Sync,
    ) -> Result<Vec<f64>> {
        let blocks = self.layout.own_blocks();
        let local: Vec<Vec<f64>> = blocks
            .into_par_iter()
            .enumerate()
            .with_max_len(1)
            .map(|(b, range)| part(b, range))
            .collect();
        let mut sum = vec![0.0; length];
        let add = |sum: &mut Vec<f64>, part: &[f64]| {
            sum.iter_mut().zip(part).for_each(|(s, v)| *s += v);
        };
        local.iter().for_each(|part| add(&mut sum, part));
        if self.comm.size() == 1 {
            return Ok(sum);
        }
        let mut total = vec![0.0; length];
        let all = self.comm.gather(&sum)?;
        all.chunks(length.max(1)).for_each(|part| add(&mut total, part));
        Ok(total)
    }

    /// Whether own column i lies outside the cone.
    pub(crate) fn is_exterior(&self, i: usize, tolerance: f64) -> bool {
        self.residuals[i] > tolerance * tolerance * self.squared_norms[i]
    }

    /// Weights of own column i.
    pub(crate) fn column_weights(&self, i: usize) -> (&[u32], &[f64]) {
        let block = self.layout.block_size();
        self.weights[i / block].column(i % block)
    }

    /// One column, from its owner to all ranks.
    pub(crate) fn fetch_one(&self, j: usize) -> Result<Sent> {
        let own = self.layout.local(j).map(|i| self.describe(j, i, true));
        if self.comm.size() == 1 {
            return Ok(own.expect("the only rank owns all columns"));
        }
        let mut writer = Writer::default();
        if let Some(sent) = own {
            sent.write(&mut writer);
        }
        self.comm.share(self.layout.owner(j), &mut writer.0)?;
        Ok(Sent::read(&mut Reader(&writer.0)))
    }

    /// The listed columns, from their owners to all ranks, for [`gram`](Self::gram): the entries of
    /// a column come along only if some rank's cache misses its products.
    pub(crate) fn fetch_for_gram(&self, columns: &[usize]) -> Result<Vec<Sent>> {
        let size = self.comm.size();
        let described =
            |j: usize, needed| self.layout.local(j).map(|i| self.describe(j, i, needed));
        if size == 1 {
            let own = columns.iter().map(|&j| described(j, true));
            return Ok(own.map(|sent| sent.expect("the only rank owns all columns")).collect());
        }
        let needed = self.missed_anywhere(columns)?;
        let mut writer = Writer::default();
        for (&j, &needed) in columns.iter().zip(&needed) {
            if let Some(sent) = described(j, needed) {
                sent.write(&mut writer);
            }
        }
        let parts = self.comm.gather_parts(&writer.0)?;
        let mut readers: Vec<Reader<'_>> = parts.iter().map(|part| Reader(part)).collect();
        let from_owner = |&j: &usize| Sent::read(&mut readers[self.layout.owner(j)]);
        Ok(columns.iter().map(from_owner).collect())
    }

    /// Whether any rank's cache lacks its part of `C_j`, for each listed column.
    fn missed_anywhere(&self, columns: &[usize]) -> Result<Vec<bool>> {
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        let own: Vec<u8> = columns.iter().map(|&j| u8::from(cache.get(j).is_none())).collect();
        drop(cache);
        let mut missed = vec![false; columns.len()];
        for part in self.comm.gather_parts(&own)? {
            missed.iter_mut().zip(part).for_each(|(missed, bit)| *missed |= bit != 0);
        }
        Ok(missed)
    }

    fn describe(&self, j: usize, i: usize, with_entries: bool) -> Sent {
        let mut coefficients = vec![0.0; self.n_rays()];
        self.rows.gather(i, &mut coefficients);
        let (rays, weights) = self.column_weights(i);
        Sent {
            index: j,
            column: if with_entries { self.matrix.column(i) } else { Column::default() },
            squared_norm: self.squared_norms[i],
            coefficients,
            rays: rays.to_vec(),
            weights: weights.to_vec(),
        }
    }

    /// Own part of `C_j` for the given columns, from the cache where it is there.
    pub(crate) fn gram(&self, columns: &[Sent]) -> Vec<Arc<GramColumn>> {
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        let mut found: Vec<Option<Arc<GramColumn>>> =
            columns.iter().map(|sent| cache.get(sent.index)).collect();
        let missing: Vec<usize> = (0..columns.len()).filter(|&q| found[q].is_none()).collect();
        let inputs: Vec<&Column> = missing.iter().map(|&q| &columns[q].column).collect();
        for (q, column) in missing.into_iter().zip(self.matrix.gram(&inputs)) {
            let column = Arc::new(column);
            cache.insert(columns[q].index, &column);
            found[q] = Some(column);
        }
        found.into_iter().map(|column| column.expect("found or computed")).collect()
    }

    /// Own part of `C_j` for one column that will hardly be asked for again, except to be admitted.
    pub(crate) fn gram_once(&self, sent: &Sent) -> Arc<GramColumn> {
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        cache.get(sent.index).unwrap_or_else(|| {
            let column = Arc::new(self.matrix.gram(&[&sent.column]).remove(0));
            cache.keep_latest(sent.index, &column);
            column
        })
    }

    /// Adds column j as a ray: `C_A` and S grow by one row. The projections do not change yet.
    pub(crate) fn admit(&mut self, j: usize) -> Result<()> {
        let sent = self.fetch_one(j)?;
        let gram = self.gram_once(&sent);
        self.cache.get_mut().unwrap_or_else(PoisonError::into_inner).forget(j);
        let mut inner = sent.coefficients;
        inner.push(sent.squared_norm);
        self.push_ray(sent.column, &gram, &inner);
        Ok(())
    }

    /// Starts the cone with a ray that is no column of X: `vector` (one entry for each row).
    pub(crate) fn admit_virtual(&mut self, vector: Vec<f64>) {
        assert_eq!(self.n_rays(), 0, "a virtual ray comes first");
        let squared_norm = vector.iter().fold(0.0, |sum, v| sum + v * v);
        let column = Column { rows: None, values: vector };
        let gram = self.matrix.gram(&[&column]).remove(0);
        self.push_ray(column, &gram, &[squared_norm]);
    }

    fn push_ray(&mut self, column: Column, gram: &GramColumn, inner_products: &[f64]) {
        self.rows.push(gram);
        self.s.push(inner_products);
        self.ray_columns.push(column);
    }

    /// Projects all columns onto the cone with its newest ray.
    pub(crate) fn project(&mut self, record: bool) -> Vec<ChangeBlock> {
        let input = Projection {
            rows: &self.rows,
            s: &self.s,
            squared_norms: &self.squared_norms,
            signed: self.signed,
            descent: self.descent,
            record,
        };
        let (matrix, rays) = (self.matrix, &self.ray_columns);
        let residuals = self.residuals.par_chunks_mut(self.layout.block_size());
        let blocks = self.layout.own_blocks();
        let factors = self.factors.par_iter_mut();
        let changes = self
            .weights
            .par_iter_mut()
            .zip(blocks)
            .zip(factors)
            .zip(residuals)
            .with_max_len(1)
            .map(|(((weights, range), factors), residuals)| {
                let start = range.start;
                let (new, changes) = project_block(&input, range, weights, factors, residuals);
                *weights = new;
                for &i in &changes.columns {
                    let (i, local) = (i as usize, i as usize - start);
                    if residuals[local] < CANCELLATION * input.squared_norms[i] {
                        let (anchors, values) = weights.column(local);
                        residuals[local] =
                            explicit_residual(matrix.column(i), rays, anchors, values);
                    }
                }
                changes
            });
        changes.collect()
    }

    /// The largest violation of the optimality conditions over all ranks.
    pub(crate) fn kkt_violation(&self) -> Result<f64> {
        let own = kkt_violation(&self.weights, &self.rows, &self.s, &self.squared_norms);
        self.comm.largest(own)
    }

    /// Takes the cone apart: H, and what remains.
    pub(crate) fn into_parts(self) -> (Vec<WeightBlock>, ConeParts) {
        let parts = ConeParts {
            ray_columns: self.ray_columns,
            rows: self.rows,
            s: self.s,
            squared_norms: self.squared_norms,
        };
        (self.weights, parts)
    }
}

/// What remains of a cone when the run is over.
#[derive(Debug, Clone)]
pub(crate) struct ConeParts {
    pub(crate) ray_columns: Vec<Column>,
    pub(crate) rows: AnchorRows,
    pub(crate) s: NormalMatrix,
    pub(crate) squared_norms: Vec<f64>,
}

/// `||X_i - X_A h||^2` from the columns themselves.
fn explicit_residual(own: Column, rays: &[Column], anchors: &[u32], weights: &[f64]) -> f64 {
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

impl Sent {
    fn write(&self, writer: &mut Writer) {
        writer.put(&[self.index as u64, u64::from(self.column.rows.is_some())]);
        writer.put(self.column.rows.as_deref().unwrap_or_default());
        writer.put(&self.column.values);
        writer.put(&[self.squared_norm]);
        writer.put(&self.coefficients);
        writer.put(&self.rays);
        writer.put(&self.weights);
    }

    fn read(reader: &mut Reader<'_>) -> Self {
        let head: Vec<u64> = reader.take();
        let rows: Vec<u32> = reader.take();
        let column = Column { rows: (head[1] == 1).then_some(rows), values: reader.take() };
        Sent {
            index: head[0] as usize,
            column,
            squared_norm: reader.take::<f64>()[0],
            coefficients: reader.take(),
            rays: reader.take(),
            weights: reader.take(),
        }
    }
}
