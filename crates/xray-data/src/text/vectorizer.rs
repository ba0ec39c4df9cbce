//! Learning a vocabulary from documents, and weighing documents under it.

use hashbrown::HashTable;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use xray_nmf::SparseMatrix;

use super::clean::Dropped;
use super::counted::{CountedDocuments, count, dropped_of};
use super::counts::ChunkCounts;
use super::forms::{FormCount, forms_of};
use super::interner::hash_of;
use super::options::TextOptions;
use super::phrases;
use super::vocabulary::{DROPPED, PER_COLUMN_OF_CHUNK, TermCount, choose, choose_terms};
use super::weights::{Rows, inverse_frequencies, weigh};
use crate::budget::{list_bytes, table_bytes};
use crate::error::{Error, Result};

/// A vocabulary with its weights: turns documents into rows of a matrix.
///
/// # Examples
/// ```
/// use xray_data::text::{TextOptions, Vectorizer};
/// use xray_nmf::Matrix;
///
/// let documents = ["The cat sat on the mat.", "A dog sat down.", "Cats and dogs"];
/// let (x, vectorizer) = Vectorizer::fit_transform(TextOptions::default(), &documents)?;
/// assert_eq!(vectorizer.vocabulary(), ["cat", "cats", "dog", "dogs", "mat", "sat"]);
/// assert_eq!((x.n_rows(), x.n_columns()), (3, 6));
///
/// // Words outside the vocabulary are ignored.
/// let new = vectorizer.transform(&["the cat and the unicorn"])?;
/// assert_eq!(new.csr(), (&[0, 1][..], &[0][..], &[1.0][..]));
///
/// let json = serde_json::to_string(&vectorizer).expect("serialisable");
/// let same: Vectorizer = serde_json::from_str(&json).expect("written by ourselves");
/// assert_eq!(same, vectorizer);
/// # Ok::<(), xray_data::Error>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "Learned", into = "Learned")]
pub struct Vectorizer {
    learned: Learned,
    /// Columns by the hash of their term.
    lookup: HashTable<u32>,
}

/// What a vectorizer has learned; this is what is written to files.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Learned {
    options: TextOptions,
    n_documents: usize,
    vocabulary: Vec<String>,
    document_frequencies: Vec<u64>,
    idf: Vec<f64>,
    /// What texts are reduced to, for each term; empty where the terms themselves are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    stems: Vec<String>,
}

impl Learned {
    /// What texts are reduced to, for each column.
    fn keys(&self) -> &[String] {
        if self.stems.is_empty() { &self.vocabulary } else { &self.stems }
    }
}

impl PartialEq for Vectorizer {
    fn eq(&self, other: &Self) -> bool {
        self.learned == other.learned
    }
}

impl From<Vectorizer> for Learned {
    fn from(vectorizer: Vectorizer) -> Self {
        vectorizer.learned
    }
}

impl TryFrom<Learned> for Vectorizer {
    type Error = Error;

    fn try_from(learned: Learned) -> Result<Self> {
        let Learned { options, n_documents, vocabulary, document_frequencies, idf, stems } =
            learned;
        let vectorizer =
            Self::from_parts(options, n_documents, vocabulary, document_frequencies, idf)?;
        if stems.is_empty() { Ok(vectorizer) } else { vectorizer.with_stems(stems) }
    }
}

impl Vectorizer {
    /// Learns vocabulary and weights from documents, and returns their matrix (documents x terms).
    ///
    /// # Errors
    /// If an option is out of range or no term is left.
    pub fn fit_transform(
        options: TextOptions,
        documents: &[impl AsRef<str> + Sync],
    ) -> Result<(SparseMatrix<'static, f64>, Self)> {
        Self::fit_told(options, documents).map(|(matrix, vectorizer, _)| (matrix, vectorizer))
    }

    /// As [`fit_transform`](Self::fit_transform), and tells what was dropped.
    ///
    /// # Errors
    /// As [`fit_transform`](Self::fit_transform).
    pub fn fit_told(
        options: TextOptions,
        documents: &[impl AsRef<str> + Sync],
    ) -> Result<(SparseMatrix<'static, f64>, Self, Dropped)> {
        options.check()?;
        let options = phrases::learned(options, documents)?;
        let (counted, mut claim) = count(&options, documents)?;
        let vocabulary = choose(&counted, &options, documents.len(), &mut claim)?;
        let weighed = counted.iter().map(ChunkCounts::weighed_bytes).sum::<u64>();
        // A matrix has its columns in order, too.
        let columns = 8 * vocabulary.terms.len() as u64;
        claim.take(weighed + columns + vocabulary.index_bytes())?;
        let idf = inverse_frequencies(&options, documents.len(), &vocabulary.document_frequency);
        let rows = weigh(&options, &idf, &counted, &vocabulary.columns);
        let dropped = dropped_of(&counted).plus(vocabulary.dropped);
        let forms = forms_of(&counted);
        drop((counted, vocabulary.columns));
        // Once to be chosen from, and once as the names of columns.
        claim.take(2 * forms.iter().map(FormCount::bytes).sum::<u64>())?;
        let matrix = to_matrix(rows, vocabulary.terms.len())?;
        let vectorizer = Self::from_parts(
            options,
            documents.len(),
            vocabulary.terms,
            vocabulary.document_frequency,
            idf,
        )?;
        Ok((matrix, vectorizer.shown_as(forms), dropped))
    }

    /// Learns vocabulary and weights from the terms of `n_documents` documents, each term once with
    /// its counts in all of them: what [`fit_transform`](Self::fit_transform) learns, where documents are
    /// [counted](CountedDocuments) in several places.
    ///
    /// # Errors
    /// If an option is out of range or no term is left.
    pub fn from_terms(
        options: TextOptions,
        n_documents: usize,
        terms: Vec<TermCount>,
    ) -> Result<Self> {
        options.check()?;
        let kept = choose_terms(terms, &options, n_documents)?;
        let frequencies: Vec<u64> = kept.iter().map(|t| t.document_frequency).collect();
        let idf = inverse_frequencies(&options, n_documents, &frequencies);
        let vocabulary = kept.into_iter().map(|t| t.term).collect();
        Self::from_parts(options, n_documents, vocabulary, frequencies, idf)
    }

    /// The matrix (documents x terms) of counted documents, as [`transform`](Self::transform) gives it.
    ///
    /// # Errors
    /// If there are more documents than a matrix can hold.
    pub fn weigh(&self, counted: &CountedDocuments) -> Result<SparseMatrix<'static, f64>> {
        self.weigh_chunks(&counted.chunks)
    }

    /// The matrix (documents x terms) of new documents; of the training documents the same bits as
    /// [`fit_transform`](Self::fit_transform) gave.
    ///
    /// # Errors
    /// If there are more documents than a matrix can hold.
    pub fn transform(
        &self,
        documents: &[impl AsRef<str> + Sync],
    ) -> Result<SparseMatrix<'static, f64>> {
        let (counted, mut claim) = count(&self.learned.options, documents)?;
        let n_columns = self.learned.vocabulary.len() as u64;
        let n_terms = counted.iter().map(|chunk| chunk.terms.len() as u64).sum::<u64>();
        let weighed = counted.iter().map(ChunkCounts::weighed_bytes).sum::<u64>();
        claim.take(weighed + 8 * n_columns + PER_COLUMN_OF_CHUNK * n_terms)?;
        self.weigh_chunks(&counted)
    }

    fn weigh_chunks(&self, counted: &[ChunkCounts]) -> Result<SparseMatrix<'static, f64>> {
        let column_of = |chunk: &ChunkCounts, t| {
            let term = chunk.terms.get(t);
            self.column_of_hash(term, chunk.terms.hash(t)).unwrap_or(DROPPED)
        };
        let columns: Vec<Vec<u32>> = counted
            .par_iter()
            .map(|chunk| (0..chunk.terms.len() as u32).map(|t| column_of(chunk, t)).collect())
            .collect();
        let rows = weigh(&self.learned.options, &self.learned.idf, counted, &columns);
        to_matrix(rows, self.learned.vocabulary.len())
    }

    /// From what an earlier one had learned.
    ///
    /// # Errors
    /// If the lengths do not agree, an option is out of range, a term stands twice, or a weight is
    /// not a positive number.
    pub fn from_parts(
        options: TextOptions,
        n_documents: usize,
        vocabulary: Vec<String>,
        document_frequencies: Vec<u64>,
        idf: Vec<f64>,
    ) -> Result<Self> {
        options.check()?;
        for (name, length) in
            [("document_frequencies", document_frequencies.len()), ("idf", idf.len())]
        {
            if length != vocabulary.len() {
                let allowed = format!("one for each of {} terms is needed", vocabulary.len());
                return Err(Error::Parameter { name, value: format!("{length} entries"), allowed });
            }
        }
        if let Some(wrong) = idf.iter().find(|v| !v.is_finite() || **v < 0.0) {
            let allowed = "weights are finite and not negative".to_owned();
            return Err(Error::Parameter { name: "idf", value: wrong.to_string(), allowed });
        }
        let lookup = build_lookup(&vocabulary)?;
        let stems = Vec::new();
        let learned =
            Learned { options, n_documents, vocabulary, document_frequencies, idf, stems };
        Ok(Self { learned, lookup })
    }

    /// The same columns, which are found by these stems and keep their terms as names.
    ///
    /// # Errors
    /// If there is not one for each column, or one stands twice.
    pub fn with_stems(mut self, stems: Vec<String>) -> Result<Self> {
        let n_columns = self.learned.vocabulary.len();
        if stems.len() != n_columns {
            let allowed = format!("one for each of {n_columns} terms is needed");
            let value = format!("{} entries", stems.len());
            return Err(Error::Parameter { name: "stems", value, allowed });
        }
        self.lookup = build_lookup(&stems)?;
        self.learned.stems = stems;
        Ok(self)
    }

    /// The same columns, each stem called by the word that stands for it most often; of as frequent words by the
    /// first by code points. Terms of several words are called by the words of each.
    pub fn shown_as(mut self, forms: impl IntoIterator<Item = FormCount>) -> Self {
        let best = FormCount::most_frequent(forms);
        if best.is_empty() {
            return self;
        }
        let word = |stem: &str| best.get(stem).map(|form| form.word.clone());
        let words = |term: &str| -> String {
            let each = term.split(' ').map(|stem| word(stem).unwrap_or_else(|| stem.to_owned()));
            each.collect::<Vec<_>>().join(" ")
        };
        let stems = std::mem::take(&mut self.learned.vocabulary);
        self.learned.vocabulary =
            stems.iter().map(|term| word(term).unwrap_or_else(|| words(term))).collect();
        self.learned.stems = stems;
        self
    }

    /// The options.
    pub fn options(&self) -> &TextOptions {
        &self.learned.options
    }

    /// The terms of the columns: those of texts sorted by code points, those of a matrix of counts
    /// in its order. Stems are called by their most frequent word, and keep the order of the stems.
    pub fn vocabulary(&self) -> &[String] {
        &self.learned.vocabulary
    }

    /// What words of texts are reduced to, for each column: stems, or the terms themselves.
    pub fn keys(&self) -> &[String] {
        self.learned.keys()
    }

    /// The column of a term; of a stem, where words are reduced to stems.
    pub fn column(&self, term: &str) -> Option<usize> {
        self.column_of_hash(term, hash_of(term)).map(|column| column as usize)
    }

    /// How many training documents have each term.
    pub fn document_frequencies(&self) -> &[u64] {
        &self.learned.document_frequencies
    }

    /// The weight of each term's rarity.
    pub fn idf(&self) -> &[f64] {
        &self.learned.idf
    }

    /// Number of training documents.
    pub fn n_documents(&self) -> usize {
        self.learned.n_documents
    }

    /// The memory that it takes: terms, stems, frequencies, weights, and the index from term to column.
    pub fn bytes(&self) -> u64 {
        let Learned { vocabulary, stems, .. } = &self.learned;
        let index = table_bytes(self.lookup.capacity(), size_of::<u32>());
        list_bytes(vocabulary) + list_bytes(stems) + 16 * vocabulary.len() as u64 + index
    }

    pub(super) fn column_of_hash(&self, term: &str, hash: u64) -> Option<u32> {
        let keys = self.learned.keys();
        self.lookup.find(hash, |&column| keys[column as usize] == term).copied()
    }
}

fn build_lookup(vocabulary: &[String]) -> Result<HashTable<u32>> {
    let mut lookup = HashTable::with_capacity(vocabulary.len());
    for (column, term) in vocabulary.iter().enumerate() {
        let hash = hash_of(term);
        if lookup.find(hash, |&other: &u32| vocabulary[other as usize] == *term).is_some() {
            let allowed = "each term may stand once".to_owned();
            return Err(Error::Parameter { name: "vocabulary", value: term.clone(), allowed });
        }
        lookup.insert_unique(hash, column as u32, |&other| hash_of(&vocabulary[other as usize]));
    }
    Ok(lookup)
}

pub(super) fn to_matrix(rows: Rows, n_columns: usize) -> Result<SparseMatrix<'static, f64>> {
    let n_rows = rows.offsets.len() - 1;
    SparseMatrix::from_csr(n_rows, n_columns, rows.offsets, rows.columns, rows.values)
        .map_err(|source| Error::Matrix { file: "documents".to_owned(), source })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{DocumentFrequency, Keep, StopWords, tokens};

    fn corpus() -> Vec<String> {
        let words = ["red", "green", "blue", "Grün", "blé", "один", "two_2", "x9"];
        (0..5000_usize)
            .map(|d| {
                (0..40).map(|k| words[(d * d + k * (d % 7)) % 8]).collect::<Vec<_>>().join(" ")
            })
            .collect()
    }

    #[test]
    fn threads_do_not_change_a_bit() {
        let documents = corpus();
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            let fit = || Vectorizer::fit_transform(TextOptions::scikit_learn(), &documents);
            pool.expect("threads start").install(fit).expect("a vocabulary")
        };
        let (one, one_vectorizer) = run(1);
        for threads in [2, 5] {
            let (many, vectorizer) = run(threads);
            assert_eq!(one.csr(), many.csr());
            assert_eq!(one_vectorizer, vectorizer);
        }
        let again = one_vectorizer.transform(&documents).expect("same documents");
        assert_eq!(one.csr(), again.csr());
    }

    #[test]
    fn max_features_keeps_the_most_frequent_and_breaks_ties_alphabetically() {
        let options = TextOptions { max_features: Some(2), ..TextOptions::scikit_learn() };
        let documents = ["cc cc bb aa", "dd dd", "cc"];
        let (_, vectorizer) = Vectorizer::fit_transform(options, &documents).expect("words");
        assert_eq!(vectorizer.vocabulary(), ["cc", "dd"]);
        let options = TextOptions { max_features: Some(3), ..TextOptions::scikit_learn() };
        let (_, vectorizer) = Vectorizer::fit_transform(options, &documents).expect("words");
        assert_eq!(vectorizer.vocabulary(), ["aa", "cc", "dd"]);
    }

    #[test]
    fn frequency_limits_are_inclusive() {
        let documents = ["aa bb cc", "aa bb", "aa", "dd"];
        let options = TextOptions {
            min_df: DocumentFrequency::Count(2),
            max_df: DocumentFrequency::Share(0.5),
            ..TextOptions::scikit_learn()
        };
        let (_, vectorizer) = Vectorizer::fit_transform(options, &documents).expect("words");
        assert_eq!(vectorizer.vocabulary(), ["bb"]);
        assert_eq!(vectorizer.document_frequencies(), [2]);
    }

    #[test]
    fn what_is_to_be_kept_is_what_tokens_sees() {
        let documents = [
            "From: a@b.org\nSubject: Über <b>cats</b>\n\n> http://a.org/b &amp; 10:30\n-- \nend of 1990s",
            "plain words, mp3 and 2nd and 42",
        ];
        let words = |keep: Vec<Keep>| {
            let options = TextOptions { keep, ..TextOptions::scikit_learn() };
            let (_, vectorizer, dropped) =
                Vectorizer::fit_told(options, &documents).expect("words");
            (vectorizer.vocabulary().to_vec(), dropped)
        };
        let (all, dropped) = words(vec![Keep::All]);
        let mut expected: Vec<String> = documents.iter().flat_map(|text| tokens(text)).collect();
        expected.sort();
        expected.dedup();
        assert_eq!((all, dropped), (expected, Dropped::default()));
        let (clean, dropped) = words(Vec::new());
        assert_eq!(clean, ["2nd", "and", "cats", "mp3", "plain", "words", "über"]);
        assert_eq!((dropped.numbers, dropped.urls, dropped.headers), (3, 1, 1));
        assert!(words(vec![Keep::Numbers]).0.contains(&"42".to_owned()));
    }

    #[test]
    fn no_words_is_an_error_that_says_why() {
        let message = |options, documents: &[&str]| {
            Vectorizer::fit_transform(options, documents).map(|_| ()).unwrap_err().to_string()
        };
        assert!(message(TextOptions::default(), &["the", "and"]).contains("stop words"));
        assert!(message(TextOptions::default(), &[]).contains("0 documents"));
        let rare = TextOptions { min_df: DocumentFrequency::Count(2), ..Default::default() };
        assert!(message(rare, &["red", "green"]).contains("lower `min_df`"));
        let crossed = TextOptions {
            min_df: DocumentFrequency::Count(3),
            max_df: DocumentFrequency::Count(2),
            stop_words: StopWords::None,
            ..Default::default()
        };
        assert!(message(crossed, &["red", "red"]).contains("raise it or lower `min_df`"));
    }

    #[cfg(feature = "stemming")]
    #[test]
    fn stems_are_called_by_their_most_frequent_word() {
        let documents = [
            "elections elected elections",
            "party parties",
            "election cat's cats' cats",
            "the parties",
        ];
        let options = TextOptions { ngrams: (1, 2), ..stemmed() };
        let (x, vectorizer) = Vectorizer::fit_transform(options, &documents).expect("words");
        let stem = |stem: &str| {
            let column = vectorizer.column(stem).unwrap_or_else(|| panic!("no stem {stem}"));
            vectorizer.vocabulary()[column].as_str()
        };
        assert_eq!([stem("elect"), stem("parti"), stem("cat")], ["elections", "parties", "cats"]);
        assert_eq!([stem("parti parti"), stem("elect cat")], ["parties parties", "elections cats"]);
        // Other documents are read by stems, also with what a file keeps of it.
        let json = serde_json::to_string(&vectorizer).expect("serialisable");
        let same: Vectorizer = serde_json::from_str(&json).expect("written by ourselves");
        assert_eq!(same, vectorizer);
        assert_eq!(same.transform(&documents).expect("same documents").csr(), x.csr());
        assert_eq!(same.transform(&["electing"]).expect("a stem").n_entries(), 1);
        // Tables may call their columns either way.
        let counts =
            SparseMatrix::from_triplets(1, 2, [(0, 0, 1.0), (0, 1, 1.0)]).expect("in range");
        let called = |names: [&str; 2]| {
            let weighed = same.transform_counts(&counts, Some(&names.map(str::to_owned)));
            weighed.expect("known columns").csr().1.to_vec()
        };
        assert_eq!(called(["elections", "parties"]), called(["elect", "parti"]));
    }

    #[cfg(feature = "stemming")]
    fn stemmed() -> TextOptions {
        let stemming = Some(crate::text::Language::English);
        TextOptions { stemming, ..TextOptions::default() }
    }

    #[test]
    fn terms_frequencies_and_index_are_counted() {
        let documents: Vec<String> = (0..1000).map(|k| format!("word{k}")).collect();
        let min_df = DocumentFrequency::Count(1);
        let options = TextOptions { min_df, ..TextOptions::default() };
        let (_, vectorizer) = Vectorizer::fit_transform(options, &documents).expect("words");
        // A term of 8 bytes, two numbers, and two places of the index.
        assert_eq!(vectorizer.bytes(), 1000 * (40 + 16 + 16) + 5 * 2048);
    }

    #[test]
    fn empty_documents_are_empty_rows() {
        let documents = ["", "word", "..."];
        let options = TextOptions::scikit_learn();
        let (x, _) = Vectorizer::fit_transform(options, &documents).expect("one word");
        assert_eq!(x.csr().0, [0, 0, 1, 1]);
    }
}
