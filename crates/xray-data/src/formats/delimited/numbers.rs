//! A table of numbers, perhaps with columns for the names of rows, for classes and for dates.

use super::super::Parsed;
use super::header::{Header, mixed_numbers};
use super::sample::Sample;
use crate::assemble::{Stored, dense};
use crate::budget::string_bytes;
use crate::columns::{self, Guess};
use crate::error::{Malformed, Result};
use crate::options::{ColumnChoice, LoadOptions};
use crate::read::bad::BadRecords;
use crate::read::records::Records;
use crate::schema::Layout;
use crate::table::Table;

/// Which columns of a table of numbers hold what.
pub(super) struct NumberLayout {
    header: bool,
    n_fields: usize,
    row_names: Option<usize>,
    label: Option<usize>,
    time: Option<usize>,
    numbers: Vec<usize>,
}

impl NumberLayout {
    /// The layout, or `None` if the table holds texts.
    ///
    /// Names of rows are in the column that is chosen as `id`, otherwise in the first one if it is
    /// no numbers, or has no name, otherwise in one with a usual name that holds distinct whole numbers. Classes are in the column that is chosen as `label`, otherwise in
    /// one with a usual name that holds no numbers.
    pub(super) fn choose(
        file: &str,
        sample: &Sample,
        options: &LoadOptions,
    ) -> Result<Option<Self>> {
        if let Some(layout) = &options.layout {
            return Self::by_layout(file, sample, layout);
        }
        if !options.text.is_empty() {
            return Ok(None);
        }
        let by_name = options.id.iter().chain(&options.label).chain(&options.time);
        let by_name = by_name.clone().any(|choice| matches!(choice, ColumnChoice::Name(_)));
        let (guessed, header_is_open) =
            (sample.number_header(), options.header.is_none() && !by_name);
        let header = options.header.unwrap_or(by_name || guessed != Header::No);
        let short = header && sample.has_short_header();
        let mut names = if header { sample.names() } else { Vec::new() };
        if short {
            names.insert(0, String::new());
        }
        let n_fields = sample.first().len() + usize::from(short);
        let known = header.then_some(names.as_slice());
        let place = |choice| columns::place(file, choice, known, n_fields);
        let label = match &options.label {
            Some(choice) => Some(place(choice)?),
            None => columns::guess(&names, &[], Guess::Label)
                .filter(|&column| !sample.is_mostly_numbers(column)),
        };
        let time = options.time.as_ref().map(place).transpose()?;
        let row_names = match &options.id {
            Some(choice) => Some(place(choice)?),
            None => {
                let unnamed = short || header && sample.has_empty_corner();
                guess_row_names(sample, &names, n_fields, label, unnamed)
            }
        };
        let numbers = others(n_fields, [row_names, label, time]);
        let numeric = numbers.iter().all(|&column| sample.is_mostly_numbers(column));
        let is_text = |column| sample.is_text(column, numbers.len());
        let texts = options.id.is_none() && row_names.is_some_and(is_text);
        let found = numeric && !texts && !numbers.is_empty();
        if let (Header::Mixed(place), true) = (guessed, found && header_is_open) {
            return Err(mixed_numbers(file, place, &sample.first()[place]));
        }
        Ok(found.then_some(Self { header, n_fields, row_names, label, time, numbers }))
    }

    /// The layout of another file, or `None` if that holds texts.
    fn by_layout(file: &str, sample: &Sample, layout: &Layout) -> Result<Option<Self>> {
        if !layout.text.is_empty() {
            return Ok(None);
        }
        let n_fields = layout.n_fields.unwrap_or(sample.first().len());
        let mut names = if layout.header { sample.names() } else { Vec::new() };
        if layout.header && names.len() + 1 == n_fields {
            names.insert(0, String::new());
        }
        let known = layout.header.then_some(names.as_slice());
        let place = |choice: &ColumnChoice| columns::place(file, choice, known, n_fields);
        let row_names = layout.id.as_ref().map(place).transpose()?;
        let label = layout.label.as_ref().map(place).transpose()?;
        let time = layout.time.as_ref().map(place).transpose()?;
        let numbers = others(n_fields, [row_names, label, time]);
        if let (Some(expected), true) = (&layout.numbers, layout.header) {
            let found: Vec<Option<&String>> = numbers.iter().map(|&k| names.get(k)).collect();
            let differs =
                |(j, name): (usize, &String)| (found.get(j) != Some(&Some(name))).then_some(j);
            if let Some(j) = expected.iter().enumerate().find_map(differs) {
                let found = match found.get(j).copied().flatten() {
                    Some(name) => format!("column {name:?}"),
                    None => "no column".to_owned(),
                };
                let wanted = format!("{:?}, as in the first file", expected[j]);
                return Err(Malformed::new(file, found, wanted).at_line(1).into());
            }
        }
        Ok(Some(Self { header: layout.header, n_fields, row_names, label, time, numbers }))
    }

    /// What other files are read by.
    pub(super) fn decided(&self, sample: &Sample) -> Layout {
        let mut names = sample.names();
        if names.len() + 1 == self.n_fields {
            names.insert(0, String::new());
        }
        let known = self.header.then_some(names.as_slice());
        let choice = |&column: &usize| columns::choice(known, column);
        let name = |&column: &usize| names.get(column).cloned().unwrap_or_default();
        Layout {
            header: self.header,
            n_fields: Some(self.n_fields),
            id: self.row_names.as_ref().map(choice),
            label: self.label.as_ref().map(choice),
            time: self.time.as_ref().map(choice),
            numbers: self.header.then(|| self.numbers.iter().map(name).collect()),
            ..Layout::default()
        }
    }

    pub(super) fn read(self, mut records: Records, options: &LoadOptions) -> Result<Parsed> {
        let replace = options.replace_invalid_utf8;
        let mut column_names = None;
        if self.header && records.advance()? {
            let mut names = records.texts(replace)?;
            if names.len() + 1 == self.n_fields {
                names.insert(0, String::new());
            } else {
                records.expect_len(self.n_fields)?;
            }
            let kept = self.numbers.iter().map(|&column| std::mem::take(&mut names[column]));
            column_names = Some(kept.collect());
        }
        let mut values = Vec::new();
        let (mut row_names, mut labels, mut times) = (Vec::new(), Vec::new(), Vec::new());
        let mut n_rows = 0;
        let mut claim = options.limits.claim(records.file());
        let mut bad = BadRecords::new(options);
        while records.advance_good(&mut bad)? {
            let names = self.row(&records, replace, &mut values);
            let Some([name, label, time]) = bad.judge(names)? else {
                values.truncate(n_rows * self.numbers.len());
                continue;
            };
            let bytes = |text: &Option<String>| text.as_ref().map_or(0, |t| string_bytes(t.len()));
            let more = [&name, &label, &time].map(bytes).iter().sum::<u64>();
            claim.take(8 * self.numbers.len() as u64 + more)?;
            row_names.extend(name);
            labels.extend(label);
            times.extend(time);
            n_rows += 1;
        }
        let matrix = dense(records.file(), Stored::ByRows, n_rows, self.numbers.len(), values)?;
        let table = Table {
            matrix,
            row_names: self.row_names.map(|_| row_names),
            column_names,
            labels: self.label.map(|_| labels),
            times: self.time.map(|_| times),
        };
        Ok(Parsed { noticed: bad.into_noticed(), ..table.into() })
    }

    /// Adds the numbers of a record; its name, class and date, as far as there are columns for them.
    fn row(
        &self,
        records: &Records,
        replace: bool,
        values: &mut Vec<f64>,
    ) -> Result<[Option<String>; 3]> {
        records.expect_len(self.n_fields)?;
        let of = |column: Option<usize>| column.map(|k| records.text(k, replace)).transpose();
        let names = [of(self.row_names)?, of(self.label)?, of(self.time)?];
        for &column in &self.numbers {
            values.push(records.number(column)?);
        }
        Ok(names)
    }
}

/// The columns that hold none of these.
fn others(n_fields: usize, taken: [Option<usize>; 3]) -> Vec<usize> {
    (0..n_fields).filter(|&k| !taken.contains(&Some(k))).collect()
}

/// The column with the names of rows, where nothing was said: the first one if it has no numbers or no name,
/// otherwise one with a usual name and distinct whole numbers.
fn guess_row_names(
    sample: &Sample,
    names: &[String],
    n_fields: usize,
    label: Option<usize>,
    unnamed: bool,
) -> Option<usize> {
    if n_fields < 2 {
        return None;
    }
    if label != Some(0) && (unnamed || !sample.is_mostly_numbers(0)) {
        return Some(0);
    }
    let named = columns::guess(names, &[], Guess::Id);
    named.filter(|&column| Some(column) != label && sample.has_distinct_counts(column))
}
