//! Matrices in: each rank ends up with its columns and nothing else.
//!
//! One file is read by every rank as a stream, of which it keeps its columns (formats that store
//! sparse matrices; dense ones are read whole and then cut). Many files, each with some of the rows, are
//! shared out: a rank reads its files and sends the entries to the owners of their columns.

use std::path::{Path, PathBuf};

use xray_data::{Format, Input, LoadOptions, Loaded, LoadedMatrix, Share, Table, load};
use xray_nmf::comm::Communicator;
use xray_nmf::rank_columns;

use super::exchange::{Entry, assemble_columns, exchange};
use super::files::{check_same_data, data_files, own_files};
use crate::agree::{same_everywhere, together};
use crate::error::{Error, Result};

/// This rank's columns of a matrix, and what all ranks know of it.
#[derive(Debug)]
pub struct Shard {
    /// The own columns, renumbered from 0, with all rows.
    pub matrix: LoadedMatrix,
    /// Number of columns on all ranks.
    pub n_columns: usize,
    /// Number of stored entries on all ranks.
    pub n_entries: usize,
    /// Whether the data stores every entry.
    pub dense: bool,
    /// Names of all columns.
    pub column_names: Option<Vec<String>>,
    /// What the rows are called, and their classes.
    pub rows: RowNames,
}

/// Names and classes of rows, as this rank has read them.
#[derive(Debug, Clone, PartialEq)]
pub struct RowNames {
    /// Which rows are listed here: all of them on every rank, or those of the own files.
    pub listed: std::ops::Range<usize>,
    /// Whether every rank lists all rows.
    pub shared: bool,
    /// A name for each listed row.
    pub names: Option<Vec<String>>,
    /// A class for each listed row.
    pub labels: Option<Vec<String>>,
}

/// Reads a matrix on all ranks.
///
/// # Errors
/// The same on all ranks, if any of them cannot read its part or they do not fit together.
pub fn read_matrix(comm: &dyn Communicator, data: &Path, options: &LoadOptions) -> Result<Shard> {
    match together(comm, data_files(data))? {
        None => read_one_file(comm, data, options),
        Some(files) => read_many_files(comm, &files, options),
    }
}

fn read_one_file(comm: &dyn Communicator, data: &Path, options: &LoadOptions) -> Result<Shard> {
    let source = Input::from(data);
    check_same_data(comm, &source)?;
    let share = Share { part: comm.rank(), parts: comm.size() };
    let options = LoadOptions { share: Some(share), ..options.clone() };
    let table = load(&source, &options).map_err(Error::from).and_then(|l| numbers(l, &source));
    shard_of_one(comm, together(comm, table)?)
}

/// The shard of a table that was read with the share of this rank.
pub(crate) fn shard_of_one(comm: &dyn Communicator, table: Table) -> Result<Shard> {
    let Table { matrix, column_names, row_names: names, labels } = table;
    let rows = RowNames { listed: 0..matrix.n_rows(), shared: true, names, labels };
    let dense = matches!(matrix, LoadedMatrix::Dense(_));
    let sizes = gather_sizes(comm, [matrix.n_columns(), matrix.n_entries()])?;
    let [n_columns, n_entries] = [0, 1].map(|q| sizes.iter().map(|size| size[q]).sum());
    let fits = matrix.n_columns() == rank_columns(n_columns, comm.rank(), comm.size()).n_own();
    let differ = || Err(Error::Mismatch("the ranks read different shapes".into()));
    together(comm, if fits { Ok(()) } else { differ() })?;
    let shape = format!("{} {n_columns} {dense} {column_names:?}", matrix.n_rows());
    same_everywhere(comm, "the shape and the names of the data", shape.as_bytes())?;
    Ok(Shard { matrix, n_columns, n_entries, dense, column_names, rows })
}

/// Everybody's sizes.
///
/// # Errors
/// If the ranks cannot exchange data.
pub fn gather_sizes<const N: usize>(
    comm: &dyn Communicator,
    own: [usize; N],
) -> Result<Vec<[usize; N]>> {
    let own: Vec<u8> = own.iter().flat_map(|&size| (size as u64).to_le_bytes()).collect();
    let number = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("8 bytes")) as usize;
    let all = comm.all_gather(&own)?;
    Ok(all.iter().map(|sizes| std::array::from_fn(|q| number(&sizes[8 * q..][..8]))).collect())
}

fn numbers(loaded: Loaded, source: &Input) -> Result<Table> {
    match loaded {
        Loaded::Table(table) => Ok(table),
        Loaded::Documents(_) => Err(Error::Mismatch(format!(
            "{}: found texts, expected numbers; make a matrix with `xray convert`",
            source.name()
        ))),
    }
}

fn read_many_files(
    comm: &dyn Communicator,
    files: &[PathBuf],
    options: &LoadOptions,
) -> Result<Shard> {
    check_same_list(comm, files)?;
    shard_of_many(comm, together(comm, load_own(comm, files, options))?)
}

/// Checks that all ranks share out the same files.
pub(crate) fn check_same_list(comm: &dyn Communicator, files: &[PathBuf]) -> Result<()> {
    let names: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    same_everywhere(comm, "the list of files", names.join("\n").as_bytes())
}

/// Rows from a file.
pub(crate) struct Part {
    pub(crate) file: PathBuf,
    pub(crate) table: Table,
}

/// The shard of files that hold consecutive rows, rank after rank.
pub(crate) fn shard_of_many(comm: &dyn Communicator, own: Vec<Part>) -> Result<Shard> {
    let names = own.iter().find_map(|part| part.table.column_names.clone());
    let column_names = broadcast_names(comm, names)?;
    together(comm, check_names(&own, column_names.as_deref()))?;
    let files: Vec<PathBuf> = own.iter().map(|part| part.file.clone()).collect();
    let own: Vec<Table> = own.into_iter().map(|part| part.table).collect();
    let n_columns = own.iter().map(|table| table.matrix.n_columns()).max().unwrap_or(0);
    let n_rows: usize = own.iter().map(|table| table.matrix.n_rows()).sum();
    let n_entries: usize = own.iter().map(|table| table.matrix.n_entries()).sum();
    let dense = own.iter().any(|table| matches!(table.matrix, LoadedMatrix::Dense(_)));
    let sizes = gather_sizes(comm, [n_columns, n_rows, n_entries, usize::from(dense)])?;
    let n_columns = sizes.iter().map(|size| size[0]).max().unwrap_or(0);
    let [first_row, n_rows, n_entries] = [
        sizes[..comm.rank()].iter().map(|size| size[1]).sum(),
        sizes.iter().map(|size| size[1]).sum(),
        sizes.iter().map(|size| size[2]).sum(),
    ];
    together(comm, check_shapes(&own, &files, n_columns, n_rows))?;
    let layout = rank_columns(n_columns, comm.rank(), comm.size());
    let arrived = exchange(comm, entries(&own, first_row), |e| layout.owner(e.column as usize))?;
    let rows = row_names(own, first_row);
    let matrix = assemble_columns(n_rows, &layout, arrived);
    let matrix = together(comm, matrix)?.into();
    let dense = sizes.iter().any(|s| s[3] == 1);
    Ok(Shard { matrix, n_columns, n_entries, dense, column_names, rows })
}

/// Names and classes of all rows of the tables, one after the other.
fn row_names(tables: Vec<Table>, first: usize) -> RowNames {
    let (named, labelled) = (
        tables.iter().any(|table| table.row_names.is_some()),
        tables.iter().any(|table| table.labels.is_some()),
    );
    let (mut names, mut labels, mut next) = (Vec::new(), Vec::new(), first);
    for table in tables {
        let n_rows = table.matrix.n_rows();
        let places = || (next..next + n_rows).map(|d| d.to_string()).collect();
        names.extend(table.row_names.unwrap_or_else(places));
        labels.extend(table.labels.unwrap_or_else(|| vec![String::new(); n_rows]));
        next += n_rows;
    }
    let (names, labels) = (named.then_some(names), labelled.then_some(labels));
    RowNames { listed: first..next, shared: false, names, labels }
}

fn load_own(
    comm: &dyn Communicator,
    files: &[PathBuf],
    options: &LoadOptions,
) -> Result<Vec<Part>> {
    if options.transpose {
        let message = "several files hold some of the rows each and cannot be transposed";
        return Err(Error::Usage(message.into()));
    }
    let own = own_files(files, comm.rank(), comm.size());
    let load_one = |file: &PathBuf| {
        let source = Input::Path(file.clone());
        let table = numbers(load(&source, options)?, &source)?;
        Ok(Part { file: file.clone(), table })
    };
    own.iter().map(load_one).collect()
}

/// Columns are told by their place, so all files must name them alike.
fn check_names(own: &[Part], names: Option<&[String]>) -> Result<()> {
    let Some(names) = names else { return Ok(()) };
    for Part { file, table } in own {
        let Some(own) = &table.column_names else { continue };
        let differs = own.iter().zip(names).position(|(own, name)| own != name);
        if let Some(j) = differs {
            return Err(Error::Mismatch(format!(
                "{}: column {} is called {:?}, and {:?} in another file; all files must have the same \
                 columns in the same order",
                file.display(),
                j + 1,
                own[j],
                names[j]
            )));
        }
    }
    Ok(())
}

/// All files have the same number of columns; svmlight, which does not tell it, may leave out the last.
fn check_shapes(own: &[Table], files: &[PathBuf], n_columns: usize, n_rows: usize) -> Result<()> {
    if n_rows >= u32::MAX as usize {
        let message = format!("{n_rows} rows in all files: a matrix has fewer than 2^32 - 1");
        return Err(Error::Mismatch(message));
    }
    for (table, file) in own.iter().zip(files) {
        let n = table.matrix.n_columns();
        let open = Format::from_path(file).is_none_or(|format| format.name == "svmlight")
            && table.column_names.is_none()
            && matches!(table.matrix, LoadedMatrix::Sparse(_));
        if n != n_columns && !open {
            return Err(Error::Mismatch(format!(
                "{}: has {n} columns and another file {n_columns}; all must have the same",
                file.display()
            )));
        }
    }
    Ok(())
}

/// The entries of tables whose first row is `first_row` of all.
fn entries(tables: &[Table], first_row: usize) -> impl Iterator<Item = Entry> {
    let mut next = first_row;
    let starts = tables.iter().map(move |table| {
        next += table.matrix.n_rows();
        next - table.matrix.n_rows()
    });
    tables.iter().zip(starts).flat_map(|(table, start)| {
        (0..table.matrix.n_rows()).flat_map(move |d| {
            let mut row = Vec::new();
            table.matrix.for_each_in_row(d, |j, value| {
                row.push(Entry { row: (start + d) as u32, column: j as u32, value });
            });
            row
        })
    })
}

/// The names that the first rank with any has.
fn broadcast_names(
    comm: &dyn Communicator,
    names: Option<Vec<String>>,
) -> Result<Option<Vec<String>>> {
    let known = comm.all_gather(&[u8::from(names.is_some())])?;
    let Some(root) = known.iter().position(|flag| flag[0] == 1) else { return Ok(None) };
    let mut message = serde_json::to_vec(&names)?;
    comm.broadcast(root, &mut message)?;
    Ok(serde_json::from_slice(&message)?)
}
