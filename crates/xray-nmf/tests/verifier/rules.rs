//! The six rules, from their definitions: scores in wide numbers, each with the rounding that an engine in `f64`
//! may have.
//!
//! Residuals of columns that count as interior (`||R_i|| <= tolerance ||X_i||`) may be counted or left out, but
//! their rounding errors must not decide: only exterior columns' rounding is part of a score's. Yet `greedy`, `agg` and `joint`
//! add up all columns, and the rounding of each, `unit load`, is there however small its residual is: scores that differ by no more
//! than that tie ([`Score::interior`]) as long as six digits of the best are left. Where fewer are, so that large columns' rounding
//! hides all scores ([`is_hidden`]), the rule may look as `max` does instead.

use xray_nmf::Selection;

use crate::rounding::{GENEROUS, U, unit};
use crate::searched::{Candidate, Searched};
use crate::wide::{Wide, norm};

/// Whether a rule looks from a point.
pub(crate) fn looks(selection: Selection) -> bool {
    matches!(selection, Selection::Rand | Selection::Max | Selection::Dist)
}

/// Whether scores are relative to lengths, and need no p: then they are not convex in `X_j / p'X_j`.
pub(crate) fn goes_by_length(selection: Selection) -> bool {
    selection == Selection::Greedy
}

/// A score, and how far an engine's may be from it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Score {
    pub(crate) value: Wide,
    pub(crate) error: f64,
    /// What the rounding of interior columns adds to it in an engine that adds up `C_ij - h_i'C_Aj` of all columns.
    pub(crate) interior: f64,
}

/// The scores of all columns in one step; none for those that cannot be chosen.
#[derive(Debug)]
pub(crate) struct Contest {
    pub(crate) scores: Vec<Option<Score>>,
    /// Length relative to size: among ties the largest wins. All alike for greedy.
    pub(crate) spreads: Vec<Wide>,
    /// How far scores that are told may be off besides, relative to the best: by the rounding of interior columns.
    pub(crate) told: f64,
}

impl Contest {
    /// For the rules that look from a point i: `R_i'X_j` relative to the size of `X_j`.
    pub(crate) fn from_point(searched: &Searched, i: usize) -> Self {
        Self::new(searched, 0.0, |j| {
            let size = searched.sizes[j];
            let value = searched.data.product(i, j) / size.value;
            let error = searched.data.product_error(i, j) / size.value.round();
            Score { value, error: error + size.error * value.abs().round(), interior: 0.0 }
        })
    }

    /// For the rules that score columns.
    pub(crate) fn of_columns(searched: &Searched, selection: Selection) -> Self {
        let exterior = Exterior::of(searched);
        // With fewer digits an engine looks as `max` does.
        Self::new(searched, UNCLEAR, |j| {
            let largest = selection == Selection::Joint;
            let fold = if largest { exterior.largest(j) } else { exterior.sum_of_squares(j) };
            if goes_by_length(selection) {
                let length =
                    Wide::from(1.0) / searched.data.columns[j].iter().map(|v| *v * *v).sum();
                let value = fold.value * fold.value * length;
                let squared = |e: f64| e * (2.0 * fold.value.round() + e) * length.round();
                let (error, interior) = (squared(fold.error), squared(fold.interior));
                return Score { value, error, interior };
            }
            let size = searched.sizes[j];
            let value = fold.value / size.value;
            let [error, interior] = [fold.error, fold.interior].map(|e| e / size.value.round());
            Score { value, error: error + size.error * value.round(), interior }
        })
    }

    fn new(searched: &Searched, told: f64, score: impl Fn(usize) -> Score) -> Self {
        let spread = |j: usize| norm(&searched.data.columns[j]) / searched.sizes[j].value;
        let open = |j: usize| searched.candidates[j] == Candidate::Yes;
        let n = searched.data.n();
        Self {
            scores: (0..n).map(|j| open(j).then(|| score(j))).collect(),
            spreads: (0..n).map(|j| if open(j) { spread(j) } else { Wide::ZERO }).collect(),
            told,
        }
    }

    /// The largest score but that of `except`.
    pub(crate) fn best(&self, except: Option<usize>) -> Option<(usize, Score)> {
        let mut best: Option<(usize, Score)> = None;
        for (j, score) in self.scores.iter().enumerate().filter(|(j, _)| Some(*j) != except) {
            if let Some(score) = score
                && best.is_none_or(|(_, best)| score.value > best.value)
            {
                best = Some((j, *score));
            }
        }
        best
    }

    /// The largest rounding among the columns but `except` that may be the best of them.
    pub(crate) fn best_error(&self, except: usize) -> f64 {
        let Some((_, best)) = self.best(Some(except)) else { return 0.0 };
        let least = best.value.round() - best.error;
        let others = self.scores.iter().enumerate().filter(|(j, _)| *j != except);
        let rivals = others.filter_map(|(_, score)| *score);
        let rivals = rivals.filter(|score| score.value.round() + score.error >= least);
        rivals.map(|score| score.error).fold(0.0, f64::max)
    }
}

/// A score with fewer digits than this leaves says little.
const UNCLEAR: f64 = 1e-6;

/// What an engine takes for zero in a gradient need not shrink with the number of rows: one tolerance must do for
/// all of them, and that of so few terms is below what any sum of some tens of terms needs.
const SHORTEST: usize = 8;

/// Whether the best score of a rule that scores columns is hidden by the rounding of all columns together, interior
/// ones included, so that an engine that adds all of them up cannot tell it.
pub(crate) fn is_hidden(searched: &Searched, selection: Selection) -> bool {
    let Some((j, _)) = Contest::of_columns(searched, selection).best(None) else { return false };
    let data = &searched.data;
    let exterior = Exterior::of(searched);
    let largest = selection == Selection::Joint;
    let fold = if largest { exterior.largest(j) } else { exterior.sum_of_squares(j) };
    let total = data.lengths.iter().map(|length| length * length).sum::<f64>().sqrt();
    // What an engine estimates of it is an upper bound of its own making; twice that for a square.
    let unit = data.unit().max(unit(SHORTEST, 0));
    let rounding = 2.0 * GENEROUS * unit * total * data.lengths[j];
    fold.value.round() * UNCLEAR <= rounding
}

/// How the positive parts of `R'X_j` are folded.
struct Exterior<'s> {
    searched: &'s Searched,
    /// Columns that are exterior whatever the rounding, and the others.
    sure: Vec<usize>,
    others: Vec<usize>,
}

impl<'s> Exterior<'s> {
    fn of(searched: &'s Searched) -> Self {
        let tolerance = searched.tolerance;
        let is_sure = |&i: &usize| searched.data.surely_exterior(i, tolerance);
        let (sure, others) = (0..searched.data.n()).partition(is_sure);
        Self { searched, sure, others }
    }

    fn positive(&self, i: usize, j: usize) -> Wide {
        self.searched.data.product(i, j).positive_part()
    }

    /// `||(R'X_j)_+||`.
    fn sum_of_squares(&self, j: usize) -> Score {
        let squares = |listed: &[usize]| -> Wide {
            listed.iter().map(|&i| self.positive(i, j)).map(|v| v * v).sum()
        };
        let (sure, others) = (squares(&self.sure), squares(&self.others));
        let errors = self.sure.iter().map(|&i| self.searched.data.product_error(i, j));
        let error = errors.map(|e| e * e).sum::<f64>().sqrt();
        let value = (sure + others).sqrt();
        let left_out = (value - sure.sqrt()).round();
        let summed = 2.0 * self.searched.data.n() as f64 * U * value.round();
        Score { value, error: error + left_out + summed, interior: self.interior(j) }
    }

    /// The rounding of `||(R'X_j)_+||` that interior columns bring: each adds a number that is off by that of its sums,
    /// and the norm of errors bounds the error of a norm.
    fn interior(&self, j: usize) -> f64 {
        let data = &self.searched.data;
        // An engine ties what it cannot tell apart by an estimate of its own.
        let generous = GENEROUS * (unit(SHORTEST, 0) / data.unit()).max(1.0);
        let errors = self.others.iter().map(|&i| generous * data.uncertain[i].sums);
        data.lengths[j] * errors.map(|e| e * e).sum::<f64>().sqrt()
    }

    /// `max_i R_i'X_j`, or 0.
    fn largest(&self, j: usize) -> Score {
        let of = |i: &usize| (self.positive(*i, j), self.searched.data.product_error(*i, j));
        let sure: Vec<(Wide, f64)> = self.sure.iter().map(of).collect();
        let value = sure.iter().fold(Wide::ZERO, |best, (value, _)| best.larger(*value));
        let least = sure.iter().map(|(value, error)| value.round() - error).fold(0.0, f64::max);
        let rivals = sure.iter().filter(|(value, error)| value.round() + error >= least);
        let error = rivals.map(|(_, error)| *error).fold(0.0, f64::max);
        let all = self.others.iter().fold(value, |best, i| best.larger(self.positive(*i, j)));
        let error = error + (all - value).round();
        Score { value: all, error, interior: self.interior(j) }
    }
}

/// What the rule wants to be largest at the point that it looks from, with its rounding; none for `rand`.
pub(crate) fn outlook(searched: &Searched, selection: Selection, i: usize) -> Option<Score> {
    let data = &searched.data;
    match selection {
        Selection::Max => {
            Some(Score { value: data.distances[i], error: data.uncertain[i].norm, interior: 0.0 })
        }
        Selection::Dist => {
            let all = 0..data.n();
            let parts = all.clone().map(|j| data.product(i, j).positive_part());
            let value = parts.map(|v| v * v).sum::<Wide>().sqrt();
            let errors = all.map(|j| data.product_error(i, j));
            let error = errors.map(|e| e * e).sum::<f64>().sqrt();
            let error = error + 2.0 * data.n() as f64 * U * value.round();
            Some(Score { value, error, interior: 0.0 })
        }
        _ => None,
    }
}
