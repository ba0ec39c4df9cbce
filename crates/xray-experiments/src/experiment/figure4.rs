//! Figure 4: accuracy against the number of topics.

mod verdicts;

use anyhow::Result;
use xray_nmf::comm::OneRank;
use xray_report::{Cell, Chart, Column, Panel, Scale, Series, Table, number};

use self::verdicts::{judged_rank, verdicts};
use super::table1::columns_of;
use super::verdict::{Estimate, judge};
use super::{DECOMPOSED, PAPER_ON_TEXT, Settings, methods_on_text};
use crate::dataset::DataSet;
use crate::evaluate::{
    accuracy_as_given, accuracy_of_all, mean_and_spread, paper_protocol, scaled,
};
use crate::method::{Found, Job, Method};
use crate::page::Page;
use crate::preparation::Preparation;
use crate::watch::Watch;

/// Steps of refinement for the features W.
const REFINE: usize = 10;

/// Iterations of local optimisation from a random start.
const ITERATIONS: usize = 30;

/// Passes of Hottopixx.
const EPOCHS: usize = 10;

/// Sentences are about so many topics, as Table 1 is.
const JUDGED: usize = 100;

/// How far each part goes.
struct Plan {
    /// Numbers of topics above the number of classes, with the fitted preparation and with the others.
    ranks: &'static [usize],
    few_ranks: &'static [usize],
    /// The largest one for which W, local optimisation and methods with a decomposition are tried, and that of other
    /// methods that are not the paper's.
    largest_refined: usize,
    largest_other: usize,
    /// Random starts of local optimisation, on small sets and on others.
    starts: [usize; 2],
    /// Splits for the features X_A, of which W sees the first ones.
    splits: usize,
    weight_splits: usize,
}

impl Plan {
    /// The largest number of topics for a method.
    fn largest_of(&self, name: &str) -> usize {
        match name {
            name if PAPER_ON_TEXT.contains(&name) => usize::MAX,
            name if DECOMPOSED.contains(&name) => self.largest_refined,
            _ => self.largest_other,
        }
    }
}

const FULL: Plan = Plan {
    ranks: &[25, 50, 100, 200, 500],
    few_ranks: &[100],
    largest_refined: 100,
    largest_other: 200,
    starts: [10, 3],
    splits: 4,
    weight_splits: 3,
};
const QUICK: Plan = Plan {
    ranks: &[16, 32],
    few_ranks: &[32],
    largest_refined: 32,
    largest_other: 32,
    starts: [2, 2],
    splits: 3,
    weight_splits: 2,
};

/// Sets with fewer documents are small.
const SMALL: usize = 5_000;

/// What a curve's features are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Features {
    Anchors,
    Weights,
}

impl Features {
    fn name(self) -> &'static str {
        match self {
            Features::Anchors => "X_A",
            Features::Weights => "W",
        }
    }
}

/// One point: accuracy on each split, and the spread over starts where there are several.
struct Point {
    rank: usize,
    values: Vec<f64>,
    over_starts: Option<f64>,
}

/// One method on one kind of features.
struct Curve {
    method: Method,
    features: Features,
    /// Runs from different starts; one if nothing is random.
    starts: usize,
    points: Vec<Point>,
}

impl Curve {
    fn at(&self, rank: usize) -> Option<&[f64]> {
        self.points.iter().find(|point| point.rank == rank).map(|point| &point.values[..])
    }
}

/// One data set with one preparation.
struct Study {
    data: String,
    preparation: Preparation,
    /// The share of the largest class.
    majority: f64,
    /// Accuracy with all words.
    full: Vec<f64>,
    curves: Vec<Curve>,
}

impl Study {
    fn curve(&self, name: &str, features: Features) -> Option<&Curve> {
        self.curves.iter().find(|curve| curve.method.name == name && curve.features == features)
    }

    fn about(&self) -> String {
        format!("{}, {}", self.data, self.preparation.words())
    }
}

pub(super) fn run(settings: &Settings, watch: &mut dyn Watch) -> Result<Page> {
    let plan = if settings.quick { QUICK } else { FULL };
    let sets = settings.counted_sets()?;
    let steps = |preparation: &Preparation| 1 + methods_on_text(*preparation).count();
    let steps = Preparation::ALL.iter().map(steps).sum::<usize>() + 1;
    watch.begin("figure4", sets.len() * steps);
    let mut studies = Vec::new();
    for set in &sets {
        for preparation in Preparation::ALL {
            let data = set.prepared(preparation)?;
            studies.push(study(&data, preparation, &plan, settings, watch)?);
        }
    }
    page(settings, &plan, &studies)
}

fn study(
    data: &DataSet,
    preparation: Preparation,
    plan: &Plan,
    settings: &Settings,
    watch: &mut dyn Watch,
) -> Result<Study> {
    let protocol = paper_protocol(settings.seed, plan.splits);
    let full = accuracy_of_all(data.sparse()?, data.classes()?, &protocol)?.per_split;
    watch.advance()?;
    let fitted = preparation == Preparation::Fitted;
    let fewest = data.n_classes();
    let more = if fitted { plan.ranks } else { plan.few_ranks };
    let ranks: Vec<usize> =
        [fewest].into_iter().chain(more.iter().copied().filter(|&r| r > fewest)).collect();
    let job = Job { seed: settings.seed, epochs: EPOCHS, iterations: ITERATIONS, ..Job::new(0) };
    let mut curves = Vec::new();
    for name in methods_on_text(preparation) {
        let method = Method::named(name)?;
        let refine = fitted && PAPER_ON_TEXT.contains(&name);
        let ranks = ranks.iter().copied().filter(|&rank| rank <= plan.largest_of(name));
        let ranks: Vec<usize> = ranks.collect();
        curves.extend(anchor_curves(data, method, &ranks, plan, &job, refine)?);
        watch.advance()?;
    }
    if fitted {
        curves.push(local_curve(data, &ranks, plan, &job)?);
        watch.advance()?;
    }
    let majority = data.majority()?;
    Ok(Study { data: data.name.clone(), preparation, majority, full, curves })
}

/// Accuracy with `X_A` and with the refined W; smaller sets of anchors are the first of the largest.
fn anchor_curves(
    data: &DataSet,
    method: Method,
    ranks: &[usize],
    plan: &Plan,
    job: &Job,
    refine: bool,
) -> Result<Vec<Curve>> {
    let largest = ranks.iter().copied().max().unwrap_or(0);
    let found = method.run(data.part(), &Job { rank: largest, ..job.clone() })?;
    let Found::Anchors(anchors) = found else { anyhow::bail!("{}: no anchors", method.name) };
    let protocol = paper_protocol(job.seed, plan.splits);
    let (mut plain, mut weights) = (Vec::new(), Vec::new());
    for &rank in ranks.iter().filter(|&&rank| rank <= anchors.len()) {
        let features = columns_of(data, &anchors[..rank])?;
        let judged = accuracy_as_given(features, rank, data.classes()?, &protocol)?;
        plain.push(Point { rank, values: judged.per_split, over_starts: None });
        if refine && rank <= plan.largest_refined {
            let start = data.part().with_anchors(&anchors[..rank])?.factors(&OneRank)?;
            let factors = scaled(data.part().refined(start, REFINE)?);
            let protocol = paper_protocol(job.seed, plan.weight_splits);
            let judged = accuracy_as_given(factors.w, rank, data.classes()?, &protocol)?;
            weights.push(Point { rank, values: judged.per_split, over_starts: None });
        }
    }
    let curves = [(Features::Anchors, plain), (Features::Weights, weights)].into_iter();
    let curves = curves.filter(|(_, points)| !points.is_empty());
    Ok(curves.map(|(features, points)| Curve { method, features, starts: 1, points }).collect())
}

fn local_curve(data: &DataSet, ranks: &[usize], plan: &Plan, job: &Job) -> Result<Curve> {
    let method = Method::named("nmf-hals")?;
    let protocol = paper_protocol(job.seed, plan.weight_splits);
    let small = data.classes()?.len() < SMALL;
    let starts = plan.starts[usize::from(!small)];
    let mut points = Vec::new();
    for &rank in ranks.iter().filter(|&&rank| rank <= plan.largest_refined) {
        let mut of_starts = Vec::new();
        for seed in 0..starts as u64 {
            let job = Job { rank, seed: job.seed + seed, ..job.clone() };
            let Found::Factors(factors) = method.run(data.part(), &job)? else { continue };
            let judged = accuracy_as_given(scaled(factors).w, rank, data.classes()?, &protocol)?;
            of_starts.push(judged.per_split);
        }
        let mean_of_split = |k: usize| {
            of_starts.iter().map(|splits: &Vec<f64>| splits[k]).sum::<f64>() / starts as f64
        };
        let values = (0..plan.weight_splits).map(mean_of_split).collect();
        let means: Vec<f64> = of_starts.iter().map(|splits| mean_and_spread(splits).0).collect();
        let over_starts = Some(mean_and_spread(&means).1);
        points.push(Point { rank, values, over_starts });
    }
    Ok(Curve { method, features: Features::Weights, starts, points })
}

fn page(settings: &Settings, plan: &Plan, studies: &[Study]) -> Result<Page> {
    let mut page = settings.page("figure4", "Figure 4: accuracy against the number of topics");
    page.paragraph(format!(
        "Accuracy of a linear support vector machine that learns from 5 % of the documents, as in Table 1, but with {} \
         splits, on the columns of the anchor words (X_A, the paper's features) and, with the fitted preparation, on the weights W \
         after {REFINE} steps of refinement ({} splits). Local optimisation has {} random starts ({} on sets of {} documents or \
         more) of {ITERATIONS} iterations; its bars show their standard deviation. All other bars are two standard errors. The \
         upper dashed line is the accuracy with all words, the lower one the share of the largest class, which is no success of \
         anyone. All panels have the same axis. GV is SPA (l1) in all sentences; SPA on columns as they are is shown \
         as well. Anchors of smaller sets are the first ones of the largest; Hottopixx makes {EPOCHS} epochs of \
         its authors' steps, as in the paper, and its program is not solved here. To save time, W, local optimisation, XRAY(robust) \
         and VCA go up to r = {} and run with the fitted preparation only, others beside the paper's methods go up to r = {}, and \
         the other preparations have two numbers of topics; the paper's source has r up to 500 and ten starts for all.",
        plan.splits,
        plan.weight_splits,
        plan.starts[0],
        plan.starts[1],
        number::count(SMALL as u64),
        plan.largest_refined,
        plan.largest_other
    ));
    page.paragraph(super::about_preparations(settings));
    for study in studies {
        let part = format!("{}-{}", study.data.to_lowercase(), study.preparation.name());
        let caption = format!("{}: accuracy against the number of topics", study.about());
        page.picture(&part, &caption, &picture(study))?;
        page.table(&table(study));
    }
    judge(&mut page, &verdicts(studies));
    page.csv("", &csv(studies));
    Ok(page)
}

/// What the picture shows, in a sentence.
fn finding(study: &Study) -> String {
    let rank = judged_rank(study);
    let at = |name: &str| {
        let values = study.curve(name, Features::Anchors).and_then(|curve| curve.at(rank));
        values.map_or(f64::NAN, |values| Estimate::of(values).mean)
    };
    let percent = |name: &str| number::percent(at(name), 0);
    format!(
        "{}: {rank} words of greedy {}, dist {}, SPA (l1) {}; all words {}",
        study.about(),
        percent("xray-greedy"),
        percent("xray-dist"),
        percent("spa-l1"),
        number::percent(Estimate::of(&study.full).mean, 0)
    )
}

fn picture(study: &Study) -> Chart {
    let panel = |features: Features, of_paper: bool, label: &str| {
        let mut panel = Panel::new(label).y_range(0.0, 1.0);
        let is_in = |curve: &&Curve| {
            let of_paper = PAPER_ON_TEXT.contains(&curve.method.name) == of_paper;
            curve.features == features && (of_paper || features == Features::Weights)
        };
        for curve in study.curves.iter().filter(is_in) {
            let estimates = || curve.points.iter().map(|point| Estimate::of(&point.values));
            let points = curve.points.iter().zip(estimates()).map(|(p, e)| (p.rank as f64, e.mean));
            let bars = curve.points.iter().zip(estimates());
            let bars = bars.map(|(p, e)| p.over_starts.unwrap_or(2.0 * e.error));
            panel = panel.series(Series::new(curve.method.label, points).error_bars(bars));
        }
        panel
            .horizontal(Estimate::of(&study.full).mean, "all words")
            .horizontal(study.majority, "largest class")
    };
    let weights = study.curves.iter().any(|curve| curve.features == Features::Weights);
    let chart = Chart::new(finding(study)).x_label("topics").x_scale(Scale::Log);
    let mut panels = vec![panel(Features::Anchors, true, "anchors' columns, the paper's methods")];
    if weights {
        panels.push(panel(Features::Weights, true, "refined weights"));
    }
    panels.push(panel(Features::Anchors, false, "anchors' columns, other methods"));
    let height = 110 + 390 * panels.len() as u32;
    panels.into_iter().fold(chart, Chart::panel).size(900, height)
}

fn table(study: &Study) -> Table {
    let mut ranks: Vec<usize> =
        study.curves.iter().flat_map(|curve| curve.points.iter().map(|p| p.rank)).collect();
    ranks.sort_unstable();
    ranks.dedup();
    let headers = ranks.iter().map(|rank| Column::right(format!("r = {rank}")));
    let mut table = Table::new([Column::left(study.about())].into_iter().chain(headers));
    for curve in &study.curves {
        let cells = ranks.iter().map(|&rank| {
            let values = curve.at(rank);
            values.map_or_else(Cell::missing, |v| Cell::from(Estimate::of(v).shown(1.0, 3)))
        });
        let label = format!("{}, {}", curve.method.label, curve.features.name());
        table.row([Cell::from(label)].into_iter().chain(cells));
    }
    let full = Estimate::of(&study.full).shown(1.0, 3);
    let majority = number::fixed(study.majority, 3);
    for (name, value) in [("all words", full), ("largest class", majority)] {
        let cells = ranks.iter().map(|_| Cell::from(value.clone()));
        table.row([Cell::from(name)].into_iter().chain(cells));
    }
    table
}

fn csv(studies: &[Study]) -> Table {
    let headers = [
        "data",
        "preparation",
        "method",
        "features",
        "rank",
        "accuracy_mean",
        "standard_error",
        "std_over_starts",
    ];
    let mut table = Table::new(headers.map(Column::left));
    for study in studies {
        let names = || [study.data.clone(), study.preparation.name().to_owned()];
        let mut row = |method: &str, features: &str, rank: String, e: Estimate, starts: String| {
            let [data, preparation] = names();
            let numbers = [e.mean.to_string(), e.error.to_string(), starts];
            let first = [data, preparation, method.to_owned(), features.to_owned(), rank];
            table.row(first.into_iter().chain(numbers));
        };
        row("all-words", "X", String::new(), Estimate::of(&study.full), String::new());
        let majority = Estimate { mean: study.majority, error: 0.0 };
        row("largest-class", "", String::new(), majority, String::new());
        for curve in &study.curves {
            for point in &curve.points {
                let starts = point.over_starts.map_or_else(String::new, |s| s.to_string());
                let (rank, found) = (point.rank.to_string(), Estimate::of(&point.values));
                row(curve.method.name, curve.features.name(), rank, found, starts);
            }
        }
    }
    table
}
