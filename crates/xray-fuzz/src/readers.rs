//! Files of every format, read as what they are and as what they are not.
//!
//! The first three bytes of an input choose the format, the options, and the format to write what was read in; the
//! rest is the file.

use xray_data::text::{TextOptions, Vectorizer};
use xray_data::{
    Documents, FORMATS, Format, Input, LoadOptions, Loaded, LoadedMatrix, Table, load,
    write_documents, write_table,
};
use xray_nmf::{Fit, Params, Selection};

use crate::seeds;

/// Bytes before the file.
pub(crate) const CHOICES: usize = 3;

/// Formats that keep every bit of a matrix.
const EXACT: [&str; 4] = ["npz", "npy", "mat", "mtx"];

pub(crate) fn any(bytes: &[u8]) -> bool {
    let names: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
    read(bytes, &names)
}

macro_rules! family {
    ($($run:ident $seeds:ident [$($name:literal),*]),* $(,)?) => { $(
        pub(crate) fn $run(bytes: &[u8]) -> bool {
            read(bytes, &[$($name),*])
        }

        pub(crate) fn $seeds() -> Vec<Vec<u8>> {
            seeds::files().into_iter().filter(|(name, _)| [$($name),*].contains(name)).map(undecided).collect()
        }
    )* };
}

family! {
    delimited seeds_of_delimited ["csv", "tsv", "spaced", "lines", "mallet"],
    jsonl seeds_of_jsonl ["jsonl", "json"],
    numpy seeds_of_numpy ["npy", "npz"],
    matlab seeds_of_matlab ["mat"],
    market seeds_of_market ["mtx"],
    counts seeds_of_counts ["svmlight", "docword"],
    parquet seeds_of_parquet ["parquet"],
    xlsx seeds_of_xlsx ["xlsx"],
}

pub(crate) fn seeds_of_any() -> Vec<Vec<u8>> {
    let plain = seeds::files();
    let packed = plain
        .iter()
        .step_by(3)
        .flat_map(|(name, bytes)| [(*name, seeds::gzip(bytes)), (*name, seeds::zstandard(bytes))]);
    packed.chain(plain.clone()).chain(seeds::packed_by_others()).map(undecided).collect()
}

/// A file for which nothing is chosen.
fn undecided((_, bytes): (&'static str, Vec<u8>)) -> Vec<u8> {
    [&[0; CHOICES], &bytes[..]].concat()
}

/// Reads a file as one of these formats, or as what it seems to be.
fn read(bytes: &[u8], names: &[&str]) -> bool {
    let Some((&[format, options, written], content)) = bytes.split_first_chunk::<CHOICES>() else {
        return false;
    };
    let place = usize::from(format) % (names.len() + 1);
    let format = place.checked_sub(1).and_then(|place| Format::from_name(names[place]).ok());
    let input = Input::Bytes { name: file_name(options, names), bytes: content.to_vec() };
    let loaded = load(&input, &load_options(format, options));
    match &loaded {
        Ok(loaded) => judge(loaded, written),
        Err(error) => assert!(!error.to_string().is_empty(), "an error says what is wrong"),
    }
    loaded.is_ok()
}

/// A name that says nothing, or one that a format's files have.
fn file_name(options: u8, names: &[&str]) -> String {
    let format = names.first().and_then(|name| Format::from_name(name).ok());
    match format.and_then(|format| format.endings.first()) {
        Some(ending) if options & 1 != 0 => format!("file.{ending}"),
        _ => "file".to_owned(),
    }
}

fn load_options(format: Option<&'static Format>, bits: u8) -> LoadOptions {
    let said = |bit: u8, value: u8| (bits & bit != 0).then_some(bits & value != 0);
    LoadOptions {
        format,
        replace_invalid_utf8: bits & 2 != 0,
        transpose: bits & 4 != 0,
        header: said(8, 16),
        quoting: said(32, 16),
        zero_based: said(64, 16),
        text: if bits & 128 != 0 { vec!["text".into()] } else { Vec::new() },
        ..LoadOptions::default()
    }
}

/// What was read holds together, can be worked with, and comes back as it is written.
pub(crate) fn judge(loaded: &Loaded, written: u8) {
    match loaded {
        Loaded::Table(table) => {
            judge_numbers(&table.matrix);
            write_and_read_table(table, EXACT[usize::from(written) % EXACT.len()]);
        }
        Loaded::Documents(documents) => {
            judge_texts(documents);
            write_and_read_documents(documents);
        }
    }
}

/// All entries are numbers, and small matrices have anchors.
fn judge_numbers(matrix: &LoadedMatrix) {
    let (m, n) = (matrix.n_rows(), matrix.n_columns());
    assert!(m > 0 && n > 0, "a matrix has entries");
    if m.saturating_mul(n) > 1 << 12 {
        return;
    }
    for d in 0..m {
        matrix
            .for_each_in_row(d, |j, v| assert!(v.is_finite() && j < n, "entry ({d}, {j}) is {v}"));
    }
    let params = Params { allow_negative: true, selection: Selection::Greedy, ..Params::new(3) };
    // The memory is told, so that the system need not be asked each time.
    if let Ok(found) = Fit::of(matrix.as_matrix()).memory(Some(1 << 20)).run(&params) {
        assert!((0.0..=1.0 + 1e-9).contains(&found.residual()), "residual {}", found.residual());
    }
}

/// Texts have ids and weights.
fn judge_texts(documents: &Documents) {
    assert_eq!(documents.ids.len(), documents.texts.len());
    if let Ok((x, _)) = Vectorizer::fit_transform(TextOptions::default(), &documents.texts) {
        assert!(x.csr().2.iter().all(|v| v.is_finite() && *v > 0.0), "weights are positive");
    }
}

fn write_and_read_table(table: &Table, format: &str) {
    let Ok(format) = Format::from_name(format) else { return };
    let mut bytes = Vec::new();
    if write_table(table, &mut bytes, format).is_err() {
        return;
    }
    let options = LoadOptions { format: Some(format), ..LoadOptions::default() };
    let again = load(&Input::Bytes { name: "again".into(), bytes }, &options);
    let again = again.unwrap_or_else(|error| panic!("written as {format}: {error}"));
    let again = again.into_table().expect("a matrix was written");
    assert_eq!(entries(&again.matrix), entries(&table.matrix), "written as {format}");
}

/// Shape, and every entry that is not zero, to the last bit.
fn entries(matrix: &LoadedMatrix) -> (usize, usize, Vec<(usize, usize, u64)>) {
    let mut found = Vec::new();
    for d in 0..matrix.n_rows() {
        matrix.for_each_in_row(d, |j, v| {
            if v != 0.0 {
                found.push((d, j, v.to_bits()));
            }
        });
    }
    (matrix.n_rows(), matrix.n_columns(), found)
}

fn write_and_read_documents(documents: &Documents) {
    let Ok(format) = Format::from_name("jsonl") else { return };
    let mut bytes = Vec::new();
    if write_documents(documents, &mut bytes, format).is_err() {
        return;
    }
    let options = LoadOptions { format: Some(format), ..LoadOptions::default() };
    let again = load(&Input::Bytes { name: "again".into(), bytes }, &options);
    let again = again.unwrap_or_else(|error| panic!("written as {format}: {error}"));
    assert_eq!(again.into_documents().as_ref(), Some(documents), "written as {format}");
}
