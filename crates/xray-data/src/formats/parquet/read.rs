//! Parquet: a column of text, perhaps columns with ids, classes and dates.
//!
//! Only the columns that are needed are read. A class may be a string, a number or a list, of which
//! the first item counts; a date also a day or a moment, which are told as `2024-03-05`. The parquet crate may panic on
//! damaged files; a panic is reported as damage.

use std::fmt::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use bytes::Bytes;
use parquet::basic::{LogicalType, Type as Physical};
use parquet::file::metadata::{ColumnChunkMetaData, RowGroupMetaData};
use parquet::file::reader::{ChunkReader, FileReader, SerializedFileReader};
use parquet::record::reader::TreeBuilder;
use parquet::record::{Field, Row};
use parquet::schema::types::{SchemaDescriptor, Type};

use super::dates::Time;
use super::pages::{batch_rows, held_at_once};
use crate::budget::{Claim, last_bytes};
use crate::columns::{self, Guess, TextColumns};
use crate::error::{Malformed, Result, io_error, quoted};
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
        Seekable::File(content) => {
            let again = content.try_clone().map_err(|e| io_error(&file, "read", e))?;
            read_from([content, again], options, &mut claim)
        }
        Seekable::Memory(content) => {
            let content = Bytes::from(content);
            read_from([content.clone(), content], options, &mut claim)
        }
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

/// Reads the rows, group by group; the content comes twice, for the rows and for the headers of their pages.
fn read_from<R: ChunkReader + 'static>(
    [content, headers]: [R; 2],
    options: &LoadOptions,
    claim: &mut Claim,
) -> Result<Parsed> {
    let file = &claim.file().to_owned();
    let length = content.len();
    let reader = SerializedFileReader::new(content).map_err(|e| damaged(file, e))?;
    check_sizes(file, &reader, length)?;
    let schema = reader.metadata().file_metadata().schema().clone();
    let layout = Chosen::choose(file, &schema, options)?;
    let projection = layout.projection(&schema, file)?;
    let projection = Arc::new(SchemaDescriptor::new(Arc::new(projection)));
    let mut found = Found::default();
    for group in 0..reader.num_row_groups() {
        // Given back when the group is done: what was kept of it is counted by then.
        let mut pages = options.limits.claim(file);
        let about = reader.metadata().row_group(group);
        let batch = claim_pages(about, &headers, &layout, options, &mut pages)?;
        let group = reader.get_row_group(group).map_err(|e| damaged(file, e))?;
        let rows = TreeBuilder::new().with_batch_size(batch).as_iter(projection.clone(), &*group);
        for row in rows.map_err(|e| damaged(file, e))? {
            let number = found.read + 1;
            let row = row.map_err(|e| damaged(file, e).at_line(number))?;
            found.push(row, &layout, options, claim)?;
        }
    }
    let Found { mut documents, labels, times, .. } = found;
    documents.labels = layout.label.as_ref().map(|_| labels);
    documents.times = layout.time.as_ref().map(|_| times);
    Ok(Parsed { layout: Some(layout.into_layout()), ..documents.into() })
}

/// Claims what the pages of a group take, and tells how many rows to read at once.
fn claim_pages<R: ChunkReader>(
    about: &RowGroupMetaData,
    headers: &R,
    layout: &Chosen,
    options: &LoadOptions,
    claim: &mut Claim,
) -> Result<usize> {
    let columns = about.columns().iter().filter(|column| layout.needs_column(column));
    let batch = batch_rows(columns.clone(), about.num_rows().unsigned_abs());
    // Several columns are joined, which is a copy more; one is handed over.
    let copies = if layout.text.len() > 1 { 2 } else { 1 };
    for column in columns {
        let budget = &options.limits.loaded_bytes;
        let left = budget.limit().saturating_sub(budget.taken());
        let held = held_at_once(headers, column, batch, left);
        let held = held.map_err(|found| damaged(claim.file(), found))?;
        claim.take(held.bytes(copies))?;
    }
    Ok(batch as usize)
}

/// What was read of the rows so far.
#[derive(Default)]
struct Found {
    read: u64,
    documents: Documents,
    labels: Vec<String>,
    times: Vec<String>,
}

impl Found {
    fn push(
        &mut self,
        row: Row,
        layout: &Chosen,
        options: &LoadOptions,
        claim: &mut Claim,
    ) -> Result<()> {
        let number = self.read as usize;
        self.read += 1;
        let mut row = row.into_columns();
        if options.keeps_document(number) {
            self.documents.ids.push(match &layout.id {
                Some(id) => scalar(&row, id),
                None => self.read.to_string(),
            });
            self.labels.extend(layout.label.as_ref().map(|label| scalar(&row, label)));
            self.times.extend(layout.time.as_ref().map(|time| time.text(&row)));
        }
        let text = layout.text(&mut row, claim.file(), self.read)?;
        if !options.keeps_document(number) {
            return Ok(());
        }
        self.documents.texts.push(text);
        let others = last_bytes(&self.labels) + last_bytes(&self.times);
        claim.take(self.documents.last_bytes() + others)
    }
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
        let fields: Vec<Arc<Type>> =
            schema.get_fields().iter().filter(|field| self.needs(field.name())).cloned().collect();
        let projection = Type::group_type_builder(schema.name()).with_fields(fields).build();
        projection.map_err(|e| damaged(file, e).into())
    }

    /// Whether a column is part of what is read.
    fn needs_column(&self, column: &ColumnChunkMetaData) -> bool {
        column.column_path().parts().first().is_some_and(|name| self.needs(name))
    }

    fn needs(&self, name: &str) -> bool {
        let time = self.time.as_ref().map(|time| &time.name);
        let scalars = self.id.iter().chain(&self.label).chain(time);
        self.text.iter().chain(scalars).any(|wanted| wanted == name)
    }

    /// The text of a row, which is taken out of it if it is one: it may be long.
    fn text(&self, row: &mut [Column], file: &str, number: u64) -> Result<String> {
        if let [name] = self.text.as_slice()
            && let Some((_, Field::Str(text))) = row.iter_mut().find(|(column, _)| column == name)
        {
            return Ok(std::mem::take(text));
        }
        let mut parts = Vec::with_capacity(self.text.len());
        for name in &self.text {
            match field(row, name) {
                Some(Field::Str(text)) => parts.push(text.as_str()),
                Some(Field::Bytes(bytes)) if std::str::from_utf8(bytes.data()).is_ok() => {
                    parts.push(bytes.as_utf8().unwrap_or_default());
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

/// The first characters of what is written: it may be as long as a page.
struct Beginning(String);

impl fmt::Write for Beginning {
    fn write_str(&mut self, more: &str) -> fmt::Result {
        let left = 60 - self.0.chars().count();
        self.0.extend(more.chars().take(left));
        if more.chars().nth(left).is_some() { Err(fmt::Error) } else { Ok(()) }
    }
}

/// About a value that is no text.
fn no_text(file: &str, name: &str, found: Option<&Field>) -> Malformed {
    let (found, remedy) = match found {
        Some(Field::Bytes(bytes)) => {
            (format!("bytes that are not UTF-8, {}", quoted(bytes.data())), "write it as strings")
        }
        Some(field) => {
            let mut start = Beginning(String::new());
            // It ends in an error where there is more.
            let _ = write!(start, "{field}");
            (quoted(start.0.as_bytes()), "name a column of strings")
        }
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

/// A column of a row.
pub(super) type Column = (String, Field);

pub(super) fn field<'a>(row: &'a [Column], name: &str) -> Option<&'a Field> {
    row.iter().find(|(column, _)| column == name).map(|(_, field)| field)
}

/// An id or a class as text.
fn scalar(row: &[Column], name: &str) -> String {
    field(row, name).map_or(String::new(), field_text)
}

pub(super) fn field_text(field: &Field) -> String {
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
    use parquet::data_type::ByteArrayType;
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
}
