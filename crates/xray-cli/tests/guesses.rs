//! What is decided for the user is told, can be overruled, and is never wrong in silence.

mod support;

use support::Place;

const ROWS: &str = "a,b,c,d\n1.5,0.1,0.2,3\n0.1,2.5,0.3,1\n0.2,0.4,3.5,0.5\n2.5,1,0.1,0.2\n";

/// The weights of rows, without their names.
fn weights(csv: &str) -> Vec<String> {
    csv.lines().skip(1).map(|line| line.split_once(',').expect("an id").1.to_owned()).collect()
}

#[test]
fn transform_finds_columns_by_name() {
    let place = Place::new();
    place.write("t.csv", ROWS);
    place.write("turned.csv", "d,c,b,a\n3,0.2,0.1,1.5\n1,0.3,2.5,0.1\n");
    place.write("more.csv", "d,x,c,b,y,a\n3,7,0.2,0.1,8,1.5\n1,7,0.3,2.5,8,0.1\n");
    place.write("other.csv", "w,x,y,z\n1.5,0.1,0.2,3\n");
    place.write("fewer.csv", "a,c,d\n1.5,0.2,3\n");
    place.write("plain.csv", "1.5,0.1,0.2,3\n0.1,2.5,0.3,1\n");
    place.write("twice.csv", "a,b,a,c,d\n1,2,3,4,5\n");
    place.done(&["factorize", "t.csv", "-r", "3", "-o", "m.npz"]);
    let same = weights(&place.done(&["transform", "m.npz", "t.csv"]).stdout);
    let turned = place.done(&["transform", "m.npz", "turned.csv"]);
    assert_eq!(weights(&turned.stdout), same[..2], "names decide, not places");
    let more = place.done(&["transform", "m.npz", "more.csv"]);
    assert_eq!(weights(&more.stdout), same[..2]);
    assert!(more.stderr.contains("2 of 6 columns are not in the model"), "{}", more.stderr);
    assert!(more.stderr.contains("x, y"), "{}", more.stderr);
    let quiet = place.done(&["transform", "m.npz", "more.csv", "-q"]);
    assert_eq!(quiet.stderr, "");
    for (file, words) in [
        ("other.csv", &["other.csv", "4 of the model's 4 columns are missing: a, b, c, d"][..]),
        ("fewer.csv", &["1 of the model's 4 columns are missing: b", "--by-position"]),
        ("plain.csv", &["columns without names", "a, b, c, d", "--terms", "--by-position"]),
        ("twice.csv", &["twice.csv", "columns 1 and 3 of the data are both called \"a\""]),
    ] {
        place.xray(&["transform", "m.npz", file]).assert_error(1, words);
    }
    let by_position = place.done(&["transform", "m.npz", "plain.csv", "--by-position"]);
    assert_eq!(weights(&by_position.stdout), same[..2]);
    let by_position = place.done(&["transform", "m.npz", "turned.csv", "--by-position"]);
    assert_ne!(weights(&by_position.stdout), same[..2]);
}

#[test]
fn transform_finds_rows_by_name() {
    let place = Place::new();
    place.write("fit.csv", "gene,s1,s2,s3\ng1,5,0,5\ng2,0,4,4\ng3,1,1,2\ng4,3,0,3\n");
    place.write("same.csv", "gene,n1\ng1,10\ng2,0\ng3,2\ng4,6\n");
    place.write("turned.csv", "gene,n1\ng4,6\nx,9\ng2,0\ng1,10\ng3,2\n");
    place.write("other.csv", "gene,n1\nq1,10\nq2,0\nq3,2\nq4,6\n");
    place.write("plain.csv", "n1,n2\n10,1\n0,1\n2,1\n6,1\n");
    place.done(&["factorize", "fit.csv", "-r", "2", "-o", "m.npz"]);
    let transform = |file| ["transform", "m.npz", file, "--columns"];
    let same = place.done(&transform("same.csv"));
    let turned = place.done(&transform("turned.csv"));
    assert_eq!(turned.stdout, same.stdout, "names decide, not places");
    assert!(turned.stderr.contains("1 of 5 rows is not in the model"), "{}", turned.stderr);
    for (file, words) in [
        ("other.csv", &["4 of the model's 4 rows are missing: g1, g2, g3, g4"][..]),
        ("plain.csv", &["rows without names", "--row-names", "--by-position"]),
    ] {
        place.xray(&transform(file)).assert_error(1, words);
    }
    for file in ["other.csv", "plain.csv"] {
        place.done(&[&transform(file)[..], &["--by-position"]].concat());
    }
}

#[test]
fn new_svmlight_files_count_columns_as_those_of_the_model() {
    let place = Place::new();
    place.write("x.svm", "0 0:3 1:2\n0 0:2 1:3\n1 2:3 3:1\n1 2:1 3:4\n0 0:4 1:1\n1 2:2 3:2\n");
    place.write("row.svm", "1 2:3 3:1\n");
    place.write("from-1.svm", "1 3:3 4:1\n");
    let run = place.done(&["topics", "x.svm", "-k", "2", "-o", "out"]);
    assert!(run.stderr.contains("svmlight with columns from 0"), "{}", run.stderr);
    let fitted = weights(&place.text("out/documents.csv"))[2].clone();
    let weighed = |more: &[&str]| {
        let run = place.done(&[&["transform", "out"], more].concat());
        weights(&run.stdout)[0].clone()
    };
    assert_eq!(weighed(&["row.svm"]), fitted);
    assert_eq!(weighed(&["from-1.svm", "--zero-based", "no"]), fitted);
    assert_ne!(weighed(&["row.svm", "--zero-based", "no"]), fitted);
    let run = place.xray(&["transform", "out", "x.svm", "--zero-based", "no"]);
    run.assert_error(1, &["x.svm", "column 0"]);
}

#[test]
fn words_that_new_counts_lack_are_told() {
    let place = Place::new();
    place.write("x.csv", "cat,dog,bond,bank\n2,1,0,0\n1,2,0,0\n0,0,1,2\n0,0,2,1\n");
    place.write("fewer.csv", "bank,dog,bond\n2,0,1\n");
    place.done(&["topics", "x.csv", "-k", "2", "-o", "out"]);
    let run = place.done(&["transform", "out", "fewer.csv"]);
    let told = "1 of the model's 4 columns are not in the data and count as zero: cat";
    assert!(run.stderr.contains(told), "{}", run.stderr);
    place.write("plain.svm", "0 1:2 2:1\n0 1:1 2:2\n0 3:1 4:2\n0 3:2 4:1\n");
    place.done(&["topics", "plain.svm", "-k", "2", "-o", "plain"]);
    for (row, told) in [
        ("0 1:1 2:1\n", "has 2 columns without names, and the model 4"),
        ("0 1:1 6:1\n", "the last of the data's are left out"),
    ] {
        place.write("new.svm", row);
        let run = place.done(&["transform", "plain", "new.svm"]);
        assert!(run.stderr.contains(told), "{}", run.stderr);
    }
}

#[test]
fn other_columns_of_text_than_those_of_the_model_are_told() {
    let place = Place::new();
    place.write(
        "t.csv",
        "label,text\ncats,cats purr loudly\nbonds,bonds fall today\ncats,cats sleep\n",
    );
    place.done(&["topics", "t.csv", "--text", "label", "--text", "text", "-k", "2", "-o", "out"]);
    let run = place.done(&["transform", "out", "t.csv"]);
    let told = "the model's texts were those of label + text, and these are those of text";
    assert!(run.stderr.contains(told), "{}", run.stderr);
    let same = ["transform", "out", "t.csv", "--text", "label", "--text", "text"];
    let run = place.done(&same);
    assert!(!run.stderr.contains("the model's texts"), "{}", run.stderr);
    let fitted = weights(&place.text("out/documents.csv"));
    assert_eq!(weights(&run.stdout), fitted);
}

#[test]
fn classes_from_a_file_are_told_as_such() {
    let place = Place::new();
    place.write("t.csv", "label,text\nx,cats purr\ny,bonds fall\nx,cats sleep\n");
    place.write("label", "p\nq\np\n");
    let topics = |labels| ["topics", "t.csv", "-k", "2", "--json", "--labels", labels];
    let run = place.done(&topics("label"));
    assert!(run.stderr.contains("labels from the file \"label\""), "{}", run.stderr);
    std::fs::remove_file(place.path("label")).expect("removed");
    let run = place.done(&topics("label"));
    assert!(run.stderr.contains("labels \"label\""), "{}", run.stderr);
}

#[test]
fn the_array_that_was_read_is_told() {
    let place = Place::new();
    place.write("x.csv", "1,2,3\n4,5,6\n");
    place.done(&["convert", "x.csv", "x.mat"]);
    let run = place.done(&["factorize", "x.mat", "-r", "1"]);
    assert!(
        run.stderr.contains("mat; array \"X\" (--variable decides otherwise)"),
        "{}",
        run.stderr
    );
    let run = place.done(&["factorize", "x.mat", "-r", "1", "--variable", "X"]);
    assert!(run.stderr.contains("mat; array \"X\"; 2 rows"), "{}", run.stderr);
}

#[test]
fn columns_without_names_are_no_words() {
    let place = Place::new();
    place.write("t.txt", "10 cats and 10 dogs\n20 cats or 10 birds\nbirds and dogs 20\n");
    let counts = "%%MatrixMarket matrix coordinate integer general\n2 21 2\n1 11 3\n2 21 1\n";
    place.write("x.mtx", counts);
    place.done(&["topics", "t.txt", "-k", "2", "--keep", "numbers", "-o", "out"]);
    let run = place.xray(&["transform", "out/model.npz", "x.mtx"]);
    run.assert_error(1, &["x.mtx", "no names", "give the names"]);
    place.write("named.csv", "10,cats,lions\n1,2,5\n0,1,0\n");
    let run = place.done(&["transform", "out/model.npz", "named.csv", "--header", "yes"]);
    assert!(run.stderr.contains("1 of 3 columns is not in the model"), "{}", run.stderr);
    assert!(run.stderr.contains("lions"), "{}", run.stderr);
}

#[test]
fn what_was_decided_is_told_in_one_line() {
    let place = Place::new();
    let articles = "id,section,body\n1,sport,match team goal\n2,money,bank profit share\n3,sport,\n\
                    4,money,market share bank\n";
    place.write("a.csv", articles);
    let topics = ["topics", "a.csv", "-k", "2", "-o", "out", "--labels", "section"];
    let run = place.done(&topics);
    let line = "a.csv: csv with header; text \"body\", ids \"id\", labels \"section\" (--format, --header, \
                --delimiter, --text, --id decide otherwise); 4 documents, 1 of them empty";
    assert!(run.stderr.lines().any(|told| told == line), "{}", run.stderr);
    let quiet = place.done(&[&topics[..], &["-q"]].concat());
    assert!(!quiet.stderr.contains("a.csv"), "{}", quiet.stderr);
    let json = place.done(&[&topics[..], &["-q", "--json"]].concat()).json();
    let input = &json["input"];
    assert_eq!((input["format"].as_str(), input["header"].as_bool()), (Some("csv"), Some(true)));
    assert_eq!((input["text"][0].as_str(), input["id"].as_str()), (Some("body"), Some("id")));
    assert_eq!((input["rows"].as_u64(), input["empty"].as_u64()), (Some(4), Some(1)));
    // A column that is called so is taken unasked, and told.
    place.write("l.csv", articles.replace("section", "label"));
    let run = place.done(&["topics", "l.csv", "-k", "2"]);
    let told = "; text \"body\", ids \"id\", labels \"label\" (";
    assert!(run.stderr.contains(told), "{}", run.stderr);
    place.write("x.csv", "id;alpha;beta\n1001;0.3;1\n1002;0.5;2\n");
    let run = place.done(&["factorize", "x.csv", "-r", "1"]);
    let line = "x.csv: csv between ';' with header; ids \"id\" (--format, --header, --delimiter, --id, \
                --labels decide otherwise); 2 rows x 2 columns";
    assert!(run.stderr.lines().any(|told| told == line), "{}", run.stderr);
    place.done(&["convert", "x.csv", "x.npy"]);
    let run = place.done(&["factorize", "x.npy", "-r", "1"]);
    assert!(run.stderr.starts_with("x.npy: npy; 2 rows x 2 columns\n"), "{}", run.stderr);
    place.write("t.txt", "red apples\n\ngreen pears\n\n\nblue plums\n");
    let run = place.done(&["convert", "t.txt", "t.jsonl"]);
    let line = "t.txt: lines (--format decides otherwise); 3 documents, 3 blank lines left out";
    assert!(run.stderr.lines().any(|told| told == line), "{}", run.stderr);
}

#[test]
fn guesses_about_numbers_are_refused_or_told() {
    let place = Place::new();
    for (name, content, words) in [
        ("na.csv", "NA,2,3\n4,5,6\n7,8,9\n", ["na.csv:1:1", "missing"]),
        ("x.csv", "1,2,x\n4,5,6\n7,8,9\n", ["x.csv:1:3", "--header"]),
        ("comma.csv", "a;b;c\n1,5;2,5;3,5\n", ["comma.csv:2:1", "a point"]),
        ("mixed.csv", "a;b\n1,5;2\n3;4\n", ["mixed.csv:2:1", "a point"]),
        ("bare.csv", "1,5;2,5\n3,5;4,5\n", ["bare.csv:1:1", "a point"]),
        (
            "cut.mtx",
            "%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n",
            ["%Matrix", "--format"],
        ),
    ] {
        place.write(name, content);
        for verb in [&["factorize", name, "-r", "1"][..], &["topics", name, "-k", "1"]] {
            place.xray(verb).assert_error(1, &words);
        }
    }
    let yes = place.done(&["factorize", "x.csv", "-r", "1", "--header", "yes"]);
    assert!(
        yes.stderr.contains("x.csv: csv with header") && yes.stderr.contains("2 rows x 3 columns")
    );
}

#[test]
fn options_that_would_be_lost_are_refused() {
    let place = Place::new();
    place.write("t.txt", "red apples\ngreen pears\n");
    place.write("x.csv", "1,2\n3,4\n");
    for option in ["--terms", "--row-names"] {
        for file in ["t.txt", "/nosuch"] {
            let run = place.xray(&["topics", "t.txt", "-k", "1", option, file]);
            run.assert_error(2, &[option, "is for matrices", "t.txt"]);
        }
    }
    for (data, output) in [("t.txt", "t.jsonl"), ("x.csv", "x.npy")] {
        let run = place.xray(&["convert", data, output, "--min-df", "2"]);
        run.assert_error(2, &["stay", output, "--weighting"]);
        assert!(!place.path(output).exists());
        place.done(&["convert", data, output]);
    }
    for delimiter in ["│", "§", ""] {
        let run = place.xray(&["factorize", "x.csv", "-r", "1", "--delimiter", delimiter]);
        assert_eq!(run.status, Some(2), "{delimiter}: {}", run.stderr);
        assert!(run.stderr.contains("ASCII character"), "{}", run.stderr);
    }
}

#[test]
fn lda_c_files_are_counts() {
    let place = Place::new();
    place.write("ap.dat", "3 0:2 1:1 2:1\n2 3:1 4:2\n3 0:1 2:3 1:1\n1 4:2\n2 4:1 3:2\n");
    place.write("vocab.txt", "red\ngreen\nblue\ncat\ndog\nbird\n");
    let run = place.done(&["topics", "ap.dat", "--terms", "vocab.txt", "-k", "2", "--json"]);
    let json = run.json();
    assert_eq!(json["input"]["format"], "ldac");
    assert_eq!(
        (json["input"]["rows"].as_u64(), json["input"]["columns"].as_u64()),
        (Some(5), Some(6))
    );
    let words: Vec<&str> =
        json["topics"][0]["words"].as_array().unwrap().iter().filter_map(|w| w.as_str()).collect();
    assert!(
        words.iter().all(|word| ["red", "green", "blue", "cat", "dog"].contains(word)),
        "{words:?}"
    );
    place.write("bad.dat", "3 0:2 1:1 2:1\n2 3:1 4:2 5:1\n");
    place
        .xray(&["factorize", "bad.dat", "-r", "1", "--format", "ldac"])
        .assert_error(1, &["bad.dat:2", "3 pairs", "2, as the line says"]);
}

#[test]
fn headers_alone_and_names_that_stand_twice() {
    let place = Place::new();
    place.write("head.csv", "id,label,text\n");
    place.xray(&["topics", "head.csv", "-k", "1"]).assert_error(1, &["head.csv", "no documents"]);
    place.write("twice.csv", "text,label,text\none two,a,three\nfour five,b,six\n");
    place
        .xray(&["topics", "twice.csv", "-k", "1"])
        .assert_error(1, &["twice.csv:1", "columns 1 and 3 called \"text\""]);
    place.write(
        "null.jsonl",
        "{\"text\": null}\n{\"text\": \"red apples\"}\n{\"text\": \"pears\"}\n",
    );
    place.done(&["topics", "null.jsonl", "-k", "1", "--json"]);
}

#[test]
fn labels_for_each_line_fit_texts_with_blank_lines() {
    let place = Place::new();
    place.write("t.txt", "red apples\n\nblue plums\n\nred apples here\nblue plums there\n");
    place.write("by_line.txt", "a\nnone\nb\nnone\na\nb\n");
    place.write("by_text.txt", "a\nb\na\nb\n");
    place.write("wrong.txt", "a\nb\na\nb\na\n");
    for labels in ["by_line.txt", "by_text.txt"] {
        let arguments = ["topics", "t.txt", "-k", "2", "--json", "--labels", labels];
        let json = place.done(&arguments).json();
        assert_eq!(json["contingency"]["labels"], serde_json::json!(["a", "b"]), "{labels}");
        assert_eq!(json["nmi"], 1.0, "{labels}");
    }
    place
        .xray(&["topics", "t.txt", "-k", "2", "--labels", "wrong.txt"])
        .assert_error(1, &["wrong.txt", "5 labels"]);
}

#[test]
fn anchors_must_fit_the_number_of_topics() {
    let place = Place::new();
    place
        .write("t.txt", "red apples\nblue plums\nred apples here\nblue plums there\ngreen pears\n");
    let anchors = ["--anchor", "red", "--anchor", "blue", "--anchor", "green"];
    let run = place.xray(&[&["topics", "t.txt", "-k", "2"][..], &anchors].concat());
    run.assert_error(2, &["3 topics", "2 are asked for"]);
    place.done(&[&["topics", "t.txt", "-k", "3"][..], &anchors].concat());
    let twice = ["topics", "t.txt", "--anchor", "red,blue", "--anchor", "blue,red"];
    place.xray(&twice).assert_error(2, &["two topics are to begin with \"blue,red\""]);
    let most = ["topics", "t.txt", "--max-topics", "2"];
    let run = place.xray(&[&most[..], &anchors].concat());
    run.assert_error(2, &["3 topics", "at most 2 are to be looked at"]);
    // The only known words of two lists may be the same.
    let known = ["topics", "t.txt", "--anchor", "red,seldom", "--anchor", "red"];
    place.xray(&known).assert_error(2, &["\"red\"", "\"seldom\" is not in the vocabulary"]);
    let dropped = ["topics", "t.txt", "-k", "2", "--anchor", "the,2024,apple"];
    let run = place.xray(&dropped);
    for told in [
        "\"the\" is not in the vocabulary: it is a stop word",
        "\"2024\" is not in the vocabulary: numbers are dropped",
        "\"apple\" is not in the vocabulary; did you mean apples?",
    ] {
        assert!(run.stderr.contains(told), "{}", run.stderr);
    }
    // A word may belong to several topics, and rare ones are warned about.
    let run = place.done(&["topics", "t.txt", "--anchor", "red,blue", "--anchor", "blue"]);
    assert!(run.stderr.contains("\"blue\" is in 2 documents only"), "{}", run.stderr);
    place.write("x.csv", "1,2,3\n3,4,5\n5,1,2\n");
    let run = place.xray(&["factorize", "x.csv", "-r", "2", "--fixed", "0,1,2"]);
    run.assert_error(2, &["--fixed = 3 columns", "as many as the rank"]);
}

#[test]
fn messages_name_options_as_they_are_typed() {
    let place = Place::new();
    place.write("t.txt", "red apples\nblue plums\ngreen pears\n");
    place.write("q.csv", "id,text\n1,\"never closed\n2,b\n");
    place.write("n.csv", "1,-2\n3,4\n");
    place.write("x.csv", "1,2\n3,4\n");
    for (arguments, status, words) in [
        ("topics t.txt -k 1 --min-df 3", 1, &["--min-df", "--max-df"][..]),
        ("topics t.txt -k 1 --min-df 7", 2, &["--min-df = 7", "lower it or raise --max-df"]),
        ("topics t.txt -k 1 --max-df 0", 2, &["--max-df = 0 is", "--min-df"]),
        ("topics q.csv -k 1 --text text", 1, &["q.csv:2:3", "turn --quoting off"]),
        ("factorize n.csv -r 1", 1, &["set --allow-negative"]),
        ("factorize x.csv -r 1 --tolerance -1", 2, &["--tolerance = -1", "from 1e-6"]),
    ] {
        place.xray(&arguments.split(' ').collect::<Vec<_>>()).assert_error(status, words);
    }
}

#[test]
fn what_a_format_cannot_hold_is_told() {
    let place = Place::new();
    place.write("a.csv", "id,label,text\n1,a,red apples\n2,b,blue plums\n");
    let run = place.done(&["convert", "a.csv", "x.mtx"]);
    let told = "names of columns and names of rows and labels are left out, as mtx has no place";
    assert!(run.stderr.contains(told), "{}", run.stderr);
    place.write("b.csv", "id,label,text\nx,a,red apples\ny,b,blue plums\n");
    let run = place.done(&["convert", "b.csv", "x.txt"]);
    assert!(run.stderr.contains("ids and labels are left out, as lines has"), "{}", run.stderr);
    let run = place.done(&["convert", "a.csv", "x.npz"]);
    assert!(!run.stderr.contains("left out"), "{}", run.stderr);
}

#[test]
fn help_shows_what_can_be_given() {
    let place = Place::new();
    let help = place.done(&["factorize", "--help"]).stdout;
    assert!(!help.contains("--text"), "texts are refused");
    assert!(
        help.contains("--header <yes|no>") && help.contains("[possible values: yes, no]"),
        "{help}"
    );
    assert!(place.done(&["compare", "--help"]).stdout.contains("hottopixx-converged  "));
    assert!(place.done(&["topics", "--help"]).stdout.contains("--text"));
}

#[test]
fn tables_that_are_too_wide_are_told() {
    let place = Place::new();
    let lines = (0..30).map(|d| format!("{},word{} word{}\n", d, d % 3, (d + 1) % 3));
    place.write("a.csv", "label,text\n".to_owned() + &lines.collect::<String>());
    let arguments = ["topics", "a.csv", "-k", "2", "-o", "out", "--max-df", "1.0"];
    let run = place.done(&arguments);
    assert!(run.stderr.contains("30 labels against"), "{}", run.stderr);
    let labels: Vec<String> = place
        .text("out/contingency.csv")
        .lines()
        .skip(1)
        .map(|line| line.split(',').next().unwrap_or_default().to_owned())
        .collect();
    assert_eq!(labels[..3], ["0", "1", "2"], "numbers ascend");
}

#[test]
fn a_character_set_that_was_guessed_is_told() {
    let place = Place::new();
    place.write("latin.csv", b"id,text\n1,caf\xe9 noir\n2,na\xefve caf\xe9\n");
    let run = place.done(&["convert", "latin.csv", "out.jsonl"]);
    assert!(run.stderr.contains("csv with header in latin-1"), "{}", run.stderr);
    assert!(run.stderr.contains("--encoding"), "{}", run.stderr);
    assert!(place.text("out.jsonl").contains("naïve café"));
    let said = place.done(&["convert", "latin.csv", "out.jsonl", "--encoding", "windows-1252"]);
    assert!(!said.stderr.contains("--encoding"), "{}", said.stderr);
    let refused = place.xray(&["convert", "latin.csv", "out.jsonl", "--encoding", "utf-8"]);
    assert_eq!(refused.status, Some(1));
    assert!(refused.stderr.contains("latin.csv:2:4: found byte 0xE9"), "{}", refused.stderr);
}

#[test]
fn files_that_are_no_texts_are_counted() {
    let place = Place::new();
    place.write("news/sport/1", "goals and matches");
    place.write("news/tech/2.md", "chips and phones");
    place.write("news/logo.png", b"\x89PNG\r\n\x1a\n\0");
    let run = place.done(&["convert", "news", "out.csv"]);
    assert!(run.stderr.contains("2 documents, 1 other file left out"), "{}", run.stderr);
    let written = place.text("out.csv");
    assert!(written.contains("sport/1,sport,goals and matches"), "{written}");
    // One of the texts is not written over.
    let refused = place.xray(&["convert", "news", "news/tech/2.md", "--to", "csv"]);
    assert_eq!(refused.status, Some(2), "{}", refused.stderr);
}

#[test]
fn bad_records_are_told_or_refused_with_the_remedy() {
    let place = Place::new();
    let bad: String = (0..7).map(|k| format!("{k},too,many\n")).collect();
    place.write("x.csv", format!("id,text\na,some words\n{bad}b,more words\n"));
    let refused = place.xray(&["convert", "x.csv", "out.jsonl"]);
    refused.assert_error(1, &["x.csv:3: found 3 fields", "--skip-bad-records"]);
    let run = place.done(&["convert", "x.csv", "out.jsonl", "--skip-bad-records"]);
    assert!(run.stderr.contains("2 documents, 7 bad records left out\n"), "{}", run.stderr);
    assert!(run.stderr.contains("left out: x.csv:3: found 3 fields, expected 2"), "{}", run.stderr);
    assert!(run.stderr.contains("left out: 2 more\n"), "{}", run.stderr);
    assert_eq!(place.text("out.jsonl").lines().count(), 2);
}
