//! Figure 5: agreement of clusters and classes over steps of refinement.

use anyhow::Result;
use xray_nmf::Factors;
use xray_nmf::comm::OneRank;
use xray_pipeline::measure::normalized_mutual_information;
use xray_report::{Cell, Chart, Column, Panel, Series, Table};

use super::{Claim, Settings, judged};
use crate::dataset::DataSet;
use crate::evaluate::{clusters, mean_and_spread};
use crate::method::{Found, Job, Method};
use crate::page::Page;
use crate::watch::Watch;

const METHODS: [&str; 4] = ["xray-greedy", "xray-dist", "spa-l1", "hottopixx"];

/// Passes of Hottopixx: the paper's larger number.
const EPOCHS: usize = 10;

/// A random start is refined until the objective gains less than this in a round of `ROUND` steps.
const SETTLED: f64 = 1e-4;
const ROUND: usize = 10;

/// Steps after which the clusters are looked at. Each is a run from the start: refinement looks ahead,
/// so that one step after another would not be the same as all at once.
const LOOKS: [usize; 19] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 25, 30, 40, 50, 60];

/// What one data set gave.
struct Outcome {
    data: String,
    /// For each method, numbers of steps and the NMI after them.
    curves: Vec<(Method, Vec<(usize, f64)>)>,
    /// NMI of each random start.
    local: Vec<f64>,
}

pub(super) fn run(settings: &Settings, watch: &mut dyn Watch) -> Result<Page> {
    let (steps, starts) = if settings.quick { (8, 3) } else { (60, 10) };
    let sets = settings.labelled_sets()?;
    watch.begin("figure5", sets.len() * (METHODS.len() + starts));
    let mut outcomes = Vec::new();
    for data in &sets {
        outcomes.push(study(data, settings, steps, starts, watch)?);
    }
    page(settings, &outcomes, steps, starts)
}

fn study(
    data: &DataSet,
    settings: &Settings,
    steps: usize,
    starts: usize,
    watch: &mut dyn Watch,
) -> Result<Outcome> {
    let job = Job {
        seed: settings.seed,
        epochs: EPOCHS,
        iterations: ROUND,
        ..Job::new(data.n_classes())
    };
    let mut curves = Vec::new();
    for name in METHODS {
        let method = Method::named(name)?;
        curves.push((method, curve(data, &method, &job, steps)?));
        watch.advance()?;
    }
    let mut local = Vec::new();
    for seed in 0..starts as u64 {
        local.push(local_search(data, &Job { seed: settings.seed + seed, ..job.clone() })?);
        watch.advance()?;
    }
    Ok(Outcome { data: data.name.clone(), curves, local })
}

/// NMI of `W = X_A`, and after some numbers of steps.
fn curve(data: &DataSet, method: &Method, job: &Job, steps: usize) -> Result<Vec<(usize, f64)>> {
    let Found::Anchors(anchors) = method.run(data.part(), job)? else { return Ok(Vec::new()) };
    let found = data.part().with_anchors(&anchors)?;
    let start = found.factors(&OneRank)?;
    let look = |after: usize| {
        let factors = data.part().refined(start.clone(), after)?;
        Ok((after, nmi(data, factors)?))
    };
    LOOKS.into_iter().filter(|&after| after <= steps).map(look).collect()
}

/// NMI of local optimisation from a random start, when it has settled.
fn local_search(data: &DataSet, job: &Job) -> Result<f64> {
    const MOST_ROUNDS: usize = 10;
    let Found::Factors(mut factors) = Method::named("nmf-hals")?.run(data.part(), job)? else {
        return Ok(f64::NAN);
    };
    for _ in 0..MOST_ROUNDS {
        factors = data.part().refined(factors, ROUND)?;
        let [first, .., last] = factors.objective[..] else { break };
        if first - last < SETTLED * first {
            break;
        }
    }
    nmi(data, factors)
}

fn nmi(data: &DataSet, factors: Factors) -> Result<f64> {
    let classes: Vec<Option<usize>> = data.classes()?.iter().copied().map(Some).collect();
    Ok(normalized_mutual_information(&classes, &clusters(factors)))
}

fn page(settings: &Settings, outcomes: &[Outcome], steps: usize, starts: usize) -> Result<Page> {
    let mut page = settings.page("figure5", "Figure 5: clusters over steps of refinement");
    page.paragraph(format!(
        "As many topics as classes. Each document belongs to its heaviest topic; the figure is the \
         normalized mutual information of these clusters and the classes, at first with W = X_A and then \
         after up to {steps} steps of alternating optimisation. Local search is NMF by coordinate descent \
         from {starts} random starts, each until it settles: mean and spread. Hottopixx runs {EPOCHS} epochs."
    ));
    for outcome in outcomes {
        let part = outcome.data.to_lowercase();
        let caption = format!("{}: NMI over steps of refinement", outcome.data);
        page.picture(&part, &caption, &picture(outcome))?;
    }
    page.table(&table(outcomes));
    page.paragraph("The paper shows curves without numbers. What it says, and what is found here:");
    page.list(judged(&outcomes.iter().map(claim).collect::<Vec<_>>()));
    page.csv("", &csv(outcomes));
    Ok(page)
}

fn claim(outcome: &Outcome) -> Claim {
    let (mean, spread) = mean_and_spread(&outcome.local);
    let last = |name: &str| {
        let curve = outcome.curves.iter().find(|(method, _)| method.name == name);
        curve.and_then(|(_, values)| values.last()).map_or(f64::NAN, |(_, value)| *value)
    };
    let best = last("xray-greedy").max(last("xray-dist"));
    Claim {
        claim: "after refinement an XRAY method is as good as the mean of local search, without several runs",
        holds: best >= mean - 0.02,
        figures: format!(
            "{}: greedy {:.3}, dist {:.3}, local search {mean:.3} ± {spread:.3}",
            outcome.data,
            last("xray-greedy"),
            last("xray-dist")
        ),
    }
}

fn picture(outcome: &Outcome) -> Chart {
    let mut panel = Panel::new("NMI");
    for (method, values) in &outcome.curves {
        let points = values.iter().map(|(after, value)| (*after as f64, *value));
        panel = panel.series(Series::new(method.label, points));
    }
    let (mean, spread) = mean_and_spread(&outcome.local);
    let end = outcome.curves.first().and_then(|(_, values)| values.last());
    let end = end.map_or(0.0, |(after, _)| *after as f64);
    let local = Series::new("local search", [(0.0, mean), (end, mean)])
        .band([(mean - spread, mean + spread); 2])
        .dashed()
        .markers(false);
    Chart::new(&outcome.data)
        .x_label("steps of refinement")
        .panel(panel.series(local))
        .size(760, 460)
}

fn table(outcomes: &[Outcome]) -> Table {
    let columns = ["method", "data", "before", "after 1", "after 10", "at the end"];
    let mut table = Table::new(
        columns
            .iter()
            .enumerate()
            .map(|(k, header)| if k < 2 { Column::left(*header) } else { Column::right(*header) }),
    );
    for outcome in outcomes {
        for (method, values) in &outcome.curves {
            let value = |point: Option<&(usize, f64)>| super::optional(point.map(|p| p.1), 3);
            let at = |steps| value(values.iter().find(|(after, _)| *after == steps));
            let (label, data) = (Cell::from(method.label), Cell::from(&outcome.data[..]));
            table.row([label, data, at(0), at(1), at(10), value(values.last())]);
        }
        let (mean, spread) = mean_and_spread(&outcome.local);
        table.row([
            Cell::from("local search"),
            Cell::from(&outcome.data[..]),
            Cell::missing(),
            Cell::missing(),
            Cell::missing(),
            Cell::from(format!("{mean:.3} ± {spread:.3}")),
        ]);
    }
    table
}

fn csv(outcomes: &[Outcome]) -> Table {
    let mut table = Table::new(["data", "method", "step", "nmi"].map(Column::left));
    for outcome in outcomes {
        for (method, values) in &outcome.curves {
            for (after, value) in values {
                let (step, value) = (after.to_string(), value.to_string());
                table.row([outcome.data.clone(), method.name.to_owned(), step, value]);
            }
        }
        for (seed, value) in outcome.local.iter().enumerate() {
            let (seed, value) = (format!("start {}", seed + 1), value.to_string());
            table.row([outcome.data.clone(), "local-search".to_owned(), seed, value]);
        }
    }
    table
}
