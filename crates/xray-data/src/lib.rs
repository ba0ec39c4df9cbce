//! Formats in and out, text to tf-idf, and the model file of xray-nmf.

#![forbid(unsafe_code)]

mod error;
pub mod text;

pub use error::{Error, Malformed, Result};
