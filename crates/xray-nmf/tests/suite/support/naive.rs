//! The paper's pseudo-code, dense and slow: the oracle of every fast path.
//!
//! R is formed, every score is a double loop, and projections are solved from scratch by Lawson and
//! Hanson's method on the columns themselves (the crate works on the normal equations). Nothing here
//! is shared with the crate.

use super::Grid;
use super::verify::{dot, same_ray};
use xray_nmf::Selection;

/// The rules that are exact on separable data.
pub const EXACT: [Selection; 5] =
    [Selection::Rand, Selection::Max, Selection::Dist, Selection::Agg, Selection::Joint];

/// Anchors, scores, and relative residuals, by Algorithm 1.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Naive {
    pub anchors: Vec<usize>,
    pub scores: Vec<f64>,
    pub residuals: Vec<f64>,
    /// Smallest relative gap between a winner and what does not tie with it, over all choices made.
    pub smallest_gap: f64,
}

/// Relative differences below this are ties, by contract.
const TIE: f64 = 1e-9;
/// Relative differences below this are rounding errors of equal numbers.
const EQUAL: f64 = 1e-13;
/// Exterior means `||R_i||` above this times `||X_i||`.
const EXTERIOR: f64 = 1e-6;

/// Runs Algorithm 1 with `max`, `dist`, `greedy`, `agg` or `joint`; p = ones.
pub fn xray(x: &Grid, rank: usize, selection: Selection, mean_ray: bool) -> Naive {
    let mut found = Naive { smallest_gap: 1.0, ..Naive::default() };
    let mut cone: Vec<Vec<f64>> = Vec::new();
    if mean_ray {
        let sum = |d: usize| (0..x.n).map(|j| x.column(j)[d]).sum::<f64>();
        let mean: Vec<f64> = (0..x.m).map(|d| sum(d) / x.n as f64).collect();
        let r = residual(x, std::slice::from_ref(&mean));
        if !exterior_points(x, &r, &mut found).is_empty() {
            cone.push(mean);
        }
    }
    let total = x.values.iter().map(|v| v * v).sum::<f64>();
    while found.anchors.len() < rank {
        let r = residual(x, &cone);
        let Some((j, score)) = detect(x, &r, selection, &mut found) else { break };
        found.anchors.push(j);
        found.scores.push(score);
        cone.push(x.column(j).to_vec());
        let anchors: Vec<Vec<f64>> = found.anchors.iter().map(|&a| x.column(a).to_vec()).collect();
        let left: f64 = residual(x, &anchors).values.iter().map(|v| v * v).sum();
        found.residuals.push((left / total).sqrt());
    }
    found
}

/// The points outside the cone; one that is hardly outside or hardly inside counts as a small gap.
fn exterior_points(x: &Grid, r: &Grid, found: &mut Naive) -> Vec<usize> {
    let norm = |g: &Grid, i: usize| dot(g.column(i), g.column(i)).sqrt();
    let share = |i: usize| norm(r, i) / norm(x, i);
    let points: Vec<usize> = (0..x.n).filter(|&i| norm(x, i) > 0.0).collect();
    if points.iter().any(|&i| (0.01 * EXTERIOR..100.0 * EXTERIOR).contains(&share(i))) {
        found.smallest_gap = 0.0;
    }
    points.into_iter().filter(|&i| share(i) > EXTERIOR).collect()
}

/// Step 1: the next anchor and its score.
fn detect(x: &Grid, r: &Grid, selection: Selection, found: &mut Naive) -> Option<(usize, f64)> {
    let exterior = exterior_points(x, r, found);
    let sum = |j: usize| x.column(j).iter().sum::<f64>();
    let norm = |j: usize| dot(x.column(j), x.column(j)).sqrt();
    let seen = |i: usize, j: usize| dot(r.column(i), x.column(j)).max(0.0);
    // Greedy divides by norms; all other rules need a sum that is more than what cancelling leaves.
    let gross = |j: usize| x.column(j).iter().map(|v| v.abs()).sum::<f64>();
    let usable = |j: usize| match selection {
        Selection::Greedy => norm(j) > 0.0,
        _ => sum(j) > 1e-3 * gross(j),
    };
    let columns: Vec<usize> =
        (0..x.n).filter(|&j| usable(j) && !found.anchors.contains(&j)).collect();
    if exterior.is_empty() || columns.is_empty() {
        return None;
    }
    let flat = |_: usize| 0.0;
    let spread = |j: usize| norm(j) / sum(j);
    let mass_from = |k: usize| (0..x.n).map(|j| seen(k, j).powi(2)).sum::<f64>().sqrt();
    let mass_at = |j: usize| (0..x.n).map(|i| seen(i, j).powi(2)).sum::<f64>().sqrt();
    let look_from = |i: usize, found: &mut Naive| {
        pick(&columns, |j| dot(r.column(i), x.column(j)) / sum(j), spread, found)
    };
    Some(match selection {
        Selection::Rand => unreachable!("not deterministic"),
        Selection::Max => {
            let size = |i: usize| dot(r.column(i), r.column(i)).sqrt();
            let (i, _) = pick(&exterior, size, flat, found);
            look_from(i, found)
        }
        Selection::Dist => {
            let (i, _) = pick(&exterior, mass_from, flat, found);
            look_from(i, found)
        }
        Selection::Greedy => pick(&columns, |j| (mass_at(j) / norm(j)).powi(2), flat, found),
        Selection::Agg => pick(&columns, |j| mass_at(j) / sum(j), spread, found),
        Selection::Joint => {
            let best = |j: usize| (0..x.n).map(|i| seen(i, j)).fold(0.0, f64::max) / sum(j);
            pick(&columns, best, spread, found)
        }
    })
}

/// The largest score, among ties the largest spread, among those the lowest index.
fn pick(
    among: &[usize],
    score: impl Fn(usize) -> f64,
    spread: impl Fn(usize) -> f64,
    found: &mut Naive,
) -> (usize, f64) {
    let scores: Vec<f64> = among.iter().map(|&j| score(j)).collect();
    let tied = tied_with_largest(&scores, found);
    let spreads: Vec<f64> = tied.iter().map(|&q| spread(among[q])).collect();
    let q = tied[tied_with_largest(&spreads, found)[0]];
    (among[q], scores[q])
}

/// Positions of the values that tie with the largest, ascending.
fn tied_with_largest(values: &[f64], found: &mut Naive) -> Vec<usize> {
    let best = values.iter().copied().fold(f64::MIN, f64::max);
    let gap = |v: f64| (best - v) / best.abs().max(f64::MIN_POSITIVE);
    let others = values.iter().map(|&v| gap(v)).filter(|g| *g > EQUAL);
    found.smallest_gap = others.fold(found.smallest_gap, f64::min);
    (0..values.len()).filter(|&q| gap(values[q]) <= TIE).collect()
}

/// R = X - A H with H the projection onto the cone of `anchors`.
fn residual(x: &Grid, anchors: &[Vec<f64>]) -> Grid {
    let anchors: Vec<&[f64]> = anchors.iter().map(Vec::as_slice).collect();
    x.map_columns(|_, column| difference(&anchors, &nnls(&anchors, column), column))
}

/// `x - A h`.
pub fn difference(columns: &[&[f64]], h: &[f64], x: &[f64]) -> Vec<f64> {
    let mut r = x.to_vec();
    for (a, &w) in columns.iter().zip(h) {
        r.iter_mut().zip(*a).for_each(|(r, v)| *r -= w * v);
    }
    r
}

/// `min_{h >= 0} ||x - A h||` by Lawson and Hanson's method.
pub fn nnls(columns: &[&[f64]], x: &[f64]) -> Vec<f64> {
    let norm = |a: &[f64]| dot(a, a).sqrt();
    let mut h = vec![0.0; columns.len()];
    let mut passive: Vec<usize> = Vec::new();
    let mut dependent = vec![false; columns.len()];
    for _ in 0..100 * (columns.len() + 1) {
        let r = difference(columns, &h, x);
        let slope = |&k: &usize| dot(&r, columns[k]) / norm(columns[k]);
        let entering = (0..columns.len())
            .filter(|k| !passive.contains(k) && !dependent[*k] && norm(columns[*k]) > 0.0)
            .max_by(|a, b| slope(a).total_cmp(&slope(b)));
        let Some(k) = entering.filter(|k| slope(k) > 1e-13 * norm(x)) else { break };
        passive.push(k);
        if least_squares(columns, &passive, x).is_none() {
            passive.pop();
            dependent[k] = true;
            continue;
        }
        dependent.fill(false);
        settle(columns, x, &mut passive, &mut h);
    }
    h
}

/// Moves h to the minimum over the passive set, dropping what would turn negative on the way.
fn settle(columns: &[&[f64]], x: &[f64], passive: &mut Vec<usize>, h: &mut [f64]) {
    while let Some(z) = least_squares(columns, passive, x) {
        let worst = (0..z.len()).filter(|&q| z[q] <= 0.0).min_by(|&a, &b| {
            let share = |q: usize| h[passive[q]] / (h[passive[q]] - z[q]);
            share(a).total_cmp(&share(b))
        });
        let Some(worst) = worst else {
            passive.iter().zip(z).for_each(|(&k, z)| h[k] = z);
            return;
        };
        let share = h[passive[worst]] / (h[passive[worst]] - z[worst]);
        let share = if share.is_finite() { share } else { 0.0 };
        passive.iter().zip(&z).for_each(|(&k, z)| h[k] += share * (z - h[k]));
        h[passive[worst]] = 0.0;
        passive.remove(worst);
    }
}

/// `min ||x - A_P z||` by orthogonalising the columns twice; None if they are dependent.
pub fn least_squares(columns: &[&[f64]], support: &[usize], x: &[f64]) -> Option<Vec<f64>> {
    let mut basis: Vec<Vec<f64>> = Vec::new();
    let mut triangle: Vec<Vec<f64>> = Vec::new();
    for &k in support {
        let mut rest = columns[k].to_vec();
        let mut entries = vec![0.0; basis.len()];
        for q in (0..basis.len()).chain(0..basis.len()) {
            let share = dot(&rest, &basis[q]);
            rest.iter_mut().zip(&basis[q]).for_each(|(v, b)| *v -= share * b);
            entries[q] += share;
        }
        let norm = dot(&rest, &rest).sqrt();
        if norm <= 1e-9 * dot(columns[k], columns[k]).sqrt() {
            return None;
        }
        rest.iter_mut().for_each(|v| *v /= norm);
        basis.push(rest);
        entries.push(norm);
        triangle.push(entries);
    }
    let mut z: Vec<f64> = basis.iter().map(|b| dot(b, x)).collect();
    for q in (0..z.len()).rev() {
        z[q] /= triangle[q][q];
        for p in 0..q {
            z[p] -= triangle[q][p] * z[q];
        }
    }
    Some(z)
}

/// The columns of each extreme ray: a column is extreme if it is not in the cone of the columns on
/// other rays.
pub fn extreme_rays(x: &Grid) -> Vec<Vec<usize>> {
    let mut rays: Vec<Vec<usize>> = Vec::new();
    for j in (0..x.n).filter(|&j| x.column(j).iter().any(|v| *v != 0.0)) {
        match rays.iter_mut().find(|ray| same_ray(x.column(ray[0]), x.column(j))) {
            Some(ray) => ray.push(j),
            None => rays.push(vec![j]),
        }
    }
    let is_extreme = |ray: &Vec<usize>| {
        let own = x.column(ray[0]);
        let others = rays.iter().filter(|other| *other != ray);
        let others: Vec<&[f64]> = others.map(|other| x.column(other[0])).collect();
        let r = difference(&others, &nnls(&others, own), own);
        dot(&r, &r) > 1e-12 * dot(own, own)
    };
    rays.iter().filter(|ray| is_extreme(ray)).cloned().collect()
}
