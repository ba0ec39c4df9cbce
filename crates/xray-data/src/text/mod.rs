//! Documents to a matrix: tokens, vocabulary, tf-idf.
//!
//! ```text
//! text --clean, lowercase, scan--> tokens --stop words, stems, n-grams--> terms
//!      --document frequencies--> vocabulary --tf, idf, l2--> rows of X
//! ```
//!
//! A matrix of counts is weighed the same way: [`Vectorizer::fit_counts`].
//!
//! With [`TextOptions::scikit_learn`] tokens, vocabulary and values equal those of scikit-learn's
//! `TfidfVectorizer`. Documents are counted in chunks of about a mebibyte whose borders depend on
//! nothing but the documents, and merged in order: any number of threads gives the same bits. Work
//! runs in the rayon pool of the caller.

mod clean;
mod counted;
mod counts;
mod forms;
mod interner;
mod language;
mod matrix;
mod nearest;
mod options;
mod pattern;
mod phrases;
mod stems;
mod stop_words;
mod tokens;
mod vectorizer;
mod vocabulary;
mod weights;

pub use clean::{Dropped, Keep, cleaned};
pub use counted::CountedDocuments;
pub use forms::FormCount;
pub use language::TextHint;
pub use matrix::{ColumnCount, position_names, some_names};
pub use options::{DocumentFrequency, Language, RowScale, StopWords, TextOptions};
pub use phrases::Phrases;
pub use stems::{STEM_RULES, Stemmer};
pub use stop_words::ENGLISH_STOP_WORDS;
pub use tokens::tokens;
pub use vectorizer::Vectorizer;
pub use vocabulary::TermCount;
