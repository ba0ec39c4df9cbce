//! Reading what the arguments name.

use xray_data::text::position_names;
use xray_data::{Documents, Loaded, LoadedMatrix, Origin, Table, load_with_origin};
use xray_nmf::ErrorKind;
use xray_pipeline::{Corpus, is_whole};

use crate::args::{InputArgs, TextArgs};
use crate::outcome::{UsageError, kind};
use crate::session::Session;

/// Reads numbers or texts, and tells what was read: nothing is read again later.
pub(crate) fn read(session: &mut Session, args: &InputArgs) -> anyhow::Result<(Loaded, Origin)> {
    let source = args.source();
    let (loaded, origin) =
        session.stage("read", || load_with_origin(&source, &args.load_options()))?;
    if args.transpose && matches!(loaded, Loaded::Documents(_)) {
        return Err(UsageError("--transpose is for matrices, and this is text".into()).into());
    }
    Ok((loaded, origin))
}

/// Reads a matrix; texts are refused.
pub(crate) fn read_table(
    session: &mut Session,
    args: &InputArgs,
) -> anyhow::Result<(Table, Origin)> {
    match read(session, args)? {
        (Loaded::Table(table), origin) => Ok((table, origin)),
        (Loaded::Documents(documents), _) => {
            let name = args.source().name();
            let n = documents.len();
            Err(anyhow::anyhow!(
                "{name}: found {n} texts, expected numbers; use `xray topics`, or make a matrix with \
                 `xray convert`"
            ))
        }
    }
}

/// Reads texts or counts, and weighs them.
pub(crate) fn read_corpus(
    session: &mut Session,
    input: &InputArgs,
    text: &TextArgs,
) -> anyhow::Result<(Corpus, Origin)> {
    let (loaded, origin) = read(session, input)?;
    let corpus = match loaded {
        Loaded::Documents(documents) => weigh_documents(session, documents, text),
        Loaded::Table(table) => weigh_table(session, table, text),
    };
    Ok((about(input, corpus)?, origin))
}

/// Says which data an error is about, unless an argument is wrong.
pub fn about<T>(input: &InputArgs, result: anyhow::Result<T>) -> anyhow::Result<T> {
    result.map_err(|error| match kind(&error) {
        ErrorKind::Usage => error,
        _ => error.context(input.source().name()),
    })
}

pub(crate) fn weigh_documents(
    session: &mut Session,
    documents: Documents,
    text: &TextArgs,
) -> anyhow::Result<Corpus> {
    let options = text.options(true)?;
    Ok(session.stage("text", || Corpus::from_documents(documents, options))?)
}

pub(crate) fn weigh_table(
    session: &mut Session,
    table: Table,
    text: &TextArgs,
) -> anyhow::Result<Corpus> {
    let options = text.options(is_whole(&table.matrix))?;
    Ok(session.stage("text", || Corpus::from_table(table, options))?)
}

/// Names of the columns, or their positions.
pub(crate) fn column_names(table: &Table) -> Vec<String> {
    match &table.column_names {
        Some(names) => names.clone(),
        None => position_names(table.matrix.n_columns()),
    }
}

/// A column by its name, or by its position if no column has that name.
pub(crate) fn find_column(name: &str, names: &[String], named: bool) -> anyhow::Result<usize> {
    if let Some(j) = names.iter().position(|other| other == name) {
        return Ok(j);
    }
    let n = names.len();
    let message = match name.parse::<usize>() {
        Ok(j) if j < n => return Ok(j),
        Ok(_) => format!("column {name}: there are {n}, counted from 0"),
        Err(_) if named => format!("no column is called \"{name}\""),
        Err(_) => format!(
            "column \"{name}\": the columns have no names (give them with --terms); use positions, \
             counted from 0"
        ),
    };
    Err(UsageError(message).into())
}

/// A matrix that is ready to be factored.
pub(crate) struct Weighed {
    pub matrix: LoadedMatrix,
    /// Names of the columns, or their positions.
    pub names: Vec<String>,
    /// Whether the columns have names.
    pub named: bool,
    pub labels: Option<Vec<String>>,
}

/// Reads any data: texts and counts are weighed, other numbers are taken as they are.
pub(crate) fn read_weighed(
    session: &mut Session,
    input: &InputArgs,
    text: &TextArgs,
) -> anyhow::Result<Weighed> {
    let corpus = match read(session, input)?.0 {
        Loaded::Documents(documents) => weigh_documents(session, documents, text),
        Loaded::Table(table) => match &table.matrix {
            LoadedMatrix::Sparse(_) if text.weighting.is_some() || is_whole(&table.matrix) => {
                weigh_table(session, table, text)
            }
            _ => {
                let names = column_names(&table);
                let Table { matrix, column_names, labels, .. } = table;
                return Ok(Weighed { matrix, names, named: column_names.is_some(), labels });
            }
        },
    };
    let Corpus { matrix, vectorizer, labels, .. } = about(input, corpus)?;
    let names = vectorizer.vocabulary().to_vec();
    Ok(Weighed { matrix: matrix.into(), names, named: true, labels })
}
