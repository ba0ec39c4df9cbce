//! Who wins when scores are only known up to rounding.
//!
//! Every score comes with a bound on its rounding error. Where one column is ahead of all others by more
//! than their errors, it wins. Else the *contenders*, those that may be the best, are told apart by
//! their spread `||X_j|| / p'X_j`. On separable data a first-index argmax could return an interior column
//! (Remark 1 of the paper): scaled to `p'x = 1`, the contenders lie on or near one face, and its point
//! of largest norm is a vertex of it. Scores within a small reach of the best get a bonus that grows with the
//! square of the spread. Score and bonus are convex in `X_j / p'X_j`, so their sum is largest at an
//! extreme ray, too, however wide the reach: nothing between a winner and a column that nearly ties with it
//! can win. What is left (multiples of one ray) goes to the widest, and then to the lowest index.

use bytemuck::{Pod, Zeroable};

use crate::comm::Collectives;
use crate::cone::Cone;
use crate::error::Result;
use crate::project::GRADIENT_TOLERANCE;
use crate::ranks::Ranks;

/// A score whose error is a larger share of it says little.
const UNCLEAR: f64 = 1e-6;

/// The bonus of the widest contender, in units of the largest error.
const BONUS: f64 = 256.0;

/// Relative differences from the best score that can matter, if it is clear: contenders are within three times
/// [`UNCLEAR`], and those whom the bonus can lift are within [`BONUS`] times that.
pub(super) const REACH: f64 = 1e-3;

/// Rounding errors of longer sums cancel each other well enough not to exceed those of so many terms: they
/// grow with the root of the length, and this is the root of 2^28.
const LONGEST_SUM: usize = 1 << 14;

/// Relative rounding error of a sum over the rows, with so many roundings besides.
pub(super) fn sum_rounding(cone: &Cone<'_>, others: usize) -> f64 {
    (cone.gram.matrix.n_rows().min(LONGEST_SUM) + others + 8) as f64 * f64::EPSILON
}

/// The error of `R_i'X_j = C_ij - h_i'C_Aj` relative to its terms: rounding, and what the projection leaves of
/// gradients.
pub(super) fn product_error(cone: &Cone<'_>, n_rays: usize) -> f64 {
    sum_rounding(cone, n_rays) + if n_rays > 0 { GRADIENT_TOLERANCE } else { 0.0 }
}

/// The error of `||(R'X_j)_+||` in units of `||X_j||`; the same for any number of ranks.
pub(super) fn norm_error(cone: &Cone<'_>) -> f64 {
    product_error(cone, cone.n_rays()) * cone.total.sqrt()
}

/// The column that won.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Winner {
    pub(crate) column: usize,
    pub(crate) score: f64,
    /// The best score among the other columns; negative infinity if there is none.
    pub(crate) runner_up: f64,
    /// Which column has that; the first of several.
    pub(crate) second: Option<usize>,
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

/// What is known of an own column's score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Estimate {
    pub(super) score: f64,
    /// How far the score may be off by rounding.
    pub(super) error: f64,
    /// Among equals the widest wins.
    pub(super) spread: f64,
}

/// A column that competes.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Contender {
    column: u64,
    score: f64,
    error: f64,
    spread: f64,
}

/// A rank's best column.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Top {
    score: f64,
    column: u64,
    /// The best score of its other columns; negative infinity if there is none.
    runner_up: f64,
    /// The first column that has that; any number if there is none.
    second: u64,
    /// The largest of what scores have at least.
    least: f64,
}

/// All ranks' columns that may have the best score; the same on all ranks.
#[derive(Debug)]
pub(super) struct Contest<'e, 'a> {
    ranks: Ranks<'a>,
    own: &'e [Option<Estimate>],
    tops: Vec<Top>,
    contenders: Vec<Contender>,
}

impl<'e, 'a> Contest<'e, 'a> {
    /// Between the own columns of all ranks, `None` where not a candidate; no contest without any.
    pub(super) fn new(ranks: &Ranks<'a>, own: &'e [Option<Estimate>]) -> Result<Option<Self>> {
        let tops = ranks.comm.gather(top(ranks, own).as_slice())?;
        let Some(least) = tops.iter().map(|top| top.least).reduce(f64::max) else {
            return Ok(None);
        };
        let mut contest = Self { ranks: *ranks, own, tops, contenders: Vec::new() };
        contest.contenders = contest.columns_with(|e| e.score + e.error >= least)?;
        Ok(Some(contest))
    }

    /// All ranks' columns with such an estimate, in order.
    fn columns_with(&self, holds: impl Fn(&Estimate) -> bool) -> Result<Vec<Contender>> {
        let own = self.own.iter().enumerate().filter_map(|(i, e)| Some((i, (*e)?)));
        let own = own.filter(|(_, e)| holds(e)).map(|(i, Estimate { score, error, spread })| {
            Contender { column: self.ranks.columns.global(i) as u64, score, error, spread }
        });
        let mut all = self.ranks.comm.gather(&own.collect::<Vec<_>>())?;
        all.sort_by_key(|one| one.column);
        Ok(all)
    }

    /// Whether the scores of all contenders are good to several digits.
    pub(super) fn is_clear(&self) -> bool {
        self.contenders.iter().all(|one| one.error <= UNCLEAR * one.score)
    }

    /// The winner, if errors leave no doubt about it.
    pub(super) fn clear_winner(&self) -> Option<Winner> {
        match &self.contenders[..] {
            [only] if self.is_clear() => Some(self.won(only)),
            _ => None,
        }
    }

    /// The winner; `rounding` is the relative rounding error of spreads.
    pub(super) fn winner(&self, rounding: f64) -> Result<Winner> {
        if let [only] = &self.contenders[..] {
            return Ok(self.won(only));
        }
        let best = self.tops.iter().map(|top| top.score).fold(f64::NEG_INFINITY, f64::max);
        let error = self.contenders.iter().map(|one| one.error).fold(0.0, f64::max);
        // Never so wide that a column with hardly any score could win.
        let bonus = (BONUS * error).min(best / 4.0);
        let lifted = self.columns_with(|e| e.score >= best - bonus)?;
        let values = lifted_scores(&lifted, bonus, rounding);
        let all = || lifted.iter().zip(&values);
        let least = all().map(|(one, v)| v - one.error).fold(f64::NEG_INFINITY, f64::max);
        let tied = || all().filter(|(one, v)| *v + one.error >= least).map(|(one, _)| one);
        let widest = tied().map(|one| one.spread).fold(f64::NEG_INFINITY, f64::max);
        let first = tied().find(|one| one.spread >= widest * (1.0 - rounding));
        Ok(self.won(first.expect("the best ties with itself")))
    }

    fn won(&self, winner: &Contender) -> Winner {
        let others =
            self.tops.iter().flat_map(|top| [(top.score, top.column), (top.runner_up, top.second)]);
        let others = others.filter(|(score, j)| *j != winner.column && *score > f64::NEG_INFINITY);
        let best = others.reduce(|best, one| {
            let ahead = one.0 > best.0 || (one.0 == best.0 && one.1 < best.1);
            if ahead { one } else { best }
        });
        Winner {
            column: winner.column as usize,
            score: winner.score,
            runner_up: best.map_or(f64::NEG_INFINITY, |(score, _)| score),
            second: best.map(|(_, column)| column as usize),
        }
    }
}

/// The best of the own columns, if there are any.
fn top(ranks: &Ranks<'_>, own: &[Option<Estimate>]) -> Option<Top> {
    let mut top: Option<Top> = None;
    for (i, Estimate { score, error, .. }) in
        own.iter().enumerate().filter_map(|(i, e)| Some((i, (*e)?)))
    {
        let (column, least) = (ranks.columns.global(i) as u64, score - error);
        match &mut top {
            Some(top) if score <= top.score => {
                if score > top.runner_up {
                    (top.runner_up, top.second) = (score, column);
                }
                top.least = top.least.max(least);
            }
            _ => {
                let (runner_up, second, before) = top
                    .map_or((f64::NEG_INFINITY, 0, f64::NEG_INFINITY), |top| {
                        (top.score, top.column, top.least)
                    });
                top = Some(Top { score, column, runner_up, second, least: least.max(before) });
            }
        }
    }
    top
}

/// The scores with their bonus: nothing for the narrowest, all of it for the widest.
fn lifted_scores(columns: &[Contender], bonus: f64, rounding: f64) -> Vec<f64> {
    let squares = || columns.iter().map(|one| one.spread * one.spread);
    let (narrowest, widest) =
        squares().fold((f64::INFINITY, 0.0), |(a, b): (f64, f64), v| (a.min(v), b.max(v)));
    let range = widest - narrowest;
    if range <= 16.0 * rounding * widest {
        return columns.iter().map(|one| one.score).collect();
    }
    let lifted = columns.iter().zip(squares());
    lifted.map(|(one, square)| one.score + bonus * ((square - narrowest) / range)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comm::OneRank;

    #[test]
    fn the_runner_up_is_the_first_of_the_second_best() {
        let second = |scores: &[f64]| {
            let estimate = |&score| Some(Estimate { score, error: 1e-12, spread: 1.0 });
            let own: Vec<Option<Estimate>> = scores.iter().map(estimate).collect();
            let ranks = Ranks::new(&OneRank, own.len());
            let contest = Contest::new(&ranks, &own).expect("alone").expect("columns");
            contest.winner(1e-15).expect("alone").second
        };
        assert_eq!(second(&[1.0, 4.0, 2.0, 3.0, 3.0]), Some(3));
        assert_eq!(second(&[3.0, 3.0, 4.0, 1.0]), Some(0));
        assert_eq!(second(&[3.0, 3.0]), Some(1));
        assert_eq!(second(&[3.0]), None);
    }

    /// The winner's column and margin, and whether it was clear.
    fn run(scores: &[(f64, f64, f64)]) -> (usize, f64, bool) {
        let estimate = |&(score, error, spread)| Some(Estimate { score, error, spread });
        let own: Vec<Option<Estimate>> = scores.iter().map(estimate).collect();
        let ranks = Ranks::new(&OneRank, own.len());
        let contest = Contest::new(&ranks, &own).expect("alone").expect("columns");
        let winner = contest.winner(1e-15).expect("alone");
        let clear = contest.clear_winner();
        assert!(clear.is_none_or(|clear| clear == winner));
        (winner.column, winner.margin(), clear.is_some())
    }

    #[test]
    fn errors_decide_what_is_a_tie() {
        assert_eq!(run(&[(1.0, 1e-12, 9.0), (2.0, 1e-12, 1.0)]), (1, 0.5, true));
        // Within their errors: the widest, then the first.
        assert_eq!(run(&[(2.0, 1e-9, 1.0), (2.0 - 1e-9, 1e-9, 2.0), (2.0, 1e-9, 2.0)]).0, 1);
        assert_eq!(run(&[(2.0, 1e-9, 1.0), (2.0 + 1e-12, 1e-9, 1.0)]), (0, 0.0, false));
        // One that may be anything is no clear winner, even alone.
        assert_eq!(run(&[(1.0, 0.5, 1.0)]), (0, 1.0, false));
    }

    #[test]
    fn the_bonus_lifts_what_is_behind_by_some_errors_but_never_by_much() {
        assert_eq!(run(&[(1.0, 1e-6, 1.0), (1.0, 1e-6, 1.0), (1.0 - 1e-4, 1e-6, 2.0)]).0, 2);
        assert_eq!(run(&[(1.0, 1e-6, 1.0), (1.0, 1e-6, 1.0), (1.0 - 1e-3, 1e-6, 2.0)]).0, 0);
        assert_eq!(run(&[(1.0, 0.5, 1.0), (1.0, 0.5, 1.0), (0.6, 0.0, 2.0)]).0, 0);
    }

    #[test]
    fn nobody_competes_where_there_is_no_candidate() {
        let ranks = Ranks::new(&OneRank, 2);
        assert!(Contest::new(&ranks, &[None, None]).expect("alone").is_none());
    }
}
