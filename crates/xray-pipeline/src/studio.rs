//! Topics that a person changes by hand while looking at them.
//!
//! A state is what is asked of the topics ([`TopicsRequest`]) and a list of changes ([`TopicEdits`]) after the fit. What
//! is shown of it is what `xray topics` and then `xray edit` give, to the last bit. Words to begin with, words to
//! exclude and the number of topics are asked for anew, so they come before changes by hand: these would be lost, and
//! are refused to be. The way back is a list of states without their topics, which are found again when they are
//! wanted, so that it can be as long as it likes.
//!
//! A studio that begins with a saved model changes that alone: nothing is fitted.

mod change;

use serde::Serialize;
use xray_data::{Model, Provenance};
use xray_nmf::comm::OneRank;
use xray_nmf::{RunState, StopRequest};
use xray_report::{About, Page, TopicsPage};

use crate::corpus::Corpus;
use crate::edit::{TopicEdits, edit_model};
use crate::error::{Error, Result};
use crate::levels::{Level, flows};
use crate::options::{TopicOptions, TopicsRequest};
use crate::page::View;
use crate::report::TopicsParameters;
use crate::topics::find_topics;
use crate::watch::{Stoppable, ignore};
pub use change::Change;

/// What is asked for: enough to find the same topics again.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Asked {
    /// Of the fit.
    pub request: TopicsRequest,
    /// After it, one after the other.
    pub edits: Vec<TopicEdits>,
}

/// Topics as they are shown.
struct Shown {
    asked: Asked,
    model: Model,
    view: View,
}

/// How topics before a change and after it belong together, by their places.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Moved {
    /// Of each topic after it, the one before that most of its documents were in.
    pub came_from: Vec<Option<usize>>,
    /// Of each topic before it, the one after that most of its documents are in.
    pub went_to: Vec<Option<usize>>,
}

/// A corpus, what is shown of it, and the way here and back.
pub struct Studio {
    corpus: Corpus,
    texts: Option<Vec<String>>,
    about: About,
    provenance: Provenance,
    memory: Option<usize>,
    /// The saved model that it began with, if it did.
    saved: Option<Model>,
    shown: Shown,
    moved: Moved,
    done: Vec<(Change, Asked)>,
    undone: Vec<(Change, Asked)>,
}

impl std::fmt::Debug for Studio {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Studio").field("done", &self.done).finish_non_exhaustive()
    }
}

/// What a [`Studio`] works on.
#[derive(Debug)]
pub struct Material {
    /// Weighed documents.
    pub corpus: Corpus,
    /// How they begin, if they have texts.
    pub texts: Option<Vec<String>>,
    /// What pages are about.
    pub about: About,
    /// What models tell of their origin.
    pub provenance: Provenance,
    /// Bytes for cached products.
    pub memory: Option<usize>,
}

impl Studio {
    /// Begins with the topics that are asked for.
    ///
    /// # Errors
    /// As [`find_topics`].
    pub fn new(material: Material, request: TopicsRequest, stop: &StopRequest) -> Result<Self> {
        let Material { mut corpus, texts, about, provenance, memory } = material;
        let asked = Asked { request, edits: Vec::new() };
        let shown = fit(&mut corpus, asked, &provenance, memory, stop)?;
        // A number that was suggested is asked for from now on.
        let rank = shown.view.level().topics.len();
        let request = TopicsRequest { topics: Some(rank), ..shown.asked.request.clone() };
        let shown = Shown { asked: Asked { request, edits: Vec::new() }, ..shown };
        let (done, undone, moved) = (Vec::new(), Vec::new(), Moved::nothing(rank));
        let saved = None;
        Ok(Self { corpus, texts, about, provenance, memory, saved, shown, moved, done, undone })
    }

    /// Begins with a saved model; the documents are weighed as it weighs.
    ///
    /// # Errors
    /// If the documents do not fit the model.
    pub fn of_model(material: Material, model: Model) -> Result<Self> {
        let Material { mut corpus, texts, about, provenance, memory } = material;
        let rank = model.rank();
        let request = TopicsRequest { topics: Some(rank), ..TopicsRequest::default() };
        let asked = Asked { request, edits: Vec::new() };
        let view = View::of_model(&mut corpus, &model, &asked.request)?;
        let shown = Shown { asked, model: model.clone(), view };
        let (done, undone, moved) = (Vec::new(), Vec::new(), Moved::nothing(rank));
        let saved = Some(model);
        Ok(Self { corpus, texts, about, provenance, memory, saved, shown, moved, done, undone })
    }

    /// Makes a change. What was undone is forgotten. If it cannot be made, or it was asked to stop, everything is as it
    /// was.
    ///
    /// # Errors
    /// If there is no such topic or word, or the change would lose others; [`xray_nmf::Error::Stopped`] if asked to stop.
    pub fn change(&mut self, change: Change, stop: &StopRequest) -> Result<()> {
        let asked = self.asked_after(&change)?;
        let before = self.shown.asked.clone();
        self.show(asked, stop)?;
        self.done.push((change, before));
        self.undone.clear();
        Ok(())
    }

    /// Takes the last change back; nothing if there is none.
    ///
    /// # Errors
    /// If it was asked to stop.
    pub fn undo(&mut self, stop: &StopRequest) -> Result<()> {
        let Some((change, before)) = self.done.last().cloned() else { return Ok(()) };
        let after = self.shown.asked.clone();
        self.show(before, stop)?;
        self.done.pop();
        self.undone.push((change, after));
        Ok(())
    }

    /// Makes the last change that was taken back again; nothing if there is none.
    ///
    /// # Errors
    /// If it was asked to stop.
    pub fn redo(&mut self, stop: &StopRequest) -> Result<()> {
        let Some((change, after)) = self.undone.last().cloned() else { return Ok(()) };
        let before = self.shown.asked.clone();
        self.show(after, stop)?;
        self.undone.pop();
        self.done.push((change, before));
        Ok(())
    }

    /// The changes so far, the first first.
    pub fn changes(&self) -> impl Iterator<Item = &Change> {
        self.done.iter().map(|(change, _)| change)
    }

    /// How many changes were taken back and can be made again.
    pub fn n_undone(&self) -> usize {
        self.undone.len()
    }

    /// What is asked for now.
    pub fn asked(&self) -> &Asked {
        &self.shown.asked
    }

    /// The model with its history.
    pub fn model(&self) -> &Model {
        &self.shown.model
    }

    /// How topics before the last change and after it belong together.
    pub fn moved(&self) -> &Moved {
        &self.moved
    }

    /// The page of what is shown.
    ///
    /// # Errors
    /// None on one machine.
    pub fn page(&self) -> Result<Page<TopicsPage>> {
        self.shown.view.page(&self.corpus, self.texts.as_deref(), &self.about)
    }

    /// Finds and shows what is asked for.
    fn show(&mut self, asked: Asked, stop: &StopRequest) -> Result<()> {
        if asked == self.shown.asked {
            return Ok(());
        }
        let known = &self.shown.asked;
        let grows = known.request == asked.request && asked.edits.starts_with(&known.edits);
        let mut shown = match grows {
            true => None,
            false => {
                let first = Asked { request: asked.request.clone(), edits: Vec::new() };
                Some(match &self.saved {
                    Some(model) => {
                        let view = View::of_model(&mut self.corpus, model, &first.request)?;
                        Shown { asked: first, model: model.clone(), view }
                    }
                    None => fit(&mut self.corpus, first, &self.provenance, self.memory, stop)?,
                })
            }
        };
        let made = shown.as_ref().map_or(known.edits.len(), |_| 0);
        for edits in &asked.edits[made..] {
            let before = shown.as_ref().unwrap_or(&self.shown);
            let model = edit_model(&before.model, edits, Some(&mut self.corpus))?;
            let view = View::of_model(&mut self.corpus, &model, &asked.request)?;
            shown = Some(Shown { asked: asked.clone(), model, view });
        }
        let Some(shown) = shown else { return Ok(()) };
        self.moved = Moved::new(self.shown.view.level(), shown.view.level())?;
        self.shown = Shown { asked, ..shown };
        Ok(())
    }

    /// What is asked for after a change.
    fn asked_after(&self, change: &Change) -> Result<Asked> {
        let mut asked = self.shown.asked.clone();
        if let Some(edit) = change.edit() {
            if matches!(change, Change::Rename { name, .. } if name.trim().is_empty()) {
                return Err(Error::Usage("a name has at least one letter".into()));
            }
            asked.edits.push(edit);
            return Ok(asked);
        }
        if self.saved.is_some() {
            return Err(Error::Usage(
                "topics are found anew for this, and a saved model stays what it is: begin with the documents alone".into(),
            ));
        }
        if !asked.edits.is_empty() {
            return Err(Error::Usage(
                "topics are found anew for this, and what you merged, split, dropped, moved or named would be lost: undo \
                 that first, or save the model and begin again"
                    .into(),
            ));
        }
        let request = &mut asked.request;
        match change {
            Change::Seed { topic, word } => self.seed(request, *topic, word)?,
            Change::Unseed { topic, word } => {
                let list = request.anchor.get_mut(topic.wrapping_sub(1));
                let list = list.filter(|list| list.contains(word));
                let list = list.ok_or_else(|| {
                    Error::Usage(format!("topic {topic} was not asked to begin with {word:?}"))
                })?;
                list.retain(|other| other != word);
                request.anchor.retain(|list| !list.is_empty());
            }
            Change::Exclude { word } => {
                self.known(word)?;
                if !request.exclude.contains(word) {
                    request.exclude.push(word.clone());
                }
                for list in &mut request.anchor {
                    list.retain(|other| other != word);
                }
                request.anchor.retain(|list| !list.is_empty());
            }
            Change::Topics { k } => {
                if *k == 0 || *k > self.corpus.n_documents().min(self.corpus.n_words()) {
                    return Err(Error::Usage(format!("{k} topics cannot be found here")));
                }
                request.topics = Some(*k);
            }
            _ => {}
        }
        Ok(asked)
    }

    /// A topic is to begin with its anchor and another word.
    fn seed(&self, request: &mut TopicsRequest, topic: usize, word: &str) -> Result<()> {
        self.known(word)?;
        let shown = self.shown.view.level().topics.get(topic.wrapping_sub(1)).ok_or_else(|| {
            let most = self.shown.view.level().topics.len();
            Error::Usage(format!("there is no topic {topic}: there are 1 to {most}"))
        })?;
        request.exclude.retain(|other| other != word);
        for list in &mut request.anchor {
            list.retain(|other| other != word);
        }
        match request.anchor.get_mut(topic - 1) {
            Some(list) => list.push(word.to_owned()),
            None => {
                let anchors = shown.anchors.iter().map(|&j| self.corpus.word(j).into_owned());
                let mut list: Vec<String> = anchors.filter(|anchor| anchor != word).collect();
                list.push(word.to_owned());
                request.anchor.push(list);
            }
        }
        request.anchor.retain(|list| !list.is_empty());
        Ok(())
    }

    /// Refuses words that the corpus does not have.
    fn known(&self, word: &str) -> Result<()> {
        let vectorizer = self.corpus.vectorizer().expect("a corpus of words");
        let lists = [vec![word.to_owned()]];
        match crate::seeds::resolve_words(vectorizer, &lists).unknown.first() {
            Some(unknown) => Err(Error::Usage(unknown.to_string())),
            None => Ok(()),
        }
    }
}

/// Finds topics as they are asked for.
fn fit(
    corpus: &mut Corpus,
    asked: Asked,
    provenance: &Provenance,
    memory: Option<usize>,
    stop: &StopRequest,
) -> Result<Shown> {
    let vectorizer = corpus.vectorizer().expect("a corpus of words").clone();
    let (options, _) = asked.request.resolve(&vectorizer)?;
    let options = TopicOptions { memory, ..options };
    let mut progress = Stoppable { stop: stop.clone(), tell: ignore };
    let found = find_topics(&OneRank, corpus, &options, &RunState::default(), &mut progress)?;
    if stop.is_made() {
        return Err(xray_nmf::Error::Stopped.into());
    }
    let TopicsRequest { anchor, exclude, .. } = asked.request.clone();
    let parameters = TopicsParameters::new(&options, &found, anchor, exclude);
    let model =
        found.to_model(&OneRank, &corpus.rows, &vectorizer, &parameters, provenance.clone())?;
    let view = View::of_topics(corpus, &options, found, None)?;
    Ok(Shown { asked, model: model.expect("rank 0"), view })
}

impl Moved {
    fn nothing(rank: usize) -> Self {
        let same: Vec<Option<usize>> = (0..rank).map(Some).collect();
        Self { came_from: same.clone(), went_to: same }
    }

    fn new(before: &Level, after: &Level) -> Result<Self> {
        let flows = flows(&OneRank, before, after)?;
        let back = flows.iter().map(|flow| (flow.to, flow.from, flow.documents));
        let forth = flows.iter().map(|flow| (flow.from, flow.to, flow.documents));
        Ok(Self {
            came_from: where_most_are(back, after.topics.len()),
            went_to: where_most_are(forth, before.topics.len()),
        })
    }
}

/// For each of `n` topics, from 1 in the flows, the place of the other that most documents are in.
fn where_most_are(
    flows: impl Iterator<Item = (Option<usize>, Option<usize>, usize)>,
    n: usize,
) -> Vec<Option<usize>> {
    let mut most = vec![(None, 0); n];
    for (own, other, documents) in flows {
        if let (Some(own), Some(other)) = (own, other)
            && documents > most[own - 1].1
        {
            most[own - 1] = (Some(other - 1), documents);
        }
    }
    most.into_iter().map(|(other, _)| other).collect()
}

#[cfg(test)]
mod tests;
