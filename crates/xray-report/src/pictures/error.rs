//! What can be wrong with a picture that is asked for.

/// A picture that cannot be drawn, and what to change.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The scale gives a bitmap without pixels, or with too many.
    #[error(
        "scale = {scale} is not allowed for a picture of {width} x {height}; \
         each side must have 1 to {max} pixels: choose another scale, or write SVG"
    )]
    Scale {
        /// The scale that was given.
        scale: f64,
        /// The picture's width at scale 1.
        width: f64,
        /// The picture's height at scale 1.
        height: f64,
        /// The most pixels a side may have.
        max: u32,
    },
    /// The number of values of an image is not its width times its height.
    #[error(
        "an image of {width} x {height} needs that many values, found {found}; \
         give them row by row"
    )]
    Shape {
        /// Columns of the image.
        width: usize,
        /// Rows of the image.
        height: usize,
        /// How many values there were.
        found: usize,
    },
}

/// Short for results of this crate.
pub type Result<T> = std::result::Result<T, Error>;
