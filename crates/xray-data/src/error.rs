//! What can go wrong with files and text, and what to do about it.
//!
//! Messages about files read `file:line:column: found X, expected Y; remedy`, with line and column
//! counted from 1 and left out where the format has none.

use std::fmt;
use std::io;

use xray_nmf::ErrorKind;
use xray_nmf::machine::size_in_words;

/// An error that names the file, the place in it, what was found, what was expected, and the remedy.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The system refused to open, read or write.
    #[error("{file}: cannot {action}: {source}{}", io_remedy(.source))]
    Io {
        /// The file or folder.
        file: String,
        /// What was attempted, as in "open" or "write".
        action: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// The content of a file is not what its format calls for.
    #[error(transparent)]
    Malformed(Box<Malformed>),
    /// The numbers of a file do not make a matrix that can be computed with.
    #[error("{file}: {source}")]
    Matrix {
        /// The file.
        file: String,
        /// Which entry, and why.
        source: xray_nmf::Error,
    },
    /// What was read would take more memory than may be used.
    #[error(
        "{file}: needs more than {} of memory, where {} may be used; raise --memory if there is more, or give \
         less data or more ranks",
        size_in_words(*.needed),
        size_in_words(*.limit)
    )]
    Memory {
        /// The file that wanted more.
        file: String,
        /// The bytes that were held, and asked for.
        needed: u64,
        /// The bytes that may be used.
        limit: u64,
    },
    /// An option is outside its range, or does not fit the data.
    #[error("{name} = {value} is not allowed; {allowed}")]
    Parameter {
        /// The option's name.
        name: &'static str,
        /// The value that was given.
        value: String,
        /// The allowed range, and what to do.
        allowed: String,
    },
    /// Columns that cannot be told by their names.
    #[error("{0}")]
    Columns(String),
    /// A number is not the count of a word.
    #[error("counts = {value} in row {row}, column {column} is not allowed; {remedy}")]
    Count {
        /// The number.
        value: f64,
        /// Its row, counted from 1.
        row: usize,
        /// Its column, counted from 1.
        column: usize,
        /// What to do.
        remedy: &'static str,
    },
    /// No word is left to make a matrix of.
    #[error("no words are left: {reason}")]
    EmptyVocabulary {
        /// What removed them, and what to change.
        reason: String,
    },
    /// A table cannot be written in the format that was asked for.
    #[error("{file}: cannot be written as {format}: {reason}")]
    NotWritable {
        /// The output file.
        file: String,
        /// The format's name.
        format: &'static str,
        /// What the format cannot hold, and what to do.
        reason: String,
    },
}

impl Error {
    /// Whose fault it is.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Error::Parameter { .. } => ErrorKind::Usage,
            Error::Malformed(_)
            | Error::Matrix { .. }
            | Error::Columns(_)
            | Error::Count { .. }
            | Error::EmptyVocabulary { .. }
            | Error::NotWritable { .. } => ErrorKind::Data,
            Error::Memory { .. } => ErrorKind::Memory,
            Error::Io { .. } => ErrorKind::System,
        }
    }
}

/// A result whose error is [`Error`] unless said otherwise.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What is wrong with a file, and where.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Malformed {
    /// The file.
    pub file: String,
    /// The line, counted from 1, where the format has lines.
    pub line: Option<u64>,
    /// The column in bytes, or the field, counted from 1.
    pub column: Option<u64>,
    /// What the file has, shortened.
    pub found: String,
    /// What the format calls for.
    pub expected: String,
    /// What to do about it, or empty.
    pub remedy: String,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        if let Some(column) = self.column {
            write!(f, ":{column}")?;
        }
        write!(f, ": found {}, expected {}", self.found, self.expected)?;
        if self.remedy.is_empty() { Ok(()) } else { write!(f, "; {}", self.remedy) }
    }
}

impl std::error::Error for Malformed {}

impl Malformed {
    pub(crate) fn new(
        file: &str,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) -> Malformed {
        Malformed {
            file: file.to_owned(),
            found: found.into(),
            expected: expected.into(),
            ..Malformed::default()
        }
    }

    /// About content that contradicts itself or ends early.
    pub(crate) fn damaged(
        file: &str,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) -> Malformed {
        Self::new(file, found, expected)
            .remedy("it may be cut off or damaged: fetch or write it again")
    }

    pub(crate) fn at_line(mut self, line: u64) -> Self {
        self.line = Some(line);
        self
    }

    pub(crate) fn at(mut self, line: u64, column: u64) -> Self {
        self.line = Some(line);
        self.column = Some(column);
        self
    }

    pub(crate) fn remedy(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = remedy.into();
        self
    }
}

impl From<Malformed> for Error {
    fn from(malformed: Malformed) -> Self {
        Error::Malformed(Box::new(malformed))
    }
}

/// What to do about the commonest refusals of the system.
fn io_remedy(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::NotFound => "; check the name and the folder",
        io::ErrorKind::PermissionDenied => "; check the permissions",
        io::ErrorKind::AlreadyExists | io::ErrorKind::DirectoryNotEmpty => {
            "; remove it first, or choose another name"
        }
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "; free some space or write to another disk (nothing was overwritten)"
        }
        io::ErrorKind::FileTooLarge => {
            "; files may not be that large here (ulimit -f, or the disk's format): write elsewhere \
             (nothing was overwritten)"
        }
        _ => "",
    }
}

/// An I/O error about `file`; what cannot be read because it is broken, as damaged compression, is
/// the file's fault, not the system's.
pub(crate) fn io_error(file: &str, action: &'static str, source: io::Error) -> Error {
    match source.kind() {
        io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput
            if action == "read" =>
        {
            let found = match source.kind() {
                io::ErrorKind::UnexpectedEof => "the end of the file".to_owned(),
                _ => source.to_string(),
            };
            Malformed::damaged(file, found, "an intact file").into()
        }
        // Zstandard's own words for a window of more than it may have.
        _ if action == "read" && source.to_string().contains("requires too much memory") => {
            wide_window(file, "a Zstandard window", "zstd -d --long=31")
        }
        // Of all that is read only xz says in advance what it will need.
        io::ErrorKind::OutOfMemory if action == "read" => {
            wide_window(file, "an xz dictionary", "xz -d")
        }
        _ => Error::Io { file: file.to_owned(), action, source },
    }
}

/// About compression that keeps more of the content than there is room for.
pub(crate) fn wide_window(file: &str, window: &str, program: &str) -> Error {
    let found = format!("{window} that is large for the memory");
    Malformed::new(file, found, "a smaller one")
        .remedy(format!("raise --memory, or decompress it with {program} first"))
        .into()
}

/// Bytes of a file as they appear in a message: escaped, at most 60 characters.
pub(crate) fn quoted(bytes: &[u8]) -> String {
    const LONGEST: usize = 60;
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(4 * LONGEST)]);
    let mut shown: String = text.chars().take(LONGEST).flat_map(char::escape_debug).collect();
    if text.chars().count() > LONGEST || bytes.len() > 4 * LONGEST {
        shown.push_str("...");
    }
    format!("\"{shown}\"")
}
