//! `xray synth`: matrices with known anchors.

use serde_json::{Map, Value, json};
use xray_data::{Table, save};
use xray_nmf::synth::{Collection, Corpus, Synthetic};
use xray_nmf::{Choice, SparseMatrix};

use crate::args::SynthArgs;
use crate::outcome::Outcome;
use crate::session::Session;

pub(crate) fn run(args: &SynthArgs) -> anyhow::Result<Outcome> {
    let mut session = Session::new(&args.common)?;
    let (table, truth) = session.stage("draw", || match args.corpus {
        Some(collection) => corpus(collection, args),
        None => planted(args),
    })?;
    session.stage("write", || save(&table, &args.output, None))?;
    let (m, n) = (table.matrix.n_rows(), table.matrix.n_columns());
    session.note(format!("wrote {} ({m} x {n})", args.output.display()));
    if session.json {
        session.print_json(&session.finish_json(truth))?;
    } else if let Some(anchors) = truth.get("anchors").and_then(Value::as_array) {
        let anchors: Vec<String> = anchors.iter().map(Value::to_string).collect();
        session.print_line(anchors.join(" "))?;
    }
    Ok(Outcome::Done)
}

fn planted(args: &SynthArgs) -> anyhow::Result<(Table, Map<String, Value>)> {
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
    let json = json!({
        "design": args.design.name(),
        "rows": synthetic.n_rows,
        "columns": synthetic.n_columns,
        "rank": args.rank,
        "noise": args.noise,
        "seed": args.common.seed,
        "anchors": planted.anchors,
    });
    Ok((Table::new(planted.matrix.into()), json.as_object().cloned().unwrap_or_default()))
}

fn corpus(collection: Collection, args: &SynthArgs) -> anyhow::Result<(Table, Map<String, Value>)> {
    let shape = Corpus { seed: args.common.seed, ..Corpus::like(collection) };
    let corpus = shape.scaled(args.scale)?;
    let matrix = corpus.generate()?;
    let (offsets, columns, values) = matrix.csr();
    let values: Vec<f64> = values.iter().map(|&v| f64::from(v)).collect();
    let (m, n) = (offsets.len() - 1, corpus.n_words);
    let matrix = SparseMatrix::from_csr(m, n, offsets.to_vec(), columns.to_vec(), values)?;
    let json = json!({
        "corpus": collection.name(),
        "rows": m,
        "columns": n,
        "topics": corpus.n_topics,
        "seed": args.common.seed,
        "anchors_of_topics": corpus.anchors()?,
    });
    Ok((Table::new(matrix.into()), json.as_object().cloned().unwrap_or_default()))
}
