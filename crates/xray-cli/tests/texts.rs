//! Texts as people have them: mails, many files, other languages, words of all kinds.

mod support;

use std::collections::BTreeSet;

use support::{Place, articles, articles_csv};

#[test]
fn many_files_are_read_as_one() {
    let place = Place::new();
    let texts: Vec<String> =
        articles(60).into_iter().map(|(_, label, text)| format!("{label},\"{text}\"\n")).collect();
    let file = |texts: &[String]| format!("label,text\n{}", texts.concat());
    place.write("whole.csv", file(&texts));
    for (k, range) in [0..20, 20..20, 20..23, 23..60].into_iter().enumerate() {
        place.write(&format!("p-{k}.csv"), file(&texts[range]));
    }
    place.write("list.txt", "# the parts\n\np-[01].csv\np-2.csv\np-3.csv\n");
    let options = ["-k", "4", "--threads", "1", "-o"];
    let ways: [&[&str]; 4] = [
        &["whole.csv"],
        &["p-*.csv"],
        &["@list.txt"],
        &["p-0.csv", "p-1.csv", "p-2.csv", "p-3.csv"],
    ];
    for (way, out) in ways.into_iter().zip(["a", "b", "c", "d"]) {
        place.done(&[&["topics"], way, &options[..], &[out]].concat());
        for name in ["topics.csv", "documents.csv", "contingency.csv"] {
            let (file, first) = (format!("{out}/{name}"), format!("a/{name}"));
            assert_eq!(place.text(&file), place.text(&first), "{file}");
        }
    }
    place.done(&["convert", "p-0.csv", "p-1.csv", "p-2.csv", "p-3.csv", "all.jsonl"]);
    assert_eq!(place.text("all.jsonl").lines().count(), 60);
    place.done(&["topics", "p-*.csv", "-k", "2", "--quiet"]);
    assert!(place.path("p-topics/model.npz").is_file());
    place.write("p-2.csv", "title,body\nspace,a rocket\n");
    let run = place.xray(&["topics", "p-*.csv", "-k", "2", "-o", "e"]);
    run.assert_error(1, &["p-2.csv", "no column \"text\"", "there are: title, body"]);
    place.xray(&["topics", "x-*.csv"]).assert_error(2, &["no file fits this pattern"]);
    place.xray(&["topics", "p-0.csv", "p-*.csv"]).assert_error(1, &["p-0.csv", "twice"]);
}

/// Mails and tweets as they are found: every document has its subject's words, and much that is none.
fn raw_mails(n: usize) -> String {
    let record = |(d, (id, label, text)): (usize, (String, String, String))| {
        let text = match d % 2 {
            0 => format!(
                "From: person{d}@mail.example.edu (A. Person)\nSubject: Re: {label}\nOrganization: University\n\
                 Lines: {d}\nNNTP-Posting-Host: news.example.edu\n\nIn article <{d}@news.example.edu>, \
                 b@c.org writes:\n> {text}\n\nAgreed &amp; signed, 10:30 on 5/4/1993.\n-- \nA. Person, Institute\n"
            ),
            _ => {
                format!("RT {text} https://t.co/AbC{d} pic.twitter.com/x{d} &lt;3 <br/> {d} $1.50")
            }
        };
        serde_json::json!({"id": id, "label": label, "text": text}).to_string() + "\n"
    };
    articles(n).into_iter().enumerate().map(record).collect()
}

#[test]
fn raw_mails_and_tweets_give_words() {
    let place = Place::new();
    place.write("raw.jsonl", raw_mails(80));
    let clutter = [
        "https",
        "co",
        "com",
        "org",
        "edu",
        "twitter",
        "pic",
        "amp",
        "lt",
        "br",
        "organization",
        "university",
        "lines",
        "nntp",
        "posting",
        "host",
        "writes",
        "article",
        "institute",
        "1993",
        "10",
        "30",
        "50",
    ];
    let vocabulary = |more: &[&str], out: &str| {
        let arguments =
            ["topics", "raw.jsonl", "-k", "4", "--words", "1000", "--min-df", "2", "-o", out];
        let run = place.done(&[&arguments[..], more].concat());
        let json = place.json(&format!("{out}/topics.json"));
        let topics = json["topics"].as_array().expect("topics").iter();
        let words = topics.flat_map(|topic| topic["words"].as_array().expect("words").clone());
        let words = words.map(|word| word.as_str().expect("a word").to_owned());
        (words.collect::<BTreeSet<String>>(), run.stderr)
    };
    let (words, told) = vocabulary(&[], "clean");
    let found: Vec<&&str> = clutter.iter().filter(|word| words.contains(**word)).collect();
    assert!(found.is_empty(), "{found:?}");
    assert!(words.contains("space"), "words of subjects stay: {words:?}");
    for part in [
        "80 documents, ",
        " words kept; dropped: ",
        "80 links, ",
        "160 lines of headers, 40 lines above quotes, 40 signatures",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    let (words, told) = vocabulary(&["--keep", "all", "--max-df", "1.0"], "kept");
    let missing: Vec<&&str> = clutter.iter().filter(|word| !words.contains(**word)).collect();
    assert!(missing.is_empty(), "{missing:?}");
    assert!(!told.contains("links") && told.contains("stop words"), "{told}");
    let (words, told) = vocabulary(&["--keep", "numbers,URLs"], "some");
    assert!(words.contains("1993") && words.contains("https") && !words.contains("nntp"));
    assert!(!told.contains("numbers") && told.contains("tags and entities"), "{told}");

    // New texts are cleaned as those that the model was made of.
    for out in ["clean", "kept", "some"] {
        let model = format!("{out}/model.npz");
        place.done(&["transform", &model, "raw.jsonl", "-o", "again.csv"]);
        assert_eq!(place.text("again.csv"), place.text(&format!("{out}/documents.csv")), "{out}");
    }
    let run = place.xray(&["topics", "raw.jsonl", "--keep", "links"]);
    let choices = "urls, emails, tags, headers, signatures, quotes, numbers, all";
    assert!(run.status == Some(2) && run.stderr.contains(choices), "{run:?}");
}

#[test]
fn texts_come_in_any_form() {
    let place = Place::new();
    let articles = articles(40);
    let anchors = |arguments: &[&str], input: &[u8]| {
        let arguments = [&["topics"], arguments, &["-k", "4", "--json"]].concat();
        let run = place.piped(&arguments, input);
        assert_eq!(run.status, Some(0), "{arguments:?}: {}", run.stderr);
        let json = run.json();
        assert_eq!(json["documents"], 40, "{arguments:?}");
        (json["anchors"].clone(), json["topics"][0]["words"].clone())
    };
    place.write("a.csv", articles_csv(40));
    let expected = anchors(&["a.csv"], b"");
    let lines: String = articles.iter().map(|article| format!("{}\n", article.2)).collect();
    assert_eq!(anchors(&["-"], lines.as_bytes()), expected);
    assert_eq!(anchors(&["-"], articles_csv(40).as_bytes()), expected);
    let line = |(id, label, text): &(String, String, String)| {
        format!("{}\n", serde_json::json!({ "id": id, "label": label, "text": text }))
    };
    place.write("a.jsonl", articles.iter().map(line).collect::<String>());
    assert_eq!(anchors(&["a.jsonl"], b""), expected);
    for (d, article) in articles.iter().enumerate() {
        place.write(&format!("folder/{}/{d:03}.txt", article.1), &article.2);
        place.write(&format!("flat/{d:03}.txt"), &article.2);
    }
    assert_eq!(anchors(&["flat"], b""), expected);
    for file in ["a.csv.gz", "a.jsonl.zst", "a.parquet", "a.tsv"] {
        place.done(&["convert", "a.csv", file]);
        assert_eq!(anchors(&[file], b""), expected, "{file}");
    }
    assert_eq!(anchors(&["-"], &place.bytes("a.csv.gz")), expected);

    // Folders in a folder are labels.
    let run = place.done(&["topics", "folder", "-k", "4", "--json"]).json();
    assert!(run["nmi"].as_f64().expect("NMI") > 0.9, "{}", run["nmi"]);
    // With `-`, the files go to a folder of that name.
    assert_eq!(place.piped(&["topics", "-", "-k", "2"], lines.as_bytes()).status, Some(0));
    assert!(place.path("stdin-topics/documents.csv").is_file());
}

#[test]
fn a_pattern_of_words_is_kept_with_the_model() {
    let place = Place::new();
    let texts: String =
        (0..6).map(|k| format!("well-known {k}x cats\nso-called dogs {k}x\n")).collect();
    place.write("t.txt", texts);
    let pattern = ["--token-pattern", "[a-z]+-[a-z]+|[a-z]{4}"];
    place.done(&[&["topics", "t.txt", "-k", "2", "-o", "out"], &pattern[..]].concat());
    let topics = place.text("out/topics.csv");
    assert!(topics.contains("well-known") && topics.contains("so-called"), "{topics}");
    place.done(&["transform", "out", "t.txt", "-o", "again.csv"]);
    let weights = |name: &str| place.text(name).lines().nth(1).map(|l| l.to_owned());
    assert_eq!(weights("again.csv"), weights("out/documents.csv"));
    let refused = place.xray(&["topics", "t.txt", "-k", "2", "--token-pattern", "(a"]);
    refused.assert_error(2, &["--token-pattern", "unclosed group"]);
}

#[test]
fn another_language_is_told_where_english_is_taken_for_granted() {
    let place = Place::new();
    let text = "Das ist der erste Satz über die Katze und den Hund, und es ist auch nicht der letzte von allen.\n\
                Der Hund ist nicht in dem Haus, aber die Katze hat es sich auf dem Sofa bequem gemacht.\n";
    place.write("t.txt", text.repeat(4));
    let topics = ["topics", "t.txt", "-k", "2", "-o", "out"];
    let run = place.done(&topics);
    let hint = "the text looks like German: --stop-words german --stem german";
    assert!(run.stderr.lines().any(|line| line == hint), "{}", run.stderr);
    let run = place.done(&[&topics[..], &["--stop-words", "German"]].concat());
    assert!(!run.stderr.contains("looks like"), "{}", run.stderr);
    let words = place.text("out/topics.csv");
    assert!(words.contains("katze") && !words.contains("nicht"), "{words}");
    place.write(
        "zh.txt",
        "自然語言處理是人工智慧和語言學領域的分支學科\n人類語言由計算機處理和理解\n",
    );
    let run = place.done(&["topics", "zh.txt", "-k", "1", "-o", "zh"]);
    assert!(run.stderr.contains("looks like Chinese, which has no spaces"), "{}", run.stderr);
}

#[test]
fn phrases_are_kept_with_the_model() {
    let place = Place::new();
    let line = |k: usize| match k % 2 {
        0 => format!("a{k}a new york b{k}b city of new york\n"),
        _ => format!("c{k}c york is new, city d{k}d\n"),
    };
    place.write("t.txt", (0..40).map(line).collect::<String>());
    place.done(&["topics", "t.txt", "-k", "2", "-o", "out", "--phrases", "--min-df", "2"]);
    let topics = place.text("out/topics.csv");
    assert!(topics.contains("new york"), "{topics}");
    place.done(&["transform", "out", "t.txt", "-o", "again.csv"]);
    let weights =
        |name: &str| place.text(name).lines().skip(1).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(weights("again.csv"), weights("out/documents.csv"));
}
