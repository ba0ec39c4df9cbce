//! `xray convert`: between file formats.

use serde::Serialize;
use xray_data::text::position_names;
use xray_data::{Documents, Format, Table, check_output, save, save_documents};
use xray_nmf::comm::OneRank;
use xray_pipeline::{ColumnNames, Content, Corpus, TextRequest};

use crate::args::ConvertArgs;
use crate::data::{read, weigh_content};
use crate::outcome::{Outcome, UsageError};
use crate::output::Guarded;
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
    let mut session = Session::new(&args.common);
    if args.output.as_os_str() == "-" {
        let message = "-: name a file, or /dev/stdout with --to FORMAT for standard output";
        return Err(UsageError(message.into()).into());
    }
    let files = check_output(&args.output, args.to)?;
    Guarded::new(&args.input).and_words(&args.text).check(&OneRank, files)?;
    let written = match read(&OneRank, &mut session, &args.input)? {
        Content::Documents(documents) if keeps_texts(args) => {
            refuse_options_of_words(args, "texts stay texts")?;
            save_texts(&mut session, &documents.own, args)?;
            (documents.n_documents, None)
        }
        Content::Table(corpus) if args.text.weighting.is_none() => {
            refuse_options_of_words(args, "numbers stay as they are")?;
            save_table(&mut session, &into_table(*corpus), args)?
        }
        content => {
            let (input, text) = (&args.input, &args.text);
            let mut corpus = weigh_content(&OneRank, &mut session, input, text, content)?;
            // Documents that have no names are called by their places in what is written.
            let n = corpus.n_documents();
            corpus.rows.ids.get_or_insert_with(|| position_names(n));
            save_table(&mut session, &into_table(corpus), args)?
        }
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

/// Refuses what would be asked for in vain.
fn refuse_options_of_words(args: &ConvertArgs, because: &str) -> anyhow::Result<()> {
    if args.text.request()? == TextRequest::default() {
        return Ok(());
    }
    let message = format!(
        "{because} in {}, and options that choose or weigh words would be lost: leave them out, or ask for \
         --weighting",
        args.output.display()
    );
    Err(UsageError(message).into())
}

fn into_table(corpus: Corpus) -> Table {
    Table {
        row_names: corpus.rows.ids,
        column_names: match corpus.names {
            ColumnNames::Words(vectorizer) => Some(vectorizer.vocabulary().to_vec()),
            ColumnNames::Given(names) => Some(names),
            ColumnNames::Positions => None,
        },
        labels: corpus.rows.labels,
        times: None,
        matrix: corpus.matrix.into_columns(),
    }
}

fn save_texts(
    session: &mut Session,
    documents: &Documents,
    args: &ConvertArgs,
) -> anyhow::Result<()> {
    session.stage("write", || save_documents(documents, &args.output, args.to))?;
    tell_dropped(session, args, |format| format.dropped_from(documents), "csv and jsonl have");
    Ok(())
}

/// Says what the format of the output has no place for, and which ones have.
fn tell_dropped(
    session: &Session,
    args: &ConvertArgs,
    dropped: impl Fn(&Format) -> Vec<&'static str>,
    others: &str,
) {
    let Some(format) = args.to.or_else(|| Format::from_path(&args.output)) else { return };
    let parts = dropped(format).join(" and ");
    if !parts.is_empty() {
        session.note(format!("{parts} are left out, as {format} has no place for them; {others}"));
    }
}

fn save_table(
    session: &mut Session,
    table: &Table,
    args: &ConvertArgs,
) -> anyhow::Result<(usize, Option<usize>)> {
    session.stage("write", || save(table, &args.output, args.to))?;
    tell_dropped(session, args, |format| format.dropped(table), "npz and mat have");
    Ok((table.matrix.n_rows(), Some(table.matrix.n_columns())))
}
