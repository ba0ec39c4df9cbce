//! The algorithm of Arora, Ge, Kannan and Moitra: one linear program for each column.
//!
//! With columns scaled to sum 1, the anchors are the vertices of the columns' convex hull. Column j is
//! a *robust loner* if, ignoring all columns closer to it than `5e/a + 2e`, its l1 distance to the hull
//! of the rest is more than `2e`:
//!
//! ```text
//! min ||X_j - sum_k h_k X_k||_1   over  h >= 0, sum h = 1,   ||X_k - X_j||_1 >= 5e/a + 2e
//! ```
//!
//! Robust loners closer than `10e/a + 6e` to each other belong to one anchor; from each cluster the loner
//! with the largest distance is taken. Here e is the noise: the l1 distance by which a scaled column may
//! be off; and a says how far every anchor is from the hull of the others ("a-robustly simplicial").
//! Both must be known. Without noise the distances are rounding errors instead.
//!
//! These three distances are the reference's (its Theorem 5.7 and the definition and claims after it), which
//! proves that the clusters are then one for each anchor if `20e/a + 13e < a`. It leaves open which loner
//! of a cluster to take; the one farthest from the hull of the others is our choice, and so is to return
//! only the first `rank` of them.
//!
//! Cost: n linear programs with n + 2m variables and m + 1 equations; refused above a limit.
//!
//! Reference: Arora, Ge, Kannan and Moitra, "Computing a nonnegative matrix factorization, provably"
//! (STOC 2012), section 5.

use microlp::{ComparisonOp, OptimizationDirection, Problem, Variable};
use rayon::prelude::*;

use super::anchors::Anchors;
use super::cost::check_work;
use super::program::{Points, solved};
use super::require;
use crate::error::Result;
use crate::matrix::Matrix;
use crate::stop::StopRequest;

/// Distances of rounding errors: of copies of a point, and of a point of the hull to the hull.
const SAME_POINT: f64 = 1e-9;
const IN_HULL: f64 = 1e-6;

/// The parameters of [`arora`], with their defaults.
///
/// | field | default | purpose | range |
/// |---|---|---|---|
/// | `rank` | required | the most anchors to return | any |
/// | `noise` | 0 | e, the l1 error of a column of sum 1 | 0 to below 1 |
/// | `simplicity` | 1 | a, the least l1 distance of an anchor from the hull of the others | above 0, at most 2 |
/// | `largest_work` | 1e11 | refuse more multiply-adds than this, as predicted | any |
/// | `stop` | never made | a request to give the work up | |
#[derive(Debug, Clone)]
pub struct AroraParams {
    /// The most anchors to return.
    pub rank: usize,
    /// The l1 error of a scaled column.
    pub noise: f64,
    /// The least l1 distance of an anchor from the hull of the others.
    pub simplicity: f64,
    /// The most multiply-adds, as predicted.
    pub largest_work: f64,
    /// The work is given up with [`Error::Stopped`](crate::Error::Stopped) soon after this is made.
    pub stop: StopRequest,
}

impl AroraParams {
    /// The defaults, for a given rank.
    pub fn new(rank: usize) -> Self {
        Self { rank, noise: 0.0, simplicity: 1.0, largest_work: 1e11, stop: StopRequest::new() }
    }
}

/// Finds anchors by one linear program for each column. The scores are the l1 distances of scaled
/// columns to the hull of the columns that are not near, largest first.
///
/// # Examples
/// ```
/// use xray_nmf::DenseMatrix;
/// use xray_nmf::rivals::{AroraParams, arora};
/// let x = DenseMatrix::from_column_major(2, 3, vec![1.0, 0.0, 1.0, 1.0, 0.0, 1.0])?;
/// let mut found = arora(&x, &AroraParams::new(2))?.anchors;
/// found.sort();
/// assert_eq!(found, [0, 2]);
/// # Ok::<(), xray_nmf::Error>(())
/// ```
///
/// # Errors
/// If a parameter is outside its range, X has negative entries, the predicted work is above the
/// limit, or a linear program fails.
pub fn arora(matrix: &dyn Matrix, params: &AroraParams) -> Result<Anchors> {
    let AroraParams { rank, noise, simplicity, largest_work, ref stop } = *params;
    require((0.0..1.0).contains(&noise), "noise", noise, "give a number from 0 to below 1")?;
    let holds = simplicity > 0.0 && simplicity <= 2.0;
    require(holds, "simplicity", simplicity, "give a number above 0 and at most 2")?;
    let (m, n) = (matrix.n_rows() as f64, matrix.n_columns() as f64);
    // About 2 m pivots for each program, each over the whole tableau.
    check_work("arora", n * 2.0 * m * m * (n + 2.0 * m), largest_work)?;
    let points = Points::new(matrix)?;
    let near = (5.0 * noise / simplicity + 2.0 * noise).max(SAME_POINT);
    let together = (10.0 * noise / simplicity + 6.0 * noise).max(SAME_POINT);
    let one = |q| stop.check().and_then(|()| distance_to_hull(&points, q, near));
    let all = (0..points.points.len()).into_par_iter().with_max_len(1).map(one);
    let distances: Vec<f64> = all.collect::<Result<_>>()?;
    let mut loners: Vec<usize> =
        (0..distances.len()).filter(|&q| distances[q] > (2.0 * noise).max(IN_HULL)).collect();
    loners.sort_by(|&a, &b| distances[b].total_cmp(&distances[a]).then(a.cmp(&b)));
    let mut found = Anchors::none();
    let mut centres: Vec<usize> = Vec::new();
    for q in loners {
        let alone = |&centre: &usize| separation(&points, q, centre) > together;
        if found.anchors.len() < rank && centres.iter().all(alone) {
            centres.push(q);
            found.push(points.columns[q], distances[q]);
        }
    }
    Ok(found.ended(rank))
}

/// The l1 distance of two columns of sum 1.
fn separation(points: &Points, a: usize, b: usize) -> f64 {
    let pairs = points.points[a].iter().zip(&points.points[b]);
    pairs.fold(0.0, |sum, (a, b)| sum + (a - b).abs()) / points.dimension as f64
}

/// The l1 distance of point q to the hull of all that are not nearer than `near`; 2, the largest
/// possible, if there is none.
fn distance_to_hull(points: &Points, q: usize, near: f64) -> Result<f64> {
    let far = |&k: &usize| k != q && separation(points, q, k) > near;
    let others: Vec<usize> = (0..points.points.len()).filter(far).collect();
    if others.is_empty() {
        return Ok(2.0);
    }
    let mut problem = Problem::new(OptimizationDirection::Minimize);
    let open = (0.0, f64::INFINITY);
    let weights: Vec<Variable> = others.iter().map(|_| problem.add_var(0.0, open)).collect();
    for (d, &target) in points.points[q].iter().enumerate() {
        let (over, under) = (problem.add_var(1.0, open), problem.add_var(1.0, open));
        let entries = weights.iter().zip(&others).map(|(&h, &k)| (h, points.points[k][d]));
        let row: Vec<(Variable, f64)> = entries
            .filter(|(_, value)| *value != 0.0)
            .chain([(over, 1.0), (under, -1.0)])
            .collect();
        problem.add_constraint(&row[..], ComparisonOp::Eq, target);
    }
    let sum: Vec<(Variable, f64)> = weights.iter().map(|&h| (h, 1.0)).collect();
    problem.add_constraint(&sum[..], ComparisonOp::Eq, 1.0);
    let solution = solved(&problem, points.columns[q])?;
    Ok(solution.objective() / points.dimension as f64)
}
