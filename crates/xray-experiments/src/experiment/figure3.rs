//! Figure 3: the part of the anchors that is recovered, against noise.

use anyhow::Result;
use rayon::prelude::*;
use xray_nmf::synth::{Planted, Synthetic};
use xray_nmf::{DenseMatrix, Matrix};
use xray_report::{Cell, Chart, Column, Panel, Series, Table, number};

use super::Settings;
use super::verdict::{Deciding, ERRORS, Estimate, Outcome, Runs, Verdict, all_above, judge, worst};
use crate::method::{Found, Job, METHODS, Method, Procedure, hottopixx_nearly};
use crate::page::Page;
use crate::part::Part;
use crate::watch::Watch;

const RANK: usize = 20;
const N_COLUMNS: usize = 210;

/// Methods, levels of noise, and data sets for each level.
struct Plan {
    levels: &'static [f64],
    runs: usize,
}

/// The paper's six methods; GV is SPA, as its authors run it on such data.
const PAPER: [&str; 6] = ["xray-max", "xray-dist", "xray-greedy", "xray-rand", "spa", "hottopixx"];

/// The other way to run SPA: its columns scaled to sum 1.
const SCALED_SPA: &str = "spa-l1";

/// Methods that would need to know something about the noise, and are not told.
const NOT_TUNED: [&str; 4] = ["esser", "esser-merged", "esser-l12", "arora"];

/// Methods that take seconds for each data set.
const SLOW: &[&str] = &["esser", "esser-merged", "esser-l12", "hottopixx-converged"];

/// Hottopixx by steps, and its program solved.
const HOTTOPIXX: [&str; 2] = ["hottopixx", "hottopixx-converged"];

/// A linear program for each column.
const SLOWEST: &[&str] = &["arora"];

const LEVELS: &[f64] = &[0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0, 1.25, 1.5];

const FULL: [Plan; 3] = [
    Plan { levels: LEVELS, runs: 25 },
    Plan { levels: &[0.0, 0.2, 0.4, 0.6, 1.0], runs: 5 },
    Plan { levels: &[0.0, 0.2, 0.4], runs: 2 },
];

const QUICK: [Plan; 3] = [
    Plan { levels: &[0.0, 0.2, 0.4, 0.8], runs: 3 },
    Plan { levels: &[0.0, 0.4], runs: 1 },
    Plan { levels: &[0.0], runs: 1 },
];

/// Recovery of one method at each level.
struct Curve {
    method: Method,
    /// Level, and the recovery in each data set.
    points: Vec<(f64, Vec<f64>)>,
}

impl Curve {
    fn at(&self, level: f64) -> Option<&[f64]> {
        self.points.iter().find(|point| point.0 == level).map(|point| &point.1[..])
    }

    fn label(&self) -> String {
        let tuned = if NOT_TUNED.contains(&self.method.name) { " (not tuned)" } else { "" };
        format!("{}{tuned}", self.method.label)
    }

    /// The mean over levels with noise, for each data set.
    fn robustness(&self) -> Vec<f64> {
        self.robustness_beside(self)
    }

    /// The same over the levels and data sets that another method has seen, too.
    fn robustness_beside(&self, other: &Curve) -> Vec<f64> {
        let noisy = self.points.iter().filter(|point| point.0 > 0.0);
        let common: Vec<(&[f64], &[f64])> =
            noisy.filter_map(|point| Some((&point.1[..], other.at(point.0)?))).collect();
        let runs = common.iter().map(|(a, b)| a.len().min(b.len())).min().unwrap_or(0);
        let mean = |k: usize| common.iter().map(|(a, _)| a[k]).sum::<f64>() / common.len() as f64;
        (0..runs).map(mean).collect()
    }

    /// How much more robust it is than another, on the data that both have seen.
    fn above(&self, other: &Curve) -> (Outcome, Deciding) {
        let [ours, theirs] = [self.robustness_beside(other), other.robustness_beside(self)];
        let difference = Estimate::of_differences(&ours, &theirs);
        let deciding = Deciding::new(self.method.label, other.method.label, difference);
        (difference.above(0.0), deciding)
    }
}

pub(super) fn run(settings: &Settings, watch: &mut dyn Watch) -> Result<Page> {
    let plans = if settings.quick { &QUICK } else { &FULL };
    let chosen: Vec<(Method, &Plan)> = METHODS
        .iter()
        .filter(|method| !matches!(method.procedure, Procedure::Factors(_)))
        .map(|method| (affordable(*method), plan_of(method, plans)))
        .collect();
    let steps = chosen.iter().map(|(_, plan)| plan.levels.len()).sum::<usize>();
    watch.begin("figure3", steps + COPIED.len());
    let mut curves = Vec::new();
    for (method, plan) in chosen {
        curves.push(curve(method, plan, settings.seed, watch)?);
    }
    // Panel by panel, so that no colour comes twice in one; the paper's in its order.
    let place = |curve: &Curve| {
        PAPER.iter().position(|name| *name == curve.method.name).unwrap_or(PAPER.len())
    };
    curves.sort_by_key(|curve| (panel_of(&curve.method), place(curve)));
    let copies = with_copies(settings, plans[0].runs, watch)?;
    page(settings, &curves, &copies, &plans[0])
}

/// With noise, the last digits of a linear program take most of the time and change no anchor.
fn affordable(method: Method) -> Method {
    match method.name {
        "hottopixx-converged" => {
            Method { procedure: Procedure::Function(hottopixx_nearly), ..method }
        }
        _ => method,
    }
}

fn plan_of<'a>(method: &Method, plans: &'a [Plan; 3]) -> &'a Plan {
    let [fast, slow, slowest] = plans;
    match method.name {
        name if SLOW.contains(&name) => slow,
        name if SLOWEST.contains(&name) => slowest,
        _ => fast,
    }
}

fn curve(method: Method, plan: &Plan, seed: u64, watch: &mut dyn Watch) -> Result<Curve> {
    let mut points = Vec::new();
    for &level in plan.levels {
        let seeds = (0..plan.runs as u64).into_par_iter();
        let found: Result<Vec<f64>> =
            seeds.map(|k| recovery(&method, &drawn(&method, level, seed + k)?, seed + k)).collect();
        points.push((level, found?));
        watch.advance()?;
    }
    Ok(Curve { method, points })
}

/// Columns that are to sum to 1 must not have negative entries.
fn drawn(method: &Method, noise: f64, seed: u64) -> Result<Planted> {
    let clip = method.needs_nonnegative;
    let n_columns = N_COLUMNS;
    Ok(Synthetic { rank: RANK, n_columns, noise, seed, clip, ..Synthetic::default() }.generate()?)
}

/// One data set, one method.
fn recovery(method: &Method, data: &Planted, seed: u64) -> Result<f64> {
    Ok(data.recovery(&anchors(method, &data.matrix, seed)?))
}

fn anchors(method: &Method, matrix: &dyn Matrix, seed: u64) -> Result<Vec<usize>> {
    let job = Job { seed, ..Job::new(RANK) };
    match method.run(Part::whole(matrix), &job)? {
        Found::Anchors(anchors) => Ok(anchors),
        Found::Factors(_) => Ok(Vec::new()),
    }
}

/// Methods that are tried on data with copies of all anchors.
const COPIED: [&str; 4] = ["xray-max", "xray-dist", "xray-greedy", "esser"];

/// Noise of that data: enough that copies are not the same, and little enough that anchors are found.
const COPIED_NOISE: f64 = 0.1;

/// Recovery without and with near-duplicates.
struct Copies {
    method: Method,
    without: Vec<f64>,
    with: Vec<f64>,
}

/// Data in which every anchor is there twice, each time with noise of its own.
fn with_copies(settings: &Settings, runs: usize, watch: &mut dyn Watch) -> Result<Vec<Copies>> {
    let mut all = Vec::new();
    for name in COPIED {
        let method = Method::named(name)?;
        let runs = if SLOW.contains(&name) { runs.min(5) } else { runs };
        let pair = |k: usize| -> Result<(f64, f64)> {
            let seed = settings.seed + k as u64;
            let data = drawn(&method, COPIED_NOISE, seed)?;
            let doubled = doubled(&data, seed)?;
            let found = anchors(&method, &doubled, seed)?;
            let copy = |place: usize| N_COLUMNS + place;
            let is_found =
                |(k, anchor): (usize, &usize)| found.contains(anchor) || found.contains(&copy(k));
            let hits = data.anchors.iter().enumerate().filter(|pair| is_found(*pair)).count();
            Ok((recovery(&method, &data, seed)?, hits as f64 / RANK as f64))
        };
        let pairs: Result<Vec<(f64, f64)>> = (0..runs).into_par_iter().map(pair).collect();
        let (without, with) = pairs?.into_iter().unzip();
        all.push(Copies { method, without, with });
        watch.advance()?;
    }
    Ok(all)
}

/// The columns, and after them each anchor again: that of the same data with the noise of another seed.
fn doubled(data: &Planted, seed: u64) -> Result<DenseMatrix<'static, f64>> {
    let m = data.matrix.n_rows();
    let clean = Synthetic { rank: RANK, n_columns: N_COLUMNS, seed, ..Synthetic::default() };
    let clean = clean.generate()?;
    let other = Synthetic { noise: COPIED_NOISE, seed: seed + 1_000_000, ..Synthetic::default() };
    let noise_free = Synthetic { seed: seed + 1_000_000, ..Synthetic::default() }.generate()?;
    let other = other.generate()?;
    let mut values = Vec::with_capacity(m * (N_COLUMNS + RANK));
    (0..N_COLUMNS).for_each(|j| values.extend(data.matrix.column(j).to_dense(m)));
    for (k, &anchor) in clean.anchors.iter().enumerate() {
        let column = clean.matrix.column(anchor).to_dense(m);
        let [noisy, plain] =
            [&other, &noise_free].map(|drawn| drawn.matrix.column(drawn.anchors[k]).to_dense(m));
        let copy = column.iter().zip(noisy.iter().zip(&plain)).map(|(x, (a, b))| x + a - b);
        values.extend(copy);
    }
    Ok(DenseMatrix::from_column_major(m, N_COLUMNS + RANK, values)?)
}

fn page(settings: &Settings, curves: &[Curve], copies: &[Copies], plan: &Plan) -> Result<Page> {
    let mut page = settings.page("figure3", "Figure 3: recovery of anchors against noise");
    page.paragraph(format!(
        "X = W [I, H'] + N: W is 200 x 20 and uniform, the 190 columns of H' are Dirichlet with uniform \
         parameters, N is Gaussian with standard deviation delta. Each figure is the mean of {} data \
         sets (the paper: 10); all methods see the same ones, the slow ones (Esser, Arora, Hottopixx, converged) \
         only the first few ones and some levels. Methods that need columns of sum 1 and no negative entry (SPA (l1), SNPA (l1), \
         Arora, Clarkson/Dula) get the data with negative entries set to 0; the others get it as drawn. GV, the \
         method of Gillis and Vavasis, is SPA on the data as drawn, whose columns have nearly equal sums, in all \
         sentences; SPA (l1) is shown as well.",
        plan.runs
    ));
    page.picture("", "Recovery against noise", &picture(curves))?;
    page.table(&table(curves, plan.levels));
    page.paragraph(format!(
        "Chance is {} of {N_COLUMNS} columns, {}. Robustness in what follows is the mean over all levels above 0, for \
         each data set.",
        RANK,
        number::fixed(RANK as f64 / N_COLUMNS as f64, 3)
    ));
    judge(&mut page, &verdicts(curves, copies));
    page.paragraph(
        "Hottopixx makes 50 epochs of incremental steps with its authors' step sizes (0.1 and 0.01) and a small cost \
         (0.001); \"converged\" is its linear program, solved to a proven gap of 1 %. Sentences about Hottopixx are judged against \
         both, and the better one decides. *Not tuned* are methods that would need to know something about the noise: Esser's penalty is 0.1, and \
         so is that of the l1,2 model; Arora's noise level is given as 0. \"Merged\" is Esser's model after columns with cosines \
         above 0.95 are merged. Clarkson's and Dula's method is for data without noise.",
    );
    page.csv("", &csv(curves));
    Ok(page)
}

/// Which panel a method is in: the paper's, other ways to go from column to column, and models of all columns at once.
fn panel_of(method: &Method) -> usize {
    const MODELS: [&str; 3] = ["esser", "hottopixx-converged", "arora"];
    match method.name {
        name if PAPER.contains(&name) || name == SCALED_SPA => 0,
        "clarkson" => 2,
        name if MODELS.iter().any(|model| name.starts_with(model)) => 2,
        _ => 1,
    }
}

fn picture(curves: &[Curve]) -> Chart {
    let chance = RANK as f64 / N_COLUMNS as f64;
    let names = ["the paper's methods", "others, column by column", "programs and convex models"];
    let mut panels =
        names.map(|name| Panel::new(name).y_range(0.0, 1.0).horizontal(chance, "chance"));
    for curve in curves.iter().filter(|curve| curve.points.len() > 1) {
        let estimates = || curve.points.iter().map(|point| Estimate::of(&point.1));
        let points = curve.points.iter().zip(estimates()).map(|(point, e)| (point.0, e.mean));
        let bars = estimates().map(|estimate| ERRORS * estimate.error);
        let series = Series::new(curve.label(), points).error_bars(bars);
        let panel = &mut panels[panel_of(&curve.method)];
        *panel = panel.clone().series(series);
    }
    let chart = Chart::new(finding(curves)).x_label("noise (delta); bars are two standard errors");
    panels.into_iter().fold(chart, Chart::panel).size(900, 1320)
}

/// Who of the paper's methods recovers most: the best, and those that tie with it.
fn finding(curves: &[Curve]) -> String {
    let own: Vec<&Curve> = curves.iter().filter(|curve| panel_of(&curve.method) == 0).collect();
    let mean = |curve: &Curve| Estimate::of(&curve.robustness()).mean;
    let best = own.iter().max_by(|a, b| mean(a).total_cmp(&mean(b)));
    let Some(best) = best else { return String::new() };
    let near = |curve: &&&Curve| best.above(curve).0 != Outcome::Holds;
    let names: Vec<&str> = own.iter().filter(near).map(|curve| curve.method.label).collect();
    match names[..] {
        [name] => format!("Of the paper's methods {name} recovers most anchors under noise"),
        _ => format!(
            "Of the paper's methods {} recover most anchors under noise, as many within the error",
            names.join(" and ")
        ),
    }
}

fn table(curves: &[Curve], levels: &[f64]) -> Table {
    let headers = levels.iter().map(|level| Column::right(number::fixed(*level, 2)));
    let mut table = Table::new([Column::left("delta")].into_iter().chain(headers));
    for curve in curves {
        let means = levels
            .iter()
            .map(|&level| super::optional(curve.at(level).map(|runs| Estimate::of(runs).mean), 2));
        table.row([Cell::from(curve.label())].into_iter().chain(means));
    }
    table
}

fn csv(curves: &[Curve]) -> Table {
    let headers = ["method", "data", "delta", "recovery_mean", "standard_error", "runs"];
    let mut table = Table::new(headers.map(Column::left));
    for Curve { method, points } in curves {
        let data = if method.needs_nonnegative { "clipped" } else { "as drawn" };
        for (level, runs) in points {
            let Estimate { mean, error } = Estimate::of(runs);
            table.row([
                method.name.to_owned(),
                data.to_owned(),
                level.to_string(),
                mean.to_string(),
                error.to_string(),
                runs.len().to_string(),
            ]);
        }
    }
    table
}

const BEST: &str =
    "\"The proposed XRAY (max) shows the best noise-robustness in terms of anchor recovery ...\"";
const FOLLOWED: &str = "\"... followed by XRAY (dist) and GV.\"";
const NOT_PERFECT: &str = "\"Although XRAY (greedy) does not perfectly resolve the separable NMF problem (delta = 0) ...\"";
const BETTER: &str =
    "\"... it performs better than Hottopixx ... for near-separable case (delta > 0).\"";
const SETTLED: &str = "ours: Hottopixx recovers more if its program is solved";
const MERGED: &str =
    "ours: without noise Esser's model recovers fewer anchors if near-duplicates are merged first";
const COMPETITIVE: &str = "\"... and is competitive with GV for near-separable case (delta > 0).\"";
const RANDOM: &str = "\"XRAY (rand), although solves the separable problem (delta = 0), degrades significantly under noise\"";
const EXACT: &str = "\"The algorithms produce a correct solution for the separable case after exactly r iterations.\"";
const DUPLICATES: &str = "\"Unlike [Esser et al.], the algorithms do not require any special preprocessing to eliminate \
    duplicate or near-duplicate columns.\" (here: with a near-duplicate of every anchor the recovery is at most 3 points \
    lower than without)";

/// A recovery that is lower by no more than this is as good.
const NO_HARM: f64 = 0.03;

fn verdicts(curves: &[Curve], copies: &[Copies]) -> Vec<Verdict> {
    let curve = |name: &str| curves.iter().find(|curve| curve.method.name == name);
    let robust: Vec<(&str, Vec<f64>)> = PAPER
        .iter()
        .chain(&[SCALED_SPA])
        .filter_map(|name| curve(name))
        .map(|curve| (curve.method.label, curve.robustness()))
        .collect();
    let runs = |name: &str| {
        let label = curve(name).map_or("", |curve| curve.method.label);
        let values = robust.iter().find(|(other, _)| *other == label);
        Runs { label, values: values.map_or(&[], |(_, values)| &values[..]) }
    };
    let [max, dist, greedy, rand, spa, hottopixx] = PAPER.map(runs);
    let spa_l1 = runs(SCALED_SPA);
    let shown = |runs: &[Runs<'_>]| {
        let each =
            |runs: &Runs<'_>| format!("{} {}", runs.label, Estimate::of(runs.values).shown(1.0, 3));
        format!("robustness: {}", runs.iter().map(each).collect::<Vec<_>>().join(", "))
    };
    let noisy = "delta above 0";
    let all = shown(&[max, dist, greedy, rand, spa, spa_l1, hottopixx]);
    let best = all_above(&[max], &[dist, greedy, rand, spa, hottopixx], None);
    let followed = all_above(&[dist, spa], &[greedy, rand, hottopixx], None);
    let clean = |name: &str| curve(name).and_then(|curve| curve.at(0.0)).unwrap_or(&[]);
    let perfect = |name: &str| clean(name).iter().all(|found| *found == 1.0);
    let rand_clean = Runs { label: "XRAY(rand) at delta 0", values: clean("xray-rand") };
    let above = |ours: &str, rivals: &'static [&str]| {
        let ours = curve(ours);
        let rivals = rivals.iter().filter_map(|name| curve(name));
        rivals.filter_map(move |rival| Some(ours?.above(rival)))
    };
    let [plain, merged] = ["esser", "esser-merged"].map(|name| Runs {
        label: curve(name).map_or("", |c| c.method.label),
        values: clean(name),
    });
    let mut verdicts = vec![
        Verdict::new(BEST, noisy, best).figures(all).held_before(),
        Verdict::new(FOLLOWED, noisy, followed).held_before(),
        Verdict::counted(NOT_PERFECT, "delta 0", Outcome::of(!perfect("xray-greedy")))
            .figures(format!("recovery {}", Estimate::of(clean("xray-greedy")).shown(1.0, 3)))
            .held_before(),
        Verdict::new(BETTER, noisy, worst(above("xray-greedy", &HOTTOPIXX))).held_before(),
        Verdict::new(SETTLED, noisy, worst(above("hottopixx-converged", &["hottopixx"]))),
        Verdict::new(COMPETITIVE, noisy, all_above(&[greedy], &[spa], None))
            .figures(shown(&[spa, spa_l1]))
            .held_before(),
        Verdict::new(RANDOM, noisy, all_above(&[max, rand_clean], &[rand], None))
            .figures(format!("without noise {}", Estimate::of(clean("xray-rand")).shown(1.0, 3)))
            .held_before(),
    ];
    for name in ["xray-max", "xray-dist", "xray-rand", "xray-agg", "xray-joint"] {
        let (label, runs) = (curve(name).map_or("", |curve| curve.method.label), clean(name));
        let figures = format!(
            "all {RANK} anchors after {RANK} iterations in {} of {} data sets",
            runs.iter().filter(|found| **found == 1.0).count(),
            runs.len()
        );
        let outcome = Outcome::of(perfect(name));
        verdicts.push(Verdict::counted(EXACT, label, outcome).figures(figures));
    }
    verdicts.push(Verdict::new(MERGED, "delta 0", all_above(&[plain], &[merged], None)));
    verdicts.extend(copies.iter().map(needs_no_preprocessing));
    verdicts
}

/// No harm is done by copies if recovery is hardly lower with them.
fn needs_no_preprocessing(copies: &Copies) -> Verdict {
    let difference = Estimate::of_differences(&copies.with, &copies.without);
    let pair = "with - without".to_owned();
    let judged = (difference.above(-NO_HARM), Deciding { pair, difference });
    let figures = [("without", &copies.without), ("with", &copies.with)]
        .map(|(name, runs)| format!("{name} {}", Estimate::of(runs).shown(1.0, 3)));
    Verdict::new(DUPLICATES, copies.method.label, judged).figures(figures.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_differ_from_their_anchors_by_noise_alone() {
        let method = Method::named("xray-max").expect("a method");
        let data = drawn(&method, COPIED_NOISE, 3).expect("data");
        let doubled = doubled(&data, 3).expect("data");
        assert_eq!((doubled.n_rows(), doubled.n_columns()), (200, N_COLUMNS + RANK));
        for (k, &anchor) in data.anchors.iter().enumerate() {
            let [a, b] = [anchor, N_COLUMNS + k].map(|j| doubled.column(j).to_dense(200));
            let distance = a.iter().zip(&b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
            // Two times 200 draws with deviation 0.1: about 2.
            assert!((1.2..3.0).contains(&distance), "{distance}");
        }
    }
}
