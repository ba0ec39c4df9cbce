//! `greedy`: `||(R'X_j)_+||^2 / ||X_j||^2`, how much column j alone can lower `||R||^2`.

use super::scored::Score;
use crate::candidates::Candidates;
use crate::cone::Cone;
use crate::matrix::kernels::Fold;

#[derive(Debug)]
pub(super) struct Greedy;

impl Score for Greedy {
    const FOLD: Fold = Fold::SumOfSquares;

    fn denominators(cone: &Cone<'_>, _candidates: &Candidates) -> Vec<f64> {
        cone.squared_norms.clone()
    }

    fn score(folded: f64, denominator: f64) -> f64 {
        folded / denominator
    }

    fn bound(norm: f64, denominator: f64) -> f64 {
        norm * norm / denominator
    }

    fn norm(score: f64, denominator: f64) -> f64 {
        (score * denominator).sqrt()
    }
}
