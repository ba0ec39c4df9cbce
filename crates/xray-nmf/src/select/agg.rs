//! `agg`: `||(R'X_j)_+|| / p'X_j`, which is convex in `X_j / p'X_j`, so largest at an extreme ray.

use super::scored::Score;
use crate::candidates::Candidates;
use crate::cone::Cone;
use crate::matrix::kernels::Fold;

#[derive(Debug)]
pub(super) struct Agg;

impl Score for Agg {
    const FOLD: Fold = Fold::SumOfSquares;

    fn denominators(_cone: &Cone<'_>, candidates: &Candidates) -> Vec<f64> {
        candidates.sizes.clone()
    }

    fn score(folded: f64, denominator: f64) -> f64 {
        folded.sqrt() / denominator
    }

    fn bound(norm: f64, denominator: f64) -> f64 {
        norm / denominator
    }

    fn norm(score: f64, denominator: f64) -> f64 {
        score * denominator
    }
}
