//! A page of tables that sort and charts that tell their values.

#[cfg(feature = "pictures")]
use base64::Engine as _;
#[cfg(feature = "pictures")]
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;

use super::Content;
#[cfg(feature = "pictures")]
use crate::pictures::Picture;
use crate::table::Table;

const STYLE: &str = include_str!("../../page/chart.css");
const SCRIPTS: [&str; 2] =
    [include_str!("../../page/chart.js"), include_str!("../../page/tables.js")];

/// Sections of words, tables and charts.
#[derive(Debug, Clone, Default, Serialize)]
pub struct TablesPage {
    /// The first line.
    pub heading: String,
    /// What it says in a sentence or two.
    pub summary: String,
    /// In the order of the page.
    pub sections: Vec<PageSection>,
    /// For those without a script.
    #[serde(skip)]
    pub plain: Vec<(String, Table)>,
}

/// One section: any of its parts may be missing.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct PageSection {
    /// Paragraphs, in which `**`, `*` and backticks stand for what they do in Markdown.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub text: Vec<String>,
    /// Items of a list.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub list: Vec<String>,
    /// A table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table: Option<PageTable>,
    /// A chart.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chart: Option<PageChart>,
    /// What a picture shows, and the picture, as an address with all of its bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image: Option<(String, String)>,
}

/// A table: what people read, and what it is sorted by.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct PageTable {
    /// Names of columns, and whether they are of numbers.
    pub columns: Vec<(String, bool)>,
    /// For each row a text for each column.
    pub rows: Vec<Vec<String>>,
    /// For each row the number of each column, if it is one.
    pub values: Vec<Vec<Option<f64>>>,
}

/// Panels above each other with one x axis.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct PageChart {
    /// What it shows.
    pub title: String,
    /// Name and unit of the x axis.
    pub x: String,
    /// Whether the x axis is one of logarithms.
    pub x_log: bool,
    /// From top to bottom.
    pub panels: Vec<PagePanel>,
    /// Places of the x axis that have a name.
    pub marks: Vec<(f64, String)>,
}

/// A part of a chart with its own y axis.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct PagePanel {
    /// Name and unit of the y axis.
    pub y: String,
    /// Whether the y axis is one of logarithms.
    pub y_log: bool,
    /// What is drawn.
    pub series: Vec<PageSeries>,
    /// Places of the y axis that have a name.
    pub marks: Vec<(f64, String)>,
}

/// Points, joined by a line unless they are scattered.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct PageSeries {
    /// Its name.
    pub name: String,
    /// x and y.
    pub points: Vec<(f64, f64)>,
    /// Whether no line joins them.
    pub scattered: bool,
}

impl TablesPage {
    /// Adds a section.
    pub fn push(&mut self, section: PageSection) {
        self.sections.push(section);
    }

    /// Adds a table, which is there without a script, too.
    pub fn push_table(&mut self, caption: &str, table: &Table) {
        let table_of = Some(PageTable::from(table));
        let text = [caption].into_iter().filter(|text| !text.is_empty()).map(str::to_owned);
        self.push(PageSection { text: text.collect(), table: table_of, ..PageSection::default() });
        self.plain.push((caption.to_owned(), table.clone()));
    }

    /// Adds a paragraph.
    pub fn push_text(&mut self, text: &str) {
        self.push(PageSection { text: vec![text.to_owned()], ..PageSection::default() });
    }

    /// Adds a picture: a chart as data, anything else as it is.
    ///
    /// # Errors
    /// If the picture cannot be drawn.
    #[cfg(feature = "pictures")]
    pub fn push_picture(&mut self, caption: &str, picture: &dyn Picture) -> crate::Result<()> {
        let mut section = PageSection { chart: picture.page_chart(), ..PageSection::default() };
        if section.chart.is_none() {
            let bytes = STANDARD.encode(picture.png(1.0)?);
            section.image = Some((caption.to_owned(), format!("data:image/png;base64,{bytes}")));
        }
        self.push(section);
        Ok(())
    }
}

impl From<&Table> for PageTable {
    fn from(table: &Table) -> Self {
        let owned = |row: Vec<&str>| row.into_iter().map(str::to_owned).collect::<Vec<_>>();
        let number = |text: &str| text.parse::<f64>().ok().filter(|value| value.is_finite());
        let values = |row: Vec<&str>| row.into_iter().map(number).collect::<Vec<_>>();
        let mut rows = table.texts().map(owned);
        let names = rows.next().unwrap_or_default();
        Self {
            columns: names.into_iter().zip(table.is_right()).collect(),
            rows: rows.collect(),
            values: table.records().skip(1).map(values).collect(),
        }
    }
}

impl Content for TablesPage {
    const KIND: &'static str = "tables";

    fn styles(&self) -> Vec<&'static str> {
        vec![STYLE]
    }

    fn scripts(&self) -> Vec<&'static str> {
        SCRIPTS.to_vec()
    }

    fn heading(&self) -> String {
        self.heading.clone()
    }

    fn tables(&self) -> Vec<(String, Table)> {
        self.plain.clone()
    }
}
