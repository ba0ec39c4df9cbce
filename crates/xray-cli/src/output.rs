//! Output files: written aside and renamed, so that a killed run leaves no half file.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use rayon::prelude::*;
use xray_data::{AtomicFile, Input, Provenance};

/// Where a run writes to, and what its model tells of the data; nothing if it does not write.
pub(crate) fn output(
    path: Option<&Path>,
    input: &Input,
    seed: u64,
) -> anyhow::Result<Option<(PathBuf, Provenance)>> {
    let Some(path) = path else { return Ok(None) };
    Ok(Some((path.to_owned(), Provenance::of(input, seed)?)))
}

/// A folder for the files of a run.
pub struct Folder {
    path: PathBuf,
    written: Vec<String>,
}

impl Folder {
    /// Makes the folder if it is not there.
    pub fn create(path: &Path) -> anyhow::Result<Self> {
        std::fs::create_dir_all(path).with_context(|| {
            format!("{}: cannot make the folder; choose another with -o", path.display())
        })?;
        Ok(Self { path: path.to_owned(), written: Vec::new() })
    }

    /// The path of a file in the folder, which the caller writes.
    pub fn file(&mut self, name: &str) -> PathBuf {
        self.written.push(name.to_owned());
        self.path.join(name)
    }

    /// Writes a file.
    pub fn write(&mut self, name: &str, bytes: &[u8]) -> anyhow::Result<()> {
        write_file(&self.file(name), |out| out.write_all(bytes))
    }

    /// What was written, for people.
    pub fn summary(&self) -> String {
        format!("wrote {} to {}", self.written.join(", "), self.path.display())
    }
}

/// Writes a file; it appears complete or not at all.
pub(crate) fn write_file(
    path: &Path,
    write: impl FnOnce(&mut AtomicFile) -> std::io::Result<()>,
) -> anyhow::Result<()> {
    let mut file = AtomicFile::create(path)?;
    write(&mut file)
        .with_context(|| format!("{}: cannot write; is the disk full?", path.display()))?;
    Ok(file.commit()?)
}

/// Rows that one task turns into text.
const CHUNK: usize = 1024;

/// Lines of a CSV file with one row of `rank` weights for each document, made in parallel.
pub(crate) struct WeightRows<'a> {
    /// Name of each row.
    pub ids: &'a [String],
    /// Class of each row.
    pub labels: Option<&'a [String]>,
    /// The heaviest topic of each row.
    pub topics: &'a [Option<usize>],
    /// `rank` weights for each row.
    pub weights: &'a [f64],
    /// Number of topics.
    pub rank: usize,
}

impl WeightRows<'_> {
    /// Writes a header and all rows. Topics are counted from 1; numbers read back to the same bits.
    pub fn write(&self, out: &mut impl Write) -> std::io::Result<()> {
        let label = if self.labels.is_some() { "label," } else { "" };
        write!(out, "id,{label}topic")?;
        for k in 1..=self.rank {
            write!(out, ",topic_{k}")?;
        }
        writeln!(out)?;
        // A few chunks at a time, so that the text of all rows is never in memory.
        let starts: Vec<usize> = (0..self.ids.len()).step_by(CHUNK).collect();
        for batch in starts.chunks(64) {
            let texts: Vec<Vec<u8>> = batch.par_iter().map(|&start| self.lines(start)).collect();
            for text in texts {
                out.write_all(&text)?;
            }
        }
        Ok(())
    }

    fn lines(&self, start: usize) -> Vec<u8> {
        let mut text = Vec::new();
        for d in start..self.ids.len().min(start + CHUNK) {
            push_field(&mut text, &self.ids[d]);
            if let Some(labels) = self.labels {
                text.push(b',');
                push_field(&mut text, &labels[d]);
            }
            text.push(b',');
            if let Some(k) = self.topics[d] {
                // Writing to memory cannot fail.
                let _ = write!(text, "{}", k + 1);
            }
            for &weight in &self.weights[d * self.rank..(d + 1) * self.rank] {
                if weight == 0.0 {
                    text.extend_from_slice(b",0");
                } else {
                    let _ = write!(text, ",{weight}");
                }
            }
            text.push(b'\n');
        }
        text
    }
}

/// A field of a CSV file, in quotes where it needs them.
fn push_field(text: &mut Vec<u8>, field: &str) {
    if !field.contains(['"', ',', '\n', '\r']) {
        text.extend_from_slice(field.as_bytes());
        return;
    }
    text.push(b'"');
    text.extend_from_slice(field.replace('"', "\"\"").as_bytes());
    text.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_ids_labels_topics_and_weights() {
        let ids = ["plain".to_owned(), "a \"b\", c".to_owned()];
        let labels = [String::new(), "x".to_owned()];
        let rows = WeightRows {
            ids: &ids,
            labels: Some(&labels),
            topics: &[Some(1), None],
            weights: &[0.0, 0.1, 0.0, 0.0],
            rank: 2,
        };
        let mut text = Vec::new();
        rows.write(&mut text).expect("memory");
        let expected =
            "id,label,topic,topic_1,topic_2\nplain,,2,0,0.1\n\"a \"\"b\"\", c\",x,,0,0\n";
        assert_eq!(String::from_utf8(text).expect("text"), expected);
    }
}
