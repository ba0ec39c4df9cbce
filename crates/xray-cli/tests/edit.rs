//! `xray edit`: topics changed by hand.

mod support;

use support::{Place, articles_csv, records};

fn fitted(place: &Place) {
    place.write("articles.csv", articles_csv(80));
    place.done(&["topics", "articles.csv", "-k", "4", "-o", "out"]);
}

/// Names and words of the topics of a model, as `--json` tells them.
fn edited(place: &Place, options: &[&str]) -> serde_json::Value {
    let base = ["edit", "out/model.npz", "-o", "new.npz", "--json"];
    place.done(&[&base[..], options].concat()).json()
}

fn words(topic: &serde_json::Value) -> Vec<&str> {
    topic["words"].as_array().expect("words").iter().filter_map(|word| word.as_str()).collect()
}

#[test]
fn topics_are_merged_dropped_and_renamed() {
    let place = Place::new();
    fitted(&place);
    let before = place.json("out/topics.json")["topics"].clone();
    let json = edited(&place, &["--merge", "1,3", "--drop", "4", "--rename", "2=My topic"]);
    assert_eq!(json["rank"], 2);
    assert_eq!(json["topics"][1]["name"], "My topic");
    assert_eq!(json["edits"], serde_json::json!(["rename 2=My topic", "merge 1,3", "drop 4"]));
    let merged = words(&json["topics"][0]);
    for old in [&before[0], &before[2]] {
        assert!(words(old)[..2].iter().any(|word| merged.contains(word)), "{merged:?} {old}");
    }
    // What was dropped is nowhere, and the second topic has its words still.
    assert_eq!(words(&json["topics"][1])[0], words(&before[1])[0]);
    place.done(&["transform", "new.npz", "articles.csv", "-o", "w.csv"]);
    let text = place.text("w.csv");
    assert!(records(&text)[0].join(",").ends_with(",topic_1,topic_2"), "{:?}", records(&text)[0]);
    // History goes on.
    let base = ["edit", "new.npz", "--rename", "1=Both", "-o", "newer.npz", "--json"];
    let json = place.done(&base).json();
    assert_eq!(json["edits"].as_array().expect("a list").len(), 4);
    assert_eq!(json["topics"][1]["name"], "My topic");
}

#[test]
fn with_the_documents_weights_are_exact() {
    let place = Place::new();
    fitted(&place);
    let json = edited(&place, &["articles.csv", "--split", "2", "--merge", "1,3"]);
    assert_eq!(json["rank"], 4);
    let shares: f64 =
        json["topics"].as_array().expect("topics").iter().filter_map(|t| t["share"].as_f64()).sum();
    assert!(shares > 0.9, "{json}");
    // The same as weighing the documents under the new model.
    place.done(&["transform", "new.npz", "articles.csv", "-o", "once.csv"]);
    let base = ["edit", "new.npz", "articles.csv", "--rename", "1=One", "-o", "again.npz"];
    place.done(&base);
    place.done(&["transform", "again.npz", "articles.csv", "-o", "twice.csv"]);
    assert_eq!(place.text("once.csv"), place.text("twice.csv"));
    // Other documents are told.
    place.write("others.csv", articles_csv(60));
    let split = |data: &'static str| {
        place.done(&["edit", "out/model.npz", data, "--split", "2", "-o", "other.npz"]).stderr
    };
    assert!(split("others.csv").contains("not the documents that the topics were found in"));
    assert!(!split("articles.csv").contains("not the documents"));
}

#[test]
fn words_are_moved() {
    let place = Place::new();
    fitted(&place);
    let before = place.json("out/topics.json")["topics"].clone();
    let word = words(&before[0])[0].to_owned();
    let json = edited(&place, &["--move-word", &format!("{word}=2")]);
    assert!(!words(&json["topics"][0]).contains(&word.as_str()), "{json}");
    assert!(words(&json["topics"][1]).contains(&word.as_str()), "{json}");
}

#[test]
fn wrong_changes_are_refused() {
    let place = Place::new();
    fitted(&place);
    let cases: [(&[&str], &str); 13] = [
        (&[], "nothing to do"),
        (&["--drop", "5"], "there is no topic 5"),
        (&["--drop", "0"], "there is no topic 0"),
        (&["--drop", "1,2,3,4"], "no topic would be left"),
        (&["--merge", "1"], "two topics or more"),
        (&["--merge", "1,2", "--drop", "2"], "twice"),
        (&["--rename", "1=A", "--rename", "1=B"], "topic 1 is renamed twice"),
        (&["--drop", "1", "--rename", "1=A"], "topic 1 is called \"A\" and goes"),
        (&["--merge", "2,1", "--rename", "1=A"], "topic 1 is called \"A\" and goes"),
        (
            &["--drop", "1", "--move-word", "zzzz=1"],
            "\"zzzz\" is moved to topic 1, which is dropped",
        ),
        (&["--split", "1"], "give the data after the model"),
        (&["--move-word", "zzzz=1"], "the model has no word \"zzzz\""),
        (&["--rename", "1=x", "-o", "out/model.npz"], "out/model.npz"),
    ];
    for (options, message) in cases {
        let output: &[&str] = if options.contains(&"-o") { &[] } else { &["-o", "new.npz"] };
        let run = place.xray(&[&["edit", "out/model.npz"], options, output].concat());
        assert!(matches!(run.status, Some(1 | 2)), "{options:?}: {run:?}");
        assert!(run.stderr.contains(message), "{options:?}: {}", run.stderr);
        assert!(!place.path("new.npz").exists());
    }
}
