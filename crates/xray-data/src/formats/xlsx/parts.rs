//! The parts of a workbook: which sheets there are, what styles mean, and the strings that cells share.

use std::borrow::Cow;
use std::io::{self, BufReader, Read};

use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};
use zip::ZipArchive;
use zip::result::ZipError;

use super::dates::is_date_format;
use crate::budget::{Claim, string_bytes};
use crate::error::{Error, Malformed, Result};
use crate::source::ReadSeek;

/// The parts of an archive, none of which may expand to more than `limit` bytes.
pub(super) struct Parts<'a> {
    pub file: &'a str,
    pub archive: &'a mut ZipArchive<Box<dyn ReadSeek>>,
    pub limit: u64,
}

/// What XML is made of.
pub(super) enum Piece<'a> {
    Open(&'a str, &'a BytesStart<'a>),
    Close(&'a str),
    Text(Cow<'a, str>),
}

impl Parts<'_> {
    /// Shows the pieces of a part; false if there is no such part.
    pub(super) fn scan(
        &mut self,
        name: &str,
        visit: &mut dyn FnMut(Piece<'_>) -> Result<()>,
    ) -> Result<bool> {
        let (file, limit) = (self.file, self.limit);
        let part = match self.archive.by_name(name) {
            Ok(part) => part,
            Err(ZipError::FileNotFound) => return Ok(false),
            Err(error) => return Err(broken(file, name, &error.to_string())),
        };
        let bytes = BufReader::new(Bounded { inner: part, left: limit });
        let mut reader = quick_xml::Reader::from_reader(bytes);
        let mut buffer = Vec::new();
        loop {
            buffer.clear();
            let event = match reader.read_event_into(&mut buffer) {
                Ok(event) => event,
                Err(_) if reader.get_ref().get_ref().left == 0 => {
                    return Err(Error::Memory { file: file.to_owned(), needed: limit, limit });
                }
                Err(error) => return Err(broken(file, name, &error.to_string())),
            };
            match event {
                Event::Eof => return Ok(true),
                Event::Start(tag) => visit(Piece::Open(tag.local_name().as_ref(), &tag))?,
                Event::Empty(tag) => {
                    visit(Piece::Open(tag.local_name().as_ref(), &tag))?;
                    visit(Piece::Close(tag.local_name().as_ref()))?;
                }
                Event::End(tag) => visit(Piece::Close(tag.local_name().as_ref()))?,
                Event::Text(text) => visit(Piece::Text(text.xml10_content()))?,
                Event::CData(text) => visit(Piece::Text(text.xml10_content()))?,
                Event::GeneralRef(name) => {
                    let letter = name.resolve_char_ref().ok().flatten();
                    let letter = letter.or_else(|| named_letter(&name));
                    visit(Piece::Text(
                        letter.map_or(Cow::Borrowed(" "), |c| c.to_string().into()),
                    ))?;
                }
                Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
            }
        }
    }
}

/// The five names of letters that XML has.
fn named_letter(name: &str) -> Option<char> {
    match name {
        "lt" => Some('<'),
        "gt" => Some('>'),
        "amp" => Some('&'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => None,
    }
}

/// A part that is not what it should be.
pub(super) fn broken(file: &str, part: &str, found: &str) -> Error {
    let error = Malformed::damaged(file, format!("{found} in {part}"), "a spreadsheet");
    error.into()
}

/// An attribute, by its name without a prefix.
pub(super) fn attribute(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    let fits = |key: &str| key.rsplit(':').next() == Some(name);
    let found = tag.attributes().flatten().find(|a| fits(a.key.as_ref()))?;
    found.normalized_value(XmlVersion::default()).ok().map(Cow::into_owned)
}

/// Refuses to give more than so many bytes.
struct Bounded<R> {
    inner: R,
    left: u64,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let n = self.inner.by_ref().take(self.left).read(buffer)?;
        self.left -= n as u64;
        Ok(n)
    }
}

/// A sheet: its name, and the part that has its cells.
#[derive(Debug, Clone)]
pub(super) struct Sheet {
    pub name: String,
    pub part: String,
}

/// The sheets with cells, in order, and whether days count from 1904.
pub(super) fn sheets(parts: &mut Parts<'_>) -> Result<(Vec<Sheet>, bool)> {
    let (mut named, mut from_1904) = (Vec::new(), false);
    let found = parts.scan("xl/workbook.xml", &mut |piece| {
        match piece {
            Piece::Open("sheet", tag) => {
                named.push((attribute(tag, "name").unwrap_or_default(), attribute(tag, "id")));
            }
            Piece::Open("workbookPr", tag) => {
                let value = attribute(tag, "date1904");
                from_1904 = value.is_some_and(|value| value == "1" || value == "true");
            }
            _ => {}
        }
        Ok(())
    })?;
    if !found {
        return Err(broken(parts.file, "xl/workbook.xml", "nothing"));
    }
    let mut targets = Vec::new();
    parts.scan("xl/_rels/workbook.xml.rels", &mut |piece| {
        if let Piece::Open("Relationship", tag) = piece {
            targets.push((attribute(tag, "Id"), attribute(tag, "Target").unwrap_or_default()));
        }
        Ok(())
    })?;
    let sheet = |(name, id): (String, Option<String>)| {
        let target = targets.iter().find(|target| id.is_some() && target.0 == id)?.1.as_str();
        let part = target.strip_prefix('/').map_or_else(|| format!("xl/{target}"), str::to_owned);
        part.contains("worksheets/").then_some(Sheet { name, part })
    };
    Ok((named.into_iter().filter_map(sheet).collect(), from_1904))
}

/// What the styles of cells say about their numbers.
#[derive(Debug, Default)]
pub(super) struct Styles {
    /// Whether numbers of a style are dates.
    dates: Vec<bool>,
    /// Whether days count from 1904.
    pub from_1904: bool,
}

impl Styles {
    pub(super) fn read(parts: &mut Parts<'_>, from_1904: bool) -> Result<Self> {
        let (mut own, mut dates, mut within) = (Vec::new(), Vec::new(), false);
        parts.scan("xl/styles.xml", &mut |piece| {
            match piece {
                Piece::Open("numFmt", tag) => {
                    own.push((attribute(tag, "numFmtId"), attribute(tag, "formatCode")));
                }
                Piece::Open("cellXfs", _) => within = true,
                Piece::Close("cellXfs") => within = false,
                Piece::Open("xf", tag) if within => {
                    let id = attribute(tag, "numFmtId");
                    let code = own
                        .iter()
                        .find(|(own, _)| *own == id)
                        .and_then(|(_, code)| code.as_deref());
                    let id = id.and_then(|id| id.parse().ok()).unwrap_or(0);
                    dates.push(is_date_format(id, code));
                }
                _ => {}
            }
            Ok(())
        })?;
        Ok(Self { dates, from_1904 })
    }

    /// Whether numbers of this style are dates.
    pub(super) fn is_date(&self, style: usize) -> bool {
        self.dates.get(style).copied().unwrap_or(false)
    }
}

/// Strings that cells name by their number; notes on how to say them are left out.
pub(super) fn shared_strings(parts: &mut Parts<'_>, claim: &mut Claim) -> Result<Vec<String>> {
    let (mut strings, mut current) = (Vec::new(), String::new());
    let (mut in_text, mut in_note) = (false, false);
    parts.scan("xl/sharedStrings.xml", &mut |piece| {
        match piece {
            Piece::Open("t", _) => in_text = true,
            Piece::Close("t") => in_text = false,
            Piece::Open("rPh", _) => in_note = true,
            Piece::Close("rPh") => in_note = false,
            Piece::Text(text) if in_text && !in_note => current.push_str(&text),
            Piece::Close("si") => {
                claim.take(string_bytes(current.len()))?;
                strings.push(std::mem::take(&mut current));
            }
            _ => {}
        }
        Ok(())
    })?;
    Ok(strings)
}
