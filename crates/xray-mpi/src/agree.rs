//! The verbs' errors, told on all ranks.

use xray_cli::parts::{kind, message};
use xray_nmf::ErrorKind;
use xray_nmf::comm::Communicator;
use xray_pipeline::Error;

/// The result, if it is one on every rank; otherwise the same error on every rank.
pub(crate) fn together<T>(comm: &dyn Communicator, result: anyhow::Result<T>) -> anyhow::Result<T> {
    let own = result.map_err(|error| match kind(&error) {
        ErrorKind::Usage => Error::Usage(message(&error)),
        _ => Error::Mismatch(message(&error)),
    });
    Ok(xray_pipeline::together(comm, own)?)
}
