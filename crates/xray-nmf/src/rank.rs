//! Choosing the rank: one run gives the curves of all ranks.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use crate::factorization::Factorization;
use crate::observe::Termination;

/// A suggested rank and why.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RankSuggestion {
    /// The rank.
    pub rank: usize,
    /// The rule that gave it.
    pub reason: RankReason,
}

/// Which rule suggested a rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RankReason {
    /// The anchors found explain every column: there is nothing left to add.
    Exhausted,
    /// Anchors beyond it bring little, and one about as much as the next.
    Knee,
    /// Anchors beyond it explain rows that were held out less well.
    HeldOut,
}

impl RankSuggestion {
    /// From the relative residual of ranks 1, 2, ... and the held-out error of the same ranks, if
    /// there is one.
    ///
    /// The *gain* of an anchor is the root of what it takes off the squared residual; with the best
    /// possible rays these would be the singular values of X. Each gain is raised to the largest one
    /// after it, so that they never grow, and drawn against the rank; the *knee* is the rank that lies
    /// farthest below the line from the first to the last. If its gain is more like the next one than
    /// like the one before, it is the first of the tail, and the rank before it is taken. A rank with a
    /// lower held-out error is preferred if it is smaller. Rank 0 if there are no ranks.
    pub fn from_curves(residuals: &[f64], held_out: Option<&[f64]>) -> Self {
        let rank = knee(&gains(residuals));
        match held_out.filter(|errors| !errors.is_empty()).map(lowest) {
            Some(t) if t + 1 < rank => Self { rank: t + 1, reason: RankReason::HeldOut },
            _ => Self { rank, reason: RankReason::Knee },
        }
    }
}

impl Factorization {
    /// Suggests how many of the anchors found to keep: all if they explain every column, else by
    /// [`RankSuggestion::from_curves`].
    pub fn suggest_rank(&self) -> RankSuggestion {
        if self.termination() == Termination::Exhausted && self.residual() < 1e-6 {
            return RankSuggestion { rank: self.rank(), reason: RankReason::Exhausted };
        }
        let residuals: Vec<f64> = self.steps().iter().map(|step| step.residual).collect();
        let held_out: Option<Vec<f64>> = self.steps().iter().map(|step| step.held_out).collect();
        RankSuggestion::from_curves(&residuals, held_out.as_deref())
    }
}

fn lowest(errors: &[f64]) -> usize {
    (0..errors.len()).reduce(|best, t| if errors[t] < errors[best] { t } else { best }).unwrap_or(0)
}

/// `sqrt(rho_{t-1}^2 - rho_t^2)`, each at least as large as those after it; rho_0 = 1.
fn gains(residuals: &[f64]) -> Vec<f64> {
    let mut before = 1.0;
    let gain = |&residual: &f64| {
        let gain: f64 = before * before - residual * residual;
        before = residual;
        gain.max(0.0).sqrt()
    };
    let mut gains: Vec<f64> = residuals.iter().map(gain).collect();
    for t in (1..gains.len()).rev() {
        gains[t - 1] = gains[t - 1].max(gains[t]);
    }
    gains
}

/// The rank where a curve that never grows bends; 0 if it has no points.
fn knee(gains: &[f64]) -> usize {
    let (Some(&first), Some(&last)) = (gains.first(), gains.last()) else { return 0 };
    let slope = (last - first) / (gains.len() - 1).max(1) as f64;
    let below = |t: usize| first + slope * t as f64 - gains[t];
    let farthest = (0..gains.len()).reduce(|best, t| if below(t) > below(best) { t } else { best });
    let t = farthest.unwrap_or(0);
    let in_tail = t > 0 && t + 1 < gains.len() && gains[t] * gains[t] < gains[t - 1] * gains[t + 1];
    if in_tail { t } else { t + 1 }
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
        assert_eq!(knee(&[5.0, 5.0, 5.0, 0.1, 0.1, 0.1]), 3);
        assert_eq!(knee(&[9.0, 3.0, 1.0, 0.9, 0.8, 0.7]), 2);
        assert_eq!(knee(&[]), 0);
        assert_eq!(knee(&[0.5]), 1);
        assert_eq!(knee(&[0.0, 0.0]), 1);
    }

    #[test]
    fn gains_never_grow() {
        let gains = gains(&[0.8, 0.75, 0.2, 0.2]);
        assert!(gains.is_sorted_by(|a, b| a >= b), "{gains:?}");
        assert_eq!(gains[3], 0.0);
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
