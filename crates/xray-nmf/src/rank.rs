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
    /// The knee of the held-out error, up to where it is lowest.
    HeldOutKnee,
    /// The knee of the residual.
    ResidualKnee,
}

impl Factorization {
    /// Suggests how many of the anchors found to keep.
    ///
    /// If the run ended because every column is explained: all of them. Else the *knee* of a curve of
    /// error against rank: with the curve drawn from rank 0 (error 1) to its end, the rank that lies
    /// farthest below the straight line between the two, where one more anchor starts to bring less
    /// than anchors do on average. The curve is the held-out error up to its minimum if rows were
    /// held out, else the residual. 0 if no anchor was found.
    pub fn suggest_rank(&self) -> RankSuggestion {
        if self.termination() == Termination::Exhausted && self.residual() < 1e-6 {
            return RankSuggestion { rank: self.rank(), reason: RankReason::Exhausted };
        }
        let held_out: Option<Vec<f64>> = self.steps().iter().map(|step| step.held_out).collect();
        match held_out.filter(|errors| !errors.is_empty()) {
            Some(mut errors) => {
                let lowest = lowest(&errors);
                errors.truncate(lowest + 1);
                RankSuggestion { rank: knee(&errors), reason: RankReason::HeldOutKnee }
            }
            None => {
                let residuals: Vec<f64> = self.steps().iter().map(|step| step.residual).collect();
                RankSuggestion { rank: knee(&residuals), reason: RankReason::ResidualKnee }
            }
        }
    }
}

fn lowest(errors: &[f64]) -> usize {
    (0..errors.len()).reduce(|best, t| if errors[t] < errors[best] { t } else { best }).unwrap_or(0)
}

/// The rank farthest below the line from (0, 1) to the last point; `errors[t]` is that of rank
/// t + 1.
fn knee(errors: &[f64]) -> usize {
    let Some(&last) = errors.last() else { return 0 };
    let slope = (last - 1.0) / errors.len() as f64;
    let below = |t: usize| 1.0 + slope * (t + 1) as f64 - errors[t];
    let farthest =
        (0..errors.len()).reduce(|best, t| if below(t) > below(best) { t } else { best });
    farthest.map_or(0, |t| t + 1)
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
        assert_eq!(knee(&[0.7, 0.4, 0.1, 0.09, 0.08, 0.07]), 3);
        assert_eq!(knee(&[]), 0);
        assert_eq!(knee(&[0.5]), 1);
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
