//! Endmembers that are single pixels, by methods that need all of them at once.

use std::ops::ControlFlow;

use xray_data::Budget;
use xray_nmf::rivals::{NfindrParams, SpaParams, VcaParams, nfindr, spa, vca};
use xray_nmf::{DenseMatrix, Normalize, Params, Selection, fit};

use super::image::{Image, stopped};
use super::{Found, UnmixMethod};
use crate::error::{Error, Result};
use crate::watch::{Event, Progress, Stage};

/// The spectra of the chosen pixels, and which they are.
pub(super) fn single_pixels(
    image: &mut Image<'_>,
    method: UnmixMethod,
    count: usize,
    seed: u64,
    progress: &mut dyn Progress,
) -> Result<Found> {
    let (m, n) = (image.n_bands(), image.n_used());
    let mut claim = Budget::of_process().claim(image.name());
    claim.take(8 * (m * n) as u64)?;
    let mut values = Vec::with_capacity(m * n);
    image.pass(Stage::Coordinates, progress, |_, pixels, used| {
        let chosen = pixels.chunks_exact(m).zip(used).filter(|(_, used)| **used);
        chosen.for_each(|(pixel, _)| values.extend_from_slice(pixel));
        Ok(())
    })?;
    let x = DenseMatrix::from_column_major(m, n, values)?;
    stopped(progress.tell(Event::Begin(Stage::Endmembers, 1)))?;
    let chosen = match method {
        UnmixMethod::Xray | UnmixMethod::Unmix => {
            let params =
                Params { selection: Selection::Max, allow_negative: true, ..Params::new(count) };
            fit(&x, &params)?.anchors()
        }
        UnmixMethod::Spa => {
            let raw = SpaParams { normalize: Normalize::None, ..SpaParams::new(count) };
            spa(&x, &raw)?.anchors
        }
        UnmixMethod::Vca => vca(&x, &VcaParams { seed, ..VcaParams::new(count) })?.anchors,
        UnmixMethod::Nfindr => nfindr(&x, &NfindrParams::new(count))?.anchors,
    };
    if progress.tell(Event::Advance) == ControlFlow::Break(()) {
        return Err(Error::Fit(xray_nmf::Error::Stopped));
    }
    let places: Vec<usize> = image
        .used()
        .iter()
        .enumerate()
        .filter(|(_, used)| **used)
        .map(|(place, _)| place)
        .collect();
    let column = |&j: &usize| xray_nmf::Matrix::column(&x, j).to_dense(m);
    let spectra = chosen.iter().map(column).collect();
    Ok((spectra, chosen.iter().map(|&j| vec![places[j]]).collect()))
}
