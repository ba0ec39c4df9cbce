//! What each step costs, and how the cost grows: the analysis that the paper left out, beside measurements.

mod bounds;

use anyhow::Result;
use xray_nmf::synth::Corpus;
use xray_nmf::{Engine, Fit, Params, Selection, SparseMatrix};
use xray_report::{Cell, Chart, Column, Panel, Scale, Series, Table, number};

use self::bounds::{summary, verdict};
use super::Settings;
use super::verdict::{Estimate, judge};
use crate::measure::measured;
use crate::page::Page;
use crate::watch::Watch;

/// Runs that take less are repeated, very short ones more often, and the fastest counts: it is disturbed least.
const SHORT: f64 = 2.0;
const VERY_SHORT: f64 = 0.1;
const TIMES: usize = 3;
const MORE_TIMES: usize = 15;

/// Each size is doubled so often.
const DOUBLINGS: usize = 3;

/// Bytes for cached products.
const MEMORY: usize = 1 << 30;

/// What is doubled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Size {
    /// Columns, while the entries stay as many.
    Columns,
    /// Entries, and rows with them: documents stay as long.
    Entries,
    /// Anchors.
    Rank,
}

impl Size {
    const ALL: [Size; 3] = [Size::Columns, Size::Entries, Size::Rank];

    fn name(self) -> &'static str {
        match self {
            Size::Columns => "n (words)",
            Size::Entries => "nnz (entries, and documents)",
            Size::Rank => "r (anchors)",
        }
    }

    /// The largest exponent that the analysis allows.
    fn bound(self) -> f64 {
        match self {
            Size::Columns | Size::Entries => 1.0,
            Size::Rank => 3.0,
        }
    }
}

/// A rule and an engine; max scores no columns, so that its engines are one.
const KINDS: [(Selection, Engine); 9] = [
    (Selection::Dist, Engine::Direct),
    (Selection::Greedy, Engine::Direct),
    (Selection::Agg, Engine::Direct),
    (Selection::Joint, Engine::Direct),
    (Selection::Max, Engine::Lazy),
    (Selection::Dist, Engine::Lazy),
    (Selection::Greedy, Engine::Lazy),
    (Selection::Agg, Engine::Lazy),
    (Selection::Joint, Engine::Lazy),
];

/// The sizes to begin with.
struct Start {
    documents: usize,
    words: usize,
    entries: usize,
    rank: usize,
}

const FULL: Start = Start { documents: 5_000, words: 3_000, entries: 250_000, rank: 25 };
const QUICK: Start = Start { documents: 600, words: 700, entries: 15_000, rank: 5 };

/// Times of one kind at sizes that double.
struct Curve {
    size: Size,
    selection: Selection,
    engine: Engine,
    /// Size, seconds, bytes beyond the data.
    points: Vec<(f64, f64, Option<u64>)>,
}

impl Curve {
    fn label(&self) -> String {
        format!("{}, {}", self.selection, self.engine)
    }

    /// What is doubled, the rule and the engine, with the exponent.
    fn title(&self) -> String {
        format!("{} in {}, {}", self.label(), self.size.name(), self.exponent().shown(1.0, 2))
    }

    /// The direct engine with the same rule, if this is another one.
    fn direct<'a>(&self, curves: &'a [Curve]) -> Option<&'a Curve> {
        let of_rule = |c: &&Curve| {
            (c.size, c.selection, c.engine) == (self.size, self.selection, Engine::Direct)
        };
        curves.iter().filter(|_| self.engine != Engine::Direct).find(of_rule)
    }

    /// The least and the largest share of another's time, over the sizes.
    fn shares(&self, other: &Curve) -> (f64, f64) {
        let shares = self.points.iter().zip(&other.points).map(|(a, b)| a.1 / b.1);
        shares.fold((f64::INFINITY, 0.0), |(low, high), share| (low.min(share), high.max(share)))
    }

    /// The slope of log seconds over log size, and its standard error.
    fn exponent(&self) -> Estimate {
        slope(&self.points.iter().map(|p| (p.0.ln(), p.1.ln())).collect::<Vec<_>>())
    }
}

/// The least-squares slope of a line through points, with its standard error.
fn slope(points: &[(f64, f64)]) -> Estimate {
    let n = points.len() as f64;
    let (mx, my) =
        points.iter().fold((0.0, 0.0), |(x, y), point| (x + point.0 / n, y + point.1 / n));
    let (mut xx, mut xy) = (0.0, 0.0);
    for (x, y) in points {
        (xx, xy) = (xx + (x - mx) * (x - mx), xy + (x - mx) * (y - my));
    }
    let mean = xy / xx;
    let left: f64 = points.iter().map(|(x, y)| (y - my - mean * (x - mx)).powi(2)).sum();
    Estimate { mean, error: (left / (n - 2.0).max(1.0) / xx).sqrt() }
}

pub(super) fn run(settings: &Settings, watch: &mut dyn Watch) -> Result<Page> {
    let start = if settings.quick { QUICK } else { FULL };
    watch.begin("growth", Size::ALL.len() * KINDS.len() * (DOUBLINGS + 1));
    let mut curves = Vec::new();
    for size in Size::ALL {
        let of_size =
            KINDS.map(|(selection, engine)| Curve { size, selection, engine, points: Vec::new() });
        let mut of_size: Vec<Curve> = of_size.into();
        for k in 0..=DOUBLINGS {
            let (x, rank, at) = drawn(&start, size, 1 << k, settings.seed)?;
            for curve in &mut of_size {
                let (selection, engine) = (curve.selection, curve.engine);
                let params = Params { selection, engine, ..Params::new(rank) };
                let (seconds, memory) = timed(&x, &params)?;
                curve.points.push((at, seconds, memory));
                watch.advance()?;
            }
        }
        curves.extend(of_size);
    }
    page(settings, &start, &curves)
}

/// Data with one size multiplied; the rank, and that size.
fn drawn(
    start: &Start,
    size: Size,
    times: usize,
    seed: u64,
) -> Result<(SparseMatrix<'static, f32>, usize, f64)> {
    let Start { mut documents, mut words, mut entries, mut rank } = *start;
    let at = match size {
        Size::Columns => {
            words *= times;
            words
        }
        Size::Entries => {
            (documents, entries) = (documents * times, entries * times);
            entries
        }
        Size::Rank => {
            rank *= times;
            rank
        }
    };
    let corpus = Corpus {
        n_documents: documents,
        n_words: words,
        n_entries: entries,
        n_topics: start.rank,
        words_per_topic: start.words / 10,
        seed,
        ..Corpus::rcv1()
    };
    Ok((corpus.generate()?, rank, at as f64))
}

fn timed(x: &SparseMatrix<'_, f32>, params: &Params) -> Result<(f64, Option<u64>)> {
    let mut best = (f64::INFINITY, None);
    for k in 0..MORE_TIMES {
        let (found, spent) = measured(|| Fit::of(x).memory(Some(MEMORY)).run(params));
        found?;
        let seconds = spent.time.as_secs_f64();
        if seconds < best.0 {
            best = (seconds, spent.memory);
        }
        if seconds > SHORT || (k + 1 >= TIMES && seconds > VERY_SHORT) {
            break;
        }
    }
    Ok(best)
}

const ANALYSIS: [[&str; 4]; 8] = [
    ["once: sums and norms of the columns", "nnz", "n", "n"],
    [
        "a column of C = X'X",
        "the entries of the rows that the column has: at most nnz",
        "n",
        "the cache, within a budget",
    ],
    [
        "detection, rand, max: either engine",
        "nnz for the products of one residual, n for the norms",
        "n",
        "n",
    ],
    [
        "detection, dist, greedy, agg, joint: direct",
        "nnz(C) t: every entry of (C - C_A H)_+, summed by rows (dist) or by columns",
        "n",
        "n r",
    ],
    [
        "detection, dist, greedy, agg, joint: lazy",
        "n for the bounds, and (entries of a column of C) t for each column scored: at most all of them, as direct",
        "n",
        "n r",
    ],
    [
        "projection, active set",
        "t^2 for each column that the new anchor changes and each change of its set; at most n of them",
        "columns of the rank",
        "n r",
    ],
    [
        "projection, coordinate descent",
        "t for each coefficient: t^2 for each column and cycle",
        "columns of the rank",
        "n r",
    ],
    ["messages", "an anchor's column (at most m numbers) and one score of each rank", "-", "m r"],
];

fn page(settings: &Settings, start: &Start, curves: &[Curve]) -> Result<Page> {
    let mut page = settings.page("growth", "Cost: analysis and measured growth");
    page.paragraph(
        "m rows, n columns, nnz stored entries of X, r anchors, t of them found so far, C = X'X, P threads or ranks. The \
         paper's source says, of its program, O(nnz(C) r^2 / P) for all detections, O(n r^3 / P) for all projections, and \
         O(n r + nnz(C) + nnz(X)) numbers of memory. Here C is never formed:",
    );
    let mut analysis = Table::new(
        ["step t", "multiplications, divided by P", "shared by ranks by", "memory beyond X"]
            .map(Column::left),
    );
    for row in ANALYSIS {
        analysis.row(row.map(Cell::from));
    }
    page.table(&analysis);
    page.paragraph(
        "In all r steps: max O(r nnz + n r^3), the others O(r^2 nnz(C) + n r^3) at most, with either engine. nnz(C) is at \
         most the sum of the squares of the rows' numbers of entries, and at most n^2: if documents stay as long, it grows no faster than nnz. So the cost is at \
         most linear in n, linear in nnz (more documents of the same length), and cubic in r. The lazy engine is bounded by the direct one: \
         while it scores few columns it may be far below, and come nearer as data grow. Memory: the data once by rows and once by columns, \
         O(n r) for H and C_A, and the cache.",
    );
    page.paragraph(format!(
        "Measured on drawn corpora, {} threads: from {} documents, {} words, {} entries and r = {} on, one size is doubled {DOUBLINGS} \
         times while the others stay. The exponent is the slope of log time over log size with its standard error; runs under {SHORT} s \
         are done {TIMES} times, those under {VERY_SHORT} s {MORE_TIMES} times, and the fastest counts.",
        rayon::current_num_threads(),
        number::count(start.documents as u64),
        number::count(start.words as u64),
        number::count(start.entries as u64),
        start.rank
    ));
    for size in Size::ALL {
        let of: Vec<&Curve> = curves.iter().filter(|curve| curve.size == size).collect();
        let part = match size {
            Size::Columns => "words",
            Size::Entries => "entries",
            Size::Rank => "anchors",
        };
        let caption = format!("Time against {}", size.name());
        page.picture(part, &caption, &picture(size, &of))?;
    }
    page.table(&table(curves));
    page.paragraph(summary(curves));
    page.paragraph("Memory beyond the data, at the smallest and at the largest size:");
    page.table(&memory_table(curves));
    judge(&mut page, &curves.iter().map(|curve| verdict(curve, curves)).collect::<Vec<_>>());
    page.csv("", &csv(curves));
    Ok(page)
}

fn picture(size: Size, curves: &[&Curve]) -> Chart {
    let panel = |engine: Engine| {
        let of = || curves.iter().filter(move |curve| curve.engine == engine);
        let mut panel = Panel::new(format!("seconds, {engine}")).y_scale(Scale::Log);
        for curve in of() {
            let name = format!("{} ({})", curve.label(), curve.exponent().shown(1.0, 2));
            panel = panel.series(Series::new(name, curve.points.iter().map(|p| (p.0, p.1))));
        }
        let first = of().filter_map(|curve| curve.points.first()).map(|p| p.1).fold(0.0, f64::max);
        if let Some((from, to)) = of().next().and_then(|c| c.points.first().zip(c.points.last())) {
            let grown = first * (to.0 / from.0).powf(size.bound());
            let ends = [(from.0, first), (to.0, grown)];
            let bound = Series::new(format!("exponent {}", size.bound()), ends);
            panel = panel.series(bound.dashed().markers(false));
        }
        panel
    };
    let direct = curves.iter().filter(|curve| curve.engine == Engine::Direct);
    let steepest = direct.map(|curve| curve.exponent().mean).fold(f64::NEG_INFINITY, f64::max);
    let title = format!(
        "Time against {}: exponents of the direct engine up to {}, the analysis says at most {}",
        size.name(),
        number::fixed(steepest, 2),
        size.bound()
    );
    Chart::new(title)
        .x_label(format!("{}; in brackets the fitted exponents", size.name()))
        .x_scale(Scale::Log)
        .panel(panel(Engine::Direct))
        .panel(panel(Engine::Lazy))
        .size(900, 900)
}

/// Bytes beyond the data at both ends of each size.
fn memory_table(curves: &[Curve]) -> Table {
    let headers = ["rule", "engine"].map(Column::left);
    let sizes = Size::ALL.map(|size| Column::right(size.name()));
    let mut table = Table::new(headers.into_iter().chain(sizes));
    for (selection, engine) in KINDS {
        let cells = Size::ALL.map(|size| {
            let same = |c: &&Curve| (c.size, c.selection, c.engine) == (size, selection, engine);
            let ends = curves.iter().find(same).and_then(|c| c.points.first().zip(c.points.last()));
            let bytes = ends.and_then(|(first, last)| Some((first.2?, last.2?)));
            bytes.map_or_else(Cell::missing, |(first, last)| {
                Cell::from(format!("{} to {}", number::bytes(first), number::bytes(last)))
            })
        });
        let names = [Cell::from(selection.name()), Cell::from(engine.name())];
        table.row(names.into_iter().chain(cells));
    }
    table
}

fn table(curves: &[Curve]) -> Table {
    let headers = ["rule", "engine"].map(Column::left);
    let sizes = Size::ALL.map(|size| Column::right(format!("{}: exponent", size.name())));
    let mut table = Table::new(headers.into_iter().chain(sizes));
    for (selection, engine) in KINDS {
        let cells = Size::ALL.map(|size| {
            let same = |c: &&Curve| (c.size, c.selection, c.engine) == (size, selection, engine);
            let curve = curves.iter().find(same);
            curve.map_or_else(Cell::missing, |c| Cell::from(c.exponent().shown(1.0, 2)))
        });
        let names = [Cell::from(selection.name()), Cell::from(engine.name())];
        table.row(names.into_iter().chain(cells));
    }
    table
}

fn csv(curves: &[Curve]) -> Table {
    let headers = [
        "size",
        "rule",
        "engine",
        "value",
        "seconds",
        "memory_bytes",
        "exponent",
        "standard_error",
    ];
    let mut table = Table::new(headers.map(Column::left));
    for curve in curves {
        let Estimate { mean, error } = curve.exponent();
        for (value, seconds, memory) in &curve.points {
            table.row([
                curve.size.name().to_owned(),
                curve.selection.name().to_owned(),
                curve.engine.name().to_owned(),
                value.to_string(),
                seconds.to_string(),
                memory.map_or_else(String::new, |bytes| bytes.to_string()),
                mean.to_string(),
                error.to_string(),
            ]);
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn curve(size: Size, exponent: f64, noise: f64) -> Curve {
        let point = |k: i32| {
            let x = 2f64.powi(k);
            let disturbed = if k % 2 == 0 { 1.0 + noise } else { 1.0 - noise };
            (x, 0.3 * x.powf(exponent) * disturbed, None)
        };
        let (selection, engine) = (Selection::Max, Engine::Lazy);
        Curve { size, selection, engine, points: (0..4).map(point).collect() }
    }

    #[test]
    fn exponents_are_found_again_with_their_error() {
        let exact = curve(Size::Rank, 1.7, 0.0).exponent();
        assert!((exact.mean - 1.7).abs() < 1e-12 && exact.error < 1e-12);
        let rough = curve(Size::Rank, 1.7, 0.1).exponent();
        assert!((rough.mean - 1.7).abs() < 0.1 && rough.error > 0.02, "{rough:?}");
    }
}
