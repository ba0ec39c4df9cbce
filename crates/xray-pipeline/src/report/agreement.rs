//! Topics against true classes, over the documents that have a class.
//!
//! Both measures need counts only, so ranks add up how many of their own documents have which label and
//! topic; no document travels.

use std::collections::BTreeMap;

use serde::Serialize;
use xray_nmf::comm::Communicator;

use crate::error::Result;
use crate::measure::Contingency;

/// How well topics agree with labels.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Agreement {
    /// Normalised mutual information.
    pub nmi: f64,
    /// How many documents have which label and topic.
    pub contingency: ContingencyTable,
}

/// Documents by label and topic.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ContingencyTable {
    /// The labels, ascending, as numbers if all are: a row each.
    pub labels: Vec<String>,
    /// The topics, counted from 1: a column each; none stands for documents in no topic.
    pub topics: Vec<Option<usize>>,
    /// Documents of each row and column.
    pub counts: Vec<Vec<usize>>,
}

/// Documents with a label and a heaviest topic.
type Counts = BTreeMap<(String, Option<usize>), usize>;

impl Agreement {
    /// Compares the own documents' topics with their labels; collective. An empty label is none, and without
    /// any label there is nothing to compare.
    ///
    /// # Errors
    /// If the ranks cannot talk.
    ///
    /// # Examples
    /// ```
    /// use xray_nmf::comm::OneRank;
    /// use xray_pipeline::report::Agreement;
    ///
    /// let labels = ["tea", "tea", "", "milk"].map(String::from);
    /// let agreement = Agreement::of(&OneRank, &labels, &[Some(0), Some(0), Some(1), None])?;
    /// let agreement = agreement.expect("labels");
    /// assert_eq!(agreement.nmi, 1.0);
    /// assert_eq!(agreement.contingency.labels, ["milk", "tea"]);
    /// assert_eq!(agreement.contingency.topics, [None, Some(1)]);
    /// assert_eq!(agreement.contingency.counts, [[1, 0], [0, 2]]);
    /// # Ok::<(), xray_pipeline::Error>(())
    /// ```
    pub fn of(
        comm: &dyn Communicator,
        labels: &[String],
        topics: &[Option<usize>],
    ) -> Result<Option<Self>> {
        let mut own = Counts::new();
        for (label, &topic) in labels.iter().zip(topics).filter(|(label, _)| !label.is_empty()) {
            *own.entry((label.clone(), topic)).or_default() += 1;
        }
        let counts = added_up(comm, own)?;
        Ok((!counts.is_empty()).then(|| Self::from_counts(&counts)))
    }

    fn from_counts(counts: &Counts) -> Self {
        let mut labels: Vec<String> = counts.keys().map(|(label, _)| label.clone()).collect();
        labels.dedup();
        let mut clusters: Vec<Option<usize>> = counts.keys().map(|&(_, topic)| topic).collect();
        clusters.sort_unstable();
        clusters.dedup();
        let cell = |((label, topic), &count): (&(String, Option<usize>), &usize)| {
            let row = labels.partition_point(|other| other < label);
            (row, clusters.partition_point(|other| other < topic), count)
        };
        let cells: Vec<(usize, usize, usize)> = counts.iter().map(cell).collect();
        let mut table = vec![vec![0; clusters.len()]; labels.len()];
        cells.iter().for_each(|&(row, column, count)| table[row][column] = count);
        let nmi = Contingency::from_counts(cells).normalized_mutual_information();
        let topics = clusters.iter().map(|cluster| cluster.map(|k| k + 1)).collect();
        let mut rows: Vec<(String, Vec<usize>)> = labels.into_iter().zip(table).collect();
        sort_numbers(&mut rows);
        let (labels, counts) = rows.into_iter().unzip();
        Self { nmi, contingency: ContingencyTable { labels, topics, counts } }
    }
}

/// Labels that are all numbers ascend as numbers: 2 before 10.
fn sort_numbers<T>(rows: &mut [(String, T)]) {
    let number = |label: &str| label.trim().parse::<f64>().ok().filter(|value| value.is_finite());
    if rows.iter().all(|(label, _)| number(label).is_some()) {
        let value = |row: &(String, T)| number(&row.0).unwrap_or_default();
        rows.sort_by(|a, b| value(a).total_cmp(&value(b)));
    }
}

/// The counts of all ranks.
fn added_up(comm: &dyn Communicator, own: Counts) -> Result<Counts> {
    if comm.size() == 1 {
        return Ok(own);
    }
    let listed: Vec<_> = own.into_iter().collect();
    let mut all = Counts::new();
    for message in comm.all_gather(&serde_json::to_vec(&listed).unwrap_or_default())? {
        let listed: Vec<((String, Option<usize>), usize)> =
            serde_json::from_slice(&message).unwrap_or_default();
        for (pair, count) in listed {
            *all.entry(pair).or_default() += count;
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use xray_nmf::comm::{OneRank, run_local_ranks};

    use super::*;

    #[test]
    fn ranks_agree_on_what_one_finds() {
        let labels: Vec<String> =
            (0..40).map(|d| ["a", "b", "", "c,d"][d % 4].to_owned()).collect();
        let topics: Vec<Option<usize>> =
            (0..40).map(|d| [Some(2), None, Some(0)][d * 7 % 3]).collect();
        let whole = Agreement::of(&OneRank, &labels, &topics).expect("one rank");
        assert!(whole.is_some());
        let shared = run_local_ranks(3, |comm| {
            let own = |d: &usize| d % 3 == comm.rank();
            let places: Vec<usize> = (0..40).filter(own).collect();
            let labels: Vec<String> = places.iter().map(|&d| labels[d].clone()).collect();
            let topics: Vec<Option<usize>> = places.iter().map(|&d| topics[d]).collect();
            Agreement::of(comm, &labels, &topics).expect("ranks")
        });
        assert!(shared.iter().all(|own| *own == whole), "{shared:?}");
    }

    #[test]
    fn labels_that_are_numbers_ascend_as_such() {
        let of = |labels: &[&str]| {
            let labels: Vec<String> = labels.iter().map(|&label| label.to_owned()).collect();
            let topics: Vec<Option<usize>> = (0..labels.len()).map(Some).collect();
            Agreement::of(&OneRank, &labels, &topics)
                .expect("one rank")
                .expect("labels")
                .contingency
        };
        let table = of(&["10", "9", "-1", "2.5"]);
        assert_eq!(table.labels, ["-1", "2.5", "9", "10"]);
        assert_eq!(table.counts[3], [1, 0, 0, 0], "rows go with their labels");
        assert_eq!(of(&["10", "9", "x"]).labels, ["10", "9", "x"]);
    }

    #[test]
    fn without_labels_there_is_nothing_to_compare() {
        let labels = vec![String::new(); 3];
        assert_eq!(Agreement::of(&OneRank, &labels, &[None; 3]).expect("one rank"), None);
    }
}
