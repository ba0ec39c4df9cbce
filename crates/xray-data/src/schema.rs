//! What is decided once for many files that are read as one: format, delimiter, header, columns.
//!
//! Each file on its own might be guessed about differently: a part that has only a header, or short texts and
//! long titles, or no column 0. So the first files with records decide for all, and one that differs is
//! refused. The decision is small and can be sent to other machines.

use serde::{Deserialize, Serialize};

use crate::error::{Malformed, Result};
use crate::formats::{Format, detect};
use crate::inputs::Inputs;
use crate::options::{ColumnChoice, LoadOptions};
use crate::source::{Input, Source};

/// What all files of [`Inputs`] have in common.
///
/// # Examples
/// ```
/// use xray_data::{ColumnChoice, Inputs, LoadOptions, Schema};
/// let folder = tempfile::tempdir().expect("a temporary folder");
/// let parts = ["", "head,body\n", "head,body\na,some words\n", "head,body\na long title,x\n"];
/// for (k, part) in parts.iter().enumerate() {
///     std::fs::write(folder.path().join(format!("part-{k}.csv")), part).expect("written");
/// }
/// let inputs = Inputs::resolve(&[folder.path().join("part-*.csv")])?;
/// let schema = Schema::decide(&inputs, &LoadOptions::default())?;
/// assert_eq!(schema.format, "csv");
/// assert_eq!(schema.layout.expect("columns").text, [ColumnChoice::from("body")]);
/// # Ok::<(), xray_data::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Schema {
    /// A row of [`FORMATS`](crate::FORMATS), by name.
    pub format: String,
    /// Which columns hold what, where the format has columns.
    pub layout: Option<Layout>,
    /// Whether svmlight columns count from 0.
    pub zero_based: Option<bool>,
}

/// Which columns of records hold what.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layout {
    /// What separates the fields, in formats with delimiters.
    pub delimiter: Option<u8>,
    /// Whether the first record names the columns.
    pub header: bool,
    /// Number of fields of a record without a header.
    pub n_fields: Option<usize>,
    /// Columns that hold the text; none in a table of numbers.
    pub text: Vec<ColumnChoice>,
    /// The column that names documents or rows.
    pub id: Option<ColumnChoice>,
    /// The column with their classes.
    pub label: Option<ColumnChoice>,
    /// The column that tells when they were written.
    pub time: Option<ColumnChoice>,
    /// The names of the columns of numbers.
    pub numbers: Option<Vec<String>>,
}

impl Schema {
    /// What the first files with records decide; what the options say is taken as it is.
    ///
    /// # Errors
    /// If a file cannot be read, none has any content, or their content cannot be told.
    pub fn decide(inputs: &Inputs, options: &LoadOptions) -> Result<Self> {
        let mut parts = inputs.parts().iter().filter_map(|part| opened(part, options));
        let Some(first) = parts.next().transpose()? else {
            return Err(Malformed::new(inputs.name(), "nothing but empty files", "data").into());
        };
        let format = match options.format {
            Some(format) => format,
            None => detect(&first.name, first.start())?,
        };
        let layout = match format.decide {
            Some(decide) => {
                let mut sources = std::iter::once(Ok(first)).chain(parts);
                Some(decide(&mut sources, options)?)
            }
            None => None,
        };
        let zero_based = match format.is_zero_based {
            Some(test) if options.zero_based.is_none() => Some(any(inputs, options, test)?),
            Some(_) => options.zero_based,
            None => None,
        };
        Ok(Self { format: format.name.to_owned(), layout, zero_based })
    }

    /// The options that read each of the files in this way; side files, which belong to all of them
    /// together, are left out.
    ///
    /// # Errors
    /// If the format is not known here.
    pub fn options(&self, options: &LoadOptions) -> Result<LoadOptions> {
        Ok(LoadOptions {
            format: Some(Format::from_name(&self.format)?),
            layout: self.layout.clone(),
            zero_based: self.zero_based,
            transpose: false,
            row_names: None,
            column_names: None,
            labels: None,
            ..options.clone()
        })
    }

    /// What the columns that hold the text are called, if they have names.
    pub fn names_of_texts(&self) -> Vec<String> {
        let columns = self.layout.iter().flat_map(|layout| &layout.text);
        let name = |column: &ColumnChoice| match column {
            ColumnChoice::Name(name) => Some(name.clone()),
            ColumnChoice::Position(_) => None,
        };
        columns.filter_map(name).collect()
    }

    /// Whether documents have no ids of their own and are called by their number over all files.
    pub fn counts_documents(&self) -> bool {
        self.layout.as_ref().is_none_or(|layout| layout.id.is_none())
    }
}

/// The source of a part, unless it is empty.
fn opened(part: &Input, options: &LoadOptions) -> Option<Result<Source>> {
    match Source::open(part, options) {
        Ok(source) if source.is_blank() => None,
        result => Some(result),
    }
}

fn any(
    inputs: &Inputs,
    options: &LoadOptions,
    test: fn(Source, &LoadOptions) -> Result<bool>,
) -> Result<bool> {
    for source in inputs.parts().iter().filter_map(|part| opened(part, options)) {
        if test(source?, options)? {
            return Ok(true);
        }
    }
    Ok(false)
}
