//! The anchors of a corpus, from which topics of any smaller number begin, too.

use std::borrow::Cow;
use std::ops::ControlFlow;

use xray_nmf::comm::{Collectives, Communicator};
use xray_nmf::{Factorization, Factors, Fit, Portion, RunState, Step, StopRequest, Termination};

use crate::corpus::Corpus;
use crate::error::Result;
use crate::given::Given;
use crate::options::TopicOptions;
use crate::topics::Run;
use crate::watch::{Event, Progress, Stage, Told};

/// What a search for anchors found. Anchors are nested: the first k of them are those of k topics, to the last bit,
/// unless the search was robust: what is above the noise depends on their number.
#[derive(Debug, Clone)]
pub struct Anchors {
    found: Factorization,
    /// As they are told: columns of the corpus, with the residuals of it alone.
    steps: Vec<Step>,
    /// What a search for more goes on from.
    state: RunState,
    n_words: usize,
}

impl Anchors {
    /// Searches for as many as the options say, from `saved` on; collective.
    pub(crate) fn find(
        comm: &dyn Communicator,
        corpus: &Corpus,
        options: &TopicOptions,
        saved: &RunState,
        progress: &mut dyn Progress,
    ) -> Result<Self> {
        let given = Given::new(comm, &corpus.matrix, &options.anchors)?;
        let params = options.search_params(corpus.n_words());
        let _ = progress.tell(Event::Begin(Stage::Anchors, params.rank));
        let n_columns = given.n_columns;
        let portion = match &given.matrix {
            Some(extended) => Portion { columns: extended, rows: None, n_columns },
            None => corpus.matrix.portion(),
        };
        let stop = progress.stop();
        let fit = Fit::part(portion, comm).memory(options.memory).resume(saved).stop(&stop);
        let mut last = LastState { progress, state: saved.clone(), left: params.rank };
        let found = fit.observe(&mut Told(&mut last)).run(&params)?;
        let (state, steps) = (last.state, given.steps(comm, &found, &options.anchors)?);
        Ok(Self { found, steps, state, n_words: corpus.n_words() })
    }

    /// At least so many, if there are; collective.
    pub(crate) fn up_to(
        &self,
        rank: usize,
        comm: &dyn Communicator,
        corpus: &Corpus,
        options: &TopicOptions,
        progress: &mut dyn Progress,
    ) -> Result<Option<Self>> {
        let ended = self.found.termination() != Termination::RankReached;
        if rank <= self.rank() || ended || options.params.robust {
            return Ok(None);
        }
        let options = TopicOptions { rank: Some(rank), ..options.clone() };
        Self::find(comm, corpus, &options, &self.state, progress).map(Some)
    }

    /// What topics of this number begin from; collective.
    pub(crate) fn of_rank(
        &self,
        rank: usize,
        comm: &dyn Communicator,
        corpus: &Corpus,
        options: &TopicOptions,
        progress: &mut dyn Progress,
    ) -> Result<(Factors, Run)> {
        if !options.params.robust {
            return self.start(comm, rank);
        }
        let options = TopicOptions { rank: Some(rank), ..options.clone() };
        Self::find(comm, corpus, &options, &RunState::default(), progress)?.start(comm, rank)
    }

    /// How many there are.
    pub fn rank(&self) -> usize {
        self.found.rank()
    }

    pub(crate) fn found(&self) -> &Factorization {
        &self.found
    }

    /// The factors that topics of this number begin from, and the record of their search; collective.
    pub(crate) fn start(&self, comm: &dyn Communicator, rank: usize) -> Result<(Factors, Run)> {
        let first = match rank < self.rank() {
            true => Cow::Owned(self.found.truncate(rank)),
            false => Cow::Borrowed(&self.found),
        };
        let run = Run {
            steps: self.steps[..first.rank()].to_vec(),
            termination: first.termination(),
            kkt_violation: comm.largest(first.kkt_violation())?,
            objective: Vec::new(),
            squared_error: [0.0; 2],
            suggestion: None,
            noise: first.noise(),
        };
        let mut start = first.factors(comm)?;
        start.h.truncate(self.n_words * start.rank);
        Ok((start, run))
    }
}

/// Passes everything on, and keeps the state after the last anchor.
struct LastState<'a> {
    progress: &'a mut dyn Progress,
    state: RunState,
    /// Anchors that are still to come.
    left: usize,
}

impl Progress for LastState<'_> {
    fn tell(&mut self, event: Event<'_>) -> ControlFlow<()> {
        if let Event::Anchor(_) = event {
            self.left = self.left.saturating_sub(1);
        }
        self.progress.tell(event)
    }

    fn stop(&self) -> StopRequest {
        self.progress.stop()
    }

    fn wants_state(&self) -> bool {
        self.left == 0 || self.progress.wants_state()
    }

    fn state(&mut self, state: &RunState) {
        self.state = state.clone();
        self.progress.state(state);
    }
}
