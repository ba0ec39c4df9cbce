//! Threads and memory of a rank that shares its machine with others.

use xray_nmf::comm::Communicator;

/// Used where the machine's memory cannot be read.
const FALLBACK: usize = 1 << 30;

/// How many ranks run on this machine.
///
/// # Errors
/// If the ranks cannot exchange data.
pub fn ranks_here(comm: &dyn Communicator) -> xray_nmf::Result<usize> {
    // The boot is the machine's own even where many machines, or containers, share a name.
    let machine = std::fs::read("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let all = comm.all_gather(&machine)?;
    Ok(all.iter().filter(|other| **other == machine).count())
}

/// This rank's part of the cores: all that the launcher binds it to, or an equal share.
pub fn default_threads(ranks_here: usize) -> usize {
    let (allowed, online) = cores();
    if allowed < online { allowed } else { (allowed / ranks_here.max(1)).max(1) }
}

/// Whether this rank need not share its core with another: the launcher binds it, or there are enough.
#[cfg(feature = "mpi")]
pub fn has_own_core(ranks_here: usize) -> bool {
    let (allowed, online) = cores();
    allowed < online || ranks_here <= allowed
}

/// The cores that this rank may use, and those of the machine.
fn cores() -> (usize, usize) {
    let allowed = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let cpus = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    (allowed, cpus.lines().filter(|line| line.starts_with("processor")).count())
}

/// This rank's part of a quarter of the machine's memory, for cached products.
pub fn default_memory(ranks_here: usize) -> usize {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let total = text.lines().find_map(|line| line.strip_prefix("MemTotal:"));
    let kib = total.and_then(|rest| rest.split_whitespace().next()?.parse::<usize>().ok());
    kib.map_or(FALLBACK, |kib| kib * 1024 / 4) / ranks_here.max(1)
}
