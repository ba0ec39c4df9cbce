//! What a person can change of topics.

use serde::{Deserialize, Serialize};

use crate::edit::TopicEdits;

/// A change by hand; topics are told by their numbers, from 1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub enum Change {
    /// A word that a topic is to begin with, beside those it has.
    Seed {
        /// The topic.
        topic: usize,
        /// The word.
        word: String,
    },
    /// The topic is no longer to begin with a word.
    Unseed {
        /// The topic.
        topic: usize,
        /// The word.
        word: String,
    },
    /// A word that is never an anchor and never listed.
    Exclude {
        /// The word.
        word: String,
    },
    /// Another number of topics.
    Topics {
        /// The number.
        k: usize,
    },
    /// Topics that become one.
    Merge {
        /// Two or more.
        topics: Vec<usize>,
    },
    /// A topic that becomes two.
    Split {
        /// The topic.
        topic: usize,
    },
    /// A topic that goes.
    Drop {
        /// The topic.
        topic: usize,
    },
    /// A topic gets a name.
    Rename {
        /// The topic.
        topic: usize,
        /// The name.
        name: String,
    },
    /// All weight of a word goes to one topic.
    Move {
        /// The word.
        word: String,
        /// The topic.
        topic: usize,
    },
}

impl Change {
    /// The change in words.
    pub fn sentence(&self) -> String {
        match self {
            Change::Seed { topic, word } => format!("Begin topic {topic} with {word}, too"),
            Change::Unseed { topic, word } => format!("Begin topic {topic} without {word}"),
            Change::Exclude { word } => format!("Exclude {word}"),
            Change::Topics { k } => format!("Find {k} topics"),
            Change::Merge { topics } => {
                let numbers: Vec<String> = topics.iter().map(usize::to_string).collect();
                format!("Merge topics {}", numbers.join(" and "))
            }
            Change::Split { topic } => format!("Split topic {topic}"),
            Change::Drop { topic } => format!("Drop topic {topic}"),
            Change::Rename { topic, name } => format!("Call topic {topic} {name}"),
            Change::Move { word, topic } => format!("Move {word} to topic {topic}"),
        }
    }

    /// The change after a fit, if it is one.
    pub(super) fn edit(&self) -> Option<TopicEdits> {
        let none = TopicEdits::default();
        Some(match self {
            Change::Merge { topics } => TopicEdits { merge: vec![topics.clone()], ..none },
            Change::Split { topic } => TopicEdits { split: vec![*topic], ..none },
            Change::Drop { topic } => TopicEdits { drop: vec![*topic], ..none },
            Change::Rename { topic, name } => {
                TopicEdits { rename: vec![(*topic, name.trim().to_owned())], ..none }
            }
            Change::Move { word, topic } => {
                TopicEdits { move_words: vec![(word.clone(), *topic)], ..none }
            }
            _ => return None,
        })
    }
}
