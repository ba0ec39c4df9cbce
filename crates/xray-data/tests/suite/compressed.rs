//! Compressed files, by whatever program they were written: the files in `data` are those of Python's `lzma` and `bz2`.

use std::path::Path;

use xray_data::{Budget, Documents, Error, Input, Limits, LoadOptions, Table, load, save};
use xray_nmf::DenseMatrix;

fn data(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    std::fs::read(folder.join(name)).expect("a file of this repository")
}

fn read(name: &str, bytes: Vec<u8>) -> Result<Documents, Error> {
    let input = Input::Bytes { name: name.to_owned(), bytes };
    load(&input, &LoadOptions::default()).map(|loaded| loaded.into_documents().expect("texts"))
}

/// Two members each; the one of xz has padding between them and two kinds of check.
const FILES: [&str; 2] = ["two.csv.xz", "two.csv.bz2"];

#[test]
fn all_members_are_read_whatever_the_name_says() {
    for file in FILES {
        for name in [file, "two.csv", "two"] {
            let documents = read(name, data(file)).expect("texts");
            assert_eq!(documents.ids, ["1", "2"], "{name}");
            assert_eq!(documents.texts, ["naïve café", "two words"], "{name}");
        }
    }
}

#[test]
fn what_is_cut_off_or_damaged_is_told() {
    for file in FILES {
        let whole = data(file);
        let cut = read(file, whole[..whole.len() - 9].to_vec()).unwrap_err().to_string();
        assert!(cut.starts_with(file) && cut.contains("cut off or damaged"), "{cut}");
        // After those that tell what it is every byte counts: nothing else is read in silence.
        let original = read(file, whole.clone()).expect("texts");
        for place in 10..whole.len() {
            let mut bytes = whole.clone();
            bytes[place] ^= 0x55;
            if let Ok(documents) = read(file, bytes) {
                assert_eq!(documents, original, "{file}: byte {place}");
            }
        }
    }
}

#[test]
fn layers_beyond_two_are_refused() {
    let mut bytes = data("two.csv.bz2");
    for layer in 0..2 {
        let mut packer = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
        std::io::Write::write_all(&mut packer, &bytes).expect("memory");
        bytes = packer.finish().expect("memory");
        let read = read("x", bytes.clone());
        assert_eq!(read.is_ok(), layer == 0, "{layer}");
    }
}

#[test]
fn an_xz_dictionary_must_fit_the_memory() {
    // The byte after the filter's id and size says 4 GiB - 1; the header's checksum is made again.
    let mut bytes = data("lines.txt.xz");
    let header = 12..20;
    assert_eq!(bytes[12..17], [2, 0, 0x21, 1, 0x16], "a block header without sizes");
    bytes[16] = 40;
    let mut crc = flate2::Crc::new();
    crc.update(&bytes[header.clone()]);
    bytes[header.end..header.end + 4].copy_from_slice(&crc.sum().to_le_bytes());
    let input = Input::Bytes { name: "wide.xz".into(), bytes };
    let limits = Limits::within(Budget::new(1 << 30));
    let options = LoadOptions { limits, ..LoadOptions::default() };
    let message = load(&input, &options).unwrap_err().to_string();
    assert!(message.contains("xz dictionary") && message.contains("--memory"), "{message}");
}

#[test]
fn they_are_only_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let matrix = DenseMatrix::from_row_major(1, 1, vec![1.0]).expect("fits");
    for ending in ["xz", "bz2"] {
        let path = folder.path().join(format!("x.csv.{ending}"));
        let message = save(&Table::new(matrix.clone().into()), &path, None).unwrap_err();
        assert!(message.to_string().contains("write .gz or .zst"), "{message}");
        assert!(!path.exists());
    }
}

#[test]
fn words_beside_counts_may_be_compressed_in_another_way() {
    let folder = tempfile::tempdir().expect("a folder");
    let words = folder.path().join("vocab.x.txt.bz2");
    let mut packer = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    std::io::Write::write_all(&mut packer, b"red\nblue\n").expect("memory");
    std::fs::write(words, packer.finish().expect("memory")).expect("written");
    let path = folder.path().join("docword.x.txt");
    std::fs::write(&path, "1\n2\n2\n1 1 3\n1 2 1\n").expect("written");
    let table = load(&path.into(), &LoadOptions::default()).expect("counts").into_table();
    let names = table.expect("numbers").column_names.expect("words");
    assert_eq!(names, ["red", "blue"]);
}
