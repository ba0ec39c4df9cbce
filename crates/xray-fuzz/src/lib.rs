//! What hostile bytes are tried on: every door through which files and words come in.
//!
//! A [`Target`] takes any bytes. It may refuse them, and must neither panic, nor hang, nor take memory out of
//! proportion, nor give an answer that contradicts itself: what was read is written and read again, what
//! was weighed is weighed again. Two programs run the targets: the tests of this crate, on seeds and a few thousand
//! [changes](mutate) of them that are the same every time; and the fuzzer in `fuzz/`, which looks for new
//! paths through the code for as long as it is given.

#![forbid(unsafe_code)]

mod archive;
#[cfg(feature = "program")]
mod arguments;
mod checkpoint;
mod cubes;
mod model;
pub mod mutate;
mod readers;
mod seeds;
mod words;

/// One door.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// What it is called.
    pub name: &'static str,
    /// Tries bytes on it, and tells whether it takes them; panics if they do what they must not.
    pub run: fn(&[u8]) -> bool,
    /// Bytes that it takes, to begin with.
    pub seeds: fn() -> Vec<Vec<u8>>,
}

/// All doors.
pub static TARGETS: &[Target] = &[
    Target { name: "load", run: readers::any, seeds: readers::seeds_of_any },
    Target { name: "delimited", run: readers::delimited, seeds: readers::seeds_of_delimited },
    Target { name: "jsonl", run: readers::jsonl, seeds: readers::seeds_of_jsonl },
    Target { name: "numpy", run: readers::numpy, seeds: readers::seeds_of_numpy },
    Target { name: "arrays", run: archive::arrays, seeds: archive::seeds },
    Target { name: "matlab", run: readers::matlab, seeds: readers::seeds_of_matlab },
    Target { name: "market", run: readers::market, seeds: readers::seeds_of_market },
    Target { name: "counts", run: readers::counts, seeds: readers::seeds_of_counts },
    Target { name: "parquet", run: readers::parquet, seeds: readers::seeds_of_parquet },
    Target { name: "xlsx", run: readers::xlsx, seeds: readers::seeds_of_xlsx },
    Target { name: "model", run: model::run, seeds: model::seeds },
    Target { name: "checkpoint", run: checkpoint::run, seeds: checkpoint::seeds },
    Target { name: "cubes", run: cubes::run, seeds: cubes::seeds },
    Target { name: "words", run: words::run, seeds: words::seeds },
    #[cfg(feature = "program")]
    Target { name: "arguments", run: arguments::run, seeds: arguments::seeds },
];
