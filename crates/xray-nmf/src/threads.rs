//! The one place where a thread pool is made; everything else runs in the current one.
//!
//! A collective call waits for the other ranks, so a pool belongs to one rank: ranks that share one would
//! wait for each other's workers. [`run_local_ranks`](crate::comm::run_local_ranks) makes a pool for each of
//! its ranks.

use std::time::Duration;

use crate::error::{Error, Result, require};
use crate::machine::Machine;

/// More threads than this are a slip of the keyboard.
const LARGEST_POOL: usize = 1024;

/// More workers than this for each core only wait for each other; tests of the bits use a few more than one.
const MOST_PER_CORE: usize = 4;

/// Where rayon looks for the number of threads if none is given.
const VARIABLE: &str = "RAYON_NUM_THREADS";

/// Workers have the stack of a main thread: whole programs run on them.
const STACK: usize = 8 << 20;

/// Runs `work` with so many worker threads, or one for each core; the answers are the same.
///
/// The global pool of rayon, which is used without this, has one for each core, and would hang in a forked
/// child. A pool takes a moment to start: make one for all that is to be done.
///
/// # Examples
/// ```
/// use xray_nmf::{DenseMatrix, Params, fit, with_threads};
/// let x = DenseMatrix::from_column_major(2, 3, vec![1.0, 0.0, 1.0, 1.0, 0.0, 1.0])?;
/// let found = with_threads(Some(2), || fit(&x, &Params::new(2)))??;
/// assert_eq!(found.anchors(), [0, 2]);
/// # Ok::<(), xray_nmf::Error>(())
/// ```
///
/// # Errors
/// If there are to be no threads or more than 1024, or the system refuses to start them.
pub fn with_threads<R: Send>(threads: Option<usize>, work: impl FnOnce() -> R + Send) -> Result<R> {
    let possible = threads.is_none_or(|n| (1..=LARGEST_POOL).contains(&n));
    let allowed = "give 1 to 1024 threads, or leave it out to use all cores";
    require(possible, "threads", threads.unwrap_or(0), allowed)?;
    Ok(pool(n_workers(threads, Machine::default().cores()))?.install(work))
}

/// Threads that are worth starting: idle ones cost time, and the answer does not depend on their number.
fn n_workers(asked: Option<usize>, cores: usize) -> usize {
    let variable = || std::env::var(VARIABLE).ok()?.trim().parse().ok().filter(|&n| n > 0);
    asked.or_else(variable).unwrap_or(cores).min(MOST_PER_CORE * cores)
}

/// A pool of so many workers, or of half as many as long as the system refuses.
fn pool(wanted: usize) -> Result<rayon::ThreadPool> {
    let mut threads = wanted;
    loop {
        match rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK).build() {
            Ok(pool) => return Ok(pool),
            Err(_) if threads > 1 => {
                // Those that were started need a moment to end, and count as long.
                std::thread::sleep(Duration::from_millis(20));
                threads /= 2;
            }
            Err(e) => return Err(Error::Threads { threads: wanted, reason: e.to_string() }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_threads_than_cores_can_use_are_not_started() {
        assert_eq!(n_workers(Some(3), 8), 3);
        assert_eq!(n_workers(Some(1000), 2), 2 * MOST_PER_CORE);
        let started = with_threads(Some(1000), rayon::current_num_threads).expect("threads");
        assert!(started <= MOST_PER_CORE * Machine::default().cores(), "{started}");
    }
}
