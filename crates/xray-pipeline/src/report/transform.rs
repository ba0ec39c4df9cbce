//! The answer of `transform`.

use serde::Serialize;

use super::{VERSION, WeightRows};

/// Weights of new rows or columns; what `--json` prints.
#[derive(Debug, Clone, Serialize)]
pub struct TransformReport<'a> {
    /// The program's version.
    pub version: &'static str,
    /// Number of topics.
    pub rank: usize,
    /// What the rows are called.
    pub ids: &'a [String],
    /// The heaviest topic of each, from 1; none for a row without any weight.
    pub topics: Vec<Option<usize>>,
    /// The cluster of each, from 1; none for a row that shares no word with any. Left out if the model has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clusters: Option<Vec<Option<usize>>>,
    /// The part of each row's squared length that its topics explain; left out for columns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explained: Option<&'a [f64]>,
    /// The weights of each.
    pub weights: Vec<&'a [f64]>,
}

impl<'a> TransformReport<'a> {
    /// The answer.
    pub fn new(rows: &WeightRows<'a>) -> Self {
        let from_one =
            |numbers: &[Option<usize>]| numbers.iter().map(|k| k.map(|k| k + 1)).collect();
        Self {
            version: VERSION,
            rank: rows.rank,
            ids: rows.ids,
            topics: from_one(rows.topics),
            clusters: rows.clusters.map(from_one),
            explained: rows.explained.map(|explained| explained.parts),
            weights: rows.weights.chunks(rows.rank.max(1)).collect(),
        }
    }
}
