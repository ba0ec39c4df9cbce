//! Numbers instead of bytes, for every communicator, also behind `dyn`.
//!
//! A rank that has nothing to say sends an empty slice: no number stands for "none", and none for an index.

use std::panic::Location;

use bytemuck::allocation::pod_collect_to_vec;
use bytemuck::{Pod, cast_slice};

use super::{Communicator, traced};
use crate::error::Result;

/// The collective calls of [`Communicator`] for values of any plain type.
///
/// # Examples
/// ```
/// use xray_nmf::comm::{Collectives, Communicator, run_local_ranks};
/// let found = run_local_ranks(3, |comm| {
///     let own = (comm.rank() != 1).then_some(comm.rank() as u64);
///     comm.gather(own.as_slice()).unwrap()
/// });
/// assert_eq!(found, [[0, 2], [0, 2], [0, 2]]);
/// ```
///
/// # Errors
/// All calls fail if the ranks cannot talk.
pub trait Collectives: Communicator {
    /// All ranks' values, one rank after the other.
    #[track_caller]
    fn gather<T: Pod>(&self, own: &[T]) -> Result<Vec<T>> {
        if self.is_alone() {
            return Ok(own.to_vec());
        }
        traced::call_from(Location::caller());
        let parts = self.all_gather(cast_slice(own))?;
        Ok(parts.iter().flat_map(|part| pod_collect_to_vec::<u8, T>(part)).collect())
    }

    /// Each rank's values, in rank order.
    #[track_caller]
    fn gather_parts<T: Pod>(&self, own: &[T]) -> Result<Vec<Vec<T>>> {
        if self.is_alone() {
            return Ok(vec![own.to_vec()]);
        }
        traced::call_from(Location::caller());
        let parts = self.all_gather(cast_slice(own))?;
        Ok(parts.iter().map(|part| pod_collect_to_vec(part)).collect())
    }

    /// Replaces the values on all ranks by those of `root`.
    #[track_caller]
    fn share<T: Pod>(&self, root: usize, values: &mut Vec<T>) -> Result<()> {
        if self.is_alone() {
            return Ok(());
        }
        traced::call_from(Location::caller());
        let mut message = Vec::new();
        if root == self.rank() {
            message = cast_slice(values).to_vec();
        }
        self.broadcast(root, &mut message)?;
        if root != self.rank() {
            *values = pod_collect_to_vec(&message);
        }
        Ok(())
    }

    /// Sends `to[k]` to rank k; what each rank sent here, in rank order.
    #[track_caller]
    fn exchange<T: Pod>(&self, to: Vec<Vec<T>>) -> Result<Vec<Vec<T>>> {
        if self.is_alone() {
            return Ok(to);
        }
        traced::call_from(Location::caller());
        let messages = to.iter().map(|part| cast_slice(part).to_vec()).collect();
        drop(to);
        let received = self.all_to_all(messages)?;
        Ok(received.iter().map(|part| pod_collect_to_vec(part)).collect())
    }

    /// Whether it holds on any rank.
    #[track_caller]
    fn any(&self, own: bool) -> Result<bool> {
        Ok(self.gather(&[u8::from(own)])?.contains(&1))
    }

    /// The sum of a count over all ranks.
    #[track_caller]
    fn total(&self, own: usize) -> Result<usize> {
        Ok(self.gather(&[own as u64])?.into_iter().sum::<u64>() as usize)
    }

    /// The largest value of any rank; negative infinity if none has one.
    #[track_caller]
    fn largest(&self, own: f64) -> Result<f64> {
        Ok(self.gather(&[own])?.into_iter().fold(f64::NEG_INFINITY, f64::max))
    }
}

impl<K: Communicator + ?Sized> Collectives for K {}
