//! The answer of `factorize`.

use serde::Serialize;
use xray_nmf::{Factorization, Noise, Refinement, Termination};

use super::{FactorizeParameters, RankFacts, VERSION};
use crate::factorize::RefinedFactors;

/// Anchors and how they were found; what `--json` prints.
#[derive(Debug, Clone, Serialize)]
pub struct FactorizeReport {
    /// The program's version.
    pub version: &'static str,
    /// Rows of X.
    pub rows: usize,
    /// Columns of X.
    pub columns: usize,
    /// Stored entries of X.
    pub entries: usize,
    /// Number of anchors.
    pub rank: usize,
    /// The anchors, in the order found.
    pub anchors: Vec<usize>,
    /// What they are called: names of columns, or positions.
    pub anchor_names: Vec<String>,
    /// `||X - X_A H||_F / ||X||_F` after each anchor.
    pub residual_norm: Vec<f64>,
    /// The score by which each was chosen; none if it was given.
    pub score: Vec<Option<f64>>,
    /// How far the next best was behind, which says nothing about whether it is right.
    pub margin: Vec<Option<f64>>,
    /// How often each anchor comes back in halves of the rows, if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub anchor_stability: Option<Vec<f64>>,
    /// Why no more anchors were looked for.
    pub termination: Termination,
    /// Scores that were computed to find each.
    pub evaluations: Vec<u64>,
    /// The certificate of the projection onto the anchors.
    pub kkt_violation: f64,
    /// What a robust fit saw of the noise, and decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub noise: Option<Noise>,
    /// `||X - WH||_F^2` before and after each step of refinement, if there was one.
    pub refined_objective: Option<Vec<f64>>,
    /// How the steps of refinement were made, if there were any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refined_by: Option<Refinement>,
    /// What was asked for.
    pub parameters: FactorizeParameters,
    /// What each rank had to do, if there were several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ranks: Option<RankFacts>,
}

impl FactorizeReport {
    /// The answer; `entries` of X are stored, and `name` says what a column is called.
    pub fn new(
        found: &Factorization,
        entries: usize,
        name: impl Fn(usize) -> String,
        refined: Option<&RefinedFactors>,
        parameters: FactorizeParameters,
    ) -> Self {
        let steps = found.steps();
        Self {
            version: VERSION,
            rows: found.n_rows(),
            columns: found.n_columns(),
            entries,
            rank: found.rank(),
            anchors: found.anchors(),
            anchor_names: steps.iter().map(|step| name(step.anchor)).collect(),
            residual_norm: steps.iter().map(|step| step.residual).collect(),
            score: steps.iter().map(|step| step.score).collect(),
            margin: steps.iter().map(|step| step.margin).collect(),
            anchor_stability: None,
            termination: found.termination(),
            evaluations: steps.iter().map(|step| step.evaluations).collect(),
            kkt_violation: found.kkt_violation(),
            noise: found.noise(),
            refined_objective: refined.map(|refined| refined.objective.clone()),
            refined_by: refined.map(|refined| refined.method),
            parameters,
            ranks: None,
        }
    }
}
