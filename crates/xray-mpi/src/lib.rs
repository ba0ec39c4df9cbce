//! The program `xray` on many machines: the same bits from any number of ranks.
//!
//! There is one solver ([`xray_nmf::fit_distributed`]), written for any
//! [`Communicator`](xray_nmf::comm::Communicator). This crate brings the
//! program's verbs, over MPI with the feature `mpi`; reading, checkpoints and output in shards are `xray-pipeline`'s.
//!
//! `docs/cluster.md` tells how to install, start and size a job.

#![forbid(unsafe_code)]

mod agree;
pub mod args;
mod factorize;
mod topics;

pub use factorize::factorize;
pub use topics::topics;
#[cfg(feature = "mpi")]
pub use xray_nmf::comm::{MpiRank, wrong_launcher};
