//! What the model file remembers of a run, the same from every door.

use serde::{Serialize, Serializer};
use serde_json::{Map, Value};
use std::borrow::Cow;
use xray_data::{LoadedMatrix, Model, ModelKind, Provenance};
use xray_nmf::comm::Communicator;
use xray_nmf::{DenseMatrix, Engine, Factorization, Normalize, Refinement, Selection, Solver};

use crate::corpus::RowNames;
use crate::error::Result;
use crate::factorize::{FactorizeOptions, Factorized, RefinedFactors};
use crate::options::TopicOptions;
use crate::report::{FactorizeReport, TopicsReport};
use crate::shards::ManifestHead;
use crate::topics::Topics;

/// The parameters of topics.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TopicsParameters {
    /// Number of topics.
    pub rank: usize,
    /// Rule for the next anchor.
    pub selection: Selection,
    /// How scores were kept.
    pub engine: Engine,
    /// How columns were projected.
    pub solver: Solver,
    /// What was left of a column that counted as explained.
    pub tolerance: f64,
    /// The least improvement that an anchor had to bring.
    pub min_improvement: f64,
    /// Steps of refinement that were made.
    pub refine: usize,
    /// The most that were asked for; none if that was left to the size of the data.
    pub refine_limit: Option<usize>,
    /// How they were made.
    pub refine_method: Refinement,
    /// Scaling of the columns before anchors were chosen.
    pub normalize: Normalize,
    /// Whether the cone began with the mean column.
    pub mean_ray: bool,
    /// Whether anchors were sought above the noise, which decides the rule.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub robust: bool,
    /// The share of columns that might have been something else.
    #[serde(skip_serializing_if = "is_zero")]
    pub outliers: f64,
    /// Words listed for each topic.
    pub words: usize,
    /// Whether only one form of each word was listed.
    pub distinct: bool,
    /// Words that topics began with, a list each; written with commas between them where none has one.
    #[serde(serialize_with = "with_commas")]
    pub anchor: Vec<Vec<String>>,
    /// How far these topics stayed with their words.
    pub anchor_strength: f64,
    /// Words that were never anchors nor listed.
    pub exclude: Vec<String>,
    /// Documents that an anchor word was in at least; none if all words could be anchors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub anchor_min_df: Option<u64>,
    /// Seed of the run.
    pub seed: u64,
    /// Documents of which the topics explain less than this part are flagged.
    pub least_explained: f64,
}

/// The parameters of a factorization.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FactorizeParameters {
    /// Number of anchors that were asked for.
    pub rank: usize,
    /// Rule for the next anchor.
    pub selection: Selection,
    /// How scores were kept.
    pub engine: Engine,
    /// How columns were projected.
    pub solver: Solver,
    /// Scaling of the columns before anchors were chosen.
    pub normalize: Normalize,
    /// Whether the cone began with the mean column.
    pub mean_ray: bool,
    /// Whether anchors were sought above the noise, which decides the rule.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub robust: bool,
    /// The share of columns that might have been something else.
    #[serde(skip_serializing_if = "is_zero")]
    pub outliers: f64,
    /// Whether negative entries were kept.
    pub allow_negative: bool,
    /// What was left of a column that counted as explained.
    pub tolerance: f64,
    /// The least improvement that an anchor had to bring.
    pub min_improvement: f64,
    /// Columns taken as the first anchors.
    pub fixed: Vec<usize>,
    /// Columns that were never anchors.
    pub excluded: Vec<usize>,
    /// Steps of refinement.
    pub refine: usize,
    /// How they were made.
    pub refine_method: Refinement,
    /// Whether rows and columns were swapped.
    pub transpose: bool,
    /// Seed of the run.
    pub seed: u64,
}

/// What [`TopicsParameters::least_explained`] is called in a model.
pub(crate) const LEAST_EXPLAINED: &str = "least_explained";

impl TopicsParameters {
    /// What was asked for and what came of it.
    pub fn new(
        options: &TopicOptions,
        found: &Topics,
        anchor: Vec<Vec<String>>,
        exclude: Vec<String>,
    ) -> Self {
        Self {
            rank: found.rank(),
            selection: options.params.selection,
            engine: options.params.engine,
            solver: options.params.solver,
            tolerance: options.params.tolerance,
            min_improvement: options.params.min_improvement,
            refine: found.run.objective.len().saturating_sub(1),
            refine_limit: options.refine,
            refine_method: options.method,
            normalize: options.params.normalize,
            mean_ray: options.params.mean_ray,
            robust: options.params.robust,
            outliers: options.params.outliers,
            words: options.n_words,
            distinct: options.distinct,
            anchor,
            anchor_strength: options.anchor_strength,
            exclude,
            anchor_min_df: options.anchor_min_df,
            seed: options.params.seed,
            least_explained: found.documents.explained.as_ref().map_or(0.0, |of| of.least),
        }
    }
}

impl FactorizeParameters {
    /// What was asked for.
    pub fn new(options: &FactorizeOptions, transpose: bool) -> Self {
        let FactorizeOptions { params, refine, refine_method, .. } = options;
        Self {
            rank: params.rank,
            selection: params.selection,
            engine: params.engine,
            solver: params.solver,
            normalize: params.normalize,
            mean_ray: params.mean_ray,
            robust: params.robust,
            outliers: params.outliers,
            allow_negative: params.allow_negative,
            tolerance: params.tolerance,
            min_improvement: params.min_improvement,
            fixed: params.fixed.clone(),
            excluded: params.excluded.clone(),
            refine: *refine,
            refine_method: *refine_method,
            transpose,
            seed: params.seed,
        }
    }
}

fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

/// Lists of words as texts; a list with a word that has a comma itself stays a list.
fn with_commas<S: Serializer>(
    lists: &[Vec<String>],
    serializer: S,
) -> std::result::Result<S::Ok, S::Error> {
    let written = |words: &Vec<String>| {
        let has_comma = words.iter().any(|word| word.contains(','));
        if has_comma { Value::from(words.clone()) } else { Value::from(words.join(",")) }
    };
    serializer.collect_seq(lists.iter().map(written))
}

/// Parameters as the model file holds them.
pub(crate) fn object(parameters: &impl Serialize) -> Map<String, Value> {
    match serde_json::to_value(parameters) {
        Ok(Value::Object(object)) => object,
        _ => Map::new(),
    }
}

impl Factorized {
    /// Both factors and all else that the file keeps, on rank 0; collective. `rows` are those of X, and `X_A`
    /// is stored like X, which is `dense` or not.
    ///
    /// # Errors
    /// If a factor is larger than a matrix can be.
    pub fn to_model(
        &self,
        comm: &dyn Communicator,
        rows: &RowNames,
        dense: bool,
        parameters: &FactorizeParameters,
        names: Option<Vec<String>>,
        provenance: Provenance,
    ) -> Result<Option<Model>> {
        let row_names = rows.all_ids(comm)?.map(Cow::into_owned);
        let (h, w) = match &self.refined {
            Some(refined) => {
                let w = refined.gathered_w(comm, rows)?;
                if comm.rank() > 0 {
                    return Ok(None);
                }
                (refined.h_matrix()?, w)
            }
            None => {
                let h = self.found.coefficients().gathered(comm, 0)?;
                let Some(h) = h else { return Ok(None) };
                (h.into_matrix().into(), anchor_columns(&self.found, dense)?)
            }
        };
        let model = factorize_model(&self.found, h, parameters, names, provenance);
        Ok(Some(Model { w: Some(w), row_names, ..model }))
    }
}

impl RefinedFactors {
    /// H.
    ///
    /// # Errors
    /// If it is larger than a matrix can be.
    pub fn h_matrix(&self) -> Result<LoadedMatrix> {
        let (rank, n) = (self.documents.rank, self.h.len() / self.documents.rank.max(1));
        Ok(DenseMatrix::from_row_major(n, rank, self.h.clone())?.transposed().into())
    }

    /// All of W on rank 0, and nothing of it on the others; collective.
    fn gathered_w(&self, comm: &dyn Communicator, rows: &RowNames) -> Result<LoadedMatrix> {
        let mut w = Vec::new();
        if comm.is_alone() {
            w.clone_from(&self.documents.weights);
        } else {
            self.documents.for_each_block(comm, rows, |block| {
                w.extend_from_slice(block.weights);
                Ok(())
            })?;
        }
        let n_rows = w.len() / self.documents.rank.max(1);
        Ok(DenseMatrix::from_row_major(n_rows, self.documents.rank, w)?.into())
    }
}

/// The model of a factorization with this H, without W.
pub fn factorize_model(
    found: &Factorization,
    h: LoadedMatrix,
    parameters: &FactorizeParameters,
    names: Option<Vec<String>>,
    provenance: Provenance,
) -> Model {
    Model {
        parameters: object(parameters),
        provenance,
        residual_norm: found.steps().iter().map(|step| step.residual).collect(),
        names,
        ..Model::new(ModelKind::Factorize, found.anchors(), h)
    }
}

impl ManifestHead {
    /// What the manifest of a factorization tells beside its files.
    pub fn of_factors(report: &FactorizeReport, provenance: Provenance) -> Self {
        Self {
            kind: ModelKind::Factorize,
            rank: report.rank,
            rows: report.rows,
            columns: report.columns,
            anchors: report.anchors.clone(),
            residual_norm: report.residual_norm.clone(),
            parameters: object(&report.parameters),
            provenance,
            ..Self::default()
        }
    }

    /// What the manifest of topics tells beside its files.
    pub fn of_topics(
        report: &TopicsReport,
        parameters: &TopicsParameters,
        provenance: Provenance,
    ) -> Self {
        Self {
            kind: ModelKind::Topics,
            rank: report.rank,
            rows: report.documents,
            columns: report.vocabulary,
            anchors: report.anchors.clone(),
            residual_norm: report.residual_norm.clone(),
            parameters: object(parameters),
            provenance,
            ..Self::default()
        }
    }
}

/// `X_A`, stored like X.
///
/// # Errors
/// If it is larger than a matrix can be.
pub fn anchor_columns(found: &Factorization, dense: bool) -> Result<LoadedMatrix> {
    if !dense {
        return Ok(found.anchor_matrix().into());
    }
    let (n_rows, columns) = (found.n_rows(), found.anchor_columns());
    let values: Vec<f64> = columns.iter().flat_map(|column| column.to_dense(n_rows)).collect();
    Ok(DenseMatrix::from_column_major(n_rows, columns.len(), values)?.into())
}
