//! `xray topics`: text to topics.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use xray_data::Provenance;
use xray_data::text::Vectorizer;
use xray_eval::Contingency;
use xray_nmf::{Selection, Termination};
use xray_pipeline::{Corpus, Event, TopicOptions, Topics, find_topics, resolve_words};
use xray_report::{Cell, Column, Table, number};

use crate::args::TopicsArgs;
use crate::data::{about, read_corpus};
use crate::interrupt;
use crate::outcome::{Outcome, UsageError};
use crate::output::{Folder, WeightRows, output, write_file};
use crate::session::Session;

pub(crate) fn run(args: &TopicsArgs) -> anyhow::Result<Outcome> {
    let mut session = Session::new(&args.common)?;
    let corpus = read_corpus(&mut session, &args.input, &args.text)?;
    let options = options(&session, args, &corpus.vectorizer)?;
    let found = about(&args.input, find(&mut session, &corpus, &options))?;
    let analysis = Analysis::new(corpus, found);
    let folder = match &args.output {
        Some(folder) => Some(folder.clone()),
        None if args.common.json => None,
        None => Some(PathBuf::from(format!("{}-topics", args.input.stem()))),
    };
    let parameters = parameters(args, &options, &analysis.found);
    let output = output(folder.as_deref(), &args.input.source(), args.common.seed)?;
    analysis.finish(session, output, parameters)
}

/// Runs the search under the eyes of the session.
pub(crate) fn find(
    session: &mut Session,
    corpus: &Corpus,
    options: &TopicOptions,
) -> anyhow::Result<Topics> {
    let found = find_topics(corpus, options, &mut |event: Event<'_>| session.watch(event));
    session.end();
    Ok(found?)
}

/// Words become columns; unknown ones are warned about.
pub fn options(
    session: &Session,
    args: &TopicsArgs,
    vectorizer: &Vectorizer,
) -> anyhow::Result<TopicOptions> {
    let split = |list: &String| -> Vec<String> {
        list.split(',').map(|word| word.trim().to_owned()).filter(|word| !word.is_empty()).collect()
    };
    let lists: Vec<Vec<String>> = args.anchor.iter().map(split).collect();
    let anchors = resolve_words(vectorizer, &lists);
    let excluded = resolve_words(vectorizer, &[split(&args.exclude.join(","))]);
    for unknown in anchors.unknown.iter().chain(&excluded.unknown) {
        session.warn(unknown);
    }
    let excluded = excluded.columns.concat();
    if let Some(&both) = anchors.columns.iter().flatten().find(|word| excluded.contains(word)) {
        let word = &vectorizer.vocabulary()[both];
        return Err(UsageError(format!("\"{word}\" is given to --anchor and to --exclude")).into());
    }
    Ok(TopicOptions {
        rank: args.rank,
        max_rank: args.max_topics,
        anchors: anchors.columns,
        excluded,
        refine: args.refine,
        refine_tolerance: TopicOptions::default().refine_tolerance,
        method: args.engine.refine_method.unwrap_or(TopicOptions::default().method),
        n_words: args.words,
        distinct: args.distinct,
        params: args.engine.params(0, Selection::Greedy, &args.common),
    })
}

/// What the model file remembers of the arguments.
pub fn parameters(args: &TopicsArgs, options: &TopicOptions, found: &Topics) -> Map<String, Value> {
    let (rank, steps) = (found.rank(), found.objective.len().saturating_sub(1));
    let json = json!({
        "rank": rank,
        "selection": options.params.selection.name(),
        "refine": steps,
        "normalize": options.params.normalize.name(),
        "mean_ray": options.params.mean_ray,
        "anchor": args.anchor,
        "exclude": args.exclude,
        "seed": args.common.seed,
    });
    json.as_object().cloned().unwrap_or_default()
}

/// A corpus, its topics, and how they agree with its labels.
pub struct Analysis {
    /// The documents.
    pub corpus: Corpus,
    /// Number of entries of their matrix.
    pub n_entries: usize,
    /// Their topics.
    pub found: Topics,
    /// How these agree with the labels, if there are any.
    pub agreement: Option<Agreement>,
    /// More for the JSON answer.
    pub extra: Map<String, Value>,
}

/// Topics against true classes, over the documents that have a class.
pub struct Agreement {
    classes: Vec<String>,
    clusters: Vec<Option<usize>>,
    table: Contingency,
    /// Normalised mutual information.
    pub nmi: f64,
}

impl Agreement {
    fn new(labels: &[String], topics: &[Option<usize>]) -> Option<Self> {
        let (labels, topics): (Vec<&String>, Vec<Option<usize>>) =
            labels.iter().zip(topics).filter(|(label, _)| !label.is_empty()).unzip();
        if labels.is_empty() {
            return None;
        }
        let sorted = |mut all: Vec<String>| {
            all.sort();
            all.dedup();
            all
        };
        let classes = sorted(labels.iter().map(|label| (*label).clone()).collect());
        let mut clusters = topics.clone();
        clusters.sort_unstable();
        clusters.dedup();
        let table = Contingency::new(&labels, &topics);
        let nmi = table.normalized_mutual_information();
        Some(Self { classes, clusters, table, nmi })
    }

    /// Names of the columns: topics counted from 1, or "none".
    fn cluster_names(&self) -> Vec<String> {
        let name = |cluster: &Option<usize>| cluster.map_or("none".into(), |k| (k + 1).to_string());
        self.clusters.iter().map(name).collect()
    }

    fn counts(&self, row: usize) -> Vec<usize> {
        (0..self.clusters.len()).map(|column| self.table.count(row, column)).collect()
    }

    fn to_table(&self) -> Table {
        let topics = self.cluster_names().into_iter().map(Column::right);
        let mut table = Table::new(std::iter::once(Column::left("label")).chain(topics));
        for (row, class) in self.classes.iter().enumerate() {
            let counts = self.counts(row).into_iter().map(|n| Cell::from(n.to_string()));
            table.row(std::iter::once(Cell::from(class.as_str())).chain(counts));
        }
        table
    }

    fn to_json(&self) -> Value {
        let counts: Vec<Vec<usize>> = (0..self.classes.len()).map(|row| self.counts(row)).collect();
        let topics: Vec<Value> = self
            .clusters
            .iter()
            .map(|cluster| cluster.map_or(Value::Null, |k| (k + 1).into()))
            .collect();
        json!({ "labels": self.classes, "topics": topics, "counts": counts })
    }
}

/// Tables of more classes or topics than this are left to the CSV file.
const WIDEST_PRINTED: usize = 20;

impl Analysis {
    /// Compares the topics with the labels of the corpus.
    pub fn new(corpus: Corpus, found: Topics) -> Self {
        let labels = corpus.labels.as_deref();
        let agreement = labels.and_then(|labels| Agreement::new(labels, &found.topic_of_document));
        let n_entries = corpus.matrix.n_entries();
        Self { corpus, n_entries, found, agreement, extra: Map::new() }
    }

    /// Writes the files, prints the answer, and says how the run ended.
    pub fn finish(
        self,
        mut session: Session,
        output: Option<(PathBuf, Provenance)>,
        parameters: Map<String, Value>,
    ) -> anyhow::Result<Outcome> {
        let stopped = self.found.termination == Termination::Stopped || interrupt::requested();
        let written = match output {
            Some((folder, origin)) => {
                Some(session.stage("write", || self.write(&folder, origin, parameters))?)
            }
            None => None,
        };
        if session.json {
            session.print_json(&session.finish_json(self.to_json()))?;
        } else {
            self.print(&session)?;
        }
        Ok(session.conclude(written, stopped))
    }

    fn write(
        &self,
        folder: &Path,
        provenance: Provenance,
        parameters: Map<String, Value>,
    ) -> anyhow::Result<String> {
        let (corpus, found) = (&self.corpus, &self.found);
        let mut folder = Folder::create(folder)?;
        folder.write("topics.csv", self.topics_csv().csv().as_bytes())?;
        let json = serde_json::to_vec_pretty(&Value::Object(self.to_json()))?;
        folder.write("topics.json", &json)?;
        let rows = WeightRows {
            ids: &corpus.ids,
            labels: corpus.labels.as_deref(),
            topics: &found.topic_of_document,
            weights: &found.weights,
            rank: found.rank(),
        };
        write_file(&folder.file("documents.csv"), |out| rows.write(out))?;
        if let Some(agreement) = &self.agreement {
            folder.write("contingency.csv", agreement.to_table().csv().as_bytes())?;
        }
        found.to_model(corpus, parameters, provenance)?.save(&folder.file("model.npz"))?;
        Ok(folder.summary())
    }

    /// All words of a topic's anchor.
    pub fn anchor_name(&self, k: usize) -> String {
        let words = &self.found.topics[k].anchors;
        words.iter().map(|&j| self.corpus.word(j)).collect::<Vec<_>>().join(" + ")
    }

    fn words(&self, k: usize) -> Vec<&str> {
        self.found.topics[k].words.iter().map(|&(j, _)| self.corpus.word(j)).collect()
    }

    fn topics_csv(&self) -> Table {
        let headers = ["topic", "anchor", "share", "margin", "words"];
        let mut table = Table::new(headers.map(Column::left));
        for (k, topic) in self.found.topics.iter().enumerate() {
            let margin = topic.margin.map_or(String::new(), |margin| margin.to_string());
            table.row([
                (k + 1).to_string(),
                self.anchor_name(k),
                topic.share.to_string(),
                margin,
                self.words(k).join(", "),
            ]);
        }
        table
    }

    /// The answer as JSON.
    pub fn to_json(&self) -> Map<String, Value> {
        let (corpus, found) = (&self.corpus, &self.found);
        let topics = found.topics.iter().enumerate().map(|(k, topic)| {
            json!({
                "topic": k + 1,
                "anchor": self.anchor_name(k),
                "anchor_words": topic.anchors.iter().map(|&j| corpus.word(j)).collect::<Vec<_>>(),
                "words": self.words(k),
                "weights": topic.words.iter().map(|w| w.1).collect::<Vec<_>>(),
                "share": topic.share,
                "margin": topic.margin,
            })
        });
        let mut json = json!({
            "version": env!("CARGO_PKG_VERSION"),
            "documents": corpus.n_documents(),
            "vocabulary": corpus.vectorizer.vocabulary().len(),
            "entries": self.n_entries,
            "rank": found.rank(),
            "topics": topics.collect::<Vec<_>>(),
            "anchors": found.steps.iter().map(|step| step.anchor).collect::<Vec<_>>(),
            "residual_norm": found.steps.iter().map(|step| step.residual).collect::<Vec<_>>(),
            "termination": found.termination.name(),
            "kkt_violation": found.kkt_violation,
            "refined_objective": found.objective,
            "suggestion": found.suggestion.map(|s| json!({ "rank": s.rank, "reason": s.reason.words() })),
        });
        if let (Some(agreement), Some(json)) = (&self.agreement, json.as_object_mut()) {
            json.insert("nmi".into(), agreement.nmi.into());
            json.insert("contingency".into(), agreement.to_json());
        }
        let mut json = json.as_object().cloned().unwrap_or_default();
        json.extend(self.extra.clone());
        json
    }

    /// Prints the topics, for people.
    pub fn print(&self, session: &Session) -> anyhow::Result<()> {
        let (corpus, found) = (&self.corpus, &self.found);
        let documents = number::count(corpus.n_documents() as u64);
        let words = number::count(corpus.vectorizer.vocabulary().len() as u64);
        let time = number::duration(session.elapsed());
        let topics = found.rank();
        session.note(format!("{documents} documents, {words} words, {topics} topics in {time}\n"));
        session.print_table(&self.topics_table())?;
        let silent = found.topic_of_document.iter().filter(|topic| topic.is_none()).count();
        if silent > 0 {
            let silent = number::count(silent as u64);
            session.note(format!(
                "\n{silent} documents are in no topic: they have none of the topics' words"
            ));
        }
        if let Some(suggestion) = found.suggestion {
            session.note(format!(
                "\n{} topics: {}; choose another number with -k",
                suggestion.rank,
                suggestion.reason.words()
            ));
        }
        let Some(agreement) = &self.agreement else { return Ok(()) };
        session.print_line(format!("\nagreement with the labels (NMI): {:.3}", agreement.nmi))?;
        if agreement.classes.len() <= WIDEST_PRINTED && agreement.clusters.len() <= WIDEST_PRINTED {
            session.print_line("")?;
            session.print_table(&agreement.to_table())?;
        }
        Ok(())
    }

    fn topics_table(&self) -> Table {
        let columns = [
            Column::right("topic"),
            Column::left("anchor").max_width(24),
            Column::right("share"),
            Column::right("margin"),
            Column::left("words"),
        ];
        let mut table = Table::new(columns);
        for (k, topic) in self.found.topics.iter().enumerate() {
            table.row([
                Cell::from((k + 1).to_string()),
                Cell::from(self.anchor_name(k)).bold(),
                Cell::percent(topic.share, 1),
                topic.margin.map_or_else(Cell::missing, |margin| Cell::fixed(margin, 3)),
                Cell::from(self.words(k).join(", ")),
            ]);
        }
        table
    }
}
