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
    grouped: Grouped,
}

/// The rows that are grouped by their topics.
struct Grouped(DistributedMatrix);

/// What the numbers at random of a split begin with.
fn seed(trial: &Trial<'_>, split: usize) -> u64 {
    trial.options.params.seed.wrapping_add(101 + split as u64)
}

/// The rows of two halves.
fn halves(trial: &Trial<'_>, matrix: &DistributedMatrix, split: usize) -> [Vec<usize>; 2] {
    split_rows(matrix.n_rows(), 0.5, seed(trial, split)).into()
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
        let part = |rows: &[usize]| Part::new(trial, matrix, rows);
        let parts = |split: usize| {
            let [one, other] = halves(trial, matrix, split);
            Ok([part(&one)?, part(&other)?])
        };
        let halves = (0..number).map(parts).collect::<Result<_>>()?;
        Ok(Self { halves, grouped: Grouped::new(trial, matrix)? })
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
            let groups = |half: &Part| self.grouped.by_topics_of(trial, half, k);
            let (one, other) = (groups(one)?, groups(other)?);
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
}

/// How much of the documents of each of k topics is again in one topic of a half, in the mean over the halves of so many
/// splits: the part that both have of those that either has; collective. `told` is called after each half. One half is
/// there at a time.
pub(super) fn recovered(
    trial: &Trial<'_>,
    matrix: &DistributedMatrix,
    splits: usize,
    h: &[f64],
    mut told: impl FnMut() -> bool,
) -> Result<Vec<f64>> {
    let k = trial.options.params.rank;
    let grouped = Grouped::new(trial, matrix)?;
    let groups = grouped.heaviest(trial, h.to_vec(), k)?;
    let mut sums = vec![0.0; k];
    for rows in (0..splits).flat_map(|split| halves(trial, matrix, split)) {
        let mut half = Part::new(trial, matrix, &rows)?;
        half.reach(trial, k)?;
        let others = grouped.by_topics_of(trial, &half, k)?;
        let overlaps = best_overlaps(&groups, &others, k);
        sums.iter_mut().zip(overlaps).for_each(|(sum, overlap)| *sum += overlap);
        trial.go_on(told())?;
    }
    let n_halves = 2.0 * splits as f64;
    Ok(sums.into_iter().map(|sum| sum / n_halves).collect())
}

impl Grouped {
    /// Some rows of a matrix, all if they are few; collective.
    fn new(trial: &Trial<'_>, matrix: &DistributedMatrix) -> Result<Self> {
        let share = MOST_GROUPED as f64 / matrix.n_rows() as f64;
        let drawn = seed(trial, Splits::NUMBER);
        let (rest, grouped) = split_rows(matrix.n_rows(), share.min(1.0), drawn);
        let grouped = if share < 1.0 { grouped } else { [rest, grouped].concat() };
        Ok(Self(matrix.rows_at(trial.comm, &grouped)?))
    }

    /// The heaviest topic of every row, by the topics of some rows; collective.
    fn by_topics_of(&self, trial: &Trial<'_>, half: &Part, k: usize) -> Result<Vec<u64>> {
        let k = k.min(half.found.rank());
        self.heaviest(trial, half.topics(trial, k)?, k)
    }

    /// The heaviest of k topics in every row; collective.
    fn heaviest(&self, trial: &Trial<'_>, h: Vec<f64>, k: usize) -> Result<Vec<u64>> {
        let rows = self.0.rows().expect("rows are made");
        let weights = RowModel::new(k, self.0.n_columns(), h)?.weights(rows)?;
        let own = Ownership::rows(self.0.n_rows(), trial.comm);
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
