//! From a hyperspectral cube to endmembers and abundances, in passes over its lines.
//!
//! | pass | what is kept of it |
//! |---|---|
//! | moments | m x m sums, and which pixels have data |
//! | coordinates | `q + 1` numbers of four bytes for each pixel |
//! | coordinates again, if the number is not given | the same, in the dimensions of the number that was found |
//! | abundances | nothing: they go where the caller wants them |
//!
//! Blocks of lines depend on the size of the cube alone, so the answer has the same bits however it is stored.

mod assignment;
mod image;
mod library;
mod page;
mod report;
mod rivals;
mod squares;
mod truth;

pub use library::{NearSpectrum, has_wavelengths_on_one_side, nearest_spectra, resampled};
pub use page::ScenePage;
pub use report::{
    AXES, BandFacts, EndmemberFacts, NumberFacts, UnmixReport, endmembers_csv, endmembers_table,
};
pub use squares::Squares;
pub use truth::{Truth, TruthFacts};

use std::ops::ControlFlow;

use image::{Image, stopped};
use xray_data::Budget;
use xray_data::cube::Cube;
use xray_nmf::choices;
use xray_nmf::unmix::{
    AbundanceRule, Abundances, Bands, EXTRA, LARGEST_NUMBER, Moments, NUMBER_DIMENSIONS,
    Neighbours, PixelFit, Points, Subspace, knee,
};

use crate::error::{Error, Result};
use crate::watch::{Event, Progress, Stage};

choices! {
    /// How endmembers are found.
    #[derive(Default)]
    pub enum UnmixMethod ("method") {
        #[default]
        Unmix = "unmix": "averaged anchors among pixels like their neighbours, then the least volume",
        Xray = "xray": "plain XRAY, rule max: single pixels as they are",
        Spa = "spa": "successive projection: single pixels as they are",
        Vca = "vca": "vertex component analysis, from the seed: single pixels as they are",
        Nfindr = "nfindr": "the simplex of largest volume: single pixels as they are",
    }
}

/// What is asked for.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct UnmixOptions {
    /// How many endmembers; found out if it is not given.
    pub count: Option<usize>,
    /// How they are found.
    pub method: UnmixMethod,
    /// Everything random follows from it.
    pub seed: u64,
    /// Which pixels are looked at, line after line; otherwise all.
    pub mask: Option<Vec<bool>>,
}

/// Endmembers of a cube.
#[derive(Debug, Clone, PartialEq)]
pub struct Unmixed {
    /// The spectrum of each over the chosen bands; zero where a band is dead.
    pub spectra: Vec<Vec<f64>>,
    /// The pixels that each was made of, best first, counted line after line.
    pub members: Vec<Vec<usize>>,
    /// What is known of the bands; places are among the chosen ones.
    pub bands: Bands,
    /// Which pixels were looked at.
    pub used: Vec<bool>,
    /// What the first 1, 2, .. anchors leave unexplained, if the number was not given.
    pub path: Option<Vec<f64>>,
}

/// Finds the endmembers of a cube.
///
/// # Errors
/// If the cube cannot be read, has numbers that are not finite, is too small for the number, or does not fit in memory; and
/// if `progress` stops the work.
pub fn find_endmembers(
    cube: &mut Cube,
    options: &UnmixOptions,
    progress: &mut dyn Progress,
) -> Result<Unmixed> {
    let mut image = Image::new(cube, options.mask.as_deref())?;
    let mut moments = Moments::new(image.n_bands());
    let mut compact = Vec::new();
    image.look(progress, |pixels, used| {
        let chosen = pixels.chunks_exact(moments.n_bands()).zip(used).filter(|(_, used)| **used);
        compact.clear();
        chosen.for_each(|(pixel, _)| compact.extend_from_slice(pixel));
        moments.add(&compact);
    })?;
    let bands = Bands::of(&moments);
    if bands.live.is_empty() {
        return Err(Error::Mismatch(format!(
            "{}: no band has light: all numbers are 0, or too small or large to be squared; --scale divides them",
            image.name()
        )));
    }
    let path = match options.count {
        Some(_) => None,
        None => Some(residual_path(&mut image, &moments, &bands, progress)?),
    };
    let count = options.count.unwrap_or_else(|| path.as_deref().map_or(1, knee));
    check_count(&image, &bands, count)?;
    let (spectra, members) = match options.method {
        UnmixMethod::Unmix => averaged(&mut image, &moments, &bands, count, progress)?,
        method => rivals::single_pixels(&mut image, method, count, options.seed, progress)?,
    };
    let spectra = spectra.into_iter().map(|s| without_dead(s, &bands)).collect();
    Ok(Unmixed { spectra, members, bands, used: image.into_used(), path })
}

/// Zero where a band is dead.
fn without_dead(spectrum: Vec<f64>, bands: &Bands) -> Vec<f64> {
    let mut clear = vec![0.0; spectrum.len()];
    bands.live.iter().for_each(|&band| clear[band] = spectrum[band]);
    clear
}

fn check_count(image: &Image<'_>, bands: &Bands, count: usize) -> Result<()> {
    let most = bands.live.len().min(image.n_used());
    if (1..=most).contains(&count) {
        return Ok(());
    }
    Err(Error::Usage(format!(
        "rank = {count} is not allowed; {} has {} bands with light and {} pixels: give 1 to {most}",
        image.name(),
        bands.live.len(),
        image.n_used()
    )))
}

/// Spectra, and the pixels that they were made of.
type Found = (Vec<Vec<f64>>, Vec<Vec<usize>>);

/// Endmembers and their members by the recipe.
fn averaged(
    image: &mut Image<'_>,
    moments: &Moments,
    bands: &Bands,
    count: usize,
    progress: &mut dyn Progress,
) -> Result<Found> {
    let subspace = Subspace::new(moments, bands, count + EXTRA);
    let points = coordinates(image, &subspace, progress)?;
    stopped(progress.tell(Event::Begin(Stage::Endmembers, Points::n_steps(count))))?;
    let found = points.endmembers(&subspace, count, steps(progress))?;
    let spectra = found.places.iter().map(|place| subspace.spectrum(place)).collect();
    Ok((spectra, found.members))
}

/// Tells of every step, and ends the work if somebody asks for it.
fn steps(progress: &mut dyn Progress) -> impl FnMut() -> xray_nmf::Result<()> + '_ {
    || match progress.tell(Event::Advance) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(xray_nmf::Error::Stopped),
    }
}

/// The residuals that the number of endmembers is judged by.
fn residual_path(
    image: &mut Image<'_>,
    moments: &Moments,
    bands: &Bands,
    progress: &mut dyn Progress,
) -> Result<Vec<f64>> {
    let subspace = Subspace::new(moments, bands, NUMBER_DIMENSIONS);
    let points = coordinates(image, &subspace, progress)?;
    let limit = LARGEST_NUMBER.min(bands.live.len()).min(image.n_used());
    stopped(progress.tell(Event::Begin(Stage::Number, 2 * limit)))?;
    Ok(points.residual_path(limit, steps(progress))?)
}

/// All pixels in the subspace, averaged with those of their neighbours that are like them.
fn coordinates(
    image: &mut Image<'_>,
    subspace: &Subspace,
    progress: &mut dyn Progress,
) -> Result<Points> {
    let (q, n) = (subspace.dimensions(), image.n_pixels());
    let mut claim = Budget::of_process().claim(image.name());
    // What stands between the passes, and the scores of a step.
    claim.take((4 * (q + 1) + 16) as u64 * n as u64)?;
    let width = (q + 1) * image.columns();
    let is_image = image.is_image();
    let mut neighbours = Neighbours::new(q);
    let mut points = Points::new(q);
    if is_image {
        neighbours.reserve(n)
    } else {
        points.reserve(n)
    }
    image.pass(Stage::Coordinates, progress, |_, pixels, used| {
        let mut places = subspace.places(pixels);
        for (place, _) in places.chunks_exact_mut(q + 1).zip(used).filter(|(_, used)| !**used) {
            place.fill(f64::NAN);
        }
        if is_image {
            places.chunks_exact(width).for_each(|line| neighbours.push(line));
        } else {
            for place in places.chunks_exact(q + 1) {
                if place[0].is_nan() { points.push_left_out() } else { points.push(place) }
            }
        }
        Ok(())
    })?;
    Ok(if is_image { neighbours.finish() } else { points })
}

/// Some lines of a cube, and what is in their pixels, one after another.
#[derive(Debug, Clone, Copy)]
pub struct AbundanceBlock<'a> {
    /// The number of the first pixel, counted line after line.
    first: usize,
    used: &'a [bool],
    values: &'a [f64],
    abundances: &'a [f64],
    fits: &'a [PixelFit],
}

/// A pixel that was looked at.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WeighedPixel<'a> {
    /// Its number, counted line after line.
    pub number: usize,
    /// Its values in all bands.
    pub values: &'a [f64],
    /// How much of each endmember is in it.
    pub abundances: &'a [f64],
    /// How well it is explained.
    pub fit: PixelFit,
}

impl<'a> AbundanceBlock<'a> {
    /// r numbers for each pixel, zeros for those that are left out.
    pub fn abundances(&self) -> &'a [f64] {
        self.abundances
    }

    /// The pixels that were looked at.
    pub fn pixels(self) -> impl Iterator<Item = WeighedPixel<'a>> {
        let each = |all: &'a [f64]| all.chunks_exact((all.len() / self.used.len().max(1)).max(1));
        let all = each(self.values).zip(each(self.abundances)).zip(self.fits).zip(self.used);
        all.enumerate().filter(|(_, (_, used))| **used).map(
            move |(k, (((values, abundances), &fit), _))| WeighedPixel {
                number: self.first + k,
                values,
                abundances,
                fit,
            },
        )
    }
}

/// Weighs every pixel under spectra over the cube's bands, and hands over the lines of a block at a time. Says how well they
/// fit.
///
/// # Errors
/// If the cube cannot be read, the spectra do not fit it, or `take` or `progress` stops the work.
pub fn find_abundances(
    cube: &mut Cube,
    unmixed: &Unmixed,
    rule: AbundanceRule,
    progress: &mut dyn Progress,
    mut take: impl FnMut(&AbundanceBlock<'_>) -> Result<()>,
) -> Result<AbundanceFit> {
    let mut live = vec![false; cube.bands().len()];
    unmixed.bands.live.iter().for_each(|&band| live[band] = true);
    let solver = Abundances::new(unmixed.spectra.clone(), &live, rule)?;
    let (m, r) = (live.len(), solver.count());
    let mut image = Image::new(cube, Some(&unmixed.used))?;
    let columns = image.columns();
    let mut fit = PixelFit::default();
    let mut shares = vec![0.0; r];
    let (mut compact, mut abundances, mut fits) = (Vec::new(), Vec::new(), Vec::new());
    image.pass(Stage::Abundances, progress, |lines, values, used| {
        compact.clear();
        let chosen = values.chunks_exact(m).zip(used).filter(|(_, used)| **used);
        chosen.for_each(|(pixel, _)| compact.extend_from_slice(pixel));
        let (found, own) = solver.of_pixels(&compact);
        fit = fit.plus(PixelFit::total(&own));
        for weights in found.chunks_exact(r) {
            shares.iter_mut().zip(weights).for_each(|(sum, v)| *sum += v);
        }
        abundances.clear();
        abundances.resize(used.len() * r, 0.0);
        fits.clear();
        fits.resize(used.len(), PixelFit::default());
        let places = (0..used.len()).filter(|&place| used[place]);
        for (place, (weights, own)) in places.zip(found.chunks_exact(r).zip(own)) {
            abundances[place * r..(place + 1) * r].copy_from_slice(weights);
            fits[place] = own;
        }
        let first = lines.start * columns;
        take(&AbundanceBlock { first, used, values, abundances: &abundances, fits: &fits })
    })?;
    let n = image.n_used() as f64;
    shares.iter_mut().for_each(|sum| *sum /= n);
    Ok(AbundanceFit { residual: fit.unexplained(), shares })
}

/// How well abundances explain a cube.
#[derive(Debug, Clone, PartialEq)]
pub struct AbundanceFit {
    /// `||X - WH|| / ||X||` over live bands, before abundances are scaled.
    pub residual: f64,
    /// The mean abundance of each endmember.
    pub shares: Vec<f64>,
}

/// Endmembers that were found in another cube, for [`find_abundances`] of this one: bands are live where a spectrum is not zero,
/// and pixels are used as the mask and the cube say.
///
/// # Errors
/// If there are not as many bands as the cube has, or the cube cannot be read.
pub fn known_endmembers(
    cube: &mut Cube,
    spectra: Vec<Vec<f64>>,
    mask: Option<&[bool]>,
    progress: &mut dyn Progress,
) -> Result<Unmixed> {
    let m = cube.bands().len();
    if let Some(wrong) = spectra.iter().find(|spectrum| spectrum.len() != m) {
        let (name, found) = (cube.name(), wrong.len());
        return Err(Error::Mismatch(format!("{name}: {m} bands, but the endmembers have {found}")));
    }
    let live: Vec<usize> = (0..m).filter(|&b| spectra.iter().any(|s| s[b] != 0.0)).collect();
    let ones = vec![1.0; live.len()];
    let bands = Bands { live, noise: ones.clone(), weights: ones };
    let mut image = Image::new(cube, mask)?;
    image.look(progress, |_, _| {})?;
    let members = vec![Vec::new(); spectra.len()];
    Ok(Unmixed { spectra, members, bands, used: image.into_used(), path: None })
}
