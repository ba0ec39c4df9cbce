//! Files to a matrix or a corpus, on any number of ranks.

mod exchange;
mod files;
mod tables;
mod texts;

pub use exchange::{Entry, assemble_columns, exchange};
pub use files::{data_files, fingerprint, own_files, provenance};
pub use tables::{RowNames, Shard, gather_sizes, read_matrix};
pub use texts::{SharedCorpus, read_corpus};

pub(crate) use exchange::assemble;
