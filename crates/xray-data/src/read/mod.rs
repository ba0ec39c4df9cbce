//! Text by lines and by records, and side files with one name a line: what several formats are read with.

pub(crate) mod bad;
pub(crate) mod lines;
pub(crate) mod names;
pub(crate) mod records;

/// Capacity to start with for a declared number of entries: the rest grows as data arrives.
pub(crate) fn cautious_capacity(declared: u64) -> usize {
    declared.min(1 << 18) as usize
}

/// Every whole number up to this one has an f64 of its own.
pub(crate) const LARGEST_WHOLE: f64 = 9_007_199_254_740_992.0;

/// Refuses whole numbers that an f64 has rounded: `value` is one of them, if there is any.
pub(crate) fn check_rounded(file: &str, value: Option<f64>) -> crate::error::Result<()> {
    let Some(value) = value else { return Ok(()) };
    let found = format!("a whole number of about {value:e}, which would be rounded");
    Err(crate::error::Malformed::new(file, found, "whole numbers below 2^53")
        .remedy("convert them to double precision where they are made, if rounding does no harm")
        .into())
}
