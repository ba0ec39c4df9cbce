//! Table 2: anchors and the top words of their topics.

use anyhow::Result;
use xray_nmf::comm::OneRank;
use xray_pipeline::heaviest_words;
use xray_report::{Cell, Column, Table};

use super::{Claim, Settings, judged};
use crate::dataset::DataSet;
use crate::method::{Found, Job, Method};
use crate::page::Page;
use crate::watch::Watch;

const METHODS: [&str; 4] = ["xray-dist", "xray-greedy", "spa-l1", "hottopixx"];

/// Passes of Hottopixx.
const EPOCHS: usize = 10;

/// Words to list, and topics of a method in the page's tables.
const WORDS: usize = 9;
const SHOWN: usize = 10;

/// A topic: its anchor and its other top words.
struct Topic {
    anchor: String,
    words: Vec<String>,
    /// Documents that have the anchor.
    n_documents: usize,
}

/// The topics of every method on one data set.
struct Study {
    data: String,
    rank: usize,
    lists: Vec<(Method, Vec<Topic>)>,
}

pub(super) fn run(settings: &Settings, watch: &mut dyn Watch) -> Result<Page> {
    let sets = if settings.quick {
        vec![(settings.demo.clone(), settings.demo.n_classes())]
    } else {
        let folder = settings.folder()?;
        vec![(folder.bbc()?, 5), (folder.reuters_text()?, 10), (folder.tdt2()?, 30)]
    };
    watch.begin("table2", sets.len() * METHODS.len());
    let mut studies = Vec::new();
    for (data, rank) in &sets {
        studies.push(study(data, *rank, settings, watch)?);
    }
    Ok(page(settings, &studies))
}

fn study(data: &DataSet, rank: usize, settings: &Settings, watch: &mut dyn Watch) -> Result<Study> {
    let mut lists = Vec::new();
    for name in METHODS {
        let method = Method::named(name)?;
        lists.push((method, topics(data, &method, rank, settings)?));
        watch.advance()?;
    }
    Ok(Study { data: data.name.clone(), rank, lists })
}

fn topics(data: &DataSet, method: &Method, rank: usize, settings: &Settings) -> Result<Vec<Topic>> {
    let job = Job { seed: settings.seed, epochs: EPOCHS, ..Job::new(rank) };
    let Found::Anchors(anchors) = method.run(data.part(), &job)? else { return Ok(Vec::new()) };
    let found = data.part().with_anchors(&anchors)?.factors(&OneRank)?;
    let lists = heaviest_words(&found.h, found.rank, WORDS + 1);
    let name = |&(j, _): &(usize, f64)| data.words[j].clone();
    let (starts, _, _) = data.sparse()?.csc();
    let topic = |(&anchor, words): (&usize, &Vec<(usize, f64)>)| Topic {
        anchor: data.words[anchor].clone(),
        n_documents: starts[anchor + 1] - starts[anchor],
        words: words.iter().filter(|word| word.0 != anchor).take(WORDS).map(name).collect(),
    };
    Ok(anchors.iter().zip(&lists).map(topic).collect())
}

fn page(settings: &Settings, studies: &[Study]) -> Page {
    let mut page = settings.page("table2", "Table 2: anchors and top words");
    page.paragraph(format!(
        "Anchors in the order in which they were found, and the other words with the largest weights in the \
         same row of H, without refinement. SPA and Hottopixx ({EPOCHS} epochs) choose on columns of sum 1. \
         The paper lists topics of TDT2, whose vocabulary is not part of the data here: BBC and the raw text \
         of Reuters stand in, and TDT2's words are given by number."
    ));
    for study in studies {
        let part = if study.rank > SHOWN { ", the first ten" } else { "" };
        page.paragraph(format!("**{}**, r = {}{part}", study.data, study.rank));
        page.table(&table(study));
    }
    page.paragraph(
        "The paper finds that XRAY's anchors name their topics while those of the methods on scaled columns \
         are rare words (\"acknowledging\", \"successive\"): a column of sum 1 is extreme when its word occurs \
         in very few documents. Here, by the number of documents that have an anchor:",
    );
    page.list(judged(&studies.iter().flat_map(claims).collect::<Vec<_>>()));
    page.paragraph(
        "dist divides by a column's sum as well, and with these weights (rare words kept, documents \
         of length 1) that leads it to rare words where the paper's weights did not.",
    );
    page.csv("", &csv(studies));
    page
}

/// The first topics of each method.
fn table(study: &Study) -> Table {
    let mut table = Table::new(["method", "anchor", "top words"].map(Column::left));
    for (method, topics) in &study.lists {
        for (k, topic) in topics.iter().take(SHOWN).enumerate() {
            table.row([
                Cell::from(if k == 0 { method.label } else { "" }),
                Cell::from(&topic.anchor[..]).bold(),
                Cell::from(topic.words.join("; ")),
            ]);
        }
    }
    table
}

/// How frequent the words are that each method chooses.
fn claims(study: &Study) -> Vec<Claim> {
    let typical = |name: &str| {
        let (_, topics) = study.lists.iter().find(|list| list.0.name == name)?;
        Some(median(topics.iter().map(|topic| topic.n_documents).collect()))
    };
    let [dist, greedy, spa, hottopixx] = METHODS.map(|name| typical(name).unwrap_or(0));
    let claim = |claim, own: usize| Claim {
        claim,
        holds: own > spa.max(hottopixx),
        figures: format!(
            "{}, median documents of an anchor: {own}, SPA {spa}, Hottopixx {hottopixx}",
            study.data
        ),
    };
    vec![
        claim("XRAY(greedy) chooses more frequent words than both rivals", greedy),
        claim("XRAY(dist) chooses more frequent words than both rivals", dist),
    ]
}

/// All topics, a row each.
fn csv(studies: &[Study]) -> Table {
    let headers = ["data", "method", "topic", "anchor", "documents", "words"];
    let mut csv = Table::new(headers.map(Column::left));
    for study in studies {
        for (method, topics) in &study.lists {
            for (k, topic) in topics.iter().enumerate() {
                let [place, n] = [k + 1, topic.n_documents].map(|n| n.to_string());
                let words = topic.words.join(" ");
                csv.row([&study.data[..], method.name, &place, &topic.anchor, &n, &words]);
            }
        }
    }
    csv
}

/// The middle one; the upper of two.
fn median(mut values: Vec<usize>) -> usize {
    values.sort_unstable();
    values.get(values.len() / 2).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn topic(anchor: &str, n_documents: usize) -> Topic {
        Topic { anchor: anchor.into(), words: vec!["a".into(), "b".into()], n_documents }
    }

    #[test]
    fn pages_list_the_first_topics_and_files_all_of_them() {
        let lists = METHODS.map(|name| {
            let n_documents = if name.starts_with("xray") { 50 } else { 2 };
            let topics = (0..SHOWN + 2).map(|k| topic(&format!("word{k}"), n_documents + k));
            (Method::named(name).expect("a method"), topics.collect())
        });
        let study = Study { data: "BBC".into(), rank: SHOWN + 2, lists: lists.into() };
        assert_eq!(table(&study).n_rows(), METHODS.len() * SHOWN);
        let csv = csv(std::slice::from_ref(&study));
        assert_eq!(csv.n_rows(), METHODS.len() * (SHOWN + 2));
        let last = ["BBC", "spa-l1", "12", "word11", "13", "a b"];
        assert!(csv.records().any(|record| record == last));
        let claims = claims(&study);
        assert!(claims.iter().all(|claim| claim.holds));
        assert!(claims[0].figures.contains("56, SPA 8, Hottopixx 8"), "{}", claims[0].figures);
    }

    #[test]
    fn the_middle_of_an_even_number_is_the_upper_one() {
        assert_eq!(median(vec![9, 1, 4, 5]), 5);
        assert_eq!(median(vec![]), 0);
    }
}
