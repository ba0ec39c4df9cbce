//! `xray convert`: between file formats.

use serde::Serialize;
use xray_data::{Documents, Format, Loaded, Table, save, save_documents};
use xray_pipeline::Corpus;

use crate::args::ConvertArgs;
use crate::data::{about, read, weigh_documents, weigh_table};
use crate::outcome::Outcome;
use crate::session::Session;

/// What `--json` prints.
#[derive(Serialize)]
struct Converted<'a> {
    output: &'a str,
    rows: usize,
    /// None for texts.
    columns: Option<usize>,
}

pub(crate) fn run(args: &ConvertArgs) -> anyhow::Result<Outcome> {
    let mut session = Session::new(&args.common)?;
    let written = match read(&mut session, &args.input)?.0 {
        Loaded::Documents(documents) if keeps_texts(args) => {
            let n = documents.len();
            save_texts(&mut session, &documents, args)?;
            (n, None)
        }
        Loaded::Documents(documents) => {
            let corpus = weigh_documents(&mut session, documents, &args.text);
            let corpus = about(&args.input, corpus)?;
            save_table(&mut session, &into_table(corpus), args)?
        }
        Loaded::Table(table) if args.text.weighting.is_some() => {
            let corpus = about(&args.input, weigh_table(&mut session, table, &args.text))?;
            save_table(&mut session, &into_table(corpus), args)?
        }
        Loaded::Table(table) => save_table(&mut session, &table, args)?,
    };
    let name = args.output.display().to_string();
    match written {
        (m, Some(n)) => session.note(format!("wrote {name} ({m} x {n})")),
        (m, None) => session.note(format!("wrote {name} ({m} texts)")),
    }
    if session.json {
        let (rows, columns) = written;
        session.print_answer(&Converted { output: &name, rows, columns })?;
    }
    Ok(Outcome::Done)
}

/// Whether texts stay texts: the output is of a format for texts, and no weights were asked for.
fn keeps_texts(args: &ConvertArgs) -> bool {
    let format = args.to.or_else(|| Format::from_path(&args.output));
    let for_texts = format.is_some_and(Format::writes_documents);
    for_texts && args.text.weighting.is_none()
}

fn into_table(corpus: Corpus) -> Table {
    Table {
        matrix: corpus.matrix.into(),
        row_names: Some(corpus.ids),
        column_names: Some(corpus.vectorizer.vocabulary().to_vec()),
        labels: corpus.labels,
    }
}

fn save_texts(
    session: &mut Session,
    documents: &Documents,
    args: &ConvertArgs,
) -> anyhow::Result<()> {
    Ok(session.stage("write", || save_documents(documents, &args.output, args.to))?)
}

fn save_table(
    session: &mut Session,
    table: &Table,
    args: &ConvertArgs,
) -> anyhow::Result<(usize, Option<usize>)> {
    session.stage("write", || save(table, &args.output, args.to))?;
    Ok((table.matrix.n_rows(), Some(table.matrix.n_columns())))
}
