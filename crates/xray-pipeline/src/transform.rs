//! Weights of new data under a saved model, on any number of ranks.

use serde_json::Value;
use xray_data::{Budget, LoadedMatrix, Model};
use xray_nmf::comm::{Communicator, OneRank};
use xray_nmf::{Matrix, Ownership, RowModel, SparseMatrix, nnls};

use crate::agree::together;
use crate::corpus::{Corpus, DistributedMatrix, RowNames, into_sparse};
use crate::documents::{DocumentWeights, Explained};
use crate::error::{Error, Result};
use crate::forecast::check_model;
use crate::left_over::{explained_part, row_errors};
use crate::matching::{ColumnMatch, Matched, match_columns, match_rows, names_of_counts};
use crate::model::{dense_topics, heaviest_topics, model_clusters};
use crate::read::{Content, Entry, OwnDocuments, exchange};
use crate::report::LEAST_EXPLAINED;

/// Weights of the own rows, and what these are called.
#[derive(Debug, Clone, PartialEq)]
pub struct Transformed {
    /// What the own rows are called, and their classes.
    pub rows: RowNames,
    /// Their weights.
    pub documents: DocumentWeights,
    /// What people should know about the columns: which were left out, or could not be told by name.
    pub notes: Vec<String>,
}

/// Weighs new documents, or rows of a table whose columns are found as `how` says, under a model; collective.
///
/// # Errors
/// If the data does not fit the model.
pub fn transform_rows(
    comm: &dyn Communicator,
    model: &Model,
    content: Content,
    how: ColumnMatch,
) -> Result<Transformed> {
    match content {
        Content::Documents(documents) => texts(comm, model, *documents),
        Content::Table(corpus) => table(comm, model, *corpus, how),
    }
}

fn texts(comm: &dyn Communicator, model: &Model, documents: OwnDocuments) -> Result<Transformed> {
    let Some(vectorizer) = &model.preprocessing else {
        let message = "the model was fitted to a matrix; it cannot read texts";
        return together(comm, Err(Error::Usage(message.into())));
    };
    let OwnDocuments { own, n_documents, .. } = documents;
    let matrix = together(comm, vectorizer.transform(&own.texts))?.into();
    drop(own.texts);
    let rows = RowNames {
        own: Ownership::rows(n_documents, comm),
        ids: Some(own.ids),
        labels: own.labels,
        times: None,
    };
    weigh(comm, model, &matrix, rows)
}

fn table(
    comm: &dyn Communicator,
    model: &Model,
    corpus: Corpus,
    how: ColumnMatch,
) -> Result<Transformed> {
    let Corpus { matrix, names, rows, .. } = corpus;
    let Some(vectorizer) = &model.preprocessing else {
        let matched = together(comm, match_columns(model.column_names(), &names, how))?;
        let own = own_rows_of(comm, matrix)?;
        let own = match matched.order {
            Some(order) => own.columns_at(&order),
            None => own,
        };
        let weighed = weigh(comm, model, &own, rows)?;
        return Ok(Transformed { notes: matched.notes, ..weighed });
    };
    let names = names_of_counts(vectorizer, names, matrix.n_columns(), how);
    let (names, notes) = together(comm, names)?;
    let counts = into_sparse(own_rows_of(comm, matrix)?)?;
    let matrix = vectorizer.transform_counts(&counts, names.as_deref());
    let matrix = together(comm, matrix)?.into();
    drop(counts);
    Ok(Transformed { notes, ..weigh(comm, model, &matrix, rows)? })
}

/// The own rows, with all columns; collective.
fn own_rows_of(comm: &dyn Communicator, matrix: DistributedMatrix) -> Result<LoadedMatrix> {
    if comm.size() == 1 {
        return Ok(matrix.into_columns());
    }
    let (n, columns) = (matrix.n_columns(), matrix.columns());
    Ok(crate::read::own_rows(comm, columns.as_matrix(), n)?.into())
}

/// Texts or counts as a model of topics sees them, on one rank.
///
/// # Errors
/// If the model is of a matrix, or the data does not fit it.
pub fn corpus_under(model: &Model, content: Content) -> Result<Corpus> {
    let Some(vectorizer) = &model.preprocessing else {
        return Err(Error::Usage("the model was fitted to a matrix; it cannot read texts".into()));
    };
    let (matrix, ids, labels, origin) = match content {
        Content::Documents(documents) => {
            let (own, origin) = (documents.own, documents.origin);
            (vectorizer.transform(&own.texts)?, Some(own.ids), own.labels, origin)
        }
        Content::Table(corpus) => {
            let Corpus { matrix, names, rows, origin, .. } = *corpus;
            let how = ColumnMatch::Names;
            let (names, _) = names_of_counts(vectorizer, names, matrix.n_columns(), how)?;
            let counts = into_sparse(own_rows_of(&OneRank, matrix)?)?;
            let weighed = vectorizer.transform_counts(&counts, names.as_deref())?;
            (weighed, rows.ids, rows.labels, origin)
        }
    };
    let mut corpus = Corpus { origin, ..Corpus::of_words(matrix, vectorizer.clone(), ids, labels) };
    corpus.matrix.make_rows(&OneRank)?;
    Ok(corpus)
}

fn weigh(
    comm: &dyn Communicator,
    model: &Model,
    rows_of_x: &LoadedMatrix,
    rows: RowNames,
) -> Result<Transformed> {
    let (rank, n) = (model.h.n_rows(), model.h.n_columns());
    let matrix = rows_of_x.as_matrix();
    if matrix.n_columns() != n {
        let message = format!(
            "found {} columns, expected {n}, as the model has (--transpose swaps rows and columns, \
             --columns weighs columns)",
            matrix.n_columns()
        );
        return together(comm, Err(Error::Mismatch(message)));
    }
    let held = model.bytes() + rows_of_x.bytes() + rows.bytes();
    let fits = check_model(rank, n, matrix.n_rows(), held, Budget::of_process().limit());
    together(comm, fits)?;
    let topics = RowModel::new(rank, n, dense_topics(model))?;
    let weights = together(comm, topics.weights(matrix))?;
    let errors = row_errors(matrix, &topics.into_topics(), &weights, rank, |_| true);
    let mut weighed = transformed(model, rows, weights);
    let parts = errors.iter().map(explained_part).collect();
    let least = model.parameters.get(LEAST_EXPLAINED).and_then(Value::as_f64).unwrap_or(0.0);
    weighed.documents.explained = Some(Explained { parts, least });
    weighed.documents.clusters = model_clusters(model).map(|clusters| clusters.assign(matrix));
    Ok(weighed)
}

fn transformed(model: &Model, rows: RowNames, weights: Vec<f64>) -> Transformed {
    let heaviest = heaviest_topics(model, &weights, rows.own.n_own());
    let (own, rank) = (rows.own, model.rank());
    let documents =
        DocumentWeights { own, rank, weights, heaviest, clusters: None, explained: None };
    Transformed { rows, documents, notes: Vec::new() }
}

/// Weighs new columns as combinations of the model's W, whose rows are found as `how` says; collective. Each column
/// becomes a row of weights, at home with the owner of its block.
///
/// # Errors
/// If the model has no W, or the rows are not those of W.
pub fn transform_columns(
    comm: &dyn Communicator,
    model: &Model,
    corpus: &Corpus,
    how: ColumnMatch,
) -> Result<Transformed> {
    let Some(w) = &model.w else {
        return together(comm, Err(Error::Mismatch("the model has no W; fit it again".into())));
    };
    let ids = corpus.rows.all_ids(comm)?;
    let matched = match_rows(model.row_names.as_deref(), ids.as_deref(), how);
    let Matched { order, notes } = together(comm, matched)?;
    let n_rows = order.as_ref().map_or(corpus.matrix.n_rows(), Vec::len);
    if n_rows != w.n_rows() {
        let message = format!(
            "found {n_rows} rows, expected {}, as the model's W has (--transpose swaps rows and columns)",
            w.n_rows()
        );
        return together(comm, Err(Error::Mismatch(message)));
    }
    let own = corpus.matrix.columns();
    let ordered = order.map(|order| own.rows_at(&order));
    let own = ordered.as_ref().unwrap_or(own);
    let solved = nnls(w.as_matrix(), own.as_matrix());
    let solved = together(comm, solved)?.solutions;
    let (rank, n) = (model.rank(), corpus.matrix.n_columns());
    let layout = Ownership::columns(n, comm);
    let own = Ownership::rows(n, comm);
    let entries = || {
        solved.iter().enumerate().flat_map(|(i, weights)| {
            let line = layout.global(i) as u32;
            let entries = weights.iter().enumerate().filter(|(_, value)| **value != 0.0);
            entries.map(move |(k, &value)| Entry { line, place: k as u32, value })
        })
    };
    let arrived = together(comm, exchange(comm, &own, rank, entries))?;
    let weights = dense_lines(&arrived, rank);
    let listed = corpus.words();
    let ids = (0..own.n_own()).map(|place| listed[own.global(place)].clone()).collect();
    let rows = RowNames { own, ids: Some(ids), labels: None, times: None };
    Ok(Transformed { notes, ..transformed(model, rows, weights) })
}

/// All entries, column after column.
fn dense_lines(columns: &SparseMatrix<'static, f64>, length: usize) -> Vec<f64> {
    let mut dense = vec![0.0; columns.n_columns() * length];
    for (j, line) in dense.chunks_exact_mut(length.max(1)).enumerate() {
        columns.column(j).for_each(|k, value| line[k] = value);
    }
    dense
}
