//! What is kept of a block's columns from step to step.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicIsize, Ordering};

use super::basis::Basis;
use crate::matrix::{Line, Matrix};

/// Cholesky factors and coordinates of a block's columns.
#[derive(Debug, Clone, Default)]
pub(crate) struct Kept {
    /// A column that changes extends its factor instead of computing it anew: the numbers are the same
    /// either way.
    factors: Vec<Box<[f64]>>,
    room: Room,
    pub(crate) coordinates: Coordinates,
}

/// Bytes that are left for the factors of all blocks.
#[derive(Debug, Clone, Default)]
pub(crate) struct Room(Arc<AtomicIsize>);

impl Room {
    /// So many bytes.
    pub(crate) fn new(bytes: usize) -> Self {
        Self(Arc::new(AtomicIsize::new(isize::try_from(bytes).unwrap_or(isize::MAX))))
    }

    /// Whether something of `after` bytes may take the place of one of `before`.
    fn allows(&self, before: usize, after: usize) -> bool {
        let change = before as isize - after as isize;
        let allowed = after == 0 || self.0.fetch_add(change, Ordering::Relaxed) + change >= 0;
        let freed = match (after, allowed) {
            (0, _) => before,
            (_, true) => 0,
            (_, false) => after,
        };
        if freed > 0 {
            self.0.fetch_add(freed as isize, Ordering::Relaxed);
        }
        allowed
    }
}

impl Kept {
    /// Smaller factors are computed about as fast as they are fetched.
    pub(super) const LEAST_FACTOR: usize = 16;

    /// For a block of `n` columns, with what is left in `room` for its factors.
    pub(crate) fn new(n: usize, room: &Room) -> Self {
        let factors = vec![Box::default(); n];
        Self { factors, room: room.clone(), coordinates: Coordinates::default() }
    }

    /// Keeps no factors; the coordinates are all there.
    pub(crate) fn only(coordinates: Coordinates) -> Self {
        Self { factors: Vec::new(), room: Room::default(), coordinates }
    }

    /// The factor of a column of the block, empty if there is none.
    pub(super) fn factor(&self, place: usize) -> &[f64] {
        self.factors.get(place).map_or(&[], |factor| factor)
    }

    /// Keeps what `factor` makes, unless no factors are kept, or there is no room.
    pub(super) fn keep_factor(&mut self, place: usize, factor: impl FnOnce() -> Box<[f64]>) {
        if let Some(kept) = self.factors.get_mut(place) {
            let made = factor();
            let allowed = self.room.allows(size_of_val(&**kept), size_of_val(&*made));
            *kept = if allowed { made } else { Box::default() };
        }
    }
}

/// Coordinates `Q'X_i` of the columns of a block that the normal equations were too inaccurate for.
#[derive(Debug, Clone, Default)]
pub(crate) struct Coordinates(BTreeMap<u32, Column>);

#[derive(Debug, Clone)]
struct Column {
    /// The number of rays when they were first asked for.
    since: usize,
    values: Vec<f64>,
}

/// The rays of a cone, their basis, and X if it is at hand.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rays<'a> {
    pub(crate) lines: &'a [Line],
    pub(crate) basis: &'a Basis,
    pub(crate) n_rows: usize,
    /// Not needed where every column's coordinates are known.
    pub(crate) matrix: Option<&'a dyn Matrix>,
}

impl Rays<'_> {
    /// Whether one of them is so near to the others that gradients may hide what it explains.
    pub(super) fn hide(&self) -> bool {
        self.basis.hides(self.lines.len())
    }

    /// R, column by column.
    pub(super) fn triangle(&self) -> Vec<&[f64]> {
        self.basis.triangle(self.lines, self.n_rows)
    }
}

impl Coordinates {
    /// The coordinates of own column i, with one for each ray.
    pub(super) fn of(&mut self, i: usize, rays: &Rays<'_>) -> &[f64] {
        let n_rays = rays.lines.len();
        let new = || Column { since: n_rays, values: Vec::new() };
        let column = self.0.entry(i as u32).or_insert_with(new);
        column.complete(i, rays);
        &column.values[..n_rays]
    }

    /// Those that were known with so many rays, of own column i.
    pub(super) fn known(&self, i: usize, n_rays: usize) -> Option<&[f64]> {
        let column = self.0.get(&(i as u32)).filter(|column| column.since <= n_rays)?;
        Some(&column.values[..n_rays])
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Finds the missing ones of all columns that have some.
    pub(crate) fn complete(&mut self, rays: &Rays<'_>) {
        self.0.iter_mut().for_each(|(&i, column)| column.complete(i as usize, rays));
    }

    /// As they are with the first rays alone.
    pub(crate) fn truncated(&self, n_rays: usize) -> Self {
        let known = self.0.iter().filter(|(_, column)| column.since <= n_rays);
        Self(known.map(|(&i, column)| (i, column.clone())).collect())
    }
}

impl Column {
    fn complete(&mut self, i: usize, rays: &Rays<'_>) {
        if self.values.len() < rays.lines.len() {
            let matrix = rays.matrix.expect("coordinates are known where X is not");
            let column = matrix.column(i).to_dense(rays.n_rows);
            rays.basis.extend(rays.lines, &column, &mut self.values);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_are_kept_as_long_as_there_is_room() {
        let room = Room::new(100);
        let mut kept = Kept::new(3, &room);
        let mut keep = |place: usize, n: usize| {
            kept.keep_factor(place, || vec![1.0; n].into());
            kept.factor(place).len()
        };
        assert_eq!([keep(0, 6), keep(1, 6), keep(2, 1)], [6, 6, 0], "96 bytes of 100");
        assert_eq!([keep(0, 0), keep(2, 6)], [0, 6], "what is dropped is free again");
        assert_eq!(
            [keep(1, 7), keep(1, 6)],
            [0, 6],
            "one that is too large leaves its place empty"
        );
        assert_eq!(room.0.load(Ordering::Relaxed), 4);
    }
}
