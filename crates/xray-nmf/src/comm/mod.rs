//! How ranks talk: three collective movements of bytes, typed calls on top of them, and one file for each
//! way to make them.
//!
//! The solver is written once, for any number of ranks that each own some of the columns. A single machine
//! is [`OneRank`]; [`run_local_ranks`] gives each rank a thread, for tests; `MpiRank`, with the feature
//! `mpi`, is a process of an MPI job.

mod counted;
mod local;
#[cfg(feature = "mpi")]
mod mpi;
mod one;
mod traced;
mod typed;

pub use counted::{Counted, Traffic};
pub use local::{LocalRank, run_local_ranks};
#[cfg(feature = "mpi")]
pub use mpi::MpiRank;
pub use one::OneRank;
pub use typed::Collectives;

use crate::error::Result;

/// Collective operations: every rank makes the same calls in the same order.
///
/// Messages are bytes, so that the trait can stand behind `&dyn Communicator`; [`Collectives`] has the
/// same calls for numbers.
pub trait Communicator: Sync + std::fmt::Debug {
    /// This rank, from 0.
    fn rank(&self) -> usize;

    /// Number of ranks.
    fn size(&self) -> usize;

    /// Replaces `message` on all ranks by the one of `root`.
    fn broadcast(&self, root: usize, message: &mut Vec<u8>) -> Result<()>;

    /// Every rank's message, in rank order, on every rank. Lengths may differ.
    fn all_gather(&self, message: &[u8]) -> Result<Vec<Vec<u8>>>;

    /// Sends `messages[k]` to rank k and returns what each rank sent here, in rank order.
    fn all_to_all(&self, messages: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>>;

    /// Whether nobody else takes part.
    fn is_alone(&self) -> bool {
        self.size() == 1
    }
}
