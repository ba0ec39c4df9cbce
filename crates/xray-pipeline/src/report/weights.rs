//! documents.csv: a line for each document, made in parallel and by blocks.

use std::io::{self, Write};
use std::ops::Range;

use rayon::prelude::*;
use xray_data::{Cells, Digits, write_field};

use crate::documents::Explained;

/// Lines that one task turns into text.
const LINES_PER_TASK: usize = 1024;

/// Tasks whose text is in memory at once.
const TASKS_AT_ONCE: usize = 64;

/// How rows are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RowStyle {
    /// How names are written.
    pub cells: Cells,
    /// How numbers are written.
    pub digits: Digits,
    /// Whether the share of every topic in a row follows its weights; the shares of a row with any weight sum to 1.
    pub shares: bool,
}

/// Rows of `rank` weights with their names, as lines of a CSV file.
///
/// # Examples
/// ```
/// use xray_pipeline::Explained;
/// use xray_pipeline::report::WeightRows;
/// let ids = ["plain".to_owned(), "a \"b\", c".to_owned()];
/// let rows = WeightRows {
///     ids: &ids,
///     labels: None,
///     topics: &[Some(1), None],
///     clusters: None,
///     explained: Some(Explained { parts: &[0.5, 0.0], least: 0.1 }),
///     weights: &[0.1, 0.2, 0.0, 0.0],
///     rank: 2,
///     style: Default::default(),
/// };
/// let mut text = Vec::new();
/// rows.write(&mut text).expect("memory");
/// let expected = "id,topic,share,explained,unexplained,topic_1,topic_2\n\
///     plain,2,0.666667,0.5,0,0.1,0.2\n\
///     \"a \"\"b\"\", c\",,,0,1,0,0\n";
/// assert_eq!(String::from_utf8_lossy(&text), expected);
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
    /// How much the topics explain of each row, if it is known.
    pub explained: Option<Explained<&'a [f64]>>,
    /// `rank` weights for each row.
    pub weights: &'a [f64],
    /// Number of topics.
    pub rank: usize,
    /// How they are written.
    pub style: RowStyle,
}

impl WeightRows<'_> {
    /// Writes a header and all rows. Topics and clusters are counted from 1.
    ///
    /// # Errors
    /// If `out` takes no more.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(&self.header())?;
        self.write_lines(out)
    }

    /// The first line of a file of rows like these.
    pub fn header(&self) -> Vec<u8> {
        let column = |name, is_there| if is_there { name } else { "" };
        let label = column("label,", self.labels.is_some());
        let cluster = column(",cluster", self.clusters.is_some());
        let explained = column(",explained,unexplained", self.explained.is_some());
        let numbered =
            |name: &str| -> String { (1..=self.rank).map(|k| format!(",{name}_{k}")).collect() };
        let shares = if self.style.shares { numbered("share") } else { String::new() };
        let topics = numbered("topic");
        format!("id,{label}topic,share{cluster}{explained}{topics}{shares}\n").into_bytes()
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

    /// Some rows as columns of a Parquet file, called as those of the CSV file.
    #[cfg(feature = "parquet")]
    pub fn columns(&self, rows: Range<usize>) -> Vec<(String, xray_data::ParquetColumn)> {
        use xray_data::ParquetColumn::{Numbers, Places, Texts};
        let texts = |all: &[String]| Texts(all[rows.clone()].to_vec());
        let places = |all: &[Option<usize>]| {
            Places(all[rows.clone()].iter().map(|k| k.map(|k| k as u32 + 1)).collect())
        };
        let weight = |d: usize, k: usize| self.weights[d * self.rank + k];
        let shares: Vec<f64> = rows.clone().map(|d| self.sum(d)).collect();
        let share = |d: usize, k: usize| match shares[d - rows.start] {
            sum if sum > 0.0 => weight(d, k) / sum,
            _ => 0.0,
        };
        let numbers = |of: &dyn Fn(usize) -> f64| Numbers(rows.clone().map(of).collect());
        let mut columns = vec![("id".to_owned(), texts(self.ids))];
        columns.extend(self.labels.map(|labels| ("label".to_owned(), texts(labels))));
        columns.push(("topic".to_owned(), places(self.topics)));
        let heaviest = |d: usize| self.topics[d].map_or(0.0, |k| share(d, k));
        columns.push(("share".to_owned(), numbers(&heaviest)));
        columns.extend(self.clusters.map(|clusters| ("cluster".to_owned(), places(clusters))));
        if let Some(explained) = self.explained {
            columns.push(("explained".to_owned(), numbers(&|d| explained.parts[d])));
            let flags = rows.clone().map(|d| Some(u32::from(self.is_unexplained(d, explained))));
            columns.push(("unexplained".to_owned(), Places(flags.collect())));
        }
        let topic = |k: usize| (format!("topic_{}", k + 1), numbers(&|d| weight(d, k)));
        columns.extend((0..self.rank).map(topic));
        if self.style.shares {
            let column = |k: usize| (format!("share_{}", k + 1), numbers(&|d| share(d, k)));
            columns.extend((0..self.rank).map(column));
        }
        columns
    }

    /// Whether a row is about something else than the topics.
    fn is_unexplained(&self, d: usize, explained: Explained<&[f64]>) -> bool {
        self.topics[d].is_none() || explained.parts[d] < explained.least
    }

    /// All weights of a row together.
    fn sum(&self, d: usize) -> f64 {
        self.weights[d * self.rank..(d + 1) * self.rank].iter().sum()
    }

    /// The text of some rows.
    pub fn lines(&self, rows: Range<usize>) -> Vec<u8> {
        let mut text = Vec::new();
        rows.for_each(|d| self.push_line(d, &mut text));
        text
    }

    fn push_line(&self, d: usize, text: &mut Vec<u8>) {
        let RowStyle { cells, digits, shares } = self.style;
        // Writing to memory cannot fail.
        let _ = write_field(&cells.shown(&self.ids[d]), b',', text);
        if let Some(labels) = self.labels {
            text.push(b',');
            let _ = write_field(&cells.shown(&labels[d]), b',', text);
        }
        let row = &self.weights[d * self.rank..(d + 1) * self.rank];
        let sum = self.sum(d);
        push_place(self.topics[d], text);
        text.push(b',');
        if let Some(k) = self.topics[d] {
            digits.push(row[k] / sum, text);
        }
        if let Some(clusters) = self.clusters {
            push_place(clusters[d], text);
        }
        let mut push = |value: f64| {
            text.push(b',');
            digits.push(value, text);
        };
        if let Some(explained) = self.explained {
            push(explained.parts[d]);
            push(f64::from(u8::from(self.is_unexplained(d, explained))));
        }
        row.iter().for_each(|&weight| push(weight));
        if shares {
            row.iter().for_each(|&weight| push(if sum > 0.0 { weight / sum } else { 0.0 }));
        }
        text.push(b'\n');
    }
}

/// A topic or cluster, counted from 1; nothing for none.
fn push_place(place: Option<usize>, text: &mut Vec<u8>) {
    text.push(b',');
    if let Some(k) = place {
        // Writing to memory cannot fail.
        let _ = write!(text, "{}", k + 1);
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
            explained: Some(Explained { parts: &[0.25, 0.0], least: 0.1 }),
            weights: &[0.1, 0.3, 0.0, 0.0],
            rank: 2,
            style: RowStyle { digits: Digits::All, shares: true, ..RowStyle::default() },
        };
        let mut text = Vec::new();
        rows.write(&mut text).expect("memory");
        let expected = "id,label,topic,share,cluster,explained,unexplained,topic_1,topic_2,share_1,share_2\n\
            plain,,2,0.7499999999999999,1,0.25,0,0.1,0.3,0.25,0.7499999999999999\n\
            \"a \"\"b\"\", c\",x,,,,0,1,0,0,0,0\n";
        assert_eq!(String::from_utf8(text).expect("text"), expected);
    }
}
