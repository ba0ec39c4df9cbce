//! Which spectra of a library are nearest.

use serde::Serialize;
use xray_data::cube::{Cube, Spectra};

use super::Unmixed;
use super::truth::angle;
use crate::error::{Error, Result};

/// Spectra that are told for each endmember.
const NEAREST: usize = 3;

/// A spectrum of a library, and how near it is.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NearSpectrum {
    /// What it is called.
    pub name: String,
    /// The angle to it, in degrees.
    pub angle: f64,
}

/// The nearest spectra of a library for each endmember, nearest first.
///
/// # Errors
/// If its bands cannot be brought to those of the cube.
pub fn nearest_spectra(
    library: &Spectra,
    cube: &Cube,
    found: &Unmixed,
) -> Result<Vec<Vec<NearSpectrum>>> {
    let library = resampled(library, cube)?;
    let live = |s: &Vec<f64>| found.bands.live.iter().map(|&b| s[b]).collect::<Vec<f64>>();
    let known: Vec<(String, Vec<f64>)> =
        library.names.iter().cloned().zip(library.values.iter().map(live)).collect();
    let nearest = |spectrum: &Vec<f64>| {
        let own = live(spectrum);
        let mut near: Vec<NearSpectrum> = known
            .iter()
            .map(|(name, values)| NearSpectrum { name: name.clone(), angle: angle(&own, values) })
            .collect();
        near.sort_by(|a, b| a.angle.total_cmp(&b.angle));
        near.truncate(NEAREST);
        near
    };
    Ok(found.spectra.iter().map(nearest).collect())
}

/// Spectra at the bands of a cube: by the numbers of bands, between wavelengths, or as they are where there are as many.
///
/// # Errors
/// If none of this can be done.
pub fn resampled(spectra: &Spectra, cube: &Cube) -> Result<Spectra> {
    let (bands, stored) = (cube.bands(), cube.n_stored());
    let at = |values: Vec<Vec<f64>>| Spectra { values, abundances: None, ..spectra.clone() };
    if let (Some(axis), true) = (&spectra.axis, spectra.is_numbered) {
        // As many bands as another cube has are those of another instrument.
        if let Some(beyond) = axis.iter().find(|&&number| number > stored as f64) {
            return Err(Error::Mismatch(format!(
                "the spectra have a band {beyond}, {} has {stored}; wavelengths on both sides would bring them together",
                cube.name()
            )));
        }
        let place = |band: usize| axis.iter().position(|&number| number == (band + 1) as f64);
        let places: Option<Vec<usize>> = bands.iter().map(|&band| place(band)).collect();
        if let Some(places) = places {
            let chosen = |s: &Vec<f64>| places.iter().map(|&p| s[p]).collect();
            return Ok(at(spectra.values.iter().map(chosen).collect()));
        }
    } else if let (Some(axis), Some(wanted)) = (&spectra.axis, cube.wavelengths()) {
        if let Some(values) = spectra.values.iter().map(|s| between(axis, s, &wanted)).collect() {
            return Ok(at(values));
        }
        return Err(Error::Mismatch(format!(
            "the spectra reach from {} to {}, {} from {} to {}; check the units, or choose bands with --bands",
            least(axis),
            most(axis),
            cube.name(),
            least(&wanted),
            most(&wanted)
        )));
    }
    match spectra.n_bands() {
        n if n == bands.len() => Ok(at(spectra.values.clone())),
        n if n == stored => {
            let chosen = |s: &Vec<f64>| bands.iter().map(|&b| s[b]).collect();
            Ok(at(spectra.values.iter().map(chosen).collect()))
        }
        n => Err(Error::Mismatch(format!(
            "the spectra have {n} bands, {} has {stored} and {} of them were taken; wavelengths on both sides would \
             bring them together",
            cube.name(),
            bands.len()
        ))),
    }
}

/// Whether only the spectra or only the cube tell wavelengths, so that bands are brought together by their order.
pub fn has_wavelengths_on_one_side(spectra: &Spectra, cube: &Cube) -> bool {
    !spectra.is_numbered && spectra.axis.is_some() != cube.wavelengths().is_some()
}

fn least(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}

fn most(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

/// Values between those of an axis, by straight lines; none if one is outside.
fn between(axis: &[f64], values: &[f64], wanted: &[f64]) -> Option<Vec<f64>> {
    let mut known: Vec<(f64, f64)> = axis.iter().copied().zip(values.iter().copied()).collect();
    known.sort_by(|a, b| a.0.total_cmp(&b.0));
    let at = |&x: &f64| {
        let after = known.iter().position(|(place, _)| *place >= x)?;
        let (b, vb) = known[after];
        if b == x {
            return Some(vb);
        }
        let (a, va) = *known.get(after.checked_sub(1)?)?;
        Some(va + (vb - va) * (x - a) / (b - a))
    };
    wanted.iter().map(at).collect()
}
