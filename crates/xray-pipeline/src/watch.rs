//! What a long computation tells while it runs, and how it is stopped.

use std::ops::ControlFlow;

use xray_nmf::{Step, choices};

choices! {
    /// A part of the work, in the order in which parts are done.
    pub enum Stage ("stage") {
        Anchors = "anchors": "choosing anchors",
        Refinement = "refinement": "alternating optimisation from the anchors",
        Weights = "weights": "weighing every document, and listing the words of the topics",
        Coherence = "coherence": "top words and coherence of every rank",
    }
}

/// News of a running computation; a watcher that answers `Break` stops it at the next safe place, and
/// what was found so far is returned.
#[derive(Debug, Clone, Copy)]
pub enum Event<'a> {
    /// A stage begins, with this many steps.
    Begin(Stage, usize),
    /// An anchor was found.
    Anchor(&'a Step),
    /// One step of another stage is done.
    Advance,
}

/// A watcher that neither looks nor stops.
pub fn ignore(_: Event<'_>) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Anything that watches.
pub(crate) type Watch<'w> = dyn FnMut(Event<'_>) -> ControlFlow<()> + Send + 'w;
