//! What it changes that rare words are no anchors.

use anyhow::Result;
use xray_data::text::DocumentFrequency;
use xray_nmf::comm::OneRank;
use xray_nmf::{Fit, Params, Selection};
use xray_pipeline::Frequent;
use xray_pipeline::measure::normalized_mutual_information;
use xray_report::{Cell, Column, Table, number};

use super::table1::columns_of;
use super::verdict::{Estimate, Runs, Verdict, all_above, judge};
use super::{Settings, median};
use crate::dataset::DataSet;
use crate::evaluate::{accuracy_as_given, clusters, paper_protocol};
use crate::page::Page;
use crate::preparation::Preparation;
use crate::watch::Watch;

const RULES: [Selection; 5] =
    [Selection::Dist, Selection::Max, Selection::Agg, Selection::Joint, Selection::Greedy];

/// Random splits.
const SPLITS: usize = 5;

/// Steps of refinement before documents are clustered.
const REFINE: usize = 10;

/// One rule on one set, with all words as candidates or the frequent ones.
struct Entry {
    data: String,
    rule: Selection,
    /// Documents that an anchor is in at least; none if there is no limit.
    least: Option<u64>,
    frequency: usize,
    accuracy: Vec<f64>,
    majority: f64,
    /// With as many topics as classes, before and after refinement.
    nmi: [f64; 2],
}

pub(super) fn run(settings: &Settings, watch: &mut dyn Watch) -> Result<Page> {
    let rank = if settings.quick { 16 } else { 100 };
    let sets = settings.counted_sets()?;
    watch.begin("rare", sets.len() * RULES.len() * 2);
    let mut entries = Vec::new();
    for set in &sets {
        let data = set.prepared(Preparation::AllWords)?;
        for rule in RULES {
            for limited in [false, true] {
                entries.push(entry(&data, rule, limited, rank, settings)?);
                watch.advance()?;
            }
        }
    }
    Ok(page(settings, &entries, rank))
}

fn entry(
    data: &DataSet,
    rule: Selection,
    limited: bool,
    rank: usize,
    settings: &Settings,
) -> Result<Entry> {
    let (starts, _, _) = data.sparse()?.csc();
    let frequencies: Vec<u64> = starts.windows(2).map(|ends| (ends[1] - ends[0]) as u64).collect();
    let n = data.classes()?.len();
    let frequent = match (limited, rule) {
        (false, _) => None,
        // Greedy has no limit by default: it gets that of the others.
        (true, Selection::Greedy) => {
            Frequent::among(&frequencies, n, DocumentFrequency::Automatic, None)?
        }
        (true, rule) => Frequent::among(&frequencies, n, DocumentFrequency::Automatic, Some(rule))?,
    };
    let least = frequent.as_ref().map(|frequent| frequent.least);
    let candidates = frequent.map(|frequent| frequent.columns);
    let params = Params { selection: rule, candidates, ..Params::new(rank) };
    let anchors = Fit::of(data.sparse()?).run(&params)?.anchors();
    let features = columns_of(data, &anchors)?;
    let protocol = paper_protocol(settings.seed, SPLITS);
    let judged = accuracy_as_given(features, anchors.len(), data.classes()?, &protocol)?;
    let of_anchors = anchors.iter().map(|&j| frequencies[j] as usize).collect();
    let nmi = agreement(data, &anchors[..data.n_classes().min(anchors.len())])?;
    Ok(Entry {
        data: data.name.clone(),
        rule,
        least,
        frequency: median(of_anchors),
        accuracy: judged.per_split,
        majority: data.majority()?,
        nmi,
    })
}

/// The NMI of classes and the heaviest topics of documents, before and after refinement.
pub(super) fn agreement(data: &DataSet, anchors: &[usize]) -> Result<[f64; 2]> {
    let classes: Vec<Option<usize>> = data.classes()?.iter().copied().map(Some).collect();
    let start = data.part().with_anchors(anchors)?.factors(&OneRank)?;
    let refined = data.part().refined(start.clone(), REFINE)?;
    Ok([start, refined].map(|factors| normalized_mutual_information(&classes, &clusters(factors))))
}

fn page(settings: &Settings, entries: &[Entry], rank: usize) -> Page {
    let mut page = settings.page("rare", "Rare words as anchors, and without them");
    page.paragraph(format!(
        "All words stay in the data (the preparation *all words*); as candidates for anchors there are all of them, or those that \
         are in at least the root of the number of documents, which is the program's default for these rules but greedy \
         (`--anchor-min-df`). Accuracy is that of X_A with r = {rank} as in Table 1 ({SPLITS} splits, with standard errors); NMI \
         is that of the documents' heaviest of as many topics as classes, before refinement and after {REFINE} steps."
    ));
    let columns = [
        Column::left("data"),
        Column::left("rule"),
        Column::right("anchors in at least"),
        Column::right("documents of an anchor"),
        Column::right("accuracy"),
        Column::right("largest class"),
        Column::right("NMI before"),
        Column::right("NMI after"),
    ];
    let mut table = Table::new(columns);
    for entry in entries {
        table.row([
            Cell::from(&entry.data[..]),
            Cell::from(entry.rule.name()),
            entry.least.map_or_else(|| Cell::from("1"), Cell::count),
            Cell::count(entry.frequency as u64),
            Cell::from(Estimate::of(&entry.accuracy).shown(1.0, 3)),
            Cell::fixed(entry.majority, 3),
            Cell::fixed(entry.nmi[0], 3),
            Cell::fixed(entry.nmi[1], 3),
        ]);
    }
    page.table(&table);
    judge(&mut page, &entries.chunks_exact(2).map(verdict).collect::<Vec<_>>());
    page.csv("", &csv(entries));
    page
}

const BETTER: &str = "ours: accuracy is higher if rare words are no anchors";

fn verdict(pair: &[Entry]) -> Verdict {
    let (all, frequent) = (&pair[0], &pair[1]);
    let ours = Runs { label: "frequent words", values: &frequent.accuracy };
    let rival = Runs { label: "all words", values: &all.accuracy };
    let judged = all_above(&[ours], &[rival], Some(all.majority));
    let figures = format!(
        "NMI after refinement {} and {}",
        number::fixed(frequent.nmi[1], 3),
        number::fixed(all.nmi[1], 3)
    );
    Verdict::new(BETTER, format!("{}, {}", all.data, all.rule), judged).figures(figures)
}

fn csv(entries: &[Entry]) -> Table {
    let headers = [
        "data",
        "rule",
        "anchor_min_df",
        "median_documents_of_an_anchor",
        "accuracy",
        "standard_error",
        "largest_class",
        "nmi_before",
        "nmi_after",
    ];
    let mut table = Table::new(headers.map(Column::left));
    for entry in entries {
        let Estimate { mean, error } = Estimate::of(&entry.accuracy);
        table.row([
            entry.data.clone(),
            entry.rule.name().to_owned(),
            entry.least.unwrap_or(1).to_string(),
            entry.frequency.to_string(),
            mean.to_string(),
            error.to_string(),
            entry.majority.to_string(),
            entry.nmi[0].to_string(),
            entry.nmi[1].to_string(),
        ]);
    }
    table
}
