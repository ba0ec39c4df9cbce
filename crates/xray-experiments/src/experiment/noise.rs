//! Noise: what robust fits recover, how noise compares with the singular values of the anchors, and which anchors to trust.
//! Not in the paper, which names a formal analysis of noise as future work.

mod designs;
mod trusted;

use anyhow::Result;
use rayon::prelude::*;
use xray_nmf::rivals::{SpaParams, spa};
use xray_nmf::{Normalize, Params, Selection, fit};
use xray_report::{Cell, Chart, Column, Panel, Scale, Series, Table};

use self::designs::{DESIGNS, Design, Noisy, conditioned};
use super::Settings;
use crate::page::Page;
use crate::watch::Watch;

/// Seeds of these experiments begin here: no constant was chosen by looking at them.
const FIRST_SEED: u64 = 70_000;

/// What is compared; the last one is ours.
const METHODS: [&str; 4] = ["max", "dist", "SPA", "robust"];

/// Shares of outliers that are tried.
const SHARES: [f64; 4] = [0.0, 0.025, 0.05, 0.1];

/// Condition numbers of W; none for uniform entries.
const CONDITIONS: [Option<f64>; 4] = [None, Some(10.0), Some(100.0), Some(1000.0)];

/// Designs that `--outliers` is tried on.
const WITH_SHARES: [&str; 6] = [
    "10 dense outliers",
    "10 spiked outliers",
    "10 bright outliers",
    "Dirichlet, each anchor twice",
    "log-normal column scales",
    "Poisson counts",
];

/// What the quick version looks at.
const QUICK: [&str; 2] = ["middle points", "10 bright outliers"];

fn designs_of(settings: &Settings) -> Vec<&'static Design> {
    DESIGNS.iter().filter(|design| !settings.quick || QUICK.contains(&design.name)).collect()
}

/// Noise relative to the median singular value of W.
const RATIOS: [f64; 7] = [0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5];

/// The mean recovery of each method for one seed of a design.
type Recoveries = [f64; METHODS.len()];

fn anchors(noisy: &Noisy, method: &str) -> Result<Vec<usize>> {
    let params = Params { allow_negative: true, ..Params::new(noisy.rank) };
    Ok(match method {
        "SPA" => {
            let raw = SpaParams { normalize: Normalize::None, ..SpaParams::new(noisy.rank) };
            spa(&noisy.matrix, &raw)?.anchors
        }
        "dist" => fit(&noisy.matrix, &Params { selection: Selection::Dist, ..params })?.anchors(),
        "robust" => fit(&noisy.matrix, &Params { robust: true, ..params })?.anchors(),
        _ => fit(&noisy.matrix, &params)?.anchors(),
    })
}

pub(super) fn run(settings: &Settings, watch: &mut dyn Watch) -> Result<Page> {
    let runs = if settings.quick { 2 } else { 25 };
    let designs = designs_of(settings);
    let with_share = designs.iter().filter(|design| WITH_SHARES.contains(&design.name)).count();
    let judged = trusted::designs_of(settings).count();
    watch.begin("noise", designs.len() + with_share + CONDITIONS.len() + judged);
    let mut page = settings.page("noise", "Noise: recovery, and which anchors to trust");
    said(&mut page);
    let mut rows = Vec::new();
    for design in designs {
        rows.push((design, recoveries(design, settings.seed + FIRST_SEED, runs)?));
        watch.advance()?;
    }
    told_designs(&mut page, &rows, runs);
    told_outliers(&mut page, settings, runs.min(10), watch)?;
    told_conditions(&mut page, settings, if settings.quick { 1 } else { 8 }, watch)?;
    trusted::told(&mut page, settings, if settings.quick { 1 } else { 3 }, watch)?;
    Ok(page)
}

fn said(page: &mut Page) {
    page.paragraph(
        "What is **proved**: on separable data every rule but greedy finds all anchors (the paper's Lemmas), and so do robust fits, since the \
         noise is 0 then and whitened coordinates keep extreme rays extreme. What is **measured**: everything below, on drawn data; \
         figures are means with standard errors. What is **conjecture**: that the borderlines in units of the median singular value of the \
         anchors, found for Gaussian noise and Dirichlet mixtures, hold for other mixtures; no bound is known that is near to them.",
    );
}

/// The recovery of every method, for every seed the mean over all levels.
fn recoveries(design: &Design, first: u64, runs: u64) -> Result<Vec<Recoveries>> {
    let one = |seed: u64| -> Result<Recoveries> {
        let data = design.data(seed)?;
        let mut means = [0.0; METHODS.len()];
        for noisy in &data {
            for (mean, method) in means.iter_mut().zip(METHODS) {
                *mean += noisy.recovery(&anchors(noisy, method)?) / data.len() as f64;
            }
        }
        Ok(means)
    };
    (first..first + runs).into_par_iter().map(one).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// The standard error of a mean; none of one value.
fn standard_error(values: &[f64]) -> Option<f64> {
    let n = values.len() as f64;
    let center = mean(values);
    let squares: f64 = values.iter().map(|v| (v - center).powi(2)).sum();
    (values.len() > 1).then(|| (squares / (n - 1.0) / n).sqrt())
}

/// How much better robust is than the best of the others, paired by seeds, and the standard error of that.
fn advantage(runs: &[Recoveries]) -> (f64, Option<f64>) {
    let of = |k: usize| mean(&runs.iter().map(|run| run[k]).collect::<Vec<f64>>());
    let best = (0..METHODS.len() - 1).fold(0, |best, k| if of(k) > of(best) { k } else { best });
    let differences: Vec<f64> = runs.iter().map(|run| run[METHODS.len() - 1] - run[best]).collect();
    (mean(&differences), standard_error(&differences))
}

fn told_designs(page: &mut Page, rows: &[(&Design, Vec<Recoveries>)], runs: u64) {
    page.paragraph(format!(
        "Recovery: the share of the anchors that are found, mean over the levels of noise and {runs} data sets. The last columns are robust less the best of \
         the others on the same data, and its standard error. 200 x 210 with r = 20 unless the name says otherwise."
    ));
    let headers = ["design"].into_iter().chain(METHODS).chain(["difference", "error"]);
    let mut table = Table::new(
        headers
            .enumerate()
            .map(|(k, name)| if k == 0 { Column::left(name) } else { Column::right(name) }),
    );
    for (design, runs) in rows {
        let means = (0..METHODS.len())
            .map(|k| Cell::fixed(mean(&runs.iter().map(|run| run[k]).collect::<Vec<f64>>()), 3));
        let (difference, error) = advantage(runs);
        let last = [Cell::from(format!("{difference:+.3}")), super::optional(error, 3)];
        table.row([Cell::from(design.name)].into_iter().chain(means).chain(last));
    }
    page.table(&table).csv("designs", &table);
    let worse = rows.iter().filter(|(_, runs)| {
        let (difference, error) = advantage(runs);
        error.is_some_and(|error| difference < -2.0 * error && difference < 0.0)
    });
    let worse: Vec<&str> = worse.map(|(design, _)| design.name).collect();
    page.paragraph(if worse.is_empty() {
        "Robust is nowhere worse than the best of the others by more than two standard errors."
            .to_owned()
    } else {
        format!(
            "Robust is worse than the best of the others by more than two standard errors on: {}.",
            worse.join(", ")
        )
    });
}

fn told_outliers(
    page: &mut Page,
    settings: &Settings,
    runs: u64,
    watch: &mut dyn Watch,
) -> Result<()> {
    page.paragraph(format!(
        "`--outliers SHARE` ({runs} data sets; of the designs with outliers a share of .048 are some). It must be asked for: where there are none it costs good anchors."
    ));
    let headers = SHARES.iter().map(|share| Column::right(format!("share {share}")));
    let mut table = Table::new([Column::left("design")].into_iter().chain(headers));
    for design in
        designs_of(settings).into_iter().filter(|design| WITH_SHARES.contains(&design.name))
    {
        let one = |seed: u64| -> Result<Vec<f64>> {
            let data = design.data(seed)?;
            let share = |&outliers: &f64| -> Result<f64> {
                let mut sum = 0.0;
                for noisy in &data {
                    let params = Params {
                        allow_negative: true,
                        robust: true,
                        outliers,
                        ..Params::new(noisy.rank)
                    };
                    sum += noisy.recovery(&fit(&noisy.matrix, &params)?.anchors());
                }
                Ok(sum / data.len() as f64)
            };
            SHARES.iter().map(share).collect()
        };
        let first = settings.seed + FIRST_SEED;
        let found: Result<Vec<Vec<f64>>> = (first..first + runs).into_par_iter().map(one).collect();
        let found = found?;
        let cells = (0..SHARES.len())
            .map(|k| Cell::fixed(mean(&found.iter().map(|run| run[k]).collect::<Vec<f64>>()), 3));
        table.row([Cell::from(design.name)].into_iter().chain(cells));
        watch.advance()?;
    }
    page.table(&table).csv("outliers", &table);
    Ok(())
}

fn told_conditions(
    page: &mut Page,
    settings: &Settings,
    runs: u64,
    watch: &mut dyn Watch,
) -> Result<()> {
    page.paragraph(format!(
        "Gaussian noise of deviation delta in every entry, each anchor twice and 200 Dirichlet mixtures, for anchors W of different condition ({runs} data sets). \
         In units of the median singular value of W the borderline is nearly the same for all conditions; in units of the least one it is not."
    ));
    let headers = ["condition", "delta / median", "delta / least"].into_iter().chain(METHODS);
    let mut table = Table::new(headers.map(Column::right));
    let mut panels =
        METHODS.map(|method| Panel::new(format!("recovery, {method}")).y_range(0.0, 1.0));
    for condition in CONDITIONS {
        let name =
            condition.map_or("uniform W".to_owned(), |condition| format!("condition {condition}"));
        let mut curves = METHODS.map(|_| Vec::new());
        let ratios = if settings.quick { &RATIOS[2..4] } else { &RATIOS[..] };
        for &ratio in ratios {
            let one = |seed: u64| -> Result<(f64, Recoveries)> {
                let singular = conditioned(seed, condition, 0.0)?.1;
                let (median, least) = (singular[singular.len() / 2], singular[singular.len() - 1]);
                let noisy = conditioned(seed, condition, ratio * median)?.0;
                let mut found = [0.0; METHODS.len()];
                for (share, method) in found.iter_mut().zip(METHODS) {
                    *share = noisy.recovery(&anchors(&noisy, method)?);
                }
                Ok((ratio * median / least, found))
            };
            let first = settings.seed + FIRST_SEED;
            let found: Result<Vec<(f64, Recoveries)>> =
                (first..first + runs).into_par_iter().map(one).collect();
            let found = found?;
            let least = mean(&found.iter().map(|one| one.0).collect::<Vec<f64>>());
            let means: Vec<f64> = (0..METHODS.len())
                .map(|k| mean(&found.iter().map(|one| one.1[k]).collect::<Vec<f64>>()))
                .collect();
            curves.iter_mut().zip(&means).for_each(|(curve, &mean)| curve.push((ratio, mean)));
            let cells = [Cell::from(name.as_str()), Cell::fixed(ratio, 2), Cell::fixed(least, 2)];
            table.row(cells.into_iter().chain(means.iter().map(|&mean| Cell::fixed(mean, 2))));
        }
        for (panel, curve) in panels.iter_mut().zip(curves) {
            *panel = panel.clone().series(Series::new(name.as_str(), curve));
        }
        watch.advance()?;
    }
    let mut chart = Chart::new("Recovery against noise")
        .x_label("delta / median singular value of W")
        .x_scale(Scale::Log)
        .size(900, 900);
    for panel in panels {
        chart = chart.panel(panel);
    }
    page.picture(
        "conditions",
        "Recovery against noise, for anchors of different condition",
        &chart,
    )?;
    page.table(&table).csv("conditions", &table);
    Ok(())
}
