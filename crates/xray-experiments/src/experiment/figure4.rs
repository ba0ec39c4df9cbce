//! Figure 4: accuracy against the number of topics.

use anyhow::Result;
use xray_nmf::comm::OneRank;
use xray_report::{Cell, Chart, Column, Panel, Series, Table, number};

use super::{Claim, Settings, judged};
use crate::dataset::DataSet;
use crate::evaluate::{accuracy, mean_and_spread, protocol, scaled};
use crate::method::{Found, Job, Method};
use crate::page::Page;
use crate::quality::{Protocol, linear_svm_accuracy};
use crate::watch::Watch;

const METHODS: [&str; 4] = ["xray-greedy", "xray-dist", "spa-l1", "hottopixx"];

/// Steps of refinement for the features W.
const REFINE: usize = 10;

/// Iterations of local optimisation from a random start.
const ITERATIONS: usize = 30;

/// Passes of Hottopixx.
const EPOCHS: usize = 10;

/// How far each part goes.
struct Plan {
    /// Numbers of topics above the number of classes.
    ranks: &'static [usize],
    /// The largest one for which W and local optimisation are tried.
    largest_refined: usize,
    /// Random starts of local optimisation.
    starts: usize,
    repeats: usize,
}

const FULL: Plan =
    Plan { ranks: &[25, 50, 100, 200], largest_refined: 100, starts: 3, repeats: 10 };
const QUICK: Plan = Plan { ranks: &[16, 32], largest_refined: 32, starts: 2, repeats: 3 };

/// One point: mean and spread of accuracy.
struct Point {
    rank: usize,
    mean: f64,
    spread: f64,
}

/// One method on one kind of features.
struct Curve {
    method: &'static str,
    label: String,
    points: Vec<Point>,
}

struct Outcome {
    data: String,
    /// Accuracy with all words.
    full: f64,
    curves: Vec<Curve>,
}

pub(super) fn run(settings: &Settings, watch: &mut dyn Watch) -> Result<Page> {
    let plan = if settings.quick { QUICK } else { FULL };
    let sets = settings.labelled_sets()?;
    watch.begin("figure4", sets.len() * (METHODS.len() + 2));
    let mut outcomes = Vec::new();
    for data in &sets {
        outcomes.push(study(data, &plan, settings, watch)?);
    }
    page(settings, &plan, &outcomes)
}

fn study(
    data: &DataSet,
    plan: &Plan,
    settings: &Settings,
    watch: &mut dyn Watch,
) -> Result<Outcome> {
    let protocol = Protocol { repeats: plan.repeats, ..protocol(settings.seed) };
    let full = linear_svm_accuracy(data.sparse()?, data.classes()?, &protocol)?.mean;
    watch.advance()?;
    let fewest = data.n_classes();
    let ranks: Vec<usize> =
        [fewest].into_iter().chain(plan.ranks.iter().copied().filter(|&r| r > fewest)).collect();
    let job = Job { seed: settings.seed, epochs: EPOCHS, iterations: ITERATIONS, ..Job::new(0) };
    let mut curves = Vec::new();
    for name in METHODS {
        curves.extend(anchor_curves(data, &Method::named(name)?, &ranks, plan, &job, &protocol)?);
        watch.advance()?;
    }
    curves.push(local_curve(data, &ranks, plan, &job, &protocol)?);
    watch.advance()?;
    Ok(Outcome { data: data.name.clone(), full, curves })
}

/// Accuracy with `X_A` and with the refined W; smaller sets of anchors are the first of the largest.
fn anchor_curves(
    data: &DataSet,
    method: &Method,
    ranks: &[usize],
    plan: &Plan,
    job: &Job,
    protocol: &Protocol,
) -> Result<[Curve; 2]> {
    let largest = ranks.iter().copied().max().unwrap_or(0);
    let found = method.run(data.part(), &Job { rank: largest, ..job.clone() })?;
    let Found::Anchors(anchors) = found else { anyhow::bail!("{}: no anchors", method.name) };
    let (mut plain, mut weights) = (Vec::new(), Vec::new());
    for &rank in ranks.iter().filter(|&&rank| rank <= anchors.len()) {
        let found = data.part().with_anchors(&anchors[..rank])?;
        let start = found.factors(&OneRank)?;
        let judged = accuracy(start.w.clone(), rank, data.classes()?, protocol)?;
        plain.push(Point { rank, mean: judged.mean, spread: judged.std });
        if rank <= plan.largest_refined {
            let factors = scaled(data.part().refined(start, REFINE)?);
            let judged = accuracy(factors.w, rank, data.classes()?, protocol)?;
            weights.push(Point { rank, mean: judged.mean, spread: judged.std });
        }
    }
    let curve = |kind: &str, points| Curve {
        method: method.name,
        label: format!("{}, {kind}", method.label),
        points,
    };
    Ok([curve("X_A", plain), curve("W", weights)])
}

fn local_curve(
    data: &DataSet,
    ranks: &[usize],
    plan: &Plan,
    job: &Job,
    protocol: &Protocol,
) -> Result<Curve> {
    let method = Method::named("nmf-hals")?;
    let mut points = Vec::new();
    for &rank in ranks.iter().filter(|&&rank| rank <= plan.largest_refined) {
        let mut values = Vec::new();
        for seed in 0..plan.starts as u64 {
            let job = Job { rank, seed: job.seed + seed, ..job.clone() };
            let Found::Factors(factors) = method.run(data.part(), &job)? else { continue };
            values.push(accuracy(scaled(factors).w, rank, data.classes()?, protocol)?.mean);
        }
        let (mean, spread) = mean_and_spread(&values);
        points.push(Point { rank, mean, spread });
    }
    Ok(Curve { method: method.name, label: format!("{}, W", method.label), points })
}

fn page(settings: &Settings, plan: &Plan, outcomes: &[Outcome]) -> Result<Page> {
    let mut page = settings.page("figure4", "Figure 4: accuracy against the number of topics");
    page.paragraph(format!(
        "Accuracy of a linear support vector machine that learns from 5 % of the documents (C by four-fold \
         cross-validation, mean of {} stratified splits) on the columns of the anchor words (X_A, the \
         paper's features) and on the weights W after {REFINE} steps of refinement. Local optimisation \
         has {} random starts of {ITERATIONS} iterations; its error bars show their spread. The dashed line \
         is the accuracy with all words. SPA and Hottopixx choose anchors on columns of sum 1, as the paper \
         does. Anchors of smaller sets are the first ones of the largest; Hottopixx runs {EPOCHS} epochs.",
        plan.repeats, plan.starts
    ));
    for outcome in outcomes {
        let part = outcome.data.to_lowercase();
        let caption = format!("{}: accuracy against the number of topics", outcome.data);
        page.picture(&part, &caption, &picture(outcome))?;
        page.table(&table(outcome));
    }
    page.paragraph("The paper shows curves without numbers. What it says, and what is found here:");
    page.list(judged(&outcomes.iter().flat_map(claims).collect::<Vec<_>>()));
    page.csv("", &csv(outcomes));
    Ok(page)
}

fn picture(outcome: &Outcome) -> Chart {
    let panel = |kind: &str| {
        let mut panel = Panel::new(format!("accuracy with {kind}"));
        for curve in outcome.curves.iter().filter(|curve| curve.label.ends_with(kind)) {
            let label = curve.label.trim_end_matches(kind).trim_end_matches(", ");
            let points = curve.points.iter().map(|point| (point.rank as f64, point.mean));
            let mut series = Series::new(label, points);
            if curve.method.starts_with("nmf") {
                series = series.error_bars(curve.points.iter().map(|point| point.spread));
            }
            panel = panel.series(series);
        }
        panel.horizontal(outcome.full, "all words")
    };
    Chart::new(&outcome.data).x_label("topics").panel(panel("X_A")).panel(panel("W")).size(820, 720)
}

fn table(outcome: &Outcome) -> Table {
    let ranks: Vec<usize> =
        outcome.curves.first().map_or_else(Vec::new, |c| c.points.iter().map(|p| p.rank).collect());
    let headers = ranks.iter().map(|rank| Column::right(format!("r = {rank}")));
    let mut table = Table::new([Column::left(&outcome.data[..])].into_iter().chain(headers));
    for curve in &outcome.curves {
        let cells = ranks.iter().map(|&rank| {
            let point = curve.points.iter().find(|point| point.rank == rank);
            super::optional(point.map(|point| point.mean), 3)
        });
        table.row([Cell::from(&curve.label[..])].into_iter().chain(cells));
    }
    let full = ranks.iter().map(|_| Cell::fixed(outcome.full, 3));
    table.row([Cell::from("all words")].into_iter().chain(full));
    table
}

fn claims(outcome: &Outcome) -> Vec<Claim> {
    let at = |name: &str, kind: &str, rank: usize| {
        let curve = outcome.curves.iter().find(|c| c.method == name && c.label.ends_with(kind));
        let point = curve.and_then(|curve| curve.points.iter().find(|point| point.rank == rank));
        point.map_or(f64::NAN, |point| point.mean)
    };
    let refined: Vec<usize> = outcome.curves[1].points.iter().map(|point| point.rank).collect();
    let Some((&first, &last)) = refined.first().zip(refined.last()) else { return Vec::new() };
    let [greedy, dist, spa, hott] = METHODS.map(|name| at(name, "X_A", last));
    let gap = |rank| at("nmf-hals", "W", rank) - at("xray-greedy", "X_A", rank);
    let show = |value: f64| number::fixed(value, 3);
    vec![
        Claim {
            claim: "XRAY(greedy) and XRAY(dist) outperform Hottopixx and Gillis-Vavasis on X_A",
            holds: greedy.min(dist) >= spa.max(hott),
            figures: format!(
                "{}, r = {last}: greedy {}, dist {}, SPA (l1) {}, Hottopixx {}",
                outcome.data,
                show(greedy),
                show(dist),
                show(spa),
                show(hott)
            ),
        },
        Claim {
            claim: "the gap of greedy to local optimisation shrinks as topics increase",
            holds: gap(last) < gap(first),
            figures: format!(
                "{}: {} at r = {first}, {} at r = {last}",
                outcome.data,
                show(gap(first)),
                show(gap(last))
            ),
        },
    ]
}

fn csv(outcomes: &[Outcome]) -> Table {
    let headers = ["data", "method", "features", "rank", "accuracy_mean", "accuracy_std"];
    let mut table = Table::new(headers.map(Column::left));
    for outcome in outcomes {
        let full = [outcome.full.to_string(), String::new()];
        let [mean, std] = full;
        table.row([outcome.data.clone(), "all-words".into(), "X".into(), String::new(), mean, std]);
        for curve in &outcome.curves {
            let features = curve.label.rsplit(", ").next().unwrap_or_default();
            for point in &curve.points {
                table.row([
                    outcome.data.clone(),
                    curve.method.to_owned(),
                    features.to_owned(),
                    point.rank.to_string(),
                    point.mean.to_string(),
                    point.spread.to_string(),
                ]);
            }
        }
    }
    table
}
