//! Anchors, refinement, weights: a corpus becomes topics.
//!
//! 1. **Anchors.** XRAY on documents x words. A topic that begins with several given words gets as its
//!    anchor the mean of their columns, appended to the matrix for the run and dropped from H after it.
//! 2. **Refinement.** A few steps of alternating nonnegative least squares from `W = X_A`, H.
//! 3. **Scale.** Each topic's row of H is divided by its length, so that the weights of a document
//!    can be compared: the heaviest topic is the one that explains most of it.
//! 4. **Weights.** `min_{w >= 0} ||x - w'H||` for each document x: what a saved model gives, too.

use std::ops::ControlFlow;

use rayon::prelude::*;
use xray_nmf::{
    Column, Factorization, Matrix, Params, RankSuggestion, Refined, RowModel, SparseMatrix, Step,
    Termination, fit_observed, refine_observed,
};

use crate::corpus::Corpus;
use crate::error::Result;
use crate::options::TopicOptions;
use crate::watch::{Event, Stage, Watch};
use crate::words::top_words;

/// Topics with their words, and how documents are made of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Topics {
    /// The topics, in the order in which their anchors were found.
    pub topics: Vec<Topic>,
    /// The transpose of H: one row of `rank` weights for each word; each topic has length 1.
    pub h: Vec<f64>,
    /// W: one row of `rank` weights for each document.
    pub weights: Vec<f64>,
    /// The heaviest topic of each document; none for a document without any known word.
    pub topic_of_document: Vec<Option<usize>>,
    /// One record for each anchor; residuals refer to the corpus before refinement.
    pub steps: Vec<Step>,
    /// Why no more anchors were looked for.
    pub termination: Termination,
    /// The certificate of the projection onto the anchors.
    pub kkt_violation: f64,
    /// `||X - WH||_F^2` before and after each step of refinement.
    pub objective: Vec<f64>,
    /// How the number of topics was chosen, if it was not given.
    pub suggestion: Option<RankSuggestion>,
}

/// One topic.
#[derive(Debug, Clone, PartialEq)]
pub struct Topic {
    /// Columns of the anchor words: one, or all that were given for it.
    pub anchors: Vec<usize>,
    /// Columns of the heaviest words, and their shares in the topic.
    pub words: Vec<(usize, f64)>,
    /// The part of all documents in which it is the heaviest topic.
    pub share: f64,
    /// How clearly the anchor was chosen: 0 for a tie, 1 if nothing else came near; none if given.
    pub margin: Option<f64>,
}

impl Topics {
    /// Number of topics.
    pub fn rank(&self) -> usize {
        self.topics.len()
    }
}

/// Finds the topics of a corpus.
///
/// A watcher that breaks during the search for anchors ends it there; refinement is then left out.
///
/// # Errors
/// If an option is out of range or the worker threads cannot be started.
pub fn find_topics(
    corpus: &Corpus,
    options: &TopicOptions,
    watch: &mut Watch<'_>,
) -> Result<Topics> {
    options.check()?;
    let chosen = choose(corpus, options, watch)?;
    let threads = options.params.threads;
    let rank = chosen.start.rank;
    let stopped = chosen.termination == Termination::Stopped;
    let n_words = corpus.matrix.n_columns();
    let iterations = match options.refine {
        _ if stopped => 0,
        Some(iterations) => iterations,
        None => TopicOptions::default_refine(corpus.n_documents(), n_words, rank),
    };
    let _ = watch(Event::Begin(Stage::Refinement, iterations));
    let mut before = f64::INFINITY;
    let mut observer = |_, objective: f64| {
        let settled = before - objective < options.refine_tolerance * objective;
        before = objective;
        let wish = watch(Event::Advance);
        if settled { ControlFlow::Break(()) } else { wish }
    };
    let Refined { mut h, objective, .. } = refine_observed(
        &corpus.matrix,
        chosen.start,
        options.method,
        iterations,
        threads,
        &mut observer,
    )?;
    let _ = watch(Event::Begin(Stage::Weights, 1));
    scale_topics(&mut h, rank);
    let model = RowModel::new(rank, n_words, h.clone())?;
    let weights = model.weights(&corpus.matrix, threads)?;
    let Chosen { steps, termination, kkt_violation, suggestion, .. } = chosen;
    let n_documents = corpus.n_documents();
    let numbers = TopicNumbers {
        n_documents,
        h,
        weights,
        steps,
        termination,
        kkt_violation,
        objective,
        suggestion,
    };
    let topics = numbers.describe(corpus.vectorizer.vocabulary(), options);
    let _ = watch(Event::Advance);
    Ok(topics)
}

/// What the search for anchors gave.
struct Chosen {
    start: Refined,
    steps: Vec<Step>,
    termination: Termination,
    kkt_violation: f64,
    suggestion: Option<RankSuggestion>,
}

/// The numbers of topics, before they are put into words; the fields are those of [`Topics`].
#[derive(Debug, Clone)]
#[allow(missing_docs)]
pub struct TopicNumbers {
    pub n_documents: usize,
    pub h: Vec<f64>,
    pub weights: Vec<f64>,
    pub steps: Vec<Step>,
    pub termination: Termination,
    pub kkt_violation: f64,
    pub objective: Vec<f64>,
    pub suggestion: Option<RankSuggestion>,
}

impl TopicNumbers {
    /// The topics with their words and shares.
    pub fn describe(self, vocabulary: &[String], options: &TopicOptions) -> Topics {
        let Self { h, weights, steps, termination, kkt_violation, objective, suggestion, .. } =
            self;
        let rank = steps.len();
        let topic_of_document = heaviest(&weights, rank, self.n_documents);
        let TopicOptions { n_words, ref excluded, distinct, .. } = *options;
        let words = top_words_with_shares(&h, rank, n_words, vocabulary, excluded, distinct);
        let topics = describe(&steps, &options.anchors, words, &topic_of_document);
        Topics {
            topics,
            h,
            weights,
            topic_of_document,
            steps,
            termination,
            kkt_violation,
            objective,
            suggestion,
        }
    }
}

fn choose(corpus: &Corpus, options: &TopicOptions, watch: &mut Watch<'_>) -> Result<Chosen> {
    let seeded = Seeded::new(&corpus.matrix, &options.anchors)?;
    let rank = options.rank.unwrap_or(options.max_rank).max(options.anchors.len());
    let _ = watch(Event::Begin(Stage::Anchors, rank));
    let params = Params {
        rank,
        fixed: seeded.fixed.clone(),
        excluded: [&options.excluded[..], &seeded.members].concat(),
        ..options.params.clone()
    };
    let mut observer = |step: &Step| -> ControlFlow<()> { watch(Event::Anchor(step)) };
    let matrix = seeded.matrix.as_ref().unwrap_or(&corpus.matrix);
    let mut found = fit_observed(matrix, None, &params, &mut observer)?;
    let mut suggestion = None;
    if options.rank.is_none() && found.termination() != Termination::Stopped {
        let suggested = found.suggest_rank();
        found = found.truncate(suggested.rank.max(options.anchors.len()));
        suggestion = Some(suggested);
    }
    let mut start = Refined::from_factorization(&found);
    start.h.truncate(corpus.matrix.n_columns() * start.rank);
    Ok(Chosen {
        steps: seeded.steps(&found, &options.anchors),
        termination: found.termination(),
        kkt_violation: found.kkt_violation(),
        start,
        suggestion,
    })
}

/// A corpus with a column for each topic that begins with several words.
struct Seeded {
    /// The matrix with these columns, if there are any.
    matrix: Option<SparseMatrix<'static, f64>>,
    /// The anchor of each given topic.
    fixed: Vec<usize>,
    /// All words of topics that begin with several.
    members: Vec<usize>,
    /// `||X_j||^2` of the corpus and the added columns, if there are any.
    squared_norms: Vec<f64>,
    n_words: usize,
}

impl Seeded {
    fn new(matrix: &SparseMatrix<'static, f64>, anchors: &[Vec<usize>]) -> Result<Self> {
        let n_words = matrix.n_columns();
        let several = || anchors.iter().filter(|words| words.len() > 1);
        let mut next = n_words;
        let fixed = anchors.iter().map(|words| match words[..] {
            [word] => word,
            _ => {
                next += 1;
                next - 1
            }
        });
        let fixed = fixed.collect();
        let members = several().flatten().copied().collect();
        let extended = match several().next() {
            Some(_) => Some(extend(matrix, several())?),
            None => None,
        };
        let squared_norms = extended.as_ref().map_or_else(Vec::new, Matrix::squared_norms);
        Ok(Self { matrix: extended, fixed, members, squared_norms, n_words })
    }

    /// The steps with anchors and residuals of the corpus itself.
    fn steps(&self, found: &Factorization, anchors: &[Vec<usize>]) -> Vec<Step> {
        let mut steps = found.steps().to_vec();
        let Some(matrix) = &self.matrix else { return steps };
        let sum = |norms: &[f64]| norms.iter().fold(0.0, |sum, v| sum + v);
        let (total, own) = (sum(&self.squared_norms), sum(&self.squared_norms[..self.n_words]));
        let added: Vec<Column> =
            (self.n_words..matrix.n_columns()).map(|j| matrix.column(j)).collect();
        let mut left: Vec<f64> = Vec::new();
        found.for_each_rank(|k, weights| {
            let rays = &found.anchor_columns()[..k];
            let parts = added.iter().enumerate().map(|(i, column)| {
                let h = weights.dense_column(self.n_words + i);
                distance_squared(column, rays, &h, matrix.n_rows())
            });
            left.push(parts.sum());
        });
        for (t, step) in steps.iter_mut().enumerate() {
            let squared = step.residual * step.residual * total - left[t];
            step.residual = if own > 0.0 { (squared.max(0.0) / own).sqrt() } else { 0.0 };
            if let Some(words) = anchors.get(t) {
                step.anchor = words[0];
            }
        }
        steps
    }
}

/// The matrix with the mean column of each list of words added.
fn extend<'a>(
    matrix: &SparseMatrix<'static, f64>,
    lists: impl Iterator<Item = &'a Vec<usize>>,
) -> Result<SparseMatrix<'static, f64>> {
    let (offsets, rows, values) = matrix.csc();
    let (mut offsets, mut rows, mut values) = (offsets.to_vec(), rows.to_vec(), values.to_vec());
    for words in lists {
        for (d, v) in mean_column(matrix, words).into_iter().enumerate().filter(|(_, v)| *v > 0.0) {
            rows.push(d as u32);
            values.push(v);
        }
        offsets.push(rows.len());
    }
    let n_columns = offsets.len() - 1;
    Ok(SparseMatrix::from_csc(matrix.n_rows(), n_columns, offsets, rows, values)?)
}

fn mean_column(matrix: &SparseMatrix<'static, f64>, words: &[usize]) -> Vec<f64> {
    let mut mean = vec![0.0; matrix.n_rows()];
    for &j in words {
        matrix.column(j).for_each(|d, v| mean[d] += v / words.len() as f64);
    }
    mean
}

/// `||x - sum_k h_k ray_k||^2`.
fn distance_squared(x: &Column, rays: &[Column], h: &[f64], n_rows: usize) -> f64 {
    let mut rest = x.to_dense(n_rows);
    for (ray, &weight) in rays.iter().zip(h) {
        ray.for_each(|d, v| rest[d] -= weight * v);
    }
    rest.iter().fold(0.0, |sum, v| sum + v * v)
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

/// The heaviest words of each topic with their shares in it.
pub(crate) fn top_words_with_shares(
    h: &[f64],
    rank: usize,
    n_words: usize,
    vocabulary: &[String],
    excluded: &[usize],
    distinct: bool,
) -> Vec<Vec<(usize, f64)>> {
    let mut words = top_words(h, rank, n_words, vocabulary, excluded, distinct);
    for (words, sum) in words.iter_mut().zip(sums(h, rank, |v| v)) {
        words.iter_mut().for_each(|(_, weight)| *weight /= sum);
    }
    words
}

/// The first heaviest topic of each document, if it has any weight.
pub(crate) fn heaviest(weights: &[f64], rank: usize, n_documents: usize) -> Vec<Option<usize>> {
    if rank == 0 {
        return vec![None; n_documents];
    }
    let largest = |row: &[f64]| {
        let best = (0..rank).reduce(|best, k| if row[k] > row[best] { k } else { best });
        best.filter(|&k| row[k] > 0.0)
    };
    weights.par_chunks_exact(rank).map(largest).collect()
}

fn describe(
    steps: &[Step],
    anchors: &[Vec<usize>],
    words: Vec<Vec<(usize, f64)>>,
    topic_of_document: &[Option<usize>],
) -> Vec<Topic> {
    let shares = shares_of(topic_of_document, steps.len());
    let parts = steps.iter().zip(words).zip(shares).enumerate();
    parts
        .map(|(k, ((step, words), share))| Topic {
            anchors: anchors.get(k).cloned().unwrap_or_else(|| vec![step.anchor]),
            words,
            share,
            margin: step.margin,
        })
        .collect()
}

/// The part of all documents in which each topic is the heaviest.
pub(crate) fn shares_of(topic_of_document: &[Option<usize>], rank: usize) -> Vec<f64> {
    let mut counts = vec![0_usize; rank];
    topic_of_document.iter().flatten().for_each(|&k| counts[k] += 1);
    let n = topic_of_document.len().max(1) as f64;
    counts.into_iter().map(|count| count as f64 / n).collect()
}
