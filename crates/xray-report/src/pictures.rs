//! Pictures: [`Chart`] draws curves, [`ImageGrid`] small images, [`Idea`] what XRAY does.
//!
//! Every [`Picture`] comes as SVG and as PNG, with the same content, the same bytes every time, and
//! without fonts of the system. What is to be drawn is laid out as a [`Scene`], a list of shapes,
//! from which both files are made.

mod axis;
mod chart;
mod colour;
mod error;
mod header;
mod idea;
mod images;
mod look;
mod plot;
mod scene;

pub use axis::Scale;
pub use chart::{Chart, Panel, Series};
pub use error::{Error, Result};
pub use idea::Idea;
pub use images::{Image, ImageGrid};
pub use scene::{Picture, Scene};
