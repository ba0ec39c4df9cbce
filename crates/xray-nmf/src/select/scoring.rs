//! Exact scores of listed columns or rows: how much of `R'X_j` or `R_k'X` is positive.
//!
//! Candidates go in batches of 16 through the scoring kernels: each weight or coefficient is read
//! once for the batch (BLAS-3 shape). Where the columns `C_j` of a batch are sparse, only their
//! nonzeros are visited instead. Both ways add the same numbers in the same order.

use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use crate::comm::Collectives;
use crate::cone::Cone;
use crate::error::Result;
use crate::gram::{ColumnState, GramColumn};
use crate::matrix::kernels::{Fold, LANES, Lanes, coefficient_scores, weight_scores};
use crate::ranks::Ranks;

/// Columns of C expanded into lanes at a time: 32 KiB.
const RUN: usize = 256;

/// A batch of candidates with fewer stored entries of C than this share of n, all together, is
/// visited entry by entry.
const SPARSE_BATCH: f64 = 0.75;

/// What is scored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// Columns j: all of `R'X_j = C_j - H'C_Aj`.
    Columns,
    /// Exterior points k: all of `R_k'X = C_k - h_k'C_A`.
    Rows,
}

/// The folded positive parts for each listed column, the same on all ranks; each less its guard, if there are any.
pub(crate) fn positive_parts(
    cone: &Cone<'_>,
    listed: &[usize],
    side: Side,
    fold: Fold,
    guards: &[f64],
) -> Result<Vec<f64>> {
    let (states, grams) = cone.gram.products(listed, |i| cone.state(i))?;
    let batches = states.chunks(LANES).zip(grams.chunks(LANES));
    let mut batches: Vec<Batch> = batches.map(|(s, g)| Batch::new(s, g, side)).collect();
    for (batch, guards) in batches.iter_mut().zip(guards.chunks(LANES)) {
        batch.guards[..guards.len()].copy_from_slice(guards);
    }
    let Ranks { comm, columns, stop } = *cone.ranks();
    let blocks = columns.own_blocks();
    let tasks: Vec<(usize, usize)> =
        (0..blocks.len()).flat_map(|b| (0..batches.len()).map(move |q| (b, q))).collect();
    let scorer = Scorer { cone, fold };
    let score = |(b, q): (usize, usize)| {
        stop.check()?;
        Ok(scorer.score(&batches[q], b, blocks[b].clone()))
    };
    let parts = tasks.into_par_iter().with_max_len(1).map(score);
    let parts = parts.collect::<Result<Vec<Lanes>>>()?;
    let parts = comm.gather(parts.as_flattened())?;
    let mut folds = vec![0.0; listed.len()];
    for block in columns.in_block_order(&parts, batches.len() * LANES) {
        folds.iter_mut().zip(block).for_each(|(sum, part)| *sum = fold.join(*sum, *part));
    }
    Ok(folds)
}

/// Up to 16 candidates with what the kernels need of them.
struct Batch<'s> {
    states: &'s [ColumnState],
    grams: &'s [Arc<GramColumn>],
    form: Form,
    /// What is taken from the products of each candidate.
    guards: Lanes,
}

enum Form {
    /// `C_kJ` for each ray k.
    Columns(Vec<Lanes>),
    /// (k, `h_kJ`) for each ray k that some candidate uses, ascending.
    Rows(Vec<(usize, Lanes)>),
}

impl<'s> Batch<'s> {
    fn new(states: &'s [ColumnState], grams: &'s [Arc<GramColumn>], side: Side) -> Self {
        let n_rays = states.first().map_or(0, |s| s.inner_products.len());
        let mut lanes = vec![[0.0; LANES]; n_rays];
        for (l, one) in states.iter().enumerate() {
            match side {
                Side::Columns => {
                    lanes.iter_mut().zip(&one.inner_products).for_each(|(lane, c)| lane[l] = *c);
                }
                Side::Rows => {
                    one.rays.iter().zip(&one.weights).for_each(|(&k, &h)| lanes[k as usize][l] = h);
                }
            }
        }
        let form = match side {
            Side::Columns => Form::Columns(lanes),
            Side::Rows => {
                let used = lanes.into_iter().enumerate().filter(|(_, lane)| *lane != [0.0; LANES]);
                Form::Rows(used.collect())
            }
        };
        Self { states, grams, form, guards: [0.0; LANES] }
    }
}

struct Scorer<'c, 'a> {
    cone: &'c Cone<'a>,
    fold: Fold,
}

impl Scorer<'_, '_> {
    /// The partial folds of a batch over own block b.
    fn score(&self, batch: &Batch<'_>, b: usize, block: Range<usize>) -> Lanes {
        let stored: usize = batch.grams.iter().map(|gram| gram.n_stored()).sum();
        let mut out = [0.0; LANES];
        let few = (stored as f64) < SPARSE_BATCH * self.cone.ranks().columns.n_own() as f64;
        if few && !self.cone.signed {
            for (l, out) in out.iter_mut().enumerate().take(batch.grams.len()) {
                *out = self.score_entries(batch, l, b, block.clone());
            }
            return out;
        }
        let mut gram = vec![[0.0; LANES]; RUN.min(block.len())];
        for start in block.clone().step_by(RUN) {
            let run = start..(start + RUN).min(block.end);
            gram[..run.len()].fill([0.0; LANES]);
            for (l, column) in batch.grams.iter().enumerate() {
                column.fill_lane(run.clone(), l, &mut gram);
            }
            if batch.guards != [0.0; LANES] {
                for lanes in &mut gram[..run.len()] {
                    lanes.iter_mut().zip(&batch.guards).for_each(|(c, guard)| *c -= guard);
                }
            }
            self.score_run(batch, b, block.start, run, &gram, &mut out);
        }
        out
    }

    fn score_run(
        &self,
        batch: &Batch<'_>,
        b: usize,
        block_start: usize,
        run: Range<usize>,
        gram: &[Lanes],
        out: &mut Lanes,
    ) {
        let gram = &gram[..run.len()];
        let skip_zeros = !self.cone.signed;
        match &batch.form {
            Form::Columns(coefficients) => {
                let within = run.start - block_start..run.end - block_start;
                let rows = self.cone.weights[b].rows(within);
                weight_scores(rows, coefficients, gram, skip_zeros, self.fold, out);
            }
            Form::Rows(weights) => {
                let panels = self.cone.inner_products.panels_in(run);
                coefficient_scores(&panels, weights, gram, skip_zeros, self.fold, out);
            }
        }
    }

    /// The same for candidate l alone, over the stored entries of its column of C.
    fn score_entries(&self, batch: &Batch<'_>, l: usize, b: usize, block: Range<usize>) -> f64 {
        let start = block.start;
        let mut out = 0.0;
        batch.grams[l].for_each_in(block, |i, c| {
            let product = match &batch.form {
                Form::Columns(_) => {
                    let (rays, weights) = self.cone.weights[b].column(i - start);
                    let inner_products = &batch.states[l].inner_products;
                    rays.iter()
                        .zip(weights)
                        .fold(0.0, |sum, (&k, &h)| sum + h * inner_products[k as usize])
                }
                Form::Rows(weights) => weights
                    .iter()
                    .filter(|(_, h)| h[l] != 0.0)
                    .fold(0.0, |sum, (k, h)| sum + h[l] * self.cone.inner_products.get(*k, i)),
            };
            out = self.fold.add(out, (c - batch.guards[l]) - product);
        });
        out
    }
}
