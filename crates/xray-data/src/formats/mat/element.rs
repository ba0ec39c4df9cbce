//! Elements: tags, and numbers of any stored type.

use std::io::{self, Read};

use crate::error::{Error, Malformed, Result, io_error};
use crate::read::{LARGEST_WHOLE, check_rounded};

/// Bytes converted at a time.
const BLOCK: usize = 1 << 16;

/// Zeros after the data of an element, which the last element of a file may lack.
const MOST_PADDING: u64 = 7;

/// The tag of an element.
#[derive(Debug, Clone, Copy)]
pub(super) struct Element {
    pub kind: u32,
    pub size: u32,
    /// Data of at most 4 bytes stands in the tag itself.
    small: Option<[u8; 4]>,
}

impl Element {
    /// Bytes that follow the tag: none for small elements, otherwise a multiple of 8.
    pub(super) fn padded_size(&self) -> u64 {
        if self.small.is_some() { 0 } else { u64::from(self.size).next_multiple_of(8) }
    }
}

/// Reads elements from a stream.
pub(super) struct Reader<R> {
    pub file: String,
    stream: R,
    big_endian: bool,
}

impl<R: Read> Reader<R> {
    pub(super) fn new(file: &str, stream: R, big_endian: bool) -> Self {
        Self { file: file.to_owned(), stream, big_endian }
    }

    pub(super) fn by_ref(&mut self) -> &mut R {
        &mut self.stream
    }

    pub(super) fn into_inner(self) -> R {
        self.stream
    }

    /// Reads the elements within one element, and skips what `read` leaves of it.
    pub(super) fn within<T>(
        &mut self,
        element: Element,
        read: impl FnOnce(&mut Reader<io::Take<&mut R>>) -> Result<T>,
    ) -> Result<T> {
        let body = Read::take(&mut self.stream, element.padded_size());
        let mut inner = Reader::new(&self.file, body, self.big_endian);
        let result = read(&mut inner)?;
        drain(&self.file, inner.into_inner())?;
        Ok(result)
    }

    /// Text of a stored type; `None` if the type is not one of text.
    pub(super) fn decode(&self, kind: u32, bytes: &[u8]) -> Option<String> {
        match kind {
            1 | 2 | 16 => Some(String::from_utf8_lossy(bytes).into_owned()),
            4 | 17 => {
                let unit = |&pair: &[u8; 2]| {
                    if self.big_endian {
                        u16::from_be_bytes(pair)
                    } else {
                        u16::from_le_bytes(pair)
                    }
                };
                let units: Vec<u16> = bytes.as_chunks().0.iter().map(unit).collect();
                Some(String::from_utf16_lossy(&units))
            }
            18 => {
                let units = bytes.as_chunks().0.iter().map(|&unit| self.u32(unit));
                Some(units.map(|unit| char::from_u32(unit).unwrap_or('\u{fffd}')).collect())
            }
            _ => None,
        }
    }

    /// The next tag, or `None` at the end.
    pub(super) fn next_element(&mut self) -> Result<Option<Element>> {
        let mut tag = [0; 8];
        let mut filled = 0;
        while filled < 8 {
            match self.stream.read(&mut tag[filled..]) {
                Ok(0) if filled == 0 => return Ok(None),
                Ok(0) => return Err(self.error("the end of the file", "a tag of 8 bytes")),
                Ok(n) => filled += n,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(io_error(&self.file, "read", e)),
            }
        }
        let first = self.u32([tag[0], tag[1], tag[2], tag[3]]);
        let second = [tag[4], tag[5], tag[6], tag[7]];
        if first >> 16 == 0 {
            return Ok(Some(Element { kind: first, size: self.u32(second), small: None }));
        }
        let size = first >> 16;
        if size > 4 {
            let found = format!("a small element of {size} bytes");
            return Err(self.error(found, "at most 4"));
        }
        Ok(Some(Element { kind: first & 0xffff, size, small: Some(second) }))
    }

    /// The next tag, which must be there.
    pub(super) fn expect_element(&mut self, what: &str) -> Result<Element> {
        match self.next_element()? {
            Some(element) => Ok(element),
            None => Err(self.error("the end of the file", what)),
        }
    }

    /// The bytes of a short element.
    pub(super) fn read_bytes(
        &mut self,
        element: Element,
        most: u32,
        what: &str,
    ) -> Result<Vec<u8>> {
        if element.size > most {
            let found = format!("{what} of {} bytes", element.size);
            return Err(self.error(found, format!("at most {most}")));
        }
        let size = element.size as usize;
        if let Some(small) = element.small {
            return Ok(small[..size].to_vec());
        }
        let mut bytes = vec![0; element.padded_size() as usize];
        self.stream.read_exact(&mut bytes).map_err(|e| io_error(&self.file, "read", e))?;
        bytes.truncate(size);
        Ok(bytes)
    }

    /// The `expected` numbers of an element, allocated as they arrive.
    pub(super) fn read_numbers(&mut self, element: Element, expected: usize) -> Result<Vec<f64>> {
        let (width, convert) = self.converter(element)?;
        if (expected as u64).checked_mul(width as u64) != Some(u64::from(element.size)) {
            let found = format!("{} bytes", element.size);
            return Err(self.error(found, format!("{expected} numbers of {width} bytes")));
        }
        if let Some(small) = element.small {
            return Ok(small[..element.size as usize].chunks_exact(width).map(convert).collect());
        }
        let mut numbers = Vec::new();
        let mut block = vec![0; BLOCK.min(element.size as usize)];
        let mut left = element.size as usize;
        while left > 0 {
            let bytes = &mut block[..BLOCK.min(left)];
            self.stream.read_exact(bytes).map_err(|e| io_error(&self.file, "read", e))?;
            numbers.extend(bytes.chunks_exact(width).map(convert));
            left -= bytes.len();
        }
        let padding = (element.padded_size() - u64::from(element.size)) as usize;
        // The last element of a file may lack its padding.
        let mut skipped = Read::take(&mut self.stream, padding as u64);
        io::copy(&mut skipped, &mut io::sink()).map_err(|e| io_error(&self.file, "read", e))?;
        if WIDE_WHOLE.contains(&element.kind) {
            let large = |value: &f64| value.abs() >= LARGEST_WHOLE;
            check_rounded(&self.file, numbers.iter().copied().find(large))?;
        }
        Ok(numbers)
    }

    /// How many numbers an element holds.
    pub(super) fn n_numbers(&self, element: Element) -> Result<usize> {
        Ok(element.size as usize / self.converter(element)?.0)
    }

    fn converter(&self, element: Element) -> Result<(usize, Convert)> {
        converter(element.kind, self.big_endian).ok_or_else(|| {
            let found = format!("numbers of type {}", element.kind);
            self.error(found, "a type between 1 and 13")
        })
    }

    /// Four bytes as a number, in the file's byte order.
    pub(super) fn u32(&self, bytes: [u8; 4]) -> u32 {
        if self.big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) }
    }

    pub(super) fn error(&self, found: impl Into<String>, expected: impl Into<String>) -> Error {
        Malformed::damaged(&self.file, found, expected).into()
    }
}

/// Skips what is left of an element; a file that ends within one is cut off.
pub(super) fn drain(file: &str, mut rest: io::Take<impl Read>) -> Result<()> {
    io::copy(&mut rest, &mut io::sink()).map_err(|e| io_error(file, "read", e))?;
    if rest.limit() > MOST_PADDING {
        let found = "the end of the file";
        return Err(Malformed::damaged(file, found, "the rest of a variable").into());
    }
    Ok(())
}

type Convert = fn(&[u8]) -> f64;

/// Types of whole numbers of 64 bits.
const WIDE_WHOLE: [u32; 2] = [12, 13];

/// Width and conversion of a stored type.
fn converter(kind: u32, big_endian: bool) -> Option<(usize, Convert)> {
    macro_rules! number {
        ($type:ty) => {{
            let convert: Convert = if big_endian {
                |b| <$type>::from_be_bytes(b.try_into().unwrap_or_default()) as f64
            } else {
                |b| <$type>::from_le_bytes(b.try_into().unwrap_or_default()) as f64
            };
            (size_of::<$type>(), convert)
        }};
    }
    Some(match kind {
        1 => number!(i8),
        2 => number!(u8),
        3 => number!(i16),
        4 => number!(u16),
        5 => number!(i32),
        6 => number!(u32),
        7 => number!(f32),
        9 => number!(f64),
        12 => number!(i64),
        13 => number!(u64),
        _ => return None,
    })
}
