//! Turns a file of texts into a tf-idf matrix and says how long each step took.
//!
//! `vectorize FILE [--text COLUMN] [--repeat N] [--out X.npz] [--default]`; with `--default` the
//! crate's own defaults, otherwise those of scikit-learn's TfidfVectorizer.

use std::time::Instant;

use xray_data::text::{TextOptions, Vectorizer};
use xray_data::{ColumnChoice, Input, LoadOptions, Table, load, save};
use xray_nmf::Matrix;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().ok_or("name a file of texts")?;
    let (mut options, mut text_options) = (LoadOptions::default(), TextOptions::scikit_learn());
    let (mut repeat, mut out) = (1, None);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or(format!("{argument} needs a value"));
        match argument.as_str() {
            "--text" => options.text.push(ColumnChoice::Name(value()?)),
            "--repeat" => repeat = value()?.parse()?,
            "--out" => out = Some(value()?),
            "--default" => text_options = TextOptions::default(),
            other => return Err(format!("unknown argument {other}").into()),
        }
    }
    let start = Instant::now();
    let loaded = load(&Input::from(file.as_str()), &options)?;
    let documents = loaded.into_documents().ok_or("the file holds numbers")?;
    let load_seconds = start.elapsed().as_secs_f64();
    let mut best = f64::INFINITY;
    let mut result = None;
    for _ in 0..repeat.max(1) {
        let start = Instant::now();
        result = Some(Vectorizer::fit_transform(text_options.clone(), &documents.texts)?);
        best = best.min(start.elapsed().as_secs_f64());
    }
    let (x, vectorizer) = result.ok_or("nothing was run")?;
    println!(
        "{{\"documents\": {}, \"terms\": {}, \"entries\": {}, \"load_seconds\": {load_seconds:.4}, \
         \"seconds\": {best:.4}}}",
        x.n_rows(),
        x.n_columns(),
        x.n_entries()
    );
    if let Some(out) = out {
        let names = vectorizer.vocabulary().to_vec();
        let table = Table { column_names: Some(names), ..Table::new(x.into()) };
        save(&table, out.as_ref(), None)?;
    }
    Ok(())
}
