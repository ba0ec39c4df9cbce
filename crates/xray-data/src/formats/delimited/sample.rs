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

/// Longest name of a column, in bytes.
const LONGEST_NAME: usize = 40;

/// Words that a text has on average; names of rows have fewer.
const WORDS_OF_TEXT: usize = 5;
/// The same under a name that is usual for texts, beside no more than so many columns of numbers.
const WORDS_OF_NAMED_TEXT: usize = 2;
const NUMBERS_BESIDE_TEXT: usize = 2;

/// Whether the first record of a table of numbers names the columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NumberHeader {
    Yes,
    No,
    /// It has numbers, and at this place something else: a name, or a mistake.
    Mixed(usize),
}

/// The first records of a file.
pub(super) struct Sample {
    pub records: Vec<Vec<Vec<u8>>>,
    /// Whether several files begin with the same record.
    repeated: bool,
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

    /// Whether the first record of a table of numbers names the columns: pandas leaves the corner
    /// empty, and names are no numbers. Words for missing values are values.
    pub(super) fn number_header(&self) -> NumberHeader {
        let first = self.first();
        let shift = usize::from(self.has_short_header());
        // A name is missing over the names of rows, or empty: whatever the others are, they are names.
        if self.has_empty_corner() || shift == 1 && !self.is_mostly_numbers(0) {
            return NumberHeader::Yes;
        }
        let of_numbers = (0..first.len())
            .filter(|&k| self.is_mostly_numbers(k + shift) && !is_missing(&first[k]));
        let (numbers, names): (Vec<usize>, Vec<usize>) =
            of_numbers.partition(|&k| is_meant_as_number(&first[k]));
        match (numbers.is_empty(), names.first()) {
            (_, None) => NumberHeader::No,
            (true, Some(_)) => NumberHeader::Yes,
            (false, Some(_)) if shift == 1 || self.repeated => NumberHeader::Yes,
            (false, Some(&place)) => NumberHeader::Mixed(place),
        }
    }

    /// Whether the first field is empty: pandas leaves it so over the names of rows.
    pub(super) fn has_empty_corner(&self) -> bool {
        self.first().len() > 1 && is_blank(&self.first()[0])
    }

    /// Whether the first record has one field less: R writes no name over the names of rows.
    pub(super) fn has_short_header(&self) -> bool {
        self.records.get(1).is_some_and(|second| second.len() == self.first().len() + 1)
    }

    /// Whether the first record of a table of texts names the columns: short, distinct names that
    /// are no numbers, and either single words or among them a usual one. Alone it does so if one is usual.
    pub(super) fn has_text_header(&self) -> bool {
        let names = self.names();
        let names = &names[usize::from(self.has_empty_corner())..];
        let short = |name: &String| {
            let name = name.trim();
            !name.is_empty() && name.len() <= LONGEST_NAME && !is_number(name.as_bytes())
        };
        let mut distinct = names.to_vec();
        distinct.sort();
        distinct.dedup();
        let words = || names.iter().all(|name| !name.trim().contains(' '));
        distinct.len() == names.len()
            && names.iter().all(short)
            && (self.repeated || self.has_usual_name() || self.records.len() > 1 && words())
    }

    /// Whether a field of the first record is what columns are usually called.
    pub(super) fn has_usual_name(&self) -> bool {
        self.names().iter().any(|name| columns::is_usual(name))
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

fn is_blank(field: &[u8]) -> bool {
    field.trim_ascii().is_empty()
}

/// Whether the field stands for a value that is not there.
fn is_missing(field: &[u8]) -> bool {
    is_missing_value(field.trim_ascii())
}

/// Whether a name would be taken for a value, or for a missing one.
pub(super) fn looks_like_value(name: &str) -> bool {
    is_missing(name.as_bytes()) || is_meant_as_number(name.as_bytes())
}

/// Whether the field is a number, or would be one with a decimal point: that is refused when it is read,
/// instead of being taken for a word.
fn is_meant_as_number(field: &[u8]) -> bool {
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
mod tests {
    use super::*;
    use crate::read::records::Quoting;

    fn sample(content: &str) -> Sample {
        let dialect = Dialect { delimiter: b',', quoting: Quoting::Fields };
        Sample::take("", content.as_bytes(), true, dialect).expect("records")
    }

    #[test]
    fn the_first_record_names_columns_of_numbers_or_has_numbers() {
        for (content, header) in [
            ("a\n1\n2\n", NumberHeader::Yes),
            ("1\n2\n", NumberHeader::No),
            ("x,1\ny,2\n", NumberHeader::No),
            // Where the corner is empty, or the name over the names of rows is missing, numbers are names.
            (",1,2\nx,3,4\ny,5,6\n", NumberHeader::Yes),
            ("1,2\nx,3,4\ny,5,6\n", NumberHeader::Yes),
            ("a,1\n7,3,4\n8,5,6\n", NumberHeader::Yes),
            ("1,2\n7,3,4\n8,5,6\n", NumberHeader::No),
            ("a,1\n3,4\n5,6\n", NumberHeader::Mixed(0)),
            ("1,b\n3,4\n5,6\n", NumberHeader::Mixed(1)),
            // A missing value alone is no empty corner.
            ("\"\"\n1\n2\n", NumberHeader::No),
        ] {
            assert_eq!(sample(content).number_header(), header, "{content:?}");
        }
        let mut repeated = sample("1,b\n3,4\n");
        repeated.extend(sample("1,c\n5,6\n"));
        assert_eq!(repeated.number_header(), NumberHeader::Mixed(1));
        assert_eq!(repeated.records.len(), 4);
        repeated.extend(sample("1,b\n7,8\n"));
        assert_eq!(repeated.number_header(), NumberHeader::Yes);
        assert_eq!(repeated.records.len(), 5);
        repeated.extend(sample("1,c\n5,6\n"));
        assert_eq!(repeated.number_header(), NumberHeader::Yes, "once repeated is enough");
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
    fn names_of_texts_are_short_distinct_and_no_numbers() {
        let longest = "x".repeat(LONGEST_NAME);
        for (content, header) in [
            ("a,b\nc d,e f\n", true),
            ("a,b\n", false),
            ("a,text\n", true),
            ("a b,c\nd,e\n", false),
            ("a b,text\nd,e\n", true),
            ("a,a\nb,c\n", false),
            ("a,1\nb,c\n", false),
            ("a,\nb,c\n", false),
            (",a\nb,c\n", true),
            (&format!("{longest},b\nc,d\n"), true),
            (&format!("{longest}x,b\nc,d\n"), false),
        ] {
            assert_eq!(sample(content).has_text_header(), header, "{content:?}");
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
