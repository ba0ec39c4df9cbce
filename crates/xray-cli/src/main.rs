//! The program `xray`.

mod demo;

use std::io::{self, Write};
use std::process::ExitCode;

const USAGE: &str = "\
Find the few columns of a nonnegative matrix that explain all the others.

usage: xray demo    topics of the small corpus inside this program
       xray help    this text

example: cargo run --release -- demo
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match words[..] {
        ["demo"] => demo::run(&mut io::stdout().lock()),
        ["help" | "--help" | "-h"] => write!(io::stdout(), "{USAGE}").map_err(Into::into),
        _ => {
            eprintln!("xray: expected one of: demo, help\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if is_closed_pipe(error.as_ref()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xray: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Whoever read our output has seen enough.
fn is_closed_pipe(error: &(dyn std::error::Error + 'static)) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe)
}
