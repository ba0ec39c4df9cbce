//! Clusters in the model file: arrays that a model may have or not.

use std::io;

use super::Model;
use super::file::{damaged, read_matrix, write_matrix};
use crate::error::{Error, Result};
use crate::formats::npz::{Archive, NpzWriter};
use crate::table::LoadedMatrix;

/// What decides the cluster of a document: the largest of `sharpness` times the product with the centroid, plus
/// the logarithm of the cluster's size.
#[derive(Debug, Clone)]
pub struct ModelClusters {
    /// The directions of the clusters (rank x columns).
    pub centroids: LoadedMatrix,
    /// Logarithms of the clusters' shares in all documents.
    pub log_sizes: Vec<f64>,
    /// How much directions count beside sizes.
    pub sharpness: f64,
    /// The clusters of the documents of W, if it was kept: none for a document that is in no cluster.
    pub documents: Option<Vec<Option<usize>>>,
}

impl ModelClusters {
    /// Checks that all parts fit to each other and to the model.
    pub(super) fn check(&self, model: &Model) -> Result<()> {
        let refuse =
            |name, value: String, allowed: String| Err(Error::Parameter { name, value, allowed });
        let (r, n) = (model.h.n_rows(), model.h.n_columns());
        let shape = (self.centroids.n_rows(), self.centroids.n_columns());
        if shape != (r, n) {
            let found = format!("{} x {}", shape.0, shape.1);
            return refuse("cluster_centroids", found, format!("H has {r} rows and {n} columns"));
        }
        if let Some(entry) = self.centroids.as_matrix().first_negative() {
            let allowed = "entries are not negative".to_owned();
            return refuse("cluster_centroids", entry.value.to_string(), allowed);
        }
        if self.log_sizes.len() != r {
            let found = format!("{} sizes", self.log_sizes.len());
            return refuse("cluster_log_sizes", found, format!("H has {r} rows"));
        }
        let mut numbers = self.log_sizes.iter().chain([&self.sharpness]);
        if let Some(value) = numbers.find(|value| !value.is_finite()) {
            let allowed = "sizes and sharpness are finite".to_owned();
            return refuse("cluster_log_sizes", value.to_string(), allowed);
        }
        let Some(documents) = &self.documents else { return Ok(()) };
        if let Some(cluster) = documents.iter().flatten().find(|cluster| **cluster >= r) {
            return refuse("document_clusters", cluster.to_string(), format!("there are {r}"));
        }
        match &model.w {
            Some(w) if w.n_rows() != documents.len() => {
                let found = format!("{} documents", documents.len());
                refuse("document_clusters", found, format!("W has {} rows", w.n_rows()))
            }
            _ => Ok(()),
        }
    }

    pub(super) fn write<W: io::Write>(&self, npz: &mut NpzWriter<W>) -> io::Result<()> {
        write_matrix(npz, "cluster_centroids", &self.centroids)?;
        npz.floats("cluster_log_sizes", &[self.log_sizes.len()], &self.log_sizes)?;
        npz.floats("cluster_sharpness", &[1], &[self.sharpness])?;
        let Some(documents) = &self.documents else { return Ok(()) };
        let number = |cluster: &Option<usize>| cluster.map_or(0, |k| k as i64 + 1);
        npz.integers("document_clusters", documents.iter().map(number))
    }

    /// Reads what a model has of clusters; files of older versions have nothing.
    pub(super) fn read(file: &str, archive: &mut Archive) -> Result<Option<Self>> {
        if !archive.has("cluster_log_sizes") {
            return Ok(None);
        }
        let centroids = read_matrix(file, archive, "cluster_centroids")?;
        let log_sizes = archive.numbers("cluster_log_sizes")?.1;
        let sharpness = archive.numbers("cluster_sharpness")?.1;
        let &[sharpness] = sharpness.as_slice() else {
            let found = format!("{} numbers in cluster_sharpness", sharpness.len());
            return Err(damaged(file, found, "one").into());
        };
        let documents = match archive.has("document_clusters") {
            true => Some(archive.indices("document_clusters")?),
            false => None,
        };
        let cluster = |number: u64| usize::try_from(number).ok().and_then(|k| k.checked_sub(1));
        let documents = documents.map(|numbers| numbers.into_iter().map(cluster).collect());
        Ok(Some(Self { centroids, log_sizes, sharpness, documents }))
    }
}

#[cfg(test)]
mod tests {
    use xray_nmf::{DenseMatrix, SparseMatrix};

    use super::*;
    use crate::model::ModelKind;

    fn model() -> Model {
        let h = SparseMatrix::from_triplets(2, 3, [(0, 0, 1.0), (1, 2, 0.1), (1, 1, 0.3)]);
        let w = DenseMatrix::from_row_major(3, 2, vec![0.1, 0.2, 0.3, 0.4, 0.5, 0.6]);
        let centroids = SparseMatrix::from_triplets(2, 3, [(0, 0, 0.6), (0, 2, 0.8), (1, 1, 1.0)]);
        let clusters = ModelClusters {
            centroids: centroids.expect("in range").into(),
            log_sizes: vec![-0.5, -0.7],
            sharpness: 30.5,
            documents: Some(vec![Some(1), None, Some(0)]),
        };
        Model {
            w: Some(w.expect("3 x 2").into()),
            clusters: Some(clusters),
            ..Model::new(ModelKind::Topics, vec![0, 2], h.expect("in range").into())
        }
    }

    fn again(model: &Model) -> Model {
        Model::from_bytes(model.to_bytes().expect("fits together")).expect("intact")
    }

    #[test]
    fn clusters_come_back_and_may_be_missing() {
        let mut model = model();
        let found = again(&model).clusters.expect("clusters");
        let expected = model.clusters.take().expect("clusters");
        assert_eq!(found.documents, expected.documents);
        assert_eq!((found.log_sizes, found.sharpness), (expected.log_sizes, expected.sharpness));
        let (LoadedMatrix::Sparse(found), LoadedMatrix::Sparse(expected)) =
            (found.centroids, expected.centroids)
        else {
            panic!("sparse")
        };
        assert_eq!(found.csr(), expected.csr());
        assert!(again(&model).clusters.is_none());
    }

    #[test]
    fn parts_that_do_not_fit_are_refused() {
        let wrong: [fn(&mut ModelClusters); 6] = [
            |clusters| clusters.documents = Some(vec![Some(2), None, None]),
            |clusters| clusters.documents = Some(vec![None; 2]),
            |clusters| clusters.sharpness = f64::NAN,
            |clusters| clusters.log_sizes.push(0.0),
            |clusters| {
                let narrow = DenseMatrix::from_row_major(2, 2, vec![0.5; 4]);
                clusters.centroids = narrow.expect("2 x 2").into();
            },
            |clusters| {
                let negative = DenseMatrix::from_row_major(2, 3, vec![-0.5; 6]);
                clusters.centroids = negative.expect("2 x 3").into();
            },
        ];
        for change in wrong {
            let mut broken = model();
            broken.clusters.iter_mut().for_each(change);
            let message = broken.to_bytes().unwrap_err().to_string();
            assert!(message.contains("cluster"), "{message}");
        }
    }
}
