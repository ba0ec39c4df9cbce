//! What an experiment has to say: words, tables and pictures, as files.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use anyhow::{Context, Result};
use xray_data::AtomicFile;
use xray_report::{Picture, Table};

/// Pixels of a PNG for each unit of a picture.
const SCALE: f64 = 2.0;

/// One experiment's page. Its files are `NAME.md`, `NAME.csv`, `NAME.svg`, `NAME.png`, and
/// `NAME-PART.*` for further tables and pictures.
pub struct Page {
    name: String,
    title: String,
    text: String,
    files: Vec<(String, Vec<u8>)>,
}

impl Page {
    /// An empty page.
    pub fn new(name: &str, title: &str) -> Self {
        Self { name: name.into(), title: title.into(), text: String::new(), files: Vec::new() }
    }

    /// The page's name, such as `figure3`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Adds a paragraph.
    pub fn paragraph(&mut self, text: impl AsRef<str>) -> &mut Self {
        let _ = write!(self.text, "{}\n\n", text.as_ref().trim());
        self
    }

    /// Adds a list.
    pub fn list<T: AsRef<str>>(&mut self, items: impl IntoIterator<Item = T>) -> &mut Self {
        for item in items {
            let _ = writeln!(self.text, "- {}", item.as_ref());
        }
        self.text.push('\n');
        self
    }

    /// Adds a table to read.
    pub fn table(&mut self, table: &Table) -> &mut Self {
        let _ = write!(self.text, "{}\n\n", table.markdown().trim_end());
        self
    }

    /// Adds a table to compute with: a CSV file only. `part` is empty for the main one.
    pub fn csv(&mut self, part: &str, table: &Table) -> &mut Self {
        let file = format!("{}.csv", self.file(part));
        self.files.push((file, xray_data::csv_text(table.records()).into_bytes()));
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
        Ok(self)
    }

    fn file(&self, part: &str) -> String {
        match part {
            "" => self.name.clone(),
            part => format!("{}-{part}", self.name),
        }
    }

    /// The page as Markdown.
    pub fn markdown(&self) -> String {
        format!("# {}\n\n{}\n", self.title, self.text.trim_end())
    }

    /// The page as a section of a longer text whose pictures are in `folder`.
    pub fn section(&self, folder: &str) -> String {
        let text = self.text.replace("](", &format!("]({folder}"));
        format!("## {}\n\n{}\n", self.title, text.trim_end())
    }

    /// Writes all files, each complete or not at all; returns their names.
    ///
    /// # Errors
    /// If the folder cannot be made or a file cannot be written.
    pub fn write(&self, folder: &Path) -> Result<Vec<String>> {
        std::fs::create_dir_all(folder).with_context(|| {
            format!("{}: cannot make the folder; choose another with -o", folder.display())
        })?;
        let page = (format!("{}.md", self.name), self.markdown().into_bytes());
        let files = self.files.iter().chain([&page]);
        files
            .map(|(name, bytes)| write_file(&folder.join(name), bytes).map(|()| name.clone()))
            .collect()
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

/// All pages as one text, with pictures in `pictures/` beside it.
pub fn join(title: &str, introduction: &str, pages: &[Page], pictures: &str) -> String {
    let sections: Vec<String> = pages.iter().map(|page| page.section(pictures)).collect();
    format!("# {title}\n\n{}\n\n{}", introduction.trim(), sections.join("\n"))
}
