//! JSON objects with a text, perhaps an id, a class and a date: what JSON Lines and lists of objects are made of.
//!
//! A field of an object within an object is called by both names: `body.text`. A class and a date may be strings, numbers or
//! lists, of which the first item counts; an empty list is none. A text that is `null` is an empty document.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::Parsed;
use crate::budget::{Claim, last_bytes, string_bytes};
use crate::columns::{self, Guess};
use crate::error::{Malformed, Result};
use crate::options::{ColumnChoice, LoadOptions};
use crate::read::lines::Line;
use crate::schema::Layout;
use crate::table::Documents;

/// Objects within objects whose fields are listed in messages.
const DEEPEST_LISTED: usize = 4;

/// The documents that objects hold.
pub(super) struct Objects<'a> {
    file: String,
    options: &'a LoadOptions,
    claim: Claim,
    fields: Option<Fields>,
    documents: Documents,
    labels: Vec<String>,
    times: Vec<String>,
    n_read: usize,
    /// The names of all fields, and of those that are not within others.
    known: BTreeSet<String>,
    outer: BTreeSet<String>,
    /// Whether any object has an id, a class, and a date.
    found: [bool; 3],
}

impl<'a> Objects<'a> {
    pub(super) fn new(file: &str, options: &'a LoadOptions) -> Self {
        Self {
            file: file.to_owned(),
            options,
            claim: options.limits.claim(file),
            fields: None,
            documents: Documents::default(),
            labels: Vec::new(),
            times: Vec::new(),
            n_read: 0,
            known: BTreeSet::new(),
            outer: BTreeSet::new(),
            found: [false; 3],
        }
    }

    /// Adds the document of an object.
    pub(super) fn add(&mut self, line: Line<'_>) -> Result<()> {
        let object = parse(line, self.options)?;
        let fields = match &self.fields {
            Some(fields) => fields,
            None => self.fields.insert(Fields::new(line, &object, self.options)?),
        };
        let text = fields.text(line, &object)?;
        let scalar = |name: &Option<String>| name.as_ref().map(|name| reach(&object, name));
        let scalars = [&fields.id, &fields.label, &fields.time].map(scalar);
        for (found, value) in self.found.iter_mut().zip(scalars) {
            *found |= value.flatten().is_some();
        }
        let [id, label, time] = scalars;
        let words = |value: Option<&Value>| value.map_or(String::new(), scalar_text);
        self.n_read += 1;
        if self.options.keeps_document(self.n_read - 1) {
            self.documents.texts.push(text);
            self.documents.ids.push(id.map_or_else(|| self.n_read.to_string(), words));
            self.labels.extend(label.map(words));
            self.times.extend(time.map(words));
            let more = last_bytes(&self.labels) + last_bytes(&self.times);
            self.claim.take(self.documents.last_bytes() + more)?;
        }
        if !object.keys().all(|name| self.outer.contains(name)) {
            let names = field_names(&object);
            self.claim.take(names.iter().map(|name| 2 * string_bytes(name.len())).sum())?;
            self.known.extend(names);
            self.outer.extend(object.keys().cloned());
        }
        Ok(())
    }

    /// All of them.
    pub(super) fn finish(mut self) -> Result<Parsed> {
        let known: Vec<String> = self.known.into_iter().collect();
        if let Some(fields) = &self.fields {
            for (chosen, found) in
                [&fields.id, &fields.label, &fields.time].into_iter().zip(self.found)
            {
                if let (Some(chosen), false) = (chosen, found) {
                    let found = format!("no object with a field \"{chosen}\"");
                    let remedy = columns::known(&known);
                    return Err(Malformed::new(&self.file, found, "it").remedy(remedy).into());
                }
            }
        }
        let layout = self.fields.map(Fields::into_layout);
        let labelled = layout.as_ref().is_some_and(|layout| layout.label.is_some());
        let dated = layout.as_ref().is_some_and(|layout| layout.time.is_some());
        self.documents.labels = labelled.then_some(self.labels);
        self.documents.times = dated.then_some(self.times);
        Ok(Parsed { layout, ..self.documents.into() })
    }
}

fn parse(line: Line<'_>, options: &LoadOptions) -> Result<Map<String, Value>> {
    let text = line.text_or_replaced(options.replace_invalid_utf8)?;
    serde_json::from_str(&text).map_err(|e| {
        // Counted from the line that it begins on.
        let number = line.number + (e.line() as u64).saturating_sub(1);
        let mut error = line.error("one JSON object").at(number, e.column() as u64);
        let reason = e.to_string();
        error.remedy = reason.split(" at line ").next().unwrap_or_default().to_owned();
        error.into()
    })
}

/// Which fields hold what.
pub(super) struct Fields {
    text: Vec<String>,
    id: Option<String>,
    label: Option<String>,
    time: Option<String>,
}

impl Fields {
    /// From the options and the first object.
    pub(super) fn of(line: Line<'_>, options: &LoadOptions) -> Result<Self> {
        Self::new(line, &parse(line, options)?, options)
    }

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
                .remedy(columns::known(&field_names(first)))
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
                        .remedy(columns::known(&field_names(first)))
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
        let time = options.time.as_ref().map(named).transpose()?;
        Ok(Self { text, id, label, time })
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
            time: layout.time.as_ref().map(name),
        }
    }

    /// What other files are read by.
    pub(super) fn into_layout(self) -> Layout {
        let text = self.text.into_iter().map(ColumnChoice::Name).collect();
        let [id, label, time] =
            [self.id, self.label, self.time].map(|name| name.map(ColumnChoice::Name));
        Layout { text, id, label, time, ..Layout::default() }
    }

    fn text(&self, line: Line<'_>, object: &Map<String, Value>) -> Result<String> {
        let mut parts = Vec::with_capacity(self.text.len());
        for name in &self.text {
            match reach(object, name) {
                Some(Value::String(text)) => parts.push(text.as_str()),
                Some(Value::Null) => {}
                found => {
                    let found = match found {
                        Some(value) => format!("{} in field \"{name}\"", kind(value)),
                        None => format!("no field \"{name}\""),
                    };
                    let known = field_names(object);
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

/// The value of a field, or of one within others: a name with points is that of a field first.
fn reach<'a>(object: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    let within = |(point, _): (usize, &str)| {
        let inner = object.get(&name[..point])?.as_object()?;
        reach(inner, &name[point + 1..])
    };
    object.get(name).or_else(|| name.match_indices('.').find_map(within))
}

/// What fields are called, those of objects within this one by all their names.
fn field_names(object: &Map<String, Value>) -> Vec<String> {
    fn collect(object: &Map<String, Value>, before: &str, depth: usize, names: &mut Vec<String>) {
        for (name, value) in object {
            let name = format!("{before}{name}");
            match value.as_object().filter(|inner| !inner.is_empty() && depth < DEEPEST_LISTED) {
                Some(inner) => collect(inner, &format!("{name}."), depth + 1, names),
                None => names.push(name),
            }
        }
    }
    let mut names = Vec::new();
    collect(object, "", 1, &mut names);
    names
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

/// An id, a class or a date as text; of a list the first item.
fn scalar_text(value: &Value) -> String {
    match value {
        Value::Null | Value::Object(_) => String::new(),
        Value::Bool(value) => value.to_string(),
        Value::Number(value) => value.to_string(),
        Value::String(value) => value.clone(),
        Value::Array(items) => items.first().map_or(String::new(), scalar_text),
    }
}
