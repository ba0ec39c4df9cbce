//! What robust fits cost, beside others on the same data.

use std::time::Instant;

use anyhow::Result;
use xray_report::{Cell, Column, Table, number};

use super::designs::Design;
use super::{FIRST_SEED, METHODS, anchors};
use crate::experiment::Settings;
use crate::page::Page;
use crate::watch::Watch;

/// The fastest of so many runs counts.
const REPEATS: usize = 3;

/// The place of dist among the methods.
const DIST: usize = 1;

pub(super) fn told(
    page: &mut Page,
    settings: &Settings,
    designs: &[&'static Design],
    watch: &mut dyn Watch,
) -> Result<()> {
    let columns = ["design"].into_iter().chain(METHODS).chain(["robust / dist"]);
    let columns = columns.enumerate();
    let mut table = Table::new(
        columns.map(|(k, name)| if k == 0 { Column::left(name) } else { Column::right(name) }),
    );
    let mut ratios = Vec::new();
    for design in designs {
        let times = fastest(design, settings.seed + FIRST_SEED)?;
        let ratio = times[METHODS.len() - 1] / times[DIST];
        let cells = times.map(|time| Cell::fixed(1e3 * time, 2));
        let last = Cell::fixed(ratio, 1);
        table.row([Cell::from(design.name)].into_iter().chain(cells).chain([last]));
        ratios.push(ratio);
        watch.advance()?;
    }
    ratios.sort_by(f64::total_cmp);
    page.paragraph(format!(
        "Time of a fit in milliseconds (mean over the levels of one data set, the fastest of {REPEATS} runs, one after the other). A robust fit takes {} \
         times as long as dist, {} to {} times: the singular vectors are what it adds, and where the gate is open the search has r dimensions instead of m.",
        number::fixed(ratios[ratios.len() / 2], 1),
        number::fixed(ratios[0], 1),
        number::fixed(ratios[ratios.len() - 1], 1)
    ));
    page.table(&table).csv("cost", &table);
    Ok(())
}

/// The mean time of every method over all levels, in seconds.
fn fastest(design: &Design, seed: u64) -> Result<[f64; METHODS.len()]> {
    let data = design.data(seed)?;
    let mut times = [f64::INFINITY; METHODS.len()];
    for _ in 0..REPEATS {
        for (least, method) in times.iter_mut().zip(METHODS) {
            let start = Instant::now();
            for noisy in &data {
                anchors(noisy, method)?;
            }
            *least = least.min(start.elapsed().as_secs_f64() / data.len() as f64);
        }
    }
    Ok(times)
}
