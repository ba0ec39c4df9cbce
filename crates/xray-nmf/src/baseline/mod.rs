//! The rivals of the paper: other ways to find anchors, and NMF without anchors.
//!
//! | method | exact on separable data | cost | reference |
//! |---|---|---|---|
//! | [`spa`] | if the anchors are linearly independent | O(nnz r) | Gillis and Vavasis 2014 |
//! | [`snpa`] | yes | O(nnz r + n r^3) | Gillis 2014 |
//! | [`hottopixx`] | in the limit | O(nnz n) an epoch, n^2 memory | Bittorf and others 2012 |
//! | [`esser`] | no, but for a small penalty nearly | O(n^3) an iteration | Esser and others 2012 |
//! | `arora` | yes | n linear programs | Arora and others 2012 |
//! | `clarkson` | yes | n + r linear programs | Clarkson 1994, Dulá and others 1998 |
//! | [`local_nmf`] | no: a stationary point | O(nnz r) an iteration | Kim and Park 2008 |
//!
//! All but [`local_nmf`] choose columns of X, as [`fit`](crate::fit) does, and return [`Anchors`]. To get weights and residuals for them, call [`fit`](crate::fit) with the anchors as
//! [`fixed`](crate::Params::fixed) columns and their number as the rank.
//!
//! `arora` and `clarkson` need the feature `lp`, which brings a linear programming solver.
//!
//! Every method gives the same bits on any number of threads.

mod anchors;
#[cfg(feature = "lp")]
mod arora;
#[cfg(feature = "lp")]
mod clarkson;
mod esser;
mod hottopixx;
mod largest;
mod local;
#[cfg(feature = "lp")]
mod program;
mod snpa;
mod spa;

pub use anchors::Anchors;
#[cfg(feature = "lp")]
pub use arora::{AroraParams, arora};
#[cfg(feature = "lp")]
pub use clarkson::{ClarksonParams, clarkson};
pub use esser::{EsserParams, esser};
pub use hottopixx::{HottopixxParams, Precision, hottopixx, project_row};
pub use local::{Fill, LocalMethod, LocalParams, Start, local_nmf, nnls_block_pivoting};
pub use snpa::{SnpaParams, snpa};
pub use spa::{SpaParams, spa};

use crate::error::{Error, Result, require};
use crate::memory::default_budget;

/// Checks that `n x n` numbers of `bytes` bytes fit the budget, before any is made.
fn check_memory(n: usize, bytes: usize, budget: Option<usize>) -> Result<()> {
    let needed = n as f64 * n as f64 * bytes as f64;
    let limit = budget.unwrap_or_else(default_budget) as f64;
    let what = "the memory of an n x n matrix, in bytes,";
    let remedy = "raise `memory`, or use fewer columns";
    if needed <= limit {
        return Ok(());
    }
    Err(Error::Magnitude { what, value: needed, limit, remedy })
}
