//! A comparison as tables and as a picture.

use xray_report::{
    Cell, Chart, Column, PageSection, Panel, Scale, Series, Table, TablesPage, number,
};

use super::{Comparison, MethodRuns, Run};
use crate::evaluate::mean_and_spread;

/// A column of the tables: its header, its decimals, and where the number comes from.
struct Measure {
    header: &'static str,
    decimals: usize,
    value: fn(&Run) -> Option<f64>,
}

const MEASURES: [Measure; 8] = [
    Measure { header: "error", decimals: 4, value: |run| Some(run.error) },
    Measure { header: "refined error", decimals: 4, value: |run| Some(run.refined_error) },
    Measure { header: "recovery", decimals: 3, value: |run| run.recovery },
    Measure { header: "NMI", decimals: 3, value: |run| run.nmi },
    Measure { header: "NMI clusters", decimals: 3, value: |run| run.nmi_clusters },
    Measure { header: "accuracy X_A", decimals: 3, value: |run| run.anchor_accuracy },
    Measure { header: "accuracy W", decimals: 3, value: |run| run.weight_accuracy },
    Measure { header: "NPMI", decimals: 3, value: |run| run.npmi },
];

fn seconds(run: &Run) -> f64 {
    run.spent.time.as_secs_f64()
}

fn refined_seconds(run: &Run) -> f64 {
    run.refined_time.as_secs_f64()
}

/// The mean over seeds.
fn mean_time(runs: &[Run], seconds: fn(&Run) -> f64) -> Cell {
    let times: Vec<f64> = runs.iter().map(seconds).collect();
    Cell::duration(std::time::Duration::from_secs_f64(mean_and_spread(&times).0))
}

impl Comparison {
    /// The runs of the methods that ran.
    fn ran(&self) -> impl Iterator<Item = (&'static str, &[Run])> {
        self.results.iter().filter_map(|result| {
            let runs = result.runs.as_ref().ok()?;
            Some((result.method.label, &runs[..]))
        })
    }

    /// The methods that did not run, and why.
    pub fn left_out(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.results.iter().filter_map(|result| {
            let reason = result.runs.as_ref().err()?;
            Some((result.method.label, reason.as_str()))
        })
    }

    /// The measures that some method has.
    fn measures(&self) -> impl Iterator<Item = &'static Measure> {
        MEASURES.iter().filter(|measure| {
            self.ran().any(|(_, runs)| runs.iter().any(|run| (measure.value)(run).is_some()))
        })
    }

    /// For people: means over seeds, with the spread where there are several.
    pub fn table(&self) -> Table {
        let columns =
            [Column::left("method"), Column::right("time"), Column::right("with refinement")];
        let columns = columns.into_iter().chain([Column::right("memory")]);
        let measures = self.measures().map(|measure| Column::right(measure.header));
        let mut table = Table::new(columns.chain(measures));
        for (label, runs) in self.ran() {
            let memory = runs.iter().filter_map(|run| run.spent.memory).max();
            let mut cells = vec![
                Cell::from(label).bold(),
                mean_time(runs, seconds),
                mean_time(runs, refined_seconds),
                memory.map_or_else(Cell::missing, Cell::bytes),
            ];
            cells.extend(self.measures().map(|measure| measure.cell(runs)));
            table.row(cells);
        }
        table
    }

    /// For programs: one row for each run.
    pub fn csv(&self) -> Table {
        let headers = ["method", "run", "seconds", "memory_bytes", "error", "refined_error"];
        let more =
            ["recovery", "nmi", "nmi_clusters", "accuracy_anchors", "accuracy_weights", "npmi"];
        let last = ["refined_seconds", "left_out"];
        let headers: Vec<&str> = [&headers[..], &more, &last].concat();
        let mut table = Table::new(headers.iter().map(|header| Column::left(*header)));
        let text = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
        for MethodRuns { method, runs } in &self.results {
            match runs {
                Ok(runs) => {
                    for (k, run) in runs.iter().enumerate() {
                        let memory = run.spent.memory.map_or_else(String::new, |b| b.to_string());
                        let mut row = vec![method.name.to_owned(), (k + 1).to_string()];
                        row.extend([seconds(run).to_string(), memory]);
                        row.extend(MEASURES.iter().map(|measure| text((measure.value)(run))));
                        row.extend([refined_seconds(run).to_string(), String::new()]);
                        table.row(row);
                    }
                }
                Err(reason) => {
                    let mut row = vec![String::new(); headers.len()];
                    row[0] = method.name.to_owned();
                    row[headers.len() - 1] = reason.clone();
                    table.row(row);
                }
            }
        }
        table
    }

    /// Time against quality, under the name of the data: one point for each method. The time is that of what was
    /// measured: with refinement, but for recovery.
    pub fn picture(&self, data: &str) -> Chart {
        let title = format!("{data}: rank {}", self.rank);
        let mut chart = Chart::new(title).x_label("seconds").x_scale(Scale::Log);
        let wanted = |measure: &&Measure| {
            ["refined error", "recovery", "NMI", "accuracy W"].contains(&measure.header)
        };
        let measures: Vec<&Measure> = self.measures().filter(wanted).collect();
        for measure in &measures {
            let mut panel = Panel::new(measure.header);
            let seconds = if measure.header == "recovery" { seconds } else { refined_seconds };
            for (label, runs) in self.ran() {
                if let Some((value, _)) = measure.mean(runs) {
                    let times: Vec<f64> = runs.iter().map(|run| seconds(run).max(1e-6)).collect();
                    let point = (mean_and_spread(&times).0, value);
                    panel = panel.series(Series::new(label, [point]).scattered());
                }
            }
            chart = chart.panel(panel);
        }
        chart.size(900, 200 + 240 * measures.len() as u32)
    }
}

impl Comparison {
    /// All of it for a browser, under the name of the data.
    ///
    /// # Errors
    /// If the picture cannot be drawn.
    pub fn page(&self, data: &str) -> xray_report::Result<TablesPage> {
        let n = self.ran().count();
        let mut page = TablesPage {
            heading: format!("{n} {} on {data}", if n == 1 { "method" } else { "methods" }),
            summary: format!(
                "Rank {}. Time and memory are those of a method alone; means over seeds where it draws. Choose the head \
                 of a column to sort by it, and a method in the chart to follow it.",
                self.rank
            ),
            ..TablesPage::default()
        };
        page.push_table("", &self.table());
        page.push_picture("Time against quality", &self.picture(data))?;
        let list: Vec<String> =
            self.left_out().map(|(method, reason)| format!("{method}: {reason}")).collect();
        if !list.is_empty() {
            let text = vec!["**Left out**".to_owned()];
            page.push(PageSection { text, list, ..PageSection::default() });
        }
        Ok(page)
    }
}

impl Measure {
    /// Mean and spread over seeds.
    fn mean(&self, runs: &[Run]) -> Option<(f64, f64)> {
        let values: Vec<f64> = runs.iter().filter_map(self.value).collect();
        (!values.is_empty()).then(|| mean_and_spread(&values))
    }

    fn cell(&self, runs: &[Run]) -> Cell {
        match self.mean(runs) {
            None => Cell::missing(),
            Some((mean, _)) if runs.len() < 2 => Cell::fixed(mean, self.decimals),
            Some((mean, spread)) => Cell::from(format!(
                "{} ± {}",
                number::fixed(mean, self.decimals),
                number::fixed(spread, self.decimals)
            )),
        }
    }
}
