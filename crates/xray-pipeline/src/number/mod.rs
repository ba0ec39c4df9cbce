//! How many topics, or anchors, do the data support, and which number comes out again on other data?
//!
//! The residual falls with every anchor, so it cannot tell. Two questions can:
//!
//! 1. **What do the data support?** Bi-cross-validation ([`cross`]): topics of three quarters of the rows; weights of
//!    the other rows from a random half of the columns; how well do both together tell the other half? Too many
//!    topics tell it worse.
//! 2. **What comes out again?** Stability ([`stability`]): topics of two random halves of the rows, which both weigh the
//!    same rows; do they group these alike?
//!
//! Ranks are looked at on a geometric grid, both questions together, until either answer gets worse, and then around the
//! one that was chosen ([`choose`]). Anchors are nested: one search serves all ranks of a part of the rows, and is made
//! again for more only if they are looked at.

mod choose;
mod cross;
mod stability;

pub use choose::{NumberReason, NumberSuggestion};

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use xray_nmf::comm::{Collectives, Communicator};
use xray_nmf::{
    Error, Factorization, Factors, Fit, Params, Refine, Refinement, StopRequest, Termination,
    split_rows,
};

use crate::corpus::DistributedMatrix;
use crate::error::Result;
use crate::topics::scale_topics;
use crate::watch::{Event, Progress, Stage};
use choose::Curve;
use cross::Folds;
use stability::{Splits, recovered};

/// Steps of refinement of k topics that are tried: half as many as topics, within these. Many topics of few documents each
/// are farther from their anchors.
const STEPS: RangeInclusive<usize> = 5..=15;

/// Anchors that are sought in a part of the rows at first, and how many times more if they are not enough.
const FIRST_ANCHORS: usize = 16;
const MORE_ANCHORS: f64 = 2.5;

/// Entries that are looked at; of larger data, so many rows as have them.
const MOST_ENTRIES: usize = 2_000_000;

/// Options of [`study_number`].
#[derive(Debug, Clone, PartialEq)]
pub struct NumberOptions {
    /// Rule and largest rank; the seed also draws the parts of the rows.
    pub params: Params,
    /// How topics are refined.
    pub method: Refinement,
    /// Bytes for cached products; a quarter of the machine's memory if absent.
    pub memory: Option<usize>,
    /// Whether rows are grouped by their heaviest topic, as documents are: then that should come out again.
    pub grouped: bool,
}

impl NumberOptions {
    /// How many copies of a matrix with so many entries are there at a time.
    pub fn copies(n_entries: usize) -> f64 {
        let sampled = MOST_ENTRIES as f64 / n_entries.max(MOST_ENTRIES) as f64;
        sampled * (2 + Folds::NUMBER + Splits::NUMBER) as f64
    }

    /// The same for some of `n_rows` rows, each with its own weight.
    ///
    /// # Errors
    /// If there is not one weight for each row.
    pub fn at_rows(&self, n_rows: usize, rows: &[usize]) -> Result<Self> {
        let row_weights = match &self.params.row_weights {
            Some(p) if p.len() != n_rows => {
                let (what, expected, found) = ("row_weights (the vector p)", n_rows, p.len());
                return Err(Error::Length { what, expected, found }.into());
            }
            given => given.as_ref().map(|p| rows.iter().map(|&d| p[d]).collect()),
        };
        Ok(Self { params: Params { row_weights, ..self.params.clone() }, ..self.clone() })
    }
}

/// What was found about the number of topics.
#[derive(Debug, Clone, PartialEq)]
pub struct NumberStudy {
    /// The ranks that were looked at, ascending.
    pub points: Vec<NumberPoint>,
    /// The number to take.
    pub suggestion: NumberSuggestion,
}

/// One rank.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NumberPoint {
    /// The number of topics.
    pub rank: usize,
    /// `||X - WH||^2 / ||X||^2` over entries that neither W nor H has seen.
    pub error: Option<f64>,
    /// Agreement of the groups by topics of two halves of the rows, at most 1: what they share, of what as
    /// many equal groups could.
    pub stability: Option<f64>,
}

/// Looks at ranks up to `options.params.rank`; collective. None if it was asked to stop, there are too few rows, or
/// entries are negative, which nonnegative factors cannot tell.
///
/// # Errors
/// If a parameter is out of range, or the ranks cannot exchange data.
pub fn study_number(
    comm: &dyn Communicator,
    matrix: &DistributedMatrix,
    options: &NumberOptions,
    progress: &mut dyn Progress,
) -> Result<Option<NumberStudy>> {
    match sampled_rows(matrix.n_rows(), matrix.n_entries(), options.params.seed) {
        None => study_sample(comm, matrix, options, progress),
        Some(rows) => {
            let sample = matrix.rows_at(comm, &rows)?;
            study_sample(comm, &sample, &options.at_rows(matrix.n_rows(), &rows)?, progress)
        }
    }
}

/// [`study_number`] of all rows of a matrix that is small, or has only [those to be looked at](sampled_rows);
/// collective.
///
/// # Errors
/// As those of [`study_number`].
pub fn study_sample(
    comm: &dyn Communicator,
    matrix: &DistributedMatrix,
    options: &NumberOptions,
    progress: &mut dyn Progress,
) -> Result<Option<NumberStudy>> {
    match look(comm, matrix, options, progress) {
        Err(crate::Error::Fit(Error::Stopped)) => Ok(None),
        studied => studied,
    }
}

/// How stable each topic of `h`, the transpose of H, is: how much of its documents is again in one topic when as many
/// topics are sought in halves of the rows, in the mean over three splits; collective.
///
/// # Errors
/// If the ranks cannot exchange data, or the work is stopped.
pub(crate) fn topic_stability(
    comm: &dyn Communicator,
    matrix: &DistributedMatrix,
    options: &NumberOptions,
    h: &[f64],
    progress: &mut dyn Progress,
) -> Result<Vec<f64>> {
    const SPLITS: usize = 3;
    let rows = sampled_rows(matrix.n_rows(), matrix.n_entries(), options.params.seed);
    let sample = rows.as_ref().map(|rows| matrix.rows_at(comm, rows)).transpose()?;
    let sampled = rows.as_ref().map(|rows| options.at_rows(matrix.n_rows(), rows)).transpose()?;
    let (matrix, options) =
        (sample.as_ref().unwrap_or(matrix), sampled.as_ref().unwrap_or(options));
    let stop = progress.stop();
    let _ = progress.tell(Event::Begin(Stage::Stability, 2 * SPLITS));
    let trial = Trial { comm, options, stop: &stop };
    recovered(&trial, matrix, SPLITS, h, || progress.tell(Event::Advance).is_break())
}

fn look(
    comm: &dyn Communicator,
    matrix: &DistributedMatrix,
    options: &NumberOptions,
    progress: &mut dyn Progress,
) -> Result<Option<NumberStudy>> {
    // Halves of fewer say nothing of each other.
    const FEWEST_ROWS: usize = 50;
    if matrix.n_rows() < FEWEST_ROWS || matrix.n_columns() < 2 {
        return Ok(None);
    }
    if comm.any(matrix.columns().as_matrix().first_negative().is_some())? {
        return Ok(None);
    }
    let stop = progress.stop();
    let limit = options.params.rank;
    let grid = grid(limit);
    let n_parts = Folds::NUMBER + if options.grouped { Splits::NUMBER } else { 0 };
    let _ = progress.tell(Event::Begin(Stage::Number, n_parts * grid.len()));
    let mut told = |steps: usize| (0..steps).any(|_| progress.tell(Event::Advance).is_break());
    let rank = grid.last().map_or(limit, |last| limit.max(*last));
    let options =
        &NumberOptions { params: Params { rank, ..options.params.clone() }, ..options.clone() };
    let trial = Trial { comm, options, stop: &stop };
    let mut folds = Folds::new(&trial, matrix)?;
    let mut splits = match options.grouped {
        true => Some(Splits::new(&trial, matrix, Splits::NUMBER)?),
        false => None,
    };
    let entries_of_a_row = matrix.n_entries() as f64 / matrix.n_rows() as f64;
    let mut curve = Curve::new(limit, options.grouped, entries_of_a_row);
    for wanted in grid {
        let k = folds.reach(&trial, wanted)?;
        if k < wanted {
            curve.exhausted = true;
            if k == 0 || curve.errors.contains_key(&k) {
                break;
            }
        }
        curve.errors.insert(k, folds.error(&trial, k)?);
        trial.go_on(told(Folds::NUMBER))?;
        if let Some(splits) = &mut splits {
            // Errors may still tell how many are supported, at a quarter of the cost.
            if k <= limit && !curve.stability_falls() {
                splits.look(&trial, k, &mut curve.stabilities)?;
            }
            trial.go_on(told(Splits::NUMBER))?;
        }
        if curve.exhausted || curve.errors_rise() || curve.is_far_enough() {
            break;
        }
    }
    while let Some(k) = curve.next_error() {
        curve.errors.insert(k, folds.error(&trial, k)?);
    }
    if let (Some(splits), Some(most)) = (&mut splits, curve.told_supported()) {
        splits.look(&trial, most, &mut curve.stabilities)?;
    }
    let Some(suggestion) = curve.choose() else { return Ok(None) };
    Ok(Some(NumberStudy { points: points(&curve.errors, &curve.stabilities), suggestion }))
}

/// All ranks that either curve has.
fn points(errors: &BTreeMap<usize, f64>, stabilities: &BTreeMap<usize, f64>) -> Vec<NumberPoint> {
    let ranks: BTreeSet<usize> = errors.keys().chain(stabilities.keys()).copied().collect();
    let at = |curve: &BTreeMap<usize, f64>, rank: usize| curve.get(&rank).copied();
    let point =
        |rank| NumberPoint { rank, error: at(errors, rank), stability: at(stabilities, rank) };
    ranks.into_iter().map(point).collect()
}

/// Ranks to look at: all up to 6, and then each about a quarter larger than the one before, whatever the largest; and
/// the first one beyond the largest.
fn grid(largest: usize) -> Vec<usize> {
    let next = |k: &usize| (*k <= largest).then(|| (k + 1).max(k * 5 / 4));
    std::iter::successors(Some(1), next).collect()
}

/// Rows at random, ascending, if so many entries are more than are needed.
pub fn sampled_rows(n_rows: usize, n_entries: usize, seed: u64) -> Option<Vec<usize>> {
    let share = MOST_ENTRIES as f64 / n_entries.max(1) as f64;
    (share < 1.0).then(|| split_rows(n_rows, share, seed).1)
}

/// How topics are tried.
struct Trial<'a> {
    comm: &'a dyn Communicator,
    options: &'a NumberOptions,
    stop: &'a StopRequest,
}

impl Trial<'_> {
    /// An error on all ranks if any of them wants to stop.
    fn go_on(&self, stops: bool) -> Result<()> {
        let stops = self.comm.any(stops || self.stop.is_made())?;
        if stops { Err(Error::Stopped.into()) } else { Ok(()) }
    }

    /// The first anchors of some rows; collective.
    fn anchors(
        &self,
        rows: &DistributedMatrix,
        options: &NumberOptions,
        rank: usize,
    ) -> Result<Factorization> {
        let fit = Fit::part(rows.portion(), self.comm).memory(options.memory).stop(self.stop);
        let found = fit.run(&Params { rank, ..options.params.clone() })?;
        self.go_on(found.termination() == Termination::Stopped)?;
        Ok(found)
    }
}

/// Some rows, and as many of their anchors as were needed.
struct Part {
    rows: DistributedMatrix,
    /// Those of all rows, at these.
    options: NumberOptions,
    found: Factorization,
}

impl Part {
    /// The rows at these places; collective.
    fn new(trial: &Trial<'_>, matrix: &DistributedMatrix, places: &[usize]) -> Result<Self> {
        let rows = matrix.rows_at(trial.comm, places)?;
        let options = trial.options.at_rows(matrix.n_rows(), places)?;
        let found = trial.anchors(&rows, &options, FIRST_ANCHORS.min(options.params.rank))?;
        Ok(Self { rows, options, found })
    }

    /// As many anchors as there are, up to k; they are sought if they have not been; collective.
    fn reach(&mut self, trial: &Trial<'_>, k: usize) -> Result<usize> {
        let largest = self.options.params.rank;
        while self.found.rank() < k.min(largest) {
            if self.found.termination() != Termination::RankReached {
                break;
            }
            let more = (self.found.rank() as f64 * MORE_ANCHORS) as usize;
            self.found = trial.anchors(&self.rows, &self.options, more.max(k).min(largest))?;
        }
        Ok(self.found.rank().min(k))
    }

    /// H of the first k anchors, refined on the rows; each topic has length 1.
    fn topics(&self, trial: &Trial<'_>, k: usize) -> Result<Vec<f64>> {
        let start = self.found.truncate(k).factors(trial.comm)?;
        let steps = (k / 2).clamp(*STEPS.start(), *STEPS.end());
        let refine = Refine::part(self.rows.portion(), trial.comm).method(self.options.method);
        let Factors { mut h, rank, .. } = refine.steps(steps, 0.0).stop(trial.stop).run(start)?;
        trial.go_on(false)?;
        scale_topics(&mut h, rank);
        Ok(h)
    }
}
