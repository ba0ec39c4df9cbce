//! What can go wrong between files and answers, on any number of ranks.

use xray_data::Error as DataError;
use xray_nmf::ErrorKind;

/// An error of the data, of the computation, or of what was asked for.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Files and text.
    #[error(transparent)]
    Data(#[from] DataError),
    /// The engine.
    #[error(transparent)]
    Fit(#[from] xray_nmf::Error),
    /// What was asked for does not fit the data, or contradicts itself.
    #[error("{0}")]
    Usage(String),
    /// Files, or what several ranks have read, that do not fit together.
    #[error("{0}")]
    Mismatch(String),
    /// What the system refused.
    #[error("{0}")]
    System(String),
    /// What takes more memory than may be used.
    #[error("{0}")]
    Memory(String),
    /// What one or more ranks could not do, told on all of them.
    #[error("{message}")]
    Agreed {
        /// The error, with the rank that had it unless all had the same.
        message: String,
        /// Whose fault it is.
        kind: ErrorKind,
    },
}

/// A result whose error is [`Error`] unless said otherwise.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// Whose fault it is.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Error::Usage(_) => ErrorKind::Usage,
            Error::Mismatch(_) => ErrorKind::Data,
            Error::System(_) => ErrorKind::System,
            Error::Memory(_) => ErrorKind::Memory,
            Error::Agreed { kind, .. } => *kind,
            Error::Data(error) => error.kind(),
            Error::Fit(error) => error.kind(),
        }
    }

    /// Whether every rank has it, so that all can end in order.
    pub fn is_agreed(&self) -> bool {
        matches!(self, Error::Agreed { .. })
    }

    /// About a file that the system refused to open, read or write.
    pub(crate) fn io(
        file: &std::path::Path,
        action: &'static str,
    ) -> impl Fn(std::io::Error) -> Self {
        let file = file.display().to_string();
        move |source| DataError::Io { file: file.clone(), action, source }.into()
    }
}

impl From<serde_json::Error> for Error {
    fn from(error: serde_json::Error) -> Self {
        xray_nmf::Error::Communication(error.to_string()).into()
    }
}
