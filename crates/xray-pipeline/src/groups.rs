//! How topics are spread over groups of documents: classes, or periods of time.

use std::collections::BTreeMap;

use serde::Serialize;
use xray_nmf::comm::{Collectives, Communicator};

use crate::documents::{DocumentWeights, sum_over_ranks};
use crate::error::Result;
use crate::read::{read_text, write_text};

/// Shares of topics in groups of documents.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GroupShares {
    /// The groups, in the order of their names.
    pub groups: Vec<String>,
    /// Number of documents of each.
    pub documents: Vec<usize>,
    /// For each group, the mean share of each topic in its documents; they sum to 1 unless no document of the group has
    /// any topic.
    pub shares: Vec<Vec<f64>>,
}

impl GroupShares {
    /// Counts the own documents of each group, of all ranks together; collective. Documents of an empty name are in no
    /// group.
    ///
    /// # Errors
    /// If the ranks cannot exchange data.
    pub fn new<G: AsRef<str>>(
        comm: &dyn Communicator,
        documents: &DocumentWeights,
        own: &[G],
    ) -> Result<Self> {
        let groups = all_names(comm, own)?;
        let place: BTreeMap<&str, usize> =
            groups.iter().enumerate().map(|(place, name)| (name.as_str(), place)).collect();
        let rank = documents.rank;
        let mut sums = vec![0_u64; groups.len() * (rank + 1)];
        for (name, row) in own.iter().zip(documents.weights.chunks(rank.max(1))) {
            let Some(&group) = place.get(name.as_ref()) else { continue };
            let of_group = &mut sums[group * (rank + 1)..(group + 1) * (rank + 1)];
            of_group[rank] += 1;
            of_group.iter_mut().zip(share_units(row)).for_each(|(sum, units)| *sum += units);
        }
        let sums = sum_over_ranks(comm, &sums)?;
        let of_groups = || sums.chunks_exact(rank + 1);
        let shares = |of_group: &[u64]| {
            let all = of_group[..rank].iter().sum::<u64>().max(1) as f64;
            of_group[..rank].iter().map(|&units| units as f64 / all).collect()
        };
        Ok(Self {
            documents: of_groups().map(|of_group| of_group[rank] as usize).collect(),
            shares: of_groups().map(shares).collect(),
            groups,
        })
    }
}

/// The shares of topics in a document in whole billionths: sums of these do not depend on who adds what.
pub(crate) fn share_units(row: &[f64]) -> impl Iterator<Item = u64> + '_ {
    const UNITS: f64 = 1e9;
    let sum: f64 = row.iter().sum();
    let scale = if sum > 0.0 { UNITS / sum } else { 0.0 };
    // Of the tiniest sums the scale is infinite.
    let units =
        move |weight: f64| if scale.is_finite() { scale * weight } else { weight / sum * UNITS };
    row.iter().map(move |&weight| units(weight).round() as u64)
}

/// The names that any rank has, in order; empty ones are none.
fn all_names<G: AsRef<str>>(comm: &dyn Communicator, own: &[G]) -> Result<Vec<String>> {
    let mut names: Vec<&str> =
        own.iter().map(AsRef::as_ref).filter(|name| !name.is_empty()).collect();
    names.sort_unstable();
    names.dedup();
    let mut message = Vec::new();
    names.iter().for_each(|name| write_text(&mut message, name));
    let all = comm.gather(&message)?;
    let (mut message, mut names) = (all.as_slice(), Vec::new());
    while !message.is_empty() {
        names.push(read_text(&mut message));
    }
    names.sort_unstable();
    names.dedup();
    Ok(names)
}

#[cfg(test)]
mod tests {
    use xray_nmf::Ownership;
    use xray_nmf::comm::{OneRank, run_local_ranks};

    use super::*;

    fn shares(comm: &dyn Communicator) -> GroupShares {
        let own = Ownership::rows(5, comm);
        let all = [[1.0, 0.0], [1.0, 1.0], [0.0, 3.0], [0.0, 0.0], [5.0, 5.0]];
        let names = ["b", "b", "a", "a", ""];
        let places: Vec<usize> = (0..own.n_own()).map(|place| own.global(place)).collect();
        let weights = places.iter().flat_map(|&d| all[d]).collect();
        let own_names: Vec<&str> = places.iter().map(|&d| names[d]).collect();
        GroupShares::new(comm, &DocumentWeights::new(own, 2, weights), &own_names).expect("shares")
    }

    #[test]
    fn shares_of_the_tiniest_weights_are_parts_of_one() {
        let units = |row: &[f64]| share_units(row).collect::<Vec<_>>();
        assert_eq!(units(&[5e-324, 0.0]), [1_000_000_000, 0]);
        assert_eq!(units(&[1e-310, 3e-310]), [250_000_000, 750_000_000]);
        assert_eq!(units(&[0.0, 0.0]), [0, 0]);
    }

    #[test]
    fn shares_are_means_over_the_documents_of_a_group() {
        let found = shares(&OneRank);
        assert_eq!(
            (found.groups.join(" "), found.documents.as_slice()),
            ("a b".into(), &[2, 2][..])
        );
        assert_eq!(found.shares, [[0.0, 1.0], [0.75, 0.25]]);
        assert!(run_local_ranks(3, |comm| shares(comm)).into_iter().all(|other| other == found));
    }
}
