//! Every rank in one run: what is left unexplained, and how well the topics hang together.
//!
//! Anchors are nested, so one fit to the largest rank has all the smaller ones. A second fit without
//! the held-out rows tells how much of rows that it has not seen each rank explains. Coherence looks at
//! the top words of the topics at each rank, before refinement.

use xray_data::LoadedMatrix;
use xray_nmf::comm::{Collectives, Communicator};
use xray_nmf::{
    Error, Factorization, Fit, Params, Portion, RankSuggestion, Termination, split_rows,
};

use crate::corpus::{Corpus, DistributedMatrix};
use crate::error::Result;
use crate::measure::{TopicCoherence, coherence_of};
use crate::watch::{Event, Progress, Stage, Told};
use crate::words::{heaviest_first, weighted_words};

/// Options of [`rank_study`].
#[derive(Debug, Clone, PartialEq)]
pub struct StudyOptions {
    /// Rule, largest rank; the seed also draws the held-out rows.
    pub params: Params,
    /// Bytes for cached products; a quarter of the machine's memory if absent.
    pub memory: Option<usize>,
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

/// Looks at all ranks up to `options.params.rank`; collective.
///
/// # Errors
/// If a parameter is out of range, or the matrix has negative entries that are not allowed.
pub fn rank_study(
    comm: &dyn Communicator,
    corpus: &Corpus,
    options: &StudyOptions,
    progress: &mut dyn Progress,
) -> Result<RankStudy> {
    let (found, errors) = fits(comm, &corpus.matrix, options, progress)?;
    let stops = comm.any(progress.stop().is_made())?;
    let coherence = match options.coherence_words {
        Some(n_words) if !corpus.matrix.is_dense() && !stops => {
            coherence_of_ranks(comm, &found, &corpus.matrix, n_words, progress)?
        }
        _ => Vec::new(),
    };
    Ok(summarize(&found, &errors, &coherence))
}

/// The fit of all rows, and the held-out error of each rank. Rows are held out of the own columns where they
/// are.
fn fits(
    comm: &dyn Communicator,
    matrix: &DistributedMatrix,
    options: &StudyOptions,
    progress: &mut dyn Progress,
) -> Result<(Factorization, Vec<f64>)> {
    let StudyOptions { params, held_out, memory, .. } = options;
    let (kept, held_out) = split_rows(matrix.n_rows(), *held_out, params.seed);
    let runs = if held_out.is_empty() { 1 } else { 2 };
    let _ = progress.tell(Event::Begin(Stage::Anchors, runs * params.rank));
    let stop = progress.stop();
    let mut told = Told(progress);
    let fit = Fit::part(matrix.portion(), comm).memory(*memory);
    let found = fit.stop(&stop).observe(&mut told).run(params)?;
    if held_out.is_empty() || found.termination() == Termination::Stopped {
        return Ok((found, Vec::new()));
    }
    let columns = matrix.columns();
    let (kept, held_out) = (rows_at(columns, &kept), rows_at(columns, &held_out));
    let (columns, n_columns) = (kept.as_matrix(), matrix.n_columns());
    let fit = Fit::part(Portion { columns, rows: None, n_columns }, comm).memory(*memory);
    let fit = fit.held_out(held_out.as_matrix()).stop(&stop);
    let errors = match fit.observe(&mut told).run(params) {
        Ok(other) => other.steps().iter().filter_map(|step| step.held_out).collect(),
        // The first fit is still worth telling.
        Err(Error::Stopped) => Vec::new(),
        Err(error) => return Err(error.into()),
    };
    Ok((found, errors))
}

fn rows_at(matrix: &LoadedMatrix, rows: &[usize]) -> LoadedMatrix {
    match matrix {
        LoadedMatrix::Sparse(x) => x.rows_at(rows).into(),
        LoadedMatrix::Dense(x) => x.rows_at(rows).into(),
    }
}

/// Mean NPMI and UMass of the topics of each rank, nothing if it was asked to stop; collective.
fn coherence_of_ranks(
    comm: &dyn Communicator,
    found: &Factorization,
    matrix: &DistributedMatrix,
    n_words: usize,
    progress: &mut dyn Progress,
) -> Result<Vec<(f64, f64)>> {
    let _ = progress.tell(Event::Begin(Stage::Coherence, found.rank()));
    let lists = heaviest_of_ranks(comm, found, n_words, progress)?;
    let Some(lists) = lists else { return Ok(Vec::new()) };
    let mut topics = coherence_of(comm, matrix, &lists)?.into_iter();
    let mut mean = |rank: usize| {
        let topics: Vec<TopicCoherence> = topics.by_ref().take(rank).collect();
        let npmi = topics.iter().map(|topic| topic.npmi).sum::<f64>();
        let umass = topics.iter().map(|topic| topic.umass).sum::<f64>();
        (npmi / rank as f64, umass / rank as f64)
    };
    Ok((1..=found.rank()).map(&mut mean).collect())
}

/// The heaviest words of every topic of rank 1, then of rank 2 and so on, on all ranks; collective. None if it was
/// asked to stop.
fn heaviest_of_ranks(
    comm: &dyn Communicator,
    found: &Factorization,
    n_words: usize,
    progress: &mut dyn Progress,
) -> Result<Option<Vec<Vec<usize>>>> {
    let layout = found.own_columns();
    let mut own: Vec<f64> = Vec::new();
    let visited = found.try_for_each_rank(|_, weights| {
        for mut topic in weighted_words(&weights) {
            heaviest_first(&mut topic, n_words);
            own.push(topic.len() as f64);
            own.extend(topic.iter().flat_map(|&(i, weight)| [layout.global(i) as f64, weight]));
        }
        progress.tell(Event::Advance)
    });
    if comm.any(visited.is_break())? {
        return Ok(None);
    }
    let all = comm.gather_parts(&own)?;
    let mut parts: Vec<&[f64]> = all.iter().map(Vec::as_slice).collect();
    let mut next_topic = || -> Vec<usize> {
        let mut topic: Vec<(usize, f64)> = Vec::new();
        for part in &mut parts {
            let Some((&n, rest)) = part.split_first() else { continue };
            let (words, rest) = rest.split_at(2 * n as usize);
            topic.extend(words.chunks_exact(2).map(|word| (word[0] as usize, word[1])));
            *part = rest;
        }
        heaviest_first(&mut topic, n_words);
        topic.into_iter().map(|(j, _)| j).collect()
    };
    let n_topics = found.rank() * (found.rank() + 1) / 2;
    Ok(Some((0..n_topics).map(|_| next_topic()).collect()))
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
