//! Reports as CSV files: every number with all its digits, missing values empty.

use xray_data::{Cells, csv_text};
use xray_report::{Column, Table};

use super::{ContingencyTable, FactorizeReport, RankReport, TopicsReport};

fn number(value: Option<f64>) -> String {
    value.map_or(String::new(), |value| value.to_string())
}

fn listed(items: impl Iterator<Item = String>) -> String {
    items.collect::<Vec<_>>().join(", ")
}

/// topics.csv: a row for each topic.
pub fn topics_csv(report: &TopicsReport, cells: Cells) -> String {
    let headers = [
        "topic",
        "anchor",
        "share",
        "margin",
        "name",
        "words",
        "documents",
        "weight_share",
        "npmi",
        "exclusivity",
        "stability",
        "related",
        "best_documents",
        "runner_up",
    ];
    let mut table = Table::new(headers.map(Column::left));
    for line in &report.topics {
        table.row([
            line.topic.to_string(),
            line.anchor.clone(),
            line.share.to_string(),
            number(line.margin),
            line.name.clone(),
            line.words.join(", "),
            line.evidence.documents.to_string(),
            line.evidence.weight_share.to_string(),
            line.evidence.npmi.to_string(),
            line.evidence.exclusivity.to_string(),
            number(line.evidence.stability),
            listed(line.evidence.related.iter().map(|related| related.topic.to_string())),
            listed(line.evidence.best_documents.iter().map(|best| best.id.clone())),
            line.runner_up.clone().unwrap_or_default(),
        ]);
    }
    csv_text(cells, table.records())
}

/// contingency.csv: a row for each label, a column for each topic.
pub fn contingency_csv(table: &ContingencyTable, cells: Cells) -> String {
    csv_text(cells, super::contingency_table(table).records())
}

/// anchors.csv: a row for each anchor.
pub fn anchors_csv(report: &FactorizeReport, cells: Cells) -> String {
    let mut headers =
        vec!["order", "column", "name", "score", "margin", "residual_norm", "evaluations"];
    if report.anchor_stability.is_some() {
        headers.push("anchor_stability");
    }
    let mut table = Table::new(headers.into_iter().map(Column::left));
    for (t, name) in report.anchor_names.iter().enumerate() {
        let mut record = vec![
            (t + 1).to_string(),
            report.anchors[t].to_string(),
            name.clone(),
            number(report.score[t]),
            number(report.margin[t]),
            report.residual_norm[t].to_string(),
            report.evaluations[t].to_string(),
        ];
        record.extend(report.anchor_stability.as_ref().map(|stability| stability[t].to_string()));
        table.row(record);
    }
    csv_text(cells, table.records())
}

/// rank.csv: a row for each rank.
pub fn ranks_csv(report: &RankReport, cells: Cells) -> String {
    let headers = [
        "rank",
        "column",
        "anchor",
        "residual_norm",
        "unseen",
        "stability",
        "npmi",
        "umass",
        "margin",
    ];
    let mut table = Table::new(headers.map(Column::left));
    for line in &report.ranks {
        table.row([
            line.rank.to_string(),
            line.anchor.to_string(),
            line.anchor_name.clone(),
            line.residual_norm.to_string(),
            number(line.unseen),
            number(line.stability),
            number(line.npmi),
            number(line.umass),
            number(line.margin),
        ]);
    }
    csv_text(cells, table.records())
}
