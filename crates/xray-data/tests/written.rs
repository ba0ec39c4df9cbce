//! Files for other programs: written to the folder `XRAY_WRITTEN`, where
//! `tests/python/check_written.py` reads them with NumPy and SciPy; read back here in any case.

use std::path::PathBuf;

use xray_data::text::{TextOptions, Vectorizer};
use xray_data::{Input, LoadOptions, Model, ModelKind, Provenance, Table, load, save};
use xray_nmf::{DenseMatrix, SparseMatrix};

#[test]
fn files_for_other_programs() {
    let temporary = tempfile::tempdir().expect("a temporary folder");
    let folder = match std::env::var_os("XRAY_WRITTEN") {
        Some(folder) => PathBuf::from(folder),
        None => temporary.path().to_owned(),
    };
    let entries = [(0, 1, 0.1), (1, 0, 1.0 / 3.0), (2, 4, 1e-300), (3, 2, 7.0)];
    let x = SparseMatrix::from_triplets(4, 5, entries).expect("in range");
    let names = (0..5).map(|k| format!("column {k}")).collect();
    let table = Table { column_names: Some(names), ..Table::new(x.into()) };
    for name in ["x.npz", "x.mtx.gz", "x.npy", "x.csv", "x.svm"] {
        let path = folder.join(name);
        save(&table, &path, None).expect("written");
        let again = load(&path.into(), &LoadOptions::default()).expect("readable");
        let again = again.into_table().expect("numbers").matrix;
        for d in 0..4 {
            let (mut ours, mut theirs) = (Vec::new(), Vec::new());
            table.matrix.for_each_in_row(d, |j, v| ours.push((j, v.to_bits())));
            again.for_each_in_row(d, |j, v| theirs.push((j, v.to_bits())));
            assert_eq!(ours, theirs, "{name}");
        }
    }
    let documents = ["red grün", "grün blue", "blue red red"];
    let fit = Vectorizer::fit_transform(TextOptions::scikit_learn(), &documents).expect("words");
    let h = SparseMatrix::from_triplets(2, 3, [(0, 0, 1.0), (1, 2, 0.1), (1, 1, 0.3)]);
    let w = DenseMatrix::from_row_major(3, 2, vec![0.1, 0.2, 0.3, 0.4, 0.5, 0.6]);
    let input = Input::Bytes { name: "colours".into(), bytes: documents.concat().into_bytes() };
    let model = Model {
        residual_norm: vec![0.5, 0.1],
        w: Some(w.expect("3 x 2").into()),
        preprocessing: Some(fit.1),
        provenance: Provenance::of(&input, 7).expect("memory"),
        ..Model::new(ModelKind::Topics, vec![0, 2], h.expect("in range").into())
    };
    model.save(&folder.join("model.npz")).expect("written");
    let again = Model::load(&folder.join("model.npz")).expect("readable");
    let weights = again.preprocessing.expect("a vectorizer").transform(&documents).expect("words");
    assert_eq!(weights.csr(), fit.0.csr());
    assert_eq!(again.provenance, model.provenance);
}
