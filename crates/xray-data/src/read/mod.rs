//! One reader for each format.
//!
//! A reader takes an open [`Source`](crate::source::Source) and gives a table or documents. It
//! streams, allocates as data arrives and never for what a header merely declares, and says where
//! in the file something is wrong.

pub(crate) mod delimited;
pub(crate) mod docword;
pub(crate) mod folder;
pub(crate) mod jsonl;
pub(crate) mod lines;
pub(crate) mod mat;
pub(crate) mod matrix_market;
pub(crate) mod names;
pub(crate) mod npy;
pub(crate) mod npz;
#[cfg(feature = "parquet")]
pub(crate) mod parquet;
pub(crate) mod plain;
pub(crate) mod records;
pub(crate) mod svmlight;

/// Capacity to start with for a declared number of entries: the rest grows as data arrives.
pub(crate) fn cautious_capacity(declared: u64) -> usize {
    declared.min(1 << 18) as usize
}
