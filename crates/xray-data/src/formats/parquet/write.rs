//! Parquet: required columns of strings `id`, `label` (where there are labels) and `text`.

use std::io::{self, Write};
use std::ops::Range;
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical, ZstdLevel};
use parquet::data_type::{ByteArray, ByteArrayType};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;

use crate::table::Documents;

/// Texts of a row group: at most so many, and about so many bytes.
const GROUP_ROWS: usize = 1 << 16;
const GROUP_BYTES: usize = 1 << 26;

pub(super) fn write(documents: &Documents, out: &mut (dyn Write + Send)) -> io::Result<()> {
    write_groups(documents, out).map_err(to_io)
}

/// What the stream said, where it is the cause.
pub(super) fn to_io(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(source) => match source.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(other) => io::Error::other(other),
        },
        other => io::Error::other(other),
    }
}

fn write_groups(documents: &Documents, out: &mut (dyn Write + Send)) -> Result<(), ParquetError> {
    let mut columns = vec![("id", documents.ids.as_slice())];
    columns.extend(documents.labels.as_deref().map(|labels| ("label", labels)));
    columns.push(("text", documents.texts.as_slice()));
    let fields = columns.iter().map(|(name, _)| string_column(name)).collect::<Result<_, _>>()?;
    let schema = Type::group_type_builder("schema").with_fields(fields).build()?;
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_column_dictionary_enabled("text".into(), false)
        .set_created_by(concat!("xray-nmf ", env!("CARGO_PKG_VERSION")).to_owned())
        .build();
    let mut writer = SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties))?;
    for rows in row_groups(&documents.texts) {
        let mut group = writer.next_row_group()?;
        for (_, strings) in &columns {
            let values: Vec<ByteArray> =
                strings[rows.clone()].iter().map(|string| string.as_str().into()).collect();
            if let Some(mut column) = group.next_column()? {
                column.typed::<ByteArrayType>().write_batch(&values, None, None)?;
                column.close()?;
            }
        }
        group.close()?;
    }
    writer.close().map(|_| ())
}

fn string_column(name: &str) -> Result<Arc<Type>, ParquetError> {
    Type::primitive_type_builder(name, Physical::BYTE_ARRAY)
        .with_repetition(Repetition::REQUIRED)
        .with_logical_type(Some(LogicalType::String))
        .build()
        .map(Arc::new)
}

/// Splits the texts into row groups.
fn row_groups(texts: &[String]) -> Vec<Range<usize>> {
    let mut groups = Vec::new();
    let (mut start, mut bytes) = (0, 0);
    for (d, text) in texts.iter().enumerate() {
        bytes += text.len();
        if d + 1 - start == GROUP_ROWS || bytes >= GROUP_BYTES || d + 1 == texts.len() {
            groups.push(start..d + 1);
            (start, bytes) = (d + 1, 0);
        }
    }
    groups
}
