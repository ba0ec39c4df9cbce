//! CSV, TSV and numbers between white space: a table of numbers, or a column of text.
//!
//! What is not said is guessed from the first records: whether they hold numbers or text, whether
//! the first one is a header, and whether the first column names the rows.

use super::lines::Lines;
use super::records::{Dialect, Quoting, Records};
use crate::assemble::dense_by_rows;
use crate::columns::{self, Guess};
use crate::error::{Malformed, Result};
use crate::format::Format;
use crate::options::LoadOptions;
use crate::source::{HEAD_BYTES, Source};
use crate::table::{Documents, Loaded, Table};

/// Records that are looked at before reading.
const SAMPLE: usize = 100;

pub(crate) fn read(source: Source, format: Format, options: &LoadOptions) -> Result<Loaded> {
    let dialect = dialect(&source.head, format, options);
    let sample = Sample::take(&source.name, &source.head, dialect)?;
    let longest = options.limits.line_bytes;
    if options.text.is_empty() && sample.is_numeric() {
        let records = Records::new(Lines::new(source, longest), dialect, longest);
        read_numbers(records, &sample, options).map(Loaded::Table)
    } else {
        let layout = TextLayout::choose(&source.name, &sample, options)?;
        let records = Records::new(Lines::new(source, longest), dialect, longest);
        read_texts(records, &layout, options).map(Loaded::Documents)
    }
}

fn dialect(head: &[u8], format: Format, options: &LoadOptions) -> Dialect {
    let delimiter = options.delimiter.unwrap_or(match format {
        Format::Tsv => b'\t',
        Format::Spaced => b' ',
        _ => comma_or_semicolon(head),
    });
    let quoting = match (options.quoting, delimiter) {
        (Some(true), _) => Quoting::Fields,
        (Some(false), _) | (None, b' ') => Quoting::None,
        (None, b'\t') => Quoting::SameLine,
        (None, _) => Quoting::Fields,
    };
    Dialect { delimiter, quoting }
}

/// The delimiter of the first line: whichever occurs more often.
fn comma_or_semicolon(head: &[u8]) -> u8 {
    let end = memchr::memchr(b'\n', head).unwrap_or(head.len());
    let count = |wanted: u8| head[..end].iter().filter(|&&byte| byte == wanted).count();
    if count(b';') > count(b',') { b';' } else { b',' }
}

/// The first records of a file.
struct Sample {
    records: Vec<Vec<Vec<u8>>>,
}

impl Sample {
    fn take(file: &str, head: &[u8], dialect: Dialect) -> Result<Self> {
        let mut records = Vec::new();
        let mut reader = Records::new(Lines::of_bytes(file, head), dialect, usize::MAX);
        while records.len() <= SAMPLE {
            match reader.advance() {
                Ok(true) => {
                    let fields = (0..reader.len()).map(|k| reader.bytes(k).to_vec());
                    records.push(fields.collect::<Vec<_>>());
                }
                // The head may end within a record; what is really wrong is found when reading.
                Ok(false) | Err(_) => break,
            }
        }
        let cut = records.len() > SAMPLE || head.len() as u64 >= HEAD_BYTES;
        if cut && records.len() > 1 {
            // The last record may end where the head does.
            records.pop();
        }
        if records.is_empty() {
            return Err(Malformed::new(file, "no records", "at least one line").into());
        }
        Ok(Self { records })
    }

    fn first(&self) -> &[Vec<u8>] {
        &self.records[0]
    }

    /// Records after the first, or the first if there is no other.
    fn body(&self) -> &[Vec<Vec<u8>>] {
        if self.records.len() > 1 { &self.records[1..] } else { &self.records }
    }

    /// Whether every column, besides the first, holds mostly numbers: single others are mistakes.
    fn is_numeric(&self) -> bool {
        let n = self.body()[0].len();
        let skip = usize::from(self.first_column_is_text() && n > 1);
        (skip..n).all(|column| self.is_mostly_numbers(column))
    }

    fn first_column_is_text(&self) -> bool {
        !self.is_mostly_numbers(0)
    }

    /// Empty fields count for neither side.
    fn is_mostly_numbers(&self, column: usize) -> bool {
        let fields = self.body().iter().filter_map(|record| record.get(column));
        let (numbers, others): (Vec<_>, Vec<_>) =
            fields.filter(|field| !is_blank(field)).partition(|field| is_number(field));
        others.is_empty() || numbers.len() > others.len()
    }

    /// Whether the first record of a table of numbers names the columns: pandas leaves the corner
    /// empty, and names are no numbers. An empty field elsewhere is a missing value.
    fn has_number_header(&self) -> bool {
        let first = self.first();
        let corner = first.len() > 1 && is_blank(&first[0]);
        let skip = usize::from(self.first_column_is_text() && first.len() > 1);
        corner || first.iter().skip(skip).any(|field| !is_blank(field) && !is_number(field))
    }

    /// Whether the first record has one field less: R writes no name over the names of rows.
    fn has_short_header(&self) -> bool {
        self.records.get(1).is_some_and(|second| second.len() == self.first().len() + 1)
    }

    /// Whether the first record of a table of texts names the columns: short, distinct words that
    /// are no numbers.
    fn has_text_header(&self) -> bool {
        let first = self.first();
        let plain = |field: &Vec<u8>| {
            let field = field.trim_ascii();
            !field.is_empty() && field.len() <= 40 && !is_number(field) && !field.contains(&b' ')
        };
        let mut names = first.to_vec();
        names.sort();
        names.dedup();
        self.records.len() > 1 && first.iter().all(plain) && names.len() == first.len()
    }

    /// Total length of each column.
    fn lengths(&self) -> Vec<u64> {
        let n = self.first().len();
        let mut lengths = vec![0; n];
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

/// Whether the field is meant as a number; NaN and infinity are, and refused when they are read.
pub(crate) fn is_number(field: &[u8]) -> bool {
    fast_float2::parse::<f64, _>(field.trim_ascii()).is_ok()
}

fn read_numbers(mut records: Records, sample: &Sample, options: &LoadOptions) -> Result<Table> {
    let header = options.header.unwrap_or_else(|| sample.has_number_header());
    let mut column_names = None;
    let mut n_fields = sample.first().len();
    // pandas writes the names of rows under an empty name.
    let mut named = sample.first_column_is_text() && n_fields > 1;
    if header && records.advance()? {
        let mut names = records.texts(options.replace_invalid_utf8)?;
        named |= names.len() > 1 && names[0].trim().is_empty();
        if sample.has_short_header() {
            named = true;
            n_fields += 1;
        } else if named {
            names.remove(0);
        }
        column_names = Some(names);
    }
    let skip = usize::from(named);
    let (mut values, mut row_names) = (Vec::new(), Vec::new());
    let mut n_rows = 0;
    while records.advance()? {
        records.expect_len(n_fields)?;
        if named {
            row_names.push(records.text(0, options.replace_invalid_utf8)?);
        }
        for field in skip..n_fields {
            values.push(records.number(field)?);
        }
        n_rows += 1;
    }
    let matrix = dense_by_rows(records.file(), n_rows, n_fields - skip, values)?;
    let row_names = named.then_some(row_names);
    Ok(Table { row_names, column_names, ..Table::new(matrix) })
}

/// Which columns of a table of texts hold what.
struct TextLayout {
    header: bool,
    n_fields: usize,
    text: Vec<usize>,
    id: Option<usize>,
    label: Option<usize>,
}

impl TextLayout {
    fn choose(file: &str, sample: &Sample, options: &LoadOptions) -> Result<Self> {
        use crate::options::ColumnChoice;
        let n_fields = sample.first().len();
        let chosen = options.text.iter().chain(&options.id).chain(&options.label);
        let by_name = chosen.clone().any(|choice| matches!(choice, ColumnChoice::Name(_)));
        let header = options.header.unwrap_or_else(|| by_name || sample.has_text_header());
        let first: Vec<String> =
            sample.first().iter().map(|f| String::from_utf8_lossy(f).into_owned()).collect();
        let names = header.then_some(first.as_slice());
        let place = |choice: &ColumnChoice| columns::place(file, choice, names, n_fields);
        let mut text = options.text.iter().map(place).collect::<Result<Vec<_>>>()?;
        let known = names.unwrap_or(&[]);
        if text.is_empty() {
            let found = columns::guess(known, &sample.lengths(), Guess::Text);
            let missing = || Malformed::new(file, "only empty columns", "a column with text");
            text.push(found.ok_or_else(missing)?);
        }
        let pick = |choice: &Option<ColumnChoice>, guess| match choice {
            Some(choice) => place(choice).map(Some),
            None => Ok(columns::guess(known, &[], guess).filter(|k| !text.contains(k))),
        };
        let id = pick(&options.id, Guess::Id)?;
        let label = pick(&options.label, Guess::Label)?;
        Ok(Self { header, n_fields, text, id, label })
    }
}

fn read_texts(
    mut records: Records,
    layout: &TextLayout,
    options: &LoadOptions,
) -> Result<Documents> {
    let replace = options.replace_invalid_utf8;
    let mut documents = Documents::default();
    let mut labels = Vec::new();
    if layout.header {
        records.advance()?;
    }
    while records.advance()? {
        records.expect_len(layout.n_fields)?;
        let mut text = records.text(layout.text[0], replace)?;
        for &column in &layout.text[1..] {
            text.push(' ');
            text.push_str(&records.text(column, replace)?);
        }
        documents.texts.push(text);
        documents.ids.push(match layout.id {
            Some(id) => records.text(id, replace)?,
            None => documents.texts.len().to_string(),
        });
        if let Some(label) = layout.label {
            labels.push(records.text(label, replace)?);
        }
    }
    documents.labels = layout.label.map(|_| labels);
    Ok(documents)
}

/// Whether the first records have the same number of fields, more than one, with this delimiter.
pub(crate) fn looks_delimited(head: &[u8], delimiter: u8) -> bool {
    let quoting = if delimiter == b'\t' { Quoting::SameLine } else { Quoting::Fields };
    let quoting = if delimiter == b' ' { Quoting::None } else { quoting };
    let Ok(sample) = Sample::take("", head, Dialect { delimiter, quoting }) else { return false };
    let n = sample.first().len();
    n > 1 && sample.records.iter().all(|record| record.len() == n)
}

/// Whether the first lines hold nothing but numbers between white space.
pub(crate) fn looks_like_spaced_numbers(head: &[u8]) -> bool {
    let dialect = Dialect { delimiter: b' ', quoting: Quoting::None };
    match Sample::take("", head, dialect) {
        Ok(sample) => sample.records.iter().flatten().all(|field| is_number(field)),
        Err(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Input;

    fn parse(content: &str, format: Format, options: &LoadOptions) -> Result<Loaded> {
        let input = Input::Bytes { name: "test".into(), bytes: content.into() };
        read(Source::open(&input)?, format, options)
    }

    fn table(content: &str) -> Table {
        let loaded = parse(content, Format::Csv, &LoadOptions::default()).expect("valid");
        loaded.into_table().expect("numbers")
    }

    fn strings(names: &[&str]) -> Option<Vec<String>> {
        Some(names.iter().map(|&name| name.to_owned()).collect())
    }

    #[test]
    fn numbers_with_and_without_names() {
        let plain = table("1,2\n3,4\n5,6\n");
        assert_eq!((plain.matrix.n_rows(), plain.matrix.n_columns()), (3, 2));
        assert_eq!((plain.row_names, plain.column_names), (None, None));
        let header = table("a,b\n3,4\n5,6\n");
        assert_eq!((header.row_names, header.column_names), (None, strings(&["a", "b"])));
        let both = table("name,a,b\nx,3,4\ny,5,6\n");
        assert_eq!(
            (both.row_names, both.column_names),
            (strings(&["x", "y"]), strings(&["a", "b"]))
        );
        let pandas = table(",a,b\n0,3,4\n1,5,6\n");
        assert_eq!(pandas.row_names, strings(&["0", "1"]));
        let rows = table("x;3;4\ny;5;6\n");
        assert_eq!((rows.row_names, rows.column_names), (strings(&["x", "y"]), None));
    }

    #[test]
    fn text_columns_by_name_number_or_guess() {
        let content = "label,text\nred,\"one, two\"\nblue,three\n";
        let documents = |options: &LoadOptions, content: &str| {
            parse(content, Format::Csv, options).expect("valid").into_documents().expect("text")
        };
        let guessed = documents(&LoadOptions::default(), content);
        assert_eq!(guessed.texts, ["one, two", "three"]);
        assert_eq!(guessed.labels, strings(&["red", "blue"]));
        assert_eq!(guessed.ids, ["1", "2"]);
        let by_number =
            LoadOptions { text: vec![crate::ColumnChoice::Position(1)], ..LoadOptions::default() };
        let headless = documents(&by_number, "p1,A longer text here\np2,And another one\n");
        assert_eq!(headless.texts, ["A longer text here", "And another one"]);
    }

    #[test]
    fn errors_say_where() {
        let message = |content: &str| {
            let options = LoadOptions::default();
            parse(content, Format::Csv, &options).map(|_| ()).unwrap_err().to_string()
        };
        assert_eq!(
            message("1,2\n3\n5,6\n"),
            "test:2: found 1 fields, expected 2, as on the lines before; check delimiter and quotes"
        );
        assert!(message("1,2\n3,\n").starts_with("test:2:3: found an empty field"));
        assert!(message("1,2\n3,4\nnan,4\n5,6\n").starts_with("test:3:1"));
        let options = LoadOptions { text: vec!["body".into()], ..LoadOptions::default() };
        let missing = parse("a,b\nc,d\n", Format::Csv, &options).map(|_| ()).unwrap_err();
        assert!(missing.to_string().contains("there are: a, b"));
    }
}
