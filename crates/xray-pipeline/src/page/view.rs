//! Topics of a fit or of a model, ready to be shown.

use serde_json::Value;
use xray_data::Model;
use xray_nmf::RunState;
use xray_nmf::comm::OneRank;
use xray_report::{About, Page, TopicsPage};

use super::PageSource;
use crate::corpus::Corpus;
use crate::documents::DocumentWeights;
use crate::edit::given_names;
use crate::error::Result;
use crate::evidence::gather_evidence;
use crate::levels::{Level, LevelParts, find_levels, ladder, level_ranks};
use crate::model::{apply, dense_topics, model_topics};
use crate::options::{TopicOptions, TopicsRequest};
use crate::topics::{Topics, find_topics_and_anchors};
use crate::watch::Progress;

/// Topics with what a page tells of them.
pub(crate) struct View {
    pub(crate) levels: Vec<Level>,
    rank: usize,
    h: Vec<f64>,
    documents: DocumentWeights,
    excluded: Vec<usize>,
    titles: Vec<Option<String>>,
}

impl View {
    /// Of a fit, alone or with topics of other numbers.
    pub(crate) fn of_topics(
        corpus: &Corpus,
        options: &TopicOptions,
        found: Topics,
        levels: Option<Vec<Level>>,
    ) -> Result<Self> {
        let levels = match levels {
            Some(levels) => levels,
            None => vec![Level::new(&OneRank, corpus, options, (&found).into())?],
        };
        Ok(Self {
            levels,
            rank: found.rank(),
            h: found.h,
            documents: found.documents,
            excluded: options.excluded.clone(),
            titles: Vec::new(),
        })
    }

    /// Of a model and documents that are weighed as it weighs.
    pub(crate) fn of_model(
        corpus: &mut Corpus,
        model: &Model,
        request: &TopicsRequest,
    ) -> Result<Self> {
        corpus.matrix.make_rows(&OneRank)?;
        let vectorizer = corpus.vectorizer().expect("a corpus of words");
        let (options, _) = request.resolve(vectorizer)?;
        // Words that topics began with may be those of other topics now.
        let options = TopicOptions { anchors: Vec::new(), ..options };
        let weights = apply(model, corpus.matrix.rows().expect("rows are made"))?;
        let documents = DocumentWeights::new(corpus.rows.own, model.rank(), weights);
        let mut topics = model_topics(model, request.words, request.distinct);
        let shares = documents.shares(&OneRank)?;
        topics.iter_mut().zip(shares).for_each(|(topic, share)| topic.share = share);
        let h = dense_topics(model);
        let evidence = gather_evidence(&OneRank, corpus, &topics, &h, &documents)?;
        let parts =
            LevelParts { topics: &topics, evidence: &evidence, h: &h, documents: &documents };
        let levels = vec![Level::new(&OneRank, corpus, &options, parts)?];
        let (rank, excluded) = (model.rank(), options.excluded);
        Ok(Self { levels, rank, h, documents, excluded, titles: given_names(model) })
    }

    pub(crate) fn level(&self) -> &Level {
        let answer = self.levels.iter().find(|level| level.topics.len() == self.rank);
        answer.expect("the answer is a level")
    }

    pub(crate) fn page(
        &self,
        corpus: &Corpus,
        texts: Option<&[String]>,
        about: &About,
    ) -> Result<Page<TopicsPage>> {
        let source = PageSource {
            corpus,
            levels: &self.levels,
            rank: self.rank,
            h: &self.h,
            documents: &self.documents,
            excluded: &self.excluded,
            titles: &self.titles,
            periods: None,
            texts,
        };
        source.page(&OneRank, about)
    }
}

/// What a page of a model is made from, beside the model.
#[derive(Debug, Clone, Copy)]
pub struct ModelPage<'a> {
    /// What was asked of the topics.
    pub request: &'a TopicsRequest,
    /// Numbers of topics to show beside; some that suit if empty.
    pub levels: &'a [usize],
    /// How the documents begin, if they have texts.
    pub texts: Option<&'a [String]>,
    /// What the page is about.
    pub about: &'a About,
    /// Bytes for cached products.
    pub memory: Option<usize>,
}

impl ModelPage<'_> {
    /// The page of a model and of documents that are weighed as it weighs. For those that it was fitted to it is the
    /// page of the fit, with topics of other numbers beside; for others, and for topics that were changed by hand, the
    /// model's own.
    ///
    /// # Errors
    /// If a level is too small, or it was asked to stop.
    pub fn page(
        &self,
        corpus: &mut Corpus,
        model: &Model,
        progress: &mut dyn Progress,
    ) -> Result<Page<TopicsPage>> {
        let edits = model.parameters.get("edits").and_then(Value::as_array);
        let fitted = match edits.is_none_or(Vec::is_empty) {
            true => self.fitted(corpus, model, progress)?,
            false => None,
        };
        let view = match fitted {
            Some(view) => view,
            None => View::of_model(corpus, model, self.request)?,
        };
        view.page(corpus, self.texts, self.about)
    }

    /// The topics found again, if they are those of the model.
    fn fitted(
        &self,
        corpus: &mut Corpus,
        model: &Model,
        progress: &mut dyn Progress,
    ) -> Result<Option<View>> {
        let vectorizer = corpus.vectorizer().expect("a corpus of words");
        let request = TopicsRequest { topics: Some(model.rank()), ..self.request.clone() };
        let (options, _) = request.resolve(vectorizer)?;
        let options = TopicOptions { memory: self.memory, ..options };
        let new = RunState::default();
        let (found, anchors) = find_topics_and_anchors(&OneRank, corpus, &options, &new, progress)?;
        if progress.stop().is_made() {
            return Err(xray_nmf::Error::Stopped.into());
        }
        if found.h != dense_topics(model) {
            return Ok(None);
        }
        let n_given = options.anchors.len();
        let ranks = match self.levels {
            [] => ladder(found.rank(), n_given),
            levels => level_ranks(levels, Some(found.rank()), n_given)?,
        };
        let answer = (&found, &anchors);
        let levels = find_levels(&OneRank, corpus, &options, &ranks, answer, progress)?;
        if progress.stop().is_made() {
            return Err(xray_nmf::Error::Stopped.into());
        }
        View::of_topics(corpus, &options, found, Some(levels)).map(Some)
    }
}
