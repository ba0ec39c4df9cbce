//! The page of a study of ranks.

use serde::Serialize;

use super::Content;
use crate::table::{Cell, Column, Table};

const STYLE: &str = include_str!("../../page/chart.css");
const SCRIPTS: [&str; 2] =
    [include_str!("../../page/chart.js"), include_str!("../../page/rank.js")];

/// Every rank, which one to take, and the topics of some.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct RankPage {
    /// What is counted: topics or anchors.
    pub what: String,
    /// The rank to take; none if nothing was found.
    pub suggested: Option<usize>,
    /// The least and the largest rank that are as good.
    pub range: Option<(usize, usize)>,
    /// Why, as a sentence.
    pub reason: Option<String>,
    /// Ranks 1, 2, ...: the anchor that each adds.
    pub anchors: Vec<String>,
    /// What was measured.
    pub curves: Vec<RankCurve>,
    /// Topics of some ranks.
    pub levels: Vec<RankLevel>,
}

/// A measure over the ranks.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct RankCurve {
    /// Its name.
    pub name: String,
    /// How to read it.
    pub help: String,
    /// Decimals that are worth showing.
    pub decimals: usize,
    /// Its value at ranks 1, 2, ..., where it was looked at.
    pub values: Vec<Option<f64>>,
}

/// Topics of one rank.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct RankLevel {
    /// The rank.
    pub k: usize,
    /// Its topics.
    pub topics: Vec<RankTopic>,
}

/// A topic: its number, name, and share of the documents.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RankTopic(pub usize, pub String, pub f64);

impl Content for RankPage {
    const KIND: &'static str = "rank";

    fn styles(&self) -> Vec<&'static str> {
        vec![STYLE]
    }

    fn scripts(&self) -> Vec<&'static str> {
        SCRIPTS.to_vec()
    }

    fn heading(&self) -> String {
        match self.suggested {
            Some(rank) => format!("How many {}? {rank}", self.what),
            None => format!("How many {}?", self.what),
        }
    }

    fn tables(&self) -> Vec<(String, Table)> {
        let columns = [Column::right("rank"), Column::left("anchor")];
        let measures = self.curves.iter().map(|curve| Column::right(curve.name.as_str()));
        let mut table = Table::new(columns.into_iter().chain(measures));
        for (t, anchor) in self.anchors.iter().enumerate() {
            let value = |curve: &RankCurve| match curve.values.get(t).copied().flatten() {
                Some(value) => Cell::fixed(value, curve.decimals),
                None => Cell::missing(),
            };
            let first = [Cell::from((t + 1).to_string()), Cell::from(anchor.as_str())];
            table.row(first.into_iter().chain(self.curves.iter().map(value)));
        }
        let reason = self.reason.clone().unwrap_or_default();
        vec![(reason, table)]
    }
}
