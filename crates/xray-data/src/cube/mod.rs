//! Hyperspectral cubes: images with many bands, read a few lines at a time, as often as needed.
//!
//! | from | how it is kept |
//! |---|---|
//! | ENVI: a header (.hdr) and a file of numbers in the order bsq, bil or bip | on disk |
//! | .npy of rows x columns x bands | on disk; in memory if compressed or in Fortran's order |
//! | .npy of bands x pixels, or pixels x bands where the shape tells | in memory |
//! | .mat (version 5) of rows x columns x bands, or bands x pixels with `nRow` and `nCol` beside it | in memory |
//!
//! Bands are those that were chosen; pixels come line after line, each with all its bands.

mod array;
mod decode;
mod envi;
mod header;
mod library;
mod options;

pub use envi::EnviHeader;
pub use library::{Spectra, read_spectra};
pub use options::{BandRanges, CubeOptions, ImageShape};

use std::ops::Range;
use std::path::Path;

pub(crate) use array::Array;
use envi::EnviFile;

use crate::budget::Claim;
use crate::error::{Error, Malformed, Result};
use crate::source::{Input, Source};

/// A cube that can be read again and again.
#[derive(Debug)]
pub struct Cube {
    name: String,
    rows: usize,
    columns: usize,
    /// The chosen bands, counted from 0 in the file.
    bands: Vec<usize>,
    /// Bands of the file.
    n_stored: usize,
    /// Whether rows and columns mean neighbours.
    is_image: bool,
    /// What the values are divided by.
    scale: f64,
    about: About,
    store: Store,
    /// The memory that it takes.
    _claim: Claim,
}

/// What a header tells beside the numbers.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct About {
    /// The wavelength of every stored band.
    pub wavelengths: Option<Vec<f64>>,
    /// In what they are, as in "Nanometers".
    pub wavelength_units: Option<String>,
    /// Whether each stored band is good, as the header says.
    pub good_bands: Option<Vec<bool>>,
    /// The value of pixels without data.
    pub ignored: Option<f64>,
    /// What the values are to be divided by.
    pub scale: Option<f64>,
    /// Fields that say where on earth the image is, as the header has them.
    pub place: Vec<(String, String)>,
}

#[derive(Debug)]
enum Store {
    Disk(EnviFile),
    /// `values[row * strides[0] + column * strides[1] + band * strides[2]]`.
    Memory {
        values: Vec<f64>,
        strides: [usize; 3],
    },
}

impl Cube {
    /// Opens a cube; the numbers are read later, but for those that cannot be.
    ///
    /// # Errors
    /// If the file is no cube, its header is wrong or does not fit the numbers, or an option does not fit it.
    pub fn open(path: &Path, options: &CubeOptions) -> Result<Self> {
        let name = path.display().to_string();
        if let Some(header) = EnviHeader::beside(path)? {
            let claim = options.limits.claim(&name);
            let (file, about) = header.open(path)?;
            let size = [file.lines, file.samples, file.bands];
            return Self::new(name, size, true, (Store::Disk(file), about, claim), options);
        }
        let source = Source::open_bytes(&Input::from(path), &options.limits)?;
        if let Some(file) = array::on_disk(&source, path)? {
            let claim = options.limits.claim(&name);
            let size = [file.lines, file.samples, file.bands];
            return Self::new(
                name,
                size,
                true,
                (Store::Disk(file), About::default(), claim),
                options,
            );
        }
        let (array, claim) = Array::read_cube(source, options)?;
        array.into_cube(name, claim, options)
    }

    /// A cube in memory: line after line, each pixel with all its bands.
    ///
    /// # Errors
    /// If there are more or fewer values than rows x columns x bands.
    ///
    /// # Examples
    /// ```
    /// use xray_data::cube::Cube;
    /// let mut cube = Cube::from_values("drawn", [1, 2, 3], vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0])?;
    /// let mut pixels = Vec::new();
    /// cube.read_lines(0..1, &mut pixels)?;
    /// assert_eq!(&pixels[3..], [4.0, 5.0, 6.0]);
    /// # Ok::<(), xray_data::Error>(())
    /// ```
    pub fn from_values(name: &str, size: [usize; 3], values: Vec<f64>) -> Result<Self> {
        let expected = size.iter().try_fold(1usize, |n, &size| n.checked_mul(size));
        if expected != Some(values.len()) {
            let found = format!("{} values", values.len());
            return Err(Malformed::new(name, found, format!("{size:?}")).into());
        }
        let strides = [size[1] * size[2], size[2], 1];
        let options = CubeOptions::default();
        let claim = options.limits.claim(name);
        let store = Store::Memory { values, strides };
        Self::new(name.to_owned(), size, true, (store, About::default(), claim), &options)
    }

    fn new(
        name: String,
        [rows, columns, n_stored]: [usize; 3],
        is_image: bool,
        (store, about, claim): (Store, About, Claim),
        options: &CubeOptions,
    ) -> Result<Self> {
        if rows == 0 || columns == 0 || n_stored == 0 {
            let found = format!("{rows} x {columns} pixels of {n_stored} bands");
            return Err(Malformed::new(&name, found, "at least one of each").into());
        }
        let bands = match (&options.bands, &about.good_bands) {
            (Some(ranges), _) => ranges.of(n_stored)?,
            (None, Some(good)) => (0..n_stored).filter(|&b| good[b]).collect(),
            (None, None) => (0..n_stored).collect(),
        };
        if bands.is_empty() {
            return Err(Malformed::new(&name, "no good band in bbl", "at least one")
                .remedy("choose bands with `bands`")
                .into());
        }
        let scale = options.scale.or(about.scale).unwrap_or(1.0);
        if !(scale.is_finite() && scale > 0.0) {
            let allowed = "give a number above 0 that values are divided by".to_owned();
            return Err(Error::Parameter { name: "scale", value: scale.to_string(), allowed });
        }
        Ok(Self {
            name,
            rows,
            columns,
            bands,
            n_stored,
            is_image,
            scale,
            about,
            store,
            _claim: claim,
        })
    }

    /// As it was given.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Lines of the image.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Pixels of a line.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The chosen bands, counted from 0 among those that are stored.
    pub fn bands(&self) -> &[usize] {
        &self.bands
    }

    /// The bands that are stored.
    pub fn n_stored(&self) -> usize {
        self.n_stored
    }

    /// Whether rows and columns mean neighbours: a list of pixels has none.
    pub fn is_image(&self) -> bool {
        self.is_image
    }

    /// What values are divided by.
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// What the header tells.
    pub fn about(&self) -> &About {
        &self.about
    }

    /// The wavelengths of the chosen bands.
    pub fn wavelengths(&self) -> Option<Vec<f64>> {
        let all = self.about.wavelengths.as_ref()?;
        Some(self.bands.iter().map(|&b| all[b]).collect())
    }

    /// The same pixels as a list: rows and columns mean nothing.
    #[must_use]
    pub fn without_neighbours(self) -> Self {
        Self { is_image: false, ..self }
    }

    /// Chooses other bands of those that are stored.
    ///
    /// # Panics
    /// If one is not stored.
    #[must_use]
    pub fn with_bands(mut self, bands: Vec<usize>) -> Self {
        assert!(bands.iter().all(|&band| band < self.n_stored), "stored bands");
        self.bands = bands;
        self
    }

    /// Reads some lines: pixel after pixel, each with the chosen bands.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn read_lines(&mut self, lines: Range<usize>, pixels: &mut Vec<f64>) -> Result<()> {
        let count = lines.len() * self.columns * self.bands.len();
        pixels.resize(count, 0.0);
        match &mut self.store {
            Store::Disk(file) => file.read_lines(lines, &self.bands, pixels)?,
            Store::Memory { values, strides } => {
                let [row, column, band] = *strides;
                let places = lines.flat_map(|r| (0..self.columns).map(move |c| (r, c)));
                for ((r, c), pixel) in places.zip(pixels.chunks_exact_mut(self.bands.len())) {
                    let start = r * row + c * column;
                    let chosen = pixel.iter_mut().zip(&self.bands);
                    chosen.for_each(|(to, &b)| *to = values[start + b * band]);
                }
            }
        }
        if self.scale != 1.0 {
            pixels.iter_mut().for_each(|v| *v /= self.scale);
        }
        Ok(())
    }
}

/// What stands before the numbers of a .npy file of this size, in numbers of four bytes, the last axis fastest.
pub fn npy_header(size: &[usize]) -> Vec<u8> {
    crate::formats::npy::written_header("<f4", size, false)
}

/// Reads a mask for an image: which pixels are to be looked at.
///
/// # Errors
/// If it cannot be read, or is not of the image's size.
pub fn read_mask(
    path: &Path,
    rows: usize,
    columns: usize,
    options: &CubeOptions,
) -> Result<Vec<bool>> {
    let name = path.display().to_string();
    let wrong = |size: &[usize]| {
        let found = format!("a mask of {size:?}");
        Malformed::new(&name, found, format!("{rows} x {columns} pixels, one number for each"))
    };
    if EnviHeader::beside(path)?.is_some() {
        let plain = CubeOptions { limits: options.limits.clone(), ..CubeOptions::default() };
        let mut mask = Cube::open(path, &plain)?;
        if (mask.rows, mask.columns, mask.n_stored) != (rows, columns, 1) {
            return Err(wrong(&[mask.rows, mask.columns, mask.n_stored]).into());
        }
        let mut values = Vec::new();
        mask.read_lines(0..rows, &mut values)?;
        return Ok(values.iter().map(|&v| v != 0.0).collect());
    }
    let source = Source::open_bytes(&Input::from(path), &options.limits)?;
    let (array, _claim) = Array::read_any(source, options)?;
    let size: Vec<usize> = array.size.iter().copied().filter(|&n| n != 1).collect();
    let wanted: Vec<usize> = [rows, columns].into_iter().filter(|&n| n != 1).collect();
    if size != wanted {
        return Err(wrong(&array.size).into());
    }
    let place =
        |r: usize, c: usize| if array.first_fastest { c * rows + r } else { r * columns + c };
    let places = (0..rows).flat_map(|r| (0..columns).map(move |c| (r, c)));
    Ok(places.map(|(r, c)| array.values[place(r, c)] != 0.0).collect())
}
