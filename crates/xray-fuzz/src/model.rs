//! Model files of strangers: refused, or applied.

use xray_data::text::{TextOptions, Vectorizer};
use xray_data::{LoadedMatrix, Model, ModelKind};
use xray_nmf::{DenseMatrix, SparseMatrix};
use xray_pipeline::{apply, model_topics};

use crate::{archive, seeds};

/// Entries of H beyond which nothing is computed: that would only take time.
const LARGEST: usize = 1 << 14;

/// The first byte tells whether a zip file follows, or a list of members to be packed.
pub(crate) fn run(bytes: &[u8]) -> bool {
    let Some((&kind, content)) = bytes.split_first() else { return false };
    let file = if kind.is_multiple_of(2) { archive::packed(content) } else { content.to_vec() };
    Model::from_bytes(file).map(|model| judge(&model)).is_ok()
}

fn judge(model: &Model) {
    let (rank, n) = (model.rank(), model.h.n_columns());
    if rank.saturating_mul(n.max(rank)) > LARGEST {
        return;
    }
    let _ = model_topics(model, 5, true);
    let rows = DenseMatrix::from_row_major(2, n, vec![1.0; 2 * n]).expect("2 x n");
    if let Ok(weights) = apply(model, &rows) {
        assert_eq!(weights.len(), 2 * rank);
        assert!(weights.iter().all(|v| v.is_finite() && *v >= 0.0), "{weights:?}");
    }
    if let Some(vectorizer) = &model.preprocessing {
        let x = vectorizer.transform(&seeds::documents().texts).expect("three texts");
        let _ = apply(model, &x);
    }
    let bytes = model.to_bytes().expect("what was read fits together");
    let again = Model::from_bytes(bytes.clone()).expect("what was written can be read");
    assert!(again.to_bytes().expect("as before") == bytes, "a model comes back as it was");
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let models = [factors(), topics()];
    let files: Vec<_> = models.iter().map(|m| m.to_bytes().expect("a model")).collect();
    let lists = files.iter().map(|file| [&[0], &archive::unpacked(file.clone())[..]].concat());
    lists.chain(files.iter().map(|file| [&[1], &file[..]].concat())).collect()
}

fn factors() -> Model {
    let h = SparseMatrix::from_triplets(2, 3, [(0, 0, 1.0), (1, 1, 1.0), (0, 2, 0.5)]);
    let w = DenseMatrix::from_row_major(2, 2, vec![1.0, 0.0, 0.5, 2.0]).expect("2 x 2");
    Model {
        w: Some(LoadedMatrix::from(w)),
        residual_norm: vec![0.5, 0.25],
        names: Some(["x", "y", "z"].map(String::from).to_vec()),
        ..Model::new(ModelKind::Factorize, vec![0, 1], h.expect("in range").into())
    }
}

fn topics() -> Model {
    let texts = seeds::documents().texts;
    let fitted = Vectorizer::fit_transform(TextOptions::default(), &texts);
    let (_, vectorizer) = fitted.expect("words");
    let n = vectorizer.vocabulary().len();
    let h = SparseMatrix::from_triplets(2, n, [(0, 0, 1.0), (1, 1, 1.0), (1, n - 1, 0.25)]);
    let mut model = Model::new(ModelKind::Topics, vec![0, 1], h.expect("in range").into());
    model.preprocessing = Some(vectorizer);
    model
}
