//! From files to answers, on any number of ranks.
//!
//! A [`Corpus`] is a weighted documents x words matrix with its vocabulary, made from texts or from a
//! matrix of counts. [`find_topics`] chooses anchor words (the XRAY algorithms), refines the topics, and weighs
//! every document; [`rank_study`] looks at every number of topics in one run. The result is the same
//! to the last bit for any number of threads.
//!
//! ```
//! use xray_data::{Documents, text::TextOptions};
//! use xray_pipeline::{Corpus, TopicOptions, find_topics, ignore};
//!
//! let texts = ["cats purr and cats sleep", "dogs bark and dogs run", "a sleepy cats day", "dogs run"];
//! let documents = Documents {
//!     ids: (1..=4).map(|d| d.to_string()).collect(),
//!     texts: texts.map(String::from).to_vec(),
//!     labels: None,
//! };
//! let corpus = Corpus::from_documents(documents, TextOptions::default())?;
//! let options = TopicOptions { rank: Some(2), ..TopicOptions::default() };
//! let found = find_topics(&corpus, &options, &mut ignore)?;
//! let mut anchors: Vec<&str> = found.topics.iter().map(|t| corpus.word(t.anchors[0])).collect();
//! anchors.sort_unstable();
//! assert_eq!(anchors, ["cats", "dogs"]);
//! # Ok::<(), xray_pipeline::Error>(())
//! ```

#![forbid(unsafe_code)]

mod agree;
pub mod checkpoint;
mod corpus;
mod error;
mod fit;
pub mod measure;
mod model;
mod options;
mod read;
pub mod report;
pub mod rows;
mod seeds;
pub mod shards;
mod study;
mod watch;
mod words;

pub use agree::{same_everywhere, together};
pub use corpus::{Corpus, into_sparse, is_whole};
pub use error::{Error, Result};
pub use fit::{Topic, TopicNumbers, Topics, find_topics, scale_topics};
pub use model::{apply, dense_rows, dense_topics, heaviest_topics, model_topics, sparse_rows};
pub use options::{TextRequest, TopicOptions, Weighting};
pub use read::{
    Entry, RowNames, Shard, SharedCorpus, assemble_columns, data_files, exchange, fingerprint,
    gather_sizes, own_files, provenance, read_corpus, read_matrix,
};
pub use seeds::{Seeds, UnknownWord, resolve_words, split_words};
pub use study::{RankStudy, StudiedRank, StudyOptions, rank_study};
pub use watch::{Event, Stage, ignore};
pub use words::top_words;
