//! `xray transform`: weights of new data under a saved model.

use std::path::Path;

use anyhow::Context;
use xray_data::{AtomicFile, Budget, Format, Model, Table, save};
use xray_nmf::DenseMatrix;
use xray_nmf::comm::Communicator;
use xray_pipeline::report::{RowStyle, TransformReport, WeightRows};
use xray_pipeline::shards::{load_model, model_files};
use xray_pipeline::{
    ColumnMatch, Content, DocumentBlock, DocumentWeights, Error, Explained, RowNames, Transformed,
    transform_columns, transform_rows,
};

use super::unmix::{self, endmembers_of};
use crate::agree::{alone, together};
use crate::args::TransformArgs;
use crate::data::{about, read_like};
use crate::documents::{header, weight_rows};
use crate::outcome::{Outcome, UsageError};
use crate::output::Guarded;
use crate::session::{STDOUT, Session};
use crate::stdout::Lines;

pub(crate) fn run(comm: &dyn Communicator, args: &TransformArgs) -> anyhow::Result<Outcome> {
    if let Some(endmembers) = endmembers_of(&args.model) {
        alone(comm, "transform with endmembers")?;
        return unmix::run(&args.of_cube(endmembers)?);
    }
    let mut session = Session::on(comm, &args.common);
    if let Some(out) = &args.output {
        let guarded = Guarded::new(&args.input).and(model_files(&args.model));
        guarded.check_file(comm, out)?;
    }
    let model = session.stage("model", || load_model(&args.model));
    let model = xray_pipeline::together(comm, model)?;
    // The data has what the model leaves.
    let mut held = Budget::of_process().claim(&args.model.display().to_string());
    together(comm, held.take(model.bytes()).map_err(Into::into))?;
    let content = read_like(comm, &mut session, &args.input, &model.provenance)?;
    let weighed = session.stage("weights", || transform(comm, &model, content, args))?;
    weighed.notes.iter().for_each(|note| session.note(note));
    let csv = |out: &Path| Format::from_path(out).is_some_and(|format| format.name == "csv");
    let style = args.weights.style();
    let mut written = match &args.output {
        Some(out) if csv(out) => {
            session.stage("write", || write_csv(comm, &weighed, Some(out), style))
        }
        None if !args.common.json => write_csv(comm, &weighed, None, style),
        _ => Ok(()),
    };
    let whole_file = args.output.as_ref().filter(|out| !csv(out));
    if args.common.json || whole_file.is_some() {
        let all = Gathered::new(comm, weighed)?;
        let answers = args.common.json && comm.rank() == 0;
        let told = match answers {
            true => session.print_answer(&TransformReport::new(&all.rows())),
            false => Ok(()),
        };
        if let (Some(out), 0) = (whole_file, comm.rank()) {
            written = session.stage("write", || all.save(out));
        }
        // What could not be written is told all the same.
        written = together(comm, written);
        if written.is_ok() {
            together(comm, told)?;
        }
    }
    written?;
    if let Some(out) = &args.output {
        session.note(format!("wrote {}", out.display()));
    }
    Ok(Outcome::Done)
}

fn transform(
    comm: &dyn Communicator,
    model: &Model,
    content: Content,
    args: &TransformArgs,
) -> anyhow::Result<Transformed> {
    let how = if args.by_position { ColumnMatch::Places } else { ColumnMatch::Names };
    let weighed = match (content, args.columns) {
        (Content::Table(corpus), true) => transform_columns(comm, model, &corpus, how),
        (Content::Documents(_), true) => {
            let message = "--columns is for matrices, and this is text";
            return together(comm, Err(UsageError(message.into()).into()));
        }
        (Content::Documents(_), false) if model.preprocessing.is_none() => {
            let name = args.model.display();
            let message = format!("{name}: the model was fitted to a matrix; it cannot read texts");
            return together(comm, Err(UsageError(message).into()));
        }
        (content, false) => transform_rows(comm, model, content, how),
    };
    about(&args.input, weighed.map_err(Into::into))
}

/// Rank 0 writes all rows, as they arrive, to a file or to standard output; collective.
fn write_csv(
    comm: &dyn Communicator,
    weighed: &Transformed,
    path: Option<&Path>,
    style: RowStyle,
) -> anyhow::Result<()> {
    let Transformed { rows, documents, .. } = weighed;
    let open = || -> anyhow::Result<Option<AtomicFile>> {
        match path {
            Some(path) if comm.rank() == 0 => Ok(Some(AtomicFile::create(path)?)),
            _ => Ok(None),
        }
    };
    let mut file = together(comm, open())?;
    let mut stdout = Lines::new();
    let out: &mut dyn std::io::Write = match &mut file {
        Some(file) => file,
        None => &mut stdout,
    };
    let mut failed = None;
    let mut write = |lines: &dyn Fn(&mut dyn std::io::Write) -> std::io::Result<()>| {
        if failed.is_none()
            && let Err(error) = lines(out)
        {
            failed = Some(error);
        }
    };
    if comm.rank() == 0 {
        let header = header(rows, documents, style);
        write(&|out| out.write_all(&header));
    }
    documents.for_each_block(comm, rows, |block| {
        write(&|out| weight_rows(block, documents.rank, style).write_lines(out));
        Ok(())
    })?;
    let finish = || -> anyhow::Result<()> {
        match (failed, path) {
            (Some(source), Some(path)) => {
                let file = path.display().to_string();
                Err(xray_data::Error::Io { file, action: "write", source }.into())
            }
            (Some(error), None) => Err(error).context(STDOUT),
            (None, _) => Ok(()),
        }
    };
    together(comm, finish())?;
    let committed = file.map_or(Ok(()), AtomicFile::commit);
    together(comm, committed.map_err(Into::into))
}

/// All rows on rank 0, none on the others.
struct Gathered {
    ids: Vec<String>,
    labels: Option<Vec<String>>,
    topics: Vec<Option<usize>>,
    clusters: Option<Vec<Option<usize>>>,
    explained: Option<Explained<Vec<f64>>>,
    weights: Vec<f64>,
    rank: usize,
}

impl Gathered {
    fn new(comm: &dyn Communicator, weighed: Transformed) -> anyhow::Result<Self> {
        let Transformed { rows, documents, .. } = weighed;
        if comm.is_alone() {
            return Ok(Self::alone(rows, documents));
        }
        let labels = rows.labels.as_ref().map(|_| Vec::new());
        let (ids, topics, weights) = (Vec::new(), Vec::new(), Vec::new());
        let clusters = documents.clusters.as_ref().map(|_| Vec::new());
        let explained = documents.explained.as_ref();
        let explained =
            explained.map(|explained| Explained { parts: Vec::new(), least: explained.least });
        let rank = documents.rank;
        let mut all = Self { ids, labels, topics, clusters, explained, weights, rank };
        documents.for_each_block(comm, &rows, |block| {
            all.push(block);
            Ok::<(), Error>(())
        })?;
        Ok(all)
    }

    /// The rows of one rank are all: nothing is copied.
    fn alone(rows: RowNames, documents: DocumentWeights) -> Self {
        let own = &rows.own;
        let numbers = || (0..own.n_own()).map(|place| own.global(place).to_string()).collect();
        let DocumentWeights { heaviest, clusters, explained, weights, rank, .. } = documents;
        let ids = rows.ids.unwrap_or_else(numbers);
        Self { ids, labels: rows.labels, topics: heaviest, clusters, explained, weights, rank }
    }

    fn push(&mut self, block: &DocumentBlock<'_>) {
        self.ids.extend_from_slice(&block.ids);
        if let (Some(all), Some(labels)) = (&mut self.labels, &block.labels) {
            all.extend_from_slice(labels);
        }
        self.topics.extend_from_slice(block.heaviest);
        if let (Some(all), Some(clusters)) = (&mut self.clusters, block.clusters) {
            all.extend_from_slice(clusters);
        }
        if let (Some(all), Some(explained)) = (&mut self.explained, block.explained) {
            all.parts.extend_from_slice(explained.parts);
        }
        self.weights.extend_from_slice(block.weights);
    }

    fn rows(&self) -> WeightRows<'_> {
        WeightRows {
            ids: &self.ids,
            labels: self.labels.as_deref(),
            topics: &self.topics,
            clusters: self.clusters.as_deref(),
            explained: self.explained.as_ref().map(|explained| explained.of(0..self.ids.len())),
            weights: &self.weights,
            rank: self.rank,
            style: RowStyle::default(),
        }
    }

    fn save(self, path: &Path) -> anyhow::Result<()> {
        let matrix = DenseMatrix::from_row_major(self.ids.len(), self.rank, self.weights)?;
        let table = Table {
            row_names: Some(self.ids),
            column_names: Some((1..=self.rank).map(|k| format!("topic_{k}")).collect()),
            ..Table::new(matrix.into())
        };
        Ok(save(&table, path, None)?)
    }
}
