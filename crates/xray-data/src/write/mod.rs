//! Writing, so that reading back gives the same bits.
//!
//! Files are written aside and renamed when they are complete: a killed run leaves no half file,
//! and nothing is overwritten on error. Numbers in text formats are the shortest decimals that
//! read back as the same f64.

mod aside;
mod atomic;
mod documents;
mod number;

pub(crate) use aside::AtomicFolder;
pub use atomic::AtomicFile;
pub(crate) use documents::BYTE_ORDER_MARK;
pub use documents::{save_documents, write_documents};
pub use number::Digits;
pub(crate) use number::write_number;

use std::io::Write;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result, io_error};
use crate::formats::{DocumentWriter, Format};
use crate::table::Table;

/// Writes a table to a file; `.gz` and `.zst` compress.
///
/// The format is that of the name unless it is given. All keep every bit of the numbers; of names
/// and labels they keep:
///
/// | format | row names | column names | labels |
/// |---|---|---|---|
/// | npz, mat | yes | yes | yes |
/// | csv, tsv, spaced | yes | yes | |
/// | docword | | in a file `vocab.*` or `*.vocab` beside it | |
/// | svmlight | | | numbers only |
/// | mtx, npy | | | |
///
/// svmlight does not keep empty columns at the end. Names in csv, tsv and spaced that look like
/// numbers get rows or columns counted from 1 beside them, so that they are not read as numbers.
///
/// # Errors
/// If the format is unknown or cannot hold the table, or the file cannot be written. What was there
/// before is left as it was.
///
/// # Examples
/// ```
/// use xray_data::{Input, LoadOptions, Table, load, save};
/// use xray_nmf::SparseMatrix;
/// let folder = tempfile::tempdir().expect("a temporary folder");
/// let path = folder.path().join("x.mtx.gz");
/// let x = SparseMatrix::from_triplets(2, 2, [(0, 1, 0.1)]).expect("in range");
/// save(&Table::new(x.into()), &path, None)?;
/// let again = load(&path.into(), &LoadOptions::default())?.into_table().expect("numbers");
/// assert_eq!(again.matrix.n_entries(), 1);
/// # Ok::<(), xray_data::Error>(())
/// ```
pub fn save(table: &Table, path: &Path, format: Option<&'static Format>) -> Result<()> {
    table.check_names()?;
    let format = format_of(path, format, Format::writes_tables)?;
    let names = table.column_names.as_ref().zip(format.names_beside.map(|place| place(path)));
    if let Some((_, place)) = &names {
        check_names_beside(path, place, format)?;
    }
    let mut file = AtomicFile::create(path)?;
    write_in(table, &mut file, format, &path.display().to_string())?;
    // Both are complete before either takes its name.
    let words = names.map(|(words, place)| write_names(words, &place)).transpose()?;
    file.commit()?;
    words.map_or(Ok(()), AtomicFile::commit)
}

/// Checks, before there is anything to write, that numbers or texts can be written to a file or folder: the format is
/// known, and the place can be written to. Returns the files that will be written.
///
/// # Errors
/// If the format is unknown, or the folder does not exist or cannot be written to.
///
/// # Examples
/// ```
/// use xray_data::check_output;
/// let folder = tempfile::tempdir().expect("a temporary folder");
/// assert!(check_output(&folder.path().join("x.npz"), None).is_ok());
/// assert!(check_output(&folder.path().join("x.docx"), None).is_err());
/// assert!(check_output(&folder.path().join("missing/x.npz"), None).is_err());
/// ```
pub fn check_output(path: &Path, format: Option<&'static Format>) -> Result<Vec<PathBuf>> {
    let format = match format {
        None if path.is_dir() => Format::from_name("folder")?,
        _ => format_of(path, format, |it| it.writes_tables() || it.writes_documents())?,
    };
    if matches!(format.write_documents, Some(DocumentWriter::Folder(_))) {
        AtomicFolder::create(path)?;
        return Ok(vec![path.to_owned()]);
    }
    AtomicFile::check(path)?;
    let names = format.names_beside.map(|place| place(path));
    Ok([path.to_owned()].into_iter().chain(names).collect())
}

/// The format that is asked for, or that of the name; `fits` tells which ones to offer if neither is known.
fn format_of(
    path: &Path,
    format: Option<&'static Format>,
    fits: fn(&Format) -> bool,
) -> Result<&'static Format> {
    format.or_else(|| Format::from_path(path)).ok_or_else(|| Error::Parameter {
        name: "output",
        value: path.display().to_string(),
        allowed: format!("end it in one of {}, or name a format", Format::usual_endings(fits)),
    })
}

pub(crate) fn refused(file: &str, format: &Format, reason: String) -> Error {
    Error::NotWritable { file: file.to_owned(), format: format.name, reason }
}

/// Writes a table to any stream, without compression.
///
/// # Errors
/// If the format cannot hold the table or cannot be written, or the stream refuses.
pub fn write_table(table: &Table, out: &mut dyn Write, format: &Format) -> Result<()> {
    table.check_names()?;
    write_in(table, out, format, "output")
}

/// Refuses to replace a file of names that belongs to no file of this name: it is somebody's own.
fn check_names_beside(path: &Path, place: &Path, format: &Format) -> Result<()> {
    if path.exists() || !place.exists() {
        return Ok(());
    }
    let place = place.display();
    let reason = format!(
        "the words would replace {place}, which belongs to something else; move that file, or choose another name"
    );
    Err(refused(&path.display().to_string(), format, reason))
}

/// Writes one name a line.
fn write_names(names: &[String], path: &Path) -> Result<AtomicFile> {
    let file = path.display().to_string();
    if let Some(name) = names.iter().find(|name| name.contains(['\n', '\r'])) {
        let reason = format!("the name {name:?} has more than one line");
        return Err(Error::NotWritable { file, format: "names", reason });
    }
    let mut out = AtomicFile::create(path)?;
    for name in names {
        writeln!(out, "{name}").map_err(|e| io_error(&file, "write", e))?;
    }
    Ok(out)
}

fn write_in(table: &Table, out: &mut dyn Write, format: &Format, file: &str) -> Result<()> {
    let Some(writer) = &format.write_table else {
        let others = Format::names(Format::writes_tables);
        return Err(refused(file, format, format!("it is for texts; write one of {others}")));
    };
    (writer.check)(table).map_err(|reason| refused(file, format, reason))?;
    (writer.write)(table, out).map_err(|e| io_error(file, "write", e))
}
