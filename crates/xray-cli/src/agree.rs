//! Verbs on many ranks: errors that all know of, checkpoints, and what is told of each rank.

use serde_json::{Map, Value};
use xray_nmf::comm::{Communicator, Counted};
use xray_nmf::{ErrorKind, RunState};
use xray_pipeline::checkpoint::{Checkpointer, check_writable, restore_everywhere};
use xray_pipeline::report::RankFacts;
use xray_pipeline::{Error, Event, Progress, same_everywhere};

use crate::args::RunArgs;
use crate::outcome::{kind, message};
use crate::session::Session;

/// The result, if it is one on every rank; otherwise the same error on every rank.
pub(crate) fn together<T>(comm: &dyn Communicator, result: anyhow::Result<T>) -> anyhow::Result<T> {
    if comm.size() == 1 {
        return result;
    }
    let own =
        result.map_err(|error| Error::Agreed { kind: kind(&error), message: message(&error) });
    Ok(xray_pipeline::together(comm, own)?)
}

/// Refuses a verb that has no work for several ranks.
pub(crate) fn alone(comm: &dyn Communicator, verb: &str) -> anyhow::Result<()> {
    if comm.size() == 1 {
        return Ok(());
    }
    let message = format!("{verb} runs on one rank; start it without mpirun");
    Err(Error::Agreed { message, kind: ErrorKind::Usage }.into())
}

/// Rank 0 tries whether it can write checkpoints.
pub(crate) fn check_checkpoint(comm: &dyn Communicator, args: &RunArgs) -> anyhow::Result<()> {
    let own = match &args.checkpoint {
        Some(path) if comm.rank() == 0 => check_writable(path),
        _ => Ok(()),
    };
    Ok(xray_pipeline::together(comm, own)?)
}

/// Works under the eyes of the session, from and to checkpoints of what depends on `about`.
pub(crate) fn with_checkpoints<T>(
    comm: &dyn Communicator,
    session: &mut Session,
    args: &RunArgs,
    about: Map<String, Value>,
    work: impl FnOnce(&RunState, &mut dyn Progress) -> xray_pipeline::Result<T>,
) -> anyhow::Result<T> {
    same_everywhere(comm, "the parameters", format!("{about:?}").as_bytes())?;
    let state = match (&args.checkpoint, args.resume) {
        (Some(path), true) => restore_everywhere(comm, path, &about)?,
        _ => RunState::default(),
    };
    if !state.steps.is_empty() {
        session.note(format!("resuming after {} anchors", state.steps.len()));
    }
    let plan = args.checkpoint.clone().map(|path| (path, args.checkpoint_every as usize));
    let mut watch = |event: Event<'_>| session.watch(event);
    let writes = comm.rank() == 0;
    let mut progress = Checkpointer { plan, writes, about, inner: &mut watch, failed: None };
    let result = work(&state, &mut progress);
    let failed = progress.failed.map_or(Ok(()), Err);
    session.end();
    let found = result?;
    xray_pipeline::together(comm, failed)?;
    Ok(found)
}

/// What the answer tells of the ranks, if there are several; collective, and asked for last, so that the
/// memory and time of writing are in it. `reading` is the traffic of reading.
pub(crate) fn rank_facts(
    comm: &Counted<'_>,
    session: &Session,
    entries: usize,
    reading: u64,
) -> anyhow::Result<Option<RankFacts>> {
    if comm.size() == 1 {
        return Ok(None);
    }
    let received = comm.traffic().bytes;
    let memory = xray_experiments::peak_memory().unwrap_or(0);
    let own = serde_json::to_vec(&(entries, memory, reading, received, session.seconds()))?;
    let mut facts = RankFacts { number: comm.size(), ..RankFacts::default() };
    for message in comm.all_gather(&own)? {
        let (entries, memory, reading, received, seconds) = serde_json::from_slice(&message)?;
        let (reading, received): (u64, u64) = (reading, received);
        facts.entries.push(entries);
        facts.peak_memory_bytes.push(memory);
        facts.received_bytes.push(received);
        facts.received_reading_bytes.push(reading);
        facts.received_fitting_bytes.push(received - reading);
        facts.seconds.push(seconds);
    }
    Ok(Some(facts))
}
