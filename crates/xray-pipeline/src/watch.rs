//! What a long computation tells while it runs, and how it is stopped.

use std::ops::ControlFlow;

use xray_nmf::{Next, Observer, RunState, Step, StopRequest};

/// A part of the work, in the order in which parts are done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stage {
    /// Looking for the number of topics.
    Number,
    /// Choosing anchors.
    Anchors,
    /// Alternating optimisation from the anchors.
    Refinement,
    /// Weighing every document, and listing the words of the topics.
    Weights,
    /// Top words and coherence of every rank.
    Coherence,
    /// Seeking the topics again in halves of the documents.
    Stability,
    /// Adding up the moments of a cube's bands.
    Moments,
    /// Bringing a cube's pixels into few dimensions.
    Coordinates,
    /// Choosing and moving endmembers.
    Endmembers,
    /// Weighing every pixel.
    Abundances,
}

impl Stage {
    /// One word, as in `anchors`.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Number => "number",
            Stage::Anchors => "anchors",
            Stage::Refinement => "refinement",
            Stage::Weights => "weights",
            Stage::Coherence => "coherence",
            Stage::Stability => "stability",
            Stage::Moments => "moments",
            Stage::Coordinates => "coordinates",
            Stage::Endmembers => "endmembers",
            Stage::Abundances => "abundances",
        }
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

/// Hears of stages and steps, and may stop the work. Any `FnMut(Event) -> ControlFlow<()>` does.
pub trait Progress: Send {
    /// Called with all news. Of several ranks one that breaks is enough.
    fn tell(&mut self, event: Event<'_>) -> ControlFlow<()>;

    /// A request to stop that is looked at within steps, too; a step that is given up leaves nothing behind.
    fn stop(&self) -> StopRequest {
        StopRequest::new()
    }

    /// Whether the state of the search is wanted after a step.
    fn wants_state(&self) -> bool {
        false
    }

    /// The state of the search, the same on all ranks, if any of them wanted it or stops the search.
    fn state(&mut self, _state: &RunState) {}
}

impl<F: FnMut(Event<'_>) -> ControlFlow<()> + Send> Progress for F {
    fn tell(&mut self, event: Event<'_>) -> ControlFlow<()> {
        self(event)
    }
}

/// Somebody who watches, and can ask to stop at any time.
#[derive(Debug, Clone)]
pub struct Stoppable<F> {
    /// Looked at within steps.
    pub stop: StopRequest,
    /// Called with all news.
    pub tell: F,
}

impl<F: FnMut(Event<'_>) -> ControlFlow<()> + Send> Progress for Stoppable<F> {
    fn tell(&mut self, event: Event<'_>) -> ControlFlow<()> {
        (self.tell)(event)
    }

    fn stop(&self) -> StopRequest {
        self.stop.clone()
    }
}

/// A watcher that neither looks nor stops.
pub fn ignore(_: Event<'_>) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// What the engine does, as it is told to [`Progress`].
pub(crate) struct Told<'a>(pub &'a mut dyn Progress);

impl Observer for Told<'_> {
    fn step(&mut self, step: &Step) -> Next {
        match self.0.tell(Event::Anchor(step)) {
            ControlFlow::Continue(()) if self.0.wants_state() => Next::Save,
            flow => flow.into(),
        }
    }

    fn iteration(&mut self, _t: usize, _objective: f64) -> ControlFlow<()> {
        self.0.tell(Event::Advance)
    }

    fn state(&mut self, state: &RunState) {
        self.0.state(state);
    }
}
