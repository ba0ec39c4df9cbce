//! Words for people, on standard error.
//!
//! If it cannot take them (a full disk, a dead log collector), nobody can be told, and the work goes on. What they
//! quote from files cannot act on the terminal.

use std::fmt::Display;
use std::io::Write;

use xray_report::printable;

use crate::session::styled_stderr;

/// What a message begins with.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Word {
    Error,
    Warning,
}

/// Writes lines.
pub(crate) fn say(lines: impl Display) {
    let lines = lines.to_string();
    let lines: Vec<_> = lines.split('\n').map(printable).collect();
    write(&lines.join("\n"));
}

/// Writes a message of one line that begins with a word, which is coloured where colours are wanted.
pub(crate) fn say_with(word: Word, message: impl Display) {
    let word = match (word, styled_stderr()) {
        (Word::Error, true) => "\x1b[1;31merror:\x1b[0m ",
        (Word::Error, false) => "error: ",
        (Word::Warning, true) => "\x1b[1;33mwarning:\x1b[0m ",
        (Word::Warning, false) => "warning: ",
    };
    write(&format!("{word}{}", printable(&message.to_string())));
}

/// In one piece: launchers mix what ranks print piece by piece.
fn write(text: &str) {
    let mut stderr = std::io::stderr().lock();
    // Nothing can be done if it cannot be printed.
    let _ = stderr.write_all(format!("{text}\n").as_bytes()).and_then(|()| stderr.flush());
}
