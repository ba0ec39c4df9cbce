//! Small valid files of all formats.

use std::io::Write;
use std::path::Path;

use xray_data::{Documents, FORMATS, Table, write_documents, write_table};
use xray_nmf::{DenseMatrix, SparseMatrix};

/// Files of this repository that others' programs have written.
const FILES: [(&str, &str); 8] = [
    ("mat", "sparse_True.mat"),
    ("mat", "sparse_False.mat"),
    ("mat", "uint8.mat"),
    ("npz", "coo_packed.npz"),
    ("npz", "csr_plain.npz"),
    ("xlsx", "openpyxl.xlsx"),
    ("parquet", "zstd.parquet"),
    ("parquet", "snappy.parquet"),
];

/// The same in compressions that are only read.
const PACKED: [(&str, &str); 3] =
    [("csv", "two.csv.xz"), ("csv", "two.csv.bz2"), ("lines", "lines.txt.xz")];

const TEXTS: [(&str, &str); 14] = [
    ("docword", "3\n4\n2\n1 2 3\n3 4 1\n"),
    ("svmlight", "+1 qid:3 1:0.5 3:2e-3 # end\n-1 2:1\n"),
    ("jsonl", "{\"id\": 1, \"text\": \"a \\u00e9\", \"label\": [\"x\"]}\n{\"text\": null}\n"),
    ("jsonl", "{\"text\": \"some words\", \"n\": [1.5e3, true, null, {\"a\": \"b\"}]}\n\n"),
    ("json", "[{\"text\": \"a ] \\\"\", \"doc\": {\"id\": 1}}, {\"text\": null}]"),
    ("csv", "id,label,text\n1,a,\"two, \"\"quoted\"\"\"\n2,b,plain\n"),
    ("csv", "a;b;c\r\n1.5;2;3\r\n4;5;6\r\n"),
    ("tsv", "word\tone\ttwo\nrow\t1\t2e3\nnext\t-0.5\t7\n"),
    ("spaced", "# comment\n1 2 3\n4 5 6\n"),
    ("mallet", "d1 pets cats purr\nd2 pets\n"),
    ("lines", "cats purr and sleep\ndogs bark\n\ncats sleep\n"),
    ("mtx", "%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n3\n"),
    ("mtx", "%%MatrixMarket matrix coordinate pattern general\n% note\n3 4 2\n1 2\n3 4\n"),
    ("mtx", "%%MatrixMarket matrix coordinate integer skew-symmetric\n3 3 1\n3 1 -7\n"),
];

/// Names of formats, and files in them.
pub(crate) fn files() -> Vec<(&'static str, Vec<u8>)> {
    let mut found = written();
    found.extend(FILES.into_iter().map(stored));
    found.extend(TEXTS.map(|(format, text)| (format, text.as_bytes().to_vec())));
    found
}

/// Files in compressions that are only read.
pub(crate) fn packed_by_others() -> impl Iterator<Item = (&'static str, Vec<u8>)> {
    PACKED.into_iter().map(stored)
}

fn stored((format, file): (&'static str, &str)) -> (&'static str, Vec<u8>) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../xray-data/tests/data");
    (format, std::fs::read(folder.join(file)).expect("a file of this repository"))
}

/// What our own writers make of two matrices and three texts, in every format that they know.
fn written() -> Vec<(&'static str, Vec<u8>)> {
    let mut found = Vec::new();
    for format in FORMATS {
        for table in tables() {
            let mut bytes = Vec::new();
            if format.writes_tables() && write_table(&table, &mut bytes, format).is_ok() {
                found.push((format.name, bytes));
            }
        }
        let mut bytes = Vec::new();
        if format.writes_documents() && write_documents(&documents(), &mut bytes, format).is_ok() {
            found.push((format.name, bytes));
        }
    }
    found
}

fn tables() -> [Table; 2] {
    let entries = [(0, 1, 0.5), (1, 0, 2.0), (2, 3, 1e-9), (3, 2, 7.0)];
    let sparse = SparseMatrix::from_triplets(4, 4, entries).expect("in range");
    let dense = DenseMatrix::from_row_major(2, 3, vec![1.0, 2.5, 0.0, 4.0, 1e20, 6.0]);
    let names = |n: usize| Some((0..n).map(|k| format!("name {k}")).collect());
    [
        Table { column_names: names(4), ..Table::new(sparse.into()) },
        Table {
            column_names: names(3),
            row_names: names(2),
            ..Table::new(dense.expect("2 x 3").into())
        },
    ]
}

/// Texts of a few words.
pub(crate) fn documents() -> Documents {
    let texts = ["cats purr and cats sleep", "dogs bark, \"dogs\" run", "sleepy cats"];
    Documents {
        ids: ["a", "b", "c"].map(String::from).to_vec(),
        texts: texts.map(String::from).to_vec(),
        labels: Some(["pets", "", "pets"].map(String::from).to_vec()),
        times: None,
    }
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(bytes).expect("memory");
    packer.finish().expect("memory")
}

pub(crate) fn zstandard(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 1).expect("memory")
}
