//! A request to stop, which is looked at within steps.
//!
//! An [`Observer`](crate::Observer) is asked between steps alone, and one step can take minutes. So loops look at
//! the request before each block of work. A step that is given up leaves nothing behind: the answer is that of the
//! steps before it, bit for bit.
//!
//! A rank that gives up work by itself would leave the others waiting for it. So a rank that is alone gives up
//! anywhere ([`Stop::check`]); many ranks tell each other of the request with what they exchange anyway
//! ([`Stop::is_made`]), and give up together.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::{Error, Result};

/// A request to stop that any thread can make, once and for all; clones are the same request.
///
/// # Examples
/// ```
/// use xray_nmf::{DenseMatrix, Error, Fit, Params, StopRequest};
/// let x = DenseMatrix::from_row_major(2, 2, vec![2.0, 1.0, 0.0, 1.0])?;
/// let stop = StopRequest::new();
/// let signal = stop.clone();
/// std::thread::spawn(move || signal.make()).join().expect("no panic");
/// // Nothing has been found yet.
/// assert_eq!(Fit::of(&x).stop(&stop).run(&Params::new(2)).unwrap_err(), Error::Stopped);
/// # Ok::<(), xray_nmf::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct StopRequest(Arc<AtomicBool>);

impl StopRequest {
    /// Not made yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes the request.
    pub fn make(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it has been made.
    pub fn is_made(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// An error if it has been made.
    #[cfg(feature = "rivals")]
    pub(crate) fn check(&self) -> Result<()> {
        if self.is_made() { Err(Error::Stopped) } else { Ok(()) }
    }
}

/// What loops look at: a request, or none.
#[derive(Debug, Clone, Copy, Default)]
pub struct Stop<'a> {
    request: Option<&'a StopRequest>,
    /// Whether there are others who would wait.
    shared: bool,
}

impl<'a> Stop<'a> {
    /// Nobody asks to stop.
    pub(crate) const NEVER: Stop<'static> = Stop { request: None, shared: false };

    /// Looks at a request, on a rank that is alone or not.
    pub(crate) fn new(request: Option<&'a StopRequest>, alone: bool) -> Self {
        Self { request, shared: !alone }
    }

    /// Whether [`check`](Self::check) may fail.
    pub(crate) fn is_possible(self) -> bool {
        self.request.is_some() && !self.shared
    }

    /// Whether this rank has been asked to stop.
    pub(crate) fn is_made(self) -> bool {
        self.request.is_some_and(StopRequest::is_made)
    }

    /// An error if the work is to be given up here; never one where others would wait.
    #[inline]
    pub(crate) fn check(self) -> Result<()> {
        if !self.shared && self.is_made() { Err(Error::Stopped) } else { Ok(()) }
    }
}
