//! How a run ended, as an exit status: 0 done, 1 failed, 2 wrong usage, 130 interrupted.

use std::io;
use std::process::ExitCode;

use clap::CommandFactory;
use xray_nmf::ErrorKind;

use crate::interrupt::INTERRUPTED;
use crate::stderr::{Word, say_with};

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
        Ok(Outcome::Interrupted) => ExitCode::from(INTERRUPTED),
        Ok(Outcome::Unsaved) => ExitCode::FAILURE,
        // Whoever read our output has seen enough.
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) if is_stopped(&error) => ExitCode::from(INTERRUPTED),
        Err(error) => {
            say_with(Word::Error, as_typed(&message(&error)));
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

/// Options that the crates call otherwise than this program.
const OTHER_NAMES: [(&str, &str); 3] =
    [("column_names", "terms"), ("label", "labels"), ("n_components", "rank")];

/// The message with options as they are typed here. The crates name them in backticks, or before a value that
/// is refused: every door has its own way to give them.
pub(crate) fn as_typed(message: &str) -> String {
    let mut parts: Vec<String> = message.split('`').map(str::to_owned).collect();
    for k in (1..parts.len().saturating_sub(1)).step_by(2) {
        parts[k] = option(&parts[k]).unwrap_or_else(|| format!("`{}`", parts[k]));
    }
    let joined = if parts.len() % 2 == 1 { parts.concat() } else { message.to_owned() };
    let Some((before, after)) = joined.split_once(" = ") else { return joined };
    let start = before.rfind(' ').map_or(0, |space| space + 1);
    match option(&before[start..]) {
        Some(typed) => format!("{}{typed} = {after}", &before[..start]),
        None => joined,
    }
}

/// An option of any verb by its name in the crates.
fn option(name: &str) -> Option<String> {
    let other = OTHER_NAMES.iter().find(|(crates, _)| *crates == name);
    let long = other.map_or_else(|| name.replace('_', "-"), |(_, typed)| (*typed).to_owned());
    let program = crate::args::Cli::command();
    let mut options = program.get_subcommands().flat_map(clap::Command::get_arguments);
    options.any(|argument| argument.get_long() == Some(&long)).then(|| format!("--{long}"))
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

/// Whether a signal came before there was anything to keep.
fn is_stopped(error: &anyhow::Error) -> bool {
    use xray_nmf::Error::Stopped;
    error.chain().any(|cause| {
        let wrapped = || matches!(cause.downcast_ref(), Some(xray_pipeline::Error::Fit(Stopped)));
        cause.downcast_ref() == Some(&Stopped) || wrapped()
    })
}

/// Whether standard output was closed; a pipe that was named as the output must take everything.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let closed = error.chain().any(|cause| {
        cause.downcast_ref::<io::Error>().is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe)
    });
    closed && error.chain().any(|cause| cause.to_string() == crate::session::STDOUT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::anyhow;

    #[test]
    fn whoever_tells_of_a_stop_the_status_is_that_of_an_interruption() {
        assert!(is_stopped(&xray_nmf::Error::Stopped.into()));
        assert!(is_stopped(&xray_pipeline::Error::from(xray_nmf::Error::Stopped).into()));
        assert!(is_stopped(&anyhow::Error::from(xray_nmf::Error::Stopped).context("in x.csv")));
        assert!(!is_stopped(&anyhow!("stopped")));
    }

    #[test]
    fn options_are_named_as_they_are_typed() {
        for (message, typed) in [
            ("x: lower `min_df` or `transpose`", "x: lower --min-df or --transpose"),
            ("max_df = 0 is not allowed; a", "--max-df = 0 is not allowed; a"),
            ("use `xray topics`; see `column_names`", "use `xray topics`; see --terms"),
            ("a = b, one ` alone", "a = b, one ` alone"),
        ] {
            assert_eq!(as_typed(message), typed);
        }
    }

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
