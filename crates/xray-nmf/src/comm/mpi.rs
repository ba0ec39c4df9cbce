//! The communicator over MPI.
//!
//! Counts in MPI are C integers, so long messages travel in pieces of at most [`PIECE`] bytes. Only
//! movements of bytes are used, never a reduction: the order of MPI's sums depends on the number of
//! ranks. A lost connection ends the whole job (MPI's default error handler), which is what we want.
//!
//! **Waiting.** MPI waits by asking again and again, on a core that a working rank may need: with more
//! ranks than cores a run takes ten times as long. So every call is started without waiting, and
//! [`MpiRank::wait`] asks for its end, at growing intervals where there are more ranks than cores.
//!
//! **Empty messages** still need an address: Rust's for an empty vector of bytes is 1, which is how Open
//! MPI spells `MPI_IN_PLACE`. All buffers here have room for at least one byte.

use std::time::{Duration, Instant};

use ::mpi::Threading;
use ::mpi::collective::{CommunicatorCollectives, Root};
use ::mpi::datatype::{Partition, PartitionMut};
use ::mpi::environment::Universe;
use ::mpi::request::{Request, Scope, scope};
use ::mpi::topology::{Communicator as _, SimpleCommunicator};

use super::Communicator;
use crate::error::{Error, Result};
use crate::machine::Machine;

/// The most bytes of one call.
const PIECE: usize = 1 << 26;
/// Bytes of the first message of a call: its length, and as much of it as there is room for.
const FRAME: usize = 64;
/// Bytes of a frame that are left for the message.
const ROOM: usize = FRAME - 8;
/// How long a rank with a core of its own asks without pause; most waits are shorter.
const EAGER: Duration = Duration::from_millis(100);
/// The same where ranks share cores.
const SHARING: Duration = Duration::from_millis(1);
/// The pause between two questions after that.
const PAUSE: Duration = Duration::from_micros(50);

/// This process as one rank of an MPI job. MPI ends with it.
pub struct MpiRank {
    rank: usize,
    size: usize,
    eager: Duration,
    // Kept for its end, which finalises MPI.
    _universe: Universe,
}

impl MpiRank {
    /// Starts MPI. Calls may come from any thread, one at a time.
    ///
    /// # Errors
    /// If MPI cannot be called from worker threads, or the launcher belongs to another MPI: then each
    /// process would work alone.
    pub fn start() -> Result<Self> {
        let Some((universe, threading)) = ::mpi::initialize_with_threading(Threading::Serialized)
        else {
            let reason = "MPI has been started before in this process";
            return Err(Error::Communication(reason.into()));
        };
        if threading < Threading::Serialized {
            let reason =
                "this MPI cannot be called from worker threads (MPI_THREAD_SERIALIZED is needed)";
            return Err(Error::Communication(reason.into()));
        }
        let world = universe.world();
        let (rank, size) = (world.rank() as usize, world.size() as usize);
        let mut comm = Self { rank, size, eager: SHARING, _universe: universe };
        if Machine::default().share(&comm)?.has_own_core {
            comm.eager = EAGER;
        }
        Ok(comm)
    }

    /// Ends all ranks at once, with an exit status.
    pub fn abort(&self, status: u8) -> ! {
        SimpleCommunicator::world().abort(i32::from(status))
    }
}

/// Bytes as MPI counts them; pieces are never longer than an int.
fn counts(lengths: &[usize]) -> (Vec<i32>, Vec<i32>) {
    let counts: Vec<i32> = lengths.iter().map(|&length| length as i32).collect();
    let mut end = 0;
    let starts = counts.iter().map(|&count| {
        end += count;
        end - count
    });
    (counts.clone(), starts.collect())
}

/// All parts in one buffer, which has an address even if they are empty.
fn joined(parts: &[&[u8]]) -> Vec<u8> {
    let mut all = Vec::with_capacity(parts.iter().map(|part| part.len()).sum::<usize>() + 1);
    parts.iter().for_each(|part| all.extend_from_slice(part));
    all
}

/// So many zeros, in a buffer that has an address even if there are none.
fn zeros(length: usize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(length + 1);
    bytes.resize(length, 0);
    bytes
}

/// The parts of the given lengths.
fn split(mut all: &[u8], lengths: &[usize]) -> Vec<Vec<u8>> {
    let part = |&length: &usize| all.split_off(..length).unwrap_or_default().to_vec();
    lengths.iter().map(part).collect()
}

/// The first message: the length, and the beginning.
fn frame(message: &[u8]) -> [u8; FRAME] {
    let mut frame = [0; FRAME];
    frame[..8].copy_from_slice(&(message.len() as u64).to_le_bytes());
    let inside = message.len().min(ROOM);
    frame[8..8 + inside].copy_from_slice(&message[..inside]);
    frame
}

fn framed_length(frame: &[u8]) -> usize {
    frame.first_chunk().map_or(0, |length| u64::from_le_bytes(*length) as usize)
}

impl MpiRank {
    /// Waits for a call to end, and leaves the core to others meanwhile.
    fn wait<'a, D: ?Sized, S: Scope<'a>>(&self, mut request: Request<'a, D, S>) {
        let start = Instant::now();
        while let Err(unfinished) = request.test() {
            request = unfinished;
            if start.elapsed() < self.eager {
                std::thread::yield_now();
            } else {
                std::thread::sleep(PAUSE);
            }
        }
    }

    /// One exchange of pieces: `messages[k]` goes to rank k, and `lengths[k]` bytes come from it.
    fn exchange_pieces(&self, messages: &[&[u8]], lengths: &[usize]) -> Vec<u8> {
        let sent = joined(messages);
        let (send_counts, send_starts) =
            counts(&messages.iter().map(|m| m.len()).collect::<Vec<_>>());
        let (counts, starts) = counts(lengths);
        let mut received = zeros(lengths.iter().sum());
        let send = Partition::new(&sent[..], send_counts, &send_starts[..]);
        let mut receive = PartitionMut::new(&mut received[..], counts, &starts[..]);
        let world = SimpleCommunicator::world();
        scope(|s| self.wait(world.immediate_all_to_all_varcount_into(s, &send, &mut receive)));
        received
    }

    /// Everybody's frame, one after the other.
    fn gather_frames(&self, message: &[u8]) -> Vec<u8> {
        let own = frame(message);
        let mut frames = zeros(FRAME * self.size);
        let world = SimpleCommunicator::world();
        scope(|s| self.wait(world.immediate_all_gather_into(s, &own[..], &mut frames[..])));
        frames
    }

    /// Replaces the bytes on all ranks by those of `root`; all have as many.
    fn broadcast_bytes(&self, root: usize, bytes: &mut [u8]) {
        let world = SimpleCommunicator::world();
        let root = world.process_at_rank(root as i32);
        for piece in bytes.chunks_mut(PIECE) {
            scope(|s| self.wait(root.immediate_broadcast_into(s, piece)));
        }
    }
}

impl std::fmt::Debug for MpiRank {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut rank = f.debug_struct("MpiRank");
        rank.field("rank", &self.rank).field("size", &self.size).finish_non_exhaustive()
    }
}

impl Communicator for MpiRank {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn broadcast(&self, root: usize, message: &mut Vec<u8>) -> Result<()> {
        if self.size == 1 {
            return Ok(());
        }
        let mut frame = frame(message);
        self.broadcast_bytes(root, &mut frame);
        let length = framed_length(&frame);
        message.resize(length, 0);
        match length > ROOM {
            true => self.broadcast_bytes(root, message),
            false => message.copy_from_slice(&frame[8..8 + length]),
        }
        Ok(())
    }

    fn all_gather(&self, message: &[u8]) -> Result<Vec<Vec<u8>>> {
        if self.size == 1 {
            return Ok(vec![message.to_vec()]);
        }
        let frames = self.gather_frames(message);
        let frames = frames.chunks_exact(FRAME);
        let lengths: Vec<usize> = frames.clone().map(framed_length).collect();
        if lengths.iter().all(|&length| length <= ROOM) {
            return Ok(frames.zip(lengths).map(|(f, length)| f[8..8 + length].to_vec()).collect());
        }
        if lengths.iter().sum::<usize>() > PIECE {
            let from = |(root, &length): (usize, &usize)| {
                let mut bytes = if root == self.rank { message.to_vec() } else { zeros(length) };
                self.broadcast_bytes(root, &mut bytes);
                bytes
            };
            return Ok(lengths.iter().enumerate().map(from).collect());
        }
        let own = if message.is_empty() { &[0][..0] } else { message };
        let mut all = zeros(lengths.iter().sum());
        let (counts, starts) = counts(&lengths);
        let mut receive = PartitionMut::new(&mut all[..], counts, &starts[..]);
        let world = SimpleCommunicator::world();
        scope(|s| self.wait(world.immediate_all_gather_varcount_into(s, own, &mut receive)));
        Ok(split(&all, &lengths))
    }

    fn all_to_all(&self, messages: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>> {
        assert_eq!(messages.len(), self.size, "one message for each rank");
        if self.size == 1 {
            return Ok(messages);
        }
        // With each length travels the longest of its rank: all must make the same number of rounds.
        let longest = messages.iter().map(Vec::len).max().unwrap_or(0) as u64;
        let own: Vec<u64> = messages.iter().flat_map(|m| [m.len() as u64, longest]).collect();
        let mut heads = vec![0u64; 2 * self.size];
        let world = SimpleCommunicator::world();
        scope(|s| self.wait(world.immediate_all_to_all_into(s, &own[..], &mut heads[..])));
        let lengths: Vec<usize> = heads.chunks_exact(2).map(|head| head[0] as usize).collect();
        let longest = heads.chunks_exact(2).map(|head| head[1] as usize).max().unwrap_or(0);
        let piece = (PIECE / self.size).max(4096);
        let mut received: Vec<Vec<u8>> =
            lengths.iter().map(|&length| Vec::with_capacity(length)).collect();
        for start in (0..longest).step_by(piece) {
            let part = |length: usize| length.saturating_sub(start).min(piece);
            let sent: Vec<&[u8]> =
                messages.iter().map(|m| &m[start.min(m.len())..][..part(m.len())]).collect();
            let expected: Vec<usize> = lengths.iter().map(|&length| part(length)).collect();
            let pieces = self.exchange_pieces(&sent, &expected);
            for (message, part) in received.iter_mut().zip(split(&pieces, &expected)) {
                message.extend(part);
            }
        }
        Ok(received)
    }
}
