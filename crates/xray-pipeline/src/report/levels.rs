//! How topics split as their number grows, in words.

use serde::Serialize;
use xray_data::{Cells, csv_text};
use xray_report::{Cell, Column, Table};

use crate::corpus::Corpus;
use crate::levels::{Flow, Level};

/// Topics of one number, and where their documents were at the level before.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LevelReport {
    /// Number of topics.
    pub rank: usize,
    /// The topics.
    pub topics: Vec<LevelTopic>,
    /// Where documents come from, by topics of this level and the one before.
    pub flows: Vec<Flow>,
}

/// A topic of a level.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LevelTopic {
    /// Its number, from 1.
    pub topic: usize,
    /// Two or three telling words.
    pub name: String,
    /// The words that say most about it.
    pub words: Vec<String>,
    /// Number of documents in which it is the heaviest topic.
    pub documents: usize,
    /// The topic of the level before that most of its documents were in.
    pub parent: Option<usize>,
    /// How many of its documents were there.
    pub from_parent: usize,
}

impl LevelReport {
    /// Puts a level into words.
    pub fn new(corpus: &Corpus, level: &Level) -> Self {
        let word = |(j, _): &(usize, f64)| corpus.word(*j).into_owned();
        let topic = |k: usize| {
            let parent = level.parent(k + 1);
            LevelTopic {
                topic: k + 1,
                name: level.topics[k].name.clone(),
                words: level.topics[k].words.iter().map(word).collect(),
                documents: level.documents[k],
                parent: parent.and_then(|flow| flow.from),
                from_parent: parent.map_or(0, |flow| flow.documents),
            }
        };
        let rank = level.topics.len();
        Self { rank, topics: (0..rank).map(topic).collect(), flows: level.flows.clone() }
    }
}

/// A row for each topic of each level, under the one that most of its documents come from; deeper levels are indented.
pub fn levels_table(levels: &[LevelReport]) -> Table {
    let mut table = Table::new([
        Column::right("topics"),
        Column::right("topic"),
        Column::left("name"),
        Column::right("documents"),
        Column::right("from above"),
    ]);
    let Some(first) = levels.first() else { return table };
    first.topics.iter().for_each(|topic| push_branch(levels, 0, topic, &mut table));
    table
}

fn push_branch(levels: &[LevelReport], depth: usize, topic: &LevelTopic, table: &mut Table) {
    let from = match depth {
        0 => Cell::missing(),
        _ => Cell::percent(topic.from_parent as f64 / topic.documents.max(1) as f64, 0),
    };
    table.row([
        Cell::from(levels[depth].rank.to_string()),
        Cell::from(topic.topic.to_string()),
        Cell::from(format!("{}{}", "  ".repeat(depth), topic.name)),
        Cell::count(topic.documents as u64),
        from,
    ]);
    let Some(next) = levels.get(depth + 1) else { return };
    let children = next.topics.iter().filter(|child| child.parent == Some(topic.topic));
    children.for_each(|child| push_branch(levels, depth + 1, child, table));
}

/// levels.csv: a row for each topic of each level.
pub fn levels_csv(levels: &[LevelReport], cells: Cells) -> String {
    let headers = ["topics", "topic", "name", "documents", "parent", "from_parent", "words"];
    let mut table = Table::new(headers.map(Column::left));
    for level in levels {
        for topic in &level.topics {
            table.row([
                level.rank.to_string(),
                topic.topic.to_string(),
                topic.name.clone(),
                topic.documents.to_string(),
                topic.parent.map_or(String::new(), |parent| parent.to_string()),
                topic.from_parent.to_string(),
                topic.words.join(", "),
            ]);
        }
    }
    csv_text(cells, table.records())
}

/// flows.csv: how many documents go from each topic of a level to each of the next; an empty topic is none.
pub fn flows_csv(levels: &[LevelReport]) -> String {
    let headers = ["from_topics", "from_topic", "to_topics", "to_topic", "documents"];
    let mut table = Table::new(headers.map(Column::left));
    let name = |topic: Option<usize>| topic.map_or(String::new(), |k| k.to_string());
    for pair in levels.windows(2) {
        for flow in &pair[1].flows {
            table.row([
                pair[0].rank.to_string(),
                name(flow.from),
                pair[1].rank.to_string(),
                name(flow.to),
                flow.documents.to_string(),
            ]);
        }
    }
    csv_text(Cells::AsTheyAre, table.records())
}
