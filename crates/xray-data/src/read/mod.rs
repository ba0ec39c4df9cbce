//! Text by lines and by records, and side files with one name a line: what several formats are read with.

pub(crate) mod lines;
pub(crate) mod names;
pub(crate) mod records;

/// Capacity to start with for a declared number of entries: the rest grows as data arrives.
pub(crate) fn cautious_capacity(declared: u64) -> usize {
    declared.min(1 << 18) as usize
}
