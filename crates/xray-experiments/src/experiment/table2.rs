//! Table 2: anchors and the top words of their topics.

use anyhow::Result;
use xray_nmf::comm::OneRank;
use xray_pipeline::heaviest_words;
use xray_pipeline::measure::Coherence;
use xray_report::{Cell, Column, Table};

use super::verdict::{Deciding, Runs, Verdict, judge, worst};
use super::{HOTTOPIXX_ON_TEXT, Settings, median};
use crate::dataset::DataSet;
use crate::method::{Found, Job, Method};
use crate::page::Page;
use crate::preparation::Preparation;
use crate::watch::Watch;

const OURS: [&str; 2] = ["xray-dist", "xray-greedy"];
const RIVALS: [&str; 2] = ["spa-l1", HOTTOPIXX_ON_TEXT];
const METHODS: [&str; 4] = [OURS[0], OURS[1], RIVALS[0], RIVALS[1]];

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
    /// How the anchor goes with its top words: the mean NPMI of it and each of them.
    coherence: f64,
}

/// The topics of every method on one data set.
struct Study {
    data: String,
    preparation: Option<Preparation>,
    /// Whether its words can be read.
    readable: bool,
    rank: usize,
    lists: Vec<(Method, Vec<Topic>)>,
}

impl Study {
    fn about(&self) -> String {
        match self.preparation {
            Some(preparation) => format!("{}, {}", self.data, preparation.words()),
            None => format!("{}, the program's own words", self.data),
        }
    }
}

pub(super) fn run(settings: &Settings, watch: &mut dyn Watch) -> Result<Page> {
    let counted = if settings.quick {
        vec![(settings.demo.clone(), true)]
    } else {
        let folder = settings.folder()?;
        vec![(folder.bbc()?, true), (folder.tdt2()?, false)]
    };
    let more = if settings.quick { None } else { Some(settings.folder()?.reuters_text()?) };
    let n_sets = counted.len() * Preparation::ALL.len() + usize::from(more.is_some());
    watch.begin("table2", n_sets * METHODS.len());
    let mut studies = Vec::new();
    for (set, readable) in &counted {
        for preparation in Preparation::ALL {
            let data = set.prepared(preparation)?;
            let lists = lists(&data, data.n_classes(), settings, watch)?;
            let (rank, preparation) = (data.n_classes(), Some(preparation));
            studies.push(Study { data: data.name, preparation, readable: *readable, rank, lists });
        }
    }
    if let Some(data) = more {
        let lists = lists(&data, REUTERS_TOPICS, settings, watch)?;
        let (rank, data) = (REUTERS_TOPICS, data.name);
        studies.push(Study { data, preparation: None, readable: true, rank, lists });
    }
    Ok(page(settings, &studies))
}

/// The raw text of Reuters has no classes here.
const REUTERS_TOPICS: usize = 10;

fn lists(
    data: &DataSet,
    rank: usize,
    settings: &Settings,
    watch: &mut dyn Watch,
) -> Result<Vec<(Method, Vec<Topic>)>> {
    let mut lists = Vec::new();
    for name in METHODS {
        let method = Method::named(name)?;
        lists.push((method, topics(data, &method, rank, settings)?));
        watch.advance()?;
    }
    Ok(lists)
}

fn topics(data: &DataSet, method: &Method, rank: usize, settings: &Settings) -> Result<Vec<Topic>> {
    let job = Job { seed: settings.seed, epochs: EPOCHS, ..Job::new(rank) };
    let Found::Anchors(anchors) = method.run(data.part(), &job)? else { return Ok(Vec::new()) };
    let found = data.part().with_anchors(&anchors)?.factors(&OneRank)?;
    let lists = heaviest_words(&found.h, found.rank, WORDS + 1);
    let (starts, _, _) = data.sparse()?.csc();
    let together = Coherence::new(data.sparse()?);
    let topic = |(&anchor, words): (&usize, &Vec<(usize, f64)>)| {
        let others = words.iter().map(|word| word.0).filter(|&j| j != anchor);
        let others: Vec<usize> = others.take(WORDS).collect();
        let pairs: Vec<Vec<usize>> = others.iter().map(|&j| vec![anchor, j]).collect();
        let scores = together.topics(&pairs);
        Topic {
            anchor: data.words[anchor].clone(),
            n_documents: starts[anchor + 1] - starts[anchor],
            coherence: scores.iter().map(|score| score.npmi).sum::<f64>()
                / scores.len().max(1) as f64,
            words: others.iter().map(|&j| data.words[j].clone()).collect(),
        }
    };
    Ok(anchors.iter().zip(&lists).map(topic).collect())
}

fn page(settings: &Settings, studies: &[Study]) -> Page {
    let mut page = settings.page("table2", "Table 2: anchors and top words");
    page.paragraph(format!(
        "Anchors in the order in which they were found, and the other words with the largest weights in the \
         same row of H, without refinement. SPA and Hottopixx ({EPOCHS} epochs of steps) choose on columns of sum 1. \
         The paper lists topics of TDT2, whose vocabulary is not part of the data here: BBC and the raw text \
         of Reuters stand in, and TDT2 is judged without being listed (its words are numbers in the file)."
    ));
    page.paragraph(super::about_preparations(settings));
    for study in studies.iter().filter(|study| study.readable) {
        let part = if study.rank > SHOWN { ", the first ten" } else { "" };
        page.paragraph(format!("**{}**, r = {}{part}", study.about(), study.rank));
        page.table(&table(study));
    }
    judge(&mut page, &studies.iter().flat_map(verdicts).collect::<Vec<_>>());
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

const REPRESENTATIVE: &str = "\"Qualitatively, we found that anchor words selected by the proposed XRAY methods tend to \
    be more representative of the topics compared to those selected by Hottopixx and GV.\" (here: the mean NPMI of an \
    anchor and each of its topic's top words, over the topics)";

/// How the anchors of each method go with their topics.
fn verdicts(study: &Study) -> Vec<Verdict> {
    let of = |name: &str| {
        let list = study.lists.iter().find(|list| list.0.name == name);
        let (label, topics) = list.map_or(("", &[][..]), |list| (list.0.label, &list.1[..]));
        let values: Vec<f64> = topics.iter().map(|topic| topic.coherence).collect();
        let frequency = median(topics.iter().map(|topic| topic.n_documents).collect());
        (label, values, frequency)
    };
    let verdict = |name: &str| {
        let (label, own, frequency) = of(name);
        let rivals = RIVALS.map(of);
        let pairs = rivals.iter().map(|(rival, values, _)| {
            let ours = Runs { label, values: &own };
            let deciding = Deciding::unpaired(ours, Runs { label: rival, values });
            (deciding.difference.above(0.0), deciding)
        });
        let figures = format!(
            "median documents of an anchor: {frequency}, {} {}, {} {}",
            rivals[0].0, rivals[0].2, rivals[1].0, rivals[1].2
        );
        Verdict::new(REPRESENTATIVE, study.about(), worst(pairs)).figures(figures).held_before()
    };
    OURS.map(verdict).into()
}

/// All topics, a row each.
fn csv(studies: &[Study]) -> Table {
    let headers = [
        "data",
        "preparation",
        "method",
        "topic",
        "anchor",
        "documents",
        "npmi_of_anchor",
        "words",
    ];
    let mut csv = Table::new(headers.map(Column::left));
    for study in studies {
        for (method, topics) in &study.lists {
            for (k, topic) in topics.iter().enumerate() {
                let [place, n] = [k + 1, topic.n_documents].map(|n| n.to_string());
                let words = topic.words.join(" ");
                let preparation = study.preparation.map_or("own", Preparation::name);
                let npmi = topic.coherence.to_string();
                let names = [&study.data[..], preparation, method.name, &place, &topic.anchor];
                csv.row(names.into_iter().chain([&n[..], &npmi, &words]));
            }
        }
    }
    csv
}

#[cfg(test)]
mod tests {
    use super::super::verdict::Outcome;
    use super::*;

    fn topic(anchor: &str, n_documents: usize, coherence: f64) -> Topic {
        let words = vec!["a".into(), "b".into()];
        Topic { anchor: anchor.into(), words, n_documents, coherence }
    }

    #[test]
    fn pages_list_the_first_topics_and_files_all_of_them() {
        let lists = METHODS.map(|name| {
            let (n, npmi) = if name.starts_with("xray") { (50, 0.4) } else { (2, 0.1) };
            let topics =
                (0..SHOWN + 2).map(|k| topic(&format!("word{k}"), n + k, npmi + 0.001 * k as f64));
            (Method::named(name).expect("a method"), topics.collect())
        });
        let study = Study {
            data: "BBC".into(),
            preparation: Some(Preparation::Plain),
            readable: true,
            rank: SHOWN + 2,
            lists: lists.into(),
        };
        assert_eq!(table(&study).n_rows(), METHODS.len() * SHOWN);
        let csv = csv(std::slice::from_ref(&study));
        assert_eq!(csv.n_rows(), METHODS.len() * (SHOWN + 2));
        let last = ["BBC", "plain", "spa-l1", "12", "word11", "13"];
        assert!(csv.records().any(|record| record[..6] == last));
        let verdicts = verdicts(&study);
        assert!(verdicts.iter().all(|verdict| verdict.outcome == Outcome::Holds));
        assert!(verdicts[0].figures.contains("56, SPA (l1) 8"), "{}", verdicts[0].figures);
    }

    #[test]
    fn the_middle_of_an_even_number_is_the_upper_one() {
        assert_eq!(median(vec![9, 1, 4, 5]), 5);
        assert_eq!(median(vec![]), 0);
    }
}
