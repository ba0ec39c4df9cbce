//! Table 4: the time of XRAY(greedy) against that of Hottopixx.

use anyhow::Result;
use xray_nmf::rivals::{HottopixxParams, hottopixx};
use xray_nmf::{Matrix, Scalar, SparseMatrix};
use xray_report::{Cell, Column, Table, number};

use super::Settings;
use super::large::{SHAPES, time_xray};
use crate::measure::measured;
use crate::method::precision;
use crate::page::Page;
use crate::watch::Watch;

const EPOCHS: [usize; 2] = [5, 10];

/// How long a run takes.
#[derive(Clone, Copy)]
enum Seconds {
    Measured(f64),
    /// From the rate of a measured run.
    Predicted(f64),
}

impl Seconds {
    fn cell(self) -> Cell {
        match self {
            Seconds::Measured(seconds) => Cell::from(number::significant(seconds, 3)),
            Seconds::Predicted(seconds) => {
                Cell::from(format!("~{}", number::significant(seconds, 2))).dim()
            }
        }
    }
}

/// One data set; all for the three ranks.
struct Entry {
    name: String,
    ranks: [usize; 3],
    xray: [f64; 3],
    /// For 5 and for 10 epochs.
    hottopixx: [[Seconds; 3]; 2],
}

pub(super) fn run(settings: &Settings, watch: &mut dyn Watch) -> Result<Page> {
    let ranks = if settings.quick { [5, 10, 20] } else { [25, 50, 100] };
    // Both methods, 5 and 10 epochs, on two data sets; XRAY alone on two more.
    watch.begin("table4", 2 * 9 + if settings.quick { 0 } else { 2 * 3 });
    let [rcv1, ppl2, ibmt] = &SHAPES;
    let matrix = ibmt.draw(settings)?;
    let mut entries =
        vec![both(format!("{} (drawn)", ibmt.name), &matrix, ranks, settings, watch)?];
    let work = matrix.n_entries() as f64 * matrix.n_columns() as f64;
    drop(matrix);
    let stand_in =
        if settings.quick { settings.demo.clone() } else { settings.folder()?.tweets()? };
    entries.push(both(stand_in.name.clone(), stand_in.sparse()?, ranks, settings, watch)?);
    if !settings.quick {
        let rate = entries[0].hottopixx.map(|row| match row[0] {
            Seconds::Measured(seconds) | Seconds::Predicted(seconds) => seconds / work,
        });
        for shape in [rcv1, ppl2] {
            let matrix = shape.draw(settings)?;
            let name = format!("{} (drawn)", shape.name);
            entries.push(xray_only(name, &matrix, ranks, rate, watch)?);
        }
    }
    page(settings, &entries)
}

fn times_of_xray(
    matrix: &dyn Matrix,
    ranks: [usize; 3],
    watch: &mut dyn Watch,
) -> Result<[f64; 3]> {
    let mut times = [0.0; 3];
    for (time, rank) in times.iter_mut().zip(ranks) {
        *time = time_xray(matrix, rank)?.time.as_secs_f64();
        watch.advance()?;
    }
    Ok(times)
}

fn both<T: Scalar>(
    name: String,
    matrix: &SparseMatrix<'_, T>,
    ranks: [usize; 3],
    settings: &Settings,
    watch: &mut dyn Watch,
) -> Result<Entry> {
    let xray = times_of_xray(matrix, ranks, watch)?;
    let mut times = [[Seconds::Measured(0.0); 3]; 2];
    for (row, epochs) in times.iter_mut().zip(EPOCHS) {
        for (time, rank) in row.iter_mut().zip(ranks) {
            let params = HottopixxParams {
                epochs,
                seed: settings.seed,
                precision: precision(matrix.n_columns()),
                ..HottopixxParams::new(rank)
            };
            let (found, spent) = measured(|| hottopixx(matrix, &params));
            found?;
            *time = Seconds::Measured(spent.time.as_secs_f64());
            watch.advance()?;
        }
    }
    Ok(Entry { name, ranks, xray, hottopixx: times })
}

/// XRAY measured; Hottopixx predicted from its seconds for each entry and column elsewhere.
fn xray_only<T: Scalar>(
    name: String,
    matrix: &SparseMatrix<'_, T>,
    ranks: [usize; 3],
    rate: [f64; 2],
    watch: &mut dyn Watch,
) -> Result<Entry> {
    let work = matrix.n_entries() as f64 * matrix.n_columns() as f64;
    let hottopixx = rate.map(|rate| [Seconds::Predicted(rate * work); 3]);
    let xray = times_of_xray(matrix, ranks, watch)?;
    Ok(Entry { name, ranks, xray, hottopixx })
}

fn page(settings: &Settings, entries: &[Entry]) -> Result<Page> {
    let mut page = settings.page("table4", "Table 4: XRAY against Hottopixx");
    page.paragraph(format!(
        "Seconds on {} threads for both, in one run. XRAY is greedy. Hottopixx is our own implementation: \
         all entries in every epoch, coefficients in single precision above 4,096 columns, exact \
         projection. Its time does not depend on r.",
        rayon::current_num_threads()
    ));
    page.table(&table(entries));
    if !settings.quick {
        page.paragraph(
            "Figures with ~ are predicted from the seconds that Hottopixx takes for each entry and column on \
             the IBMT shape: its n x n coefficients would need hours there. The paper, on eight threads:",
        );
        page.table(&paper());
    }
    page.list(entries.iter().map(verdict));
    page.csv("", &csv(entries));
    Ok(page)
}

fn verdict(entry: &Entry) -> String {
    let ratios: Vec<f64> = entry
        .xray
        .iter()
        .zip(entry.hottopixx[0])
        .map(|(xray, hottopixx)| match hottopixx {
            Seconds::Measured(seconds) | Seconds::Predicted(seconds) => seconds / xray,
        })
        .collect();
    let faster = ratios.iter().all(|&ratio| ratio > 1.0);
    let verdict = if faster { "holds" } else { "**does not hold here**" };
    let ratios: Vec<String> = ratios.iter().map(|ratio| number::significant(*ratio, 2)).collect();
    format!(
        "{}: \"XRAY is faster than 5 epochs of Hottopixx\" {verdict}; {} times as fast for r = {:?}",
        entry.name,
        ratios.join(", "),
        entry.ranks
    )
}

fn headers(first: &str, ranks: [usize; 3]) -> Vec<Column> {
    let columns = ["XRAY", "E = 5", "E = 10"].into_iter();
    let columns = columns.flat_map(|kind| ranks.map(|r| Column::right(format!("{kind}, r = {r}"))));
    [Column::left(first)].into_iter().chain(columns).collect()
}

fn table(entries: &[Entry]) -> Table {
    let ranks = entries.first().map_or([0; 3], |entry| entry.ranks);
    let mut table = Table::new(headers("data", ranks));
    for entry in entries {
        let xray = entry.xray.map(|seconds| Seconds::Measured(seconds).cell());
        let rest = entry.hottopixx.iter().flatten().map(|seconds| seconds.cell());
        table.row([Cell::from(&entry.name[..])].into_iter().chain(xray).chain(rest));
    }
    table
}

fn paper() -> Table {
    let mut table = Table::new(headers("paper", [25, 50, 100]));
    for shape in &SHAPES {
        let numbers = shape.paper_seconds.iter().chain(shape.paper_hottopixx.iter().flatten());
        let cells = numbers.map(|seconds| Cell::from(seconds.to_string()));
        table.row([Cell::from(shape.name)].into_iter().chain(cells));
    }
    table
}

fn csv(entries: &[Entry]) -> Table {
    let mut table =
        Table::new(["data", "method", "rank", "epochs", "seconds", "kind"].map(Column::left));
    for entry in entries {
        for (k, rank) in entry.ranks.iter().enumerate() {
            let rank = rank.to_string();
            let row = [entry.name.clone(), "xray-greedy".into(), rank.clone(), String::new()];
            let seconds = [entry.xray[k].to_string(), "measured".to_owned()];
            table.row(row.into_iter().chain(seconds));
            for (row, epochs) in entry.hottopixx.iter().zip(EPOCHS) {
                let (seconds, kind) = match row[k] {
                    Seconds::Measured(seconds) => (seconds, "measured"),
                    Seconds::Predicted(seconds) => (seconds, "predicted"),
                };
                let row =
                    [entry.name.clone(), "hottopixx".into(), rank.clone(), epochs.to_string()];
                table.row(row.into_iter().chain([seconds.to_string(), kind.to_owned()]));
            }
        }
    }
    table
}
