//! What can go wrong, and what to do about it.
//!
//! Stopping early is not an error, unless nothing was found: see [`Termination`](crate::Termination).

use crate::choices;
use crate::machine::size_in_words;

choices! {
    /// Whose fault an error is: exit status (program) and exception (Python) are functions of this alone.
    pub enum ErrorKind ("kind of error") {
        Usage = "usage": "a parameter or an argument is wrong: mend the call",
        Data = "data": "the data, or the content of a file, is wrong: mend the data",
        System = "system": "the system refused: disk, threads",
        Memory = "memory": "more memory is needed than may be used, or than there is",
        Ranks = "ranks": "the ranks cannot talk to each other, or do not agree",
    }
}

/// An error that names the offending value, what was allowed, and the remedy.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Two lengths that must agree do not.
    #[error("{what}: expected length {expected}, found {found}")]
    Length {
        /// The array or vector that is too long or too short.
        what: &'static str,
        /// The length that the shape calls for.
        expected: usize,
        /// The length that was given.
        found: usize,
    },
    /// The offsets of a compressed matrix do not start at 0, decrease, or pass the end.
    #[error(
        "offsets[{position}] = {value} is out of order; offsets start at 0, never decrease, and end \
         at the number of stored entries"
    )]
    Offsets {
        /// Position in the offsets array.
        position: usize,
        /// The offending offset.
        value: usize,
    },
    /// An index is not smaller than the dimension.
    #[error("{axis} {line}: index {index} is out of range, the dimension is {bound}")]
    IndexOutOfRange {
        /// "row" for row-compressed input, "column" for column-compressed input.
        axis: &'static str,
        /// Which row or column holds the index.
        line: usize,
        /// The offending index.
        index: u64,
        /// The first index that is too large.
        bound: usize,
    },
    /// Indices within a row or column must strictly increase.
    #[error(
        "{axis} {line}: index {index} follows {previous}; indices must strictly increase \
         (build the matrix with `from_triplets` to sort entries and sum duplicates)"
    )]
    IndexOrder {
        /// "row" for row-compressed input, "column" for column-compressed input.
        axis: &'static str,
        /// Which row or column holds the indices.
        line: usize,
        /// The index before.
        previous: u32,
        /// The index that is not larger.
        index: u32,
    },
    /// An entry is NaN or infinite.
    #[error("entry ({row}, {column}) is {value}; every entry must be a finite number")]
    NotFinite {
        /// Row of the entry.
        row: usize,
        /// Column of the entry.
        column: usize,
        /// NaN, inf or -inf.
        value: f64,
    },
    /// An entry is negative and negative entries were not allowed.
    #[error(
        "Negative values in data: entry ({row}, {column}) is {value}; the method is made for nonnegative \
         data: remove negative entries, or set `allow_negative`"
    )]
    Negative {
        /// Row of the first negative entry.
        row: usize,
        /// Column of the first negative entry.
        column: usize,
        /// Its value.
        value: f64,
    },
    /// A magnitude is too large or too small to compute with.
    #[error("{what} is {value:e}, past the limit of {limit:e}; {remedy}")]
    Magnitude {
        /// What is too large or too small.
        what: &'static str,
        /// Its value.
        value: f64,
        /// The largest (smallest) allowed value.
        limit: f64,
        /// What to do.
        remedy: &'static str,
    },
    /// A method would take more time or memory than it may; nothing was done.
    #[error("{method} would take {predicted}, beyond the limit of {limit}; {remedy}")]
    TooCostly {
        /// The method.
        method: &'static str,
        /// What it would take.
        predicted: String,
        /// What it may take.
        limit: String,
        /// What to do.
        remedy: &'static str,
    },
    /// The system did not give the memory that a large array needs.
    #[error(
        "there is no memory for {what} ({}); free some, or use smaller data or a smaller rank",
        size_in_words(*.bytes)
    )]
    Memory {
        /// What the array holds.
        what: &'static str,
        /// Its size.
        bytes: u64,
    },
    /// A parameter is outside its range.
    #[error("{name} = {value} is not allowed; {allowed}")]
    Parameter {
        /// The parameter's name.
        name: &'static str,
        /// The value that was given.
        value: String,
        /// The allowed range, and what to do.
        allowed: &'static str,
    },
    /// There is no choice of that name.
    #[error("{kind} = {value} is not allowed; use {allowed}")]
    Choice {
        /// What is chosen.
        kind: &'static str,
        /// The name that was given.
        value: String,
        /// The names that there are.
        allowed: String,
    },
    /// A listed column cannot play the part it was given.
    #[error("{list} lists column {column}, {reason}")]
    ColumnList {
        /// `fixed`, `excluded` or `candidates`.
        list: &'static str,
        /// The offending column index.
        column: usize,
        /// Why it cannot be used.
        reason: &'static str,
    },
    /// The worker threads could not be started.
    #[error(
        "could not start {threads} worker threads, nor fewer: {reason}; raise the limit on processes or memory \
         (ulimit -u, ulimit -v), or end other programs"
    )]
    Threads {
        /// How many were asked for.
        threads: usize,
        /// What the system said.
        reason: String,
    },
    /// A linear program was not solved.
    #[error("the linear program of column {column} was not solved: {reason}; rescale the data")]
    LinearProgram {
        /// The column that it was for.
        column: usize,
        /// What the solver said.
        reason: String,
    },
    /// A resumed run does not repeat the steps of its checkpoint.
    #[error(
        "with anchor {step} the residual is {found:e}, but the checkpoint says {saved:e}: it belongs to \
         other data or parameters; start without it"
    )]
    Resume {
        /// The number of the anchor, from 1.
        step: usize,
        /// The residual of the checkpoint.
        saved: f64,
        /// The residual now.
        found: f64,
    },
    /// Asked to [stop](crate::StopRequest) before there was anything to keep.
    #[error("stopped before anything was found")]
    Stopped,
    /// Ranks could not exchange data.
    #[error("communication between ranks failed: {0}")]
    Communication(String),
}

impl Error {
    /// Whose fault it is.
    ///
    /// # Examples
    /// ```
    /// use xray_nmf::{ErrorKind, Selection};
    /// let error = "best".parse::<Selection>().unwrap_err();
    /// assert_eq!(error.kind(), ErrorKind::Usage);
    /// ```
    pub fn kind(&self) -> ErrorKind {
        match self {
            Error::Parameter { .. } | Error::Choice { .. } | Error::ColumnList { .. } => {
                ErrorKind::Usage
            }
            Error::Length { .. }
            | Error::Offsets { .. }
            | Error::IndexOutOfRange { .. }
            | Error::IndexOrder { .. }
            | Error::NotFinite { .. }
            | Error::Negative { .. }
            | Error::Magnitude { .. }
            | Error::TooCostly { .. }
            | Error::LinearProgram { .. }
            | Error::Resume { .. } => ErrorKind::Data,
            Error::Threads { .. } | Error::Stopped => ErrorKind::System,
            Error::Memory { .. } => ErrorKind::Memory,
            Error::Communication(_) => ErrorKind::Ranks,
        }
    }
}

/// A result whose error is [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// An error that names the parameter unless `holds`.
pub(crate) fn require(
    holds: bool,
    name: &'static str,
    value: impl ToString,
    allowed: &'static str,
) -> Result<()> {
    if holds { Ok(()) } else { Err(Error::Parameter { name, value: value.to_string(), allowed }) }
}

/// Checks that a slice has the length that its shape calls for.
pub(crate) fn check_length(what: &'static str, expected: usize, found: usize) -> Result<()> {
    if expected == found { Ok(()) } else { Err(Error::Length { what, expected, found }) }
}

/// The most topics that a dense rank x rank matrix is made for: 8 GiB.
const LARGEST_RANK: usize = 1 << 15;

/// Checks that a rank can be worked with.
pub(crate) fn check_rank(rank: usize) -> Result<()> {
    if rank <= LARGEST_RANK {
        return Ok(());
    }
    let allowed = "at most 32768 topics can be worked with";
    Err(Error::Parameter { name: "rank", value: rank.to_string(), allowed })
}
