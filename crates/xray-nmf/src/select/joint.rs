//! `joint`: `max_i R_i'X_j / p'X_j`, the rule of the paper's equation 1 over all points i at once.

use super::scored::Score;
use crate::candidates::Candidates;
use crate::cone::Cone;
use crate::matrix::kernels::Fold;

#[derive(Debug)]
pub(super) struct Joint;

impl Score for Joint {
    const FOLD: Fold = Fold::Largest;

    fn denominators(_cone: &Cone<'_>, candidates: &Candidates) -> Vec<f64> {
        candidates.sizes.clone()
    }

    fn score(folded: f64, denominator: f64) -> f64 {
        folded / denominator
    }

    fn bound(norm: f64, denominator: f64) -> f64 {
        norm / denominator
    }

    fn norm(score: f64, denominator: f64) -> f64 {
        score * denominator
    }
}
