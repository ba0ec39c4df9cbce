//! `xray factorize`, `transform`, `rank`, `synth` and `convert`: numbers in, the same numbers out.

mod support;

use std::collections::BTreeSet;

use serde_json::Value;
use support::{Draw, Place, articles_csv, records};

fn numbers(value: &Value) -> Vec<usize> {
    value
        .as_array()
        .expect("a list")
        .iter()
        .map(|n| n.as_u64().expect("a number") as usize)
        .collect()
}

/// A matrix with known anchors in `x.npy`, and the anchors.
fn planted(place: &Place, more: &[&str]) -> BTreeSet<usize> {
    let base = ["synth", "x.npy", "--rows", "60", "--rank", "6", "--columns", "80", "--json"];
    let json = place.done(&[&base[..], more].concat()).json();
    numbers(&json["anchors"]).into_iter().collect()
}

/// Counts of 30 words in 50 documents about 3 subjects, without names.
fn counts() -> String {
    let mut draw = Draw(3);
    let mut entries = Vec::new();
    for d in 0..50 {
        for j in 0..30 {
            if j % 3 == d % 3 && draw.below(10) < 7 {
                entries.push(format!("{} {} {}\n", d + 1, j + 1, 1 + draw.below(5)));
            }
        }
    }
    let n = entries.len();
    format!("%%MatrixMarket matrix coordinate integer general\n50 30 {n}\n{}", entries.concat())
}

#[test]
fn json_has_the_keys_of_the_contract() {
    let place = Place::new();
    let anchors = planted(&place, &["--seed", "4"]);
    let run = place.done(&["factorize", "x.npy", "-r", "6", "--json"]);
    let json = run.json();
    let found: BTreeSet<usize> = numbers(&json["anchors"]).into_iter().collect();
    assert_eq!(found, anchors);
    for key in ["anchors", "anchor_names", "residual_norm", "margin", "evaluations"] {
        assert_eq!(json[key].as_array().unwrap_or_else(|| panic!("{key}")).len(), 6, "{key}");
    }
    assert!(json["termination"].is_string());
    assert!(json["kkt_violation"].as_f64().expect("a number") <= 1e-9);
    assert!(json["seconds"]["total"].as_f64().expect("seconds") > 0.0);
    assert!(json["peak_memory_bytes"].is_u64() || !cfg!(target_os = "linux"));
    let residuals: Vec<f64> = json["residual_norm"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|v| v.as_f64().expect("v"))
        .collect();
    assert!(
        residuals.windows(2).all(|pair| pair[1] <= pair[0]) && residuals[5] < 1e-6,
        "{residuals:?}"
    );
    // Nothing is written unless asked for.
    assert_eq!(std::fs::read_dir(place.root()).expect("a folder").count(), 1);
}

#[test]
fn every_rule_engine_and_solver_works() {
    let place = Place::new();
    planted(&place, &["--noise", "0.02", "--clip"]);
    for selection in xray_nmf::Selection::ALL.map(|rule| rule.name()) {
        for solver in ["active-set", "coordinate-descent", "cd"] {
            let anchors = ["lazy", "direct"].map(|engine| {
                let base = ["factorize", "x.npy", "-r", "5", "--json", "--selection", selection];
                let run =
                    place.done(&[&base[..], &["--engine", engine, "--solver", solver]].concat());
                numbers(&run.json()["anchors"])
            });
            assert_eq!(anchors[0].len(), 5, "{selection} {solver}");
            if solver == "active-set" {
                assert_eq!(anchors[0], anchors[1], "{selection}");
            }
        }
    }
    for more in [
        &["--mean-ray"][..],
        &["--normalize", "l1"],
        &["--normalize", "l2"],
        &["--tolerance", "0.1"],
        &["--min-improvement", "0.05"],
        &["--memory", "100M"],
        &["--refine", "3"],
        &["--refine", "3", "--refine-method", "hals"],
        &["--refine", "3", "--refine-method", "kullback-leibler"],
    ] {
        place.done(&[&["factorize", "x.npy", "-r", "5", "--json"], more].concat());
    }
}

#[test]
fn the_rule_is_chosen_by_the_data_and_told() {
    let place = Place::new();
    place.write("sparse.mtx", counts());
    place.write("dense.csv", "a,b,c\n1,2,3\n4,5,6\n");
    for (file, rule, kind) in [("sparse.mtx", "greedy", "sparse"), ("dense.csv", "max", "dense")] {
        let run = place.done(&["factorize", file, "-r", "2", "--json"]);
        assert_eq!(run.json()["parameters"]["selection"], rule);
        assert!(run.stderr.contains(&format!("rule {rule}: the data is {kind}")), "{}", run.stderr);
        let run = place.done(&["factorize", file, "-r", "2", "--json", "--selection", "dist"]);
        assert!(!run.stderr.contains("rule "), "{}", run.stderr);
    }
}

#[test]
fn transposed_files_give_the_same() {
    let place = Place::new();
    let anchors = planted(&place, &[]);
    place.done(&["convert", "x.npy", "t.npz", "--transpose"]);
    let base = ["factorize", "t.npz", "--transpose", "-r", "6", "--json"];
    let json = place.done(&[&base[..], &["--selection", "max"]].concat()).json();
    assert_eq!(numbers(&json["anchors"]).into_iter().collect::<BTreeSet<_>>(), anchors);
    assert_eq!((&json["rows"], &json["columns"]), (&60.into(), &80.into()));
}

#[test]
fn columns_are_chosen_by_name_or_position() {
    let place = Place::new();
    place.write("x.csv", "red,green,blue,grey\n1,0,0,1\n0,2,0,2\n0,0,3,1\n1,1,1,1\n");
    let names = |more: &[&str]| {
        let json =
            place.done(&[&["factorize", "x.csv", "-r", "3", "--json"], more].concat()).json();
        let names = json["anchor_names"].as_array().expect("names").iter();
        names.map(|name| name.as_str().expect("a name").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names(&["--fixed", "grey,red"])[..2], ["grey", "red"]);
    assert_eq!(names(&["--fixed", "2"])[0], "blue");
    assert!(!names(&["--excluded", "green"]).contains(&"green".to_owned()));
    let mut only = names(&["--candidates", "red,3"]);
    only.sort();
    assert_eq!(only, ["grey", "red"]);
    let with = |more: &[&str]| place.xray(&[&["factorize", "x.csv", "-r", "2"], more].concat());
    with(&["--fixed", "pink"]).assert_error(2, &["pink"]);
    with(&["--fixed", "9"]).assert_error(2, &["9", "there are 4"]);
    place.write("y.csv", "1,2\n3,4\n");
    let run = place.xray(&["factorize", "y.csv", "-r", "1", "--fixed", "red"]);
    run.assert_error(2, &["red", "--terms"]);
}

#[test]
fn the_model_is_written_and_new_columns_are_weighed() {
    let place = Place::new();
    planted(&place, &[]);
    place.done(&["factorize", "x.npy", "-r", "6", "-o", "out"]);
    let csv = place.text("out/anchors.csv");
    let steps = records(&csv);
    assert_eq!(steps.len(), 7);
    place.done(&["factorize", "x.npy", "-r", "6", "-o", "only.npz", "--refine", "2"]);
    assert!(place.path("only.npz").is_file());
    place.done(&["transform", "out/model.npz", "x.npy", "--columns", "-o", "h.csv"]);
    let csv = place.text("h.csv");
    let weights = records(&csv);
    assert_eq!(weights.len(), 81);
    // Every anchor is itself.
    for (k, step) in steps[1..].iter().enumerate() {
        let column: usize = step[1].parse().expect("a position");
        for (t, weight) in weights[1 + column][3..].iter().enumerate() {
            let weight: f64 = weight.parse().expect("a number");
            assert!((weight - f64::from(u8::from(t == k))).abs() < 1e-9, "{k} {t} {weight}");
        }
    }
    for file in ["w.npy", "w.npz", "w.mtx", "w.tsv"] {
        place.done(&["transform", "only.npz", "x.npy", "-o", file]);
        assert!(place.path(file).is_file(), "{file}");
    }
    place.done(&["synth", "small.npy", "--rows", "9", "--rank", "2"]);
    let run = place.xray(&["transform", "out/model.npz", "small.npy"]);
    run.assert_error(1, &["small.npy", "expected 80"]);
    place.write("texts.txt", "red green\nblue red\n");
    let run = place.xray(&["transform", "out/model.npz", "texts.txt"]);
    run.assert_error(2, &["out/model.npz", "texts"]);
}

#[test]
fn training_documents_get_the_weights_of_the_fit() {
    let place = Place::new();
    place.write("articles.csv", articles_csv(90) + "doc90,,\ndoc91,space,unheard\n");
    place.write("counts.mtx", counts());
    place.write("words.mtx", counts());
    place.write("words.txt", (0..30).map(|j| format!("word{j}\n")).collect::<String>());
    for (data, more) in
        [("articles.csv", &[][..]), ("counts.mtx", &[]), ("words.mtx", &["--terms", "words.txt"])]
    {
        let fit = ["topics", data, "-k", "3", "-o", "out", "--threads", "2"];
        place.done(&[&fit[..], more].concat());
        let documents = place.text("out/documents.csv");
        let transform = ["transform", "out/model.npz", data, "--threads", "1"];
        let run = place.done(&[&transform[..], more].concat());
        assert!(run.stdout == documents, "{data}");
        let to_file = [&transform[..], more, &["-o", "again.csv"]].concat();
        assert_eq!(place.done(&to_file).stdout, "");
        assert!(place.text("again.csv") == documents, "{data}");
    }
    let ids = ["transform", "out/model.npz", "words.mtx", "--terms", "words.txt", "--json"];
    let json = place.done(&ids).json();
    assert_eq!(json["weights"].as_array().expect("rows").len(), 50);
}

/// An archive with one array of bytes that is not compressed.
fn npz_of(name: &str, content: &[u8]) -> Vec<u8> {
    let header =
        format!("{{'descr': '|u1', 'fortran_order': False, 'shape': ({},), }}\n", content.len());
    let length = (header.len() as u16).to_le_bytes();
    let array = [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), content].concat();
    let name = format!("{name}.npy").into_bytes();
    let size = (array.len() as u32).to_le_bytes();
    let name_length = (name.len() as u16).to_le_bytes();
    let common = [
        &[20, 0, 0, 0, 0, 0, 0, 0, 0x21, 0][..],
        &crc32(&array).to_le_bytes(),
        &size,
        &size,
        &name_length,
        &[0, 0],
    ]
    .concat();
    let local = [b"PK\x03\x04", &common[..], &name, &array].concat();
    let directory = [b"PK\x01\x02\x14\x00", &common[..], &[0; 14], &name].concat();
    let numbers = [directory.len() as u32, local.len() as u32].map(u32::to_le_bytes).concat();
    let end = [b"PK\x05\x06\x00\x00\x00\x00\x01\x00\x01\x00", &numbers[..], &[0, 0]].concat();
    [local, directory, end].concat()
}

fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| (crc >> 1) ^ (0xEDB8_8320 * (crc & 1)))
    })
}

#[test]
fn models_of_newer_versions_are_refused() {
    let place = Place::new();
    place.write("x.csv", "1,2\n3,4\n");
    let metadata = br#"{"format": "xray-nmf model", "format_version": 99, "new": true}"#;
    place.write("model.npz", npz_of("metadata", metadata));
    let run = place.xray(&["transform", "model.npz", "x.csv"]);
    run.assert_error(1, &["model.npz", "99", "newer version of xray"]);
    place.write("other.npz", npz_of("other", b"something"));
    place
        .xray(&["transform", "other.npz", "x.csv"])
        .assert_error(1, &["other.npz", "a model of xray"]);
}

#[test]
fn rank_draws_the_curves_and_suggests_near_the_truth() {
    let place = Place::new();
    planted(&place, &["--noise", "0.005", "--clip"]);
    let run = place.done(&["rank", "x.npy", "--max", "30", "-o", "out", "--json"]);
    let json = run.json();
    let suggested = json["suggested_rank"].as_u64().expect("a rank");
    assert_eq!(suggested, 6);
    assert_eq!(json["ranks"].as_array().expect("ranks").len(), 30);
    assert_eq!(records(&place.text("out/rank.csv")).len(), 31);
    assert!(place.text("out/rank.svg").starts_with("<svg"));
    assert!(place.bytes("out/rank.png").starts_with(b"\x89PNG\r\n"));
    let table = place.done(&["rank", "x.npy", "--max", "30"]).stdout;
    assert!(table.contains("<- suggested") && table.contains("suggested rank: "), "{table}");
    place.write("articles.csv", articles_csv(80));
    let json = place.done(&["rank", "articles.csv", "--max", "8", "--json"]).json();
    assert!(json["ranks"][3]["npmi"].is_number(), "{json}");
}

#[test]
fn every_design_of_synth_is_drawn_twice_the_same() {
    let place = Place::new();
    for design in [
        "dirichlet",
        "middle-points",
        "ill-conditioned",
        "ill-conditioned-middle-points",
        "scaled-columns",
        "rank-deficient",
    ] {
        for file in ["a.npy", "b.npy"] {
            place.done(&[
                "synth", file, "--rank", "5", "--rows", "30", "--design", design, "--seed", "2",
            ]);
        }
        assert!(place.bytes("a.npy") == place.bytes("b.npy"), "{design}");
    }
    let run = place.done(&["synth", "c.npz", "--corpus", "rcv1", "--scale", "0.001"]);
    assert!(run.stderr.contains("c.npz"), "{}", run.stderr);
    place
        .xray(&["synth", "c.npz", "--corpus", "rcv1", "--scale", "11"])
        .assert_error(2, &["scale = 11", "at most 10"]);
}

#[test]
fn conversion_keeps_every_bit() {
    let place = Place::new();
    let entries = "1 1 0.1\n1 4 0.3333333333333333\n2 2 1e-300\n3 1 123456789.12345679\n\
                   3 5 5e-324\n4 3 7\n4 5 2.2250738585072014e-308\n";
    place
        .write("x.mtx", format!("%%MatrixMarket matrix coordinate real general\n4 5 7\n{entries}"));
    place.done(&["convert", "x.mtx", "first.mtx"]);
    let way = [
        "x.mtx",
        "a.npz",
        "b.csv",
        "c.svm",
        "d.mat",
        "e.mtx.gz",
        "f.tsv.zst",
        "g.npz",
        "h.svm",
        "last.mtx",
    ];
    for pair in way.windows(2) {
        place.done(&["convert", pair[0], pair[1]]);
    }
    assert_eq!(place.text("last.mtx"), place.text("first.mtx"));
    let entries_of = |text: String| {
        let lines = text.lines().skip_while(|line| line.starts_with('%')).skip(1);
        lines.map(str::to_owned).collect::<BTreeSet<String>>()
    };
    let expected: BTreeSet<String> = entries.lines().map(str::to_owned).collect();
    let bits = |lines: &BTreeSet<String>| {
        let bits = |line: &String| {
            let fields: Vec<&str> = line.split(' ').collect();
            let value: f64 = fields[2].parse().expect("a number");
            (fields[0].to_owned(), fields[1].to_owned(), value.to_bits())
        };
        lines.iter().map(bits).collect::<BTreeSet<_>>()
    };
    assert_eq!(bits(&entries_of(place.text("last.mtx"))), bits(&expected));

    // Dense, with names; npy has none.
    planted(&place, &[]);
    place.done(&["convert", "x.npy", "first.npy"]);
    let way = ["x.npy", "a.npz", "b.csv", "c.mat", "d.tsv.gz", "e.mtx", "last.npy"];
    for pair in way.windows(2) {
        place.done(&["convert", pair[0], pair[1]]);
    }
    assert!(place.bytes("last.npy") == place.bytes("first.npy"));

    // Texts stay texts, or become a matrix.
    place.write("articles.csv", articles_csv(30));
    let way = ["articles.csv", "t.jsonl.gz", "t.parquet", "t.tsv", "again.csv"];
    for pair in way.windows(2) {
        place.done(&["convert", pair[0], pair[1]]);
    }
    assert_eq!(place.text("again.csv"), place.text("articles.csv"));
    let json =
        place.done(&["convert", "articles.csv", "m.npz", "--weighting", "counts", "--json"]).json();
    assert_eq!(json["rows"], 30);
    place.xray(&["convert", "x.mtx", "x.docx"]).assert_error(2, &["x.docx"]);
    place.xray(&["convert", "x.mtx", "x.jsonl"]).assert_error(1, &["x.jsonl", "texts"]);
}
