//! The model file: what was found, and everything needed to apply it to new data.
//!
//! One .npz archive that `numpy.load(file, allow_pickle=False)` opens:
//!
//! | array | type | content |
//! |---|---|---|
//! | `metadata` | bytes | JSON: `format`, `format_version`, `kind`, `parameters`, `provenance`, `preprocessing` (with `stem_rules` where words were stemmed) |
//! | `anchors` | int64 (r) | columns of the anchors, counted from 0 |
//! | `residual_norm` | float64 | relative residual after each anchor |
//! | `h` or `h_data`, `h_indices`, `h_indptr`, `h_shape` | float64, int64 | H (r x n), dense or csr |
//! | `w` or `w_data`, ... | | W (m x r), if it was kept: refined, or the weights of the rows |
//! | `vocabulary` | bytes | JSON: list of the names of the columns, if they have names |
//! | `row_names` | bytes | JSON: list of the names of the rows, if W was kept and they have names |
//! | `stems` | bytes | JSON: list of the stems behind the names, where words were stemmed |
//! | `cluster_centroids` or `cluster_centroids_data`, ... | | directions of the clusters (r x n), if documents were put into clusters |
//! | `cluster_log_sizes`, `cluster_sharpness` | float64 (r), (1) | with these: logarithms of their shares, and how much directions count beside sizes |
//! | `document_clusters` | int64 (m) | with W: the cluster of each row, counted from 1, 0 for none |
//! | `document_frequencies`, `idf` | int64, float64 | with `preprocessing`: one for each column |
//!
//! In Python:
//!
//! ```text
//! with numpy.load("model.npz", allow_pickle=False) as z:
//!     metadata = json.loads(bytes(z["metadata"]))
//!     vocabulary = json.loads(bytes(z["vocabulary"]))
//!     h = z["h"] if "h" in z else scipy.sparse.csr_array(
//!         (z["h_data"], z["h_indices"], z["h_indptr"]), shape=tuple(z["h_shape"]))
//! ```

mod clusters;
mod file;
mod provenance;

pub use clusters::ModelClusters;
pub(crate) use provenance::MOST_BAD_TOLD;
pub use provenance::{Noticed, Origin, Provenance, Reading};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::budget::list_bytes;
use crate::error::{Error, Result};
use crate::table::LoadedMatrix;
use crate::text::Vectorizer;

/// The version of the model file that this crate writes; newer ones are refused.
pub(crate) const FORMAT_VERSION: u64 = 1;

/// A fitted model with its origin.
///
/// # Examples
/// ```
/// use xray_data::{Model, ModelKind, Provenance};
/// use xray_nmf::{Params, SparseMatrix, fit};
///
/// let x = SparseMatrix::from_triplets(2, 3, [(0, 0, 1.0), (1, 1, 1.0), (0, 2, 1.0), (1, 2, 1.0)])
///     .expect("in range");
/// let found = fit(&x, &Params::new(2)).expect("nonnegative");
/// let (offsets, rows, values) = found.coefficients().csc();
/// let h = SparseMatrix::from_csc(2, 3, offsets.to_vec(), rows.to_vec(), values.to_vec())
///     .expect("weights are in range");
/// let model = Model::new(ModelKind::Factorize, found.anchors(), h.into());
///
/// let folder = tempfile::tempdir().expect("a temporary folder");
/// let path = folder.path().join("model.npz");
/// model.save(&path)?;
/// assert_eq!(Model::load(&path)?.anchors, found.anchors());
/// # Ok::<(), xray_data::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Model {
    /// What kind of data it was fitted to.
    pub kind: ModelKind,
    /// The parameters of the fit, for people and for reruns.
    pub parameters: Map<String, Value>,
    /// Where it comes from.
    pub provenance: Provenance,
    /// Columns of the anchors, in order of selection.
    pub anchors: Vec<usize>,
    /// Relative residual after each anchor; may be empty.
    pub residual_norm: Vec<f64>,
    /// H (rank x columns): how each column is made of the anchors.
    pub h: LoadedMatrix,
    /// W (rows x rank), if it was kept: after refinement, or X_A, or the weights of documents.
    pub w: Option<LoadedMatrix>,
    /// What decides the clusters of documents, if they were put into any.
    pub clusters: Option<ModelClusters>,
    /// Names of the columns, where they do not come from `preprocessing`.
    pub names: Option<Vec<String>>,
    /// Names of the rows of W, by which rows of new columns are found.
    pub row_names: Option<Vec<String>>,
    /// How texts became the matrix, with its vocabulary.
    pub preprocessing: Option<Vectorizer>,
}

/// What a model was fitted to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelKind {
    /// Texts.
    Topics,
    /// A matrix.
    Factorize,
}

impl Model {
    /// A model without names, parameters and origin.
    pub fn new(kind: ModelKind, anchors: Vec<usize>, h: LoadedMatrix) -> Self {
        Self {
            kind,
            parameters: Map::new(),
            provenance: Provenance::default(),
            anchors,
            residual_norm: Vec::new(),
            h,
            w: None,
            clusters: None,
            names: None,
            row_names: None,
            preprocessing: None,
        }
    }

    /// Number of anchors or topics.
    pub fn rank(&self) -> usize {
        self.h.n_rows()
    }

    /// The memory that it takes, as readers count it.
    pub fn bytes(&self) -> u64 {
        let centroids = self.clusters.as_ref().map(|clusters| &clusters.centroids);
        let factors = [Some(&self.h), self.w.as_ref(), centroids].into_iter().flatten();
        let names = [self.column_names(), self.row_names.as_deref()].into_iter().flatten();
        factors.map(LoadedMatrix::bytes).sum::<u64>() + names.map(list_bytes).sum::<u64>()
    }

    /// Names of the columns: the vocabulary of the preprocessing, or given names.
    pub fn column_names(&self) -> Option<&[String]> {
        match &self.preprocessing {
            Some(vectorizer) => Some(vectorizer.vocabulary()),
            None => self.names.as_deref(),
        }
    }

    /// Checks that all parts fit together.
    ///
    /// # Errors
    /// Names the first part that does not fit.
    pub fn check(&self) -> Result<()> {
        let (r, n) = (self.h.n_rows(), self.h.n_columns());
        let refuse =
            |name, value: String, allowed: String| Err(Error::Parameter { name, value, allowed });
        if let Some(&anchor) = self.anchors.iter().find(|&&anchor| anchor >= n) {
            return refuse("anchors", anchor.to_string(), format!("there are {n} columns"));
        }
        if self.anchors.len() != r {
            let found = format!("{} anchors", self.anchors.len());
            return refuse("anchors", found, format!("H has {r} rows"));
        }
        let mut sorted = self.anchors.clone();
        sorted.sort_unstable();
        // Only a word may begin several topics, each with other words beside it.
        let twice = sorted.windows(2).find(|pair| pair[0] == pair[1]);
        if let Some(twice) = twice.filter(|_| self.kind != ModelKind::Topics) {
            return refuse("anchors", format!("{} twice", twice[0]), "each stands once".to_owned());
        }
        let wrong = |value: &&f64| !(value.is_finite() && **value >= 0.0);
        if let Some(value) = self.residual_norm.iter().find(wrong) {
            let allowed = "residuals are finite and not negative".to_owned();
            return refuse("residual_norm", value.to_string(), allowed);
        }
        if let Some(entry) = self.h.as_matrix().first_negative() {
            let allowed = "weights are not negative".to_owned();
            return refuse("h", entry.value.to_string(), allowed);
        }
        if let Some(names) = self.column_names()
            && names.len() != n
        {
            let found = format!("{} names", names.len());
            return refuse("vocabulary", found, format!("H has {n} columns"));
        }
        if let Some(w) = &self.w
            && w.n_columns() != r
        {
            let found = format!("{} columns", w.n_columns());
            return refuse("w", found, format!("H has {r} rows: W needs as many columns"));
        }
        if let Some(names) = &self.row_names
            && self.w.as_ref().map(LoadedMatrix::n_rows) != Some(names.len())
        {
            let found = format!("{} names", names.len());
            return refuse("row_names", found, "W has as many rows".to_owned());
        }
        self.clusters.as_ref().map_or(Ok(()), |clusters| clusters.check(self))
    }
}
