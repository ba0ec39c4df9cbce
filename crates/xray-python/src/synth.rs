//! Data with known anchors.

use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use xray_nmf::synth::{Corpus, Noise, Planted, Synthetic};
use xray_nmf::{Matrix as _, Result};

use crate::doorway::{self, Watch};

/// `xray_nmf::synth::Synthetic` as a dictionary.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Plan {
    design: String,
    n_rows: usize,
    n_columns: usize,
    rank: usize,
    noise: f64,
    outward: bool,
    seed: u64,
    clip: bool,
    shuffle: bool,
}

impl Plan {
    fn synthetic(&self) -> Result<Synthetic> {
        Ok(Synthetic {
            design: self.design.parse()?,
            n_rows: self.n_rows,
            n_columns: self.n_columns,
            rank: self.rank,
            noise: self.noise,
            noise_kind: if self.outward { Noise::Outward } else { Noise::Gaussian },
            seed: self.seed,
            clip: self.clip,
            shuffle: self.shuffle,
        })
    }
}

/// A dense matrix, and the columns that are its anchors.
#[pyfunction]
pub(crate) fn planted(
    py: Python<'_>,
    plan: Plan,
) -> PyResult<(Bound<'_, PyArray2<f64>>, Vec<usize>)> {
    let shape = [plan.n_columns, plan.n_rows];
    let work = move |_: &Watch| -> Result<_> {
        let Planted { matrix, anchors } = plan.synthetic()?.generate()?;
        let values: Vec<f64> =
            (0..matrix.n_columns()).flat_map(|j| matrix.column(j).values).collect();
        Ok((values, anchors))
    };
    let (by_columns, anchors) = doorway::run(py, None, work)?;
    Ok((by_columns.into_pyarray(py).reshape(shape)?.transpose()?, anchors))
}

type Csr<'py> = (
    (usize, usize),
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<i32>>,
    Bound<'py, PyArray1<f32>>,
);

/// The arrays of a document-word matrix (csr), and each topic's anchor words.
#[pyfunction]
pub(crate) fn corpus<'py>(
    py: Python<'py>,
    like: &str,
    scale: f64,
    seed: u64,
    threads: usize,
) -> PyResult<(Csr<'py>, Vec<Vec<usize>>)> {
    let like = like.to_owned();
    let work = move |_: &Watch| -> Result<_> {
        let corpus = Corpus { seed, ..Corpus::like(like.parse()?).scaled(scale)? };
        let matrix = corpus.generate()?;
        let (offsets, indices, values) = matrix.csr();
        let offsets: Vec<i64> = offsets.iter().map(|&o| o as i64).collect();
        let indices: Vec<i32> = bytemuck::cast_slice(indices).to_vec();
        let shape = (matrix.n_rows(), matrix.n_columns());
        Ok((shape, offsets, indices, values.to_vec(), corpus.anchors()?))
    };
    let (shape, offsets, indices, values, anchors) =
        doorway::run_with_threads(py, threads, None, work)?;
    let csr = (shape, offsets.into_pyarray(py), indices.into_pyarray(py), values.into_pyarray(py));
    Ok((csr, anchors))
}
