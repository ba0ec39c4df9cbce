//! Comparisons and experiments.

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::{Args, ValueHint};
use xray_experiments::{EXPERIMENTS, METHODS, Method};

use super::{CommonArgs, InputArgs, TextArgs, parse};

const COMPARE_EXAMPLES: &str = "\
Examples:
  xray compare articles.csv --text body --labels section -r 10 -o comparison/
  xray compare counts.npz -r 30 --methods xray-greedy,spa-l1,nmf-hals
  xray synth x.npy --noise 0.3 --clip > truth.txt && xray compare x.npy -r 20 --true-anchors truth.txt

Anchors are refined before rows are clustered (NMI) and classified (accuracy, 5 % of the rows to learn
from). Time and memory are those of the method alone. Writes compare.csv, compare.svg and compare.png.

Methods:
";

fn compare_help() -> String {
    METHODS.iter().fold(COMPARE_EXAMPLES.to_owned(), |mut help, method| {
        let _ = writeln!(help, "  {:<16}{}", method.name, method.about);
        help
    })
}

/// Arguments of `compare`.
#[derive(Debug, Args)]
#[command(after_help = compare_help())]
pub struct CompareArgs {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub input: InputArgs,
    /// Number of anchors or topics
    #[arg(short = 'r', long, value_name = "R", value_parser = parse::rank)]
    pub rank: usize,
    /// Methods to run [default: all that are predicted to stay within the time limit]
    #[arg(long, value_name = "NAME[,NAME...]", value_delimiter = ',', value_parser = method)]
    pub methods: Vec<Method>,
    /// The true anchors: names or positions (from 0), or a file with them
    #[arg(long, value_name = "COLUMN[,COLUMN...]|FILE")]
    pub true_anchors: Option<String>,
    /// Leave out methods that are predicted to take more seconds than this
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0, value_parser = parse::positive)]
    pub time_limit: f64,
    /// Runs of each random method, with different seeds
    #[arg(long, value_name = "N", default_value_t = 3)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=1000))]
    pub runs: u64,
    /// Steps of refinement before rows are clustered and classified
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub refine: usize,
    /// Passes of Hottopixx over the data
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub epochs: usize,
    /// Iterations of local optimisation
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub iterations: usize,
    /// Do not train classifiers, even if there are labels
    #[arg(long)]
    pub no_accuracy: bool,
    /// Folder for compare.csv, compare.svg and compare.png
    #[arg(short, long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub text: TextArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub common: CommonArgs,
}

fn method(name: &str) -> Result<Method, String> {
    Method::named(name).map_err(|error| error.to_string())
}

const REPRODUCE_EXAMPLES: &str = "\
Examples:
  xray reproduce all --quick                    everything on small data, in a minute or two
  xray reproduce figure3                        drawn data, no files needed
  XRAY_DATA=~/data xray reproduce table1 table4 -o results/

Each writes NAME.md, NAME.csv and pictures into the folder; `all` joins the pages in FOLDER.md.
A page that is made again takes its place there.

Experiments:
";

fn reproduce_help() -> String {
    EXPERIMENTS.iter().fold(REPRODUCE_EXAMPLES.to_owned(), |mut help, experiment| {
        let _ = writeln!(help, "  {:<10}{}", experiment.name, experiment.about);
        help
    })
}

/// Names of experiments, and `all`.
fn experiment_names() -> Vec<&'static str> {
    EXPERIMENTS.iter().map(|experiment| experiment.name).chain(["all"]).collect()
}

/// Arguments of `reproduce`.
#[derive(Debug, Args)]
#[command(after_help = reproduce_help())]
pub struct ReproduceArgs {
    /// What to reproduce
    #[arg(required = true, value_name = "EXPERIMENT", value_parser = experiment_names())]
    pub experiments: Vec<String>,
    /// Small versions, on data that comes with the program
    #[arg(long)]
    pub quick: bool,
    /// Folder with the real data sets [default: the environment variable XRAY_DATA]
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub data: Option<PathBuf>,
    /// Folder for the files
    #[arg(short, long, value_name = "FOLDER", default_value = "results")]
    #[arg(value_hint = ValueHint::DirPath)]
    pub output: PathBuf,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub common: CommonArgs,
}
