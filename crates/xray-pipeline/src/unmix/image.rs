//! A cube as it passes: blocks of lines, and which pixels are looked at.

use std::ops::{ControlFlow, Range};

use xray_data::cube::Cube;
use xray_data::{Budget, Claim};

use crate::error::{Error, Result};
use crate::watch::{Event, Progress, Stage};

/// Numbers of a block of lines, about.
const BLOCK: usize = 1 << 20;
/// Bytes that a number of a block takes: as it is stored, as it was read, and among those of its pixel, twice.
const BYTES_OF_NUMBER: u64 = 32;

/// A cube and its pixels that are looked at.
pub(super) struct Image<'a> {
    cube: &'a mut Cube,
    used: Vec<bool>,
    lines_at_once: usize,
    /// The memory of a block: a line may be long.
    _claim: Claim,
}

/// The work ends here if somebody has asked for it.
pub(super) fn stopped(flow: ControlFlow<()>) -> Result<()> {
    match flow {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(Error::Fit(xray_nmf::Error::Stopped)),
    }
}

impl<'a> Image<'a> {
    /// The pixels of a mask, or all.
    pub(super) fn new(cube: &'a mut Cube, mask: Option<&[bool]>) -> Result<Self> {
        let n = cube.rows() * cube.columns();
        let used = mask.map_or_else(|| vec![true; n], <[bool]>::to_vec);
        if used.len() != n {
            let (name, found) = (cube.name(), used.len());
            return Err(Error::Usage(format!(
                "mask = {found} pixels is not allowed; {name} has {n}"
            )));
        }
        let lines_at_once = (BLOCK / (cube.columns() * cube.bands().len())).clamp(1, cube.rows());
        let mut claim = Budget::of_process().claim(cube.name());
        claim.take(BYTES_OF_NUMBER * (lines_at_once * cube.columns() * cube.n_stored()) as u64)?;
        Ok(Self { cube, used, lines_at_once, _claim: claim })
    }

    pub(super) fn name(&self) -> &str {
        self.cube.name()
    }

    pub(super) fn n_bands(&self) -> usize {
        self.cube.bands().len()
    }

    pub(super) fn n_pixels(&self) -> usize {
        self.used.len()
    }

    pub(super) fn columns(&self) -> usize {
        self.cube.columns()
    }

    pub(super) fn is_image(&self) -> bool {
        self.cube.is_image()
    }

    pub(super) fn n_used(&self) -> usize {
        self.used.iter().filter(|used| **used).count()
    }

    pub(super) fn used(&self) -> &[bool] {
        &self.used
    }

    pub(super) fn into_used(self) -> Vec<bool> {
        self.used
    }

    /// All lines, block after block: `visit(lines, pixels, used)`.
    pub(super) fn pass(
        &mut self,
        stage: Stage,
        progress: &mut dyn Progress,
        mut visit: impl FnMut(Range<usize>, &[f64], &[bool]) -> Result<()>,
    ) -> Result<()> {
        let (rows, columns) = (self.cube.rows(), self.cube.columns());
        stopped(progress.tell(Event::Begin(stage, rows.div_ceil(self.lines_at_once))))?;
        let mut pixels = Vec::new();
        for first in (0..rows).step_by(self.lines_at_once) {
            let lines = first..(first + self.lines_at_once).min(rows);
            self.cube.read_lines(lines.clone(), &mut pixels)?;
            let used = &self.used[lines.start * columns..lines.end * columns];
            visit(lines, &pixels, used)?;
            stopped(progress.tell(Event::Advance))?;
        }
        Ok(())
    }

    /// The first pass: leaves out pixels without data, and refuses numbers that cannot be computed with.
    pub(super) fn look(
        &mut self,
        progress: &mut dyn Progress,
        mut visit: impl FnMut(&[f64], &[bool]),
    ) -> Result<()> {
        let (columns, bands) = (self.cube.columns(), self.cube.bands().to_vec());
        let name = self.cube.name().to_owned();
        let ignored = self.cube.about().ignored.map(|value| value / self.cube.scale());
        let mut all = self.used.clone();
        self.pass(Stage::Moments, progress, |lines, pixels, _| {
            let start = lines.start * columns;
            let used = &mut all[start..lines.end * columns];
            for (k, pixel) in pixels.chunks_exact(bands.len()).enumerate() {
                used[k] = used[k] && !is_empty(pixel, ignored);
                if !used[k] {
                    continue;
                }
                if let Some(b) = pixel.iter().position(|v| !v.is_finite()) {
                    let (row, column) = ((start + k) / columns + 1, (start + k) % columns + 1);
                    return Err(Error::Mismatch(format!(
                        "{name}: found {} in row {row}, column {column}, band {}, expected finite numbers; leave such \
                         pixels out with --mask, or the band with --bands",
                        pixel[b],
                        bands[b] + 1
                    )));
                }
            }
            visit(pixels, used);
            Ok(())
        })?;
        self.used = all;
        if self.n_used() == 0 {
            return Err(Error::Mismatch(format!("{}: no pixel has data", self.cube.name())));
        }
        Ok(())
    }
}

/// Whether a pixel has no data: nothing but the value that says so, or nothing that is a number.
fn is_empty(pixel: &[f64], ignored: Option<f64>) -> bool {
    pixel.iter().all(|&v| v.is_nan() || Some(v) == ignored)
}
