//! Parquet files of named rows of numbers, written as the rows come.

use std::io::{self, Write};
use std::mem::take;
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical, ZstdLevel};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, FloatType, Int32Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::Type;

use super::write::to_io;
use crate::write::Digits;

/// Rows of a row group.
const GROUP_ROWS: usize = 1 << 16;

/// Some entries of a column.
#[derive(Debug, Clone)]
pub enum ParquetColumn {
    /// Strings.
    Texts(Vec<String>),
    /// Whole numbers, or nothing.
    Places(Vec<Option<u32>>),
    /// Numbers: of 8 bytes if all digits are to be kept, else of 4.
    Numbers(Vec<f64>),
}

/// A Parquet file that is being written.
///
/// # Examples
/// ```
/// use xray_data::{Digits, ParquetColumn, ParquetRows};
/// let columns = || vec![
///     ("id".to_owned(), ParquetColumn::Texts(vec!["a".into(), "b".into()])),
///     ("topic".to_owned(), ParquetColumn::Places(vec![Some(3), None])),
///     ("weight".to_owned(), ParquetColumn::Numbers(vec![0.5, 0.0])),
/// ];
/// let mut rows = ParquetRows::new(Vec::new(), Digits::Six);
/// rows.push(columns())?;
/// rows.push(columns())?;
/// assert_eq!(&rows.finish()?[..4], b"PAR1");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct ParquetRows<W: Write + Send> {
    digits: Digits,
    /// What is not written yet.
    waiting: Vec<(String, ParquetColumn)>,
    state: State<W>,
}

/// The first rows tell what columns there are.
#[derive(Debug)]
enum State<W: Write + Send> {
    New(W),
    Open(Box<SerializedFileWriter<W>>),
    /// After a failure.
    Broken,
}

impl<W: Write + Send> ParquetRows<W> {
    /// An empty file.
    pub fn new(out: W, digits: Digits) -> Self {
        Self { digits, waiting: Vec::new(), state: State::New(out) }
    }

    /// Appends rows, all of whose columns have the same length; every call has the same columns.
    ///
    /// # Errors
    /// If the stream refuses.
    pub fn push(&mut self, columns: Vec<(String, ParquetColumn)>) -> io::Result<()> {
        if self.waiting.is_empty() {
            self.waiting = columns;
        } else {
            self.waiting.iter_mut().zip(columns).for_each(|((_, all), (_, new))| all.append(new));
        }
        let n_rows = self.waiting.first().map_or(0, |(_, column)| column.len());
        if n_rows >= GROUP_ROWS { self.flush() } else { Ok(()) }
    }

    /// Writes what is left.
    ///
    /// # Errors
    /// If the stream refuses.
    pub fn finish(mut self) -> io::Result<W> {
        self.flush()?;
        match self.state {
            State::Open(writer) => writer.into_inner().map_err(to_io),
            State::New(_) | State::Broken => Err(io::Error::other("no rows were written")),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        let columns = take(&mut self.waiting);
        let mut writer = match std::mem::replace(&mut self.state, State::Broken) {
            State::New(out) => Box::new(open(out, &columns, self.digits).map_err(to_io)?),
            State::Open(writer) => writer,
            State::Broken => return Err(io::Error::other("an earlier write failed")),
        };
        if !columns.is_empty() {
            write_group(&mut writer, columns, self.digits).map_err(to_io)?;
        }
        self.state = State::Open(writer);
        Ok(())
    }
}

impl ParquetColumn {
    fn len(&self) -> usize {
        match self {
            ParquetColumn::Texts(values) => values.len(),
            ParquetColumn::Places(values) => values.len(),
            ParquetColumn::Numbers(values) => values.len(),
        }
    }

    fn append(&mut self, more: Self) {
        match (self, more) {
            (ParquetColumn::Texts(all), ParquetColumn::Texts(new)) => all.extend(new),
            (ParquetColumn::Places(all), ParquetColumn::Places(new)) => all.extend(new),
            (ParquetColumn::Numbers(all), ParquetColumn::Numbers(new)) => all.extend(new),
            _ => debug_assert!(false, "columns keep their kinds"),
        }
    }

    fn schema(&self, name: &str, digits: Digits) -> Result<Arc<Type>, ParquetError> {
        let (physical, repetition, logical) = match self {
            ParquetColumn::Texts(_) => {
                (Physical::BYTE_ARRAY, Repetition::REQUIRED, Some(LogicalType::String))
            }
            ParquetColumn::Places(_) => (Physical::INT32, Repetition::OPTIONAL, None),
            ParquetColumn::Numbers(_) if digits == Digits::All => {
                (Physical::DOUBLE, Repetition::REQUIRED, None)
            }
            ParquetColumn::Numbers(_) => (Physical::FLOAT, Repetition::REQUIRED, None),
        };
        let column = Type::primitive_type_builder(name, physical);
        let column = column.with_repetition(repetition).with_logical_type(logical);
        column.build().map(Arc::new)
    }
}

fn open<W: Write + Send>(
    out: W,
    columns: &[(String, ParquetColumn)],
    digits: Digits,
) -> Result<SerializedFileWriter<W>, ParquetError> {
    let fields = columns.iter().map(|(name, column)| column.schema(name, digits));
    let schema = Type::group_type_builder("schema").with_fields(fields.collect::<Result<_, _>>()?);
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_created_by(concat!("xray-nmf ", env!("CARGO_PKG_VERSION")).to_owned())
        .build();
    SerializedFileWriter::new(out, Arc::new(schema.build()?), Arc::new(properties))
}

fn write_group<W: Write + Send>(
    writer: &mut SerializedFileWriter<W>,
    columns: Vec<(String, ParquetColumn)>,
    digits: Digits,
) -> Result<(), ParquetError> {
    let mut group = writer.next_row_group()?;
    for (_, column) in columns {
        match column {
            ParquetColumn::Texts(texts) => {
                let texts: Vec<ByteArray> = texts.iter().map(|text| text.as_str().into()).collect();
                write_column::<ByteArrayType, W>(&mut group, &texts, None)?;
            }
            ParquetColumn::Places(places) => {
                let there: Vec<i16> = places.iter().map(|place| place.is_some().into()).collect();
                let values: Vec<i32> = places.iter().flatten().map(|&place| place as i32).collect();
                write_column::<Int32Type, W>(&mut group, &values, Some(&there))?;
            }
            ParquetColumn::Numbers(numbers) if digits == Digits::All => {
                write_column::<DoubleType, W>(&mut group, &numbers, None)?;
            }
            ParquetColumn::Numbers(numbers) => {
                let short: Vec<f32> = numbers.iter().map(|&number| number as f32).collect();
                write_column::<FloatType, W>(&mut group, &short, None)?;
            }
        }
    }
    group.close().map(|_| ())
}

fn write_column<T: DataType, W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    values: &[T::T],
    there: Option<&[i16]>,
) -> Result<(), ParquetError> {
    match group.next_column()? {
        Some(mut column) => {
            column.typed::<T>().write_batch(values, there, None)?;
            column.close()
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use parquet::file::reader::{FileReader, SerializedFileReader};

    use super::*;

    fn written(digits: Digits, n: usize) -> String {
        let mut rows = ParquetRows::new(Vec::new(), digits);
        for d in 0..n {
            let columns = [
                ("id", ParquetColumn::Texts(vec![format!("d{d}")])),
                ("topic", ParquetColumn::Places(vec![(d % 2 == 0).then_some(7)])),
                ("weight", ParquetColumn::Numbers(vec![0.1 * d as f64])),
            ];
            rows.push(columns.map(|(name, column)| (name.to_owned(), column)).into())
                .expect("memory");
        }
        let bytes = bytes::Bytes::from(rows.finish().expect("memory"));
        let reader = SerializedFileReader::new(bytes).expect("a Parquet file");
        let rows = reader.get_row_iter(None).expect("rows");
        rows.map(|row| row.expect("a row").to_string()).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn rows_come_back() {
        let expected =
            "{id: \"d0\", topic: 7, weight: 0E0}\n{id: \"d1\", topic: null, weight: 0.1}";
        assert_eq!(written(Digits::Six, 2), expected);
        let exact = "{id: \"d3\", topic: null, weight: 0.30000000000000004}";
        assert_eq!(written(Digits::All, 4).lines().last(), Some(exact));
    }

    #[test]
    fn large_files_have_several_groups() {
        let text = written(Digits::Six, GROUP_ROWS + 3);
        assert_eq!(text.lines().count(), GROUP_ROWS + 3);
        assert!(text.lines().last().is_some_and(|line| line.contains("\"d65538\"")), "{text}");
    }
}
