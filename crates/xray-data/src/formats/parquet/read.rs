//! Parquet: a column of text, perhaps columns with ids, classes and dates.
//!
//! Only the columns that are needed are read. A class may be a string, a number or a list, of which
//! the first item counts; a date also a day or a moment, which are told as `2024-03-05`. The parquet crate may panic on damaged files; a panic is reported as
//! damage.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use bytes::Bytes;
use parquet::basic::{LogicalType, TimeUnit, Type as Physical};
use parquet::file::reader::{ChunkReader, FileReader, SerializedFileReader};
use parquet::record::{Field, Row};
use parquet::schema::types::Type;

use crate::budget::{Claim, last_bytes};
use crate::calendar::date_text;
use crate::columns::{self, Guess, TextColumns};
use crate::error::{Malformed, Result, quoted};
use crate::formats::Parsed;
use crate::options::{ColumnChoice, LoadOptions};
use crate::schema::Layout;
use crate::source::{Seekable, Source};
use crate::table::Documents;

pub(super) fn read(source: Source, options: &LoadOptions) -> Result<Parsed> {
    let file = source.name.clone();
    let mut claim = options.limits.claim(&file);
    let content = source.into_seekable(&options.limits, &mut claim)?;
    let read = || match content {
        Seekable::File(content) => read_from(content, options, &mut claim),
        Seekable::Memory(content) => read_from(Bytes::from(content), options, &mut claim),
    };
    match catch_unwind(AssertUnwindSafe(read)) {
        Ok(result) => result,
        Err(_) => Err(damaged(&file, "contradictory content").into()),
    }
}

/// The columns of the first file with rows.
pub(super) fn decide(
    sources: &mut dyn Iterator<Item = Result<Source>>,
    options: &LoadOptions,
) -> Result<Layout> {
    let mut decided = None;
    for source in sources {
        let source = source?;
        let file = source.name.clone();
        let mut claim = options.limits.claim(&file);
        let content = source.into_seekable(&options.limits, &mut claim)?;
        let look = || match content {
            Seekable::File(content) => decide_from(&file, content, options),
            Seekable::Memory(content) => decide_from(&file, Bytes::from(content), options),
        };
        let (layout, n_rows) = catch_unwind(AssertUnwindSafe(look))
            .unwrap_or_else(|_| Err(damaged(&file, "contradictory content").into()))?;
        let decided = decided.get_or_insert(layout.clone());
        if n_rows > 0 {
            *decided = layout;
            break;
        }
    }
    Ok(decided.unwrap_or_default())
}

/// The columns of a file, and how many rows it has.
fn decide_from<R: ChunkReader + 'static>(
    file: &str,
    content: R,
    options: &LoadOptions,
) -> Result<(Layout, i64)> {
    let reader = SerializedFileReader::new(content).map_err(|e| damaged(file, e))?;
    let about = reader.metadata().file_metadata();
    let chosen = Chosen::choose(file, about.schema(), options)?;
    Ok((chosen.into_layout(), about.num_rows()))
}

fn damaged(file: &str, found: impl std::fmt::Display) -> Malformed {
    Malformed::damaged(file, found.to_string(), "an intact Parquet file")
}

fn read_from<R: ChunkReader + 'static>(
    content: R,
    options: &LoadOptions,
    claim: &mut Claim,
) -> Result<Parsed> {
    let file = &claim.file().to_owned();
    let length = content.len();
    let reader = SerializedFileReader::new(content).map_err(|e| damaged(file, e))?;
    check_sizes(file, &reader, length)?;
    let schema = reader.metadata().file_metadata().schema().clone();
    let layout = Chosen::choose(file, &schema, options)?;
    let rows = reader.get_row_iter(Some(layout.projection(&schema, file)?));
    let mut documents = Documents::default();
    let (mut labels, mut times) = (Vec::new(), Vec::new());
    for (number, row) in rows.map_err(|e| damaged(file, e))?.enumerate() {
        let row = row.map_err(|e| damaged(file, e).at_line(number as u64 + 1))?;
        let text = layout.text(&row, file, number as u64 + 1)?;
        if !options.keeps_document(number) {
            continue;
        }
        documents.texts.push(text);
        documents.ids.push(match &layout.id {
            Some(id) => scalar(&row, id),
            None => (number + 1).to_string(),
        });
        if let Some(label) = &layout.label {
            labels.push(scalar(&row, label));
        }
        times.extend(layout.time.as_ref().map(|time| time.text(&row)));
        claim.take(documents.last_bytes() + last_bytes(&labels) + last_bytes(&times))?;
    }
    documents.labels = layout.label.as_ref().map(|_| labels);
    documents.times = layout.time.as_ref().map(|_| times);
    Ok(Parsed { layout: Some(layout.into_layout()), ..documents.into() })
}

/// Refuses chunks that reach beyond the file: what follows allocates by these sizes.
fn check_sizes(file: &str, reader: &dyn FileReader, length: u64) -> Result<()> {
    for group in reader.metadata().row_groups() {
        for column in group.columns() {
            let size = column.compressed_size();
            let starts = [Some(column.data_page_offset()), column.dictionary_page_offset()];
            let outside = starts.into_iter().flatten().any(|start| start < 0);
            if outside || size < 0 || size as u64 > length || column.uncompressed_size() < 0 {
                return Err(damaged(file, format!("a column of {size} bytes")).into());
            }
        }
    }
    Ok(())
}

/// Which columns hold what.
struct Chosen {
    text: Vec<String>,
    id: Option<String>,
    label: Option<String>,
    time: Option<Time>,
}

impl Chosen {
    fn choose(file: &str, schema: &Type, options: &LoadOptions) -> Result<Self> {
        let fields = schema.get_fields();
        let names: Vec<String> = fields.iter().map(|field| field.name().to_owned()).collect();
        if options.layout.is_none() {
            columns::check_distinct(file, &names, options)?;
        }
        check_once(file, &names, options)?;
        let guess = || {
            let strings: Vec<usize> =
                (0..fields.len()).filter(|&k| is_string(&fields[k])).collect();
            let known: Vec<String> = strings.iter().map(|&k| names[k].clone()).collect();
            let only = (strings.len() == 1).then_some(0);
            let found = columns::guess(&known, &[], Guess::Text).or(only);
            found.map(|place| strings[place]).ok_or_else(|| {
                Malformed::new(file, "no column that is known to hold text", "one")
                    .remedy(format!("name it; {}", columns::known(&names)))
                    .into()
            })
        };
        let chosen = TextColumns::choose(file, Some(&names), names.len(), options, guess)?;
        let name = |column: usize| names[column].clone();
        Ok(Self {
            text: chosen.text.into_iter().map(name).collect(),
            id: chosen.id.map(name),
            label: chosen.label.map(name),
            time: chosen.time.map(|column| Time::of(&fields[column])),
        })
    }

    /// What other files are read by.
    fn into_layout(self) -> Layout {
        let text = self.text.into_iter().map(ColumnChoice::Name).collect();
        let time = self.time.map(|time| time.name);
        let [id, label, time] =
            [self.id, self.label, time].map(|name| name.map(ColumnChoice::Name));
        Layout { text, id, label, time, ..Layout::default() }
    }

    /// The schema without the columns that are not needed.
    fn projection(&self, schema: &Type, file: &str) -> Result<Type> {
        let needed = |name: &str| {
            let time = self.time.as_ref().map(|time| &time.name);
            let scalars = self.id.iter().chain(&self.label).chain(time);
            self.text.iter().chain(scalars).any(|wanted| wanted == name)
        };
        let fields: Vec<Arc<Type>> =
            schema.get_fields().iter().filter(|field| needed(field.name())).cloned().collect();
        let projection = Type::group_type_builder(schema.name()).with_fields(fields).build();
        projection.map_err(|e| damaged(file, e).into())
    }

    fn text(&self, row: &Row, file: &str, number: u64) -> Result<String> {
        let mut parts = Vec::with_capacity(self.text.len());
        for name in &self.text {
            match field(row, name) {
                Some(Field::Str(text)) => parts.push(text.clone()),
                Some(Field::Bytes(bytes)) if std::str::from_utf8(bytes.data()).is_ok() => {
                    parts.push(String::from_utf8_lossy(bytes.data()).into_owned());
                }
                Some(Field::Null) => {}
                other => return Err(no_text(file, name, other).at_line(number).into()),
            }
        }
        Ok(parts.join(" "))
    }
}

/// Refuses to read a column whose name another one has, too: rows tell their fields by name.
fn check_once(file: &str, names: &[String], options: &LoadOptions) -> Result<()> {
    let others = options.id.iter().chain(&options.label).chain(&options.time);
    for choice in options.text.iter().chain(others) {
        let name = match choice {
            ColumnChoice::Name(name) => Some(name),
            ColumnChoice::Position(place) => names.get(*place),
        };
        let alike = |k: &usize| name.is_some_and(|name| names[*k].trim() == name.trim());
        let mut places = (0..names.len()).filter(alike);
        if let (Some(first), Some(second)) = (places.next(), places.next()) {
            return Err(columns::called_alike(file, names, [first, second], "rename one"));
        }
    }
    Ok(())
}

/// A column of dates.
struct Time {
    name: String,
    /// How many of its numbers are a day, if they are moments: readers tell that of some units alone.
    ticks_a_day: Option<i64>,
}

impl Time {
    fn of(field: &Type) -> Self {
        let kind = field.get_basic_info().logical_type_ref();
        let ticks_a_second = match kind {
            Some(LogicalType::Timestamp(about)) => Some(match about.unit {
                TimeUnit::MILLIS => 1_000,
                TimeUnit::MICROS => 1_000_000,
                TimeUnit::NANOS => 1_000_000_000,
            }),
            _ => None,
        };
        let ticks_a_day = ticks_a_second.map(|ticks: i64| 86_400 * ticks);
        Self { name: field.name().to_owned(), ticks_a_day }
    }

    /// What a row says, days and moments as dates.
    fn text(&self, row: &Row) -> String {
        let Some(found) = field(row, &self.name) else { return String::new() };
        let day = match (found, self.ticks_a_day) {
            (Field::Date(day), _) => i64::from(*day),
            (Field::TimestampMillis(tick), _) => tick.div_euclid(86_400_000),
            (Field::TimestampMicros(tick), _) => tick.div_euclid(86_400_000_000),
            (Field::Long(tick), Some(ticks_a_day)) => tick.div_euclid(ticks_a_day),
            _ => return field_text(found),
        };
        date_text(day).unwrap_or_default()
    }
}

/// About a value that is no text.
fn no_text(file: &str, name: &str, found: Option<&Field>) -> Malformed {
    let (found, remedy) = match found {
        Some(Field::Bytes(bytes)) => {
            (format!("bytes that are not UTF-8, {}", quoted(bytes.data())), "write it as strings")
        }
        Some(field) => (quoted(field.to_string().as_bytes()), "name a column of strings"),
        None => ("no value".to_owned(), "name a column of strings"),
    };
    Malformed::new(file, found, format!("text in column \"{name}\"")).remedy(remedy)
}

fn is_string(field: &Type) -> bool {
    if !field.is_primitive() || field.get_physical_type() != Physical::BYTE_ARRAY {
        return false;
    }
    match field.get_basic_info().logical_type_ref() {
        None => true,
        Some(kind) => matches!(kind, LogicalType::String),
    }
}

fn field<'a>(row: &'a Row, name: &str) -> Option<&'a Field> {
    row.get_column_iter().find(|(column, _)| column.as_str() == name).map(|(_, field)| field)
}

/// An id or a class as text.
fn scalar(row: &Row, name: &str) -> String {
    field(row, name).map_or(String::new(), field_text)
}

fn field_text(field: &Field) -> String {
    match field {
        Field::Null => String::new(),
        Field::Str(text) => text.clone(),
        // Strings that are not marked as such.
        Field::Bytes(bytes) if std::str::from_utf8(bytes.data()).is_ok() => {
            String::from_utf8_lossy(bytes.data()).into_owned()
        }
        Field::ListInternal(list) => list.elements().first().map_or(String::new(), field_text),
        Field::Float(value) => value.to_string(),
        Field::Double(value) => value.to_string(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use parquet::data_type::{ByteArrayType, DataType, Int32Type, Int64Type};
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::parser::parse_message_type;

    use super::*;
    use crate::source::Input;

    /// Reads a file of columns of bytes, marked as strings or not, with these values in one row.
    fn one_row(columns: &[(&str, &[u8])], options: &LoadOptions) -> Result<Documents> {
        let fields = columns.iter().map(|(name, _)| format!("required binary {name};"));
        let schema = format!("message x {{ {} }}", fields.collect::<String>());
        let schema = Arc::new(parse_message_type(&schema).expect("a schema"));
        let mut bytes = Vec::new();
        let mut writer =
            SerializedFileWriter::new(&mut bytes, schema, Arc::default()).expect("a writer");
        let mut group = writer.next_row_group().expect("a group");
        for (_, value) in columns {
            let mut column = group.next_column().expect("written").expect("a column");
            let value = [value.to_vec().into()];
            column.typed::<ByteArrayType>().write_batch(&value, None, None).expect("written");
            column.close().expect("written");
        }
        group.close().expect("written");
        writer.close().expect("written");
        let input = Input::Bytes { name: "x.parquet".into(), bytes };
        Ok(crate::load(&input, options)?.into_documents().expect("texts"))
    }

    #[test]
    fn bytes_without_a_mark_are_strings_in_every_column() {
        let columns = [("id", &b"d1"[..]), ("label", b"x"), ("text", b"cat fur"), ("day", b"May")];
        let options = LoadOptions { time: Some("day".into()), ..LoadOptions::default() };
        let found = one_row(&columns, &options).expect("readable");
        assert_eq!((found.ids, found.texts), (vec!["d1".into()], vec!["cat fur".into()]));
        assert_eq!((found.labels, found.times), (Some(vec!["x".into()]), Some(vec!["May".into()])));
        let wrong = one_row(&[("text", b"caf\xff")], &LoadOptions::default()).unwrap_err();
        let wrong = wrong.to_string();
        assert!(wrong.starts_with("x.parquet:1: found bytes that are not UTF-8, \"caf"), "{wrong}");
        assert!(!wrong.contains("Some("), "{wrong}");
    }

    #[test]
    fn columns_that_are_called_alike_are_refused() {
        let message = |columns: &[(&str, &[u8])], options: &LoadOptions| {
            one_row(columns, options).map(|found| found.texts).unwrap_err().to_string()
        };
        let (twice, open) = ([("text", &b"a"[..]), ("text", b"b")], LoadOptions::default());
        assert!(message(&twice, &open).contains("columns 1 and 2 called \"text\""));
        let cases = [("Text", &b"a"[..]), ("text", b"b")];
        assert!(message(&cases, &open).contains("columns 1 and 2 called \"text\""));
        let said = |text| LoadOptions { text: vec![text], ..LoadOptions::default() };
        assert_eq!(one_row(&cases, &said("Text".into())).expect("one is meant").texts, ["a"]);
        for text in ["text".into(), ColumnChoice::Position(0)] {
            assert!(message(&twice, &said(text)).contains("rename one"));
        }
    }

    /// Reads the dates of a file with three texts and a column of this type, of which the last value is missing.
    fn dates<T: DataType>(column: &str, values: &[T::T]) -> Vec<String> {
        let schema = format!("message x {{ required binary text (UTF8); optional {column}; }}");
        let schema = Arc::new(parse_message_type(&schema).expect("a schema"));
        let mut bytes = Vec::new();
        let mut writer =
            SerializedFileWriter::new(&mut bytes, schema, Arc::default()).expect("a writer");
        let mut group = writer.next_row_group().expect("a group");
        let texts = ["one", "two", "three"].map(Into::into);
        let mut texts_column = group.next_column().expect("written").expect("texts");
        texts_column.typed::<ByteArrayType>().write_batch(&texts, None, None).expect("written");
        texts_column.close().expect("written");
        let mut dates = group.next_column().expect("written").expect("dates");
        dates.typed::<T>().write_batch(values, Some(&[1, 1, 0]), None).expect("written");
        dates.close().expect("written");
        group.close().expect("written");
        writer.close().expect("written");
        let input = Input::Bytes { name: "x.parquet".into(), bytes };
        let options = LoadOptions { time: Some("date".into()), ..LoadOptions::default() };
        let loaded = crate::load(&input, &options).expect("readable");
        loaded.into_documents().expect("texts").times.expect("dates")
    }

    #[test]
    fn days_moments_and_numbers_are_dates() {
        let day = 86_400_i64;
        assert_eq!(
            dates::<Int32Type>("int32 date (DATE)", &[19_723, -1]),
            ["2024-01-01", "1969-12-31", ""]
        );
        assert_eq!(dates::<Int32Type>("int32 date", &[2004, 1999]), ["2004", "1999", ""]);
        assert_eq!(dates::<Int64Type>("int64 date", &[1_704_067_200, 7]), ["1704067200", "7", ""]);
        for (unit, ticks) in [("MILLIS", 1_000), ("MICROS", 1_000_000), ("NANOS", 1_000_000_000)] {
            for adjusted in [true, false] {
                let column = format!("int64 date (TIMESTAMP({unit},{adjusted}))");
                let values = [19_723 * day * ticks + 5, -ticks];
                assert_eq!(dates::<Int64Type>(&column, &values), ["2024-01-01", "1969-12-31", ""]);
            }
        }
        let far = dates::<Int32Type>("int32 date (DATE)", &[i32::MAX, i32::MIN]);
        assert_eq!(far, ["", "", ""], "no such years");
        let texts = ["May 2024", "2004"].map(Into::into);
        assert_eq!(dates::<ByteArrayType>("binary date (UTF8)", &texts), ["May 2024", "2004", ""]);
    }
}
