//! The parts of a workbook: which sheets there are, what styles mean, and the strings that cells share.

use std::borrow::Cow;
use std::collections::hash_map::Entry;
use std::io::{self, BufRead, BufReader, Read};

use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};
use rustc_hash::FxHashMap;
use zip::ZipArchive;
use zip::result::ZipError;

use super::dates::is_date_format;
use crate::budget::{Claim, PROGRAM_BYTES, string_bytes};
use crate::error::{Error, Malformed, Result};
use crate::options::{LINES_OF_MEMORY, Limits};
use crate::source::ReadSeek;

/// What an entry of a table of formats takes, and one of a table of names besides these, while the table grows.
const PER_FORMAT: u64 = 32;
const PER_NAME: u64 = 32;

/// The parts of an archive, none of which may expand to more bytes than may be used, and none of whose tags and texts
/// may be longer than a line; what is kept of them is claimed.
pub(super) struct Parts<'a> {
    pub file: &'a str,
    pub archive: &'a mut ZipArchive<Box<dyn ReadSeek>>,
    pub limits: &'a Limits,
    pub claim: &'a mut Claim,
}

/// What XML is made of.
pub(super) enum Piece<'a> {
    Open(&'a str, &'a BytesStart<'a>),
    Close(&'a str),
    Text(Cow<'a, str>),
}

impl Parts<'_> {
    /// Shows the pieces of a part, and the claim for what is kept of them; false if there is no such part.
    pub(super) fn scan(
        &mut self,
        name: &str,
        visit: &mut dyn FnMut(Piece<'_>, &mut Claim) -> Result<()>,
    ) -> Result<bool> {
        let part = match self.archive.by_name(name) {
            Ok(part) => part,
            Err(ZipError::FileNotFound) => return Ok(false),
            Err(error) => return Err(broken(self.file, name, &error.to_string())),
        };
        let (left, longest) = (self.limits.loaded_bytes.limit(), self.limits.line_bytes as u64);
        let bytes = Bounded { inner: BufReader::new(part), left, longest, piece: 0 };
        let mut reader = quick_xml::Reader::from_reader(bytes);
        let mut buffer = Vec::new();
        let mut visit = |piece: Piece<'_>| visit(piece, self.claim);
        loop {
            buffer.clear();
            reader.get_mut().piece = 0;
            let event = match reader.read_event_into(&mut buffer) {
                Ok(event) => event,
                Err(_) if reader.get_ref().is_spent() => {
                    return Err(too_long(self.file, self.limits));
                }
                Err(error) => return Err(broken(self.file, name, &error.to_string())),
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

/// About a tag or a text that is longer than a line may be: where it may be longer.
fn too_long(file: &str, limits: &Limits) -> Error {
    let limit = limits.loaded_bytes.limit();
    let needed = LINES_OF_MEMORY * (limits.line_bytes as u64 + 1) + PROGRAM_BYTES;
    Error::Memory { file: file.to_owned(), needed: needed.max(limit), limit }
}

/// Appends to a text that becomes a field, and so may not be longer than a line.
pub(super) fn append(text: &mut String, more: &str, file: &str, limits: &Limits) -> Result<()> {
    if text.len() + more.len() > limits.line_bytes {
        return Err(too_long(file, limits));
    }
    text.push_str(more);
    Ok(())
}

/// Refuses to give more than so many bytes, and more than `longest` of them for one piece.
struct Bounded<R> {
    inner: R,
    left: u64,
    longest: u64,
    /// What the current piece has taken.
    piece: u64,
}

impl<R> Bounded<R> {
    fn is_spent(&self) -> bool {
        self.left == 0 || self.piece > self.longest
    }
}

impl<R: BufRead> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.fill_buf()?.read(buffer)?;
        self.consume(n);
        Ok(n)
    }
}

impl<R: BufRead> BufRead for Bounded<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.is_spent() {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let bytes = self.inner.fill_buf()?;
        let most = usize::try_from(self.left).unwrap_or(usize::MAX);
        Ok(&bytes[..bytes.len().min(most)])
    }

    fn consume(&mut self, bytes: usize) {
        self.inner.consume(bytes);
        self.left -= bytes as u64;
        self.piece += bytes as u64;
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
    let found = parts.scan("xl/workbook.xml", &mut |piece, claim| {
        match piece {
            Piece::Open("sheet", tag) => {
                let Some(id) = attribute(tag, "id") else { return Ok(()) };
                let name = attribute(tag, "name").unwrap_or_default();
                claim.take(string_bytes(name.len()) + string_bytes(id.len()))?;
                named.push((name, id));
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
    let targets = targets(parts)?;
    let mut sheets = Vec::new();
    for (name, id) in named {
        let Some(target) = targets.get(&id) else { continue };
        let part = target.strip_prefix('/').map_or_else(|| format!("xl/{target}"), str::to_owned);
        if part.contains("worksheets/") {
            // Any number of them may have the same target.
            parts.claim.take(string_bytes(name.len()) + string_bytes(part.len()))?;
            sheets.push(Sheet { name, part });
        }
    }
    Ok((sheets, from_1904))
}

/// The parts that sheets name by an id; the first of an id counts.
fn targets(parts: &mut Parts<'_>) -> Result<FxHashMap<String, String>> {
    let mut targets = FxHashMap::default();
    parts.scan("xl/_rels/workbook.xml.rels", &mut |piece, claim| {
        if let Piece::Open("Relationship", tag) = piece
            && let Some(id) = attribute(tag, "Id")
            && !targets.contains_key(&id)
        {
            let target = attribute(tag, "Target").unwrap_or_default();
            claim.take(PER_NAME + string_bytes(id.len()) + string_bytes(target.len()))?;
            targets.insert(id, target);
        }
        Ok(())
    })?;
    Ok(targets)
}

/// What the styles of cells say about their numbers.
#[derive(Debug)]
pub(super) struct Styles {
    /// Whether numbers of a style are dates.
    dates: Vec<bool>,
    /// Whether days count from 1904.
    pub from_1904: bool,
}

impl Styles {
    pub(super) fn read(parts: &mut Parts<'_>, from_1904: bool) -> Result<Self> {
        // Whether numbers of a format that the workbook defines are dates; the first of a number counts.
        let mut own: FxHashMap<u32, bool> = FxHashMap::default();
        let (mut dates, mut within) = (Vec::new(), false);
        let number = |tag: &BytesStart<'_>| {
            attribute(tag, "numFmtId").and_then(|id| id.parse().ok()).unwrap_or(0)
        };
        parts.scan("xl/styles.xml", &mut |piece, claim| {
            match piece {
                Piece::Open("numFmt", tag) => {
                    let id = number(tag);
                    if let Entry::Vacant(new) = own.entry(id) {
                        claim.take(PER_FORMAT)?;
                        let code = attribute(tag, "formatCode");
                        new.insert(is_date_format(id, code.as_deref()));
                    }
                }
                Piece::Open("cellXfs", _) => within = true,
                Piece::Close("cellXfs") => within = false,
                Piece::Open("xf", tag) if within => {
                    let id = number(tag);
                    claim.take(2)?;
                    dates.push(own.get(&id).copied().unwrap_or_else(|| is_date_format(id, None)));
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
pub(super) fn shared_strings(parts: &mut Parts<'_>) -> Result<Vec<String>> {
    let (file, limits) = (parts.file, parts.limits);
    let (mut strings, mut current) = (Vec::new(), String::new());
    let (mut in_text, mut in_note) = (false, false);
    parts.scan("xl/sharedStrings.xml", &mut |piece, claim| {
        match piece {
            Piece::Open("t", _) => in_text = true,
            Piece::Close("t") => in_text = false,
            Piece::Open("rPh", _) => in_note = true,
            Piece::Close("rPh") => in_note = false,
            Piece::Text(text) if in_text && !in_note => append(&mut current, &text, file, limits)?,
            Piece::Close("si") => {
                claim.take(string_bytes(current.len()))?;
                // A copy has no more room than it needs.
                strings.push(current.clone());
                current.clear();
            }
            _ => {}
        }
        Ok(())
    })?;
    Ok(strings)
}
