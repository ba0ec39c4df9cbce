//! `xray synth`: matrices with known anchors, and hyperspectral scenes.

mod cube;

use serde::Serialize;
use xray_data::{Table, check_output, save};
use xray_nmf::synth::{Collection, Corpus, Synthetic};
use xray_nmf::{Choice, SparseMatrix};

use crate::args::SynthArgs;
use crate::outcome::Outcome;
use crate::session::Session;

/// What is known of a drawn matrix.
#[derive(Serialize)]
#[serde(untagged)]
enum Truth {
    Planted {
        design: &'static str,
        rows: usize,
        columns: usize,
        rank: usize,
        noise: f64,
        seed: u64,
        anchors: Vec<usize>,
    },
    Corpus {
        corpus: &'static str,
        rows: usize,
        columns: usize,
        topics: usize,
        seed: u64,
        anchors_of_topics: Vec<Vec<usize>>,
    },
}

pub(crate) fn run(args: &SynthArgs) -> anyhow::Result<Outcome> {
    let mut session = Session::new(&args.common);
    if let Some(size) = args.cube {
        return cube::run(&mut session, args, size);
    }
    check_output(&args.output, None)?;
    let (table, truth) = session.stage("draw", || match args.corpus {
        Some(collection) => corpus(collection, args),
        None => planted(args),
    })?;
    let written = session.stage("write", || save(&table, &args.output, None));
    if written.is_ok() {
        let (m, n) = (table.matrix.n_rows(), table.matrix.n_columns());
        session.note(format!("wrote {} ({m} x {n})", args.output.display()));
    }
    // What could not be written is told all the same.
    if session.json {
        session.print_answer(&truth)?;
    } else if let Truth::Planted { anchors, .. } = truth {
        let anchors: Vec<String> = anchors.iter().map(ToString::to_string).collect();
        session.print_line(anchors.join(" "))?;
    }
    written?;
    Ok(Outcome::Done)
}

fn planted(args: &SynthArgs) -> anyhow::Result<(Table, Truth)> {
    let middle_points = args.rank + args.rank * args.rank.saturating_sub(1) / 2;
    let synthetic = Synthetic {
        design: args.design,
        n_rows: args.rows,
        n_columns: args.columns.unwrap_or(middle_points),
        rank: args.rank,
        noise: args.noise,
        noise_kind: args.noise_kind,
        seed: args.common.seed,
        clip: args.clip,
        ..Synthetic::default()
    };
    let planted = synthetic.generate()?;
    let truth = Truth::Planted {
        design: args.design.name(),
        rows: synthetic.n_rows,
        columns: synthetic.n_columns,
        rank: args.rank,
        noise: args.noise,
        seed: args.common.seed,
        anchors: planted.anchors,
    };
    Ok((Table::new(planted.matrix.into()), truth))
}

fn corpus(collection: Collection, args: &SynthArgs) -> anyhow::Result<(Table, Truth)> {
    let shape = Corpus { seed: args.common.seed, ..Corpus::like(collection) };
    let corpus = shape.scaled(args.scale)?;
    let matrix = corpus.generate()?;
    let (offsets, columns, values) = matrix.csr();
    let values: Vec<f64> = values.iter().map(|&v| f64::from(v)).collect();
    let (m, n) = (offsets.len() - 1, corpus.n_words);
    let matrix = SparseMatrix::from_csr(m, n, offsets.to_vec(), columns.to_vec(), values)?;
    let truth = Truth::Corpus {
        corpus: collection.name(),
        rows: m,
        columns: n,
        topics: corpus.n_topics,
        seed: args.common.seed,
        anchors_of_topics: corpus.anchors()?,
    };
    Ok((Table::new(matrix.into()), truth))
}
