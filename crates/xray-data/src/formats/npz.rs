//! NumPy archives (.npz): a sparse matrix as `scipy.sparse.save_npz` writes it (csr, csc, coo), or
//! plain arrays of which one is taken.
//!
//! The archive's own sizes are not trusted: Deflate expands at most 1,032 times, and values are
//! allocated as they arrive.

mod write;

pub(crate) use write::NpzWriter;

use std::io::Read;

use zip::read::ZipFile;
use zip::{CompressionMethod, ZipArchive};

use super::npy::{Header, Kind, Room, read_header};
use super::xlsx::is_workbook;
use super::{Format, Keeps, Parsed, Reader, TableWriter, Told};
use crate::assemble::{Compressed, Entries, Stored, check_shape};
use crate::budget::{Claim, json_bytes, string_bytes};
use crate::columns::{LABEL_VARIABLES, known};
use crate::error::{Malformed, Result, io_error};
use crate::model::Noticed;
use crate::options::{ColumnChoice, Limits, LoadOptions};
use crate::source::{ReadSeek, Source};
use crate::table::{LoadedMatrix, Table};

pub(crate) static FORMAT: Format = Format {
    name: "npz",
    words: "NumPy archive: a scipy sparse matrix, or arrays",
    endings: &["npz"],
    beginning: None,
    told: Told::Signature(|head| is_archive(head) && !is_workbook(head)),
    has_columns: false,
    has_variables: true,
    read: Reader::File(read),
    write_table: Some(TableWriter { keeps: Keeps::ALL, check: |_| Ok(()), write: write::write }),
    write_documents: None,
    names_beside: None,
    decide: None,
    is_zero_based: None,
};

/// Names of rows, columns and labels in archives that this crate writes: JSON lists in UTF-8.
/// Whether it begins as a zip archive does.
pub(crate) fn is_archive(head: &[u8]) -> bool {
    matches!(head, [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..])
}

const ROW_NAMES: &str = "row_names_json";
const COLUMN_NAMES: &str = "column_names_json";
const LABELS: &str = "labels_json";

fn read(source: Source, options: &LoadOptions) -> Result<Parsed> {
    let file = source.name.clone();
    let mut archive = Archive::open(source, &options.limits)?;
    let is_sparse = archive.has("format") && archive.has("shape") && options.variable.is_none();
    let (matrix, noticed) = if is_sparse {
        (read_sparse(&mut archive, options)?, Noticed::default())
    } else {
        let name = options.variable.clone();
        let name = name.map_or_else(|| largest(&mut archive), Ok)?;
        (read_dense(&mut archive, &name)?, Noticed::of_part(name))
    };
    let mut table = Table::new(matrix);
    table.labels = read_labels(&mut archive, table.matrix.n_rows(), options)?;
    for (name, place) in [
        (ROW_NAMES, &mut table.row_names),
        (COLUMN_NAMES, &mut table.column_names),
        (LABELS, &mut table.labels),
    ] {
        if archive.has(name) {
            let json = archive.bytes(name)?;
            archive.claim.take(json_bytes(&json))?;
            let expected = "a JSON list of strings";
            let parsed = serde_json::from_slice(&json);
            *place = Some(parsed.map_err(|e| Malformed::damaged(&file, e.to_string(), expected))?);
        }
    }
    Ok(Parsed { noticed, ..table.into() })
}

/// Numbers or strings as texts.
fn read_texts(
    file: &str,
    header: &Header,
    reader: &mut dyn Read,
    room: Room<'_>,
) -> Result<Vec<String>> {
    if matches!(header.kind, Kind::Bytes | Kind::Unicode) {
        return header.read_strings(file, reader, room);
    }
    // Numbers, and the words for them.
    room.claim.take(header.check(file, room.most_bytes)? as u64 * string_bytes(0))?;
    let numbers = header.read_numbers(file, reader, room)?;
    Ok(numbers.iter().map(f64::to_string).collect())
}

/// The classes of the rows: a vector of numbers or strings that is chosen or has a usual name.
fn read_labels(
    archive: &mut Archive,
    n_rows: usize,
    options: &LoadOptions,
) -> Result<Option<Vec<String>>> {
    let names = archive.names();
    let wanted = |name: &&String| match &options.label {
        Some(choice) => *choice == ColumnChoice::Name((*name).clone()),
        None => LABEL_VARIABLES.iter().any(|usual| usual.eq_ignore_ascii_case(name)),
    };
    for name in names.iter().filter(wanted) {
        let fits = archive.header(name).is_ok_and(|header| header.n_values() == Some(n_rows));
        if fits && options.variable.as_ref() != Some(name) {
            return archive.array(name, read_texts).map(Some);
        }
    }
    match &options.label {
        Some(choice) => {
            let found = format!("no array {choice} with {n_rows} numbers or strings");
            Err(Malformed::new(&archive.file, found, "labels").remedy(known(&names)).into())
        }
        None => Ok(None),
    }
}

/// The arrays of an archive.
pub(crate) struct Archive {
    file: String,
    zip: ZipArchive<Box<dyn ReadSeek>>,
    /// What was read of it holds this.
    pub claim: Claim,
}

impl Archive {
    pub(crate) fn open(source: Source, limits: &Limits) -> Result<Self> {
        let file = source.name.clone();
        let mut claim = limits.claim(&file);
        let reader = source.into_seekable(limits, &mut claim)?.into_reader();
        match ZipArchive::new(reader) {
            Ok(zip) => Ok(Self { file, zip, claim }),
            Err(e) => Err(Malformed::damaged(&file, e.to_string(), "an intact zip archive").into()),
        }
    }

    /// The names of the arrays.
    pub(crate) fn names(&self) -> Vec<String> {
        let names = self.zip.file_names().filter_map(|name| name.ok());
        names.filter_map(|name| name.strip_suffix(".npy").map(str::to_owned)).collect()
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.zip.index_for_name(&format!("{name}.npy")).is_some()
    }

    /// The header of an array.
    fn header(&mut self, name: &str) -> Result<Header> {
        let file = self.file.clone();
        let opened = self.zip.by_name(&format!("{name}.npy"));
        let mut entry = opened.map_err(|e| unopened(&format!("{file}[{name}]"), &e))?;
        header_of(&file, name, &mut entry)
    }

    /// Opens an array and calls `read(file, header, reader, most_bytes)`.
    pub(crate) fn array<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(&str, &Header, &mut dyn Read, Room<'_>) -> Result<T>,
    ) -> Result<T> {
        let label = format!("{}[{name}]", self.file);
        let known = known(&self.names());
        let mut entry = self.zip.by_name(&format!("{name}.npy")).map_err(|e| match e {
            zip::result::ZipError::FileNotFound => {
                Malformed::new(&self.file, format!("no array \"{name}\""), "one").remedy(known)
            }
            e => unopened(&label, &e),
        })?;
        let most = entry.compressed_size().saturating_mul(1_032).saturating_add(64);
        let header = header_of(&self.file, name, &mut entry)?;
        let room = Room { most_bytes: Some(most), claim: &mut self.claim };
        let result = read(&label, &header, &mut entry, room)?;
        // Reading to the end checks the sum, and that nothing follows.
        let rest = std::io::copy(&mut entry, &mut std::io::sink());
        match rest.map_err(|e| io_error(&label, "read", e))? {
            0 => Ok(result),
            n => Err(Malformed::damaged(&label, format!("{n} more bytes"), "the end").into()),
        }
    }

    /// How many values an array has; no more than the file can hold.
    fn n_values(&mut self, name: &str) -> Result<usize> {
        let label = format!("{}[{name}]", self.file);
        let opened = self.zip.by_name(&format!("{name}.npy"));
        let mut entry =
            opened.map_err(|e| Malformed::damaged(&label, e.to_string(), "an array"))?;
        let most = entry.compressed_size().saturating_mul(1_032).saturating_add(64);
        header_of(&self.file, name, &mut entry)?.check(&label, Some(most))
    }

    /// An array of numbers with its header.
    pub(crate) fn numbers(&mut self, name: &str) -> Result<(Header, Vec<f64>)> {
        self.array(name, |file, header, reader, room| {
            Ok((header.clone(), header.read_numbers(file, reader, room)?))
        })
    }

    /// An array of whole numbers that are not negative.
    pub(crate) fn indices(&mut self, name: &str) -> Result<Vec<u64>> {
        self.array(name, |file, header, reader, room| header.read_indices(file, reader, room))
    }

    /// An array of bytes.
    pub(crate) fn bytes(&mut self, name: &str) -> Result<Vec<u8>> {
        self.array(name, |file, header, reader, room| header.read_bytes(file, reader, room))
    }
}

/// The header of an array that is packed as NumPy does it.
fn header_of<R: Read>(file: &str, name: &str, entry: &mut ZipFile<'_, R>) -> Result<Header> {
    let label = format!("{file}[{name}]");
    match entry.compression() {
        CompressionMethod::Stored | CompressionMethod::Deflated => read_header(&label, entry),
        other => Err(unopened(&label, &format!("compression by {other}")).into()),
    }
}

/// An array that is there and cannot be read.
fn unopened(label: &str, found: &dyn std::fmt::Display) -> Malformed {
    Malformed::new(label, found.to_string(), "a stored or deflated array")
        .remedy("write it with numpy.savez or numpy.savez_compressed")
}

fn read_sparse(archive: &mut Archive, options: &LoadOptions) -> Result<LoadedMatrix> {
    let format = archive
        .array("format", |file, header, reader, room| header.read_strings(file, reader, room))?;
    let file = archive.file.clone();
    let shape = archive.indices("shape")?;
    let [m, n] = shape[..] else {
        return Err(Malformed::new(&file, format!("shape {shape:?}"), "two axes").into());
    };
    let (m, n) = (m as usize, n as usize);
    let stored = archive.n_values("data")?;
    check_shape(&file, m, n, stored, &options.limits)?;
    let kept = options.kept(m, n);
    let shared = options.share.map_or(1, |share| share.parts);
    match format.concat().as_str() {
        "csr" => {
            let keep = |d: u32, j: u32| kept.entry(d, j);
            let rows = compressed(archive, m, n, shared, keep)?;
            rows.into_matrix(&mut archive.claim, Stored::ByRows, n)
        }
        "csc" => {
            let keep = |j: u32, d: u32| kept.entry(d, j);
            let columns = compressed(archive, n, m, shared, keep)?;
            columns.into_matrix(&mut archive.claim, Stored::ByColumns, m)
        }
        "coo" => {
            let values = archive.numbers("data")?.1;
            let rows = narrow(&file, "row", archive.indices("row")?, m)?;
            let columns = narrow(&file, "column", archive.indices("col")?, n)?;
            if rows.len() != values.len() || columns.len() != values.len() {
                let found = format!("{} rows and {} columns", rows.len(), columns.len());
                let expected = format!("{}, one for each value", values.len());
                return Err(Malformed::damaged(&file, found, expected).into());
            }
            let entries = Entries::new(rows, columns, values);
            entries.into_matrix(&mut archive.claim, m, n, &options.limits)
        }
        other => {
            Err(Malformed::new(&file, format!("sparse format \"{other}\""), "csr, csc or coo")
                .remedy("convert it with .tocsr()")
                .into())
        }
    }
}

/// The compressed arrays, without the entries for which `keep(line, index)` does not hold: those never
/// take memory, as the arrays are read one after the other.
fn compressed(
    archive: &mut Archive,
    n_lines: usize,
    dimension: usize,
    shared: usize,
    keep: impl Fn(u32, u32) -> bool,
) -> Result<Compressed> {
    let file = archive.file.clone();
    let stored = archive.n_values("data")?;
    let offsets: Vec<usize> = archive.indices("indptr")?.into_iter().map(|o| o as usize).collect();
    let in_order = offsets.is_sorted() && offsets.first() == Some(&0);
    if offsets.len() != n_lines + 1 || !in_order || offsets.last() != Some(&stored) {
        let found =
            format!("an indptr of {} entries that ends at {:?}", offsets.len(), offsets.last());
        let expected = format!("{} ascending entries from 0 to {stored}", n_lines + 1);
        return Err(Malformed::damaged(&file, found, expected).into());
    }
    // Offsets of what is kept, and a bit for each entry; then what is kept.
    archive.claim.take(8 * n_lines as u64 + stored as u64 / 8)?;
    if shared == 1 {
        archive.claim.take(12 * stored as u64)?;
    }
    let mut minor = Minor::new(&offsets, dimension);
    let n_indices = archive.array("indices", |file, header, reader, room| {
        header.stream_indices(file, reader, room, |place, index| minor.add(place, index, &keep))
    })?;
    minor.check(&file)?;
    if n_indices != stored {
        let found = format!("{n_indices} indices");
        return Err(
            Malformed::damaged(&file, found, format!("{stored}, one for each value")).into()
        );
    }
    let Minor { offsets, indices, kept, .. } = minor;
    if shared > 1 {
        archive.claim.take(12 * indices.len() as u64)?;
    }
    let mut values = Vec::with_capacity(indices.len());
    let mut place = 0;
    archive.array("data", |file, header, reader, room| {
        header.stream_numbers(file, reader, room, |value| {
            if kept[place / 64] >> (place % 64) & 1 == 1 {
                values.push(value);
            }
            place += 1;
        })
    })?;
    Ok(Compressed { offsets, indices, values })
}

/// The indices of compressed lines while they are read.
struct Minor<'a> {
    all_offsets: &'a [usize],
    dimension: usize,
    /// Offsets of the kept entries; those of the lines before `line` are final.
    offsets: Vec<usize>,
    indices: Vec<u32>,
    /// A bit for each entry: whether it is kept.
    kept: Vec<u64>,
    line: usize,
    /// The first index that is out of range, and its place.
    wrong: Option<(u64, usize)>,
}

impl<'a> Minor<'a> {
    fn new(all_offsets: &'a [usize], dimension: usize) -> Self {
        let n_lines = all_offsets.len() - 1;
        let n_entries = all_offsets[n_lines];
        Self {
            all_offsets,
            dimension,
            offsets: vec![0; n_lines + 1],
            indices: Vec::new(),
            kept: vec![0; n_entries.div_ceil(64)],
            line: 0,
            wrong: None,
        }
    }

    fn add(&mut self, place: usize, index: u64, keep: impl Fn(u32, u32) -> bool) {
        if index >= self.dimension as u64 {
            self.wrong = self.wrong.or(Some((index, place)));
            return;
        }
        while self.all_offsets.get(self.line + 1).is_some_and(|&end| end <= place) {
            self.line += 1;
        }
        if self.line + 1 < self.all_offsets.len() && keep(self.line as u32, index as u32) {
            self.offsets[self.line + 1] += 1;
            self.indices.push(index as u32);
            self.kept[place / 64] |= 1 << (place % 64);
        }
    }

    /// All indices were in range; counts become offsets.
    fn check(&mut self, file: &str) -> Result<()> {
        if let Some((index, place)) = self.wrong {
            let found = format!("minor index {index} at place {place}");
            let expected = format!("less than {}", self.dimension);
            return Err(Malformed::damaged(file, found, expected).into());
        }
        (1..self.offsets.len()).for_each(|l| self.offsets[l] += self.offsets[l - 1]);
        Ok(())
    }
}

fn narrow(file: &str, axis: &str, indices: Vec<u64>, dimension: usize) -> Result<Vec<u32>> {
    match indices.iter().position(|&index| index >= dimension as u64) {
        Some(place) => {
            let found = format!("{axis} index {} at place {place}", indices[place]);
            Err(Malformed::damaged(file, found, format!("less than {dimension}")).into())
        }
        None => Ok(indices.into_iter().map(|index| index as u32).collect()),
    }
}

/// The array of this name.
fn read_dense(archive: &mut Archive, name: &str) -> Result<LoadedMatrix> {
    archive.array(name, |file, header, reader, room| {
        let values = header.read_numbers(file, reader, room)?;
        header.clone().into_matrix(file, values)
    })
}

/// The name of the largest array with two axes.
fn largest(archive: &mut Archive) -> Result<String> {
    let names = archive.names();
    let (mut best, mut unreadable): (Option<(usize, String)>, _) = (None, None);
    for name in &names {
        match archive.header(name) {
            Ok(header) => {
                if let [m, n] = header.shape[..]
                    && best.as_ref().is_none_or(|(size, _)| m.saturating_mul(n) > *size)
                {
                    best = Some((m.saturating_mul(n), name.clone()));
                }
            }
            Err(error) => unreadable = unreadable.or(Some(error)),
        }
    }
    match (best, unreadable) {
        (Some((_, name)), _) => Ok(name),
        (None, Some(error)) => Err(error),
        (None, None) if names.is_empty() => {
            Err(Malformed::new(&archive.file, "a zip archive without arrays", "a NumPy archive")
                .remedy("save a spreadsheet as CSV; unpack other archives first")
                .into())
        }
        (None, None) => Err(Malformed::new(&archive.file, "no array with two axes", "a matrix")
            .remedy(known(&names))
            .into()),
    }
}
