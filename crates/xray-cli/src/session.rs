//! One run of a verb: what is told while it works, and how long its stages take.

use std::io::{IsTerminal, Write};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use anyhow::Context;
use serde::Serialize;
#[cfg(feature = "experiments")]
use xray_experiments::Watch;
use xray_nmf::comm::Communicator;
use xray_pipeline::report::{Answer, Seconds, json};
use xray_pipeline::{Event, InputFacts, Stoppable};
use xray_report::{Table, number, printable_json};

use crate::args::CommonArgs;
use crate::interrupt;
use crate::outcome::Outcome;
use crate::progress::{Audience, Stage};
use crate::stderr::{Word, say, say_with};

/// What failed if standard output cannot take more.
pub(crate) const STDOUT: &str = "cannot write to standard output";

/// Progress, timings, messages.
pub(crate) struct Session {
    quiet: bool,
    verbose: bool,
    /// Why the checkpoint could not be written, which the exit status tells.
    pub(crate) unsaved: Option<String>,
    /// Whether the answer is to be JSON.
    pub json: bool,
    /// What was read, for the answer.
    pub(crate) input: Option<InputFacts>,
    start: Instant,
    stages: Vec<(String, Duration)>,
    current: Option<Stage>,
    audience: Audience,
}

impl Session {
    /// Begins a run: listens for Ctrl-C.
    pub(crate) fn new(common: &CommonArgs) -> Self {
        interrupt::install(common.quiet);
        Self {
            quiet: common.quiet,
            verbose: common.verbose,
            json: common.json,
            unsaved: None,
            input: None,
            start: Instant::now(),
            stages: Vec::new(),
            current: None,
            audience: Audience::of_stderr(common.quiet),
        }
    }

    /// Begins a run on one of several ranks: only rank 0 speaks.
    pub(crate) fn on(comm: &dyn Communicator, common: &CommonArgs) -> Self {
        let first = comm.rank() == 0;
        let own = CommonArgs {
            quiet: common.quiet || !first,
            verbose: common.verbose && first,
            ..common.clone()
        };
        Self::new(&own)
    }

    /// Runs one stage that cannot tell how far it is.
    pub(crate) fn stage<T>(&mut self, name: &str, work: impl FnOnce() -> T) -> T {
        self.begin(name, None);
        let result = work();
        self.end();
        result
    }

    /// Begins a stage of so many steps.
    fn begin(&mut self, name: &str, steps: Option<usize>) {
        self.end();
        self.current = Some(Stage::begin(name, steps, self.audience));
    }

    /// Ends the current stage, if there is one.
    pub(crate) fn end(&mut self) {
        let Some(stage) = self.current.take() else { return };
        let (name, spent) = (stage.name.clone(), stage.end());
        if self.verbose {
            let time = number::duration(spent);
            let memory = peak_memory().map_or_else(String::new, |bytes| {
                format!("   peak memory {}", number::bytes(bytes))
            });
            say(format_args!("{name:<12}{time:>10}{memory}"));
        }
        match self.stages.iter_mut().find(|stage| stage.0 == name) {
            Some(stage) => stage.1 += spent,
            None => self.stages.push((name, spent)),
        }
    }

    /// Draws what a computation tells, and passes signals on to it.
    pub(crate) fn progress(
        &mut self,
    ) -> Stoppable<impl FnMut(Event<'_>) -> ControlFlow<()> + Send + '_> {
        Stoppable { stop: interrupt::request(), tell: |event: Event<'_>| self.watch(event) }
    }

    /// Begins the stage of the page, in which nothing is drawn, and passes signals on.
    pub(crate) fn page_progress(
        &mut self,
    ) -> Stoppable<impl FnMut(Event<'_>) -> ControlFlow<()> + Send + use<>> {
        self.begin("page", None);
        let tell = |_: Event<'_>| match interrupt::requested() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        };
        Stoppable { stop: interrupt::request(), tell }
    }

    /// How long a stage has taken so far, if there was one of this name.
    pub(crate) fn time_of(&self, name: &str) -> Option<Duration> {
        self.stages.iter().find(|stage| stage.0 == name).map(|stage| stage.1)
    }

    fn watch(&mut self, event: Event<'_>) -> ControlFlow<()> {
        match event {
            Event::Begin(stage, steps) => self.begin(stage.name(), Some(steps)),
            Event::Anchor(step) => {
                interrupt::stop_politely();
                self.advance(Some(step.residual));
            }
            Event::Advance => self.advance(None),
        }
        if interrupt::requested() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn advance(&mut self, residual: Option<f64>) {
        if let Some(stage) = &mut self.current {
            stage.advance(residual);
        }
    }

    /// Words for people, on standard error.
    pub(crate) fn note(&self, message: impl std::fmt::Display) {
        if !self.quiet {
            say(message);
        }
    }

    /// Words for those who want to know all, on standard error.
    pub(crate) fn detail(&self, message: impl std::fmt::Display) {
        if self.verbose {
            say(message);
        }
    }

    /// Something to look at that does not stop the run.
    pub(crate) fn warn(&self, message: impl std::fmt::Display) {
        if !self.quiet {
            say_with(Word::Warning, message);
        }
    }

    /// Seconds of each stage, and in all.
    pub(crate) fn seconds(&self) -> Seconds {
        let round = |span: Duration| (span.as_secs_f64() * 1e6).round() / 1e6;
        let stages = self.stages.iter().map(|(name, span)| (name.clone(), round(*span)));
        let total = ("total".to_owned(), round(self.start.elapsed()));
        Seconds(stages.chain([total]).collect())
    }

    /// Time since the start.
    pub(crate) fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// Prints a table on standard output.
    pub(crate) fn print_table(&self, table: &Table) -> anyhow::Result<()> {
        let stdout = std::io::stdout();
        // Open MPI gives its ranks a terminal even where the output goes to a file.
        let terminal = stdout.is_terminal() && std::env::var_os("OMPI_COMM_WORLD_SIZE").is_none();
        let width = terminal.then(terminal_width).flatten();
        let styled = terminal && colours_wanted();
        write!(stdout.lock(), "{}", table.terminal(width, styled)).context(STDOUT)
    }

    /// Prints a line on standard output.
    pub(crate) fn print_line(&self, line: impl std::fmt::Display) -> anyhow::Result<()> {
        writeln!(std::io::stdout().lock(), "{line}").context(STDOUT)
    }

    /// Prints a report and what is known of the run as one JSON object on standard output.
    pub(crate) fn print_answer(&self, report: &impl Serialize) -> anyhow::Result<()> {
        let seconds = self.seconds();
        let input = self.input.as_ref();
        let answer = Answer { report, input, seconds, peak_memory_bytes: peak_memory() };
        self.print_line(printable_json(&json(&answer)))
    }

    /// Says what was written, and whether Ctrl-C cut the run short.
    pub(crate) fn conclude(&self, written: Option<String>, stopped: bool) -> Outcome {
        if let Some(written) = written {
            self.note(written);
        }
        if stopped {
            self.note("interrupted: this is what was found so far");
            return Outcome::Interrupted;
        }
        if self.unsaved.is_some() { Outcome::Unsaved } else { Outcome::Done }
    }
}

/// The most memory that the process has had, in bytes, where the system tells.
pub(crate) fn peak_memory() -> Option<u64> {
    // Those who measure methods reset what the system remembers, and know what it was.
    #[cfg(feature = "experiments")]
    return xray_experiments::peak_memory();
    #[cfg(not(feature = "experiments"))]
    xray_nmf::machine::Machine::default().peak_memory()
}

/// Comparisons and experiments: steps are drawn as progress. There is nothing to keep of one that is not
/// complete, so signals end the program at once.
#[cfg(feature = "experiments")]
impl Watch for Session {
    fn begin(&mut self, stage: &str, steps: usize) {
        Session::begin(self, stage, Some(steps));
    }

    fn advance(&mut self) -> anyhow::Result<()> {
        Session::advance(self, None);
        Ok(())
    }
}

/// Columns of the terminal, unless they are too few for a table.
fn terminal_width() -> Option<usize> {
    let (width, _) = terminal_size::terminal_size()?;
    Some(usize::from(width.0)).filter(|&columns| columns >= 40)
}

/// `NO_COLOR` (any value but an empty one) and dumb terminals turn styles off.
fn colours_wanted() -> bool {
    std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
        && std::env::var_os("TERM").is_none_or(|value| value != "dumb")
}

/// Whether messages may be coloured.
pub(crate) fn styled_stderr() -> bool {
    std::io::stderr().is_terminal() && colours_wanted()
}
