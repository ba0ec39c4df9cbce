//! The page of topics.

use serde::Serialize;

use super::Content;
use crate::table::{Cell, Column, Table};

const STYLE: &str = include_str!("../../page/topics.css");
const STATE: &str = include_str!("../../page/state.js");
const MAP: &str = include_str!("../../page/map.js");
const TREE: &str = include_str!("../../page/tree.js");
const TOPIC: &str = include_str!("../../page/topic.js");
const TOPICS: &str = include_str!("../../page/topics.js");

/// What a page that is served has beside.
const EXPLORE_STYLE: &str = include_str!("../../page/explore.css");
const EXPLORE: &str = include_str!("../../page/explore.js");

/// Words of a topic in the table that is there without a script.
const TABLE_WORDS: usize = 10;

/// Topics at several numbers of them, with sampled documents. Words and topics are told by their places in lists,
/// from 0; the number of a topic, from 1, is one more than its place.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct TopicsPage {
    /// What rows are called: documents.
    pub noun: String,
    /// The number of topics of the answer.
    pub k: usize,
    /// Counts.
    pub facts: PageFacts,
    /// The classes, if documents have any.
    pub classes: Vec<String>,
    /// The periods, if documents have dates.
    pub periods: Vec<String>,
    /// All words that are told of.
    pub words: Vec<String>,
    /// Topics of each number, ascending.
    pub levels: Vec<PageLevel>,
    /// The numbers of topics that the tree shows, ascending.
    pub tree: Vec<usize>,
    /// How documents go from topics of one number to those of another: between neighbours among the levels, and among
    /// those of the tree.
    pub flows: Vec<Flows>,
    /// The documents that are shown.
    pub documents: PageDocuments,
    /// For each of many words, its place and then pairs of a topic of the answer and the percentage of the word's
    /// weight that is there, the largest first.
    pub lookup: Vec<Vec<u32>>,
    /// Changes by hand, if a server makes them; none in a report.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub live: Option<serde_json::Value>,
}

/// Counts of a page of topics.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct PageFacts {
    /// Documents in all.
    pub documents: usize,
    /// Words in all.
    pub words: usize,
    /// Documents that are shown.
    pub shown: usize,
}

/// Topics of one number.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct PageLevel {
    /// Their number.
    pub k: usize,
    /// Agreement with the classes, if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nmi: Option<f64>,
    /// The part of the squared distances of topics that the two dimensions of the map keep.
    pub kept: f64,
    /// Documents in no topic.
    pub in_no_topic: usize,
    /// The topics.
    pub topics: Vec<PageTopic>,
    /// For each document that is shown pairs of a topic and a percentage, the heaviest first.
    pub mix: Vec<Vec<u32>>,
}

/// One topic.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct PageTopic {
    /// Its number, from 1.
    pub id: usize,
    /// Two or three telling words.
    pub name: Vec<String>,
    /// The name that a person gave it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Its anchor words.
    pub anchor: Vec<usize>,
    /// Whether its anchor is heavier in another topic, or not among its first words.
    #[serde(skip_serializing_if = "is_false")]
    pub left: bool,
    /// Whether it was to begin with words that were given.
    #[serde(skip_serializing_if = "is_false")]
    pub given: bool,
    /// How clearly the anchor was chosen, if it was not given and that is known.
    pub margin: Option<f64>,
    /// The word that would have been the anchor without it, if any other competed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runner_up: Option<usize>,
    /// Documents in which it is the heaviest.
    pub documents: usize,
    /// Its place and radius on the map, which is 1.5 wide and 1 high.
    pub place: [f64; 3],
    /// How much of its listed words' weight is in no other topic.
    pub exclusivity: f64,
    /// How often its first words meet in documents.
    pub npmi: f64,
    /// How much of its documents is together again in halves of the documents, if it was looked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stability: Option<f64>,
    /// Its words, the heaviest first.
    pub words: Vec<PageWord>,
    /// Its best documents, by their places among those that are shown.
    pub best: Vec<usize>,
    /// Topics of similar words, the most similar first.
    pub related: Vec<RelatedWords>,
    /// Documents of each class in which it is the heaviest.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub classes: Vec<usize>,
    /// Its mean share in the documents of each period.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub periods: Vec<f64>,
}

/// A word of a topic: its place among the words, its part of the topic's weight, the part of the word that is in this
/// topic.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PageWord(pub usize, pub f64, pub f64);

/// A topic of similar words: its place, how similar, and the words.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RelatedWords(pub usize, pub f64, pub Vec<usize>);

/// How documents go from topics of one number to those of another.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Flows {
    /// Number of topics before.
    pub from: usize,
    /// Number of topics after.
    pub to: usize,
    /// A topic before, a topic after, and their documents; -1 for no topic.
    pub documents: Vec<[i64; 3]>,
}

/// The documents that are shown: columns of the same length.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct PageDocuments {
    /// What they are called.
    pub id: Vec<String>,
    /// Parts of their texts, or their heaviest words where there are no texts.
    pub text: Vec<String>,
    /// Their classes by place, if documents have any; -1 for none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub class: Vec<i64>,
}

fn is_false(value: &bool) -> bool {
    !value
}

impl TopicsPage {
    /// The level of the answer.
    fn answer(&self) -> Option<&PageLevel> {
        self.levels.iter().find(|level| level.k == self.k)
    }
}

impl Content for TopicsPage {
    const KIND: &'static str = "topics";

    fn styles(&self) -> Vec<&'static str> {
        [STYLE].into_iter().chain(self.asks().then_some(EXPLORE_STYLE)).collect()
    }

    fn scripts(&self) -> Vec<&'static str> {
        // One number of topics has no tree.
        match self.asks() {
            true => vec![STATE, MAP, TOPIC, TOPICS, EXPLORE],
            false => vec![STATE, MAP, TREE, TOPIC, TOPICS],
        }
    }

    fn heading(&self) -> String {
        let documents = crate::number::count(self.facts.documents as u64);
        let topics = if self.k == 1 { "topic" } else { "topics" };
        format!("{documents} {}, {} {topics}", self.noun, self.k)
    }

    fn tables(&self) -> Vec<(String, Table)> {
        let mut table = Table::new([
            Column::right("No."),
            Column::left("Topic"),
            Column::right("Share"),
            Column::left("Anchor"),
            Column::right("Margin"),
            Column::left("Words"),
        ]);
        let words = |places: &mut dyn Iterator<Item = usize>| -> String {
            places.map(|j| self.words[j].as_str()).collect::<Vec<_>>().join(", ")
        };
        for topic in self.answer().iter().flat_map(|level| &level.topics) {
            let name = topic.title.clone().unwrap_or_else(|| topic.name.join(", "));
            let share = topic.documents as f64 / self.facts.documents.max(1) as f64;
            table.row([
                Cell::from(topic.id.to_string()),
                Cell::from(name),
                Cell::percent(share, 1),
                Cell::from(words(&mut topic.anchor.iter().copied())),
                topic.margin.map_or_else(Cell::missing, |margin| Cell::fixed(margin, 3)),
                Cell::from(words(&mut topic.words.iter().map(|word| word.0).take(TABLE_WORDS))),
            ]);
        }
        vec![(String::new(), table)]
    }

    fn asks(&self) -> bool {
        self.live.is_some()
    }
}

#[cfg(test)]
mod tests {
    use crate::page::{About, Page, RankPage, TablesPage};

    use super::*;

    #[test]
    fn pages_are_small() {
        const KB: usize = 1024;
        let about = About::default;
        let report = TopicsPage::default();
        let explore = TopicsPage { live: Some(serde_json::Value::Null), ..TopicsPage::default() };
        assert!(Page::new(about(), report).code_bytes() <= 60 * KB);
        assert!(Page::new(about(), explore).code_bytes() <= 70 * KB);
        assert!(Page::new(about(), RankPage::default()).code_bytes() <= 60 * KB);
        assert!(Page::new(about(), TablesPage::default()).code_bytes() <= 60 * KB);
    }

    #[test]
    fn topics_are_there_without_a_script() {
        let topic = PageTopic {
            id: 1,
            name: vec!["cats".into(), "<dogs>".into()],
            documents: 1,
            words: vec![PageWord(0, 0.5, 1.0)],
            ..PageTopic::default()
        };
        let level = PageLevel { k: 1, topics: vec![topic], ..PageLevel::default() };
        let page = TopicsPage {
            noun: "documents".into(),
            k: 1,
            facts: PageFacts { documents: 3, words: 1, shown: 0 },
            words: vec!["purr".into()],
            levels: vec![level],
            ..TopicsPage::default()
        };
        let html = Page::new(About::default(), page).html();
        assert!(html.contains("<h1 id=\"title\">3 documents, 1 topic</h1>"));
        assert!(html.contains("<bdi>cats, &#60;dogs&#62;</bdi>") && html.contains("33.3 %"));
        assert!(!html.contains("<dogs>"));
    }
}
