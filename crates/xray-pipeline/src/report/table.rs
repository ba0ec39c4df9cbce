//! Reports as tables for people.

use xray_report::{Cell, Column, Table};

use crate::evidence::TopicEvidence;
use crate::trust::Trust;

use super::{ContingencyTable, FactorizeReport, RankReport, TopicsReport};

fn optional(value: Option<f64>, decimals: usize) -> Cell {
    value.map_or_else(Cell::missing, |value| Cell::fixed(value, decimals))
}

/// What follows an anchor that has left its topic.
pub const LEFT_MARK: &str = "*";

/// A row for each topic. Anchors that have left their topics are marked.
pub fn topics_table(report: &TopicsReport) -> Table {
    let mut table = Table::new([
        Column::right("topic"),
        Column::left("anchor").max_width(24),
        Column::right("share"),
        Column::right("margin"),
        Column::left("name").max_width(32),
        Column::left("words"),
    ]);
    for line in &report.topics {
        table.row([
            Cell::from(line.topic.to_string()),
            Cell::from(format!("{}{}", line.anchor, if line.anchor_left { LEFT_MARK } else { "" }))
                .bold(),
            Cell::percent(line.share, 1),
            optional(line.margin, 3),
            Cell::from(line.name.as_str()),
            Cell::from(line.words.join(", ")),
        ]);
    }
    table
}

/// What speaks for each topic: a row for each.
pub fn evidence_table(report: &TopicsReport) -> Table {
    let mut table = Table::new([
        Column::right("topic"),
        Column::left("name").max_width(32),
        Column::left("anchor").max_width(24),
        Column::left("next best").max_width(24),
        Column::right("documents"),
        Column::right("weight"),
        Column::right("NPMI"),
        Column::right("exclusive"),
        Column::right("stability"),
        Column::left("similar topics"),
    ]);
    for line in &report.topics {
        let TopicEvidence {
            documents, weight_share, npmi, exclusivity, stability, related, ..
        } = &line.evidence;
        let similar =
            related.iter().map(|other| format!("{} ({:.2})", other.topic, other.similarity));
        table.row([
            Cell::from(line.topic.to_string()),
            Cell::from(line.name.as_str()),
            Cell::from(line.anchor.as_str()),
            line.runner_up.as_deref().map_or_else(Cell::missing, Cell::from),
            Cell::count(*documents as u64),
            Cell::percent(*weight_share, 1),
            Cell::fixed(*npmi, 2),
            Cell::percent(*exclusivity, 0),
            optional(*stability, 2),
            Cell::from(similar.collect::<Vec<_>>().join(", ")),
        ]);
    }
    table
}

/// The best documents of each topic, a row for each; the topic's words are marked where texts are known.
pub fn best_documents_table(report: &TopicsReport) -> Table {
    let mut table = Table::new([
        Column::right("topic"),
        Column::left("document").max_width(24),
        Column::right("weight"),
        Column::right("share"),
        Column::left("text"),
    ]);
    for line in &report.topics {
        for document in &line.evidence.best_documents {
            let text = document.text.as_deref().unwrap_or_default();
            table.row([
                Cell::from(line.topic.to_string()),
                Cell::from(document.id.as_str()),
                Cell::fixed(document.weight, 3),
                Cell::percent(document.share, 0),
                Cell::from(marked(text, &line.words)),
            ]);
        }
    }
    table
}

/// A text with asterisks around some words, in any case of letters.
fn marked(text: &str, words: &[String]) -> String {
    let is_marked = |word: &str| {
        let word = word.to_lowercase();
        words.contains(&word)
    };
    let mut out = String::with_capacity(text.len());
    let in_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut rest = text;
    while !rest.is_empty() {
        let length = rest.find(|c| !in_word(c)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(length);
        out += &if is_marked(word) { format!("*{word}*") } else { word.to_owned() };
        let next = after.find(in_word).unwrap_or(after.len());
        out += &after[..next];
        rest = &after[next..];
    }
    out
}

/// A row for each label, a column for each topic.
pub fn contingency_table(contingency: &ContingencyTable) -> Table {
    let name = |topic: &Option<usize>| topic.map_or("none".to_owned(), |k| k.to_string());
    let topics = contingency.topics.iter().map(|topic| Column::right(name(topic)));
    let mut table = Table::new(std::iter::once(Column::left("label")).chain(topics));
    for (label, counts) in contingency.labels.iter().zip(&contingency.counts) {
        let counts = counts.iter().map(|n| Cell::from(n.to_string()));
        table.row(std::iter::once(Cell::from(label.as_str())).chain(counts));
    }
    table
}

/// A row for each anchor.
pub fn anchors_table(report: &FactorizeReport) -> Table {
    let mut columns = vec![
        Column::right("order"),
        Column::right("column"),
        Column::left("name").max_width(30),
        Column::right("residual"),
        Column::right("margin"),
    ];
    if report.anchor_stability.is_some() {
        columns.extend([Column::right("stability"), Column::left("")]);
    }
    let mut table = Table::new(columns);
    for (t, name) in report.anchor_names.iter().enumerate() {
        let mut cells = vec![
            Cell::from((t + 1).to_string()),
            Cell::from(report.anchors[t].to_string()),
            Cell::from(name.as_str()).bold(),
            Cell::fixed(report.residual_norm[t], 5),
            optional(report.margin[t], 4),
        ];
        if let Some(stability) = &report.anchor_stability {
            cells
                .extend([Cell::fixed(stability[t], 1), Cell::from(Trust::of(stability[t]).name())]);
        }
        table.row(cells);
    }
    table
}

/// A row for each rank; the suggested one is marked.
pub fn ranks_table(report: &RankReport) -> Table {
    let mut table = Table::new([
        Column::right("rank"),
        Column::left("anchor").max_width(24),
        Column::right("residual"),
        Column::right("unseen"),
        Column::right("stability"),
        Column::right("NPMI"),
        Column::right("UMass"),
        Column::left(""),
    ]);
    for line in &report.ranks {
        let mark = if report.suggested_rank == Some(line.rank) { "<- suggested" } else { "" };
        table.row([
            Cell::from(line.rank.to_string()),
            Cell::from(line.anchor_name.as_str()).bold(),
            Cell::fixed(line.residual_norm, 4),
            optional(line.unseen, 4),
            optional(line.stability, 3),
            optional(line.npmi, 3),
            optional(line.umass, 3),
            Cell::from(mark),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_marked_in_any_case() {
        let words = ["film".to_owned(), "élan".to_owned()];
        assert_eq!(marked("Film, films: ÉLAN!", &words), "*Film*, films: *ÉLAN*!");
        assert_eq!(marked("", &words), "");
    }
}
