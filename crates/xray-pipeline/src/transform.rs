//! Weights of new data under a saved model, on any number of ranks.

use xray_data::text::position_names;
use xray_data::{Budget, Model};
use xray_nmf::comm::Communicator;
use xray_nmf::{Matrix, Ownership, RowModel, SparseMatrix, nnls};

use crate::agree::together;
use crate::corpus::{ColumnNames, Corpus, RowNames, into_sparse};
use crate::documents::DocumentWeights;
use crate::error::{Error, Result};
use crate::forecast::check_model;
use crate::model::{dense_topics, heaviest_topics};
use crate::read::{Content, Entry, OwnDocuments, exchange};

/// Weights of the own rows, and what these are called.
#[derive(Debug, Clone, PartialEq)]
pub struct Transformed {
    /// What the own rows are called, and their classes.
    pub rows: RowNames,
    /// Their weights.
    pub documents: DocumentWeights,
}

/// Weighs new documents, or rows of a table, under a model; collective.
///
/// # Errors
/// If the data does not fit the model.
pub fn transform_rows(
    comm: &dyn Communicator,
    model: &Model,
    content: Content,
) -> Result<Transformed> {
    match content {
        Content::Documents(documents) => texts(comm, model, documents),
        Content::Table(corpus) => table(comm, model, *corpus),
    }
}

fn texts(comm: &dyn Communicator, model: &Model, documents: OwnDocuments) -> Result<Transformed> {
    let Some(vectorizer) = &model.preprocessing else {
        let message = "the model was fitted to a matrix; it cannot read texts";
        return together(comm, Err(Error::Usage(message.into())));
    };
    let OwnDocuments { own, n_documents, .. } = documents;
    let matrix = together(comm, vectorizer.transform(&own.texts))?;
    let rows = RowNames {
        own: Ownership::rows(n_documents, comm),
        ids: Some(own.ids),
        labels: own.labels,
    };
    weigh(comm, model, &matrix, rows)
}

fn table(comm: &dyn Communicator, model: &Model, mut corpus: Corpus) -> Result<Transformed> {
    let Some(vectorizer) = &model.preprocessing else {
        corpus.matrix.make_rows(comm)?;
        let Corpus { matrix, rows, .. } = corpus;
        return weigh(comm, model, matrix.rows().expect("rows are made"), rows);
    };
    let names = match corpus.names {
        ColumnNames::Given(names) => names,
        ColumnNames::Words(_) | ColumnNames::Positions => position_names(corpus.matrix.n_columns()),
    };
    let counts = match comm.size() {
        1 => into_sparse(corpus.matrix.into_columns())?,
        _ => {
            let (n, columns) = (corpus.matrix.n_columns(), corpus.matrix.columns());
            crate::read::own_rows(comm, columns.as_matrix(), n)?
        }
    };
    let matrix = together(comm, vectorizer.transform_counts(&counts, Some(&names)))?;
    drop(counts);
    weigh(comm, model, &matrix, corpus.rows)
}

fn weigh(
    comm: &dyn Communicator,
    model: &Model,
    matrix: &dyn Matrix,
    rows: RowNames,
) -> Result<Transformed> {
    let (rank, n) = (model.h.n_rows(), model.h.n_columns());
    if matrix.n_columns() != n {
        let message = format!(
            "found {} columns, expected {n}, as the model has (--transpose swaps rows and columns, \
             --columns weighs columns)",
            matrix.n_columns()
        );
        return together(comm, Err(Error::Mismatch(message)));
    }
    let fits = check_model(rank, n, matrix.n_rows(), Budget::of_process().limit());
    together(comm, fits)?;
    let weights = RowModel::new(rank, n, dense_topics(model))?.weights(matrix);
    Ok(transformed(model, rows, together(comm, weights)?))
}

fn transformed(model: &Model, rows: RowNames, weights: Vec<f64>) -> Transformed {
    let heaviest = heaviest_topics(model, &weights, rows.own.n_own());
    let documents = DocumentWeights { own: rows.own, rank: model.rank(), weights, heaviest };
    Transformed { rows, documents }
}

/// Weighs new columns as combinations of the model's W; collective. Each column becomes a row of weights,
/// at home with the owner of its block.
///
/// # Errors
/// If the model has no W, or the number of rows differs.
pub fn transform_columns(
    comm: &dyn Communicator,
    model: &Model,
    corpus: &Corpus,
) -> Result<Transformed> {
    let Some(w) = &model.w else {
        return together(comm, Err(Error::Mismatch("the model has no W; fit it again".into())));
    };
    if corpus.matrix.n_rows() != w.n_rows() {
        let message = format!(
            "found {} rows, expected {}, as the model's W has (--transpose swaps rows and columns)",
            corpus.matrix.n_rows(),
            w.n_rows()
        );
        return together(comm, Err(Error::Mismatch(message)));
    }
    let solved = nnls(w.as_matrix(), corpus.matrix.columns().as_matrix());
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
    let rows = RowNames { own, ids: Some(ids), labels: None };
    Ok(transformed(model, rows, weights))
}

/// All entries, column after column.
fn dense_lines(columns: &SparseMatrix<'static, f64>, length: usize) -> Vec<f64> {
    let mut dense = vec![0.0; columns.n_columns() * length];
    for (j, line) in dense.chunks_exact_mut(length.max(1)).enumerate() {
        columns.column(j).for_each(|k, value| line[k] = value);
    }
    dense
}
