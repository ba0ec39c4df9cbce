//! Topics changed by hand: merged, split, dropped, renamed, words moved.
//!
//! Every change is one of H, the topics' weights of words; weights of documents are then those that fit the new H
//! best, exactly, so that nothing that was not changed stays from before. Topics are numbered as in the model, from 1,
//! whatever else is changed with them; what is left of them is numbered anew in the same order.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use xray_data::Model;
use xray_nmf::comm::OneRank;
use xray_nmf::{Factors, Fit, Params, Refine, Refinement, RowModel, Selection};

use crate::clusters::Clusters;
use crate::corpus::Corpus;
use crate::documents::DocumentWeights;
use crate::error::{Error, Result};
use crate::model::{dense_rows, dense_topics, model_topics, saved_clusters, sparse_rows};
use crate::seeds::resolve_words;
use crate::topics::{Topic, scale_topics};

/// Changes of a model's topics; numbers are those of the model, from 1.
///
/// # Examples
/// ```
/// use xray_pipeline::{TopicEdits, from_json};
/// let edits: TopicEdits = from_json(r#"{"merge": [[1, 4]], "rename": [[2, "sport"]]}"#)?;
/// assert_eq!(edits.history(), ["rename 2=sport", "merge 1,4"]);
/// # Ok::<(), xray_pipeline::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TopicEdits {
    /// Words that go from all other topics to one.
    pub move_words: Vec<(String, usize)>,
    /// Names.
    pub rename: Vec<(usize, String)>,
    /// Topics that become two, which takes the documents.
    pub split: Vec<usize>,
    /// Lists of topics that become one, in the place of the first.
    pub merge: Vec<Vec<usize>>,
    /// Topics that go.
    pub drop: Vec<usize>,
}

/// Names that people gave to topics are kept under this among the model's parameters.
pub(crate) const TOPIC_NAMES: &str = "topic_names";
const EDITS: &str = "edits";

impl TopicEdits {
    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether H changes.
    fn changes_topics(&self) -> bool {
        !Self { rename: Vec::new(), ..self.clone() }.is_empty()
    }

    /// The changes in words, in the order in which they are made.
    pub fn history(&self) -> Vec<String> {
        let numbers =
            |list: &[usize]| list.iter().map(usize::to_string).collect::<Vec<_>>().join(",");
        let moved = self.move_words.iter().map(|(word, topic)| format!("move {word}={topic}"));
        let renamed = self.rename.iter().map(|(topic, name)| format!("rename {topic}={name}"));
        let split = self.split.iter().map(|topic| format!("split {topic}"));
        let merged = self.merge.iter().map(|list| format!("merge {}", numbers(list)));
        let dropped = self.drop.iter().map(|topic| format!("drop {topic}"));
        moved.chain(renamed).chain(split).chain(merged).chain(dropped).collect()
    }

    fn check(&self, rank: usize) -> Result<()> {
        let named = self.move_words.iter().map(|(_, topic)| topic);
        let named = named.chain(self.rename.iter().map(|(topic, _)| topic));
        let gone: Vec<&usize> =
            self.split.iter().chain(self.merge.iter().flatten()).chain(&self.drop).collect();
        if let Some(topic) =
            named.chain(gone.iter().copied()).find(|topic| !(1..=rank).contains(*topic))
        {
            return Err(Error::Usage(format!(
                "there is no topic {topic}: the model has 1 to {rank}"
            )));
        }
        let mut seen = BTreeSet::new();
        if let Some(twice) = gone.iter().find(|topic| !seen.insert(**topic)) {
            let message = format!(
                "topic {twice} is split, merged or dropped twice: edit the result once more"
            );
            return Err(Error::Usage(message));
        }
        if self.merge.iter().any(|list| list.len() < 2) {
            return Err(Error::Usage("merging takes two topics or more, as in 1,4".to_owned()));
        }
        if self.drop.len() == rank {
            return Err(Error::Usage("no topic would be left".to_owned()));
        }
        self.check_lost()
    }

    /// Refuses changes that others undo.
    fn check_lost(&self) -> Result<()> {
        let merged = self.merge.iter().flat_map(|list| &list[1..]);
        let nameless: BTreeSet<&usize> = self.drop.iter().chain(merged).collect();
        let (mut renamed, mut moved) = (BTreeSet::new(), BTreeSet::new());
        let refuse = |message: String| Err(Error::Usage(format!("{message}: leave one out")));
        for (topic, name) in &self.rename {
            if nameless.contains(topic) {
                return refuse(format!(
                    "topic {topic} is called {name:?} and goes, dropped or merged into another"
                ));
            }
            if !renamed.insert(topic) {
                return refuse(format!("topic {topic} is renamed twice"));
            }
        }
        for (word, topic) in &self.move_words {
            if self.drop.contains(topic) {
                return refuse(format!("{word:?} is moved to topic {topic}, which is dropped"));
            }
            if !moved.insert(word) {
                return refuse(format!("{word:?} is moved twice"));
            }
        }
        Ok(())
    }
}

/// One topic on its way.
#[derive(Debug, Clone)]
struct Edited {
    anchor: usize,
    name: Option<String>,
    /// Weights of words.
    row: Vec<f64>,
    /// How much there is of it in all documents.
    mass: f64,
}

/// The model with changed topics. With the documents that it was fitted to, or others, it has their weights and
/// clusters; without, none, unless only names are changed.
///
/// # Errors
/// If a topic or word is not there, or a topic is to be split without documents.
pub fn edit_model(model: &Model, edits: &TopicEdits, corpus: Option<&mut Corpus>) -> Result<Model> {
    edits.check(model.rank())?;
    let Some(vectorizer) = &model.preprocessing else {
        return Err(Error::Usage(
            "this model is of a matrix: only topics of texts can be edited".into(),
        ));
    };
    let mut topics: Vec<Option<Edited>> = read_topics(model).into_iter().map(Some).collect();
    for (word, topic) in &edits.move_words {
        let lists = [vec![word.clone()]];
        let found = resolve_words(vectorizer, &lists).columns;
        let column = found.concat().first().copied();
        let column =
            column.ok_or_else(|| Error::Usage(format!("the model has no word {word:?}")))?;
        move_word(&mut topics, column, topic - 1);
    }
    for (topic, name) in &edits.rename {
        topics[topic - 1].iter_mut().for_each(|it| it.name = Some(name.clone()));
    }
    let mut parts: Vec<Vec<Edited>> =
        topics.into_iter().flatten().map(|topic| vec![topic]).collect();
    for &topic in &edits.split {
        let Some(corpus) = corpus.as_deref() else {
            let message = "splitting a topic takes its documents: give the data after the model";
            return Err(Error::Usage(message.into()));
        };
        parts[topic - 1] = split(model, corpus, topic - 1, &parts[topic - 1][0])?;
    }
    for list in &edits.merge {
        let merged: Vec<Edited> =
            list.iter().flat_map(|&topic| std::mem::take(&mut parts[topic - 1])).collect();
        parts[list[0] - 1] = vec![merge(merged)];
    }
    edits.drop.iter().for_each(|&topic| parts[topic - 1].clear());
    let edited: Vec<Edited> = parts.into_iter().flatten().collect();
    with_topics(model, edits, edited, corpus)
}

fn read_topics(model: &Model) -> Vec<Edited> {
    let (rank, h) = (model.rank(), dense_topics(model));
    let mut masses = vec![0.0; rank];
    if let Some(w) = &model.w {
        let weights = dense_rows(w);
        for row in weights.chunks_exact(rank.max(1)) {
            masses.iter_mut().zip(row).for_each(|(mass, weight)| *mass += weight);
        }
    }
    let names = given_names(model);
    let topic = |k: usize| Edited {
        anchor: model.anchors[k],
        name: names.get(k).cloned().flatten(),
        row: h.iter().skip(k).step_by(rank).copied().collect(),
        mass: masses[k],
    };
    (0..rank).map(topic).collect()
}

/// The names that people gave to topics.
pub(crate) fn given_names(model: &Model) -> Vec<Option<String>> {
    let names = model.parameters.get(TOPIC_NAMES).and_then(Value::as_array);
    let name = |value: &Value| value.as_str().map(str::to_owned);
    names.map_or_else(Vec::new, |names| names.iter().map(name).collect())
}

/// All weight of a word to one topic.
fn move_word(topics: &mut [Option<Edited>], column: usize, to: usize) {
    let all: f64 = topics.iter().flatten().map(|topic| topic.row[column]).sum();
    topics.iter_mut().flatten().for_each(|topic| topic.row[column] = 0.0);
    topics[to].iter_mut().for_each(|topic| topic.row[column] = all);
}

/// One topic of several: their words in proportion to what there is of each.
fn merge(topics: Vec<Edited>) -> Edited {
    let all: f64 = topics.iter().map(|topic| topic.mass).sum();
    let mut topics = topics.into_iter();
    let mut merged = topics.next().expect("a list of two or more");
    let part = |mass: f64| if all > 0.0 { mass / all } else { 1.0 };
    let scale = part(merged.mass);
    merged.row.iter_mut().for_each(|weight| *weight *= scale);
    for topic in topics {
        let scale = part(topic.mass);
        merged.row.iter_mut().zip(&topic.row).for_each(|(sum, weight)| *sum += scale * weight);
        merged.mass += topic.mass;
    }
    merged
}

/// The two topics of the documents in which a topic is the heaviest.
fn split(model: &Model, corpus: &Corpus, topic: usize, whole: &Edited) -> Result<Vec<Edited>> {
    const STEPS: usize = 40;
    let rows = corpus.matrix.rows().expect("rows are made");
    let weights =
        RowModel::new(model.rank(), corpus.n_words(), dense_topics(model))?.weights(rows)?;
    let heaviest = crate::model::heaviest_topics(model, &weights, corpus.n_documents());
    let places = (0..corpus.n_documents()).filter(|&d| heaviest[d] == Some(topic));
    let own = corpus.matrix.rows_at(&OneRank, &places.collect::<Vec<_>>())?;
    let params = Params { rank: 2, selection: Selection::Greedy, ..Params::default() };
    let found = Fit::part(own.portion(), &OneRank).run(&params)?;
    if found.rank() < 2 {
        return Err(Error::Usage(format!(
            "the topic of {:?} cannot be split: its documents are all alike",
            corpus.word(whole.anchor)
        )));
    }
    let start = found.factors(&OneRank)?;
    let refine = Refine::part(own.portion(), &OneRank).method(Refinement::default());
    let Factors { mut h, w, .. } = refine.steps(STEPS, 1e-5).run(start)?;
    scale_topics(&mut h, 2);
    let taken: Vec<usize> =
        model.anchors.iter().copied().filter(|&anchor| anchor != whole.anchor).collect();
    let mut parts: Vec<Edited> = Vec::new();
    for k in 0..2 {
        let row: Vec<f64> = h.iter().skip(k).step_by(2).copied().collect();
        let used = |j: &usize| taken.contains(j) || parts.iter().any(|part| part.anchor == *j);
        let free = (0..row.len()).filter(|j| !used(j));
        let heaviest = free.reduce(|best, j| if row[j] > row[best] { j } else { best });
        let mass = w.iter().skip(k).step_by(2).sum();
        parts.push(Edited { anchor: heaviest.unwrap_or(whole.anchor), name: None, row, mass });
    }
    Ok(parts)
}

/// A model of these topics, in the other's place.
fn with_topics(
    model: &Model,
    edits: &TopicEdits,
    edited: Vec<Edited>,
    corpus: Option<&mut Corpus>,
) -> Result<Model> {
    let rank = edited.len();
    let n_words = model.h.n_columns();
    let mut new = Model { residual_norm: Vec::new(), ..model.clone() };
    let names: Vec<Value> = edited.iter().map(|topic| json!(topic.name)).collect();
    let mut history =
        new.parameters.get(EDITS).and_then(Value::as_array).cloned().unwrap_or_default();
    history.extend(edits.history().into_iter().map(Value::from));
    new.parameters.insert(EDITS.into(), history.into());
    new.parameters.insert(TOPIC_NAMES.into(), names.into());
    if edits.changes_topics() {
        let mut h: Vec<f64> =
            (0..n_words).flat_map(|j| edited.iter().map(move |topic| topic.row[j])).collect();
        scale_topics(&mut h, rank);
        new.h = sparse_rows(&h, n_words, rank)?.transposed().into();
        new.anchors = edited.iter().map(|topic| topic.anchor).collect();
        new.parameters.insert("rank".into(), rank.into());
        // Lists of first words are those of other topics now; history tells of them.
        new.parameters.insert("anchor".into(), json!([]));
        (new.w, new.clusters) = (None, None);
    }
    if let Some(corpus) = corpus {
        weigh_again(&mut new, corpus)?;
    }
    new.check()?;
    Ok(new)
}

/// Weights and clusters of documents under a model.
fn weigh_again(model: &mut Model, corpus: &mut Corpus) -> Result<()> {
    let (rank, n_words) = (model.rank(), model.h.n_columns());
    let rows = corpus.matrix.rows().expect("rows are made");
    let weights = RowModel::new(rank, n_words, dense_topics(model))?.weights(rows)?;
    let documents = DocumentWeights::new(corpus.rows.own, rank, weights);
    let (clusters, own) = Clusters::find(&OneRank, corpus, &documents)?;
    model.w = Some(sparse_rows(&documents.weights, corpus.n_documents(), rank)?.into());
    let mut saved = saved_clusters(&clusters, n_words, rank)?;
    saved.documents = Some(own);
    model.clusters = Some(saved);
    Ok(())
}

/// Names and first words of a model's topics, a line for each.
pub fn listed_topics(model: &Model, n_words: usize) -> Vec<(String, f64, Vec<String>)> {
    let Some(words) = model.column_names() else { return Vec::new() };
    let listed = |topic: Topic| {
        let first = topic.words.iter().map(|&(j, _)| words[j].clone()).collect();
        (topic.name, topic.share, first)
    };
    model_topics(model, n_words, false).into_iter().map(listed).collect()
}
