//! Files for other programs: written to the folder `XRAY_WRITTEN`, where
//! `tests/python/check_written.py` reads them with SciPy, pandas and pyarrow; read back here in any
//! case.

use std::path::{Path, PathBuf};

use xray_data::text::{TextOptions, Vectorizer};
use xray_data::{
    Documents, LoadOptions, LoadedMatrix, Model, ModelKind, Provenance, Table, load, save,
    save_documents,
};
use xray_nmf::{DenseMatrix, SparseMatrix};

use crate::named;

const ENDINGS: [&str; 6] = ["npz", "mtx.gz", "npy", "csv", "tsv.zst", "mat"];

fn strings(names: &[&str]) -> Option<Vec<String>> {
    Some(names.iter().map(|&name| name.to_owned()).collect())
}

fn rows(matrix: &LoadedMatrix) -> Vec<Vec<u64>> {
    let row = |d| {
        let mut row = vec![0.0; matrix.n_columns()];
        matrix.copy_row(d, &mut row);
        row.into_iter().map(f64::to_bits).collect()
    };
    (0..matrix.n_rows()).map(row).collect()
}

fn read(path: PathBuf) -> Table {
    let loaded = load(&path.into(), &LoadOptions::default()).expect("readable");
    loaded.into_table().expect("numbers")
}

fn write_tables(folder: &Path) {
    let entries = [(0, 1, 0.1), (1, 0, 1.0 / 3.0), (2, 4, 1e-300), (3, 2, 7.0)];
    let sparse = SparseMatrix::from_triplets(4, 5, entries).expect("in range");
    let mut values = vec![0.0; 20];
    entries.iter().for_each(|&(d, j, v)| values[d * 5 + j] = v);
    let dense = DenseMatrix::from_row_major(4, 5, values).expect("4 x 5");
    let sparse = Table {
        row_names: strings(&["naïve", "b, c", "🚨", ""]),
        column_names: Some((0..5).map(|k| format!("column {k}")).collect()),
        labels: strings(&["x", "y", "x", "1"]),
        ..Table::new(sparse.into())
    };
    let dense = Table { matrix: dense.into(), ..sparse.clone() };
    for (name, table) in [("x", &sparse), ("dense", &dense)] {
        for ending in ENDINGS {
            let path = folder.join(format!("{name}.{ending}"));
            save(table, &path, None).expect("written");
            let again = read(path);
            assert_eq!(rows(&again.matrix), rows(&table.matrix), "{name}.{ending}");
            if ["npz", "mat", "csv", "tsv.zst"].contains(&ending) {
                assert_eq!(again.row_names, table.row_names, "{name}.{ending}");
                assert_eq!(again.column_names, table.column_names, "{name}.{ending}");
            }
            if ["npz", "mat"].contains(&ending) {
                assert_eq!(again.labels, table.labels, "{name}.{ending}");
            }
        }
    }
    let labels = strings(&["1", "-2.5", "3", "0"]);
    let numbers = Table { labels, ..sparse };
    for name in ["numbers.mat", "numbers.svm"] {
        save(&numbers, &folder.join(name), None).expect("written");
        assert_eq!(read(folder.join(name)).labels, numbers.labels, "{name}");
    }
    let counts = SparseMatrix::from_triplets(2, 3, [(0, 1, 3.0), (0, 2, 1.0), (1, 2, 12.0)]);
    let counts = Table {
        column_names: strings(&["red", "grün", "b"]),
        ..Table::new(counts.expect("in range").into())
    };
    for name in ["docword.counts.txt.gz", "counts.docword"] {
        save(&counts, &folder.join(name), None).expect("written");
        let again = read(folder.join(name));
        assert_eq!(rows(&again.matrix), rows(&counts.matrix), "{name}");
        assert_eq!(again.column_names, counts.column_names, "{name}");
    }
}

fn write_documents(folder: &Path) {
    let texts = strings(&[
        "Plain words.",
        "He said \"no\", twice",
        "two\nlines,\r\none cell",
        "naïve café Ω 中文 🚨",
        "",
        "tab\tand ; semicolon",
        "\"quoted\" at the start",
        "NA",
    ]);
    let documents = Documents {
        ids: (0..8).map(|k| k.to_string()).collect(),
        texts: texts.expect("given"),
        labels: strings(&["a", "b", "a", "c", "b", "a", "NA", "a,b"]),
        times: None,
    };
    let json = serde_json::json!({
        "texts": documents.texts, "ids": documents.ids, "labels": documents.labels,
    });
    std::fs::write(folder.join("documents.json"), json.to_string()).expect("written");
    let mut names = vec!["texts.csv", "texts.jsonl.gz"];
    if cfg!(feature = "parquet") {
        names.push("texts.parquet");
    }
    for name in names {
        save_documents(&documents, &folder.join(name), None).expect("written");
        let again = load(&folder.join(name).into(), &LoadOptions::default()).expect("readable");
        assert_eq!(again.into_documents().as_ref(), Some(&documents), "{name}");
    }
    let flat = subset(&documents, |text| !text.contains('\n'));
    save_documents(&flat, &folder.join("flat.tsv"), None).expect("written");
    let lines = subset(&flat, |text| !text.is_empty());
    save_documents(&lines, &folder.join("lines.txt"), None).expect("written");
    let place = folder.join("texts");
    let _ = std::fs::remove_dir_all(&place);
    save_documents(&documents, &place, Some(named("folder"))).expect("written");
}

fn subset(documents: &Documents, keep: impl Fn(&str) -> bool) -> Documents {
    let kept: Vec<usize> = (0..documents.len()).filter(|&d| keep(&documents.texts[d])).collect();
    let take = |all: &Vec<String>| kept.iter().map(|&d| all[d].clone()).collect();
    Documents {
        ids: take(&documents.ids),
        texts: take(&documents.texts),
        labels: documents.labels.as_ref().map(take),
        times: None,
    }
}

fn write_model(folder: &Path) {
    let documents = ["red grün", "grün blue", "blue red red"];
    let fit = Vectorizer::fit_transform(TextOptions::scikit_learn(), &documents).expect("words");
    let h = SparseMatrix::from_triplets(2, 3, [(0, 0, 1.0), (1, 2, 0.1), (1, 1, 0.3)]);
    let w = DenseMatrix::from_row_major(3, 2, vec![0.1, 0.2, 0.3, 0.4, 0.5, 0.6]);
    let model = Model {
        residual_norm: vec![0.5, 0.1],
        w: Some(w.expect("3 x 2").into()),
        preprocessing: Some(fit.1),
        provenance: Provenance::new("colours".into(), None, 7),
        ..Model::new(ModelKind::Topics, vec![0, 2], h.expect("in range").into())
    };
    model.save(&folder.join("model.npz")).expect("written");
    let again = Model::load(&folder.join("model.npz")).expect("readable");
    let weights = again.preprocessing.expect("a vectorizer").transform(&documents).expect("words");
    assert_eq!(weights.csr(), fit.0.csr());
    assert_eq!(again.provenance, model.provenance);
}

#[test]
fn files_for_other_programs() {
    let temporary = tempfile::tempdir().expect("a temporary folder");
    let folder = match std::env::var_os("XRAY_WRITTEN") {
        Some(folder) => PathBuf::from(folder),
        None => temporary.path().to_owned(),
    };
    std::fs::create_dir_all(&folder).expect("created");
    write_tables(&folder);
    write_documents(&folder);
    write_model(&folder);
}
