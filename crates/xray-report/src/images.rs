//! Grids of small images, such as parts of a picture or maps of abundance.

mod bar;
mod draw;

use crate::colour::ColourMap;
use crate::error::{Error, Result};
use crate::scene::{Picture, Scene};

/// A picture of several matrices, each shown as an image.
///
/// ```
/// use xray_report::{ColourMap, Image, ImageGrid, Picture};
///
/// let ramp = Image::new(4, 3, (0..12).map(f64::from).collect())?.caption("a ramp");
/// let grid = ImageGrid::new("Parts").image(ramp).colours(ColourMap::Grey);
/// assert!(grid.svg().contains("a ramp"));
/// # Ok::<(), xray_report::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ImageGrid {
    title: String,
    images: Vec<Image>,
    colours: ColourMap,
    range: Range,
    /// The colour bar's name.
    colour_bar: Option<String>,
    columns: Option<usize>,
    /// What stands above each row.
    row_labels: Vec<String>,
    width: f64,
}

/// Which values have the first and the last colour.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Range {
    Each,
    Shared,
    Fixed(f64, f64),
}

/// A matrix of values, row by row from the top. Missing values (NaN) have a colour of their own.
#[derive(Clone, Debug)]
pub struct Image {
    width: usize,
    height: usize,
    values: Vec<f64>,
    caption: String,
}

impl Image {
    /// An image with so many columns and rows.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`] if there are not `width * height` values.
    pub fn new(width: usize, height: usize, values: Vec<f64>) -> Result<Self> {
        let found = values.len();
        if width.checked_mul(height) != Some(found) {
            return Err(Error::Shape { width, height, found });
        }
        Ok(Self { width, height, values, caption: String::new() })
    }

    /// The text below the image.
    #[must_use]
    pub fn caption(mut self, caption: impl Into<String>) -> Self {
        self.caption = caption.into();
        self
    }

    /// The smallest and largest value, if any is finite.
    fn extent(&self) -> Option<(f64, f64)> {
        join(self.values.iter().filter(|value| value.is_finite()).map(|&value| (value, value)))
    }
}

/// The smallest range that holds all of these.
fn join(ranges: impl Iterator<Item = (f64, f64)>) -> Option<(f64, f64)> {
    ranges.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
}

impl ImageGrid {
    /// A grid without images.
    pub fn new(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            images: Vec::new(),
            colours: ColourMap::Grey,
            range: Range::Each,
            colour_bar: None,
            columns: None,
            row_labels: Vec::new(),
            width: 720.0,
        }
    }

    /// Adds an image after those there are.
    #[must_use]
    pub fn image(mut self, image: Image) -> Self {
        self.images.push(image);
        self
    }

    /// Adds several images.
    #[must_use]
    pub fn images(mut self, images: impl IntoIterator<Item = Image>) -> Self {
        self.images.extend(images);
        self
    }

    /// How values are coloured ([`ColourMap::Grey`] unless told).
    #[must_use]
    pub fn colours(mut self, colours: ColourMap) -> Self {
        self.colours = colours;
        self
    }

    /// The same colours for the same values in all images. Left alone, each image has its own
    /// range, from its smallest to its largest value, and zero.
    #[must_use]
    pub fn shared_range(mut self) -> Self {
        self.range = Range::Shared;
        self
    }

    /// The values of the first and last colour, for all images; values beyond have these colours.
    /// Not used unless `low < high`.
    #[must_use]
    pub fn range(mut self, low: f64, high: f64) -> Self {
        if low < high && (high - low).is_finite() {
            self.range = Range::Fixed(low, high);
        }
        self
    }

    /// A bar beside the images that explains the colours, with its name and unit. Without a range
    /// that holds for all images there is nothing to explain, so it makes the range shared.
    #[must_use]
    pub fn colour_bar(mut self, label: impl Into<String>) -> Self {
        self.colour_bar = Some(label.into());
        if self.range == Range::Each {
            self.range = Range::Shared;
        }
        self
    }

    /// Images side by side, at least one. Left alone, as many as give large images and few rows.
    #[must_use]
    pub fn columns(mut self, columns: usize) -> Self {
        self.columns = Some(columns.max(1));
        self
    }

    /// What stands above each row of images, from the first row on. Give [`columns`](Self::columns)
    /// too, so that it is known which images make a row.
    #[must_use]
    pub fn row_labels<T: Into<String>>(mut self, labels: impl IntoIterator<Item = T>) -> Self {
        self.row_labels = labels.into_iter().map(Into::into).collect();
        self
    }

    /// The largest width in pixels at scale 1, from 200 up (720 unless told).
    #[must_use]
    pub fn width(mut self, width: u32) -> Self {
        self.width = f64::from(width.max(200));
        self
    }

    /// The range of values of an image's colours.
    fn range_of(&self, image: &Image) -> (f64, f64) {
        let extent = match self.range {
            Range::Each => image.extent(),
            Range::Shared => join(self.images.iter().filter_map(Image::extent)),
            Range::Fixed(low, high) => return (low, high),
        };
        extent.map_or((0.0, 1.0), |(low, high)| self.colours.range(low, high))
    }
}

impl Picture for ImageGrid {
    fn scene(&self) -> Scene {
        draw::draw(self)
    }
}
