//! What users type, as types.

mod csv;
mod edit;
mod engine;
#[cfg(feature = "experiments")]
mod evidence;
#[cfg(feature = "explore")]
mod explore;
mod help;
mod input;
mod parse;
mod ranks;
mod text;
mod unmix;

use std::path::PathBuf;

use clap::{ArgAction, Args, Parser, Subcommand, ValueHint};
use xray_nmf::SeededTopics;
use xray_pipeline::Period;

use crate::outcome::UsageError;

pub use self::parse::TopicNumber;

pub use csv::{CsvArgs, WeightsArgs};
pub use edit::EditArgs;
pub use engine::{AnchorArgs, EngineArgs};
#[cfg(feature = "experiments")]
pub use evidence::{CompareArgs, ReproduceArgs, SynthArgs};
#[cfg(feature = "explore")]
pub use explore::ExploreArgs;
pub use input::InputArgs;
pub(crate) use input::choice;
pub use parse::Bytes;
pub use ranks::{RunArgs, ShardArgs};
pub use text::TextArgs;
pub use unmix::{CubeArgs, UnmixArgs};

/// Find the few columns of a nonnegative matrix that explain all the others.
///
/// Topics with their anchor words from any text, factors of any nonnegative matrix: the XRAY algorithms
/// (Kumar, Sindhwani, Kambadur, ICML 2013). The same answer on every run, with any number of threads.
#[derive(Debug, Parser)]
#[command(name = "xray", version, after_help = help::PROGRAM, max_term_width = 100)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The verbs.
#[derive(Debug, Subcommand)]
#[command(disable_help_subcommand = true)]
pub enum Command {
    /// Topics of a small corpus inside this program: see what to expect
    Demo(DemoArgs),
    /// Text to topics: anchor words, top words, and what each document is about
    Topics(Box<TopicsArgs>),
    /// Anchors and weights of any nonnegative matrix
    #[command(mut_arg("text", |argument| argument.hide(true)))]
    Factorize(FactorizeArgs),
    /// Endmembers and abundance maps of a hyperspectral cube
    Unmix(UnmixArgs),
    /// Weights of new documents, rows or columns under a saved model
    Transform(TransformArgs),
    /// Change topics by hand: merge, split, drop, rename, move words
    #[command(mut_arg("data", |argument| argument.required(false)))]
    Edit(EditArgs),
    /// Look at topics in a browser, and change them by hand: every change is answered exactly
    #[cfg(feature = "explore")]
    #[command(after_help = ExploreArgs::HELP)]
    #[command(mut_args(hide_folders))]
    Explore(Box<ExploreArgs>),
    /// How many? Residual, error on unseen entries, stability and coherence, and a suggestion
    Rank(RankArgs),
    /// Many methods on the same data: time, memory, error, and how well they meet the truth
    #[cfg(feature = "experiments")]
    Compare(CompareArgs),
    /// The figures and tables of the XRAY paper, with what the paper says beside them
    #[cfg(feature = "experiments")]
    Reproduce(ReproduceArgs),
    /// Matrices with known anchors, for tests and experiments
    #[cfg(feature = "experiments")]
    Synth(SynthArgs),
    /// Between file formats
    Convert(ConvertArgs),
    /// Completions for a shell, on standard output
    Completions(CompletionsArgs),
    /// Manual pages, on standard output or into a folder
    Man(ManArgs),
}

/// Options that are for results in a folder, which a page that is served does not have.
#[cfg(feature = "explore")]
fn hide_folders(argument: clap::Arg) -> clap::Arg {
    let folders = [
        "output",
        "levels",
        "time",
        "period",
        "nearest",
        "details",
        "no_report",
        "figures",
        "checkpoint",
        "checkpoint_every",
        "checkpoint_seconds",
        "resume",
        "shards",
        "single",
        "parquet",
        "json",
        "exact",
        "threshold",
    ];
    let hidden = folders.contains(&argument.get_id().as_str());
    if hidden { argument.hide(true) } else { argument }
}

impl Command {
    /// What is common to all verbs, of those that compute.
    pub fn common_mut(&mut self) -> Option<&mut CommonArgs> {
        match self {
            Command::Demo(args) => Some(&mut args.common),
            Command::Topics(args) => Some(&mut args.common),
            Command::Factorize(args) => Some(&mut args.common),
            Command::Unmix(args) => Some(&mut args.common),
            Command::Transform(args) => Some(&mut args.common),
            Command::Edit(args) => Some(&mut args.common),
            #[cfg(feature = "explore")]
            Command::Explore(args) => Some(args.common_mut()),
            Command::Rank(args) => Some(&mut args.common),
            #[cfg(feature = "experiments")]
            Command::Compare(args) => Some(&mut args.common),
            #[cfg(feature = "experiments")]
            Command::Reproduce(args) => Some(&mut args.common),
            #[cfg(feature = "experiments")]
            Command::Synth(args) => Some(&mut args.common),
            Command::Convert(args) => Some(&mut args.common),
            Command::Completions(_) | Command::Man(_) => None,
        }
    }
}

/// What every verb understands.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "General")]
pub struct CommonArgs {
    /// Print nothing but results and errors
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Print the time and peak memory of every stage
    #[arg(short, long)]
    pub verbose: bool,
    /// Print one JSON object on standard output instead of tables
    #[arg(long)]
    pub json: bool,
    /// Worker threads; the result is the same for any number [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1024))]
    pub threads: Option<u64>,
    /// Memory that the run may use, such as 500M or 4G [default: three quarters of the machine's or the job's]
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<Bytes>,
    /// Seed of everything that draws random numbers
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub seed: u64,
}

impl CommonArgs {
    /// The number of threads, if one was given.
    pub fn threads(&self) -> Option<usize> {
        self.threads.map(|n| n as usize)
    }

    /// The bytes that the process may use, if they were given.
    pub fn memory(&self) -> Option<usize> {
        self.memory.map(|bytes| bytes.0)
    }
}

/// Arguments of `demo`.
#[derive(Debug, Args)]
#[command(after_help = help::DEMO)]
pub struct DemoArgs {
    /// Folder for the files that `xray topics` writes [default: demo-topics; with --json: none]
    #[arg(short, long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub common: CommonArgs,
}

/// Arguments of `topics`.
#[derive(Debug, Clone, Args)]
#[command(after_help = help::TOPICS)]
pub struct TopicsArgs {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub input: InputArgs,
    /// Number of topics, or "fast" for a quick suggestion [default: one that the data support and that is stable]
    #[arg(short = 'k', long = "topics", visible_alias = "rank", value_name = "K")]
    pub rank: Option<TopicNumber>,
    /// Most topics to consider when the number is not given
    #[arg(long, value_name = "K", default_value_t = 40, value_parser = parse::rank)]
    pub max_topics: usize,
    /// Words that one topic begins with; repeat for more topics
    #[arg(long, value_name = "WORD[,WORD...]", action = ArgAction::Append)]
    pub anchor: Vec<String>,
    /// How far these topics stay with their words: from 0 (only a start) to 1 (held)
    #[arg(long, value_name = "S", default_value_t = SeededTopics::STRENGTH, value_parser = parse::strength)]
    pub anchor_strength: f64,
    /// Words that are never anchors and never listed
    #[arg(long, value_name = "WORD[,WORD...]", value_delimiter = ',')]
    pub exclude: Vec<String>,
    /// Words to list for each topic
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub words: usize,
    /// List only one of several forms of a word (film, films)
    #[arg(long)]
    pub distinct: bool,
    /// Also find these numbers of topics, and tell how topics split from one to the next (levels.csv, flows.csv, and
    /// the tree in report.html, which has some numbers of its own choice otherwise)
    #[arg(long, value_name = "K[,K...]", value_delimiter = ',', value_parser = parse::rank)]
    pub levels: Vec<usize>,
    /// Column of dates: also tell the share of each topic in each period (periods.csv and a picture)
    #[arg(long, value_name = "COLUMN")]
    pub time: Option<String>,
    /// How long a period is: day, week, month or year [default: what gives some tens of them]
    #[arg(long, value_name = "PERIOD", requires = "time", value_parser = parse::period)]
    pub period: Option<Period>,
    /// Also list the documents nearest to these, by the topics that they are made of (nearest.csv)
    #[arg(long, value_name = "ID[,ID...]", value_delimiter = ',')]
    pub nearest: Vec<String>,
    /// Also tell what speaks for each topic: its best documents, how its words hang together, how stable it is
    #[arg(long)]
    pub details: bool,
    /// Also draw the map of topics, how they split, and their words, as SVG and PNG
    #[cfg(feature = "pictures")]
    #[arg(long)]
    pub figures: bool,
    /// Leave out report.html, the page with everything, and the numbers of topics that it shows beside
    #[arg(long)]
    pub no_report: bool,
    /// Folder for the files [default with tables: the input's name and "-topics"; with --json: none]
    #[arg(short, long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub output: Option<PathBuf>,
    /// Steps of refinement [default: until it settles, 100 at most, down to 5 for large data]
    #[arg(long, value_name = "N")]
    pub refine: Option<usize>,
    /// End refinement when three steps together improve the fit by less than this part of it [default: 1e-7; with
    /// --refine never]
    #[arg(long, value_name = "T", value_parser = parse::tolerance)]
    pub refine_tolerance: Option<f64>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub text: TextArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub engine: EngineArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub run: RunArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub shards: ShardArgs,
    /// Write documents.parquet instead of documents.csv (numbers of 4 bytes, or 8 with --exact)
    #[cfg(feature = "parquet")]
    #[arg(long, conflicts_with = "shards")]
    pub parquet: bool,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub weights: WeightsArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub common: CommonArgs,
}

impl TopicsArgs {
    /// Whether topics are drawn.
    pub fn figures(&self) -> bool {
        #[cfg(feature = "pictures")]
        return self.figures;
        #[cfg(not(feature = "pictures"))]
        false
    }

    /// Whether documents are written to a Parquet file.
    pub fn parquet(&self) -> bool {
        #[cfg(feature = "parquet")]
        return self.parquet;
        #[cfg(not(feature = "parquet"))]
        false
    }
}

/// Arguments of `factorize`.
#[derive(Debug, Clone, Args)]
#[command(after_help = help::FACTORIZE)]
pub struct FactorizeArgs {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub input: InputArgs,
    /// Number of anchors to find
    #[arg(short = 'r', long, value_name = "R", value_parser = parse::rank)]
    pub rank: usize,
    /// Steps of refinement after the anchors are found
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub refine: usize,
    /// Also tell how far each anchor can be trusted: how often it comes back in ten halves of the rows (about five fits)
    #[arg(long)]
    pub stability: bool,
    /// Folder for model.npz and anchors.csv, or the name of the model file if it ends in .npz
    #[arg(short, long, value_name = "OUT", value_hint = ValueHint::AnyPath)]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub anchors: AnchorArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub engine: EngineArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub run: RunArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub shards: ShardArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub csv: CsvArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub common: CommonArgs,
}

/// Arguments of `transform`.
#[derive(Debug, Args)]
#[command(after_help = help::TRANSFORM)]
pub struct TransformArgs {
    /// A model.npz written by `topics` or `factorize`, or what `unmix` wrote
    #[arg(value_name = "MODEL", value_hint = ValueHint::FilePath)]
    pub model: PathBuf,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub input: InputArgs,
    /// The data's columns are new columns, to be made of the model's anchors
    #[arg(long)]
    pub columns: bool,
    /// Take the data's columns (with --columns its rows) in the order of the model's, whatever they are called
    #[arg(long)]
    pub by_position: bool,
    /// Where to write: .csv, .tsv, .npz, .npy or .mtx [default: CSV on standard output]
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub weights: WeightsArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub common: CommonArgs,
}

impl TransformArgs {
    /// The same for a cube, with the table of its endmembers.
    pub(crate) fn of_cube(&self, endmembers: PathBuf) -> anyhow::Result<UnmixArgs> {
        let [cube] = &self.input.data[..] else {
            let message = "endmembers are applied to one cube: give one file";
            return Err(UsageError(message.into()).into());
        };
        let read = CubeArgs { variable: self.input.variable.clone(), ..CubeArgs::default() };
        Ok(UnmixArgs::known(
            cube.clone(),
            endmembers,
            read,
            self.output.clone(),
            self.common.clone(),
        ))
    }
}

/// Arguments of `rank`.
#[derive(Debug, Args)]
#[command(after_help = help::RANK)]
pub struct RankArgs {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub input: InputArgs,
    /// The largest rank to look at
    #[arg(long, value_name = "R", default_value_t = 40, value_parser = parse::rank)]
    pub max: usize,
    /// Suggest the knee of the residual, without trying ranks on unseen entries and other rows
    #[arg(long)]
    pub fast: bool,
    /// Words of each topic that coherence looks at
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub words: usize,
    /// Leave out rank.html, and the topics of some ranks that it shows
    #[arg(long)]
    pub no_report: bool,
    /// Folder for rank.html, rank.csv, rank.svg and rank.png
    #[arg(short, long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub text: TextArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub engine: EngineArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub csv: CsvArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub common: CommonArgs,
}

/// Arguments of `convert`.
#[derive(Debug, Args)]
#[command(after_help = help::CONVERT)]
pub struct ConvertArgs {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub input: InputArgs,
    /// The file to write
    #[arg(value_name = "OUT", value_hint = ValueHint::FilePath)]
    pub output: PathBuf,
    /// The format to write, where the name does not tell
    #[arg(long, value_name = "FORMAT", value_parser = parse::format)]
    pub to: Option<&'static xray_data::Format>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub text: TextArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub common: CommonArgs,
}

/// Arguments of `completions`.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  xray completions bash > ~/.local/share/bash-completion/completions/xray"
)]
pub struct CompletionsArgs {
    /// The shell
    pub shell: clap_complete::Shell,
}

/// Arguments of `man`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  xray man | man -l -\n  xray man ~/.local/share/man/man1")]
pub struct ManArgs {
    /// Folder for a page for each verb; the main page goes to standard output if absent
    #[arg(value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub folder: Option<PathBuf>,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_definitions_are_consistent() {
        super::Cli::command().debug_assert();
    }
}
