//! How near what was found is to what is known.

use serde::Serialize;
use xray_data::cube::{Cube, Spectra};

use super::assignment::assignment;
use super::{AbundanceBlock, Unmixed};
use crate::error::{Error, Result};

/// Known endmembers, matched to those that were found, and known abundances.
#[derive(Debug, Clone)]
pub struct Truth {
    names: Vec<String>,
    /// The endmember that each known one is matched to, and the angle between them.
    matched: Vec<(usize, f64)>,
    /// For each known one, its abundance in every pixel, line after line.
    abundances: Option<Vec<Vec<f64>>>,
    squares: f64,
    compared: usize,
}

/// What came out.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TruthFacts {
    /// The known endmembers.
    pub names: Vec<String>,
    /// The number of the endmember that each is matched to, counted from 1.
    pub matched: Vec<usize>,
    /// The angles between them, in degrees.
    pub angles: Vec<f64>,
    /// Their mean.
    pub mean_angle: f64,
    /// The root of the mean squared difference of abundances, if they are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub abundance_rmse: Option<f64>,
}

/// The angle between two spectra, in degrees; 90 if one of them is zero.
pub(super) fn angle(a: &[f64], b: &[f64]) -> f64 {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).fold(0.0, |sum, (a, b)| sum + a * b);
    let size = (dot(a, a) * dot(b, b)).sqrt();
    if size > 0.0 { (dot(a, b) / size).clamp(-1.0, 1.0).acos().to_degrees() } else { 90.0 }
}

impl Truth {
    /// Matches what is known to what was found, so that the sum of angles is least.
    ///
    /// # Errors
    /// If the truth has other bands than the cube, or not as many spectra as were found.
    pub fn new(known: Spectra, cube: &Cube, found: &Unmixed) -> Result<Self> {
        let (m, stored) = (cube.bands().len(), cube.n_stored());
        let known_bands = known.n_bands();
        if known_bands != m && known_bands != stored {
            return Err(Error::Mismatch(format!(
                "the truth has {known_bands} bands, {} has {stored} and {m} of them were taken",
                cube.name()
            )));
        }
        let values: Vec<Vec<f64>> = match known_bands == m {
            true => known.values,
            false => {
                let chosen = |s: &Vec<f64>| cube.bands().iter().map(|&b| s[b]).collect();
                known.values.iter().map(chosen).collect()
            }
        };
        if values.len() > found.spectra.len() {
            return Err(Error::Usage(format!(
                "rank = {} is not allowed; the truth has {} endmembers, and each is to be matched",
                found.spectra.len(),
                values.len()
            )));
        }
        let live = |s: &Vec<f64>| found.bands.live.iter().map(|&b| s[b]).collect::<Vec<f64>>();
        let costs: Vec<Vec<f64>> = values
            .iter()
            .map(|known| found.spectra.iter().map(|s| angle(&live(known), &live(s))).collect())
            .collect();
        let places = assignment(&costs);
        let matched =
            places.iter().enumerate().map(|(k, &place)| (place, costs[k][place])).collect();
        let abundances = by_lines(known.abundances, cube)?;
        Ok(Self { names: known.names, matched, abundances, squares: 0.0, compared: 0 })
    }

    /// Takes the abundances of some lines.
    pub fn compare(&mut self, block: &AbundanceBlock<'_>) {
        let Some(known) = &self.abundances else { return };
        for pixel in block.pixels() {
            for (known, &(place, _)) in known.iter().zip(&self.matched) {
                self.squares += (known[pixel.number] - pixel.abundances[place]).powi(2);
            }
            self.compared += self.matched.len();
        }
    }

    /// What came out.
    pub fn facts(&self) -> TruthFacts {
        let angles: Vec<f64> = self.matched.iter().map(|&(_, angle)| angle).collect();
        let mean_angle = angles.iter().sum::<f64>() / angles.len().max(1) as f64;
        TruthFacts {
            names: self.names.clone(),
            matched: self.matched.iter().map(|&(place, _)| place + 1).collect(),
            angles,
            mean_angle,
            abundance_rmse: (self.compared > 0)
                .then(|| (self.squares / self.compared as f64).sqrt()),
        }
    }
}

/// Abundances in the order of lines; MATLAB's pixels go down the columns.
fn by_lines(known: Option<Vec<Vec<f64>>>, cube: &Cube) -> Result<Option<Vec<Vec<f64>>>> {
    let Some(known) = known else { return Ok(None) };
    let (rows, columns) = (cube.rows(), cube.columns());
    let count = known.first().map_or(0, Vec::len);
    if count != rows * columns {
        return Err(Error::Mismatch(format!(
            "the truth has abundances of {count} pixels, {} has {rows} x {columns}",
            cube.name()
        )));
    }
    let place = |j: usize| if cube.is_image() { j % columns * rows + j / columns } else { j };
    Ok(Some(known.iter().map(|map| (0..count).map(|j| map[place(j)]).collect()).collect()))
}
