//! Figure 5: agreement of clusters and classes over steps of refinement.

use anyhow::Result;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use xray_nmf::Factors;
use xray_nmf::comm::OneRank;
use xray_pipeline::measure::normalized_mutual_information;
use xray_report::{Cell, Chart, Column, Panel, Scale, Series, Table, number};

use super::verdict::{Deciding, Estimate, Verdict, judge, worst};
use super::{HOTTOPIXX_ON_TEXT, PAPER_ON_TEXT, Settings, methods_on_text};
use crate::dataset::DataSet;
use crate::evaluate::{clusters, mean_and_spread};
use crate::method::{Found, Job, Method};
use crate::page::Page;
use crate::preparation::Preparation;
use crate::watch::Watch;

/// Methods that sentences are about: the paper's.
const OURS: [&str; 2] = ["xray-greedy", "xray-dist"];
const RIVALS: [&str; 2] = ["spa-l1", HOTTOPIXX_ON_TEXT];

/// Passes of Hottopixx: the paper's larger number.
const EPOCHS: usize = 10;

/// A random start is refined until the objective gains less than this in a round of `ROUND` steps.
const SETTLED: f64 = 1e-4;
const ROUND: usize = 10;

/// Draws of documents, with replacement, for the standard error of an NMI.
const DRAWS: usize = 40;

/// Steps after which the clusters are looked at. Each is a run from the start: refinement looks ahead,
/// so that one step after another would not be the same as all at once.
const LOOKS: [usize; 9] = [0, 1, 2, 3, 5, 8, 12, 25, 60];
const FEW_LOOKS: [usize; 4] = [0, 1, 8, 60];

/// The clusters of the documents.
type Clusters = Vec<Option<usize>>;

/// One method: numbers of steps and the NMI after them, and the clusters at the end.
struct Curve {
    method: Method,
    points: Vec<(usize, f64)>,
    last: Clusters,
}

/// What one data set gave with one preparation.
struct Study {
    data: String,
    preparation: Preparation,
    classes: Clusters,
    curves: Vec<Curve>,
    /// Clusters of each random start, and their NMI.
    local: Vec<(Clusters, f64)>,
}

impl Study {
    fn about(&self) -> String {
        format!("{}, {}", self.data, self.preparation.words())
    }

    fn local_nmi(&self) -> Vec<f64> {
        self.local.iter().map(|start| start.1).collect()
    }

    fn curve(&self, name: &str) -> Option<&Curve> {
        self.curves.iter().find(|curve| curve.method.name == name)
    }
}

pub(super) fn run(settings: &Settings, watch: &mut dyn Watch) -> Result<Page> {
    let (steps, starts) = if settings.quick { (8, 3) } else { (60, 10) };
    let sets = settings.counted_sets()?;
    let runs = |preparation: &Preparation| methods_on_text(*preparation).count() + starts;
    watch.begin("figure5", sets.len() * Preparation::ALL.iter().map(runs).sum::<usize>());
    let mut studies = Vec::new();
    for set in &sets {
        for preparation in Preparation::ALL {
            let data = set.prepared(preparation)?;
            studies.push(study(&data, preparation, settings, (steps, starts), watch)?);
        }
    }
    page(settings, &studies, steps, starts)
}

fn study(
    data: &DataSet,
    preparation: Preparation,
    settings: &Settings,
    (steps, starts): (usize, usize),
    watch: &mut dyn Watch,
) -> Result<Study> {
    let classes: Clusters = data.classes()?.iter().copied().map(Some).collect();
    let job = Job {
        seed: settings.seed,
        epochs: EPOCHS,
        iterations: ROUND,
        ..Job::new(data.n_classes())
    };
    let mut curves = Vec::new();
    for name in methods_on_text(preparation) {
        let looks: &[usize] = if PAPER_ON_TEXT.contains(&name) { &LOOKS } else { &FEW_LOOKS };
        let method = Method::named(name)?;
        curves.extend(curve(data, &classes, method, &job, (looks, steps))?);
        watch.advance()?;
    }
    let mut local = Vec::new();
    for seed in 0..starts as u64 {
        let found = local_search(data, &Job { seed: settings.seed + seed, ..job.clone() })?;
        let nmi = normalized_mutual_information(&classes, &found);
        local.push((found, nmi));
        watch.advance()?;
    }
    Ok(Study { data: data.name.clone(), preparation, classes, curves, local })
}

/// NMI of `W = X_A`, and after some numbers of steps; none if the method finds no anchor.
fn curve(
    data: &DataSet,
    classes: &Clusters,
    method: Method,
    job: &Job,
    (looks, steps): (&[usize], usize),
) -> Result<Option<Curve>> {
    let Found::Anchors(anchors) = method.run(data.part(), job)? else {
        anyhow::bail!("{}: no anchors", method.name)
    };
    if anchors.is_empty() {
        return Ok(None);
    }
    let start = data.part().with_anchors(&anchors)?.factors(&OneRank)?;
    let (mut points, mut last) = (Vec::new(), Vec::new());
    for &after in looks.iter().filter(|&&after| after <= steps) {
        last = clusters(data.part().refined(start.clone(), after)?);
        points.push((after, normalized_mutual_information(classes, &last)));
    }
    Ok(Some(Curve { method, points, last }))
}

/// Clusters of local optimisation from a random start, when it has settled.
fn local_search(data: &DataSet, job: &Job) -> Result<Clusters> {
    const MOST_ROUNDS: usize = 10;
    let Found::Factors(mut factors) = Method::named("nmf-hals")?.run(data.part(), job)? else {
        anyhow::bail!("nmf-hals: no factors")
    };
    for _ in 0..MOST_ROUNDS {
        factors = data.part().refined(factors, ROUND)?;
        let Factors { objective, .. } = &factors;
        let [first, .., last] = objective[..] else { break };
        if first - last < SETTLED * first {
            break;
        }
    }
    Ok(clusters(factors))
}

fn page(settings: &Settings, studies: &[Study], steps: usize, starts: usize) -> Result<Page> {
    let mut page = settings.page("figure5", "Figure 5: clusters over steps of refinement");
    page.paragraph(format!(
        "As many topics as classes. Each document belongs to its heaviest topic; the figure is the \
         normalized mutual information (NMI) of these clusters and the classes, at first with W = X_A and then \
         after up to {steps} steps of alternating optimisation. Local search is NMF by coordinate descent \
         from {starts} random starts, each until it settles: the line is their mean, the band their spread. \
         Hottopixx makes {EPOCHS} epochs of steps. Standard errors are those of {DRAWS} draws of as many documents, \
         with replacement, the same for all methods; each draw has another start of local search. To save time, XRAY(robust) \
         and VCA run with the fitted preparation only."
    ));
    page.paragraph(super::about_preparations(settings));
    for study in studies {
        let part = format!("{}-{}", study.data.to_lowercase(), study.preparation.name());
        let caption = format!("{}: NMI over steps of refinement", study.about());
        page.picture(&part, &caption, &picture(study))?;
    }
    page.table(&table(studies));
    judge(
        &mut page,
        &studies.iter().flat_map(|study| verdicts(study, settings.seed)).collect::<Vec<_>>(),
    );
    page.csv("", &csv(studies));
    Ok(page)
}

const AMONG_BEST: &str = "\"Again, the proposed XRAY methods are among the best performing methods in terms of clustering \
    performance and do not require multiple runs as traditional NMFs do.\" (each rule, refined, against SPA (l1), \
    Hottopixx and the mean of local search; a tie is with the best of these)";

/// Each of the paper's rules against all rivals and local search.
fn verdicts(study: &Study, seed: u64) -> Vec<Verdict> {
    let samples = samples(study.classes.len(), seed);
    let nmi = |found: &Clusters, sample: &[usize]| {
        let pick = |of: &Clusters| sample.iter().map(|&d| of[d]).collect::<Clusters>();
        normalized_mutual_information(&pick(&study.classes), &pick(found))
    };
    let drawn = |name: &str| -> Vec<f64> {
        let last = study.curve(name).map(|curve| &curve.last);
        last.map_or_else(Vec::new, |last| samples.iter().map(|sample| nmi(last, sample)).collect())
    };
    let of_local = samples.iter().enumerate();
    let local: Vec<f64> =
        of_local.map(|(k, sample)| nmi(&study.local[k % study.local.len()].0, sample)).collect();
    let rivals: Vec<(&str, Vec<f64>)> = RIVALS
        .iter()
        .map(|name| (study.curve(name).map_or("", |c| c.method.label), drawn(name)))
        .chain([("local search", local)])
        .collect();
    let verdict = |name: &&str| {
        let ours = study.curve(name)?;
        let own = drawn(name);
        let pairs = rivals.iter().map(|(label, values)| {
            let difference = over_draws(&own, values);
            (difference.above(0.0), Deciding::new(ours.method.label, label, difference))
        });
        let judged = worst(pairs);
        let figures = format!("NMI {}", number::fixed(ours.points.last()?.1, 3));
        Some(Verdict::new(AMONG_BEST, study.about(), judged).figures(figures).held_before())
    };
    OURS.iter().filter_map(verdict).collect()
}

/// Documents of each draw.
fn samples(n: usize, seed: u64) -> Vec<Vec<usize>> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    (0..DRAWS).map(|_| (0..n).map(|_| random.random_range(0..n)).collect()).collect()
}

/// The mean difference; the spread over draws is its standard error.
fn over_draws(a: &[f64], b: &[f64]) -> Estimate {
    let differences: Vec<f64> = a.iter().zip(b).map(|(a, b)| a - b).collect();
    let (mean, error) = mean_and_spread(&differences);
    Estimate { mean, error }
}

fn picture(study: &Study) -> Chart {
    let (mean, spread) = mean_and_spread(&study.local_nmi());
    let end = study.curves.first().and_then(|curve| curve.points.last());
    let end = end.map_or(1.0, |(after, _)| *after as f64 + 1.0);
    let name = format!("local search (band: spread of {} starts)", study.local.len());
    let local = Series::new(name, [(1.0, mean), (end, mean)])
        .band([(mean - spread, mean + spread); 2])
        .dashed()
        .markers(false);
    // The same axis in both panels, to the next tenth of what is there.
    let all = || study.curves.iter().flat_map(|curve| &curve.points).map(|point| point.1);
    let low = all().fold(mean - spread, f64::min);
    let high = all().fold(mean + spread, f64::max);
    let ends = ((10.0 * low).floor() / 10.0, (10.0 * high).ceil() / 10.0);
    let panel = |label: &str, of_paper: bool| {
        let is_in = |curve: &&Curve| PAPER_ON_TEXT.contains(&curve.method.name) == of_paper;
        // Step k is at k + 1: a logarithmic axis has no 0, and most happens in the first steps.
        let series = |curve: &Curve| {
            let points = curve.points.iter().map(|(after, value)| (*after as f64 + 1.0, *value));
            Series::new(curve.method.label, points)
        };
        let curves = study.curves.iter().filter(is_in).map(series);
        let panel = Panel::new(label).y_range(ends.0, ends.1);
        curves.chain([local.clone()]).fold(panel, Panel::series)
    };
    let last = |name: &str| {
        let point = study.curve(name).and_then(|curve| curve.points.last());
        point.map_or(f64::NAN, |point| point.1)
    };
    let title = format!(
        "{}: refined, greedy ends at {}, dist at {}, local search at {}",
        study.about(),
        number::fixed(last("xray-greedy"), 2),
        number::fixed(last("xray-dist"), 2),
        number::fixed(mean, 2)
    );
    Chart::new(title)
        .x_label("1 + steps of refinement")
        .x_scale(Scale::Log)
        .panel(panel("NMI, the paper's methods", true))
        .panel(panel("NMI, other methods", false))
        .size(860, 860)
}

fn table(studies: &[Study]) -> Table {
    let columns = ["method", "data", "before", "after 1", "after 8", "at the end"];
    let mut table = Table::new(
        columns
            .iter()
            .enumerate()
            .map(|(k, header)| if k < 2 { Column::left(*header) } else { Column::right(*header) }),
    );
    for study in studies {
        for curve in &study.curves {
            let value = |point: Option<&(usize, f64)>| super::optional(point.map(|p| p.1), 3);
            let at = |steps| value(curve.points.iter().find(|(after, _)| *after == steps));
            let (label, data) = (Cell::from(curve.method.label), Cell::from(study.about()));
            table.row([label, data, at(0), at(1), at(8), value(curve.points.last())]);
        }
        let (mean, spread) = mean_and_spread(&study.local_nmi());
        table.row([
            Cell::from("local search"),
            Cell::from(study.about()),
            Cell::missing(),
            Cell::missing(),
            Cell::missing(),
            Cell::from(format!("{mean:.3} (std {spread:.3})")),
        ]);
    }
    table
}

fn csv(studies: &[Study]) -> Table {
    let headers = ["data", "preparation", "method", "step", "nmi"];
    let mut table = Table::new(headers.map(Column::left));
    for study in studies {
        let mut row = |method: &str, step: String, value: f64| {
            let names = [study.data.clone(), study.preparation.name().to_owned()];
            table.row(names.into_iter().chain([method.to_owned(), step, value.to_string()]));
        };
        for curve in &study.curves {
            for (after, value) in &curve.points {
                row(curve.method.name, after.to_string(), *value);
            }
        }
        for (seed, (_, value)) in study.local.iter().enumerate() {
            row("local-search", format!("start {}", seed + 1), *value);
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_spread_over_draws_is_the_error_itself() {
        let found = over_draws(&[0.5, 0.7], &[0.4, 0.4]);
        assert!((found.mean - 0.2).abs() < 1e-15 && (found.error - 0.02f64.sqrt()).abs() < 1e-15);
        let drawn = samples(7, 3);
        assert_eq!((drawn.len(), drawn[0].len()), (DRAWS, 7));
        assert_eq!(drawn, samples(7, 3));
    }
}
