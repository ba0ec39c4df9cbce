//! Writing, so that reading back gives the same bits.
//!
//! Files are written aside and renamed when they are complete: a killed run leaves no half file,
//! and nothing is overwritten on error. Numbers in text formats are the shortest decimals that
//! read back as the same f64.

mod aside;
mod atomic;
mod delimited;
mod documents;
mod docword;
mod folder;
mod mat;
mod npy;
mod number;
#[cfg(feature = "parquet")]
mod parquet;
mod tables;

pub use atomic::AtomicFile;
pub use documents::{save_documents, write_documents};
pub(crate) use npy::NpzWriter;

use std::io::{self, Write};
use std::path::Path;

use crate::error::{Error, Result, io_error};
use crate::format::Format;
use crate::read::docword::vocabulary_path;
use crate::table::Table;

/// Formats that hold numbers, for messages.
const NUMBER_FORMATS: &str = "mtx, npz, npy, mat, svmlight, docword, csv, tsv or spaced";

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
pub fn save(table: &Table, path: &Path, format: Option<Format>) -> Result<()> {
    table.check_names()?;
    let format = format_of(path, format, ".mtx, .npz, .npy, .mat, .svm, .docword, .csv or .tsv")?;
    let mut file = AtomicFile::create(path)?;
    write_in(table, &mut file, format, &path.display().to_string())?;
    // Both are complete before either takes its name.
    let words = match (format, &table.column_names) {
        (Format::Docword, Some(words)) => Some(write_names(words, &vocabulary_path(path))?),
        _ => None,
    };
    file.commit()?;
    words.map_or(Ok(()), AtomicFile::commit)
}

/// The format that is asked for, or that of the name.
fn format_of(path: &Path, format: Option<Format>, endings: &str) -> Result<Format> {
    format.or_else(|| Format::from_path(path)).ok_or_else(|| Error::Parameter {
        name: "output",
        value: path.display().to_string(),
        allowed: format!("end it in {endings}, or name a format"),
    })
}

fn refused(file: &str, format: Format, reason: String) -> Error {
    Error::NotWritable { file: file.to_owned(), format: format.name(), reason }
}

/// Writes a table to any stream, without compression.
///
/// # Errors
/// If the format cannot hold the table or cannot be written, or the stream refuses.
pub fn write_table(table: &Table, out: &mut dyn Write, format: Format) -> Result<()> {
    table.check_names()?;
    write_in(table, out, format, "output")
}

/// Writes one name a line.
///
/// # Errors
/// If a name has several lines or the file cannot be written.
pub fn save_names(names: &[String], path: &Path) -> Result<()> {
    write_names(names, path)?.commit()
}

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

fn write_in(table: &Table, out: &mut dyn Write, format: Format, file: &str) -> Result<()> {
    check(table, format).map_err(|reason| refused(file, format, reason))?;
    write_checked(table, out, format).map_err(|e| io_error(file, "write", e))
}

/// Refuses what a format cannot hold.
fn check(table: &Table, format: Format) -> Result<(), String> {
    match format {
        Format::MatrixMarket | Format::Npz | Format::Npy => Ok(()),
        Format::Mat => mat::check(table),
        Format::Svmlight => tables::numeric_labels(table).map(|_| ()),
        Format::Docword => docword::check_counts(table),
        Format::Csv | Format::Tsv | Format::Spaced => {
            delimited::check_names(table, delimiter(format))
        }
        Format::Jsonl | Format::Parquet | Format::Lines | Format::Folder => {
            Err(format!("it is for texts; write {NUMBER_FORMATS}"))
        }
    }
}

fn write_checked(table: &Table, out: &mut dyn Write, format: Format) -> io::Result<()> {
    match format {
        Format::Npz => npy::write_npz(table, out),
        Format::Npy => npy::write_npy(&table.matrix, out),
        Format::Mat => mat::write(table, out),
        Format::Svmlight => tables::write_svmlight(table, out),
        Format::Docword => docword::write(table, out),
        Format::Csv | Format::Tsv | Format::Spaced => {
            delimited::write(table, delimiter(format), out)
        }
        _ => tables::write_matrix_market(table, out),
    }
}

fn delimiter(format: Format) -> u8 {
    match format {
        Format::Tsv => b'\t',
        Format::Spaced => b' ',
        _ => b',',
    }
}
