//! Timings of `xray-nmf`, each with the answer it gave; see `xray-bench --help`.

mod load;
mod rivals;
mod settings;

use std::ops::ControlFlow;
use std::process::ExitCode;
use std::time::Instant;

use rayon::prelude::*;
use settings::{Data, Settings};
use xray_nmf::synth::Corpus;
use xray_nmf::{
    DenseMatrix, Engine, Factorization, Matrix, Params, Refinement, Step, Termination,
    fit_observed, refine,
};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|a| a == "--help") {
        print!("{}", settings::USAGE);
        return ExitCode::SUCCESS;
    }
    match Settings::parse(&arguments).and_then(|settings| run(&settings)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xray-bench: {message}\n\n{}", settings::USAGE);
            ExitCode::from(2)
        }
    }
}

fn run(settings: &Settings) -> Result<(), String> {
    match &settings.data {
        Data::File(path) => {
            let arrays = load::read(path).map_err(|e| format!("{path}: {e}"))?;
            for _ in 0..settings.repeat {
                let start = Instant::now();
                let matrix = arrays.matrix().map_err(|e| format!("{path}: {e}"))?;
                time_fit(settings, &matrix, start)?;
            }
            Ok(())
        }
        Data::Corpus(name) => {
            let shape = name.parse().map(Corpus::like);
            let corpus = shape.and_then(|shape| shape.scaled(settings.scale));
            let corpus = corpus.map_err(|e| e.to_string())?;
            let start = Instant::now();
            let matrix = corpus.generate().map_err(|e| e.to_string())?;
            println!(
                "corpus {name} {} x {} nonzeros {} generated {:.1} s peak_mb {}",
                matrix.n_rows(),
                matrix.n_columns(),
                matrix.n_entries(),
                start.elapsed().as_secs_f64(),
                load::peak_memory() >> 20
            );
            (0..settings.repeat).try_for_each(|_| time_fit(settings, &matrix, Instant::now()))
        }
        Data::Dense(m, n) => dense(settings, *m, *n),
    }
}

/// Fits, checks that the answer is whole and exact, and prints one line.
fn time_fit(settings: &Settings, matrix: &dyn Matrix, start: Instant) -> Result<(), String> {
    if let Some(method) = settings.method {
        return rivals::time_rival(method, settings, matrix);
    }
    if settings.same {
        return compare_engines(settings, matrix);
    }
    let found = watched_fit(settings, matrix)?;
    let seconds = start.elapsed().as_secs_f64();
    let evaluations: u64 = found.steps().iter().map(|step| step.evaluations).sum();
    let anchors = found.anchors();
    println!(
        "seconds {seconds:.3} rank {} evaluations {evaluations} share {:.5} residual {:.6} \
         kkt {:.1e} anchors {:?} .. {:?} peak_mb {}",
        found.rank(),
        evaluations as f64 / (matrix.n_columns() * found.rank().max(1)) as f64,
        found.residual(),
        found.kkt_violation(),
        &anchors[..anchors.len().min(5)],
        &anchors[anchors.len().saturating_sub(2)..],
        load::peak_memory() >> 20,
    );
    if settings.refine > 0 { time_refinement(settings, matrix, &found) } else { Ok(()) }
}

fn time_refinement(
    settings: &Settings,
    matrix: &dyn Matrix,
    found: &Factorization,
) -> Result<(), String> {
    let start = Instant::now();
    let (steps, threads) = (settings.refine, settings.params.threads);
    let refined = refine(matrix, found, Refinement::Hals, steps, threads)
        .map_err(|e| format!("refinement: {e}"))?;
    let seconds = start.elapsed().as_secs_f64();
    let [first, .., last] = refined.objective[..] else { return Err("no step was made".into()) };
    println!("refined in {seconds:.3} s, {steps} steps: objective {first:.17e} to {last:.17e}");
    Ok(())
}

/// Both engines, and 1 and 2 threads, must give the same bits.
fn compare_engines(settings: &Settings, matrix: &dyn Matrix) -> Result<(), String> {
    let fit = |engine, threads| {
        let params = Params { engine, threads: Some(threads), ..settings.params.clone() };
        fit_observed(matrix, None, &params, &mut ()).map_err(|e| e.to_string())
    };
    // The number of exact evaluations is what the engines differ in.
    let bits = |found: &Factorization| -> Vec<Step> {
        found.steps().iter().map(|step| Step { evaluations: 0, ..step.clone() }).collect()
    };
    let lazy = fit(Engine::Lazy, 2)?;
    for (engine, threads) in [(Engine::Lazy, 1), (Engine::Direct, 2)] {
        let other = fit(engine, threads)?;
        if bits(&other) != bits(&lazy) || other.weights() != lazy.weights() {
            return Err(format!("{engine:?} on {threads} threads differs from Lazy on 2"));
        }
    }
    println!("same bits: lazy and direct, 1 and 2 threads, {} anchors", lazy.rank());
    Ok(())
}

fn watched_fit(settings: &Settings, matrix: &dyn Matrix) -> Result<Factorization, String> {
    let mut last = Instant::now();
    let found = fit_observed(matrix, None, &settings.params, &mut |step: &Step| {
        if settings.verbose {
            println!("{:.4} {step:?}", last.elapsed().as_secs_f64());
            last = Instant::now();
        }
        ControlFlow::Continue(())
    });
    let found = found.map_err(|e| e.to_string())?;
    if found.termination() != Termination::RankReached {
        return Err(format!("only {} anchors were found", found.rank()));
    }
    if found.kkt_violation() > 1e-9 {
        return Err(format!("the projection is not exact: {:e}", found.kkt_violation()));
    }
    Ok(found)
}

/// A cube of n pixels in m bands: mixtures of 20 spectra, and 20 products X'x to compare with.
fn dense(settings: &Settings, m: usize, n: usize) -> Result<(), String> {
    let values = mixtures(m, n);
    let matrix = DenseMatrix::from_column_major(m, n, &values[..]).map_err(|e| e.to_string())?;
    let matrix: &dyn Matrix = &matrix;
    println!(
        "dense {m} x {n} input_mb {} peak_mb {}",
        (values.len() * 4) >> 20,
        load::peak_memory() >> 20
    );
    for _ in 0..settings.repeat {
        let start = Instant::now();
        let columns: Vec<_> = (0..20).map(|k| matrix.column(k * n / 20)).collect();
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(settings.params.threads.unwrap_or(0))
            .build()
            .map_err(|e| e.to_string())?;
        let products: usize =
            pool.install(|| columns.iter().map(|x| matrix.gram(&[x]).len()).sum());
        let seconds = start.elapsed().as_secs_f64();
        println!("{products} products X'x: {seconds:.3} s");
        let start = Instant::now();
        time_fit(settings, matrix, start)?;
        println!("ratio to the products: {:.2}", start.elapsed().as_secs_f64() / seconds);
    }
    Ok(())
}

/// Sparse mixtures of 20 spectra with 1 % noise, from a fixed formula: no generator in the timing.
fn mixtures(m: usize, n: usize) -> Vec<f32> {
    const SPECTRA: usize = 20;
    let unit = |a: usize, b: usize| {
        let mut x = (a as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15)
            ^ (b as u64).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        x ^= x >> 31;
        x = x.wrapping_mul(0x94D0_49BB_1331_11EB);
        ((x ^ (x >> 29)) >> 40) as f32 / (1u64 << 24) as f32
    };
    let spectra: Vec<Vec<f32>> =
        (0..SPECTRA).map(|k| (0..m).map(|d| unit(k + 1, d + 1)).collect()).collect();
    let mut values = vec![0.0f32; m * n];
    values.par_chunks_mut(m.max(1)).enumerate().for_each(|(j, column)| {
        for q in 0..3 {
            let (k, share) = ((unit(j, 7 + q) * SPECTRA as f32) as usize, unit(j, 31 + q));
            column.iter_mut().zip(&spectra[k.min(SPECTRA - 1)]).for_each(|(x, s)| *x += share * s);
        }
        column.iter_mut().enumerate().for_each(|(d, x)| *x += 0.01 * unit(j + 99, d + 1000));
    });
    values
}
