//! Why a run ended: with as many anchors as asked for, because no exterior column sees a candidate, or because the
//! last anchors brought too little.

use xray_nmf::{Step, Termination};

use crate::claim::Claim;
use crate::findings::{Fault, Findings};
use crate::problem::Problem;
use crate::searched::Searched;

/// Checks the end of a run whose steps have all been admitted to `searched`.
pub(crate) fn check(
    problem: &Problem,
    claim: &Claim,
    searched: &Searched,
    findings: &mut Findings,
) {
    let params = &problem.params;
    let made = claim.steps.len();
    let (ends, n_kept) = first_end(problem, &claim.steps);
    findings.require(ends.is_none_or(|t| t == made), Fault::End, || {
        format!("too little was brought by step {}, but {made} were made", ends.unwrap_or(0))
    });
    let expected = if ends == Some(made) {
        Termination::BelowThreshold
    } else if made >= params.rank {
        Termination::RankReached
    } else {
        Termination::Exhausted
    };
    findings.require(claim.termination == expected, Fault::End, || {
        format!("{:?} instead of {expected:?} after {made} steps", claim.termination)
    });
    findings.require(claim.n_kept == n_kept, Fault::End, || {
        format!("{} anchors were kept, not {n_kept}", claim.n_kept)
    });
    if expected == Termination::Exhausted {
        check_exhausted(searched, findings);
    }
}

/// After how many steps the run has to end for want of improvement, and how many anchors it keeps.
fn first_end(problem: &Problem, steps: &[Step]) -> (Option<usize>, usize) {
    let params = &problem.params;
    let n_fixed = params.fixed.len();
    for t in n_fixed + 1..=steps.len() {
        let before = if t > 1 { steps[t - 2].residual } else { 1.0 };
        let small = before - steps[t - 1].residual < params.min_improvement;
        let errors: Vec<f64> = steps[..t].iter().filter_map(|step| step.held_out).collect();
        let lowest = errors.iter().copied().fold(f64::INFINITY, f64::min);
        let best = errors.iter().position(|e| *e == lowest).map_or(t, |q| q + 1);
        let stalled = params.patience.is_some_and(|patience| t - best >= patience);
        if small || stalled {
            let kept = if stalled { best } else { t - 1 };
            return (Some(t), kept.max(n_fixed));
        }
    }
    (None, steps.len())
}

/// No exterior column sees a candidate.
fn check_exhausted(searched: &Searched, findings: &mut Findings) {
    let data = &searched.data;
    let exterior = (0..data.n()).filter(|&i| data.surely_exterior(i, searched.tolerance));
    let seeing: Vec<usize> = exterior.filter(|&i| searched.surely_sees(i)).collect();
    findings.require(seeing.is_empty(), Fault::End, || {
        let worst = seeing.iter().map(|&i| data.distances[i].round() / data.lengths[i]);
        let worst = worst.fold(0.0, f64::max);
        format!(
            "exhausted, but {} exterior columns see candidates ({:?}); relative residuals to {worst:e}",
            seeing.len(),
            &seeing[..seeing.len().min(3)]
        )
    });
}
