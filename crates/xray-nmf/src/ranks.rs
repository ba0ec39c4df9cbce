//! Sums over all ranks' columns, in an order that does not depend on their number.

use std::ops::Range;

use rayon::prelude::*;

use crate::comm::{Collectives, Communicator};
use crate::error::Result;
use crate::ownership::Ownership;
use crate::stop::{Stop, StopRequest};

/// Those who take part, and who owns which columns.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ranks<'a> {
    pub(crate) comm: &'a dyn Communicator,
    pub(crate) columns: Ownership,
    pub(crate) stop: Stop<'a>,
}

impl<'a> Ranks<'a> {
    /// For a matrix of n columns.
    pub(crate) fn new(comm: &'a dyn Communicator, n_columns: usize) -> Self {
        Self { comm, columns: Ownership::columns(n_columns, comm), stop: Stop::NEVER }
    }

    /// The same, who look at a request to stop.
    pub(crate) fn stopped_by(self, request: Option<&'a StopRequest>) -> Self {
        Self { stop: Stop::new(request, self.comm.is_alone()), ..self }
    }

    /// Sums `part` over all blocks of all ranks in block order.
    #[track_caller]
    pub(crate) fn sum_blocks(
        &self,
        part: impl Fn(Range<usize>) -> f64 + Sync + Send,
    ) -> Result<f64> {
        let own: Vec<f64> = self.columns.own_blocks().into_par_iter().map(part).collect();
        let all = self.comm.gather(&own)?;
        let in_order = self.columns.in_block_order(&all, 1);
        Ok(in_order.iter().fold(0.0, |sum, part| sum + part[0]))
    }

    /// Sums vectors of equal length over all blocks: first those of each rank, then over the ranks.
    ///
    /// The last bits depend on the number of ranks, so this is for bounds only; it spares sending a
    /// vector for each block.
    #[track_caller]
    pub(crate) fn sum_for_bounds(
        &self,
        length: usize,
        part: impl Fn(usize, Range<usize>) -> Vec<f64> + Sync,
    ) -> Result<Vec<f64>> {
        let blocks = self.columns.own_blocks().into_par_iter().enumerate().with_max_len(1);
        let part = |(b, range): (usize, Range<usize>)| {
            self.stop.check()?;
            Ok(part(b, range))
        };
        let own = blocks.map(part).collect::<Result<Vec<Vec<f64>>>>()?;
        let mut sum = vec![0.0; length];
        let add = |sum: &mut Vec<f64>, part: &[f64]| {
            sum.iter_mut().zip(part).for_each(|(s, v)| *s += v);
        };
        own.iter().for_each(|part| add(&mut sum, part));
        if self.comm.is_alone() {
            return Ok(sum);
        }
        let mut total = vec![0.0; length];
        let all = self.comm.gather(&sum)?;
        all.chunks(length.max(1)).for_each(|part| add(&mut total, part));
        Ok(total)
    }

    /// Whether `holds` for any own column of any rank.
    #[track_caller]
    pub(crate) fn any_column(&self, holds: impl Fn(usize) -> bool) -> Result<bool> {
        self.comm.any((0..self.columns.n_own()).any(holds))
    }
}
