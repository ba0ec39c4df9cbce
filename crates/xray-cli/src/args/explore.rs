//! Looking at topics, and changing them by hand.

use std::net::IpAddr;
use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::{CommonArgs, TopicsArgs};

const EXPLORE_HELP: &str = "\
Examples:
  xray explore reviews.csv --text body -k 12
  xray explore out/ reviews.csv --text body         a model and its documents
  xray explore news.jsonl --anchor election,vote --save elections.npz

Opens the page of the topics in a browser, served on this machine alone. There words can be made seeds of topics or \
excluded, topics merged, split, dropped, renamed, and their number changed: each change is answered exactly, and can be \
undone. The page tells the commands that give the same topics. Ctrl-C ends it, or closing the page for a while.";

/// Arguments of `explore`.
#[derive(Debug, Args)]
pub struct ExploreArgs {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub topics: TopicsArgs,
    /// Port [default: one that is free]
    #[arg(long, value_name = "PORT", default_value_t = 0, hide_default_value = true)]
    pub port: u16,
    /// Address to listen at, so that others can reach the page, too; anyone who knows its secret address can then change
    /// the topics [default: this machine alone]
    #[arg(long, value_name = "ADDRESS")]
    pub listen: Option<IpAddr>,
    /// Do not open a browser
    #[arg(long)]
    pub no_open: bool,
    /// Minutes without the page after which it ends
    #[arg(long, value_name = "N", default_value_t = 15)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=100_000))]
    pub idle: u64,
    /// The model file that the page saves to [default: the input's name and "-explored.npz"]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub save: Option<PathBuf>,
}

impl ExploreArgs {
    /// What its help ends with.
    pub(crate) const HELP: &'static str = EXPLORE_HELP;

    /// What is common to all verbs.
    pub fn common_mut(&mut self) -> &mut CommonArgs {
        &mut self.topics.common
    }

    /// An option that is for results in a folder, and would be lost.
    pub(crate) fn refused(&self) -> Option<&'static str> {
        let topics = &self.topics;
        let given = [
            ("--output", topics.output.is_some()),
            ("--levels", !topics.levels.is_empty()),
            ("--time", topics.time.is_some()),
            ("--nearest", !topics.nearest.is_empty()),
            ("--details", topics.details),
            ("--no-report", topics.no_report),
            ("--figures", topics.figures()),
            ("--checkpoint", topics.run.checkpoint.is_some()),
            ("--shards", topics.shards.shards),
            ("--parquet", topics.parquet()),
            ("--json", topics.common.json),
        ];
        given.into_iter().find(|(_, given)| *given).map(|(option, _)| option)
    }
}
