//! How a run ended, as an exit status: 0 done, 1 failed, 2 wrong usage, 130 interrupted.

use std::io;
use std::process::ExitCode;

use xray_nmf::ErrorKind;

/// The end of a run that did not fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// As asked for.
    Done,
    /// Stopped by Ctrl-C; what was found so far is saved.
    Interrupted,
    /// As asked for, but the checkpoint could not be written.
    Unsaved,
}

/// An argument that fits its type but not the data or the other arguments.
#[derive(Debug)]
pub(crate) struct UsageError(pub String);

impl std::fmt::Display for UsageError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for UsageError {}

/// Says what went wrong, in one message, and picks the exit status.
pub(crate) fn report(result: anyhow::Result<Outcome>) -> ExitCode {
    match result {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::Interrupted) => ExitCode::from(130),
        Ok(Outcome::Unsaved) => ExitCode::FAILURE,
        // Whoever read our output has seen enough.
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            let error_word =
                if crate::session::styled_stderr() { "\x1b[1;31merror:\x1b[0m" } else { "error:" };
            eprintln!("{error_word} {}", message(&error));
            ExitCode::from(status(kind(&error)))
        }
    }
}

/// The error and its causes, without those that it already tells.
pub(crate) fn message(error: &anyhow::Error) -> String {
    let mut message = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !message.contains(&cause) {
            message = format!("{message}: {cause}");
        }
    }
    message
}

/// Whose fault an error is, said by the first of its causes that knows.
pub(crate) fn kind(error: &anyhow::Error) -> ErrorKind {
    let known = |cause: &(dyn std::error::Error + 'static)| {
        let usage = cause.is::<UsageError>().then_some(ErrorKind::Usage);
        let fit = || cause.downcast_ref().map(xray_nmf::Error::kind);
        let data = || cause.downcast_ref().map(xray_data::Error::kind);
        let pipeline = || cause.downcast_ref().map(xray_pipeline::Error::kind);
        usage.or_else(fit).or_else(data).or_else(pipeline)
    };
    error.chain().find_map(known).unwrap_or(ErrorKind::Data)
}

/// The exit status of an error.
pub(crate) fn status(kind: ErrorKind) -> u8 {
    match kind {
        ErrorKind::Usage => 2,
        ErrorKind::Data | ErrorKind::System | ErrorKind::Memory | ErrorKind::Ranks => 1,
    }
}

fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause.downcast_ref::<io::Error>().is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::anyhow;

    #[test]
    fn the_kind_of_an_error_decides_the_exit_status() {
        let threads = || xray_nmf::Error::Threads { threads: 2, reason: "no".into() };
        let value = "x".to_owned();
        let parameter =
            xray_nmf::Error::Parameter { name: "rank", value, allowed: "give a number" };
        let count = xray_data::Error::Count { value: -1.0, row: 1, column: 1, remedy: "" };
        let gone = io::Error::from(io::ErrorKind::NotFound);
        let io = xray_data::Error::Io { file: "x".into(), action: "open", source: gone };
        let agreed = |kind| xray_pipeline::Error::Agreed { message: "rank 1: no".into(), kind };
        let cases = [
            (anyhow!("words"), ErrorKind::Data, 1),
            (UsageError("words".into()).into(), ErrorKind::Usage, 2),
            (parameter.clone().into(), ErrorKind::Usage, 2),
            (xray_pipeline::Error::Fit(parameter).into(), ErrorKind::Usage, 2),
            (anyhow!(threads()).context("fitting"), ErrorKind::System, 1),
            (count.into(), ErrorKind::Data, 1),
            (xray_pipeline::Error::Data(io).into(), ErrorKind::System, 1),
            (xray_nmf::Error::Communication("no".into()).into(), ErrorKind::Ranks, 1),
            (agreed(ErrorKind::Usage).into(), ErrorKind::Usage, 2),
            (agreed(ErrorKind::Ranks).into(), ErrorKind::Ranks, 1),
        ];
        for (error, expected, number) in cases {
            assert_eq!((kind(&error), status(expected)), (expected, number), "{error:#}");
        }
    }
}
