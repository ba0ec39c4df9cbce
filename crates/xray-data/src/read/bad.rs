//! Records that cannot be read: the first one is an error, or all of them are left out and counted.

use crate::error::{Error, Result};
use crate::model::{MOST_BAD_TOLD, Noticed};
use crate::options::LoadOptions;

/// What becomes of bad records.
#[derive(Debug, Default)]
pub(crate) struct BadRecords {
    skip: bool,
    n: usize,
    first: Vec<String>,
}

impl BadRecords {
    pub(crate) fn new(options: &LoadOptions) -> Self {
        Self { skip: options.skip_bad_records, ..Self::default() }
    }

    /// What was read of a record; none if that is bad and to be left out. Otherwise the error names the option that does so.
    pub(crate) fn judge<T>(&mut self, record: Result<T>) -> Result<Option<T>> {
        match record {
            Ok(record) => Ok(Some(record)),
            Err(Error::Malformed(error)) if self.skip => {
                self.n += 1;
                if self.first.len() < MOST_BAD_TOLD {
                    self.first.push(error.to_string());
                }
                Ok(None)
            }
            Err(Error::Malformed(mut error)) => {
                let remedy = "or leave out such records with `skip_bad_records`";
                let join = if error.remedy.is_empty() { "repair it, " } else { "; " };
                error.remedy = format!("{}{join}{remedy}", error.remedy);
                Err(Error::Malformed(error))
            }
            Err(error) => Err(error),
        }
    }

    /// Whether records are left out, so that every one of them has to be looked at.
    pub(crate) fn are_skipped(&self) -> bool {
        self.skip
    }

    pub(crate) fn into_noticed(self) -> Noticed {
        Noticed { bad_records: self.n, first_bad: self.first, ..Noticed::default() }
    }
}
