//! Damaged files: any change of bytes gives an answer or an error, never a panic.

use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use xray_data::{FORMATS, Input, LoadOptions, Table, load, write_table};
use xray_nmf::{DenseMatrix, SparseMatrix};

use crate::named;

fn fixture(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name);
    std::fs::read(path).expect("a file of this repository")
}

/// Small valid files of all formats.
fn seeds() -> Vec<(String, Vec<u8>)> {
    let entries = [(0, 1, 0.5), (1, 0, 2.0), (2, 3, 1e-9), (3, 2, 7.0)];
    let sparse = SparseMatrix::from_triplets(4, 4, entries).expect("in range");
    let dense = DenseMatrix::from_row_major(2, 3, vec![1.0, 2.5, 0.0, 4.0, 1e20, 6.0]);
    let names = |n: usize| Some((0..n).map(|k| format!("name {k}")).collect());
    let sparse = Table { column_names: names(4), ..Table::new(sparse.into()) };
    let dense = Table {
        column_names: names(3),
        row_names: names(2),
        ..Table::new(dense.expect("2 x 3").into())
    };
    let mut seeds = Vec::new();
    let formats = [
        named("mtx"),
        named("npz"),
        named("npy"),
        named("mat"),
        named("svmlight"),
        named("csv"),
        named("tsv"),
    ];
    for format in formats {
        for table in [&sparse, &dense] {
            let mut bytes = Vec::new();
            write_table(table, &mut bytes, format).expect("memory");
            seeds.push((format.name.to_owned(), bytes));
        }
    }
    let mut files =
        vec!["sparse_True.mat", "sparse_False.mat", "uint8.mat", "coo_packed.npz", "csr_plain.npz"];
    if cfg!(feature = "parquet") {
        files.extend(["zstd.parquet", "snappy.parquet"]);
    }
    for name in files {
        seeds.push((name.to_owned(), fixture(name)));
    }
    let texts = [
        ("docword", "3\n4\n2\n1 2 3\n3 4 1\n"),
        ("json", "{\"id\": 1, \"text\": \"a \\u00e9\", \"label\": [\"x\"]}\n{\"text\": null}\n"),
        ("texts", "id,label,text\n1,a,\"two, \"\"quoted\"\"\"\n2,b,plain\n"),
        ("symmetric", "%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n3\n"),
    ];
    seeds.extend(texts.map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec())));
    let mut packed = Vec::new();
    for (name, bytes) in seeds.iter().take(4) {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(bytes).expect("memory");
        packed.push((format!("{name}.gz"), gzip.finish().expect("memory")));
        packed.push((format!("{name}.zst"), zstd::encode_all(&bytes[..], 1).expect("memory")));
    }
    seeds.extend(packed);
    seeds
}

/// Reads bytes in every way that could be asked for.
fn read_all_ways(name: &str, bytes: &[u8]) {
    let input = Input::Bytes { name: name.to_owned(), bytes: bytes.to_vec() };
    for format in std::iter::once(None).chain(FORMATS.map(Some)) {
        for replace_invalid_utf8 in [false, true] {
            let options = LoadOptions { format, replace_invalid_utf8, ..LoadOptions::default() };
            let start = Instant::now();
            let result = load(&input, &options);
            assert!(start.elapsed() < Duration::from_secs(5), "{name} as {format:?}");
            if let Err(error) = result {
                assert!(!error.to_string().is_empty());
            }
        }
    }
    assert!(peak_bytes().is_none_or(|bytes| bytes < 512 << 20), "{name}");
}

/// Peak memory of this process, where the system tells.
fn peak_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kib| kib * 1024)
}

#[derive(Debug, Clone)]
enum Change {
    Set(usize, u8),
    Flip(usize, u8),
    Cut(usize),
    Repeat(usize, usize),
    Remove(usize, usize),
    Number(usize, u64),
}

fn change() -> impl Strategy<Value = Change> {
    let place = any::<prop::sample::Index>().prop_map(|index| index.index(1 << 20));
    prop_oneof![
        (place.clone(), any::<u8>()).prop_map(|(at, byte)| Change::Set(at, byte)),
        (place.clone(), 0u8..8).prop_map(|(at, bit)| Change::Flip(at, bit)),
        place.clone().prop_map(Change::Cut),
        (place.clone(), 1usize..40).prop_map(|(at, n)| Change::Repeat(at, n)),
        (place.clone(), 1usize..40).prop_map(|(at, n)| Change::Remove(at, n)),
        (place, prop::sample::select(vec![0, 1, 0x7fff_ffff, 0xffff_ffff, u64::MAX, 1 << 62, 255]))
            .prop_map(|(at, n)| Change::Number(at, n)),
    ]
}

fn apply(bytes: &mut Vec<u8>, change: &Change) {
    if bytes.is_empty() {
        return;
    }
    let length = bytes.len();
    match *change {
        Change::Set(at, byte) => bytes[at % length] = byte,
        Change::Flip(at, bit) => bytes[at % length] ^= 1 << bit,
        Change::Cut(at) => bytes.truncate(at % length),
        Change::Repeat(at, n) => {
            let start = at % length;
            let part = bytes[start..(start + n).min(length)].to_vec();
            bytes.splice(start..start, part);
        }
        Change::Remove(at, n) => {
            let start = at % length;
            bytes.drain(start..(start + n).min(length));
        }
        Change::Number(at, n) => {
            let start = at % length;
            for (place, byte) in bytes[start..].iter_mut().zip(n.to_le_bytes()) {
                *place = byte;
            }
        }
    }
}

#[test]
fn valid_seeds_are_read() {
    for (name, bytes) in seeds() {
        let input = Input::Bytes { name: name.clone(), bytes };
        if let Err(error) = load(&input, &LoadOptions::default()) {
            panic!("{name}: {error}");
        }
    }
}

#[test]
fn every_cut_is_an_answer_or_an_error() {
    for (name, bytes) in seeds() {
        let step = (bytes.len() / 60).max(1);
        for length in (0..bytes.len()).step_by(step) {
            let input = Input::Bytes { name: name.clone(), bytes: bytes[..length].to_vec() };
            let _ = load(&input, &LoadOptions::default());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn changed_files_never_panic(
        seed in any::<prop::sample::Index>(),
        changes in prop::collection::vec(change(), 1..6),
    ) {
        let seeds = seeds();
        let (name, mut bytes) = seeds[seed.index(seeds.len())].clone();
        for change in &changes {
            apply(&mut bytes, change);
        }
        read_all_ways(&name, &bytes);
    }

    #[test]
    fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        read_all_ways("random", &bytes);
    }

    #[test]
    fn random_text_never_panics(text in "[0-9 .,:;\"\\n\\t%#{}\\[\\]a-zé-]{0,200}") {
        read_all_ways("random.txt", text.as_bytes());
    }

    #[test]
    fn random_bytes_after_a_signature_never_panic(
        start in prop::sample::select(vec![
            &b"%%MatrixMarket matrix coordinate real general\n"[..],
            b"\x93NUMPY\x01\x00\x76\x00{'descr': '<f8', 'fortran_order': False, 'shape': (",
            b"PK\x03\x04",
            b"PAR1",
            b"\x1f\x8b\x08\0\0\0\0\0\0\x03",
            b"\x28\xb5\x2f\xfd",
        ]),
        bytes in prop::collection::vec(any::<u8>(), 0..300),
    ) {
        read_all_ways("random", &[start, &bytes[..]].concat());
    }
}
