//! Apache Parquet, where the crate was built with it; otherwise it is recognised and refused.

#[cfg(feature = "parquet")]
mod dates;
#[cfg(feature = "parquet")]
mod pages;
#[cfg(feature = "parquet")]
mod read;
#[cfg(feature = "parquet")]
mod rows;
#[cfg(feature = "parquet")]
mod thrift;
#[cfg(feature = "parquet")]
mod write;

#[cfg(feature = "parquet")]
pub use rows::{ParquetColumn, ParquetRows};

use std::io::{self, Write};

use super::{DocumentWriter, Format, Parsed, Reader, Told};
use crate::error::Result;
use crate::options::LoadOptions;
use crate::schema::Layout;
use crate::source::Source;
use crate::table::Documents;

pub(crate) static FORMAT: Format = Format {
    name: "parquet",
    words: "Apache Parquet",
    endings: &["parquet"],
    beginning: None,
    told: Told::Signature(|head| head.starts_with(b"PAR1")),
    has_columns: true,
    has_variables: false,
    read: Reader::File(read),
    write_table: None,
    write_documents: Some(DocumentWriter::File { check, write }),
    names_beside: None,
    decide: Some(decide),
    is_zero_based: None,
};

#[cfg(feature = "parquet")]
fn read(source: Source, options: &LoadOptions) -> Result<Parsed> {
    read::read(source, options)
}

#[cfg(feature = "parquet")]
fn decide(
    sources: &mut dyn Iterator<Item = Result<Source>>,
    options: &LoadOptions,
) -> Result<Layout> {
    read::decide(sources, options)
}

#[cfg(feature = "parquet")]
fn check(_: &Documents) -> Result<(), String> {
    Ok(())
}

#[cfg(feature = "parquet")]
fn write(documents: &Documents, out: &mut (dyn Write + Send)) -> io::Result<()> {
    write::write(documents, out)
}

/// What to do about a build without it.
#[cfg(not(feature = "parquet"))]
const REMEDY: &str = "build with the feature `parquet`";

#[cfg(not(feature = "parquet"))]
fn read(source: Source, _: &LoadOptions) -> Result<Parsed> {
    let error = crate::error::Malformed::new(&source.name, "a Parquet file", "another format");
    Err(error.remedy(REMEDY).into())
}

#[cfg(not(feature = "parquet"))]
fn decide(
    sources: &mut dyn Iterator<Item = Result<Source>>,
    options: &LoadOptions,
) -> Result<Layout> {
    let first = sources.next().transpose()?;
    first.map_or_else(
        || Ok(Layout::default()),
        |first| read(first, options).map(|_| Layout::default()),
    )
}

#[cfg(not(feature = "parquet"))]
fn check(_: &Documents) -> Result<(), String> {
    Err(REMEDY.to_owned())
}

#[cfg(not(feature = "parquet"))]
fn write(_: &Documents, _: &mut (dyn Write + Send)) -> io::Result<()> {
    Err(io::Error::new(io::ErrorKind::Unsupported, REMEDY))
}
