//! Do topics of other rows group the rows alike?

use std::collections::BTreeMap;

use xray_nmf::comm::Collectives;
use xray_nmf::{Ownership, RowModel, split_rows};

use super::{Part, Trial};
use crate::corpus::DistributedMatrix;
use crate::documents::DocumentWeights;
use crate::error::Result;
use crate::measure::shared_information;

/// Rows that are grouped, of those that there are.
const MOST_GROUPED: usize = 5_000;

/// Several ways to split the rows into two halves.
pub(super) struct Splits {
    halves: Vec<[Part; 2]>,
    /// The rows that are grouped.
    grouped: DistributedMatrix,
}

impl Splits {
    /// How many.
    pub(super) const NUMBER: usize = 5;

    /// Draws them; collective.
    pub(super) fn new(
        trial: &Trial<'_>,
        matrix: &DistributedMatrix,
        number: usize,
    ) -> Result<Self> {
        let seed = |s: usize| trial.options.params.seed.wrapping_add(101 + s as u64);
        let part = |rows: &[usize]| Part::new(trial, matrix, rows);
        let halves = |s: usize| {
            let (one, other) = split_rows(matrix.n_rows(), 0.5, seed(s));
            Ok([part(&one)?, part(&other)?])
        };
        let share = MOST_GROUPED as f64 / matrix.n_rows() as f64;
        let (rest, grouped) = split_rows(matrix.n_rows(), share.min(1.0), seed(Self::NUMBER));
        let grouped = if share < 1.0 { grouped } else { [rest, grouped].concat() };
        Ok(Self {
            halves: (0..number).map(halves).collect::<Result<_>>()?,
            grouped: matrix.rows_at(trial.comm, &grouped)?,
        })
    }

    /// Adds the mean agreement of both halves' groups at rank k, if it means anything, all have as many anchors and it is
    /// not there; collective.
    pub(super) fn look(
        &mut self,
        trial: &Trial<'_>,
        k: usize,
        stabilities: &mut BTreeMap<usize, f64>,
    ) -> Result<()> {
        if k < 2 || stabilities.contains_key(&k) || !self.reach(trial, k)? {
            return Ok(());
        }
        let mut sum = 0.0;
        for [one, other] in &self.halves {
            let (one, other) = (self.groups(trial, one, k)?, self.groups(trial, other, k)?);
            sum += shared_information(&one, &other, k);
        }
        stabilities.insert(k, sum / self.halves.len() as f64);
        Ok(())
    }

    fn reach(&mut self, trial: &Trial<'_>, k: usize) -> Result<bool> {
        for half in self.halves.iter_mut().flatten() {
            if half.reach(trial, k)? < k {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// How much of the documents of each of k topics is again in one topic of a half, in the mean over all halves: the
    /// part that both have of those that either has; collective. `told` is called after each half.
    pub(super) fn recovered(
        &mut self,
        trial: &Trial<'_>,
        h: &[f64],
        k: usize,
        mut told: impl FnMut() -> bool,
    ) -> Result<Vec<f64>> {
        self.reach(trial, k)?;
        let groups = self.heaviest(trial, h.to_vec(), k)?;
        let mut sums = vec![0.0; k];
        for half in self.halves.iter().flatten() {
            let others = self.groups(trial, half, k)?;
            let overlaps = best_overlaps(&groups, &others, k);
            sums.iter_mut().zip(overlaps).for_each(|(sum, overlap)| *sum += overlap);
            trial.go_on(told())?;
        }
        let n_halves = 2.0 * self.halves.len() as f64;
        Ok(sums.into_iter().map(|sum| sum / n_halves).collect())
    }

    /// The heaviest topic of every grouped row, by the topics of some rows; collective.
    fn groups(&self, trial: &Trial<'_>, half: &Part, k: usize) -> Result<Vec<u64>> {
        let k = k.min(half.found.rank());
        self.heaviest(trial, half.topics(trial, k)?, k)
    }

    /// The heaviest of k topics in every grouped row; collective.
    fn heaviest(&self, trial: &Trial<'_>, h: Vec<f64>, k: usize) -> Result<Vec<u64>> {
        let rows = self.grouped.rows().expect("rows are made");
        let weights = RowModel::new(k, self.grouped.n_columns(), h)?.weights(rows)?;
        let own = Ownership::rows(self.grouped.n_rows(), trial.comm);
        let documents = DocumentWeights::new(own, k, weights);
        let heaviest = documents.heaviest.iter().map(|topic| topic.unwrap_or(k) as u64);
        let all = trial.comm.gather(&heaviest.collect::<Vec<_>>())?;
        Ok(documents.own.in_order(&all, 1))
    }
}

/// For each of k groups, how much it has in common with the most similar of the others: the part of the members of
/// either that are in both.
fn best_overlaps(groups: &[u64], others: &[u64], k: usize) -> Vec<f64> {
    let n_others = others.iter().max().map_or(0, |most| *most as usize + 1);
    let (mut common, mut sizes) = (vec![0_usize; k * n_others], vec![0_usize; n_others]);
    let mut own = vec![0_usize; k];
    for (&group, &other) in groups.iter().zip(others) {
        sizes[other as usize] += 1;
        if let Some(size) = own.get_mut(group as usize) {
            *size += 1;
            common[group as usize * n_others + other as usize] += 1;
        }
    }
    let overlap = |t: usize, u: usize| {
        let both = common[t * n_others + u];
        both as f64 / (own[t] + sizes[u] - both).max(1) as f64
    };
    (0..k).map(|t| (0..n_others).map(|u| overlap(t, u)).fold(0.0, f64::max)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_compared_with_the_most_similar_one() {
        // The first group comes back under another number, the second is split, the third is in no document.
        let overlaps = best_overlaps(&[0, 0, 1, 1, 1, 3], &[2, 2, 0, 0, 1, 1], 3);
        assert_eq!(overlaps, [1.0, 2.0 / 3.0, 0.0]);
    }
}
