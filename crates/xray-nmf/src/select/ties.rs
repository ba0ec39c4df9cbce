//! Ties. Scores within a relative 1e-9 of the best count as equal to it.
//!
//! On separable data a first-index argmax can return an interior column when several columns tie
//! (Remark 1 of the paper). All tied columns lie on one hyperplane; scaled to `p'x = 1`, the one
//! with the largest norm is a vertex of the face they span, so the tied column with the largest
//! `||X_j|| / p'X_j` is extreme. Among multiples of one ray the lowest index is taken.

use bytemuck::{Pod, Zeroable};

use crate::comm::Collectives;
use crate::error::Result;
use crate::ranks::Ranks;

/// Relative difference below which two scores count as equal.
pub(crate) const TIE_TOLERANCE: f64 = 1e-9;

/// Whether `score` ties with `best`, the largest score.
pub(crate) fn ties_with(score: f64, best: f64) -> bool {
    score >= best - TIE_TOLERANCE * best.abs()
}

/// The column that won.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Winner {
    pub(crate) column: usize,
    pub(crate) score: f64,
    /// The best score among the other columns; negative infinity if there is none.
    pub(crate) runner_up: f64,
}

impl Winner {
    /// How far the runner-up is behind, relative to the score: 0 for a tie, at most 1.
    pub(crate) fn margin(&self) -> f64 {
        if self.score > 0.0 {
            ((self.score - self.runner_up) / self.score).clamp(0.0, 1.0)
        } else {
            0.0
        }
    }
}

/// A rank's best column.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Top {
    score: f64,
    column: u64,
    /// The best score of its other columns; negative infinity if there is none.
    runner_up: f64,
}

/// A column whose score ties with the best.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Tied {
    column: u64,
    score: f64,
    spread: f64,
}

/// The best of all ranks' columns: the largest score, then among ties the largest `spread`, then
/// the lowest index. `scores` are those of the own columns, `None` where not a candidate.
pub(crate) fn choose(
    ranks: &Ranks<'_>,
    scores: &[Option<f64>],
    spread: impl Fn(usize) -> f64,
) -> Result<Option<Winner>> {
    let own = scores.iter().enumerate().filter_map(|(i, score)| Some((i, (*score)?)));
    let column = |i: usize| ranks.columns.global(i) as u64;
    let mut top: Option<Top> = None;
    for (i, score) in own.clone() {
        match &mut top {
            Some(top) if score <= top.score => top.runner_up = top.runner_up.max(score),
            _ => {
                let runner_up = top.map_or(f64::NEG_INFINITY, |top| top.score);
                top = Some(Top { score, column: column(i), runner_up });
            }
        }
    }
    let tops = ranks.comm.gather(top.as_slice())?;
    let best = tops.iter().map(|top| top.score).reduce(|a, b| if b > a { b } else { a });
    let Some(best) = best else { return Ok(None) };
    let tied = own.filter(|(_, score)| ties_with(*score, best));
    let tied = tied.map(|(i, score)| Tied { column: column(i), score, spread: spread(i) });
    let mut tied = ranks.comm.gather(&tied.collect::<Vec<_>>())?;
    tied.sort_by_key(|tied| tied.column);
    let widest = tied.iter().map(|tied| tied.spread).fold(f64::NEG_INFINITY, f64::max);
    let winner = tied.iter().find(|tied| ties_with(tied.spread, widest));
    let winner = winner.expect("the best ties with itself");
    let others = tops.iter().flat_map(|top| {
        let own = if top.column == winner.column { f64::NEG_INFINITY } else { top.score };
        [own, top.runner_up]
    });
    Ok(Some(Winner {
        column: winner.column as usize,
        score: winner.score,
        runner_up: others.fold(f64::NEG_INFINITY, f64::max),
    }))
}
