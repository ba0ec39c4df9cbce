//! Grids of small images, such as the parts that pictures are made of.

mod draw;

use crate::pictures::error::{Error, Result};
use crate::pictures::scene::{Picture, Scene};

/// A picture of several matrices, each shown as an image in shades of grey: black for its smallest
/// value or zero, white for its largest or zero.
///
/// ```
/// use xray_report::{Image, ImageGrid, Picture};
///
/// let ramp = Image::new(4, 3, (0..12).map(f64::from).collect())?;
/// let grid = ImageGrid::new("Parts").columns(1).row_labels(["a ramp"]).image(ramp);
/// assert!(grid.svg().contains("a ramp"));
/// # Ok::<(), xray_report::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ImageGrid {
    title: String,
    images: Vec<Image>,
    columns: Option<usize>,
    /// What stands above each row.
    row_labels: Vec<String>,
    /// What stands above each image.
    labels: Vec<String>,
    /// The values of the first and the last colour of all images, if they are in colours.
    scale: Option<(f64, f64)>,
    width: f64,
}

/// A matrix of values, row by row from the top. Missing values (NaN) have a colour of their own.
#[derive(Clone, Debug)]
pub struct Image {
    width: usize,
    height: usize,
    values: Vec<f64>,
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
        Ok(Self { width, height, values })
    }

    /// The values of the first and the last shade: zero is always among them.
    fn range(&self) -> (f64, f64) {
        let finite = self.values.iter().filter(|value| value.is_finite());
        finite.fold((0.0, 0.0), |(low, high), &value| (value.min(low), value.max(high)))
    }
}

impl ImageGrid {
    /// A grid without images.
    pub fn new(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            images: Vec::new(),
            columns: None,
            row_labels: Vec::new(),
            labels: Vec::new(),
            scale: None,
            width: 720.0,
        }
    }

    /// Adds an image after those there are.
    #[must_use]
    pub fn image(mut self, image: Image) -> Self {
        self.images.push(image);
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

    /// What stands above each image, from the first on; takes the place of labels of rows.
    #[must_use]
    pub fn labels<T: Into<String>>(mut self, labels: impl IntoIterator<Item = T>) -> Self {
        self.labels = labels.into_iter().map(Into::into).collect();
        self
    }

    /// All images in the same colours, from dark blue for `low` to pale yellow for `high`, with a bar that tells them. They get
    /// lighter all the way, so they can be told without colours, too.
    ///
    /// ```
    /// use xray_report::{Image, ImageGrid, Picture};
    ///
    /// let map = Image::new(2, 1, vec![0.0, 1.0])?;
    /// let grid = ImageGrid::new("Maps").labels(["water"]).colours(0.0, 1.0).image(map);
    /// assert!(grid.svg().contains("water"));
    /// # Ok::<(), xray_report::Error>(())
    /// ```
    #[must_use]
    pub fn colours(mut self, low: f64, high: f64) -> Self {
        self.scale = Some((low, high));
        self
    }

    /// The largest width in pixels at scale 1, from 200 up (720 unless told).
    #[must_use]
    pub fn width(mut self, width: u32) -> Self {
        self.width = f64::from(width.max(200));
        self
    }
}

impl Picture for ImageGrid {
    fn scene(&self) -> Scene {
        draw::draw(self)
    }
}
