//! Noise relative to the singular values of the anchors: where recovery breaks down, for anchors of different condition.

use anyhow::Result;
use rayon::prelude::*;
use xray_report::{Cell, Chart, Column, Panel, Scale, Series, Table, number};

use super::designs::conditioned;
use super::{FIRST_SEED, METHODS, Recoveries, anchors, mean};
use crate::experiment::Settings;
use crate::page::Page;
use crate::watch::Watch;

/// Condition numbers of W; none for uniform entries.
pub(super) const CONDITIONS: [Option<f64>; 4] = [None, Some(10.0), Some(100.0), Some(1000.0)];

/// Noise relative to the median singular value of W.
const RATIOS: [f64; 7] = [0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5];

/// The borderline is where recovery falls to this.
const BORDER: f64 = 0.9;

/// What is recovered at one level of noise.
struct Level {
    /// Noise relative to the median and the least singular value of W.
    relative: [f64; 2],
    found: Recoveries,
}

pub(super) fn told(
    page: &mut Page,
    settings: &Settings,
    runs: u64,
    watch: &mut dyn Watch,
) -> Result<()> {
    let ratios = if settings.quick { &RATIOS[2..4] } else { &RATIOS[..] };
    let mut all = Vec::new();
    for condition in CONDITIONS {
        let first = settings.seed + FIRST_SEED;
        let levels: Result<Vec<Level>> =
            ratios.iter().map(|&ratio| level(condition, ratio, first, runs)).collect();
        all.push((name(condition), levels?));
        watch.advance()?;
    }
    page.paragraph(format!(
        "Gaussian noise of deviation delta in every entry, each anchor twice and 200 Dirichlet mixtures, for anchors W of different condition ({runs} data sets). {}",
        METHODS.iter().enumerate().map(|(k, method)| borderlines(&all, k, method)).collect::<Vec<_>>().join(" ")
    ));
    for (unit, part, label) in [
        (0, "conditions", "delta / median singular value of W"),
        (1, "conditions-least", "delta / least singular value of W"),
    ] {
        let chart = chart(&all, unit).x_label(label);
        let caption =
            format!("Recovery against noise, {label}, for anchors of different condition");
        page.picture(part, &caption, &chart)?;
    }
    let table = table(&all);
    page.table(&table).csv("conditions", &table);
    Ok(())
}

fn name(condition: Option<f64>) -> String {
    condition.map_or("uniform W".to_owned(), |condition| format!("condition {condition}"))
}

fn level(condition: Option<f64>, ratio: f64, first: u64, runs: u64) -> Result<Level> {
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
    let runs: Result<Vec<(f64, Recoveries)>> =
        (first..first + runs).into_par_iter().map(one).collect();
    let runs = runs?;
    let least = mean(&runs.iter().map(|run| run.0).collect::<Vec<f64>>());
    let found =
        std::array::from_fn(|k| mean(&runs.iter().map(|run| run.1[k]).collect::<Vec<f64>>()));
    Ok(Level { relative: [ratio, least], found })
}

/// Where the recovery of a method falls to the border, in one of the units; none if it does not between the levels.
fn borderline(levels: &[Level], method: usize, unit: usize) -> Option<f64> {
    let pairs = levels.windows(2);
    let mut falls =
        pairs.filter(|pair| pair[0].found[method] >= BORDER && pair[1].found[method] < BORDER);
    let [before, after] = falls.next()? else { return None };
    let part = (before.found[method] - BORDER) / (before.found[method] - after.found[method]);
    let [a, b] = [before, after].map(|level| level.relative[unit].ln());
    Some((a + part * (b - a)).exp())
}

/// The borderlines of a method for all conditions, and how far they are apart, in both units.
fn borderlines(all: &[(String, Vec<Level>)], method: usize, name: &str) -> String {
    let told = |unit: usize| {
        let places: Vec<Option<f64>> =
            all.iter().map(|(_, levels)| borderline(levels, method, unit)).collect();
        let words =
            |place: &Option<f64>| place.map_or("-".to_owned(), |place| number::fixed(place, 3));
        let known: Vec<f64> = places.iter().copied().flatten().collect();
        let most = known.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let least = known.iter().copied().fold(f64::INFINITY, f64::min);
        let apart = if known.len() > 1 {
            format!(", a factor of {}", number::fixed(most / least, 1))
        } else {
            String::new()
        };
        format!("{}{apart}", places.iter().map(words).collect::<Vec<_>>().join(", "))
    };
    format!(
        "Recovery by {name} falls to {BORDER} at {} in units of the median singular value, and at {} in units of the least.",
        told(0),
        told(1)
    )
}

fn chart(all: &[(String, Vec<Level>)], unit: usize) -> Chart {
    let mut chart = Chart::new("Recovery against noise").x_scale(Scale::Log).size(900, 900);
    for (k, method) in METHODS.iter().enumerate() {
        let mut panel = Panel::new(format!("recovery, {method}")).y_range(0.0, 1.0);
        for (name, levels) in all {
            let curve = levels.iter().map(|level| (level.relative[unit], level.found[k]));
            panel = panel.series(Series::new(name.as_str(), curve));
        }
        chart = chart.panel(panel);
    }
    chart
}

fn table(all: &[(String, Vec<Level>)]) -> Table {
    let headers = ["condition", "delta / median", "delta / least"].into_iter().chain(METHODS);
    let mut table = Table::new(headers.map(Column::right));
    for (name, levels) in all {
        for level in levels {
            let cells = [Cell::from(name.as_str())].into_iter();
            let cells = cells.chain(level.relative.map(|noise| Cell::fixed(noise, 2)));
            table.row(cells.chain(level.found.map(|share| Cell::fixed(share, 2))));
        }
    }
    table
}
