//! A bug must not look like one: panics become one message and exit status 1.

use std::panic::{AssertUnwindSafe, catch_unwind, set_hook};
use std::sync::Mutex;

/// What the last panic said, and where.
static LAST: Mutex<Option<String>> = Mutex::new(None);

/// Runs `work`; a panic is kept quiet where it happens and reported as an error here.
///
/// Libraries that catch panics of their own (damaged Parquet files) stay quiet, too.
pub(crate) fn caught<T>(work: impl FnOnce() -> anyhow::Result<T>) -> anyhow::Result<T> {
    set_hook(Box::new(|info| {
        if let Ok(mut last) = LAST.lock() {
            *last = Some(info.to_string());
        }
    }));
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        let said = LAST.lock().ok().and_then(|mut last| last.take());
        let said = said.unwrap_or_else(|| "no message".to_owned());
        Err(anyhow::anyhow!("this is a bug in xray, please report it: {said}"))
    })
}
