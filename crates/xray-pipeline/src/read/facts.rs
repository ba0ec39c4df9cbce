//! What was read and what was decided about it, for people and for JSON.

use serde::Serialize;
use xray_data::text::Dropped;
use xray_data::{ColumnChoice, Encoding, Layout, Origin};
use xray_nmf::comm::{Collectives, Communicator};

use super::Content;
use crate::error::Result;

/// What an input was taken for, and what it holds.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct InputFacts {
    /// The name of the input.
    pub name: String,
    /// How many files it has.
    pub files: usize,
    /// The format, by name.
    pub format: String,
    /// Whether the first record named the columns, in formats with records.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub header: Option<bool>,
    /// What separated the fields.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delimiter: Option<char>,
    /// Whether columns counted from 0, in formats that call them by numbers and do not say so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zero_based: Option<bool>,
    /// The array or sheet that was read, of a file that may have several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<String>,
    /// The columns with the text; none in a table of numbers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub text: Vec<String>,
    /// The column that named documents or rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The column with the classes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The column with the dates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
    /// Whether there are classes, from wherever.
    pub labelled: bool,
    /// Number of documents or rows.
    pub rows: usize,
    /// Number of columns; none for texts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub columns: Option<usize>,
    /// Documents without text.
    pub empty: usize,
    /// Character sets other than UTF-8 that texts were found to have.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub encodings: Vec<Encoding>,
    /// Files of a folder of texts that are no texts.
    pub left_out_files: usize,
    /// Records that could not be read and were left out.
    pub bad_records: usize,
    /// What was wrong with the first of them, and where.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub first_bad: Vec<String>,
    /// Lines without text, which are no documents.
    pub blank_lines: usize,
    /// The words that texts were found to have; none before they are weighed, and for tables.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub words: Option<usize>,
    /// What was dropped of the texts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dropped: Option<Dropped>,
}

impl InputFacts {
    /// About what was read; none if it was made in memory; collective.
    ///
    /// # Errors
    /// If the ranks cannot talk.
    pub fn new(comm: &dyn Communicator, content: &Content) -> Result<Option<Self>> {
        let facts = match content {
            Content::Documents(documents) => {
                let is_empty = |text: &&String| text.trim().is_empty();
                let empty = comm.total(documents.own.texts.iter().filter(is_empty).count())?;
                let labelled = documents.own.labels.is_some();
                let rows = documents.n_documents;
                let facts = Self { labelled, rows, empty, ..Self::default() };
                documents.origin.as_ref().map(|origin| facts.of(origin))
            }
            Content::Table(corpus) => {
                let labelled = corpus.rows.labels.is_some();
                let (rows, columns) = (corpus.n_documents(), Some(corpus.n_words()));
                let facts = Self { labelled, rows, columns, ..Self::default() };
                corpus.origin.as_ref().map(|origin| facts.of(origin))
            }
        };
        Ok(facts)
    }

    fn of(self, origin: &Origin) -> Self {
        let facts = Self { name: origin.name.clone(), files: origin.files.len(), ..self };
        let Some(reading) = &origin.reading else { return facts };
        let facts = Self {
            format: reading.schema.format.clone(),
            zero_based: reading.schema.zero_based,
            part: reading.noticed.part.clone(),
            blank_lines: reading.blank_lines,
            bad_records: reading.noticed.bad_records,
            first_bad: reading.noticed.first_bad.clone(),
            left_out_files: reading.noticed.left_out_files,
            encodings: reading.noticed.encodings.clone(),
            ..facts
        };
        match &reading.schema.layout {
            Some(layout) => facts.with(layout),
            None => facts,
        }
    }

    fn with(self, layout: &Layout) -> Self {
        let name = |choice: &ColumnChoice| match choice {
            ColumnChoice::Name(name) => name.clone(),
            ColumnChoice::Position(place) => (place + 1).to_string(),
        };
        Self {
            header: layout.delimiter.map(|_| layout.header),
            delimiter: layout.delimiter.map(char::from),
            text: layout.text.iter().map(name).collect(),
            id: layout.id.as_ref().map(name),
            label: layout.label.as_ref().map(name),
            time: layout.time.as_ref().map(name),
            ..self
        }
    }
}
