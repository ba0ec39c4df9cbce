//! Ties. Scores within a relative 1e-9 of the best count as equal to it.
//!
//! On separable data a first-index argmax can return an interior column when several columns tie
//! (Remark 1 of the paper). All tied columns lie on one hyperplane; scaled to `p'x = 1`, the one
//! with the largest norm is a vertex of the face they span, so the tied column with the largest
//! `||X_j|| / p'X_j` is extreme. Among multiples of one ray the lowest index is taken.

use crate::comm::{Communicator, gather_f64};
use crate::error::Result;
use crate::layout::Layout;

/// Relative difference below which two scores count as equal.
pub(crate) const TIE_TOLERANCE: f64 = 1e-9;

/// Whether `score` ties with `best`, the largest score.
pub(crate) fn ties_with(score: f64, best: f64) -> bool {
    score >= best - TIE_TOLERANCE * best.abs()
}

/// A chosen column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Chosen {
    pub(crate) index: usize,
    pub(crate) score: f64,
    /// The best score among the other columns; negative infinity if there is none.
    pub(crate) runner_up: f64,
}

impl Chosen {
    /// How far the runner-up is behind, relative to the score: 0 for a tie, at most 1.
    pub(crate) fn margin(&self) -> f64 {
        if self.score > 0.0 {
            ((self.score - self.runner_up) / self.score).clamp(0.0, 1.0)
        } else {
            0.0
        }
    }
}

/// The best of all ranks' columns: the largest score, then among ties the largest `spread`, then
/// the lowest index. `scores` are those of the own columns, `None` where not a candidate.
pub(crate) fn choose(
    comm: &dyn Communicator,
    layout: &Layout,
    scores: &[Option<f64>],
    spread: impl Fn(usize) -> f64,
) -> Result<Option<Chosen>> {
    let mut top = [f64::NEG_INFINITY, -1.0, f64::NEG_INFINITY];
    for (i, score) in scores.iter().enumerate() {
        let Some(score) = *score else { continue };
        if score > top[0] || top[1] < 0.0 {
            top = [score, layout.global(i) as f64, top[0]];
        } else if score > top[2] {
            top[2] = score;
        }
    }
    let tops = gather_f64(comm, &top)?;
    let Some(best) = tops
        .chunks(3)
        .filter(|rank| rank[1] >= 0.0)
        .reduce(|best, rank| if rank[0] > best[0] { rank } else { best })
    else {
        return Ok(None);
    };
    let mut tied = Vec::new();
    for (i, score) in scores.iter().enumerate() {
        if let Some(score) = *score
            && ties_with(score, best[0])
        {
            tied.extend([layout.global(i) as f64, score, spread(i)]);
        }
    }
    let tied = gather_f64(comm, &tied)?;
    let mut tied: Vec<&[f64]> = tied.chunks(3).collect();
    tied.sort_by(|a, b| a[0].total_cmp(&b[0]));
    let widest = tied.iter().map(|c| c[2]).fold(f64::NEG_INFINITY, f64::max);
    let chosen =
        tied.into_iter().find(|c| ties_with(c[2], widest)).expect("the best ties with itself");
    let others = tops.chunks(3).flat_map(|rank| {
        let own = if rank[1] == chosen[0] { f64::NEG_INFINITY } else { rank[0] };
        [own, rank[2]]
    });
    Ok(Some(Chosen {
        index: chosen[0] as usize,
        score: chosen[1],
        runner_up: others.fold(f64::NEG_INFINITY, f64::max),
    }))
}
