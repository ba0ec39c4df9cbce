//! Who takes part: one process, or the ranks of an MPI job.
//!
//! The launcher's variables are asked before MPI is started, because a process that was not launched should
//! not start it. A program without MPI (feature `mpi`) that was launched several times refuses: its copies
//! would all do the same, and write the same files. `XRAY_ALONE=1` allows that.
//!
//! Whatever happens, all ranks end: what every rank knows of is told by rank 0, and what only one rank knows
//! of is told by that rank, which then ends the others by force. The launcher ends the job if a rank is
//! killed.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;
use xray_nmf::comm::OneRank;
use xray_report::printable;

use crate::args::Cli;
use crate::stderr::{Word, say, say_with};
use crate::{outcome, panic};

/// Variables in which launchers say how many processes they have started, and which one this is.
const LAUNCHERS: [(&str, &str); 3] = [
    ("OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"),
    ("PMI_SIZE", "PMI_RANK"),
    ("SLURM_STEP_NUM_TASKS", "SLURM_PROCID"),
];

/// The variable that lets launched copies run on their own.
const ALONE: &str = "XRAY_ALONE";

/// One of several processes that a launcher has started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Launched {
    /// How many there are.
    size: usize,
    /// Which one this is.
    rank: usize,
    /// The variable that says so.
    variable: &'static str,
}

impl Launched {
    /// What a launcher says, if it has started more than one.
    fn from_environment(variable: impl Fn(&str) -> Option<String>) -> Option<Self> {
        let number = |name: &str| variable(name)?.trim().parse::<usize>().ok();
        let launched = LAUNCHERS.iter().find_map(|&(size, rank)| {
            Some(Self { size: number(size)?, rank: number(rank).unwrap_or(0), variable: size })
        });
        launched.filter(|launched| launched.size > 1)
    }

    /// Says what is wrong, once for all processes.
    fn refuse(&self, problem: &str) -> ExitCode {
        if self.rank == 0 {
            let Launched { size, variable, .. } = self;
            say_with(
                Word::Error,
                format!("{size} processes were started ({variable}), but {problem}"),
            );
        }
        ExitCode::FAILURE
    }
}

/// Runs the program on the arguments of the process.
pub(crate) fn main() -> ExitCode {
    let alone = std::env::var_os(ALONE).is_some_and(|value| !value.is_empty() && value != "0");
    let launched = Launched::from_environment(|name| std::env::var(name).ok());
    match launched.filter(|_| !alone) {
        Some(launched) => start_ranks(&launched),
        None => match Cli::try_parse() {
            Ok(cli) => outcome::report(panic::caught(|| crate::run(&OneRank, cli.command))),
            Err(error) => refuse(&error),
        },
    }
}

/// Help, the version, or a wrong argument. A shell makes names of files of patterns, and these cannot act on the terminal.
fn refuse(error: &clap::Error) -> ExitCode {
    let acts = |word: OsString| printable(&word.to_string_lossy()) != word.to_string_lossy();
    if error.use_stderr() && std::env::args_os().any(acts) {
        say(error.render().to_string().trim_end());
    } else {
        // Nothing can be done if it cannot be printed.
        let _ = error.print();
    }
    ExitCode::from(error.exit_code() as u8)
}

#[cfg(not(feature = "mpi"))]
fn start_ranks(launched: &Launched) -> ExitCode {
    launched.refuse(&format!(
        "this xray was built without MPI: they would all do the same, and write the same files; build it with \
         `cargo install xray-cli --features mpi`, or set {ALONE}=1 to run {} copies on their own",
        launched.size
    ))
}

#[cfg(feature = "mpi")]
use ranks::start_ranks;

#[cfg(feature = "mpi")]
mod ranks {
    use std::process::ExitCode;
    use std::time::Duration;

    use clap::Parser;
    use xray_nmf::comm::{Communicator, MpiRank};
    use xray_nmf::machine::Machine;
    use xray_pipeline::{Error, same_everywhere};

    use super::Launched;
    use crate::args::{Bytes, Cli, Command};
    use crate::outcome::{self, Outcome, kind, message, status};
    use crate::panic;
    use crate::stderr::{Word, say_with};

    /// How long a rank with an error of its own waits for rank 0, which may have the same.
    const PATIENCE: Duration = Duration::from_secs(2);

    /// How long the launcher gets to pass a message on, before the job is ended.
    const DRAIN: Duration = Duration::from_millis(300);

    const WRONG_LAUNCHER: &str = "MPI sees only one: the launcher belongs to another MPI than this program; \
         use the mpirun of the MPI it was built with (under Slurm `srun --mpi=pmix` for Open MPI and \
         `srun --mpi=pmi2` for MPICH), or build it again with MPICC set to that MPI's compiler";

    pub(super) fn start_ranks(launched: &Launched) -> ExitCode {
        let comm = match MpiRank::start() {
            Ok(comm) => comm,
            Err(error) => return outcome::report(Err(error.into())),
        };
        if comm.size() == 1 {
            return launched.refuse(WRONG_LAUNCHER);
        }
        if let Err(error) = check_alike(&comm) {
            return conclude(&comm, Err(error.into()));
        }
        let cli = match Cli::try_parse() {
            Ok(cli) => cli,
            // The same on all ranks, so rank 0 tells it.
            Err(error) if comm.rank() == 0 => return super::refuse(&error),
            Err(error) => return ExitCode::from(error.exit_code() as u8),
        };
        let result = panic::caught(|| {
            let mut command = cli.command;
            own_resources(&comm, &mut command)?;
            crate::run(&comm, command)
        });
        conclude(&comm, result)
    }

    /// The same program with the same arguments on all ranks: a rank that was started in another way may not
    /// even get to a verb.
    fn check_alike(comm: &MpiRank) -> xray_pipeline::Result<()> {
        same_everywhere(comm, "the versions of xray", env!("CARGO_PKG_VERSION").as_bytes())?;
        let words = std::env::args_os().skip(1);
        let words: Vec<String> = words.map(|word| word.to_string_lossy().into_owned()).collect();
        same_everywhere(comm, "the arguments", words.join("\0").as_bytes())
    }

    /// Sets the threads and the memory of one of several ranks on this machine.
    fn own_resources(comm: &dyn Communicator, command: &mut Command) -> anyhow::Result<()> {
        let share = Machine::default().share(comm)?;
        if let Some(common) = command.common_mut() {
            common.threads.get_or_insert(share.threads as u64);
            common.memory.get_or_insert(Bytes(share.memory));
        }
        Ok(())
    }

    fn conclude(comm: &MpiRank, result: anyhow::Result<Outcome>) -> ExitCode {
        let error = match result {
            Ok(outcome) => return outcome::report(Ok(outcome)),
            Err(error) => error,
        };
        let agreed = error.downcast_ref::<Error>().is_some_and(Error::is_agreed);
        let first = comm.rank() == 0;
        if agreed {
            if first {
                say_with(Word::Error, message(&error));
            }
            return ExitCode::from(status(kind(&error)));
        }
        if !first {
            std::thread::sleep(PATIENCE);
        }
        let place = if first { String::new() } else { format!("rank {}: ", comm.rank()) };
        say_with(Word::Error, format!("{place}{}", message(&error)));
        std::thread::sleep(DRAIN);
        comm.abort(status(kind(&error)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launched(variables: &[(&str, &str)]) -> Option<Launched> {
        let value = |name: &str| {
            let found = variables.iter().find(|variable| variable.0 == name);
            found.map(|variable| variable.1.to_owned())
        };
        Launched::from_environment(value)
    }

    #[test]
    fn launchers_say_how_many_there_are() {
        assert_eq!(launched(&[]), None);
        assert_eq!(launched(&[("OMPI_COMM_WORLD_SIZE", "1")]), None);
        let slurm = [("SLURM_STEP_NUM_TASKS", "64"), ("SLURM_PROCID", "7")];
        let expected = Launched { size: 64, rank: 7, variable: "SLURM_STEP_NUM_TASKS" };
        assert_eq!(launched(&slurm), Some(expected));
        let open_mpi = [("OMPI_COMM_WORLD_SIZE", "3"), ("OMPI_COMM_WORLD_RANK", "2")];
        let both = [&slurm[..], &open_mpi].concat();
        let expected = Launched { size: 3, rank: 2, variable: "OMPI_COMM_WORLD_SIZE" };
        assert_eq!(launched(&both), Some(expected));
        assert_eq!(launched(&[("PMI_SIZE", "many")]), None);
    }
}
