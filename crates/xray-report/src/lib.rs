//! Pictures and tables of xray-nmf, as strings and bytes.
//!
//! [`Chart`] draws curves, [`BarChart`] bars, [`ImageGrid`] small maps. Every [`Picture`] comes as SVG
//! and as PNG, with the same content, the same bytes every time, and without fonts of the system. [`Table`] is written for
//! terminals, Markdown and CSV; [`number`] writes numbers as people read them. Nothing here
//! touches files.

#![forbid(unsafe_code)]

mod axis;
mod bars;
mod chart;
mod colour;
mod error;
mod header;
mod images;
mod look;
pub mod number;
mod plot;
mod scene;
mod table;

pub use axis::Scale;
pub use bars::{BarChart, Bars};
pub use chart::{Chart, Panel, Series};
pub use colour::{Colour, ColourMap};
pub use error::{Error, Result};
pub use images::{Image, ImageGrid};
pub use scene::{Picture, Scene};
pub use table::{Align, Cell, Column, Emphasis, Table};
