//! How long work takes and how much memory it needs.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use xray_nmf::comm::{Collectives, Communicator};
use xray_nmf::machine::{Machine, give_back_memory};
use xray_nmf::{Result, StopRequest};

/// The time of a piece of work, and the memory it took beyond what was there before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spent {
    /// Wall-clock time.
    pub time: Duration,
    /// Growth of the process to its peak, in bytes, where the system tells.
    pub memory: Option<u64>,
    /// The peak of the whole process during the work, in bytes.
    pub peak: Option<u64>,
}

impl Spent {
    /// The most of any rank; collective.
    pub(crate) fn largest(self, comm: &dyn Communicator) -> Result<Self> {
        let time = self.time.as_nanos() as u64;
        let all = comm.gather(&[[time, self.memory.unwrap_or(0), self.peak.unwrap_or(0)]])?;
        let largest = |k: usize| all.iter().map(|spent| spent[k]).max();
        Ok(Self {
            time: largest(0).map_or(self.time, Duration::from_nanos),
            memory: self.memory.and(largest(1)),
            peak: self.peak.and(largest(2)),
        })
    }
}

/// The largest peak that was forgotten when a measurement began.
static EARLIER_PEAK: AtomicU64 = AtomicU64::new(0);

/// Does the work and measures it.
///
/// The peak of the whole process is reset first, so work elsewhere in the process counts as well.
pub(crate) fn measured<T>(work: impl FnOnce() -> T) -> (T, Spent) {
    // Else work that finds freed memory seems to need none.
    give_back_memory();
    let machine = Machine::default();
    EARLIER_PEAK.fetch_max(machine.peak_memory().unwrap_or(0), Ordering::Relaxed);
    // Linux keeps the peak since the last time that 5 was written here.
    let reset = std::fs::write("/proc/self/clear_refs", "5").is_ok();
    let before = machine.resident_memory();
    let start = Instant::now();
    let result = work();
    let time = start.elapsed();
    let peak = machine.peak_memory().filter(|_| reset);
    let memory = peak.zip(before).map(|(peak, before)| peak.saturating_sub(before));
    (result, Spent { time, memory, peak })
}

/// A clock that makes a request to stop when its time is up, unless it is dropped before.
pub(crate) struct Deadline {
    pub stop: StopRequest,
    /// Whoever waits for the end of the time wakes up when this is dropped.
    _running: Sender<()>,
}

impl Deadline {
    pub(crate) fn after(time: Duration) -> Self {
        let (running, dropped) = channel();
        let stop = StopRequest::new();
        let request = stop.clone();
        std::thread::spawn(move || {
            if dropped.recv_timeout(time) == Err(RecvTimeoutError::Timeout) {
                request.make();
            }
        });
        Self { stop, _running: running }
    }
}

/// The most memory that the process has had, in bytes, where the system tells.
pub fn peak_memory() -> Option<u64> {
    Machine::default().peak_memory().map(|peak| peak.max(EARLIER_PEAK.load(Ordering::Relaxed)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_counts_what_the_work_took() {
        // Other tests of this process measure, too, and forget the peak in between: one of many looks is alone.
        let is_seen = (0..50).any(|_| {
            let work = || vec![1_u8; 64 << 20].iter().map(|&v| u64::from(v)).sum::<u64>();
            let (sum, spent) = measured(work);
            assert_eq!(sum, 64 << 20);
            assert!(spent.time > Duration::ZERO);
            spent.memory.is_none_or(|memory| (60 << 20..400 << 20).contains(&memory))
        });
        assert!(is_seen, "64 MB that the work took");
    }
}
