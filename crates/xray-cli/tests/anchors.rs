//! Which columns may be anchors: `--anchor-min-df`, and the vector p: `--row-weights`.

mod support;

use serde_json::Value;
use support::{Place, articles_csv};

/// Ten rows: the first two columns have entries in two of them, the others in all.
fn rare() -> String {
    let row = |d: usize| {
        let rare = |k: usize| if d == k || d == 9 - k { 9.0 } else { 0.0 };
        let [a, b, c] = [(d * 3) % 7, (d * 5) % 11, (d + 3) % 4].map(|v| v as f64 + 0.5);
        format!("{},{},{a},{b},{c}\n", rare(0), rare(1))
    };
    format!("r0,r1,a,b,c\n{}", (0..10).map(row).collect::<String>())
}

fn anchors(json: &Value) -> Vec<u64> {
    json["anchors"].as_array().expect("anchors").iter().map(|a| a.as_u64().expect("one")).collect()
}

#[test]
fn rare_columns_are_no_anchors_if_asked() {
    let place = Place::new();
    place.write("x.csv", rare());
    let found = |more: &[&str]| {
        let line = [&["factorize", "x.csv", "-r", "3", "--selection", "dist", "--json"], more];
        anchors(&place.done(&line.concat()).json())
    };
    assert!(found(&[]).iter().any(|j| *j < 2));
    for more in ["3", "0.25", "10", "1.0"] {
        let found = found(&["--anchor-min-df", more]);
        assert!(!found.is_empty() && found.iter().all(|j| *j >= 2), "{more}: {found:?}");
    }
    assert_eq!(found(&["--anchor-min-df", "3", "--candidates", "r0,b"]), [3]);
    assert_eq!(found(&["--anchor-min-df", "1"]), found(&[]));
    let run = place.xray(&["factorize", "x.csv", "-r", "2", "--anchor-min-df", "11"]);
    run.assert_error(2, &["no column has entries in 11 of 10 rows", "lower it"]);
    let run = place.xray(&["factorize", "x.csv", "-r", "2", "--anchor-min-df", "2.5"]);
    assert_eq!(run.status, Some(2));
    assert!(run.stderr.contains("2.5") && run.stderr.contains("a share, such as 0.01"));
}

#[test]
fn rules_that_look_for_extremes_take_no_rare_words() {
    let place = Place::new();
    place.write("texts.csv", articles_csv(240));
    let told = "anchors are in at least 16 documents (--anchor-min-df decides otherwise)";
    for (rule, restricted) in [("dist", true), ("agg", true), ("max", true), ("greedy", false)] {
        let line = ["topics", "texts.csv", "-k", "4", "--selection", rule, "-o", rule];
        let run = place.done(&line);
        assert_eq!(run.stderr.contains(told), restricted, "{rule}: {}", run.stderr);
        let all = place.done(&[&line[..], &["--anchor-min-df", "1"]].concat());
        assert!(!all.stderr.contains("anchors are in"), "{}", all.stderr);
    }
    let run = place.done(&["rank", "texts.csv", "--max", "4", "--fast", "--selection", "joint"]);
    assert!(run.stderr.contains(told), "{}", run.stderr);
    let run = place.xray(&["topics", "texts.csv", "-k", "2", "--anchor-min-df", "9999"]);
    run.assert_error(2, &["9999", "240 rows"]);
}

#[test]
fn all_methods_of_a_comparison_keep_to_frequent_columns() {
    let place = Place::new();
    place.write("x.csv", rare());
    let methods = "xray-dist,spa,snpa,hottopixx,nmf-hals";
    let line = ["compare", "x.csv", "-r", "2", "--methods", methods, "--json"];
    let json = place.done(&[&line[..], &["--anchor-min-df", "3"]].concat()).json();
    for method in json["methods"].as_array().expect("methods") {
        let run = &method["runs"][0];
        if method["method"] == "nmf-hals" {
            assert!(run["anchors"].is_null(), "{method}");
            continue;
        }
        assert!(anchors(run).iter().all(|j| (2..5).contains(j)), "{method}");
    }
    let json = place.done(&line).json();
    let any_rare = |method: &Value| anchors(&method["runs"][0]).iter().any(|j| *j < 2);
    assert!(json["methods"].as_array().expect("methods")[..1].iter().all(any_rare));
}

#[test]
fn the_vector_p_comes_from_a_file() {
    let place = Place::new();
    place.write("x.csv", "a,b,c\n1,0,2\n0,1,2\n3,1,0\n");
    place.write("ones.txt", "1\n1\n1\n");
    place.write("p.txt", "1e-6\n1\n1e6\n");
    let found = |more: &[&str]| {
        let line = [&["factorize", "x.csv", "-r", "2", "--selection", "joint", "--json"], more];
        anchors(&place.done(&line.concat()).json())
    };
    assert_eq!(found(&["--row-weights", "ones.txt"]), found(&[]));
    assert_ne!(found(&["--row-weights", "p.txt"]), found(&[]));
    place.write("short.txt", "1\n1\n");
    place.write("words.txt", "1\ntwo\n3\n");
    place.write("zero.txt", "1\n0\n3\n");
    for (file, code, parts) in [
        ("short.txt", 1, &["row_weights", "expected length 3, found 2"][..]),
        ("words.txt", 1, &["words.txt, line 2", "two", "positive number"]),
        ("zero.txt", 2, &["--row-weights = 0", "positive"]),
        ("none.txt", 1, &["none.txt"]),
    ] {
        let line = ["factorize", "x.csv", "-r", "2", "--row-weights", file];
        place.xray(&line).assert_error(code, parts);
    }
    let line = ["factorize", "x.csv", "-r", "2", "-o", "ones.npz", "--row-weights", "ones.npz"];
    place.write("ones.npz", "1\n1\n1\n");
    place.xray(&line).assert_error(2, &["ones.npz"]);
}
