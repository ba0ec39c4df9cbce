//! `xray rank`: every rank in one run, and which one to take.

use serde_json::{Map, Value, json};
use xray_data::LoadedMatrix;
use xray_nmf::{Selection, Termination};
use xray_pipeline::{Event, RankStudy, StudiedRank, StudyOptions, rank_study};
use xray_report::{Cell, Chart, Column, Panel, Picture, Series, Table};

use crate::args::RankArgs;
use crate::data::{Weighed, about, read_weighed};
use crate::interrupt;
use crate::outcome::Outcome;
use crate::output::Folder;
use crate::session::Session;

pub(crate) fn run(args: &RankArgs) -> anyhow::Result<Outcome> {
    let mut session = Session::new(&args.common)?;
    let Weighed { matrix, names, .. } = read_weighed(&mut session, &args.input, &args.text)?;
    let words = matches!(matrix, LoadedMatrix::Sparse(_));
    let rule = if words { Selection::Greedy } else { Selection::Max };
    let options = StudyOptions {
        params: args.engine.params(args.max, rule, &args.common),
        held_out: args.held_out,
        coherence_words: (words && args.words > 1).then_some(args.words),
    };
    let study = rank_study(&matrix, &options, &mut |event: Event<'_>| session.watch(event));
    session.end();
    let study = about(&args.input, study.map_err(anyhow::Error::from))?;
    let report = Report { study, names };
    report.finish(session, args)
}

struct Report {
    study: RankStudy,
    names: Vec<String>,
}

impl Report {
    fn finish(self, mut session: Session, args: &RankArgs) -> anyhow::Result<Outcome> {
        let stopped = self.study.termination == Termination::Stopped || interrupt::requested();
        let written = match &args.output {
            Some(folder) => Some(session.stage("write", || self.write(folder))?),
            None => None,
        };
        if session.json {
            session.print_json(&session.finish_json(self.to_json()))?;
        } else {
            session.print_table(&self.table())?;
            if let Some(sentence) = self.sentence() {
                session.print_line(format!("\n{sentence}"))?;
            }
        }
        Ok(session.conclude(written, stopped))
    }

    /// The suggestion in words.
    fn sentence(&self) -> Option<String> {
        let suggestion = self.study.suggestion?;
        let why = suggestion.reason.words();
        Some(format!("suggested rank: {} ({why})", suggestion.rank))
    }

    fn write(&self, folder: &std::path::Path) -> anyhow::Result<String> {
        let mut folder = Folder::create(folder)?;
        folder.write("rank.csv", self.csv().csv().as_bytes())?;
        let chart = self.chart();
        folder.write("rank.svg", chart.svg().as_bytes())?;
        folder.write("rank.png", &chart.png(2.0)?)?;
        Ok(folder.summary())
    }

    fn table(&self) -> Table {
        let columns = [
            Column::right("rank"),
            Column::left("anchor").max_width(24),
            Column::right("residual"),
            Column::right("held out"),
            Column::right("NPMI"),
            Column::right("UMass"),
            Column::left(""),
        ];
        let mut table = Table::new(columns);
        let optional = |value: Option<f64>, decimals| {
            value.map_or_else(Cell::missing, |value| Cell::fixed(value, decimals))
        };
        for rank in &self.study.ranks {
            let suggested = self.study.suggestion.is_some_and(|s| s.rank == rank.rank);
            table.row([
                Cell::from(rank.rank.to_string()),
                Cell::from(self.names[rank.anchor].as_str()).bold(),
                Cell::fixed(rank.residual, 4),
                optional(rank.held_out, 4),
                optional(rank.npmi, 3),
                optional(rank.umass, 3),
                Cell::from(if suggested { "<- suggested" } else { "" }),
            ]);
        }
        table
    }

    fn csv(&self) -> Table {
        let headers =
            ["rank", "column", "anchor", "residual_norm", "held_out", "npmi", "umass", "margin"];
        let mut table = Table::new(headers.map(Column::left));
        let text = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
        for rank in &self.study.ranks {
            table.row([
                rank.rank.to_string(),
                rank.anchor.to_string(),
                self.names[rank.anchor].clone(),
                rank.residual.to_string(),
                text(rank.held_out),
                text(rank.npmi),
                text(rank.umass),
                text(rank.margin),
            ]);
        }
        table
    }

    fn chart(&self) -> Chart {
        let points = |value: fn(&StudiedRank) -> Option<f64>| -> Vec<(f64, f64)> {
            let ranks = self.study.ranks.iter();
            ranks.filter_map(|rank| Some((rank.rank as f64, value(rank)?))).collect()
        };
        let mut errors = Panel::new("left unexplained")
            .series(Series::new("all rows", points(|rank| Some(rank.residual))));
        let held_out = points(|rank| rank.held_out);
        if !held_out.is_empty() {
            errors = errors.series(Series::new("held-out rows", held_out).dashed());
        }
        let mut chart = Chart::new("How many?").x_label("rank").panel(errors);
        let npmi = points(|rank| rank.npmi);
        if !npmi.is_empty() {
            let coherence = Series::new("coherence (NPMI)", npmi);
            chart = chart.panel(Panel::new("NPMI").series(coherence).height(0.6));
        }
        match self.study.suggestion {
            Some(s) => chart.vertical(s.rank as f64, format!("suggested rank {}", s.rank)),
            None => chart,
        }
    }

    fn to_json(&self) -> Map<String, Value> {
        let ranks = self.study.ranks.iter().map(|rank| {
            json!({
                "rank": rank.rank,
                "anchor": rank.anchor,
                "anchor_name": self.names[rank.anchor],
                "residual_norm": rank.residual,
                "held_out": rank.held_out,
                "npmi": rank.npmi,
                "umass": rank.umass,
                "margin": rank.margin,
            })
        });
        let suggestion = self.study.suggestion;
        let json = json!({
            "version": env!("CARGO_PKG_VERSION"),
            "suggested_rank": suggestion.map(|s| s.rank),
            "reason": suggestion.map(|s| s.reason.words()),
            "termination": self.study.termination.name(),
            "ranks": ranks.collect::<Vec<_>>(),
        });
        json.as_object().cloned().unwrap_or_default()
    }
}
