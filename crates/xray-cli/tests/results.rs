//! One run, one result: what was there stays until what is new is complete, and nothing that is read is written over.

mod support;

use std::collections::BTreeMap;
use std::path::Path;

use support::{Place, articles_csv};

/// Everything in a folder and those within it, by name.
fn content(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut all = BTreeMap::new();
    let entries = std::fs::read_dir(folder).expect("a folder");
    for entry in entries.map(|entry| entry.expect("an entry")) {
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.path().is_dir() {
            let within = content(&entry.path()).into_iter();
            all.extend(within.map(|(file, bytes)| (format!("{name}/{file}"), bytes)));
            all.insert(name + "/", Vec::new());
        } else {
            all.insert(name, std::fs::read(entry.path()).expect("a file"));
        }
    }
    all
}

fn names(folder: &Path) -> Vec<String> {
    content(folder).into_keys().filter(|name| name != ".xray.json").collect()
}

/// Texts, numbers, and a model of each.
fn place() -> Place {
    let place = Place::new();
    place.write("texts.csv", articles_csv(60));
    place.write("x.csv", "red,green,blue,grey\n1,0,0,1\n0,2,0,2\n0,0,3,1\n1,1,1,1\n");
    place
}

const TOPICS: [&str; 7] = [
    "classes.csv",
    "contingency.csv",
    "documents.csv",
    "model.npz",
    "report.html",
    "topics.csv",
    "topics.json",
];

/// Lines of arguments, what they write to, and a word of the answer.
const VERBS: [(&str, &str, &str); 10] = [
    ("topics texts.csv -k 4 -o out", "out", "anchor"),
    ("topics texts.csv -k 4 -o out --json", "out", "\"topics\""),
    ("topics texts.csv -k 4 -o out --shards", "out", "anchor"),
    ("factorize x.csv -r 2 -o out", "out", "residual"),
    ("factorize x.csv -r 2 -o out/m.npz", "out", "residual"),
    ("rank x.csv --max 3 -o out", "out", "rank"),
    ("compare x.csv -r 2 --methods xray-max -o out", "out", "max"),
    ("transform m.npz x.csv -o out/w.csv --json", "out", "\"weights\""),
    ("convert x.csv out/x.npz", "out", ""),
    ("synth out/y.npy -r 3", "out", ""),
];

#[cfg(unix)]
#[test]
fn a_disk_without_room_leaves_what_was_there_and_the_answer_is_told() {
    for (line, out, word) in VERBS {
        let place = place();
        place.done(&["factorize", "x.csv", "-r", "2", "-o", "m.npz"]);
        place.write("out/mine", "mine");
        let run = place.shell(&format!("\"$XRAY\" {line} --seed 5"));
        assert_eq!(run.status, Some(0), "{line}: {}", run.stderr);
        let before = content(&place.path(out));
        // Files of at most so many times 512 bytes.
        for blocks in [0, 1] {
            let run = place.shell(&format!("ulimit -f {blocks}; \"$XRAY\" {line} --quiet"));
            if blocks > 0 && run.status == Some(0) {
                continue;
            }
            run.assert_error(1, &["out/", "nothing was overwritten"]);
            assert!(run.stdout.contains(word), "{line}: {}", run.stdout);
            assert_eq!(content(&place.path(out)), before, "{line}");
        }
    }
}

#[cfg(unix)]
#[test]
fn pages_without_room_leave_what_was_there() {
    let place = place();
    let line = "reproduce table1 --quick -o out --quiet";
    place.done(&line.split(' ').collect::<Vec<_>>());
    let before = content(place.root());
    let run = place.shell(&format!("ulimit -f 0; \"$XRAY\" {line}"));
    assert_eq!(run.status, Some(1), "{}", run.stderr);
    assert!(run.stderr.contains("nothing was overwritten"), "{}", run.stderr);
    assert_eq!(content(place.root()), before);
}

#[test]
fn what_is_read_is_not_written_over() {
    let place = place();
    let write = |name: &str, from: &str| place.write(name, place.bytes(from));
    write("in/documents.csv", "texts.csv");
    write("in/anchors.csv", "x.csv");
    write("in/rank.csv", "x.csv");
    write("in/compare.csv", "x.csv");
    write("in/answer.json", "x.csv");
    place.write("words.txt", "the\n");
    place.write("list", "in/documents.csv\n");
    place.done(&["factorize", "x.csv", "-r", "2", "-o", "m.npz"]);
    place.done(&["topics", "texts.csv", "-k", "3", "-o", "model"]);
    let before = content(place.root());
    for line in [
        "topics in/documents.csv -o in",
        "topics in/../in/documents.csv -o ./in",
        "topics @list -o in",
        "topics texts.csv in/documents.csv -o in",
        "topics in/doc*.csv -o in",
        "topics texts.csv --labels in/documents.csv -o in",
        "topics texts.csv --terms in/documents.csv -o in",
        "topics texts.csv --row-names in/documents.csv -o in",
        "topics texts.csv --stop-words in/documents.csv -o in",
        "topics texts.csv --checkpoint texts.csv -o new",
        "topics texts.csv --checkpoint in/model.npz -o in",
        "factorize in/anchors.csv -r 2 -o in",
        "factorize in/answer.json -r 2 -o in --shards",
        "factorize m.npz -r 2 -o m.npz",
        "factorize x.csv -r 2 -o n.npz --checkpoint n.npz",
        "factorize model/documents.csv -r 2 -o model",
        "rank in/rank.csv -o in",
        "compare in/compare.csv -r 2 -o in",
        "compare x.csv -r 2 --true-anchors in/compare.csv -o in",
        "transform m.npz x.csv -o x.csv",
        "transform m.npz x.csv -o m.npz",
        "transform model texts.csv -o model/model.npz",
        "convert x.csv x.csv",
        "convert x.csv ./in/../x.csv",
        "convert x.csv in/rank.csv in/rank.csv",
        "convert texts.csv words.txt --stop-words words.txt --weighting counts --to csv",
    ] {
        let run = place.xray(&line.split(' ').collect::<Vec<_>>());
        if let Some(fault) = run.fault_of_error(2, &["the output would take the place of"]) {
            panic!("{line}: {fault}: {}", run.stderr);
        }
        assert_eq!(content(place.root()), before, "{line}");
    }
    // Without another output, too; and a checkpoint takes the place of checkpoints alone.
    place.write("weights.txt", "1\n1\n1\n1\n");
    place.write("empty", "");
    let before = content(place.root());
    for (line, words) in [
        ("factorize x.csv -r 2 --checkpoint x.csv", "the output would take the place of"),
        (
            "topics texts.csv -k 2 --json --checkpoint texts.csv",
            "the output would take the place of",
        ),
        (
            "factorize x.csv -r 2 --row-weights weights.txt --checkpoint weights.txt",
            "the output would take the place of",
        ),
        ("factorize x.csv -r 2 --checkpoint words.txt", "words.txt: this file is no checkpoint"),
        ("topics texts.csv -k 2 --json --checkpoint m.npz", "m.npz: this file is no checkpoint"),
    ] {
        place.xray(&line.split(' ').collect::<Vec<_>>()).assert_error(2, &[words]);
        assert_eq!(content(place.root()), before, "{line}");
    }
    for _ in 0..2 {
        place.done(&["factorize", "x.csv", "-r", "2", "--checkpoint", "empty"]);
    }
    // Neighbours are no inputs.
    std::fs::remove_file(place.path("in/documents.csv")).expect("removed");
    place.done(&["topics", "in/anchors.csv", "-k", "2", "-o", "in"]);
    place.done(&["convert", "x.csv", "in/y.csv"]);
}

#[cfg(target_os = "linux")]
#[test]
fn what_is_written_to_standard_output_follows_what_is_there() {
    let place = place();
    place.write("log", "old\n");
    for name in ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"] {
        let line = format!("\"$XRAY\" convert x.csv {name} --to csv -q >>log");
        assert_eq!(place.shell(&line).status, Some(0), "{name}");
    }
    place.xray(&["convert", "x.csv", "-"]).assert_error(2, &["/dev/stdout", "--to"]);
    let table = place.text("x.csv");
    assert_eq!(place.text("log"), format!("old\n{}", table.repeat(3)));
}

#[test]
fn what_comes_through_a_pipe_is_never_the_same_input() {
    let place = place();
    let topics = ["topics", "-", "-k", "2", "-q"];
    let texts = place.bytes("texts.csv");
    assert_eq!(place.piped(&topics, &texts).status, Some(0));
    let before = content(&place.path("stdin-topics"));
    place.piped(&topics, &texts).assert_error(2, &["stdin-topics", "another input", "-o"]);
    assert_eq!(content(&place.path("stdin-topics")), before);
    let run = place.piped(&[&topics[..], &["-o", "stdin-topics"]].concat(), &texts);
    assert_eq!(run.status, Some(0), "{}", run.stderr);
}

#[cfg(unix)]
#[test]
fn links_do_not_hide_what_is_read() {
    let place = place();
    std::fs::create_dir(place.path("out")).expect("a folder");
    std::os::unix::fs::symlink("../texts.csv", place.path("out/documents.csv")).expect("linked");
    std::os::unix::fs::symlink("out", place.path("other")).expect("linked");
    std::fs::hard_link(place.path("x.csv"), place.path("hard.csv")).expect("linked");
    for line in [
        "topics texts.csv -o out",
        "topics texts.csv -o other",
        "topics out/documents.csv -o other",
        "convert x.csv hard.csv",
        "transform hard.csv texts.csv -o x.csv",
    ] {
        let run = place.xray(&line.split(' ').collect::<Vec<_>>());
        run.assert_error(2, &["the output would take the place of"]);
    }
    let run = place.shell("\"$XRAY\" convert - x.csv < x.csv");
    run.assert_error(2, &["x.csv", "the output would take the place of"]);
}

#[test]
fn a_run_removes_what_earlier_ones_wrote_and_it_does_not() {
    let place = place();
    place.done(&["topics", "texts.csv", "-k", "4", "-o", "out"]);
    assert_eq!(names(&place.path("out")), TOPICS);
    place.write("out/mine.csv", "mine");
    place.write("unlabelled.txt", place.text("texts.csv").replace(',', " "));
    place.done(&["topics", "unlabelled.txt", "-k", "4", "-o", "out"]);
    let rest = [&TOPICS[2..3], &["mine.csv"], &TOPICS[3..]].concat();
    assert_eq!(names(&place.path("out")), rest);
    place.done(&["rank", "x.csv", "--max", "2", "-o", "out"]);
    place.done(&["factorize", "x.csv", "-r", "2", "-o", "out", "--shards"]);
    let shards = ["anchors.csv", "answer.json", "h-00000-of-00001.npz", "manifest.json"];
    let others = ["mine.csv", "rank.csv", "rank.html", "rank.png", "rank.svg", "w.npz"];
    assert_eq!(names(&place.path("out")), [&shards[..], &others].concat());
    place.done(&["demo", "-o", "out", "--quiet"]);
    let others = ["mine.csv", "model.npz", "rank.csv", "rank.html", "rank.png", "rank.svg"];
    assert_eq!(names(&place.path("out")), [&TOPICS[..3], &others, &TOPICS[4..]].concat());
}

/// A run that was killed between its decision and the end, which whoever comes next completes.
#[test]
fn a_decided_result_is_completed_by_whoever_reads_it() {
    let place = place();
    for reader in [
        &["transform", "out", "texts.csv", "-q"][..],
        &["topics", "texts.csv", "-k", "4", "-o", "out", "-q"],
        &["rank", "x.csv", "--max", "2", "-o", "out", "-q"],
    ] {
        let _ = std::fs::remove_dir_all(place.path("out"));
        place.done(&["topics", "texts.csv", "-k", "3", "-o", "out"]);
        place.write("unlabelled.txt", place.text("texts.csv").replace(',', " "));
        place.done(&["topics", "unlabelled.txt", "-k", "4", "-o", "new"]);
        let new = content(&place.path("new"));
        std::fs::rename(place.path("new"), place.path("out/.xray-decided")).expect("moved");
        place.write("out/topics.csv", place.bytes("out/.xray-decided/topics.csv"));
        std::fs::remove_file(place.path("out/.xray-decided/topics.csv")).expect("moved");
        place.write("out/.xray-new-1-1/model.npz", "half");
        place.done(reader);
        if reader[0] == "transform" {
            // Unfinished ones are removed by whoever locks the folder.
            assert_eq!(content(&place.path("out")), new);
        }
        assert!(!place.path("out/.xray-decided").exists());
        assert!(!place.path("out/.xray-new-1-1").exists());
        let labelled = place.path("out/contingency.csv").exists();
        assert_eq!(labelled, reader[0] == "topics", "{reader:?}");
    }
}

#[test]
fn default_folders_are_named_after_all_of_the_name() {
    let place = place();
    place.write("docword.kos.txt", "3\n3\n4\n1 1 2\n1 2 1\n2 2 3\n3 3 1\n");
    place.write("docword.ap.txt", "3\n3\n4\n1 1 2\n1 3 1\n2 2 3\n3 3 1\n");
    place.write("b/texts.csv", articles_csv(50));
    let topics = |data: &[&str]| place.xray(&[&["topics"], data, &["-k", "2", "--quiet"]].concat());
    for (data, folder) in [
        (&["docword.kos.txt"][..], "docword.kos-topics"),
        (&["docword.ap.txt"], "docword.ap-topics"),
        (&["texts.csv"], "texts-topics"),
        (&["docword.kos.txt", "docword.ap.txt"], "docword.kos-and-1-more-topics"),
    ] {
        let run = topics(data);
        assert_eq!(run.status, Some(0), "{}", run.stderr);
        assert!(place.path(folder).join("model.npz").exists(), "{folder}");
    }
    // The same again, and another file of the same name.
    assert_eq!(topics(&["./texts.csv"]).status, Some(0));
    let before = content(&place.path("texts-topics"));
    topics(&["b/texts.csv"]).assert_error(2, &["texts-topics", "another input", "with -o"]);
    assert_eq!(content(&place.path("texts-topics")), before);
    place.done(&["topics", "b/texts.csv", "-k", "2", "-o", "texts-topics"]);
    // A folder that is only a point has a name, and its results are no data.
    place.write("corpus/part.csv", articles_csv(40));
    for _ in 0..2 {
        let mut command = place.command(&["topics", ".", "-k", "2", "--quiet"]);
        let run = command.current_dir(place.path("corpus")).output().expect("the program starts");
        assert!(run.status.success(), "{run:?}");
    }
    let expected = 1 + 40;
    assert_eq!(place.text("corpus/corpus-topics/documents.csv").lines().count(), expected);
}

#[test]
fn conversions_are_checked_before_anything_is_read() {
    let place = place();
    let convert = |out: &str| place.xray(&["convert", "none.csv", out]);
    convert("x.docx").assert_error(2, &["x.docx", "end it in one of"]);
    convert("missing/x.npz").assert_error(1, &["missing/x.npz", "check the name and the folder"]);
    place.write("full/x", "x");
    convert("full").assert_error(1, &["full"]);
    place.xray(&["synth", "missing/x.npz"]).assert_error(1, &["missing/x.npz"]);
    place.xray(&["synth", "x.docx"]).assert_error(2, &["x.docx"]);
}

#[cfg(unix)]
#[test]
fn names_need_not_be_utf_8() {
    use std::os::unix::ffi::OsStrExt;
    let place = place();
    let name = std::ffi::OsStr::from_bytes(b"caf\xe9.npy");
    let run = place.command(&["convert", "x.csv"]).arg(name).output().expect("the program starts");
    assert!(run.status.success(), "{run:?}");
    assert!(place.root().join(name).exists());
}

#[cfg(unix)]
#[test]
fn a_pipe_whose_reader_is_gone_is_an_error() {
    let place = place();
    place.write("long.csv", "1,2,3\n".repeat(100_000));
    let line =
        "mkfifo p.csv && (head -c 5 p.csv > /dev/null &) && \"$XRAY\" convert long.csv p.csv";
    place.shell(line).assert_error(1, &["p.csv", "Broken pipe"]);
    let line = "mkfifo q.csv && (cat q.csv > copy.csv &) && \"$XRAY\" convert long.csv q.csv -q";
    assert_eq!(place.shell(line).status, Some(0));
    // Whoever reads standard output may have seen enough.
    let line = "\"$XRAY\" factorize x.csv -r 2 -o m.npz -q && \"$XRAY\" transform m.npz long.csv -q | head -1";
    place.write(
        "long.csv",
        "red,green,blue,grey\n1,0,2,1\n".to_owned() + &"1,0,0,1\n".repeat(90_000),
    );
    let run = place.shell(line);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""));
}
