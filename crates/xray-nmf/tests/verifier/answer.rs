//! The answer: weights, certificate, residuals and held-out errors, from X as given.

use crate::claim::Claim;
use crate::findings::{Fault, Findings};
use crate::problem::Problem;
use crate::rounding::{GENEROUS, square_error, unit};
use crate::searched::{Projected, widened};
use crate::wide::{Wide, dot, norm, subtract_multiple};

/// What the proof of the exact projection leaves open, relative to the column.
const PROVEN: f64 = 1e-14;

/// Squared residuals of all columns, and their rounding.
struct Squares {
    values: Vec<Wide>,
    errors: Vec<f64>,
}

/// Residuals of all columns under given weights.
struct Explained {
    squares: Squares,
    residuals: Vec<Vec<Wide>>,
    loads: Vec<f64>,
}

impl Explained {
    /// `X - X_A H`, with H column after column.
    fn new(columns: &[Vec<Wide>], anchors: &[usize], weights: &[Vec<f64>], unit: f64) -> Self {
        let squares = Squares { values: vec![], errors: vec![] };
        let mut all = Self { squares, residuals: vec![], loads: vec![] };
        for (column, h) in columns.iter().zip(weights) {
            let mut r = column.clone();
            let length = norm(column).round();
            let mut load = length;
            for (&a, &h) in anchors.iter().zip(h) {
                subtract_multiple(&mut r, h.into(), &columns[a]);
                load += h.abs() * norm(&columns[a]).round();
            }
            let squared = dot(&r, &r);
            all.squares.errors.push(square_error(squared.round(), unit, load, length));
            all.squares.values.push(squared);
            all.residuals.push(r);
            all.loads.push(load);
        }
        all
    }
}

impl Squares {
    /// `||R|| / ||X||` and its rounding.
    fn relative(&self, columns: &[Vec<Wide>]) -> (f64, f64) {
        let total: Wide = columns.iter().map(|column| dot(column, column)).sum();
        if total == Wide::ZERO {
            return (0.0, 0.0);
        }
        let squared: Wide = self.values.iter().copied().sum();
        let relative = (squared / total).sqrt().round();
        let n = columns.len() as f64;
        let error = self.errors.iter().sum::<f64>() / total.round();
        let error = error + 2.0 * n * f64::EPSILON * relative * relative;
        let root = if relative > 0.0 { (error / relative).min(error.sqrt()) } else { error.sqrt() };
        (relative, root + 4.0 * f64::EPSILON * relative)
    }
}

/// Checks all that was answered for every rank, and follows the exact projections.
pub(crate) fn check(problem: &Problem, claim: &Claim, findings: &mut Findings) {
    let mut exact = Projected::new(widened(&problem.x), 0.0);
    let test = problem.held_out.as_ref().map(widened);
    let anchors: Vec<usize> = claim.anchors().take(claim.n_kept).collect();
    for (t, weights) in claim.weights.iter().enumerate() {
        let shape = weights.iter().flatten().all(|h| *h >= 0.0 && h.is_finite());
        findings.require(shape, Fault::Weights, || format!("rank {}: H is negative", t + 1));
        exact.admit(anchors[t]);
        let anchors = &anchors[..=t];
        let unit = exact.unit();
        let explained = Explained::new(&exact.columns, anchors, weights, unit);
        check_optimal(&exact, &explained, findings);
        let (residual, error) = explained.squares.relative(&exact.columns);
        let difference = (claim.steps[t].residual - residual).abs();
        findings.residual_error = findings.residual_error.max(difference);
        findings.require(difference <= error, Fault::Residual, || {
            let reported = claim.steps[t].residual;
            format!("rank {}: residual {reported:e} for {residual:e}, rounding {error:e}", t + 1)
        });
        if let Some(test) = &test {
            check_held_out(test, anchors, weights, claim.steps[t].held_out, findings);
        }
    }
    if let Some(weights) = claim.weights.last() {
        check_certificate(&exact, &anchors, weights, claim.kkt_violation, findings);
    }
    for (t, step) in claim.steps.iter().enumerate().skip(claim.n_kept) {
        exact.admit(step.anchor);
        check_dropped(&exact, t, step.residual, findings);
    }
}

/// The residual of a step that was dropped at the end is that of the exact projections: its H is not told.
fn check_dropped(exact: &Projected, t: usize, reported: f64, findings: &mut Findings) {
    let values = exact.distances.iter().map(|d| *d * *d).collect();
    let errors = exact.distances.iter().zip(&exact.uncertain);
    let errors = errors.map(|(d, u)| u.norm * (2.0 * d.round() + u.norm)).collect();
    let (residual, error) = Squares { values, errors }.relative(&exact.columns);
    findings.require((reported - residual).abs() <= error, Fault::Residual, || {
        format!("step {t}, dropped: residual {reported:e} for {residual:e}, rounding {error:e}")
    });
}

/// Every residual is that of the exact projection, to rounding.
fn check_optimal(exact: &Projected, explained: &Explained, findings: &mut Findings) {
    let t = exact.rays.vectors.len();
    for (i, r) in explained.residuals.iter().enumerate() {
        let mut difference = r.clone();
        subtract_multiple(&mut difference, 1.0.into(), &exact.nearest[i].residual);
        let distance = norm(&difference).round();
        let allowed = exact.uncertain[i].shift + PROVEN * exact.lengths[i];
        if distance > allowed {
            let (relative, allowed) = (distance / exact.lengths[i], allowed / exact.lengths[i]);
            let text = format!(
                "rank {t}: column {i} is {relative:e} off its projection, rounding {allowed:e}"
            );
            findings.fault(Fault::Weights, text);
            return;
        }
    }
}

fn check_held_out(
    test: &[Vec<Wide>],
    anchors: &[usize],
    weights: &[Vec<f64>],
    reported: Option<f64>,
    findings: &mut Findings,
) {
    let t = anchors.len();
    let m = test.first().map_or(0, Vec::len);
    let explained = Explained::new(test, anchors, weights, unit(m, t));
    let (error, rounding) = explained.squares.relative(test);
    let reported = reported.unwrap_or(f64::NAN);
    let difference = (reported - error).abs();
    findings.held_out_error = findings.held_out_error.max(difference);
    findings.require(difference <= rounding, Fault::HeldOut, || {
        format!("rank {t}: held-out error {reported:e} for {error:e}, rounding {rounding:e}")
    });
}

/// The certificate is the violation of the optimality conditions, and that is rounding.
fn check_certificate(
    exact: &Projected,
    anchors: &[usize],
    weights: &[Vec<f64>],
    reported: f64,
    findings: &mut Findings,
) {
    let unit = exact.unit();
    let explained = Explained::new(&exact.columns, anchors, weights, unit);
    let (mut violation, mut rounding) = (0.0f64, 0.0f64);
    for (i, (r, h)) in explained.residuals.iter().zip(weights).enumerate() {
        let length = exact.lengths[i];
        if length == 0.0 {
            continue;
        }
        let load = explained.loads[i] / length;
        rounding = rounding.max(unit * load * load);
        for (&a, &h) in anchors.iter().zip(h) {
            let slope = (dot(r, &exact.columns[a]) / Wide::from(exact.lengths[a])).round() / length;
            let slack = slope.abs() * (h * exact.lengths[a] / length);
            violation = violation.max(slope).max(slack);
        }
    }
    findings.violation = findings.violation.max(violation);
    findings.require((reported - violation).abs() <= rounding, Fault::Certificate, || {
        format!("certificate {reported:e} for {violation:e}, rounding {rounding:e}")
    });
    let rounding = GENEROUS * rounding;
    findings.require(violation <= rounding, Fault::Certificate, || {
        format!("the optimality conditions are violated by {violation:e}, rounding {rounding:e}")
    });
}
