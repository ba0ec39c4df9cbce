//! A weighted documents x words matrix, and what its rows and columns are called.

use xray_data::text::{TextOptions, Vectorizer, position_names};
use xray_data::{Documents, LoadedMatrix, Table};
use xray_nmf::{Matrix, SparseMatrix};

use crate::error::Result;

/// Documents as a matrix.
#[derive(Debug, Clone)]
pub struct Corpus {
    /// Documents x words, weighted.
    pub matrix: SparseMatrix<'static, f64>,
    /// The vocabulary, and how documents were weighed.
    pub vectorizer: Vectorizer,
    /// A name for each document.
    pub ids: Vec<String>,
    /// A class for each document; empty where a document has none.
    pub labels: Option<Vec<String>>,
}

impl Corpus {
    /// From texts.
    ///
    /// # Errors
    /// If an option is out of range, or no word is left.
    pub fn from_documents(documents: Documents, options: TextOptions) -> Result<Self> {
        let Documents { ids, texts, labels } = documents;
        let (matrix, vectorizer) = Vectorizer::fit_transform(options, &texts)?;
        Ok(Self { matrix, vectorizer, ids, labels })
    }

    /// From a matrix of counts, or of weights if `options` leave numbers as they are.
    ///
    /// Columns without names are called by their position, counted from 0.
    ///
    /// # Errors
    /// If an option is out of range, an entry is negative, or no column is left.
    pub fn from_table(table: Table, options: TextOptions) -> Result<Self> {
        let Table { matrix, row_names, column_names, labels } = table;
        let counts = into_sparse(matrix)?;
        let names = column_names.unwrap_or_else(|| position_names(counts.n_columns()));
        let ids = row_names.unwrap_or_else(|| position_names(counts.n_rows()));
        let (matrix, vectorizer) = Vectorizer::fit_counts(options, &counts, names)?;
        Ok(Self { matrix, vectorizer, ids, labels })
    }

    /// Number of documents.
    pub fn n_documents(&self) -> usize {
        self.matrix.n_rows()
    }

    /// The word of a column.
    pub fn word(&self, column: usize) -> &str {
        &self.vectorizer.vocabulary()[column]
    }
}

/// The same entries, without zeros.
///
/// # Errors
/// If the matrix is larger than a sparse one can be.
pub fn into_sparse(matrix: LoadedMatrix) -> Result<SparseMatrix<'static, f64>> {
    match matrix {
        LoadedMatrix::Sparse(x) => Ok(x),
        LoadedMatrix::Dense(x) => {
            let (m, n) = (x.n_rows(), x.n_columns());
            let entries = (0..m).flat_map(|d| (0..n).map(move |j| (d, j)));
            let entries = entries.map(|(d, j)| (d, j, x.get(d, j))).filter(|entry| entry.2 != 0.0);
            Ok(SparseMatrix::from_triplets(m, n, entries)?)
        }
    }
}

/// Whether every entry is a whole number, as counts are.
pub fn is_whole(matrix: &LoadedMatrix) -> bool {
    (0..matrix.n_rows()).all(|d| {
        let mut whole = true;
        matrix.for_each_in_row(d, |_, v| whole &= v.fract() == 0.0);
        whole
    })
}
