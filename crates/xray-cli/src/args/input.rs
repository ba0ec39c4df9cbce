//! Which data to read, and how.

use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};
use xray_data::{ColumnChoice, Encoding, Format, Input, Inputs, LoadOptions};

use super::parse;

/// Where the data is and what it looks like; everything is told by content unless given.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Input")]
pub struct InputArgs {
    /// Files of any known format (.gz, .zst, .xz and .bz2 too), patterns ('part-*.csv'), lists (@files.txt), folders of
    /// texts (labelled by the folders within) or of parts, or - for standard input; several are read as one
    #[arg(value_name = "DATA", required = true, num_args = 1.., value_hint = ValueHint::AnyPath)]
    pub data: Vec<PathBuf>,
    #[arg(long, value_name = "FORMAT", value_parser = parse::format, help = format_help())]
    #[allow(missing_docs)]
    pub format: Option<&'static Format>,
    /// Column or field that holds the text, by name (a field within another: body.text) or number (from 1);
    /// repeat to join several
    #[arg(long, value_name = "COLUMN")]
    pub text: Vec<String>,
    /// Column or field that names the document
    #[arg(long, value_name = "COLUMN")]
    pub id: Option<String>,
    /// Column, field or .mat variable with the true classes, or a file with one a line; a file of that name comes first
    #[arg(long, value_name = "COLUMN|FILE")]
    pub labels: Option<String>,
    /// Array of a .mat or .npz file [default: the largest matrix]
    #[arg(long, value_name = "NAME")]
    pub variable: Option<String>,
    /// Sheet of a spreadsheet [default: the first]
    #[arg(long, value_name = "NAME")]
    pub sheet: Option<String>,
    /// File with a name for each column (word), one a line
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub terms: Option<PathBuf>,
    /// File with a name for each row (document), one a line
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub row_names: Option<PathBuf>,
    /// Swap rows and columns: for files whose rows are words
    #[arg(long)]
    pub transpose: bool,
    /// Whether the first record names the columns [default: told by content]
    #[arg(long, value_name = "yes|no", value_parser = parse::yes_or_no())]
    pub header: Option<bool>,
    /// Character between the fields of a record [default: told by content]
    #[arg(long, value_name = "CHAR", value_parser = parse::delimiter)]
    pub delimiter: Option<u8>,
    /// Whether quotes enclose fields [default: yes in csv, in tsv only where they close before a tab]
    #[arg(long, value_name = "yes|no", value_parser = parse::yes_or_no())]
    pub quoting: Option<bool>,
    /// Whether columns of svmlight files count from 0 [default: where column 0 occurs; under a model, as in its data]
    #[arg(long, value_name = "yes|no", value_parser = parse::yes_or_no())]
    pub zero_based: Option<bool>,
    /// Character set of texts: latin-1 is Windows-1252, too
    #[arg(long, value_name = "NAME", ignore_case = true, value_parser = parse::choice::<Encoding>())]
    #[arg(default_value_t)]
    pub encoding: Encoding,
    /// Read bytes that are not UTF-8 as a replacement character instead of refusing the file
    #[arg(long)]
    pub replace_invalid_utf8: bool,
    /// Leave out records that cannot be read (wrong number of fields, broken JSON, not UTF-8, too long), and count
    /// them, instead of refusing the file
    #[arg(long)]
    pub skip_bad_records: bool,
}

impl InputArgs {
    /// The files that the arguments stand for.
    ///
    /// # Errors
    /// If they stand for nothing, or a list or folder cannot be read.
    pub fn inputs(&self) -> anyhow::Result<Inputs> {
        Ok(Inputs::resolve(&self.data)?)
    }

    /// What is read beside the data: lists of files, names and classes.
    pub(crate) fn side_files(&self) -> Vec<PathBuf> {
        let list = |path: &PathBuf| path.to_str()?.strip_prefix('@').map(PathBuf::from);
        let lists = self.data.iter().filter_map(list);
        let names = [&self.terms, &self.row_names].into_iter().flatten().cloned();
        lists.chain(names).chain(self.labels.iter().map(PathBuf::from)).collect()
    }

    /// The data as it was asked for, for messages.
    pub fn name(&self) -> String {
        let name = |path: &PathBuf| Input::from(path.as_path()).name();
        self.data.iter().map(name).collect::<Vec<_>>().join(" ")
    }

    /// The file with the classes, if it is one.
    pub(crate) fn labels_file(&self) -> Option<&Path> {
        self.labels.as_deref().map(Path::new).filter(|path| path.is_file())
    }

    /// How the data is to be read.
    pub fn load_options(&self) -> LoadOptions {
        let labels_file = self.labels_file();
        let label_column = if labels_file.is_some() { None } else { self.labels.as_deref() };
        LoadOptions {
            format: self.format,
            variable: self.variable.clone(),
            sheet: self.sheet.clone(),
            text: self.text.iter().map(|name| choice(name)).collect(),
            id: self.id.as_deref().map(choice),
            label: label_column.map(choice),
            header: self.header,
            delimiter: self.delimiter,
            quoting: self.quoting,
            zero_based: self.zero_based,
            transpose: self.transpose,
            row_names: self.row_names.clone(),
            column_names: self.terms.clone(),
            labels: labels_file.map(Path::to_owned),
            encoding: self.encoding,
            replace_invalid_utf8: self.replace_invalid_utf8,
            skip_bad_records: self.skip_bad_records,
            ..LoadOptions::default()
        }
    }

    /// A name without folders and endings, for the names of outputs.
    pub fn stem(&self) -> String {
        Inputs::stem_of_all(&self.data)
    }
}

fn format_help() -> String {
    format!("What the data is: {} [default: told by content]", Format::names(|_| true))
}

/// A column by its number, counted from 1, or by its name.
pub(crate) fn choice(name: &str) -> ColumnChoice {
    match name.parse::<usize>() {
        Ok(place @ 1..=1000) => ColumnChoice::Position(place - 1),
        _ => ColumnChoice::from(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_have_names_or_numbers() {
        assert_eq!(choice("3"), ColumnChoice::Position(2));
        assert_eq!(choice("text"), ColumnChoice::from("text"));
        assert_eq!(choice("2004"), ColumnChoice::from("2004"));
        assert_eq!(choice("0"), ColumnChoice::from("0"));
    }
}
