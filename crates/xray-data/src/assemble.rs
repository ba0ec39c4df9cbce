//! Entries in any order to a sparse matrix.

use xray_nmf::{DenseMatrix, SparseMatrix};

use crate::budget::Claim;
use crate::error::{Error, Malformed, Result};
use crate::options::Limits;
use crate::share::Kept;
use crate::table::LoadedMatrix;

/// Lines without entries for each entry that a large sparse matrix may have.
const EMPTY_PER_ENTRY: usize = 64;

/// What stands one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stored {
    ByRows,
    ByColumns,
}

/// (row, column, value) entries as they are read.
#[derive(Debug, Default)]
pub(crate) struct Entries {
    pub rows: Vec<u32>,
    pub columns: Vec<u32>,
    pub values: Vec<f64>,
    /// Which of them are stored.
    kept: Kept,
    /// Number of entries read, stored or not.
    n_read: usize,
}

impl Entries {
    /// All entries of a matrix.
    pub(crate) fn new(rows: Vec<u32>, columns: Vec<u32>, values: Vec<f64>) -> Self {
        let n_read = values.len();
        Self { rows, columns, values, kept: Kept::Everything, n_read }
    }

    /// None yet; only those that are `kept` will be stored.
    pub(crate) fn keeping(kept: Kept) -> Self {
        Self { kept, ..Self::default() }
    }

    pub(crate) fn push(&mut self, row: u32, column: u32, value: f64) {
        self.n_read += 1;
        if !self.kept.entry(row, column) {
            return;
        }
        self.rows.push(row);
        self.columns.push(column);
        self.values.push(value);
    }

    /// The bytes of those that are stored.
    pub(crate) fn bytes(&self) -> u64 {
        16 * self.values.len() as u64
    }

    /// Number of entries read.
    pub(crate) fn len(&self) -> usize {
        self.n_read
    }

    /// The matrix; entries of one place are added up in order.
    pub(crate) fn into_matrix(
        self,
        claim: &mut Claim,
        n_rows: usize,
        n_columns: usize,
        limits: &Limits,
    ) -> Result<LoadedMatrix> {
        let file = &claim.file().to_owned();
        check_shape(file, n_rows, n_columns, self.len(), limits)?;
        let given = self.bytes();
        claim.take(12 * self.values.len() as u64 + 16 * n_rows as u64)?;
        let Self { rows, columns, values, .. } = self;
        let mut offsets = vec![0usize; n_rows + 1];
        for &row in &rows {
            match offsets.get_mut(row as usize + 1) {
                Some(count) => *count += 1,
                None => return Err(outside(file, "row", u64::from(row), n_rows)),
            }
        }
        for d in 0..n_rows {
            offsets[d + 1] += offsets[d];
        }
        let mut next = offsets.clone();
        let mut by_row = Compressed {
            offsets,
            indices: vec![0; columns.len()],
            values: vec![0.0; values.len()],
        };
        for ((row, column), value) in rows.into_iter().zip(columns).zip(values) {
            let place = &mut next[row as usize];
            by_row.indices[*place] = column;
            by_row.values[*place] = value;
            *place += 1;
        }
        drop(next);
        claim.give_back(given + 8 * n_rows as u64);
        by_row.into_matrix(claim, Stored::ByRows, n_columns)
    }
}

/// Compressed rows or columns whose offsets are in order; indices may be in any order.
pub(crate) struct Compressed {
    pub offsets: Vec<usize>,
    pub indices: Vec<u32>,
    pub values: Vec<f64>,
}

impl Compressed {
    /// The matrix whose rows or columns these are, which `claim` holds; `across` is the number of the others.
    pub(crate) fn into_matrix(
        mut self,
        claim: &mut Claim,
        stored: Stored,
        across: usize,
    ) -> Result<LoadedMatrix> {
        self.tidy();
        // The other form, and the places of its lines while it is filled.
        claim.take(12 * self.values.len() as u64 + 16 * across as u64)?;
        let file = claim.file();
        let n_lines = self.offsets.len() - 1;
        let Self { offsets, indices, values } = self;
        let matrix = match stored {
            Stored::ByRows => SparseMatrix::from_csr(n_lines, across, offsets, indices, values),
            Stored::ByColumns => SparseMatrix::from_csc(across, n_lines, offsets, indices, values),
        };
        matrix.map(LoadedMatrix::Sparse).map_err(|e| matrix_error(file, e))
    }

    /// Sorts each line and adds up entries of one place.
    fn tidy(&mut self) {
        let Self { offsets, indices, values } = self;
        let tidy = offsets.windows(2).all(|w| indices[w[0]..w[1]].is_sorted_by(|a, b| a < b));
        if tidy {
            return;
        }
        let mut line: Vec<(u32, f64)> = Vec::new();
        let mut end = 0;
        let mut start = 0;
        for offset in offsets.iter_mut().skip(1) {
            line.clear();
            line.extend((start..*offset).map(|k| (indices[k], values[k])));
            line.sort_by_key(|&(index, _)| index);
            let first = end;
            for &(index, value) in &line {
                if end > first && indices[end - 1] == index {
                    values[end - 1] += value;
                } else {
                    indices[end] = index;
                    values[end] = value;
                    end += 1;
                }
            }
            start = *offset;
            *offset = end;
        }
        indices.truncate(end);
        values.truncate(end);
    }
}

/// A dense matrix from values with one row or column after the other.
pub(crate) fn dense(
    file: &str,
    stored: Stored,
    n_rows: usize,
    n_columns: usize,
    values: Vec<f64>,
) -> Result<LoadedMatrix> {
    let matrix = match stored {
        Stored::ByRows => DenseMatrix::from_row_major(n_rows, n_columns, values),
        Stored::ByColumns => DenseMatrix::from_column_major(n_rows, n_columns, values),
    };
    matrix.map(LoadedMatrix::Dense).map_err(|e| matrix_error(file, e))
}

fn matrix_error(file: &str, source: xray_nmf::Error) -> Error {
    Error::Matrix { file: file.to_owned(), source }
}

fn outside(file: &str, axis: &str, index: u64, dimension: usize) -> Error {
    Malformed::new(
        file,
        format!("{axis} index {index} (counted from 0)"),
        format!("less than {dimension}"),
    )
    .into()
}

/// Refuses shapes whose empty rows and columns alone would fill the memory.
pub(crate) fn check_shape(
    file: &str,
    n_rows: usize,
    n_columns: usize,
    n_entries: usize,
    limits: &Limits,
) -> Result<()> {
    let most = limits.empty_lines.max(n_entries.saturating_mul(EMPTY_PER_ENTRY));
    for (axis, n) in [("rows", n_rows), ("columns", n_columns)] {
        if n > most || n >= u32::MAX as usize {
            let most = most.min(u32::MAX as usize - 1);
            return Err(Malformed::new(
                file,
                format!("{n} {axis} with {n_entries} entries"),
                format!("at most {most} {axis}"),
            )
            .remedy("check the declared shape, or raise the limit on empty lines")
            .into());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_sorted_and_duplicates_added() {
        let mut entries = Entries::default();
        for (row, column, value) in [(1, 2, 1.0), (0, 1, 2.0), (1, 0, 3.0), (1, 2, 4.0)] {
            entries.push(row, column, value);
        }
        let limits = Limits::default();
        let matrix = entries.into_matrix(&mut limits.claim("test"), 3, 3, &limits);
        let matrix = matrix.expect("in range");
        let LoadedMatrix::Sparse(x) = matrix else { panic!("sparse") };
        assert_eq!(x.csr(), (&[0, 1, 3, 3][..], &[1, 0, 2][..], &[2.0, 3.0, 5.0][..]));
    }

    #[test]
    fn shapes_beyond_the_entries_are_refused() {
        let check = |m, n, entries| check_shape("test", m, n, entries, &Limits::default());
        assert!(check(1 << 21, 1, 0).is_ok());
        assert!(check((1 << 21) + 1, 1, 0).is_err());
        assert!(check(64 << 20, 1, 1 << 20).is_ok());
        assert!(check(1, 1 << 40, 1 << 39).is_err());
    }
}
