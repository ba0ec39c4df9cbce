//! Directions of vectors, and how far apart two of them are.
//!
//! For unit vectors u and v, `1 - cos = ||u - v||^2 / 2` keeps its digits for nearly parallel vectors,
//! where `u'v` has lost them.

use xray_nmf::Line;

use crate::quality::error::{Error, Result};

/// A vector of length 1: its entries other than 0, by ascending index.
#[derive(Debug, Clone)]
pub(crate) struct Ray(Vec<(usize, f64)>);

impl Ray {
    /// The direction of a vector, or `None` for the zero vector, which has none.
    ///
    /// `what` and `row` say in the error which vector has an entry that is not finite.
    pub(crate) fn new(what: &'static str, row: usize, vector: &Line) -> Result<Option<Self>> {
        let mut entries = Vec::new();
        vector.for_each(|index, value| entries.push((index, value)));
        entries.retain(|entry| entry.1 != 0.0);
        if let Some(&(column, value)) = entries.iter().find(|entry| !entry.1.is_finite()) {
            return Err(Error::NotFinite { what, row, column, value });
        }
        // Relative to the largest entry, so that squares neither overflow nor vanish.
        let largest = entries.iter().fold(0.0, |largest: f64, entry| largest.max(entry.1.abs()));
        entries.iter_mut().for_each(|entry| entry.1 /= largest);
        let length = entries.iter().fold(0.0, |sum, entry| sum + entry.1 * entry.1).sqrt();
        entries.iter_mut().for_each(|entry| entry.1 /= length);
        Ok(Some(Self(entries)).filter(|_| largest > 0.0))
    }

    /// `1 - cos` of the angle to another ray: 0 for the same direction, 2 for the opposite one.
    pub(crate) fn cosine_distance(&self, other: &Ray) -> f64 {
        let (mut left, mut right) = (self.0.iter().peekable(), other.0.iter().peekable());
        let mut squares = 0.0;
        loop {
            let next = match (left.peek(), right.peek()) {
                (Some(u), Some(v)) => u.0.min(v.0),
                (Some(entry), None) | (None, Some(entry)) => entry.0,
                (None, None) => return squares / 2.0,
            };
            let u = left.next_if(|entry| entry.0 == next).map_or(0.0, |entry| entry.1);
            let v = right.next_if(|entry| entry.0 == next).map_or(0.0, |entry| entry.1);
            squares += (u - v) * (u - v);
        }
    }
}
