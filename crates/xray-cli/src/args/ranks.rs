//! What long runs, and runs on many machines, need.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use xray_nmf::comm::Communicator;

/// More numbers than this are written in shards by many ranks unless asked otherwise: 600 MB.
const GATHERED: usize = 50_000_000;

/// Checkpoints.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Long runs")]
pub struct RunArgs {
    /// File to save the state of the run to, for --resume
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub checkpoint: Option<PathBuf>,
    /// Save it after every so many anchors
    #[arg(long, value_name = "K", default_value_t = 10, requires = "checkpoint")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    pub checkpoint_every: u64,
    /// Save it after every so many seconds, too
    #[arg(long, value_name = "S", default_value_t = 300, requires = "checkpoint")]
    pub checkpoint_seconds: u64,
    /// Go on from the checkpoint, on any number of ranks; start anew if there is none yet
    #[arg(long, requires = "checkpoint")]
    pub resume: bool,
}

/// How much of a result is written by one rank.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Long runs")]
pub struct ShardArgs {
    /// Write one file each, however large [default: with one rank, and up to 50 million numbers]
    #[arg(long, conflicts_with = "shards")]
    pub gather: bool,
    /// Let every rank write its own columns of H or rows of W, with a manifest that lists the files
    #[arg(long)]
    pub shards: bool,
}

impl RunArgs {
    /// No checkpoints.
    pub(crate) fn none() -> Self {
        Self { checkpoint: None, checkpoint_every: 1, checkpoint_seconds: 0, resume: false }
    }
}

impl ShardArgs {
    /// Whether every rank is to write its part of so many numbers.
    pub(crate) fn in_shards(&self, comm: &dyn Communicator, n_numbers: usize) -> bool {
        self.shards || (comm.size() > 1 && n_numbers > GATHERED && !self.gather)
    }
}
