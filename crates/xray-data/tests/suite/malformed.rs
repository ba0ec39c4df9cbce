//! Malformed files: each gives one clear error, soon, and without filling the memory.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use xray_data::{Error, Format, Input, LoadOptions, load};

use crate::named;

/// A file (or folder), what to do with it, and words that the message must have.
struct Case {
    name: &'static str,
    content: Vec<u8>,
    format: Option<&'static Format>,
    words: &'static [&'static str],
}

fn case(name: &'static str, content: impl Into<Vec<u8>>, words: &'static [&'static str]) -> Case {
    Case { name, content: content.into(), format: None, words }
}

fn read_as(format: &'static Format, case: Case) -> Case {
    Case { format: Some(format), ..case }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

fn half(bytes: Vec<u8>) -> Vec<u8> {
    bytes[..bytes.len() / 2].to_vec()
}

fn fixture(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name);
    std::fs::read(path).expect("a file of this repository")
}

fn npy(header: &str, values: &[u8]) -> Vec<u8> {
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend_from_slice(&(header.len() as u16).to_le_bytes());
    bytes.extend_from_slice(header.as_bytes());
    bytes.extend_from_slice(values);
    bytes
}

/// A MATLAB file with one variable of the given dimensions and 8 bytes of values.
fn mat(rows: u32, columns: u32) -> Vec<u8> {
    let mut bytes = vec![b' '; 124];
    bytes[..10].copy_from_slice(b"MATLAB 5.0");
    bytes.extend_from_slice(&[0, 1, b'I', b'M']);
    for word in [14, 64, 6, 8, 6, 0, 5, 8, rows, columns, 0x0001_0001, u32::from(b'x'), 9, 8] {
        bytes.extend_from_slice(&word.to_le_bytes());
    }
    bytes.extend_from_slice(&1f64.to_le_bytes());
    bytes
}

fn zip_of(name: &str, content: &[u8]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    zip.start_file(name, zip::write::SimpleFileOptions::default()).expect("memory");
    zip.write_all(content).expect("memory");
    zip.finish().expect("memory").into_inner()
}

const MTX: &str = "%%MatrixMarket matrix coordinate real general\n";
const ARRAY: &str = "%%MatrixMarket matrix array real general\n";

fn matrix_market() -> Vec<Case> {
    let mtx = |rest: &str| format!("{MTX}{rest}");
    vec![
        case("banner.mtx", "%%MatrixMarket matrix coordinate\n1 1 0\n", &[":1:", "one of real"]),
        case("complex.mtx", "%%MatrixMarket matrix coordinate complex general\n", &["complex"]),
        case("sizeless.mtx", mtx("% nothing\n"), &["end of the file", "numbers of rows"]),
        case("cut.mtx", mtx("2 2 3\n1 1 1\n2 2"), &[":4:", "a value"]),
        case("few.mtx", mtx("2 2 3\n1 1 1\n2 2 1\n"), &["entry 3 of the 3 declared"]),
        case("many.mtx", mtx("2 2 1\n1 1 1\n2 2 1\n"), &[":4:", "the end after 1 entries"]),
        case("row.mtx", mtx("2 2 1\n3 1 1\n"), &[":3:1:", "a row between 1 and 2"]),
        case("zero.mtx", mtx("2 2 1\n0 1 1\n"), &[":3:1:", "a row between 1 and 2"]),
        case("nan.mtx", mtx("2 2 1\n1 1 nan\n"), &[":3:5:", "\"nan\"", "finite"]),
        case("word.mtx", mtx("2 2 1\n1 1 one\n"), &[":3:5:", "\"one\"", "a finite number"]),
        case("negative.mtx", mtx("2 2 -1\n"), &["\"-1\"", "a number of entries"]),
        case("huge.mtx", mtx("10 10 1000000000000000000\n1 1 1\n"), &[":2:", "10000000000000000"]),
        case("wide.mtx", mtx("10 4000000000 1\n1 1 1\n"), &["4000000000 columns", "at most"]),
        case("vast.mtx", mtx("99999999999999999999 1 1\n1 1 1\n"), &["a number of rows"]),
        case("oblong.mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 3 0\n", &["2 x 3"]),
        case("huge_array.mtx", format!("{ARRAY}1000000000 1000000000\n1\n"), &["declares"]),
        case("short_array.mtx", format!("{ARRAY}2 2\n1\n2\n3\n"), &["value 4 of 4"]),
        case("bad_utf8.mtx", [MTX.as_bytes(), b"1 1 1\n1 1 \xff\n"].concat(), &[":3:5:"]),
        case("infinite.mtx", mtx("1 1 1\n1 1 1e999\n"), &["\"1e999\"", "finite"]),
        case("large_value.mtx", mtx("1 1 1\n1 1 1e99\n"), &["1e99", "multiply"]),
    ]
}

fn other_matrices() -> Vec<Case> {
    let header =
        |shape: &str| format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}\n");
    vec![
        case("cut.npy", half(npy(&header("(2, 2)"), &[0; 32])), &["an intact file"]),
        case("short.npy", npy(&header("(2, 2)"), &[0; 31]), &["the end of the file"]),
        case("long.npy", npy(&header("(2, 2)"), &[0; 33]), &["bytes after the last value"]),
        case("huge.npy", npy(&header("(1000000000, 1000000000)"), &[0; 8]), &["declares"]),
        case(
            "overflow.npy",
            npy(&header("(9999999999999, 9999999999999)"), &[]),
            &["fewer values"],
        ),
        case("cube.npy", npy(&header("(2, 2, 2)"), &[0; 64]), &["two axes", "reshape"]),
        case("nan.npy", npy(&header("(1, 1)"), &f64::NAN.to_le_bytes()), &["(0, 0)", "NaN"]),
        case(
            "objects.npy",
            npy("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", &[]),
            &["Python objects"],
        ),
        case("cut.npz", half(fixture("csr_plain.npz")), &["zip archive"]),
        case("other.npz", zip_of("readme.txt", b"hello"), &["without arrays"]),
        case("empty.npz", zip_of("x.npy", b""), &["the end of the file"]),
        case("cut.mat", half(fixture("sparse_True.mat")), &["fetch or write it again"]),
        case("cut_plain.mat", half(fixture("sparse_False.mat")), &["fetch or write it again"]),
        case("huge.mat", mat(1_000_000_000, 1_000_000_000), &["numbers of 8 bytes"]),
        case("mismatch.mat", mat(2, 1), &["8 bytes", "2 numbers"]),
        case("new.mat", "MATLAB 7.3 MAT-file, Platform: GLNXA64", &["HDF5", "-v7"]),
        case("label.svm", "x 1:2\n", &[]),
        read_as(named("svmlight"), case("word.svm", "one 1:2\n", &[":1:1:", "a label"])),
        case(
            "order.svm",
            "1 1:1\n1 1:1\n1 1:1\n1 1:1\n1 1:1\n1 3:1 2:1\n",
            &[":6:7:", "ascending"],
        ),
        case("wide.svm", "1 4000000000:1\n", &["4000000000 columns"]),
        case("docword.txt", "2\n2\n1000000000000000000\n1 1 1\n", &[":3:", "declares"]),
        case("docword.few.txt", "2\n2\n2\n1 1 1\n", &["2 entries, of which 1"]),
        case("docword.out.txt", "2\n2\n1\n1 3 1\n", &[":4:3:", "a word between 1 and 2"]),
        case("docword.real.txt", "2\n2\n1\n1 2 1.5\n", &[]),
        read_as(
            named("docword"),
            case("docword.part.txt", "2\n2\n1\n1 2 1.5\n", &[":4:5:", "whole"]),
        ),
    ]
}

fn texts_and_containers() -> Vec<Case> {
    let csv = b"a,b\n1,2\n3,4\n".repeat(2000);
    vec![
        case("empty.csv", "", &["an empty file"]),
        case("blank.txt", "\n \n\n", &["white space"]),
        case("ragged.csv", "1,2\n3,4\n5\n7,8\n", &[":3:", "found 1 field"]),
        case("gaps.txt", "1\t\t3\n4\t5\t\n\t8\t9\n", &[":1:3:", "an empty field"]),
        case("gaps", "1\t2\t3\n4\t5\n\t8\t9\n", &[":2:", "2 fields"]),
        case("years.csv", "country,1990,1991\nUK,1,2\nFR,4,5\n", &[":1:1:", "country", "`header`"]),
        case("usual.csv", "1,text\n2,cat fur\n3,dog paw\n", &[":1:1:", "\"1\"", "`header`"]),
        case("word.csv", "a,b\n1,2\n3,x\n5,6\n7,8\n", &[":3:3:", "\"x\""]),
        case("missing.csv", "a,b\n1,2\n3,\n5,6\n", &[":3:3:", "an empty field"]),
        case("quote.csv", "id,text\n1,\"never closed\n2,more\n", &[":2:3:", "never closed"]),
        case("after.csv", "id,text\n1,\"said\" so\n", &[":2:9:", "after a closing quote"]),
        case("bad_utf8.csv", b"id,text\n1,caf\x81 noir\n2,x\n".to_vec(), &["byte 0x81", "iconv"]),
        case("bad_utf8.txt", b"fine line here\nna\x81ve text\n".to_vec(), &[":2:3:", "byte 0x81"]),
        case("cut.jsonl", "{\"text\": \"a\"}\n{\"text\": \"b", &[":2:", "JSON"]),
        case("textless.jsonl", "{\"a\": 1}\n", &["a field with text", "there are: a"]),
        case("list.jsonl", "{\"text\": [1]}\n", &["a field with text"]),
        case("changed.jsonl", "{\"text\": \"a\"}\n{\"text\": 3}\n", &[":2:", "a number in field"]),
        case("deep.jsonl", format!("{{\"text\": {}", "[".repeat(100_000)), &[":1:", "JSON"]),
        case("cut.csv.gz", half(gzip(&csv)), &["fetch or write it again"]),
        case(
            "damaged.csv.gz",
            [&gzip(&csv)[..40], &[0xff; 40]].concat(),
            &["fetch or write it again"],
        ),
        case("twice.gz", gzip(&gzip(&gzip(&csv))), &["compression within compression"]),
        case("cut.zst", half(zstd::encode_all(&csv[..], 3).expect("memory")), &["fetch or write"]),
        case(
            "garbage.bin",
            (0..=255u8).map(|b| b.wrapping_mul(37).wrapping_add(1)).collect::<Vec<u8>>().repeat(9),
            &["binary data"],
        ),
        case("utf16.txt", b"\xff\xfeh\0i".to_vec(), &["UTF-16"]),
        case(
            "list.json",
            "[{\"text\": \"a\"},\n{\"text\": 5}]\n",
            &[":2:", "in record 2", "a number in field"],
        ),
        case("old_mac.csv", "a,b\r1,2\r3,4\r", &["line feeds", "tr '\\r' '\\n'"]),
        case("comma.csv", "a;b\n1;2\n3;4,5\n6;7\n", &[":3:3:", "\"4,5\"", "with a point"]),
        case("infinite.csv", "a,b\n1,2\n3,inf\n6,7\n", &[":3:3:", "\"inf\"", "infinite values"]),
        case("cut.parquet", half(fixture("snappy.parquet")), &["Parquet"]),
        case("tiny.parquet", "PAR1", &["Parquet"]),
        case("archive.xz", b"\xfd7zXZ\0\0".to_vec(), &["cut off or damaged"]),
    ]
}

fn check(input: &Input, options: &LoadOptions, words: &[&str]) {
    let name = input.name();
    let start = Instant::now();
    let error: Error = match load(input, options) {
        Ok(_) if words.is_empty() => return,
        Ok(_) => panic!("{name}: accepted"),
        Err(error) => error,
    };
    assert!(start.elapsed() < Duration::from_secs(1), "{name}: {:?}", start.elapsed());
    let message = error.to_string();
    assert!(!message.contains('\n') && message.len() < 600, "{message}");
    let short = Path::new(&name).file_name().expect("a name").to_string_lossy().into_owned();
    for word in words.iter().copied().chain([short.as_str()]) {
        assert!(message.contains(word), "{word:?} is not in: {message}");
    }
}

/// Peak memory of this process, where the system tells.
fn peak_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kib| kib * 1024)
}

#[test]
fn each_gives_one_clear_error() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let cases: Vec<Case> =
        [matrix_market(), other_matrices(), texts_and_containers()].into_iter().flatten().collect();
    let n_errors = cases.iter().filter(|case| !case.words.is_empty()).count();
    assert!(n_errors >= 40, "{n_errors}");
    let before = peak_bytes();
    for case in &cases {
        let path: PathBuf = folder.path().join(case.name);
        std::fs::write(&path, &case.content).expect("written");
        let options = LoadOptions { format: case.format, ..LoadOptions::default() };
        check(&path.into(), &options, case.words);
        // The same from memory, as from a pipe.
        let bytes = case.content.clone();
        check(&Input::Bytes { name: case.name.into(), bytes }, &options, case.words);
    }
    if let (Some(before), Some(after)) = (before, peak_bytes()) {
        assert!(after - before < 100 << 20, "{} bytes more at the peak", after - before);
    }
}

#[test]
fn folders_and_missing_files_are_named() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let options = LoadOptions::default();
    check(&folder.path().into(), &options, &["a folder without texts"]);
    check(&folder.path().join("missing.csv").into(), &options, &["cannot open", "check the name"]);
    let as_csv = LoadOptions { format: Some(named("csv")), ..LoadOptions::default() };
    check(&folder.path().into(), &as_csv, &["a folder", "a file in the format csv"]);
}

#[cfg(unix)]
#[test]
fn unreadable_files_are_named() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("secret.csv");
    std::fs::write(&path, "1,2\n").expect("written");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o000)).expect("changed");
    if std::fs::File::open(&path).is_ok() {
        return again_as_nobody("malformed::unreadable_files_are_named");
    }
    check(&path.into(), &LoadOptions::default(), &["cannot open", "check the permissions"]);
}

/// Root may read everything, so root has the test run by somebody else.
#[cfg(unix)]
fn again_as_nobody(test: &str) {
    use std::os::unix::process::CommandExt;
    let mut command = std::process::Command::new(std::env::current_exe().expect("this program"));
    command.args(["--exact", test]).current_dir("/").uid(65_534).gid(65_534);
    match command.output() {
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stdout);
            assert!(said.contains("1 passed"), "{said}");
        }
        Err(error) => {
            // What tests print is kept from people: standard error itself is not.
            let _ = writeln!(std::io::stderr(), "SKIPPED: {test} ({error}, as root)");
        }
    }
}

#[test]
fn choices_that_cannot_be_made_are_refused() {
    let label = || LoadOptions { label: Some("topic".into()), ..LoadOptions::default() };
    let check_bytes = |name: &str, bytes: &[u8], options: LoadOptions, words: &[&str]| {
        let input = Input::Bytes { name: name.into(), bytes: bytes.to_vec() };
        let message = load(&input, &options).map(|_| ()).unwrap_err().to_string();
        words.iter().for_each(|word| assert!(message.contains(word), "{word:?}: {message}"));
    };
    let mtx = format!("{MTX}1 1 1\n1 1 1\n");
    let none = ["label = \"topic\"", "format mtx has none", "leave it out"];
    check_bytes("x.mtx", mtx.as_bytes(), label(), &none);
    let known = ["\"topic\"", "there are:"];
    check_bytes("x.npz", &fixture("csr_plain.npz"), label(), &known);
    check_bytes("x.mat", &fixture("sparse_True.mat"), label(), &known);
    check_bytes("x.csv", b"a,b\n1,2\n", label(), &["\"topic\"", "there are: a, b"]);
    check_bytes("x.csv", b"id,text\n1,one\n", label(), &["\"topic\"", "there are: id, text"]);
    check_bytes("x.jsonl", b"{\"text\": \"a\"}\n", label(), &["\"topic\"", "there are: text"]);
    check_bytes("x.txt", b"One line.\n", label(), &["format lines has none"]);
    #[cfg(feature = "parquet")]
    check_bytes("x.parquet", &fixture("snappy.parquet"), label(), &known);
    let variable = LoadOptions { variable: Some("x".into()), ..LoadOptions::default() };
    check_bytes("x.csv", b"a,b\n1,2\n", variable, &["variable = x", "format csv has none"]);
}

#[test]
fn side_files_must_fit() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("docword.x.txt");
    std::fs::write(&path, "1\n2\n1\n1 2 1\n").expect("written");
    std::fs::write(folder.path().join("vocab.x.txt"), "one\n").expect("written");
    let message = load(&path.into(), &LoadOptions::default()).map(|_| ()).unwrap_err().to_string();
    assert!(message.contains("vocab.x.txt: found 1 names, expected 2"), "{message}");
    assert!(message.contains("transpose"), "{message}");
}
