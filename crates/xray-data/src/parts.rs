//! Many files as one table, or as one list of documents.
//!
//! Rows and documents stand in the order of the files, and are numbered as if the files were one. Files without
//! records (of no bytes, or blank lines, or a header alone, or a matrix without rows) are empty parts.

use std::ops::Range;
use std::path::Path;

use xray_nmf::SparseMatrix;

use crate::assemble::{Stored, dense};
use crate::error::{Error, Malformed, Result, io_error};
use crate::formats::{BlankLines, Format, Parsed, detect};
use crate::hash::FileHash;
use crate::inputs::Inputs;
use crate::load::{ReadFile, complete, load_with_origin, read_file};
use crate::model::{Noticed, Origin, Reading};
use crate::options::LoadOptions;
use crate::schema::Schema;
use crate::source::{Input, Source};
use crate::table::{Documents, Loaded, LoadedMatrix, Table};

/// Some of the files, read as one.
#[derive(Debug, Clone)]
pub struct ReadParts {
    /// What they hold; nothing if none of them has records.
    pub loaded: Option<Loaded>,
    /// The files with their hashes, in order.
    pub files: Vec<FileHash>,
    /// Lines without text, where each line is a document.
    pub blank_lines: usize,
    /// What else was noticed.
    pub noticed: Noticed,
}

/// Reads inputs as one table or list of documents: one file as [`load`](crate::load) does, many by one
/// [`Schema`]. Side files with names and classes belong to all rows together.
///
/// # Errors
/// As [`load`](crate::load); if there are many files, also if one of them differs from the others.
///
/// # Examples
/// ```
/// use xray_data::{Inputs, LoadOptions, load_inputs};
/// let folder = tempfile::tempdir().expect("a temporary folder");
/// for (k, part) in ["text\none\ntwo\n", "text\n", "text\nthree\n"].iter().enumerate() {
///     std::fs::write(folder.path().join(format!("part-{k}.csv")), part).expect("written");
/// }
/// let inputs = Inputs::resolve(&[folder.path().join("part-?.csv")])?;
/// let (loaded, origin) = load_inputs(&inputs, &LoadOptions::default())?;
/// let documents = loaded.into_documents().expect("texts");
/// assert_eq!(documents.ids, ["1", "2", "3"]);
/// assert_eq!(documents.texts, ["one", "two", "three"]);
/// assert_eq!(origin.files.len(), 3);
/// # Ok::<(), xray_data::Error>(())
/// ```
pub fn load_inputs(inputs: &Inputs, options: &LoadOptions) -> Result<(Loaded, Origin)> {
    if let Some(input) = inputs.single() {
        return load_with_origin(input, options);
    }
    let schema = Schema::decide(inputs, options)?;
    let ReadParts { loaded, files, blank_lines, noticed } =
        read_parts(inputs, &schema, options, 0..inputs.len())?;
    let Some(loaded) = loaded else {
        let found = "no records in any of the files";
        return Err(Malformed::new(inputs.name(), found, "at least one").into());
    };
    let name = inputs.name().to_owned();
    let format = Format::from_name(&schema.format)?;
    let place = inputs.parts().first().cloned().unwrap_or(Input::Stdin);
    let loaded = complete(loaded, &BlankLines::default(), &place, format, options)?;
    let reading = Some(Box::new(Reading { schema, blank_lines, noticed }));
    Ok((loaded, Origin { name, files, reading }))
}

/// Reads some of the files as one. Side files are left to the caller, who knows which rows these are; documents
/// without ids of their own are numbered from 1 here ([`Documents::number_from`]).
///
/// # Errors
/// If a file cannot be read, or differs from what was decided.
pub fn read_parts(
    inputs: &Inputs,
    schema: &Schema,
    options: &LoadOptions,
    which: Range<usize>,
) -> Result<ReadParts> {
    let told = options.format.is_some();
    let options = schema.options(options)?;
    let (mut texts, mut tables, mut files) = (Documents::default(), Vec::new(), Vec::new());
    let (mut blank_lines, mut noticed) = (0, Noticed::default());
    let (mut labels, mut times) = (Vec::new(), Vec::new());
    let mut claim = options.limits.claim(inputs.name());
    for part in &inputs.parts()[which] {
        let ReadParts { loaded, files: hashes, blank_lines: blank, noticed: own } =
            read_part(part, &options, told)?;
        claim.take(loaded.as_ref().map_or(0, Loaded::bytes))?;
        blank_lines += blank;
        noticed = noticed.and(&own);
        files.extend(hashes);
        match loaded {
            None => {}
            Some(Loaded::Table(table)) => tables.push((part.name(), table)),
            Some(Loaded::Documents(documents)) => {
                texts.ids.extend(documents.ids);
                texts.texts.extend(documents.texts);
                labels.extend(documents.labels.into_iter().flatten());
                times.extend(documents.times.into_iter().flatten());
            }
        }
    }
    let loaded = if !tables.is_empty() {
        if tables.len() > 1 {
            // All of them together, beside the parts.
            claim.take(tables.iter().map(|(_, table)| table.matrix.bytes()).sum())?;
        }
        Some(Loaded::Table(stacked(tables, schema.zero_based.is_some())?))
    } else if texts.is_empty() {
        None
    } else {
        texts.labels = (!labels.is_empty()).then_some(labels);
        texts.times = (!times.is_empty()).then_some(times);
        if schema.counts_documents() {
            texts.number_from(1);
        }
        texts.check()?;
        Some(Loaded::Documents(texts))
    };
    Ok(ReadParts { loaded, files, blank_lines, noticed })
}

/// One file.
fn read_part(part: &Input, options: &LoadOptions, told: bool) -> Result<ReadParts> {
    let source = Source::open(part, options)?;
    if source.is_blank() {
        let name = source.name.clone();
        let hash = source.stored().hash().map_err(|e| io_error(&name, "read", e))?;
        let files = vec![FileHash { name, hash }];
        return Ok(ReadParts { loaded: None, files, blank_lines: 0, noticed: Noticed::default() });
    }
    if !told {
        check_format(&source, options.format)?;
    }
    let ReadFile { read: Parsed { loaded, blank, noticed, .. }, files, .. } =
        read_file(source, options)?;
    let empty = match &loaded {
        Loaded::Table(table) => table.matrix.n_rows() == 0,
        Loaded::Documents(documents) => documents.is_empty(),
    };
    let loaded = (!empty).then_some(loaded);
    Ok(ReadParts { loaded, files, blank_lines: blank.places.len(), noticed })
}

/// Refuses a file that is of another format by its name and by its content.
fn check_format(source: &Source, format: Option<&Format>) -> Result<()> {
    let named = Format::from_path(Path::new(&source.name));
    let found = detect(&source.name, source.start()).ok();
    if let (Some(format), Some(found)) = (format, found.filter(|found| Some(*found) == named))
        && found != format
    {
        let expected = format!("{format}, as the other files");
        return Err(Malformed::new(&source.name, format!("the format {found}"), expected).into());
    }
    Ok(())
}

/// Tables one below the other; `open` if files need not have all columns, as those of svmlight, which does
/// not tell how many there are.
fn stacked(mut parts: Vec<(String, Table)>, open: bool) -> Result<Table> {
    if parts.len() == 1 {
        return Ok(parts.remove(0).1);
    }
    let n_columns = parts.iter().map(|(_, table)| table.matrix.n_columns()).max().unwrap_or(0);
    let (_, first) = &parts[0];
    let sparse = matches!(first.matrix, LoadedMatrix::Sparse(_));
    let column_names = first.column_names.clone();
    for (file, table) in &parts {
        check_alike(file, table, first, (!open).then_some(n_columns))?;
    }
    let row_names = joined(&mut parts, |table| table.row_names.take());
    let labels = joined(&mut parts, |table| table.labels.take());
    let times = joined(&mut parts, |table| table.times.take());
    let name = parts[0].0.clone();
    let matrix = if sparse {
        stacked_sparse(&name, parts, n_columns)?
    } else {
        let n_rows = parts.iter().map(|(_, table)| table.matrix.n_rows()).sum();
        let mut values = vec![0.0; n_rows * n_columns];
        let mut rows = values.chunks_exact_mut(n_columns.max(1));
        for (_, table) in parts {
            let n = table.matrix.n_rows();
            rows.by_ref().take(n).enumerate().for_each(|(d, row)| table.matrix.copy_row(d, row));
        }
        dense(&name, Stored::ByRows, n_rows, n_columns, values)?
    };
    Ok(Table { matrix, row_names, column_names, labels, times })
}

/// Refuses a table that is no part of the same whole as the first one.
fn check_alike(file: &str, table: &Table, first: &Table, n_columns: Option<usize>) -> Result<()> {
    let different = |found: String, expected: String| -> Result<()> {
        let remedy = "all files must be parts of one table";
        Err(Malformed::new(file, found, expected).remedy(remedy).into())
    };
    let kind = |table: &Table| match table.matrix {
        LoadedMatrix::Sparse(_) => "a sparse matrix",
        LoadedMatrix::Dense(_) => "a dense matrix",
    };
    if kind(table) != kind(first) {
        return different(kind(table).to_owned(), format!("{}, as in the first file", kind(first)));
    }
    let n = table.matrix.n_columns();
    if let Some(needed) = n_columns.filter(|&needed| needed != n) {
        return different(format!("{n} columns"), format!("{needed}, as in another file"));
    }
    if table.column_names != first.column_names {
        let names = [&table.column_names, &first.column_names];
        let [found, expected] = names.map(|names| names.as_deref().unwrap_or(&[]));
        let place = (0..n).find(|&j| found.get(j) != expected.get(j)).unwrap_or(0);
        let name =
            |names: &[String]| names.get(place).map_or("no name".into(), |n| format!("{n:?}"));
        let found = format!("{} over column {}", name(found), place + 1);
        return different(found, format!("{}, as in the first file", name(expected)));
    }
    for (what, own, others) in [
        ("names of rows", &table.row_names, &first.row_names),
        ("labels", &table.labels, &first.labels),
        ("dates", &table.times, &first.times),
    ] {
        if own.is_some() != others.is_some() {
            let has = |some: bool| format!("{}{what}", if some { "" } else { "no " });
            return different(has(own.is_some()), has(others.is_some()));
        }
    }
    Ok(())
}

fn joined(
    parts: &mut [(String, Table)],
    take: impl Fn(&mut Table) -> Option<Vec<String>>,
) -> Option<Vec<String>> {
    let lists: Option<Vec<Vec<String>>> = parts.iter_mut().map(|(_, table)| take(table)).collect();
    lists.map(|lists| lists.concat())
}

fn stacked_sparse(
    name: &str,
    parts: Vec<(String, Table)>,
    n_columns: usize,
) -> Result<LoadedMatrix> {
    let n_entries = parts.iter().map(|(_, table)| table.matrix.n_entries()).sum();
    let mut offsets = vec![0];
    let (mut columns, mut values) = (Vec::with_capacity(n_entries), Vec::with_capacity(n_entries));
    for (_, table) in parts {
        if let LoadedMatrix::Sparse(x) = &table.matrix {
            let (own_offsets, own_columns, own_values) = x.csr();
            offsets.extend(own_offsets[1..].iter().map(|offset| values.len() + offset));
            columns.extend_from_slice(own_columns);
            values.extend_from_slice(own_values);
        }
    }
    let n_rows = offsets.len() - 1;
    SparseMatrix::from_csr(n_rows, n_columns, offsets, columns, values)
        .map(LoadedMatrix::Sparse)
        .map_err(|source| Error::Matrix { file: name.to_owned(), source })
}
