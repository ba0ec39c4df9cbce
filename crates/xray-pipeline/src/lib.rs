//! From files to answers, on any number of ranks.
//!
//! [`read`] gives each rank its part of the data, and [`weigh`] makes a [`Corpus`] of it: a matrix with the
//! names of its lines. [`find_topics`] chooses anchor words (the XRAY algorithms), refines the topics, and weighs
//! every document; [`factorize`] finds the anchors of any matrix, [`rank_study`] looks at every number of
//! them in one run, and [`transform_rows`] weighs new data.
//!
//! Every function takes a [`Communicator`](xray_nmf::comm::Communicator); on one machine that is
//! [`OneRank`](xray_nmf::comm::OneRank), which owns everything. All ranks call it with the same arguments.
//! What comes back says in its type what is whole and what is a rank's own, and is the same to the last bit
//! for any number of ranks and threads.
//!
//! ```
//! use xray_data::{Documents, text::TextOptions};
//! use xray_nmf::{RunState, comm::OneRank};
//! use xray_pipeline::{Corpus, TopicOptions, find_topics, ignore};
//!
//! let texts = ["cats purr and cats sleep", "dogs bark and dogs run", "a sleepy cats day", "dogs run"];
//! let documents = Documents {
//!     ids: (1..=4).map(|d| d.to_string()).collect(),
//!     texts: texts.map(String::from).to_vec(),
//!     labels: None,
//!     times: None,
//! };
//! let mut corpus = Corpus::from_documents(documents, TextOptions::default())?;
//! let options = TopicOptions { rank: Some(2), ..TopicOptions::default() };
//! let new = RunState::default();
//! let found = find_topics(&OneRank, &mut corpus, &options, &new, &mut ignore)?;
//! let mut anchors: Vec<_> = found.topics.iter().map(|t| corpus.word(t.anchors[0])).collect();
//! anchors.sort_unstable();
//! assert_eq!(anchors, ["cats", "dogs"]);
//! # Ok::<(), xray_pipeline::Error>(())
//! ```

#![forbid(unsafe_code)]

mod agree;
mod anchors;
pub mod checkpoint;
mod clusters;
mod corpus;
mod documents;
mod edit;
mod error;
mod evidence;
mod factorize;
mod folder;
mod forecast;
mod frequent;
mod given;
mod groups;
mod left_over;
mod levels;
mod matching;
pub mod measure;
mod model;
mod names;
mod nearest;
mod number;
mod options;
mod page;
mod rank;
mod read;
mod refine;
pub mod report;
mod seeds;
pub mod shards;
mod studio;
mod time;
mod topics;
mod transform;
mod trust;
pub mod unmix;
mod watch;
mod words;

pub use agree::{same_everywhere, together};
pub use anchors::Anchors;
pub use clusters::Clusters;
pub use corpus::{
    ColumnNames, Corpus, DistributedMatrix, OwnRows, RowNames, into_sparse, is_whole,
};
pub use documents::{DocumentBlock, DocumentWeights, Explained};
pub use edit::{TopicEdits, edit_model, listed_topics};
pub use error::{Error, Result};
pub use evidence::{
    BEST_DOCUMENTS, BestDocument, COHERENT_WORDS, RelatedTopic, TopicEvidence, texts_of,
};
pub use factorize::{FactorizeOptions, Factorized, RefinedFactors, factorize};
pub use folder::{
    Folder, InputMark, OpenFile, Plan, Purpose, WriteError, check_writable, replaceable,
};
pub use forecast::{Forecast, Shape, Work};
pub use frequent::Frequent;
pub use groups::GroupShares;
pub use levels::{Flow, Level, find_levels, ladder, level_ranks};
pub use matching::ColumnMatch;
pub use model::{
    apply, dense_rows, dense_topics, heaviest_topics, model_clusters, model_topics, sparse_rows,
};
pub use nearest::{Nearest, Neighbour, nearest_documents};
pub use number::{
    NumberOptions, NumberPoint, NumberReason, NumberStudy, NumberSuggestion, sampled_rows,
    study_number, study_sample,
};
pub use options::{TextRequest, TopicOptions, TopicsRequest, Weighting, from_json};
pub use page::{ModelPage, PageSource, kept_characters};
pub use rank::{RankStudy, StudiedRank, StudyOptions, rank_study};
pub use read::{
    Content, InputFacts, OwnDocuments, as_table, beginning, fingerprint, gather_sizes, read,
    read_table, weigh, weigh_counts,
};
pub use seeds::{Seeds, UnknownWord, resolve_words, split_words};
pub use studio::{Asked, Change, Material, Moved, Studio};
pub use time::{Dates, Day, Period};
pub use topics::{Run, Topic, Topics, find_topics, find_topics_and_anchors, scale_topics};
pub use transform::{Transformed, corpus_under, transform_columns, transform_rows};
pub use trust::{REFITS, Trust, anchor_stability};
pub use watch::{Event, Progress, Stage, Stoppable, ignore};
pub use words::{Listing, heaviest_words, top_words};
