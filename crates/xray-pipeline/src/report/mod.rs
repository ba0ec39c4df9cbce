//! Answers as data, and what is made of them.
//!
//! A report is small, the same on every rank, and `Serialize`: JSON is its one schema, with the fields in the
//! order of the keys. Tables for people, CSV files and the parameters in the model file are functions of it.
//! Documents are not in it: there may be many, and [`WeightRows`] writes them by blocks.
//!
//! | report | table for people | CSV file | model file |
//! |---|---|---|---|
//! | [`TopicsReport`] | [`topics_table`] | [`topics_csv`], [`contingency_csv`] | [`TopicsParameters`] |
//! | [`FactorizeReport`] | [`anchors_table`] | [`anchors_csv`] | [`FactorizeParameters`] |
//! | [`RankReport`] | [`ranks_table`] | [`ranks_csv`] | |
//! | [`TransformReport`] | | [`WeightRows`] | |

mod agreement;
mod csv;
mod factorize;
mod groups;
mod json;
mod levels;
mod model;
mod rank;
mod table;
mod topics;
mod transform;
mod weights;

pub use agreement::{Agreement, ContingencyTable};
pub use csv::{anchors_csv, contingency_csv, ranks_csv, topics_csv};
pub use factorize::FactorizeReport;
pub use groups::{groups_csv, groups_table};
pub use json::{Answer, RankFacts, Seconds, json};
pub use levels::{LevelReport, LevelTopic, flows_csv, levels_csv, levels_table};
pub(crate) use model::LEAST_EXPLAINED;
pub(crate) use model::object;
pub use model::{FactorizeParameters, TopicsParameters, anchor_columns, factorize_model};
pub use rank::{RankLine, RankReport};
pub use table::{
    LEFT_MARK, anchors_table, best_documents_table, contingency_table, evidence_table, ranks_table,
    topics_table,
};
pub use topics::{Suggestion, TopicLine, TopicsReport};
pub use transform::TransformReport;
pub use weights::{RowStyle, WeightRows};

/// The version of this program, as every answer tells it.
const VERSION: &str = env!("CARGO_PKG_VERSION");
