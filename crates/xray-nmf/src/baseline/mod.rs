//! The rivals of the paper: other ways to find anchors, and NMF without anchors.
//!
//! | method | exact on separable data | cost | reference |
//! |---|---|---|---|
//! | [`spa`] | if the anchors are linearly independent | O(nnz r) | Gillis and Vavasis 2014 |
//! | [`snpa`] | yes | O(nnz r + n r^3) | Gillis 2014 |
//!
//! The first group is given columns of X as candidates, as [`fit`](crate::fit) is, and returns
//! [`Anchors`]. To get weights and residuals for them, call [`fit`](crate::fit) with the anchors as
//! [`fixed`](crate::Params::fixed) columns and their number as the rank.
//!
//! Every method gives the same bits on any number of threads.

mod anchors;
mod largest;
mod snpa;
mod spa;

pub use anchors::Anchors;
pub use snpa::{SnpaParams, snpa};
pub use spa::{SpaParams, spa};

use crate::error::{Error, Result};

/// An error that names the parameter unless `holds`.
fn require(
    holds: bool,
    name: &'static str,
    value: impl ToString,
    allowed: &'static str,
) -> Result<()> {
    if holds { Ok(()) } else { Err(Error::Parameter { name, value: value.to_string(), allowed }) }
}
