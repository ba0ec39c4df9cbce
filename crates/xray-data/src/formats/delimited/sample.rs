//! The first records of a file, and what they look like.

use crate::columns::{self, Guess};
use crate::error::{Malformed, Result};
use crate::read::lines::{Lines, is_missing_value, parse_count};
use crate::read::records::{Dialect, Records};
use crate::source::Source;

/// Records that are looked at before reading.
const SAMPLE: usize = 100;

/// Whole records that are needed to judge by: a header cannot be told from one.
const FEWEST: usize = 3;

/// Words that a text has on average; names of rows have fewer.
const WORDS_OF_TEXT: usize = 5;
/// The same under a name that is usual for texts, beside no more than so many columns of numbers.
const WORDS_OF_NAMED_TEXT: usize = 2;
const NUMBERS_BESIDE_TEXT: usize = 2;

/// The first records of a file.
pub(super) struct Sample {
    pub records: Vec<Vec<Vec<u8>>>,
    /// Whether several files begin with the same record.
    pub(super) repeated: bool,
}

impl Sample {
    /// The first records of a file, as far into it as it takes.
    pub(super) fn of(source: &mut Source, dialect: Dialect) -> Result<Self> {
        loop {
            let sample = Self::take(&source.name, source.start(), source.is_whole(), dialect)?;
            if sample.records.len() >= FEWEST || !source.look_further()? {
                return Ok(sample);
            }
        }
    }

    /// The records in the first bytes of a file; `whole` if it has no others.
    pub(super) fn take(file: &str, start: &[u8], whole: bool, dialect: Dialect) -> Result<Self> {
        let mut records = Vec::new();
        let mut reader = Records::new(Lines::of_bytes(file, start), dialect, usize::MAX);
        while records.len() <= SAMPLE {
            match reader.advance() {
                Ok(true) => {
                    let fields = (0..reader.len()).map(|k| reader.bytes(k).to_vec());
                    records.push(fields.collect::<Vec<_>>());
                }
                // It may end within a record; what is really wrong is found when reading.
                Ok(false) | Err(_) => break,
            }
        }
        let cut = records.len() > SAMPLE || !whole;
        if cut && records.len() > 1 {
            // The last record may go on.
            records.pop();
        }
        if records.is_empty() {
            return Err(Malformed::new(file, "no records", "at least one line").into());
        }
        Ok(Self { records, repeated: false })
    }

    /// Whether there are enough records to judge by.
    pub(super) fn is_full(&self) -> bool {
        self.records.len() >= SAMPLE
    }

    /// Adds the records of another file, but for its first one if both begin alike.
    pub(super) fn extend(&mut self, other: Sample) {
        let alike = other.first() == self.first();
        self.repeated |= alike;
        let room = SAMPLE.saturating_sub(self.records.len());
        self.records.extend(other.records.into_iter().skip(usize::from(alike)).take(room));
    }

    pub(super) fn first(&self) -> &[Vec<u8>] {
        &self.records[0]
    }

    /// The fields of the first record as names.
    pub(super) fn names(&self) -> Vec<String> {
        self.first().iter().map(|field| String::from_utf8_lossy(field).into_owned()).collect()
    }

    /// Records after the first, or the first if there is no other.
    fn body(&self) -> &[Vec<Vec<u8>>] {
        if self.records.len() > 1 { &self.records[1..] } else { &self.records }
    }

    /// The fields of a column that are not missing.
    fn column(&self, column: usize) -> impl Iterator<Item = &Vec<u8>> {
        let fields = self.body().iter().filter_map(move |record| record.get(column));
        fields.filter(|field| !is_missing(field))
    }

    /// Whether a column holds distinct whole numbers, as ids are.
    pub(super) fn has_distinct_counts(&self, column: usize) -> bool {
        let mut seen = std::collections::HashSet::new();
        self.column(column)
            .all(|field| parse_count(field.trim_ascii()).is_some_and(|count| seen.insert(count)))
    }

    /// Whether a column holds mostly numbers: single others are mistakes, missing values count for
    /// neither side.
    pub(super) fn is_mostly_numbers(&self, column: usize) -> bool {
        let (numbers, others): (Vec<_>, Vec<_>) =
            self.column(column).partition(|f| is_meant_as_number(f));
        others.is_empty() || numbers.len() > others.len()
    }

    /// Whether a column beside `n_numbers` columns of numbers holds texts, not names of rows.
    pub(super) fn is_text(&self, column: usize, n_numbers: usize) -> bool {
        let words = |field: &Vec<u8>| {
            let parts = field.split(u8::is_ascii_whitespace);
            parts.filter(|word| !word.is_empty()).count()
        };
        let n_words: usize = self.column(column).map(words).sum();
        let named = columns::guess(&self.names(), &[], Guess::Text) == Some(column);
        let enough = if named && n_numbers <= NUMBERS_BESIDE_TEXT {
            WORDS_OF_NAMED_TEXT
        } else {
            WORDS_OF_TEXT
        };
        n_words >= enough * self.column(column).count().max(1)
    }

    /// Total length of each column.
    pub(super) fn lengths(&self) -> Vec<u64> {
        let mut lengths = vec![0; self.first().len()];
        for record in self.body() {
            for (length, field) in lengths.iter_mut().zip(record) {
                *length += field.len() as u64;
            }
        }
        lengths
    }
}

/// Whether the field stands for a value that is not there.
pub(super) fn is_missing(field: &[u8]) -> bool {
    is_missing_value(field.trim_ascii())
}

/// Whether a name would be taken for a value, or for a missing one.
pub(super) fn looks_like_value(name: &str) -> bool {
    is_missing(name.as_bytes()) || is_meant_as_number(name.as_bytes())
}

/// Whether the field is a number, or would be one with a decimal point: that is refused when it is read,
/// instead of being taken for a word.
pub(super) fn is_meant_as_number(field: &[u8]) -> bool {
    is_number(field) || has_decimal_comma(field)
}

/// Whether the field has digits on both sides of one comma, and is a number otherwise.
pub(super) fn has_decimal_comma(field: &[u8]) -> bool {
    let field = field.trim_ascii();
    let Some(comma) = memchr::memchr(b',', field) else { return false };
    let digit = |place: usize| field.get(place).is_some_and(u8::is_ascii_digit);
    let with_point = [&field[..comma], b".", &field[comma + 1..]].concat();
    comma > 0 && digit(comma - 1) && digit(comma + 1) && is_number(&with_point)
}

/// Whether the field is a number; NaN and infinity are, and refused when they are read.
pub(crate) fn is_number(field: &[u8]) -> bool {
    fast_float2::parse::<f64, _>(field.trim_ascii()).is_ok()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::read::records::Quoting;

    pub(in super::super) fn sample(content: &str) -> Sample {
        let dialect = Dialect { delimiter: b',', quoting: Quoting::Fields };
        Sample::take("", content.as_bytes(), true, dialect).expect("records")
    }

    #[test]
    fn as_many_numbers_as_others_are_not_mostly_numbers() {
        for (content, numbers) in [
            ("a\n1\nx\n2\n", true),
            ("a\n1\nx\n", false),
            ("a\n1\nx\ny\n", false),
            ("a\nNA\n1\n", true),
            ("a\nNA\nx\n", false),
        ] {
            assert_eq!(sample(content).is_mostly_numbers(0), numbers, "{content:?}");
        }
    }

    #[test]
    fn few_words_are_a_text_under_a_usual_name_beside_few_numbers() {
        for (content, n_numbers, text) in [
            ("text,n\na b,1\n", 2, true),
            ("text,n\na b,1\n", 3, false),
            ("text,n\na,1\n", 1, false),
            ("who,n\na b c d,1\n", 1, false),
            ("who,n\na b c d e,1\n", 9, true),
            ("who,n\na b c d  e,1\nNA,2\n", 9, true),
            ("who,n\nNA,1\n", 1, false),
        ] {
            assert_eq!(sample(content).is_text(0, n_numbers), text, "{content:?} {n_numbers}");
        }
    }

    #[test]
    fn so_many_records_are_looked_at_and_none_that_may_be_cut() {
        let dialect = Dialect { delimiter: b',', quoting: Quoting::Fields };
        for (n, whole, taken) in [
            (1, true, 1),
            (1, false, 1),
            (9, true, 9),
            (9, false, 8),
            (SAMPLE, true, SAMPLE),
            (SAMPLE + 1, true, SAMPLE),
            (3 * SAMPLE, true, SAMPLE),
            (3 * SAMPLE, false, SAMPLE),
        ] {
            let content = "1,2\n".repeat(n);
            let found = Sample::take("", content.as_bytes(), whole, dialect).expect("records");
            assert_eq!(found.records.len(), taken, "{n} {whole}");
            assert_eq!(found.is_full(), taken == SAMPLE);
        }
    }

    #[test]
    fn a_decimal_comma_stands_alone_between_digits() {
        for (field, decimal) in [
            ("1,5", true),
            (" -12,25e3 ", true),
            (",5", false),
            ("5,", false),
            ("-,5", false),
            ("1,-5", false),
            ("1,e5", false),
            ("1,5,2", false),
            ("a1,5", false),
            ("15", false),
        ] {
            assert_eq!(has_decimal_comma(field.as_bytes()), decimal, "{field:?}");
            assert_eq!(looks_like_value(field), decimal || field == "15", "{field:?}");
        }
        assert!(looks_like_value("NA") && !looks_like_value("north"));
    }
}
