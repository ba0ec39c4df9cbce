//! The search for the best score with few exact evaluations.
//!
//! Every own column has an upper bound on its score, and some have their exact score. The best
//! bounds are evaluated, in rounds, until no bound reaches the best (or second best) exact score:
//! the winner is then the same as if every column had been scored. The bounds are certified (see
//! [`bound`](super::bound)), rounding included.

use bytemuck::{Pod, Zeroable};

use crate::comm::{Collectives, Communicator};
use crate::error::Result;
use crate::ownership::Ownership;
use crate::ranks::Ranks;

/// Columns evaluated in the first round and the most in any round. Fixed, so that the number of
/// evaluations does not depend on threads.
const FIRST_ROUND: usize = 16;
const LARGEST_ROUND: usize = 64;

/// Which scores must be known exactly.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted {
    /// So many of the best.
    pub(super) count: usize,
    /// And all that are behind them by no more than this, relatively: so that ties are seen.
    pub(super) reach: f64,
}

/// Scores of the own columns.
#[derive(Debug)]
pub(crate) struct Scores {
    /// The exact score, where it is known.
    pub(crate) known: Vec<Option<f64>>,
    pub(crate) evaluations: u64,
}

/// A column that may have to be evaluated.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct BoundedColumn {
    pub(crate) index: u64,
    /// Upper bound on its score.
    pub(crate) bound: f64,
    /// What the evaluation is divided by.
    pub(crate) denominator: f64,
}

impl Scores {
    pub(crate) fn new(n_own: usize) -> Self {
        Self { known: vec![None; n_own], evaluations: 0 }
    }

    /// Calls `visit` with each own column whose score is known, and the score.
    pub(crate) fn for_each_known(&self, mut visit: impl FnMut(usize, f64)) {
        let known = self.known.iter().enumerate();
        known.for_each(|(i, score)| score.iter().for_each(|score| visit(i, *score)));
    }

    /// Evaluates until the scores that are wanted, of all ranks, are known exactly.
    ///
    /// `open` gives an own column's bound and denominator, or `None` if it is no candidate.
    /// `evaluate` returns the scores of listed columns, the same on all ranks.
    pub(crate) fn search(
        &mut self,
        ranks: &Ranks<'_>,
        wanted: Wanted,
        open: impl Fn(usize) -> Option<BoundedColumn>,
        mut evaluate: impl FnMut(&[BoundedColumn]) -> Result<Vec<f64>>,
    ) -> Result<()> {
        let mut best = Best::new(wanted);
        let exact: Vec<f64> = (0..self.known.len()).filter_map(|i| self.known[i]).collect();
        ranks.comm.gather(&top(exact, wanted.count))?.into_iter().for_each(|score| best.add(score));

        let stale = |scores: &Self, goal: f64| -> Vec<BoundedColumn> {
            let columns = (0..scores.known.len()).filter(|&i| scores.known[i].is_none());
            columns.filter_map(&open).filter(|c| c.bound > 0.0 && c.bound >= goal).collect()
        };
        let mut first = stale(self, best.goal());
        if first.len() > FIRST_ROUND {
            first.select_nth_unstable_by(FIRST_ROUND - 1, by_bound);
            first.truncate(FIRST_ROUND);
        }
        let mut first = gather_sorted(ranks.comm, &first)?;
        first.truncate(FIRST_ROUND);
        self.evaluate_round(&ranks.columns, &first, &mut best, &mut evaluate)?;

        let rest = gather_sorted(ranks.comm, &stale(self, best.goal()))?;
        let (mut next, mut size) = (0, FIRST_ROUND);
        while next < rest.len() && rest[next].bound >= best.goal() {
            let round = &rest[next..(next + size).min(rest.len())];
            let reached = round.partition_point(|c| c.bound >= best.goal());
            self.evaluate_round(&ranks.columns, &round[..reached], &mut best, &mut evaluate)?;
            next += reached;
            size = (2 * size).min(LARGEST_ROUND);
        }
        Ok(())
    }

    /// Evaluates every candidate of all ranks.
    pub(crate) fn evaluate_all(
        &mut self,
        ranks: &Ranks<'_>,
        open: impl Fn(usize) -> Option<BoundedColumn>,
        mut evaluate: impl FnMut(&[BoundedColumn]) -> Result<Vec<f64>>,
    ) -> Result<()> {
        let all: Vec<BoundedColumn> = (0..self.known.len()).filter_map(open).collect();
        let mut all = gather_sorted(ranks.comm, &all)?;
        all.sort_by_key(|c| c.index);
        let mut best = Best::new(Wanted { count: 1, reach: 0.0 });
        all.chunks(LARGEST_ROUND).try_for_each(|round| {
            self.evaluate_round(&ranks.columns, round, &mut best, &mut evaluate)
        })
    }

    fn evaluate_round(
        &mut self,
        columns: &Ownership,
        round: &[BoundedColumn],
        best: &mut Best,
        evaluate: &mut impl FnMut(&[BoundedColumn]) -> Result<Vec<f64>>,
    ) -> Result<()> {
        if round.is_empty() {
            return Ok(());
        }
        self.evaluations += round.len() as u64;
        for (column, score) in round.iter().zip(evaluate(round)?) {
            best.add(score);
            if let Some(i) = columns.local(column.index as usize) {
                self.known[i] = Some(score);
            }
        }
        Ok(())
    }
}

/// The largest scores so far.
struct Best {
    wanted: Wanted,
    scores: Vec<f64>,
}

impl Best {
    fn new(wanted: Wanted) -> Self {
        Self { wanted, scores: Vec::with_capacity(wanted.count + 1) }
    }

    fn add(&mut self, score: f64) {
        let place = self.scores.partition_point(|&s| s >= score);
        self.scores.insert(place, score);
        self.scores.truncate(self.wanted.count);
    }

    /// Bounds below this cannot matter any more.
    fn goal(&self) -> f64 {
        if self.scores.len() < self.wanted.count {
            return 0.0;
        }
        self.scores[self.wanted.count - 1] * (1.0 - self.wanted.reach)
    }
}

fn top(mut scores: Vec<f64>, count: usize) -> Vec<f64> {
    scores.sort_by(|a, b| b.total_cmp(a));
    scores.truncate(count);
    scores
}

fn by_bound(a: &BoundedColumn, b: &BoundedColumn) -> std::cmp::Ordering {
    b.bound.total_cmp(&a.bound).then(a.index.cmp(&b.index))
}

/// All ranks' columns, the largest bound first.
fn gather_sorted(comm: &dyn Communicator, own: &[BoundedColumn]) -> Result<Vec<BoundedColumn>> {
    let mut all = comm.gather(own)?;
    all.sort_by(by_bound);
    Ok(all)
}
