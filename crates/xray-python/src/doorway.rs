//! The one way from Python into the engine: it releases the GIL, listens for Ctrl-C, passes progress
//! on, and turns errors and panics into exceptions.
//!
//! The engine works on a thread of its own while the calling thread waits for its messages and, now
//! and then, asks Python for signals. After Ctrl-C the engine is told to stop, which it does within its
//! step; if that takes longer than [`GRACE`], the caller goes on and the thread ends by itself.

use std::any::Any;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use xray_nmf::{StopRequest, with_threads};

use crate::failure::Failure;

/// How often Python is asked for signals.
const POLL: Duration = Duration::from_millis(50);

/// How long an interrupted engine is waited for.
const GRACE: Duration = Duration::from_millis(500);

/// How far the engine is: what it is doing, steps done and planned, and the error that is left (NaN
/// where none is known).
pub(crate) type Progress = (&'static str, usize, usize, f64);

/// How the work ended: with an answer, an error, or a panic.
type Outcome<R, E> = thread::Result<Result<R, E>>;

enum Message<R, E> {
    Progress(Progress),
    Done(Outcome<R, E>),
}

/// The engine's end of the doorway.
pub(crate) struct Watch {
    stop: StopRequest,
    report: Option<Box<dyn Fn(Progress) + Send + Sync>>,
}

impl Watch {
    /// Reports how far the work is; whether to go on.
    pub(crate) fn step(&self, progress: Progress) -> ControlFlow<()> {
        if let Some(report) = &self.report {
            report(progress);
        }
        if self.stop.is_made() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// What is looked at within steps.
    pub(crate) fn stop(&self) -> &StopRequest {
        &self.stop
    }
}

/// Runs `work` without the GIL, with so many threads of its own: a global pool would hang after a fork.
pub(crate) fn run_with_threads<R: Send + 'static, E: Failure + From<xray_nmf::Error>>(
    py: Python<'_>,
    threads: usize,
    progress: Option<Py<PyAny>>,
    work: impl FnOnce(&Watch) -> Result<R, E> + Send + 'static,
) -> PyResult<R> {
    run(py, progress, move |watch: &Watch| with_threads(Some(threads), || work(watch))?)
}

/// Runs `work` without the GIL; `progress`, if given, is called with what `work` reports.
pub(crate) fn run<R: Send + 'static, E: Failure>(
    py: Python<'_>,
    progress: Option<Py<PyAny>>,
    work: impl FnOnce(&Watch) -> Result<R, E> + Send + 'static,
) -> PyResult<R> {
    let (sender, receiver) = channel();
    let stop = StopRequest::new();
    let report = progress.is_some().then(|| reporter(sender.clone()));
    let watch = Watch { stop: stop.clone(), report };
    let body = move || {
        let outcome = catch_unwind(AssertUnwindSafe(|| work(&watch)));
        // Nobody listens any more if the caller was interrupted.
        let _ = sender.send(Message::Done(outcome));
    };
    thread::Builder::new().name("xray-nmf".into()).spawn(body)?;
    py.detach(move || {
        let outcome = wait(&receiver, progress.as_ref());
        if outcome.is_err() {
            stop.make();
            await_end(&receiver);
        }
        match outcome? {
            Ok(result) => result.map_err(Failure::into_exception),
            Err(panic) => Err(PyRuntimeError::new_err(describe(&*panic))),
        }
    })
}

fn reporter<R: Send + 'static, E: Failure>(
    sender: Sender<Message<R, E>>,
) -> Box<dyn Fn(Progress) + Send + Sync> {
    Box::new(move |progress| {
        let _ = sender.send(Message::Progress(progress));
    })
}

/// Waits for the end; an error if Python raises one before it.
fn wait<R, E>(
    receiver: &Receiver<Message<R, E>>,
    progress: Option<&Py<PyAny>>,
) -> PyResult<Outcome<R, E>> {
    loop {
        match receiver.recv_timeout(POLL) {
            Ok(Message::Done(outcome)) => return Ok(outcome),
            Ok(Message::Progress(at)) => {
                Python::attach(|py| progress.map(|call| call.call1(py, at)).transpose())?;
            }
            Err(RecvTimeoutError::Timeout) => Python::attach(|py| py.check_signals())?,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err("the engine's thread is gone"));
            }
        }
    }
}

/// Gives an interrupted engine a moment to end.
fn await_end<R, E>(receiver: &Receiver<Message<R, E>>) {
    let end = Instant::now() + GRACE;
    loop {
        match receiver.recv_timeout(end.saturating_duration_since(Instant::now())) {
            Ok(Message::Progress(_)) => {}
            Ok(Message::Done(_)) | Err(_) => return,
        }
    }
}

fn describe(panic: &(dyn Any + Send)) -> String {
    let words = panic.downcast_ref::<&str>().copied();
    let words = words.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("the engine failed, which is a bug of xray-nmf: {}", words.unwrap_or("unknown"))
}
