//! What files turn into: a matrix with names, or documents.

use xray_nmf::{DenseMatrix, Matrix, SparseMatrix};

use crate::budget::{last_bytes, list_bytes};
use crate::error::{Error, Result};

/// What was read from a file.
#[derive(Debug, Clone)]
pub enum Loaded {
    /// Numbers.
    Table(Table),
    /// Texts.
    Documents(Documents),
}

impl Loaded {
    /// The memory that it takes, as readers count it.
    pub fn bytes(&self) -> u64 {
        match self {
            Loaded::Table(table) => table.bytes(),
            Loaded::Documents(documents) => documents.bytes(),
        }
    }

    /// The numbers, or `None` if it was text.
    pub fn into_table(self) -> Option<Table> {
        match self {
            Loaded::Table(table) => Some(table),
            Loaded::Documents(_) => None,
        }
    }

    /// The texts, or `None` if it was numbers.
    pub fn into_documents(self) -> Option<Documents> {
        match self {
            Loaded::Table(_) => None,
            Loaded::Documents(documents) => Some(documents),
        }
    }
}

/// A matrix and what its rows and columns are called.
#[derive(Debug, Clone)]
pub struct Table {
    /// The numbers: rows are documents or samples, columns are words or variables.
    pub matrix: LoadedMatrix,
    /// A name for each row.
    pub row_names: Option<Vec<String>>,
    /// A name for each column.
    pub column_names: Option<Vec<String>>,
    /// A class for each row; empty where a row has none.
    pub labels: Option<Vec<String>>,
    /// The date of each row as the file has it, if a column with dates was chosen; empty where a row has none.
    pub times: Option<Vec<String>>,
}

impl Table {
    /// A table without names.
    pub fn new(matrix: LoadedMatrix) -> Self {
        Self { matrix, row_names: None, column_names: None, labels: None, times: None }
    }

    /// The memory that it takes, with its names.
    pub fn bytes(&self) -> u64 {
        let lists = [&self.row_names, &self.column_names, &self.labels, &self.times];
        let lists = lists.into_iter().flatten();
        self.matrix.bytes() + lists.map(|list| list_bytes(list)).sum::<u64>()
    }

    /// Rows become columns, and their names with them. Dates belong to rows and are dropped; so are labels, unless
    /// there are as many as the new rows.
    #[must_use]
    pub fn transposed(self) -> Self {
        let matrix = self.matrix.transposed();
        let n_rows = matrix.n_rows();
        Self {
            matrix,
            row_names: self.column_names,
            column_names: self.row_names,
            labels: self.labels.filter(|labels| labels.len() == n_rows),
            times: None,
        }
    }

    /// Checks that there is one name for each row and column.
    pub(crate) fn check_names(&self) -> Result<()> {
        let (m, n) = (self.matrix.n_rows(), self.matrix.n_columns());
        for (name, names, length) in [
            ("row names", &self.row_names, m),
            ("column names", &self.column_names, n),
            ("labels", &self.labels, m),
            ("times", &self.times, m),
        ] {
            if let Some(names) = names
                && names.len() != length
            {
                return Err(Error::Parameter {
                    name,
                    value: format!("{} entries", names.len()),
                    allowed: format!(
                        "the matrix is {m} x {n}: {length} are needed (transpose the matrix if \
                         they belong to the other side)"
                    ),
                });
            }
        }
        Ok(())
    }
}

/// A matrix as the file stores it.
#[derive(Debug, Clone)]
pub enum LoadedMatrix {
    /// Mostly zeros.
    Sparse(SparseMatrix<'static, f64>),
    /// Every entry stored.
    Dense(DenseMatrix<'static, f64>),
}

impl LoadedMatrix {
    /// The matrix, however it is stored.
    pub fn as_matrix(&self) -> &dyn Matrix {
        match self {
            LoadedMatrix::Sparse(x) => x,
            LoadedMatrix::Dense(x) => x,
        }
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.as_matrix().n_rows()
    }

    /// Number of columns.
    pub fn n_columns(&self) -> usize {
        self.as_matrix().n_columns()
    }

    /// Number of stored entries.
    pub fn n_entries(&self) -> usize {
        match self {
            LoadedMatrix::Sparse(x) => x.n_entries(),
            LoadedMatrix::Dense(x) => x.n_rows() * x.n_columns(),
        }
    }

    /// The memory that it takes: a sparse matrix is stored by rows and by columns.
    pub fn bytes(&self) -> u64 {
        match self {
            LoadedMatrix::Sparse(x) => {
                24 * x.n_entries() as u64 + 8 * (x.n_rows() + x.n_columns() + 2) as u64
            }
            LoadedMatrix::Dense(_) => 8 * self.n_entries() as u64,
        }
    }

    /// The transposed matrix, without copying.
    #[must_use]
    pub fn transposed(self) -> Self {
        match self {
            LoadedMatrix::Sparse(x) => LoadedMatrix::Sparse(x.transposed()),
            LoadedMatrix::Dense(x) => LoadedMatrix::Dense(x.transposed()),
        }
    }

    /// The listed columns, in the given order. Panics if one is out of range.
    #[must_use]
    pub fn columns_at(self, columns: &[usize]) -> Self {
        self.transposed().rows_at(columns).transposed()
    }

    /// The listed rows, in the given order. Panics if one is out of range.
    #[must_use]
    pub fn rows_at(&self, rows: &[usize]) -> Self {
        match self {
            LoadedMatrix::Sparse(x) => LoadedMatrix::Sparse(x.rows_at(rows)),
            LoadedMatrix::Dense(x) => LoadedMatrix::Dense(x.rows_at(rows)),
        }
    }

    /// Writes row `d`, with all its zeros, into `row`. Panics if `d` or the length of `row` is wrong.
    pub fn copy_row(&self, d: usize, row: &mut [f64]) {
        assert_eq!(row.len(), self.n_columns(), "one place for each column");
        match self {
            LoadedMatrix::Dense(x) => {
                row.iter_mut().enumerate().for_each(|(j, v)| *v = x.get(d, j))
            }
            LoadedMatrix::Sparse(_) => {
                row.fill(0.0);
                self.for_each_in_row(d, |j, v| row[j] = v);
            }
        }
    }

    /// Calls `visit(column, value)` for each entry of row `d` that is stored (sparse) or not zero
    /// (dense), in ascending order of columns. Panics if `d` is out of range.
    pub fn for_each_in_row(&self, d: usize, mut visit: impl FnMut(usize, f64)) {
        match self {
            LoadedMatrix::Sparse(x) => {
                let (offsets, indices, values) = x.csr();
                let range = offsets[d]..offsets[d + 1];
                for (&j, &v) in indices[range.clone()].iter().zip(&values[range]) {
                    visit(j as usize, v);
                }
            }
            LoadedMatrix::Dense(x) => {
                for j in 0..x.n_columns() {
                    let v = x.get(d, j);
                    if v != 0.0 {
                        visit(j, v);
                    }
                }
            }
        }
    }
}

impl From<SparseMatrix<'static, f64>> for LoadedMatrix {
    fn from(matrix: SparseMatrix<'static, f64>) -> Self {
        LoadedMatrix::Sparse(matrix)
    }
}

impl From<DenseMatrix<'static, f64>> for LoadedMatrix {
    fn from(matrix: DenseMatrix<'static, f64>) -> Self {
        LoadedMatrix::Dense(matrix)
    }
}

/// Texts with their names and classes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Documents {
    /// A name for each document: from the file, or its line or record number.
    pub ids: Vec<String>,
    /// The texts.
    pub texts: Vec<String>,
    /// A class for each document; empty where a document has none.
    pub labels: Option<Vec<String>>,
    /// The date of each document as the file has it, if a column with dates was chosen; empty where a document has
    /// none.
    pub times: Option<Vec<String>>,
}

impl Documents {
    /// Number of documents.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Whether there are no documents.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// The memory that they take, as readers count it.
    pub fn bytes(&self) -> u64 {
        let lists = [&self.labels, &self.times].into_iter().flatten();
        let more = lists.map(|list| list_bytes(list)).sum::<u64>();
        list_bytes(&self.texts) + list_bytes(&self.ids) + more
    }

    /// The memory that the last one takes, without its label and its date.
    #[inline]
    pub(crate) fn last_bytes(&self) -> u64 {
        last_bytes(&self.texts) + last_bytes(&self.ids)
    }

    /// Calls the documents by their numbers, from `first` on.
    pub fn number_from(&mut self, first: usize) {
        self.ids = (first..first + self.len()).map(|number| number.to_string()).collect();
    }

    /// Checks that every document has an id, and a label and a date if there are any.
    pub(crate) fn check(&self) -> Result<()> {
        let lists = [("labels", &self.labels), ("times", &self.times)];
        let lists = lists.into_iter().filter_map(|(name, list)| Some((name, list.as_ref()?.len())));
        match [("ids", self.ids.len())].into_iter().chain(lists).find(|(_, n)| *n != self.len()) {
            Some((name, n)) => Err(Error::Parameter {
                name,
                value: format!("{n} entries"),
                allowed: format!("{} are needed, one for each document", self.len()),
            }),
            None => Ok(()),
        }
    }

    /// All ids, labels and texts, with the place of their document.
    pub(crate) fn fields(&self) -> impl Iterator<Item = (usize, &String)> {
        let labels = self.labels.iter().flatten().enumerate();
        self.ids.iter().enumerate().chain(labels).chain(self.texts.iter().enumerate())
    }
}
