//! Methods side by side, and every experiment of the XRAY paper.
//!
//! [`METHODS`] holds the rules of Kumar, Sindhwani and Kambadur (ICML 2013), the rivals that they name
//! and NMF by local optimisation, all under one roof. [`compare()`] runs any of them on any data;
//! [`EXPERIMENTS`] repeats the paper's figures and tables, each as a [`Page`].
//!
//! ```
//! use xray_data::Table;
//! use xray_experiments::{CompareOptions, Method, compare};
//! use xray_nmf::{comm::OneRank, synth::Synthetic};
//! use xray_pipeline::Corpus;
//!
//! let drawn = Synthetic { n_rows: 20, n_columns: 30, rank: 4, ..Synthetic::default() }.generate()?;
//! let mut corpus = Corpus::whole(Table::new(drawn.matrix.into()));
//! let methods = vec![Method::named("xray-max")?, Method::named("spa")?];
//! let true_anchors = Some(drawn.anchors);
//! let options = CompareOptions { methods, true_anchors, ..CompareOptions::new(4) };
//! let found = compare(&OneRank, &mut corpus, &options, &mut ())?;
//! assert_eq!(found.table().n_rows(), 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod compare;
mod dataset;
mod evaluate;
mod experiment;
mod measure;
mod method;
mod page;
mod part;
mod preparation;
mod quality;
mod watch;

pub use compare::{CompareOptions, Comparison, MethodRuns, Run, compare};
pub use dataset::{DataFolder, DataSet};
pub use evaluate::protocol;
pub use experiment::{EXPERIMENTS, Experiment, Settings};
pub use measure::{Spent, peak_memory};
pub use method::{Found, Job, METHODS, Method, Procedure, Shape};
pub use page::{Page, join, write_file};
pub use preparation::CountedSet;
pub use quality::{Protocol, SvmParams};
pub use watch::{Interrupted, Watch};

/// The examples of the README run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
