//! All tests of reading and writing, in one program: it compiles in a fraction of the time of many.

mod bad_records;
mod bombs;
mod compressed;
mod cubes;
#[cfg(target_os = "linux")]
mod descriptors;
mod documents;
mod edges;
mod encodings;
mod headers;
mod labels;
mod long_records;
mod malformed;
mod parts;
mod real_data;
mod reference;
mod spreadsheets;
mod tables;
mod written;

use xray_data::Format;

/// A format by its name.
fn named(name: &str) -> &'static Format {
    Format::from_name(name).expect("a known format")
}
