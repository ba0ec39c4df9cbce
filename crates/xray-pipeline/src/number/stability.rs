//! Do topics of other rows group the rows alike?

use xray_nmf::comm::Collectives;
use xray_nmf::{Factorization, Ownership, RowModel, split_rows};

use super::Trial;
use crate::corpus::DistributedMatrix;
use crate::documents::DocumentWeights;
use crate::error::Result;
use crate::measure::adjusted_mutual_information;

/// Rows that are grouped, of those that there are.
const MOST_GROUPED: usize = 5_000;

/// Several ways to split the rows into two halves.
pub(super) struct Splits {
    halves: Vec<[(DistributedMatrix, Factorization); 2]>,
    /// The rows that are grouped.
    grouped: DistributedMatrix,
}

impl Splits {
    /// How many.
    pub(super) const NUMBER: usize = 5;

    /// Draws them, and finds the anchors of each half; collective.
    pub(super) fn new(trial: &Trial<'_>, matrix: &DistributedMatrix, rank: usize) -> Result<Self> {
        let seed = |s: usize| trial.options.params.seed.wrapping_add(101 + s as u64);
        let found = |rows: &[usize]| trial.anchors(matrix, rows, rank);
        let halves = |s: usize| {
            let (one, other) = split_rows(matrix.n_rows(), 0.5, seed(s));
            Ok([found(&one)?, found(&other)?])
        };
        let share = MOST_GROUPED as f64 / matrix.n_rows() as f64;
        let (rest, grouped) = split_rows(matrix.n_rows(), share.min(1.0), seed(Self::NUMBER));
        let grouped = if share < 1.0 { grouped } else { [rest, grouped].concat() };
        Ok(Self {
            halves: (0..Self::NUMBER).map(halves).collect::<Result<_>>()?,
            grouped: matrix.rows_at(trial.comm, &grouped)?,
        })
    }

    /// The largest rank that all have.
    pub(super) fn largest_rank(&self) -> usize {
        self.halves.iter().flatten().map(|(_, found)| found.rank()).min().unwrap_or(0)
    }

    /// The mean agreement of both halves' groups at rank k; collective.
    pub(super) fn stability(&self, trial: &Trial<'_>, k: usize) -> Result<f64> {
        let mut sum = 0.0;
        for [one, other] in &self.halves {
            let (one, other) = (self.groups(trial, one, k)?, self.groups(trial, other, k)?);
            sum += adjusted_mutual_information(&one, &other);
        }
        Ok(sum / self.halves.len() as f64)
    }

    /// The heaviest topic of every grouped row, by the topics of some rows; collective.
    fn groups(
        &self,
        trial: &Trial<'_>,
        (half, found): &(DistributedMatrix, Factorization),
        k: usize,
    ) -> Result<Vec<u64>> {
        let h = trial.topics(half, found, k)?;
        let rows = self.grouped.rows().expect("rows are made");
        let weights = RowModel::new(k, self.grouped.n_columns(), h)?.weights(rows)?;
        let own = Ownership::rows(self.grouped.n_rows(), trial.comm);
        let documents = DocumentWeights::new(own, k, weights);
        let heaviest = documents.heaviest.iter().map(|topic| topic.unwrap_or(k) as u64);
        let all = trial.comm.gather(&heaviest.collect::<Vec<_>>())?;
        Ok(documents.own.in_order(&all, 1))
    }
}
