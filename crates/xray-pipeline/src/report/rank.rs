//! The answer of `rank`.

use serde::Serialize;
use xray_nmf::Termination;

use super::VERSION;
use crate::number::NumberSuggestion;
use crate::rank::RankStudy;

/// Every rank of one run, and which one to take.
#[derive(Debug, Clone, Serialize)]
pub struct RankReport {
    /// The program's version.
    pub version: &'static str,
    /// The rank to take; none if nothing was found.
    pub suggested_rank: Option<usize>,
    /// Why, and what else would do.
    pub suggestion: Option<NumberSuggestion>,
    /// Why, in words.
    pub reason: Option<String>,
    /// The rank that the knee of the residual suggests.
    pub fast_rank: Option<usize>,
    /// Why there are no more ranks.
    pub termination: Termination,
    /// Rank 1, 2, ... up to the last.
    pub ranks: Vec<RankLine>,
}

/// One rank.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RankLine {
    /// The rank.
    pub rank: usize,
    /// The column that it adds to the one before.
    pub anchor: usize,
    /// What that is called.
    pub anchor_name: String,
    /// `||X - X_A H||_F / ||X||_F`.
    pub residual_norm: f64,
    /// `||X - WH||_F / ||X||_F` on entries that neither W nor H has seen.
    pub unseen: Option<f64>,
    /// Agreement of the topics of two halves of the rows.
    pub stability: Option<f64>,
    /// Mean coherence by normalised pointwise mutual information, -1 to 1.
    pub npmi: Option<f64>,
    /// Mean UMass coherence; nearer to 0 is better.
    pub umass: Option<f64>,
    /// How clearly the anchor was chosen.
    pub margin: Option<f64>,
}

impl RankReport {
    /// The answer; `name` says what a column is called.
    pub fn new(study: &RankStudy, name: impl Fn(usize) -> String) -> Self {
        let lines = study.ranks.iter().map(|rank| RankLine {
            rank: rank.rank,
            anchor: rank.anchor,
            anchor_name: name(rank.anchor),
            residual_norm: rank.residual,
            unseen: rank.unseen,
            stability: rank.stability,
            npmi: rank.npmi,
            umass: rank.umass,
            margin: rank.margin,
        });
        let fast = study.knee.map(|knee| NumberSuggestion::fast(knee, study.ranks.len()));
        let suggestion = study.number.or(fast);
        Self {
            version: VERSION,
            suggested_rank: suggestion.map(|s| s.rank),
            suggestion,
            reason: suggestion.map(|s| s.sentence("anchor")),
            fast_rank: study.knee.map(|knee| knee.rank),
            termination: study.termination,
            ranks: lines.collect(),
        }
    }

    /// The suggestion as a sentence.
    pub fn sentence(&self) -> Option<String> {
        let reason = self.reason.as_ref()?;
        Some(format!("suggested rank: {reason}"))
    }
}
