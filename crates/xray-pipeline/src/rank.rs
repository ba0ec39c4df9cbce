//! Every rank in one run: what is left unexplained, and how well the topics hang together.
//!
//! Anchors are nested, so one fit to the largest rank has all the smaller ones. Some ranks are also tried on unseen
//! entries and in halves of the rows ([`study_number`]). Coherence looks at the top words of the topics at each
//! rank, before refinement.

use xray_nmf::comm::{Collectives, Communicator};
use xray_nmf::{Factorization, Fit, Params, RankSuggestion, Refinement, Termination};

use crate::corpus::{Corpus, DistributedMatrix};
use crate::error::Result;
use crate::measure::{TopicCoherence, coherence_of};
use crate::number::{NumberOptions, NumberStudy, NumberSuggestion, study_number};
use crate::watch::{Event, Progress, Stage, Told};
use crate::words::{heaviest_first, weighted_words};

/// Options of [`rank_study`].
#[derive(Debug, Clone, PartialEq)]
pub struct StudyOptions {
    /// Rule, largest rank; the seed also draws parts of the rows.
    pub params: Params,
    /// Bytes for cached products; a quarter of the machine's memory if absent.
    pub memory: Option<usize>,
    /// How the number is looked for, or `None` to take the knee of the residual.
    pub number: Option<Refinement>,
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
    /// What was found about the number.
    pub number: Option<NumberSuggestion>,
    /// The rank that the knee of the residual suggests; none if nothing was found.
    pub knee: Option<RankSuggestion>,
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
    /// `||X - WH||_F / ||X||_F` on entries that neither W nor H has seen, where it was looked at.
    pub unseen: Option<f64>,
    /// Agreement of the topics of two halves of the rows, where it was looked at.
    pub stability: Option<f64>,
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
    let matrix = &corpus.matrix;
    let number = match options.number {
        Some(method) => {
            let StudyOptions { ref params, memory, .. } = *options;
            let params = params.clone();
            let options = NumberOptions { params, method, memory, grouped: !matrix.is_dense() };
            study_number(comm, matrix, &options, progress)?
        }
        None => None,
    };
    let _ = progress.tell(Event::Begin(Stage::Anchors, options.params.rank));
    let stop = progress.stop();
    let fit = Fit::part(matrix.portion(), comm).memory(options.memory).stop(&stop);
    let found = fit.observe(&mut Told(progress)).run(&options.params)?;
    let stops = comm.any(progress.stop().is_made())?;
    let coherence = match options.coherence_words {
        Some(n_words) if !corpus.matrix.is_dense() && !stops => {
            coherence_of_ranks(comm, &found, &corpus.matrix, n_words, progress)?
        }
        _ => Vec::new(),
    };
    Ok(summarize(&found, number, &coherence))
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

fn summarize(
    found: &Factorization,
    number: Option<NumberStudy>,
    coherence: &[(f64, f64)],
) -> RankStudy {
    let point = |rank: usize| {
        let points = &number.as_ref()?.points;
        points.iter().find(|point| point.rank == rank)
    };
    let ranks = found.steps().iter().enumerate().map(|(t, step)| StudiedRank {
        rank: t + 1,
        anchor: step.anchor,
        residual: step.residual,
        unseen: point(t + 1).and_then(|point| point.error).map(|error| error.max(0.0).sqrt()),
        stability: point(t + 1).and_then(|point| point.stability),
        npmi: coherence.get(t).map(|means| means.0),
        umass: coherence.get(t).map(|means| means.1),
        margin: step.margin,
    });
    RankStudy {
        ranks: ranks.collect(),
        termination: found.termination(),
        number: number.as_ref().map(|study| study.suggestion),
        knee: (found.rank() > 0).then_some(found.suggest_rank()),
    }
}
