//! The program `xray` on many machines: the same bits from any number of ranks.
//!
//! The verbs are `xray-cli`'s, written for any [`Communicator`](xray_nmf::comm::Communicator). This crate is
//! the program that runs them over MPI (feature `mpi`).
//!
//! `docs/cluster.md` tells how to install, start and size a job.

#![forbid(unsafe_code)]

#[cfg(feature = "mpi")]
pub use xray_nmf::comm::{MpiRank, wrong_launcher};
