//! Tables for terminals and Markdown, and their records for files.

mod markdown;
mod terminal;
mod width;

use crate::number;

/// Rows of cells under named columns.
///
/// ```
/// use xray_report::{Cell, Column, Table};
///
/// let columns = [Column::left("topic"), Column::right("share"), Column::left("words")];
/// let mut table = Table::new(columns);
/// table.row([Cell::from("1"), Cell::percent(0.214, 1), Cell::from("match, team, season")]);
/// table.row([Cell::from("2"), Cell::percent(f64::NAN, 1), Cell::from("film, actor")]);
/// let text = table.terminal(None, false);
/// assert_eq!(
///     text,
///     "topic   share  words\n\
///      ─────  ──────  ───────────────────\n\
///      1      21.4 %  match, team, season\n\
///      2           –  film, actor\n"
/// );
/// assert_eq!(table.records().nth(1), Some(vec!["1", "0.214", "match, team, season"]));
/// ```
#[derive(Clone, Debug)]
pub struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<Cell>>,
}

/// On which side the cells of a column are flush.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Align {
    /// Text.
    #[default]
    Left,
    /// Numbers.
    Right,
}

/// The head of a column.
#[derive(Clone, Debug)]
pub struct Column {
    header: String,
    align: Align,
    max_width: usize,
}

/// How much a cell should be noticed: as style in terminals and Markdown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Emphasis {
    /// As any other.
    #[default]
    Plain,
    /// More.
    Bold,
    /// Less.
    Dim,
}

/// One value: what people read, and what programs read from records.
#[derive(Clone, Debug, Default)]
pub struct Cell {
    text: String,
    /// The value in records, where it is not the text.
    exact: Option<String>,
    emphasis: Emphasis,
}

impl Column {
    fn new(header: impl Into<String>, align: Align) -> Self {
        Self { header: header.into(), align, max_width: usize::MAX }
    }

    /// A column of text.
    pub fn left(header: impl Into<String>) -> Self {
        Self::new(header, Align::Left)
    }

    /// A column of numbers.
    pub fn right(header: impl Into<String>) -> Self {
        Self::new(header, Align::Right)
    }

    /// The most places that the column takes in a terminal, at least one; longer cells end in an
    /// ellipsis.
    #[must_use]
    pub fn max_width(mut self, places: usize) -> Self {
        self.max_width = places.max(1);
        self
    }
}

impl Cell {
    /// A number to so many significant digits; records have all of them.
    ///
    /// ```
    /// use xray_report::Cell;
    /// assert_eq!(Cell::number(0.123456, 3).text(), "0.123");
    /// assert_eq!(Cell::number(f64::NAN, 3).text(), "–");
    /// ```
    pub fn number(value: f64, digits: usize) -> Self {
        Self::exact(number::significant(value, digits), value)
    }

    /// A number with so many decimals; records have all of them.
    pub fn fixed(value: f64, decimals: usize) -> Self {
        Self::exact(number::fixed(value, decimals), value)
    }

    /// A fraction as a percentage; records have the fraction.
    pub fn percent(fraction: f64, decimals: usize) -> Self {
        Self::exact(number::percent(fraction, decimals), fraction)
    }

    /// A count, with digits in groups; records have it without commas.
    pub fn count(value: u64) -> Self {
        Self { text: number::count(value), exact: Some(value.to_string()), ..Self::default() }
    }

    /// A time span in readable units; records have seconds.
    pub fn duration(span: std::time::Duration) -> Self {
        Self::exact(number::duration(span), span.as_secs_f64())
    }

    /// A size in readable units; records have bytes.
    pub fn bytes(size: u64) -> Self {
        Self { text: number::bytes(size), exact: Some(size.to_string()), ..Self::default() }
    }

    /// A missing value; records have an empty field.
    pub fn missing() -> Self {
        Self::exact(number::MISSING.into(), f64::NAN)
    }

    /// More noticeable.
    #[must_use]
    pub fn bold(mut self) -> Self {
        self.emphasis = Emphasis::Bold;
        self
    }

    /// Less noticeable.
    #[must_use]
    pub fn dim(mut self) -> Self {
        self.emphasis = Emphasis::Dim;
        self
    }

    /// What people read.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What programs read.
    fn exact_text(&self) -> &str {
        self.exact.as_deref().unwrap_or(&self.text)
    }

    fn exact(text: String, value: f64) -> Self {
        // Adding zero takes the sign from a negative zero.
        let exact = if value.is_finite() { (value + 0.0).to_string() } else { infinite(value) };
        Self { text, exact: Some(exact), emphasis: Emphasis::Plain }
    }
}

fn infinite(value: f64) -> String {
    if value.is_nan() { String::new() } else { value.to_string() }
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self { text: text.into(), ..Self::default() }
    }
}

impl Table {
    /// A table without rows.
    pub fn new(columns: impl IntoIterator<Item = Column>) -> Self {
        Self { columns: columns.into_iter().collect(), rows: Vec::new() }
    }

    /// Adds a row; cells that are not given are empty.
    ///
    /// # Panics
    ///
    /// If there are more cells than columns.
    pub fn row(&mut self, cells: impl IntoIterator<Item = impl Into<Cell>>) -> &mut Self {
        let mut cells: Vec<Cell> = cells.into_iter().map(Into::into).collect();
        let (n_cells, n_columns) = (cells.len(), self.columns.len());
        assert!(n_cells <= n_columns, "a row of {n_cells} cells in a table of {n_columns} columns");
        cells.resize_with(n_columns, Cell::default);
        self.rows.push(cells);
        self
    }

    /// How many rows there are.
    pub fn n_rows(&self) -> usize {
        self.rows.len()
    }

    /// The table as lines of aligned text, at most `width` places wide if a width is given, with
    /// ANSI styles if `styled`.
    ///
    /// Wide characters count two places and combining ones none. Where room is short, the widest
    /// columns of text give way first, then numbers; what is cut ends in an ellipsis.
    pub fn terminal(&self, width: Option<usize>, styled: bool) -> String {
        terminal::render(self, width, styled)
    }

    /// The table in GitHub's Markdown. What Markdown would take for markup is escaped.
    ///
    /// ```
    /// use xray_report::{Column, Table};
    /// let mut table = Table::new([Column::left("rule"), Column::right("NMI")]);
    /// table.row(["a|b", "0.9"]);
    /// assert_eq!(table.markdown(), "| rule |  NMI |\n| ---- | ---: |\n| a\\|b |  0.9 |\n");
    /// ```
    pub fn markdown(&self) -> String {
        markdown::render(self)
    }

    /// What people read, the names of the columns first.
    #[cfg(feature = "page")]
    pub(crate) fn texts(&self) -> impl Iterator<Item = Vec<&str>> {
        let header = self.columns.iter().map(|column| column.header.as_str()).collect();
        let rows = self.rows.iter().map(|row| row.iter().map(Cell::text).collect());
        std::iter::once(header).chain(rows)
    }

    /// Which columns are of numbers.
    #[cfg(feature = "page")]
    pub(crate) fn is_right(&self) -> impl Iterator<Item = bool> {
        self.columns.iter().map(|column| column.align == Align::Right)
    }

    /// The records of the table, the names of the columns first, for files that programs read: numbers with
    /// all their digits, missing values empty.
    pub fn records(&self) -> impl Iterator<Item = Vec<&str>> {
        let header = self.columns.iter().map(|column| column.header.as_str()).collect();
        let rows = self.rows.iter().map(|row| row.iter().map(Cell::exact_text).collect());
        std::iter::once(header).chain(rows)
    }
}

#[cfg(test)]
mod tests;
