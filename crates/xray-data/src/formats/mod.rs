//! The formats: one row of [`FORMATS`] for each, in a file of its own beside its reader and writer.
//!
//! A row says what a format is called, how it is told by content, what can be chosen in it, and how it
//! is read and written. Detection, help and messages go by the rows alone: a new format is a file with
//! its `FORMAT`, and a line in the table.
//!
//! A reader takes an open [`Source`] and gives a table or documents. It streams, allocates as data arrives
//! and never for what a header merely declares, and says where in the file something is wrong.

mod csv;
pub(crate) mod delimited;
mod detect;
mod docword;
mod folder;
mod json;
mod jsonl;
mod ldac;
mod mallet;
pub(crate) mod mat;
mod matrix_market;
pub(crate) mod npy;
pub(crate) mod npz;
mod objects;
mod parquet;
mod plain;
mod spaced;
mod svmlight;
mod tsv;
mod xlsx;

pub(crate) use detect::{detect, is_signed};
pub(crate) use folder::is_text;
pub use folder::is_text_of;
#[cfg(feature = "parquet")]
pub use parquet::{ParquetColumn, ParquetRows};

use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::compression::Compression;
use crate::error::{Error, Result};
use crate::hash::FileHash;
use crate::model::Noticed;
use crate::options::LoadOptions;
use crate::schema::Layout;
use crate::source::Source;
use crate::table::{Documents, Loaded, Table};

/// All formats; where content leaves it open, the first one that fits is taken.
pub static FORMATS: [&Format; 17] = [
    &matrix_market::FORMAT,
    &npz::FORMAT,
    &npy::FORMAT,
    &mat::FORMAT,
    &ldac::FORMAT,
    &svmlight::FORMAT,
    &docword::FORMAT,
    &spaced::FORMAT,
    &tsv::FORMAT,
    &csv::FORMAT,
    &jsonl::FORMAT,
    &json::FORMAT,
    &parquet::FORMAT,
    &xlsx::FORMAT,
    &plain::FORMAT,
    &mallet::FORMAT,
    &folder::FORMAT,
];

/// A file format: what it is called and what it can do.
pub struct Format {
    /// The name by which it is asked for.
    pub name: &'static str,
    /// What it is.
    pub words: &'static str,
    /// How names of its files end, without the point; the first is the usual one.
    pub endings: &'static [&'static str],
    /// How names of its files begin, whatever they end in.
    pub(crate) beginning: Option<&'static str>,
    /// How its content is recognised.
    pub(crate) told: Told,
    /// Whether columns can be chosen for text, id and label.
    pub has_columns: bool,
    /// Whether one of several arrays can be chosen.
    pub has_variables: bool,
    pub(crate) read: Reader,
    pub(crate) write_table: Option<TableWriter>,
    pub(crate) write_documents: Option<DocumentWriter>,
    /// The file with the names of the columns that belongs to a file of this format.
    pub(crate) names_beside: Option<fn(&Path) -> PathBuf>,
    /// Decides from the first files with records which columns hold what in all of them.
    pub(crate) decide: Option<Decide>,
    /// Whether a file tells that columns count from 0, where only files can tell.
    pub(crate) is_zero_based: Option<fn(Source, &LoadOptions) -> Result<bool>>,
}

/// Takes files as long as more of them are needed.
type Decide = fn(&mut dyn Iterator<Item = Result<Source>>, &LoadOptions) -> Result<Layout>;

/// How content is recognised, in this order.
pub(crate) enum Told {
    /// First bytes that nothing else has.
    Signature(Test),
    /// Lines that nothing else has.
    Content(Test),
    /// Lines that others might have, too: after the file's name was asked.
    Guess(Test),
    /// Lines that prose might have, too: only where the name says nothing.
    LastGuess(Test),
    /// Any text that is nothing else.
    Otherwise,
    /// Not by content.
    Never,
}

/// Looks at the first bytes; those of text come without a byte order mark.
type Test = fn(&[u8]) -> bool;

/// How a format is read.
pub(crate) enum Reader {
    File(fn(Source, &LoadOptions) -> Result<Parsed>),
    Folder(fn(&Path, &LoadOptions) -> Result<ReadTexts>),
}

/// What a reader gives: the content, and what it decided about it.
pub(crate) struct Parsed {
    pub loaded: Loaded,
    /// Which columns hold what, where the format has columns.
    pub layout: Option<Layout>,
    /// Whether columns count from 0, where files do not say so.
    pub zero_based: Option<bool>,
    /// Lines without text, where each line is a document.
    pub blank: BlankLines,
    /// What else was noticed.
    pub noticed: Noticed,
}

/// Lines that are no documents.
#[derive(Default)]
pub(crate) struct BlankLines {
    /// Their places among all lines, ascending.
    pub places: Vec<usize>,
    /// How many documents there are, those of other parts of the file included.
    pub n_documents: usize,
}

impl From<Loaded> for Parsed {
    fn from(loaded: Loaded) -> Self {
        let (blank, noticed) = (BlankLines::default(), Noticed::default());
        Self { loaded, layout: None, zero_based: None, blank, noticed }
    }
}

impl From<Table> for Parsed {
    fn from(table: Table) -> Self {
        Loaded::Table(table).into()
    }
}

impl From<Documents> for Parsed {
    fn from(documents: Documents) -> Self {
        Loaded::Documents(documents).into()
    }
}

/// The texts of a folder, the hash of each file, and what was noticed.
pub(crate) struct ReadTexts {
    pub documents: Documents,
    pub files: Vec<FileHash>,
    pub noticed: Noticed,
}

/// Which names and classes a format keeps beside the numbers.
pub(crate) struct Keeps {
    rows: bool,
    columns: bool,
    labels: bool,
}

impl Keeps {
    pub(crate) const NOTHING: Self = Self { rows: false, columns: false, labels: false };
    pub(crate) const COLUMNS: Self = Self { columns: true, ..Self::NOTHING };
    pub(crate) const NAMES: Self = Self { rows: true, ..Self::COLUMNS };
    pub(crate) const LABELS: Self = Self { labels: true, ..Self::NOTHING };
    pub(crate) const ALL: Self = Self { labels: true, ..Self::NAMES };
}

/// Writes tables: `check` says what the format cannot hold, before anything is written.
pub(crate) struct TableWriter {
    pub keeps: Keeps,
    pub check: fn(&Table) -> Result<(), String>,
    pub write: fn(&Table, &mut dyn Write) -> io::Result<()>,
}

/// Writes documents.
pub(crate) enum DocumentWriter {
    File {
        check: fn(&Documents) -> Result<(), String>,
        write: fn(&Documents, &mut (dyn Write + Send)) -> io::Result<()>,
    },
    Folder(fn(&Documents, &Path) -> Result<()>),
}

impl Format {
    /// The format with this name.
    ///
    /// ```
    /// use xray_data::Format;
    /// assert_eq!(Format::from_name("MTX")?.name, "mtx");
    /// assert!(Format::from_name("docx").unwrap_err().to_string().contains("mtx, npz"));
    /// # Ok::<(), xray_data::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is none; the message lists all.
    pub fn from_name(name: &str) -> Result<&'static Self> {
        let found = FORMATS.into_iter().find(|format| format.name.eq_ignore_ascii_case(name));
        found.ok_or_else(|| {
            let allowed = format!("use one of {}", Self::names(|_| true));
            Error::Parameter { name: "format", value: name.to_owned(), allowed }
        })
    }

    /// The format that a file name ends in, after the ending of a compression, such as `.gz`, is taken off.
    ///
    /// ```
    /// use xray_data::Format;
    /// let name = |path: &str| Format::from_path(path.as_ref()).map(|format| format.name);
    /// assert_eq!(name("out/x.mtx.gz"), Some("mtx"));
    /// assert_eq!(name("docword.kos.txt"), Some("docword"));
    /// assert_eq!(name("notes"), None);
    /// ```
    pub fn from_path(path: &Path) -> Option<&'static Self> {
        let name = path.file_name()?.to_string_lossy().to_ascii_lowercase();
        let name = Compression::without_ending(&name);
        let begins = |format: &&Format| format.beginning.is_some_and(|b| name.starts_with(b));
        let ending = name.rsplit_once('.')?.1;
        FORMATS
            .into_iter()
            .find(begins)
            .or_else(|| FORMATS.into_iter().find(|format| format.endings.contains(&ending)))
    }

    /// A file's name without the endings of compression and of the format.
    pub(crate) fn without_ending(name: &str) -> &str {
        let cut = |name: &'_ str, ending: &str| {
            let at = name.len().checked_sub(ending.len() + 1)?;
            let (stem, rest) = (name.get(..at)?, name.get(at..)?);
            (rest.strip_prefix('.')?.eq_ignore_ascii_case(ending) && at > 0).then_some(stem.len())
        };
        let name = Compression::without_ending(name);
        let endings = FORMATS.into_iter().flat_map(|format| format.endings);
        let known = endings.filter_map(|ending| cut(name, ending)).min();
        &name[..known.unwrap_or(name.len())]
    }

    /// Whether matrices can be written in it.
    pub fn writes_tables(&self) -> bool {
        self.write_table.is_some()
    }

    /// Whether its files begin with bytes that nothing else begins with, so that nothing is guessed.
    pub fn is_signed(&self) -> bool {
        matches!(self.told, Told::Signature(_))
    }

    /// Whether texts can be written in it.
    pub fn writes_documents(&self) -> bool {
        self.write_documents.is_some()
    }

    /// What a table has and a file of this format has not.
    ///
    /// ```
    /// use xray_data::{Format, Table};
    /// use xray_nmf::SparseMatrix;
    /// let x = SparseMatrix::from_triplets(1, 1, [(0, 0, 2.0)]).expect("in range");
    /// let table = Table { labels: Some(vec!["a".into()]), ..Table::new(x.into()) };
    /// assert_eq!(Format::from_name("mtx")?.dropped(&table), ["labels"]);
    /// assert!(Format::from_name("npz")?.dropped(&table).is_empty());
    /// # Ok::<(), xray_data::Error>(())
    /// ```
    pub fn dropped(&self, table: &Table) -> Vec<&'static str> {
        let keeps = self.write_table.as_ref().map_or(&Keeps::NOTHING, |writer| &writer.keeps);
        let parts = [
            ("names of columns", table.column_names.is_some() && !keeps.columns),
            ("names of rows", table.row_names.is_some() && !keeps.rows),
            ("labels", table.labels.is_some() && !keeps.labels),
        ];
        parts.into_iter().filter(|(_, lost)| *lost).map(|(part, _)| part).collect()
    }

    /// What texts have and a file of this format has not: a line has no place for ids and classes. Ids that
    /// count the documents come back by themselves.
    pub fn dropped_from(&self, documents: &Documents) -> Vec<&'static str> {
        let in_records = !matches!(self.write_documents, Some(DocumentWriter::File { .. }));
        if in_records || self.has_columns {
            return Vec::new();
        }
        let counted = |(k, id): (usize, &String)| *id == (k + 1).to_string();
        let parts = [
            ("ids", !documents.ids.iter().enumerate().all(counted)),
            ("labels", documents.labels.is_some()),
        ];
        parts.into_iter().filter(|(_, lost)| *lost).map(|(part, _)| part).collect()
    }

    /// The names of the formats that fit, with commas between them.
    ///
    /// ```
    /// use xray_data::Format;
    /// assert_eq!(Format::names(|format| format.has_variables), "npz, mat");
    /// ```
    pub fn names(fits: impl Fn(&Format) -> bool) -> String {
        let fitting = FORMATS.into_iter().filter(|format| fits(format));
        fitting.map(|format| format.name).collect::<Vec<_>>().join(", ")
    }

    /// How names of files of the formats that fit usually end.
    pub(crate) fn usual_endings(fits: impl Fn(&Format) -> bool) -> String {
        let fitting = FORMATS.into_iter().filter(|format| fits(format));
        let endings = fitting.filter_map(|format| format.endings.first());
        endings.map(|ending| format!(".{ending}")).collect::<Vec<_>>().join(", ")
    }
}

impl PartialEq for Format {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Format {}

impl fmt::Debug for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Format({})", self.name)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_endings_are_of_one_format_each() {
        let mut seen = std::collections::BTreeSet::new();
        for format in FORMATS {
            assert!(seen.insert(format.name), "{format}");
            assert!(!format.words.is_empty() && Format::from_name(format.name).is_ok());
        }
        let endings: Vec<&str> =
            FORMATS.iter().flat_map(|format| format.endings).copied().collect();
        let distinct: std::collections::BTreeSet<&str> = endings.iter().copied().collect();
        assert_eq!(distinct.len(), endings.len(), "{endings:?}");
        let otherwise = |format: &&&Format| matches!(format.told, Told::Otherwise);
        assert_eq!(FORMATS.iter().filter(otherwise).count(), 1);
    }

    fn named(name: &str) -> &'static Format {
        Format::from_name(name).expect("a format")
    }

    #[test]
    fn rows_tell_what_a_format_can_do() {
        assert!(named("mtx").writes_tables() && !named("mtx").writes_documents());
        assert!(!named("lines").writes_tables() && named("lines").writes_documents());
        assert!(named("npz").is_signed() && !named("csv").is_signed());
        assert_eq!(format!("{:?}", named("mtx")), "Format(mtx)");
        assert!(named("mtx") == named("MTX") && named("mtx") != named("npz"));
        assert_eq!(Format::names(|format| format.has_variables), "npz, mat");
        assert_eq!(Format::usual_endings(|format| format.has_variables), ".npz, .mat");
    }

    #[test]
    fn endings_are_taken_off_names() {
        for (name, stem) in
            [("x.mtx", "x"), ("x.MTX.gz", "x"), (".mtx", ".mtx"), ("mtx", "mtx"), ("x.y", "x.y")]
        {
            assert_eq!(Format::without_ending(name), stem);
        }
    }

    #[test]
    fn what_a_format_does_not_keep_is_told() {
        let x = || xray_nmf::SparseMatrix::from_triplets(1, 1, [(0, 0, 2.0)]).expect("in range");
        let plain = Table::new(x().into());
        let names = || Some(vec!["a".to_owned()]);
        for format in FORMATS {
            assert!(format.dropped(&plain).is_empty(), "{format}");
        }
        let whole = Table {
            row_names: names(),
            column_names: names(),
            labels: names(),
            ..Table::new(x().into())
        };
        let dropped = |name: &str| named(name).dropped(&whole);
        assert_eq!(dropped("npz"), [""; 0]);
        assert_eq!(dropped("csv"), ["labels"]);
        assert_eq!(dropped("svmlight"), ["names of columns", "names of rows"]);
        assert_eq!(dropped("lines"), ["names of columns", "names of rows", "labels"]);

        let texts = |ids: [&str; 2], labels| Documents {
            texts: vec!["x".into(), "y".into()],
            ids: ids.map(str::to_owned).into(),
            labels,
            times: None,
        };
        let (counted, other) = (texts(["1", "2"], None), texts(["1", "3"], names()));
        assert_eq!(named("lines").dropped_from(&counted), [""; 0]);
        assert_eq!(named("lines").dropped_from(&other), ["ids", "labels"]);
        assert_eq!(named("csv").dropped_from(&other), [""; 0]);
    }
}
