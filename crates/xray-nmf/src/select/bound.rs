//! Certified bounds: how much a score can have grown since it was last computed.
//!
//! When the weights change by D, `Q = C - H'C_A` changes by `-D'C_A`. So, for column j with
//! `c_j = C_Aj` and `N = max(-D, 0)`,
//!
//! ```text
//! ||(Q_new)_+,j|| <= ||(Q_old)_+,j|| + ||(-D'c_j)_+||,
//! ||(-D'c_j)_+||^2 <= min(c_j'(DD')c_j, c_j'(NN')c_j),
//! ```
//!
//! the second because `C >= 0` (not valid with negative entries). For row k with change d_k the
//! term is `d_k'(C_A C_A')d_k`, and the same with `max(-d_k, 0)`. `DD'`, `NN'` and `C_A C_A'` are
//! t x t. Every bound is raised by the rounding errors of both the bound and the exact scores.

use std::ops::Range;

use rayon::prelude::*;

use super::norms::shared_norm_bounds;
use crate::cone::Cone;
use crate::error::Result;
use crate::gram::ANCHOR_PANEL;
use crate::matrix::kernels::{LANES, Lanes, batch_quadratic_forms};
use crate::project::ChangeBlock;
use crate::ranks::Ranks;

/// Rounding errors of one exact score, and of one step of its bound, in units of `eps ||X'X_j||` for each
/// ray; generous, and still far below any margin that matters.
const ROUNDING: f64 = 64.0;

/// Columns whose bound stays below this share of what would matter are not looked at closely.
const FAR: f64 = 0.7;

/// Upper bounds on `||(R'X_j)_+||` (or `||(R_k'X)_+||`) of the own columns.
#[derive(Debug)]
pub(crate) struct Bounds {
    pub(crate) upper: Vec<f64>,
    /// The first bounds, on `||X'X_j||`: the scale of rounding errors.
    scale: Vec<f64>,
    /// Roundings of a sum over all columns.
    sums: usize,
    /// Own columns that have been scored exactly. The others keep their first bound, which holds for
    /// good: `R'X_j = C_j - H'C_Aj` never exceeds `C_j` while C and H are nonnegative.
    scored: Vec<bool>,
}

impl Bounds {
    /// For the empty cone: bounds on `||X'X_j||`.
    pub(crate) fn new(cone: &Cone<'_>) -> Result<Self> {
        let known = match cone.ranks().comm.size() {
            1 => cone.gram.matrix.gram_norm_bounds(cone.ranks().stop)?,
            _ => shared_norm_bounds(cone)?,
        };
        let upper = match known {
            Some(bounds) => bounds,
            None => cheap_norm_bounds(cone),
        };
        // With negative entries the first bounds grow like all others.
        let scored = vec![cone.signed; upper.len()];
        Ok(Self { scale: upper.clone(), upper, sums: sum_roundings(cone.ranks()), scored })
    }

    /// Sets the bound of own column i from its exact score.
    pub(crate) fn set_exact(&mut self, i: usize, norm: f64, n_rays: usize) {
        self.upper[i] = norm + self.rounding(i, n_rays);
        self.scored[i] = true;
    }

    /// Raises the bound of own column i by `growth`, if it has been scored.
    fn raise(&mut self, i: usize, growth: f64, n_rays: usize) {
        if self.scored[i] {
            self.upper[i] += growth + self.rounding(i, n_rays);
        }
    }

    fn rounding(&self, i: usize, n_rays: usize) -> f64 {
        let roundings = ROUNDING * (n_rays + 8) as f64 + self.sums as f64;
        roundings * f64::EPSILON * self.scale[i]
    }

    /// Raises the bounds of all columns j after a change D of the weights.
    ///
    /// `matters(j)` is the bound at which column j would compete for the next anchor. Columns that
    /// stay far below it even by a cheap estimate make do with that; the others get the close one.
    pub(crate) fn raise_columns(
        &mut self,
        cone: &Cone<'_>,
        changes: &[ChangeBlock],
        matters: impl Fn(usize) -> f64 + Sync,
    ) -> Result<()> {
        let t = cone.n_rays();
        let growth = ColumnGrowth::new(cone, changes)?;
        let Bounds { upper, scored, .. } = &*self;
        let Ranks { columns, stop, .. } = *cone.ranks();
        let grown: Vec<Vec<f64>> = columns
            .own_blocks()
            .into_par_iter()
            .with_max_len(1)
            .map(|block| {
                stop.check()?;
                let mut grown = growth.cheap(cone, block.clone());
                let start = block.start;
                let close: Vec<u32> = block
                    .filter(|&j| scored[j] && upper[j] + grown[j - start] >= FAR * matters(j))
                    .map(|j| j as u32)
                    .collect();
                let mut batch = vec![[0.0; LANES]; t];
                for columns in close.chunks(LANES) {
                    cone.inner_products.gather_batch(columns, &mut batch);
                    for (&j, form) in columns.iter().zip(growth.close(&batch)) {
                        grown[j as usize - start] = form;
                    }
                }
                Ok(grown)
            })
            .collect::<Result<_>>()?;
        for (i, growth) in grown.into_iter().flatten().enumerate() {
            self.raise(i, growth, t);
        }
        Ok(())
    }

    /// Raises the bounds of the changed rows k; `gram` is `C_A C_A'`, row by row.
    pub(crate) fn raise_rows(
        &mut self,
        cone: &Cone<'_>,
        gram: &[Vec<f64>],
        changes: &[ChangeBlock],
    ) -> Result<()> {
        for block in changes {
            cone.ranks().stop.check()?;
            for (q, &k) in block.columns.iter().enumerate() {
                let (rays, change) = block.change(q);
                let relative = relative_error(rays.len(), self.sums);
                let growth = row_growth(gram, rays, change, cone.signed, relative);
                self.raise(k as usize, growth, cone.n_rays());
            }
        }
        Ok(())
    }
}

/// One after another, the columns of a block are added up, the blocks, and the ranks.
fn sum_roundings(ranks: &Ranks<'_>) -> usize {
    ranks.columns.block_size() + ranks.columns.n_blocks() + ranks.comm.size()
}

/// Relative rounding error of a quadratic form with so many rays, whose entries are sums with so many
/// roundings.
fn relative_error(n_rays: usize, sums: usize) -> f64 {
    4.0 * (n_rays + 4 + sums) as f64 * f64::EPSILON
}

/// Bounds on `||X'X_j||` that need one pass over the norms: it is at most `||X||_F ||X_j||`.
fn cheap_norm_bounds(cone: &Cone<'_>) -> Vec<f64> {
    let slack =
        1.0 + 8.0 * (cone.ranks().columns.n() + cone.gram.matrix.n_rows()) as f64 * f64::EPSILON;
    let norm = cone.total.sqrt() * slack;
    cone.squared_norms.iter().map(|squared| norm * squared.sqrt()).collect()
}

/// The growth of all columns' scores for one change D.
struct ColumnGrowth {
    /// `DD'` and, without negative entries, `NN'`: lower triangles, off-diagonal entries doubled.
    all: Vec<f64>,
    negative: Option<Vec<f64>>,
    /// Norms of the rows of D, and of N (of D with negative entries).
    all_norms: Vec<f64>,
    growing_norms: Vec<f64>,
    /// Relative rounding error of all of this.
    relative: f64,
}

impl ColumnGrowth {
    fn new(cone: &Cone<'_>, changes: &[ChangeBlock]) -> Result<Self> {
        let t = cone.n_rays();
        let half = t * (t + 1) / 2;
        let mut all =
            cone.ranks().sum_for_bounds(2 * half, |b, _| outer_products(&changes[b], t))?;
        let mut negative = all.split_off(half);
        let norms = |triangle: &[f64]| -> Vec<f64> {
            (0..t).map(|k| triangle[k * (k + 3) / 2].sqrt()).collect()
        };
        let (all_norms, negative_norms) = (norms(&all), norms(&negative));
        for k in 0..t {
            let off_diagonal = k * (k + 1) / 2..k * (k + 3) / 2;
            all[off_diagonal.clone()].iter_mut().for_each(|v| *v *= 2.0);
            negative[off_diagonal].iter_mut().for_each(|v| *v *= 2.0);
        }
        Ok(Self {
            growing_norms: if cone.signed { all_norms.clone() } else { negative_norms },
            negative: (!cone.signed).then_some(negative),
            all,
            all_norms,
            relative: relative_error(t, sum_roundings(cone.ranks())),
        })
    }

    /// `sum_k |C_kj| ||N_k||` for each column of a block: the triangle inequality.
    fn cheap(&self, cone: &Cone<'_>, block: Range<usize>) -> Vec<f64> {
        let panels = cone.inner_products.panels_in(block.clone());
        let mut sums = vec![[0.0; ANCHOR_PANEL]; block.len()];
        for (panel, norms) in panels.iter().zip(self.growing_norms.chunks(ANCHOR_PANEL)) {
            let mut padded = [0.0; ANCHOR_PANEL];
            padded[..norms.len()].copy_from_slice(norms);
            for (sum, coefficients) in sums.iter_mut().zip(*panel) {
                for l in 0..ANCHOR_PANEL {
                    sum[l] += coefficients[l].abs() * padded[l];
                }
            }
        }
        let slack = 1.0 + self.relative;
        sums.iter().map(|sum| sum.iter().fold(0.0, |a, v| a + v) * slack).collect()
    }

    /// The square root of the smaller quadratic form, for a batch of columns.
    fn close(&self, batch: &[Lanes]) -> Lanes {
        let mut forms = batch_quadratic_forms(&self.all, batch);
        let mut sizes = [0.0; LANES];
        for (norm, coefficients) in self.all_norms.iter().zip(batch) {
            for l in 0..LANES {
                sizes[l] += norm * coefficients[l].abs();
            }
        }
        for (form, size) in forms.iter_mut().zip(sizes) {
            // The terms of DD' have both signs: allow for their rounding.
            *form = form.max(0.0) + self.relative * size * size;
        }
        if let Some(negative) = &self.negative {
            let others = batch_quadratic_forms(negative, batch);
            for (form, other) in forms.iter_mut().zip(others) {
                *form = form.min(other * (1.0 + self.relative));
            }
        }
        forms.map(|form| form.sqrt() * (1.0 + self.relative))
    }
}

/// `DD'` and then `NN'` of one block's changes, as lower triangles.
fn outer_products(changes: &ChangeBlock, t: usize) -> Vec<f64> {
    let half = t * (t + 1) / 2;
    // Written to, not merely asked for as zeros: pages that are read before they are written cost
    // a flush of all processors' address caches each.
    let mut sums: Vec<f64> = std::iter::repeat_n(0.0, 2 * half).collect();
    let (all, negative) = sums.split_at_mut(half);
    for q in 0..changes.columns.len() {
        let (rays, change) = changes.change(q);
        for (a, (&k, &d)) in rays.iter().zip(change).enumerate() {
            for (&l, &e) in rays[..=a].iter().zip(change) {
                let (row, column) =
                    if k >= l { (k as usize, l as usize) } else { (l as usize, k as usize) };
                let place = row * (row + 1) / 2 + column;
                all[place] += d * e;
                if d < 0.0 && e < 0.0 {
                    negative[place] += d * e;
                }
            }
        }
    }
    sums
}

/// `||(-d'C_A)_+||` at most, for one row's change d.
fn row_growth(gram: &[Vec<f64>], rays: &[u32], change: &[f64], signed: bool, relative: f64) -> f64 {
    let (mut all, mut negative, mut size) = (0.0, 0.0, 0.0);
    for (a, (&k, &d)) in rays.iter().zip(change).enumerate() {
        for (b, (&l, &e)) in rays[..=a].iter().zip(change).enumerate() {
            let entry = gram[k.max(l) as usize][k.min(l) as usize];
            let term = if a == b { d * e * entry } else { 2.0 * d * e * entry };
            all += term;
            size += term.abs();
            if d < 0.0 && e < 0.0 {
                negative += term;
            }
        }
    }
    let all = all.max(0.0) + relative * size;
    let form = if signed { all } else { all.min(negative * (1.0 + relative)) };
    form.sqrt() * (1.0 + relative)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RELATIVE: f64 = 1e-14;

    /// Numbers from -1 to 1, or from 0.
    fn numbers(n: usize, seed: usize, least: f64) -> Vec<f64> {
        let unit = |q: usize| ((q * 7919 + seed * 104_729 + q * q * seed) % 1009) as f64 / 1008.0;
        (1..=n).map(|q| least + (1.0 - least) * unit(q)).collect()
    }

    /// `||(-D'c)_+||`, `||D'c||` and `||N'c||`, from a sum of products `d c` for each entry.
    fn lengths(products: &[Vec<[f64; 2]>]) -> [f64; 3] {
        let mut sums = [0.0; 3];
        for terms in products {
            let all: f64 = terms.iter().map(|[d, c]| -d * c).sum();
            let negative: f64 = terms.iter().map(|[d, c]| (-d).max(0.0) * c).sum();
            let parts = [all.max(0.0), all, negative];
            sums.iter_mut().zip(parts).for_each(|(sum, v)| *sum += v * v);
        }
        sums.map(f64::sqrt)
    }

    /// At least the truth, and no more than the smaller form and what rounding takes.
    fn assert_tight(found: f64, [truth, all, negative]: [f64; 3], signed: bool) {
        let form = if signed { all } else { all.min(negative) };
        assert!(found >= truth && found >= form, "{found} for {truth}, {form}");
        assert!(found <= form + 1e-5, "{found} for {form}");
    }

    #[test]
    fn rows_grow_by_no_more_than_the_forms_say() {
        for seed in 0..200 {
            let (t, signed) = (1 + seed % 5, seed % 2 == 1);
            let least = if signed { -1.0 } else { 0.0 };
            let c: Vec<Vec<f64>> = (0..t).map(|k| numbers(7, seed + 31 * k, least)).collect();
            let inner = |k: usize, l: usize| c[k].iter().zip(&c[l]).map(|(a, b)| a * b).sum();
            let gram: Vec<Vec<f64>> =
                (0..t).map(|k| (0..=k).map(|l| inner(k, l)).collect()).collect();
            let change = numbers(t, seed + 1, -1.0);
            let growth = |order: &[u32]| {
                let change: Vec<f64> = order.iter().map(|&k| change[k as usize]).collect();
                row_growth(&gram, order, &change, signed, RELATIVE)
            };
            let mut order: Vec<u32> = (0..t as u32).collect();
            let truth = {
                let terms = |j: usize| (0..t).map(|k| [change[k], c[k][j]]).collect();
                lengths(&(0..7).map(terms).collect::<Vec<_>>())
            };
            assert_tight(growth(&order), truth, signed);
            order.reverse();
            assert_tight(growth(&order), truth, signed);
        }
    }

    #[test]
    fn columns_grow_by_no_more_than_the_forms_say() {
        for seed in 0..60 {
            let (t, signed) = (1 + seed % 6, seed % 2 == 1);
            let rows: Vec<Vec<f64>> = (0..t).map(|k| numbers(9, seed + 17 * k, -1.0)).collect();
            let part = |v: f64, negative: bool| if negative { (-v).max(0.0) } else { v };
            let triangle = |negative: bool| -> Vec<f64> {
                let inner = |k: usize, l: usize| -> f64 {
                    let pairs = rows[k].iter().zip(&rows[l]);
                    pairs.map(|(a, b)| part(*a, negative) * part(*b, negative)).sum()
                };
                let twice =
                    |k: usize, l: usize| if k == l { inner(k, l) } else { 2.0 * inner(k, l) };
                (0..t)
                    .flat_map(|k| (0..=k).map(move |l| (k, l)))
                    .map(|(k, l)| twice(k, l))
                    .collect()
            };
            let norms: Vec<f64> =
                rows.iter().map(|d| d.iter().map(|v| v * v).sum::<f64>().sqrt()).collect();
            let growth = ColumnGrowth {
                all: triangle(false),
                negative: (!signed).then(|| triangle(true)),
                all_norms: norms.clone(),
                growing_norms: norms,
                relative: RELATIVE,
            };
            let columns: Vec<Vec<f64>> = (0..LANES)
                .map(|l| numbers(t, seed + 5 * l, if signed { -1.0 } else { 0.0 }))
                .collect();
            let batch: Vec<Lanes> =
                (0..t).map(|k| std::array::from_fn(|l| columns[l][k])).collect();
            for (found, column) in growth.close(&batch).into_iter().zip(&columns) {
                let terms = |q: usize| (0..t).map(|k| [rows[k][q], column[k]]).collect();
                assert_tight(found, lengths(&(0..9).map(terms).collect::<Vec<_>>()), signed);
            }
        }
    }
}
