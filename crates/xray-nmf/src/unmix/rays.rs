//! Exact nonnegative least squares of all pixels under a few rays.

use rayon::prelude::*;

use super::{BLOCK, Points};
use crate::gram::NormalMatrix;
use crate::matrix::kernels::dot;
use crate::project::ActiveSet;

/// A few rays in as many dimensions as they have coordinates; pixels may have more, which are not looked at.
pub(super) struct Rays<'a> {
    columns: &'a [Vec<f64>],
    normal: NormalMatrix,
}

/// One pixel and its weights.
pub(super) struct Weighed<'a> {
    /// Which pixel.
    pub j: usize,
    /// Its place.
    pub place: &'a [f64],
    /// `B'y`.
    pub products: &'a [f64],
    /// `argmin_{h >= 0} ||y - Bh||`.
    pub weights: &'a [f64],
}

/// A pixel that is being worked on.
struct Work {
    solver: ActiveSet,
    place: Vec<f64>,
    products: Vec<f64>,
    weights: Vec<f64>,
}

impl<'a> Rays<'a> {
    pub(super) fn new(columns: &'a [Vec<f64>]) -> Self {
        let row = |a: &Vec<f64>| columns.iter().map(|b| dot(a, b)).collect();
        let rows: Vec<Vec<f64>> = columns.iter().map(row).collect();
        Self { columns, normal: NormalMatrix::from_rows(&rows) }
    }

    /// `y - Bh`, in place of y.
    pub(super) fn residual(&self, weights: &[f64], place: &mut [f64]) {
        for (ray, &h) in self.columns.iter().zip(weights).filter(|(_, h)| **h > 0.0) {
            place.iter_mut().zip(ray).for_each(|(v, b)| *v -= b * h);
        }
    }

    /// Visits all pixels that are not left out, a block at a time, each times `scale(j)`; returns what the visits of each block
    /// have made, in the order of blocks.
    pub(super) fn over<T: Send>(
        &self,
        points: &Points,
        scale: impl Fn(usize) -> f64 + Sync,
        begin: impl Fn() -> T + Sync,
        visit: impl Fn(&mut T, Weighed<'_>) + Sync,
    ) -> Vec<T> {
        let (q, used) = (points.dimensions(), points.brightness());
        let dimensions = self.columns.first().map_or(q, Vec::len);
        let blocks = points.places().par_chunks(BLOCK * q.max(1)).enumerate();
        let blocks = blocks.with_max_len(1).map(|(block, places)| {
            let mut made = begin();
            let mut work = Work::new(dimensions, self.columns.len());
            for (i, place) in places.chunks_exact(q).enumerate() {
                let j = block * BLOCK + i;
                if !used[j].is_nan() {
                    work.solve(self, place, scale(j));
                    let Work { place, products, weights, .. } = &work;
                    visit(&mut made, Weighed { j, place, products, weights });
                }
            }
            made
        });
        blocks.collect()
    }
}

impl Work {
    fn new(dimensions: usize, n_rays: usize) -> Self {
        Self {
            solver: ActiveSet::default(),
            place: vec![0.0; dimensions],
            products: vec![0.0; n_rays],
            weights: vec![0.0; n_rays],
        }
    }

    fn solve(&mut self, rays: &Rays<'_>, place: &[f32], scale: f64) {
        self.place.iter_mut().zip(place).for_each(|(to, &v)| *to = f64::from(v) * scale);
        for (product, ray) in self.products.iter_mut().zip(rays.columns) {
            *product = dot(ray, &self.place);
        }
        let norm = dot(&self.place, &self.place).sqrt();
        self.weights.fill(0.0);
        self.solver.solve_dense(&rays.normal, &self.products, norm, &mut self.weights);
    }
}
