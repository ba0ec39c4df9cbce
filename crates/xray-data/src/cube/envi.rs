//! ENVI: a header, and beside it a file of numbers.
//!
//! | interleave | the numbers of the file | |
//! |---|---|---|
//! | bsq | bands x lines x samples | a block of lines is one piece of every band |
//! | bil | lines x bands x samples | a block of lines is one piece |
//! | bip | lines x samples x bands | the same |

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::About;
use super::decode::{Kind, NumberType};
use super::header::Fields;
use crate::error::{Malformed, Result, io_error, quoted};
use crate::formats::{mat, npy};
use crate::read::check_rounded;

/// The order of the numbers in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Interleave {
    Bsq,
    Bil,
    Bip,
}

/// What the names of files of numbers end in.
const ENDINGS: [&str; 10] = ["", "img", "dat", "bsq", "bil", "bip", "raw", "bin", "sli", "cube"];

/// Fields that say where on earth the image is.
const PLACE: [&str; 4] = ["map info", "projection info", "coordinate system string", "geo points"];

/// The header of an ENVI file.
#[derive(Debug, Clone, PartialEq)]
pub struct EnviHeader {
    path: PathBuf,
    fields: Fields,
}

/// A file of numbers, open for reading.
#[derive(Debug)]
pub(super) struct EnviFile {
    pub name: String,
    pub file: File,
    pub lines: usize,
    pub samples: usize,
    pub bands: usize,
    pub offset: u64,
    pub kind: NumberType,
    pub interleave: Interleave,
}

impl EnviHeader {
    /// The header of a cube: the file itself if it is one, or the one beside it; none if there is none, or the file says
    /// itself what it is.
    ///
    /// # Errors
    /// If there is one that cannot be read.
    pub fn beside(path: &Path) -> Result<Option<Self>> {
        let is_header = |path: &Path| has_ending(path, "hdr");
        let candidates = if is_header(path) {
            vec![path.to_owned()]
        } else {
            let mut longer = path.as_os_str().to_owned();
            longer.push(".hdr");
            vec![PathBuf::from(longer), path.with_extension("hdr"), path.with_extension("HDR")]
        };
        let Some(found) = candidates.into_iter().find(|path| path.is_file()) else {
            if is_header(path) {
                File::open(path).map_err(|e| io_error(&path.display().to_string(), "open", e))?;
            }
            return Ok(None);
        };
        // An array may stand beside a header of something else, as `abundances.npy` does.
        if !is_header(path) && (!head(&found).starts_with(b"ENVI") || is_array(&head(path))) {
            return Ok(None);
        }
        Ok(Some(Self { fields: Fields::read(&found)?, path: found }))
    }

    /// A field by its name in small letters, without braces.
    pub fn field(&self, name: &str) -> Option<&str> {
        self.fields.get(name).map(|field| field.value.as_str())
    }

    /// Whether it is of a spectral library.
    pub fn is_library(&self) -> bool {
        self.field("file type").is_some_and(|kind| kind.to_lowercase().contains("spectral library"))
    }

    /// The file of numbers, and what the header tells beside them. `path` is what was asked for: the header or the numbers.
    pub(super) fn open(&self, path: &Path) -> Result<(EnviFile, About)> {
        let fields = &self.fields;
        let (samples, lines, bands) =
            (fields.side("samples")?, fields.side("lines")?, fields.side("bands")?);
        let kind = self.number_type()?;
        let interleave = self.interleave()?;
        self.refuse_unknown_storage()?;
        let offset = fields.whole("header offset")?.unwrap_or(0);
        let data = self.data_file(path)?;
        let name = data.display().to_string();
        let file = File::open(&data).map_err(|e| io_error(&name, "open", e))?;
        let length = file.metadata().map_err(|e| io_error(&name, "open", e))?.len();
        let count = [lines, samples, bands, kind.width()]
            .iter()
            .try_fold(1u64, |n, &k| n.checked_mul(k as u64));
        let expected = count.and_then(|n| n.checked_add(offset));
        if expected.is_none_or(|expected| length < expected) {
            let found = format!("{length} bytes");
            let wanted = expected.map_or("fewer numbers".to_owned(), |n| format!("{n} bytes"));
            let header = self.path.display();
            let wanted = format!(
                "{wanted}, as {header} says ({lines} lines, {samples} samples, {bands} bands)"
            );
            return Err(Malformed::damaged(&name, found, wanted).into());
        }
        // The wavelengths of a library are those of its samples.
        let about = if self.is_library() { About::default() } else { self.about(bands)? };
        Ok((EnviFile { name, file, lines, samples, bands, offset, kind, interleave }, about))
    }

    fn number_type(&self) -> Result<NumberType> {
        let field = self.fields.expect("data type")?;
        let kind = match field.value.as_str() {
            "1" => Kind::U8,
            "2" => Kind::I16,
            "3" => Kind::I32,
            "4" => Kind::F32,
            "5" => Kind::F64,
            "12" => Kind::U16,
            "13" => Kind::U32,
            "14" => Kind::I64,
            "15" => Kind::U64,
            _ => {
                let expected = "a type of real numbers: 1 to 5, or 12 to 15";
                return Err(self.fields.wrong(field, expected).into());
            }
        };
        let big_endian = match self.fields.get("byte order") {
            None => false,
            Some(field) => match field.value.as_str() {
                "0" => false,
                "1" => true,
                _ => return Err(self.fields.wrong(field, "0 (little-endian) or 1").into()),
            },
        };
        Ok(NumberType { kind, big_endian })
    }

    fn interleave(&self) -> Result<Interleave> {
        let field = self.fields.expect("interleave")?;
        match field.value.to_lowercase().as_str() {
            "bsq" => Ok(Interleave::Bsq),
            "bil" => Ok(Interleave::Bil),
            "bip" => Ok(Interleave::Bip),
            _ => Err(self.fields.wrong(field, "bsq, bil or bip").into()),
        }
    }

    fn refuse_unknown_storage(&self) -> Result<()> {
        let zeros =
            |value: &str| value.split([',', ' ']).all(|part| matches!(part.trim(), "" | "0"));
        for name in ["file compression", "major frame offsets", "minor frame offsets"] {
            if let Some(field) = self.fields.get(name).filter(|field| !zeros(&field.value)) {
                let remedy = "write it without, for example by converting it to ENVI standard";
                return Err(self.fields.wrong(field, "0").remedy(remedy).into());
            }
        }
        Ok(())
    }

    /// What was asked for, or the file beside the header.
    fn data_file(&self, path: &Path) -> Result<PathBuf> {
        if path != self.path {
            return Ok(path.to_owned());
        }
        let bare = self.path.with_extension("");
        // In place of the header's ending: the name itself may have dots.
        let small = ENDINGS.iter().map(|ending| self.path.with_extension(ending));
        let capital = ENDINGS.iter().map(|ending| self.path.with_extension(ending.to_uppercase()));
        let found = small.chain(capital).find(|file| file.is_file());
        found.ok_or_else(|| {
            let header = self.path.display().to_string();
            let found = "no file of numbers beside it";
            let expected = format!(
                "{} or the same with .img, .dat, .bsq, .bil, .bip or .raw",
                quoted(bare.display().to_string().as_bytes())
            );
            Malformed::new(&header, found, expected)
                .remedy("name the file of numbers instead of the header")
                .into()
        })
    }

    /// The wavelengths of so many bands, if they are there.
    pub(super) fn wavelengths(&self, bands: usize) -> Result<Option<Vec<f64>>> {
        self.fields.numbers("wavelength", bands)
    }

    fn about(&self, bands: usize) -> Result<About> {
        let fields = &self.fields;
        let good = fields.numbers("bbl", bands)?;
        let ignored = fields.number("data ignore value")?;
        let scale = fields.number("reflectance scale factor")?;
        if let Some(field) = fields.get("reflectance scale factor")
            && !scale.is_some_and(|scale| scale.is_finite() && scale > 0.0)
        {
            return Err(fields.wrong(field, "a number above 0").into());
        }
        let place = PLACE.iter().filter_map(|name| {
            fields.get(name).map(|field| ((*name).to_owned(), field.value.clone()))
        });
        Ok(About {
            wavelengths: self.wavelengths(bands)?,
            wavelength_units: self.field("wavelength units").map(str::to_owned),
            good_bands: good.map(|good| good.iter().map(|&v| v != 0.0).collect()),
            ignored,
            scale,
            place: place.collect(),
        })
    }

    /// The text of the header of an image of rows x columns x bands in numbers of four bytes, in the order bip, with the names
    /// of its bands if there are any, and what `about` says of wavelengths and places.
    pub fn written([rows, columns, bands]: [usize; 3], names: &[String], about: &About) -> String {
        let mut text = format!(
            "ENVI\nsamples = {columns}\nlines = {rows}\nbands = {bands}\nheader offset = 0\nfile type = ENVI Standard\n\
             data type = 4\ninterleave = bip\nbyte order = 0\n"
        );
        if !names.is_empty() {
            let clean = |name: &String| name.replace(['{', '}', ',', '\n'], " ");
            let names: Vec<String> = names.iter().map(clean).collect();
            text += &format!("band names = {{{}}}\n", names.join(", "));
        }
        if let Some(wavelengths) = &about.wavelengths {
            let numbers: Vec<String> = wavelengths.iter().map(f64::to_string).collect();
            text += &format!("wavelength = {{{}}}\n", numbers.join(", "));
        }
        if let Some(units) = &about.wavelength_units {
            text += &format!("wavelength units = {units}\n");
        }
        for (name, value) in &about.place {
            text += &format!("{name} = {{{value}}}\n");
        }
        text
    }
}

/// The first bytes of a file; none if it cannot be read.
fn head(path: &Path) -> Vec<u8> {
    let mut start = Vec::new();
    match File::open(path).and_then(|file| file.take(128).read_to_end(&mut start)) {
        Ok(_) => start,
        Err(_) => Vec::new(),
    }
}

/// Whether a file says of itself that it is an array of NumPy or MATLAB.
fn is_array(head: &[u8]) -> bool {
    npy::is_npy(head) || mat::is_mat(head)
}

pub(super) fn has_ending(path: &Path, ending: &str) -> bool {
    path.extension().is_some_and(|found| found.eq_ignore_ascii_case(ending))
}

impl EnviFile {
    /// Reads some lines: pixel after pixel, each with the given bands.
    pub(super) fn read_lines(
        &mut self,
        lines: Range<usize>,
        bands: &[usize],
        pixels: &mut [f64],
    ) -> Result<()> {
        let (samples, all) = (self.samples, self.bands);
        match self.interleave {
            Interleave::Bsq => {
                let size = lines.len() * samples;
                for (q, &band) in bands.iter().enumerate() {
                    let start = (band * self.lines + lines.start) * samples;
                    let numbers = self.read(start, size)?;
                    scatter(&numbers, pixels, q, bands.len());
                }
            }
            Interleave::Bil => {
                let numbers =
                    self.read(lines.start * all * samples, lines.len() * all * samples)?;
                for (line, pixels) in numbers
                    .chunks_exact(all * samples)
                    .zip(pixels.chunks_exact_mut(samples * bands.len()))
                {
                    for (q, &band) in bands.iter().enumerate() {
                        scatter(
                            &line[band * samples..(band + 1) * samples],
                            pixels,
                            q,
                            bands.len(),
                        );
                    }
                }
            }
            Interleave::Bip => {
                let numbers =
                    self.read(lines.start * all * samples, lines.len() * all * samples)?;
                if bands.len() == all {
                    pixels.copy_from_slice(&numbers);
                    return Ok(());
                }
                for (from, to) in
                    numbers.chunks_exact(all).zip(pixels.chunks_exact_mut(bands.len()))
                {
                    to.iter_mut().zip(bands).for_each(|(to, &band)| *to = from[band]);
                }
            }
        }
        Ok(())
    }

    /// Reads numbers that stand one after the other.
    pub(super) fn read(&mut self, start: usize, count: usize) -> Result<Vec<f64>> {
        let width = self.kind.width();
        let fail = |e| io_error(&self.name, "read", e);
        let place = self.offset + (start * width) as u64;
        self.file.seek(SeekFrom::Start(place)).map_err(fail)?;
        let mut bytes = vec![0; count * width];
        self.file.read_exact(&mut bytes).map_err(fail)?;
        let mut numbers = vec![0.0; count];
        self.kind.decode(&bytes, &mut numbers);
        check_rounded(&self.name, self.kind.first_rounded(&numbers))?;
        Ok(numbers)
    }
}

/// Puts the numbers of one band to their pixels.
fn scatter(numbers: &[f64], pixels: &mut [f64], q: usize, n_bands: usize) {
    for (pixel, &number) in pixels.chunks_exact_mut(n_bands).zip(numbers) {
        pixel[q] = number;
    }
}
