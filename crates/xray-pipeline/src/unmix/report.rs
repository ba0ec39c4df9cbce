//! What is told of an unmixed cube.

use serde::Serialize;
use xray_data::cube::Cube;
use xray_data::{Cells, csv_text};
use xray_nmf::unmix::{AbundanceRule, LARGEST_NUMBER};
use xray_report::{Cell, Column, Table};

use super::{AbundanceFit, NearSpectrum, TruthFacts, UnmixMethod, Unmixed};

/// Member pixels that are listed for each endmember.
const LISTED: usize = 1_000;

/// Everything that was found, but for the abundances of each pixel.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct UnmixReport {
    /// The cube, as it was given.
    pub cube: String,
    /// Lines of the image.
    pub rows: usize,
    /// Pixels of a line.
    pub columns: usize,
    /// Pixels that were looked at.
    pub pixels: usize,
    /// Whether pixels were averaged with their neighbours.
    pub is_image: bool,
    /// What values were divided by.
    pub scale: f64,
    /// What is known of the bands.
    pub bands: BandFacts,
    /// How endmembers were found; none if they were given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<UnmixMethod>,
    /// What abundances are.
    pub abundances: AbundanceRule,
    /// How the number came about, if it was not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<NumberFacts>,
    /// `||X - WH|| / ||X||` over live bands, before abundances are scaled.
    pub residual: f64,
    /// The endmembers.
    pub endmembers: Vec<EndmemberFacts>,
    /// How near they are to the truth.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub truth: Option<TruthFacts>,
}

/// What is known of the bands; they are counted from 1, as they are stored.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BandFacts {
    /// Bands of the file.
    pub stored: usize,
    /// Bands that were taken.
    pub taken: Vec<usize>,
    /// Wavelengths of those.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wavelengths: Option<Vec<f64>>,
    /// In what wavelengths are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wavelength_units: Option<String>,
    /// Taken bands without light: they count for nothing, and are zero in every spectrum.
    pub dead: Vec<usize>,
    /// Taken bands that are far noisier than the median: they count for less.
    pub noisy: Vec<usize>,
}

/// How the number of endmembers came about.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NumberFacts {
    /// The number.
    pub number: usize,
    /// The largest number that was looked at.
    pub limit: usize,
    /// The part of the data that the first 1, 2, .. anchors leave unexplained.
    pub path: Vec<f64>,
}

/// One endmember.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EndmemberFacts {
    /// Its spectrum over the taken bands.
    pub spectrum: Vec<f64>,
    /// The mean of its abundances.
    pub share: f64,
    /// How many pixels it was made of.
    pub n_members: usize,
    /// The best of them: row and column, counted from 1.
    pub members: Vec<[usize; 2]>,
    /// The nearest spectra of the library.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nearest: Vec<NearSpectrum>,
}

impl UnmixReport {
    /// The report of what was found.
    pub fn new(
        cube: &Cube,
        found: &Unmixed,
        (method, rule): (Option<UnmixMethod>, AbundanceRule),
        fit: &AbundanceFit,
    ) -> Self {
        let columns = cube.columns();
        let endmember = |k: usize| {
            let members = &found.members[k];
            let place = |&j: &usize| [j / columns + 1, j % columns + 1];
            EndmemberFacts {
                spectrum: found.spectra[k].clone(),
                share: fit.shares[k],
                n_members: members.len(),
                members: members.iter().take(LISTED).map(place).collect(),
                nearest: Vec::new(),
            }
        };
        let suggestion = found.path.as_ref().map(|path| NumberFacts {
            number: found.spectra.len(),
            limit: LARGEST_NUMBER,
            path: path.clone(),
        });
        Self {
            cube: cube.name().to_owned(),
            rows: cube.rows(),
            columns,
            pixels: found.used.iter().filter(|used| **used).count(),
            is_image: cube.is_image(),
            scale: cube.scale(),
            bands: BandFacts::new(cube, found),
            method,
            abundances: rule,
            suggestion,
            residual: fit.residual,
            endmembers: (0..found.spectra.len()).map(endmember).collect(),
            truth: None,
        }
    }
}

impl BandFacts {
    fn new(cube: &Cube, found: &Unmixed) -> Self {
        let number = |&place: &usize| cube.bands()[place] + 1;
        let dead = (0..cube.bands().len()).filter(|place| !found.bands.live.contains(place));
        Self {
            stored: cube.n_stored(),
            taken: cube.bands().iter().map(|band| band + 1).collect(),
            wavelengths: cube.wavelengths(),
            wavelength_units: cube.about().wavelength_units.clone(),
            dead: dead.map(|place| number(&place)).collect(),
            noisy: found.bands.tamed().iter().map(number).collect(),
        }
    }
}

/// What the first column of a table of endmembers may be called.
pub const AXES: [&str; 2] = ["wavelength", "band"];

/// A row for each band: its wavelength, or its number if that is not known, and the value of each endmember.
pub fn endmembers_csv(report: &UnmixReport, cells: Cells) -> String {
    let [wavelength, band] = AXES;
    let axis = match &report.bands.wavelengths {
        Some(wavelengths) => (wavelength, wavelengths.iter().map(f64::to_string).collect()),
        None => (band, report.bands.taken.iter().map(usize::to_string).collect::<Vec<String>>()),
    };
    let names: Vec<String> =
        (1..=report.endmembers.len()).map(|k| format!("endmember_{k}")).collect();
    let header = [axis.0.to_owned()].into_iter().chain(names).collect::<Vec<String>>();
    let row = |(b, place): (usize, String)| {
        let values = report.endmembers.iter().map(|endmember| endmember.spectrum[b].to_string());
        [place].into_iter().chain(values).collect::<Vec<String>>()
    };
    let rows: Vec<Vec<String>> =
        [header].into_iter().chain(axis.1.into_iter().enumerate().map(row)).collect();
    csv_text(cells, rows.iter().map(|row| row.iter().map(String::as_str).collect()))
}

/// A row for each endmember.
pub fn endmembers_table(report: &UnmixReport) -> Table {
    let has_library = report.endmembers.iter().any(|endmember| !endmember.nearest.is_empty());
    let mut columns = vec![
        Column::right("endmember"),
        Column::right("share"),
        Column::right("pixels"),
        Column::right("best at"),
    ];
    if report.truth.is_some() {
        columns.extend([Column::left("truth"), Column::right("angle")]);
    }
    if has_library {
        columns.push(Column::left("nearest"));
    }
    let mut table = Table::new(columns);
    for (k, endmember) in report.endmembers.iter().enumerate() {
        let best = endmember
            .members
            .first()
            .map_or(String::new(), |[row, column]| format!("{row}, {column}"));
        let mut cells = vec![
            Cell::from((k + 1).to_string()),
            Cell::percent(endmember.share, 1),
            Cell::count(endmember.n_members as u64),
            Cell::from(best),
        ];
        if let Some(truth) = &report.truth {
            match truth.matched.iter().position(|&matched| matched == k + 1) {
                Some(known) => cells.extend([
                    Cell::from(truth.names[known].as_str()),
                    Cell::fixed(truth.angles[known], 2),
                ]),
                None => cells.extend([Cell::missing(), Cell::missing()]),
            }
        }
        if has_library {
            let near =
                endmember.nearest.iter().map(|near| format!("{} ({:.1}°)", near.name, near.angle));
            cells.push(Cell::from(near.collect::<Vec<_>>().join(", ")));
        }
        table.row(cells);
    }
    table
}
