//! Verbs on many ranks: errors that all know of, checkpoints, and what is told of each rank.

use std::time::Duration;

use anyhow::Context;
use xray_nmf::comm::{Communicator, Counted};
use xray_nmf::{ErrorKind, RunState};
use xray_pipeline::checkpoint::{
    CheckpointFile, Checkpointer, RunKey, check_replaceable, restore_everywhere,
};
use xray_pipeline::report::RankFacts;
use xray_pipeline::{Error, Progress, check_writable, same_everywhere};

use crate::args::RunArgs;
use crate::interrupt;
use crate::outcome::{kind, message};
use crate::session::{Session, peak_memory};

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

/// Whether something is so on any rank; collective.
pub(crate) fn anywhere(comm: &dyn Communicator, here: bool) -> anyhow::Result<bool> {
    Ok(comm.all_gather(&[u8::from(here)])?.concat().contains(&1))
}

/// Tries whether checkpoints can be written, and write over nothing else, before anything is read.
pub(crate) fn check_checkpoint(comm: &dyn Communicator, args: &RunArgs) -> anyhow::Result<()> {
    let Some(path) = &args.checkpoint else { return Ok(()) };
    check_writable(comm, path).context("cannot write the checkpoint")?;
    Ok(check_replaceable(comm, path)?)
}

/// Works under the eyes of the session, from and to the checkpoints of a run.
pub(crate) fn with_checkpoints<T>(
    comm: &dyn Communicator,
    session: &mut Session,
    args: &RunArgs,
    run: RunKey,
    work: impl FnOnce(&RunState, &mut dyn Progress) -> xray_pipeline::Result<T>,
) -> anyhow::Result<T> {
    same_everywhere(comm, "the parameters", &serde_json::to_vec(&run)?)?;
    let state = saved_state(comm, session, args, &run)?;
    let writes = comm.rank() == 0;
    let file = args.checkpoint.as_ref().map(|path| {
        let interval = Duration::from_secs(args.checkpoint_seconds);
        CheckpointFile::new(path, args.checkpoint_every as usize, interval, run, &state)
    });
    interrupt::keep_saved(file.clone().filter(|_| writes));
    let result = {
        let inner = &mut session.progress();
        work(&state, &mut Checkpointer { file: file.clone(), writes, inner })
    };
    session.end();
    interrupt::keep_saved(None);
    if let Some(file) = file.filter(|_| writes) {
        file.save();
        if let Some(reason) = file.failure() {
            session.warn(&reason);
            session.unsaved = Some(reason);
        }
    }
    Ok(result?)
}

/// Where the run begins: at its checkpoint, if it is to be resumed and there is one.
fn saved_state(
    comm: &dyn Communicator,
    session: &Session,
    args: &RunArgs,
    run: &RunKey,
) -> anyhow::Result<RunState> {
    let (Some(path), true) = (&args.checkpoint, args.resume) else {
        return Ok(RunState::default());
    };
    let Some(state) = restore_everywhere(comm, path, run)? else {
        session.note(format!("{}: no checkpoint yet, starting anew", path.display()));
        return Ok(RunState::default());
    };
    session.note(format!("resuming after {} anchors", state.steps.len()));
    Ok(state)
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
    let memory = peak_memory().unwrap_or(0);
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
