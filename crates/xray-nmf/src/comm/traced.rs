//! Which collective call a rank makes, and from where in the program.
//!
//! The rule of [`Communicator`](super::Communicator) is that all ranks make the same calls in the same
//! order. A rank that branches on its own data breaks it, and MPI answers with a hang. Typed calls
//! note the line that they are made from; local ranks compare the notes of all ranks.

use std::cell::Cell;
use std::panic::Location;

use crate::error::{Error, Result};

thread_local! {
    /// Where the call that this thread is about to make comes from.
    static PLACE: Cell<Option<&'static Location<'static>>> = const { Cell::new(None) };
}

/// Notes where the next call of this thread comes from.
pub(super) fn call_from(place: &'static Location<'static>) {
    PLACE.set(Some(place));
}

/// What kind of call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Broadcast { root: usize },
    AllGather,
    AllToAll,
}

/// One rank's call; its place is known for typed calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Call {
    kind: Kind,
    place: Option<&'static Location<'static>>,
}

impl Call {
    /// The call that this thread makes now.
    pub(super) fn now(kind: Kind) -> Self {
        Self { kind, place: PLACE.take() }
    }

    /// All ranks' calls, in rank order, are the same.
    pub(super) fn check_same(calls: impl Iterator<Item = Call> + Clone) -> Result<()> {
        let first = calls.clone().next();
        if calls.clone().all(|call| Some(call) == first) {
            return Ok(());
        }
        let places = calls.enumerate().map(|(rank, call)| format!("rank {rank}: {call}"));
        let places: Vec<String> = places.collect();
        Err(Error::Communication(format!("ranks make different calls; {}", places.join("; "))))
    }
}

impl std::fmt::Display for Call {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.kind {
            Kind::Broadcast { root } => write!(f, "broadcast of rank {root}")?,
            Kind::AllGather => f.write_str("all_gather")?,
            Kind::AllToAll => f.write_str("all_to_all")?,
        }
        match self.place {
            Some(place) => write!(f, " at {place}"),
            None => Ok(()),
        }
    }
}
