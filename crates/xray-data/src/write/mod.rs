//! Writing matrices, so that reading them back gives the same bits.
//!
//! Files are written aside and renamed when they are complete: a killed run leaves no half file,
//! and nothing is overwritten on error. Numbers in text formats are the shortest decimals that
//! read back as the same f64.

mod atomic;
mod docword;
mod npy;
mod number;
mod tables;

pub use atomic::AtomicFile;
pub(crate) use npy::NpzWriter;

use std::io::{self, Write};
use std::path::Path;

use crate::error::{Error, Result, io_error};
use crate::format::Format;
use crate::table::Table;

/// Writes a table to a file; `.gz` and `.zst` compress.
///
/// The format is that of the name unless it is given. With names of columns a UCI `docword.*` file
/// gets its `vocab.*` beside it.
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
    let format = match format.or_else(|| Format::from_path(path)) {
        Some(format) => format,
        None => {
            return Err(Error::Parameter {
                name: "output",
                value: path.display().to_string(),
                allowed: "end it in .mtx, .npz, .npy, .svm, .docword, .csv or .tsv, or name a \
                          format"
                    .to_owned(),
            });
        }
    };
    let mut file = AtomicFile::create(path)?;
    write_in(table, &mut file, format, &path.display().to_string())?;
    if let (Format::Docword, Some(words)) = (format, &table.column_names) {
        save_names(words, &docword::vocabulary_path(path))?;
    }
    file.commit()
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
    let file = path.display().to_string();
    if let Some(name) = names.iter().find(|name| name.contains(['\n', '\r'])) {
        let reason = format!("the name {name:?} has more than one line");
        return Err(Error::NotWritable { file, format: "names", reason });
    }
    let mut out = AtomicFile::create(path)?;
    for name in names {
        writeln!(out, "{name}").map_err(|e| io_error(&file, "write", e))?;
    }
    out.commit()
}

fn write_in(table: &Table, out: &mut dyn Write, format: Format, file: &str) -> Result<()> {
    let refuse = |reason: &str| {
        Err(Error::NotWritable {
            file: file.to_owned(),
            format: format.name(),
            reason: reason.to_owned(),
        })
    };
    let written: io::Result<()> = match format {
        Format::MatrixMarket => tables::write_matrix_market(table, out),
        Format::Npz => npy::write_npz(table, out),
        Format::Npy => npy::write_npy(&table.matrix, out),
        Format::Svmlight => match tables::numeric_labels(table) {
            Ok(labels) => tables::write_svmlight(table, &labels, out),
            Err(reason) => return refuse(&reason),
        },
        Format::Docword => match docword::check_counts(table) {
            Ok(()) => docword::write(table, out),
            Err(reason) => return refuse(&reason),
        },
        Format::Csv => tables::write_delimited(table, b',', out),
        Format::Tsv => tables::write_delimited(table, b'\t', out),
        Format::Spaced => tables::write_delimited(table, b' ', out),
        Format::Mat | Format::Jsonl | Format::Parquet | Format::Lines | Format::Folder => {
            return refuse(
                "it can only be read; write mtx, npz, npy, svmlight, docword, csv or tsv",
            );
        }
    };
    written.map_err(|e| io_error(file, "write", e))
}
