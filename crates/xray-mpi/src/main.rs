//! The program `xray-mpi`.
//!
//! Whatever happens, all ranks end: what every rank knows of is reported by rank 0, and what only one
//! rank knows of is reported by that rank, which then ends the others by force. The launcher ends the job
//! if a rank is killed.

use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use xray_cli::args::{Bytes, Cli, Command};
use xray_cli::parts::{Outcome, caught, kind, message, report, status};
use xray_mpi::{MpiRank, wrong_launcher};
use xray_nmf::comm::Communicator;
use xray_nmf::machine::Machine;
use xray_pipeline::{Error, same_everywhere};

/// How long a rank with an error of its own waits for rank 0, which may have the same.
const PATIENCE: Duration = Duration::from_secs(2);

fn main() -> ExitCode {
    let comm = match MpiRank::start() {
        Ok(comm) => comm,
        Err(error) => return report(Err(error.into())),
    };
    // Before anything else: a rank that was started in another way may not even get to a verb.
    let words: Vec<String> =
        std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    if let Err(error) = same_everywhere(&comm, "the arguments", words.join("\0").as_bytes()) {
        return conclude(&comm, Err(error.into()));
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return refuse(&comm, &error),
    };
    if let Some(problem) = wrong_launcher(comm.size()) {
        return report(Err(anyhow::anyhow!(problem)));
    }
    let result = caught(|| {
        let mut command = cli.command;
        own_resources(&comm, &mut command)?;
        xray_cli::run(&comm, command)
    });
    conclude(&comm, result)
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

/// Help, the version, or a wrong argument: the same on all ranks, so rank 0 tells it.
fn refuse(comm: &MpiRank, error: &clap::Error) -> ExitCode {
    if comm.rank() == 0 {
        // Nothing can be done if it cannot be printed.
        let _ = error.print();
    }
    ExitCode::from(error.exit_code() as u8)
}

fn conclude(comm: &MpiRank, result: anyhow::Result<Outcome>) -> ExitCode {
    let error = match result {
        Ok(outcome) => return report(Ok(outcome)),
        Err(error) => error,
    };
    match error.downcast_ref::<Error>().filter(|error| error.is_agreed()) {
        Some(agreed) => {
            if comm.rank() == 0 {
                eprintln!("error: {}", message(&error));
            }
            ExitCode::from(status(agreed.kind()))
        }
        None => {
            let of_all = comm.rank() == 0;
            if !of_all {
                std::thread::sleep(PATIENCE);
            }
            let place = if of_all { String::new() } else { format!("rank {}: ", comm.rank()) };
            eprintln!("error: {place}{}", message(&error));
            comm.abort(status(kind(&error)))
        }
    }
}
