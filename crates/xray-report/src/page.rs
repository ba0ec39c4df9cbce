//! Results as a page for a browser: one file that needs nothing else, neither network nor server.
//!
//! A page is its data as JSON ([`Page`]), and style and script that show it. Style and script are files of their own
//! in the folder `page` of this crate, written by hand and put into the page as they are. A policy in the page lets
//! nothing but these two run or be applied, told by their hashes, and nothing be loaded. Text of the data is only
//! ever text: in the JSON all that could end it is escaped, and the script makes no markup of strings.
//!
//! Each kind of page is a [`Content`]: [`TopicsPage`], [`RankPage`], [`UnmixPage`] and [`TablesPage`]. A new kind is a struct, a
//! template for its part of the body, and a script. What a page says without a script, and on paper, are the tables
//! of its content.
//!
//! # The JSON
//!
//! `{"format": "xray page", "version": 1, "kind": ..., "title": ..., "command": ..., "program": ..., "input": ...}` and
//! then the fields of the content, as they are documented there. Fields may be added under the same version.

mod escape;
mod rank;
mod tables;
mod topics;
mod unmix;

use askama::Template;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use sha2::{Digest, Sha256};

pub use rank::{RankCurve, RankLevel, RankPage, RankTopic};
pub use tables::{PageChart, PagePanel, PageSection, PageSeries, PageTable, TablesPage};
pub use topics::{
    Flows, PageDocuments, PageFacts, PageLevel, PageTopic, PageWord, RelatedWords, TopicsPage,
};
pub use unmix::{Bytes, PageColours, PageScene, PageSpectra, UnmixPage};

use crate::table::Table;
use escape::{json_text, shown_text};

/// What the JSON of every page begins with.
const FORMAT: &str = "xray page";

/// The version of the JSON: it changes when a field changes its meaning or goes.
const VERSION: u32 = 1;

/// Style and script of all pages.
const BASE_STYLE: &str = include_str!("../page/base.css");
const BASE_SCRIPT: &str = include_str!("../page/base.js");

/// What a page is about, whatever its kind.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct About {
    /// The name of the data.
    pub title: String,
    /// What gives the same result again.
    pub command: Option<String>,
    /// The program and its version.
    pub program: String,
    /// The hash of the data.
    pub input: Option<String>,
}

/// A page of some kind: what it is about, and what it shows.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Page<C> {
    format: &'static str,
    version: u32,
    kind: &'static str,
    /// What it is about.
    #[serde(flatten)]
    pub about: About,
    /// What it shows.
    #[serde(flatten)]
    pub content: C,
}

/// What a kind of page has.
pub trait Content: Serialize {
    /// Its name in the JSON and in the template.
    const KIND: &'static str;

    /// Styles after those of all pages.
    fn styles(&self) -> Vec<&'static str>;

    /// Scripts after that of all pages.
    fn scripts(&self) -> Vec<&'static str>;

    /// The first line.
    fn heading(&self) -> String;

    /// What it says without a script, and on paper: tables, each with a caption that may be empty.
    fn tables(&self) -> Vec<(String, Table)>;

    /// Whether its script asks the server that it comes from.
    fn asks(&self) -> bool {
        false
    }
}

impl<C: Content> Page<C> {
    /// A page.
    pub fn new(about: About, content: C) -> Self {
        Self { format: FORMAT, version: VERSION, kind: C::KIND, about, content }
    }

    /// The JSON of the page on one line.
    pub fn json(&self) -> String {
        serde_json::to_string(self).expect("numbers, texts and lists")
    }

    /// The page as a file.
    ///
    /// # Examples
    /// ```
    /// use xray_report::{About, Page, TablesPage};
    /// let about = About { title: "<b>".into(), program: "xray".into(), ..About::default() };
    /// let page = Page::new(about, TablesPage { heading: "Nothing".into(), ..TablesPage::default() }).html();
    /// assert!(page.starts_with("<!doctype html>") && page.contains("&#60;b&#62;"));
    /// ```
    pub fn html(&self) -> String {
        let style = joined(BASE_STYLE, self.content.styles());
        let script = joined(BASE_SCRIPT, self.content.scripts());
        let policy = policy(&style, &script, self.content.asks());
        let frame = Frame {
            kind: C::KIND,
            title: shown_text(&self.about.title),
            heading: shown_text(&self.content.heading()),
            program: shown_text(&self.about.program),
            command: self.about.command.as_deref().map(shown_text),
            input: self.about.input.as_deref().map(short_hash),
            tables: self.content.tables().iter().map(StaticTable::new).collect(),
            json: json_text(&self.json()),
            asks: self.content.asks(),
            style: &style,
            script: &script,
            policy,
        };
        frame.render().expect("templates are checked when they are compiled")
    }

    /// The bytes of style and script.
    pub fn code_bytes(&self) -> usize {
        let style = joined(BASE_STYLE, self.content.styles());
        style.len() + joined(BASE_SCRIPT, self.content.scripts()).len()
    }
}

/// Pieces in one text.
fn joined(base: &str, more: Vec<&str>) -> String {
    [vec![base], more].concat().join("\n")
}

/// The hash as people compare it: its first digits.
fn short_hash(hash: &str) -> String {
    let short: String = hash.chars().take(15).collect();
    if short.len() < hash.len() { format!("{}…", shown_text(&short)) } else { shown_text(&short) }
}

/// Nothing but this style and this script, told by their hashes; the script may ask its own server if it has one.
fn policy(style: &str, script: &str, asks: bool) -> String {
    let hash = |text: &str| STANDARD.encode(Sha256::digest(text.as_bytes()));
    let connect = if asks { " connect-src 'self';" } else { "" };
    format!(
        "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}';{connect} img-src data:; base-uri 'none'; \
         form-action 'none'",
        hash(style),
        hash(script)
    )
}

/// What the template shows. Every text is escaped by it, but for style, script and JSON.
#[derive(Template)]
#[template(path = "page.html")]
struct Frame<'a> {
    kind: &'static str,
    title: String,
    heading: String,
    program: String,
    command: Option<String>,
    input: Option<String>,
    tables: Vec<StaticTable>,
    json: String,
    asks: bool,
    style: &'a str,
    script: &'a str,
    policy: String,
}

/// A table in the template.
struct StaticTable {
    caption: String,
    columns: Vec<(String, bool)>,
    rows: Vec<Vec<(String, bool)>>,
}

impl StaticTable {
    fn new((caption, table): &(String, Table)) -> Self {
        let right: Vec<bool> = table.is_right().collect();
        let cells = |texts: Vec<&str>| {
            texts.into_iter().map(shown_text).zip(right.iter().copied()).collect()
        };
        let mut lines = table.texts().map(cells);
        let columns = lines.next().unwrap_or_default();
        Self { caption: shown_text(caption), columns, rows: lines.collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_policy_has_the_hashes_of_what_is_there() {
        let page = Page::new(About::default(), TablesPage::default());
        let html = page.html();
        let between = |start: &str, end: &str| {
            let from = html.find(start).expect("there") + start.len();
            &html[from..from + html[from..].find(end).expect("there")]
        };
        for (start, end) in [("<style>", "</style>"), ("<script>", "</script>")] {
            let hash = STANDARD.encode(Sha256::digest(between(start, end).as_bytes()));
            assert!(html.contains(&format!("sha256-{hash}")), "{start}");
        }
        for loads in ["connect-src", "src=", "url(", "@import", "<link", "href=\"http"] {
            assert!(!html.contains(loads), "{loads}");
        }
    }

    #[test]
    fn nothing_in_the_data_ends_the_data() {
        let wild = "</script><script>alert(1)</script><!-- \u{2028} \0 & \"";
        let about = About { title: wild.into(), command: Some(wild.into()), ..About::default() };
        let html =
            Page::new(about, TablesPage { heading: wild.into(), ..Default::default() }).html();
        assert_eq!(html.matches("<script").count(), 2, "the data and the script");
        assert_eq!(html.matches("</script>").count(), 2);
        assert!(!html.contains('\0') && !html.contains("<!--"));
    }
}
