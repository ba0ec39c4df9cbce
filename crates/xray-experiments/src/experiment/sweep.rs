//! What thresholds and the scaling of documents do to Table 1, and what else was tried for it.

use anyhow::Result;
use xray_nmf::{Descent, Fit, Normalize, Params, Selection, Solver};
use xray_report::{Cell, Chart, Column, Panel, Scale, Series, Table};

use super::table1::{Cellwise, RULES, anchors_of, columns_of, paper};
use super::verdict::Estimate;
use super::{Settings, median};
use crate::dataset::DataSet;
use crate::evaluate::{accuracy_as_given, paper_protocol};
use crate::page::Page;
use crate::preparation::{CountedSet, Weighing};
use crate::watch::Watch;

/// Random splits; fewer than in Table 1, for there are many cells.
const SPLITS: usize = 3;

/// The scalings of columns that are looked at: with sum 1 anchors are rare words, so that the threshold decides most.
const NORMS: [Normalize; 2] = [Normalize::L1, Normalize::None];

const SCALES: [Normalize; 2] = [Normalize::L1, Normalize::L2];

/// One cell of Table 1 with one weighing.
struct Point {
    data: String,
    weighing: Weighing,
    /// How projections are done, if not exactly.
    solver: &'static str,
    n_words: usize,
    rule: Selection,
    norm: Normalize,
    accuracy: Vec<f64>,
    frequency: usize,
}

impl Point {
    fn paper(&self) -> Option<f64> {
        paper(&self.data, self.rule, self.norm)
    }
}

pub(super) fn run(settings: &Settings, watch: &mut dyn Watch) -> Result<Page> {
    let (rank, thresholds): (usize, &[usize]) =
        if settings.quick { (16, &[2, 6]) } else { (100, &[5, 12, 25, 60]) };
    let sets = settings.counted_sets()?;
    let n_cells = RULES.len() * NORMS.len();
    let tried = if settings.quick { Vec::new() } else { tried() };
    let n_points = sets.len() * SCALES.len() * thresholds.len() * n_cells;
    watch.begin("sweep", n_points + tried.len());
    let mut points = Vec::new();
    for set in &sets {
        for scale in SCALES {
            for &min_df in thresholds {
                let weighing = Weighing::new(min_df, scale);
                let data = set.weighed(weighing)?;
                for cell in RULES.into_iter().flat_map(|rule| NORMS.map(|norm| (rule, norm))) {
                    let anchors = anchors_of(&data, cell, rank)?;
                    points.push(point(&data, weighing, "exact", cell, &anchors, settings)?);
                    watch.advance()?;
                }
            }
        }
    }
    let more = further(&sets, &tried, rank, settings, watch)?;
    page(settings, &points, &more, rank)
}

/// What might explain TDT2 with dist and columns of length 1, which the fitted preparation does not reproduce.
fn tried() -> Vec<(Weighing, Option<Descent>)> {
    let fitted = Weighing::new(25, Normalize::L1);
    let thresholds = [25, 26, 27, 28, 29, 30].map(|min_df| Weighing { min_df, ..fitted });
    let weights = [
        Weighing { raw_tf: true, ..fitted },
        Weighing { smooth_idf: true, ..fitted },
        Weighing { raw_tf: true, smooth_idf: true, ..fitted },
        Weighing::new(12, Normalize::L2),
    ];
    let exact = thresholds.into_iter().chain(weights).map(|weighing| (weighing, None));
    let rough = Descent { tolerance: 1e-3, max_cycles: 5 };
    exact.chain([(fitted, Some(rough))]).collect()
}

/// The cells of TDT2 that disagree most about the threshold.
const TRIED_CELLS: [(Selection, Normalize); 2] =
    [(Selection::Dist, Normalize::L2), (Selection::Greedy, Normalize::L1)];

fn further(
    sets: &[CountedSet],
    tried: &[(Weighing, Option<Descent>)],
    rank: usize,
    settings: &Settings,
    watch: &mut dyn Watch,
) -> Result<Vec<Point>> {
    let mut points = Vec::new();
    for (weighing, descent) in tried {
        let Some(set) = sets.iter().find(|set| set.name == "TDT2") else { break };
        let data = set.weighed(*weighing)?;
        for (selection, normalize) in TRIED_CELLS {
            let exact = Params { selection, normalize, ..Params::new(rank) };
            let (name, params) = match *descent {
                None => ("exact", exact),
                Some(descent) => {
                    let solver = Solver::CoordinateDescent;
                    ("coordinate descent, 5 cycles at most", Params { solver, descent, ..exact })
                }
            };
            let anchors = Fit::of(data.sparse()?).run(&params)?.anchors();
            let cell = (selection, normalize);
            points.push(point(&data, *weighing, name, cell, &anchors, settings)?);
        }
        watch.advance()?;
    }
    Ok(points)
}

fn point(
    data: &DataSet,
    weighing: Weighing,
    solver: &'static str,
    (rule, norm): (Selection, Normalize),
    anchors: &[usize],
    settings: &Settings,
) -> Result<Point> {
    let (starts, _, _) = data.sparse()?.csc();
    let frequencies = anchors.iter().map(|&j| starts[j + 1] - starts[j]).collect();
    let protocol = paper_protocol(settings.seed, SPLITS);
    let features = columns_of(data, anchors)?;
    let found = accuracy_as_given(features, anchors.len(), data.classes()?, &protocol)?;
    Ok(Point {
        data: data.name.clone(),
        weighing,
        solver,
        n_words: data.words.len(),
        rule,
        norm,
        accuracy: found.per_split,
        frequency: median(frequencies),
    })
}

fn page(settings: &Settings, points: &[Point], tried: &[Point], rank: usize) -> Result<Page> {
    let mut page =
        settings.page("sweep", "What the preparation does: thresholds and scalings of documents");
    page.paragraph(format!(
        "Accuracy with X_A, r = {rank}, as in Table 1 but with {SPLITS} splits, in percent with standard errors; weights are (1 + ln \
         tf) ln(N / df) of the words in at least df documents, documents divided by their sum or their length. The \
         dashed lines are the paper's figures."
    ));
    let mut sets: Vec<&str> = points.iter().map(|point| &point.data[..]).collect();
    sets.dedup();
    page.list(sets.iter().filter_map(|set| moved(set, points)));
    if let Some(told) = best_single(points) {
        page.paragraph(told);
    }
    for set in sets {
        let of: Vec<&Point> = points.iter().filter(|point| point.data == set).collect();
        let caption = format!("{set}: accuracy against the threshold");
        page.picture(&set.to_lowercase(), &caption, &picture(set, &of))?;
    }
    page.table(&table(points));
    if !tried.is_empty() {
        page.paragraph(format!(
            "What was tried for TDT2 with dist and columns of length 1, beside the cell that depends most on the threshold, greedy \
             with columns of sum 1. {}",
            together(tried)
        ));
        page.table(&table(tried));
    }
    page.csv("", &csv(points.iter().chain(tried)));
    Ok(page)
}

/// The largest difference of two points that agree but for one thing, in points of percent, and the two.
fn widest<'a>(
    points: &[&'a Point],
    alike: impl Fn(&Point, &Point) -> bool,
) -> Option<(f64, &'a Point, &'a Point)> {
    let pairs = points.iter().flat_map(|a| points.iter().map(move |b| (*a, *b)));
    let apart = |(a, b): (&'a Point, &'a Point)| {
        let [low, high] = [a, b].map(|point| Estimate::of(&point.accuracy).mean);
        (100.0 * (high - low), a, b)
    };
    pairs.filter(|(a, b)| alike(a, b)).map(apart).max_by(|a, b| a.0.total_cmp(&b.0))
}

/// The most that the threshold alone changes, and the most that the rule alone does.
fn extremes<'a>(points: &[&'a Point]) -> Option<[(f64, &'a Point, &'a Point); 2]> {
    let by_threshold = |a: &Point, b: &Point| {
        (a.rule, a.norm, a.weighing.scale) == (b.rule, b.norm, b.weighing.scale)
    };
    let by_rule = |a: &Point, b: &Point| (a.norm, a.weighing) == (b.norm, b.weighing);
    Some([widest(points, by_threshold)?, widest(points, by_rule)?])
}

/// What threshold and rule do on one set, in a sentence.
fn moved(set: &str, points: &[Point]) -> Option<String> {
    let of: Vec<&Point> = points.iter().filter(|point| point.data == set).collect();
    let [(_, low, high), (_, worse, better)] = extremes(&of)?;
    let shown = |point: &Point| Estimate::of(&point.accuracy).shown(100.0, 1);
    Some(format!(
        "{set}: by the threshold alone {} (words {}) goes from {} ({}) to {} ({}); by the rule alone accuracy goes from {} \
         ({}) to {} ({}; words {}, {}).",
        low.rule,
        low.norm.name(),
        shown(low),
        low.weighing.words(),
        shown(high),
        high.weighing.words(),
        shown(worse),
        worse.rule,
        shown(better),
        better.rule,
        better.norm.name(),
        better.weighing.words()
    ))
}

fn is_reproduced(point: &Point) -> Option<bool> {
    let found = Estimate::of(&point.accuracy);
    point.paper().map(|paper| Cellwise::of(found, paper) == Cellwise::Reproduced)
}

/// The weighing that reproduces most cells of all sets.
fn best_single(points: &[Point]) -> Option<String> {
    let counted = |weighing: Weighing| {
        let of = points.iter().filter(|point| point.weighing == weighing);
        let judged: Vec<bool> = of.filter_map(is_reproduced).collect();
        (judged.iter().filter(|is| **is).count(), judged.len(), weighing)
    };
    let all = points.iter().map(|point| counted(point.weighing));
    let (count, of, weighing) =
        all.filter(|counted| counted.1 > 0).max_by_key(|counted| counted.0)?;
    Some(format!(
        "Of the weighings that are the same for all sets, {} reproduces most of these cells: {count} of {of}.",
        weighing.words()
    ))
}

/// Whether anything that was tried brings both cells to the paper's figures.
fn together(tried: &[Point]) -> String {
    let pairs = tried.chunks_exact(TRIED_CELLS.len());
    let both: Vec<String> = pairs
        .filter(|cells| cells.iter().all(|cell| is_reproduced(cell) == Some(true)))
        .map(|cells| format!("{}, projections {}", cells[0].weighing.words(), cells[0].solver))
        .collect();
    match &both[..] {
        [] => "With none of these are both reproduced.".to_owned(),
        _ => format!("Both are reproduced with: {}.", both.join("; ")),
    }
}

fn picture(set: &str, points: &[&Point]) -> Chart {
    let title = extremes(points).map_or_else(String::new, |[threshold, rule]| {
        format!(
            "{set}: the threshold alone moves accuracy by up to {:.0} points, the rule by up to {:.0}",
            threshold.0, rule.0
        )
    });
    let mut chart = Chart::new(title)
        .x_label("documents that a word must be in")
        .x_scale(Scale::Log)
        .size(820, 640);
    for rule in RULES {
        let mut panel = Panel::new(format!("accuracy, {rule}")).y_range(0.0, 1.0);
        for (scale, norm) in SCALES.into_iter().flat_map(|scale| NORMS.map(|norm| (scale, norm))) {
            let same = |p: &&&Point| (p.rule, p.norm, p.weighing.scale) == (rule, norm, scale);
            let of: Vec<&&Point> = points.iter().filter(same).collect();
            let at = |p: &&&Point| (p.weighing.min_df as f64, Estimate::of(&p.accuracy).mean);
            let errors = of.iter().map(|p| Estimate::of(&p.accuracy).error);
            let documents = if scale == Normalize::L1 { "sum 1" } else { "length 1" };
            let name = format!("words {}, documents of {documents}", norm.name());
            let series = Series::new(name, of.iter().map(at)).error_bars(errors);
            panel = panel.series(series);
        }
        for norm in NORMS {
            if let Some(paper) = paper(set, rule, norm) {
                panel = panel.horizontal(paper, format!("paper, {}", norm.name()));
            }
        }
        chart = chart.panel(panel);
    }
    chart
}

fn table(points: &[Point]) -> Table {
    let columns = [
        Column::left("data"),
        Column::left("preparation"),
        Column::right("words"),
        Column::left("projections"),
        Column::left("rule"),
        Column::left("scaling"),
        Column::right("X_A"),
        Column::right("paper"),
        Column::left(""),
        Column::right("documents of an anchor"),
    ];
    let mut table = Table::new(columns);
    for point in points {
        let found = Estimate::of(&point.accuracy);
        let cellwise = point.paper().map(|paper| Cellwise::of(found, paper).name());
        table.row([
            Cell::from(&point.data[..]),
            Cell::from(point.weighing.words()),
            Cell::count(point.n_words as u64),
            Cell::from(point.solver),
            Cell::from(point.rule.name()),
            Cell::from(point.norm.name()),
            Cell::from(found.shown(100.0, 1)),
            super::optional(point.paper().map(|paper| 100.0 * paper), 2),
            cellwise.map_or_else(Cell::missing, Cell::from),
            Cell::count(point.frequency as u64),
        ]);
    }
    table
}

fn csv<'a>(points: impl Iterator<Item = &'a Point>) -> Table {
    let headers = [
        "data",
        "min_df",
        "document_scale",
        "raw_tf",
        "smooth_idf",
        "projections",
        "words",
        "rule",
        "scaling",
        "accuracy",
        "standard_error",
        "paper",
        "median_documents_of_an_anchor",
    ];
    let mut table = Table::new(headers.map(Column::left));
    for point in points {
        let found = Estimate::of(&point.accuracy);
        table.row([
            point.data.clone(),
            point.weighing.min_df.to_string(),
            point.weighing.scale.name().to_owned(),
            point.weighing.raw_tf.to_string(),
            point.weighing.smooth_idf.to_string(),
            point.solver.to_owned(),
            point.n_words.to_string(),
            point.rule.name().to_owned(),
            point.norm.name().to_owned(),
            found.mean.to_string(),
            found.error.to_string(),
            point.paper().map_or_else(String::new, |paper| paper.to_string()),
            point.frequency.to_string(),
        ]);
    }
    table
}
