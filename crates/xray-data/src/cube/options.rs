//! How a cube is read.

use std::str::FromStr;

use crate::error::{Error, Result};
use crate::options::Limits;

/// Options of [`Cube::open`](super::Cube::open); the default takes what the file says.
#[derive(Debug, Clone, Default)]
pub struct CubeOptions {
    /// The array of a .mat file; otherwise the largest.
    pub variable: Option<String>,
    /// Rows and columns of the image, where the file has a list of pixels.
    pub shape: Option<ImageShape>,
    /// The bands to take; otherwise all that the header does not call bad.
    pub bands: Option<BandRanges>,
    /// What values are divided by; otherwise what the header says, or 1.
    pub scale: Option<f64>,
    /// What is refused as too large.
    pub limits: Limits,
}

/// Rows and columns, as in `95x95`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImageShape {
    /// Lines.
    pub rows: usize,
    /// Pixels of a line.
    pub columns: usize,
}

impl FromStr for ImageShape {
    type Err = Error;

    /// # Examples
    /// ```
    /// use xray_data::cube::ImageShape;
    /// let shape: ImageShape = "95x100".parse()?;
    /// assert_eq!((shape.rows, shape.columns), (95, 100));
    /// assert!("95".parse::<ImageShape>().is_err());
    /// # Ok::<(), xray_data::Error>(())
    /// ```
    fn from_str(text: &str) -> Result<Self> {
        let sides = text.split_once(['x', 'X']).and_then(|(rows, columns)| {
            Some((rows.trim().parse().ok()?, columns.trim().parse().ok()?))
        });
        match sides {
            Some((rows, columns)) if rows > 0 && columns > 0 => Ok(Self { rows, columns }),
            _ => Err(Error::Parameter {
                name: "shape",
                value: text.to_owned(),
                allowed: "give rows and columns, as in 95x100".to_owned(),
            }),
        }
    }
}

/// Bands, counted from 1, as in `5-103,109,114-149`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BandRanges(Vec<(usize, usize)>);

impl BandRanges {
    /// These bands of so many, counted from 0, ascending.
    ///
    /// # Errors
    /// If one is not there.
    pub fn of(&self, n_bands: usize) -> Result<Vec<usize>> {
        let beyond = self.0.iter().find(|(_, last)| *last > n_bands && *last != usize::MAX);
        let beyond = beyond.or(self.0.iter().find(|(first, _)| *first > n_bands));
        if let Some((first, last)) = beyond {
            return Err(Error::Parameter {
                name: "bands",
                value: format!("{first}-{last}"),
                allowed: format!("the cube has bands 1 to {n_bands}"),
            });
        }
        let within =
            |b: usize| self.0.iter().any(|&(first, last)| (first..=last).contains(&(b + 1)));
        Ok((0..n_bands).filter(|&b| within(b)).collect())
    }
}

impl FromStr for BandRanges {
    type Err = Error;

    /// # Examples
    /// ```
    /// use xray_data::cube::BandRanges;
    /// let bands: BandRanges = "1-3,7,9-".parse()?;
    /// assert_eq!(bands.of(10)?, [0, 1, 2, 6, 8, 9]);
    /// assert!(bands.of(5).is_err() && "3-1".parse::<BandRanges>().is_err());
    /// # Ok::<(), xray_data::Error>(())
    /// ```
    fn from_str(text: &str) -> Result<Self> {
        let range = |part: &str| -> Option<(usize, usize)> {
            let part = part.trim();
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let first = first.trim().parse().ok()?;
            let last = last.trim();
            let last = if last.is_empty() { usize::MAX } else { last.parse().ok()? };
            (1 <= first && first <= last).then_some((first, last))
        };
        let ranges: Option<Vec<_>> = text.split(',').map(range).collect();
        ranges.map(Self).ok_or_else(|| Error::Parameter {
            name: "bands",
            value: text.to_owned(),
            allowed: "give bands counted from 1, as in 5-103,109,114-".to_owned(),
        })
    }
}
