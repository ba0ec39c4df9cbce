//! Matrices of counts, weighed like texts: rows are documents, columns are terms.
//!
//! Columns keep their order and names. Terms are what the matrix says they are: the options that
//! make terms of text (`lowercase`, `min_characters`, `stemming`, `ngrams`) do not apply, those that
//! choose and weigh terms do. Stop words are dropped by name, whatever their case if `lowercase` is
//! set.

use rayon::prelude::*;
use rustc_hash::FxHashMap;
use xray_nmf::{Matrix, SparseMatrix};

use super::counts::stop_words;
use super::interner::hash_of;
use super::options::TextOptions;
use super::vectorizer::{Vectorizer, to_matrix};
use super::vocabulary::DROPPED;
use super::weights::{Rows, inverse_frequencies, push_row};
use crate::budget::Budget;
use crate::error::{Error, Result};

/// Rows that are weighed in one go.
const CHUNK_ROWS: usize = 1024;

/// Bytes for each count while it is weighed: counts and weights, each by rows and by columns, and one form that
/// is being made.
const WEIGHED_ENTRY: u64 = 60;

/// The names of columns that have none: their places "0", "1", ...
pub fn position_names(n_columns: usize) -> Vec<String> {
    (0..n_columns).map(|j| j.to_string()).collect()
}

/// Whether all names are places, ascending, as those of columns without names are, or some of them.
fn are_positions(names: &[String]) -> bool {
    let place = |name: &String| name.parse::<usize>().ok().filter(|j| j.to_string() == *name);
    let places: Option<Vec<usize>> = names.iter().map(place).collect();
    places.is_some_and(|places| places.is_sorted_by(|a, b| a < b))
}

impl Vectorizer {
    /// Learns weights from a matrix of counts (documents x terms) whose columns have these names,
    /// and returns the weighed matrix; it equals that of texts with these counts, but for the order
    /// of columns, which is kept.
    ///
    /// Counts may be fractions, but with `sublinear_tf` none below 1. Zeros that are stored count as
    /// absent; columns without counts are kept only if `min_df` is 0.
    ///
    /// # Errors
    /// If an option is out of range, there is not one name for each column, two columns have the
    /// same name, a count is negative, or no term is left.
    ///
    /// # Examples
    /// ```
    /// use xray_data::text::{TextOptions, Vectorizer};
    /// use xray_nmf::SparseMatrix;
    ///
    /// let counts = [(0, 0, 2.0), (0, 1, 1.0), (1, 1, 4.0), (1, 2, 1.0)];
    /// let counts = SparseMatrix::from_triplets(2, 3, counts).expect("in range");
    /// let names = vec!["pear".to_owned(), "the".to_owned(), "apple".to_owned()];
    /// let (x, vectorizer) = Vectorizer::fit_counts(TextOptions::default(), &counts, names)?;
    /// assert_eq!(vectorizer.vocabulary(), ["pear", "apple"]);
    /// assert_eq!(x.csr(), (&[0, 1, 2][..], &[0, 1][..], &[1.0, 1.0][..]));
    ///
    /// let (new, names) = (SparseMatrix::from_triplets(1, 1, [(0, 0, 3.0)]), ["apple".to_owned()]);
    /// let new = vectorizer.transform_counts(&new.expect("in range"), Some(&names))?;
    /// assert_eq!(new.csr(), (&[0, 1][..], &[1][..], &[1.0][..]));
    /// # Ok::<(), xray_data::Error>(())
    /// ```
    pub fn fit_counts(
        options: TextOptions,
        counts: &SparseMatrix<'_, f64>,
        names: Vec<String>,
    ) -> Result<(SparseMatrix<'static, f64>, Self)> {
        options.check()?;
        check_names(&names, counts.n_columns())?;
        check_counts(&options, counts)?;
        let (n_rows, columns) = (counts.n_rows(), ColumnCount::of_columns(counts));
        let vectorizer = Self::from_columns(options, n_rows, names.clone(), &columns)?;
        let matrix = vectorizer.transform_counts(counts, Some(&names))?;
        Ok((matrix, vectorizer))
    }

    /// Learns weights from what is [known of each column](ColumnCount) of a matrix of counts with
    /// `n_documents` rows: what [`fit_counts`](Self::fit_counts) learns, where no place has all of it.
    ///
    /// # Errors
    /// As [`fit_counts`](Self::fit_counts), except that the counts themselves are not seen.
    pub fn from_columns(
        options: TextOptions,
        n_documents: usize,
        names: Vec<String>,
        columns: &[ColumnCount],
    ) -> Result<Self> {
        options.check()?;
        check_names(&names, columns.len())?;
        let kept = choose(&options, n_documents, columns, &names)?;
        let frequencies: Vec<u64> = kept.iter().map(|term| term.document_frequency).collect();
        let idf = inverse_frequencies(&options, n_documents, &frequencies);
        let mut names = names;
        let vocabulary = kept.iter().map(|term| std::mem::take(&mut names[term.column])).collect();
        Self::from_parts(options, n_documents, vocabulary, frequencies, idf)
    }

    /// The weighed matrix of new counts; of the training counts the same bits as
    /// [`fit_counts`](Self::fit_counts) gave. Columns are found by name, in any order; unknown ones
    /// are ignored. Columns without names are called by their places "0", "1", ..., as in
    /// [`position_names`], if those of the training counts were.
    ///
    /// # Errors
    /// If there is not one name for each column, two columns have the same name, names are lacking, a count
    /// is negative, or no column is known.
    pub fn transform_counts(
        &self,
        counts: &SparseMatrix<'_, f64>,
        names: Option<&[String]>,
    ) -> Result<SparseMatrix<'static, f64>> {
        let positions;
        let names = match names {
            Some(names) => names,
            None if !are_positions(self.vocabulary()) => return Err(self.no_names()),
            None => {
                positions = position_names(counts.n_columns());
                &positions
            }
        };
        check_names(names, counts.n_columns())?;
        check_counts(self.options(), counts)?;
        let columns = self.columns_called(names);
        if columns.iter().all(|&column| column == DROPPED) {
            return Err(self.no_known_column(names));
        }
        let mut claim = Budget::of_process().claim("weights of the counts");
        claim.take(WEIGHED_ENTRY * counts.n_entries() as u64 + 16 * counts.n_rows() as u64)?;
        let rows = weigh(self.options(), self.idf(), counts, &columns);
        to_matrix(rows, self.vocabulary().len())
    }

    /// The columns of names, or [`DROPPED`]: as terms are called, or stems as they are.
    fn columns_called(&self, names: &[String]) -> Vec<u32> {
        let called = match self.keys() == self.vocabulary() {
            true => FxHashMap::default(),
            false => self.vocabulary().iter().map(String::as_str).zip(0..).collect(),
        };
        let column_of = |name: &String| {
            let column = called.get(name.as_str()).copied();
            column.or_else(|| self.column_of_hash(name, hash_of(name))).unwrap_or(DROPPED)
        };
        names.iter().map(column_of).collect()
    }

    fn no_known_column(&self, names: &[String]) -> Error {
        Error::Columns(format!(
            "columns {}: none of them is known; known are {}: give the names of the columns, or transpose \
             the matrix",
            some_names(names),
            some_names(self.vocabulary())
        ))
    }

    fn no_names(&self) -> Error {
        Error::Columns(format!(
            "the columns have no names, and those of the model have: {}; give the names of the columns",
            some_names(self.vocabulary())
        ))
    }
}

/// The first few names and how many there are, for messages.
pub fn some_names(names: &[String]) -> String {
    let shown: Vec<String> =
        names.iter().take(5).map(|name| name.escape_debug().take(40).collect()).collect();
    let more = if names.len() > 5 { format!(", ... ({})", names.len()) } else { String::new() };
    shown.join(", ") + &more
}

/// One name for each column, each once.
fn check_names(names: &[String], n_columns: usize) -> Result<()> {
    if names.len() != n_columns {
        return Err(Error::Parameter {
            name: "column names",
            value: format!("{} entries", names.len()),
            allowed: format!(
                "the matrix has {n_columns} columns: one name for each is needed (transpose the \
                 matrix if they belong to its rows)"
            ),
        });
    }
    let mut places: FxHashMap<&str, usize> = FxHashMap::default();
    places.reserve(names.len());
    for (j, name) in names.iter().enumerate() {
        if let Some(first) = places.insert(name, j) {
            return Err(Error::Columns(format!(
                "columns {} and {} are both called {name:?}; rename one or add them up",
                first + 1,
                j + 1
            )));
        }
    }
    Ok(())
}

/// No count is negative, or too small for its logarithm.
fn check_counts(options: &TextOptions, counts: &SparseMatrix<'_, f64>) -> Result<()> {
    let (offsets, columns, values) = counts.csr();
    let wrong = |&v: &f64| v < 0.0 || (options.sublinear_tf && v > 0.0 && v < 1.0);
    let Some(k) = values.par_iter().position_first(wrong) else { return Ok(()) };
    let row = offsets.partition_point(|&offset| offset <= k);
    let remedy = if values[k] < 0.0 {
        "counts are not negative: use the matrix as it is, without weights"
    } else {
        "sublinear_tf is for counts of 1 or more: turn it off for other numbers"
    };
    Err(Error::Count { value: values[k], row, column: columns[k] as usize + 1, remedy })
}

/// What the choice of columns needs to know of each.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ColumnCount {
    /// Rows with a count above 0.
    pub document_frequency: u64,
    /// Sum of the counts, in row order.
    pub total: f64,
}

impl ColumnCount {
    /// Of each column of a matrix.
    pub fn of_columns(counts: &SparseMatrix<'_, f64>) -> Vec<Self> {
        let (offsets, _, values) = counts.csc();
        let of_column = |column: usize| {
            let values = &values[offsets[column]..offsets[column + 1]];
            let document_frequency = values.iter().filter(|&&v| v > 0.0).count() as u64;
            Self { document_frequency, total: values.iter().sum() }
        };
        (0..counts.n_columns()).into_par_iter().map(of_column).collect()
    }
}

/// A column that may be kept.
struct Term {
    column: usize,
    document_frequency: u64,
    total: f64,
}

/// Chooses columns as [`super::vocabulary::choose`] does, and keeps them in order.
fn choose(
    options: &TextOptions,
    n_documents: usize,
    columns: &[ColumnCount],
    names: &[String],
) -> Result<Vec<Term>> {
    let (min, max) = options.frequency_range(n_documents)?;
    let stop_words = stop_words(options);
    let is_stop_word = |name: &str| {
        if options.lowercase {
            stop_words.contains(&name.to_lowercase())
        } else {
            stop_words.contains(name)
        }
    };
    let term = |column: usize| {
        let ColumnCount { document_frequency, total } = columns[column];
        Term { column, document_frequency, total }
    };
    let mut kept: Vec<Term> = (0..names.len())
        .into_par_iter()
        .filter(|&j| stop_words.is_empty() || !is_stop_word(&names[j]))
        .map(term)
        .filter(|t| (min..=max).contains(&(t.document_frequency as f64)))
        .collect();
    if kept.is_empty() {
        let reason = format!(
            "none of {} columns, stop words aside, has counts in at least {min} and at most {max} \
             of {n_documents} rows; lower `min_df`, raise `max_df`, or transpose the matrix",
            names.len()
        );
        return Err(Error::EmptyVocabulary { reason });
    }
    if let Some(most) = options.max_features.filter(|&most| most < kept.len()) {
        keep_largest(&mut kept, most, names);
    }
    Ok(kept)
}

/// Keeps the terms with the largest totals, ties in alphabetical order.
fn keep_largest(terms: &mut Vec<Term>, most: usize, names: &[String]) {
    terms.sort_by(|a, b| {
        b.total.total_cmp(&a.total).then_with(|| names[a.column].cmp(&names[b.column]))
    });
    terms.truncate(most);
    terms.sort_by_key(|term| term.column);
}

/// The weighed rows; `columns` maps the columns of the counts to those of the result.
fn weigh(
    options: &TextOptions,
    idf: &[f64],
    counts: &SparseMatrix<'_, f64>,
    columns: &[u32],
) -> Rows {
    let (offsets, indices, values) = counts.csr();
    let n_rows = counts.n_rows();
    let weigh_chunk = |chunk: usize| {
        let mut rows = Rows::default();
        let mut row: Vec<(u32, f64)> = Vec::new();
        for d in chunk * CHUNK_ROWS..((chunk + 1) * CHUNK_ROWS).min(n_rows) {
            row.clear();
            row.extend((offsets[d]..offsets[d + 1]).filter_map(|k| {
                let column = columns[indices[k] as usize];
                (column != DROPPED && values[k] > 0.0).then_some((column, values[k]))
            }));
            row.sort_unstable_by_key(|&(column, _)| column);
            push_row(options, idf, row.iter().copied(), &mut rows);
        }
        rows
    };
    let n_chunks = n_rows.div_ceil(CHUNK_ROWS);
    Rows::concatenated((0..n_chunks).into_par_iter().map(weigh_chunk).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{DocumentFrequency, RowScale, StopWords};

    const WORDS: [&str; 7] = ["pear", "The", "fig", "apple", "nut", "date", "kiwi"];

    /// Counts and, for each row, a text that has them.
    fn corpus(n: usize) -> (SparseMatrix<'static, f64>, Vec<String>) {
        let count = |d: usize, j: usize| ((d * 31 + j * 17 + d * j) % 13).saturating_sub(7 + j / 2);
        let entries = (0..n).flat_map(|d| (0..7).map(move |j| (d, j, count(d, j) as f64)));
        let text = |d| (0..7).map(|j| [WORDS[j], " "].concat().repeat(count(d, j))).collect();
        let counts = SparseMatrix::from_triplets(n, 7, entries).expect("in range");
        (counts, (0..n).map(text).collect())
    }

    fn names() -> Vec<String> {
        WORDS.map(str::to_owned).into()
    }

    fn settings() -> Vec<TextOptions> {
        vec![
            TextOptions::default(),
            TextOptions::scikit_learn(),
            TextOptions::counts(),
            TextOptions { max_features: Some(3), ..TextOptions::scikit_learn() },
            TextOptions { smooth_idf: false, normalize: RowScale::None, ..TextOptions::default() },
            TextOptions { normalize: RowScale::L1, ..TextOptions::default() },
            TextOptions {
                min_df: DocumentFrequency::Count(2),
                max_df: DocumentFrequency::Share(0.4),
                stop_words: StopWords::List(vec!["FIG".into()]),
                ..TextOptions::default()
            },
        ]
    }

    /// Entries by name of the column, with their bits.
    fn by_name(x: &SparseMatrix<'_, f64>, terms: &[String]) -> Vec<(usize, String, u64)> {
        let (offsets, columns, values) = x.csr();
        let mut entries = Vec::new();
        for d in 0..x.n_rows() {
            for k in offsets[d]..offsets[d + 1] {
                let name = terms[columns[k] as usize].to_lowercase();
                entries.push((d, name, values[k].to_bits()));
            }
        }
        entries.sort();
        entries
    }

    #[test]
    fn weights_are_those_of_texts_with_the_same_counts() {
        let (counts, texts) = corpus(3000);
        // Sums for the norm run in order of columns: sort them for equal bits.
        let mut order: Vec<usize> = (0..7).collect();
        order.sort_by_key(|&j| WORDS[j].to_lowercase());
        let sorted: Vec<String> = order.iter().map(|&j| WORDS[j].to_owned()).collect();
        for options in settings() {
            let (of_texts, fitted) = Vectorizer::fit_transform(options.clone(), &texts).unwrap();
            let (of_counts, vectorizer) =
                Vectorizer::fit_counts(options.clone(), &counts, names()).unwrap();
            let again = vectorizer.transform_counts(&counts, Some(&names())).unwrap();
            assert_eq!(of_counts.csr(), again.csr());
            assert!(
                vectorizer
                    .vocabulary()
                    .iter()
                    .is_sorted_by_key(|term| { WORDS.iter().position(|word| word == term) })
            );
            let by_order = by_columns(&counts, &order);
            let (x, same) = Vectorizer::fit_counts(options, &by_order, sorted.clone()).unwrap();
            assert_eq!(by_name(&x, same.vocabulary()), by_name(&of_texts, fitted.vocabulary()));
            assert_eq!((same.idf(), same.n_documents()), (fitted.idf(), fitted.n_documents()));
            assert_eq!(same.document_frequencies(), fitted.document_frequencies());
        }
    }

    /// The columns in another order.
    fn by_columns(x: &SparseMatrix<'_, f64>, order: &[usize]) -> SparseMatrix<'static, f64> {
        x.clone().transposed().rows_at(order).transposed()
    }

    #[test]
    fn columns_are_found_by_name_in_any_order() {
        let (counts, _) = corpus(50);
        let (x, vectorizer) =
            Vectorizer::fit_counts(TextOptions::default(), &counts, names()).unwrap();
        let mut names = names();
        names.reverse();
        let reversed = by_columns(&counts, &[6, 5, 4, 3, 2, 1, 0]);
        let same = vectorizer.transform_counts(&reversed, Some(&names)).unwrap();
        assert_eq!(x.csr(), same.csr());
        let unknown = vectorizer.transform_counts(&counts, None).unwrap_err().to_string();
        assert!(unknown.contains("no names") && unknown.contains("pear, fig, apple"), "{unknown}");
        let unknown = vectorizer.transform_counts(&counts, Some(&position_names(7))).unwrap_err();
        let unknown = unknown.to_string();
        assert!(unknown.contains("0, 1, 2, 3, 4, ... (7)"), "{unknown}");
        assert!(unknown.contains("known are pear, fig, apple"), "{unknown}");
    }

    #[test]
    fn places_are_no_words() {
        let words = ["there are 10 cats", "7 dogs and 10 cats", "7 10 1"];
        let options = TextOptions { min_characters: 1, ..TextOptions::scikit_learn() };
        let (_, vectorizer) = Vectorizer::fit_transform(options, &words).unwrap();
        assert!(vectorizer.column("10").is_some());
        let counts = SparseMatrix::from_triplets(1, 12, [(0, 10, 1.0)]).unwrap();
        let refused = vectorizer.transform_counts(&counts, None).unwrap_err();
        assert!(matches!(refused, Error::Columns(_)), "{refused}");
        // Words that are all numbers are not in the order of places.
        let names = ["1", "10", "7"].map(str::to_owned);
        assert!(!are_positions(&names) && are_positions(&position_names(12)));
        assert!(are_positions(&["3", "40"].map(str::to_owned)));
        assert!(!are_positions(&["03", "40"].map(str::to_owned)));
    }

    #[test]
    fn unnamed_columns_are_called_by_their_places() {
        let (counts, _) = corpus(400);
        let options = TextOptions { max_features: Some(3), ..TextOptions::default() };
        let (x, vectorizer) = Vectorizer::fit_counts(options, &counts, position_names(7)).unwrap();
        assert_eq!(vectorizer.vocabulary().len(), 3);
        let again = vectorizer.transform_counts(&counts, None).unwrap();
        assert_eq!(x.csr(), again.csr());
    }

    #[test]
    fn plain_options_leave_every_entry_and_column() {
        let entries = [(0, 0, 0.25), (1, 2, 1e-300)];
        let counts = SparseMatrix::from_triplets(3, 4, entries).unwrap();
        let (x, vectorizer) =
            Vectorizer::fit_counts(TextOptions::plain(), &counts, position_names(4)).unwrap();
        assert_eq!((x.csr(), x.n_columns()), (counts.csr(), 4));
        assert_eq!(vectorizer.document_frequencies(), [1, 0, 1, 0]);
    }

    #[test]
    fn tiny_numbers_are_normalized_too() {
        let entries = [(0, 0, 3e-200), (0, 1, 4e-200), (1, 0, 1.0)];
        let counts = SparseMatrix::from_triplets(2, 2, entries).unwrap();
        let options = TextOptions { normalize: RowScale::L2, ..TextOptions::plain() };
        let (x, _) = Vectorizer::fit_counts(options, &counts, position_names(2)).unwrap();
        let (_, _, values) = x.csr();
        assert!((values[0] - 0.6).abs() < 1e-15 && (values[1] - 0.8).abs() < 1e-15);
    }

    #[test]
    fn errors_say_what_to_do() {
        let message = |options, entries: &[(usize, usize, f64)], names: &[&str]| {
            let counts = SparseMatrix::from_triplets(2, 2, entries.iter().copied()).unwrap();
            let names = names.iter().map(|&name| name.to_owned()).collect();
            Vectorizer::fit_counts(options, &counts, names).map(|_| ()).unwrap_err().to_string()
        };
        let options = TextOptions::default;
        let negative = message(options(), &[(0, 0, 1.0), (1, 1, -2.0)], &["a1", "b1"]);
        assert!(negative.contains("-2 in row 2, column 2") && negative.contains("as it is"));
        let small = message(options(), &[(0, 0, 0.5)], &["a1", "b1"]);
        assert!(small.contains("0.5 in row 1, column 1") && small.contains("sublinear_tf"));
        let twice = message(options(), &[], &["a1", "a1"]);
        assert!(twice.contains("\"a1\"") && twice.contains("columns 1 and 2"));
        let few = message(options(), &[], &["a1"]);
        assert!(few.contains("2 columns: one name for each"), "{few}");
        let stopped = message(options(), &[(0, 0, 1.0)], &["the", "AND"]);
        assert!(stopped.contains("no words are left") && stopped.contains("lower `min_df`"));
    }
}
