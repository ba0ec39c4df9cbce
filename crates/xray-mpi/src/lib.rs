//! The program `xray` on many machines: the same bits from any number of ranks.
//!
//! There is one solver ([`xray_nmf::fit_distributed`]), written for any
//! [`Communicator`](xray_nmf::comm::Communicator). This crate brings a communicator over MPI (feature
//! `mpi`) and the program's verbs; reading, checkpoints and output in shards are `xray-pipeline`'s.
//!
//! `docs/cluster.md` tells how to install, start and size a job.

#![forbid(unsafe_code)]

mod agree;
pub mod args;
mod factorize;
#[cfg(feature = "mpi")]
mod mpi;
mod resources;
mod topics;

pub use factorize::factorize;
#[cfg(feature = "mpi")]
pub use mpi::{MpiRank, wrong_launcher};
pub use resources::{default_memory, default_threads, ranks_here};
pub use topics::topics;
