//! `xray demo` and `xray topics`: from text in any form to topics, tables and files.

mod support;

use std::collections::BTreeSet;

use serde_json::Value;
use support::{Place, articles, articles_csv, records};

const FILES: [&str; 5] = ["topics.csv", "topics.json", "report.html", "documents.csv", "model.npz"];

fn keys(value: &Value) -> BTreeSet<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

fn labels(n: usize) -> Vec<String> {
    articles(n).into_iter().map(|article| article.1).collect()
}

#[test]
fn demo_finds_the_eight_subjects() {
    let place = Place::new();
    let json = place.done(&["demo", "--json"]).json();
    assert_eq!(json["topics"].as_array().expect("topics").len(), 8);
    assert!(json["nmi"].as_f64().expect("NMI") >= 0.7, "{}", json["nmi"]);
    let of_clusters = json["nmi_clusters"].as_f64().expect("NMI");
    assert!(of_clusters >= 0.7, "{of_clusters}");
    for topic in json["topics"].as_array().expect("topics") {
        let name = topic["name"].as_str().expect("a name");
        assert!((2..=3).contains(&name.split(", ").count()), "{name}");
        assert!(topic["anchor_left"].is_boolean() && topic["anchor_place"].is_u64(), "{topic}");
    }
    let run = place.done(&["demo"]);
    let first: Vec<&str> =
        run.stdout.lines().next().expect("a header").split_whitespace().collect();
    assert_eq!(first, ["topic", "anchor", "share", "margin", "name", "words"]);
    assert!(run.stdout.contains("(NMI): "), "{}", run.stdout);
    assert!(run.stderr.contains("288 documents") && run.stderr.contains("Next:"), "{}", run.stderr);
    assert!(run.stderr.contains("Open demo-topics/report.html in a browser"), "{}", run.stderr);
    let names: Vec<_> = std::fs::read_dir(place.root()).expect("a folder").collect();
    assert_eq!(names.len(), 1, "demo-topics alone, and nothing with --json");
}

#[test]
fn pages_can_be_left_out_and_take_the_levels_that_are_asked_for() {
    let place = Place::new();
    place.write("articles.csv", articles_csv(80));
    let topics = ["topics", "articles.csv", "-k", "4", "-o", "out"];
    let run = place.done(&topics);
    assert!(run.stderr.contains("the page took"), "{}", run.stderr);
    let page = || {
        let html = place.text("out/report.html");
        let start = html.find("id=\"data\">").expect("data") + 10;
        let end = start + html[start..].find("</script>").expect("an end");
        serde_json::from_str::<Value>(&html[start..end]).expect("JSON")
    };
    let ks = |page: &Value| -> Vec<u64> {
        let levels = page["levels"].as_array().expect("levels");
        levels.iter().filter_map(|level| level["k"].as_u64()).collect()
    };
    let first = page();
    assert_eq!(ks(&first), [2, 3, 4]);
    assert_eq!(first["command"], "xray topics articles.csv -k 4");
    assert_eq!((&first["format"], &first["version"]), (&Value::from("xray page"), &Value::from(1)));
    place.done(&[&topics[..], &["--levels", "3,6"]].concat());
    assert_eq!(ks(&page()), [3, 4, 6]);
    place.done(&[&topics[..], &["--no-report"]].concat());
    assert!(!place.path("out/report.html").exists() && !place.path("out/levels.csv").exists());
    place.done(&[&topics[..], &["--no-report", "--figures"]].concat());
    for name in ["topics-map", "topics-tree", "topics-words"] {
        let svg = place.text(&format!("out/{name}.svg"));
        assert!(svg.starts_with("<svg") && svg.matches("<text").count() >= 4, "{name}");
        assert!(place.bytes(&format!("out/{name}.png")).starts_with(b"\x89PNG"), "{name}");
    }
    assert!(!place.path("out/report.html").exists());
}

#[test]
fn a_page_of_counts_shows_words_for_texts() {
    let place = Place::new();
    place.write("docword.a.txt", "4\n3\n6\n1 1 2\n1 2 1\n2 2 3\n3 3 1\n4 3 2\n4 1 1\n");
    place.done(&["topics", "docword.a.txt", "-k", "2", "-o", "out"]);
    assert!(place.text("out/report.html").contains("\"text\":[\""));
}

#[test]
fn demo_writes_the_files() {
    let place = Place::new();
    let run = place.done(&["demo", "-o", "a/b", "--quiet"]);
    assert_eq!(run.stderr, "");
    for file in FILES {
        assert!(place.path("a/b").join(file).is_file(), "{file}");
    }
    assert_eq!(place.text("a/b/documents.csv").lines().count(), 289);
    assert_eq!(place.json("a/b/topics.json")["documents"], 288);
    assert_eq!(place.text("a/b/contingency.csv").lines().count(), 9);
}

#[test]
fn csv_keeps_ids_labels_and_empty_documents() {
    let place = Place::new();
    let csv = articles_csv(60) + "doc60,,\ndoc61,space,zzz\n";
    place.write("articles.csv", csv);
    let run = place.done(&["topics", "articles.csv", "-k", "4", "--min-df", "2"]);
    assert!(run.stderr.contains("62 documents"), "{}", run.stderr);
    assert!(run.stderr.contains("articles-topics"), "{}", run.stderr);

    let text = place.text("articles-topics/documents.csv");
    let rows = records(&text);
    let header =
        "id,label,topic,share,cluster,explained,unexplained,topic_1,topic_2,topic_3,topic_4";
    assert_eq!(rows[0].join(","), header);
    assert_eq!(rows.len(), 63);
    let mut expected = labels(60);
    expected.extend([String::new(), "space".to_owned()]);
    for (d, row) in rows[1..].iter().enumerate() {
        assert_eq!(row[0], format!("doc{d}"));
        assert_eq!(row[1], expected[d]);
        let weights: Vec<f64> = row[7..].iter().map(|v| v.parse().expect("a number")).collect();
        if d < 60 {
            let topic: usize = row[2].parse().expect("a topic");
            let share: f64 = row[3].parse().expect("a share");
            assert!(weights.iter().all(|&w| w <= weights[topic - 1]), "{row:?}");
            assert!(
                (share - weights[topic - 1] / weights.iter().sum::<f64>()).abs() < 1e-5,
                "{row:?}"
            );
            assert!((1..=4).contains(&row[4].parse().expect("a cluster")), "{row:?}");
            assert!((0.0..=1.0).contains(&row[5].parse().expect("a part")), "{row:?}");
        } else {
            assert_eq!(row[2..], ["", "", "", "0", "1", "0", "0", "0", "0"]);
        }
    }

    let json = place.json("articles-topics/topics.json");
    assert_eq!(json["documents"], 62);
    assert_eq!(json["topics"].as_array().expect("topics").len(), 4);
    let contingency = &json["contingency"];
    assert_eq!(contingency["labels"].as_array().expect("labels").len(), 4);
    let counts = contingency["counts"].as_array().expect("rows").iter();
    let total: u64 = counts
        .flat_map(|row| row.as_array().expect("counts"))
        .map(|n| n.as_u64().expect("n"))
        .sum();
    assert!((60..=61).contains(&total), "{contingency}");
    assert!(json["nmi"].as_f64().expect("NMI") > 0.9, "{}", json["nmi"]);
    assert!(json["nmi_clusters"].as_f64().expect("NMI") > 0.9, "{}", json["nmi_clusters"]);
    assert!(run.stdout.contains(" by heaviest topic, ") && run.stdout.contains(" by cluster\n"));
    let text = place.text("articles-topics/topics.csv");
    assert!(text.starts_with("topic,anchor,share,margin,name,words,documents,"), "{text}");
    let name = json["topics"][0]["name"].as_str().expect("a name");
    assert!(text.contains(&format!(",\"{name}\",\"")), "{text}");
    assert!(run.stdout.contains(name), "{}", run.stdout);
    let table = place.text("articles-topics/contingency.csv");
    assert_eq!(records(&table).len(), 5);
}

#[test]
fn json_is_one_object_with_the_documented_keys() {
    let place = Place::new();
    place.write("articles.csv", articles_csv(40));
    let run = place.done(&["topics", "articles.csv", "-k", "4", "--json"]);
    let json = run.json();
    let expected = [
        "version",
        "documents",
        "vocabulary",
        "entries",
        "rank",
        "topics",
        "anchors",
        "residual_norm",
        "termination",
        "kkt_violation",
        "refined_objective",
        "squared_error",
        "explained",
        "suggestion",
        "nmi",
        "classes",
        "contingency",
        "nmi_clusters",
        "input",
        "seconds",
        "peak_memory_bytes",
    ];
    assert_eq!(keys(&json), BTreeSet::from(expected));
    let expected = [
        "topic",
        "anchor",
        "anchor_words",
        "anchor_place",
        "anchor_left",
        "name",
        "words",
        "weights",
        "share",
        "margin",
        "documents",
        "weight_share",
        "npmi",
        "exclusivity",
        "stability",
        "related",
        "runner_up",
        "best_documents",
    ];
    assert_eq!(keys(&json["topics"][0]), BTreeSet::from(expected));
    assert!(json["suggestion"].is_null());
    assert!(json["seconds"]["total"].is_number());
    assert!(json["kkt_violation"].as_f64().expect("a number") <= 1e-9, "{}", json["kkt_violation"]);
    assert!(!place.path("articles-topics").exists());
}

#[test]
fn topics_begin_with_the_words_of_the_user() {
    let place = Place::new();
    place.write("articles.csv", articles_csv(80));
    let base = ["topics", "articles.csv", "-k", "4", "--json"];
    let with = |more: &[&'static str]| [&base[..], more].concat();
    let json = place
        .done(&with(&["--anchor", "oven,Butter", "--anchor", "comet", "--exclude", "bank,goal"]))
        .json();
    let topics = json["topics"].as_array().expect("topics");
    assert_eq!(topics.len(), 4);
    assert_eq!(topics[0]["anchor_words"], serde_json::json!(["oven", "butter"]));
    assert_eq!(topics[1]["anchor_words"], serde_json::json!(["comet"]));
    assert!(topics[1]["words"].as_array().expect("words").contains(&"orbit".into()));
    for topic in topics {
        for word in topic["words"].as_array().expect("words") {
            assert!(word != "bank" && word != "goal", "{topic}");
        }
    }

    let run = place.done(&with(&["--anchor", "telescop,comet"]));
    assert!(run.stderr.contains("warning: \"telescop\""), "{}", run.stderr);
    assert!(run.stderr.contains("telescope"), "{}", run.stderr);
    assert_eq!(run.json()["topics"][0]["anchor_words"], serde_json::json!(["comet"]));
    let run = place.done(&with(&["--anchor", "telescop"]));
    assert_eq!(run.json()["topics"].as_array().expect("topics").len(), 4);
    let run = place.done(&with(&["--exclude", "gravitty"]));
    assert!(run.stderr.contains("gravity"), "{}", run.stderr);

    let strong = place.xray(&with(&["--anchor", "comet", "--anchor-strength", "1.5"]));
    assert_eq!(strong.status, Some(2));
    assert!(strong.stderr.contains("--anchor-strength <S>': give a number from 0 to 1"));
    let run = place.xray(&with(&["--anchor", "comet", "--exclude", "comet"]));
    run.assert_error(2, &["\"comet\"", "anchor words", "exclude"]);
}

#[test]
fn a_word_may_begin_several_topics_and_they_are_saved() {
    let place = Place::new();
    place.write("articles.csv", articles_csv(80));
    let lists = ["--anchor", "comet,orbit", "--anchor", "comet,goal"];
    let base = ["topics", "articles.csv", "-k", "4", "-o", "out"];
    place.done(&[&base[..], &lists[..]].concat());
    let topics = place.json("out/topics.json")["topics"].clone();
    for (k, other) in ["orbit", "goal"].into_iter().enumerate() {
        let words = topics[k]["words"].as_array().expect("words");
        assert!(words.contains(&"comet".into()) && words.contains(&other.into()), "{words:?}");
    }
    let weighed = place.done(&["transform", "out", "articles.csv"]).stdout;
    assert_eq!(weighed.lines().count(), 81, "{weighed}");
}

#[test]
fn refinement_goes_on_until_it_settles_or_as_far_as_is_said() {
    let place = Place::new();
    place.write("articles.csv", articles_csv(80));
    let objective = |more: &[&'static str]| -> Vec<f64> {
        let base = ["topics", "articles.csv", "-k", "4", "--json"];
        let json = place.done(&[&base[..], more].concat()).json();
        let steps = json["refined_objective"].as_array().expect("steps");
        steps.iter().map(|step| step.as_f64().expect("a number")).collect()
    };
    let lowered = |steps: &[f64]| (steps[0] - steps[3]) / steps[3];
    let settled = objective(&[]);
    let windows: Vec<f64> = settled.windows(4).map(lowered).collect();
    assert!(windows.iter().rev().skip(1).all(|part| *part >= 1e-7), "{windows:?}");
    assert!(windows.last().is_some_and(|part| *part < 1e-7), "{windows:?}");
    let all = objective(&["--refine", "60"]);
    assert!(all.len() == 61 && all.starts_with(&settled), "{}", all.len());
    let few = objective(&["--refine", "60", "--refine-tolerance", "1e-2"]);
    assert!(few.len() < settled.len(), "{few:?}");
}

#[test]
fn without_a_number_one_is_suggested() {
    let place = Place::new();
    place.write("articles.csv", articles_csv(80));
    let run = place.done(&["topics", "articles.csv", "-o", "out"]);
    assert!(run.stderr.contains("choose another number with -k"), "{}", run.stderr);
    let json = place.json("out/topics.json");
    assert_eq!(json["suggestion"]["rank"], json["rank"]);
    assert!(json["suggestion"]["reason"].is_string());
    let fast = place.done(&["topics", "articles.csv", "-k", "fast", "--json"]).json();
    assert_eq!(fast["suggestion"]["reason"], "residual");
}

#[test]
fn one_topic_and_more_topics_than_words() {
    let place = Place::new();
    place.write("few.txt", "red green\ngreen blue\nblue red\nred yellow\n");
    let one = place.done(&["topics", "few.txt", "-k", "1", "--json"]).json();
    assert_eq!(one["topics"].as_array().expect("topics").len(), 1);
    // Words of one's own come first among equals: all other weights are as large.
    place.write("articles.csv", articles_csv(80));
    let seeded = ["topics", "articles.csv", "-k", "1", "--anchor", "telescope,goal", "--json"];
    let words = place.done(&seeded).json()["topics"][0]["words"].clone();
    for word in ["telescope", "goal"] {
        assert!(words.as_array().expect("words").contains(&word.into()), "{words}");
    }
    let all = place.done(&["topics", "few.txt", "-k", "50", "--json"]).json();
    let found = all["topics"].as_array().expect("topics").len();
    assert!(found >= 1 && found <= all["vocabulary"].as_u64().expect("a count") as usize, "{all}");
    let run = place.done(&["topics", "few.txt", "-k", "50", "-o", "out"]);
    let told = format!("{found} topics explain everything: no more were found");
    assert!(run.stderr.contains(&told), "{}", run.stderr);
    // However many are asked for, memory is that of as many as there can be.
    place.done(&["topics", "few.txt", "-k", "4000000000", "--json"]);
    let text = place.text("out/documents.csv");
    assert_eq!(records(&text)[0].len(), 6 + found);
    place.write("one.txt", "lonely words here\n");
    let run = place.xray(&["topics", "one.txt", "-k", "1", "--json"]);
    assert!(matches!(run.status, Some(0 | 1)), "{}", run.stderr);
}

#[test]
fn any_number_of_threads_gives_the_same_bytes() {
    let place = Place::new();
    place.write("articles.csv", articles_csv(200));
    for threads in ["1", "3"] {
        for (folder, more) in
            [("plain", &[][..]), ("seeded", &["--anchor", "oven,comet", "-k", "6"])]
        {
            let folder = format!("{folder}{threads}");
            let base = ["topics", "articles.csv", "-o", &folder, "--threads", threads];
            place.done(&[&base[..], more].concat());
        }
        let folder = format!("demo{threads}");
        place.done(&["demo", "-o", &folder, "--threads", threads]);
    }
    for run in ["plain", "seeded", "demo"] {
        for file in ["topics.csv", "topics.json", "report.html", "documents.csv", "contingency.csv"]
        {
            let [one, three] =
                ["1", "3"].map(|threads| place.bytes(&format!("{run}{threads}/{file}")));
            assert!(one == three, "{run}: {file}");
        }
        // The model remembers the time of the run; what it holds besides is the same.
        let [one, three] =
            ["1", "3"].map(|threads| arrays(&place, &format!("{run}{threads}/model.npz")));
        assert!(one == three, "{run}: model.npz");
    }
}

/// The bytes of a model without the time of the run and the checksums that depend on it.
fn arrays(place: &Place, name: &str) -> Vec<u8> {
    let bytes = place.bytes(name);
    let place_of = |what: &[u8]| bytes.windows(what.len()).position(|window| window == what);
    let start = place_of(b"anchors.npy").unwrap_or_else(|| panic!("{name}: no anchors"));
    let end = place_of(b"PK\x01\x02").unwrap_or_else(|| panic!("{name}: no directory"));
    assert!(start < end, "{name}");
    bytes[start..end].to_vec()
}
