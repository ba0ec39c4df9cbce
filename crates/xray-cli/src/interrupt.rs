//! Ctrl-C, SIGTERM and SIGHUP: while a result grows, the first stops the search within a step and keeps what was
//! found; at other times, and on the second, the program ends at once. Either way a checkpoint is brought up to date
//! first.

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use xray_nmf::StopRequest;
use xray_pipeline::checkpoint::CheckpointFile;

use crate::stderr::say;

/// Exit status of an interrupted program.
pub(crate) const INTERRUPTED: u8 = 130;

const END_AT_ONCE: u8 = 0;
const STOP_POLITELY: u8 = 1;
const STOPPING: u8 = 2;

static STATE: AtomicU8 = AtomicU8::new(END_AT_ONCE);

/// What the engine looks at within its steps.
static REQUEST: LazyLock<StopRequest> = LazyLock::new(StopRequest::new);

/// What is saved when a signal comes: a step may take longer than the system waits.
static CHECKPOINT: Mutex<Option<Arc<CheckpointFile>>> = Mutex::new(None);

/// Listens from now on.
pub(crate) fn install(quiet: bool) {
    // A second call, or a system without signals, leaves the default: the program just ends.
    let _ = ctrlc::set_handler(move || {
        let polite =
            STATE.compare_exchange(STOP_POLITELY, STOPPING, Ordering::SeqCst, Ordering::SeqCst);
        if polite.is_ok() {
            REQUEST.make();
        }
        if let Some(file) = &*CHECKPOINT.lock().unwrap_or_else(PoisonError::into_inner) {
            file.save();
        }
        match polite {
            Ok(_) if quiet => {}
            Ok(_) => say("\nstopping, press Ctrl-C again to quit at once"),
            Err(_) => std::process::exit(INTERRUPTED.into()),
        }
    });
}

/// Keeps signals that are no interruption from this thread and those that it starts.
///
/// - A file that grows beyond the limit (`ulimit -f`) is an error like any other.
/// - What was ignored when the program began stays so: `nohup` means SIGHUP, and shells mean SIGINT for what they
///   start in the background. A handler would take it up again.
pub(crate) fn block_others() {
    #[cfg(unix)]
    {
        use nix::sys::signal::{SigSet, Signal};
        let ignored =
            ignored_signals(&std::fs::read_to_string("/proc/self/status").unwrap_or_default());
        let mut blocked = SigSet::empty();
        blocked.add(Signal::SIGXFSZ);
        for signal in [Signal::SIGHUP, Signal::SIGINT, Signal::SIGTERM] {
            if ignored & 1 << (signal as u32 - 1) != 0 {
                blocked.add(signal);
            }
        }
        // Where it cannot be done they end the program as before.
        let _ = blocked.thread_block();
    }
}

/// The mask of ignored signals, as the system tells of a process; none if it does not.
#[cfg(unix)]
fn ignored_signals(status: &str) -> u64 {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

/// From now on there is a checkpoint to save, or none.
pub(crate) fn keep_saved(file: Option<Arc<CheckpointFile>>) {
    *CHECKPOINT.lock().unwrap_or_else(PoisonError::into_inner) = file;
}

/// From now on there is something to keep.
pub(crate) fn stop_politely() {
    let _ = STATE.compare_exchange(END_AT_ONCE, STOP_POLITELY, Ordering::SeqCst, Ordering::SeqCst);
}

/// What is made when a signal comes and there is something to keep.
pub(crate) fn request() -> StopRequest {
    REQUEST.clone()
}

/// Whether a signal came since there is something to keep.
pub(crate) fn requested() -> bool {
    REQUEST.is_made()
}

#[cfg(all(test, unix))]
mod tests {
    use super::ignored_signals;

    #[test]
    fn ignored_signals_are_read_from_the_status() {
        assert_eq!(ignored_signals("Name:\txray\nSigIgn:\t0000000000001001\nSigCgt:\tf\n"), 0x1001);
        assert_eq!(ignored_signals(""), 0);
    }
}
