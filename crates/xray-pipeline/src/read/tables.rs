//! Numbers in: every rank ends up with its columns and nothing else.
//!
//! One file is read by every rank as a stream, of which it keeps its columns (formats that store
//! sparse matrices; dense ones are read whole and then cut). Many files, each with some of the rows, are
//! shared out: a rank reads its files and sends the entries to the owners of their columns.

use xray_data::{Documents, LoadedMatrix, Table};
use xray_nmf::comm::{Collectives, Communicator};
use xray_nmf::{Matrix, Ownership, SparseMatrix};

use super::exchange::{Entry, exchange};
use super::texts::to_block_owners;
use super::{check_rows, gather_sizes};
use crate::agree::{same_everywhere, together};
use crate::corpus::{ColumnNames, Corpus, DistributedMatrix, RowNames};
use crate::error::{Error, Result};

/// The corpus of a table that was read with the share of this rank.
pub(super) fn corpus_of_one(comm: &dyn Communicator, table: Table) -> Result<Corpus> {
    if comm.size() == 1 {
        return Ok(Corpus::whole(table));
    }
    let Table { matrix, column_names, row_names, labels, times } = table;
    let dense = matches!(matrix, LoadedMatrix::Dense(_));
    let sizes = gather_sizes(comm, [matrix.n_columns(), matrix.n_entries()])?;
    let [n_columns, n_entries] = [0, 1].map(|q| sizes.iter().map(|size| size[q]).sum());
    let fits = matrix.n_columns() == Ownership::columns(n_columns, comm).n_own();
    let differ = || Err(Error::Mismatch("the ranks read different shapes".into()));
    together(comm, if fits { Ok(()) } else { differ() })?;
    let shape = format!("{} {n_columns} {dense} {column_names:?}", matrix.n_rows());
    same_everywhere(comm, "the shape and the names of the data", shape.as_bytes())?;
    let lists = serde_json::to_vec(&(&row_names, &labels, &times))?;
    same_everywhere(comm, "the names, the labels and the dates of the rows", &lists)?;
    let own = Ownership::rows(matrix.n_rows(), comm);
    let kept = |list: Vec<String>| -> Vec<String> {
        let kept = list.into_iter().enumerate().filter(|(d, _)| own.local(*d).is_some());
        kept.map(|(_, name)| name).collect()
    };
    Ok(Corpus {
        rows: RowNames {
            own,
            ids: row_names.map(kept),
            labels: labels.map(kept),
            times: times.map(kept),
        },
        matrix: DistributedMatrix::shared(matrix, n_columns, n_entries, dense),
        names: ColumnNames::from_names(column_names),
        origin: None,
        dropped: None,
    })
}

/// The corpus of tables that hold consecutive rows, rank after rank; a rank may have none. `open` if a table
/// need not have all columns.
pub(super) fn corpus_of_files(
    comm: &dyn Communicator,
    own: Option<Table>,
    open: bool,
) -> Result<Corpus> {
    let column_names = first_names(comm, own.as_ref().and_then(|t| t.column_names.clone()))?;
    let size = |t: &Table| [t.matrix.n_columns(), t.matrix.n_rows(), t.matrix.n_entries()];
    let sizes = gather_sizes(comm, own.as_ref().map_or([0; 3], size))?;
    let n_columns = sizes.iter().map(|size| size[0]).max().unwrap_or(0);
    let first_row: usize = sizes[..comm.rank()].iter().map(|size| size[1]).sum();
    let [n_rows, n_entries] = [1, 2].map(|q| sizes.iter().map(|size| size[q]).sum());
    let alike = own.as_ref().map_or(Ok(()), |table| {
        check_alike(table, column_names.as_deref(), (!open).then_some(n_columns))
    });
    together(comm, check_rows(n_rows).and(alike))?;
    let is_dense = |table: &Table| matches!(table.matrix, LoadedMatrix::Dense(_));
    let dense = comm.any(own.as_ref().is_some_and(is_dense))?;
    let layout = Ownership::columns(n_columns, comm);
    let columns = exchange(comm, &layout, n_rows, || entries(own.as_ref(), first_row));
    let columns = LoadedMatrix::Sparse(together(comm, columns)?);
    let rows = row_names(comm, own, first_row, n_rows)?;
    let matrix = DistributedMatrix::shared(columns, n_columns, n_entries, dense);
    Ok(Corpus {
        matrix,
        names: ColumnNames::from_names(column_names),
        rows,
        origin: None,
        dropped: None,
    })
}

/// Names, classes and dates of the own rows, from those of consecutive tables; nothing travels where there are none.
fn row_names(
    comm: &dyn Communicator,
    own: Option<Table>,
    first: usize,
    n_rows: usize,
) -> Result<RowNames> {
    let named = comm.any(own.as_ref().is_some_and(|table| table.row_names.is_some()))?;
    let labelled = comm.any(own.as_ref().is_some_and(|table| table.labels.is_some()))?;
    let dated = comm.any(own.as_ref().is_some_and(|table| table.times.is_some()))?;
    let blocks = Ownership::rows(n_rows, comm);
    if !named && !labelled && !dated {
        return Ok(RowNames { own: blocks, ids: None, labels: None, times: None });
    }
    let n_own = own.as_ref().map_or(0, |table| table.matrix.n_rows());
    let lists = |table: Table| [table.row_names, table.labels, table.times];
    let [ids, labels, times] = own.map_or([None, None, None], lists);
    let places = || (first..first + n_own).map(|d| d.to_string()).collect();
    let none = || vec![String::new(); n_own];
    let listed = Documents {
        ids: ids.unwrap_or_else(places),
        texts: none(),
        labels: labelled.then(|| labels.unwrap_or_else(none)),
        times: dated.then(|| times.unwrap_or_else(none)),
    };
    let Documents { ids, labels, times, .. } = to_block_owners(comm, listed, n_rows)?;
    Ok(RowNames { own: blocks, ids: named.then_some(ids), labels, times })
}

/// Columns are told by their place, so all ranks must have the same with the same names.
fn check_alike(table: &Table, names: Option<&[String]>, n_columns: Option<usize>) -> Result<()> {
    let n = table.matrix.n_columns();
    if let Some(others) = n_columns.filter(|&others| others != n) {
        let message =
            format!("the files have {n} columns and others {others}; all must have the same");
        return Err(Error::Mismatch(message));
    }
    let (Some(own), Some(names)) = (&table.column_names, names) else { return Ok(()) };
    match own.iter().zip(names).position(|(own, name)| own != name) {
        None => Ok(()),
        Some(j) => Err(Error::Mismatch(format!(
            "column {} is called {:?} in some files, and {:?} in others; all files must have the same \
             columns in the same order",
            j + 1,
            own[j],
            names[j]
        ))),
    }
}

/// The entries of a table whose first row is `first_row` of all.
fn entries(table: Option<&Table>, first_row: usize) -> impl Iterator<Item = Entry> {
    table.into_iter().flat_map(move |table| {
        (0..table.matrix.n_rows()).flat_map(move |d| {
            let mut row = Vec::new();
            table.matrix.for_each_in_row(d, |j, value| {
                row.push(Entry { line: j as u32, place: (first_row + d) as u32, value });
            });
            row
        })
    })
}

/// The names that the first rank with any has.
fn first_names(comm: &dyn Communicator, names: Option<Vec<String>>) -> Result<Option<Vec<String>>> {
    let known = comm.all_gather(&[u8::from(names.is_some())])?;
    let Some(root) = known.iter().position(|flag| flag[0] == 1) else { return Ok(None) };
    let mut message = serde_json::to_vec(&names)?;
    comm.broadcast(root, &mut message)?;
    Ok(serde_json::from_slice(&message)?)
}

/// The own rows, with all columns, from everybody's columns.
///
/// # Errors
/// The same on all ranks, if they cannot exchange data.
pub(crate) fn own_rows(
    comm: &dyn Communicator,
    columns: &dyn Matrix,
    n_columns: usize,
) -> Result<SparseMatrix<'static, f64>> {
    let layout = Ownership::columns(n_columns, comm);
    let entries = || {
        (0..layout.n_own()).flat_map(|i| {
            let mut entries = Vec::new();
            let place = layout.global(i) as u32;
            columns.column(i).for_each(|d, value| {
                if value != 0.0 {
                    entries.push(Entry { line: d as u32, place, value });
                }
            });
            entries
        })
    };
    let own = Ownership::rows(columns.n_rows(), comm);
    Ok(together(comm, exchange(comm, &own, n_columns, entries))?.transposed())
}
