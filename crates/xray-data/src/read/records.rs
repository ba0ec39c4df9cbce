//! Records of a delimited text file, with the place of every field.
//!
//! A field that begins with `"` is quoted: it ends at the next quote that is not doubled, which
//! must be followed by a delimiter or the end of the line. In CSV a quoted field may run over
//! several lines. In TSV quotes are mostly ordinary characters, so that a field counts as quoted
//! only if it closes properly on its own line. (Existing CSV readers accept a quote that is never
//! closed and text after a closing quote; here both are errors with their place.)

use super::bad::BadRecords;
use super::lines::{Line, Lines, number_remedy, parse_number};
use crate::error::{Malformed, Result, quoted};

/// What `"` means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Quoting {
    /// It encloses fields, also over several lines.
    Fields,
    /// It encloses fields that close on the same line.
    SameLine,
    /// It is an ordinary character.
    None,
}

/// How records are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Dialect {
    /// The byte between fields; a space stands for any white space.
    pub delimiter: u8,
    pub quoting: Quoting,
}

/// Yields records; blank lines are skipped.
pub(crate) struct Records {
    lines: Lines,
    dialect: Dialect,
    longest: usize,
    /// The content of all fields of the current record, without quotes.
    content: Vec<u8>,
    fields: Vec<Place>,
    line: u64,
}

/// Where a field is: in the content, and in the file.
#[derive(Clone, Copy)]
struct Place {
    start: usize,
    end: usize,
    line: u64,
    column: u64,
}

impl Records {
    pub(crate) fn new(lines: Lines, dialect: Dialect, longest: usize) -> Self {
        Self { lines, dialect, longest, content: Vec::new(), fields: Vec::new(), line: 0 }
    }

    /// Reads the next record; false at the end.
    pub(crate) fn advance(&mut self) -> Result<bool> {
        self.content.clear();
        self.fields.clear();
        loop {
            match self.lines.next_line()? {
                None => return Ok(false),
                Some(line) if line.is_blank() => {}
                Some(line) => {
                    self.line = line.number;
                    break;
                }
            }
        }
        if self.dialect.delimiter == b' ' {
            for field in self.lines.current().fields() {
                let start = self.content.len();
                self.content.extend_from_slice(field.bytes);
                let (end, line) = (self.content.len(), self.line);
                self.fields.push(Place { start, end, line, column: field.column });
            }
            return Ok(true);
        }
        let mut at = 0;
        while let Some(next) = self.read_field(at)? {
            at = next;
        }
        Ok(true)
    }

    /// Reads the next record that can be read; false at the end. Others are judged.
    pub(crate) fn advance_good(&mut self, bad: &mut BadRecords) -> Result<bool> {
        loop {
            match self.advance() {
                Ok(more) => return Ok(more),
                Err(error) => self.lines.give_up(error, bad)?,
            }
        }
    }

    /// Reads the field at byte `at` of the current line; the start of the next one, if any.
    fn read_field(&mut self, at: usize) -> Result<Option<usize>> {
        let line = self.lines.current();
        let (delimiter, rest) = (self.dialect.delimiter, &line.bytes[at..]);
        let place =
            Place { start: self.content.len(), end: 0, line: line.number, column: at as u64 + 1 };
        if rest.first() == Some(&b'"') {
            match self.dialect.quoting {
                Quoting::Fields => return self.read_quoted(at + 1, place),
                Quoting::SameLine => {
                    if let Some((content, length)) = unquote(rest, delimiter) {
                        let end_of_line = rest.len() == length;
                        self.content.extend_from_slice(&content);
                        self.fields.push(Place { end: self.content.len(), ..place });
                        return Ok((!end_of_line).then_some(at + length + 1));
                    }
                }
                Quoting::None => {}
            }
        }
        let length = memchr::memchr(delimiter, rest);
        self.content.extend_from_slice(&rest[..length.unwrap_or(rest.len())]);
        self.fields.push(Place { end: self.content.len(), ..place });
        Ok(length.map(|length| at + length + 1))
    }

    /// Reads the rest of a quoted field, over several lines if need be.
    fn read_quoted(&mut self, mut at: usize, place: Place) -> Result<Option<usize>> {
        loop {
            let line = self.lines.current();
            let rest = &line.bytes[at..];
            let Some(quote) = memchr::memchr(b'"', rest) else {
                self.content.extend_from_slice(rest);
                self.content.extend_from_slice(self.lines.line_end());
                self.next_line_of_field(place)?;
                at = 0;
                continue;
            };
            self.content.extend_from_slice(&rest[..quote]);
            at += quote + 1;
            match line.bytes.get(at) {
                Some(b'"') => {
                    self.content.push(b'"');
                    at += 1;
                }
                Some(&byte) if byte != self.dialect.delimiter => {
                    let found = quoted(&line.bytes[at..]);
                    return Err(Malformed::new(
                        line.file,
                        found,
                        "a delimiter after a closing quote",
                    )
                    .at(line.number, at as u64 + 1)
                    .remedy("double the quotes within a field, or turn `quoting` off")
                    .into());
                }
                next => {
                    let next = next.map(|_| at + 1);
                    self.fields.push(Place { end: self.content.len(), ..place });
                    return Ok(next);
                }
            }
        }
    }

    fn next_line_of_field(&mut self, place: Place) -> Result<()> {
        let too_long = self.content.len() > self.longest;
        if !too_long && self.lines.next_line()?.is_some() {
            return Ok(());
        }
        let found = match self.lines.count().saturating_sub(place.line) {
            _ if too_long => "a very long field".to_owned(),
            0 => "a quote that is never closed".to_owned(),
            more => format!("a quote that is never closed, with {more} more lines behind it"),
        };
        Err(Malformed::new(self.lines.file(), found, "a closing quote")
            .at(place.line, place.column)
            .remedy("close it, or turn `quoting` off")
            .into())
    }

    pub(crate) fn file(&self) -> &str {
        self.lines.file()
    }

    /// Number of fields of the current record.
    pub(crate) fn len(&self) -> usize {
        self.fields.len()
    }

    /// The content of a field.
    pub(crate) fn bytes(&self, field: usize) -> &[u8] {
        let place = self.fields[field];
        &self.content[place.start..place.end]
    }

    /// A field as text; invalid bytes are an error unless `replace` says otherwise.
    pub(crate) fn text(&self, field: usize, replace: bool) -> Result<String> {
        let place = self.fields[field];
        let line = Line { file: self.file(), number: place.line, bytes: self.bytes(field) };
        line.text_or_replaced(replace)
    }

    /// All fields as text.
    pub(crate) fn texts(&self, replace: bool) -> Result<Vec<String>> {
        (0..self.len()).map(|field| self.text(field, replace)).collect()
    }

    /// A field as a finite number.
    pub(crate) fn number(&self, field: usize) -> Result<f64> {
        let bytes = self.bytes(field).trim_ascii();
        match parse_number(bytes) {
            Some(number) => Ok(number),
            None => {
                let empty = bytes.is_empty();
                let found = if empty { "an empty field".to_owned() } else { quoted(bytes) };
                let error = self.error(field, found, "a finite number");
                Err(error.remedy(number_remedy(bytes)).into())
            }
        }
    }

    /// Refuses a record whose number of fields differs from the others'.
    pub(crate) fn expect_len(&self, n: usize) -> Result<()> {
        if self.len() == n {
            return Ok(());
        }
        let found = format!("{} field{}", self.len(), if self.len() == 1 { "" } else { "s" });
        Err(Malformed::new(self.file(), found, format!("{n}, as on the lines before"))
            .at_line(self.line)
            .remedy("check delimiter and quotes")
            .into())
    }

    fn error(&self, field: usize, found: impl Into<String>, expected: &str) -> Malformed {
        let place = self.fields[field];
        Malformed::new(self.file(), found, expected).at(place.line, place.column)
    }
}

/// The content and the length of a quoted field that closes properly within `rest`.
fn unquote(rest: &[u8], delimiter: u8) -> Option<(Vec<u8>, usize)> {
    let mut content = Vec::new();
    let mut at = 1;
    loop {
        let quote = at + memchr::memchr(b'"', &rest[at..])?;
        content.extend_from_slice(&rest[at..quote]);
        at = quote + 1;
        match rest.get(at) {
            Some(b'"') => {
                content.push(b'"');
                at += 1;
            }
            Some(&byte) if byte != delimiter => return None,
            _ => return Some((content, at)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(content: &str, delimiter: u8, quoting: Quoting) -> Result<Vec<Vec<String>>> {
        let lines = Lines::of_bytes("test", content.as_bytes());
        let mut records = Records::new(lines, Dialect { delimiter, quoting }, 1 << 20);
        let mut all = Vec::new();
        while records.advance()? {
            all.push(records.texts(false)?);
        }
        Ok(all)
    }

    #[test]
    fn quoted_fields_in_csv() {
        let content = "a,\"b, \"\"c\"\"\",\n\n\"two\nlines\",\"\",x\"y\n";
        let records = parse(content, b',', Quoting::Fields).expect("valid");
        assert_eq!(records, [["a", "b, \"c\"", ""], ["two\nlines", "", "x\"y"]]);
    }

    #[test]
    fn quotes_in_tsv_are_ordinary_unless_they_enclose_a_field() {
        let content = "\"all\"\t\"half\" open\n\"never closed\t\"a \"\"b\"\"\"\n";
        let records = parse(content, b'\t', Quoting::SameLine).expect("valid");
        assert_eq!(records, [["all", "\"half\" open"], ["\"never closed", "a \"b\""]]);
    }

    #[test]
    fn white_space_runs_separate() {
        let records = parse("  1   2\t3 \n", b' ', Quoting::None).expect("valid");
        assert_eq!(records, [["1", "2", "3"]]);
    }

    #[test]
    fn broken_quotes_are_located() {
        let message = |content| parse(content, b',', Quoting::Fields).unwrap_err().to_string();
        let unclosed = message("a,b\nc,\"d\ne\nf");
        let expected = "test:2:3: found a quote that is never closed, with 2 more lines behind it";
        assert!(unclosed.starts_with(expected), "{unclosed}");
        assert!(message("\"a\"b,c").starts_with("test:1:4: found \"b,c\""));
    }
}
