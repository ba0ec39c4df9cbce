//! Texts that are written come back the same, or are refused with the remedy.

use std::path::Path;

use proptest::prelude::*;
use xray_data::{
    Documents, Error, Format, Input, LoadOptions, load, save_documents, write_documents,
};

use crate::named;

fn documents(items: &[(&str, &str)], labels: Option<&[&str]>) -> Documents {
    let owned = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect();
    Documents {
        ids: items.iter().map(|(id, _)| (*id).to_owned()).collect(),
        texts: items.iter().map(|(_, text)| (*text).to_owned()).collect(),
        labels: labels.map(owned),
        times: None,
    }
}

fn read(path: &Path, format: &'static Format) -> Documents {
    let options = LoadOptions { format: Some(format), ..LoadOptions::default() };
    load(&path.into(), &options).expect("readable").into_documents().expect("text")
}

fn message(result: Result<(), Error>) -> String {
    result.unwrap_err().to_string()
}

/// Formats that keep everything.
fn exact_formats() -> Vec<(&'static Format, &'static str)> {
    let mut formats =
        vec![(named("csv"), "x.csv"), (named("csv"), "x.csv.gz"), (named("jsonl"), "x.jsonl.zst")];
    if cfg!(feature = "parquet") {
        formats.push((named("parquet"), "x.parquet"));
    }
    formats
}

const AWKWARD: [(&str, &str); 9] = [
    ("a", "He said \"no\", twice"),
    ("", ""),
    (" ", "  spaces  "),
    ("c", "two\nlines"),
    ("d", "Windows\r\nlines\r"),
    ("e", "tab\tand ; semicolon"),
    ("f", "\"starts with a quote"),
    ("g", "naïve Ω 🚨\u{feff}"),
    ("a", "a second a"),
];

#[test]
fn awkward_texts_come_back() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let labels = ["x", "", "1", "y,z", "x\ny", "\"", "x", "x", "é"];
    for labels in [Some(&labels[..]), None] {
        let original = documents(&AWKWARD, labels);
        for (format, name) in exact_formats() {
            let path = folder.path().join(name);
            save_documents(&original, &path, None).expect("written");
            assert_eq!(read(&path, format), original, "{name}");
            let mut bytes = Vec::new();
            write_documents(&original, &mut bytes, format).expect("memory");
            let input = Input::Bytes { name: name.into(), bytes };
            let again = load(&input, &LoadOptions::default()).expect("readable");
            assert_eq!(again.into_documents().as_ref(), Some(&original), "{name}");
        }
    }
}

#[test]
fn tables_between_tabs_refuse_line_breaks_only() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("x.tsv");
    let refused = message(save_documents(&documents(&AWKWARD, None), &path, None));
    assert!(refused.contains("document 4 has a line break; write csv"), "{refused}");
    assert!(!path.exists());
    let flat: Vec<(&str, &str)> =
        AWKWARD.into_iter().filter(|(_, text)| !text.contains('\n')).collect();
    let original = documents(&flat, None);
    save_documents(&original, &path, None).expect("written");
    assert_eq!(read(&path, named("tsv")), original);
}

#[test]
fn lines_keep_texts_only() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("x.txt");
    let original = documents(&[("a", "\u{feff}one"), ("b", " two\r three ")], Some(&["x", "y"]));
    save_documents(&original, &path, None).expect("written");
    let again = read(&path, named("lines"));
    assert_eq!((again.texts, again.labels), (original.texts, None));
    for text in ["one\ntwo", " ", "", "end\r"] {
        let refused = message(save_documents(&documents(&[("a", text)], None), &path, None));
        assert!(refused.contains("document 1") && refused.contains("jsonl"), "{refused}");
    }
}

#[test]
fn folders_are_complete_or_absent() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("texts");
    let items = [("1.txt", "one"), ("sub/2", "\u{feff}two\r\n"), ("3", "")];
    let original = documents(&items, Some(&["a", "b", ""]));
    save_documents(&original, &path, Some(named("folder"))).expect("written");
    let again = read(&path, named("folder"));
    assert_eq!(again.ids, ["3.txt", "a/1.txt", "b/sub/2.txt"]);
    assert_eq!(again.texts, ["", "one", "\u{feff}two\r\n"]);
    assert_eq!(again.labels, Some(vec![String::new(), "a".into(), "b".into()]));
    // What comes from a folder goes back as it was.
    let copy = folder.path().join("copy");
    std::fs::create_dir(&copy).expect("created");
    save_documents(&again, &copy, None).expect("an empty folder may be filled");
    assert_eq!(read(&copy, named("folder")), again);
    let full = message(save_documents(&again, &copy, None));
    assert!(full.contains("remove it first"), "{full}");
    let escape = documents(&[("ok", "fine"), ("../escape", "no")], None);
    let escape =
        message(save_documents(&escape, &folder.path().join("new"), Some(named("folder"))));
    assert!(escape.contains("document 2") && escape.contains("jsonl"), "{escape}");
    let twice = documents(&[("a", "x"), ("A.txt", "y")], None);
    let twice = message(save_documents(&twice, &folder.path().join("new"), Some(named("folder"))));
    assert!(twice.contains("two documents"), "{twice}");
    let mut left: Vec<_> = std::fs::read_dir(folder.path()).expect("a folder").collect();
    left.sort_by_key(|entry| entry.as_ref().expect("an entry").file_name());
    assert_eq!(left.len(), 2, "{left:?}");
}

#[test]
fn what_does_not_fit_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let original = documents(&[("a", "one")], None);
    let numbers = message(save_documents(&original, &folder.path().join("x.npz"), None));
    assert!(numbers.contains("for numbers") && numbers.contains("jsonl"), "{numbers}");
    let unknown = message(save_documents(&original, &folder.path().join("x"), None));
    assert!(unknown.contains(".jsonl") && unknown.contains("name a format"), "{unknown}");
    let few = Documents { ids: Vec::new(), ..original.clone() };
    let few = message(save_documents(&few, &folder.path().join("x.csv"), None));
    assert!(few.contains("ids = 0 entries"), "{few}");
    let stream = message(write_documents(&original, &mut Vec::new(), named("folder")));
    assert!(stream.contains("a stream cannot be a folder"), "{stream}");
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 0);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_texts_come_back(
        records in prop::collection::vec((".{0,6}", ".{0,6}", "(?s).{0,30}"), 1..8),
        labelled in any::<bool>(),
    ) {
        // A table of nothing but numbers would be read as a matrix.
        let column = |k: usize| records.iter().map(move |r| [&r.0, &r.1, &r.2][k].clone());
        let texts = column(2).map(|text| text + "x");
        let original = Documents {
            ids: column(0).collect(),
            texts: texts.collect(),
            labels: labelled.then(|| column(1).collect()),
            times: None,
        };
        for (format, name) in exact_formats() {
            let mut bytes = Vec::new();
            write_documents(&original, &mut bytes, format).expect("memory");
            let input = Input::Bytes { name: name.into(), bytes };
            let options = LoadOptions { format: Some(format), ..LoadOptions::default() };
            let again = load(&input, &options).expect("readable").into_documents();
            prop_assert_eq!(again.as_ref(), Some(&original));
        }
    }
}
