//! Small files that stand for a lot: all are refused by the budget, and none once that allows them.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use xray_data::{
    Budget, Documents, Error, Input, Limits, LoadOptions, Loaded, Model, ModelKind, Table, load,
    write_documents, write_table,
};
use xray_nmf::{DenseMatrix, SparseMatrix};

use crate::named;

const MEGABYTE: u64 = 1 << 20;

fn gz(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

fn within(bytes: u64) -> LoadOptions {
    let limits = Limits::within(Budget::new(bytes));
    LoadOptions { limits, ..LoadOptions::default() }
}

/// Refused with so many megabytes, read with so many others; the message says what to do.
fn refused_below(name: &str, bytes: Vec<u8>, too_few: u64, enough: u64) -> Loaded {
    let input = Input::Bytes { name: name.to_owned(), bytes };
    let options = within(too_few * MEGABYTE);
    match load(&input, &options) {
        Err(error @ Error::Memory { .. }) => {
            let message = error.to_string();
            assert!(message.starts_with(name) && message.contains("--memory"), "{message}");
        }
        other => panic!("{name}: {:?}", other.map(|_| "was read")),
    }
    assert_eq!(options.limits.loaded_bytes.taken(), 0, "{name}: nothing is held after a refusal");
    load(&input, &within(enough * MEGABYTE)).unwrap_or_else(|error| panic!("{error}"))
}

fn npy(kind: &str, shape: &str, n_bytes: usize) -> Vec<u8> {
    let mut header =
        format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}").into_bytes();
    header.resize(117, b' ');
    header.push(b'\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend_from_slice(&(header.len() as u16).to_le_bytes());
    bytes.extend_from_slice(&header);
    bytes.resize(bytes.len() + n_bytes, 0);
    bytes
}

fn zip(members: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in members {
        archive.start_file(*name, zip::write::SimpleFileOptions::default()).expect("memory");
        archive.write_all(bytes).expect("memory");
    }
    archive.finish().expect("memory").into_inner()
}

#[test]
fn lines_of_one_letter_take_a_hundred_bytes_each() {
    let lines = b"a\n".repeat(100_000);
    refused_below("lines.txt.gz", gz(&lines), 8, 16);
    let mut bzip2 = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    bzip2.write_all(&lines).expect("memory");
    refused_below("lines.txt.bz2", bzip2.finish().expect("memory"), 8, 16);
    // The same lines, by Python, with a dictionary of 8 MB.
    refused_below("lines.txt.xz", include_bytes!("../data/lines.txt.xz").to_vec(), 16, 32);
}

#[test]
fn rows_of_svmlight_without_entries_take_sixty() {
    let rows = [b"0 1:1\n".to_vec(), b"0\n".repeat(200_000)].concat();
    refused_below("rows.svm.gz", gz(&rows), 8, 32);
}

#[test]
fn one_digit_becomes_a_number_of_eight_bytes() {
    let table = [b"a,b\n".to_vec(), b"1,2\n".repeat(500_000)].concat();
    refused_below("table.csv.gz", gz(&table), 7, 16);
    let texts = [b"text\n".to_vec(), b"some words here\n".repeat(60_000)].concat();
    refused_below("texts.csv.gz", gz(&texts), 4, 16);
    let list =
        [b"[".to_vec(), b"{\"text\":\"a\"},\n".repeat(60_000), b"{\"text\":\"b\"}]".to_vec()];
    refused_below("texts.json.gz", gz(&list.concat()), 4, 16);
    refused_below("texts.jsonl.gz", gz(&b"{\"text\":\"a\"}\n".repeat(60_000)), 4, 16);
}

#[test]
fn arrays_are_refused_by_their_headers() {
    let array = npy("|u1", "(1000, 1000)", 1_000_000);
    refused_below("u1.npy.gz", gz(&array), 7, 9);
    // An archive that is not in a file is copied, too.
    refused_below("u1.npz", zip(&[("x.npy", array.clone())]), 7, 12);
    // The content is cut off, which only those see who read it.
    let input = Input::Bytes { name: "cut.npy.gz".into(), bytes: gz(&array[..900_000]) };
    assert!(matches!(load(&input, &within(7 * MEGABYTE)), Err(Error::Memory { .. })));
    assert!(matches!(load(&input, &within(9 * MEGABYTE)), Err(Error::Malformed(_))));
    let zeros = DenseMatrix::from_row_major(1000, 1000, vec![0.0; 1_000_000]).expect("fits");
    let mut mat = Vec::new();
    write_table(&Table::new(zeros.into()), &mut mat, named("mat")).expect("memory");
    refused_below("zeros.mat", mat, 7, 9);
}

#[test]
fn sparse_matrices_are_counted_in_both_forms() {
    let n = 100_000;
    let ones = SparseMatrix::from_triplets(n, 4, (0..n).map(|d| (d, d % 4, 1.0))).expect("fits");
    // 2.4 MB for entries, and the offsets of rows twice while it is read.
    for (format, too_few, enough) in [("npz", 3, 6), ("mtx", 3, 8), ("mat", 3, 8)] {
        let mut bytes = Vec::new();
        write_table(&Table::new(ones.clone().into()), &mut bytes, named(format)).expect("memory");
        let loaded = refused_below(&format!("ones.{format}"), bytes, too_few, enough);
        assert_eq!(loaded.into_table().expect("numbers").matrix.n_entries(), n);
    }
}

#[test]
fn a_declared_number_of_entries_is_refused_before_they_are_read() {
    let text = "%%MatrixMarket matrix coordinate real general\n1000 1000 1000000\n1 1 1\n";
    // Long enough to hold them, for all that is known.
    let bytes = [text.as_bytes(), &b"%\n".repeat(4_000_000)].concat();
    let input = Input::Bytes { name: "declared.mtx.gz".into(), bytes: gz(&bytes) };
    assert!(matches!(load(&input, &within(15 * MEGABYTE)), Err(Error::Memory { .. })));
}

#[test]
fn a_file_with_one_endless_line_is_not_taken_in() {
    let input = Input::Bytes { name: "endless.gz".into(), bytes: gz(&vec![b'a'; 4 << 20]) };
    let message = load(&input, &within(64 * MEGABYTE)).unwrap_err().to_string();
    assert!(message.contains("a line of more than 655360 bytes"), "{message}");
}

#[test]
fn fields_of_long_lines_fit_into_what_the_program_leaves() {
    // Beside a line, the program itself; both have to fit.
    let line_bytes = |megabytes: u64| Limits::within(Budget::new(megabytes * MEGABYTE)).line_bytes;
    for megabytes in [64, 100, 1000] {
        let fields = 56 * line_bytes(megabytes) as u64;
        assert!(fields + xray_data::PROGRAM_BYTES <= megabytes * MEGABYTE, "{megabytes}");
    }
    assert_eq!(line_bytes(1), 1 << 16);
    let commas = [vec![b','; (1 << 19) - 1], b"\n".to_vec()].concat().repeat(2);
    let read = |megabytes: u64| {
        let input = Input::Bytes { name: "commas.csv.gz".into(), bytes: gz(&commas) };
        load(&input, &within(megabytes * MEGABYTE)).map(|_| ()).unwrap_err()
    };
    // Fields are claimed as soon as they are seen, before anything is made of them.
    assert!(matches!(read(64), Error::Memory { .. }));
    assert!(matches!(read(200), Error::Malformed(_)), "empty fields are no numbers");
}

/// Lines that repeat what is this far behind.
fn zstandard(window_log: u32, lines: &[u8]) -> Vec<u8> {
    let mut encoder = zstd::Encoder::new(Vec::new(), 1).expect("memory");
    encoder.window_log(window_log).expect("a window");
    encoder.write_all(lines).expect("memory");
    encoder.finish().expect("memory")
}

#[test]
fn what_is_kept_to_repeat_it_is_claimed() {
    let lines = b"some words\n".repeat(1000);
    for (log, too_few, enough) in [(27, 100, 160), (26, 60, 80), (23, 7, 64)] {
        let name = format!("{log}.txt.zst");
        let read = |megabytes: u64| {
            let input = Input::Bytes { name: name.clone(), bytes: zstandard(log, &lines) };
            let options = within(megabytes * MEGABYTE);
            let read = load(&input, &options).map(|_| ());
            assert_eq!(options.limits.loaded_bytes.taken(), 0, "{name}");
            read
        };
        let message = read(too_few).unwrap_err().to_string();
        assert!(message.starts_with(&name) && message.contains("--memory"), "{message}");
        assert!(message.contains("zstd -d --long=31"), "{message}");
        read(enough).unwrap_or_else(|error| panic!("{error}"));
    }
}

#[test]
fn no_later_part_has_a_larger_window_than_the_first_and_ordinary_ones() {
    let lines = b"some words\n".repeat(1000);
    let two = |log: u32| [zstandard(20, &lines), zstandard(log, &lines)].concat();
    let read = |bytes: Vec<u8>| {
        let input = Input::Bytes { name: "two.txt.zst".into(), bytes };
        load(&input, &within(64 * MEGABYTE)).map(|_| ())
    };
    read(two(23)).unwrap_or_else(|error| panic!("{error}"));
    let message = read(two(26)).unwrap_err().to_string();
    assert!(message.contains("Zstandard window") && message.contains("--memory"), "{message}");
}

#[cfg(feature = "parquet")]
#[test]
fn pages_are_claimed_before_they_are_unpacked() {
    let parquet = |texts: Vec<String>| {
        let ids = (0..texts.len()).map(|k| k.to_string()).collect();
        let documents = Documents { ids, texts, labels: None, times: None };
        let mut bytes = Vec::new();
        write_documents(&documents, &mut bytes, named("parquet")).expect("memory");
        bytes
    };
    // The text has room in 13 MB, but not with its page and the row.
    let one = parquet(vec!["a ".repeat(6 << 19)]);
    assert!(one.len() < 10_000, "{} bytes", one.len());
    refused_below("page.parquet", one, 13, 24);
    // Rows that are long are read in small batches: all at once would be 32 MB besides the texts.
    let text = |k: usize| format!("{k} {}", "a ".repeat(1 << 14));
    let many = parquet((0..1000).map(text).collect());
    let loaded = refused_below("many.parquet", many, 30, 44);
    assert_eq!(loaded.into_documents().expect("texts").texts[999], text(999));
}

#[cfg(feature = "parquet")]
#[test]
fn dictionaries_and_runs_of_parquet_are_counted_as_they_expand() {
    let parquet = |text: String, n: usize| {
        let ids = (0..n).map(|_| String::new()).collect();
        let documents = Documents { ids, texts: vec![text; n], labels: None, times: None };
        let mut bytes = Vec::new();
        write_documents(&documents, &mut bytes, named("parquet")).expect("memory");
        bytes
    };
    let long = parquet("long words ".repeat(1 << 16), 40);
    assert!(long.len() < 2 << 20, "{} bytes", long.len());
    refused_below("dictionary.parquet", long, 20, 64);
    refused_below("rows.parquet", parquet("a".into(), 100_000), 8, 16);
}

#[test]
fn many_files_share_the_budget() {
    let folder = tempfile::tempdir().expect("a folder");
    for k in 0..4 {
        std::fs::write(folder.path().join(format!("{k}.txt")), b"a\n".repeat(20_000))
            .expect("written");
    }
    let inputs = xray_data::Inputs::resolve(&[folder.path().join("?.txt")]).expect("files");
    let read = |megabytes| xray_data::load_inputs(&inputs, &within(megabytes * MEGABYTE));
    assert!(matches!(read(6), Err(Error::Memory { .. })));
    assert!(read(16).is_ok());
}

#[test]
fn side_files_count_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let names = folder.path().join("names.gz");
    std::fs::write(&names, gz(&b"a\n".repeat(100_000))).expect("written");
    let input = Input::Bytes { name: "x.csv".into(), bytes: b"1,2\n3,4\n".to_vec() };
    let options = LoadOptions { row_names: Some(names), ..within(4 * MEGABYTE) };
    assert!(matches!(load(&input, &options), Err(Error::Memory { .. })));
}

#[test]
fn what_is_no_model_is_refused_by_its_first_bytes() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("bomb.gz");
    std::fs::write(&path, gz(&vec![0; 64 << 20])).expect("written");
    let limits = Limits::within(Budget::new(8 * MEGABYTE));
    let message = Model::load_within(&path, &limits).unwrap_err().to_string();
    assert!(message.contains("expected a model of xray"), "{message}");
}

#[test]
fn members_of_a_model_are_counted() {
    let h = DenseMatrix::from_row_major(1, 2, vec![1.0, 2.0]).expect("fits");
    let model = Model::new(ModelKind::Factorize, vec![0], h.into()).to_bytes().expect("fits");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("model.npz");
    let limits = Limits::within(Budget::new(8 * MEGABYTE));
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(model)).expect("an archive");
    let names: Vec<String> =
        archive.file_names().map(|name| name.expect("UTF-8").into_owned()).collect();
    let blown = [
        ("metadata.npy", npy("|u1", "(4000000,)", 4_000_000)),
        ("anchors.npy", npy("<i8", "(4000000,)", 32_000_000)),
        ("h.npy", npy("<f8", "(2, 1000000)", 16_000_000)),
    ];
    for (name, bytes) in blown {
        let member = |own: &String| {
            let mut content = Vec::new();
            let mut file = archive.by_name(own).expect("a member");
            std::io::Read::read_to_end(&mut file, &mut content).expect("read");
            if own == name { bytes.clone() } else { content }
        };
        let contents: Vec<Vec<u8>> = names.iter().map(member).collect();
        let members: Vec<(&str, Vec<u8>)> =
            names.iter().map(String::as_str).zip(contents).collect();
        std::fs::write(&path, zip(&members)).expect("written");
        let error = Model::load_within(&path, &limits).unwrap_err();
        assert!(matches!(error, Error::Memory { .. }), "{name}: {error}");
    }
}
