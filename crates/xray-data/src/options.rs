//! How files are read.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::budget::{Budget, Claim, PROGRAM_BYTES};
use crate::encoding::Encoding;
use crate::formats::Format;
use crate::schema::Layout;
use crate::share::Share;

/// Options of [`load`](crate::load); the default detects everything.
///
/// | Name | Default | Purpose |
/// |---|---|---|
/// | `format` | detect | what the file is |
/// | `variable` | largest matrix | array of a .mat or .npz file |
/// | `sheet` | the first | sheet of a spreadsheet |
/// | `text` | detect | columns (CSV, TSV, Parquet) or fields (JSONL) that hold the text |
/// | `id` | detect | column or field with the document's name |
/// | `label` | detect | column, field, or variable (.mat, .npz) with the class of a row or document |
/// | `time` | none | column or field that tells when a document was written |
/// | `header` | detect | whether the first record names the columns |
/// | `delimiter` | detect | what separates the fields of a record |
/// | `quoting` | by format | whether `"` encloses fields |
/// | `zero_based` | detect | whether svmlight columns count from 0 |
/// | `transpose` | no | rows become columns, before names and labels are added |
/// | `row_names`, `column_names`, `labels` | none | files with one name a line |
/// | `encoding` | detect | the character set of texts |
/// | `replace_invalid_utf8` | no | read bytes that are not UTF-8 as `U+FFFD` |
/// | `skip_bad_records` | no | leave out records that cannot be read, and count them |
/// | `layout` | detect | what was decided for many files |
/// | `share` | all | the part of the documents, or of the columns, to keep |
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LoadOptions {
    /// What the file is, or `None` to look at its content.
    pub format: Option<&'static Format>,
    /// The array to take from a .mat or .npz file; otherwise the largest.
    pub variable: Option<String>,
    /// The sheet of a spreadsheet; otherwise the first.
    pub sheet: Option<String>,
    /// Columns or fields that hold the text; several are joined by a space.
    pub text: Vec<ColumnChoice>,
    /// Column or field that names the document, or the rows of a table of numbers.
    pub id: Option<ColumnChoice>,
    /// Column, field or variable that holds the class of a document or row. In a table of numbers
    /// only a column of words is taken for classes if nothing is said.
    pub label: Option<ColumnChoice>,
    /// Column or field that tells when a document was written, or a row measured. It is never guessed, and its texts are
    /// handed over as they are.
    pub time: Option<ColumnChoice>,
    /// Whether the first record names the columns.
    pub header: Option<bool>,
    /// What separates the fields of a record.
    pub delimiter: Option<u8>,
    /// Whether `"` encloses fields. By default it does in CSV; in TSV only where it closes on the
    /// same line right before a tab or the end.
    pub quoting: Option<bool>,
    /// Whether svmlight columns count from 0; by default they do if column 0 occurs.
    pub zero_based: Option<bool>,
    /// Rows of a matrix become columns; names and labels from files are those of the new ones.
    pub transpose: bool,
    /// A file with one name for each row.
    pub row_names: Option<PathBuf>,
    /// A file with one name for each column (terms, vocabulary).
    pub column_names: Option<PathBuf>,
    /// A file with one class for each row.
    pub labels: Option<PathBuf>,
    /// The character set of texts.
    pub encoding: Encoding,
    /// Read bytes that are not UTF-8 as U+FFFD instead of refusing the file.
    pub replace_invalid_utf8: bool,
    /// Leave out records of texts and delimited tables that cannot be read, and count them, instead of refusing the file.
    pub skip_bad_records: bool,
    /// What was decided for many files that are read as one ([`Schema`](crate::Schema)); then nothing is
    /// guessed about their columns.
    pub layout: Option<Layout>,
    /// The part to keep of what is read, or everything.
    pub share: Option<Share>,
    /// What is refused as too large.
    pub limits: Limits,
}

/// A column of a table or a field of a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ColumnChoice {
    /// By its name in the header.
    Name(String),
    /// By its place, counted from 0.
    Position(usize),
}

impl From<&str> for ColumnChoice {
    fn from(name: &str) -> Self {
        ColumnChoice::Name(name.to_owned())
    }
}

impl std::fmt::Display for ColumnChoice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ColumnChoice::Name(name) => write!(f, "\"{name}\""),
            ColumnChoice::Position(place) => write!(f, "number {}", place + 1),
        }
    }
}

/// Sizes beyond which a file is refused before memory is spent on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// A sparse matrix with more rows or columns than this needs one entry for every 64 of them.
    pub empty_lines: usize,
    /// The longest line or record, in bytes.
    pub line_bytes: usize,
    /// The most bytes to hold in memory for formats that need random access when they come
    /// compressed or from standard input.
    pub buffered_bytes: u64,
    /// The bytes that all that is read may take, while it is read and as it is handed over.
    pub loaded_bytes: Budget,
}

impl Default for Limits {
    fn default() -> Self {
        Self::within(Budget::default())
    }
}

/// Lines of the greatest length that the memory has room for: a field, which may be empty, takes up to 56 bytes.
pub(crate) const LINES_OF_MEMORY: u64 = 64;

impl Limits {
    /// Limits for this much memory. A line may have a small part of what the program leaves of it: its fields take more
    /// than itself.
    pub fn within(loaded_bytes: Budget) -> Self {
        let left = loaded_bytes.limit().saturating_sub(PROGRAM_BYTES);
        let line_bytes = (left / LINES_OF_MEMORY).clamp(1 << 16, 1 << 28) as usize;
        Self { empty_lines: 1 << 21, line_bytes, buffered_bytes: 1 << 32, loaded_bytes }
    }

    /// What a reader of this file holds: nothing yet.
    pub(crate) fn claim(&self, file: &str) -> Claim {
        self.loaded_bytes.claim(file)
    }
}
