//! Topics to and from the model file.

use serde_json::Value;
use xray_data::text::{Vectorizer, position_names};
use xray_data::{LoadedMatrix, Model, ModelClusters, ModelKind, Provenance};
use xray_nmf::comm::Communicator;
use xray_nmf::{Matrix, RowModel, SparseMatrix};

use crate::clusters::Clusters;
use crate::corpus::RowNames;
use crate::documents::{heaviest, shares_of};
use crate::edit::given_names;
use crate::error::Result;
use crate::report::{TopicsParameters, object};
use crate::seeds::resolve_words;
use crate::topics::{Topic, Topics};
use crate::words::{Listing, describe_words};

impl Topics {
    /// Everything needed to weigh new documents, for [`Model::save`], on rank 0; collective. `rows` are
    /// the documents of the corpus, `vectorizer` weighed them. The weights of other ranks' documents arrive
    /// block by block, and zeros are left out.
    ///
    /// # Errors
    /// If the factors are larger than a matrix can be.
    pub fn to_model(
        &self,
        comm: &dyn Communicator,
        rows: &RowNames,
        vectorizer: &Vectorizer,
        parameters: &TopicsParameters,
        provenance: Provenance,
    ) -> Result<Option<Model>> {
        let mut w = Rows::new(self.rank());
        let mut of_documents = Vec::new();
        self.documents.for_each_block(comm, rows, |block| {
            w.push(block.weights, block.ids.len());
            of_documents.extend_from_slice(block.clusters.unwrap_or_default());
            Ok(())
        })?;
        if comm.rank() > 0 {
            return Ok(None);
        }
        let mut model = self.to_model_without_w(vectorizer, parameters, provenance)?;
        if let Some(clusters) = &mut model.clusters {
            clusters.documents = Some(of_documents);
        }
        Ok(Some(Model { w: Some(w.into_matrix()?.into()), ..model }))
    }

    /// The same without the weights of the documents, on any rank.
    ///
    /// # Errors
    /// If H is larger than a matrix can be.
    pub fn to_model_without_w(
        &self,
        vectorizer: &Vectorizer,
        parameters: &TopicsParameters,
        provenance: Provenance,
    ) -> Result<Model> {
        let h = sparse_rows(&self.h, vectorizer.vocabulary().len(), self.rank())?.transposed();
        let anchors = self.run.steps.iter().map(|step| step.anchor).collect();
        Ok(Model {
            parameters: object(parameters),
            provenance,
            residual_norm: self.run.steps.iter().map(|step| step.residual).collect(),
            preprocessing: Some(vectorizer.clone()),
            clusters: Some(saved_clusters(
                &self.clusters,
                vectorizer.vocabulary().len(),
                self.rank(),
            )?),
            ..Model::new(ModelKind::Topics, anchors, h.into())
        })
    }
}

/// What decides the clusters, as a model keeps it.
pub(crate) fn saved_clusters(
    clusters: &Clusters,
    n_words: usize,
    rank: usize,
) -> Result<ModelClusters> {
    let Clusters { centroids, log_sizes, sharpness } = clusters;
    Ok(ModelClusters {
        centroids: sparse_rows(centroids, n_words, rank)?.transposed().into(),
        log_sizes: log_sizes.clone(),
        sharpness: *sharpness,
        documents: None,
    })
}

/// What decides the clusters of new rows under a model, if it has clusters.
pub fn model_clusters(model: &Model) -> Option<Clusters> {
    let ModelClusters { centroids, log_sizes, sharpness, .. } = model.clusters.as_ref()?;
    let (centroids, log_sizes) = (transposed(centroids), log_sizes.clone());
    Some(Clusters { centroids, log_sizes, sharpness: *sharpness })
}

/// Rows of numbers without zeros, as they arrive.
struct Rows {
    rank: usize,
    offsets: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
}

impl Rows {
    fn new(rank: usize) -> Self {
        Self { rank, offsets: vec![0], columns: Vec::new(), values: Vec::new() }
    }

    /// Appends `n_rows` rows of `rank` numbers each.
    fn push(&mut self, numbers: &[f64], n_rows: usize) {
        for d in 0..n_rows {
            let row = &numbers[d * self.rank..(d + 1) * self.rank];
            for (k, &v) in row.iter().enumerate().filter(|(_, v)| **v != 0.0) {
                self.columns.push(k as u32);
                self.values.push(v);
            }
            self.offsets.push(self.values.len());
        }
    }

    fn into_matrix(self) -> Result<SparseMatrix<'static, f64>> {
        let n_rows = self.offsets.len() - 1;
        let Self { rank, offsets, columns, values } = self;
        Ok(SparseMatrix::from_csr(n_rows, rank, offsets, columns, values)?)
    }
}

/// The nonzero entries of `n_rows` rows of `rank` numbers each.
///
/// # Errors
/// If there are more rows than a matrix can have.
pub fn sparse_rows(
    numbers: &[f64],
    n_rows: usize,
    rank: usize,
) -> Result<SparseMatrix<'static, f64>> {
    let mut rows = Rows::new(rank);
    rows.push(numbers, n_rows);
    rows.into_matrix()
}

/// The topics of a saved model, as they were listed when it was fitted.
///
/// Words that were given to topics or excluded are looked up in the model's parameters `anchor` and
/// `exclude`. How clearly anchors were chosen is not in the file; shares are 0 if it has no W.
pub fn model_topics(model: &Model, n_words: usize, distinct: bool) -> Vec<Topic> {
    let rank = model.rank();
    let names = model.column_names().map(<[String]>::to_vec);
    let names = names.unwrap_or_else(|| position_names(model.h.n_columns()));
    let (given, excluded) = given_words(model);
    let h = dense_topics(model);
    let (excluded, vocabulary) = (&excluded, &names);
    let listing = Listing { n_words, vocabulary, excluded, distinct, given: &given };
    let anchor = |k: usize| model.anchors.get(k).map_or_else(Vec::new, |&anchor| vec![anchor]);
    let anchors = |k: usize| given.get(k).cloned().unwrap_or_else(|| anchor(k));
    let anchors: Vec<Vec<usize>> = (0..rank).map(anchors).collect();
    let words = describe_words(&h, rank, &listing, &anchors);
    let shares = match &model.w {
        Some(w) => shares_of(&heaviest_topics(model, &dense_rows(w), w.n_rows()), rank),
        None => vec![0.0; rank],
    };
    let parts = anchors.into_iter().zip(words).zip(shares);
    let topics = parts.map(|((anchors, words), share)| Topic::new(anchors, words, share, None));
    let names = given_names(model).into_iter().chain(std::iter::repeat(None));
    let named = |(topic, name): (Topic, Option<String>)| Topic {
        name: name.unwrap_or(topic.name.clone()),
        ..topic
    };
    topics.zip(names).map(named).collect()
}

/// The columns of the words that topics began with, and of those that were excluded.
fn given_words(model: &Model) -> (Vec<Vec<usize>>, Vec<usize>) {
    let Some(vectorizer) = &model.preprocessing else { return Default::default() };
    let lists = |name| model.parameters.get(name).map_or_else(Vec::new, word_lists);
    let columns = |lists: &[Vec<String>]| resolve_words(vectorizer, lists).columns;
    (columns(&lists("anchor")), columns(&lists("exclude")).concat())
}

/// A list of lists of words; a list of words may be written with commas between them.
fn word_lists(value: &Value) -> Vec<Vec<String>> {
    let words = |list: &Value| match list {
        Value::String(text) => crate::seeds::split_words(text),
        Value::Array(words) => words.iter().filter_map(|w| w.as_str().map(String::from)).collect(),
        _ => Vec::new(),
    };
    value.as_array().map_or_else(Vec::new, |lists| lists.iter().map(words).collect())
}

/// The transpose of H: `rank` weights for each column.
pub fn dense_topics(model: &Model) -> Vec<f64> {
    transposed(&model.h)
}

/// All entries, column after column.
fn transposed(matrix: &LoadedMatrix) -> Vec<f64> {
    let (rank, n) = (matrix.n_rows(), matrix.n_columns());
    let mut entries = vec![0.0; n * rank];
    for k in 0..rank {
        matrix.for_each_in_row(k, |j, v| entries[j * rank + k] = v);
    }
    entries
}

/// All entries, row after row.
pub fn dense_rows(matrix: &LoadedMatrix) -> Vec<f64> {
    let n = matrix.n_columns();
    let mut entries = vec![0.0; matrix.n_rows() * n];
    for d in 0..matrix.n_rows() {
        matrix.for_each_in_row(d, |j, v| entries[d * n + j] = v);
    }
    entries
}

/// The weights of new rows under a model: one row of `rank` numbers for each.
///
/// # Errors
/// If the number of columns differs, or the model has negative weights.
pub fn apply(model: &Model, rows: &dyn Matrix) -> Result<Vec<f64>> {
    let (rank, n) = (model.h.n_rows(), model.h.n_columns());
    Ok(RowModel::new(rank, n, dense_topics(model))?.weights(rows)?)
}

/// The topic that explains most of each row: the largest weight times the length of the topic.
pub fn heaviest_topics(model: &Model, weights: &[f64], n_rows: usize) -> Vec<Option<usize>> {
    let rank = model.rank();
    let length = |k: usize| {
        let mut squares = 0.0;
        model.h.for_each_in_row(k, |_, v| squares += v * v);
        squares.sqrt()
    };
    let lengths: Vec<f64> = (0..rank).map(length).collect();
    let scaled: Vec<f64> =
        weights.iter().enumerate().map(|(i, weight)| weight * lengths[i % rank]).collect();
    heaviest(&scaled, rank, n_rows)
}
