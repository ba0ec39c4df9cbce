//! The program `xray` on many machines: the same bits from any number of ranks.
//!
//! There is one solver ([`xray_nmf::fit_distributed`]), written for any
//! [`Communicator`](xray_nmf::comm::Communicator). This crate brings a communicator over MPI (feature
//! `mpi`), ways to read data of which no rank holds everything, checkpoints, and output in shards. All
//! but the communicator itself is generic and tested with threads as ranks, without MPI.
//!
//! `docs/cluster.md` tells how to install, start and size a job.

#![forbid(unsafe_code)]

mod agree;
pub mod args;
pub mod checkpoint;
mod corpus;
mod exchange;
mod factorize;
mod files;
mod ingest;
#[cfg(feature = "mpi")]
mod mpi;
mod resources;
mod rows;
pub mod shards;
mod topics;
mod traffic;

pub use agree::{Agreed, same_everywhere, together};
pub use corpus::{SharedCorpus, read_corpus};
pub use exchange::{Entry, assemble_columns, exchange};
pub use factorize::factorize;
pub use files::{data_files, fingerprint, own_files};
pub use ingest::{RowNames, Shard, read_matrix};
#[cfg(feature = "mpi")]
pub use mpi::{MpiRank, wrong_launcher};
pub use resources::{default_memory, default_threads, ranks_here};
pub use topics::topics;
pub use traffic::{Counted, Traffic};
