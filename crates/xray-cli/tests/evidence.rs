//! `compare` and `reproduce`: what they print and write, and how they refuse.

mod support;

use serde_json::Value;
use support::Place;

/// A matrix without noise and the program's word for its anchors.
fn drawn(place: &Place) {
    let arguments = ["synth", "x.npy", "--rows", "30", "--rank", "4", "--columns", "40"];
    place.write("truth.txt", place.done(&arguments).stdout);
}

fn methods(json: &Value) -> Vec<&Value> {
    json["methods"].as_array().expect("methods").iter().collect()
}

#[test]
fn exact_methods_find_all_rays_and_slow_ones_are_left_out_with_a_forecast() {
    let place = Place::new();
    drawn(&place);
    let arguments = [
        "compare",
        "x.npy",
        "-r",
        "4",
        "--true-anchors",
        "truth.txt",
        "--runs",
        "2",
        "--json",
        "-o",
        "out",
    ];
    let json: Value = serde_json::from_str(&place.done(&arguments).stdout).expect("JSON");
    assert_eq!(json["rank"], 4);
    let exact = [
        "xray-max",
        "xray-dist",
        "xray-rand",
        "spa",
        "spa-l1",
        "snpa",
        "vca",
        "nfindr",
        "nfindr-l1",
        "snpa-l1",
        "hottopixx-converged",
        "arora",
        "clarkson",
    ];
    for name in exact {
        let method = methods(&json).into_iter().find(|m| m["method"] == name).expect(name);
        let runs = method["runs"].as_array().unwrap_or_else(|| panic!("{name}: {method}"));
        for run in runs {
            assert_eq!(run["recovery"], 1.0, "{name}");
            assert!(run["error"].as_f64().expect("error") < 1e-6, "{name}");
        }
        let random = ["xray-rand", "vca"].contains(&name);
        assert_eq!(runs.len(), if random { 2 } else { 1 }, "{name}");
    }
    // Factors are no columns: there is nothing to recover.
    let local = methods(&json).into_iter().find(|m| m["method"] == "nmf-hals").expect("nmf-hals");
    assert!(local["runs"][0]["recovery"].is_null() && local["runs"][0]["anchors"].is_null());
    let csv = place.text("out/compare.csv");
    assert!(csv.starts_with("method,run,seconds,") && csv.contains("\nxray-max,1,"));
    assert!(place.bytes("out/compare.png").starts_with(b"\x89PNG"));
    assert!(place.text("out/compare.svg").contains("XRAY(max)"));

    let arguments =
        ["compare", "x.npy", "-r", "4", "--methods", "xray-max,hottopixx", "--epochs", "10000000"];
    let run = place.done(&arguments);
    assert!(run.stdout.contains("XRAY(max)") && !run.stdout.contains("Hottopixx"));
    assert!(run.stderr.contains("left out: Hottopixx: would take about"), "{}", run.stderr);
}

#[test]
fn labelled_texts_are_judged_by_their_classes() {
    let place = Place::new();
    let mut table = "kind,text\n".to_owned();
    for k in 0..60 {
        let (kind, words) = match k % 3 {
            0 => ("fruit", ["apple", "pear", "plum", "grape"]),
            1 => ("metal", ["iron", "zinc", "gold", "lead"]),
            _ => ("river", ["rhine", "nile", "volga", "thames"]),
        };
        let words: Vec<&str> = (0..3).map(|i| words[(k / 3 + i) % 4]).collect();
        table += &format!("{kind},{}\n", words.join(" "));
    }
    place.write("texts.csv", table);
    let arguments = [
        "compare",
        "texts.csv",
        "--text",
        "text",
        "--labels",
        "kind",
        "-r",
        "3",
        "--methods",
        "xray-greedy,nmf-hals",
        "--json",
    ];
    let json: Value = serde_json::from_str(&place.done(&arguments).stdout).expect("JSON");
    for method in methods(&json) {
        for run in method["runs"].as_array().expect("runs") {
            assert_eq!(run["nmi"], 1.0, "{method}");
            assert!(run["accuracy_weights"].as_f64().expect("accuracy") > 0.95, "{method}");
            assert!(run["npmi"].is_number(), "{method}");
        }
    }
    // The same bits on any number of threads, but for time and memory.
    let quality = |threads: &str| {
        let threads = [&arguments[..], &["--threads", threads]].concat();
        let json: Value = serde_json::from_str(&place.done(&threads).stdout).expect("JSON");
        let runs = methods(&json).into_iter().flat_map(|m| m["runs"].as_array().expect("runs"));
        runs.map(|run| format!("{} {} {}", run["error"], run["nmi"], run["npmi"]))
            .collect::<Vec<_>>()
    };
    assert_eq!(quality("1"), quality("3"));
}

#[test]
fn wrong_comparisons_are_refused() {
    let place = Place::new();
    drawn(&place);
    place.write("half.csv", "kind,text\na,one two\n,two three\nb,three one\n");
    for (arguments, status, words) in [
        (&["compare", "x.npy", "-r", "4", "--methods", "best"][..], 2, "use one of xray-rand"),
        (&["compare", "x.npy", "-r", "4", "--true-anchors", "1,99"], 2, "there are 40"),
        (&["compare", "x.npy", "-r", "4", "--time-limit", "0"], 2, "give a number above 0"),
        (&["compare", "x.npy", "-r", "4", "--time-limit", "1e-9"], 1, "no method ran"),
        (&["compare", "none.npy", "-r", "4"], 1, "none.npy"),
        (
            &["compare", "half.csv", "--text", "text", "--labels", "kind", "-r", "2"],
            1,
            "row 2 has no class",
        ),
        (&["reproduce"], 2, "EXPERIMENT"),
        (&["reproduce", "figure9"], 2, "figure3"),
        (&["reproduce", "table1", "--data", "nowhere"], 1, "nowhere: no such folder"),
    ] {
        let run = place.xray(arguments);
        assert_eq!(run.status, Some(status), "{arguments:?}: {}", run.stderr);
        assert!(run.stderr.contains(words), "{arguments:?}: {}", run.stderr);
        assert!(!run.stderr.contains("panicked"));
    }
}

#[test]
fn experiments_write_pages_tables_and_pictures() {
    let place = Place::new();
    let run = place.done(&["reproduce", "table1", "figure5", "table2", "--quick", "-o", "out"]);
    assert!(run.stderr.contains("table1") && run.stdout.is_empty());
    for name in ["table1", "figure5", "table2"] {
        assert!(place.text(&format!("out/{name}.md")).starts_with("# "), "{name}");
        assert!(place.text(&format!("out/{name}.csv")).lines().count() > 3, "{name}");
    }
    assert!(place.bytes("out/figure5-demo-fitted.png").starts_with(b"\x89PNG"));
    assert!(place.text("out/figure5.md").contains("](figure5-demo-fitted.png)"));
    // Everything but time is the same on every run, with any number of threads.
    place.done(&["reproduce", "table1", "figure5", "--quick", "-o", "again", "--threads", "1"]);
    for file in ["table1.csv", "table1-verdicts.csv", "figure5.csv", "figure5-demo-fitted.svg"] {
        let read = |folder| place.text(&format!("{folder}/{file}"));
        assert_eq!(read("out"), read("again"), "{file}");
    }
}

#[test]
fn real_data_is_asked_for_by_name() {
    let place = Place::new();
    let mut command = place.command(&["reproduce", "figure4"]);
    let output = command.env_remove("XRAY_DATA").output().expect("the program starts");
    assert_eq!(output.status.code(), Some(1));
    let words = String::from_utf8(output.stderr).expect("text");
    assert!(words.contains("XRAY_DATA") && words.contains("--quick"), "{words}");
}
