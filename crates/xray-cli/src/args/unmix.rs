//! What `unmix` understands.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use xray_data::cube::{BandRanges, CubeOptions, ImageShape};
use xray_nmf::unmix::AbundanceRule;
use xray_pipeline::unmix::UnmixMethod;

use super::parse::{choice, positive, rank};
use super::{CommonArgs, CsvArgs};

const UNMIX_HELP: &str = "\
Examples:
  xray unmix scene.hdr                                 as many as data suggest
  xray unmix samson_1.mat -r 3 -o samson/ --truth Samson_GT.mat
  xray unmix cube.npy -r 5 --bands 5-103,109-149 --mask land.npy
  xray unmix pixels.mat --variable X --shape 512x217 -r 6
  xray unmix scene.img -r 8 --library minerals.sli     like which materials?
  xray unmix later.hdr --endmembers scene-unmixed/endmembers.csv

Writes report.html (maps, spectra and every pixel, for a browser), endmembers.csv, abundances.npy (rows x \
columns x endmembers), abundances.hdr and .img (ENVI, with map info), maps.png, endmembers.svg and .png, and \
unmix.json with everything else. Cubes larger than memory are read in passes.";

/// Arguments of `unmix`.
#[derive(Debug, Clone, Args)]
#[command(after_help = UNMIX_HELP)]
pub struct UnmixArgs {
    /// A cube: an ENVI header or the file beside it, .npy, or .mat (version 5 to 7.2)
    #[arg(value_name = "CUBE", value_hint = ValueHint::FilePath)]
    pub cube: PathBuf,
    /// Number of endmembers [default: one that the data suggest]
    #[arg(short = 'r', long, value_name = "R", value_parser = rank)]
    pub rank: Option<usize>,
    /// How endmembers are found
    #[arg(long, value_name = "METHOD", default_value_t, value_parser = choice::<UnmixMethod>())]
    pub method: UnmixMethod,
    /// Endmembers that are known, as `unmix` writes them: only abundances are sought
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with_all = ["rank", "method"])]
    pub endmembers: Option<PathBuf>,
    /// Abundances that sum to 1 while they are fitted, instead of being scaled to it: without light and shade
    #[arg(long, conflicts_with = "nnls")]
    pub sum_to_one: bool,
    /// Abundances as least squares gives them, not scaled to sum 1
    #[arg(long)]
    pub nnls: bool,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub read: CubeArgs,
    /// Known endmembers to compare with: a .mat file with M (and A), or a table
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub truth: Option<PathBuf>,
    /// A spectral library (.sli with its .hdr, or a table): tells its nearest spectra for each endmember
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub library: Option<PathBuf>,
    /// Leave out report.html, the page with everything
    #[arg(long)]
    pub no_report: bool,
    /// Folder for the files [default with tables: the cube's name and "-unmixed"; with --json: none]
    #[arg(short, long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub csv: CsvArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub common: CommonArgs,
}

/// How the cube is read.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Cube")]
pub struct CubeArgs {
    /// Array of a .mat file [default: the largest]
    #[arg(long, value_name = "NAME")]
    pub variable: Option<String>,
    /// Rows and columns of the image, where the file has a list of pixels [default: nRow and nCol of a .mat file]
    #[arg(long, value_name = "ROWSxCOLUMNS")]
    pub shape: Option<ImageShape>,
    /// Bands to take, counted from 1, as in 5-103,109-149 [default: all that the header does not call bad]
    #[arg(long, value_name = "BANDS")]
    pub bands: Option<BandRanges>,
    /// An image of the same size: pixels where it is 0 are left out
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub mask: Option<PathBuf>,
    /// What values are divided by, as in 10000 for reflectance in whole numbers [default: what the header says, or 1]
    #[arg(long, value_name = "S", value_parser = positive)]
    pub scale: Option<f64>,
}

impl UnmixArgs {
    /// Abundances of known endmembers, as they are by default.
    pub(crate) fn known(
        cube: PathBuf,
        endmembers: PathBuf,
        read: CubeArgs,
        output: Option<PathBuf>,
        common: CommonArgs,
    ) -> Self {
        Self {
            cube,
            rank: None,
            method: UnmixMethod::default(),
            endmembers: Some(endmembers),
            sum_to_one: false,
            nnls: false,
            read,
            truth: None,
            library: None,
            no_report: true,
            output,
            csv: CsvArgs::default(),
            common,
        }
    }

    /// What abundances are to be.
    pub fn rule(&self) -> AbundanceRule {
        match (self.sum_to_one, self.nnls) {
            (true, _) => AbundanceRule::SumToOne,
            (_, true) => AbundanceRule::Nnls,
            _ => AbundanceRule::Scaled,
        }
    }

    /// Where files go, if anywhere.
    pub fn folder(&self) -> Option<PathBuf> {
        match &self.output {
            Some(folder) => Some(folder.clone()),
            None if self.common.json => None,
            None => {
                let stem = self.cube.file_stem().unwrap_or_default().to_string_lossy();
                Some(PathBuf::from(format!("{stem}-unmixed")))
            }
        }
    }

    /// Files that are read beside the cube.
    pub fn side_files(&self) -> Vec<PathBuf> {
        let files = [&self.endmembers, &self.read.mask, &self.truth, &self.library];
        files.into_iter().flatten().cloned().collect()
    }
}

impl CubeArgs {
    /// The options of the reader.
    pub fn options(&self) -> CubeOptions {
        CubeOptions {
            variable: self.variable.clone(),
            shape: self.shape,
            bands: self.bands.clone(),
            scale: self.scale,
            ..CubeOptions::default()
        }
    }
}
