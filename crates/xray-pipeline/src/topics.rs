//! Anchors, refinement, weights: a corpus becomes topics, on any number of ranks.
//!
//! 1. **Anchors.** XRAY on documents x words. A topic that begins with several given words gets as its
//!    anchor the mean of their columns, appended to the matrix for the run and dropped from H after it.
//! 2. **Refinement.** A few steps of alternating nonnegative least squares from `W = X_A`, H; topics that begin
//!    with given words are pulled back to these, and list them.
//! 3. **Scale.** Each topic's row of H is divided by its length, so that the weights of a document
//!    can be compared: the heaviest topic is the one that explains most of it.
//! 4. **Weights.** `min_{w >= 0} ||x - w'H||` for each own document x: what a saved model gives, too.
//! 5. **Clusters.** One for each document ([`Clusters`]).
//! 6. **Words.** The words that say most about each topic, its name, and its share in the documents of all ranks.

use xray_nmf::comm::Communicator;
use xray_nmf::{Factors, Noise, Params, RowModel, RunState, SeededTopics, Step, Termination};

use crate::anchors::Anchors;
use crate::clusters::Clusters;
use crate::corpus::Corpus;
use crate::documents::DocumentWeights;
use crate::error::Result;
use crate::evidence::{TopicEvidence, gather_evidence, texts_of};
use crate::left_over::{explained_rows, row_errors, sum_of_errors};
use crate::number::{NumberOptions, NumberSuggestion, study_number, topic_stability};
use crate::options::TopicOptions;
use crate::refine::{RefineOptions, refine};
use crate::watch::{Event, Progress, Stage};
use crate::words::{AnchorPlace, Listing, TopicWords, describe_words};

/// Topics with their words, and how documents are made of them: the same on every rank, but for the
/// documents, of which each has its own.
#[derive(Debug, Clone, PartialEq)]
pub struct Topics {
    /// The topics, in the order in which their anchors were found.
    pub topics: Vec<Topic>,
    /// What speaks for each of them.
    pub evidence: Vec<TopicEvidence>,
    /// The transpose of H: one row of weights for each word; each topic has length 1.
    pub h: Vec<f64>,
    /// What decides the clusters of documents.
    pub clusters: Clusters,
    /// W of the own documents, and their clusters.
    pub documents: DocumentWeights,
    /// How they were found.
    pub run: Run,
}

/// The record of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// One record for each anchor; residuals refer to the corpus before refinement.
    pub steps: Vec<Step>,
    /// Why no more anchors were looked for.
    pub termination: Termination,
    /// The certificate of the projection onto the anchors.
    pub kkt_violation: f64,
    /// `||X - WH||_F^2` before and after each step of refinement.
    pub objective: Vec<f64>,
    /// `||X - WH||_F^2` of the documents' weights, and `||X||_F^2`.
    pub squared_error: [f64; 2],
    /// How the number of topics was chosen, if it was not given.
    pub suggestion: Option<NumberSuggestion>,
    /// What a robust search saw of the noise, and decided.
    pub noise: Option<Noise>,
}

/// One topic.
#[derive(Debug, Clone, PartialEq)]
pub struct Topic {
    /// Columns of the anchor words: one, or all that were given for it.
    pub anchors: Vec<usize>,
    /// Columns of the words that say most about it, and their shares in the topic.
    pub words: Vec<(usize, f64)>,
    /// Two or three telling words; empty if it has no words.
    pub name: String,
    /// Where the best placed of its anchors stands among its words, from 1; none if it has none of them any more.
    pub anchor_place: Option<usize>,
    /// Whether no anchor is among its first 20 words and nowhere heavier: refinement has found something else than
    /// the anchor stood for.
    pub anchor_left: bool,
    /// The part of all documents in which it is the heaviest topic.
    pub share: f64,
    /// How clearly the anchor was chosen: 0 for a tie, 1 if nothing else came near; none if given.
    pub margin: Option<f64>,
    /// The word that would have been the anchor without it; none if given, or if no other word competed.
    pub runner_up: Option<usize>,
}

impl Topic {
    pub(crate) fn new(
        anchors: Vec<usize>,
        told: TopicWords,
        share: f64,
        step: Option<&Step>,
    ) -> Self {
        let TopicWords { words, name, anchor } = told;
        let AnchorPlace { place: anchor_place, left: anchor_left } = anchor;
        let margin = step.and_then(|step| step.margin);
        let runner_up = step.and_then(|step| step.runner_up);
        Self { anchors, words, name, anchor_place, anchor_left, share, margin, runner_up }
    }
}

impl Topics {
    /// Keeps how the best documents of the topics begin; collective. `texts` are the beginnings of the own documents.
    ///
    /// # Errors
    /// If the ranks cannot exchange data.
    pub fn add_texts(&mut self, comm: &dyn Communicator, texts: &[String]) -> Result<()> {
        let best = || self.evidence.iter().flat_map(|evidence| &evidence.best_documents);
        let rows: Vec<usize> = best().map(|document| document.row).collect();
        let texts = texts_of(comm, &self.documents.own, &rows, |place| texts[place].clone())?;
        let best = self.evidence.iter_mut().flat_map(|evidence| &mut evidence.best_documents);
        best.zip(texts).for_each(|(document, text)| document.text = Some(text));
        Ok(())
    }

    /// Number of topics.
    pub fn rank(&self) -> usize {
        self.topics.len()
    }
}

/// Finds the topics of a corpus; collective. The search goes on from `saved`, which is empty for a new one.
///
/// Progress that breaks during the search for anchors ends it there; refinement is then left out.
///
/// # Errors
/// If an option is out of range.
pub fn find_topics(
    comm: &dyn Communicator,
    corpus: &mut Corpus,
    options: &TopicOptions,
    saved: &RunState,
    progress: &mut dyn Progress,
) -> Result<Topics> {
    let searched = search(comm, corpus, options, saved, progress)?;
    let start = searched.start(comm)?;
    // Refinement has the room that they take.
    drop(searched);
    fit_topics(comm, corpus, options, start, progress)?.into_topics(comm, corpus, options, progress)
}

/// The same, with the anchors, from which topics of other numbers can begin ([`find_levels`](crate::find_levels)).
///
/// # Errors
/// As [`find_topics`].
pub fn find_topics_and_anchors(
    comm: &dyn Communicator,
    corpus: &mut Corpus,
    options: &TopicOptions,
    saved: &RunState,
    progress: &mut dyn Progress,
) -> Result<(Topics, Anchors)> {
    let searched = search(comm, corpus, options, saved, progress)?;
    let start = searched.start(comm)?;
    let fitted = fit_topics(comm, corpus, options, start, progress)?;
    Ok((fitted.into_topics(comm, corpus, options, progress)?, searched.anchors))
}

/// Anchors, and how many of them to take.
struct Searched {
    anchors: Anchors,
    suggestion: Option<NumberSuggestion>,
}

impl Searched {
    fn start(&self, comm: &dyn Communicator) -> Result<(Factors, Run)> {
        let rank = self.suggestion.map_or(self.anchors.rank(), |number| number.rank);
        let (start, run) = self.anchors.start(comm, rank)?;
        Ok((start, Run { suggestion: self.suggestion, ..run }))
    }
}

/// Searches for anchors, and for their number if it is not given; collective.
fn search(
    comm: &dyn Communicator,
    corpus: &Corpus,
    options: &TopicOptions,
    saved: &RunState,
    progress: &mut dyn Progress,
) -> Result<Searched> {
    options.check()?;
    let studied = number_of_topics(comm, corpus, options, progress)?;
    let rank = options.rank.or(studied.map(|number| number.rank));
    let chosen = TopicOptions { rank, ..options.clone() };
    let anchors = Anchors::find(comm, corpus, &chosen, saved, progress)?;
    let suggestion = studied.or_else(|| fast_number(&chosen, &anchors));
    Ok(Searched { anchors, suggestion })
}

/// Topics of one number as they are fitted: all that is needed to tell of them.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Fitted {
    pub(crate) topics: Vec<Topic>,
    pub(crate) evidence: Vec<TopicEvidence>,
    pub(crate) h: Vec<f64>,
    pub(crate) documents: DocumentWeights,
    pub(crate) run: Run,
}

/// Refines the topics that begin from some anchors, weighs the documents, and says what speaks for them; collective.
pub(crate) fn fit_topics(
    comm: &dyn Communicator,
    corpus: &mut Corpus,
    options: &TopicOptions,
    (start, mut run): (Factors, Run),
    progress: &mut dyn Progress,
) -> Result<Fitted> {
    let rank = start.rank;
    corpus.matrix.make_rows(comm)?;
    let how = refinement(corpus, options, rank, run.termination);
    let Factors { mut h, objective, .. } = refine(comm, &corpus.matrix, start, &how, progress)?;
    run.objective = objective;
    if run.objective.len() > 1 && seeded(options).are_held() {
        list_seeds(&mut h, rank, &options.anchors);
    }
    let _ = progress.tell(Event::Begin(Stage::Weights, 1));
    scale_topics(&mut h, rank);
    let model = RowModel::new(rank, corpus.n_words(), h)?;
    let weights = model.weights(corpus.matrix.rows().expect("rows are made"))?;
    let h = model.into_topics();
    let documents = DocumentWeights::new(corpus.rows.own, rank, weights);
    let topics = describe(comm, corpus, options, &h, &documents, &run)?;
    let evidence = gather_evidence(comm, corpus, &topics, &h, &documents)?;
    let _ = progress.tell(Event::Advance);
    Ok(Fitted { topics, evidence, h, documents, run })
}

impl Fitted {
    /// With clusters, what is explained and, if it is asked for, how stable topics are; collective.
    fn into_topics(
        self,
        comm: &dyn Communicator,
        corpus: &Corpus,
        options: &TopicOptions,
        progress: &mut dyn Progress,
    ) -> Result<Topics> {
        let Self { topics, mut evidence, h, mut documents, mut run } = self;
        let (rank, rows) = (documents.rank, corpus.matrix.rows().expect("rows are made"));
        let errors = row_errors(rows, &h, &documents.weights, rank, |_| true);
        run.squared_error = sum_of_errors(comm, corpus.n_documents(), &errors)?;
        let (clusters, own) = Clusters::find(comm, corpus, &documents)?;
        documents.clusters = Some(own);
        documents.explained = Some(explained_rows(comm, &errors)?);
        // Halves know nothing of given words.
        let asked = options.stability && options.anchors.is_empty();
        if asked && run.termination != Termination::Stopped {
            let number = number_options(options, rank);
            match topic_stability(comm, &corpus.matrix, &number, &h, progress) {
                Ok(parts) => {
                    evidence.iter_mut().zip(parts).for_each(|(of, part)| of.stability = Some(part))
                }
                Err(crate::Error::Fit(xray_nmf::Error::Stopped)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(Topics { topics, evidence, h, clusters, documents, run })
    }
}

/// What the residuals suggest, where nothing else does.
fn fast_number(options: &TopicOptions, anchors: &Anchors) -> Option<NumberSuggestion> {
    let found = anchors.found();
    if options.rank.is_some() || found.termination() == Termination::Stopped {
        return None;
    }
    let suggested = found.suggest_rank();
    let number = NumberSuggestion::fast(suggested, found.rank());
    Some(number.at_least(options.anchors.len()))
}

/// The number of topics, if it is not given and may take its time; collective.
fn number_of_topics(
    comm: &dyn Communicator,
    corpus: &Corpus,
    options: &TopicOptions,
    progress: &mut dyn Progress,
) -> Result<Option<NumberSuggestion>> {
    if options.rank.is_some() || options.fast {
        return Ok(None);
    }
    let number = number_options(options, options.max_rank);
    let study = study_number(comm, &corpus.matrix, &number, progress)?;
    Ok(study.map(|study| study.suggestion.at_least(options.anchors.len())))
}

/// How topics are tried on parts of the documents.
fn number_options(options: &TopicOptions, rank: usize) -> NumberOptions {
    let params = Params { rank, excluded: options.excluded.clone(), ..options.params.clone() };
    NumberOptions { params, method: options.method, memory: options.memory, grouped: true }
}

fn seeded(options: &TopicOptions) -> SeededTopics {
    SeededTopics { columns: options.anchors.clone(), strength: options.anchor_strength }
}

/// How much refinement there is to be.
fn refinement(
    corpus: &Corpus,
    options: &TopicOptions,
    rank: usize,
    termination: Termination,
) -> RefineOptions {
    let steps = match options.refine {
        _ if termination == Termination::Stopped => 0,
        Some(steps) => steps,
        None => TopicOptions::default_refine(corpus.n_documents(), corpus.n_words(), rank),
    };
    let tolerance = options.settled();
    RefineOptions { method: options.method, steps, tolerance, seeded: seeded(options) }
}

/// Words and shares of the topics; collective.
fn describe(
    comm: &dyn Communicator,
    corpus: &Corpus,
    options: &TopicOptions,
    h: &[f64],
    documents: &DocumentWeights,
    run: &Run,
) -> Result<Vec<Topic>> {
    let TopicOptions { n_words, ref excluded, distinct, .. } = *options;
    let vocabulary = corpus.words();
    let given = &options.anchors;
    let listing = Listing { n_words, vocabulary: &vocabulary, excluded, distinct, given };
    let found = run.steps.iter().map(|step| vec![step.anchor]).skip(given.len());
    let anchors: Vec<Vec<usize>> = given.iter().cloned().chain(found).collect();
    let words = describe_words(h, documents.rank, &listing, &anchors);
    let parts = anchors.into_iter().zip(words).zip(documents.shares(comm)?);
    let topics = parts.zip(&run.steps);
    Ok(topics
        .map(|(((anchors, words), share), step)| Topic::new(anchors, words, share, Some(step)))
        .collect())
}

/// Raises the weights of seeds to what brings them among the ten heaviest words of their topics, if they are not
/// there: a word that a topic was asked for is never missing in its list.
fn list_seeds(h: &mut [f64], rank: usize, anchors: &[Vec<usize>]) {
    const LISTED: usize = 10;
    for (t, seeds) in anchors.iter().enumerate() {
        let words = h.chunks_exact(rank).enumerate().filter(|(j, _)| !seeds.contains(j));
        let mut others: Vec<f64> = words.map(|(_, line)| line[t]).collect();
        let place = LISTED.saturating_sub(seeds.len());
        if place < others.len() {
            let (_, least, _) = others.select_nth_unstable_by(place, |a, b| b.total_cmp(a));
            seeds.iter().for_each(|j| h[j * rank + t] = h[j * rank + t].max(*least));
        }
    }
}

/// Makes each topic's weights a vector of length 1; a topic without any stays so.
pub fn scale_topics(h: &mut [f64], rank: usize) {
    let lengths: Vec<f64> = sums(h, rank, |v| v * v).into_iter().map(f64::sqrt).collect();
    for row in h.chunks_exact_mut(rank.max(1)) {
        row.iter_mut().zip(&lengths).filter(|(_, l)| **l > 0.0).for_each(|(v, l)| *v /= l);
    }
}

/// The sum of `term` over the words, for each topic.
fn sums(h: &[f64], rank: usize, term: impl Fn(f64) -> f64) -> Vec<f64> {
    let mut sums = vec![0.0; rank];
    for row in h.chunks_exact(rank.max(1)) {
        sums.iter_mut().zip(row).for_each(|(sum, &v)| *sum += term(v));
    }
    sums
}
