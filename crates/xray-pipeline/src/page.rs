//! Topics as the data of a page ([`TopicsPage`]), the same bytes for any number of ranks.

mod excerpt;
mod place;
mod sample;
mod view;
mod words;

use std::collections::{BTreeSet, HashMap, HashSet};

use serde::{Deserialize, Serialize};
use xray_nmf::Line;
use xray_nmf::comm::Communicator;
use xray_report::{
    About, Flows, Page, PageDocuments, PageFacts, PageLevel, PageTopic, RelatedWords, TopicsPage,
};

use crate::corpus::Corpus;
use crate::documents::DocumentWeights;
use crate::error::Result;
use crate::evidence::{TopicEvidence, texts_of};
use crate::groups::GroupShares;
use crate::left_over::gram;
use crate::levels::{Flow, Level, LevelParts, flows};
use crate::options::TopicOptions;
use crate::report::Agreement;
use crate::topics::Topic;
use crate::words::Listing;
use excerpt::{excerpt, short};
use place::places;
use sample::sample;
pub use view::ModelPage;
pub(crate) use view::View;
pub(crate) use words::ShownWord;
use words::{WordList, shared_words, shown_words};

/// A page has no more bytes than this, unless its topics alone take them.
const MOST_BYTES: usize = 2_990_000;

/// And no more documents than this.
const MOST_DOCUMENTS: usize = 9_000;

/// Columns of the tree.
const MOST_COLUMNS: usize = 7;

/// Topics of a document that are told, and the least percentage.
const MOST_PARTS: usize = 4;
const LEAST_PART: f64 = 0.05;

/// Words that stand for a text where there is none.
const WORDS_FOR_TEXT: usize = 20;

/// Characters of a document that are kept to choose an excerpt from, at least and at most, and bytes of all of them.
const FEWEST_KEPT: usize = 320;
const MOST_KEPT: usize = 1_200;
const ALL_KEPT: usize = 64 << 20;

/// The part of a limit of memory that texts for a page may take.
const PART_OF_MEMORY: usize = 16;

/// How many characters of each of so many documents are worth keeping for a page, and fit into a part of `memory`.
pub fn kept_characters(n_documents: usize, memory: Option<usize>) -> usize {
    let wanted = (ALL_KEPT / n_documents.max(1)).clamp(FEWEST_KEPT, MOST_KEPT);
    let fitting = memory.map_or(wanted, |bytes| bytes / PART_OF_MEMORY / n_documents.max(1));
    wanted.min(fitting)
}

/// What a page tells of the topics of one number, beyond what the topics have.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct LevelFacts {
    evidence: Vec<TopicEvidence>,
    /// How many topics began with given words.
    n_given: usize,
    words: Vec<Vec<ShownWord>>,
    /// For each topic the words that it shares with each related one.
    shared: Vec<Vec<Vec<usize>>>,
    /// Cosines of topics.
    products: Vec<f64>,
    agreement: Option<Agreement>,
    /// The heaviest topic of each own document.
    pub(crate) heaviest: Vec<Option<usize>>,
    /// The largest parts of each own document: topic and percentage, 0 for none.
    parts: Vec<[(u16, u8); MOST_PARTS]>,
}

impl LevelFacts {
    /// Gathers them; collective.
    pub(crate) fn new(
        comm: &dyn Communicator,
        corpus: &Corpus,
        options: &TopicOptions,
        LevelParts { topics, evidence, h, documents }: LevelParts<'_>,
    ) -> Result<Self> {
        let (rank, vocabulary) = (topics.len(), corpus.words());
        let (excluded, given) = (&options.excluded, &options.anchors);
        let listing = Listing { excluded, given, ..Listing::new(options.n_words, &vocabulary) };
        let shared = |(k, of): (usize, &TopicEvidence)| shared_words(h, rank, k, &of.related);
        let agreement = match &corpus.rows.labels {
            Some(labels) => Agreement::of(comm, labels, &documents.heaviest)?,
            None => None,
        };
        Ok(Self {
            evidence: evidence.to_vec(),
            n_given: options.anchors.len(),
            words: shown_words(h, rank, &listing),
            shared: evidence.iter().enumerate().map(shared).collect(),
            products: gram(h, rank),
            agreement,
            heaviest: documents.heaviest.clone(),
            parts: (0..documents.own.n_own()).map(|place| parts_of(documents, place)).collect(),
        })
    }
}

/// The largest parts of a document.
fn parts_of(documents: &DocumentWeights, place: usize) -> [(u16, u8); MOST_PARTS] {
    let row = &documents.weights[place * documents.rank..(place + 1) * documents.rank];
    let all = row.iter().fold(0.0, |sum, weight| sum + weight);
    let mut largest: Vec<(usize, f64)> = row
        .iter()
        .map(|weight| weight / all)
        .enumerate()
        .filter(|part| part.1 >= LEAST_PART)
        .collect();
    crate::words::heaviest_first(&mut largest, MOST_PARTS);
    let mut parts = [(0, 0); MOST_PARTS];
    for (part, (topic, share)) in parts.iter_mut().zip(largest) {
        *part = (topic as u16, (100.0 * share).round() as u8);
    }
    parts
}

/// What a page is made from.
#[derive(Debug, Clone, Copy)]
pub struct PageSource<'a> {
    /// The documents and their words; its matrix has its rows.
    pub corpus: &'a Corpus,
    /// Topics of several numbers, ascending ([`find_levels`](crate::find_levels)).
    pub levels: &'a [Level],
    /// Number of topics of the answer, which is one of them.
    pub rank: usize,
    /// The transpose of its H.
    pub h: &'a [f64],
    /// The weights of its documents.
    pub documents: &'a DocumentWeights,
    /// Columns of words that are never listed.
    pub excluded: &'a [usize],
    /// Names that people gave to its topics.
    pub titles: &'a [Option<String>],
    /// Its shares in periods, if there are any.
    pub periods: Option<&'a GroupShares>,
    /// How the own documents begin ([`kept_characters`]); their heaviest words are shown if there are none.
    pub texts: Option<&'a [String]>,
}

/// A document on its way to the page.
#[derive(Serialize, Deserialize)]
struct Told {
    id: String,
    text: String,
    label: Option<String>,
    /// For each level.
    mix: Vec<Vec<u32>>,
}

impl PageSource<'_> {
    /// The page; collective, and the same on every rank.
    ///
    /// # Errors
    /// If the ranks cannot exchange data.
    pub fn page(&self, comm: &dyn Communicator, about: &About) -> Result<Page<TopicsPage>> {
        let names = self.corpus.words();
        let mut list = WordList::new(&names);
        let mut content = self.without_documents(comm, &mut list)?;
        let fixed = Page::new(about.clone(), content.clone()).html().len();
        let (rows, told) = self.documents(comm, MOST_BYTES.saturating_sub(fixed))?;
        let place: HashMap<usize, usize> =
            rows.iter().enumerate().map(|(place, row)| (*row, place)).collect();
        for (level, page) in self.levels.iter().zip(&mut content.levels) {
            for (evidence, topic) in level.facts.evidence.iter().zip(&mut page.topics) {
                let best = evidence.best_documents.iter();
                topic.best = best.filter_map(|best| place.get(&best.row).copied()).collect();
            }
        }
        let classes: HashMap<&str, i64> =
            content.classes.iter().enumerate().map(|(c, name)| (name.as_str(), c as i64)).collect();
        let class = |told: &Told| {
            let label = told.label.as_deref().map(short);
            label.and_then(|label| classes.get(label.as_str()).copied()).unwrap_or(-1)
        };
        let class = if classes.is_empty() { Vec::new() } else { told.iter().map(class).collect() };
        let (mut id, mut text) = (Vec::new(), Vec::new());
        for document in told {
            id.push(document.id);
            text.push(document.text);
            for (level, mix) in content.levels.iter_mut().zip(document.mix) {
                level.mix.push(mix);
            }
        }
        content.facts.shown = id.len();
        content.documents = PageDocuments { id, text, class };
        Ok(Page::new(about.clone(), content))
    }

    /// Everything but the documents; collective.
    fn without_documents(
        &self,
        comm: &dyn Communicator,
        list: &mut WordList<'_>,
    ) -> Result<TopicsPage> {
        let ks: Vec<usize> = self.levels.iter().map(|level| level.topics.len()).collect();
        let tree = tree_columns(&ks, self.rank);
        let agreement = self.levels.iter().find_map(|level| level.facts.agreement.as_ref());
        let classes = agreement.map_or(&[][..], |agreement| &agreement.contingency.labels);
        let levels = self.levels.iter().map(|level| self.level(level, list)).collect();
        let mut content = TopicsPage {
            noun: "documents".into(),
            k: self.rank,
            facts: PageFacts {
                documents: self.corpus.n_documents(),
                words: self.corpus.n_words(),
                shown: 0,
            },
            classes: classes.iter().map(|name| short(name)).collect(),
            periods: self.periods.map_or_else(Vec::new, |periods| periods.groups.clone()),
            levels,
            flows: self.all_flows(comm, &ks, &tree)?,
            tree,
            lookup: list.lookup(self.h, self.rank, self.excluded),
            ..TopicsPage::default()
        };
        content.words = list.words.clone();
        Ok(content)
    }

    fn level(&self, level: &Level, list: &mut WordList<'_>) -> PageLevel {
        let n = self.corpus.n_documents();
        let shares: Vec<f64> =
            level.documents.iter().map(|count| *count as f64 / n.max(1) as f64).collect();
        let (places, kept) = places(&level.facts.products, &shares);
        let is_answer = level.topics.len() == self.rank;
        let topics = level.topics.iter().enumerate();
        let topics = topics.map(|(k, topic)| {
            let title = if is_answer { self.titles.get(k).cloned().flatten() } else { None };
            let mut told = page_topic(level, k, topic, list);
            told.place = places[k].map(|value| rounded(value, 4));
            told.title = title.as_deref().map(short);
            if let (true, Some(periods)) = (is_answer, self.periods) {
                told.periods = periods.shares.iter().map(|of| rounded(of[k], 4)).collect();
            }
            told
        });
        PageLevel {
            k: level.topics.len(),
            nmi: level.facts.agreement.as_ref().map(|agreement| rounded(agreement.nmi, 4)),
            kept: rounded(kept, 4),
            in_no_topic: n - level.documents.iter().sum::<usize>(),
            topics: topics.collect(),
            mix: Vec::new(),
        }
    }

    /// Flows between neighbours among the levels, and among the columns of the tree; collective.
    fn all_flows(
        &self,
        comm: &dyn Communicator,
        ks: &[usize],
        tree: &[usize],
    ) -> Result<Vec<Flows>> {
        let told = |from: usize, to: usize, flows: &[Flow]| {
            let place = |topic: Option<usize>| topic.map_or(-1, |k| k as i64 - 1);
            let documents =
                flows.iter().map(|f| [place(f.from), place(f.to), f.documents as i64]).collect();
            Flows { from, to, documents }
        };
        let neighbours = ks.windows(2).zip(&self.levels[1.min(self.levels.len())..]);
        let mut all: Vec<Flows> =
            neighbours.map(|(pair, level)| told(pair[0], pair[1], &level.flows)).collect();
        for pair in tree.windows(2) {
            if all.iter().any(|known| [known.from, known.to] == *pair) {
                continue;
            }
            let level = |k: usize| self.levels.iter().find(|level| level.topics.len() == k);
            if let (Some(before), Some(after)) = (level(pair[0]), level(pair[1])) {
                all.push(told(pair[0], pair[1], &flows(comm, before, after)?));
            }
        }
        Ok(all)
    }

    /// Rows that there is room for, ascending, and what is told of them; collective.
    fn documents(&self, comm: &dyn Communicator, room: usize) -> Result<(Vec<usize>, Vec<Told>)> {
        let answer = self.levels.iter().find(|level| level.topics.len() == self.rank);
        let counts = answer.map_or(&[][..], |level| &level.documents);
        let best = self.levels.iter().flat_map(|level| &level.facts.evidence);
        let best = best.flat_map(|evidence| &evidence.best_documents).map(|best| best.row);
        let best: BTreeSet<usize> = best.collect();
        let others = sample(comm, self.documents, counts, MOST_DOCUMENTS)?;
        let others = others.into_iter().filter(|row| !best.contains(row));
        let rows: Vec<usize> = best.iter().copied().chain(others).collect();
        let wanted: Vec<HashSet<&str>> = answer.map_or_else(Vec::new, |level| {
            level.facts.words.iter().map(|w| self.names(w)).collect()
        });
        let told = texts_of(comm, &self.documents.own, &rows, |place| {
            serde_json::to_string(&self.told(place, &wanted)).expect("texts and numbers")
        })?;
        let mut left = room;
        let mut chosen: Vec<(usize, Told)> = Vec::new();
        for (row, text) in rows.into_iter().zip(told) {
            // What markup is made of takes more in the page.
            let escaped = text.matches(['<', '>', '&']).count();
            let bytes = text.len() + 5 * escaped;
            if bytes > left {
                break;
            }
            left -= bytes;
            chosen.push((row, serde_json::from_str(&text)?));
        }
        chosen.sort_by_key(|(row, _)| *row);
        Ok(chosen.into_iter().unzip())
    }

    /// The words of a topic, each word of a run by itself.
    fn names(&self, words: &[ShownWord]) -> HashSet<&str> {
        let Some(vectorizer) = self.corpus.vectorizer() else { return HashSet::new() };
        let names = words.iter().map(|(column, ..)| vectorizer.vocabulary()[*column].as_str());
        names.flat_map(|name| name.split(' ')).collect()
    }

    fn told(&self, place: usize, wanted: &[HashSet<&str>]) -> Told {
        let nothing = HashSet::new();
        let wanted = self.documents.heaviest[place].and_then(|k| wanted.get(k)).unwrap_or(&nothing);
        let text = match self.texts {
            Some(texts) => excerpt(&texts[place], wanted),
            None => self.heaviest_words(place),
        };
        let mix = |level: &Level| {
            let parts = level.facts.parts[place].iter().filter(|(_, percent)| *percent > 0);
            let shown = if level.topics.len() == self.rank { MOST_PARTS } else { 2 };
            parts.take(shown).flat_map(|&(k, percent)| [u32::from(k), u32::from(percent)]).collect()
        };
        Told {
            id: short(&self.corpus.rows.id(place)),
            text,
            label: self.corpus.rows.labels.as_ref().map(|labels| labels[place].clone()),
            mix: self.levels.iter().map(mix).collect(),
        }
    }

    /// The words that weigh most in a document.
    fn heaviest_words(&self, place: usize) -> String {
        let rows = self.corpus.matrix.rows().expect("rows are made");
        let (mut line, mut words) = (Line::default(), Vec::new());
        rows.read_row(place, &mut line);
        line.for_each(|j, value| words.push((j, value)));
        crate::words::heaviest_first(&mut words, WORDS_FOR_TEXT);
        let words: Vec<String> =
            words.into_iter().map(|(j, _)| short(&self.corpus.word(j))).collect();
        words.join(", ")
    }
}

fn page_topic(level: &Level, k: usize, topic: &Topic, list: &mut WordList<'_>) -> PageTopic {
    let facts = &level.facts;
    let evidence = &facts.evidence[k];
    let related = evidence.related.iter().zip(&facts.shared[k]).map(|(related, shared)| {
        let words = shared.iter().map(|&column| list.place(column)).collect();
        RelatedWords(related.topic - 1, rounded(related.similarity, 3), words)
    });
    let related = related.collect();
    PageTopic {
        id: k + 1,
        name: topic.name.split(", ").filter(|part| !part.is_empty()).map(short).collect(),
        title: None,
        anchor: topic.anchors.iter().map(|&column| list.place(column)).collect(),
        left: topic.anchor_left,
        given: k < facts.n_given,
        margin: topic.margin.map(|margin| rounded(margin, 6)),
        runner_up: topic.runner_up.map(|column| list.place(column)),
        documents: level.documents[k],
        place: [0.0; 3],
        exclusivity: rounded(evidence.exclusivity, 4),
        npmi: rounded(evidence.npmi, 4),
        stability: evidence.stability.map(|stability| rounded(stability, 4)),
        words: list.page_words(&facts.words[k]),
        best: Vec::new(),
        related,
        classes: facts.agreement.as_ref().map_or_else(Vec::new, |of| classes_of(of, k)),
        periods: Vec::new(),
    }
}

/// Documents of each class in which a topic is the heaviest.
fn classes_of(agreement: &Agreement, k: usize) -> Vec<usize> {
    let table = &agreement.contingency;
    let column = table.topics.iter().position(|topic| *topic == Some(k + 1));
    table.counts.iter().map(|counts| column.map_or(0, |column| counts[column])).collect()
}

/// The levels that the tree shows: all, or the ends, the answer, and others with about equal steps between them.
fn tree_columns(ks: &[usize], rank: usize) -> Vec<usize> {
    let mut columns = ks.to_vec();
    while columns.len() > MOST_COLUMNS {
        // The one whose neighbours are nearest to each other, as ratios go, is missed least.
        let ratio = |place: usize| columns[place + 1] as f64 / columns[place - 1] as f64;
        let inner = (1..columns.len() - 1).filter(|&place| columns[place] != rank);
        let Some(least) =
            inner.reduce(|best, place| if ratio(place) < ratio(best) { place } else { best })
        else {
            break;
        };
        columns.remove(least);
    }
    columns
}

/// A number with so many decimals, as the page has it; none has a sign that is zero.
fn rounded(value: f64, decimals: i32) -> f64 {
    let scale = 10_f64.powi(decimals);
    let rounded = (value * scale).round() / scale;
    if rounded.is_finite() { rounded + 0.0 } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_have_the_ends_and_the_answer() {
        assert_eq!(tree_columns(&[2, 3, 5], 3), [2, 3, 5]);
        let many: Vec<usize> = (2..=40).collect();
        let columns = tree_columns(&many, 33);
        assert_eq!((columns.len(), columns[0], columns[6]), (7, 2, 40));
        assert!(columns.contains(&33), "{columns:?}");
        assert!(tree_columns(&[], 0).is_empty());
    }

    #[test]
    fn documents_that_are_many_keep_less_of_each() {
        assert_eq!(kept_characters(0, None), MOST_KEPT);
        assert_eq!(kept_characters(10_000_000, None), FEWEST_KEPT);
        assert_eq!(kept_characters(10_000, Some(16_000_000)), 100);
    }
}
