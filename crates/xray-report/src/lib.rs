//! Pictures and tables of xray-nmf, as strings and bytes.
//!
//! [`Table`] is written for terminals and Markdown; [`number`] writes numbers as people read
//! them. The feature `pictures` adds charts and grids of small images, as SVG and as PNG, the feature
//! `page` pages for browsers. Nothing here touches files.
//!
//! ```
//! use xray_report::{Cell, Column, Table};
//!
//! let mut table = Table::new([Column::right("rank"), Column::right("error")]);
//! for (rank, error) in [(1, 0.61), (2, 0.38), (3, 0.29)] {
//!     table.row([Cell::count(rank), Cell::fixed(error, 2)]);
//! }
//! assert_eq!(table.terminal(None, false).lines().last(), Some("   3   0.29"));
//! ```

#![forbid(unsafe_code)]

pub mod number;
#[cfg(feature = "page")]
mod page;
#[cfg(feature = "pictures")]
mod pictures;
mod printable;
#[cfg(any(feature = "page", feature = "pictures"))]
mod ramp;
mod table;

#[cfg(feature = "page")]
pub use page::{
    About, Bytes, Content, Flows, Page, PageChart, PageColours, PageDocuments, PageFacts,
    PageLevel, PagePanel, PageScene, PageSection, PageSeries, PageSpectra, PageTable, PageTopic,
    PageWord, RankCurve, RankLevel, RankPage, RankTopic, RelatedWords, TablesPage, TopicsPage,
    UnmixPage,
};
#[cfg(all(feature = "page", feature = "pictures"))]
pub use pictures::TopicsPicture;
#[cfg(feature = "pictures")]
pub use pictures::{
    Chart, Error, Idea, Image, ImageGrid, Panel, Picture, Result, Scale, Scene, Series,
};
pub use printable::{printable, printable_json};
pub use table::{Cell, Column, Table};

/// The examples of the README run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
