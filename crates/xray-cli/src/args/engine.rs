//! How anchors are found.

use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};
use xray_data::text::DocumentFrequency;
use xray_data::{Input, LoadOptions, read_names};
use xray_nmf::{Engine, Normalize, Params, Refinement, Selection, Solver};
use xray_pipeline::Work;

use super::CommonArgs;
use super::parse::choice;
use super::text::frequency;

/// Rule, engine and solver.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Method")]
pub struct EngineArgs {
    /// Rule for the next anchor [default: greedy for text and sparse data, max for dense]
    #[arg(long, value_name = "RULE", value_parser = choice::<Selection>())]
    pub selection: Option<Selection>,
    /// Certified bounds, or every score in every step; the anchors are the same
    #[arg(long, value_name = "KIND", default_value_t, value_parser = choice::<Engine>())]
    pub engine: Engine,
    /// Exact projection, or the paper's coordinate descent
    #[arg(long, value_name = "KIND", default_value_t, value_parser = choice::<Solver>())]
    pub solver: Solver,
    /// Start with the mean column (never returned): more robust to noise
    #[arg(long)]
    pub mean_ray: bool,
    /// Seek anchors above the noise: estimates it, and looks where it is even if it can; decides the rule by itself
    #[arg(long, conflicts_with_all = ["selection", "mean_ray", "normalize"])]
    pub robust: bool,
    /// The share of columns that may be something else: drops anchors that explain only themselves. Without outliers it costs
    /// good ones
    #[arg(
        long,
        value_name = "SHARE",
        default_value_t = 0.0,
        requires = "robust",
        allow_negative_numbers = true
    )]
    pub outliers: f64,
    /// Keep negative entries instead of refusing them
    #[arg(long)]
    pub allow_negative: bool,
    /// Scale columns before anchors are chosen
    #[arg(long, value_name = "NORM", default_value_t, value_parser = choice::<Normalize>())]
    pub normalize: Normalize,
    /// A column is explained if this part of its length, or less, is left
    #[arg(long, value_name = "SHARE", default_value_t = 1e-6, allow_negative_numbers = true)]
    pub tolerance: f64,
    /// Stop when an anchor lowers the relative residual by less
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, allow_negative_numbers = true)]
    pub min_improvement: f64,
    /// Only columns with entries in so many rows (words in so many documents) may be anchors: a number, or a share such as
    /// 0.01; rarer ones stay in the data [default: for texts and counts of 200 documents or more the root of their number,
    /// with the rules max, dist, agg and joint; else 1]
    #[arg(long, value_name = "N|SHARE", value_parser = frequency)]
    pub anchor_min_df: Option<DocumentFrequency>,
    /// The vector p of the rules: a file with a positive number a line, for each row of the data [default: ones]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub row_weights: Option<PathBuf>,
    /// How refinement is done [default: hals for topics, auto for factorize]
    #[arg(long, value_name = "KIND", value_parser = choice::<Refinement>())]
    pub refine_method: Option<Refinement>,
}

impl EngineArgs {
    /// The parameters of a fit; `default` is the rule if none was given.
    ///
    /// # Errors
    /// If the file of row weights cannot be read.
    pub fn params(
        &self,
        rank: usize,
        default: Selection,
        common: &CommonArgs,
    ) -> anyhow::Result<Params> {
        // A robust fit looks as dist does.
        let default = if self.robust { Selection::Dist } else { default };
        Ok(Params {
            selection: self.selection.unwrap_or(default),
            engine: self.engine,
            solver: self.solver,
            normalize: self.normalize,
            mean_ray: self.mean_ray,
            robust: self.robust,
            outliers: self.outliers,
            allow_negative: self.allow_negative,
            tolerance: self.tolerance,
            min_improvement: self.min_improvement,
            seed: common.seed,
            row_weights: self.row_weights.as_deref().map(read_weights).transpose()?,
            ..Params::new(rank)
        })
    }

    /// What the search does with the data, for a forecast of its memory.
    pub(crate) fn work(&self) -> Work {
        let normalizes = self.normalize != Normalize::None;
        Work { normalizes, robust: self.robust, ..Work::default() }
    }

    /// Which columns may be anchors.
    pub fn anchor_min_df(&self) -> DocumentFrequency {
        self.anchor_min_df.unwrap_or(DocumentFrequency::Automatic)
    }
}

/// A number a line; the engine looks whether they are positive, and as many as rows.
fn read_weights(path: &Path) -> anyhow::Result<Vec<f64>> {
    let lines = read_names(&Input::Path(path.to_owned()), &LoadOptions::default())?;
    let number = |(k, line): (usize, &String)| {
        line.trim().parse::<f64>().map_err(|_| {
            anyhow::anyhow!(
                "{}, line {}: found {line:?}, expected a positive number for each row of the data, one a line",
                path.display(),
                k + 1
            )
        })
    };
    lines.iter().enumerate().map(number).collect()
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
