//! Step 4: every pixel becomes the mean of those of its neighbours that are most like it.
//!
//! Of the 3 x 3 block around a pixel, itself included, the five nearest in `y/d` are averaged, places and brightness. Edges
//! repeat; a neighbour that is left out is replaced by the pixel itself. Lines come and go in order, three at a time.

use std::collections::VecDeque;

use rayon::prelude::*;

use super::Points;

/// Neighbours that are averaged, of nine.
const KEPT: usize = 5;
/// What brightness is at least, where it divides.
const DARK: f64 = 1e-12;

/// Takes lines of places and appends the averaged ones to points.
#[derive(Debug)]
pub struct Neighbours {
    /// Numbers of a pixel: its place and its brightness.
    width: usize,
    /// The last lines, at most three; pixels that are left out are not numbers.
    window: VecDeque<Vec<f64>>,
    points: Points,
}

impl Neighbours {
    /// For points in so many dimensions.
    pub fn new(dimensions: usize) -> Self {
        let points = Points::new(dimensions);
        Self { width: dimensions + 1, window: VecDeque::new(), points }
    }

    /// Room for so many pixels.
    pub fn reserve(&mut self, n: usize) {
        self.points.reserve(n);
    }

    /// Takes the next line: `q + 1` numbers a pixel, not numbers for those that are left out.
    pub fn push(&mut self, line: &[f64]) {
        self.window.push_back(line.to_vec());
        match self.window.len() {
            1 => {}
            2 => self.average(&[0, 0, 1]),
            _ => {
                self.average(&[0, 1, 2]);
                self.window.pop_front();
            }
        }
    }

    /// The averaged points of all lines.
    pub fn finish(mut self) -> Points {
        match self.window.len() {
            0 => {}
            1 => self.average(&[0, 0, 0]),
            _ => self.average(&[0, 1, 1]),
        }
        self.points
    }

    /// Averages the pixels of the middle of three lines.
    fn average(&mut self, lines: &[usize; 3]) {
        let Self { width, window, points } = self;
        let lines = lines.map(|l| window[l].as_slice());
        let n = lines[1].len() / *width;
        let averaged: Vec<Vec<f64>> = (0..n)
            .into_par_iter()
            .with_min_len(64)
            .map(|i| {
                let columns = [i.saturating_sub(1), i, (i + 1).min(n - 1)];
                let own = &lines[1][i * *width..(i + 1) * *width];
                let around = lines.iter().flat_map(|line| {
                    columns.map(|c| {
                        let other = &line[c * *width..(c + 1) * *width];
                        if other[0].is_nan() { own } else { other }
                    })
                });
                mean_of_nearest(own, around.collect())
            })
            .collect();
        for place in averaged {
            if place[0].is_nan() { points.push_left_out() } else { points.push(&place) }
        }
    }
}

/// The mean of those that are nearest to `own` in `y/d`, in the order in which they stand.
fn mean_of_nearest(own: &[f64], around: Vec<&[f64]>) -> Vec<f64> {
    let q = own.len() - 1;
    let scale = |place: &[f64]| 1.0 / place[q].max(DARK);
    let mine = scale(own);
    let distance = |place: &&[f64]| {
        let theirs = scale(place);
        let square = |l: usize| (place[l] * theirs - own[l] * mine).powi(2);
        (0..q).fold(0.0, |sum, l| sum + square(l))
    };
    let mut order: Vec<(f64, usize)> =
        around.iter().map(distance).enumerate().map(|(place, far)| (far, place)).collect();
    order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    order.truncate(KEPT);
    order.sort_by_key(|&(_, place)| place);
    let mut mean = vec![0.0; q + 1];
    for (_, place) in order {
        mean.iter_mut().zip(around[place]).for_each(|(sum, v)| *sum += v);
    }
    mean.iter_mut().for_each(|v| *v /= KEPT as f64);
    mean
}
