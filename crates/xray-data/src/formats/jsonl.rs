//! JSON Lines: one object a line with a text, perhaps an id and a class.
//!
//! A class may be a string, a number or a list, of which the first item counts; an empty list is no
//! class. A text that is `null` is an empty document.

use std::collections::BTreeSet;
use std::io::{self, Write};

use serde::Serialize;
use serde_json::{Map, Value};

use super::{DocumentWriter, Format, Parsed, Reader, Told};
use crate::budget::{last_bytes, string_bytes};
use crate::columns::{self, Guess};
use crate::error::{Malformed, Result};
use crate::options::{ColumnChoice, LoadOptions};
use crate::read::lines::{Line, Lines};
use crate::schema::Layout;
use crate::source::Source;
use crate::table::Documents;

pub(crate) static FORMAT: Format = Format {
    name: "jsonl",
    words: "one JSON object a line",
    endings: &["jsonl", "ndjson"],
    beginning: None,
    told: Told::Content(|head| head.trim_ascii_start().starts_with(b"{")),
    has_columns: true,
    has_variables: false,
    read: Reader::File(read),
    write_table: None,
    write_documents: Some(DocumentWriter::File { check: |_| Ok(()), write }),
    names_beside: None,
    decide: Some(decide),
    is_zero_based: None,
};

fn read(source: Source, options: &LoadOptions) -> Result<Parsed> {
    let mut lines = Lines::new(source, options.limits.line_bytes);
    let mut claim = options.limits.claim(lines.file());
    let mut documents = Documents::default();
    let mut labels = Vec::new();
    let mut n_read = 0;
    let mut choice: Option<FieldChoice> = None;
    let mut known: BTreeSet<String> = BTreeSet::new();
    while let Some(line) = lines.next_line()? {
        if line.is_blank() {
            continue;
        }
        let object = parse(line, options)?;
        let choice = match &mut choice {
            Some(choice) => choice,
            none => none.insert(FieldChoice::new(line, &object, options)?),
        };
        let text = choice.text(line, &object)?;
        if !object.keys().all(|name| known.contains(name)) {
            claim.take(object.keys().map(|name| string_bytes(name.len())).sum())?;
            known.extend(object.keys().cloned());
        }
        n_read += 1;
        if !options.keeps_document(n_read - 1) {
            continue;
        }
        documents.texts.push(text);
        documents.ids.push(match &choice.id {
            Some(id) => object.get(id).map_or(String::new(), scalar_text),
            None => n_read.to_string(),
        });
        if let Some(label) = &choice.label {
            labels.push(object.get(label).map_or(String::new(), scalar_text));
        }
        claim.take(documents.last_bytes() + last_bytes(&labels))?;
    }
    let known: Vec<String> = known.into_iter().collect();
    for chosen in choice.iter().flat_map(|choice| choice.id.iter().chain(&choice.label)) {
        if !known.contains(chosen) {
            let found = format!("no object with a field \"{chosen}\"");
            let remedy = columns::known(&known);
            return Err(Malformed::new(lines.file(), found, "it").remedy(remedy).into());
        }
    }
    let layout = choice.map(FieldChoice::into_layout);
    let labelled = layout.as_ref().is_some_and(|layout| layout.label.is_some());
    documents.labels = labelled.then_some(labels);
    Ok(Parsed { layout, ..documents.into() })
}

/// The fields of the first object.
fn decide(
    sources: &mut dyn Iterator<Item = Result<Source>>,
    options: &LoadOptions,
) -> Result<Layout> {
    for source in sources {
        let mut lines = Lines::new(source?, options.limits.line_bytes);
        while let Some(line) = lines.next_line()? {
            if !line.is_blank() {
                let choice = FieldChoice::new(line, &parse(line, options)?, options)?;
                return Ok(choice.into_layout());
            }
        }
    }
    Ok(Layout::default())
}

fn parse(line: Line<'_>, options: &LoadOptions) -> Result<Map<String, Value>> {
    let text = line.text_or_replaced(options.replace_invalid_utf8)?;
    serde_json::from_str(&text).map_err(|e| {
        let mut error = line.error("one JSON object").at(line.number, e.column() as u64);
        let reason = e.to_string();
        error.remedy = reason.split(" at line ").next().unwrap_or_default().to_owned();
        error.into()
    })
}

/// Which fields hold what.
struct FieldChoice {
    text: Vec<String>,
    id: Option<String>,
    label: Option<String>,
}

impl FieldChoice {
    /// From the options and, where they leave it open, the first object.
    fn new(line: Line<'_>, first: &Map<String, Value>, options: &LoadOptions) -> Result<Self> {
        if let Some(layout) = &options.layout {
            return Ok(Self::decided(layout));
        }
        let known: Vec<String> = first.keys().cloned().collect();
        let named = |choice: &ColumnChoice| -> Result<String> {
            match choice {
                ColumnChoice::Name(name) => Ok(name.clone()),
                ColumnChoice::Position(_) => Err(Malformed::new(
                    line.file,
                    format!("a choice of field {choice}"),
                    "the name of a field",
                )
                .remedy(columns::known(&known))
                .into()),
            }
        };
        let mut text = options.text.iter().map(named).collect::<Result<Vec<_>>>()?;
        if text.is_empty() {
            let lengths = first.values().map(|v| v.as_str().map_or(0, str::len) as u64);
            match columns::guess(&known, &lengths.collect::<Vec<_>>(), Guess::Text) {
                Some(place) if may_be_text(&first[&known[place]]) => {
                    text.push(known[place].clone())
                }
                _ => {
                    return Err(line
                        .error("a field with text")
                        .remedy(columns::known(&known))
                        .into());
                }
            }
        }
        let pick = |choice: &Option<ColumnChoice>, guess| match choice {
            Some(choice) => named(choice).map(Some),
            None => Ok(columns::guess(&known, &[], guess).map(|place| known[place].clone())),
        };
        let taken = |name: &String| !text.contains(name);
        let id = pick(&options.id, Guess::Id)?.filter(taken);
        let label = pick(&options.label, Guess::Label)?.filter(taken);
        Ok(Self { text, id, label })
    }

    /// What was decided for all files.
    fn decided(layout: &Layout) -> Self {
        let name = |choice: &ColumnChoice| match choice {
            ColumnChoice::Name(name) => name.clone(),
            ColumnChoice::Position(place) => place.to_string(),
        };
        Self {
            text: layout.text.iter().map(name).collect(),
            id: layout.id.as_ref().map(name),
            label: layout.label.as_ref().map(name),
        }
    }

    /// What other files are read by.
    fn into_layout(self) -> Layout {
        let text = self.text.into_iter().map(ColumnChoice::Name).collect();
        let (id, label) = (self.id.map(ColumnChoice::Name), self.label.map(ColumnChoice::Name));
        Layout { text, id, label, ..Layout::default() }
    }

    fn text(&self, line: Line<'_>, object: &Map<String, Value>) -> Result<String> {
        let mut parts = Vec::with_capacity(self.text.len());
        for name in &self.text {
            match object.get(name) {
                Some(Value::String(text)) => parts.push(text.as_str()),
                Some(Value::Null) => {}
                found => {
                    let found = match found {
                        Some(value) => format!("{} in field \"{name}\"", kind(value)),
                        None => format!("no field \"{name}\""),
                    };
                    let known: Vec<String> = object.keys().cloned().collect();
                    return Err(Malformed::new(line.file, found, "a string with the text")
                        .at_line(line.number)
                        .remedy(columns::known(&known))
                        .into());
                }
            }
        }
        Ok(parts.join(" "))
    }
}

/// Whether a field holds text, or might elsewhere.
fn may_be_text(value: &Value) -> bool {
    value.is_string() || value.is_null()
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// An id or a class as text; of a list the first item.
fn scalar_text(value: &Value) -> String {
    match value {
        Value::Null | Value::Object(_) => String::new(),
        Value::Bool(value) => value.to_string(),
        Value::Number(value) => value.to_string(),
        Value::String(value) => value.clone(),
        Value::Array(items) => items.first().map_or(String::new(), scalar_text),
    }
}

fn write(documents: &Documents, out: &mut (dyn Write + Send)) -> io::Result<()> {
    #[derive(Serialize)]
    struct Record<'a> {
        id: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        label: Option<&'a str>,
        text: &'a str,
    }
    for (d, (id, text)) in documents.ids.iter().zip(&documents.texts).enumerate() {
        let label = documents.labels.as_ref().map(|labels| labels[d].as_str());
        serde_json::to_writer(&mut *out, &Record { id, label, text })?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Input;

    fn parse_all(content: &str, options: &LoadOptions) -> Result<Documents> {
        let input = Input::Bytes { name: "test.jsonl".into(), bytes: content.into() };
        let read = read(Source::open(&input, options)?, options)?;
        Ok(read.loaded.into_documents().expect("texts"))
    }

    #[test]
    fn labels_may_be_strings_numbers_or_lists() {
        let content = r#"{"id": 7, "text": "one", "topic": "a"}

{"id": "x", "text": "two", "topic": 3}
{"id": null, "text": null, "topic": ["b", "c"]}
{"text": "four \u00e9", "topic": []}
"#;
        let options = LoadOptions { label: Some("topic".into()), ..LoadOptions::default() };
        let documents = parse_all(content, &options).expect("valid");
        assert_eq!(documents.ids, ["7", "x", "", ""]);
        assert_eq!(documents.texts, ["one", "two", "", "four é"]);
        let labels = ["a", "3", "b", ""].map(String::from);
        assert_eq!(documents.labels.as_deref(), Some(&labels[..]));
    }

    #[test]
    fn the_first_text_may_be_null() {
        let content = "{\"text\": null, \"note\": \"a longer string\"}\n{\"text\": \"one\"}\n";
        let documents = parse_all(content, &LoadOptions::default()).expect("valid");
        assert_eq!(documents.texts, ["", "one"]);
    }

    #[test]
    fn errors_say_where() {
        let options = LoadOptions::default();
        let message = |content| parse_all(content, &options).unwrap_err().to_string();
        assert!(message("{\"text\": \"a\"}\n{\"text\": \n").starts_with("test.jsonl:2:"));
        assert!(message("{\"text\": \"a\"}\n{\"body\": \"b\"}").contains("no field \"text\""));
        assert!(message("[1, 2]").contains("one JSON object"));
        let options = LoadOptions { label: Some("topic".into()), ..LoadOptions::default() };
        let missing = parse_all("{\"text\": \"a\", \"topics\": 1}", &options).unwrap_err();
        assert!(missing.to_string().contains("there are: text, topics"), "{missing}");
    }
}
