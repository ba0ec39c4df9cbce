//! A matrix and its names, as one rank holds them; on one rank that is everything.

use std::borrow::Cow;

use xray_data::text::{Dropped, TextOptions, Vectorizer, position_names};
use xray_data::{Documents, LoadedMatrix, Origin, Table, list_bytes};
use xray_nmf::comm::{Collectives, Communicator, OneRank};
use xray_nmf::{Line, Matrix, Ownership, Portion, Selection, SparseMatrix};

use crate::error::Result;
use crate::read::own_rows;

/// X as one rank holds it: its columns with all rows, and its rows with all columns where they are needed.
#[derive(Debug, Clone)]
pub struct DistributedMatrix {
    columns: LoadedMatrix,
    rows: OwnRows,
    n_columns: usize,
    n_entries: usize,
    dense: bool,
}

/// The own rows, with all columns.
#[derive(Debug, Clone)]
pub enum OwnRows {
    /// One rank: the own columns are all of X.
    Same,
    /// Made for refinement, or for the weights of documents.
    Sparse(SparseMatrix<'static, f64>),
    /// Not asked for yet.
    NotMade,
}

impl DistributedMatrix {
    /// All of X, on one rank.
    pub fn whole(matrix: LoadedMatrix) -> Self {
        Self {
            n_columns: matrix.n_columns(),
            n_entries: matrix.n_entries(),
            dense: matches!(matrix, LoadedMatrix::Dense(_)),
            columns: matrix,
            rows: OwnRows::Same,
        }
    }

    /// The part of one of several ranks: its columns of `n_columns`, of `n_entries` on all ranks. `dense`
    /// says whether the data stores every entry, which the own columns need not.
    pub fn shared(columns: LoadedMatrix, n_columns: usize, n_entries: usize, dense: bool) -> Self {
        Self { columns, rows: OwnRows::NotMade, n_columns, n_entries, dense }
    }

    /// The same with its own rows.
    pub fn with_rows(self, rows: SparseMatrix<'static, f64>) -> Self {
        Self { rows: OwnRows::Sparse(rows), ..self }
    }

    /// Makes the own rows from everybody's columns, unless they are there; collective.
    ///
    /// # Errors
    /// The same on all ranks, if they cannot exchange data.
    pub fn make_rows(&mut self, comm: &dyn Communicator) -> Result<()> {
        if let OwnRows::NotMade = self.rows {
            self.rows = match comm.size() {
                1 => OwnRows::Same,
                _ => OwnRows::Sparse(own_rows(comm, self.columns.as_matrix(), self.n_columns)?),
            };
        }
        Ok(())
    }

    /// Some of the rows, in this order, as a matrix of its own with its own rows made; collective.
    ///
    /// # Errors
    /// The same on all ranks, if they cannot exchange data.
    pub fn rows_at(&self, comm: &dyn Communicator, rows: &[usize]) -> Result<Self> {
        let columns: LoadedMatrix = match &self.columns {
            LoadedMatrix::Sparse(x) => x.rows_at(rows).into(),
            LoadedMatrix::Dense(x) => x.rows_at(rows).into(),
        };
        let rows = if comm.size() == 1 { OwnRows::Same } else { OwnRows::NotMade };
        let n_entries = comm.total(columns.n_entries())?;
        let mut part = Self { columns, rows, n_entries, ..*self };
        part.make_rows(comm)?;
        Ok(part)
    }

    /// The own columns, with all rows.
    pub fn columns(&self) -> &LoadedMatrix {
        &self.columns
    }

    /// The own columns, given up to the caller.
    pub fn into_columns(self) -> LoadedMatrix {
        self.columns
    }

    /// The own columns, if they are sparse.
    pub fn sparse_columns(&self) -> Option<&SparseMatrix<'static, f64>> {
        match &self.columns {
            LoadedMatrix::Sparse(columns) => Some(columns),
            LoadedMatrix::Dense(_) => None,
        }
    }

    /// The own rows, with all columns, if they have been made.
    pub fn rows(&self) -> Option<&dyn Matrix> {
        match &self.rows {
            OwnRows::Same => Some(self.columns.as_matrix()),
            OwnRows::Sparse(rows) => Some(rows),
            OwnRows::NotMade => None,
        }
    }

    /// What is lent to the engine.
    pub fn portion(&self) -> Portion<'_> {
        let (columns, rows) = (self.columns.as_matrix(), self.rows());
        Portion { columns, rows, n_columns: self.n_columns }
    }

    /// Some columns of all, on every rank, one broadcast each; collective.
    ///
    /// # Errors
    /// If the ranks cannot exchange data.
    ///
    /// # Panics
    /// If a column is out of range.
    pub fn fetch_columns(&self, comm: &dyn Communicator, wanted: &[usize]) -> Result<Vec<Line>> {
        let (n, columns) = (self.n_columns, Ownership::columns(self.n_columns, comm));
        if let Some(j) = wanted.iter().find(|j| **j >= n) {
            panic!("column {j} is out of range, the matrix has {n}");
        }
        wanted.iter().map(|&j| self.fetch_column(comm, &columns, j)).collect()
    }

    fn fetch_column(&self, comm: &dyn Communicator, columns: &Ownership, j: usize) -> Result<Line> {
        let mut message = Vec::new();
        if let Some(i) = columns.local(j) {
            self.columns.as_matrix().column(i).for_each(|d, value| {
                message.extend_from_slice(&(d as u32).to_le_bytes());
                message.extend_from_slice(&value.to_le_bytes());
            });
        }
        comm.broadcast(columns.owner(j), &mut message)?;
        let entry = |bytes: &[u8; 12]| {
            let (place, value) = bytes.split_first_chunk::<4>().expect("12 bytes");
            let value = f64::from_le_bytes(*value.first_chunk().expect("8 bytes"));
            (u32::from_le_bytes(*place), value)
        };
        let (rows, values) = message.as_chunks::<12>().0.iter().map(entry).unzip();
        Ok(Line { indices: Some(rows), values })
    }

    /// Number of rows on all ranks.
    pub fn n_rows(&self) -> usize {
        self.columns.n_rows()
    }

    /// Number of columns on all ranks.
    pub fn n_columns(&self) -> usize {
        self.n_columns
    }

    /// Number of stored entries on all ranks.
    pub fn n_entries(&self) -> usize {
        self.n_entries
    }

    /// Whether the data stores every entry.
    pub fn is_dense(&self) -> bool {
        self.dense
    }

    /// The rule for those who name none: in sparse data, such as counts, a single column explains little of any
    /// other, and `max` chooses the odd ones.
    pub fn suited_rule(&self) -> Selection {
        if self.dense { Selection::Max } else { Selection::Greedy }
    }
}

/// What columns are called.
#[derive(Debug, Clone, PartialEq)]
pub enum ColumnNames {
    /// Words: the vocabulary, and how documents were weighed.
    Words(Box<Vectorizer>),
    /// Names from the data.
    Given(Vec<String>),
    /// None: their places, counted from 0.
    Positions,
}

impl ColumnNames {
    /// The names of the data, or places.
    pub fn from_names(names: Option<Vec<String>>) -> Self {
        names.map_or(ColumnNames::Positions, ColumnNames::Given)
    }

    fn listed(&self) -> Option<&[String]> {
        match self {
            ColumnNames::Words(vectorizer) => Some(vectorizer.vocabulary()),
            ColumnNames::Given(names) => Some(names),
            ColumnNames::Positions => None,
        }
    }

    /// The memory that they take, with what words are found by.
    fn bytes(&self) -> u64 {
        match self {
            ColumnNames::Words(vectorizer) => vectorizer.bytes(),
            ColumnNames::Given(names) => list_bytes(names),
            ColumnNames::Positions => 0,
        }
    }
}

/// A matrix that is ready to be factored: weighed documents x words, or any table of numbers.
#[derive(Debug, Clone)]
pub struct Corpus {
    /// The numbers.
    pub matrix: DistributedMatrix,
    /// What the columns of all ranks are called.
    pub names: ColumnNames,
    /// What the own rows are called, and their classes.
    pub rows: RowNames,
    /// What it was read from, hashed as it passed; none if it was made in memory.
    pub origin: Option<Origin>,
    /// What was dropped of the texts of all ranks; none if there were no texts.
    pub dropped: Option<Dropped>,
}

/// What the rows of one rank are called, their classes and their dates.
#[derive(Debug, Clone, PartialEq)]
pub struct RowNames {
    /// Which rows they are.
    pub own: Ownership,
    /// Their names; their places, counted from 0, if absent.
    pub ids: Option<Vec<String>>,
    /// Their classes; empty where a row has none.
    pub labels: Option<Vec<String>>,
    /// Their dates as the files have them, until they are weighed; empty where a row has none.
    pub times: Option<Vec<String>>,
}

impl RowNames {
    /// What the own row at this place is called.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn id(&self, place: usize) -> Cow<'_, str> {
        match &self.ids {
            Some(ids) => Cow::Borrowed(&ids[place]),
            None => Cow::Owned(self.own.global(place).to_string()),
        }
    }

    /// The memory that they take.
    pub fn bytes(&self) -> u64 {
        let lists = [&self.ids, &self.labels, &self.times].into_iter().flatten();
        lists.map(|list| list_bytes(list)).sum()
    }

    /// The names of all rows, on every rank; collective.
    ///
    /// # Errors
    /// If a message is lost.
    pub fn all_ids(&self, comm: &dyn Communicator) -> Result<Option<Cow<'_, [String]>>> {
        if comm.is_alone() {
            return Ok(self.ids.as_deref().map(Cow::Borrowed));
        }
        let own = self.ids.iter().flatten().enumerate();
        let own: Vec<(usize, &String)> =
            own.map(|(place, id)| (self.own.global(place), id)).collect();
        let mut all: Vec<(usize, String)> = Vec::new();
        for message in comm.all_gather(&serde_json::to_vec(&own)?)? {
            all.extend(serde_json::from_slice::<Vec<(usize, String)>>(&message)?);
        }
        all.sort_unstable_by_key(|(row, _)| *row);
        Ok((!all.is_empty()).then(|| all.into_iter().map(|(_, id)| id).collect()))
    }
}

impl Corpus {
    /// From texts, on one rank.
    ///
    /// # Errors
    /// If an option is out of range, or no word is left.
    pub fn from_documents(documents: Documents, options: TextOptions) -> Result<Self> {
        let Documents { ids, texts, labels, .. } = documents;
        let (matrix, vectorizer, dropped) = Vectorizer::fit_told(options, &texts)?;
        let corpus = Self::of_words(matrix, vectorizer, Some(ids), labels);
        Ok(Self { dropped: Some(dropped), ..corpus })
    }

    /// From a matrix of counts, or of weights if `options` leave numbers as they are, on one rank.
    ///
    /// Columns without names are called by their position, counted from 0.
    ///
    /// # Errors
    /// If an option is out of range, an entry is negative, or no column is left.
    pub fn from_table(table: Table, options: TextOptions) -> Result<Self> {
        let Table { matrix, row_names, column_names, labels, .. } = table;
        let counts = into_sparse(matrix)?;
        let names = column_names.unwrap_or_else(|| position_names(counts.n_columns()));
        let (matrix, vectorizer) = Vectorizer::fit_counts(options, &counts, names)?;
        Ok(Self::of_words(matrix, vectorizer, row_names, labels))
    }

    /// Numbers as they are, on one rank.
    pub fn whole(table: Table) -> Self {
        let Table { matrix, row_names: ids, column_names, labels, times } = table;
        let own = Ownership::rows(matrix.n_rows(), &OneRank);
        let rows = RowNames { own, ids, labels, times };
        let names = ColumnNames::from_names(column_names);
        Self { matrix: DistributedMatrix::whole(matrix), names, rows, origin: None, dropped: None }
    }

    /// Weighed documents, on one rank.
    pub fn of_words(
        matrix: SparseMatrix<'static, f64>,
        vectorizer: Vectorizer,
        ids: Option<Vec<String>>,
        labels: Option<Vec<String>>,
    ) -> Self {
        let own = Ownership::rows(matrix.n_rows(), &OneRank);
        let rows = RowNames { own, ids, labels, times: None };
        let names = ColumnNames::Words(Box::new(vectorizer));
        Self {
            matrix: DistributedMatrix::whole(matrix.into()),
            names,
            rows,
            origin: None,
            dropped: None,
        }
    }

    /// The memory of the names of rows and columns.
    pub fn names_bytes(&self) -> u64 {
        self.rows.bytes() + self.names.bytes()
    }

    /// Number of documents on all ranks.
    pub fn n_documents(&self) -> usize {
        self.matrix.n_rows()
    }

    /// Number of words on all ranks.
    pub fn n_words(&self) -> usize {
        self.matrix.n_columns()
    }

    /// What a column is called: its word, its name, or its place.
    ///
    /// # Panics
    /// If there is no such column.
    pub fn word(&self, column: usize) -> Cow<'_, str> {
        match self.names.listed() {
            Some(names) => Cow::Borrowed(&names[column]),
            None => Cow::Owned(column.to_string()),
        }
    }

    /// All columns' names: words, names or places.
    pub fn words(&self) -> Cow<'_, [String]> {
        match self.names.listed() {
            Some(names) => Cow::Borrowed(names),
            None => Cow::Owned(position_names(self.n_words())),
        }
    }

    /// The vocabulary, and how documents were weighed, if they were.
    pub fn vectorizer(&self) -> Option<&Vectorizer> {
        match &self.names {
            ColumnNames::Words(vectorizer) => Some(vectorizer),
            ColumnNames::Given(_) | ColumnNames::Positions => None,
        }
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
