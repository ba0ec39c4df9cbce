//! Worker threads.

use crate::quality::error::{Error, Result};

/// More threads than this are a slip of the keyboard.
const LARGEST_POOL: usize = 1024;

/// Runs `work` in a pool of its own: a global pool would hang in a forked child.
pub(crate) fn in_pool<R: Send>(
    threads: Option<usize>,
    work: impl FnOnce() -> R + Send,
) -> Result<R> {
    if let Some(n) = threads.filter(|n| !(1..=LARGEST_POOL).contains(n)) {
        let allowed = "give 1 to 1024 threads, or leave it out to use all cores";
        return Err(Error::Parameter { name: "threads", value: n.to_string(), allowed });
    }
    let threads = threads.unwrap_or(0);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|e| Error::Threads { threads, reason: e.to_string() })?;
    Ok(pool.install(work))
}
