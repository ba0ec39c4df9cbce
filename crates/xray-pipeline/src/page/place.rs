//! Where topics are on the map: classical scaling of the distances between them.
//!
//! Topics are vectors of length 1, so `d_ij^2 = 2 (1 - h_i'h_j)`, and the centred products `B = J H H' J` are those of
//! points with these distances. The two eigenvectors of B with the largest eigenvalues, times the roots of these, are
//! the best places in two dimensions; `(l_1 + l_2) / trace B` is the part of all squared distances that they keep. The
//! sign of an axis is such that its largest entry is positive. Then circles of an area in proportion to their share are
//! moved apart until none covers another. Everything is computed in one order: the same bits every time.
//!
//! Cost: `O(k^3)` for the rotations of k topics, `O(k^2)` for each round of moving.

/// Width and height of the map.
const WIDTH: f64 = 1.5;
const HEIGHT: f64 = 1.0;

/// The part of the map that circles cover.
const COVERED: f64 = 0.12;

/// Room between circles.
const GAP: f64 = 0.008;

/// Most rounds of moving circles apart, and of rotations.
const ROUNDS: usize = 300;
const SWEEPS: usize = 40;

/// Places and radii of topics, and the part of the squared distances that two dimensions keep.
pub(super) fn places(products: &[f64], shares: &[f64]) -> (Vec<[f64; 3]>, f64) {
    let k = shares.len();
    let (axes, kept) = axes(centred(products, k), k);
    let area: f64 = shares.iter().sum::<f64>().max(1e-12);
    let radius =
        |share: f64| (COVERED * WIDTH * HEIGHT * share / area / std::f64::consts::PI).sqrt();
    let circles = (0..k).map(|i| [axes[0][i], axes[1][i], radius(shares[i])]).collect();
    (apart(fitted(circles)), kept)
}

/// `J B J`: rows and columns have mean 0.
fn centred(products: &[f64], k: usize) -> Vec<f64> {
    let mean = |row: usize| products[row * k..(row + 1) * k].iter().sum::<f64>() / k as f64;
    let means: Vec<f64> = (0..k).map(mean).collect();
    let all = means.iter().sum::<f64>() / k.max(1) as f64;
    let entry = |place: usize| products[place] - means[place / k] - means[place % k] + all;
    (0..k * k).map(entry).collect()
}

/// The two leading eigenvectors of a symmetric matrix times the roots of their eigenvalues, and the part of the trace
/// that these are: Jacobi's rotations, cyclic.
fn axes(mut b: Vec<f64>, k: usize) -> ([Vec<f64>; 2], f64) {
    let mut vectors = vec![0.0; k * k];
    (0..k).for_each(|i| vectors[i * k + i] = 1.0);
    let trace: f64 = (0..k).map(|i| b[i * k + i]).sum();
    for _ in 0..SWEEPS {
        let outside: f64 = (0..k * k)
            .filter(|place| place / k != place % k)
            .map(|place| b[place] * b[place])
            .sum();
        if outside <= 1e-24 * trace * trace {
            break;
        }
        for p in 0..k {
            for q in p + 1..k {
                rotate(&mut b, &mut vectors, k, p, q);
            }
        }
    }
    let mut order: Vec<usize> = (0..k).collect();
    order.sort_by(|&i, &j| b[j * k + j].total_cmp(&b[i * k + i]).then(i.cmp(&j)));
    let axis = |place: usize| {
        let Some(&column) = order.get(place) else { return vec![0.0; k] };
        let root = b[column * k + column].max(0.0).sqrt();
        let entries: Vec<f64> = (0..k).map(|i| root * vectors[i * k + column]).collect();
        let largest =
            entries.iter().copied().fold(0.0, |a: f64, v| if v.abs() > a.abs() { v } else { a });
        let sign = if largest < 0.0 { -1.0 } else { 1.0 };
        entries.into_iter().map(|v| sign * v).collect()
    };
    let eigenvalue = |place: usize| order.get(place).map_or(0.0, |&i| b[i * k + i].max(0.0));
    let kept = if trace > 0.0 { (eigenvalue(0) + eigenvalue(1)) / trace } else { 1.0 };
    ([axis(0), axis(1)], kept.min(1.0))
}

/// Makes the entry at p, q zero.
fn rotate(b: &mut [f64], vectors: &mut [f64], k: usize, p: usize, q: usize) {
    let off = b[p * k + q];
    if off == 0.0 {
        return;
    }
    let theta = (b[q * k + q] - b[p * k + p]) / (2.0 * off);
    let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
    let t = if theta == 0.0 { 1.0 } else { t };
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    for i in 0..k {
        let (x, y) = (b[i * k + p], b[i * k + q]);
        (b[i * k + p], b[i * k + q]) = (c * x - s * y, s * x + c * y);
    }
    for i in 0..k {
        let (x, y) = (b[p * k + i], b[q * k + i]);
        (b[p * k + i], b[q * k + i]) = (c * x - s * y, s * x + c * y);
        let (x, y) = (vectors[i * k + p], vectors[i * k + q]);
        (vectors[i * k + p], vectors[i * k + q]) = (c * x - s * y, s * x + c * y);
    }
}

/// The circles moved and scaled, all alike, so that they fill the map.
fn fitted(mut circles: Vec<[f64; 3]>) -> Vec<[f64; 3]> {
    let ends = |axis: usize, circles: &[[f64; 3]]| {
        let values = || circles.iter().map(|circle| circle[axis]);
        (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max))
    };
    let radius = circles.iter().map(|circle| circle[2]).fold(0.0, f64::max);
    let ((left, right), (top, bottom)) = (ends(0, &circles), ends(1, &circles));
    let room = |size: f64, span: f64| {
        if span > 0.0 { (size - 2.0 * radius) / span } else { f64::INFINITY }
    };
    let scale = room(WIDTH, right - left).min(room(HEIGHT, bottom - top));
    let scale = if scale.is_finite() { scale.max(0.0) } else { 0.0 };
    for circle in &mut circles {
        circle[0] = WIDTH / 2.0 + scale * (circle[0] - (left + right) / 2.0);
        circle[1] = HEIGHT / 2.0 + scale * (circle[1] - (top + bottom) / 2.0);
    }
    circles
}

/// The circles moved apart, within the map.
fn apart(mut circles: Vec<[f64; 3]>) -> Vec<[f64; 3]> {
    for _ in 0..ROUNDS {
        let mut moved = false;
        for i in 0..circles.len() {
            for j in i + 1..circles.len() {
                let (dx, dy) = (circles[j][0] - circles[i][0], circles[j][1] - circles[i][1]);
                let far = (dx * dx + dy * dy).sqrt();
                let lacking = circles[i][2] + circles[j][2] + GAP - far;
                if lacking <= 1e-9 {
                    continue;
                }
                moved = true;
                // Circles at one place part in a direction of their own.
                let turn = (i * circles.len() + j) as f64;
                let (x, y) =
                    if far > 1e-9 { (dx / far, dy / far) } else { (turn.cos(), turn.sin()) };
                let half = lacking / 2.0;
                circles[i] =
                    within([circles[i][0] - half * x, circles[i][1] - half * y, circles[i][2]]);
                circles[j] =
                    within([circles[j][0] + half * x, circles[j][1] + half * y, circles[j][2]]);
            }
        }
        if !moved {
            break;
        }
    }
    circles
}

fn within([x, y, r]: [f64; 3]) -> [f64; 3] {
    [x.clamp(r, (WIDTH - r).max(r)), y.clamp(r, (HEIGHT - r).max(r)), r]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Products of unit vectors.
    fn products(vectors: &[Vec<f64>]) -> Vec<f64> {
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum();
        vectors.iter().flat_map(|a| vectors.iter().map(move |b| dot(a, b))).collect()
    }

    #[test]
    fn distances_in_a_plane_are_kept() {
        // On a circle around the axis of a cone: all differences are in a plane.
        let angles = [0.0_f64, 0.7, 1.9, 3.0, 4.4];
        let vectors: Vec<Vec<f64>> =
            angles.iter().map(|a| vec![0.6 * a.cos(), 0.6 * a.sin(), 0.8]).collect();
        let products = products(&vectors);
        let (axes, kept) = axes(centred(&products, 5), 5);
        assert!(kept > 1.0 - 1e-12, "{kept}");
        for i in 0..5 {
            for j in 0..5 {
                let (dx, dy) = (axes[0][i] - axes[0][j], axes[1][i] - axes[1][j]);
                let squared = 2.0 * (1.0 - products[i * 5 + j]);
                assert!((dx * dx + dy * dy - squared).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn circles_are_apart_and_on_the_map() {
        for k in [1, 2, 3, 8, 40, 120] {
            let vectors: Vec<Vec<f64>> = (0..k)
                .map(|i| {
                    let row: Vec<f64> =
                        (0..7).map(|j| ((i * 31 + j * 17) % 11) as f64 + 0.1).collect();
                    let length = row.iter().map(|v| v * v).sum::<f64>().sqrt();
                    row.into_iter().map(|v| v / length).collect()
                })
                .collect();
            let shares: Vec<f64> = (0..k).map(|i| 1.0 / (i + 1) as f64).collect();
            let (places, kept) = places(&products(&vectors), &shares);
            assert!((0.0..=1.0).contains(&kept));
            for (i, a) in places.iter().enumerate() {
                assert!(a[0] >= a[2] - 1e-9 && a[0] <= WIDTH - a[2] + 1e-9, "{k}: {a:?}");
                assert!(a[1] >= a[2] - 1e-9 && a[1] <= HEIGHT - a[2] + 1e-9, "{k}: {a:?}");
                for b in &places[i + 1..] {
                    let far = ((a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2)).sqrt();
                    assert!(far >= 0.8 * (a[2] + b[2]), "{k}: {a:?} {b:?}");
                }
            }
        }
    }
}
