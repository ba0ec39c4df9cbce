//! A picture as a list of shapes, from which both SVG and PNG are made.
//!
//! Coordinates are pixels at scale 1, from the top left corner, y downwards. Text is measured with
//! the embedded font; SVG viewers with another font are told the width to keep.

mod font;
mod raster;
mod svg;

pub(crate) use font::{Weight, elide, text_width, wrap};

use crate::pictures::colour::{Colour, TEXT};
use crate::pictures::error::Result;

/// A finished drawing: see [`Picture`].
#[derive(Clone, Debug)]
pub struct Scene {
    pub(crate) width: f64,
    pub(crate) height: f64,
    /// What the picture shows, for readers who cannot see it.
    pub(crate) title: String,
    pub(crate) items: Vec<Item>,
}

/// Whatever can be drawn; the SVG and the PNG show the same.
pub trait Picture {
    /// The drawing.
    fn scene(&self) -> Scene;

    /// The same as data, for a page that draws it and tells its values; none where a picture is all there is.
    #[cfg(feature = "page")]
    fn page_chart(&self) -> Option<crate::page::PageChart> {
        None
    }

    /// The picture as an SVG document.
    ///
    /// ```
    /// use xray_report::{Chart, Picture};
    /// let svg = Chart::new("Smith & Sons").svg();
    /// assert!(svg.starts_with("<svg") && svg.contains("Smith &amp; Sons"));
    /// ```
    fn svg(&self) -> String {
        svg::write(&self.scene())
    }

    /// The picture as a PNG file, `scale` times as large: 1 for old screens, 2 for new ones, 3 or 4
    /// for print.
    ///
    /// Letters are those of Noto Sans: Latin, Greek and Cyrillic. Others appear as boxes; the SVG
    /// shows them wherever the viewer has a font for them.
    ///
    /// # Errors
    ///
    /// [`Error::Scale`](crate::Error::Scale) if a side would have no pixel or more than 20,000.
    ///
    /// ```
    /// use xray_report::{Chart, Picture};
    /// let png = Chart::new("Nothing yet").png(2.0)?;
    /// assert_eq!(&png[1..4], b"PNG");
    /// # Ok::<(), xray_report::Error>(())
    /// ```
    fn png(&self, scale: f64) -> Result<Vec<u8>> {
        raster::png(&self.scene(), scale)
    }
}

impl Picture for Scene {
    fn scene(&self) -> Scene {
        self.clone()
    }
}

pub(crate) type Point = (f64, f64);

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rect {
    pub left: f64,
    pub top: f64,
    pub width: f64,
    pub height: f64,
}

impl Rect {
    pub(crate) fn right(&self) -> f64 {
        self.left + self.width
    }

    pub(crate) fn bottom(&self) -> f64 {
        self.top + self.height
    }

    /// The corners, clockwise from the top left.
    pub(crate) fn corners(&self) -> Vec<Point> {
        let (right, bottom) = (self.right(), self.bottom());
        vec![(self.left, self.top), (right, self.top), (right, bottom), (self.left, bottom)]
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Stroke {
    pub colour: Colour,
    pub width: f64,
    /// Lengths of dash and gap in turn; none for a solid line.
    pub dash: &'static [f64],
    pub opacity: f64,
}

impl Stroke {
    pub(crate) fn solid(colour: Colour, width: f64) -> Self {
        Self { colour, width, dash: &[], opacity: 1.0 }
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Fill {
    pub colour: Colour,
    pub opacity: f64,
}

impl Fill {
    pub(crate) fn solid(colour: Colour) -> Self {
        Self { colour, opacity: 1.0 }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct TextStyle {
    pub size: f64,
    pub weight: Weight,
    pub colour: Colour,
    pub anchor: Anchor,
    /// Turned a quarter to the left, to be read upwards.
    pub upwards: bool,
}

impl TextStyle {
    pub(crate) fn new(size: f64, anchor: Anchor) -> Self {
        Self { size, weight: Weight::Regular, colour: TEXT, anchor, upwards: false }
    }

    pub(crate) fn colour(self, colour: Colour) -> Self {
        Self { colour, ..self }
    }

    pub(crate) fn bold(self) -> Self {
        Self { weight: Weight::Bold, ..self }
    }

    pub(crate) fn upwards(self) -> Self {
        Self { upwards: true, ..self }
    }
}

/// Rows of pixels, three bytes each.
#[derive(Clone, Debug)]
pub(crate) struct Pixels {
    pub width: usize,
    pub height: usize,
    pub rgb: Vec<u8>,
}

#[derive(Clone, Debug)]
pub(crate) enum Item {
    Line {
        points: Vec<Point>,
        stroke: Stroke,
    },
    Polygon {
        points: Vec<Point>,
        fill: Option<Fill>,
        stroke: Option<Stroke>,
    },
    Circle {
        centre: Point,
        radius: f64,
        fill: Option<Fill>,
        stroke: Option<Stroke>,
    },
    /// `at` is on the base line.
    Text {
        at: Point,
        text: String,
        style: TextStyle,
    },
    /// Drawn without smoothing: pixels are data.
    Image {
        frame: Rect,
        pixels: Pixels,
    },
    /// Shown inside the frame only.
    Clip {
        frame: Rect,
        items: Vec<Item>,
    },
}

impl Item {
    pub(crate) fn line(points: Vec<Point>, stroke: Stroke) -> Self {
        Self::Line { points, stroke }
    }

    pub(crate) fn rect(frame: Rect, fill: Fill) -> Self {
        Self::Polygon { points: frame.corners(), fill: Some(fill), stroke: None }
    }

    pub(crate) fn text(at: Point, text: impl Into<String>, style: TextStyle) -> Self {
        Self::Text { at, text: text.into(), style }
    }
}
