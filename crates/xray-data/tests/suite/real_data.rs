//! The real data sets in `XRAY_DATA`: every file is recognised and has the published shape.

use std::path::PathBuf;

use xray_data::{ColumnChoice, Documents, LoadOptions, Table, load};

fn data() -> Option<PathBuf> {
    let path = std::env::var_os("XRAY_DATA").map(PathBuf::from).filter(|path| path.is_dir());
    if path.is_none() {
        println!("SKIPPED: XRAY_DATA names no folder");
    }
    path
}

fn table(path: PathBuf, options: &LoadOptions) -> Table {
    load(&path.into(), options).expect("readable").into_table().expect("numbers")
}

fn documents(path: PathBuf, options: &LoadOptions) -> Documents {
    load(&path.into(), options).expect("readable").into_documents().expect("text")
}

fn shape(table: &Table) -> (usize, usize, usize) {
    (table.matrix.n_rows(), table.matrix.n_columns(), table.matrix.n_entries())
}

fn n_classes(labels: &Option<Vec<String>>) -> usize {
    let mut labels = labels.clone().expect("labels");
    labels.sort();
    labels.dedup();
    labels.len()
}

#[test]
fn matrices() {
    let Some(data) = data() else { return };
    let default = LoadOptions::default();
    let kos = table(data.join("kos/docword.kos.txt.gz"), &default);
    assert_eq!(shape(&kos), (3430, 6906, 353_160));
    assert_eq!(kos.column_names.expect("vocab beside it")[0], "aarp");
    let reuters = table(data.join("reuters/Reuters21578.mat"), &default);
    assert_eq!(shape(&reuters), (8293, 18_933, 389_455));
    assert_eq!(n_classes(&reuters.labels), 65);
    let tdt2 = table(data.join("tdt2/TDT2.mat"), &default);
    assert_eq!(shape(&tdt2), (9394, 36_771, 1_224_135));
    assert_eq!(n_classes(&tdt2.labels), 30);
    let samson = table(data.join("samson/samson_1.mat"), &default);
    assert_eq!(shape(&samson), (156, 9025, 156 * 9025));
    let jasper = table(data.join("jasper/jasperRidge2_R198.mat"), &default);
    assert_eq!(shape(&jasper), (198, 10_000, 198 * 10_000));
    let swimmer = table(data.join("swimmer/Swimmer.mat"), &default);
    assert_eq!(shape(&swimmer), (220, 256, 220 * 256));
    let sides = LoadOptions {
        transpose: true,
        column_names: Some(data.join("bbc/bbc.terms")),
        row_names: Some(data.join("bbc/bbc.docs")),
        labels: Some(data.join("bbc/bbc.classes")),
        ..default
    };
    let bbc = table(data.join("bbc/bbc.mtx.gz"), &sides);
    assert_eq!(shape(&bbc), (2225, 9635, 286_774));
    assert_eq!(bbc.column_names.expect("terms")[..2], ["ad", "sale"]);
    assert_eq!(bbc.row_names.expect("documents")[0], "business.001");
    assert_eq!(bbc.labels.as_ref().expect("classes")[0], "business");
    assert_eq!(n_classes(&bbc.labels), 5);
}

#[test]
fn texts() {
    let Some(data) = data() else { return };
    let default = LoadOptions::default();
    let tweets = documents(data.join("tweets/tweets.tsv.gz"), &default);
    assert_eq!(tweets.len(), 124_708);
    let bbc = documents(data.join("bbc/articles.csv.gz"), &default);
    assert_eq!((bbc.len(), n_classes(&bbc.labels)), (2225, 5));
    let topics = LoadOptions { label: Some("topics".into()), ..LoadOptions::default() };
    let reuters = documents(data.join("reuters/reuters21578.jsonl.gz"), &topics);
    assert!(reuters.len() > 19_000 && n_classes(&reuters.labels) > 60);
    let both = LoadOptions {
        text: vec!["title".into(), "abstract".into()],
        label: Some("year".into()),
        id: Some("paper_id".into()),
        ..LoadOptions::default()
    };
    let acl = documents(data.join("acl/papers.tsv.gz"), &both);
    assert_eq!(acl.len(), 110_486);
    assert_eq!(acl.ids[0], "1952.earlymt-1.1");
    let numbered = LoadOptions {
        id: Some(ColumnChoice::Position(0)),
        label: Some(ColumnChoice::Position(1)),
        ..LoadOptions::default()
    };
    let debian = documents(data.join("debian/descriptions.tsv.gz"), &numbered);
    assert_eq!((debian.len(), n_classes(&debian.labels)), (61_089, 58));
    assert!(debian.texts[0].starts_with("Real-time strategy"));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_a_clear_error() {
    use std::io::Write;
    let mut file = xray_data::AtomicFile::create("/dev/full".as_ref()).expect("opens");
    file.write_all(b"some data").expect("buffered");
    let message = file.commit().unwrap_err().to_string();
    assert!(
        message.contains("/dev/full: cannot write") && message.contains("free some space"),
        "{message}"
    );
}
