//! What an experiment has to say: words, tables and pictures, as files.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use anyhow::{Context, Result};
use xray_data::AtomicFile;
use xray_nmf::comm::OneRank;
use xray_pipeline::{Folder, Plan, Purpose};
use xray_report::{About, PageSection, Picture, Table, TablesPage};

/// Pixels of a PNG for each unit of a picture.
const SCALE: f64 = 2.0;

/// One experiment's page. Its files are `NAME.md`, `NAME.html`, `NAME.csv`, `NAME.svg`, `NAME.png`, and
/// `NAME-PART.*` for further tables and pictures.
#[derive(Debug, Clone)]
pub struct Page {
    name: String,
    title: String,
    /// How the page was made, which stands at its end.
    origin: String,
    text: String,
    /// The same for a browser.
    shown: TablesPage,
    files: Vec<(String, Vec<u8>)>,
}

impl Page {
    /// An empty page that ends with how it was made.
    pub fn new(name: &str, title: &str, origin: &str) -> Self {
        Self {
            name: name.into(),
            title: title.into(),
            origin: origin.into(),
            text: String::new(),
            shown: TablesPage { heading: title.into(), ..TablesPage::default() },
            files: Vec::new(),
        }
    }

    /// The page's name, such as `figure3`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Adds a paragraph.
    pub fn paragraph(&mut self, text: impl AsRef<str>) -> &mut Self {
        let _ = write!(self.text, "{}\n\n", text.as_ref().trim());
        self.shown.push_text(text.as_ref().trim());
        self
    }

    /// Adds a list.
    pub fn list<T: AsRef<str>>(&mut self, items: impl IntoIterator<Item = T>) -> &mut Self {
        let list: Vec<String> = items.into_iter().map(|item| item.as_ref().to_owned()).collect();
        for item in &list {
            let _ = writeln!(self.text, "- {item}");
        }
        self.text.push('\n');
        self.shown.push(PageSection { list, ..PageSection::default() });
        self
    }

    /// Adds a table to read.
    pub fn table(&mut self, table: &Table) -> &mut Self {
        let _ = write!(self.text, "{}\n\n", table.markdown().trim_end());
        self.shown.push_table("", table);
        self
    }

    /// Adds a table to compute with: a CSV file only. `part` is empty for the main one.
    pub fn csv(&mut self, part: &str, table: &Table) -> &mut Self {
        let file = format!("{}.csv", self.file(part));
        self.files.push((
            file,
            xray_data::csv_text(xray_data::Cells::AsTheyAre, table.records()).into_bytes(),
        ));
        self
    }

    /// Adds a picture, as SVG and PNG. `part` is empty for the main one.
    ///
    /// # Errors
    /// If the picture cannot be drawn.
    pub fn picture(
        &mut self,
        part: &str,
        caption: &str,
        picture: &dyn Picture,
    ) -> Result<&mut Self> {
        let file = self.file(part);
        self.files.push((format!("{file}.svg"), picture.svg().into_bytes()));
        self.files.push((format!("{file}.png"), picture.png(SCALE)?));
        let _ = write!(self.text, "![{caption}]({file}.png)\n\n");
        self.shown.push_picture(caption, picture)?;
        Ok(self)
    }

    fn file(&self, part: &str) -> String {
        match part {
            "" => self.name.clone(),
            part => format!("{}-{part}", self.name),
        }
    }

    /// The page as Markdown.
    fn markdown(&self) -> String {
        format!("# {}\n\n{}\n\n{}\n", self.title, self.text.trim_end(), self.origin)
    }

    /// The page for a browser.
    fn html(&self) -> String {
        let program = concat!("xray ", env!("CARGO_PKG_VERSION")).to_owned();
        let about = About { title: self.name.clone(), program, ..About::default() };
        let mut shown = self.shown.clone();
        shown.push_text(&self.origin);
        xray_report::Page::new(about, shown).html()
    }

    /// The page as a section of a longer text whose pictures are in the folder `pictures`.
    fn section(&self, pictures: &str) -> String {
        let text = self.text.replace("](", &format!("]({pictures}"));
        format!("## {}\n\n{}\n\n{}\n", self.title, text.trim_end(), self.origin)
    }

    /// A text that [`join`] made, with this page in place of its section; none if it has no such
    /// section.
    ///
    /// # Examples
    /// ```
    /// use xray_experiments::{Page, join};
    /// let [mut page, other] = ["Table 1", "Table 2"].map(|title| Page::new("t", title, "Made once."));
    /// let text = join(&[page.clone(), other.clone()], "results/");
    /// page.paragraph("New figures.");
    /// let changed = page.replaced_in(&text, "results/").expect("a section");
    /// assert_eq!(changed, join(&[page, other], "results/"));
    /// ```
    pub fn replaced_in(&self, text: &str, pictures: &str) -> Option<String> {
        let start = text.find(&format!("\n## {}\n", self.title))? + 1;
        let end = text[start..].find("\n\n## ").map_or(text.len(), |length| start + length + 1);
        Some(format!("{}{}{}", &text[..start], self.section(pictures), &text[end..]))
    }

    /// Writes all files, which appear as one or not at all; returns their names.
    ///
    /// # Errors
    /// If the folder cannot be made or a file cannot be written.
    pub fn write(&self, folder: &Path) -> Result<Vec<String>> {
        let mut folder = Folder::open(&OneRank, folder, Plan::new(Purpose::Pages))?;
        let page = (format!("{}.md", self.name), self.markdown().into_bytes());
        let html = (format!("{}.html", self.name), self.html().into_bytes());
        let files: Vec<_> = self.files.iter().chain([&html, &page]).collect();
        for (name, bytes) in &files {
            folder.write(name, |out| out.write_all(bytes))?;
        }
        folder.commit(&OneRank, None)?;
        Ok(files.into_iter().map(|(name, _)| name.clone()).collect())
    }
}

/// Writes a file; it appears complete or not at all.
///
/// # Errors
/// If it cannot be written.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut file = AtomicFile::create(path)?;
    file.write_all(bytes)
        .with_context(|| format!("{}: cannot write; is the disk full?", path.display()))?;
    Ok(file.commit()?)
}

/// What stands above all pages.
const INTRODUCTION: &str = "\
Every figure and table of Kumar, Sindhwani and Kambadur, \"Fast Conical Hull Algorithms for Near-separable \
Non-negative Matrix Factorization\" (ICML 2013), as `xray reproduce` writes them. At the end of each stands how it \
was made. Times depend on the machine; everything else comes out the same on every run.";

/// All pages as one text, with pictures in the folder `pictures` beside it.
pub fn join(pages: &[Page], pictures: &str) -> String {
    let sections: Vec<String> = pages.iter().map(|page| page.section(pictures)).collect();
    format!("# Results\n\n{INTRODUCTION}\n\n{}", sections.join("\n"))
}

#[cfg(test)]
mod tests {
    use xray_report::Column;

    use super::*;

    fn page() -> Page {
        let mut table = Table::new([Column::left("rule"), Column::right("NMI")]);
        table.row(["greedy", "0.9"]);
        let mut page = Page::new("table9", "Table 9: rules", "Made by hand.");
        page.paragraph("  Some words. ").list(["one", "two"]).table(&table).csv("more", &table);
        page.picture("", "A picture", &xray_report::Chart::new("t")).expect("a picture");
        page
    }

    #[test]
    fn pages_say_all_and_end_with_their_origin() {
        let text = page().markdown();
        assert!(
            text.starts_with("# Table 9: rules\n\nSome words.\n\n- one\n- two\n\n| rule"),
            "{text}"
        );
        assert!(text.ends_with("![A picture](table9.png)\n\nMade by hand.\n"), "{text}");
        assert!(page().section("folder/").contains("](folder/table9.png)"));
    }

    #[test]
    fn the_last_section_can_be_replaced_and_a_missing_one_not() {
        let other = Page::new("table1", "Table 1", "Made by hand.");
        let text = join(&[other.clone(), page()], "p/");
        let mut new = page();
        new.paragraph("More.");
        assert_eq!(new.replaced_in(&text, "p/"), Some(join(&[other, new.clone()], "p/")));
        assert_eq!(Page::new("x", "Table", "").replaced_in(&text, "p/"), None);
    }
}
