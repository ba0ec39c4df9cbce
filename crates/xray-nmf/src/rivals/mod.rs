//! The rivals of the paper: other ways to find anchors, and NMF without anchors.
//!
//! | method | exact on separable data | cost | reference |
//! |---|---|---|---|
//! | [`spa`] | if the anchors are linearly independent | O(nnz r) | Gillis and Vavasis 2014 |
//! | [`snpa`] | yes | O(nnz r + n r^3) | Gillis 2014 |
//! | [`vca`] | if the anchors are linearly independent | O(nnz r + n r^2) | Nascimento and Dias 2005 |
//! | [`nfindr`] | if the anchors are linearly independent | O(nnz r + n r^2) a round | Winter 1999 |
//! | [`hottopixx`] | [at convergence](HottopixxParams::converged) | O(nnz n) an epoch | Bittorf et al. 2012 |
//! | [`esser`] | no, but for a small penalty nearly | O(n^3) an iteration | Esser and others 2012 |
//! | `arora` | yes | n linear programs | Arora and others 2012 |
//! | `clarkson` | yes | n + r linear programs | Clarkson 1994, Dulá and others 1998 |
//! | [`local_nmf`] | no: a stationary point | O(nnz r) an iteration | Kim and Park 2008 |
//!
//! All but [`local_nmf`] choose columns of X, as [`fit`](crate::fit) does, and return [`Anchors`]. To get
//! weights and residuals for them, call [`fit`](crate::fit) with the anchors as
//! [`fixed`](crate::Params::fixed) columns and their number as the rank.
//!
//! `arora` and `clarkson` need the feature `lp`, which brings a linear programming solver.
//!
//! Methods whose cost grows faster than the data predict it first, and refuse what is above their
//! `largest_work` or `memory` with [`Error::TooCostly`](crate::Error::TooCostly).
//!
//! Every method gives the same bits on any number of threads.

mod anchors;
#[cfg(feature = "lp")]
mod arora;
#[cfg(feature = "lp")]
mod clarkson;
mod cost;
mod decompose;
mod esser;
mod hottopixx;
mod largest;
mod local;
mod nfindr;
#[cfg(feature = "lp")]
mod program;
mod snpa;
mod spa;
mod vca;

pub use anchors::Anchors;
#[cfg(feature = "lp")]
pub use arora::{AroraParams, arora};
#[cfg(feature = "lp")]
pub use clarkson::{ClarksonParams, clarkson};
pub use esser::{EsserParams, RowPenalty, esser};
pub use hottopixx::{HottopixxParams, Precision, hottopixx, project_row};
pub use local::{Fill, LocalMethod, LocalParams, Start, local_nmf, nnls_block_pivoting};
pub use nfindr::{NfindrParams, nfindr};
pub use snpa::{SnpaParams, snpa};
pub use spa::{SpaParams, spa};
pub use vca::{VcaParams, vca};

use crate::error::require;
