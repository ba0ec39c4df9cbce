//! The column with the largest residual: the step that SPA and SNPA share.

/// Relative difference below which scores count as equal.
const TIE_TOLERANCE: f64 = 1e-9;

/// The index of the largest positive score; among ties (within a relative 1e-9) the one with the
/// largest `size`, then the lowest index. None if no score is positive.
///
/// A strictly convex function of a polytope's points is largest only at vertices, so a tie is
/// between vertices or copies of one.
pub(super) fn largest(scores: &[f64], size: &[f64]) -> Option<usize> {
    let best = scores.iter().copied().fold(0.0, f64::max);
    if best <= 0.0 {
        return None;
    }
    let tied = || (0..scores.len()).filter(|&j| ties_with(scores[j], best));
    let widest = tied().map(|j| size[j]).fold(0.0, f64::max);
    tied().find(|&j| ties_with(size[j], widest))
}

/// Whether `score` ties with `best`, the largest score.
fn ties_with(score: f64, best: f64) -> bool {
    score >= best - TIE_TOLERANCE * best.abs()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_go_to_the_largest_then_to_the_first() {
        assert_eq!(largest(&[1.0, 2.0, 2.0], &[9.0, 3.0, 3.0]), Some(1));
        assert_eq!(largest(&[1.0, 2.0, 2.0], &[9.0, 3.0, 4.0]), Some(2));
        assert_eq!(largest(&[0.0, 0.0], &[1.0, 1.0]), None);
        assert_eq!(largest(&[], &[]), None);
    }
}
