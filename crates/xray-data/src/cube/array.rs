//! Arrays of .npy and .mat files as cubes.

use std::fs::File;
use std::io::Seek;
use std::path::Path;

use super::decode::{Kind, NumberType};
use super::envi::{EnviFile, Interleave};
use super::{About, Cube, CubeOptions, ImageShape, Store};
use crate::budget::Claim;
use crate::error::{Malformed, Result, io_error};
use crate::formats::{mat, npy};
use crate::source::Source;

/// Arrays with at most so many numbers are read beside the cube: `nRow` and `nCol`.
const SMALL: usize = 16;

/// An array of any number of axes.
#[derive(Debug)]
pub(crate) struct Array {
    pub name: String,
    pub size: Vec<usize>,
    pub values: Vec<f64>,
    /// Whether the first axis changes fastest (MATLAB, Fortran) or the last one (C).
    pub first_fastest: bool,
}

/// A .npy file of rows x columns x bands that can be read line by line where it is.
pub(super) fn on_disk(source: &Source, path: &Path) -> Result<Option<EnviFile>> {
    if !npy::is_npy(source.start()) || !source.is_plain_file() {
        return Ok(None);
    }
    let name = path.display().to_string();
    let mut file = File::open(path).map_err(|e| io_error(&name, "open", e))?;
    let header = npy::read_header(&name, &mut file)?;
    let [lines, samples, bands] = header.shape[..] else { return Ok(None) };
    if header.fortran_order {
        return Ok(None);
    }
    let kind = match (header.kind, header.width) {
        (npy::Kind::Float, 4) => Kind::F32,
        (npy::Kind::Float, 8) => Kind::F64,
        (npy::Kind::Unsigned | npy::Kind::Truth, 1) => Kind::U8,
        (npy::Kind::Unsigned, 2) => Kind::U16,
        (npy::Kind::Unsigned, 4) => Kind::U32,
        (npy::Kind::Unsigned, 8) => Kind::U64,
        (npy::Kind::Signed, 1) => Kind::I8,
        (npy::Kind::Signed, 2) => Kind::I16,
        (npy::Kind::Signed, 4) => Kind::I32,
        (npy::Kind::Signed, 8) => Kind::I64,
        // The reader of arrays says what is wrong.
        _ => return Ok(None),
    };
    header.check(&name, source.most_bytes)?;
    let offset = file.stream_position().map_err(|e| io_error(&name, "read", e))?;
    let length = file.metadata().map_err(|e| io_error(&name, "open", e))?.len();
    let kind = NumberType { kind, big_endian: header.big_endian };
    let expected = offset + (lines * samples * bands * kind.width()) as u64;
    if length != expected {
        let found = format!("{length} bytes");
        return Err(Malformed::damaged(&name, found, format!("{expected} bytes")).into());
    }
    let interleave = Interleave::Bip;
    Ok(Some(EnviFile { name, file, lines, samples, bands, offset, kind, interleave }))
}

impl Array {
    /// The array of a .npy file, or the one of a .mat file that is named or the largest.
    pub(super) fn read_any(source: Source, options: &CubeOptions) -> Result<(Self, Claim)> {
        let (mut arrays, claim) = Self::read_all(source, options, SMALL)?;
        Ok((take_largest(&mut arrays, options, claim.file())?, claim))
    }

    /// The cube of a file, with the shape that stands beside it, as an array of one line if it is a list of pixels.
    pub(super) fn read_cube(source: Source, options: &CubeOptions) -> Result<(CubeArray, Claim)> {
        let (mut arrays, claim) = Self::read_all(source, options, SMALL)?;
        let side = |name: &str| {
            let one = arrays.iter().find(|array| array.name.eq_ignore_ascii_case(name));
            let value = one.and_then(|array| array.values.first().copied());
            value.filter(|v| *v >= 1.0 && v.fract() == 0.0).map(|v| v as usize)
        };
        let told =
            side("nRow").zip(side("nCol")).map(|(rows, columns)| ImageShape { rows, columns });
        let array = take_largest(&mut arrays, options, claim.file())?;
        Ok((CubeArray { array, shape: options.shape.or(told) }, claim))
    }

    /// All arrays of a file that are named or have at most `most` numbers, and the largest.
    fn read_all(source: Source, options: &CubeOptions, most: usize) -> Result<(Vec<Self>, Claim)> {
        let name = source.name.clone();
        let mut claim = options.limits.claim(&name);
        if npy::is_npy(source.start()) {
            let most_bytes = source.most_bytes;
            let mut reader = source.into_reader();
            let header = npy::read_header(&name, &mut reader)?;
            let room = npy::Room { most_bytes, claim: &mut claim };
            let values = header.read_numbers(&name, &mut reader, room)?;
            let (size, first_fastest) = (header.shape, header.fortran_order);
            return Ok((vec![Self { name: String::new(), size, values, first_fastest }], claim));
        }
        if !mat::is_mat(source.start()) {
            return Err(Malformed::new(
                &name,
                "no cube",
                "an ENVI header (.hdr) or the file beside one, .npy, or .mat of version 5 to 7.2",
            )
            .remedy("MATLAB's version 7.3 is saved anew with save(..., '-v7')")
            .into());
        }
        let arrays = mat::read_arrays(source, options.variable.as_deref(), most, &mut claim)?;
        Ok((arrays, claim))
    }
}

/// The array that was named, or the largest.
fn take_largest(arrays: &mut Vec<Array>, options: &CubeOptions, file: &str) -> Result<Array> {
    let fits = |array: &&Array| options.variable.as_ref().is_none_or(|name| array.name == *name);
    let largest = arrays.iter().filter(fits).map(|array| array.values.len()).max();
    let place = arrays.iter().position(|array| fits(&array) && Some(array.values.len()) == largest);
    match place {
        Some(place) => Ok(arrays.swap_remove(place)),
        None => {
            let names: Vec<String> =
                arrays.iter().map(|array| format!("\"{}\"", array.name)).collect();
            let found = match &options.variable {
                Some(name) => format!("no array \"{name}\""),
                None => "no array of real numbers".to_owned(),
            };
            let remedy = if names.is_empty() {
                String::new()
            } else {
                format!("it has {}", names.join(", "))
            };
            Err(Malformed::new(file, found, "one").remedy(remedy).into())
        }
    }
}

/// An array, and the shape of its image if that is known.
pub(super) struct CubeArray {
    array: Array,
    shape: Option<ImageShape>,
}

impl CubeArray {
    pub(super) fn into_cube(
        self,
        name: String,
        claim: Claim,
        options: &CubeOptions,
    ) -> Result<Cube> {
        let Self { array, shape } = self;
        let Array { size, values, first_fastest, .. } = array;
        let (size, strides, is_image) = match (size.as_slice(), shape) {
            (&[rows, columns, bands], _) => {
                let strides = if first_fastest {
                    [1, rows, rows * columns]
                } else {
                    [columns * bands, bands, 1]
                };
                ([rows, columns, bands], strides, true)
            }
            (&[a, b], None) => {
                // Bands x pixels.
                let strides = if first_fastest { [0, a, 1] } else { [0, 1, b] };
                ([1, b, a], strides, false)
            }
            (&[a, b], Some(ImageShape { rows, columns })) => {
                let n = rows.checked_mul(columns);
                let (bands, pixel, band) = if Some(b) == n {
                    if first_fastest { (a, a, 1) } else { (a, 1, b) }
                } else if Some(a) == n {
                    if first_fastest { (b, 1, a) } else { (b, b, 1) }
                } else {
                    let found = format!("an array of {a} x {b}");
                    let expected = format!("a side of {rows} x {columns} pixels");
                    return Err(Malformed::new(&name, found, expected)
                        .remedy("give the shape of the image with `shape`")
                        .into());
                };
                // Where the first axis is fastest, so is the first of the image: MATLAB's reshape.
                let places =
                    if first_fastest { [pixel, rows * pixel] } else { [columns * pixel, pixel] };
                ([rows, columns, bands], [places[0], places[1], band], true)
            }
            (other, _) => {
                let found = format!("an array of {other:?}");
                return Err(Malformed::new(
                    &name,
                    found,
                    "rows x columns x bands, or bands x pixels",
                )
                .into());
            }
        };
        let store = Store::Memory { values, strides };
        Cube::new(name, size, is_image, (store, About::default(), claim), options)
    }
}
