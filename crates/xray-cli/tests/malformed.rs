//! Malformed input through the program: status 1, one line that names the file, nothing on standard
//! output, nothing written, soon, and within 100 MB.

#![cfg(unix)]

mod support;

use std::time::{Duration, Instant};

use support::{Place, skipped};

/// How the program is run on a file.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Verb {
    Factorize,
    Topics,
    Convert,
}

use Verb::{Convert, Factorize, Topics};

struct Case {
    verb: Verb,
    name: &'static str,
    content: Vec<u8>,
    more: &'static str,
    word: &'static str,
}

/// A file, and a word that the message must have.
fn case(verb: Verb, name: &'static str, content: impl Into<Vec<u8>>, word: &'static str) -> Case {
    Case { verb, name, content: content.into(), more: "", word }
}

fn with(more: &'static str, case: Case) -> Case {
    Case { more, ..case }
}

const MTX: &str = "%%MatrixMarket matrix coordinate real general\n";

fn matrix_market() -> Vec<Case> {
    let mtx = |rest: &str| format!("{MTX}{rest}");
    vec![
        case(Factorize, "empty.mtx", "", "an empty file"),
        case(Factorize, "banner.mtx", "%%MatrixMarket matrix\n1 1 0\n", ":1:"),
        case(Factorize, "complex.mtx", MTX.replace("real", "complex"), "complex"),
        case(Factorize, "sizeless.mtx", MTX, "numbers of rows"),
        case(Factorize, "cut.mtx", mtx("2 2 3\n1 1 1\n2 2"), ":4:"),
        case(Factorize, "few.mtx", mtx("2 2 3\n1 1 1\n2 2 1\n"), "3 declared"),
        case(Topics, "many.mtx", mtx("2 2 1\n1 1 1\n2 2 1\n"), ":4:"),
        case(Convert, "row.mtx", mtx("2 2 1\n3 1 1\n"), "a row between 1 and 2"),
        case(Factorize, "column.mtx", mtx("2 2 1\n1 3 1\n"), "a column between 1 and 2"),
        case(Factorize, "zero.mtx", mtx("2 2 1\n0 1 1\n"), "a row between 1 and 2"),
        case(Factorize, "nan.mtx", mtx("2 2 1\n1 1 nan\n"), "\"nan\""),
        case(Convert, "infinite.mtx", mtx("1 1 1\n1 1 1e999\n"), "finite"),
        case(Factorize, "word.mtx", mtx("2 2 1\n1 1 one\n"), "\"one\""),
        case(Factorize, "minus.mtx", mtx("2 2 2\n1 1 -1\n2 2 1\n"), "-1"),
        case(Topics, "minus_counts.mtx", mtx("2 2 2\n1 1 -1\n2 2 1\n"), "-1"),
        case(Factorize, "huge.mtx", mtx("10 10 1000000000000000000\n1 1 1\n"), ":2:"),
        case(
            Topics,
            "huge_array.mtx",
            MTX.replace("coordinate", "array") + "1000000000 1000000000\n1\n",
            "declares",
        ),
        case(Factorize, "wide.mtx", mtx("10 4000000000 1\n1 1 1\n"), "4000000000"),
        case(Factorize, "tall.mtx", mtx("4294967295 4294967295 1\n1 1 1\n"), "tall.mtx"),
        case(Convert, "bytes.mtx", [MTX.as_bytes(), b"1 1 1\n1 1 \xff\n"].concat(), ":3:"),
    ]
}

fn npy(shape: &str, values: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}\n");
    let length = (header.len() as u16).to_le_bytes();
    [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), values].concat()
}

/// Files that the program wrote, cut in half or with one byte changed.
fn damaged(place: &Place) -> Vec<Case> {
    place.write("x.csv", "1,2,0\n0,4,5\n6,0,7\n8,9,1\n".repeat(50));
    place.write("texts.csv", support::articles_csv(40));
    let made = |from: &str, to: &str| {
        place.done(&["convert", from, to, "--quiet"]);
        place.bytes(to)
    };
    let half = |bytes: Vec<u8>| bytes[..bytes.len() / 2].to_vec();
    let flipped = |mut bytes: Vec<u8>| {
        let middle = bytes.len() / 2;
        bytes[middle] ^= 0x55;
        bytes
    };
    vec![
        case(Factorize, "half.mtx.gz", half(made("x.csv", "whole.mtx.gz")), "again"),
        case(Factorize, "flipped.csv.gz", flipped(made("x.csv", "whole.csv.gz")), "again"),
        case(Convert, "half.csv.zst", half(made("x.csv", "whole.csv.zst")), "again"),
        case(Factorize, "half.npz", half(made("x.csv", "whole.npz")), "zip archive"),
        case(Factorize, "flipped.npz", flipped(made("x.csv", "whole.npz")), "flipped.npz"),
        case(Factorize, "half.npy", half(made("x.csv", "whole.npy")), "again"),
        case(Convert, "half.mat", half(made("x.csv", "whole.mat")), "end of the file"),
        case(Topics, "half.parquet", half(made("texts.csv", "whole.parquet")), "Parquet"),
        case(Topics, "flipped.parquet", flipped(made("texts.csv", "whole.parquet")), "Parquet"),
        case(Topics, "half.jsonl.gz", half(made("texts.csv", "whole.jsonl.gz")), "again"),
    ]
}

fn other_matrices() -> Vec<Case> {
    vec![
        case(Factorize, "huge.npy", npy("(1000000000, 1000000000)", &[0; 8]), "declares"),
        case(Factorize, "overflow.npy", npy("(9999999999999, 9999999999999)", &[]), "values"),
        case(Factorize, "nan.npy", npy("(1, 1)", &f64::NAN.to_le_bytes()), "NaN"),
        case(Factorize, "cube.npy", npy("(1, 1, 1)", &[0; 8]), "two axes"),
        case(Factorize, "minus.npy", npy("(1, 1)", &(-2f64).to_le_bytes()), "-2"),
        case(Factorize, "new.mat", "MATLAB 7.3 MAT-file, Platform: GLNXA64", "HDF5"),
        case(
            Factorize,
            "garbage.mat",
            [b"MATLAB 5.0 MAT-file".to_vec(), vec![0xa5; 900]].concat(),
            "-v7",
        ),
        case(Factorize, "garbage.npz", [b"PK\x03\x04".to_vec(), vec![0xa5; 900]].concat(), "zip"),
        with("--format svmlight", case(Factorize, "word.svm", "one 1:2\n", "a label")),
        case(Factorize, "wide.svm", "1 4000000000:1\n", "4000000000"),
        case(Topics, "docword.huge.txt", "2\n2\n1000000000000000000\n1 1 1\n", "declares"),
        case(Topics, "docword.few.txt", "2\n2\n2\n1 1 1\n", "2 entries"),
        case(Topics, "docword.out.txt", "2\n2\n1\n1 3 1\n", "a word between 1 and 2"),
        with("--variable V", case(Factorize, "variable.npz", npz(), "V")),
    ]
}

/// An archive without any file.
fn npz() -> Vec<u8> {
    [b"PK\x05\x06".to_vec(), vec![0; 18]].concat()
}

fn texts() -> Vec<Case> {
    let texts = "name,body\n1,red green\n2,blue green\n";
    vec![
        case(Topics, "empty.csv", "", "an empty file"),
        case(Topics, "blank.txt", "\n \n\n", "white space"),
        case(Factorize, "ragged.csv", "1,2\n3,4\n5\n7,8\n", ":3:"),
        case(Factorize, "word.csv", "a,b\n1,2\n3,x\n5,6\n7,8\n", "\"x\""),
        case(Factorize, "hole.csv", "a,b\n1,2\n3,\n5,6\n", "an empty field"),
        case(Factorize, "nan.csv", "a,b\n1,2\n3,nan\n5,6\n", "nan"),
        case(Factorize, "words.csv", texts, "expected numbers"),
        case(Topics, "quote.csv", "id,text\n1,\"never closed\n2,more\n", "never closed"),
        case(Topics, "bytes.csv", b"id,text\n1,caf\x81 noir\n2,x\n".to_vec(), "byte 0x81"),
        case(Topics, "bytes.txt", b"fine line here\nna\x81ve text\n".to_vec(), "--encoding"),
        case(Topics, "wide.txt", b"\xff\xfeh\0i".to_vec(), "UTF-16"),
        case(Topics, "stop.txt", "the of and\nof the to\n", "stop.txt"),
        with("--text content", case(Topics, "column.csv", texts, "content")),
        with("--text body --labels kind", case(Topics, "labels.csv", texts, "kind")),
        with("--text body --id key", case(Topics, "key.csv", texts, "key")),
        case(Topics, "cut.jsonl", "{\"text\": \"a\"}\n{\"text\": \"b", ":2:"),
        case(Topics, "fieldless.jsonl", "{\"a\": 1}\n", "a field with text"),
        case(Convert, "deep.jsonl", format!("{{\"text\": {}", "[".repeat(100_000)), "JSON"),
        case(Topics, "tiny.parquet", "PAR1", "Parquet"),
        case(Convert, "archive.xz", b"\xfd7zXZ\0\0".to_vec(), "xz"),
        case(
            Topics,
            "garbage.bin",
            (0..4096u32).map(|k| (k * 37 % 251) as u8).collect::<Vec<u8>>(),
            "binary data",
        ),
        case(Factorize, "garbage.csv", vec![0u8; 5000], "binary data"),
    ]
}

/// Runs the program under a limit of 100 MB on what it may allocate: a run that wants more is ended by
/// its failed allocation, and its status is not 1.
fn run(place: &Place, arguments: &str, limited: bool) -> (support::Run, Duration) {
    let limit = if limited { "ulimit -d 102400; " } else { "" };
    let start = Instant::now();
    let run = place.shell(&format!("{limit}exec \"$XRAY\" {arguments} --threads 2"));
    (run, start.elapsed())
}

fn arguments(verb: Verb, name: &str, more: &str) -> String {
    match verb {
        Factorize => format!("factorize {name} -r 2 -o out {more}"),
        Topics => format!("topics {name} -k 2 -o out {more}"),
        Convert => format!("convert {name} out.npz {more}"),
    }
}

#[test]
fn each_gives_one_line_and_status_1() {
    let place = Place::new();
    let limited = place.shell("ulimit -d 102400").status == Some(0);
    if !limited {
        skipped("the limit on memory, which this shell cannot set");
    }
    place.write("good.csv", "1,2\n3,4\n");
    let (good, _) = run(&place, "factorize good.csv -r 2", limited);
    assert_eq!(good.status, Some(0), "{}", good.stderr);

    let mut cases = damaged(&place);
    cases.extend([matrix_market(), other_matrices(), texts()].into_iter().flatten());
    for verb in [Factorize, Topics, Convert] {
        assert!(cases.iter().filter(|case| case.verb == verb).count() >= 5, "{verb:?}");
    }
    let mut wrong = Vec::new();
    let mut slowest = (Duration::ZERO, "");
    for case in &cases {
        place.write(case.name, &case.content);
        let (run, time) = run(&place, &arguments(case.verb, case.name, case.more), limited);
        slowest = slowest.max((time, case.name));
        let written = place.path("out").exists() || place.path("out.npz").exists();
        let fault = match run.fault_of_error(1, &[case.name, case.word]) {
            Some(fault) => fault,
            None if !run.stdout.is_empty() => "something on standard output".to_owned(),
            None if written => "something was written".to_owned(),
            None if time >= Duration::from_secs(5) => format!("{time:?}"),
            None => continue,
        };
        wrong.push(format!("{:?} {}: {fault}: {run:?}", case.verb, case.name));
        let _ = std::fs::remove_dir_all(place.path("out"));
        let _ = std::fs::remove_file(place.path("out.npz"));
    }
    println!("{} malformed inputs, the slowest {} in {:?}", cases.len(), slowest.1, slowest.0);
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

#[test]
fn folders_missing_and_unreadable_files_are_named() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    place.write("pictures/cat.png", b"\x89PNG\r\n\x1a\n\0");
    place.write("secret.csv", "1,2\n");
    place.write("good.csv", "a,b\n1,2\n3,4\n");
    place.write("terms.txt", "one\ntwo\nthree\n");
    for (line, words) in [
        ("topics pictures -k 2", ["pictures", "a folder without texts"]),
        ("factorize pictures -r 2", ["pictures", "a folder"]),
        ("topics missing.csv -k 2", ["missing.csv", "cannot open"]),
        ("convert missing.npz x.mtx", ["missing.npz", "cannot open"]),
        ("factorize good.csv -r 1 --terms missing.txt", ["missing.txt", "cannot open"]),
        ("factorize good.csv -r 1 --terms terms.txt", ["terms.txt", "expected 2"]),
        ("transform missing.npz good.csv", ["missing.npz", "cannot open"]),
        ("transform good.csv good.csv", ["good.csv", "zip archive"]),
    ] {
        let run = place.shell(&format!("\"$XRAY\" {line}"));
        run.assert_error(1, &words);
        assert_eq!(run.stdout, "");
    }
    let secret = place.path("secret.csv");
    std::fs::set_permissions(&secret, std::fs::Permissions::from_mode(0o000)).expect("changed");
    if let Some(run) = place.as_nobody("\"$XRAY\" factorize secret.csv -r 1") {
        run.assert_error(1, &["secret.csv", "permissions"]);
    }
}
