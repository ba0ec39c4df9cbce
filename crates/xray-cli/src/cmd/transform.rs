//! `xray transform`: weights of new data under a saved model.

use std::path::Path;

use anyhow::Context;
use xray_data::text::{Vectorizer, position_names};
use xray_data::{Documents, Format, Loaded, LoadedMatrix, Model, Table, save};
use xray_nmf::{DenseMatrix, Matrix, SparseMatrix, nnls};
use xray_pipeline::report::{TransformReport, WeightRows};
use xray_pipeline::{apply, heaviest_topics, into_sparse};

use crate::args::TransformArgs;
use crate::data::{about, read};
use crate::outcome::{Outcome, UsageError};
use crate::output::write_file;
use crate::session::{STDOUT, Session};

pub(crate) fn run(args: &TransformArgs) -> anyhow::Result<Outcome> {
    let mut session = Session::new(&args.common)?;
    let model = session.stage("model", || Model::load(&args.model))?;
    let (loaded, _) = read(&mut session, &args.input)?;
    let weighed = session.stage("weights", || match (loaded, args.columns) {
        (Loaded::Table(table), true) => columns(&model, table, args),
        (Loaded::Documents(_), true) => {
            Err(UsageError("--columns is for matrices, and this is text".into()).into())
        }
        (Loaded::Documents(documents), false) => texts(&model, documents, args),
        (Loaded::Table(table), false) => rows(&model, table, args),
    })?;
    if let Some(path) = &args.output {
        session.stage("write", || weighed.save(path))?;
        session.note(format!("wrote {}", path.display()));
    }
    if args.common.json {
        session.print_answer(&TransformReport::new(&weighed.rows()))?;
    } else if args.output.is_none() {
        weighed.rows().write(&mut std::io::stdout().lock()).context(STDOUT)?;
    }
    Ok(Outcome::Done)
}

/// Weights, and what the rows are called.
struct Weighed {
    ids: Vec<String>,
    labels: Option<Vec<String>>,
    topics: Vec<Option<usize>>,
    weights: Vec<f64>,
    rank: usize,
}

fn texts(model: &Model, documents: Documents, args: &TransformArgs) -> anyhow::Result<Weighed> {
    let Some(vectorizer) = &model.preprocessing else {
        return Err(UsageError(format!(
            "{}: the model was fitted to a matrix; it cannot read texts",
            args.model.display()
        ))
        .into());
    };
    let matrix = vectorizer.transform(&documents.texts)?;
    weigh(model, &matrix, documents.ids, documents.labels, args)
}

fn rows(model: &Model, table: Table, args: &TransformArgs) -> anyhow::Result<Weighed> {
    let Table { matrix, row_names, column_names, labels } = table;
    let ids = row_names.unwrap_or_else(|| position_names(matrix.n_rows()));
    match &model.preprocessing {
        Some(vectorizer) => {
            let matrix = about(&args.input, counts(vectorizer, matrix, column_names))?;
            weigh(model, &matrix, ids, labels, args)
        }
        None => weigh(model, matrix.as_matrix(), ids, labels, args),
    }
}

/// Counts weighed as those that the model was fitted to.
fn counts(
    vectorizer: &Vectorizer,
    matrix: LoadedMatrix,
    names: Option<Vec<String>>,
) -> anyhow::Result<SparseMatrix<'static, f64>> {
    Ok(vectorizer.transform_counts(&into_sparse(matrix)?, names.as_deref())?)
}

fn weigh(
    model: &Model,
    matrix: &dyn Matrix,
    ids: Vec<String>,
    labels: Option<Vec<String>>,
    args: &TransformArgs,
) -> anyhow::Result<Weighed> {
    let n = model.h.n_columns();
    anyhow::ensure!(
        matrix.n_columns() == n,
        "{}: found {} columns, expected {n}, as the model has (--transpose swaps rows and columns, \
         --columns weighs columns)",
        args.input.source().name(),
        matrix.n_columns(),
    );
    let weights = apply(model, matrix, args.common.threads()).map_err(anyhow::Error::from);
    let weights = about(&args.input, weights)?;
    let rank = model.rank();
    let topics = heaviest_topics(model, &weights, matrix.n_rows());
    Ok(Weighed { ids, labels, topics, weights, rank })
}

/// New columns as combinations of the model's W.
fn columns(model: &Model, table: Table, args: &TransformArgs) -> anyhow::Result<Weighed> {
    let Some(w) = &model.w else {
        anyhow::bail!("{}: the model has no W; fit it again", args.model.display());
    };
    anyhow::ensure!(
        table.matrix.n_rows() == w.n_rows(),
        "{}: found {} rows, expected {}, as the model's W has (--transpose swaps rows and columns)",
        args.input.source().name(),
        table.matrix.n_rows(),
        w.n_rows(),
    );
    let rank = model.rank();
    let ids = table.column_names.unwrap_or_else(|| position_names(table.matrix.n_columns()));
    let threads = args.common.threads();
    let solved = nnls(w.as_matrix(), table.matrix.as_matrix(), threads)?;
    let weights = solved.solutions.concat();
    let topics = heaviest_topics(model, &weights, ids.len());
    Ok(Weighed { ids, labels: None, topics, weights, rank })
}

impl Weighed {
    fn rows(&self) -> WeightRows<'_> {
        WeightRows {
            ids: &self.ids,
            labels: self.labels.as_deref(),
            topics: &self.topics,
            weights: &self.weights,
            rank: self.rank,
        }
    }

    fn save(&self, path: &Path) -> anyhow::Result<()> {
        if Format::from_path(path).is_some_and(|format| format.name == "csv") {
            return write_file(path, |out| self.rows().write(out));
        }
        let matrix = DenseMatrix::from_row_major(self.ids.len(), self.rank, self.weights.clone())?;
        let table = Table {
            row_names: Some(self.ids.clone()),
            column_names: Some((1..=self.rank).map(|k| format!("topic_{k}")).collect()),
            ..Table::new(matrix.into())
        };
        Ok(save(&table, path, None)?)
    }
}
