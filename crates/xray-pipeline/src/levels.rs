//! How topics split as their number grows.
//!
//! Anchors are nested: those of k topics are the first of those of more. Refined topics are not, and neither are their
//! numbers: what topic 1 of five is about may be topic 7 of twenty. Topics of two levels are matched by their
//! documents, which are counted.

use serde::Serialize;
use xray_nmf::comm::Communicator;
use xray_nmf::{RunState, Termination};

use crate::corpus::Corpus;
use crate::documents::{DocumentWeights, sum_over_ranks};
use crate::error::{Error, Result};
use crate::options::TopicOptions;
use crate::topics::{Topic, Topics, find_topics};
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

/// The topics of every rank but that of `found`, which is among them, and how documents go from one to the next;
/// collective. Ends early if it is told to stop.
///
/// # Errors
/// If the ranks cannot exchange data.
pub fn find_levels(
    comm: &dyn Communicator,
    corpus: &mut Corpus,
    options: &TopicOptions,
    ranks: &[usize],
    found: &Topics,
    progress: &mut dyn Progress,
) -> Result<Vec<Level>> {
    let mut levels: Vec<Level> = Vec::new();
    let mut before: Option<DocumentWeights> = None;
    for &rank in ranks {
        let (topics, documents) = if rank == found.rank() {
            (found.topics.clone(), found.documents.clone())
        } else {
            let options = TopicOptions { rank: Some(rank), stability: false, ..options.clone() };
            // A level that is given up is left out; what was found before it stays.
            let other = match find_topics(comm, corpus, &options, &RunState::default(), progress) {
                Ok(other) if other.run.termination != Termination::Stopped => other,
                Ok(_) | Err(crate::Error::Fit(xray_nmf::Error::Stopped)) => break,
                Err(error) => return Err(error),
            };
            // Fewer anchors than were asked for: all levels from here on are the same.
            if levels.last().is_some_and(|level| level.topics.len() == other.rank()) {
                break;
            }
            (other.topics, other.documents)
        };
        let flows = match &before {
            Some(before) => flows(comm, before, &documents)?,
            None => Vec::new(),
        };
        levels.push(Level { topics, documents: documents.counts(comm)?, flows });
        before = Some(documents);
    }
    Ok(levels)
}

/// Documents by their heaviest topics at two levels; those without any come last.
fn flows(
    comm: &dyn Communicator,
    before: &DocumentWeights,
    after: &DocumentWeights,
) -> Result<Vec<Flow>> {
    let width = after.rank + 1;
    let mut counts = vec![0_u64; (before.rank + 1) * width];
    for (from, to) in before.heaviest.iter().zip(&after.heaviest) {
        counts[from.unwrap_or(before.rank) * width + to.unwrap_or(after.rank)] += 1;
    }
    let counts = sum_over_ranks(comm, &counts)?;
    let topic = |k: usize, rank: usize| (k < rank).then_some(k + 1);
    let flow = |(place, count): (usize, u64)| Flow {
        from: topic(place / width, before.rank),
        to: topic(place % width, after.rank),
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
    fn most_documents_tell_the_parent() {
        let flow = |from, to, documents| Flow { from, to: Some(to), documents };
        let flows =
            vec![flow(Some(1), 1, 3), flow(Some(2), 1, 5), flow(None, 1, 9), flow(Some(1), 2, 4)];
        let level = Level { topics: Vec::new(), documents: Vec::new(), flows };
        assert_eq!(level.parent(1), Some(flow(Some(2), 1, 5)));
        assert_eq!(level.parent(2), Some(flow(Some(1), 2, 4)));
        assert_eq!(level.parent(3), None);
    }
}
