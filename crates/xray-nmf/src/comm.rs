//! How ranks talk to each other: a handful of collective calls, and two ways to make them.
//!
//! The solver is written once, for any number of ranks that each own a range of columns. A single
//! machine is [`OneRank`]; [`run_local_ranks`] gives each rank a thread, for tests; MPI can stand
//! behind the same trait.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::error::{Error, Result};

/// Collective operations: every rank makes the same calls in the same order.
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
}

/// The only rank there is.
#[derive(Debug, Clone, Copy, Default)]
pub struct OneRank;

impl Communicator for OneRank {
    fn rank(&self) -> usize {
        0
    }

    fn size(&self) -> usize {
        1
    }

    fn broadcast(&self, _root: usize, _message: &mut Vec<u8>) -> Result<()> {
        Ok(())
    }

    fn all_gather(&self, message: &[u8]) -> Result<Vec<Vec<u8>>> {
        Ok(vec![message.to_vec()])
    }

    fn all_to_all(&self, messages: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>> {
        Ok(messages)
    }
}

/// All ranks' numbers one after the other.
pub(crate) fn gather_f64(comm: &dyn Communicator, local: &[f64]) -> Result<Vec<f64>> {
    if comm.size() == 1 {
        return Ok(local.to_vec());
    }
    let parts = comm.all_gather(bytemuck::cast_slice(local))?;
    Ok(parts
        .iter()
        .flat_map(|part| bytemuck::allocation::pod_collect_to_vec::<u8, f64>(part))
        .collect())
}

/// One rank of a group of threads, made by [`run_local_ranks`].
#[derive(Debug)]
pub struct LocalRank {
    rank: usize,
    group: Arc<Group>,
}

#[derive(Debug)]
struct Group {
    size: usize,
    state: Mutex<Exchange>,
    changed: Condvar,
}

/// One collective call at a time: ranks first deposit, then all collect, then the slate is clean.
#[derive(Debug, Default)]
struct Exchange {
    deposited: Vec<Option<Vec<Vec<u8>>>>,
    collected: usize,
    closed: bool,
}

/// Runs `work` on `size` threads, one for each rank, and returns their results in rank order.
///
/// A rank that ends while others still wait for it makes their calls fail rather than hang.
///
/// # Examples
/// ```
/// use xray_nmf::comm::{Communicator, run_local_ranks};
/// let sums = run_local_ranks(3, |comm| {
///     let parts = comm.all_gather(&[comm.rank() as u8]).unwrap();
///     parts.iter().map(|part| part[0]).sum::<u8>()
/// });
/// assert_eq!(sums, [3, 3, 3]);
/// ```
///
/// # Panics
/// If `size` is 0, or if a rank panics.
pub fn run_local_ranks<R: Send>(size: usize, work: impl Fn(&LocalRank) -> R + Sync) -> Vec<R> {
    assert!(size > 0, "at least one rank");
    let exchange = Exchange { deposited: vec![None; size], ..Exchange::default() };
    let group = Arc::new(Group { size, state: Mutex::new(exchange), changed: Condvar::new() });
    std::thread::scope(|scope| {
        let handles: Vec<_> = (0..size)
            .map(|rank| {
                let member = LocalRank { rank, group: Arc::clone(&group) };
                let work = &work;
                scope.spawn(move || work(&member))
            })
            .collect();
        handles.into_iter().map(|handle| handle.join().expect("a rank panicked")).collect()
    })
}

impl LocalRank {
    fn lock(&self) -> MutexGuard<'_, Exchange> {
        self.group.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'g>(&self, guard: MutexGuard<'g, Exchange>) -> Result<MutexGuard<'g, Exchange>> {
        if guard.closed {
            return Err(Error::Communication("another rank has ended".into()));
        }
        Ok(self.group.changed.wait(guard).unwrap_or_else(PoisonError::into_inner))
    }

    /// Deposits `messages`, waits for all ranks, and returns what `pick` takes from each.
    fn exchange(
        &self,
        messages: Vec<Vec<u8>>,
        pick: impl Fn(&[Vec<u8>]) -> Vec<u8>,
    ) -> Result<Vec<Vec<u8>>> {
        let mut state = self.lock();
        while state.deposited[self.rank].is_some() {
            state = self.wait(state)?;
        }
        state.deposited[self.rank] = Some(messages);
        self.group.changed.notify_all();
        while state.deposited.iter().any(Option::is_none) {
            state = self.wait(state)?;
        }
        let all = state.deposited.iter().flatten().map(|messages| pick(messages)).collect();
        state.collected += 1;
        if state.collected == self.group.size {
            state.collected = 0;
            state.deposited.fill(None);
            self.group.changed.notify_all();
        }
        Ok(all)
    }
}

impl Drop for LocalRank {
    fn drop(&mut self) {
        self.lock().closed = true;
        self.group.changed.notify_all();
    }
}

impl Communicator for LocalRank {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.group.size
    }

    fn broadcast(&self, root: usize, message: &mut Vec<u8>) -> Result<()> {
        let own = if self.rank == root { std::mem::take(message) } else { Vec::new() };
        let mut all = self.exchange(vec![own], |messages| messages[0].clone())?;
        *message = all.swap_remove(root);
        Ok(())
    }

    fn all_gather(&self, message: &[u8]) -> Result<Vec<Vec<u8>>> {
        self.exchange(vec![message.to_vec()], |messages| messages[0].clone())
    }

    fn all_to_all(&self, messages: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>> {
        let rank = self.rank;
        self.exchange(messages, |messages| messages.get(rank).cloned().unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn collectives_deliver_in_rank_order() {
        let results = run_local_ranks(4, |comm| {
            let mut message = vec![comm.rank() as u8; comm.rank()];
            comm.broadcast(2, &mut message).unwrap();
            let to_each = (0..4).map(|k| vec![10 * comm.rank() as u8 + k]).collect();
            (message, comm.all_to_all(to_each).unwrap())
        });
        for (rank, (message, received)) in results.into_iter().enumerate() {
            assert_eq!(message, [2, 2]);
            let expected: Vec<Vec<u8>> = (0..4).map(|k| vec![10 * k + rank as u8]).collect();
            assert_eq!(received, expected);
        }
    }

    #[test]
    fn a_rank_that_ends_early_is_an_error_not_a_hang() {
        let results = run_local_ranks(3, |comm| {
            if comm.rank() == 1 { Ok(Vec::new()) } else { comm.all_gather(&[1]) }
        });
        assert!(results[0].is_err() && results[2].is_err());
    }
}
