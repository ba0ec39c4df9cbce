//! What speaks for each topic: how much of the corpus it has, how its words hang together, its best documents.

use serde::Serialize;
use xray_nmf::comm::{Collectives, Communicator};
use xray_nmf::{Line, Ownership};

use crate::corpus::Corpus;
use crate::documents::{DocumentWeights, sum_over_ranks};
use crate::error::Result;
use crate::groups::share_units;
use crate::left_over::gram;
use crate::measure::coherence_of;
use crate::topics::Topic;

/// What speaks for a topic.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TopicEvidence {
    /// Number of documents in which it is the heaviest topic.
    pub documents: usize,
    /// Its part of all documents, each of which is shared out among its topics.
    pub weight_share: f64,
    /// How often its first ten words meet in documents, between -1 and 1.
    pub npmi: f64,
    /// How much of its listed words' weight is in no other topic: 1 for words that it has to itself.
    pub exclusivity: f64,
    /// How much of its documents is again in one topic when topics are sought in halves of the documents; if it was
    /// looked for.
    pub stability: Option<f64>,
    /// Topics of similar words, the most similar first.
    pub related: Vec<RelatedTopic>,
    /// The documents in which it is heaviest, without near copies.
    pub best_documents: Vec<BestDocument>,
}

/// A topic with similar words.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RelatedTopic {
    /// Its number, from 1.
    pub topic: usize,
    /// Cosine of the topics' weights of words.
    pub similarity: f64,
}

/// A document in which a topic is heavy.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BestDocument {
    /// Its place among all documents, from 0.
    pub row: usize,
    /// What it is called.
    pub id: String,
    /// The topic's weight in it.
    pub weight: f64,
    /// The topic's share in it.
    pub share: f64,
    /// How it begins, if texts were kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// Words of a topic that coherence looks at.
pub const COHERENT_WORDS: usize = 10;

/// Topics that are listed as related, and how similar they are at least.
const MOST_RELATED: usize = 3;
const LEAST_SIMILARITY: f64 = 0.05;

/// Documents that are listed for a topic, and those among which they are sought.
pub const BEST_DOCUMENTS: usize = 5;
const CANDIDATES: usize = 40;

/// Documents with a larger cosine than this say the same.
const NEAR_COPY: f64 = 0.9;

/// Gathers it for all topics; collective, and the same on every rank. `h` is the transpose of H.
pub(crate) fn gather_evidence(
    comm: &dyn Communicator,
    corpus: &Corpus,
    topics: &[Topic],
    h: &[f64],
    documents: &DocumentWeights,
) -> Result<Vec<TopicEvidence>> {
    let rank = topics.len();
    let lists: Vec<Vec<usize>> = topics
        .iter()
        .map(|topic| topic.words.iter().take(COHERENT_WORDS).map(|&(j, _)| j).collect())
        .collect();
    let coherence = coherence_of(comm, &corpus.matrix, &lists)?;
    let related = related_topics(h, rank);
    let best = best_documents(comm, corpus, documents)?;
    let counts = documents.counts(comm)?;
    let weights = parts_of_all(comm, documents)?;
    let parts = related.into_iter().zip(best).enumerate();
    Ok(parts
        .map(|(k, (related, best_documents))| TopicEvidence {
            documents: counts[k],
            weight_share: weights[k],
            npmi: coherence[k].npmi,
            exclusivity: exclusivity(h, rank, k, &topics[k].words),
            stability: None,
            related,
            best_documents,
        })
        .collect())
}

/// Each topic's part of all documents.
fn parts_of_all(comm: &dyn Communicator, documents: &DocumentWeights) -> Result<Vec<f64>> {
    let mut units = vec![0_u64; documents.rank];
    for row in documents.weights.chunks_exact(documents.rank.max(1)) {
        units.iter_mut().zip(share_units(row)).for_each(|(all, unit)| *all += unit);
    }
    let units = sum_over_ranks(comm, &units)?;
    let all = units.iter().sum::<u64>().max(1) as f64;
    Ok(units.into_iter().map(|unit| unit as f64 / all).collect())
}

/// The listed words' mean part that is in this topic.
fn exclusivity(h: &[f64], rank: usize, k: usize, words: &[(usize, f64)]) -> f64 {
    let of_word = |&(j, _): &(usize, f64)| {
        let line = &h[j * rank..(j + 1) * rank];
        line[k] / line.iter().sum::<f64>()
    };
    let sum: f64 = words.iter().map(of_word).filter(|part| part.is_finite()).sum();
    sum / words.len().max(1) as f64
}

/// Cosines of the topics' words, whose lengths are 1.
fn related_topics(h: &[f64], rank: usize) -> Vec<Vec<RelatedTopic>> {
    let products = gram(h, rank);
    let of_topic = |k: usize| {
        let row = &products[k * rank..(k + 1) * rank];
        let others =
            row.iter().enumerate().filter(|&(other, s)| other != k && *s >= LEAST_SIMILARITY);
        let mut others: Vec<RelatedTopic> = others
            .map(|(other, &similarity)| RelatedTopic { topic: other + 1, similarity })
            .collect();
        others.sort_by(|a, b| b.similarity.total_cmp(&a.similarity));
        others.truncate(MOST_RELATED);
        others
    };
    (0..rank).map(of_topic).collect()
}

/// A document that may be listed.
struct Candidate {
    row: usize,
    weight: f64,
    share: f64,
    /// Its columns and entries, ascending.
    entries: Vec<(f64, f64)>,
}

/// The best documents of each topic, by weight.
fn best_documents(
    comm: &dyn Communicator,
    corpus: &Corpus,
    documents: &DocumentWeights,
) -> Result<Vec<Vec<BestDocument>>> {
    let mut all = Vec::with_capacity(documents.rank);
    for k in 0..documents.rank {
        let own = own_candidates(corpus, documents, k);
        let chosen = without_copies(read_candidates(&comm.gather(&own)?));
        all.push(chosen);
    }
    let rows: Vec<usize> = all.iter().flatten().map(|candidate| candidate.row).collect();
    let mut ids =
        texts_of(comm, &corpus.rows.own, &rows, |place| corpus.rows.id(place).into_owned())?
            .into_iter();
    let document = |candidate: &Candidate| BestDocument {
        row: candidate.row,
        id: ids.next().unwrap_or_default(),
        weight: candidate.weight,
        share: candidate.share,
        text: None,
    };
    Ok(all
        .iter()
        .scan(document, |document, topic| Some(topic.iter().map(&mut *document).collect()))
        .collect())
}

/// The heaviest own documents of a topic as numbers: row, weight, share, number of entries, entries.
fn own_candidates(corpus: &Corpus, documents: &DocumentWeights, k: usize) -> Vec<f64> {
    let weight = |place: usize| documents.weights[place * documents.rank + k];
    let mut places: Vec<usize> = (0..documents.own.n_own()).filter(|&d| weight(d) > 0.0).collect();
    let heavier = |a: &usize, b: &usize| weight(*b).total_cmp(&weight(*a)).then(a.cmp(b));
    if places.len() > CANDIDATES {
        places.select_nth_unstable_by(CANDIDATES, heavier);
        places.truncate(CANDIDATES);
    }
    let rows = corpus.matrix.rows().expect("rows are made");
    let mut line = Line::default();
    let mut numbers = Vec::new();
    for place in places {
        let row = &documents.weights[place * documents.rank..(place + 1) * documents.rank];
        rows.read_row(place, &mut line);
        let global = documents.own.global(place) as f64;
        let start = numbers.len();
        numbers.extend([global, row[k], row[k] / row.iter().sum::<f64>(), 0.0]);
        line.for_each(|j, value| numbers.extend([j as f64, value]));
        numbers[start + 3] = ((numbers.len() - start - 4) / 2) as f64;
    }
    numbers
}

fn read_candidates(mut numbers: &[f64]) -> Vec<Candidate> {
    let mut candidates = Vec::new();
    while let Some((&[row, weight, share, n], rest)) = numbers.split_first_chunk() {
        let (entries, rest) = rest.split_at(2 * n as usize);
        let entries = entries.as_chunks().0.iter().map(|&[j, value]| (j, value)).collect();
        candidates.push(Candidate { row: row as usize, weight, share, entries });
        numbers = rest;
    }
    candidates.sort_by(|a, b| b.weight.total_cmp(&a.weight).then(a.row.cmp(&b.row)));
    candidates.truncate(CANDIDATES);
    candidates
}

/// The first few that are no near copies of one before.
fn without_copies(candidates: Vec<Candidate>) -> Vec<Candidate> {
    let mut chosen: Vec<Candidate> = Vec::new();
    for candidate in candidates {
        if chosen.len() == BEST_DOCUMENTS {
            break;
        }
        if chosen.iter().all(|other| cosine(&other.entries, &candidate.entries) <= NEAR_COPY) {
            chosen.push(candidate);
        }
    }
    chosen
}

fn cosine(a: &[(f64, f64)], b: &[(f64, f64)]) -> f64 {
    let (mut i, mut k, mut product) = (0, 0, 0.0);
    while let (Some(x), Some(y)) = (a.get(i), b.get(k)) {
        if x.0 == y.0 {
            product += x.1 * y.1;
        }
        (i, k) = (i + usize::from(x.0 <= y.0), k + usize::from(y.0 <= x.0));
    }
    let length = |row: &[(f64, f64)]| row.iter().map(|(_, v)| v * v).sum::<f64>().sqrt();
    product / (length(a) * length(b))
}

/// A text of each of these rows, which its owner knows; collective.
pub fn texts_of(
    comm: &dyn Communicator,
    own: &Ownership,
    rows: &[usize],
    text: impl Fn(usize) -> String,
) -> Result<Vec<String>> {
    let mut message = Vec::new();
    for (k, &row) in rows.iter().enumerate() {
        if let Some(place) = own.local(row) {
            let text = text(place);
            message.extend_from_slice(&(k as u64).to_le_bytes());
            crate::read::write_text(&mut message, &text);
        }
    }
    let all = comm.gather(&message)?;
    let (mut message, mut texts) = (all.as_slice(), vec![String::new(); rows.len()]);
    while let Some((place, rest)) = message.split_first_chunk() {
        message = rest;
        texts[u64::from_le_bytes(*place) as usize] = crate::read::read_text(&mut message);
    }
    Ok(texts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(row: usize, weight: f64, entries: &[(f64, f64)]) -> Candidate {
        Candidate { row, weight, share: 1.0, entries: entries.to_vec() }
    }

    #[test]
    fn near_copies_are_left_out() {
        let rows = [
            candidate(3, 0.9, &[(0.0, 1.0), (4.0, 1.0)]),
            candidate(1, 0.8, &[(0.0, 1.0), (4.0, 1.1)]),
            candidate(7, 0.7, &[(4.0, 1.0), (5.0, 1.0)]),
        ];
        let chosen: Vec<usize> = without_copies(rows.into()).iter().map(|c| c.row).collect();
        assert_eq!(chosen, [3, 7]);
    }

    #[test]
    fn topics_with_common_words_are_related() {
        // Words in lines: topics 0 and 1 share the second word, topic 2 stands alone.
        let h = [0.8, 0.0, 0.0, 0.6, 1.0, 0.0, 0.0, 0.0, 1.0];
        let related = related_topics(&h, 3);
        assert_eq!(related[0], [RelatedTopic { topic: 2, similarity: 0.6 }]);
        assert_eq!(related[1], [RelatedTopic { topic: 1, similarity: 0.6 }]);
        assert!(related[2].is_empty());
        assert_eq!(exclusivity(&h, 3, 0, &[(0, 0.5), (1, 0.5)]), (1.0 + 0.375) / 2.0);
    }
}
