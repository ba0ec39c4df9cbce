//! Where a model comes from.

use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::calendar::civil;
use crate::encoding::Encoding;
use crate::hash::{ContentHash, FileHash};
use crate::schema::Schema;

/// Version, input, time and seed of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Provenance {
    /// Version of this crate that wrote the model.
    pub version: String,
    /// Name of the input.
    pub input: String,
    /// `blake3:` and 64 hexadecimal digits, see [`Origin::hash`].
    pub input_hash: Option<String>,
    /// When the model was made, as in `2026-01-31T12:00:00Z`.
    pub created: Option<String>,
    /// Seed of the run.
    pub seed: Option<u64>,
    /// Names of the columns that held the text, where columns have names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub text: Vec<String>,
    /// Whether columns of svmlight files counted from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zero_based: Option<bool>,
}

impl Provenance {
    /// For a run on data whose hash is known, now.
    pub fn new(input: String, input_hash: Option<String>, seed: u64) -> Self {
        Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            input,
            input_hash,
            created: Some(timestamp(since_1970(SystemTime::now()))),
            seed: Some(seed),
            ..Self::default()
        }
    }
}

/// What was read: the name of the input, and the hashes of its files, taken while they were read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// The name of the input.
    pub name: String,
    /// The files that were read, in order.
    pub files: Vec<FileHash>,
    /// How they were read, if that is known.
    #[serde(default)]
    pub reading: Option<Box<Reading>>,
}

/// How an input was read: what was decided where nothing was said, and what was left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reading {
    /// Format, header, delimiter and columns.
    pub schema: Schema,
    /// Lines without text that were left out, where each line is a document.
    pub blank_lines: usize,
    /// What else was noticed.
    #[serde(default)]
    pub noticed: Noticed,
}

/// Bad records that are told one by one.
pub(crate) const MOST_BAD_TOLD: usize = 5;

/// What was noticed while reading, and is worth telling.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Noticed {
    /// The array or sheet that was read, of a file that may have several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<String>,
    /// Character sets that texts were found to have other than UTF-8.
    pub encodings: Vec<Encoding>,
    /// Files of a folder of texts that are no texts.
    pub left_out_files: usize,
    /// Records that could not be read and were left out.
    pub bad_records: usize,
    /// What was wrong with the first of them, and where.
    pub first_bad: Vec<String>,
}

impl Noticed {
    /// About this array or sheet.
    pub(crate) fn of_part(part: String) -> Self {
        Self { part: Some(part), ..Self::default() }
    }

    /// About texts in this character set.
    pub(crate) fn in_encoding(mut self, encoding: Option<Encoding>) -> Self {
        self.add_encodings(encoding.as_slice());
        self
    }

    fn add_encodings(&mut self, more: &[Encoding]) {
        let all = Encoding::ALL.into_iter();
        let known =
            |encoding: &Encoding| self.encodings.contains(encoding) || more.contains(encoding);
        self.encodings = all.filter(known).collect();
    }

    /// The same about other files, too.
    pub fn and(mut self, other: &Self) -> Self {
        self.part = self.part.or_else(|| other.part.clone());
        self.add_encodings(&other.encodings);
        self.left_out_files += other.left_out_files;
        self.bad_records += other.bad_records;
        let room = MOST_BAD_TOLD.saturating_sub(self.first_bad.len());
        self.first_bad.extend(other.first_bad.iter().take(room).cloned());
        self
    }
}

impl Origin {
    /// The hash of everything that was read: of one file its own.
    pub fn hash(&self) -> ContentHash {
        ContentHash::of_files(&self.files)
    }

    /// For a run on it, now.
    pub fn provenance(&self, seed: u64) -> Provenance {
        let schema = self.reading.as_ref().map(|reading| &reading.schema);
        Provenance {
            text: schema.map(Schema::names_of_texts).unwrap_or_default(),
            zero_based: schema.and_then(|schema| schema.zero_based),
            ..Provenance::new(self.name.clone(), Some(self.hash().to_string()), seed)
        }
    }
}

/// Seconds; a clock that is set before 1970 counts as 1970.
fn since_1970(now: SystemTime) -> u64 {
    now.duration_since(UNIX_EPOCH).map_or(0, |passed| passed.as_secs())
}

/// Seconds since 1970 as a date and time in UTC.
fn timestamp(seconds: u64) -> String {
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = civil(days as i64);
    let (hour, minute) = (second / 3_600, second / 60 % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{:02}Z", second % 60)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn clocks_may_be_wrong() {
        let clock = |seconds: i64| match seconds {
            0.. => UNIX_EPOCH + Duration::from_secs(seconds.unsigned_abs()),
            _ => UNIX_EPOCH - Duration::from_secs(seconds.unsigned_abs()),
        };
        for (seconds, text) in [
            (-86_400 * 365, "1970-01-01T00:00:00Z"),
            (1 << 31, "2038-01-19T03:14:08Z"),
            (253_402_300_800, "10000-01-01T00:00:00Z"),
        ] {
            assert_eq!(timestamp(since_1970(clock(seconds))), text);
        }
    }

    #[test]
    fn times_of_leap_years_and_ends_of_centuries() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_709_251_199, "2024-02-29T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(timestamp(seconds), text);
        }
    }
}
