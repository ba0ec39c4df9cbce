//! The communicator over MPI.
//!
//! Counts in MPI are C integers, so long messages travel in pieces of at most [`PIECE`] bytes. Only
//! movements of bytes are used, never a reduction: the order of MPI's sums depends on the number of
//! ranks. A lost connection ends the whole job (MPI's default error handler), which is what we want.

use anyhow::bail;
use mpi::Threading;
use mpi::collective::{CommunicatorCollectives, Root};
use mpi::datatype::{Partition, PartitionMut};
use mpi::environment::Universe;
use mpi::topology::{Communicator as _, SimpleCommunicator};
use xray_nmf::Result;
use xray_nmf::comm::Communicator;

/// The most bytes of one call.
const PIECE: usize = 1 << 26;

/// This process as one rank of an MPI job. MPI ends with it.
pub struct MpiRank {
    rank: usize,
    size: usize,
    // Kept for its end, which finalises MPI.
    _universe: Universe,
}

impl MpiRank {
    /// Starts MPI. Calls may come from any thread, one at a time.
    ///
    /// # Errors
    /// If MPI cannot be called from worker threads, or the launcher belongs to another MPI: then each
    /// process would work alone.
    pub fn start() -> anyhow::Result<Self> {
        let Some((universe, threading)) = mpi::initialize_with_threading(Threading::Serialized)
        else {
            bail!("MPI has been started before in this process");
        };
        if threading < Threading::Serialized {
            bail!(
                "this MPI cannot be called from worker threads (MPI_THREAD_SERIALIZED is needed)"
            );
        }
        let world = universe.world();
        let (rank, size) = (world.rank() as usize, world.size() as usize);
        Ok(Self { rank, size, _universe: universe })
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

impl MpiRank {
    /// Everybody's length.
    fn lengths(&self, own: usize) -> Vec<usize> {
        let mut lengths = vec![0u64; self.size];
        SimpleCommunicator::world().all_gather_into(&(own as u64), &mut lengths[..]);
        lengths.into_iter().map(|length| length as usize).collect()
    }

    /// One exchange of pieces: `messages[k]` goes to rank k, and `lengths[k]` bytes come from it.
    fn exchange_pieces(&self, messages: &[&[u8]], lengths: &[usize]) -> Vec<u8> {
        let sent = messages.concat();
        let (send_counts, send_starts) =
            counts(&messages.iter().map(|m| m.len()).collect::<Vec<_>>());
        let (counts, starts) = counts(lengths);
        let mut received = vec![0u8; lengths.iter().sum()];
        let send = Partition::new(&sent[..], send_counts, &send_starts[..]);
        let mut receive = PartitionMut::new(&mut received[..], counts, &starts[..]);
        SimpleCommunicator::world().all_to_all_varcount_into(&send, &mut receive);
        received
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
        let world = SimpleCommunicator::world();
        let root = world.process_at_rank(root as i32);
        let mut length = message.len() as u64;
        root.broadcast_into(&mut length);
        message.resize(length as usize, 0);
        message.chunks_mut(PIECE).for_each(|piece| root.broadcast_into(piece));
        Ok(())
    }

    fn all_gather(&self, message: &[u8]) -> Result<Vec<Vec<u8>>> {
        let lengths = self.lengths(message.len());
        if lengths.iter().sum::<usize>() > PIECE {
            return (0..self.size)
                .map(|root| {
                    let own = if root == self.rank { message } else { &[] };
                    let mut piece = own.to_vec();
                    self.broadcast(root, &mut piece)?;
                    Ok(piece)
                })
                .collect();
        }
        let mut all = vec![0u8; lengths.iter().sum()];
        let (counts, starts) = counts(&lengths);
        let mut receive = PartitionMut::new(&mut all[..], counts, &starts[..]);
        SimpleCommunicator::world().all_gather_varcount_into(message, &mut receive);
        let mut rest = &all[..];
        Ok(lengths
            .iter()
            .map(|&length| rest.split_off(..length).unwrap_or_default().to_vec())
            .collect())
    }

    fn all_to_all(&self, messages: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>> {
        assert_eq!(messages.len(), self.size, "one message for each rank");
        let own: Vec<u64> = messages.iter().map(|message| message.len() as u64).collect();
        let mut lengths = vec![0u64; self.size];
        SimpleCommunicator::world().all_to_all_into(&own[..], &mut lengths[..]);
        let longest = own.iter().copied().max().unwrap_or(0);
        let longest = self.lengths(longest as usize).into_iter().max().unwrap_or(0);
        let piece = (PIECE / self.size).max(4096);
        let mut received: Vec<Vec<u8>> =
            lengths.iter().map(|&length| Vec::with_capacity(length as usize)).collect();
        for start in (0..longest).step_by(piece) {
            let part = |length: usize| length.saturating_sub(start).min(piece);
            let sent: Vec<&[u8]> =
                messages.iter().map(|m| &m[start.min(m.len())..][..part(m.len())]).collect();
            let expected: Vec<usize> =
                lengths.iter().map(|&length| part(length as usize)).collect();
            let pieces = self.exchange_pieces(&sent, &expected);
            let mut rest = &pieces[..];
            for (message, length) in received.iter_mut().zip(expected) {
                message.extend_from_slice(rest.split_off(..length).unwrap_or_default());
            }
        }
        Ok(received)
    }
}

/// Variables in which launchers say how many processes they have started.
const LAUNCHED: [&str; 3] = ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"];

/// What is wrong with the launch, if the launcher started more processes than MPI knows of.
///
/// A program built for one MPI under the launcher of another runs as so many jobs of one rank each,
/// all doing the same.
pub fn wrong_launcher(size: usize) -> Option<String> {
    let launched = |name: &&str| std::env::var(name).ok()?.parse::<usize>().ok();
    let (name, launched) = LAUNCHED.iter().find_map(|name| Some((name, launched(name)?)))?;
    (size == 1 && launched > 1).then(|| {
        format!(
            "{launched} processes were started ({name}), but MPI sees only one: the launcher belongs to \
             another MPI than this program; use the mpirun of the MPI it was built with, or build it \
             again with MPICC set to that MPI's compiler"
        )
    })
}
