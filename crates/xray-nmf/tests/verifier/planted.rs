//! Wrong answers, planted into right ones: the verifier notices each of them, and nothing before.

use xray_nmf::Termination;

use crate::claim::Claim;
use crate::findings::Fault;
use crate::problem::Problem;
use crate::searched::{Candidate, Searched};
use crate::verify;

/// Looks for a right answer that `plant` can spoil, and checks that the fault is found.
///
/// `plant` returns whether the problem has what it wants to change.
fn assert_noticed(fault: Fault, what: &str, plant: impl Fn(&Problem, &mut Claim) -> bool) {
    let mut planted = 0;
    for seed in 0..3_000 {
        let problem = Problem::new(seed);
        if problem.x.n > 100 {
            continue;
        }
        let right = Claim::of(&problem);
        let mut wrong = right.clone();
        if !plant(&problem, &mut wrong) {
            continue;
        }
        let before = verify(&problem, &right);
        if !before.faults.is_empty() || before.undecided > 0 {
            continue;
        }
        let found = verify(&problem, &wrong);
        assert!(found.has(fault), "{what} went unnoticed: {}", problem.reproduction());
        planted += 1;
        if planted == 20 {
            return;
        }
    }
    panic!("{what}: only {planted} answers could be spoiled");
}

/// The last step, if it was detected, and from residuals that are far above rounding.
fn last_detected(problem: &Problem, claim: &Claim) -> Option<usize> {
    let last = claim.steps.len().checked_sub(1)?;
    let before = if last > 0 { claim.steps[last - 1].residual } else { 1.0 };
    (last >= problem.params.fixed.len() && before > 1e-3).then_some(last)
}

#[test]
fn another_anchor_is_noticed() {
    assert_noticed(Fault::Anchor, "another anchor", |problem, claim| {
        let Some(t) = last_detected(problem, claim) else { return false };
        if claim.steps[t].margin < Some(1e-6) {
            return false;
        }
        let Some(mut searched) = Searched::new(problem) else { return false };
        claim.anchors().for_each(|anchor| searched.admit(anchor));
        let other = searched.candidates.iter().position(|c| *c == Candidate::Yes);
        claim.steps[t].anchor = other.unwrap_or(claim.steps[t].anchor);
        other.is_some()
    });
}

#[test]
fn an_excluded_anchor_is_noticed() {
    assert_noticed(Fault::Anchor, "an excluded anchor", |problem, claim| {
        let Some(t) = last_detected(problem, claim) else { return false };
        let Some(&excluded) = problem.params.excluded.first() else { return false };
        claim.steps[t].anchor = excluded;
        true
    });
}

#[test]
fn a_fixed_anchor_that_was_passed_over_is_noticed() {
    assert_noticed(Fault::Anchor, "a fixed anchor passed over", |problem, claim| {
        let other = (0..problem.x.n).find(|j| !problem.params.fixed.contains(j));
        if let (Some(j), false) = (other, problem.params.fixed.is_empty()) {
            claim.steps[0].anchor = j;
            return !claim.anchors().skip(1).any(|anchor| anchor == j);
        }
        false
    });
}

#[test]
fn another_point_is_noticed() {
    assert_noticed(Fault::Point, "another point", |problem, claim| {
        let Some(t) = last_detected(problem, claim) else { return false };
        let Some(point) = claim.steps[t].exterior else { return false };
        // An anchor lies in the cone.
        let Some(anchor) = claim.anchors().take(t).find(|a| *a != point) else { return false };
        claim.steps[t].exterior = Some(anchor);
        true
    });
    assert_noticed(Fault::Point, "a point where all scores are clear", |problem, claim| {
        let Some(t) = last_detected(problem, claim) else { return false };
        let clear = claim.steps[t].exterior.is_none() && claim.steps[t].residual > 1e-3;
        claim.steps[t].exterior = Some(claim.steps[t].anchor);
        clear
    });
}

#[test]
fn changed_scores_and_margins_are_noticed() {
    assert_noticed(Fault::Score, "a score", |problem, claim| {
        let Some(t) = last_detected(problem, claim) else { return false };
        claim.steps[t].score = claim.steps[t].score.map(|score| score * (1.0 + 1e-5));
        true
    });
    assert_noticed(Fault::Margin, "a margin", |problem, claim| {
        let Some(t) = last_detected(problem, claim) else { return false };
        let step = &mut claim.steps[t];
        step.margin = step.margin.map(|margin| margin + if margin < 0.5 { 1e-5 } else { -1e-5 });
        true
    });
}

#[test]
fn changed_weights_are_noticed() {
    assert_noticed(Fault::Weights, "a weight", |_, claim| {
        // An anchor's own column.
        let Some(first) = claim.anchors().next() else { return false };
        let weights = claim.weights.last_mut().map(|weights| &mut weights[first][0]);
        weights.is_some_and(|h| {
            *h *= 1.0 + 1e-6;
            *h > 0.0
        })
    });
    assert_noticed(Fault::Weights, "a negative weight", |_, claim| {
        let first = claim.weights.first_mut().and_then(|weights| weights.first_mut());
        first.is_some_and(|h| {
            h[0] = -1e-300;
            true
        })
    });
}

#[test]
fn changed_certificates_residuals_and_errors_are_noticed() {
    assert_noticed(Fault::Certificate, "a certificate", |_, claim| {
        claim.kkt_violation += 1e-11;
        claim.n_kept > 0
    });
    assert_noticed(Fault::Residual, "a residual", |_, claim| {
        let Some(step) = claim.steps.first_mut() else { return false };
        step.residual += 1e-9 + 1e-8 * step.residual;
        claim.n_kept > 0
    });
    assert_noticed(Fault::HeldOut, "a held-out error", |_, claim| {
        let Some(step) = claim.steps.first_mut() else { return false };
        step.held_out = step.held_out.map(|error| error + 1e-8);
        step.held_out.is_some() && claim.n_kept > 0
    });
}

#[test]
fn wrong_ends_are_noticed() {
    assert_noticed(Fault::End, "an early end", |problem, claim| {
        let early = claim.termination == Termination::RankReached
            && last_detected(problem, claim).is_some();
        if early {
            claim.steps.pop();
            claim.weights.pop();
            claim.n_kept -= 1;
            claim.termination = Termination::Exhausted;
        }
        early
    });
    assert_noticed(Fault::End, "another reason", |_, claim| {
        let exhausted = claim.termination == Termination::Exhausted;
        claim.termination = Termination::RankReached;
        exhausted
    });
    assert_noticed(Fault::End, "an anchor dropped for nothing", |_, claim| {
        let dropped = claim.termination == Termination::BelowThreshold;
        claim.n_kept -= usize::from(dropped && claim.n_kept > 0);
        claim.weights.truncate(claim.n_kept);
        dropped && claim.n_kept > 0
    });
}

#[test]
fn a_changed_bit_is_noticed() {
    assert_noticed(Fault::Bits, "a bit", |_, claim| {
        claim.bits.last_mut().is_some_and(|(_, bits)| bits.pop().is_some())
    });
}
