//! `xray_nmf._xray_nmf`: what the Python package needs of the engine, and no more.
//!
//! Every function turns its arguments into the engine's, goes through the [`doorway`], and turns the
//! answer into arrays. Checks of what users pass, names and documentation are in Python.

use pyo3::prelude::*;

mod doorway;
mod fit;
mod matrix;
mod solve;
mod synth;

/// The compiled part of xray_nmf; import that instead.
#[pymodule]
mod _xray_nmf {
    #[pymodule_export]
    use crate::fit::{Factorization, defaults, fit};
    #[pymodule_export]
    use crate::matrix::Matrix;
    #[pymodule_export]
    use crate::solve::{nnls, refine, row_weights};
    #[pymodule_export]
    use crate::synth::{corpus, planted};

    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}
