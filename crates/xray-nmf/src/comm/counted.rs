//! What travels between ranks, counted.

use std::sync::atomic::{AtomicU64, Ordering};

use super::Communicator;
use crate::error::Result;

/// A communicator that counts the bytes which arrive at this rank, and the calls.
///
/// Bytes are those of the messages themselves: what a tree of forwards inside MPI adds is not seen.
///
/// # Examples
/// ```
/// use xray_nmf::comm::{Communicator, Counted, run_local_ranks};
/// let arrived = run_local_ranks(3, |comm| {
///     let counted = Counted::new(comm);
///     counted.all_gather(&[0; 10]).unwrap();
///     counted.traffic().bytes
/// });
/// assert_eq!(arrived, [20, 20, 20]);
/// ```
#[derive(Debug)]
pub struct Counted<'a> {
    comm: &'a dyn Communicator,
    bytes: AtomicU64,
    calls: AtomicU64,
}

/// Traffic of one rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Traffic {
    /// Bytes that arrived from other ranks.
    pub bytes: u64,
    /// Collective calls made.
    pub calls: u64,
}

impl<'a> Counted<'a> {
    /// Counts from 0.
    pub fn new(comm: &'a dyn Communicator) -> Self {
        Self { comm, bytes: AtomicU64::new(0), calls: AtomicU64::new(0) }
    }

    /// What arrived so far.
    pub fn traffic(&self) -> Traffic {
        Traffic {
            bytes: self.bytes.load(Ordering::Relaxed),
            calls: self.calls.load(Ordering::Relaxed),
        }
    }

    fn count(&self, bytes: usize) {
        self.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
        self.calls.fetch_add(1, Ordering::Relaxed);
    }

    /// Bytes of messages that came from other ranks.
    fn others_bytes(&self, messages: &[Vec<u8>]) -> usize {
        let others = messages.iter().enumerate().filter(|(rank, _)| *rank != self.comm.rank());
        others.map(|(_, message)| message.len()).sum()
    }
}

impl Communicator for Counted<'_> {
    fn rank(&self) -> usize {
        self.comm.rank()
    }

    fn size(&self) -> usize {
        self.comm.size()
    }

    fn broadcast(&self, root: usize, message: &mut Vec<u8>) -> Result<()> {
        self.comm.broadcast(root, message)?;
        self.count(if root == self.comm.rank() { 0 } else { message.len() });
        Ok(())
    }

    fn all_gather(&self, message: &[u8]) -> Result<Vec<Vec<u8>>> {
        let received = self.comm.all_gather(message)?;
        self.count(self.others_bytes(&received));
        Ok(received)
    }

    fn all_to_all(&self, messages: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>> {
        let received = self.comm.all_to_all(messages)?;
        self.count(self.others_bytes(&received));
        Ok(received)
    }
}
