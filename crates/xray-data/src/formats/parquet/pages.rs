//! The pages of a row group: what they take once they are unpacked, told by their headers before any is.
//!
//! ```text
//! claim = sum over columns: dictionary + 32 (its values) + pages of one batch + copies (largest value)
//! ```
//!
//! A page of some kilobytes may stand for gigabytes, and the crate makes room for what a header says. Headers are
//! short, and are all that is looked at: they are Thrift's compact encoding, which the crate reads but does not show.
//! A value is never longer than the page, or the dictionary, that it is in. Pages that share a batch of rows are held
//! together, so batches are small where rows are long. A header that cannot be read is left to the crate, which stops
//! at the same place.

use std::collections::VecDeque;
use std::io::{self, Read};

use flate2::read::MultiGzDecoder;
use parquet::basic::{Compression, Encoding};
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::reader::ChunkReader;

use super::thrift::{STRUCT, Thrift};

/// Rows that are read at once, and bytes of them; at least one row.
const BATCH_ROWS: u64 = 1024;
const BATCH_BYTES: u64 = 1 << 20;

/// What a value of a dictionary takes besides its bytes, and one with lengths of its own.
const PER_DICTIONARY_VALUE: u64 = 32;
const PER_DELTA_VALUE: u64 = 8;

/// How many bytes one of Deflate can stand for.
const GZIP_EXPANSION: u64 = 1032;

/// Numbers of the types of pages, and of encodings with texts that stand on those before them.
const INDEX_PAGE: i64 = 1;
const DICTIONARY_PAGE: i64 = 2;
const DELTA_LENGTHS: i64 = 6;
const DELTA_TEXTS: i64 = 7;

/// How many rows to read at once.
pub(super) fn batch_rows<'a>(
    columns: impl Iterator<Item = &'a ColumnChunkMetaData>,
    n_rows: u64,
) -> u64 {
    let (mut bytes, mut stands_on_others) = (0_u64, false);
    for column in columns {
        bytes = bytes.saturating_add(column.uncompressed_size().unsigned_abs());
        stands_on_others |= column.encodings().any(|e| e == Encoding::DELTA_BYTE_ARRAY);
    }
    // Such texts are copies, each of which may be as long as its page.
    let most = if stands_on_others { 1 } else { BATCH_ROWS };
    (BATCH_BYTES / (bytes / n_rows.max(1)).max(1)).clamp(1, most)
}

/// What the pages of a column of a row group take while `batch` rows are read at once, where `left` bytes are left.
///
/// # Errors
/// What is wrong, if a page holds more than it says.
pub(super) fn held_at_once<R: ChunkReader>(
    content: &R,
    column: &ColumnChunkMetaData,
    batch: u64,
    left: u64,
) -> Result<Held, String> {
    let (start, length) = column.byte_range();
    let is_gzip = matches!(column.compression(), Compression::GZIP(_));
    let mut held = Held { batch, ..Held::default() };
    let mut place = start;
    while place < start + length {
        let Some((header, bytes)) = Header::read(content, place) else { break };
        place += bytes;
        let Ok(packed) = u64::try_from(header.packed) else { break };
        if header.unpacked < 0 || packed > (start + length).saturating_sub(place) {
            break;
        }
        if is_gzip && header.is_packed && packed.saturating_mul(GZIP_EXPANSION) > left {
            header.check_gzip(content, place)?;
        }
        held.add(&header);
        place += packed;
    }
    Ok(held)
}

/// What is held of the pages of a column.
#[derive(Default)]
pub(super) struct Held {
    batch: u64,
    dictionary: u64,
    /// A value, and so a field of a row, is not longer than this page.
    longest: u64,
    /// Bytes and values of the pages that a batch may be made of, and the sum of each.
    pages: VecDeque<(u64, u64)>,
    bytes: u64,
    values: u64,
    most_bytes: u64,
}

impl Held {
    fn add(&mut self, header: &Header) {
        let unpacked = header.unpacked.unsigned_abs();
        self.longest = self.longest.max(unpacked);
        let bytes = unpacked + header.packed.unsigned_abs();
        let values = header.values.unsigned_abs();
        match header.kind {
            INDEX_PAGE => {}
            DICTIONARY_PAGE => {
                let values = values.saturating_mul(PER_DICTIONARY_VALUE);
                self.dictionary = self.dictionary.saturating_add(bytes).saturating_add(values);
            }
            _ => {
                let delta = matches!(header.encoding, DELTA_LENGTHS | DELTA_TEXTS);
                let lengths = if delta { values.saturating_mul(PER_DELTA_VALUE) } else { 0 };
                self.push(bytes.saturating_add(lengths), values);
            }
        }
    }

    /// A batch begins with the last value of a page, at worst, and ends with the first of another; the batch before may
    /// hold one more.
    fn push(&mut self, bytes: u64, values: u64) {
        self.most_bytes = self.most_bytes.max(self.bytes.saturating_add(bytes));
        if values == 0 {
            return;
        }
        self.pages.push_back((bytes, values));
        self.bytes = self.bytes.saturating_add(bytes);
        self.values = self.values.saturating_add(values);
        while let Some(&(first_bytes, first_values)) = self.pages.front()
            && self.values - first_values > self.batch
        {
            self.pages.pop_front();
            self.bytes -= first_bytes;
            self.values -= first_values;
        }
    }

    /// The memory that it takes with so many copies of a row.
    pub(super) fn bytes(&self, copies: u64) -> u64 {
        let row = self.longest.saturating_mul(copies);
        self.dictionary.saturating_add(self.most_bytes).saturating_add(row)
    }
}

/// What the header of a page says.
#[derive(Debug, Default)]
struct Header {
    kind: i64,
    unpacked: i64,
    packed: i64,
    values: i64,
    encoding: i64,
    /// Bytes at the start of a page of the second version that are not compressed.
    levels: i64,
    is_packed: bool,
}

impl Header {
    /// The header at a place, and how many bytes it has.
    fn read<R: ChunkReader>(content: &R, place: u64) -> Option<(Self, u64)> {
        let mut thrift = Thrift::new(content.get_read(place).ok()?);
        let mut header = Self { is_packed: true, ..Self::default() };
        thrift.fields(0, &mut |thrift, id, kind| {
            match (id, kind) {
                (1, 5) => header.kind = thrift.int()?,
                (2, 5) => header.unpacked = thrift.int()?,
                (3, 5) => header.packed = thrift.int()?,
                (5 | 7 | 8, STRUCT) => thrift.fields(1, &mut |thrift, inner, kind| {
                    header.read_about(thrift, id, inner, kind)
                })?,
                _ => thrift.skip(kind, 0)?,
            }
            Some(())
        })?;
        Some((header, thrift.bytes_read()))
    }

    /// A field of what only one type of page has: data, a dictionary, data of the second version.
    fn read_about(
        &mut self,
        thrift: &mut Thrift<impl Read>,
        page: i64,
        field: i64,
        kind: u8,
    ) -> Option<()> {
        match (page, field, kind) {
            (_, 1, 5) => self.values = thrift.int()?,
            (5 | 7, 2, 5) | (8, 4, 5) => self.encoding = thrift.int()?,
            (8, 5 | 6, 5) => self.levels = self.levels.saturating_add(thrift.int()?),
            (8, 7, 1 | 2) => self.is_packed = kind == 1,
            _ => thrift.skip(kind, 1)?,
        }
        Some(())
    }

    /// Of all that the crate unpacks only gzip may give more than was said: that is told once it is in memory. So
    /// where it could be too much it is counted first.
    fn check_gzip<R: ChunkReader>(&self, content: &R, place: u64) -> Result<(), String> {
        let levels = self.levels.clamp(0, self.packed).unsigned_abs();
        let said = self.unpacked.unsigned_abs().saturating_sub(levels);
        let Ok(page) = content.get_read(place + levels) else { return Ok(()) };
        let packed = page.take(self.packed.unsigned_abs() - levels);
        let unpacked = io::copy(&mut MultiGzDecoder::new(packed).take(said + 1), &mut io::sink());
        match unpacked {
            Ok(bytes) if bytes > said => {
                Err(format!("a page of more than the {said} bytes it says"))
            }
            // What cannot be unpacked is told by the crate.
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use std::io::Write;

    use super::*;

    fn varint(value: i64, out: &mut Vec<u8>) {
        let mut left = (value << 1 ^ value >> 63) as u64;
        while left >= 0x80 {
            out.push(left as u8 | 0x80);
            left >>= 7;
        }
        out.push(left as u8);
    }

    /// The header of a page of the first version, with statistics that are passed over.
    fn header(unpacked: i64, packed: i64, values: i64) -> Vec<u8> {
        let mut bytes = vec![0x15];
        varint(0, &mut bytes);
        bytes.push(0x15);
        varint(unpacked, &mut bytes);
        bytes.push(0x15);
        varint(packed, &mut bytes);
        bytes.extend([0x2c, 0x15]);
        varint(values, &mut bytes);
        bytes.push(0x15);
        varint(0, &mut bytes);
        // Field 5: a structure with a text, a truth value, and a list of two numbers.
        bytes.extend([0x3c, 0x18, 3, b'a', b'b', b'c', 0x11, 0x19, 0x25, 2, 4, 0]);
        bytes.extend([0, 0]);
        bytes
    }

    #[test]
    fn headers_are_read_to_their_ends() {
        let bytes = header(1 << 40, 77, 12);
        let length = bytes.len() as u64;
        let content = Bytes::from([bytes, vec![9; 100]].concat());
        let (header, read) = Header::read(&content, 0).expect("a header");
        assert_eq!((header.unpacked, header.packed, header.values), (1 << 40, 77, 12));
        assert_eq!(read, length);
        assert!(Header::read(&content.slice(..20), 0).is_none());
        assert!(Header::read(&Bytes::from(vec![0x1c; 100]), 0).is_none(), "too deep");
    }

    #[test]
    fn pages_of_one_batch_are_held_together() {
        let most = |batch: u64, pages: &[(i64, i64)]| {
            let mut held = Held { batch, ..Held::default() };
            for &(unpacked, values) in pages {
                held.add(&Header { unpacked, values, ..Header::default() });
            }
            held.bytes(0)
        };
        assert_eq!(most(10, &[(100, 50), (100, 50), (100, 50)]), 200);
        assert_eq!(most(10, &[(100, 1); 50]), 1200);
        assert_eq!(most(1, &[(100, 1); 50]), 300);
        assert_eq!(most(10, &[(100, 50), (700, 0), (100, 50)]), 800);
    }

    #[test]
    fn gzip_that_gives_more_than_it_says_is_told_before_it_does() {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packer.write_all(&vec![b'a'; 1 << 20]).expect("memory");
        let packed = packer.finish().expect("memory");
        let content = Bytes::from([&[7; 3][..], &packed].concat());
        let check = |unpacked: i64| {
            let packed = packed.len() as i64 + 3;
            let header = Header { unpacked, packed, levels: 3, ..Header::default() };
            header.check_gzip(&content, 0)
        };
        assert_eq!(check((1 << 20) + 3), Ok(()));
        assert!(check(1 << 20).is_err_and(|found| found.contains("more than the 1048573 bytes")));
    }
}
