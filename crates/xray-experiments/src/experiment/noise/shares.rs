//! `--outliers SHARE`: what it gains where there are outliers, and what it costs where there are none.

use anyhow::Result;
use rayon::prelude::*;
use xray_nmf::{Params, fit};
use xray_report::{Cell, Column, Table, number};

use super::designs::Design;
use super::{FIRST_SEED, mean};
use crate::experiment::Settings;
use crate::page::Page;
use crate::watch::Watch;

/// Shares of outliers that are tried; the first is none.
const SHARES: [f64; 4] = [0.0, 0.025, 0.05, 0.1];

/// Designs that it is tried on: those with outliers first.
const LOOKED_AT: [&str; 6] = [
    "10 dense outliers",
    "10 spiked outliers",
    "10 bright outliers",
    "Dirichlet, each anchor twice",
    "log-normal column scales",
    "Poisson counts",
];
/// How many of them have outliers.
const WITH_OUTLIERS: usize = 3;

/// The mean recovery of a design for each share.
type Means = [f64; SHARES.len()];

/// The designs that are looked at.
pub(super) fn designs_of(settings: &Settings) -> impl Iterator<Item = &'static Design> {
    super::designs_of(settings).into_iter().filter(|design| LOOKED_AT.contains(&design.name))
}

pub(super) fn told(
    page: &mut Page,
    settings: &Settings,
    runs: u64,
    watch: &mut dyn Watch,
) -> Result<()> {
    let headers = SHARES.iter().map(|share| Column::right(format!("share {share}")));
    let mut table = Table::new([Column::left("design")].into_iter().chain(headers));
    let mut rows = Vec::new();
    for design in designs_of(settings) {
        let means = recoveries(design, settings.seed + FIRST_SEED, runs)?;
        let cells = means.iter().map(|&mean| Cell::fixed(mean, 3));
        table.row([Cell::from(design.name)].into_iter().chain(cells));
        rows.push((design.name, means));
        watch.advance()?;
    }
    page.paragraph(format!(
        "`--outliers SHARE` ({runs} data sets; of the designs with outliers a share of .048 are some). {}",
        differences(&rows)
    ));
    page.table(&table).csv("outliers", &table);
    Ok(())
}

fn recoveries(design: &Design, first: u64, runs: u64) -> Result<Means> {
    let one = |seed: u64| -> Result<Means> {
        let data = design.data(seed)?;
        let mut means = [0.0; SHARES.len()];
        for noisy in &data {
            for (mean, outliers) in means.iter_mut().zip(SHARES) {
                let plain = Params::new(noisy.rank);
                let params = Params { allow_negative: true, robust: true, outliers, ..plain };
                let anchors = fit(&noisy.matrix, &params)?.anchors();
                *mean += noisy.recovery(&anchors) / data.len() as f64;
            }
        }
        Ok(means)
    };
    let found: Result<Vec<Means>> = (first..first + runs).into_par_iter().map(one).collect();
    let found = found?;
    Ok(std::array::from_fn(|k| mean(&found.iter().map(|run| run[k]).collect::<Vec<f64>>())))
}

/// What every share changes, where there are outliers and where there are none.
fn differences(rows: &[(&str, Means)]) -> String {
    let part = |names: &[&str], k: usize| {
        let some = rows.iter().filter(|(name, _)| names.contains(name));
        let changes: Vec<f64> = some.map(|(_, means)| means[k] - means[0]).collect();
        let least = changes.iter().copied().fold(f64::INFINITY, f64::min);
        let most = changes.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let signed = |value: f64| {
            format!("{}{}", if value < 0.0 { "" } else { "+" }, number::fixed(value, 3))
        };
        if changes.is_empty() {
            "not looked at".to_owned()
        } else {
            format!("{} to {}", signed(least), signed(most))
        }
    };
    let (with, without) = LOOKED_AT.split_at(WITH_OUTLIERS);
    let line = |k: usize| {
        format!(
            "share {}: {} with outliers, {} without",
            SHARES[k],
            part(with, k),
            part(without, k)
        )
    };
    let lines: Vec<String> = (1..SHARES.len()).map(line).collect();
    format!("What it changes in recovery: {}.", lines.join("; "))
}
