//! The program `xray`: arguments, verbs, progress and output files.
//!
//! [`main`] maps the outcome to an exit status; a verb is a file in `cmd`, which turns its arguments
//! ([`args`]) into calls of the libraries and their answers into tables, JSON and files.

#![forbid(unsafe_code)]
// They panic where nobody can be told: `stderr::say` does not, and answers go through `Session`.
#![deny(clippy::print_stderr, clippy::print_stdout)]

mod agree;
pub mod args;
mod cmd;
mod command;
mod data;
mod documents;
mod interrupt;
mod launch;
mod memory;
mod outcome;
mod output;
mod panic;
mod progress;
mod session;
mod stderr;
mod stdout;

use std::process::ExitCode;

use xray_nmf::comm::Communicator;
use xray_nmf::with_threads;

use agree::{alone, together};
use args::Command;
use outcome::Outcome;

/// Runs the program on the arguments of the process, alone or as one of the ranks that a launcher started.
pub fn main() -> ExitCode {
    interrupt::block_others();
    launch::main()
}

/// Runs a verb as one of the ranks of `comm`; all ranks call it with the same arguments.
///
/// # Errors
/// If the data, the arguments or the files are wrong. Errors that every rank has are
/// [agreed](xray_pipeline::Error::Agreed); after any other the job must be ended by force.
pub(crate) fn run(comm: &dyn Communicator, mut command: Command) -> anyhow::Result<Outcome> {
    let Some(common) = command.common_mut() else { return run_verb(comm, command) };
    memory::limit(common);
    // The one pool of a run. All ranks have theirs, or none goes on.
    let outcome = with_threads(common.threads(), || {
        together(comm, Ok(()))?;
        run_verb(comm, command)
    });
    outcome.unwrap_or_else(|refused| together(comm, Err(refused.into())))
}

fn run_verb(comm: &dyn Communicator, command: Command) -> anyhow::Result<Outcome> {
    match command {
        Command::Topics(args) => cmd::topics::run(comm, &args),
        Command::Factorize(args) => cmd::factorize::run(comm, &args),
        Command::Transform(args) => cmd::transform::run(comm, &args),
        Command::Unmix(args) => alone(comm, "unmix").and_then(|()| cmd::unmix::run(&args)),
        Command::Rank(args) => cmd::rank::run(comm, &args),
        Command::Demo(args) => alone(comm, "demo").and_then(|()| cmd::demo::run(&args)),
        #[cfg(feature = "experiments")]
        Command::Compare(args) => cmd::compare::run(comm, &args),
        #[cfg(feature = "experiments")]
        Command::Reproduce(args) => {
            alone(comm, "reproduce").and_then(|()| cmd::reproduce::run(&args))
        }
        #[cfg(feature = "experiments")]
        Command::Synth(args) => alone(comm, "synth").and_then(|()| cmd::synth::run(&args)),
        #[cfg(feature = "explore")]
        Command::Explore(args) => alone(comm, "explore").and_then(|()| cmd::explore::run(&args)),
        Command::Edit(args) => alone(comm, "edit").and_then(|()| cmd::edit::run(&args)),
        Command::Convert(args) => alone(comm, "convert").and_then(|()| cmd::convert::run(&args)),
        Command::Completions(args) => {
            alone(comm, "completions").and_then(|()| cmd::manual::completions(&args))
        }
        Command::Man(args) => alone(comm, "man").and_then(|()| cmd::manual::man(&args)),
    }
}
