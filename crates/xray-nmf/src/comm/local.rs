//! Threads as ranks, for tests. Their calls are [traced](super::traced): ranks that make different calls
//! get an error that says where each of them is.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::Communicator;
use super::traced::{Call, Kind};
use crate::error::{Error, Result};
use crate::threads::with_threads;

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
    deposited: Vec<Option<Deposit>>,
    collected: usize,
    closed: bool,
}

/// What a rank brings to a call: all of its messages.
#[derive(Debug, Clone)]
struct Deposit {
    call: Call,
    messages: Vec<Vec<u8>>,
}

/// Runs `work` on `size` threads, one for each rank, and returns their results in rank order.
///
/// Each rank has a pool of its own, with its part of the workers of the current one: in a pool that ranks
/// share, a worker that waits for the other ranks would be missing where they need it.
///
/// A rank that ends while others still wait for it makes their calls fail rather than hang, and so do
/// ranks that make different calls, or calls from different places in the program.
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
/// If `size` is 0, a rank panics, or the system refuses to start so many threads.
pub fn run_local_ranks<R: Send>(size: usize, work: impl Fn(&LocalRank) -> R + Sync) -> Vec<R> {
    assert!(size > 0, "at least one rank");
    let workers = rayon::current_num_threads().div_ceil(size);
    let exchange = Exchange { deposited: vec![None; size], ..Exchange::default() };
    let group = Arc::new(Group { size, state: Mutex::new(exchange), changed: Condvar::new() });
    std::thread::scope(|scope| {
        let handles: Vec<_> = (0..size)
            .map(|rank| {
                let member = LocalRank { rank, group: Arc::clone(&group) };
                let work = &work;
                scope.spawn(move || with_threads(Some(workers), || work(&member)))
            })
            .collect();
        let ended = handles.into_iter().map(|handle| handle.join().expect("a rank panicked"));
        ended.map(|result| result.expect("a pool for each rank")).collect()
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
        kind: Kind,
        messages: Vec<Vec<u8>>,
        pick: impl Fn(&[Vec<u8>]) -> Vec<u8>,
    ) -> Result<Vec<Vec<u8>>> {
        let call = Call::now(kind);
        let mut state = self.lock();
        while state.deposited[self.rank].is_some() {
            state = self.wait(state)?;
        }
        state.deposited[self.rank] = Some(Deposit { call, messages });
        self.group.changed.notify_all();
        while state.deposited.iter().any(Option::is_none) {
            state = self.wait(state)?;
        }
        let deposits: Vec<&Deposit> = state.deposited.iter().flatten().collect();
        Call::check_same(deposits.iter().map(|deposit| deposit.call))?;
        let all = deposits.iter().map(|deposit| pick(&deposit.messages)).collect();
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
        let kind = Kind::Broadcast { root };
        let mut all = self.exchange(kind, vec![own], |messages| messages[0].clone())?;
        *message = all.swap_remove(root);
        Ok(())
    }

    fn all_gather(&self, message: &[u8]) -> Result<Vec<Vec<u8>>> {
        self.exchange(Kind::AllGather, vec![message.to_vec()], |messages| messages[0].clone())
    }

    fn all_to_all(&self, messages: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>> {
        let rank = self.rank;
        let to_this = |messages: &[Vec<u8>]| messages.get(rank).cloned().unwrap_or_default();
        self.exchange(Kind::AllToAll, messages, to_this)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Collectives;
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

    #[test]
    fn ranks_that_make_different_calls_are_told_where_each_of_them_is() {
        let results = run_local_ranks(3, |comm| match comm.rank() {
            2 => comm.share(0, &mut vec![1.0]).map(|()| Vec::new()),
            _ => comm.gather(&[1.0]),
        });
        for result in results {
            let message = result.unwrap_err().to_string();
            assert!(message.contains("rank 0: all_gather at "), "{message}");
            assert!(message.contains("rank 2: broadcast of rank 0 at "), "{message}");
            assert!(message.contains("local.rs:"), "{message}");
        }
        let elsewhere = run_local_ranks(2, |comm| match comm.rank() {
            0 => comm.any(true),
            _ => comm.any(true),
        });
        assert!(elsewhere.iter().all(Result::is_err), "the same call from two places");
    }
}
