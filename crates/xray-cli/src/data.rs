//! Reading what the arguments name.

use xray_data::text::{DocumentFrequency, Dropped, TextHint, Vectorizer};
use xray_data::{Encoding, Format, LoadOptions, Provenance};
use xray_nmf::comm::Communicator;
use xray_nmf::{ErrorKind, Gate, Noise};
use xray_pipeline::{
    ColumnNames, Content, Corpus, InputFacts, TextRequest, as_table, weigh, weigh_counts,
};
use xray_report::number;

use crate::agree::together;
use crate::args::{InputArgs, TextArgs, choice};
use crate::outcome::{UsageError, as_typed, kind};
use crate::session::Session;

/// Documents whose language is looked at: so many the first of many ranks has at least.
const DOCUMENTS_LOOKED_AT: usize = 1_000;

/// Reads numbers or texts.
pub(crate) fn read(
    comm: &dyn Communicator,
    session: &mut Session,
    args: &InputArgs,
) -> anyhow::Result<Content> {
    read_as(comm, session, args, &args.load_options())
}

/// Reads numbers or texts as those of a model, where nothing else is said.
pub(crate) fn read_like(
    comm: &dyn Communicator,
    session: &mut Session,
    args: &InputArgs,
    known: &Provenance,
) -> anyhow::Result<Content> {
    let options = args.load_options();
    let zero_based = options.zero_based.or(known.zero_based);
    let content = read_as(comm, session, args, &LoadOptions { zero_based, ..options })?;
    let found = session.input.as_ref().map(|facts| &facts.text).filter(|found| !found.is_empty());
    if let Some(found) = found
        && args.text.is_empty()
        && !known.text.is_empty()
        && *found != known.text
    {
        session.warn(as_typed(&format!(
            "the model's texts were those of {}, and these are those of {} (--text decides)",
            known.text.join(" + "),
            found.join(" + ")
        )));
    }
    Ok(content)
}

/// Reads numbers or texts, with their dates if a column is named.
pub(crate) fn read_dated(
    comm: &dyn Communicator,
    session: &mut Session,
    args: &InputArgs,
    time: Option<&str>,
) -> anyhow::Result<Content> {
    let options = LoadOptions { time: time.map(choice), ..args.load_options() };
    read_as(comm, session, args, &options)
}

fn read_as(
    comm: &dyn Communicator,
    session: &mut Session,
    args: &InputArgs,
    options: &LoadOptions,
) -> anyhow::Result<Content> {
    let inputs = together(comm, args.inputs())?;
    let content = session.stage("read", || xray_pipeline::read(comm, &inputs, options))?;
    let facts = InputFacts::new(comm, &content)?;
    if let Some(facts) = &facts {
        session.note(told(facts, args));
        for bad in &facts.first_bad {
            session.note(as_typed(&format!("left out: {bad}")));
        }
        if facts.bad_records > facts.first_bad.len() {
            let more = facts.bad_records - facts.first_bad.len();
            session.note(format!("left out: {} more", number::count(more as u64)));
        }
    }
    session.input = facts;
    Ok(content)
}

/// What was decided about the data, in one line, with the options that decide otherwise.
fn told(facts: &InputFacts, args: &InputArgs) -> String {
    let InputFacts { name, format, .. } = facts;
    let mut line = match facts.files {
        0 | 1 => format!("{name}: {format}"),
        n => format!("{name}: {} files, {format}", number::count(n as u64)),
    };
    let delimiter = facts.delimiter.filter(|&c| format == "csv" && c != ',');
    line += &delimiter.map_or(String::new(), |c| format!(" between {c:?}"));
    line += match facts.header {
        Some(true) => " with header",
        Some(false) => " without header",
        None => "",
    };
    if !facts.encodings.is_empty() {
        let names: Vec<&str> = facts.encodings.iter().map(|encoding| encoding.name()).collect();
        line += &format!(" in {}", names.join(" and "));
    }
    line += match facts.zero_based {
        Some(true) => " with columns from 0",
        Some(false) => " with columns from 1",
        None => "",
    };
    let columns = told_columns(facts, args);
    if !columns.is_empty() {
        line += &format!("; {}", columns.join(", "));
    }
    let others = overriding(facts, args);
    if !others.is_empty() {
        let verb = if others.len() == 1 { "decides" } else { "decide" };
        line += &format!(" ({} {verb} otherwise)", others.join(", "));
    }
    line + "; " + &told_size(facts)
}

/// What a robust search saw of the noise, and decided.
pub(crate) fn noise_words(noise: Noise, rank: usize) -> String {
    let Noise { gate, deviation, directions, .. } = noise;
    let seen = match gate {
        Gate::Unknown => String::new(),
        _ => format!(
            " (noise of {deviation:.3} in an entry, {directions} of {rank} directions above it)"
        ),
    };
    format!("robust: {}{seen}\n", gate.words())
}

/// Which columns hold what.
fn told_columns(facts: &InputFacts, args: &InputArgs) -> Vec<String> {
    // A column of a table without header is known by its number.
    let named = |column: &String| match facts.header {
        Some(false) => format!("column {column}"),
        _ => format!("{column:?}"),
    };
    let mut columns = Vec::new();
    if let Some(part) = &facts.part {
        columns
            .push(format!("{} {part:?}", if facts.format == "xlsx" { "sheet" } else { "array" }));
    }
    if !facts.text.is_empty() {
        let names: Vec<String> = facts.text.iter().map(named).collect();
        columns.push(format!("text {}", names.join(" + ")));
    }
    columns.extend(facts.id.as_ref().map(|id| format!("ids {}", named(id))));
    match &facts.label {
        _ if args.labels_file().is_some() => {
            let file = args.labels.as_deref().unwrap_or_default();
            columns.push(format!("labels from the file {file:?}"));
        }
        Some(label) => columns.push(format!("labels {}", named(label))),
        None if facts.labelled => columns.push("with labels".to_owned()),
        None => {}
    }
    columns.extend(facts.time.as_ref().map(|time| format!("dates {}", named(time))));
    columns
}

/// The options for what was guessed.
fn overriding(facts: &InputFacts, args: &InputArgs) -> Vec<&'static str> {
    let columns = facts.header.is_some() || !facts.text.is_empty();
    let format = Format::from_name(&facts.format);
    let is_guessed = facts.format != "folder" && !format.is_ok_and(Format::is_signed);
    let open = [
        ("--format", args.format.is_none() && is_guessed),
        ("--encoding", args.encoding == Encoding::Auto && !facts.encodings.is_empty()),
        ("--header", args.header.is_none() && facts.header.is_some()),
        ("--delimiter", args.delimiter.is_none() && facts.format == "csv"),
        ("--zero-based", args.zero_based.is_none() && facts.format == "svmlight"),
        ("--sheet", args.sheet.is_none() && facts.part.is_some() && facts.format == "xlsx"),
        ("--variable", args.variable.is_none() && facts.part.is_some() && facts.format != "xlsx"),
        ("--text", args.text.is_empty() && !facts.text.is_empty()),
        ("--id", args.id.is_none() && columns),
        ("--labels", args.labels.is_none() && columns),
    ];
    open.into_iter().filter(|(_, open)| *open).map(|(option, _)| option).collect()
}

/// How much there is, and what was left out.
fn told_size(facts: &InputFacts) -> String {
    let rows = facts.rows as u64;
    let mut size = match facts.columns {
        Some(columns) => {
            format!(
                "{} x {}",
                counted(rows, "row", "rows"),
                counted(columns as u64, "column", "columns")
            )
        }
        None => counted(rows, "document", "documents"),
    };
    if facts.empty > 0 {
        size += &format!(", {} of them empty", number::count(facts.empty as u64));
    }
    if facts.blank_lines > 0 {
        size += &format!(", {} blank lines left out", number::count(facts.blank_lines as u64));
    }
    if facts.bad_records > 0 {
        let records = counted(facts.bad_records as u64, "bad record", "bad records");
        size += &format!(", {records} left out");
    }
    if facts.left_out_files > 0 {
        let files = counted(facts.left_out_files as u64, "other file", "other files");
        size += &format!(", {files} left out");
    }
    size
}

/// Reads a matrix; texts are refused.
pub(crate) fn read_table(
    comm: &dyn Communicator,
    session: &mut Session,
    args: &InputArgs,
) -> anyhow::Result<Corpus> {
    let content = read(comm, session, args)?;
    Ok(as_table(comm, content, &args.name())?)
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
    tell_language(session, &content, &request);
    let corpus = session.stage("text", || weigh(comm, content, &request));
    let corpus = about(input, corpus.map_err(Into::into))?;
    tell_words(session, &corpus);
    Ok(corpus)
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
    tell_language(session, &content, &request);
    let corpus = session.stage("text", || weigh_counts(comm, content, &request));
    let corpus = about(input, corpus.map_err(Into::into))?;
    tell_words(session, &corpus);
    Ok(corpus)
}

/// Tells what to say for texts in another language than English, where English was taken for granted. The first rank has the
/// first documents.
fn tell_language(session: &Session, content: &Content, request: &TextRequest) {
    let Content::Documents(documents) = content else { return };
    let texts = &documents.own.texts;
    let hint = TextHint::of(&texts[..texts.len().min(DOCUMENTS_LOOKED_AT)]);
    if let (Some(language), true) = (hint.language, request.text.stop_words.are_english()) {
        let (words, name) = (language.words(), language.name());
        let stem = match request.text.stemming {
            Some(_) => String::new(),
            None => format!(" --stem {name}"),
        };
        session.note(format!("the text looks like {words}: --stop-words {name}{stem}"));
    }
    if let (Some(language), None) = (hint.unspaced, &request.text.token_pattern) {
        session.warn(format!(
            "the text looks like {language}, which has no spaces between words: put spaces there first, with a program that \
             knows its words"
        ));
    }
}

/// Tells which words texts were found to have, and what was dropped.
fn tell_words(session: &mut Session, corpus: &Corpus) {
    let (Some(dropped), ColumnNames::Words(vectorizer)) = (corpus.dropped, &corpus.names) else {
        return;
    };
    if let Some(facts) = &mut session.input {
        (facts.words, facts.dropped) = (Some(corpus.n_words()), Some(dropped));
    }
    session.note(told_words(&dropped, vectorizer));
}

/// How many documents and words there are; what was dropped of the vocabulary, where a word counts once, and of the
/// texts.
fn told_words(dropped: &Dropped, vectorizer: &Vectorizer) -> String {
    let documents = vectorizer.n_documents();
    let mut line = counted(documents as u64, "document", "documents");
    line += &format!(", {} kept", counted(vectorizer.vocabulary().len() as u64, "word", "words"));
    let (least, most) = vectorizer.options().frequency_range(documents).unwrap_or_default();
    let half = vectorizer.options().max_df == DocumentFrequency::Automatic;
    let most = if half { "half".to_owned() } else { number::count(most as u64) };
    let of_vocabulary = [
        (
            dropped.rare,
            format!("in fewer than {}", counted(least.ceil() as u64, "document", "documents")),
        ),
        (dropped.frequent, format!("in more than {most}")),
        (dropped.surplus, "that are not among the most frequent".to_owned()),
    ];
    let of_vocabulary = of_vocabulary.iter().filter(|(count, _)| *count > 0).enumerate();
    let of_vocabulary = of_vocabulary.map(|(k, (count, why))| match k {
        0 => format!("{} {why}", counted(*count, "word", "words")),
        _ => format!("{} {why}", number::count(*count)),
    });
    let of_texts = [
        (dropped.stop_words, "stop word", "stop words"),
        (dropped.numbers, "number", "numbers"),
        (dropped.urls, "link", "links"),
        (dropped.emails, "address", "addresses"),
        (dropped.tags, "tag or entity", "tags and entities"),
        (dropped.headers, "line of headers", "lines of headers"),
        (dropped.quotes, "line above a quote", "lines above quotes"),
        (dropped.signatures, "signature", "signatures"),
    ];
    let of_texts = of_texts.iter().filter(|(count, ..)| *count > 0);
    let of_texts = of_texts.map(|(count, one, many)| counted(*count, one, many));
    let listed = |parts: Vec<String>| parts.join(", ");
    let parts = [listed(of_vocabulary.collect()), listed(of_texts.collect())];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    if !parts.is_empty() {
        line += &format!("; dropped: {}", parts.join("; "));
    }
    line
}

/// A count with its noun.
pub(crate) fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{} {}", number::count(count), if count == 1 { one } else { many })
}

/// Tells that rare words are no anchors, if they are not.
pub(crate) fn tell_frequent(session: &Session, least: Option<u64>) {
    if let Some(least) = least {
        session.note(format!(
            "anchors are in at least {} (--anchor-min-df decides otherwise)",
            counted(least, "document", "documents")
        ));
    }
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
