//! Formats in and out, text to tf-idf, and the model file of xray-nmf.
//!
//! [`load`] reads a matrix or texts from any of the [`Format`]s, recognised by content;
//! [`text::Vectorizer`] turns texts into a matrix; [`save`] writes matrices and [`save_documents`]
//! texts; [`Model`] keeps what was found in one file that NumPy opens as well.
//!
//! ```
//! use xray_data::text::{TextOptions, Vectorizer};
//! use xray_data::{Input, LoadOptions, load};
//!
//! let bytes = b"id,text\na,red apples\nb,green apples and pears\n".to_vec();
//! let input = Input::Bytes { name: "fruit.csv".into(), bytes };
//! let documents = load(&input, &LoadOptions::default())?.into_documents().expect("text");
//! assert_eq!(documents.ids, ["a", "b"]);
//! let (x, vectorizer) = Vectorizer::fit_transform(TextOptions::default(), &documents.texts)?;
//! assert_eq!(vectorizer.vocabulary(), ["apples", "green", "pears", "red"]);
//! assert_eq!(x.n_entries(), 5);
//! # Ok::<(), xray_data::Error>(())
//! ```

#![forbid(unsafe_code)]

mod assemble;
mod budget;
mod calendar;
mod columns;
mod compression;
mod csv;
pub mod cube;
mod encoding;
mod error;
mod formats;
mod hash;
mod identity;
mod inputs;
mod load;
mod model;
mod options;
mod parts;
mod read;
mod schema;
mod share;
mod source;
mod table;
pub mod text;
mod write;

pub use budget::{Budget, Claim, PROGRAM_BYTES, list_bytes};
pub use csv::{Cells, csv_text, write_field, write_record};
pub use encoding::Encoding;
pub use error::{Error, Malformed, Result};
pub use formats::{FORMATS, Format, is_text_of};
#[cfg(feature = "parquet")]
pub use formats::{ParquetColumn, ParquetRows};
pub use hash::{ContentHash, FileHash};
pub use identity::FileIdentity;
pub use inputs::{Inputs, RESULT_RECORD};
pub use load::{load, load_with_origin};
pub use model::{Model, ModelClusters, ModelKind, Noticed, Origin, Provenance, Reading};
pub use options::{ColumnChoice, Limits, LoadOptions};
pub use parts::{ReadParts, load_inputs, read_parts};
pub use read::names::read_names;
pub use schema::{Layout, Schema};
pub use share::Share;
pub use source::Input;
pub use table::{Documents, Loaded, LoadedMatrix, Table};
pub use write::{
    AtomicFile, Digits, check_output, save, save_documents, write_documents, write_table,
};

/// The examples of the README run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
