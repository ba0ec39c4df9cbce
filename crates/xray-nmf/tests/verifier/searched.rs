//! The data that anchors are chosen on, every column's exact projection onto the cone so far, and who may be chosen.

use xray_nmf::{Normalize, Params};

use crate::nnls::{Nearest, Rays, project};
use crate::problem::Problem;
use crate::rounding::{Directions, U, Uncertainty, uncertainty, unit};
use crate::rules::goes_by_length;
use crate::support::Grid;
use crate::wide::{Wide, dot, norm};

/// Columns and the cone of some of them.
#[derive(Debug)]
pub(crate) struct Projected {
    pub(crate) columns: Vec<Vec<Wide>>,
    pub(crate) lengths: Vec<f64>,
    pub(crate) rays: Rays,
    pub(crate) nearest: Vec<Nearest>,
    pub(crate) uncertain: Vec<Uncertainty>,
    /// `||R_i||`.
    pub(crate) distances: Vec<Wide>,
    /// Relative errors of the columns and of a mean ray themselves, where the engine rounds them.
    data_error: f64,
}

impl Projected {
    /// The empty cone.
    pub(crate) fn new(columns: Vec<Vec<Wide>>, data_error: f64) -> Self {
        let distances: Vec<Wide> = columns.iter().map(|column| norm(column)).collect();
        let lengths: Vec<f64> = distances.iter().map(|norm| norm.round()).collect();
        let mut projected = Self {
            nearest: columns.iter().map(|column| Nearest::nothing(column)).collect(),
            uncertain: Vec::new(),
            rays: Rays::default(),
            distances,
            lengths,
            columns,
            data_error,
        };
        projected.estimate();
        projected
    }

    pub(crate) fn n(&self) -> usize {
        self.columns.len()
    }

    /// See [`unit`].
    pub(crate) fn unit(&self) -> f64 {
        unit(self.columns.first().map_or(0, Vec::len), self.rays.vectors.len()) + self.data_error
    }

    /// Column j becomes a ray, and all columns are projected.
    pub(crate) fn admit(&mut self, j: usize) {
        self.admit_ray(self.columns[j].clone());
    }

    fn admit_ray(&mut self, ray: Vec<Wide>) {
        self.rays.push(ray);
        let newest = self.rays.vectors.last().expect("just pushed");
        for (i, nearest) in self.nearest.iter_mut().enumerate() {
            // A ray that a residual does not see changes nothing.
            if dot(newest, &nearest.residual) > Wide::ZERO {
                *nearest = project(&self.rays, &self.columns[i], &nearest.support);
                self.distances[i] = norm(&nearest.residual);
            }
        }
        self.estimate();
    }

    fn estimate(&mut self) {
        let directions = Directions::of(&self.rays);
        let (unit, rays) = (self.unit(), &self.rays);
        let columns = self.nearest.iter().zip(&self.lengths);
        self.uncertain = columns
            .map(|(nearest, &length)| uncertainty(unit, rays, &directions, length, nearest))
            .collect();
    }

    /// Whether column i lies outside the cone, whatever the rounding.
    pub(crate) fn surely_exterior(&self, i: usize, tolerance: f64) -> bool {
        self.distances[i].round() - self.uncertain[i].norm > tolerance * self.lengths[i]
    }

    /// Whether rounding may let column i lie outside the cone.
    pub(crate) fn perhaps_exterior(&self, i: usize, tolerance: f64) -> bool {
        self.distances[i].round() + self.uncertain[i].norm > tolerance * self.lengths[i]
    }

    /// `R_i'X_j`.
    pub(crate) fn product(&self, i: usize, j: usize) -> Wide {
        dot(&self.nearest[i].residual, &self.columns[j])
    }

    /// The rounding of `R_i'X_j`.
    pub(crate) fn product_error(&self, i: usize, j: usize) -> f64 {
        self.uncertain[i].shift * self.lengths[j]
    }
}

/// A column of X in wide numbers.
pub(crate) fn widened(grid: &Grid) -> Vec<Vec<Wide>> {
    (0..grid.n).map(|j| grid.column(j).iter().map(|v| (*v).into()).collect()).collect()
}

/// Sums below this share of the sum of magnitudes all but cancel.
const LEAST_SHARE: f64 = 2e-3;

/// Who may be chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Candidate {
    No,
    /// `p'X_j` is small beside `p'|X_j|`: what is left of a sum that all but cancels, which may be refused.
    Perhaps,
    Yes,
}

/// What anchors are chosen on.
#[derive(Debug)]
pub(crate) struct Searched {
    pub(crate) data: Projected,
    pub(crate) sizes: Vec<Size>,
    pub(crate) candidates: Vec<Candidate>,
    pub(crate) tolerance: f64,
}

impl Searched {
    /// Before the first anchor; `None` where rounding decides whether the mean is a ray.
    pub(crate) fn new(problem: &Problem) -> Option<Self> {
        let Problem { x, params, .. } = problem;
        let columns: Vec<Vec<Wide>> =
            widened(x).into_iter().map(|column| normalized(column, params.normalize)).collect();
        let ones = vec![1.0; x.m];
        let p = params.row_weights.as_deref().unwrap_or(&ones);
        let by_length = goes_by_length(params.selection);
        let size = |c: &Vec<Wide>| if by_length { length(c) } else { weighted_sum(c, p) };
        let sizes: Vec<Size> = columns.iter().map(size).collect();
        let candidates = candidates(params, &sizes, &columns);
        let rounds = params.normalize != Normalize::None;
        let mean = if params.mean_ray { mean(&columns) } else { None };
        let mean_error = mean.as_ref().map_or(0.0, |(_, error)| *error);
        let data_error = mean_error + if rounds { 4.0 * (x.m + 4) as f64 * U } else { 0.0 };
        let mut data = Projected::new(columns, data_error);
        let tolerance = params.tolerance;
        if let Some((mean, _)) = mean {
            let mut trial = Projected::new(data.columns.clone(), data_error);
            trial.admit_ray(mean);
            if (0..trial.n()).any(|i| trial.surely_exterior(i, tolerance)) {
                data = trial;
            } else if (0..trial.n()).any(|i| trial.perhaps_exterior(i, tolerance)) {
                return None;
            }
        }
        Some(Self { data, sizes, candidates, tolerance })
    }

    /// An anchor enters the cone, and is no candidate any more.
    pub(crate) fn admit(&mut self, anchor: usize) {
        self.candidates[anchor] = Candidate::No;
        self.data.admit(anchor);
    }

    /// Whether column i sees a candidate, whatever the rounding.
    pub(crate) fn surely_sees(&self, i: usize) -> bool {
        let candidates = (0..self.data.n()).filter(|&j| self.candidates[j] == Candidate::Yes);
        candidates
            .into_iter()
            .any(|j| self.data.product(i, j).round() > self.data.product_error(i, j))
    }
}

fn normalized(column: Vec<Wide>, normalize: Normalize) -> Vec<Wide> {
    let size = match normalize {
        Normalize::None => return column,
        Normalize::L1 => column.iter().map(|v| v.abs()).sum(),
        Normalize::L2 => norm(&column),
    };
    if size == Wide::ZERO { column } else { column.into_iter().map(|v| v / size).collect() }
}

/// What scores are relative to: `p'X_j`, or `||X_j||` for greedy, which needs no p.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Size {
    pub(crate) value: Wide,
    /// Its relative rounding.
    pub(crate) error: f64,
    /// Its share of `p'|X_j|`.
    share: f64,
}

fn length(column: &[Wide]) -> Size {
    Size { value: norm(column), error: 4.0 * (column.len() + 4) as f64 * U, share: 1.0 }
}

fn weighted_sum(column: &[Wide], p: &[f64]) -> Size {
    let terms = || column.iter().zip(p).map(|(v, p)| *v * Wide::from(*p));
    let (value, magnitude): (Wide, Wide) = (terms().sum(), terms().map(Wide::abs).sum());
    let share = if magnitude == Wide::ZERO { 0.0 } else { (value / magnitude).round() };
    Size { value, error: 4.0 * (column.len() + 4) as f64 * U / share.abs(), share }
}

fn candidates(params: &Params, sizes: &[Size], columns: &[Vec<Wide>]) -> Vec<Candidate> {
    let Params { candidates, excluded, fixed, .. } = params;
    let of_column = |j: usize| {
        let listed = candidates.as_ref().is_none_or(|listed| listed.contains(&j));
        let zero = columns[j].iter().all(|v| *v == Wide::ZERO);
        if !listed || zero || excluded.contains(&j) || fixed.contains(&j) {
            Candidate::No
        } else if sizes[j].share > LEAST_SHARE {
            Candidate::Yes
        } else if sizes[j].share > -unit(columns[j].len(), 0) {
            Candidate::Perhaps
        } else {
            Candidate::No
        }
    };
    (0..sizes.len()).map(of_column).collect()
}

/// The mean column and its relative rounding, unless it is zero.
fn mean(columns: &[Vec<Wide>]) -> Option<(Vec<Wide>, f64)> {
    let m = columns.first()?.len();
    let n = Wide::from(columns.len() as f64);
    let row = |d: usize| columns.iter().map(move |column| column[d]);
    let mean: Vec<Wide> = (0..m).map(|d| row(d).sum::<Wide>() / n).collect();
    let magnitudes: Vec<Wide> = (0..m).map(|d| row(d).map(Wide::abs).sum::<Wide>() / n).collect();
    let length = norm(&mean).round();
    let error = 2.0 * columns.len() as f64 * U * norm(&magnitudes).round() / length;
    (length > 0.0).then_some((mean, error))
}
