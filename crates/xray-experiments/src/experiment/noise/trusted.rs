//! Which anchors to trust: stability and margin against the truth.

use anyhow::Result;
use rayon::prelude::*;
use xray_nmf::comm::OneRank;
use xray_nmf::{Params, fit};
use xray_pipeline::{DistributedMatrix, anchor_stability, ignore};
use xray_report::{Cell, Chart, Column, Panel, Series, Table, number};

use super::designs::{DESIGNS, Design};
use super::{FIRST_SEED, mean};
use crate::experiment::Settings;
use crate::page::Page;
use crate::watch::Watch;

/// Designs that are looked at: those where there are right and wrong anchors to tell apart.
const LOOKED_AT: [&str; 8] = [
    "Dirichlet, each anchor twice",
    "condition 1e3, Dirichlet",
    "middle points + Gaussian .1",
    "log-normal column scales",
    "Poisson counts",
    "paper",
    "the same + Gaussian .001",
    "10 dense outliers",
];

/// Borders of the classes that are told.
const BORDERS: [f64; 6] = [0.0, 0.25, 0.5, 0.75, 0.95, 1.01];

/// The designs that are looked at.
pub(super) fn designs_of(settings: &Settings) -> impl Iterator<Item = &'static Design> {
    let all = DESIGNS.iter().filter(|design| LOOKED_AT.contains(&design.name));
    // The quick version has the first that is small.
    let (first, count) = if settings.quick { (2, 1) } else { (0, LOOKED_AT.len()) };
    all.skip(first).take(count)
}

/// One anchor of one fit.
#[derive(Clone, Copy)]
struct Judged {
    right: bool,
    stability: f64,
    margin: f64,
}

pub(super) fn told(
    page: &mut Page,
    settings: &Settings,
    runs: u64,
    watch: &mut dyn Watch,
) -> Result<()> {
    page.paragraph(format!(
        "Which anchors to trust, without the truth: the share of ten halves of the rows in which an anchor of a robust fit comes back (`--stability`), and the \
         margin by which it was chosen. The area under the curve is the chance that a right anchor has the larger value of a right and a wrong one (.5 is a guess; \
         an anchor is wrong if it is none, or was there before). {runs} data sets at every level."
    ));
    let headers = ["design", "anchors", "right", "stability", "margin"];
    let mut table = Table::new(
        headers
            .iter()
            .enumerate()
            .map(|(k, name)| if k == 0 { Column::left(*name) } else { Column::right(*name) }),
    );
    let mut all = Vec::new();
    let mut row = |name: &str, judged: &[Judged]| {
        let right =
            mean(&judged.iter().map(|one| f64::from(u8::from(one.right))).collect::<Vec<f64>>());
        let cells = [Cell::count(judged.len() as u64), Cell::fixed(right, 2)];
        let areas = [area(judged, |one| one.stability), area(judged, |one| one.margin)];
        let areas = areas.map(|area| super::super::optional(area, 2));
        table.row([Cell::from(name)].into_iter().chain(cells).chain(areas));
    };
    for design in designs_of(settings) {
        let first = settings.seed + FIRST_SEED;
        let judged: Result<Vec<Vec<Judged>>> =
            (first..first + runs).into_par_iter().map(|seed| judge(design, seed)).collect();
        let judged = judged?.concat();
        row(design.name, &judged);
        all.extend(judged);
        watch.advance()?;
    }
    row("all", &all);
    page.table(&table).csv("stability", &table);
    page.paragraph(areas_in_words(&all));
    page.paragraph("How often anchors of a stability are right, and how many there are:");
    let (classes, curve) = calibration(&all);
    page.table(&classes).csv("calibration", &classes);
    let panel = Panel::new("right").y_range(0.0, 1.0).series(Series::new("all designs", curve));
    let chart =
        Chart::new("Stability and truth").x_label("stability").x_range(0.0, 1.0).panel(panel);
    page.picture("stability", "The share of right anchors against their stability", &chart)?;
    Ok(())
}

/// What the areas over all designs say.
fn areas_in_words(all: &[Judged]) -> String {
    let areas = [
        ("stability", area(all, |one| one.stability)),
        ("the margin", area(all, |one| one.margin)),
    ];
    let words = areas.map(|(name, area)| match area {
        None => format!("{name} cannot be judged: all anchors are right, or all wrong"),
        Some(area) if area < 0.5 => {
            let area = number::fixed(area, 2);
            format!("{name} misleads ({area}): wrong anchors have the larger value more often")
        }
        Some(area) => format!(
            "{name} tells right anchors from wrong ones in {} of all pairs",
            number::fixed(area, 2)
        ),
    });
    format!("Over all designs, {}.", words.join("; "))
}

fn judge(design: &Design, seed: u64) -> Result<Vec<Judged>> {
    let mut judged = Vec::new();
    for noisy in design.data(seed)? {
        let params = Params { allow_negative: true, robust: true, ..Params::new(noisy.rank) };
        let found = fit(&noisy.matrix, &params)?;
        let right = noisy.are_right(&found.anchors());
        let margins: Vec<f64> =
            found.steps().iter().map(|step| step.margin.unwrap_or(0.0)).collect();
        let matrix = DistributedMatrix::whole(noisy.matrix.into());
        let stability = anchor_stability(&OneRank, &matrix, &found, &params, None, &mut ignore)?;
        let anchors = right.into_iter().zip(stability).zip(margins);
        judged.extend(anchors.map(|((right, stability), margin)| Judged {
            right,
            stability,
            margin,
        }));
    }
    Ok(judged)
}

/// The chance that a right anchor has the larger value of a right and a wrong one; ties count half. None if there are no such pairs.
fn area(judged: &[Judged], value: impl Fn(&Judged) -> f64) -> Option<f64> {
    let of = |right: bool| {
        judged.iter().filter(|one| one.right == right).map(&value).collect::<Vec<f64>>()
    };
    let (right, wrong) = (of(true), of(false));
    let wins = |a: f64| {
        wrong
            .iter()
            .map(|&b| {
                if a > b {
                    1.0
                } else if a == b {
                    0.5
                } else {
                    0.0
                }
            })
            .sum::<f64>()
    };
    let pairs = (right.len() * wrong.len()) as f64;
    (pairs > 0.0).then(|| right.iter().map(|&a| wins(a)).sum::<f64>() / pairs)
}

fn calibration(judged: &[Judged]) -> (Table, Vec<(f64, f64)>) {
    let mut table =
        Table::new([Column::left("stability"), Column::right("anchors"), Column::right("right")]);
    let mut curve = Vec::new();
    for pair in BORDERS.windows(2) {
        let within: Vec<&Judged> =
            judged.iter().filter(|one| (pair[0]..pair[1]).contains(&one.stability)).collect();
        let right =
            mean(&within.iter().map(|one| f64::from(u8::from(one.right))).collect::<Vec<f64>>());
        let right = (!within.is_empty()).then_some(right);
        let name = format!("{} to {}", pair[0], if pair[1] > 1.0 { 1.0 } else { pair[1] });
        table.row([
            Cell::from(name),
            Cell::count(within.len() as u64),
            super::super::optional(right, 2),
        ]);
        curve.extend(right.map(|right| ((pair[0] + pair[1].min(1.0)) / 2.0, right)));
    }
    (table, curve)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_are_shares_of_pairs() {
        let one = |right, stability| Judged { right, stability, margin: 0.0 };
        let judged = [one(true, 1.0), one(true, 0.5), one(false, 0.5), one(false, 0.0)];
        // Of four pairs three are in order, one is a tie.
        assert_eq!(area(&judged, |one| one.stability), Some(0.875));
        assert_eq!(area(&judged, |one| one.margin), Some(0.5));
        assert_eq!(area(&judged[..2], |one| one.stability), None);
    }
}
