//! What users type: the verbs of `xray`, and what only many ranks need.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueHint};
use xray_cli::args::{FactorizeArgs, TopicsArgs};

const AFTER_HELP: &str = "\
Examples:
  mpirun -n 4 xray-mpi topics reviews.csv --text body -k 20 -o topics/
  mpirun -n 4 xray-mpi factorize x.npz -r 100 --selection greedy -o out/
  srun -n 64 xray-mpi factorize 'part-*.npz' -r 200 --checkpoint run.json -o out/
  mpirun -n 8 xray-mpi factorize 'part-*.npz' -r 200 --checkpoint run.json --resume -o out/

Anchors, scores and weights have the same bits for any number of ranks and threads, and as `xray` finds
them. Rank 0 prints and writes; docs/cluster.md tells how to start and size a job.";

/// The program xray on many machines: the same answer, to the last bit, from any number of ranks.
#[derive(Debug, Parser)]
#[command(name = "xray-mpi", version, after_help = AFTER_HELP, max_term_width = 100)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The verbs.
#[derive(Debug, Subcommand)]
#[command(disable_help_subcommand = true)]
pub enum Command {
    /// Text to topics: anchor words, top words, and what each document is about
    Topics(Box<Topics>),
    /// Anchors and weights of any nonnegative matrix
    Factorize(Box<Factorize>),
}

/// Arguments of `topics`.
#[derive(Debug, Args)]
pub struct Topics {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub args: TopicsArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub cluster: ClusterArgs,
}

/// Arguments of `factorize`.
#[derive(Debug, Args)]
pub struct Factorize {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub args: FactorizeArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub cluster: ClusterArgs,
}

/// What only many ranks need.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Ranks")]
pub struct ClusterArgs {
    /// File to save the state of the run to, for --resume
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub checkpoint: Option<PathBuf>,
    /// Save it after every so many anchors
    #[arg(long, value_name = "K", default_value_t = 10, requires = "checkpoint")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    pub checkpoint_every: u64,
    /// Go on from the checkpoint, on any number of ranks
    #[arg(long, requires = "checkpoint")]
    pub resume: bool,
    /// Write H as one file, however large [default: if it has at most 50 million entries]
    #[arg(long, conflicts_with = "shards")]
    pub gather: bool,
    /// Let every rank write its columns of H, with a manifest that lists the files
    #[arg(long)]
    pub shards: bool,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_definitions_are_consistent() {
        super::Cli::command().debug_assert();
    }
}
