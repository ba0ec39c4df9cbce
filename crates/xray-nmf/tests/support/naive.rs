//! The paper's pseudo-code, dense and slow: the oracle of every fast path.
//!
//! R is formed, every score is a double loop, and projections are solved by coordinate descent run
//! to stagnation in plain dense arithmetic. Nothing here is shared with the crate.

use super::Grid;
use super::verify::dot;
use xray_nmf::Selection;

/// Anchors, the exterior points looked from, scores, and relative residuals, by Algorithm 1.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Naive {
    pub anchors: Vec<usize>,
    pub scores: Vec<f64>,
    pub residuals: Vec<f64>,
    /// Smallest relative gap between a winner and the next score, over all choices made.
    pub smallest_gap: f64,
}

const TIE: f64 = 1e-9;

/// Runs Algorithm 1 with `max`, `dist`, `greedy`, `agg` or `joint`; p = ones.
pub fn xray(x: &Grid, rank: usize, selection: Selection, mean_ray: bool) -> Naive {
    let mut cone: Vec<Vec<f64>> = Vec::new();
    if mean_ray {
        let sum = |d: usize| (0..x.n).map(|j| x.column(j)[d]).sum::<f64>();
        let mean: Vec<f64> = (0..x.m).map(|d| sum(d) / x.n as f64).collect();
        if exterior_points(x, &residual(x, std::slice::from_ref(&mean))).next().is_some() {
            cone.push(mean);
        }
    }
    let mut found = Naive { smallest_gap: 1.0, ..Naive::default() };
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

fn exterior_points<'a>(x: &'a Grid, r: &'a Grid) -> impl Iterator<Item = usize> + 'a {
    let norm = |g: &Grid, i: usize| dot(g.column(i), g.column(i)).sqrt();
    (0..x.n).filter(move |&i| norm(r, i) > 1e-6 * norm(x, i))
}

fn detect(x: &Grid, r: &Grid, selection: Selection, found: &mut Naive) -> Option<(usize, f64)> {
    let exterior: Vec<usize> = exterior_points(x, r).collect();
    let sum = |j: usize| x.column(j).iter().sum::<f64>();
    let norm = |j: usize| dot(x.column(j), x.column(j)).sqrt();
    let positive = |a: &[f64], b: &[f64]| dot(a, b).max(0.0);
    let chosen = found.anchors.clone();
    let open = |j: &usize| norm(*j) > 0.0 && sum(*j) > 0.0 && !chosen.contains(j);
    let over_rows =
        |j: usize| (0..x.n).map(|i| positive(r.column(i), x.column(j)).powi(2)).sum::<f64>();
    let score_from = |i: usize, j: usize| dot(r.column(i), x.column(j)) / sum(j);
    let point = match selection {
        _ if exterior.is_empty() => return None,
        Selection::Max => {
            Some(pick(&exterior, |i| dot(r.column(i), r.column(i)), |_| 0.0, found).0)
        }
        Selection::Dist => {
            let mass = |k: usize| {
                (0..x.n).map(|j| positive(r.column(k), x.column(j)).powi(2)).sum::<f64>()
            };
            Some(pick(&exterior, mass, |_| 0.0, found).0)
        }
        Selection::Rand => unreachable!("not deterministic"),
        _ => None,
    };
    let columns: Vec<usize> = (0..x.n).filter(open).collect();
    if columns.is_empty() {
        return None;
    }
    let spread = |j: usize| norm(j) / sum(j);
    Some(match (selection, point) {
        (_, Some(i)) => pick(&columns, |j| score_from(i, j), spread, found),
        (Selection::Greedy, _) => {
            pick(&columns, |j| over_rows(j) / norm(j).powi(2), |_| 0.0, found)
        }
        (Selection::Agg, _) => pick(&columns, |j| over_rows(j).sqrt() / sum(j), spread, found),
        _ => {
            let best = |j: usize| (0..x.n).map(|i| score_from(i, j)).fold(0.0, f64::max);
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
    let best = scores.iter().copied().fold(f64::MIN, f64::max);
    let tied: Vec<usize> = (0..among.len()).filter(|&q| scores[q] >= best * (1.0 - TIE)).collect();
    let widest = tied.iter().map(|&q| spread(among[q])).fold(f64::MIN, f64::max);
    let q = *tied.iter().find(|&&q| spread(among[q]) >= widest * (1.0 - TIE)).unwrap();
    for (other, &s) in scores.iter().enumerate() {
        let gap = (best - s).abs() / best.abs().max(f64::MIN_POSITIVE);
        if other != q && gap > 1e-13 {
            found.smallest_gap = found.smallest_gap.min(gap);
        }
    }
    (among[q], scores[q])
}

/// R = X - A H with H the projection onto the cone of `anchors`.
fn residual(x: &Grid, anchors: &[Vec<f64>]) -> Grid {
    x.map_columns(|_, column| {
        let h = project(anchors, column);
        let mut r = column.to_vec();
        for (a, w) in anchors.iter().zip(h) {
            r.iter_mut().zip(a).for_each(|(r, v)| *r -= w * v);
        }
        r
    })
}

/// min_{h >= 0} ||x - A h||: exhaustive over supports for few anchors is exact but slow, so this is
/// coordinate descent to stagnation, polished by solving the normal equations on its support.
fn project(anchors: &[Vec<f64>], x: &[f64]) -> Vec<f64> {
    let s: Vec<Vec<f64>> =
        anchors.iter().map(|a| anchors.iter().map(|b| dot(a, b)).collect()).collect();
    let c: Vec<f64> = anchors.iter().map(|a| dot(a, x)).collect();
    let mut h = vec![0.0; anchors.len()];
    for _ in 0..20_000 {
        let mut moved = 0.0f64;
        for k in 0..h.len() {
            let gradient = c[k] - dot(&s[k], &h);
            let new = if s[k][k] > 0.0 { (h[k] + gradient / s[k][k]).max(0.0) } else { 0.0 };
            moved = moved.max((new - h[k]).abs() * s[k][k].sqrt());
            h[k] = new;
        }
        if moved <= 1e-15 * dot(x, x).sqrt() {
            break;
        }
    }
    h
}
