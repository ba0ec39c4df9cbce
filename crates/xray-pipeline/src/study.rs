//! Every rank in one run: what is left unexplained, and how well the topics hang together.
//!
//! Anchors are nested, so one fit to the largest rank has all the smaller ones. A second fit without
//! the held-out rows tells how much of rows that it has not seen each rank explains. Coherence looks at
//! the top words of the topics at each rank, before refinement.

use std::ops::ControlFlow;

use xray_data::LoadedMatrix;
use xray_nmf::{
    Factorization, Matrix, Params, RankSuggestion, SparseMatrix, Step, Termination, fit_observed,
    split_rows,
};

use crate::error::Result;
use crate::measure::Coherence;
use crate::watch::{Event, Stage, Watch};
use crate::words::{heaviest_words, weighted_words};

/// Options of [`rank_study`].
#[derive(Debug, Clone, PartialEq)]
pub struct StudyOptions {
    /// Rule, largest rank, threads, memory; the seed also draws the held-out rows.
    pub params: Params,
    /// The part of the rows to hold out; none are if it is 0.
    pub held_out: f64,
    /// Words of each topic that coherence looks at, or `None` to leave coherence out.
    pub coherence_words: Option<usize>,
}

/// All ranks of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct RankStudy {
    /// Rank 1, 2, ... up to the last.
    pub ranks: Vec<StudiedRank>,
    /// Why there are no more.
    pub termination: Termination,
    /// The rank to take; none if nothing was found.
    pub suggestion: Option<RankSuggestion>,
}

/// One rank.
#[derive(Debug, Clone, PartialEq)]
pub struct StudiedRank {
    /// The rank.
    pub rank: usize,
    /// The column that this rank adds to the one before.
    pub anchor: usize,
    /// `||X - X_A H||_F / ||X||_F`.
    pub residual: f64,
    /// The same on rows that were held out.
    pub held_out: Option<f64>,
    /// Mean coherence of the topics by normalised pointwise mutual information, -1 to 1.
    pub npmi: Option<f64>,
    /// Mean UMass coherence of the topics; nearer to 0 is better.
    pub umass: Option<f64>,
    /// How clearly the anchor was chosen.
    pub margin: Option<f64>,
}

/// Looks at all ranks up to `options.params.rank`.
///
/// # Errors
/// If a parameter is out of range, the matrix has negative entries that are not allowed, or the worker
/// threads cannot be started.
pub fn rank_study(
    matrix: &LoadedMatrix,
    options: &StudyOptions,
    watch: &mut Watch<'_>,
) -> Result<RankStudy> {
    match matrix {
        LoadedMatrix::Sparse(x) => {
            let split = split(x.n_rows(), options)
                .map(|(kept, held_out)| (x.rows_at(&kept), x.rows_at(&held_out)));
            let (found, errors) = fits(x, split, options, watch)?;
            let coherence = match options.coherence_words {
                Some(n_words) => coherence_of_ranks(&found, x, n_words, watch),
                None => Vec::new(),
            };
            Ok(summarize(&found, &errors, &coherence))
        }
        LoadedMatrix::Dense(x) => {
            let split = split(x.n_rows(), options)
                .map(|(kept, held_out)| (x.rows_at(&kept), x.rows_at(&held_out)));
            let (found, errors) = fits(x, split, options, watch)?;
            Ok(summarize(&found, &errors, &[]))
        }
    }
}

fn split(n_rows: usize, options: &StudyOptions) -> Option<(Vec<usize>, Vec<usize>)> {
    let (kept, held_out) = split_rows(n_rows, options.held_out, options.params.seed);
    (!held_out.is_empty()).then_some((kept, held_out))
}

/// The fit of all rows, and the held-out error of each rank.
fn fits<M: Matrix, P: Matrix>(
    matrix: &M,
    split: Option<(P, P)>,
    options: &StudyOptions,
    watch: &mut Watch<'_>,
) -> Result<(Factorization, Vec<f64>)> {
    let runs = if split.is_some() { 2 } else { 1 };
    let _ = watch(Event::Begin(Stage::Anchors, runs * options.params.rank));
    let mut observer = |step: &Step| -> ControlFlow<()> { watch(Event::Anchor(step)) };
    let found = fit_observed(matrix, None, &options.params, &mut observer)?;
    let mut errors = Vec::new();
    if let (Some((kept, held_out)), false) = (split, found.termination() == Termination::Stopped) {
        let other = fit_observed(&kept, Some(&held_out), &options.params, &mut observer)?;
        errors.extend(other.steps().iter().filter_map(|step| step.held_out));
    }
    Ok((found, errors))
}

/// Mean NPMI and UMass of the topics of each rank.
fn coherence_of_ranks(
    found: &Factorization,
    documents: &SparseMatrix<'static, f64>,
    n_words: usize,
    watch: &mut Watch<'_>,
) -> Vec<(f64, f64)> {
    let _ = watch(Event::Begin(Stage::Coherence, found.rank()));
    let coherence = Coherence::new(documents);
    let mut means = Vec::new();
    found.for_each_rank(|k, weights| {
        let words: Vec<Vec<usize>> = heaviest_words(weighted_words(&weights), n_words);
        let topics = coherence.topics(&words);
        let npmi = topics.iter().map(|topic| topic.npmi).sum::<f64>();
        let umass = topics.iter().map(|topic| topic.umass).sum::<f64>();
        means.push((npmi / k as f64, umass / k as f64));
        let _ = watch(Event::Advance);
    });
    means
}

fn summarize(found: &Factorization, errors: &[f64], coherence: &[(f64, f64)]) -> RankStudy {
    let ranks = found.steps().iter().enumerate().map(|(t, step)| StudiedRank {
        rank: t + 1,
        anchor: step.anchor,
        residual: step.residual,
        held_out: errors.get(t).copied(),
        npmi: coherence.get(t).map(|means| means.0),
        umass: coherence.get(t).map(|means| means.1),
        margin: step.margin,
    });
    let suggestion = found.suggest_rank_with(Some(errors));
    RankStudy {
        ranks: ranks.collect(),
        termination: found.termination(),
        suggestion: (found.rank() > 0).then_some(suggestion),
    }
}
