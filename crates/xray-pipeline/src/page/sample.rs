//! Which documents a page shows: the best of every topic, and of the others a part of each topic.
//!
//! Of the documents in which a topic is the heaviest, as many are taken as the root of their number calls for, so that
//! small topics are not lost; of those in no topic 3 %. Which ones is decided by a hash of their places: the same for
//! any number of ranks, and every rank tells only those that can be among them.

use xray_nmf::comm::{Collectives, Communicator};

use crate::documents::{DocumentWeights, Explained};
use crate::error::Result;

/// The part of the room for documents that no topic explains.
const UNEXPLAINED: f64 = 0.03;

/// Places of up to `most` documents in the order in which room is given to them; collective.
pub(super) fn sample(
    comm: &dyn Communicator,
    documents: &DocumentWeights,
    counts: &[usize],
    most: usize,
) -> Result<Vec<usize>> {
    let n = documents.own.n();
    let quotas = quotas(counts, n, most);
    let mut groups: Vec<Vec<u64>> = vec![Vec::new(); quotas.len()];
    for (place, topic) in documents.heaviest.iter().enumerate() {
        let is_silent = documents.explained.as_ref().is_some_and(|of| is_unexplained(of, place));
        let group = topic.filter(|_| !is_silent).unwrap_or(counts.len());
        groups[group].push(documents.own.global(place) as u64);
    }
    let mut own: Vec<u64> = Vec::new();
    for (group, (rows, quota)) in groups.iter_mut().zip(&quotas).enumerate() {
        keep_first(rows, *quota);
        own.extend(rows.iter().flat_map(|&row| [group as u64, row]));
    }
    let mut all: Vec<Vec<u64>> = vec![Vec::new(); quotas.len()];
    for pair in comm.gather(&own)?.as_chunks::<2>().0 {
        all[pair[0] as usize].push(pair[1]);
    }
    let mut ordered: Vec<(f64, u64)> = Vec::new();
    for (rows, quota) in all.iter_mut().zip(&quotas) {
        keep_first(rows, *quota);
        let turn = |place: usize| (place as f64 + 0.5) / rows.len() as f64;
        ordered.extend(rows.iter().enumerate().map(|(place, &row)| (turn(place), row)));
    }
    ordered.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    Ok(ordered.into_iter().map(|(_, row)| row as usize).collect())
}

fn is_unexplained(of: &Explained<Vec<f64>>, place: usize) -> bool {
    of.parts[place] < of.least
}

/// How many documents of each topic are taken, and of those in none.
fn quotas(counts: &[usize], n: usize, most: usize) -> Vec<usize> {
    if n <= most {
        return vec![n; counts.len() + 1];
    }
    let roots: f64 = counts.iter().map(|count| (*count as f64).sqrt()).sum();
    let room = (1.0 - UNEXPLAINED) * most as f64;
    let quota = |count: &usize| (room * (*count as f64).sqrt() / roots.max(1.0)).ceil() as usize;
    let silent = (UNEXPLAINED * most as f64).ceil() as usize;
    counts.iter().map(quota).chain([silent]).collect()
}

/// The first `n` in the order of their hashes.
fn keep_first(rows: &mut Vec<u64>, n: usize) {
    rows.sort_by_key(|&row| (hash(row), row));
    rows.truncate(n);
}

/// The finaliser of splitmix64: neighbours have nothing in common.
fn hash(row: u64) -> u64 {
    let mut z = row.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use xray_nmf::Ownership;
    use xray_nmf::comm::{OneRank, run_local_ranks};

    use super::*;

    fn sampled(comm: &dyn Communicator, n: usize, most: usize) -> Vec<usize> {
        let own = Ownership::rows(n, comm);
        let weights = |place: usize| match own.global(place) % 10 {
            0 => [0.0, 1.0],
            1 => [0.0, 0.0],
            _ => [1.0, 0.0],
        };
        let weights = (0..own.n_own()).flat_map(weights).collect();
        let documents = DocumentWeights::new(own, 2, weights);
        let counts = documents.counts(comm).expect("counts");
        sample(comm, &documents, &counts, most).expect("a sample")
    }

    #[test]
    fn small_topics_are_there_and_ranks_do_not_matter() {
        assert_eq!(sampled(&OneRank, 50, 100).len(), 50);
        let found = sampled(&OneRank, 20_000, 1_000);
        let small = found.iter().filter(|row| *row % 10 == 0).count();
        let silent = found.iter().filter(|row| *row % 10 == 1).count();
        assert!((1_000..1_010).contains(&found.len()), "{}", found.len());
        assert_eq!((small, silent), (254, 30));
        // The first half has about half of each.
        let half = found[..500].iter().filter(|row| *row % 10 == 0).count();
        assert!(half.abs_diff(127) < 3, "{half}");
        for other in run_local_ranks(3, |comm| sampled(comm, 20_000, 1_000)) {
            assert_eq!(other, found);
        }
    }
}
