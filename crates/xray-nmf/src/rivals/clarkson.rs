//! Cone expansion by linear programs, after Clarkson and Dulá.
//!
//! E is a set of known extreme rays. For each column x in turn, look for a direction that separates it
//! from the cone of E:
//!
//! ```text
//! max y'x   over  y'e <= 0 for all e in E,  -1 <= y <= 1
//! ```
//!
//! If the maximum is 0, x lies in the cone of E and is done with. Else the column with the largest
//! `y'X_j / 1'X_j` lies on a face of the whole cone that E has no part in: it is an extreme ray and joins
//! E, and x is tried again. Among ties the longest column is a vertex of that face.
//!
//! This is the paper's method with `rand` and a separating direction from a linear program in place of
//! the residual: exact on separable data, and as sensitive to noise as `rand`. The columns are tried in
//! their order, so the anchors come in no particular order of importance.
//!
//! Cost: n + r linear programs with m variables and at most r inequalities, and r passes over X;
//! refused above a limit.
//!
//! References: Clarkson, "More output-sensitive geometric algorithms" (FOCS 1994); Dulá, Helgason and
//! Venugopal, "An algorithm for identifying the frame of a pointed finite conical hull", INFORMS J.
//! Computing 10 (1998).

use microlp::{ComparisonOp, OptimizationDirection, Problem, Variable};

use super::anchors::Anchors;
use super::cost::check_work;
use super::largest::largest;
use super::program::{Points, solved};
use super::require;
use crate::error::Result;
use crate::matrix::Matrix;
use crate::matrix::kernels::dot;
use crate::stop::StopRequest;

/// The parameters of [`clarkson`], with their defaults.
///
/// | field | default | purpose | range |
/// |---|---|---|---|
/// | `rank` | required | the most anchors to find | any |
/// | `tolerance` | 1e-6 | a column this far out of the cone, relative to its sum, is exterior | 1e-6 to below 1 |
/// | `largest_work` | 1e11 | refuse more multiply-adds than this, as predicted | any |
/// | `stop` | never made | a request to give the work up | |
#[derive(Debug, Clone)]
pub struct ClarksonParams {
    /// The most anchors to find.
    pub rank: usize,
    /// A column is exterior if a direction separates it by more than this times its sum.
    pub tolerance: f64,
    /// The most multiply-adds, as predicted.
    pub largest_work: f64,
    /// The work is given up with [`Error::Stopped`](crate::Error::Stopped) soon after this is made.
    pub stop: StopRequest,
}

impl ClarksonParams {
    /// The defaults, for a given rank.
    pub fn new(rank: usize) -> Self {
        Self { rank, tolerance: 1e-6, largest_work: 1e11, stop: StopRequest::new() }
    }
}

/// Finds extreme rays one after the other by separating directions. The scores are the separations
/// of the exterior points that led to them.
///
/// # Examples
/// ```
/// use xray_nmf::DenseMatrix;
/// use xray_nmf::rivals::{ClarksonParams, clarkson};
/// let x = DenseMatrix::from_column_major(2, 3, vec![1.0, 0.0, 1.0, 1.0, 0.0, 1.0])?;
/// let mut found = clarkson(&x, &ClarksonParams::new(2))?.anchors;
/// found.sort();
/// assert_eq!(found, [0, 2]);
/// # Ok::<(), xray_nmf::Error>(())
/// ```
///
/// # Errors
/// If the tolerance is outside its range, X has negative entries, the predicted work is above the
/// limit, or a linear program fails.
pub fn clarkson(matrix: &dyn Matrix, params: &ClarksonParams) -> Result<Anchors> {
    let ClarksonParams { rank, tolerance, largest_work, ref stop } = *params;
    let allowed = "give a number from 1e-6 to below 1";
    require((1e-6..1.0).contains(&tolerance), "tolerance", tolerance, allowed)?;
    let (m, n) = (matrix.n_rows() as f64, matrix.n_columns() as f64);
    let r = (rank as f64).min(n);
    // About 2 r pivots for each program, each over the whole tableau.
    let work = (n + r) * 2.0 * r * r * (m + r) + r * m * n;
    check_work("clarkson", work, largest_work)?;
    let points = Points::new(matrix)?;
    let sizes: Vec<f64> = points.points.iter().map(|point| dot(point, point)).collect();
    let (mut found, mut frame) = (Anchors::none(), Vec::new());
    for q in 0..points.points.len() {
        while found.anchors.len() < rank && !frame.contains(&q) {
            stop.check()?;
            let Some((direction, separation)) = separating(&points, &frame, q, tolerance)? else {
                break;
            };
            let scores: Vec<f64> = points.points.iter().map(|x| dot(&direction, x)).collect();
            let Some(j) = largest(&scores, &sizes).filter(|j| !frame.contains(j)) else { break };
            frame.push(j);
            found.push(points.columns[j], separation);
        }
    }
    Ok(found.ended(rank))
}

/// A direction that separates point q from the cone of the frame, and by how much, if it is exterior.
fn separating(
    points: &Points,
    frame: &[usize],
    q: usize,
    tolerance: f64,
) -> Result<Option<(Vec<f64>, f64)>> {
    let mut problem = Problem::new(OptimizationDirection::Maximize);
    let direction: Vec<Variable> =
        points.points[q].iter().map(|&x| problem.add_var(x, (-1.0, 1.0))).collect();
    for &e in frame {
        let entries = direction.iter().copied().zip(points.points[e].iter().copied());
        let row: Vec<(Variable, f64)> = entries.filter(|(_, value)| *value != 0.0).collect();
        problem.add_constraint(&row[..], ComparisonOp::Le, 0.0);
    }
    let solution = solved(&problem, points.columns[q])?;
    let separation = solution.objective() / points.dimension as f64;
    if separation <= tolerance {
        return Ok(None);
    }
    let direction = direction.iter().map(|&y| solution.var_value(y)).collect();
    Ok(Some((direction, separation)))
}
