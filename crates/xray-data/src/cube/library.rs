//! Named spectra: spectral libraries in ENVI (.sli) and CSV, endmembers, and truth in .mat.

use std::path::Path;

use super::array::Array;
use super::envi::has_ending;
use super::{CubeOptions, EnviHeader};
use crate::error::{Malformed, Result};
use crate::load::load;
use crate::options::LoadOptions;
use crate::source::{Input, Source};

/// Spectra, and where their bands are.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Spectra {
    /// What they are called.
    pub names: Vec<String>,
    /// The values of each, band after band.
    pub values: Vec<Vec<f64>>,
    /// What stands in the first column: wavelengths, or numbers of bands counted from 1.
    pub axis: Option<Vec<f64>>,
    /// Whether the axis is made of numbers of bands.
    pub is_numbered: bool,
    /// The abundances that came with them: one number for each pixel, in the order of the file, for each spectrum.
    pub abundances: Option<Vec<Vec<f64>>>,
}

impl Spectra {
    /// The number of bands.
    pub fn n_bands(&self) -> usize {
        self.values.first().map_or(0, Vec::len)
    }
}

/// Reads spectra from a spectral library (.sli with its .hdr), a table (.csv and the like: a column for each, the first may be
/// called band or wavelength), or a .mat file with M (bands x spectra) and A (spectra x pixels).
///
/// # Errors
/// If it is none of these, its parts do not fit together, or a number is not finite.
pub fn read_spectra(path: &Path, options: &CubeOptions) -> Result<Spectra> {
    let spectra = read_any(path, options)?;
    for (name, values) in spectra.names.iter().zip(&spectra.values) {
        if let Some(band) = values.iter().position(|v| !v.is_finite()) {
            let found = format!("{} in spectrum {name}, band {}", values[band], band + 1);
            let file = path.display().to_string();
            return Err(Malformed::new(&file, found, "finite numbers").into());
        }
    }
    Ok(spectra)
}

fn read_any(path: &Path, options: &CubeOptions) -> Result<Spectra> {
    // The header beside a table may be that of a cube.
    let is_named = ["hdr", "sli"].iter().any(|ending| has_ending(path, ending));
    let header = EnviHeader::beside(path)?.filter(|header| is_named || header.is_library());
    if let Some(header) = header {
        return of_library(&header, path);
    }
    let source = Source::open_bytes(&Input::from(path), &options.limits)?;
    if crate::formats::mat::is_mat(source.start()) {
        return of_truth(source, options);
    }
    drop(source);
    of_table(path, options)
}

fn of_library(header: &EnviHeader, path: &Path) -> Result<Spectra> {
    let (mut file, _) = header.open(path)?;
    if file.bands != 1 {
        let found = format!("{} bands", file.bands);
        let expected = "a spectral library: samples are bands, lines are spectra, and bands = 1";
        return Err(Malformed::new(&file.name, found, expected).into());
    }
    let (n, m) = (file.lines, file.samples);
    let numbers = file.read(0, n * m)?;
    let named = header
        .field("spectra names")
        .map(|names| names.split(',').map(|name| name.trim().to_owned()).collect::<Vec<_>>());
    let names = named.filter(|names| names.len() == n);
    Ok(Spectra {
        names: names.unwrap_or_else(|| (1..=n).map(|k| k.to_string()).collect()),
        values: numbers.chunks_exact(m).map(<[f64]>::to_vec).collect(),
        axis: header.wavelengths(m)?,
        is_numbered: false,
        abundances: None,
    })
}

fn of_truth(source: Source, options: &CubeOptions) -> Result<Spectra> {
    let file = source.name.clone();
    let mut claim = options.limits.claim(&file);
    let arrays = crate::formats::mat::read_arrays(source, None, usize::MAX, &mut claim)?;
    let named =
        |name: &str| arrays.iter().find(|array| array.name == name && array.size.len() == 2);
    let Some(Array { size, values, .. }) = named("M") else {
        return Err(Malformed::new(
            &file,
            "no matrix M",
            "M (bands x endmembers), and A if it is known",
        )
        .into());
    };
    let (m, r) = (size[0], size[1]);
    let abundances = named("A")
        .filter(|a| a.size[0] == r)
        .map(|a| (0..r).map(|k| a.values.iter().skip(k).step_by(r).copied().collect()).collect());
    Ok(Spectra {
        names: (1..=r).map(|k| k.to_string()).collect(),
        values: values.chunks_exact(m.max(1)).map(<[f64]>::to_vec).collect(),
        axis: None,
        is_numbered: false,
        abundances,
    })
}

fn of_table(path: &Path, options: &CubeOptions) -> Result<Spectra> {
    let file = path.display().to_string();
    let read = LoadOptions { limits: options.limits.clone(), ..LoadOptions::default() };
    let Some(table) = load(&Input::from(path), &read)?.into_table() else {
        return Err(
            Malformed::new(&file, "texts", "a table with a column for each spectrum").into()
        );
    };
    let (m, n) = (table.matrix.n_rows(), table.matrix.n_columns());
    let mut columns: Vec<Vec<f64>> =
        (0..n).map(|j| table.matrix.as_matrix().column(j).to_dense(m)).collect();
    let mut names = table.column_names.unwrap_or_else(|| (1..=n).map(|k| k.to_string()).collect());
    let first = names.first().map(|name| name.to_lowercase()).unwrap_or_default();
    let is_numbered = first == "band";
    let mut axis = None;
    if is_numbered || first.starts_with("wavelength") {
        axis = Some(columns.remove(0));
        names.remove(0);
    } else if let Some(rows) = &table.row_names {
        let numbers: Option<Vec<f64>> = rows.iter().map(|name| name.parse().ok()).collect();
        axis = numbers;
    }
    if columns.is_empty() {
        return Err(Malformed::new(&file, "no spectrum", "a column for each").into());
    }
    Ok(Spectra { names, values: columns, axis, is_numbered, abundances: None })
}
