//! How far a stage is: a bar on a terminal, a line in a log every half a minute, or nothing.
//!
//! A job of hours under a launcher has no terminal; what it prints must still say that it works, how fast,
//! and how long it will take.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use xray_report::number;

use crate::stderr::say;

/// Time between two lines in a log.
const PAUSE: Duration = Duration::from_secs(30);

/// Who watches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Audience {
    /// Nobody.
    Nobody,
    /// A person at a terminal.
    Terminal,
    /// A log file.
    Log,
}

impl Audience {
    /// Who reads standard error, unless it is to be quiet.
    pub(crate) fn of_stderr(quiet: bool) -> Self {
        // Open MPI gives its ranks a terminal even where the output goes to a file.
        let launched = std::env::var_os("OMPI_COMM_WORLD_SIZE").is_some();
        if quiet {
            Audience::Nobody
        } else if std::io::stderr().is_terminal() && !launched {
            Audience::Terminal
        } else {
            Audience::Log
        }
    }
}

/// A stage that is under way.
pub(crate) struct Stage {
    pub(crate) name: String,
    pub(crate) start: Instant,
    steps: Option<usize>,
    done: usize,
    told: Instant,
    bar: ProgressBar,
    audience: Audience,
}

impl Stage {
    /// Begins a stage of so many steps, if their number is known.
    pub(crate) fn begin(name: &str, steps: Option<usize>, audience: Audience) -> Self {
        let now = Instant::now();
        let bar = match audience {
            Audience::Terminal if steps != Some(0) => bar(name, steps),
            _ => ProgressBar::hidden(),
        };
        Self { name: name.to_owned(), start: now, steps, done: 0, told: now, bar, audience }
    }

    /// One step is done; `residual` is what it left, if it is known.
    pub(crate) fn advance(&mut self, residual: Option<f64>) {
        self.done += 1;
        if let Some(residual) = residual {
            self.bar.set_message(format!("residual {residual:.4}"));
        }
        self.bar.inc(1);
        if self.audience == Audience::Log && self.told.elapsed() >= PAUSE {
            self.told = Instant::now();
            say(self.line(residual, self.start.elapsed()));
        }
    }

    /// `anchors      12 of 100, residual 0.4321, 2.5 s a step, about 3.7 min left`.
    fn line(&self, residual: Option<f64>, spent: Duration) -> String {
        let step = spent.div_f64(self.done.max(1) as f64);
        let mut line = format!("{:<12} {}", self.name, self.done);
        if let Some(steps) = self.steps {
            line += &format!(" of {steps}");
        }
        if let Some(residual) = residual {
            line += &format!(", residual {residual:.4}");
        }
        line += &format!(", {} a step", number::duration(step));
        if let Some(left) = self.steps.and_then(|steps| steps.checked_sub(self.done)) {
            line += &format!(", about {} left", number::duration(step.mul_f64(left as f64)));
        }
        line
    }

    /// Ends the stage; says how long it took.
    pub(crate) fn end(&self) -> Duration {
        self.bar.finish_and_clear();
        self.start.elapsed()
    }
}

fn bar(name: &str, steps: Option<usize>) -> ProgressBar {
    let bar = match steps {
        Some(steps) => ProgressBar::new(steps as u64)
            .with_style(style("{prefix:<12} [{bar:28}] {pos}/{len}  {per_sec}  {eta} left  {msg}")),
        None => ProgressBar::new_spinner().with_style(style("{prefix:<12} {spinner} {elapsed}")),
    };
    bar.set_draw_target(ProgressDrawTarget::stderr());
    bar.set_prefix(name.to_owned());
    bar.enable_steady_tick(Duration::from_millis(120));
    bar
}

fn style(template: &str) -> ProgressStyle {
    let style = ProgressStyle::with_template(template);
    style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("=> ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_tell_how_far_how_fast_and_how_long() {
        let mut stage = Stage::begin("anchors", Some(100), Audience::Nobody);
        (0..12).for_each(|_| stage.advance(Some(0.43214)));
        let line = stage.line(Some(0.43214), Duration::from_secs(30));
        assert!(line.starts_with("anchors      12 of 100, residual 0.4321, 2.5"), "{line}");
        assert!(line.contains(" a step, about ") && line.ends_with(" left"), "{line}");
        let mut refinement = Stage::begin("refinement", None, Audience::Nobody);
        refinement.advance(None);
        let line = refinement.line(None, Duration::from_secs(1));
        assert!(line.starts_with("refinement   1, 1"), "{line}");
    }
}
