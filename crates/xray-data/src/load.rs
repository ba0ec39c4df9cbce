//! Reading any file.

use std::path::Path;

use crate::error::{Malformed, Result};
use crate::format::{Format, detect};
use crate::options::LoadOptions;
use crate::read::{
    delimited, docword, folder, jsonl, mat, matrix_market, names::read_names, npy, npz, plain,
    svmlight,
};
use crate::source::{Input, Source};
use crate::table::{Documents, Loaded, Table};

/// Reads a file, a folder of texts, or standard input.
///
/// The format is recognised by content unless the options name it; gzip and Zstandard are taken
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
    let (format, loaded) = match input.folder() {
        Some(path) => (Format::Folder, read_folder(path, options)?),
        None => {
            let source = Source::open(input)?;
            let format = match options.format {
                Some(format) => format,
                None => detect(&source.name, &source.head)?,
            };
            (format, read(source, format, options)?)
        }
    };
    match loaded {
        Loaded::Table(table) => {
            let table = with_names(table, input, format, options)?;
            require_data(
                input,
                table.matrix.n_rows() > 0 && table.matrix.n_columns() > 0,
                "entries",
            )?;
            Ok(Loaded::Table(table))
        }
        Loaded::Documents(documents) => {
            let documents = with_labels(documents, options)?;
            require_data(input, !documents.is_empty(), "documents")?;
            Ok(Loaded::Documents(documents))
        }
    }
}

fn read_folder(path: &Path, options: &LoadOptions) -> Result<Loaded> {
    match options.format {
        None | Some(Format::Folder) => folder::read(path, options).map(Loaded::Documents),
        Some(format) => {
            let file = path.display().to_string();
            let expected = format!("a file in the format {}", format.name());
            Err(Malformed::new(&file, "a folder", expected).into())
        }
    }
}

fn read(source: Source, format: Format, options: &LoadOptions) -> Result<Loaded> {
    match format {
        Format::MatrixMarket => matrix_market::read(source, options).map(Loaded::Table),
        Format::Npz => npz::read(source, options).map(Loaded::Table),
        Format::Npy => npy::read(source, options).map(Loaded::Table),
        Format::Mat => mat::read(source, options).map(Loaded::Table),
        Format::Svmlight => svmlight::read(source, options).map(Loaded::Table),
        Format::Docword => docword::read(source, options).map(Loaded::Table),
        Format::Csv | Format::Tsv | Format::Spaced => delimited::read(source, format, options),
        Format::Jsonl => jsonl::read(source, options).map(Loaded::Documents),
        Format::Lines => plain::read(source, options).map(Loaded::Documents),
        Format::Folder => {
            Err(Malformed::new(&source.name, "a file", "a folder of .txt files").into())
        }
        Format::Parquet => read_parquet(source, options),
    }
}

#[cfg(feature = "parquet")]
fn read_parquet(source: Source, options: &LoadOptions) -> Result<Loaded> {
    crate::read::parquet::read(source, options).map(Loaded::Documents)
}

#[cfg(not(feature = "parquet"))]
fn read_parquet(source: Source, _: &LoadOptions) -> Result<Loaded> {
    Err(Malformed::new(&source.name, "a Parquet file", "another format")
        .remedy("build with the feature `parquet`")
        .into())
}

/// Adds names from side files and checks that they fit.
fn with_names(
    mut table: Table,
    input: &Input,
    format: Format,
    options: &LoadOptions,
) -> Result<Table> {
    let vocabulary = match (format, input) {
        (Format::Docword, Input::Path(path)) => docword::vocabulary_beside(path),
        _ => None,
    };
    if let Some(path) = options.column_names.clone().or(vocabulary) {
        let file = Input::Path(path);
        let words = read_names(&file, options)?;
        docword::check_vocabulary(&file.name(), words.len(), table.matrix.n_columns())?;
        table.column_names = Some(words);
    }
    if let Some(path) = &options.row_names {
        table.row_names = Some(read_names(&Input::Path(path.clone()), options)?);
    }
    if let Some(path) = &options.labels {
        table.labels = Some(read_names(&Input::Path(path.clone()), options)?);
    }
    table.check_names()?;
    Ok(table)
}

fn with_labels(mut documents: Documents, options: &LoadOptions) -> Result<Documents> {
    if let Some(path) = &options.labels {
        documents.labels = Some(read_names(&Input::Path(path.clone()), options)?);
    }
    documents.check()?;
    Ok(documents)
}

fn require_data(input: &Input, some: bool, what: &str) -> Result<()> {
    match some {
        true => Ok(()),
        false => Err(Malformed::new(&input.name(), format!("no {what}"), "at least one").into()),
    }
}
