//! What becomes of the paper's sentences about Figure 4.

use super::super::PAPER_ON_TEXT;
use super::super::verdict::{Deciding, Estimate, Outcome, Runs, Verdict, all_above, worst};
use super::{Features, JUDGED, Study};
use crate::preparation::Preparation;

const OUTPERFORM: &str = "\"Among separable NMF techniques, the proposed XRAY (greedy) and XRAY (dist) (with exception \
    on Reuters) outperform Hottopixx and GV on all the three datasets, more so on TDT.\" (on Reuters: greedy alone)";
const EXCEPTION: &str =
    "\"... (with exception on Reuters) ...\" (here: Hottopixx and GV are above dist)";
const SIMILAR: &str = "\"we do not show the results for XRAY (max) which performed almost similar to XRAY (dist) in these \
    experiments\" (here: within 3 points)";
const VARIANCE: &str = "\"traditional NMFs with local optimization perform quite well on these datasets especially when r \
    is small, but can show significant performance variance (shown as error bars) with respect to initialization\" \
    (here: the largest standard deviation over starts, in points, against 2 points; its error is that of a standard deviation)";
/// Points of a spread that is called significant.
const SPREAD: f64 = 0.02;
const MORE_SO: &str = "\"... more so on TDT\" (here: what greedy and dist are above the better one of Hottopixx and GV, on TDT2 \
    against the other sets; not of the same splits)";
const DIMINISHES: &str = "\"As the number of topics increases, the performance gap between the proposed methods and the \
    local optimization method rapidly diminishes.\" (here: local optimisation, W, against XRAY, X_A)";
const LOCAL_FREE: &str =
    "ours: refined weights W of greedy against W of local optimisation at the same r";

/// The number of topics that sentences are about.
pub(super) fn judged_rank(study: &Study) -> usize {
    let curve = study.curve("xray-greedy", Features::Anchors);
    let ranks = curve.iter().flat_map(|curve| curve.points.iter().map(|point| point.rank));
    ranks.filter(|rank| *rank <= JUDGED).max().unwrap_or(0)
}

pub(super) fn verdicts(studies: &[Study]) -> Vec<Verdict> {
    let mut verdicts: Vec<Verdict> = studies.iter().flat_map(of_study).collect();
    verdicts.extend(Preparation::ALL.into_iter().filter_map(|p| more_so(studies, p)));
    let sentences = [OUTPERFORM, MORE_SO, EXCEPTION, SIMILAR, VARIANCE, DIMINISHES, LOCAL_FREE];
    verdicts.sort_by_key(|verdict| sentences.iter().position(|s| *s == verdict.sentence));
    verdicts
}

/// Accuracy with the columns of a method's anchors, at the number of topics that sentences are about.
fn judged_runs<'a>(study: &'a Study, name: &str) -> Runs<'a> {
    let curve = study.curve(name, Features::Anchors);
    let values = curve.and_then(|curve| curve.at(judged_rank(study))).unwrap_or(&[]);
    Runs { label: curve.map_or("", |curve| curve.method.label), values }
}

/// How far a rule is above the better one of the rivals.
fn lead(study: &Study, name: &str) -> Estimate {
    let [ours, gv, hottopixx] =
        [name, PAPER_ON_TEXT[2], PAPER_ON_TEXT[3]].map(|name| judged_runs(study, name).values);
    let best = gv.iter().zip(hottopixx).map(|(a, b)| a.max(*b));
    Estimate::of_differences(ours, &best.collect::<Vec<_>>())
}

/// Whether the lead is larger on TDT2 than on the other sets.
fn more_so(studies: &[Study], preparation: Preparation) -> Option<Verdict> {
    let of = || studies.iter().filter(move |study| study.preparation == preparation);
    let tdt = of().find(|study| study.data == "TDT2")?;
    let others = of().filter(|study| study.data != tdt.data);
    let pairs = others.flat_map(|other| {
        // The paper excepts dist on Reuters.
        let rules = if other.data.starts_with("Reuters") { 1 } else { 2 };
        PAPER_ON_TEXT[..rules].iter().map(move |name| {
            let [here, there] = [tdt, other].map(|study| lead(study, name));
            let difference =
                Estimate { mean: here.mean - there.mean, error: here.error.hypot(there.error) };
            let label = judged_runs(tdt, name).label;
            let pair = format!("lead of {label} on TDT2 - on {}", other.data);
            (difference.above(0.0), Deciding { pair, difference })
        })
    });
    Some(Verdict::new(MORE_SO, preparation.words(), worst(pairs)))
}

fn of_study(study: &Study) -> Vec<Verdict> {
    let rank = judged_rank(study);
    let about = format!("{}, r = {rank}", study.about());
    let runs = |name: &str| judged_runs(study, name);
    let [greedy, dist, gv, hottopixx] = PAPER_ON_TEXT.map(runs);
    let (max, raw) = (runs("xray-max"), runs("spa"));
    let floor = Some(study.majority);
    let reuters = study.data.starts_with("Reuters");
    let ours: &[Runs<'_>] = if reuters { &[greedy] } else { &[greedy, dist] };
    let shown = [greedy, dist, gv, raw, hottopixx]
        .map(|runs| format!("{} {}", runs.label, Estimate::of(runs.values).shown(1.0, 3)));
    let outperform = all_above(ours, &[hottopixx, gv], floor);
    let mut verdicts = vec![
        Verdict::new(OUTPERFORM, about.clone(), outperform)
            .figures(format!("{}; largest class {:.3}", shown.join(", "), study.majority))
            .held_before(),
        Verdict::new(SIMILAR, about.clone(), within(max, dist, 0.03)),
    ];
    if reuters {
        let exception = all_above(&[hottopixx, gv], &[dist], floor);
        verdicts.push(Verdict::new(EXCEPTION, about, exception));
    }
    verdicts.extend(of_local(study));
    verdicts
}

/// Whether two are within some distance of each other, by standard errors.
fn within(a: Runs<'_>, b: Runs<'_>, most: f64) -> (Outcome, Deciding) {
    let difference = Estimate::of_differences(a.values, b.values);
    let size = Estimate { mean: difference.mean.abs(), ..difference };
    (size.above(most).opposite(), Deciding::new(a.label, b.label, difference))
}

/// What is said of local optimisation, where it was run.
fn of_local(study: &Study) -> Vec<Verdict> {
    let Some(local) = study.curve("nmf-hals", Features::Weights) else { return Vec::new() };
    let spreads = local.points.iter().filter_map(|point| Some((point.rank, point.over_starts?)));
    let (rank, spread) = spreads.max_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((0, 0.0));
    let degrees = local.starts.saturating_sub(1).max(1) as f64;
    let spread = Estimate { mean: spread, error: spread / (2.0 * degrees).sqrt() };
    let pair = format!("standard deviation of {} starts at r = {rank} - {SPREAD}", local.starts);
    let difference = Estimate { mean: spread.mean - SPREAD, ..spread };
    let judged = (spread.above(SPREAD), Deciding { pair, difference });
    let mut verdicts = vec![Verdict::new(VARIANCE, study.about(), judged)];
    let (Some(first), Some(last)) = (local.points.first(), local.points.last()) else {
        return verdicts;
    };
    for name in ["xray-greedy", "xray-dist"] {
        let Some(ours) = study.curve(name, Features::Anchors) else { continue };
        let gap = |rank: usize| -> Vec<f64> {
            let (a, b) = (local.at(rank).unwrap_or(&[]), ours.at(rank).unwrap_or(&[]));
            a.iter().zip(b).map(|(a, b)| a - b).collect()
        };
        let (wide, narrow) = (gap(first.rank), gap(last.rank));
        let difference = Estimate::of_differences(&wide, &narrow);
        let pair = format!("gap at r = {} - gap at r = {}", first.rank, last.rank);
        let judged = (difference.above(0.0), Deciding { pair, difference });
        let about = format!("{}, {}", study.about(), ours.method.label);
        let shown = [&wide, &narrow].map(|gap| Estimate::of(gap).shown(1.0, 3));
        let verdict = Verdict::new(DIMINISHES, about, judged).figures(shown.join(" and "));
        verdicts.push(if name == "xray-greedy" { verdict.held_before() } else { verdict });
    }
    if let Some(ours) = study.curve("xray-greedy", Features::Weights) {
        let [a, b] = [ours, local].map(|curve| Runs {
            label: curve.method.label,
            values: curve.at(last.rank).unwrap_or(&[]),
        });
        let about = format!("{}, r = {}", study.about(), last.rank);
        verdicts.push(Verdict::new(LOCAL_FREE, about, all_above(&[a], &[b], None)));
    }
    verdicts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearness_has_three_outcomes() {
        let runs = |values| Runs { label: "x", values };
        let base = [0.5, 0.5, 0.5];
        let near = within(runs(&[0.51, 0.512, 0.509]), runs(&base), 0.03);
        assert_eq!(near.0, Outcome::Holds);
        let far = within(runs(&[0.44, 0.442, 0.439]), runs(&base), 0.03);
        assert_eq!(far.0, Outcome::DoesNotHold);
        let unclear = within(runs(&[0.45, 0.50, 0.46]), runs(&base), 0.03);
        assert_eq!(unclear.0, Outcome::Tie);
    }
}
