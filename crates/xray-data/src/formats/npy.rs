//! NumPy arrays (.npy, versions 1 to 3): a header that is a Python dictionary, then the values.
//!
//! Real numbers of 1 to 8 bytes in either byte order, truth values, and byte or Unicode strings are
//! read; complex numbers and Python objects are refused.

use std::io::{self, Read, Write};

use super::{Format, Keeps, Parsed, Reader, TableWriter, Told};
use crate::assemble::{Stored, dense};
use crate::budget::Claim;
use crate::error::{Malformed, Result, io_error, quoted};
use crate::options::LoadOptions;
use crate::read::{LARGEST_WHOLE, cautious_capacity, check_rounded};
use crate::source::{Source, check_room};
use crate::table::{LoadedMatrix, Table};

pub(crate) static FORMAT: Format = Format {
    name: "npy",
    words: "one NumPy array",
    endings: &["npy"],
    beginning: None,
    told: Told::Signature(is_npy),
    has_columns: false,
    has_variables: false,
    read: Reader::File(|source, options| read(source, options).map(Parsed::from)),
    write_table: Some(TableWriter {
        keeps: Keeps::NOTHING,
        check: |_| Ok(()),
        write: |table, out| write(&table.matrix, out),
    }),
    write_documents: None,
    names_beside: None,
    decide: None,
    is_zero_based: None,
};

/// Whether a file begins as an array of NumPy does.
pub(crate) fn is_npy(head: &[u8]) -> bool {
    head.starts_with(b"\x93NUMPY")
}

/// Longest header that is read; NumPy's own are below 200 bytes.
const LONGEST_HEADER: usize = 1 << 16;

/// Longest string that is read, in bytes.
const LONGEST_STRING: usize = 1 << 16;

/// Bytes converted at a time.
const BLOCK: usize = 1 << 17;

/// The type of the values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Float,
    Signed,
    Unsigned,
    Truth,
    Bytes,
    Unicode,
}

/// What an array may take.
pub(crate) struct Room<'a> {
    /// The file can hold no more than this, if that is known.
    pub most_bytes: Option<u64>,
    /// What is held of the memory for all that is read.
    pub claim: &'a mut Claim,
}

/// What the header says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Header {
    pub kind: Kind,
    /// Bytes of one value.
    pub width: usize,
    pub big_endian: bool,
    pub fortran_order: bool,
    pub shape: Vec<usize>,
}

fn read(source: Source, options: &LoadOptions) -> Result<Table> {
    let (file, most_bytes) = (source.name.clone(), source.most_bytes);
    let mut claim = options.limits.claim(&file);
    let mut reader = source.into_reader();
    let header = read_header(&file, &mut reader)?;
    let room = Room { most_bytes, claim: &mut claim };
    let values = header.read_numbers(&file, &mut reader, room)?;
    expect_end(&file, &mut reader)?;
    Ok(Table::new(header.into_matrix(&file, values)?))
}

fn expect_end(file: &str, reader: &mut dyn Read) -> Result<()> {
    let mut byte = [0];
    match reader.read(&mut byte) {
        Ok(0) => Ok(()),
        Ok(_) => Err(Malformed::damaged(file, "bytes after the last value", "the end").into()),
        Err(e) => Err(io_error(file, "read", e)),
    }
}

/// Reads the signature and the header.
pub(crate) fn read_header(file: &str, reader: &mut dyn Read) -> Result<Header> {
    let cut = |e| io_error(file, "read", e);
    let mut start = [0; 8];
    reader.read_exact(&mut start).map_err(cut)?;
    if !is_npy(&start) {
        return Err(Malformed::new(file, quoted(&start[..6]), "a NumPy array").into());
    }
    let length = match start[6] {
        1 => {
            let mut length = [0; 2];
            reader.read_exact(&mut length).map_err(cut)?;
            usize::from(u16::from_le_bytes(length))
        }
        2 | 3 => {
            let mut length = [0; 4];
            reader.read_exact(&mut length).map_err(cut)?;
            u32::from_le_bytes(length) as usize
        }
        version => {
            let found = format!("version {version} of the array format");
            return Err(Malformed::new(file, found, "1, 2 or 3").into());
        }
    };
    if length > LONGEST_HEADER {
        let found = format!("a header of {length} bytes");
        return Err(Malformed::damaged(file, found, format!("at most {LONGEST_HEADER}")).into());
    }
    let mut text = vec![0; length];
    reader.read_exact(&mut text).map_err(cut)?;
    let text = String::from_utf8_lossy(&text);
    Header::parse(&text)
        .map_err(|expected| Malformed::new(file, quoted(text.as_bytes()), expected).into())
}

impl Header {
    /// From `{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }`.
    fn parse(text: &str) -> Result<Self, String> {
        let after = |key: &str| {
            let place = text.find(&format!("'{key}'")).ok_or(format!("'{key}' in the header"))?;
            let rest = text[place + key.len() + 2..].trim_start();
            rest.strip_prefix(':').map(str::trim_start).ok_or(format!("a value of '{key}'"))
        };
        let fortran_order = match after("fortran_order")? {
            rest if rest.starts_with("True") => true,
            rest if rest.starts_with("False") => false,
            _ => return Err("'fortran_order': True or False".to_owned()),
        };
        let shape = after("shape")?;
        let inside = shape.strip_prefix('(').and_then(|s| s.split_once(')')).map(|(s, _)| s);
        let sizes = inside.ok_or("'shape': a tuple")?.split(',').map(str::trim);
        let sizes = sizes.filter(|size| !size.is_empty());
        let shape = sizes
            .map(|size| size.trim_end_matches('L').parse::<usize>())
            .collect::<Result<Vec<_>, _>>()
            .map_err(|_| "'shape': whole numbers")?;
        let (kind, width, big_endian) = parse_type(after("descr")?)?;
        Ok(Self { kind, width, big_endian, fortran_order, shape })
    }

    /// Number of values; `None` if it does not fit.
    pub(crate) fn n_values(&self) -> Option<usize> {
        self.shape.iter().try_fold(1usize, |n, &size| n.checked_mul(size))
    }

    /// Refuses arrays that the file cannot hold, and returns the number of values.
    pub(crate) fn check(&self, file: &str, most_bytes: Option<u64>) -> Result<usize> {
        let n = self.n_values().filter(|n| n.checked_mul(self.width.max(1)).is_some());
        let Some(n) = n else {
            let found = format!("an array of shape {:?}", self.shape);
            return Err(Malformed::damaged(file, found, "fewer values").into());
        };
        check_room(file, most_bytes, "values", n as u64, self.width as u64, None)?;
        Ok(n)
    }

    /// Reads and converts the values, which have at least one byte, allocating as they arrive.
    fn read_values<T>(
        &self,
        file: &str,
        reader: &mut dyn Read,
        room: Room<'_>,
        convert: impl Fn(&[u8]) -> T,
    ) -> Result<Vec<T>> {
        let n = self.check(file, room.most_bytes)?;
        // Strings have a place in the list, and bytes elsewhere.
        let elsewhere =
            if matches!(self.kind, Kind::Bytes | Kind::Unicode) { self.width + 16 } else { 0 };
        room.claim.take((n as u64).saturating_mul((size_of::<T>() + elsewhere) as u64))?;
        let mut values = Vec::with_capacity(cautious_capacity(n as u64));
        self.stream(file, reader, n, convert, |value| values.push(value))?;
        Ok(values)
    }

    /// Hands over one value after the other.
    fn stream<T>(
        &self,
        file: &str,
        reader: &mut dyn Read,
        n: usize,
        convert: impl Fn(&[u8]) -> T,
        mut visit: impl FnMut(T),
    ) -> Result<()> {
        let at_once = (BLOCK / self.width).max(1);
        let mut block = vec![0; at_once.min(n) * self.width];
        let mut n_read = 0;
        while n_read < n {
            let bytes = &mut block[..at_once.min(n - n_read) * self.width];
            reader.read_exact(bytes).map_err(|e| io_error(file, "read", e))?;
            bytes.chunks_exact(self.width).for_each(|bytes| visit(convert(bytes)));
            n_read += bytes.len() / self.width;
        }
        Ok(())
    }

    /// Reads the values as numbers.
    pub(crate) fn read_numbers(
        &self,
        file: &str,
        reader: &mut dyn Read,
        room: Room<'_>,
    ) -> Result<Vec<f64>> {
        let convert = self.number_converter(file)?;
        let values = self.read_values(file, reader, room, convert)?;
        check_rounded(file, values.iter().copied().find(|&value| self.is_rounded(value)))?;
        Ok(values)
    }

    /// Whether this may be another number than the file has.
    fn is_rounded(&self, value: f64) -> bool {
        let whole = matches!(self.kind, Kind::Signed | Kind::Unsigned);
        whole && self.width == 8 && value.abs() >= LARGEST_WHOLE
    }

    /// Hands over one number after the other; returns how many there were.
    pub(crate) fn stream_numbers(
        &self,
        file: &str,
        reader: &mut dyn Read,
        room: Room<'_>,
        mut visit: impl FnMut(f64),
    ) -> Result<usize> {
        let n = self.check(file, room.most_bytes)?;
        let mut rounded = None;
        self.stream(file, reader, n, self.number_converter(file)?, |value| {
            rounded = rounded.or(Some(value).filter(|&value| self.is_rounded(value)));
            visit(value);
        })?;
        check_rounded(file, rounded)?;
        Ok(n)
    }

    fn number_converter(&self, file: &str) -> Result<impl Fn(&[u8]) -> f64 + use<>> {
        let convert = converter(self.kind, self.width, self.big_endian).ok_or_else(|| {
            let found = format!("{:?} values of {} bytes", self.kind, self.width);
            Malformed::new(file, found, "real numbers, integers or truth values")
                .remedy("convert it with .astype(float)")
        })?;
        Ok(convert)
    }

    /// Reads the values as indices: whole numbers that are not negative.
    pub(crate) fn read_indices(
        &self,
        file: &str,
        reader: &mut dyn Read,
        room: Room<'_>,
    ) -> Result<Vec<u64>> {
        let n = self.check(file, room.most_bytes)?;
        room.claim.take((n as u64).saturating_mul(8))?;
        let mut values = Vec::new();
        self.stream_indices(file, reader, room, |_, index| values.push(index))?;
        Ok(values)
    }

    /// Hands over one index after the other, with its place; returns how many there were.
    pub(crate) fn stream_indices(
        &self,
        file: &str,
        reader: &mut dyn Read,
        room: Room<'_>,
        mut visit: impl FnMut(usize, u64),
    ) -> Result<usize> {
        let whole = matches!(self.kind, Kind::Signed | Kind::Unsigned);
        if !whole || !matches!(self.width, 1 | 2 | 4 | 8) {
            let found = format!("{:?} values of {} bytes", self.kind, self.width);
            return Err(Malformed::new(file, found, "integers").into());
        }
        // The sign bit of a negative index makes it too large for any array.
        let sign = if self.kind == Kind::Signed { 1u64 << (8 * self.width - 1) } else { 0 };
        let n = self.check(file, room.most_bytes)?;
        let (mut place, mut negative) = (0, None);
        self.stream(
            file,
            reader,
            n,
            |b| unsigned(b, self.big_endian),
            |index| {
                if index & sign != 0 {
                    negative = negative.or(Some(place));
                }
                visit(place, index);
                place += 1;
            },
        )?;
        match negative {
            Some(place) => {
                let found = format!("a negative index at place {place}");
                Err(Malformed::damaged(file, found, "0 or more").into())
            }
            None => Ok(n),
        }
    }

    /// Reads the values of an array of bytes.
    pub(crate) fn read_bytes(
        &self,
        file: &str,
        reader: &mut dyn Read,
        room: Room<'_>,
    ) -> Result<Vec<u8>> {
        let n = self.check(file, room.most_bytes)?;
        if (self.kind, self.width) != (Kind::Unsigned, 1) {
            return Err(Malformed::new(file, format!("{:?} values", self.kind), "bytes").into());
        }
        room.claim.take(n as u64)?;
        let mut bytes = Vec::new();
        reader.take(n as u64).read_to_end(&mut bytes).map_err(|e| io_error(file, "read", e))?;
        if bytes.len() < n {
            return Err(
                Malformed::damaged(file, format!("{} bytes", bytes.len()), n.to_string()).into()
            );
        }
        Ok(bytes)
    }

    /// Reads the values as strings.
    pub(crate) fn read_strings(
        &self,
        file: &str,
        reader: &mut dyn Read,
        room: Room<'_>,
    ) -> Result<Vec<String>> {
        let unit = |&b: &[u8; 4]| {
            if self.big_endian { u32::from_be_bytes(b) } else { u32::from_le_bytes(b) }
        };
        let decode = |bytes: &[u8]| match self.kind {
            Kind::Unicode => {
                bytes.as_chunks().0.iter().filter_map(|b| char::from_u32(unit(b))).collect()
            }
            _ => String::from_utf8_lossy(bytes).into_owned(),
        };
        let strings = matches!(self.kind, Kind::Bytes | Kind::Unicode);
        if !strings || !(1..=LONGEST_STRING).contains(&self.width) {
            return Err(Malformed::new(file, format!("{self:?}"), "short strings").into());
        }
        let text = |bytes: &[u8]| decode(bytes).trim_end_matches('\0').to_owned();
        self.read_values(file, reader, room, text)
    }

    /// Values as a matrix; a single axis is one column.
    pub(crate) fn into_matrix(self, file: &str, values: Vec<f64>) -> Result<LoadedMatrix> {
        match *self.shape.as_slice() {
            [n] => dense(file, Stored::ByColumns, n, 1, values),
            [m, n] if self.fortran_order => dense(file, Stored::ByColumns, m, n, values),
            [m, n] => dense(file, Stored::ByRows, m, n, values),
            _ => Err(Malformed::new(file, format!("shape {:?}", self.shape), "two axes")
                .remedy("reshape it to rows x columns")
                .into()),
        }
    }
}

/// From `'<f8'` and the like.
fn parse_type(text: &str) -> Result<(Kind, usize, bool), String> {
    let expected = "'descr': a type such as '<f8', without fields or Python objects";
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"')).ok_or(expected)?;
    let name = text[1..].split(quote).next().unwrap_or_default();
    let (order, rest) = match name.as_bytes() {
        [order @ (b'<' | b'>' | b'|' | b'='), ..] => (*order, &name[1..]),
        _ => (b'<', name),
    };
    let mut letters = rest.chars();
    let kind = match letters.next() {
        Some('f') => Kind::Float,
        Some('i') => Kind::Signed,
        Some('u') => Kind::Unsigned,
        Some('b') => Kind::Truth,
        Some('S' | 'a') => Kind::Bytes,
        Some('U') => Kind::Unicode,
        _ => return Err(expected.to_owned()),
    };
    let width: usize = letters.as_str().parse().map_err(|_| expected)?;
    let unit = if kind == Kind::Unicode { 4 } else { 1 };
    Ok((kind, width.checked_mul(unit).ok_or(expected)?, order == b'>'))
}

/// A value of up to 8 bytes as an unsigned number, first byte lowest or highest.
fn unsigned(bytes: &[u8], big_endian: bool) -> u64 {
    let push = |sum: u64, &byte: &u8| sum << 8 | u64::from(byte);
    if big_endian { bytes.iter().fold(0, push) } else { bytes.iter().rev().fold(0, push) }
}

fn converter(kind: Kind, width: usize, big_endian: bool) -> Option<fn(&[u8]) -> f64> {
    let convert: fn(&[u8]) -> f64 = match (kind, width, big_endian) {
        (Kind::Float, 8, false) => |b| f64::from_bits(unsigned(b, false)),
        (Kind::Float, 8, true) => |b| f64::from_bits(unsigned(b, true)),
        (Kind::Float, 4, false) => |b| f64::from(f32::from_bits(unsigned(b, false) as u32)),
        (Kind::Float, 4, true) => |b| f64::from(f32::from_bits(unsigned(b, true) as u32)),
        (Kind::Truth | Kind::Unsigned, 1, _) => |b| f64::from(b[0]),
        (Kind::Signed, 1, _) => |b| f64::from(b[0] as i8),
        (Kind::Signed, 2, false) => |b| f64::from(unsigned(b, false) as i16),
        (Kind::Signed, 2, true) => |b| f64::from(unsigned(b, true) as i16),
        (Kind::Signed, 4, false) => |b| f64::from(unsigned(b, false) as i32),
        (Kind::Signed, 4, true) => |b| f64::from(unsigned(b, true) as i32),
        (Kind::Signed, 8, false) => |b| unsigned(b, false) as i64 as f64,
        (Kind::Signed, 8, true) => |b| unsigned(b, true) as i64 as f64,
        (Kind::Unsigned, 2 | 4 | 8, false) => |b| unsigned(b, false) as f64,
        (Kind::Unsigned, 2 | 4 | 8, true) => |b| unsigned(b, true) as f64,
        _ => return None,
    };
    Some(convert)
}

/// The header of an array (version 1), padded so that the values are aligned to 64 bytes.
pub(crate) fn written_header(kind: &str, shape: &[usize], fortran_order: bool) -> Vec<u8> {
    let sizes: Vec<String> = shape.iter().map(usize::to_string).collect();
    let comma = if shape.len() == 1 { "," } else { "" };
    let order = if fortran_order { "True" } else { "False" };
    let mut text = format!(
        "{{'descr': '{kind}', 'fortran_order': {order}, 'shape': ({}{comma}), }}",
        sizes.join(", ")
    );
    let unpadded = 10 + text.len() + 1;
    text.push_str(&" ".repeat(unpadded.next_multiple_of(64) - unpadded));
    text.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend_from_slice(&(text.len() as u16).to_le_bytes());
    bytes.extend_from_slice(text.as_bytes());
    bytes
}

/// Writes a matrix as one dense array in C order.
fn write(matrix: &LoadedMatrix, out: &mut dyn Write) -> io::Result<()> {
    let (m, n) = (matrix.n_rows(), matrix.n_columns());
    out.write_all(&written_header("<f8", &[m, n], false))?;
    let mut row = vec![0.0; n];
    for d in 0..m {
        matrix.copy_row(d, &mut row);
        for value in &row {
            out.write_all(&value.to_le_bytes())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(text: &str) -> Result<Header, String> {
        Header::parse(text)
    }

    #[test]
    fn headers_of_all_versions() {
        let text = "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }   \n";
        let expected = Header {
            kind: Kind::Float,
            width: 8,
            big_endian: false,
            fortran_order: false,
            shape: vec![3, 4],
        };
        assert_eq!(header(text), Ok(expected));
        let text = "{'descr': '>i2', 'fortran_order': True, 'shape': (5,), }";
        let parsed = header(text).expect("valid");
        assert_eq!((parsed.kind, parsed.width, parsed.big_endian), (Kind::Signed, 2, true));
        assert_eq!((parsed.fortran_order, parsed.shape), (true, vec![5]));
        for wrong in [
            "",
            "{}",
            "{'descr': '|O', 'fortran_order': False, 'shape': (1,), }",
            "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,), }",
            "{'descr': '<f8', 'fortran_order': 0, 'shape': (1,), }",
            "{'descr': '<f8', 'fortran_order': False, 'shape': (-1,), }",
            "{'descr': '<f8', 'fortran_order': False, 'shape': (1, }",
        ] {
            assert!(header(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn integers_of_all_widths() {
        let number = |kind, width, big, bytes: &[u8]| converter(kind, width, big).map(|f| f(bytes));
        assert_eq!(number(Kind::Signed, 2, false, &[0xfe, 0xff]), Some(-2.0));
        assert_eq!(number(Kind::Signed, 4, true, &[0xff, 0xff, 0xff, 0xfd]), Some(-3.0));
        assert_eq!(number(Kind::Unsigned, 8, false, &[1, 0, 0, 0, 1, 0, 0, 0]), Some(4294967297.0));
        assert_eq!(number(Kind::Float, 2, false, &[0, 0]), None);
    }
}
