//! What long runs, and runs on many machines, need.

use std::path::PathBuf;

use clap::{Args, ValueHint};

/// Checkpoints, and H in shards.
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
    /// Go on from the checkpoint, on any number of ranks
    #[arg(long, requires = "checkpoint")]
    pub resume: bool,
}

/// How the coefficients of many columns are written.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Long runs")]
pub struct ShardArgs {
    /// Write H as one file, however large [default: if it has at most 50 million entries]
    #[arg(long, conflicts_with = "shards")]
    pub gather: bool,
    /// Let every rank write its columns of H, with a manifest that lists the files
    #[arg(long)]
    pub shards: bool,
}
