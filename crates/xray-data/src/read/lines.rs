//! Lines of a text file with their numbers, and the numbers within lines.

use std::io::{ErrorKind, Read};

use super::bad::BadRecords;
use crate::error::{Error, Malformed, Result, io_error, quoted};
use crate::source::Source;

/// Bytes read at a time.
const BUFFER_BYTES: usize = 1 << 17;

/// Yields the lines of a source without their ends (`\n` or `\r\n`) and without a byte-order mark.
pub(crate) struct Lines {
    file: String,
    reader: Box<dyn Read + Send>,
    buffer: Vec<u8>,
    /// How much of the buffer holds content.
    filled: usize,
    /// The current line is at `at..end` of the buffer, unless it is in `pieces`.
    at: usize,
    end: usize,
    /// A line that does not lie in one piece in the buffer.
    pieces: Vec<u8>,
    number: u64,
    longest: usize,
    /// Whether the last line was given up before its end.
    cut: bool,
    /// Whether nothing more can be read.
    broken: bool,
}

/// One line of a file.
#[derive(Clone, Copy)]
pub(crate) struct Line<'a> {
    pub file: &'a str,
    /// Counted from 1.
    pub number: u64,
    pub bytes: &'a [u8],
}

impl Lines {
    pub(crate) fn new(source: Source, longest: usize) -> Self {
        let file = source.name.clone();
        Self::from_reader(file, Box::new(source.into_reader()), longest, BUFFER_BYTES)
    }

    /// The lines of bytes in memory.
    pub(crate) fn of_bytes(file: &str, bytes: &[u8]) -> Self {
        let reader = Box::new(std::io::Cursor::new(bytes.to_vec()));
        Self::from_reader(file.to_owned(), reader, usize::MAX, BUFFER_BYTES)
    }

    fn from_reader(
        file: String,
        reader: Box<dyn Read + Send>,
        longest: usize,
        buffer: usize,
    ) -> Self {
        let (buffer, pieces) = (vec![0; buffer], Vec::new());
        Self {
            file,
            reader,
            buffer,
            filled: 0,
            at: 0,
            end: 0,
            pieces,
            number: 0,
            longest,
            cut: false,
            broken: false,
        }
    }

    /// Lines that were read.
    pub(crate) fn count(&self) -> u64 {
        self.number
    }

    pub(crate) fn file(&self) -> &str {
        &self.file
    }

    /// The next line, or `None` at the end.
    pub(crate) fn next_line(&mut self) -> Result<Option<Line<'_>>> {
        self.at = self.end;
        self.pieces.clear();
        let ended = self.collect_pieces()?;
        if !ended && self.pieces.is_empty() {
            return Ok(None);
        }
        self.number += 1;
        Ok(Some(self.current()))
    }

    /// The next line that can be read, or `None` at the end; others are judged.
    pub(crate) fn next_good_line(&mut self, bad: &mut BadRecords) -> Result<Option<Line<'_>>> {
        loop {
            match self.next_line().map(|line| line.is_some()) {
                Ok(true) => return Ok(Some(self.current())),
                Ok(false) => return Ok(None),
                Err(error) => self.give_up(error, bad)?,
            }
        }
    }

    /// Goes on after the line in which something is wrong, if that is to be left out.
    pub(crate) fn give_up(&mut self, error: Error, bad: &mut BadRecords) -> Result<()> {
        if self.broken {
            return Err(error);
        }
        bad.judge::<()>(Err(error))?;
        if std::mem::take(&mut self.cut) {
            self.skip_line()?;
        }
        Ok(())
    }

    /// Passes over the rest of a line that is too long.
    fn skip_line(&mut self) -> Result<()> {
        self.number += 1;
        loop {
            self.pieces.clear();
            self.at = self.end;
            if !self.fill()? {
                return Ok(());
            }
            let rest = &self.buffer[self.at..self.filled];
            let end = memchr::memchr(b'\n', rest);
            self.end = self.at + end.map_or(rest.len(), |end| end + 1);
            if end.is_some() {
                return Ok(());
            }
        }
    }

    /// What the current line ends in: `\n`, `\r\n`, or nothing at the end of the file.
    pub(crate) fn line_end(&self) -> &[u8] {
        let bytes = self.with_end();
        let kept = without_end(bytes).len();
        &bytes[kept..]
    }

    /// The current line and its end.
    fn with_end(&self) -> &[u8] {
        match self.pieces.as_slice() {
            [] => &self.buffer[self.at..self.end],
            pieces => pieces,
        }
    }

    /// The line that [`next_line`](Self::next_line) gave last.
    pub(crate) fn current(&self) -> Line<'_> {
        let bytes = without_end(self.with_end());
        let bytes = match self.number {
            1 => bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes),
            _ => bytes,
        };
        Line { file: &self.file, number: self.number, bytes }
    }

    /// Looks for the end of the line: it lies at `at..end` of the buffer, or in `pieces`. False at
    /// the end of the file.
    fn collect_pieces(&mut self) -> Result<bool> {
        loop {
            if !self.fill()? {
                return Ok(false);
            }
            let rest = &self.buffer[self.at..self.filled];
            let end = memchr::memchr(b'\n', rest);
            self.end = self.at + end.map_or(rest.len(), |end| end + 1);
            if end.is_some() && self.pieces.is_empty() {
                return Ok(true);
            }
            self.pieces.extend_from_slice(&self.buffer[self.at..self.end]);
            self.at = self.end;
            if self.pieces.len() > self.longest {
                self.cut = end.is_none();
                let found = format!("a line of more than {} bytes", self.longest);
                return Err(Malformed::new(&self.file, found, "shorter lines")
                    .at_line(self.number + 1)
                    .remedy("check that it is text with line ends, or raise --memory, which limits them")
                    .into());
            }
            if end.is_some() {
                return Ok(true);
            }
        }
    }

    /// Makes sure that the buffer has more at `at`; false at the end of the file.
    fn fill(&mut self) -> Result<bool> {
        while self.at == self.filled {
            self.filled = match self.reader.read(&mut self.buffer) {
                Ok(n) => n,
                Err(e) if e.kind() == ErrorKind::Interrupted => continue,
                Err(e) => {
                    self.broken = true;
                    return Err(io_error(&self.file, "read", e));
                }
            };
            (self.at, self.end) = (0, 0);
            if self.filled == 0 {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// An error about the end of the file.
    pub(crate) fn ends_early(&self, expected: impl Into<String>) -> Malformed {
        Malformed::damaged(&self.file, "the end of the file", expected).at_line(self.number)
    }
}

fn without_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

impl<'a> Line<'a> {
    /// Whether there is nothing but white space.
    pub(crate) fn is_blank(&self) -> bool {
        self.bytes.iter().all(u8::is_ascii_whitespace)
    }

    /// The fields between white space.
    pub(crate) fn fields(self) -> Fields<'a> {
        Fields { line: self, at: 0 }
    }

    /// The line as text.
    pub(crate) fn text(&self) -> Result<&'a str> {
        std::str::from_utf8(self.bytes).map_err(|e| {
            let column = e.valid_up_to();
            let found = match self.bytes.get(column) {
                Some(byte) => format!("byte 0x{byte:02X}, which is not UTF-8"),
                None => "bytes that are not UTF-8".to_owned(),
            };
            Malformed::new(self.file, found, "UTF-8 text")
                .at(self.number, column as u64 + 1)
                .remedy("say what it is with `encoding`, convert it with iconv, or let invalid bytes be replaced")
                .into()
        })
    }

    /// The line as text, with invalid bytes replaced if `replace` says so.
    pub(crate) fn text_or_replaced(&self, replace: bool) -> Result<String> {
        match self.text() {
            Ok(text) => Ok(text.to_owned()),
            Err(_) if replace => Ok(String::from_utf8_lossy(self.bytes).into_owned()),
            Err(error) => Err(error),
        }
    }

    /// An error about the whole line.
    pub(crate) fn error(&self, expected: impl Into<String>) -> Malformed {
        let found = if self.is_blank() { "an empty line".to_owned() } else { quoted(self.bytes) };
        Malformed::new(self.file, found, expected).at_line(self.number)
    }
}

/// The fields of a line; see [`Line::fields`].
#[derive(Clone)]
pub(crate) struct Fields<'a> {
    line: Line<'a>,
    at: usize,
}

impl<'a> Iterator for Fields<'a> {
    type Item = Field<'a>;

    fn next(&mut self) -> Option<Field<'a>> {
        let bytes = self.line.bytes;
        while self.at < bytes.len() && bytes[self.at].is_ascii_whitespace() {
            self.at += 1;
        }
        if self.at == bytes.len() {
            return None;
        }
        let start = self.at;
        while self.at < bytes.len() && !bytes[self.at].is_ascii_whitespace() {
            self.at += 1;
        }
        let column = start as u64 + 1;
        Some(Field { line: self.line, column, bytes: &bytes[start..self.at] })
    }
}

impl<'a> Fields<'a> {
    /// The next field, or an error that says what is missing.
    pub(crate) fn expect(&mut self, expected: &str) -> Result<Field<'a>> {
        match self.next() {
            Some(field) => Ok(field),
            None => Err(Malformed::new(self.line.file, "the end of the line", expected)
                .at(self.line.number, self.line.bytes.len() as u64 + 1)
                .into()),
        }
    }

    /// Refuses anything further on the line.
    pub(crate) fn expect_end(&mut self) -> Result<()> {
        match self.next() {
            None => Ok(()),
            Some(field) => Err(field.error("the end of the line").into()),
        }
    }
}

/// A piece of a line.
#[derive(Clone, Copy)]
pub(crate) struct Field<'a> {
    pub line: Line<'a>,
    /// Counted in bytes from 1.
    pub column: u64,
    pub bytes: &'a [u8],
}

impl<'a> Field<'a> {
    pub(crate) fn error(&self, expected: impl Into<String>) -> Malformed {
        Malformed::new(self.line.file, quoted(self.bytes), expected)
            .at(self.line.number, self.column)
    }

    /// A part of the field, with its own column.
    pub(crate) fn part(&self, range: std::ops::Range<usize>) -> Field<'a> {
        let column = self.column + range.start as u64;
        Field { bytes: &self.bytes[range], column, ..*self }
    }

    /// A finite number.
    pub(crate) fn number(&self) -> Result<f64> {
        let error = || self.error("a finite number").remedy(number_remedy(self.bytes)).into();
        parse_number(self.bytes).ok_or_else(error)
    }

    /// A whole number that is not negative.
    pub(crate) fn count(&self, expected: &str) -> Result<u64> {
        parse_count(self.bytes).ok_or_else(|| self.error(expected).into())
    }

    /// A number in `1..=most`, returned counted from 0.
    pub(crate) fn index_from_one(&self, what: &str, most: usize) -> Result<u32> {
        match parse_count(self.bytes) {
            Some(index) if index >= 1 && index <= most as u64 => Ok((index - 1) as u32),
            _ => Err(self.error(format!("a {what} between 1 and {most}")).into()),
        }
    }
}

/// Whether this stands for a value that is not there.
pub(crate) fn is_missing_value(bytes: &[u8]) -> bool {
    let missing = [&b""[..], b"na", b"n/a", b"nan", b"null", b"none", b"?", b"-"];
    bytes.len() <= 4 && missing.contains(&bytes.to_ascii_lowercase().as_slice())
}

/// What to do about something that is no finite number.
pub(crate) fn number_remedy(bytes: &[u8]) -> &'static str {
    let infinite = fast_float2::parse::<f64, _>(bytes).is_ok_and(|value| !value.is_finite());
    match bytes {
        bytes if infinite || is_missing_value(bytes) => {
            "fill in or remove missing and infinite values"
        }
        bytes if bytes.contains(&b',') => {
            "write decimals with a point, and thousands without a comma"
        }
        _ => "",
    }
}

/// A finite decimal number, without white space.
pub(crate) fn parse_number(bytes: &[u8]) -> Option<f64> {
    let bytes = match bytes {
        [b'+', rest @ ..] if !rest.starts_with(b"-") => rest,
        _ => bytes,
    };
    fast_float2::parse::<f64, _>(bytes).ok().filter(|value| value.is_finite())
}

/// Digits only, below 2^64.
pub(crate) fn parse_count(bytes: &[u8]) -> Option<u64> {
    if bytes.is_empty() || bytes.len() > 20 {
        return None;
    }
    let mut count = 0u64;
    for byte in bytes {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        count = count.checked_mul(10)?.checked_add(u64::from(digit))?;
    }
    Some(count)
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn lines(content: &[u8], buffer: usize) -> Vec<(u64, Vec<u8>)> {
        let reader = Box::new(Cursor::new(content.to_vec()));
        let mut lines = Lines::from_reader("test".into(), reader, 1000, buffer);
        let mut all = Vec::new();
        while let Some(line) = lines.next_line().expect("short lines") {
            all.push((line.number, line.bytes.to_vec()));
        }
        all
    }

    #[test]
    fn lines_do_not_depend_on_the_buffer() {
        let content = b"\xef\xbb\xbfone\r\n\ntwo\nlonger line\nlast";
        let expected: Vec<(u64, Vec<u8>)> = [&b"one"[..], b"", b"two", b"longer line", b"last"]
            .iter()
            .enumerate()
            .map(|(k, line)| (k as u64 + 1, line.to_vec()))
            .collect();
        for buffer in [1, 2, 3, 5, 8, 100] {
            assert_eq!(lines(content, buffer), expected, "{buffer}");
        }
        assert_eq!(lines(b"", 8), []);
        assert_eq!(lines(b"\n", 8), [(1, vec![])]);
    }

    #[test]
    fn endless_lines_are_refused() {
        let reader = Box::new(Cursor::new(vec![b'x'; 2000]));
        let mut lines = Lines::from_reader("test".into(), reader, 1000, 16);
        assert!(lines.next_line().is_err());
    }

    #[test]
    fn numbers_are_finite() {
        assert_eq!(parse_number(b"+1.5e3"), Some(1500.0));
        assert_eq!(parse_number(b"-0"), Some(-0.0));
        for wrong in ["", "nan", "inf", "-Infinity", "1e999", "1,5", "+-1", "0x10", "1 "] {
            assert_eq!(parse_number(wrong.as_bytes()), None, "{wrong}");
        }
        assert_eq!(parse_count(b"18446744073709551615"), Some(u64::MAX));
        assert_eq!(parse_count(b"18446744073709551616"), None);
    }
}
