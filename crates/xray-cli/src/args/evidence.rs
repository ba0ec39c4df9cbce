//! Comparisons, experiments and drawn data.

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::{Args, ValueHint};
use xray_data::text::DocumentFrequency;
use xray_experiments::{EXPERIMENTS, METHODS, Method};
use xray_nmf::synth::{Collection, Design, Noise};

use super::parse::choice;
use super::text::frequency;
use super::{CommonArgs, CsvArgs, InputArgs, TextArgs, parse};

const COMPARE_EXAMPLES: &str = "\
Examples:
  xray compare articles.csv --text body --labels section -r 10 -o comparison/
  xray compare counts.npz -r 30 --methods xray-greedy,spa-l1,nmf-hals
  xray synth x.npy --noise 0.3 --clip > truth.txt
  xray compare x.npy -r 20 --true-anchors truth.txt

Anchors are refined before rows are clustered (NMI) and classified (accuracy, 5 % of the rows to learn \
from). Time and memory are those of the method alone. Writes compare.html, compare.csv, compare.svg and compare.png. \
On many ranks (mpirun) the rules of XRAY run, and time and memory are those of the rank that takes most; \
the other methods need the whole matrix on one machine, and are left out.

Methods:
";

fn compare_help() -> String {
    let width = METHODS.iter().map(|method| method.name.len() + 2).max().unwrap_or_default();
    METHODS.iter().fold(COMPARE_EXAMPLES.to_owned(), |mut help, method| {
        let _ = writeln!(help, "  {:<width$}{}", method.name, method.about);
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
    /// Methods to run [default: all that stay within the time limit]
    #[arg(long, value_name = "NAME[,NAME...]", value_delimiter = ',', value_parser = method)]
    pub methods: Vec<Method>,
    /// The true anchors: names or positions (from 0), or a file with them
    #[arg(long, value_name = "COLUMN[,COLUMN...]|FILE")]
    pub true_anchors: Option<String>,
    /// Leave out methods that are predicted to take more seconds than this, and give up those that do
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
    /// Only columns with entries in so many rows (words in so many documents) may be anchors, for all methods that choose
    /// columns: a number, or a share such as 0.01 [default: for texts and counts of 200 documents or more the root of
    /// their number, but for xray-greedy and xray-rand; else 1]
    #[arg(long, value_name = "N|SHARE", value_parser = frequency)]
    pub anchor_min_df: Option<DocumentFrequency>,
    /// Do not train classifiers, even if there are labels
    #[arg(long)]
    pub no_accuracy: bool,
    /// Leave out compare.html
    #[arg(long)]
    pub no_report: bool,
    /// Folder for compare.html, compare.csv, compare.svg and compare.png
    #[arg(short, long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub text: TextArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub csv: CsvArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub common: CommonArgs,
}

fn method(name: &str) -> Result<Method, String> {
    Method::named(name).map_err(|error| error.to_string())
}

const REPRODUCE_EXAMPLES: &str = "\
Examples:
  xray reproduce all --quick                    small data, in a minute or two
  xray reproduce figure3                        drawn data, no files needed
  XRAY_DATA=~/data xray reproduce table1 table4 -o results/

Each writes NAME.html, NAME.md, NAME.csv and pictures into the folder; `all` joins the pages in FOLDER.md. \
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

const SYNTH_HELP: &str = "\
Examples:
  xray synth x.npy --rows 200 --rank 20 --noise 0.3 --seed 1
  xray synth hard.npz --design middle-points --noise-kind outward --noise 0.1
  xray synth rcv1.npz --corpus rcv1 --scale 0.01
  xray synth scene.hdr --cube 400x500x200 -r 5 --snr 30   a scene and its truth

The columns of X = W [I, H'] + noise are shuffled; the true anchors go to standard output.";

/// Arguments of `synth`.
#[derive(Debug, Args)]
#[command(after_help = SYNTH_HELP)]
pub struct SynthArgs {
    /// Where to write the matrix: .npy, .npz, .mtx, .csv, ...
    #[arg(value_name = "OUT", value_hint = ValueHint::FilePath)]
    pub output: PathBuf,
    /// How anchors and mixtures are drawn
    #[arg(long, value_name = "NAME", default_value_t, value_parser = choice::<Design>())]
    #[arg(conflicts_with = "corpus")]
    pub design: Design,
    /// Number of rows
    #[arg(long, value_name = "M", default_value_t = 200, conflicts_with = "corpus")]
    pub rows: usize,
    /// Number of anchors
    #[arg(short = 'r', long, value_name = "R", default_value_t = 20, conflicts_with = "corpus")]
    pub rank: usize,
    /// Number of columns [default: R + R (R - 1) / 2, which middle points need]
    #[arg(long, value_name = "N", conflicts_with = "corpus")]
    pub columns: Option<usize>,
    /// Noise level
    #[arg(long, value_name = "DELTA", default_value_t = 0.0, conflicts_with = "corpus")]
    pub noise: f64,
    /// What is added
    #[arg(long, value_name = "KIND", default_value_t, value_parser = choice::<Noise>())]
    #[arg(conflicts_with = "corpus")]
    pub noise_kind: Noise,
    /// Replace negative entries by 0 (without it, fit with --allow-negative)
    #[arg(long, conflicts_with = "corpus")]
    pub clip: bool,
    /// Documents x words as large and sparse as a known data set instead
    #[arg(long, value_name = "NAME", value_parser = choice::<Collection>())]
    pub corpus: Option<Collection>,
    /// A hyperspectral scene of rows x columns x bands instead, as an ENVI file; its endmembers go to a table beside it
    #[arg(long, value_name = "RxCxB", value_parser = parse::cube_size)]
    #[arg(conflicts_with_all = ["corpus", "design", "rows", "columns", "noise", "noise_kind", "clip"])]
    pub cube: Option<[usize; 3]>,
    /// Signal to noise of the scene, in decibels
    #[arg(
        long,
        value_name = "DB",
        default_value_t = 30.0,
        requires = "cube",
        allow_negative_numbers = true
    )]
    pub snr: f64,
    /// Size of the corpus relative to the data set's
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0, requires = "corpus")]
    pub scale: f64,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub common: CommonArgs,
}
