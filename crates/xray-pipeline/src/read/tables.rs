//! Numbers in: every rank ends up with its columns and nothing else.
//!
//! One file is read by every rank as a stream, of which it keeps its columns (formats that store
//! sparse matrices; dense ones are read whole and then cut). Many files, each with some of the rows, are
//! shared out: a rank reads its files and sends the entries to the owners of their columns.

use std::path::PathBuf;

use xray_data::{Documents, Format, LoadedMatrix, Table};
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
    let Table { matrix, column_names, row_names, labels } = table;
    let dense = matches!(matrix, LoadedMatrix::Dense(_));
    let sizes = gather_sizes(comm, [matrix.n_columns(), matrix.n_entries()])?;
    let [n_columns, n_entries] = [0, 1].map(|q| sizes.iter().map(|size| size[q]).sum());
    let fits = matrix.n_columns() == Ownership::columns(n_columns, comm).n_own();
    let differ = || Err(Error::Mismatch("the ranks read different shapes".into()));
    together(comm, if fits { Ok(()) } else { differ() })?;
    let shape = format!("{} {n_columns} {dense} {column_names:?}", matrix.n_rows());
    same_everywhere(comm, "the shape and the names of the data", shape.as_bytes())?;
    let lists = serde_json::to_vec(&(&row_names, &labels))?;
    same_everywhere(comm, "the names and the labels of the rows", &lists)?;
    let own = Ownership::rows(matrix.n_rows(), comm);
    let kept = |list: Vec<String>| -> Vec<String> {
        let kept = list.into_iter().enumerate().filter(|(d, _)| own.local(*d).is_some());
        kept.map(|(_, name)| name).collect()
    };
    Ok(Corpus {
        rows: RowNames { own, ids: row_names.map(kept), labels: labels.map(kept) },
        matrix: DistributedMatrix::shared(matrix, n_columns, n_entries, dense),
        names: ColumnNames::from_names(column_names),
        origin: None,
    })
}

/// Rows from a file.
#[derive(Debug)]
pub(super) struct Part {
    pub file: PathBuf,
    pub table: Table,
}

/// The corpus of files that hold consecutive rows, rank after rank.
pub(super) fn corpus_of_files(comm: &dyn Communicator, own: Vec<Part>) -> Result<Corpus> {
    let names = own.iter().find_map(|part| part.table.column_names.clone());
    let column_names = first_names(comm, names)?;
    together(comm, check_names(&own, column_names.as_deref()))?;
    let n_columns = own.iter().map(|part| part.table.matrix.n_columns()).max().unwrap_or(0);
    let n_rows: usize = own.iter().map(|part| part.table.matrix.n_rows()).sum();
    let n_entries: usize = own.iter().map(|part| part.table.matrix.n_entries()).sum();
    let sizes = gather_sizes(comm, [n_columns, n_rows, n_entries])?;
    let n_columns = sizes.iter().map(|size| size[0]).max().unwrap_or(0);
    let first_row: usize = sizes[..comm.rank()].iter().map(|size| size[1]).sum();
    let [n_rows, n_entries] = [1, 2].map(|q| sizes.iter().map(|size| size[q]).sum());
    together(comm, check_rows(n_rows).and_then(|()| check_shapes(&own, n_columns)))?;
    let dense = own.iter().any(|part| matches!(part.table.matrix, LoadedMatrix::Dense(_)));
    let dense = comm.any(dense)?;
    let layout = Ownership::columns(n_columns, comm);
    let own: Vec<Table> = own.into_iter().map(|part| part.table).collect();
    let columns = exchange(comm, &layout, n_rows, || entries(&own, first_row));
    let columns = LoadedMatrix::Sparse(together(comm, columns)?);
    let rows = row_names(comm, own, first_row, n_rows)?;
    let matrix = DistributedMatrix::shared(columns, n_columns, n_entries, dense);
    Ok(Corpus { matrix, names: ColumnNames::from_names(column_names), rows, origin: None })
}

/// Names and classes of the own rows, from those of consecutive tables; nothing travels where there are none.
fn row_names(
    comm: &dyn Communicator,
    tables: Vec<Table>,
    first: usize,
    n_rows: usize,
) -> Result<RowNames> {
    let named = comm.any(tables.iter().any(|table| table.row_names.is_some()))?;
    let labelled = comm.any(tables.iter().any(|table| table.labels.is_some()))?;
    if !named && !labelled {
        return Ok(RowNames { own: Ownership::rows(n_rows, comm), ids: None, labels: None });
    }
    let (mut ids, mut labels, mut next) = (Vec::new(), Vec::new(), first);
    for table in tables {
        let n_rows = table.matrix.n_rows();
        let places = || (next..next + n_rows).map(|d| d.to_string()).collect();
        ids.extend(table.row_names.unwrap_or_else(places));
        labels.extend(table.labels.unwrap_or_else(|| vec![String::new(); n_rows]));
        next += n_rows;
    }
    let texts = vec![String::new(); ids.len()];
    let own = Documents { ids, texts, labels: labelled.then_some(labels) };
    let Documents { ids, labels, .. } = to_block_owners(comm, own, n_rows)?;
    let own = Ownership::rows(n_rows, comm);
    Ok(RowNames { own, ids: named.then_some(ids), labels })
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
fn check_shapes(own: &[Part], n_columns: usize) -> Result<()> {
    for Part { file, table } in own {
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
                row.push(Entry { line: j as u32, place: (start + d) as u32, value });
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
