//! Figure 6: speed-up over threads.

use anyhow::Result;
use xray_nmf::with_threads;
use xray_report::{Cell, Chart, Column, Panel, Series, Table, number};

use super::Settings;
use super::large::{SHAPES, time_xray};
use crate::page::Page;
use crate::watch::Watch;

/// Runs that take longer than this are not repeated.
const LONG: f64 = 20.0;

/// The paper's speed-ups with eight threads.
const PAPER: [(&str, f64); 2] = [("RCV1", 4.2), ("IBMT", 4.5)];
const PAPER_THREADS: f64 = 8.0;

/// Seconds on each number of threads.
struct Curve {
    name: &'static str,
    times: Vec<(usize, f64)>,
}

impl Curve {
    fn speed_up(&self, seconds: f64) -> f64 {
        self.times[0].1 / seconds
    }
}

pub(super) fn run(settings: &Settings, watch: &mut dyn Watch) -> Result<Page> {
    let rank = if settings.quick { 20 } else { 100 };
    let most = rayon::current_num_threads();
    let counts: Vec<usize> = std::iter::successors(Some(1), |k| Some(k * 2))
        .take_while(|&k| k < most)
        .chain([most])
        .collect();
    watch.begin("figure6", SHAPES.len() * counts.len());
    let mut curves = Vec::new();
    for shape in &SHAPES {
        let matrix = shape.draw(settings)?;
        let mut times = Vec::new();
        for &threads in &counts {
            let time = || time_xray(&matrix, rank).map(|spent| spent.time.as_secs_f64());
            let mut seconds = with_threads(Some(threads), time)??;
            if seconds < LONG {
                let again = with_threads(Some(threads), time)??;
                seconds = seconds.min(again);
            }
            times.push((threads, seconds));
            watch.advance()?;
        }
        curves.push(Curve { name: shape.name, times });
    }
    page(settings, &curves, rank)
}

fn page(settings: &Settings, curves: &[Curve], rank: usize) -> Result<Page> {
    let mut page = settings.page("figure6", "Figure 6: speed-up over threads");
    page.paragraph(format!(
        "XRAY(greedy), r = {rank}, on drawn corpora with the documents, words and nonzeros of the paper's \
         data. Every number of threads gives the same bits. This machine has {} cores; the paper's had \
         eight. Runs under {LONG} s are done twice, and the faster one counts.",
        std::thread::available_parallelism().map_or(1, usize::from)
    ));
    page.picture("", "Speed-up over threads", &picture(curves))?;
    let columns = ["data", "threads", "seconds", "speed-up", "part of ideal"];
    let mut table =
        Table::new(columns.iter().enumerate().map(|(k, header)| {
            if k == 0 { Column::left(*header) } else { Column::right(*header) }
        }));
    let mut csv = Table::new(["data", "threads", "seconds", "speed_up"].map(Column::left));
    for curve in curves {
        for &(threads, seconds) in &curve.times {
            let speed_up = curve.speed_up(seconds);
            table.row([
                Cell::from(curve.name),
                Cell::count(threads as u64),
                Cell::number(seconds, 3),
                Cell::fixed(speed_up, 2),
                Cell::percent(speed_up / threads as f64, 0),
            ]);
            let numbers = [threads.to_string(), seconds.to_string(), speed_up.to_string()];
            csv.row([curve.name.to_owned()].into_iter().chain(numbers));
        }
    }
    page.table(&table);
    page.paragraph(
        "The paper reports a speed-up of 4.2 on RCV1 and 4.5 on IBMT with eight threads (53 % and 56 % of \
         ideal).",
    );
    page.csv("", &csv);
    Ok(page)
}

fn picture(curves: &[Curve]) -> Chart {
    let mut panel = Panel::new("speed-up");
    for curve in curves {
        let points = curve.times.iter().map(|&(k, seconds)| (k as f64, curve.speed_up(seconds)));
        panel = panel.series(Series::new(curve.name, points));
    }
    let most = curves.first().and_then(|curve| curve.times.last()).map_or(1, |time| time.0) as f64;
    let most = most.max(PAPER_THREADS);
    for (name, speed_up) in PAPER {
        let series = Series::new(format!("{name} in the paper"), [(PAPER_THREADS, speed_up)]);
        panel = panel.series(series.scattered());
    }
    let ideal = Series::new("ideal", [(1.0, 1.0), (most, most)]).dashed().markers(false);
    let panel = panel.y_range(0.0, most);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let found = curves.iter().filter_map(|curve| {
        let (threads, seconds) = curve.times.last()?;
        let speed_up = number::fixed(curve.speed_up(*seconds), 1);
        Some(format!("{} {speed_up} with {threads} threads", curve.name))
    });
    let title = format!("Speed-up on {cores} cores: {}", found.collect::<Vec<_>>().join(", "));
    Chart::new(title)
        .x_label("threads")
        .x_range(0.0, most + 0.5)
        .panel(panel.series(ideal))
        .size(760, 520)
}
