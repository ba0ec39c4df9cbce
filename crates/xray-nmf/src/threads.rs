//! The one place where a thread pool is made; everything else runs in the current one.
//!
//! A collective call waits for the other ranks, so a pool belongs to one rank: ranks that share one would
//! wait for each other's workers. [`run_local_ranks`](crate::comm::run_local_ranks) makes a pool for each of
//! its ranks.

use crate::error::{Error, Result, require};

/// More threads than this are a slip of the keyboard.
const LARGEST_POOL: usize = 1024;

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
    let threads = threads.unwrap_or(0);
    let allowed = "give 1 to 1024 threads, or leave it out to use all cores";
    require(possible, "threads", threads, allowed)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK).build();
    let pool = pool.map_err(|e| Error::Threads { threads, reason: e.to_string() })?;
    Ok(pool.install(work))
}
