//! How topics split as their number grows.
//!
//! Anchors are nested: those of k topics are the first of those of more. Refined topics are not, and neither are their
//! numbers: what topic 1 of five is about may be topic 7 of twenty. Topics of two levels are matched by their
//! documents, which are counted.

use serde::Serialize;
use xray_nmf::Termination;
use xray_nmf::comm::{Collectives, Communicator};

use crate::anchors::Anchors;
use crate::corpus::Corpus;
use crate::documents::{DocumentWeights, sum_over_ranks};
use crate::error::{Error, Result};
use crate::evidence::TopicEvidence;
use crate::options::TopicOptions;
use crate::page::LevelFacts;
use crate::topics::{Fitted, Topic, Topics, fit_topics};
use crate::watch::Progress;

/// Topics of one number, and where their documents were at the level before.
#[derive(Debug, Clone, PartialEq)]
pub struct Level {
    /// The topics, as a run with this number of them finds them.
    pub topics: Vec<Topic>,
    /// Number of documents in which each is the heaviest.
    pub documents: Vec<usize>,
    /// Where documents come from, by topics; empty for the first level.
    pub flows: Vec<Flow>,
    /// What else a page tells of them.
    pub(crate) facts: LevelFacts,
}

/// Documents that are in one topic at one level, and in one at the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Flow {
    /// The topic at the level before, from 1; none for documents in no topic.
    pub from: Option<usize>,
    /// The topic at this level, from 1; none for documents in no topic.
    pub to: Option<usize>,
    /// Number of documents.
    pub documents: usize,
}

impl Level {
    /// Where most documents of a topic, counted from 1, were at the level before, and how many; the first of several.
    pub fn parent(&self, topic: usize) -> Option<Flow> {
        let arriving =
            self.flows.iter().filter(|flow| flow.to == Some(topic) && flow.from.is_some());
        arriving
            .copied()
            .reduce(|best, flow| if flow.documents > best.documents { flow } else { best })
    }
}

/// The number of topics of each level, ascending, with that of the answer, each once.
///
/// # Errors
/// If a level is 0, or smaller than the number of topics that begin with given words.
pub fn level_ranks(levels: &[usize], rank: Option<usize>, n_given: usize) -> Result<Vec<usize>> {
    let mut ranks: Vec<usize> = levels.iter().copied().chain(rank).collect();
    ranks.sort_unstable();
    ranks.dedup();
    match ranks.first() {
        Some(&least) if least < n_given.max(1) => Err(Error::Usage(format!(
            "a level of {least} topics is too small: levels begin with {}",
            n_given.max(1)
        ))),
        _ => Ok(ranks),
    }
}

/// Numbers of topics that are worth a look beside others.
const LADDER: [usize; 14] = [2, 3, 5, 8, 12, 20, 30, 50, 80, 120, 200, 300, 500, 800];

/// The numbers of topics that a page shows beside an answer of `rank`, with that: the rungs of a ladder below it, from
/// small to large, then the next above, as far as they take less time than the answer.
///
/// The work for a number of topics grows about in proportion to it, and anchors are found but once; but few topics take more
/// steps. Beside small numbers there is room for more, since reading the texts takes longer than their topics.
pub fn ladder(rank: usize, n_given: usize) -> Vec<usize> {
    const PARTS: (f64, f64) = (0.8, 1.5);
    const ROOM: f64 = 14.0;
    let [large, small] = [PARTS.0, PARTS.1].map(|part| part * rank as f64);
    let mut left = small.min(large + ROOM);
    let below = LADDER.iter().copied().filter(|rung| *rung < rank);
    let above = LADDER.iter().copied().find(|rung| *rung > rank);
    let mut ranks = vec![rank];
    for other in below.chain(above).filter(|other| *other >= n_given.max(2)) {
        if other as f64 <= left {
            left -= other as f64;
            ranks.push(other);
        }
    }
    ranks.sort_unstable();
    ranks
}

/// The topics of every rank but that of `found`, which is among them, and how documents go from one to the next;
/// collective. Each is what a run with this number of topics finds, to the last bit: they begin with the first of the
/// anchors. Ends early if it is told to stop.
///
/// # Errors
/// If the ranks cannot exchange data.
pub fn find_levels(
    comm: &dyn Communicator,
    corpus: &mut Corpus,
    options: &TopicOptions,
    ranks: &[usize],
    (found, anchors): (&Topics, &Anchors),
    progress: &mut dyn Progress,
) -> Result<Vec<Level>> {
    let largest = ranks.iter().copied().max().unwrap_or_default();
    let more = match anchors.up_to(largest, comm, corpus, options, progress) {
        Err(Error::Fit(xray_nmf::Error::Stopped)) => None,
        more => more?,
    };
    let anchors = more.as_ref().unwrap_or(anchors);
    let mut levels: Vec<Level> = Vec::new();
    for &rank in ranks {
        // There may be fewer anchors than were asked for: all levels from here on are the same.
        let given = rank == found.rank() || options.params.robust;
        let rank = if given { rank } else { rank.min(anchors.rank()) };
        if rank <= levels.last().map_or(0, |level| level.topics.len()) {
            continue;
        }
        let level = if rank == found.rank() {
            Level::new(comm, corpus, options, found.into())?
        } else {
            let start = anchors.of_rank(rank, comm, corpus, options, progress);
            let fit = |start| fit_topics(comm, corpus, options, start, progress);
            let fitted = match start.and_then(fit) {
                Err(Error::Fit(xray_nmf::Error::Stopped)) => break,
                fitted => fitted?,
            };
            let stops = fitted.run.termination == Termination::Stopped || progress.stop().is_made();
            if comm.any(stops)? {
                break;
            }
            Level::new(comm, corpus, options, (&fitted).into())?
        };
        let flows = match levels.last() {
            Some(before) => flows(comm, before, &level)?,
            None => Vec::new(),
        };
        levels.push(Level { flows, ..level });
    }
    Ok(levels)
}

/// What a level is told of.
#[derive(Clone, Copy)]
pub(crate) struct LevelParts<'a> {
    pub(crate) topics: &'a [Topic],
    pub(crate) evidence: &'a [TopicEvidence],
    /// The transpose of H.
    pub(crate) h: &'a [f64],
    pub(crate) documents: &'a DocumentWeights,
}

impl<'a> From<&'a Topics> for LevelParts<'a> {
    fn from(Topics { topics, evidence, h, documents, .. }: &'a Topics) -> Self {
        Self { topics, evidence, h, documents }
    }
}

impl<'a> From<&'a Fitted> for LevelParts<'a> {
    fn from(Fitted { topics, evidence, h, documents, .. }: &'a Fitted) -> Self {
        Self { topics, evidence, h, documents }
    }
}

impl Level {
    /// A level without flows; collective.
    pub(crate) fn new(
        comm: &dyn Communicator,
        corpus: &Corpus,
        options: &TopicOptions,
        parts: LevelParts<'_>,
    ) -> Result<Self> {
        Ok(Self {
            topics: parts.topics.to_vec(),
            documents: parts.documents.counts(comm)?,
            flows: Vec::new(),
            facts: LevelFacts::new(comm, corpus, options, parts)?,
        })
    }
}

/// Documents by their heaviest topics at two levels; those without any come last; collective.
pub(crate) fn flows(comm: &dyn Communicator, before: &Level, after: &Level) -> Result<Vec<Flow>> {
    let (rank_before, rank_after) = (before.topics.len(), after.topics.len());
    let width = rank_after + 1;
    let mut counts = vec![0_u64; (rank_before + 1) * width];
    for (from, to) in before.facts.heaviest.iter().zip(&after.facts.heaviest) {
        counts[from.unwrap_or(rank_before) * width + to.unwrap_or(rank_after)] += 1;
    }
    let counts = sum_over_ranks(comm, &counts)?;
    let topic = |k: usize, rank: usize| (k < rank).then_some(k + 1);
    let flow = |(place, count): (usize, u64)| Flow {
        from: topic(place / width, rank_before),
        to: topic(place % width, rank_after),
        documents: count as usize,
    };
    Ok(counts.into_iter().enumerate().filter(|(_, count)| *count > 0).map(flow).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_sorted_and_have_the_answer() {
        assert_eq!(level_ranks(&[5, 2, 5], Some(3), 0).expect("levels"), [2, 3, 5]);
        assert_eq!(level_ranks(&[4], None, 4).expect("levels"), [4]);
        assert!(level_ranks(&[4, 2], None, 3).is_err());
        assert!(level_ranks(&[0], None, 0).is_err());
    }

    #[test]
    fn ladders_have_the_answer_and_stay_within_its_work() {
        assert_eq!(ladder(5, 0), [2, 3, 5]);
        assert_eq!(ladder(8, 0), [2, 3, 5, 8]);
        assert_eq!(ladder(20, 0), [2, 3, 5, 8, 12, 20]);
        assert_eq!(ladder(50, 0), [2, 3, 5, 8, 12, 20, 50]);
        assert_eq!(ladder(100, 0), [2, 3, 5, 8, 12, 20, 30, 100]);
        assert_eq!(ladder(8, 4), [5, 8]);
        assert_eq!((ladder(2, 0), ladder(1, 0), ladder(0, 0)), (vec![2, 3], vec![1], vec![0]));
    }

    #[test]
    fn most_documents_tell_the_parent() {
        let flow = |from, to, documents| Flow { from, to: Some(to), documents };
        let flows =
            vec![flow(Some(1), 1, 3), flow(Some(2), 1, 5), flow(None, 1, 9), flow(Some(1), 2, 4)];
        let (topics, documents, facts) = (Vec::new(), Vec::new(), LevelFacts::default());
        let level = Level { topics, documents, flows, facts };
        assert_eq!(level.parent(1), Some(flow(Some(2), 1, 5)));
        assert_eq!(level.parent(2), Some(flow(Some(1), 2, 4)));
        assert_eq!(level.parent(3), None);
    }
}
