//! Hyperspectral cubes: a door to `xray-pipeline`.

use numpy::{
    IntoPyArray, PyArray2, PyArray3, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2,
    PyReadonlyArray3,
};
use pyo3::prelude::*;
use xray_data::cube::Cube;
use xray_nmf::unmix::AbundanceRule;
use xray_pipeline::report::json;
use xray_pipeline::unmix::{
    AbundanceFit, UnmixMethod, UnmixOptions, UnmixReport, Unmixed, find_abundances,
    find_endmembers, known_endmembers,
};
use xray_pipeline::{Result, Stoppable};

use crate::doorway::{self, Watch};
use crate::failure::Failure;
use crate::topics::reporter;

type Maps<'py> = Bound<'py, PyArray3<f32>>;

/// What messages call a cube that has no file.
const NAME: &str = "X";

/// A cube of rows x columns x bands; a list of pixels has one row, and no neighbours.
fn cube_of(values: &PyReadonlyArray3<'_, f64>, is_image: bool) -> PyResult<Cube> {
    let view = values.as_array();
    let (rows, columns, bands) = view.dim();
    let cube = Cube::from_values(NAME, [rows, columns, bands], view.iter().copied().collect());
    let cube = cube.map_err(Failure::into_exception)?;
    Ok(if is_image { cube } else { cube.without_neighbours() })
}

/// Endmembers (r x bands), abundances (rows x columns x r) and everything else as JSON. `choices` are the number of
/// endmembers, if it is given, the method, what abundances are, and the seed.
#[pyfunction]
#[pyo3(signature = (cube, is_image, choices, threads, mask = None, progress = None))]
pub(crate) fn unmix<'py>(
    py: Python<'py>,
    cube: PyReadonlyArray3<'py, f64>,
    is_image: bool,
    choices: (Option<usize>, String, String, u64),
    threads: usize,
    mask: Option<PyReadonlyArray1<'py, bool>>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(Bound<'py, PyArray2<f64>>, Maps<'py>, String)> {
    let mut cube = cube_of(&cube, is_image)?;
    let (count, method, rule, seed) = choices;
    let method: UnmixMethod = method.parse().map_err(Failure::into_exception)?;
    let rule: AbundanceRule = rule.parse().map_err(Failure::into_exception)?;
    let mask = mask.map(|mask| mask.as_array().to_vec());
    let options = UnmixOptions { count, method, seed, mask };
    let work = move |watch: &Watch| -> Result<_> {
        let mut progress = Stoppable { stop: watch.stop().clone(), tell: reporter(watch) };
        let found = find_endmembers(&mut cube, &options, &mut progress)?;
        let (maps, fit) = weighed(&mut cube, &found, rule, &mut progress)?;
        let r = found.spectra.len();
        let report = UnmixReport::new(&cube, &found, (Some(method), rule), &fit);
        Ok((found.spectra.concat(), maps, json(&report), [cube.rows(), cube.columns(), r]))
    };
    let (spectra, maps, report, shape) = doorway::run_with_threads(py, threads, progress, work)?;
    let bands = spectra.len() / shape[2];
    let spectra = spectra.into_pyarray(py).reshape([shape[2], bands])?;
    Ok((spectra, maps.into_pyarray(py).reshape(shape)?, report))
}

/// The abundances of known endmembers (r x bands) in a cube: rows x columns x r.
#[pyfunction]
#[pyo3(signature = (cube, is_image, spectra, rule, threads, mask = None))]
pub(crate) fn abundances<'py>(
    py: Python<'py>,
    cube: PyReadonlyArray3<'py, f64>,
    is_image: bool,
    spectra: PyReadonlyArray2<'py, f64>,
    rule: &str,
    threads: usize,
    mask: Option<PyReadonlyArray1<'py, bool>>,
) -> PyResult<Maps<'py>> {
    let mut cube = cube_of(&cube, is_image)?;
    let rule: AbundanceRule = rule.parse().map_err(Failure::into_exception)?;
    let spectra: Vec<Vec<f64>> =
        spectra.as_array().rows().into_iter().map(|row| row.to_vec()).collect();
    let mask = mask.map(|mask| mask.as_array().to_vec());
    let work = move |watch: &Watch| -> Result<_> {
        let mut progress = Stoppable { stop: watch.stop().clone(), tell: reporter(watch) };
        let r = spectra.len();
        let known = known_endmembers(&mut cube, spectra, mask.as_deref(), &mut progress)?;
        let (maps, _) = weighed(&mut cube, &known, rule, &mut progress)?;
        Ok((maps, [cube.rows(), cube.columns(), r]))
    };
    let (maps, shape) = doorway::run_with_threads(py, threads, None, work)?;
    maps.into_pyarray(py).reshape(shape)
}

/// All abundances, r numbers for each pixel, and how well they fit.
fn weighed(
    cube: &mut Cube,
    found: &Unmixed,
    rule: AbundanceRule,
    progress: &mut dyn xray_pipeline::Progress,
) -> Result<(Vec<f32>, AbundanceFit)> {
    let mut maps = Vec::new();
    let fit = find_abundances(cube, found, rule, progress, |block| {
        maps.extend(block.abundances().iter().map(|&v| v as f32));
        Ok(())
    })?;
    Ok((maps, fit))
}
