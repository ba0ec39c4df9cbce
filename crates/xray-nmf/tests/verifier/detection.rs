//! One step: is the anchor the rule's, seen from the rule's point, with that score and margin?

use xray_nmf::{Params, Selection, Step};

use crate::findings::{Fault, Findings};
use crate::nnls::{Rays, project};
use crate::rules::{Contest, Score, goes_by_length, is_hidden, looks, outlook};
use crate::searched::{Candidate, Searched};
use crate::wide::{Wide, dot, norm};

/// Scores and spreads this close, relatively, are equal: they differ by the rounding of wide numbers only.
const EQUAL: f64 = 1e-24;

/// Nearer than this to the cone of others, relatively, a column is a rounded point of it.
const INTERIOR: f64 = 1e-14;

/// Checks step t against the cone of the steps before.
pub(crate) fn check(
    searched: &Searched,
    params: &Params,
    t: usize,
    step: &Step,
    findings: &mut Findings,
) {
    findings.steps += 1;
    if let Some(&fixed) = params.fixed.get(t) {
        let plain = step.score.is_none() && step.margin.is_none() && step.exterior.is_none();
        findings.require(step.anchor == fixed && plain, Fault::Anchor, || {
            format!("step {t}: {step:?} instead of the fixed column {fixed}")
        });
        return;
    }
    let n = searched.data.n();
    let known = step.anchor < n && step.exterior.is_none_or(|i| i < n);
    if !known || searched.candidates[step.anchor] == Candidate::No {
        findings
            .fault(Fault::Anchor, format!("step {t}: column {} may not be chosen", step.anchor));
        return;
    }
    let Some(contest) = contest(searched, params.selection, t, step, findings) else { return };
    if searched.candidates[step.anchor] == Candidate::Yes {
        let first = check_anchor(&contest, t, step, findings);
        if !first && !goes_by_length(params.selection) && lies_within(searched, step.anchor) {
            findings.interior += 1;
        }
    }
}

/// The scores that decide the step; none if it was looked from a point, or not, against the rule.
fn contest(
    searched: &Searched,
    selection: Selection,
    t: usize,
    step: &Step,
    findings: &mut Findings,
) -> Option<Contest> {
    let looks = looks(selection);
    let hidden = !looks && step.exterior.is_some() && is_hidden(searched, selection);
    if (looks || hidden) != step.exterior.is_some() {
        findings.fault(Fault::Point, format!("step {t}: looked from {:?}", step.exterior));
        return None;
    }
    match step.exterior {
        Some(i) => {
            let rule = if hidden { Selection::Max } else { selection };
            check_point(searched, rule, t, i, findings);
            Some(Contest::from_point(searched, i))
        }
        None => {
            let tolerance = searched.tolerance;
            let open = (0..searched.data.n()).any(|i| searched.data.perhaps_exterior(i, tolerance));
            findings.require(open, Fault::End, || format!("step {t}: no column is exterior"));
            Some(Contest::of_columns(searched, selection))
        }
    }
}

/// The point is exterior, and no exterior point that sees a candidate is more what the rule wants.
fn check_point(
    searched: &Searched,
    selection: Selection,
    t: usize,
    i: usize,
    findings: &mut Findings,
) {
    let tolerance = searched.tolerance;
    findings.require(searched.data.perhaps_exterior(i, tolerance), Fault::Point, || {
        let distance = searched.data.distances[i].round() / searched.data.lengths[i];
        format!("step {t}: looked from column {i}, which is no exterior point: {distance:e}")
    });
    let Some(own) = outlook(searched, selection, i) else { return };
    let mut tied = false;
    for k in (0..searched.data.n()).filter(|&k| searched.data.surely_exterior(k, tolerance)) {
        let other = outlook(searched, selection, k).expect("the rule has a wish");
        let deficit = (other.value - own.value).round();
        let equal = deficit.abs() <= EQUAL * own.value.round();
        if (deficit <= 0.0 && !(equal && k < i)) || !searched.surely_sees(k) {
            continue;
        }
        let rounding = own.error + other.error;
        // Nobody can tell that values are equal which are smaller than their rounding.
        let told = rounding < own.value.round();
        if deficit > rounding || (equal && k < i && told) {
            let value = own.value.round();
            let ahead = format!("{k}, ahead by {deficit:e}, rounding {rounding:e}");
            let text = format!("step {t}: looked from column {i} ({value:e}), not from {ahead}");
            findings.fault(Fault::Point, text);
            return;
        }
        if !equal {
            tied = true;
            findings.widest_tie = findings.widest_tie.max(deficit / rounding);
        }
    }
    findings.ties += usize::from(tied);
}

/// Score, margin, and that no other column is ahead, or only by rounding; whether none is at all.
fn check_anchor(contest: &Contest, t: usize, step: &Step, findings: &mut Findings) -> bool {
    let j = step.anchor;
    let own = contest.scores[j].expect("a candidate has a score");
    let (score, margin) = (step.score.unwrap_or(f64::NAN), step.margin.unwrap_or(f64::NAN));
    let value = own.value.round();
    findings.require(
        (score - value).abs() <= own.error + contest.told * value,
        Fault::Score,
        || format!("step {t}: score {score:e} for {value:e}, rounding {:e}", own.error),
    );
    findings.require(value > -own.error && score > 0.0, Fault::Anchor, || {
        format!("step {t}: column {j} is not seen at all: {value:e}")
    });
    let rival = contest.best(Some(j));
    let runner_up = rival.map_or(f64::NEG_INFINITY, |(_, score)| score.value.round());
    let rounding = own.error + contest.best_error(j);
    if value > 4.0 * rounding {
        let expected = ((value - runner_up) / value).clamp(0.0, 1.0);
        let error = 4.0 * f64::EPSILON + 2.0 * rounding / (value - own.error) + contest.told;
        findings.require((margin - expected).abs() <= error, Fault::Margin, || {
            format!("step {t}: margin {margin:e} for {expected:e}, rounding {error:e}")
        });
    } else {
        findings.require((0.0..=1.0).contains(&margin), Fault::Margin, || format!("{margin}"));
    }
    rival.is_none_or(|best| check_order(contest, t, (j, own), best, findings))
}

/// The anchor is ahead of the best of the others, or ties with it, and the tie rule holds among equals; whether
/// none is ahead.
fn check_order(
    contest: &Contest,
    t: usize,
    (j, own): (usize, Score),
    (k, best): (usize, Score),
    findings: &mut Findings,
) -> bool {
    let deficit = (best.value - own.value).round();
    let behind = deficit > EQUAL * best.value.abs().round();
    let interior = (own.interior + best.interior).min(contest.told * best.value.round());
    let rounding = own.error + best.error + interior;
    if deficit > rounding {
        let relative = deficit / best.value.round();
        let text = format!(
            "step {t}: column {j} instead of {k}, which is ahead by {relative:e}, rounding {:e}",
            rounding / best.value.round()
        );
        findings.fault(Fault::Anchor, text);
    } else if behind {
        findings.widest_tie = findings.widest_tie.max(deficit / rounding);
        findings.ties += 1;
    }
    let spread = contest.spreads[j];
    for (q, score) in contest.scores.iter().enumerate() {
        let Some(score) = score else { continue };
        let equal = (score.value - own.value).abs().round() <= EQUAL * own.value.abs().round();
        if q == j || !equal {
            continue;
        }
        let wider = (contest.spreads[q] - spread).round();
        let alike = wider.abs() <= EQUAL * spread.round();
        if (alike && q < j) || wider > 1e-13 * spread.round() {
            let text = format!(
                "step {t}: column {j} instead of {q}: a tie that is not broken by the rule"
            );
            findings.fault(Fault::Anchor, text);
            break;
        }
    }
    !behind
}

/// Whether column j lies in the cone of the other candidates, those on its own ray left aside.
fn lies_within(searched: &Searched, j: usize) -> bool {
    let own = &searched.data.columns[j];
    let length = norm(own);
    let mut rays = Rays::default();
    for (k, column) in searched.data.columns.iter().enumerate() {
        let other = norm(column);
        if k == j || searched.candidates[k] != Candidate::Yes {
            continue;
        }
        let along = dot(own, column) / (length * other);
        if along < Wide::from(1.0 - 1e-15) {
            rays.push(column.clone());
        }
    }
    norm(&project(&rays, own, &[]).residual).round() <= INTERIOR * length.round()
}
