//! Topics to and from the model file.

use serde_json::{Map, Value};
use xray_data::{Model, ModelKind, Provenance};
use xray_nmf::{Matrix, RowModel, SparseMatrix};

use crate::corpus::Corpus;
use crate::error::Result;
use crate::fit::{Topics, heaviest};

impl Topics {
    /// Everything needed to weigh new documents, for [`Model::save`].
    ///
    /// # Errors
    /// If the factors are larger than a matrix can be.
    pub fn to_model(
        &self,
        corpus: &Corpus,
        parameters: Map<String, Value>,
        provenance: Provenance,
    ) -> Result<Model> {
        let rank = self.rank();
        let h = sparse_rows(&self.h, corpus.matrix.n_columns(), rank)?.transposed();
        let w = sparse_rows(&self.weights, corpus.n_documents(), rank)?;
        Ok(Model {
            parameters,
            provenance,
            residual_norm: self.steps.iter().map(|step| step.residual).collect(),
            w: Some(w.into()),
            preprocessing: Some(corpus.vectorizer.clone()),
            ..Model::new(
                ModelKind::Topics,
                self.steps.iter().map(|step| step.anchor).collect(),
                h.into(),
            )
        })
    }
}

/// The nonzero entries of `n_rows` rows of `rank` numbers each.
///
/// # Errors
/// If there are more rows than a matrix can have.
pub fn sparse_rows(
    numbers: &[f64],
    n_rows: usize,
    rank: usize,
) -> Result<SparseMatrix<'static, f64>> {
    let mut offsets = vec![0];
    let (mut columns, mut values) = (Vec::new(), Vec::new());
    for d in 0..n_rows {
        for (k, &v) in numbers[d * rank..(d + 1) * rank].iter().enumerate() {
            if v != 0.0 {
                columns.push(k as u32);
                values.push(v);
            }
        }
        offsets.push(values.len());
    }
    Ok(SparseMatrix::from_csr(n_rows, rank, offsets, columns, values)?)
}

/// The weights of new rows under a model: one row of `rank` numbers for each.
///
/// # Errors
/// If the number of columns differs, the model has negative weights, or the worker threads cannot be
/// started.
pub fn apply<M: Matrix>(model: &Model, rows: &M, threads: Option<usize>) -> Result<Vec<f64>> {
    let (rank, n) = (model.h.n_rows(), model.h.n_columns());
    let mut h = vec![0.0; n * rank];
    for k in 0..rank {
        model.h.for_each_in_row(k, |j, v| h[j * rank + k] = v);
    }
    Ok(RowModel::new(rank, n, h)?.weights(rows, threads)?)
}

/// The topic that explains most of each row: the largest weight times the length of the topic.
pub fn heaviest_topics(model: &Model, weights: &[f64], n_rows: usize) -> Vec<Option<usize>> {
    let rank = model.rank();
    let length = |k: usize| {
        let mut squares = 0.0;
        model.h.for_each_in_row(k, |_, v| squares += v * v);
        squares.sqrt()
    };
    let lengths: Vec<f64> = (0..rank).map(length).collect();
    let scaled: Vec<f64> =
        weights.iter().enumerate().map(|(i, weight)| weight * lengths[i % rank]).collect();
    heaviest(&scaled, rank, n_rows)
}
