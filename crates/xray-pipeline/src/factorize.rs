//! Anchors and coefficients of any matrix, on any number of ranks.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use xray_nmf::comm::Communicator;
use xray_nmf::{
    Factorization, Factors, Fit, Ownership, Params, Refinement, RunState, SeededTopics, Termination,
};

use crate::agree::together;
use crate::corpus::{Corpus, DistributedMatrix};
use crate::documents::DocumentWeights;
use crate::error::{Error, Result};
use crate::refine::{RefineOptions, refine};
use crate::trust::anchor_stability;
use crate::watch::{Event, Progress, Stage, Told};

/// What is asked of a factorization, by any door: the program's arguments, JSON, or Python's keywords.
///
/// # Examples
/// ```
/// use xray_pipeline::{FactorizeOptions, from_json};
/// let options: FactorizeOptions = from_json(r#"{"params": {"rank": 5, "mean_ray": true}}"#)?;
/// assert_eq!((options.params.rank, options.refine), (5, 0));
/// assert!(from_json::<FactorizeOptions>(r#"{"params": {"mean": true}}"#).is_err());
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FactorizeOptions {
    /// Rule, rank, columns and all else about the anchors.
    pub params: Params,
    /// Steps of alternating optimisation.
    pub refine: usize,
    /// They end when one lowers the objective by less than this part of it; never if it is 0.
    pub refine_tolerance: f64,
    /// How they are made.
    pub refine_method: Refinement,
    /// Whether the stability of every anchor is wanted, which costs about five fits.
    pub stability: bool,
    /// Bytes for cached products; a quarter of the machine's memory if absent. The machine's, so not in JSON.
    #[serde(skip)]
    pub memory: Option<usize>,
}

/// Anchors with H of the own columns, and refined factors if they were asked for.
#[derive(Debug, Clone)]
pub struct Factorized {
    /// Anchors and how they were found; shared, because better factors belong to the same.
    pub found: Arc<Factorization>,
    /// W and H after refinement.
    pub refined: Option<RefinedFactors>,
    /// The stability of every anchor, if it was asked for.
    pub stability: Option<Vec<f64>>,
}

/// Refined factors, scaled so that topics can be compared.
#[derive(Debug, Clone, PartialEq)]
pub struct RefinedFactors {
    /// W of the own rows.
    pub documents: DocumentWeights,
    /// The transpose of H, all columns.
    pub h: Vec<f64>,
    /// `||X - WH||_F^2` before and after each step.
    pub objective: Vec<f64>,
    /// How the steps were made: never [`Refinement::Auto`].
    pub method: Refinement,
}

impl RefinedFactors {
    /// Factors whose topics compare, with W of these rows.
    pub fn new(refined: Factors, rows: Ownership) -> Self {
        let Factors { rank, w, h, objective, method } = refined;
        let documents = DocumentWeights::new(rows, rank, w);
        Self { documents, h, objective, method: method.unwrap_or_default() }
    }
}

/// Finds the anchors of a matrix; collective. The search goes on from `saved`, which is empty for a new one.
///
/// # Errors
/// If a parameter is out of range, or an entry is negative and may not be.
pub fn factorize(
    comm: &dyn Communicator,
    corpus: &mut Corpus,
    options: &FactorizeOptions,
    saved: &RunState,
    progress: &mut dyn Progress,
) -> Result<Factorized> {
    let params = &options.params;
    params.check_fixed()?;
    if !params.allow_negative {
        together(comm, check_nonnegative(comm, &corpus.matrix))?;
    }
    let _ = progress.tell(Event::Begin(Stage::Anchors, params.rank));
    let fit = Fit::part(corpus.matrix.portion(), comm).memory(options.memory);
    let stop = progress.stop();
    let fit = fit.resume(saved).stop(&stop);
    let found = Arc::new(fit.observe(&mut Told(progress)).run(params)?);
    let mut stability = None;
    if options.stability && found.termination() != Termination::Stopped {
        let (matrix, memory) = (&corpus.matrix, options.memory);
        stability = Some(anchor_stability(comm, matrix, &found, params, memory, progress)?);
    }
    if options.refine == 0 || found.termination() == Termination::Stopped {
        return Ok(Factorized { found, refined: None, stability });
    }
    corpus.matrix.make_rows(comm)?;
    let start = found.factors(comm)?;
    let how = RefineOptions {
        method: options.refine_method,
        steps: options.refine,
        tolerance: options.refine_tolerance,
        seeded: SeededTopics::NONE,
    };
    let refined = refine(comm, &corpus.matrix, start, &how, progress)?;
    if refined.objective.is_empty() {
        return Ok(Factorized { found, refined: None, stability });
    }
    let refined = RefinedFactors::new(refined.with_comparable_topics(), corpus.rows.own);
    Ok(Factorized { found, refined: Some(refined), stability })
}

/// The engine's own check, with the column's place among those of all ranks.
fn check_nonnegative(comm: &dyn Communicator, matrix: &DistributedMatrix) -> Result<()> {
    let Some(entry) = matrix.columns().as_matrix().first_negative() else { return Ok(()) };
    let own = Ownership::columns(matrix.n_columns(), comm);
    let column = own.global(entry.column);
    Err(Error::Fit(xray_nmf::Error::Negative { row: entry.row, column, value: entry.value }))
}
