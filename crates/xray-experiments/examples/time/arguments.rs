//! What to time.

use std::path::PathBuf;

use clap::{Args, Parser, ValueEnum};
use xray_nmf::synth::Collection;
use xray_nmf::{Engine, Params, Selection};

/// Times fits, and checks their answers. Prints a JSON object for each.
#[derive(Debug, Parser)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) data: Data,
    /// Part of the corpus's size
    #[arg(long, default_value_t = 1.0)]
    pub(crate) scale: f64,
    /// Number of anchors
    #[arg(long, default_value_t = 100)]
    pub(crate) rank: usize,
    /// Rule of XRAY
    #[arg(long, default_value = "greedy")]
    pub(crate) selection: Selection,
    /// Score every column in every step
    #[arg(long)]
    pub(crate) direct: bool,
    /// Start with the mean column
    #[arg(long)]
    pub(crate) mean_ray: bool,
    /// Worker threads [default: all cores]
    #[arg(long)]
    pub(crate) threads: Option<usize>,
    /// Bytes for cached products
    #[arg(long)]
    pub(crate) memory: Option<usize>,
    /// Fits to time
    #[arg(long, default_value_t = 1)]
    pub(crate) repeat: usize,
    /// Steps of HALS after each fit, timed apart
    #[arg(long, default_value_t = 0)]
    pub(crate) refine: usize,
    /// What to time
    #[arg(long, value_enum, default_value_t = Method::Xray)]
    pub(crate) method: Method,
    /// Passes of Hottopixx
    #[arg(long, default_value_t = 50)]
    pub(crate) epochs: usize,
    /// Fit with both engines, on 1 and on 2 threads, and fail unless all bits agree
    #[arg(long)]
    pub(crate) same: bool,
    /// Show the steps of a fit on standard error
    #[arg(long)]
    pub(crate) verbose: bool,
}

/// Where the matrix comes from.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub(crate) struct Data {
    /// A matrix in any format that the program reads
    #[arg(long)]
    pub(crate) file: Option<PathBuf>,
    /// A drawn corpus with the shape of one of the paper's
    #[arg(long)]
    pub(crate) corpus: Option<Collection>,
    /// A drawn hyperspectral cube in single precision, such as 200x10000
    #[arg(long, value_name = "BANDSxPIXELS", value_parser = size)]
    pub(crate) dense: Option<(usize, usize)>,
}

/// Whose time is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Method {
    Xray,
    Spa,
    /// With its coefficients in single precision
    Hottopixx,
}

impl Arguments {
    /// The parameters of a fit.
    pub(crate) fn params(&self) -> Params {
        Params {
            selection: self.selection,
            engine: if self.direct { Engine::Direct } else { Engine::Lazy },
            mean_ray: self.mean_ray,
            ..Params::new(self.rank)
        }
    }
}

fn size(text: &str) -> Result<(usize, usize), String> {
    let number = |text: &str| text.parse::<usize>().ok().filter(|&number| number > 0);
    let sides = text.split_once('x').and_then(|(m, n)| Some((number(m)?, number(n)?)));
    sides.ok_or_else(|| "write it as BANDSxPIXELS, such as 200x10000".to_owned())
}
