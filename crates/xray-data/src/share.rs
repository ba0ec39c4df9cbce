//! One part of a file's content, for reading it on many machines.

use xray_nmf::Ownership;

use crate::error::{Malformed, Result};
use crate::options::LoadOptions;
use crate::table::{Documents, LoadedMatrix, Table};

/// Which part of the content to keep: every machine reads the file as a stream and keeps its part.
///
/// Of documents, part k keeps the rows that rank k of `parts` owns, of a matrix the columns, renumbered
/// from 0 (see [`xray_nmf::Ownership`]).
///
/// # Examples
/// ```
/// use xray_data::Share;
/// let second = Share { part: 1, parts: 3 };
/// assert!(second.keeps_document(4_096) && !second.keeps_document(0));
/// assert_eq!(second.document(4_096), 4 * 4_096);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    /// Which part, from 0.
    pub part: usize,
    /// Number of parts.
    pub parts: usize,
}

impl Share {
    /// Whether document d of the file belongs to this part.
    pub fn keeps_document(&self, d: usize) -> bool {
        self.documents().local(d).is_some()
    }

    /// The place in the file of the k-th document of this part.
    pub fn document(&self, k: usize) -> usize {
        self.documents().global(k)
    }

    /// The documents of this part, of any number.
    fn documents(&self) -> Ownership {
        Ownership::rows_of_rank(usize::MAX, self.part, self.parts)
    }

    /// The columns of this part, of n.
    pub fn columns(&self, n: usize) -> Ownership {
        Ownership::columns_of_rank(n, self.part, self.parts)
    }

    /// The entries of a list with one for each document.
    fn filtered(&self, list: Vec<String>) -> Vec<String> {
        let kept = list.into_iter().enumerate().filter(|(d, _)| self.keeps_document(*d));
        kept.map(|(_, entry)| entry).collect()
    }
}

/// Lines of a matrix file that are worth keeping while it is read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum Kept {
    #[default]
    Everything,
    Rows(Ownership),
    Columns(Ownership),
}

impl Kept {
    pub(crate) fn entry(&self, row: u32, column: u32) -> bool {
        match self {
            Kept::Everything => true,
            Kept::Rows(own) => own.local(row as usize).is_some(),
            Kept::Columns(own) => own.local(column as usize).is_some(),
        }
    }
}

impl LoadOptions {
    /// Whether the d-th document of the file is to be kept.
    pub(crate) fn keeps_document(&self, d: usize) -> bool {
        self.share.is_none_or(|share| share.keeps_document(d))
    }

    /// What to keep of a file with a matrix of this shape: columns are rows of it if it is to be transposed.
    pub(crate) fn kept(&self, n_rows: usize, n_columns: usize) -> Kept {
        match self.share {
            None => Kept::Everything,
            Some(share) if self.transpose => Kept::Rows(share.columns(n_rows)),
            Some(share) => Kept::Columns(share.columns(n_columns)),
        }
    }

    /// The part of a table; the names of all columns stay.
    pub(crate) fn cut_table(&self, table: Table) -> Table {
        let Some(share) = self.share else { return table };
        let own = share.columns(table.matrix.n_columns());
        let matrix = match table.matrix {
            LoadedMatrix::Sparse(x) => x.columns_of(&own).into(),
            LoadedMatrix::Dense(x) => x.columns_of(&own).into(),
        };
        Table { matrix, ..table }
    }

    /// The labels of the kept documents, from those of all.
    pub(crate) fn cut_labels(
        &self,
        documents: &Documents,
        labels: Vec<String>,
    ) -> Result<Vec<String>> {
        let Some(share) = self.share else { return Ok(labels) };
        let labels = share.filtered(labels);
        if labels.len() == documents.len() {
            return Ok(labels);
        }
        let found = format!("{} for {} documents of this part", labels.len(), documents.len());
        Err(Malformed::new("labels", found, "one for each").into())
    }
}
