//! Writing texts with their ids and labels.
//!
//! | format | keeps | refuses |
//! |---|---|---|
//! | csv, jsonl, parquet | ids, labels, texts, bit by bit | |
//! | tsv | ids, labels, texts | line breaks |
//! | lines | texts only | line breaks, and texts of white space only, which are no documents |
//! | folder | ids as names of files, labels as sub-folders; the order is that of the names | ids and labels that cannot be names |

use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;

use super::atomic::AtomicFile;
use super::delimited::write_field;
use super::{folder, format_of, refused};
use crate::error::{Result, io_error};
use crate::format::Format;
use crate::table::Documents;

/// Formats that hold texts, for messages.
const TEXT_FORMATS: &str = "csv, tsv, jsonl, lines, folder or parquet";

/// Writes texts to a file or folder; `.gz` and `.zst` compress files.
///
/// The format is that of the name unless it is given; an existing folder is a folder. CSV, JSON
/// Lines and Parquet keep ids, labels and texts as they are, in columns `id`, `label` and `text`;
/// TSV does too, but for line breaks, which it refuses. `lines` keeps the texts only, one a line. A
/// folder gets one file `LABEL/ID.txt` for each document, and is read in the order of names; one
/// that is there already must be empty.
///
/// # Errors
/// If the format is unknown or cannot hold the texts, or the file cannot be written. What was there
/// before is left as it was.
///
/// # Examples
/// ```
/// use xray_data::{Documents, LoadOptions, load, save_documents};
/// let folder = tempfile::tempdir().expect("a temporary folder");
/// let path = folder.path().join("texts.csv.gz");
/// let documents = Documents {
///     ids: vec!["a".into(), "b".into()],
///     texts: vec!["one, two".into(), "three\nfour".into()],
///     labels: None,
/// };
/// save_documents(&documents, &path, None)?;
/// let again = load(&path.into(), &LoadOptions::default())?.into_documents();
/// assert_eq!(again, Some(documents));
/// # Ok::<(), xray_data::Error>(())
/// ```
pub fn save_documents(documents: &Documents, path: &Path, format: Option<Format>) -> Result<()> {
    documents.check()?;
    let format = format.or_else(|| path.is_dir().then_some(Format::Folder));
    let format = format_of(path, format, ".csv, .tsv, .jsonl, .parquet or .txt")?;
    let name = path.display().to_string();
    check(documents, format).map_err(|reason| refused(&name, format, reason))?;
    if format == Format::Folder {
        return folder::save(documents, path);
    }
    let mut file = AtomicFile::create(path)?;
    write_in(documents, &mut file, format).map_err(|e| io_error(&name, "write", e))?;
    file.commit()
}

/// Writes texts to any stream, without compression.
///
/// # Errors
/// If the format cannot hold the texts or is that of a folder, or the stream refuses.
pub fn write_documents(documents: &Documents, out: &mut dyn Write, format: Format) -> Result<()> {
    documents.check()?;
    check(documents, format).map_err(|reason| refused("output", format, reason))?;
    // Parquet is sent from thread to thread, which not every stream can be.
    let mut bytes = Vec::new();
    let written = match format {
        Format::Parquet => {
            write_in(documents, &mut bytes, format).and_then(|()| out.write_all(&bytes))
        }
        Format::Folder => {
            return Err(refused("output", format, "a stream cannot be a folder".to_owned()));
        }
        _ => write_text(documents, out, format),
    };
    written.map_err(|e| io_error("output", "write", e))
}

/// Refuses what a format cannot hold.
fn check(documents: &Documents, format: Format) -> Result<(), String> {
    match format {
        // The folder's own names are checked when it is written.
        Format::Csv | Format::Jsonl | Format::Folder => Ok(()),
        Format::Parquet if cfg!(feature = "parquet") => Ok(()),
        Format::Parquet => Err("build with the feature `parquet`".to_owned()),
        Format::Tsv => match documents.fields().find(|(_, field)| field.contains('\n')) {
            Some((d, _)) => Err(format!("document {} has a line break; write csv", d + 1)),
            None => Ok(()),
        },
        Format::Lines => {
            let broken =
                |t: &String| t.contains('\n') || t.ends_with('\r') || t.trim_ascii().is_empty();
            match documents.texts.iter().position(broken) {
                Some(d) => {
                    let reason = "has a line break or nothing but white space; write jsonl";
                    Err(format!("document {} {reason}", d + 1))
                }
                None => Ok(()),
            }
        }
        _ => Err(format!("it is for numbers; write {TEXT_FORMATS}, or weigh the texts first")),
    }
}

fn write_in(
    documents: &Documents,
    out: &mut (impl Write + Send),
    format: Format,
) -> io::Result<()> {
    match format {
        #[cfg(feature = "parquet")]
        Format::Parquet => super::parquet::write(documents, out),
        _ => write_text(documents, out, format),
    }
}

fn write_text(documents: &Documents, out: &mut dyn Write, format: Format) -> io::Result<()> {
    match format {
        Format::Tsv => write_delimited(documents, b'\t', out),
        Format::Jsonl => write_jsonl(documents, out),
        Format::Lines => write_lines(documents, out),
        _ => write_delimited(documents, b',', out),
    }
}

fn write_delimited(documents: &Documents, delimiter: u8, out: &mut dyn Write) -> io::Result<()> {
    let labels = documents.labels.as_deref();
    let mut write_record = |id: &str, label: Option<&str>, text: &str| -> io::Result<()> {
        if id.trim_ascii().is_empty() {
            // A line of white space would be no record.
            write!(out, "\"{id}\"")?;
        } else {
            write_field(id, delimiter, out)?;
        }
        for field in label.into_iter().chain([text]) {
            out.write_all(&[delimiter])?;
            write_field(field, delimiter, out)?;
        }
        out.write_all(b"\n")
    };
    write_record("id", labels.map(|_| "label"), "text")?;
    for (d, (id, text)) in documents.ids.iter().zip(&documents.texts).enumerate() {
        write_record(id, labels.map(|labels| labels[d].as_str()), text)?;
    }
    Ok(())
}

fn write_jsonl(documents: &Documents, out: &mut dyn Write) -> io::Result<()> {
    #[derive(Serialize)]
    struct Record<'a> {
        id: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        label: Option<&'a str>,
        text: &'a str,
    }
    for (d, (id, text)) in documents.ids.iter().zip(&documents.texts).enumerate() {
        let label = documents.labels.as_ref().map(|labels| labels[d].as_str());
        serde_json::to_writer(&mut *out, &Record { id, label, text })?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

fn write_lines(documents: &Documents, out: &mut dyn Write) -> io::Result<()> {
    if documents.texts.first().is_some_and(|text| text.starts_with(BYTE_ORDER_MARK)) {
        write!(out, "{BYTE_ORDER_MARK}")?;
    }
    documents.texts.iter().try_for_each(|text| writeln!(out, "{text}"))
}

/// A mark at the start of a file does not belong to its text: one that does is written twice.
pub(super) const BYTE_ORDER_MARK: char = '\u{feff}';
