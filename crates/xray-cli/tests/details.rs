//! `xray topics`: what it tells beyond the topics, and how documents are written.

mod support;

use support::{Place, articles_csv, records};

#[test]
fn details_tell_what_speaks_for_each_topic() {
    let place = Place::new();
    // The first document three times: near copies are not listed.
    let csv = articles_csv(60);
    let mut lines: Vec<String> = csv.lines().map(str::to_owned).collect();
    for copy in 0..2 {
        let line = lines[1].replacen("doc0", &format!("copy{copy}"), 1);
        lines.push(line);
    }
    place.write("articles.csv", lines.join("\n") + "\n");
    let run = place.done(&["topics", "articles.csv", "-k", "4", "--details", "-o", "out"]);
    for header in ["next best", "NPMI", "exclusive", "stability", "similar topics", "text"] {
        assert!(run.stdout.contains(header), "{header}: {}", run.stdout);
    }
    assert!(run.stdout.contains('*'), "no word is marked: {}", run.stdout);
    let topics = place.json("out/topics.json")["topics"].as_array().expect("topics").clone();
    let mut in_topics = 0;
    for topic in &topics {
        let next = topic["runner_up"].as_str().expect("another word");
        assert!(!next.is_empty() && next != topic["anchor"], "{topic}");
        let best = topic["best_documents"].as_array().expect("documents");
        assert!((1..=5).contains(&best.len()), "{topic}");
        let heavy: Vec<f64> =
            best.iter().map(|d| d["weight"].as_f64().expect("a number")).collect();
        assert!(heavy.is_sorted_by(|a, b| a >= b), "{heavy:?}");
        let copies = |d: &&serde_json::Value| {
            let id = d["id"].as_str().expect("a name");
            id == "doc0" || id.starts_with("copy")
        };
        assert!(best.iter().filter(copies).count() <= 1, "{topic}");
        assert!(best.iter().all(|d| !d["text"].as_str().expect("a text").is_empty()), "{topic}");
        let part = |name: &str| topic[name].as_f64().expect("a number");
        assert!((0.0..=1.0).contains(&part("stability")), "{topic}");
        assert!((0.0..=1.0).contains(&part("exclusivity")), "{topic}");
        assert!((-1.0..=1.0).contains(&part("npmi")), "{topic}");
        in_topics += topic["documents"].as_u64().expect("a count");
    }
    assert!((50..=62).contains(&in_topics), "{in_topics}");
    let weight: f64 = topics.iter().map(|t| t["weight_share"].as_f64().expect("a number")).sum();
    assert!((weight - 1.0).abs() < 1e-9, "{weight}");
}

#[test]
fn levels_tell_how_topics_split() {
    let place = Place::new();
    place.write("articles.csv", articles_csv(80));
    let run = place.done(&["topics", "articles.csv", "--levels", "2,4", "-o", "out"]);
    assert!(run.stdout.contains("from above"), "{}", run.stdout);
    let json = place.json("out/topics.json");
    assert_eq!(json["rank"], 4, "the largest level is the answer");
    let levels = json["levels"].as_array().expect("levels");
    assert_eq!([&levels[0]["rank"], &levels[1]["rank"]], [2, 4]);
    // Every document goes somewhere, and the flows into a topic are its documents.
    let flows = levels[1]["flows"].as_array().expect("flows");
    let documents = |value: &serde_json::Value| value["documents"].as_u64().expect("a count");
    assert_eq!(flows.iter().map(documents).sum::<u64>(), 80);
    for topic in levels[1]["topics"].as_array().expect("topics") {
        let into = flows.iter().filter(|flow| flow["to"] == topic["topic"]);
        assert_eq!(into.map(documents).sum::<u64>(), documents(topic), "{topic}");
    }
    let csv = place.text("out/flows.csv");
    assert_eq!(csv.lines().count(), flows.len() + 1, "{csv}");
    assert_eq!(place.text("out/levels.csv").lines().count(), 7);
    // A level has the topics of a run with that number, and the answer does not change.
    place.done(&["topics", "articles.csv", "-k", "2", "-o", "two"]);
    let two = place.json("two/topics.json");
    for (level, topic) in levels[0]["topics"]
        .as_array()
        .into_iter()
        .flatten()
        .zip(two["topics"].as_array().expect("topics"))
    {
        assert_eq!(level["words"], topic["words"]);
        assert_eq!(level["documents"], topic["documents"]);
    }
    place.done(&["topics", "articles.csv", "-k", "4", "-o", "four"]);
    assert!(place.bytes("four/documents.csv") == place.bytes("out/documents.csv"));
    let run = place.xray(&[
        "topics",
        "articles.csv",
        "--levels",
        "1,3",
        "--anchor",
        "oven",
        "--anchor",
        "comet",
    ]);
    run.assert_error(2, &["level of 1 topics is too small"]);
}

#[test]
fn shares_by_class_and_over_time() {
    let place = Place::new();
    let csv = articles_csv(80);
    let dated: String = csv
        .lines()
        .enumerate()
        .map(|(d, line)| match d {
            0 => format!("{line},date\n"),
            9 => format!("{line},unknown\n"),
            _ => format!("{line},{}-0{}-11\n", 2001 + d % 3, 1 + d % 9),
        })
        .collect();
    place.write("articles.csv", dated);
    let base =
        ["topics", "articles.csv", "--text", "text", "-k", "4", "-o", "out", "--time", "date"];
    let run = place.done(&base);
    assert!(run.stderr.contains("1 documents have no date in \"date\""), "{}", run.stderr);
    let text = place.text("out/periods.csv");
    let rows = records(&text);
    assert_eq!(rows[0].join(","), "period,documents,topic_1,topic_2,topic_3,topic_4");
    assert_eq!(rows.len(), 10, "months: {text}");
    let count: usize = rows[1..].iter().map(|row| row[1].parse::<usize>().expect("a count")).sum();
    assert_eq!(count, 79);
    for row in &rows[1..] {
        let sum: f64 = row[2..].iter().map(|cell| cell.parse::<f64>().expect("a share")).sum();
        assert!((sum - 1.0).abs() < 1e-9, "{row:?}");
    }
    let classes = place.text("out/classes.csv");
    assert!(classes.starts_with("label,documents,topic_1,"), "{classes}");
    #[cfg(feature = "pictures")]
    assert!(place.path("out/periods.svg").is_file());
    place.done(&[&base[..], &["--period", "year"]].concat());
    let years = place.text("out/periods.csv");
    let names: Vec<&str> = records(&years)[1..].iter().map(|row| row[0]).collect();
    assert_eq!(names, ["2001", "2002", "2003"]);
    let wrong = ["topics", "articles.csv", "--text", "text", "-k", "4", "--time", "text"];
    place.xray(&wrong).assert_error(2, &["--time text", "2024-03-05"]);
    let hours = place.xray(&[&base[..], &["--period", "hour"]].concat());
    assert_eq!(hours.status, Some(2));
    assert!(hours.stderr.contains("day, week, month, year"), "{}", hours.stderr);
}

#[test]
fn nearest_documents_are_of_the_same_subject() {
    let place = Place::new();
    place.write("articles.csv", articles_csv(80));
    place.done(&["topics", "articles.csv", "-k", "4", "-o", "out", "--nearest", "doc5"]);
    let text = place.text("out/nearest.csv");
    let rows = records(&text);
    assert_eq!(rows[0], ["document", "neighbour", "similarity"]);
    assert_eq!(rows.len(), 11);
    // Subjects take turns.
    let number = |id: &str| id.trim_start_matches("doc").parse::<usize>().expect("a number");
    assert!(rows[1..].iter().filter(|row| number(row[1]) % 4 == 1).count() >= 9, "{text}");
    let run = place.xray(&["topics", "articles.csv", "-k", "4", "--nearest", "doc99"]);
    run.assert_error(2, &["no document is called \"doc99\""]);
}

#[test]
fn weights_have_six_digits_or_all_or_shares_beside_them() {
    let place = Place::new();
    place.write("articles.csv", articles_csv(60));
    let table = |options: &[&str]| {
        let base = ["topics", "articles.csv", "-k", "3", "-o", "out"];
        place.done(&[&base[..], options].concat());
        let text = place.text("out/documents.csv");
        let rows = records(&text);
        rows.iter().map(|row| row.iter().map(|&cell| cell.to_owned()).collect()).collect()
    };
    let six: Vec<Vec<String>> = table(&[]);
    let exact: Vec<Vec<String>> = table(&["--exact", "--shares"]);
    assert!(exact[0].join(",").ends_with(",topic_3,share_1,share_2,share_3"), "{:?}", exact[0]);
    let number = |cell: &String| cell.parse::<f64>().expect("a number");
    let digits = |cell: &String| cell.trim_start_matches(['0', '.']).len();
    for (short, long) in six[1..].iter().zip(&exact[1..]) {
        for (a, b) in short[7..].iter().zip(&long[7..10]) {
            assert!(digits(a) <= 6, "{a}");
            assert!((number(a) - number(b)).abs() <= 1e-5 * number(b), "{a} {b}");
        }
        let shares: f64 = long[10..].iter().map(number).sum();
        let expected = if long[2].is_empty() { 0.0 } else { 1.0 };
        assert!((shares - expected).abs() < 1e-12, "{long:?}");
    }
    assert!(exact[1..].iter().any(|row| digits(&row[7]) > 12), "{:?}", exact[1]);
    // The same rows under the saved model, in either spelling.
    for options in [&[][..], &["--exact", "--shares"]] {
        table(options);
        let base = ["transform", "out/model.npz", "articles.csv", "-o", "again.csv"];
        place.done(&[&base[..], options].concat());
        assert_eq!(place.text("again.csv"), place.text("out/documents.csv"));
    }
}

#[cfg(feature = "parquet")]
#[test]
fn documents_go_to_parquet() {
    let place = Place::new();
    place.write("articles.csv", articles_csv(60));
    place.done(&["topics", "articles.csv", "-k", "3", "-o", "out"]);
    place.done(&["topics", "articles.csv", "-k", "3", "-o", "out", "--parquet"]);
    assert!(!place.path("out/documents.csv").exists());
    let bytes = std::fs::read(place.path("out/documents.parquet")).expect("a file");
    assert_eq!((&bytes[..4], &bytes[bytes.len() - 4..]), (&b"PAR1"[..], &b"PAR1"[..]));
    let both = ["topics", "articles.csv", "-k", "3", "-o", "out", "--parquet", "--shards"];
    assert_eq!(place.xray(&both).status, Some(2));
}
