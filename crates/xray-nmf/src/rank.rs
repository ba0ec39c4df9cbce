//! Choosing the rank: one run gives the curves of all ranks.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use crate::choices;
use crate::factorization::Factorization;
use crate::observe::Termination;

/// The part of the knee's largest depth that is deep enough.
const ENOUGH: f64 = 0.75;

/// Residuals below this count as this.
const LEAST_RESIDUAL: f64 = 1e-8;

/// A relative residual below this leaves nothing to explain.
const EXPLAINED: f64 = 1e-6;

/// Depths up to this are a straight line.
const ROUNDING: f64 = 1e-12;

/// A suggested rank and why.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RankSuggestion {
    /// The rank.
    pub rank: usize,
    /// The rule that gave it.
    pub reason: RankReason,
}

choices! {
    /// Which rule suggested a rank.
    pub enum RankReason ("reason") {
        Exhausted = "exhausted": "they explain everything",
        Knee = "knee": "anchors beyond bring little, and one about as much as the next",
        HeldOut = "held_out": "more explain held-out rows less well",
    }
}

impl RankSuggestion {
    /// From the relative residual of ranks 1, 2, ... and the held-out error of the same ranks, if
    /// there is one.
    ///
    /// The suggestion is the *knee* of the logarithm of the residual against the rank: the smallest rank
    /// whose depth below the straight line from rank 1 to the last is at least three quarters of the
    /// largest depth. The line starts at rank 1 because the first anchor of nonnegative data mostly
    /// explains the mean; the logarithm shows the last anchors before the noise as clearly as the first
    /// ones. If the curve never lies below the line, anchors bring more and more, and the last rank is
    /// suggested. A rank with the lowest held-out error is preferred if it is smaller. Rank 0 if there are
    /// no ranks.
    pub fn from_curves(residuals: &[f64], held_out: Option<&[f64]>) -> Self {
        let rank = knee(residuals);
        match held_out.filter(|errors| !errors.is_empty()).map(lowest) {
            Some(t) if t + 1 < rank => Self { rank: t + 1, reason: RankReason::HeldOut },
            _ => Self { rank, reason: RankReason::Knee },
        }
    }
}

impl Factorization {
    /// Suggests how many of the anchors found to keep: all if they explain every column and are at most
    /// half of the columns, else by [`RankSuggestion::from_curves`] with the held-out errors of the run.
    pub fn suggest_rank(&self) -> RankSuggestion {
        let held_out: Option<Vec<f64>> = self.steps().iter().map(|step| step.held_out).collect();
        let held_out = held_out.as_deref();
        let explained = |residual: f64| residual < EXPLAINED;
        let few = 2 * self.rank() <= self.n_columns();
        if few && self.termination() == Termination::Exhausted && explained(self.residual()) {
            return RankSuggestion { rank: self.rank(), reason: RankReason::Exhausted };
        }
        let residuals: Vec<f64> = self.steps().iter().map(|step| step.residual).collect();
        if few {
            return RankSuggestion::from_curves(&residuals, held_out);
        }
        // Columns that explain themselves say nothing about the rank, unless nothing else does.
        let unexplained = residuals.partition_point(|residual| !explained(*residual));
        let mut suggested = RankSuggestion::from_curves(&residuals[..unexplained], held_out);
        if suggested.rank == unexplained {
            suggested.rank = residuals.len().min(unexplained + 1);
        }
        suggested
    }
}

fn lowest(errors: &[f64]) -> usize {
    (0..errors.len()).reduce(|best, t| if errors[t] < errors[best] { t } else { best }).unwrap_or(0)
}

/// The rank where the logarithm of the residual bends; `residuals[t]` is that of rank t + 1.
fn knee(residuals: &[f64]) -> usize {
    let curve: Vec<f64> = residuals.iter().map(|rho| rho.max(LEAST_RESIDUAL).ln()).collect();
    let (Some(&first), Some(&last)) = (curve.first(), curve.last()) else { return 0 };
    let slope = (last - first) / (curve.len() - 1).max(1) as f64;
    let depths: Vec<f64> =
        curve.iter().enumerate().map(|(t, v)| first + slope * t as f64 - v).collect();
    let deepest = depths.iter().copied().fold(0.0, f64::max);
    if deepest <= ROUNDING {
        return curve.len();
    }
    depths.iter().position(|depth| *depth >= ENOUGH * deepest).map_or(curve.len(), |t| t + 1)
}

/// Splits `n_rows` row indices at random into kept and held-out ones, each ascending.
///
/// `share` is the part to hold out, between 0 and 1; at least one row is kept if there is one.
///
/// # Examples
/// ```
/// let (kept, held_out) = xray_nmf::split_rows(10, 0.2, 7);
/// assert_eq!((kept.len(), held_out.len()), (8, 2));
/// ```
pub fn split_rows(n_rows: usize, share: f64, seed: u64) -> (Vec<usize>, Vec<usize>) {
    let mut rows: Vec<usize> = (0..n_rows).collect();
    rows.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
    let wanted = (share.clamp(0.0, 1.0) * n_rows as f64).round() as usize;
    let held = wanted.min(n_rows.saturating_sub(1));
    let mut kept = rows.split_off(held);
    kept.sort_unstable();
    rows.sort_unstable();
    (kept, rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_knee_is_where_the_curve_bends() {
        assert_eq!(knee(&[0.30, 0.26, 0.22, 0.17, 0.11, 0.05, 0.049, 0.048, 0.047, 0.046]), 6);
        assert_eq!(knee(&[0.9, 0.8, 0.65, 0.64, 0.63, 0.62, 0.61]), 3);
        assert_eq!(knee(&[0.9, 0.5, 0.0]), 3);
        assert_eq!(knee(&[]), 0);
        assert_eq!(knee(&[0.5]), 1);
        assert_eq!(knee(&[0.5, 0.5, 0.5]), 3);
    }

    #[test]
    fn held_out_error_can_only_lower_the_rank() {
        let residuals = [0.8, 0.6, 0.3, 0.29, 0.285, 0.281];
        let plain = RankSuggestion::from_curves(&residuals, None);
        assert_eq!(plain, RankSuggestion { rank: 3, reason: RankReason::Knee });
        let best_at_2 = [0.8, 0.6, 0.7, 0.7, 0.7, 0.7];
        let lower = RankSuggestion::from_curves(&residuals, Some(&best_at_2));
        assert_eq!(lower, RankSuggestion { rank: 2, reason: RankReason::HeldOut });
        assert_eq!(RankSuggestion::from_curves(&residuals, Some(&residuals)), plain);
    }

    #[test]
    fn a_split_has_each_row_once() {
        let (kept, held) = split_rows(101, 0.3, 3);
        let mut all = [kept.clone(), held.clone()].concat();
        all.sort_unstable();
        assert_eq!(all, (0..101).collect::<Vec<_>>());
        assert_eq!(held.len(), 30);
        assert_eq!(split_rows(101, 0.3, 3), (kept, held));
        assert_eq!(split_rows(3, 1.0, 0).0.len(), 1);
        assert_eq!(split_rows(0, 0.5, 0), (vec![], vec![]));
    }
}
