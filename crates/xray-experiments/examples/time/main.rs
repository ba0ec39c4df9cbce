//! Timings of the engine and of the rivals for large data, each with the answer it gave.
//!
//! `cargo run --release --example time -- --help` lists the options. Every line that it prints is a
//! JSON object: what was made, one for each fit, one for each refinement. An answer that is not
//! whole or not exact is an error, so that no time stands for less work than asked.

mod arguments;
mod cube;
mod rivals;

use std::ops::ControlFlow;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use arguments::{Arguments, Method};
use clap::Parser;
use serde_json::json;
use xray_data::{Input, LoadOptions, LoadedMatrix, load};
use xray_experiments::peak_memory;
use xray_nmf::comm::OneRank;
use xray_nmf::synth::Corpus;
use xray_nmf::{
    Engine, Factorization, Fit, Matrix, Params, Refine, SparseMatrix, Step, Termination,
    with_threads,
};

/// The largest violation of the optimality conditions that rounding explains.
const EXACT: f64 = 1e-9;

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    with_threads(arguments.threads, || run(&arguments))?
}

fn run(arguments: &Arguments) -> Result<()> {
    if let Some(path) = &arguments.data.file {
        let loaded = load(&Input::from(path.as_path()), &LoadOptions::default())?.into_table();
        let table = loaded.with_context(|| format!("{}: found texts", path.display()))?;
        return time_table(arguments, &table.matrix);
    }
    if let Some(collection) = arguments.data.corpus {
        let start = Instant::now();
        let matrix = Corpus::like(collection).scaled(arguments.scale)?.generate()?;
        announce(&matrix, matrix.n_entries(), start);
        return (0..arguments.repeat).try_for_each(|_| time(arguments, &matrix, Instant::now()));
    }
    let size = arguments.data.dense.context("no data")?;
    cube::time_cube(arguments, size)
}

/// Times fits of what was read. The time of sparse data includes making the matrix of its rows, as
/// callers do who hold such arrays.
fn time_table(arguments: &Arguments, matrix: &LoadedMatrix) -> Result<()> {
    for _ in 0..arguments.repeat {
        let start = Instant::now();
        match matrix {
            LoadedMatrix::Dense(matrix) => time(arguments, matrix, start)?,
            LoadedMatrix::Sparse(matrix) => {
                let (offsets, indices, values) = matrix.csr();
                let (m, n) = (matrix.n_rows(), matrix.n_columns());
                let matrix = SparseMatrix::from_csr(m, n, offsets, indices, values)?;
                time(arguments, &matrix, start)?;
            }
        }
    }
    Ok(())
}

/// Says what was drawn.
fn announce(matrix: &dyn Matrix, n_entries: usize, start: Instant) {
    print(json!({
        "made": [matrix.n_rows(), matrix.n_columns()],
        "entries": n_entries,
        "seconds": start.elapsed().as_secs_f64(),
        "peak_bytes": peak_memory(),
    }));
}

/// One line of output.
fn print(line: serde_json::Value) {
    println!("{line}");
}

/// Times what the arguments ask for on one matrix.
fn time(arguments: &Arguments, matrix: &dyn Matrix, start: Instant) -> Result<()> {
    match arguments.method {
        Method::Xray if arguments.same => compare_engines(arguments, matrix),
        Method::Xray => time_fit(arguments, matrix, start),
        Method::Spa => rivals::time_spa(arguments, matrix),
        Method::Hottopixx => rivals::time_hottopixx(arguments, matrix),
    }
}

fn time_fit(arguments: &Arguments, matrix: &dyn Matrix, start: Instant) -> Result<()> {
    let found = exact_fit(arguments, matrix)?;
    let seconds = start.elapsed().as_secs_f64();
    let evaluations: u64 = found.steps().iter().map(|step| step.evaluations).sum();
    print(json!({
        "seconds": seconds,
        "rank": found.rank(),
        "evaluations": evaluations,
        "share": evaluations as f64 / (matrix.n_columns() * found.rank().max(1)) as f64,
        "residual": found.residual(),
        "kkt_violation": found.kkt_violation(),
        "anchors": found.anchors(),
        "peak_bytes": peak_memory(),
    }));
    if arguments.refine > 0 { time_refinement(arguments, matrix, &found) } else { Ok(()) }
}

fn exact_fit(arguments: &Arguments, matrix: &dyn Matrix) -> Result<Factorization> {
    let mut last = Instant::now();
    let mut observer = |step: &Step| {
        if arguments.verbose {
            eprintln!("{:.4} {step:?}", last.elapsed().as_secs_f64());
            last = Instant::now();
        }
        ControlFlow::Continue(())
    };
    let fit = Fit::of(matrix).memory(arguments.memory).observe(&mut observer);
    let found = fit.run(&arguments.params())?;
    ensure!(found.termination() == Termination::RankReached, "only {} anchors", found.rank());
    let violation = found.kkt_violation();
    ensure!(violation <= EXACT, "the projection is not exact: {violation:e}");
    Ok(found)
}

fn time_refinement(
    arguments: &Arguments,
    matrix: &dyn Matrix,
    found: &Factorization,
) -> Result<()> {
    let start = Instant::now();
    let steps = arguments.refine;
    let refined = Refine::of(matrix).steps(steps, 0.0).run(found.factors(&OneRank)?)?;
    let seconds = start.elapsed().as_secs_f64();
    let [first, .., last] = refined.objective[..] else { bail!("no step was made") };
    print(json!({ "refined_seconds": seconds, "steps": steps, "objective": [first, last] }));
    Ok(())
}

/// Both engines, and 1 and 2 threads, must give the same bits.
fn compare_engines(arguments: &Arguments, matrix: &dyn Matrix) -> Result<()> {
    let fit = |engine, threads| {
        let params = Params { engine, ..arguments.params() };
        with_threads(Some(threads), || Fit::of(matrix).memory(arguments.memory).run(&params))
    };
    // The number of exact evaluations is what the engines differ in.
    let bits = |found: &Factorization| -> Vec<Step> {
        found.steps().iter().map(|step| Step { evaluations: 0, ..step.clone() }).collect()
    };
    let lazy = fit(Engine::Lazy, 2)??;
    for (engine, threads) in [(Engine::Lazy, 1), (Engine::Direct, 2)] {
        let other = fit(engine, threads)??;
        let same = bits(&other) == bits(&lazy) && other.coefficients() == lazy.coefficients();
        ensure!(same, "{engine:?} on {threads} threads differs from Lazy on 2");
    }
    print(json!({ "same_bits": true, "rank": lazy.rank() }));
    Ok(())
}
