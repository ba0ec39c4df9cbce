//! What robust fits do to texts, where nobody knows the anchors: accuracy and clusters.

use std::time::Instant;

use anyhow::Result;
use xray_nmf::{Factorization, Fit, Params, Selection};
use xray_report::{Cell, Column, Table, number};

use crate::dataset::DataSet;
use crate::evaluate::{accuracy_as_given, paper_protocol};
use crate::experiment::Settings;
use crate::experiment::rare::agreement;
use crate::experiment::table1::columns_of;
use crate::experiment::verdict::Estimate;
use crate::page::Page;
use crate::preparation::Preparation;
use crate::watch::Watch;

/// What is compared; the last one is ours.
const METHODS: [(&str, Selection, bool); 4] = [
    ("max", Selection::Max, false),
    ("dist", Selection::Dist, false),
    ("greedy", Selection::Greedy, false),
    ("robust", Selection::Dist, true),
];

/// Random splits.
const SPLITS: usize = 5;

/// One method on one set.
struct Entry {
    data: String,
    method: &'static str,
    /// What a robust fit decided.
    gate: &'static str,
    seconds: f64,
    accuracy: Vec<f64>,
    /// With as many topics as classes, before and after refinement.
    nmi: [f64; 2],
}

/// BBC and TDT2, or the demo corpus.
pub(super) fn sets(settings: &Settings) -> Result<Vec<DataSet>> {
    let counted = if settings.quick {
        vec![settings.demo.clone()]
    } else {
        let folder = settings.folder()?;
        vec![folder.bbc()?, folder.tdt2()?]
    };
    counted.iter().map(|set| set.prepared(Preparation::Plain)).collect()
}

/// Steps that `told` takes.
pub(super) fn steps(sets: &[DataSet]) -> usize {
    sets.len() * METHODS.len()
}

pub(super) fn told(
    page: &mut Page,
    settings: &Settings,
    sets: &[DataSet],
    watch: &mut dyn Watch,
) -> Result<()> {
    let rank = if settings.quick { 8 } else { 50 };
    let mut entries = Vec::new();
    for data in sets {
        for method in METHODS {
            entries.push(entry(data, method, rank, settings)?);
            watch.advance()?;
        }
    }
    page.paragraph(format!(
        "Texts ({}): accuracy of a linear classifier on the columns of r = {rank} anchors as in Table 1 ({SPLITS} splits, with standard errors), NMI of \
         the documents' heaviest of as many topics as classes, before and after refinement, and the time of the fit.",
        Preparation::Plain.words()
    ));
    let headers = ["data", "method", "gate", "seconds", "accuracy", "NMI before", "NMI after"];
    let columns = headers.iter().enumerate();
    let mut table = Table::new(
        columns.map(|(k, &name)| if k < 3 { Column::left(name) } else { Column::right(name) }),
    );
    for entry in &entries {
        table.row([
            Cell::from(&entry.data[..]),
            Cell::from(entry.method),
            Cell::from(entry.gate),
            Cell::fixed(entry.seconds, 2),
            Cell::from(Estimate::of(&entry.accuracy).shown(1.0, 3)),
            Cell::fixed(entry.nmi[0], 3),
            Cell::fixed(entry.nmi[1], 3),
        ]);
    }
    page.table(&table).csv("texts", &table);
    page.list(entries.chunks_exact(METHODS.len()).map(against_dist));
    Ok(())
}

fn fitted(
    data: &DataSet,
    selection: Selection,
    robust: bool,
    rank: usize,
) -> Result<Factorization> {
    let params = Params { selection, robust, ..Params::new(rank) };
    Ok(Fit::of(data.sparse()?).run(&params)?)
}

fn entry(
    data: &DataSet,
    (method, selection, robust): (&'static str, Selection, bool),
    rank: usize,
    settings: &Settings,
) -> Result<Entry> {
    let start = Instant::now();
    let found = fitted(data, selection, robust, rank)?;
    let seconds = start.elapsed().as_secs_f64();
    let anchors = found.anchors();
    let protocol = paper_protocol(settings.seed, SPLITS);
    let features = columns_of(data, &anchors)?;
    let judged = accuracy_as_given(features, anchors.len(), data.classes()?, &protocol)?;
    // The anchors of a robust fit are not the first ones of a larger one.
    let few = fitted(data, selection, robust, data.n_classes())?.anchors();
    Ok(Entry {
        data: data.name.clone(),
        method,
        gate: found.noise().map_or("", |noise| noise.gate.name()),
        seconds,
        accuracy: judged.per_split,
        nmi: agreement(data, &few)?,
    })
}

/// What robust changes against dist, whose rule it has.
fn against_dist(entries: &[Entry]) -> String {
    let named = |name: &str| entries.iter().find(|entry| entry.method == name);
    let (Some(dist), Some(robust)) = (named("dist"), named("robust")) else { return String::new() };
    let differences: Vec<f64> =
        robust.accuracy.iter().zip(&dist.accuracy).map(|(a, b)| a - b).collect();
    format!(
        "{}: robust less dist: accuracy {}, NMI {} before and {} after refinement; {} times the time",
        dist.data,
        Estimate::of(&differences).shown(1.0, 3),
        number::fixed(robust.nmi[0] - dist.nmi[0], 3),
        number::fixed(robust.nmi[1] - dist.nmi[1], 3),
        number::fixed(robust.seconds / dist.seconds.max(f64::MIN_POSITIVE), 1)
    )
}
