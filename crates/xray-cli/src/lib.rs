//! The program `xray`: arguments, verbs, progress and output files.
//!
//! [`main`] maps the outcome to an exit status; a verb is a file in `cmd`, which turns its arguments
//! ([`args`]) into calls of the libraries and their answers into tables, JSON and files.

#![forbid(unsafe_code)]

pub mod args;
mod cmd;
mod data;
mod interrupt;
mod outcome;
mod output;
mod panic;
mod session;

/// What `xray-mpi` shares with this program.
#[doc(hidden)]
pub mod parts {
    pub use crate::cmd::factorize::{Factorized, params};
    pub use crate::cmd::topics::{
        FoundTopics, options as topic_options, parameters as topic_parameters,
    };
    pub use crate::data::about;
    pub use crate::interrupt::requested as interrupted;
    pub use crate::outcome::{Outcome, UsageError, kind, message, report, status};
    pub use crate::output::Folder;
    pub use crate::panic::caught;
    pub use crate::session::Session;
    pub use xray_experiments::peak_memory;
}

use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};
use outcome::Outcome;

/// Runs the program on the arguments of the process.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    outcome::report(panic::caught(|| run(cli.command)))
}

fn run(command: Command) -> anyhow::Result<Outcome> {
    match command {
        Command::Demo(args) => cmd::demo::run(&args),
        Command::Topics(args) => cmd::topics::run(&args),
        Command::Factorize(args) => cmd::factorize::run(&args),
        Command::Transform(args) => cmd::transform::run(&args),
        Command::Rank(args) => cmd::rank::run(&args),
        Command::Compare(args) => cmd::compare::run(&args),
        Command::Reproduce(args) => cmd::reproduce::run(&args),
        Command::Synth(args) => cmd::synth::run(&args),
        Command::Convert(args) => cmd::convert::run(&args),
        Command::Completions(args) => cmd::manual::completions(&args),
        Command::Man(args) => cmd::manual::man(&args),
    }
}
