//! Times fits; see `xray-bench --help`.

mod load;

use std::process::ExitCode;
use std::time::Instant;

use xray_nmf::{Engine, Matrix, Params, Selection, Termination, fit_observed};

const USAGE: &str = "\
usage: xray-bench FILE [name=value ...]

FILE holds a matrix in row-compressed form as `bench/prepare.py` writes it.

  rank=100 selection=greedy engine=lazy threads=2 memory=BYTES mean_ray=false repeat=1 verbose=false

Prints one line for each run: seconds, exact evaluations, residual, first and last anchors.
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xray-bench: {message}\n\n{USAGE}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &[String]) -> Result<(), String> {
    let (file, settings) = arguments.split_first().ok_or("no file given")?;
    let (mut params, mut repeat, mut verbose) = (Params::new(100), 1, false);
    params.selection = Selection::Greedy;
    for setting in settings {
        let (name, value) = setting.split_once('=').ok_or(format!("{setting}: not name=value"))?;
        let number = || value.parse::<usize>().map_err(|_| format!("{setting}: not a number"));
        match name {
            "rank" => params.rank = number()?,
            "threads" => params.threads = Some(number()?),
            "memory" => params.memory = Some(number()?),
            "repeat" => repeat = number()?,
            "verbose" => verbose = value == "true",
            "mean_ray" => params.mean_ray = value == "true",
            "selection" => params.selection = value.parse().map_err(|e| format!("{e}"))?,
            "engine" if value == "lazy" => params.engine = Engine::Lazy,
            "engine" if value == "direct" => params.engine = Engine::Direct,
            _ => return Err(format!("{setting}: unknown")),
        }
    }
    let arrays = load::read(file).map_err(|e| format!("{file}: {e}"))?;
    for _ in 0..repeat {
        let start = Instant::now();
        let matrix = arrays.matrix().map_err(|e| format!("{file}: {e}"))?;
        let built = start.elapsed().as_secs_f64();
        let mut last = Instant::now();
        let found = fit_observed(&matrix, None, &params, &mut |step: &xray_nmf::Step| {
            if verbose {
                let seconds = last.elapsed().as_secs_f64();
                last = Instant::now();
                println!("{seconds:.4} {step:?}");
            }
            std::ops::ControlFlow::Continue(())
        })
        .map_err(|e| e.to_string())?;
        let seconds = start.elapsed().as_secs_f64();
        assert_eq!(found.termination(), Termination::RankReached, "the whole rank was found");
        assert!(found.kkt_violation() < 1e-9, "the projection is exact");
        let evaluations: u64 = found.steps().iter().map(|step| step.evaluations).sum();
        let anchors = found.anchors();
        println!(
            "seconds {seconds:.3} building {built:.3} evaluations {evaluations} share {:.5} \
             residual {:.6} kkt {:.1e} anchors {:?} .. {:?} peak_mb {}",
            evaluations as f64 / (matrix.n_columns() * found.rank()) as f64,
            found.residual(),
            found.kkt_violation(),
            &anchors[..anchors.len().min(5)],
            &anchors[anchors.len().saturating_sub(2)..],
            load::peak_memory() >> 20,
        );
    }
    Ok(())
}
