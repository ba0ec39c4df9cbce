//! The projection of one row of C onto `0 <= c_j <= c_i <= 1`, exactly.
//!
//! For a given diagonal t the others are `min(max(x_j, 0), t)`. The squared distance is then a convex
//! function of t whose derivative vanishes at
//!
//! ```text
//! t = (x_i + sum of the k largest others) / (k + 1),   k = number of others above t,
//! ```
//!
//! found by taking the mean of `x_i` and those above it, and dropping those at or below that mean, until
//! none is. What is outside [0, 1] moves to the nearer end. Cost: a few passes over those above `x_i`.

/// Replaces row `i` of C, given as all its entries, by the nearest one in Phi.
///
/// # Examples
/// ```
/// use xray_nmf::rivals::project_row;
/// let mut row = [0.2, 0.8, -1.0, 0.3];
/// project_row(&mut row, 0);
/// assert_eq!(row, [0.5, 0.5, 0.0, 0.3]);
/// ```
///
/// # Panics
/// If the row has no entry `i`.
pub fn project_row(row: &mut [f64], i: usize) {
    let own = row[i];
    let floor = own.max(0.0);
    let others = row.iter().enumerate().filter(|(j, v)| *j != i && **v > floor);
    let t = threshold(own, others.map(|(_, v)| *v).collect());
    row.iter_mut().for_each(|v| *v = v.clamp(0.0, t));
    row[i] = t;
}

/// The diagonal t, from the diagonal before and all others that are above it and positive.
pub(super) fn threshold(own: f64, mut above: Vec<f64>) -> f64 {
    loop {
        // Those at or below the mean are not above t either, which is at least the mean.
        let sum = above.iter().fold(own, |sum, v| sum + v);
        let t = sum / (above.len() + 1) as f64;
        let before = above.len();
        above.retain(|v| *v > t);
        if above.len() == before {
            return t.clamp(0.0, 1.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The best diagonal on a fine grid.
    fn by_search(row: &[f64], i: usize) -> f64 {
        let distance = |t: f64| {
            let term = |(j, v): (usize, &f64)| {
                let c = if j == i { t } else { v.clamp(0.0, t) };
                (c - v) * (c - v)
            };
            row.iter().enumerate().map(term).sum::<f64>()
        };
        let grid = (0..=10_000).map(|q| f64::from(q) / 10_000.0);
        grid.min_by(|a, b| distance(*a).total_cmp(&distance(*b))).unwrap()
    }

    #[test]
    fn rows_go_to_the_nearest_point() {
        let mut state = 1u64;
        let mut unit = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as f64 / (1u64 << 31) as f64
        };
        for n in 1..30 {
            let row: Vec<f64> = (0..n).map(|_| 3.0 * unit() - 1.0).collect();
            let i = n / 2;
            let mut projected = row.clone();
            project_row(&mut projected, i);
            assert!((projected[i] - by_search(&row, i)).abs() <= 1e-4, "{row:?} {projected:?}");
            assert!(projected.iter().all(|v| (0.0..=projected[i]).contains(v)));
            let once = projected.clone();
            project_row(&mut projected, i);
            assert!(once.iter().zip(&projected).all(|(a, b)| (a - b).abs() < 1e-15));
        }
    }
}
