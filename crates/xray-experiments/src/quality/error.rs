//! What can go wrong, and what to do about it.

/// An error that names the offending value, what was allowed, and the remedy.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub(crate) enum Error {
    /// Two lengths that must agree do not.
    #[error("{what}: expected {expected}, found {found}")]
    Length {
        /// The array that is too long or too short.
        what: &'static str,
        /// The length that was called for.
        expected: usize,
        /// The length that was given.
        found: usize,
    },
    /// An array is not made of whole rows.
    #[error("{what}: {length} entries do not make whole rows of {n_columns}; check the shape")]
    Shape {
        /// The array.
        what: &'static str,
        /// Its length.
        length: usize,
        /// The length of a row.
        n_columns: usize,
    },
    /// A number is NaN or infinite.
    #[error("{what}: entry ({row}, {column}) is {value}; every entry must be a finite number")]
    NotFinite {
        /// The array that holds it.
        what: &'static str,
        /// Row of the entry.
        row: usize,
        /// Column of the entry.
        column: usize,
        /// NaN, inf or -inf.
        value: f64,
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
    /// There is too little data for what was asked.
    #[error("{what}: found {found}, at least {needed} needed; give more data or a larger share")]
    TooFew {
        /// What there is too little of.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many there must be.
        needed: usize,
    },
    /// Items cannot be split into two parts that both have some.
    #[error(
        "{n_items} items cannot be split with a share of {share}: one part would be empty; \
         some class needs two members"
    )]
    NoSplit {
        /// Number of items.
        n_items: usize,
        /// The share that was asked for.
        share: f64,
    },
}

/// A result whose error is [`Error`].
pub(crate) type Result<T> = std::result::Result<T, Error>;

/// Checks that an array has the length that is called for.
pub(crate) fn check_length(what: &'static str, expected: usize, found: usize) -> Result<()> {
    if expected == found { Ok(()) } else { Err(Error::Length { what, expected, found }) }
}

/// Checks that an array of `n_columns` entries a row has whole rows of finite numbers.
pub(crate) fn check_rows(what: &'static str, values: &[f64], n_columns: usize) -> Result<()> {
    let length = values.len();
    if length.checked_rem(n_columns).unwrap_or(length) != 0 {
        return Err(Error::Shape { what, length, n_columns });
    }
    match values.iter().position(|v| !v.is_finite()) {
        Some(place) => {
            let (row, column) = (place / n_columns, place % n_columns);
            Err(Error::NotFinite { what, row, column, value: values[place] })
        }
        None => Ok(()),
    }
}
