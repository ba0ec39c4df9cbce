//! Files that SciPy, scikit-learn, pandas and pyarrow wrote, read back bit by bit.
//!
//! `tests/python/make_reference.py` writes them; the folder is named by `XRAY_REFERENCE`, that of
//! the real data by `XRAY_DATA`. Where a folder is absent its tests are skipped.

use std::path::{Path, PathBuf};

use serde_json::Value;
use xray_data::text::{DocumentFrequency, RowScale, StopWords, TextOptions, Vectorizer, tokens};
use xray_data::{
    Documents, Format, Input, LoadOptions, Loaded, LoadedMatrix, Table, load, save, save_documents,
};
use xray_nmf::Matrix;

use crate::named;

/// The folder that an environment variable names, if it is there.
fn folder(variable: &str) -> Option<PathBuf> {
    let path = std::env::var_os(variable).map(PathBuf::from).filter(|path| path.is_dir());
    if path.is_none() {
        println!("SKIPPED: {variable} names no folder");
    }
    path
}

fn manifest(folder: &Path, part: &str) -> Vec<Value> {
    let text = std::fs::read(folder.join("manifest.json")).expect("make_reference.py wrote it");
    let manifest: Value = serde_json::from_slice(&text).expect("JSON");
    manifest[part].as_array().expect("a list").clone()
}

fn strings(value: &Value) -> Option<Vec<String>> {
    let items = value.as_array()?;
    Some(items.iter().map(|item| item.as_str().expect("a string").to_owned()).collect())
}

fn dense_bits(matrix: &LoadedMatrix) -> Vec<Vec<u64>> {
    let row = |d| {
        let mut row = vec![0.0; matrix.n_columns()];
        matrix.copy_row(d, &mut row);
        row.into_iter().map(f64::to_bits).collect()
    };
    (0..matrix.n_rows()).map(row).collect()
}

fn load_table(path: &Path, options: &LoadOptions) -> Table {
    match load(&path.into(), options) {
        Ok(Loaded::Table(table)) => table,
        Ok(Loaded::Documents(_)) => panic!("{}: taken for text", path.display()),
        Err(error) => panic!("{error}"),
    }
}

fn check_table(table: &Table, case: &Value, name: &str) {
    let expected: Vec<Vec<u64>> = serde_json::from_value(case["bits"].clone()).expect("bits");
    assert_eq!(dense_bits(&table.matrix), expected, "{name}");
    assert_eq!(table.column_names, strings(&case["column_names"]), "{name}");
    assert_eq!(table.row_names, strings(&case["row_names"]), "{name}");
}

fn options_of(case: &Value) -> LoadOptions {
    LoadOptions {
        variable: case["variable"].as_str().map(str::to_owned),
        quoting: case["quoting"].as_bool(),
        zero_based: case["zero_based"].as_bool(),
        label: case["label"].as_str().map(Into::into),
        ..LoadOptions::default()
    }
}

#[test]
fn tables_have_the_same_bits() {
    let Some(folder) = folder("XRAY_REFERENCE") else { return };
    let cases = manifest(&folder, "tables");
    for case in &cases {
        let name = case["file"].as_str().expect("a name");
        let table = load_table(&folder.join(name), &options_of(case));
        check_table(&table, case, name);
        assert_eq!(table.labels, strings(&case["labels"]), "{name}");
        assert_eq!(matches!(table.matrix, LoadedMatrix::Sparse(_)), case["sparse"] == true);
    }
    println!("{} tables", cases.len());
}

#[test]
fn tables_survive_every_format_that_is_written() {
    let Some(folder) = folder("XRAY_REFERENCE") else { return };
    let out = tempfile::tempdir().expect("a temporary folder");
    let mut n = 0;
    for case in manifest(&folder, "tables") {
        let name = case["file"].as_str().expect("a name");
        let table = load_table(&folder.join(name), &options_of(&case));
        for ending in
            ["mtx", "mtx.gz", "npz", "npy.zst", "mat", "csv", "tsv.gz", "spaced", "svm", "docword"]
        {
            let path = out.path().join(format!("{n}.{ending}"));
            let whole = dense_bits(&table.matrix)
                .iter()
                .flatten()
                .all(|&b| f64::from_bits(b).fract() == 0.0 && f64::from_bits(b) < 1e15);
            if ending == "docword" && !whole {
                assert!(save(&table, &path, None).is_err());
                assert!(!path.exists());
                continue;
            }
            if let Err(error) = save(&table, &path, format_of(&path)) {
                assert!(cannot_hold(&table, ending), "{name} as {ending}: {error}");
                continue;
            }
            let again = load_table(&path, &options_again(&path, ending));
            check_again(&table, &again, ending, name);
            n += 1;
        }
    }
    println!("{n} files written and read back");
}

fn format_of(path: &Path) -> Option<&'static Format> {
    Format::from_path(path).or(Some(named("spaced")))
}

/// Whether a format may refuse a table of the reference files: text labels, or names with spaces.
fn cannot_hold(table: &Table, ending: &str) -> bool {
    match ending {
        "svm" => table.labels.iter().flatten().any(|label| label.contains(|c: char| c > '9')),
        "spaced" => table.row_names.is_some() || table.column_names.is_some(),
        _ => false,
    }
}

fn options_again(path: &Path, ending: &str) -> LoadOptions {
    LoadOptions {
        zero_based: (ending == "svm").then_some(false),
        format: format_of(path),
        ..LoadOptions::default()
    }
}

fn check_again(table: &Table, again: &Table, ending: &str, name: &str) {
    let mut expected = dense_bits(&table.matrix);
    if ending == "svm" {
        // The format does not say how many columns follow the last one in use.
        let n = again.matrix.n_columns();
        assert!(expected.iter().all(|row| row[n..].iter().all(|&bits| bits == 0)), "{name}");
        expected.iter_mut().for_each(|row| row.truncate(n));
    }
    assert_eq!(dense_bits(&again.matrix), expected, "{name} as {ending}");
    if ["npz", "mat", "csv", "tsv.gz", "docword"].contains(&ending) {
        assert_eq!(again.column_names, table.column_names, "{name} as {ending}");
    }
    if ["npz", "mat", "csv", "tsv.gz"].contains(&ending) {
        assert_eq!(again.row_names, table.row_names, "{name} as {ending}");
    }
    if ["npz", "mat"].contains(&ending) {
        assert_eq!(again.labels, table.labels, "{name} as {ending}");
    }
}

#[test]
fn documents_are_the_same() {
    let Some(folder) = folder("XRAY_REFERENCE") else { return };
    let cases = manifest(&folder, "documents");
    for case in &cases {
        let name = case["file"].as_str().expect("a name");
        let loaded = load(&folder.join(name).into(), &options_of(case));
        let documents = match loaded {
            Ok(loaded) => loaded.into_documents().expect(name),
            Err(error) => panic!("{error}"),
        };
        let expected = Documents {
            ids: strings(&case["ids"]).expect("ids"),
            texts: strings(&case["texts"]).expect("texts"),
            labels: strings(&case["labels"]),
            times: None,
        };
        assert_eq!(documents, expected, "{name}");
    }
    println!("{} files of texts", cases.len());
}

#[test]
fn documents_survive_every_format_that_is_written() {
    let Some(folder) = folder("XRAY_REFERENCE") else { return };
    let out = tempfile::tempdir().expect("a temporary folder");
    for case in manifest(&folder, "documents") {
        let name = case["file"].as_str().expect("a name");
        let loaded = load(&folder.join(name).into(), &options_of(&case)).expect("readable");
        let documents = loaded.into_documents().expect("text");
        for ending in ["csv", "jsonl.gz", "parquet"] {
            let path = out.path().join(format!("x.{ending}"));
            if ending == "parquet" && !cfg!(feature = "parquet") {
                continue;
            }
            save_documents(&documents, &path, None).expect("written");
            let again = load(&path.into(), &LoadOptions::default()).expect("readable");
            assert_eq!(again.into_documents().as_ref(), Some(&documents), "{name} as {ending}");
        }
    }
}

#[test]
fn every_character_makes_the_same_tokens_as_in_python() {
    let Some(folder) = folder("XRAY_REFERENCE") else { return };
    let text = std::fs::read_to_string(folder.join("characters.tsv")).expect("written");
    let mut n = 0;
    for line in text.lines() {
        let (code, expected) = line.split_once('\t').expect("two fields");
        let c = code.parse().ok().and_then(char::from_u32).expect("a character");
        assert_eq!(tokens(&format!("x{c}x A{c}")).join(" "), expected, "U+{:04X}", c as u32);
        n += 1;
    }
    println!("{n} characters");
}

#[test]
fn real_mat_files_have_the_same_bits() {
    let (Some(folder), Some(data)) = (folder("XRAY_REFERENCE"), folder("XRAY_DATA")) else {
        return;
    };
    for case in manifest(&folder, "mat") {
        let name = case["file"].as_str().expect("a name");
        let variable = case["variable"].as_str().expect("a name").to_owned();
        let options = LoadOptions { variable: Some(variable.clone()), ..LoadOptions::default() };
        let matrix = load_table(&data.join(name), &options).matrix;
        assert_eq!(case["shape"][0], matrix.n_rows(), "{name} {variable}");
        assert_eq!(case["shape"][1], matrix.n_columns(), "{name} {variable}");
        let (mut entries, mut checksum) = (0, 0u64);
        for d in 0..matrix.n_rows() {
            matrix.for_each_in_row(d, |j, v| {
                if v != 0.0 {
                    entries += 1;
                    let weight = d as u64 * 1_000_003 + j as u64 + 1;
                    checksum = checksum.wrapping_add(v.to_bits().wrapping_mul(weight));
                }
            });
        }
        assert_eq!(
            (case["entries"].as_u64(), case["checksum"].as_u64()),
            (Some(entries), Some(checksum))
        );
        println!("{name} {variable}: {} x {}", matrix.n_rows(), matrix.n_columns());
    }
}

fn corpus(name: &str, folder: &Path) -> Option<Vec<String>> {
    let file = match name {
        "awkward" => {
            let text = std::fs::read(folder.join("awkward.json")).expect("written");
            return serde_json::from_slice(&text).ok();
        }
        "bbc" => "bbc/articles.csv.gz",
        _ => "reuters/reuters21578.jsonl.gz",
    };
    let data = std::env::var_os("XRAY_DATA").map(PathBuf::from)?;
    let loaded = load(&data.join(file).into(), &LoadOptions::default()).expect("real data");
    loaded.into_documents().map(|documents| documents.texts)
}

/// Options of scikit-learn's TfidfVectorizer as ours.
fn text_options(options: &Value) -> TextOptions {
    let mut text = TextOptions::scikit_learn();
    let frequency = |value: &Value| match value.as_u64() {
        Some(count) => Some(DocumentFrequency::Count(count)),
        None => value.as_f64().map(DocumentFrequency::Share),
    };
    if let Some(range) = options["ngram_range"].as_array() {
        let size = |k: usize| range[k].as_u64().expect("a size") as usize;
        text.ngrams = (size(0), size(1));
    }
    text.min_df = frequency(&options["min_df"]).unwrap_or(text.min_df);
    text.max_df = frequency(&options["max_df"]).unwrap_or(text.max_df);
    text.max_features = options["max_features"].as_u64().map(|limit| limit as usize);
    text.sublinear_tf = options["sublinear_tf"] == true;
    text.lowercase = options["lowercase"] != false;
    text.smooth_idf = options["smooth_idf"] != false;
    text.tf_idf = options["use_idf"] != false;
    if options.get("norm").is_some() {
        text.normalize = RowScale::None;
    }
    if let Some(words) = strings(&options["stop_words"]) {
        text.stop_words = StopWords::List(words);
    }
    text
}

#[test]
fn tf_idf_equals_scikit_learn() {
    let Some(folder) = folder("XRAY_REFERENCE") else { return };
    for case in manifest(&folder, "tfidf") {
        let name = case["name"].as_str().expect("a name");
        let Some(texts) = corpus(case["corpus"].as_str().expect("a name"), &folder) else {
            println!("SKIPPED: {name}");
            continue;
        };
        let options = text_options(&case["options"]);
        let (x, vectorizer) = Vectorizer::fit_transform(options, &texts).expect("words");
        let vocabulary = std::fs::read(folder.join(format!("{name}.json"))).expect("written");
        let vocabulary: Vec<String> = serde_json::from_slice(&vocabulary).expect("a list");
        assert_eq!(vectorizer.vocabulary(), vocabulary, "{name}");
        let input = Input::Path(folder.join(format!("{name}.npz")));
        let expected = load(&input, &LoadOptions::default()).expect("readable").into_table();
        let Some(LoadedMatrix::Sparse(expected)) = expected.map(|table| table.matrix) else {
            panic!("sparse")
        };
        assert_eq!(x.n_rows(), expected.n_rows(), "{name}");
        assert_eq!((x.csr().0, x.csr().1), (expected.csr().0, expected.csr().1), "{name}");
        let pairs = x.csr().2.iter().zip(expected.csr().2);
        let largest = pairs.map(|(a, b)| (a - b).abs() / b.abs().max(1.0)).fold(0.0, f64::max);
        assert!(largest <= 1e-12, "{name}: {largest}");
        assert_eq!(vectorizer.transform(&texts).expect("same").csr(), x.csr(), "{name}");
        println!("{name}: {} terms, largest difference {largest:.1e}", vocabulary.len());
    }
}
