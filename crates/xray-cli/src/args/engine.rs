//! How anchors are found.

use clap::{Args, ValueEnum};
use xray_nmf::{Engine, Normalize, Params, Refinement, Selection, Solver};

use super::CommonArgs;

/// Rule, engine and solver.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Method")]
pub struct EngineArgs {
    /// Rule for the next anchor: rand, max, dist, greedy, agg or joint
    /// [default: greedy for text, max otherwise]
    #[arg(long, value_name = "RULE", value_parser = selection)]
    pub selection: Option<Selection>,
    /// Certified bounds, or every score in every step; the anchors are the same
    #[arg(long, value_name = "KIND", default_value = "lazy")]
    pub engine: EngineChoice,
    /// Exact projection, or the paper's coordinate descent
    #[arg(long, value_name = "KIND", default_value = "active-set")]
    pub solver: SolverChoice,
    /// Start with the mean column (never returned): more robust to noise
    #[arg(long)]
    pub mean_ray: bool,
    /// Keep negative entries instead of refusing them
    #[arg(long)]
    pub allow_negative: bool,
    /// Scale columns before anchors are chosen
    #[arg(long, value_name = "NORM", default_value = "none")]
    pub normalize: NormalizeChoice,
    /// A column is explained if this part of its length, or less, is left
    #[arg(long, value_name = "SHARE", default_value_t = 1e-6)]
    pub tolerance: f64,
    /// Stop when an anchor lowers the relative residual by less
    #[arg(long, value_name = "SHARE", default_value_t = 0.0)]
    pub min_improvement: f64,
    /// How refinement is done: exact, hals or kullback-leibler [default: hals]
    #[arg(long, value_name = "KIND", value_parser = refinement)]
    pub refine_method: Option<Refinement>,
}

#[allow(missing_docs)] // The names say it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum EngineChoice {
    Lazy,
    Direct,
}

#[allow(missing_docs)] // The names say it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SolverChoice {
    ActiveSet,
    Cd,
}

#[allow(missing_docs)] // The names say it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum NormalizeChoice {
    None,
    L1,
    L2,
}

impl EngineArgs {
    /// The parameters of a fit; `default` is the rule if none was given.
    pub fn params(&self, rank: usize, default: Selection, common: &CommonArgs) -> Params {
        Params {
            selection: self.selection.unwrap_or(default),
            engine: match self.engine {
                EngineChoice::Lazy => Engine::Lazy,
                EngineChoice::Direct => Engine::Direct,
            },
            solver: match self.solver {
                SolverChoice::ActiveSet => Solver::ActiveSet,
                SolverChoice::Cd => Solver::coordinate_descent(),
            },
            normalize: match self.normalize {
                NormalizeChoice::None => Normalize::None,
                NormalizeChoice::L1 => Normalize::L1,
                NormalizeChoice::L2 => Normalize::L2,
            },
            mean_ray: self.mean_ray,
            allow_negative: self.allow_negative,
            tolerance: self.tolerance,
            min_improvement: self.min_improvement,
            seed: common.seed,
            threads: common.threads(),
            memory: common.memory.map(|bytes| bytes.0),
            ..Params::new(rank)
        }
    }
}

/// Which columns may be anchors.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Anchors")]
pub struct AnchorArgs {
    /// Columns taken as the first anchors: names, or positions counted from 0
    #[arg(long, value_name = "COLUMN[,COLUMN...]", value_delimiter = ',')]
    pub fixed: Vec<String>,
    /// Columns that are never anchors
    #[arg(long, value_name = "COLUMN[,COLUMN...]", value_delimiter = ',')]
    pub excluded: Vec<String>,
    /// The only columns that may be anchors
    #[arg(long, value_name = "COLUMN[,COLUMN...]", value_delimiter = ',')]
    pub candidates: Vec<String>,
}

fn selection(text: &str) -> Result<Selection, String> {
    text.parse().map_err(|_| "use rand, max, dist, greedy, agg or joint".to_owned())
}

fn refinement(text: &str) -> Result<Refinement, String> {
    text.parse().map_err(|_| "use exact, hals or kullback-leibler".to_owned())
}
