//! The answer of `topics`.

use serde::Serialize;
use xray_nmf::Termination;
use xray_nmf::comm::Communicator;

use super::{Agreement, LevelReport, RankFacts, VERSION};
use crate::corpus::Corpus;
use crate::error::Result;
use crate::evidence::TopicEvidence;
use crate::groups::GroupShares;
use crate::left_over::explained_part;
use crate::nearest::Nearest;
use crate::number::NumberSuggestion;
use crate::topics::Topics;

/// Topics with their words, and how they were found; what `topics.json` holds.
#[derive(Debug, Clone, Serialize)]
pub struct TopicsReport {
    /// The program's version.
    pub version: &'static str,
    /// Number of documents.
    pub documents: usize,
    /// Number of words.
    pub vocabulary: usize,
    /// Entries of documents x words that are not zero.
    pub entries: usize,
    /// Number of topics.
    pub rank: usize,
    /// The topics, in the order in which their anchors were found.
    pub topics: Vec<TopicLine>,
    /// Columns of the anchors.
    pub anchors: Vec<usize>,
    /// `||X - X_A H||_F / ||X||_F` after each anchor.
    pub residual_norm: Vec<f64>,
    /// Why no more anchors were looked for.
    pub termination: Termination,
    /// The certificate of the projection onto the anchors.
    pub kkt_violation: f64,
    /// `||X - WH||_F^2` before and after each step of refinement.
    pub refined_objective: Vec<f64>,
    /// `||X - WH||_F^2` with the documents' weights.
    pub squared_error: f64,
    /// The part of `||X||_F^2` that the topics explain.
    pub explained: f64,
    /// How the number of topics was chosen, if it was not given.
    pub suggestion: Option<Suggestion>,
    /// How the topics agree with the labels, if there are any.
    #[serde(flatten)]
    pub agreement: Option<Agreement>,
    /// Normalised mutual information of clusters and labels, if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nmi_clusters: Option<f64>,
    /// How topics split as their number grows, if it was asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub levels: Vec<LevelReport>,
    /// Shares of topics in each class, if there are labels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub classes: Option<GroupShares>,
    /// Shares of topics in each period, if it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub periods: Option<GroupShares>,
    /// The documents nearest to some, if it was asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nearest: Vec<Nearest>,
    /// What each rank had to do, if there were several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ranks: Option<RankFacts>,
    /// Documents in no topic.
    #[serde(skip)]
    pub silent: usize,
}

/// One topic.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TopicLine {
    /// Its number, from 1.
    pub topic: usize,
    /// All words of its anchor in one text.
    pub anchor: String,
    /// The words of its anchor.
    pub anchor_words: Vec<String>,
    /// Where the best placed word of its anchor stands among its words, from 1.
    pub anchor_place: Option<usize>,
    /// Whether its anchor is heavier in another topic, or not among its first 20 words.
    pub anchor_left: bool,
    /// Two or three telling words.
    pub name: String,
    /// The words that say most about it.
    pub words: Vec<String>,
    /// Their shares in the topic.
    pub weights: Vec<f64>,
    /// The part of all documents in which it is the heaviest topic.
    pub share: f64,
    /// How clearly its anchor was chosen; none if it was given.
    pub margin: Option<f64>,
    /// The word that would have been its anchor otherwise.
    pub runner_up: Option<String>,
    /// What speaks for it.
    #[serde(flatten)]
    pub evidence: TopicEvidence,
}

/// A number of topics, and why.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Suggestion {
    /// The number, its range and the rule.
    #[serde(flatten)]
    pub number: NumberSuggestion,
    /// The same in words.
    pub sentence: String,
}

impl From<NumberSuggestion> for Suggestion {
    fn from(number: NumberSuggestion) -> Self {
        Self { number, sentence: number.sentence("topic") }
    }
}

impl TopicsReport {
    /// Puts topics into words; collective.
    ///
    /// # Errors
    /// If the ranks cannot talk.
    pub fn new(comm: &dyn Communicator, corpus: &Corpus, found: &Topics) -> Result<Self> {
        let word = |&j: &usize| corpus.word(j).into_owned();
        let lines = found.topics.iter().enumerate().map(|(k, topic)| {
            let anchor_words: Vec<String> = topic.anchors.iter().map(word).collect();
            TopicLine {
                topic: k + 1,
                anchor: anchor_words.join(" + "),
                anchor_words,
                anchor_place: topic.anchor_place,
                anchor_left: topic.anchor_left,
                name: topic.name.clone(),
                words: topic.words.iter().map(|(j, _)| word(j)).collect(),
                weights: topic.words.iter().map(|&(_, share)| share).collect(),
                share: topic.share,
                margin: topic.margin,
                runner_up: topic.runner_up.as_ref().map(word),
                evidence: found.evidence[k].clone(),
            }
        });
        let agreement = |of: &[Option<usize>]| match &corpus.rows.labels {
            Some(labels) => Agreement::of(comm, labels, of),
            None => Ok(None),
        };
        let clusters = match &found.documents.clusters {
            Some(clusters) => agreement(clusters)?,
            None => None,
        };
        let classes = corpus.rows.labels.as_deref();
        let classes = classes.map(|labels| GroupShares::new(comm, &found.documents, labels));
        let run = &found.run;
        Ok(Self {
            version: VERSION,
            documents: corpus.n_documents(),
            vocabulary: corpus.n_words(),
            entries: corpus.matrix.n_entries(),
            rank: found.rank(),
            topics: lines.collect(),
            anchors: run.steps.iter().map(|step| step.anchor).collect(),
            residual_norm: run.steps.iter().map(|step| step.residual).collect(),
            termination: run.termination,
            kkt_violation: run.kkt_violation,
            refined_objective: run.objective.clone(),
            squared_error: run.squared_error[0],
            explained: explained_part(&run.squared_error),
            suggestion: run.suggestion.map(Into::into),
            agreement: agreement(&found.documents.heaviest)?,
            nmi_clusters: clusters.map(|clusters| clusters.nmi),
            levels: Vec::new(),
            classes: classes.transpose()?,
            periods: None,
            nearest: Vec::new(),
            ranks: None,
            silent: found.documents.n_silent(comm)?,
        })
    }
}
