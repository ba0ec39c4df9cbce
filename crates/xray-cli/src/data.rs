//! Reading what the arguments name.

use xray_data::Provenance;
use xray_nmf::ErrorKind;
use xray_nmf::comm::Communicator;
use xray_pipeline::{ColumnNames, Content, Corpus, weigh, weigh_counts};

use crate::agree::together;
use crate::args::{InputArgs, TextArgs};
use crate::outcome::{UsageError, kind};
use crate::session::Session;

/// Reads numbers or texts.
pub(crate) fn read(
    comm: &dyn Communicator,
    session: &mut Session,
    args: &InputArgs,
) -> anyhow::Result<Content> {
    let options = args.load_options();
    let inputs = together(comm, args.inputs())?;
    Ok(session.stage("read", || xray_pipeline::read(comm, &inputs, &options))?)
}

/// Reads a matrix; texts are refused.
pub(crate) fn read_table(
    comm: &dyn Communicator,
    session: &mut Session,
    args: &InputArgs,
) -> anyhow::Result<Corpus> {
    let options = args.load_options();
    let inputs = together(comm, args.inputs())?;
    Ok(session.stage("read", || xray_pipeline::read_table(comm, &inputs, &options))?)
}

/// Reads texts or counts, and weighs them.
pub(crate) fn read_corpus(
    comm: &dyn Communicator,
    session: &mut Session,
    input: &InputArgs,
    text: &TextArgs,
) -> anyhow::Result<Corpus> {
    let content = read(comm, session, input)?;
    weigh_content(comm, session, input, text, content)
}

/// Weighs texts and counts.
pub(crate) fn weigh_content(
    comm: &dyn Communicator,
    session: &mut Session,
    input: &InputArgs,
    text: &TextArgs,
    content: Content,
) -> anyhow::Result<Corpus> {
    let request = together(comm, text.request())?;
    let corpus = session.stage("text", || weigh(comm, content, &request));
    about(input, corpus.map_err(Into::into))
}

/// Reads any data: texts and counts are weighed, other numbers are taken as they are.
pub(crate) fn read_weighed(
    comm: &dyn Communicator,
    session: &mut Session,
    input: &InputArgs,
    text: &TextArgs,
) -> anyhow::Result<Corpus> {
    let content = read(comm, session, input)?;
    let request = together(comm, text.request())?;
    let corpus = session.stage("text", || weigh_counts(comm, content, &request));
    about(input, corpus.map_err(Into::into))
}

/// What the model file tells of the data, which was hashed while it was read.
pub(crate) fn provenance(corpus: &Corpus, seed: u64) -> Provenance {
    corpus.origin.as_ref().map(|origin| origin.provenance(seed)).unwrap_or_default()
}

/// Says which data an error is about, unless an argument is wrong.
pub(crate) fn about<T>(input: &InputArgs, result: anyhow::Result<T>) -> anyhow::Result<T> {
    result.map_err(|error| match kind(&error) {
        ErrorKind::Usage => error,
        _ => error.context(input.name()),
    })
}

/// A column by its name, or by its position if no column has that name.
pub(crate) fn find_column(name: &str, corpus: &Corpus) -> anyhow::Result<usize> {
    let names = corpus.words();
    if let Some(j) = names.iter().position(|other| other == name) {
        return Ok(j);
    }
    let n = names.len();
    let named = corpus.names != ColumnNames::Positions;
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
