//! Writing texts with their ids and labels.
//!
//! | format | keeps | refuses |
//! |---|---|---|
//! | csv, jsonl, parquet | ids, labels, texts, bit by bit | |
//! | tsv | ids, labels, texts | line breaks |
//! | lines | texts only | line breaks, and texts of white space only, which are no documents |
//! | folder | ids as names of files, labels as sub-folders; the order is that of the names | ids and labels that cannot be names |

use std::io::Write;
use std::path::Path;

use super::atomic::AtomicFile;
use super::{format_of, refused};
use crate::error::{Result, io_error};
use crate::formats::{DocumentWriter, Format};
use crate::table::Documents;

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
///     times: None,
/// };
/// save_documents(&documents, &path, None)?;
/// let again = load(&path.into(), &LoadOptions::default())?.into_documents();
/// assert_eq!(again, Some(documents));
/// # Ok::<(), xray_data::Error>(())
/// ```
pub fn save_documents(
    documents: &Documents,
    path: &Path,
    format: Option<&'static Format>,
) -> Result<()> {
    documents.check()?;
    let format = match format {
        None if path.is_dir() => Format::from_name("folder")?,
        _ => format_of(path, format, Format::writes_documents)?,
    };
    let name = path.display().to_string();
    match writer(format, &name)? {
        DocumentWriter::Folder(save) => save(documents, path),
        DocumentWriter::File { check, write } => {
            check(documents).map_err(|reason| refused(&name, format, reason))?;
            let mut file = AtomicFile::create(path)?;
            write(documents, &mut file).map_err(|e| io_error(&name, "write", e))?;
            file.commit()
        }
    }
}

/// Writes texts to any stream, without compression.
///
/// # Errors
/// If the format cannot hold the texts or is that of a folder, or the stream refuses.
pub fn write_documents(
    documents: &Documents,
    out: &mut (dyn Write + Send),
    format: &Format,
) -> Result<()> {
    documents.check()?;
    let name = "output";
    match writer(format, name)? {
        DocumentWriter::File { check, write } => {
            check(documents).map_err(|reason| refused(name, format, reason))?;
            write(documents, out).map_err(|e| io_error(name, "write", e))
        }
        DocumentWriter::Folder(_) => {
            Err(refused(name, format, "a stream cannot be a folder".to_owned()))
        }
    }
}

/// How a format writes texts.
fn writer<'a>(format: &'a Format, file: &str) -> Result<&'a DocumentWriter> {
    format.write_documents.as_ref().ok_or_else(|| {
        let others = Format::names(Format::writes_documents);
        let reason = format!("it is for numbers; write one of {others}, or weigh the texts first");
        refused(file, format, reason)
    })
}

/// A mark at the start of a file does not belong to its text: one that does is written twice.
pub(crate) const BYTE_ORDER_MARK: char = '\u{feff}';
