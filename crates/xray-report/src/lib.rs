//! Pictures and tables of xray-nmf, as strings and bytes.
//!
//! [`Chart`] draws curves, [`BarChart`] bars, [`ImageGrid`] small maps. Every [`Picture`] comes as
//! SVG and as PNG, with the same content, the same bytes every time, and without fonts of the
//! system. [`Table`] is written for terminals, Markdown and CSV; [`number`] writes numbers as people
//! read them. Nothing here touches files.
//!
//! ```
//! use xray_report::{Cell, Chart, Column, Panel, Picture, Series, Table};
//!
//! let errors = [(1, 0.61), (2, 0.38), (3, 0.29)];
//! let curve = Series::new("greedy", errors.map(|(rank, error)| (rank as f64, error)));
//! let chart = Chart::new("Error against rank")
//!     .x_label("rank")
//!     .panel(Panel::new("relative error").series(curve))
//!     .vertical(2.0, "suggested rank 2");
//! let (svg, png) = (chart.svg(), chart.png(2.0)?);
//!
//! let mut table = Table::new([Column::right("rank"), Column::right("error")]);
//! for (rank, error) in errors {
//!     table.row([Cell::count(rank), Cell::fixed(error, 2)]);
//! }
//! assert_eq!(table.terminal(None, false).lines().last(), Some("   3   0.29"));
//! # Ok::<(), xray_report::Error>(())
//! ```

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
