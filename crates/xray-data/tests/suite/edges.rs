//! What is rare but must not go wrong in silence: names that look like numbers, matrices without entries, whole
//! numbers that no f64 holds, and compression that others write.

use std::io::Write;

use xray_data::{Input, LoadOptions, Loaded, Table, load, save};
use xray_nmf::{DenseMatrix, SparseMatrix};

fn strings(names: &[&str]) -> Option<Vec<String>> {
    Some(names.iter().map(|&name| name.to_owned()).collect())
}

fn loaded(name: &str, bytes: &[u8]) -> Result<Loaded, String> {
    let input = Input::Bytes { name: name.into(), bytes: bytes.to_vec() };
    load(&input, &LoadOptions::default()).map_err(|error| error.to_string())
}

#[test]
fn names_that_are_numbers_come_back() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let matrix = || DenseMatrix::from_row_major(2, 4, vec![1.0; 8]).expect("2 x 4").into();
    let tables = [
        Table { column_names: strings(&["2", "1", "0", ""]), ..Table::new(matrix()) },
        Table { column_names: strings(&["2", "1", "0", "7"]), ..Table::new(matrix()) },
        Table {
            column_names: strings(&["a", "1", "2", "3"]),
            row_names: strings(&["x", "y"]),
            ..Table::new(matrix())
        },
    ];
    for (k, table) in tables.iter().enumerate() {
        for ending in ["csv", "tsv", "txt"].into_iter().filter(|ending| *ending != "txt" || k == 2)
        {
            let path = folder.path().join(format!("{k}.{ending}"));
            let format = (ending == "txt").then(|| crate::named("spaced"));
            save(table, &path, format).expect("written");
            let options = LoadOptions { format, ..LoadOptions::default() };
            let again = load(&path.into(), &options).expect("readable").into_table();
            let again = again.expect("numbers");
            assert_eq!(again.column_names, table.column_names, "{k}.{ending}");
            assert_eq!((again.matrix.n_rows(), again.matrix.n_columns()), (2, 4), "{k}.{ending}");
        }
    }
}

#[test]
fn words_of_somebody_else_are_not_replaced() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (path, words) = (folder.path().join("docword.dw.txt"), folder.path().join("vocab.dw.txt"));
    let matrix = || DenseMatrix::from_row_major(1, 2, vec![1.0, 2.0]).expect("1 x 2").into();
    let table = Table { column_names: strings(&["a", "b"]), ..Table::new(matrix()) };
    std::fs::write(&words, "my own\n").expect("written");
    let message = save(&table, &path, None).unwrap_err().to_string();
    assert!(message.contains("vocab.dw.txt") && message.contains("another name"), "{message}");
    assert_eq!(std::fs::read_to_string(&words).expect("there"), "my own\n");
    assert!(!path.exists());
    // Without words none are replaced; and those beside a file of this name are its own.
    save(&Table::new(matrix()), &path, None).expect("written");
    save(&table, &path, None).expect("written");
    assert_eq!(std::fs::read_to_string(&words).expect("there"), "a\nb\n");
}

#[test]
fn empty_columns_at_the_end_are_kept_in_svmlight() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("x.svm");
    let empty = SparseMatrix::from_triplets(3, 5, []).expect("in range");
    let zero = DenseMatrix::from_row_major(2, 3, vec![0.0; 6]).expect("2 x 3");
    let ends = vec![1.0, 2.0, 0.0, 3.0, 4.0, 0.0];
    let ends = DenseMatrix::from_row_major(2, 3, ends).expect("2 x 3");
    for (table, sum) in [
        (Table::new(empty.into()), 0.0),
        (Table::new(zero.into()), 0.0),
        (Table::new(ends.into()), 10.0),
    ] {
        let shape = (table.matrix.n_rows(), table.matrix.n_columns());
        save(&table, &path, None).expect("written");
        let again = load(&path.clone().into(), &LoadOptions::default()).expect("readable");
        let again = again.into_table().expect("numbers").matrix;
        assert_eq!((again.n_rows(), again.n_columns()), shape);
        let mut all = 0.0;
        (0..shape.0).for_each(|d| again.for_each_in_row(d, |_, v| all += v));
        assert_eq!(all, sum);
    }
}

/// A .npy file of one row of whole numbers.
fn whole_numbers(kind: &str, values: &[u64]) -> Vec<u8> {
    let mut header =
        format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': (1, {}), }}", values.len());
    header += &" ".repeat((64 - (11 + header.len()) % 64) % 64);
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend_from_slice(&(header.len() as u16).to_le_bytes());
    bytes.extend_from_slice(header.as_bytes());
    values.iter().for_each(|value| bytes.extend_from_slice(&value.to_le_bytes()));
    bytes
}

/// A MATLAB file with one whole number: of 64 bits, with a sign (14, 12) or without one (15, 13).
fn matlab_whole_number([class, kind]: [u32; 2], value: u64) -> Vec<u8> {
    let mut bytes = vec![b' '; 124];
    bytes[..10].copy_from_slice(b"MATLAB 5.0");
    bytes.extend_from_slice(&[0, 1, b'I', b'M']);
    for word in [14, 56, 6, 8, class, 0, 5, 8, 1, 1, 0x0001_0001, u32::from(b'x'), kind, 8] {
        bytes.extend_from_slice(&word.to_le_bytes());
    }
    bytes.extend_from_slice(&value.to_le_bytes());
    bytes
}

#[test]
fn whole_numbers_are_not_rounded_in_silence() {
    let largest = (1_u64 << 53) - 1;
    for kind in [[14, 12], [15, 13]] {
        assert!(loaded("x.mat", &matlab_whole_number(kind, largest)).is_ok());
        let bytes = matlab_whole_number(kind, largest + 2);
        let message = loaded("x.mat", &bytes).map(|_| ()).unwrap_err();
        assert!(message.contains("rounded") && message.contains("2^53"), "{message}");
    }
    for kind in ["<i8", "<u8"] {
        assert!(loaded("x.npy", &whole_numbers(kind, &[3, largest])).is_ok());
        let message =
            loaded("x.npy", &whole_numbers(kind, &[3, largest + 2])).map(|_| ()).unwrap_err();
        assert!(message.contains("rounded") && message.contains("2^53"), "{message}");
    }
}

#[test]
fn archives_that_cannot_be_read_say_why() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("x.npz");
    let matrix = DenseMatrix::from_row_major(2, 2, vec![1.0; 4]).expect("2 x 2");
    save(&Table::new(matrix.into()), &path, None).expect("written");
    let mut bytes = std::fs::read(&path).expect("written");
    // The method of compression, before and after the content: 12 is bzip2.
    for (signature, offset) in [(b"PK\x03\x04", 8), (b"PK\x01\x02", 10)] {
        let places: Vec<usize> =
            (0..bytes.len() - 4).filter(|&k| bytes[k..k + 4] == signature[..]).collect();
        assert!(!places.is_empty());
        places.iter().for_each(|&k| bytes[k + offset] = 12);
    }
    let message = loaded("x.npz", &bytes).map(|_| ()).unwrap_err();
    assert!(message.contains("savez_compressed"), "{message}");
    let nothing = b"PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
    let message = loaded("x.xlsx", nothing).map(|_| ()).unwrap_err();
    assert!(message.contains("without arrays") && message.contains("CSV"), "{message}");
}

#[test]
fn gzip_may_be_padded_and_zstandard_may_want_too_much() {
    let packed = |text: &str| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(text.as_bytes()).expect("in memory");
        encoder.finish().expect("in memory")
    };
    let mut bytes = packed("1,2\n");
    bytes.extend([0; 700]);
    bytes.extend(packed("3,4\n"));
    bytes.extend(vec![0; 200_000]);
    let table = loaded("x.csv.gz", &bytes).expect("padded").into_table().expect("numbers");
    assert_eq!((table.matrix.n_rows(), table.matrix.n_columns()), (2, 2));
    bytes.push(b'x');
    assert!(loaded("x.csv.gz", &bytes).is_err(), "what follows must be gzip");
    // A frame with a window of 2^41 bytes and one raw block.
    let frame = [0x28, 0xb5, 0x2f, 0xfd, 0x00, 31 << 3, 9, 0, 0, b'1'];
    let message = loaded("x.csv.zst", &frame).map(|_| ()).unwrap_err();
    assert!(message.contains("--long=31"), "{message}");
}
