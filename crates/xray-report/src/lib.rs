//! Pictures and tables of xray-nmf, as strings and bytes.
//!
//! [`Table`] is written for terminals, Markdown and CSV; [`number`] writes numbers as people read them.
//! Nothing here touches files.

#![forbid(unsafe_code)]

pub mod number;
mod table;

pub use table::{Align, Cell, Column, Emphasis, Table};
