//! Spreadsheets (.xlsx): the first sheet, or a named one, as the table that it would be in CSV.
//!
//! Cells become fields: texts as they are, numbers in shortest decimals, dates as `2024-03-05` or
//! `2024-03-05T13:45:00`, formulas as the value that was saved with them (empty if none was). Empty rows are left
//! out, and so are empty columns at the margins. What the fields mean is told as in CSV.
//!
//! The archive's own sizes are not trusted: no part may expand beyond the memory that may be used, no tag or text of it
//! may be longer than a line, and what is kept of it is counted as it arrives.

mod cells;
mod dates;
mod parts;

use zip::ZipArchive;

use self::cells::{Cell, for_each_cell};
use self::parts::{Parts, Sheet, Styles, shared_strings, sheets};
use super::{Format, Parsed, Reader, Told, delimited};
use crate::budget::Claim;
use crate::columns::known;
use crate::csv::write_field;
use crate::encoding::Encoding;
use crate::error::{Malformed, Result};
use crate::model::Noticed;
use crate::options::{Limits, LoadOptions};
use crate::schema::Layout;
use crate::source::{Input, ReadSeek, Source};

pub(crate) static FORMAT: Format = Format {
    name: "xlsx",
    words: "a spreadsheet",
    endings: &["xlsx", "xlsm"],
    beginning: None,
    told: Told::Signature(is_workbook),
    has_columns: true,
    has_variables: false,
    read: Reader::File(read),
    write_table: None,
    write_documents: None,
    names_beside: None,
    decide: Some(decide),
    is_zero_based: None,
};

fn read(source: Source, options: &LoadOptions) -> Result<Parsed> {
    let (sheet, cells) = as_csv(source, options)?;
    let read = delimited::read(cells, Some(b','), &of_cells(options))?;
    Ok(Parsed { noticed: Noticed::of_part(sheet).and(&read.noticed), ..read })
}

/// Whether it is an archive that begins with a part that workbooks have.
pub(super) fn is_workbook(head: &[u8]) -> bool {
    let parts = [&b"[Content_Types].xml"[..], b"_rels/.rels", b"xl/", b"docProps/"];
    let name = head.get(30..).unwrap_or_default();
    head.starts_with(b"PK\x03\x04") && parts.iter().any(|part| name.starts_with(part))
}

fn decide(
    sources: &mut dyn Iterator<Item = Result<Source>>,
    options: &LoadOptions,
) -> Result<Layout> {
    let mut sources = sources.map(|source| Ok(as_csv(source?, options)?.1));
    delimited::decide(&mut sources, Some(b','), &of_cells(options))
}

/// Options for the text that cells are written as.
fn of_cells(options: &LoadOptions) -> LoadOptions {
    let (delimiter, quoting, encoding) = (None, Some(true), Encoding::Utf8);
    LoadOptions { delimiter, quoting, encoding, ..options.clone() }
}

/// The name of the sheet, and its cells as CSV: row i of the sheet is line i, as long as no cell has several lines.
fn as_csv(source: Source, options: &LoadOptions) -> Result<(String, Source)> {
    let name = source.name.clone();
    let mut claim = options.limits.claim(&name);
    let mut book = Workbook::open(source, &options.limits, &mut claim)?;
    let sheet = book.sheet(options.sheet.as_deref())?;
    let mut text_claim = options.limits.claim(&name);
    let bytes = book.written(&sheet, &options.limits, &mut text_claim)?;
    drop((book, claim));
    // A source has a copy of its own, which is held as long as it is read.
    let n_bytes = bytes.len() as u64;
    text_claim.take(n_bytes)?;
    let source = Source::open(&Input::Bytes { name, bytes }, &of_cells(options))?;
    text_claim.give_back(n_bytes);
    Ok((sheet.name, source.holding(text_claim)))
}

/// An open spreadsheet.
struct Workbook {
    file: String,
    archive: ZipArchive<Box<dyn ReadSeek>>,
    sheets: Vec<Sheet>,
    strings: Vec<String>,
    styles: Styles,
}

impl Workbook {
    fn open(source: Source, limits: &Limits, claim: &mut Claim) -> Result<Self> {
        let file = source.name.clone();
        let bytes = source.into_seekable(limits, claim)?.into_reader();
        let mut archive = ZipArchive::new(bytes)
            .map_err(|e| Malformed::damaged(&file, e.to_string(), "a spreadsheet"))?;
        let mut parts = Parts { file: &file, archive: &mut archive, limits, claim };
        let (sheets, from_1904) = sheets(&mut parts)?;
        let styles = Styles::read(&mut parts, from_1904)?;
        let strings = shared_strings(&mut parts)?;
        Ok(Self { file, archive, sheets, strings, styles })
    }

    /// The sheet of this name, or the first.
    fn sheet(&self, name: Option<&str>) -> Result<Sheet> {
        let mut sheets = self.sheets.iter();
        let found = match name {
            Some(name) => sheets.find(|sheet| sheet.name.trim() == name.trim()),
            None => sheets.next(),
        };
        found.cloned().ok_or_else(|| {
            let names: Vec<String> = self.sheets.iter().map(|sheet| sheet.name.clone()).collect();
            let found = name.map_or("no sheet".to_owned(), |name| format!("no sheet {name:?}"));
            Malformed::new(&self.file, found, "a sheet with cells").remedy(known(&names)).into()
        })
    }

    fn written(&mut self, sheet: &Sheet, limits: &Limits, claim: &mut Claim) -> Result<Vec<u8>> {
        let Self { file, archive, strings, styles, .. } = self;
        let mut parts = Parts { file, archive, limits, claim };
        let (mut first, mut last) = (usize::MAX, 0);
        for_each_cell(&mut parts, sheet, strings, styles, &mut |cell: Cell<'_>, _| {
            (first, last) = (first.min(cell.column), last.max(cell.column));
            Ok(())
        })?;
        let mut text = Vec::new();
        let (mut row, mut column) = (0, last);
        for_each_cell(&mut parts, sheet, strings, styles, &mut |cell: Cell<'_>, claim| {
            let before = text.len();
            if cell.row != row {
                let (empty, lines) = (last - column, cell.row - row);
                text.resize(text.len() + empty, b',');
                text.resize(text.len() + lines - usize::from(row == 0), b'\n');
                (row, column) = (cell.row, first);
            }
            text.resize(text.len() + (cell.column - column), b',');
            column = cell.column;
            // Writing to memory cannot fail.
            let _ = write_field(&cell.text, b',', &mut text);
            claim.take((text.len() - before) as u64)
        })?;
        text.resize(text.len() + (last - column), b',');
        if !text.is_empty() {
            text.push(b'\n');
        }
        Ok(text)
    }
}
