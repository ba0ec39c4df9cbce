//! Table 1: accuracy with anchors that were chosen from scaled columns.

use anyhow::Result;
use xray_nmf::comm::OneRank;
use xray_nmf::{Fit, Normalize, Params, Selection};
use xray_report::{Cell, Column, Table};

use super::Settings;
use crate::dataset::DataSet;
use crate::evaluate::{accuracy, protocol, scaled};
use crate::page::Page;
use crate::watch::Watch;

/// Steps of refinement for the features W.
const REFINE: usize = 10;

const NORMS: [Normalize; 3] = [Normalize::L1, Normalize::L2, Normalize::None];

const RULES: [Selection; 2] = [Selection::Dist, Selection::Greedy];

/// The paper's Table 1, in percent: l1, l2, none for dist, then for greedy.
const PAPER: [(&str, [f64; 6]); 3] = [
    ("TDT2", [21.06, 83.04, 84.52, 31.69, 90.05, 91.87]),
    ("BBC", [58.59, 84.36, 87.73, 75.41, 82.18, 87.82]),
    ("Reuters-10", [51.88, 76.88, 64.46, 55.65, 81.28, 83.02]),
];

/// Accuracies of one way to choose anchors.
struct Entry {
    data: String,
    rule: Selection,
    norm: &'static str,
    /// Mean and spread over splits, with `X_A`.
    anchors: (f64, f64),
    /// The same with the refined W.
    weights: (f64, f64),
    paper: Option<f64>,
}

impl Entry {
    fn best(&self) -> f64 {
        self.anchors.0.max(self.weights.0)
    }
}

pub(super) fn run(settings: &Settings, watch: &mut dyn Watch) -> Result<Page> {
    let rank = if settings.quick { 16 } else { 100 };
    let sets = settings.labelled_sets()?;
    watch.begin("table1", sets.len() * RULES.len() * NORMS.len());
    let mut entries = Vec::new();
    for data in &sets {
        for (a, rule) in RULES.into_iter().enumerate() {
            for (b, norm) in NORMS.into_iter().enumerate() {
                let (anchors, weights) = judge(data, rule, norm, rank, settings)?;
                let paper = PAPER.iter().find(|row| row.0 == data.name);
                let paper = paper.map(|row| row.1[a * NORMS.len() + b] / 100.0);
                entries.push(Entry {
                    data: data.name.clone(),
                    rule,
                    norm: norm.name(),
                    anchors,
                    weights,
                    paper,
                });
                watch.advance()?;
            }
        }
    }
    page(settings, &entries, rank)
}

type MeanAndSpread = (f64, f64);

fn judge(
    data: &DataSet,
    selection: Selection,
    normalize: Normalize,
    rank: usize,
    settings: &Settings,
) -> Result<(MeanAndSpread, MeanAndSpread)> {
    let params = Params { selection, normalize, ..Params::new(rank) };
    let anchors = Fit::of(data.sparse()?).run(&params)?.anchors();
    let found = data.part().with_anchors(&anchors)?;
    let start = found.factors(&OneRank)?;
    let protocol = protocol(settings.seed);
    let classes = data.classes()?;
    let plain = accuracy(start.w.clone(), found.rank(), classes, &protocol)?;
    let factors = data.part().refined(start, REFINE)?;
    let weights = accuracy(scaled(factors).w, found.rank(), classes, &protocol)?;
    Ok(((plain.mean, plain.std), (weights.mean, weights.std)))
}

fn page(settings: &Settings, entries: &[Entry], rank: usize) -> Result<Page> {
    let mut page = settings.page("table1", "Table 1: accuracy with and without scaled columns");
    page.paragraph(format!(
        "Anchors are chosen with columns (words) scaled to sum 1 (l1), to length 1 (l2), or as they are, \
         r = {rank}; features always come from the unscaled data. A linear support vector machine \
         (L2-regularised, one against the rest) learns from 5 % of the documents, stratified, with C from four-fold \
         cross-validation within them; mean and spread of 10 splits, in percent. The paper's features are \
         the anchors' columns X_A; here the weights W after {REFINE} steps of refinement stand beside them. \
         Feature vectors are scaled to length 1."
    ));
    page.table(&table(entries));
    page.list(remarks(entries));
    page.csv("", &csv(entries));
    Ok(page)
}

fn table(entries: &[Entry]) -> Table {
    let columns = [
        Column::left("data"),
        Column::left("rule"),
        Column::left("scaling"),
        Column::right("X_A"),
        Column::right("W"),
        Column::right("paper"),
        Column::right("best - paper"),
    ];
    let mut table = Table::new(columns);
    let percent = |(mean, spread): MeanAndSpread| {
        Cell::from(format!("{:.2} ± {:.2}", 100.0 * mean, 100.0 * spread))
    };
    for entry in entries {
        let difference = entry.paper.map(|paper| 100.0 * (entry.best() - paper));
        table.row([
            Cell::from(&entry.data[..]),
            Cell::from(entry.rule.name()),
            Cell::from(entry.norm),
            percent(entry.anchors),
            percent(entry.weights),
            super::optional(entry.paper.map(|paper| 100.0 * paper), 2),
            super::optional(difference, 2),
        ]);
    }
    table
}

/// Whether scaling to sum 1 hurts, for each data set and rule.
fn remarks(entries: &[Entry]) -> Vec<String> {
    let groups = entries.chunks_exact(NORMS.len());
    let remark = |group: &[Entry]| {
        let [l1, _, none] = group else { return String::new() };
        let verdict =
            if none.anchors.0 > l1.anchors.0 { "holds" } else { "**does not hold here**" };
        format!(
            "{} {}: \"scaling words to sum 1 hurts\" {verdict} for X_A ({:.1} against {:.1} without); best of \
             both kinds of features without scaling {:.2}{}",
            none.data,
            none.rule.name(),
            100.0 * l1.anchors.0,
            100.0 * none.anchors.0,
            100.0 * none.best(),
            none.paper.map_or_else(String::new, |paper| format!(" (paper {:.2})", 100.0 * paper)),
        )
    };
    groups.map(remark).collect()
}

fn csv(entries: &[Entry]) -> Table {
    let headers = [
        "data",
        "rule",
        "scaling",
        "accuracy_anchors",
        "std_anchors",
        "accuracy_weights",
        "std_weights",
        "paper",
    ];
    let mut table = Table::new(headers.map(Column::left));
    for entry in entries {
        table.row([
            entry.data.clone(),
            entry.rule.name().to_owned(),
            entry.norm.to_owned(),
            entry.anchors.0.to_string(),
            entry.anchors.1.to_string(),
            entry.weights.0.to_string(),
            entry.weights.1.to_string(),
            entry.paper.map_or_else(String::new, |paper| paper.to_string()),
        ]);
    }
    table
}
