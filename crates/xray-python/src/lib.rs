//! `xray_nmf._xray_nmf`: what the Python package needs of the engine, and no more.
//!
//! Every function turns its arguments into the engine's, goes through the [`doorway`], and turns the
//! answer into arrays. Checks of what users pass, names and documentation are in Python.

use pyo3::prelude::*;

mod doorway;
mod edit;
mod failure;
mod fit;
mod groups;
mod levels;
mod matrix;
mod model;
mod number;
mod page;
mod request;
mod rivals;
mod solve;
mod synth;
mod text;
mod topics;
mod unmix;

/// The compiled part of xray_nmf; import that instead.
#[pymodule]
mod _xray_nmf {
    #[pymodule_export]
    use crate::edit::edit_topics;
    #[pymodule_export]
    use crate::fit::{Factorization, fit};
    #[pymodule_export]
    use crate::groups::{group_shares, nearest, periods};
    #[pymodule_export]
    use crate::levels::topic_levels;
    #[pymodule_export]
    use crate::matrix::Matrix;
    #[pymodule_export]
    use crate::model::Model;
    #[pymodule_export]
    use crate::number::study_number;
    #[pymodule_export]
    use crate::page::topics_page;
    #[pymodule_export]
    use crate::request::{defaults, frequent};
    #[pymodule_export]
    use crate::rivals::successive;
    #[pymodule_export]
    use crate::solve::{nnls, refine, row_weights};
    #[pymodule_export]
    use crate::synth::{corpus, planted};
    #[pymodule_export]
    use crate::text::Documents;
    #[pymodule_export]
    use crate::topics::fit_topics;
    #[pymodule_export]
    use crate::unmix::{abundances, unmix};

    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}
