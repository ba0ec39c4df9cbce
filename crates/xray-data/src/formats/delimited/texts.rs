//! Columns of texts, perhaps with columns for ids and classes.

use super::super::Parsed;
use super::header::{Header, mixed_texts};
use super::sample::Sample;
use crate::budget::last_bytes;
use crate::columns::{self, Guess, TextColumns};
use crate::error::{Malformed, Result};
use crate::options::{ColumnChoice, LoadOptions};
use crate::read::bad::BadRecords;
use crate::read::records::Records;
use crate::schema::Layout;
use crate::table::Documents;

/// How a table of texts is laid out.
pub(super) struct TextLayout {
    header: bool,
    n_fields: usize,
    columns: TextColumns,
}

impl TextLayout {
    pub(super) fn choose(file: &str, sample: &Sample, options: &LoadOptions) -> Result<Self> {
        let n_fields = sample.first().len();
        let named = options.id.iter().chain(&options.label).chain(&options.time);
        let mut chosen = options.text.iter().chain(named);
        let by_name = chosen.any(|choice| matches!(choice, ColumnChoice::Name(_)));
        let header = match &options.layout {
            Some(layout) => layout.header,
            None => match (options.header, sample.text_header()) {
                (Some(header), _) => header,
                (None, _) if by_name => true,
                (None, Header::Mixed(place)) => {
                    return Err(mixed_texts(file, place, &sample.first()[place]));
                }
                (None, guessed) => guessed == Header::Yes,
            },
        };
        if let Some(n) = options.layout.as_ref().and_then(|layout| layout.n_fields)
            && !header
            && n != n_fields
        {
            let expected = format!("{n}, as in the other files");
            return Err(Malformed::new(file, format!("{n_fields} fields"), expected).into());
        }
        let first = sample.names();
        let names = header.then_some(first.as_slice());
        let named = header || options.header.is_none() && sample.has_usual_name();
        if options.layout.is_none() && named {
            columns::check_distinct(file, &first, options)?;
        }
        let guess = || {
            let found = columns::guess(names.unwrap_or(&[]), &sample.lengths(), Guess::Text);
            found.ok_or_else(|| {
                Malformed::new(file, "only empty columns", "a column with text")
                    .remedy("check the delimiter, or name the column")
                    .into()
            })
        };
        let columns = TextColumns::choose(file, names, n_fields, options, guess)?;
        Ok(Self { header, n_fields, columns })
    }

    /// What other files are read by.
    pub(super) fn decided(&self, sample: &Sample) -> Layout {
        let names = self.header.then(|| sample.names());
        let choice = |&column: &usize| columns::choice(names.as_deref(), column);
        Layout {
            header: self.header,
            n_fields: Some(self.n_fields),
            text: self.columns.text.iter().map(choice).collect(),
            id: self.columns.id.as_ref().map(choice),
            label: self.columns.label.as_ref().map(choice),
            time: self.columns.time.as_ref().map(choice),
            ..Layout::default()
        }
    }

    pub(super) fn read(self, mut records: Records, options: &LoadOptions) -> Result<Parsed> {
        let replace = options.replace_invalid_utf8;
        let mut documents = Documents::default();
        let (mut labels, mut times) = (Vec::new(), Vec::new());
        let mut n_read = 0;
        let mut claim = options.limits.claim(records.file());
        let mut bad = BadRecords::new(options);
        if self.header {
            records.advance()?;
        }
        while records.advance_good(&mut bad)? {
            let Some([text, id, label, time]) = bad.judge(self.document(&records, replace))? else {
                continue;
            };
            n_read += 1;
            if !options.keeps_document(n_read - 1) {
                continue;
            }
            documents.texts.extend(text);
            documents.ids.push(id.unwrap_or_else(|| n_read.to_string()));
            labels.extend(label);
            times.extend(time);
            let more = last_bytes(&labels) + last_bytes(&times);
            claim.take(documents.last_bytes() + more)?;
        }
        documents.labels = self.columns.label.map(|_| labels);
        documents.times = self.columns.time.map(|_| times);
        Ok(Parsed { noticed: bad.into_noticed(), ..documents.into() })
    }

    /// Text, id, class and date of a record, as far as there are columns for them.
    fn document(&self, records: &Records, replace: bool) -> Result<[Option<String>; 4]> {
        records.expect_len(self.n_fields)?;
        let mut text = records.text(self.columns.text[0], replace)?;
        for &column in &self.columns.text[1..] {
            text.push(' ');
            text.push_str(&records.text(column, replace)?);
        }
        let of = |column: Option<usize>| column.map(|k| records.text(k, replace)).transpose();
        let TextColumns { id, label, time, .. } = self.columns;
        Ok([Some(text), of(id)?, of(label)?, of(time)?])
    }
}
