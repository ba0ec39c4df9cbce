//! documents.csv: a line for each document, made in parallel and by blocks.

use std::io::{self, Write};
use std::ops::Range;

use rayon::prelude::*;
use xray_data::{Cells, write_field};

/// Lines that one task turns into text.
const LINES_PER_TASK: usize = 1024;

/// Tasks whose text is in memory at once.
const TASKS_AT_ONCE: usize = 64;

/// Rows of `rank` weights with their names, as lines of a CSV file.
///
/// # Examples
/// ```
/// use xray_pipeline::report::WeightRows;
/// let ids = ["plain".to_owned(), "a \"b\", c".to_owned()];
/// let rows = WeightRows {
///     ids: &ids,
///     labels: None,
///     topics: &[Some(1), None],
///     clusters: None,
///     weights: &[0.0, 0.1, 0.0, 0.0],
///     rank: 2,
///     cells: Default::default(),
/// };
/// let mut text = Vec::new();
/// rows.write(&mut text).expect("memory");
/// assert_eq!(text, b"id,topic,topic_1,topic_2\nplain,2,0,0.1\n\"a \"\"b\"\", c\",,0,0\n");
/// ```
#[derive(Debug, Clone, Copy)]
pub struct WeightRows<'a> {
    /// Name of each row.
    pub ids: &'a [String],
    /// Class of each row.
    pub labels: Option<&'a [String]>,
    /// The heaviest topic of each row.
    pub topics: &'a [Option<usize>],
    /// The cluster of each row, if rows have any.
    pub clusters: Option<&'a [Option<usize>]>,
    /// `rank` weights for each row.
    pub weights: &'a [f64],
    /// Number of topics.
    pub rank: usize,
    /// How names are written.
    pub cells: Cells,
}

impl WeightRows<'_> {
    /// Writes a header and all rows. Topics and clusters are counted from 1; numbers read back to the same bits.
    ///
    /// # Errors
    /// If `out` takes no more.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(&Self::header(self.labels.is_some(), self.clusters.is_some(), self.rank))?;
        self.write_lines(out)
    }

    /// The first line of a file of rows with classes and clusters, or without.
    pub fn header(labelled: bool, clustered: bool, rank: usize) -> Vec<u8> {
        let label = if labelled { "label," } else { "" };
        let topics: String = (1..=rank).map(|k| format!(",topic_{k}")).collect();
        let cluster = if clustered { ",cluster" } else { "" };
        format!("id,{label}topic{cluster}{topics}\n").into_bytes()
    }

    /// Writes all rows, a few blocks at a time, so that the text of all is never in memory.
    ///
    /// # Errors
    /// If `out` takes no more.
    pub fn write_lines(&self, out: &mut dyn Write) -> io::Result<()> {
        let n = self.ids.len();
        let starts: Vec<usize> = (0..n).step_by(LINES_PER_TASK).collect();
        for batch in starts.chunks(TASKS_AT_ONCE) {
            let text = |&start: &usize| self.lines(start..n.min(start + LINES_PER_TASK));
            let texts: Vec<Vec<u8>> = batch.par_iter().map(text).collect();
            texts.iter().try_for_each(|text| out.write_all(text))?;
        }
        Ok(())
    }

    /// The text of some rows.
    pub fn lines(&self, rows: Range<usize>) -> Vec<u8> {
        let mut text = Vec::new();
        for d in rows {
            // Writing to memory cannot fail.
            let _ = write_field(&self.cells.shown(&self.ids[d]), b',', &mut text);
            if let Some(labels) = self.labels {
                text.push(b',');
                let _ = write_field(&self.cells.shown(&labels[d]), b',', &mut text);
            }
            for numbers in [Some(self.topics), self.clusters].into_iter().flatten() {
                text.push(b',');
                if let Some(k) = numbers[d] {
                    let _ = write!(text, "{}", k + 1);
                }
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
            clusters: Some(&[Some(0), None]),
            weights: &[0.0, 0.1, 0.0, 0.0],
            rank: 2,
            cells: Cells::AsTheyAre,
        };
        let mut text = Vec::new();
        rows.write(&mut text).expect("memory");
        let expected = "id,label,topic,cluster,topic_1,topic_2\nplain,,2,1,0,0.1\n\"a \"\"b\"\", c\",x,,,0,0\n";
        assert_eq!(String::from_utf8(text).expect("text"), expected);
    }
}
