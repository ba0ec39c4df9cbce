//! How a run ended, as an exit status: 0 done, 1 failed, 2 wrong usage, 130 interrupted.

use std::io;
use std::process::ExitCode;

/// The end of a run that did not fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// As asked for.
    Done,
    /// Stopped by Ctrl-C; what was found so far is saved.
    Interrupted,
}

/// An argument that fits its type but not the data or the other arguments.
#[derive(Debug)]
pub struct UsageError(pub String);

impl std::fmt::Display for UsageError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for UsageError {}

/// Says what went wrong, in one message, and picks the exit status.
pub fn report(result: anyhow::Result<Outcome>) -> ExitCode {
    match result {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::Interrupted) => ExitCode::from(130),
        // Whoever read our output has seen enough.
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            let error_word =
                if crate::session::styled_stderr() { "\x1b[1;31merror:\x1b[0m" } else { "error:" };
            eprintln!("{error_word} {}", message(&error));
            ExitCode::from(if is_usage(&error) { 2 } else { 1 })
        }
    }
}

/// The error and its causes, without those that it already tells.
pub fn message(error: &anyhow::Error) -> String {
    let mut message = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !message.contains(&cause) {
            message = format!("{message}: {cause}");
        }
    }
    message
}

/// Whether an argument is wrong, and not the data.
pub fn is_usage(error: &anyhow::Error) -> bool {
    use xray_data::Error as Data;
    use xray_nmf::Error as Fit;
    use xray_pipeline::Error as Topics;
    let of_fit = |error: &Fit| matches!(error, Fit::Parameter { .. } | Fit::ColumnList { .. });
    // A count is data, not an argument.
    let of_data = |error: &Data| matches!(error, Data::Parameter { name, .. } if *name != "counts");
    error.chain().any(|cause| {
        cause.is::<UsageError>()
            || cause.downcast_ref().is_some_and(of_fit)
            || cause.downcast_ref().is_some_and(of_data)
            || cause.downcast_ref().is_some_and(Topics::is_usage)
    })
}

fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause.downcast_ref::<io::Error>().is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe)
    })
}
