//! Files with classes beside texts of which some lines are blank.

use xray_data::{Documents, LoadOptions, Share, load};

fn labelled(texts: &str, labels: &str, share: Option<Share>) -> Result<Vec<String>, String> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (file, classes) = (folder.path().join("t.txt"), folder.path().join("labels"));
    std::fs::write(&file, texts).expect("written");
    std::fs::write(&classes, labels).expect("written");
    let options = LoadOptions { labels: Some(classes), share, ..LoadOptions::default() };
    let loaded = load(&file.into(), &options).map_err(|error| error.to_string())?;
    let Documents { labels, .. } = loaded.into_documents().expect("texts");
    Ok(labels.expect("classes"))
}

const TEXTS: &str = "cat fur paw\ncat paw dog\n\nbond bank stock\nbank bond rate\n";

#[test]
fn blank_lines_do_not_hide_a_header_over_classes() {
    let first = Some(Share { part: 0, parts: 2 });
    for labels in [
        "label\nx\nx\ny\ny\n",
        "x\nx\n\ny\ny\n",
        "x\nx\n \ny\ny\n",
        "x\nx\nz\ny\ny\n",
        "x\nx\ny\ny\n",
        "x\nx\ny\ny\n\n",
    ] {
        for share in [None, first] {
            let found = labelled(TEXTS, labels, share).expect("they fit");
            assert_eq!(found, ["x", "x", "y", "y"], "{labels:?} {share:?}");
        }
    }
    // Classes that are missing count, at the end, too.
    let found = labelled("a\n\nb\nc\n\n", "x\n\ny\n\n\n", None).expect("they fit");
    assert_eq!(found, ["x", "y", ""]);
}

#[test]
fn lines_too_many_are_not_taken_for_those_of_blank_texts() {
    for (labels, n) in [("kind\nx\nx\ny\ny\n", 5), ("x\nx\ny\n", 3), ("x\nx\nx\nx\nx\ny\n", 6)] {
        let message = labelled(TEXTS, labels, None).unwrap_err();
        let counts = format!("found {n} labels, expected 4, one for each document, or 5, one for");
        assert!(message.contains(&counts), "{message}");
    }
    let two = format!("\n{TEXTS}");
    let message = labelled(&two, "label\nof\nx\nx\ny\ny\n", None).unwrap_err();
    assert!(message.contains("6 labels"), "{message}");
}
