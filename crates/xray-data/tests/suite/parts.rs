//! Many files read as one: the same documents and tables as from one file, and no guess for each file.

use std::io::Write;
use std::path::PathBuf;

use xray_data::{
    Documents, Inputs, LoadOptions, Loaded, LoadedMatrix, Schema, Table, load, load_inputs,
    read_parts, save, save_documents,
};
use xray_nmf::{Matrix, SparseMatrix};

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder"))
    }

    fn with(parts: &[(&str, &str)]) -> Self {
        let folder = Self::new();
        for (name, content) in parts {
            folder.write(name, content.as_bytes());
        }
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, content: &[u8]) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("has one")).expect("created");
        std::fs::write(path, content).expect("written");
    }

    fn load_with(&self, pattern: &str, options: &LoadOptions) -> xray_data::Result<Loaded> {
        let inputs = Inputs::resolve(&[self.path(pattern)])?;
        load_inputs(&inputs, options).map(|(loaded, _)| loaded)
    }

    fn documents(&self, pattern: &str) -> Documents {
        let loaded = self.load_with(pattern, &LoadOptions::default()).expect("readable");
        loaded.into_documents().expect("texts")
    }

    fn table(&self, pattern: &str) -> Table {
        let loaded = self.load_with(pattern, &LoadOptions::default()).expect("readable");
        loaded.into_table().expect("numbers")
    }

    fn refused(&self, pattern: &str) -> String {
        self.load_with(pattern, &LoadOptions::default()).map(|_| ()).unwrap_err().to_string()
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(bytes).expect("memory");
    gzip.finish().expect("memory")
}

fn rows(table: &Table) -> Vec<Vec<f64>> {
    let row = |d: usize| {
        let mut row = vec![0.0; table.matrix.n_columns()];
        table.matrix.copy_row(d, &mut row);
        row
    };
    (0..table.matrix.n_rows()).map(row).collect()
}

#[test]
fn documents_count_on_as_if_the_files_were_one() {
    let folder = Folder::with(&[
        ("whole.csv", "label,text\na,one two\nb,three four\na,five\nb,six seven\n"),
        ("p-0.csv", "label,text\na,one two\n"),
        ("p-1.csv", "label,text\nb,three four\na,five\n"),
        ("p-2.csv", "label,text\n"),
        ("p-3.csv", ""),
        ("p-4.csv", " \n\n"),
        ("p-6.csv", "label,text\nb,six seven\n"),
        ("whole.jsonl", "{\"text\": \"one\"}\n\n{\"text\": \"two\"}\n{\"text\": \"three\"}\n"),
        ("q-0.jsonl", "{\"text\": \"one\"}\n\n"),
        ("q-1.jsonl", "{\"text\": \"two\"}\n{\"text\": \"three\"}\n"),
        ("whole.txt", "one\n\ntwo words\nthree\n"),
        ("r-0.txt", "one\n\ntwo words\n"),
        ("r-1.txt", "three\n"),
    ]);
    folder.write("p-5.csv.gz", &gzip(b""));
    for (whole, parts, n) in
        [("whole.csv", "p-*.csv*", 4), ("whole.jsonl", "q-*", 3), ("whole.txt", "r-*", 3)]
    {
        let (whole, parts) = (folder.documents(whole), folder.documents(parts));
        assert_eq!(whole, parts);
        let numbers: Vec<String> = (1..=n).map(|number| number.to_string()).collect();
        assert_eq!(parts.ids, numbers);
    }
}

#[test]
fn columns_are_chosen_once() {
    let folder = Folder::with(&[
        (
            "p-0.csv",
            "headline,story\nshort head,a long story about apples and pears and plums and red figs\n",
        ),
        ("p-1.csv", "headline,story\nthis headline is far longer than its own story,apples\n"),
    ]);
    let documents = folder.documents("p-*.csv");
    assert_eq!(
        documents.texts,
        ["a long story about apples and pears and plums and red figs", "apples"]
    );
    // The second part has no header, as `split -l` leaves it; then one has lost its classes.
    folder.write("p-1.csv", b"other head,a story about plums\n");
    let message = folder.refused("p-*.csv");
    assert!(message.contains("p-1.csv") && message.contains("no column \"story\""), "{message}");
    let folder = Folder::with(&[
        ("p-0.csv", "id,label,text\n1,a,one two\n"),
        ("p-1.csv", "id,text\n2,three four\n"),
    ]);
    let message = folder.refused("p-*.csv");
    assert!(message.contains("p-1.csv") && message.contains("no column \"label\""), "{message}");
    // Other columns may be there, and in another order.
    folder.write("p-1.csv", b"text,year,label,id\nthree four,2024,b,2\n");
    let documents = folder.documents("p-*.csv");
    assert_eq!((&documents.ids[1][..], &documents.texts[1][..]), ("2", "three four"));
    let folder = Folder::with(&[
        ("p-0.jsonl", "{\"title\": \"t\", \"text\": \"one\"}\n"),
        ("p-1.jsonl", "{\"title\": \"a title\"}\n"),
    ]);
    let message = folder.refused("p-*.jsonl");
    assert!(message.contains("p-1.jsonl:1") && message.contains("no field \"text\""), "{message}");
}

#[test]
fn a_header_alone_is_no_document() {
    let folder = Folder::with(&[("x.csv", "id,text\n"), ("p-0.csv", "id,text\n"), ("p-1.csv", "")]);
    assert!(folder.refused("x.csv").contains("no documents"), "{}", folder.refused("x.csv"));
    assert!(folder.refused("p-*.csv").contains("no records"), "{}", folder.refused("p-*.csv"));
    folder.write("p-0.csv", b"");
    assert!(folder.refused("p-*.csv").contains("empty files"));
    // Names that are not usual are told from records by being in every file.
    let folder = Folder::with(&[
        ("p-0.csv", "head,body\n"),
        ("p-1.csv", "head,body\na,some words\n"),
        ("p-2.csv", "head,body\n"),
    ]);
    assert_eq!(folder.documents("p-*.csv").texts, ["some words"]);
}

#[test]
fn numbers_are_stacked() {
    let folder = Folder::with(&[
        ("whole.csv", "name,a,b\nx,1,2\ny,3,4\nz,5,6\n"),
        ("p-0.csv", "name,a,b\n"),
        ("p-1.csv", "name,a,b\nx,1,2\ny,3,4\n"),
        ("p-2.csv", "name,a,b\nz,5,6\n"),
    ]);
    let (whole, parts) = (folder.table("whole.csv"), folder.table("p-*.csv"));
    assert_eq!(rows(&whole), rows(&parts));
    assert_eq!((&whole.row_names, &whole.column_names), (&parts.row_names, &parts.column_names));
    folder.write("p-3.csv", b"name,a,c\nz,5,6\n");
    let message = folder.refused("p-*.csv");
    assert!(message.contains("p-3.csv") && message.contains("column \"c\""), "{message}");
    let folder = Folder::with(&[("p-0.csv", "1,2\n3,4\n"), ("p-1.csv", "5,6\n")]);
    assert_eq!(rows(&folder.table("p-*.csv")), [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]);
    folder.write("p-2.csv", b"5,6,7\n");
    let message = folder.refused("p-*.csv");
    assert!(message.contains("p-2.csv") && message.contains("3 fields"), "{message}");
}

#[test]
fn sparse_parts_and_parts_without_rows() {
    let folder = Folder::new();
    let entries = [(0, 1, 0.5), (1, 0, 2.0), (1, 3, 1.0), (3, 2, 4.0)];
    let whole = SparseMatrix::from_triplets(4, 4, entries).expect("in range");
    let part = |rows: std::ops::Range<usize>| {
        let inside = entries.into_iter().filter(|(d, ..)| rows.contains(d));
        let moved = inside.map(|(d, j, v)| (d - rows.start, j, v)).collect::<Vec<_>>();
        let x = SparseMatrix::from_triplets(rows.len(), 4, moved).expect("in range");
        Table::new(x.into())
    };
    for (k, rows) in [0..2, 2..2, 2..4].into_iter().enumerate() {
        for ending in ["npz", "mtx"] {
            save(&part(rows.clone()), &folder.path(&format!("p-{k}.{ending}")), None)
                .expect("written");
        }
    }
    for pattern in ["p-*.npz", "p-*.mtx"] {
        let LoadedMatrix::Sparse(x) = folder.table(pattern).matrix else { panic!("sparse") };
        assert_eq!((x.csr(), x.n_columns()), (whole.csr(), 4), "{pattern}");
    }
    // Column 0 occurs in one of the files only, the last column in the other.
    let folder = Folder::with(&[("p-0.svm", "1 1:1 2:2\n"), ("p-1.svm", "-1 0:3\n")]);
    let table = folder.table("p-*.svm");
    assert_eq!(rows(&table), [[0.0, 1.0, 2.0], [3.0, 0.0, 0.0]]);
    assert_eq!(table.labels, Some(vec!["1".into(), "-1".into()]));
}

#[test]
fn side_files_belong_to_all_rows() {
    let folder = Folder::with(&[
        ("p-0.csv", "a,b\n1,2\n3,4\n"),
        ("p-1.csv", "a,b\n5,6\n"),
        ("classes", "x\ny\nx\n"),
        ("names", "r\ns\nt\n"),
        ("few", "x\ny\n"),
        ("t-0.txt", "one\ntwo\n"),
        ("t-1.txt", "three\n"),
    ]);
    let options = |labels: &str, row_names: Option<&str>| LoadOptions {
        labels: Some(folder.path(labels)),
        row_names: row_names.map(|name| folder.path(name)),
        ..LoadOptions::default()
    };
    let loaded = folder.load_with("p-*.csv", &options("classes", Some("names"))).expect("fits");
    let table = loaded.into_table().expect("numbers");
    assert_eq!(table.labels.as_deref().map(<[String]>::concat).as_deref(), Some("xyx"));
    assert_eq!(table.row_names.as_deref().map(<[String]>::concat).as_deref(), Some("rst"));
    let loaded = folder.load_with("t-*.txt", &options("classes", None)).expect("fits");
    let labels = loaded.into_documents().expect("texts").labels;
    assert_eq!(labels.map(|labels| labels.concat()).as_deref(), Some("xyx"));
    assert!(folder.load_with("p-*.csv", &options("few", None)).is_err());
}

#[test]
fn files_of_other_formats_are_refused() {
    let folder = Folder::with(&[
        ("x/1.csv", "id,text\n1,one two\n"),
        ("x/2.jsonl", "{\"id\": 2, \"text\": \"three\"}\n"),
    ]);
    let message = folder.refused("x");
    assert!(message.contains("2.jsonl") && message.contains("expected csv"), "{message}");
}

#[cfg(feature = "parquet")]
#[test]
fn partitioned_parquet_with_empty_parts() {
    let folder = Folder::new();
    let part = |texts: &[&str]| Documents {
        ids: texts.iter().map(|text| format!("id of {text}")).collect(),
        texts: texts.iter().map(|text| (*text).to_owned()).collect(),
        labels: None,
        times: None,
    };
    let parts: [(&str, &[&str]); 3] = [
        ("set/year=2023/part-0.parquet", &[]),
        ("set/year=2023/part-1.parquet", &["one", "two"]),
        ("set/year=2024/part-0.parquet", &["three"]),
    ];
    for (name, texts) in parts {
        std::fs::create_dir_all(folder.path(name).parent().expect("has one")).expect("created");
        save_documents(&part(texts), &folder.path(name), None).expect("written");
    }
    folder.write("set/_SUCCESS", b"");
    assert_eq!(folder.documents("set"), part(&["one", "two", "three"]));
    assert_eq!(folder.documents("set/**/part-*.parquet"), part(&["one", "two", "three"]));
}

#[test]
fn shares_together_are_the_whole() {
    let folder = Folder::new();
    for k in 0..7 {
        let lines: String = (0..=k * k).map(|line| format!("text {line} of {k}\n")).collect();
        folder.write(&format!("p-{k}.txt"), lines.as_bytes());
    }
    let inputs = Inputs::resolve(&[folder.path("p-*.txt")]).expect("files");
    let options = LoadOptions::default();
    let (whole, origin) = load_inputs(&inputs, &options).expect("readable");
    let whole = whole.into_documents().expect("texts");
    let schema = Schema::decide(&inputs, &options).expect("texts");
    let sent = serde_json::to_string(&schema).expect("small");
    let schema: Schema = serde_json::from_str(&sent).expect("the same");
    for n_shares in [1, 3, 9] {
        let (mut all, mut files) = (Documents::default(), Vec::new());
        for which in 0..n_shares {
            let share = inputs.share(which, n_shares);
            let part = read_parts(&inputs, &schema, &options, share).expect("readable");
            files.extend(part.files);
            if let Some(Loaded::Documents(mut documents)) = part.loaded {
                documents.number_from(all.len() + 1);
                all.ids.extend(documents.ids);
                all.texts.extend(documents.texts);
            }
        }
        assert_eq!(all, whole);
        assert_eq!(files, origin.files);
    }
    let one = load(&folder.path("p-3.txt").into(), &options).expect("readable");
    assert_eq!(one.into_documents().expect("texts").len(), 10);
}
