//! Reading any file.

use std::path::{Path, PathBuf};

use crate::compression::Compression;
use crate::error::{Error, Malformed, Result, io_error};
use crate::formats::{BlankLines, FORMATS, Format, Parsed, ReadTexts, Reader, detect};
use crate::hash::FileHash;
use crate::model::{Origin, Reading};
use crate::options::{ColumnChoice, LoadOptions};
use crate::read::names::{is_label_name, read_labels, read_names, read_names_for};
use crate::schema::Schema;
use crate::source::{Input, Source};
use crate::table::{Documents, Loaded, Table};

/// Reads a file, a folder of texts, or standard input.
///
/// The format is recognised by content unless the options name it; gzip, Zstandard, xz and bzip2 are taken
/// off. The words of a UCI `docword.*` file are taken from the `vocab.*` file beside it.
///
/// # Errors
/// If the input cannot be read, is not what its format calls for, or names do not fit; see
/// [`Error`](crate::Error). Sizes that a header declares are checked before memory is spent on them.
///
/// # Examples
/// ```
/// use xray_data::{Input, LoadOptions, Loaded, load};
/// let bytes = b"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 0.5\n".to_vec();
/// let input = Input::Bytes { name: "small.mtx".into(), bytes };
/// let Loaded::Table(table) = load(&input, &LoadOptions::default())? else { panic!("numbers") };
/// assert_eq!((table.matrix.n_rows(), table.matrix.n_entries()), (2, 1));
/// # Ok::<(), xray_data::Error>(())
/// ```
pub fn load(input: &Input, options: &LoadOptions) -> Result<Loaded> {
    load_with_origin(input, options).map(|(loaded, _)| loaded)
}

/// As [`load`], with the hash of what was read: the bytes are hashed as they pass, so that nothing is read
/// again, or is gone by then.
///
/// # Errors
/// As [`load`].
///
/// # Examples
/// ```
/// use xray_data::{ContentHash, Input, LoadOptions, load_with_origin};
/// let input = Input::Bytes { name: "texts".into(), bytes: b"one\ntwo\n".to_vec() };
/// let (_, origin) = load_with_origin(&input, &LoadOptions::default())?;
/// assert_eq!(origin.hash(), ContentHash::of(b"one\ntwo\n"));
/// # Ok::<(), xray_data::Error>(())
/// ```
pub fn load_with_origin(input: &Input, options: &LoadOptions) -> Result<(Loaded, Origin)> {
    let ReadFile { format, read, files } = match input.folder() {
        Some(path) => read_folder(path, options)?,
        None => read_file(Source::open(input, options)?, options)?,
    };
    let Parsed { loaded, layout, zero_based, blank, noticed } = read;
    let reading = Reading {
        schema: Schema { format: format.name.to_owned(), layout, zero_based },
        blank_lines: blank.places.len(),
        noticed,
    };
    let loaded = complete(loaded, &blank, input, format, options)?;
    Ok((loaded, Origin { name: input.name(), files, reading: Some(Box::new(reading)) }))
}

/// Transposes, adds what side files say, and checks that there is something.
pub(crate) fn complete(
    loaded: Loaded,
    blank: &BlankLines,
    input: &Input,
    format: &Format,
    options: &LoadOptions,
) -> Result<Loaded> {
    match loaded {
        Loaded::Table(table) => {
            let table = if options.transpose { table.transposed() } else { table };
            let table = with_names(table, input, format, options)?;
            let (m, n) = (table.matrix.n_rows(), table.matrix.n_columns());
            require_data(input, m > 0 && n > 0, "entries")?;
            Ok(Loaded::Table(options.cut_table(table)))
        }
        Loaded::Documents(documents) => {
            let some = !documents.is_empty() || options.share.is_some();
            require_data(input, some, "documents")?;
            with_labels(documents, blank, options).map(Loaded::Documents)
        }
    }
}

/// Refuses a choice of columns or variables where there are none: it would be lost silently.
fn check_choices(format: &Format, options: &LoadOptions) -> Result<()> {
    let Format { has_columns, has_variables, .. } = *format;
    let shown = |choice: Option<&ColumnChoice>| choice.map(ToString::to_string);
    let choices = [
        ("text", shown(options.text.first()), has_columns),
        ("id", shown(options.id.as_ref()), has_columns),
        ("label", shown(options.label.as_ref()), has_columns || has_variables),
        ("time", shown(options.time.as_ref()), has_columns),
        ("variable", options.variable.clone(), has_variables),
        ("sheet", options.sheet.clone(), format.name == "xlsx"),
    ];
    for (name, chosen, possible) in choices {
        if let (Some(value), false) = (chosen, possible) {
            let allowed = format!(
                "the format {format} has none to choose; leave it out, or name the right format"
            );
            return Err(Error::Parameter { name, value, allowed });
        }
    }
    check_records(format, options)
}

/// Refuses to be told how records are written where there are none.
fn check_records(format: &Format, options: &LoadOptions) -> Result<()> {
    let delimited = ["csv", "tsv", "spaced"].contains(&format.name);
    let shown = |yes: bool| if yes { "yes" } else { "no" }.to_owned();
    let delimiter = options.delimiter.map(|byte| byte.escape_ascii().to_string());
    for (name, said, possible) in [
        ("delimiter", delimiter, delimited),
        ("header", options.header.map(shown), delimited || format.name == "xlsx"),
        ("quoting", options.quoting.map(shown), delimited),
    ] {
        if let (Some(value), false) = (said, possible) {
            let allowed = format!(
                "the format {format}, in which it is read, has none; leave it out, or say `format` csv"
            );
            return Err(Error::Parameter { name, value, allowed });
        }
    }
    Ok(())
}

/// A file or folder that was read.
pub(crate) struct ReadFile {
    pub format: &'static Format,
    pub read: Parsed,
    /// The hash of each file.
    pub files: Vec<FileHash>,
}

fn read_folder(path: &Path, options: &LoadOptions) -> Result<ReadFile> {
    let of_folders = |format: &&'static Format| matches!(format.read, Reader::Folder(_));
    let format = options.format.or_else(|| FORMATS.into_iter().find(of_folders));
    let file = path.display().to_string();
    match format {
        Some(format @ Format { read: Reader::Folder(read), .. }) => {
            check_choices(format, options)?;
            let ReadTexts { documents, files, noticed } = read(path, options)?;
            let read = Parsed { noticed, ..documents.into() };
            Ok(ReadFile { format, read, files })
        }
        Some(format) => {
            let expected = format!("a file in the format {format}");
            Err(Malformed::new(&file, "a folder", expected).into())
        }
        None => Err(Malformed::new(&file, "a folder", "a file").into()),
    }
}

pub(crate) fn read_file(source: Source, options: &LoadOptions) -> Result<ReadFile> {
    let (name, stored, told) = (source.name.clone(), source.stored(), source.told());
    let format = match options.format {
        Some(format) => format,
        None => detect(&source.name, source.start())?,
    };
    check_choices(format, options)?;
    match format.read {
        Reader::File(read) => {
            let mut read = read(source, options)?;
            read.noticed = read.noticed.in_encoding(told.other_than_utf8());
            let hash = stored.hash().map_err(|e| io_error(&name, "read", e))?;
            Ok(ReadFile { format, read, files: vec![FileHash { name, hash }] })
        }
        Reader::Folder(_) => Err(Malformed::new(&name, "a file", format.words).into()),
    }
}

/// Adds names from side files and checks that they fit.
fn with_names(
    mut table: Table,
    input: &Input,
    format: &Format,
    options: &LoadOptions,
) -> Result<Table> {
    let (m, n) = (table.matrix.n_rows(), table.matrix.n_columns());
    // The words of a bag of words stand beside it; transposed, they name the rows.
    let words = match (format.names_beside, input) {
        (Some(place), Input::Path(path)) => in_any_compression(&place(path)),
        _ => None,
    };
    let (row_words, column_words) = if options.transpose { (words, None) } else { (None, words) };
    if let Some(path) = options.column_names.clone().or(column_words) {
        table.column_names = Some(side_file(path, options, n, "column")?);
    }
    if let Some(path) = options.row_names.clone().or(row_words) {
        table.row_names = Some(side_file(path, options, m, "row")?);
    }
    if let Some(path) = &options.labels {
        table.labels = Some(label_file(path, options, m, "row")?);
    }
    table.check_names()?;
    Ok(table)
}

/// Adds the classes of a file with one for each document, or for each line with those that are blank.
fn with_labels(
    mut documents: Documents,
    blank: &BlankLines,
    options: &LoadOptions,
) -> Result<Documents> {
    if let Some(path) = &options.labels {
        documents.labels = Some(match options.share {
            None => labels_of_lines(path, options, blank, documents.len())?,
            // Of a part it is not known how many documents there are in all, but for lines.
            Some(_) if blank.n_documents == 0 => {
                let all = read_names(&Input::Path(path.clone()), options)?;
                options.cut_labels(&documents, all)?
            }
            Some(_) => {
                let all = labels_of_lines(path, options, blank, blank.n_documents)?;
                options.cut_labels(&documents, all)?
            }
        });
    }
    documents.check()?;
    Ok(documents)
}

/// The classes of `n` documents. Where some lines of the texts are blank, the list may have a line for these, too:
/// then it is blank there, or its first line is a class that comes again, and no header.
fn labels_of_lines(
    path: &Path,
    options: &LoadOptions,
    blank: &BlankLines,
    n: usize,
) -> Result<Vec<String>> {
    let places = &blank.places;
    if places.is_empty() {
        return label_file(path, options, n, "document");
    }
    let (file, n_lines) = (Input::Path(path.to_owned()), n + places.len());
    let by_line = read_names_for(&file, options, n_lines)?;
    let fits = by_line.len() == n_lines;
    if fits && places.iter().all(|&place| by_line[place].trim().is_empty()) {
        return Ok(without(by_line, places));
    }
    let labels = read_labels(&file, options, n)?;
    if labels.len() == n {
        return Ok(labels);
    }
    if fits && !is_label_name(&by_line[0]) && by_line[1..].contains(&by_line[0]) {
        return Ok(without(by_line, places));
    }
    let found = format!("{} labels", labels.len());
    let expected =
        format!("{n}, one for each document, or {n_lines}, one for each line of the texts");
    let remedy = "take blank lines out of the texts, or leave the label blank where the text is";
    Err(Malformed::new(&file.name(), found, expected).remedy(remedy).into())
}

/// A list without the entries at these places, which ascend.
fn without(list: Vec<String>, places: &[usize]) -> Vec<String> {
    let kept = list.into_iter().enumerate().filter(|(k, _)| places.binary_search(k).is_err());
    kept.map(|(_, entry)| entry).collect()
}

fn side_file(path: PathBuf, options: &LoadOptions, n: usize, each: &str) -> Result<Vec<String>> {
    let file = Input::Path(path);
    let names = read_names_for(&file, options, n)?;
    check_number(&file, format!("{} names", names.len()), names.len(), n, each)?;
    Ok(names)
}

fn label_file(path: &Path, options: &LoadOptions, n: usize, each: &str) -> Result<Vec<String>> {
    let file = Input::Path(path.to_owned());
    let labels = read_labels(&file, options, n)?;
    check_number(&file, format!("{} labels", labels.len()), labels.len(), n, each)?;
    Ok(labels)
}

fn check_number(file: &Input, found: String, n: usize, needed: usize, each: &str) -> Result<()> {
    if n == needed {
        return Ok(());
    }
    let expected = format!("{needed}, one for each {each}");
    let remedy = "check that it belongs to this data, or transpose the matrix";
    Err(Malformed::new(&file.name(), found, expected).remedy(remedy).into())
}

fn require_data(input: &Input, some: bool, what: &str) -> Result<()> {
    if !some {
        return Err(Malformed::new(&input.name(), format!("no {what}"), "at least one").into());
    }
    Ok(())
}

/// The file of this name that is there, compressed in any way or not at all.
fn in_any_compression(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.to_str()?;
    let plain = Compression::without_ending(name);
    let packed = Compression::endings().map(|ending| format!("{plain}.{ending}"));
    std::iter::once(plain.to_owned())
        .chain(packed)
        .map(|name| path.with_file_name(name))
        .find(|candidate| candidate.is_file())
}
