//! Timings of the rivals that work on large data: SPA and Hottopixx.

use std::time::Instant;

use xray_nmf::baseline::{Anchors, HottopixxParams, Precision, SpaParams, hottopixx, spa};
use xray_nmf::{Matrix, Termination};

use crate::load::peak_memory;
use crate::settings::{Method, Settings};

/// Finds anchors by the rival that the settings name and prints one line.
pub(crate) fn time_rival(
    method: Method,
    settings: &Settings,
    matrix: &dyn Matrix,
) -> Result<(), String> {
    let start = Instant::now();
    let found = match method {
        Method::Spa => by_spa(settings, matrix)?,
        Method::Hottopixx => by_hottopixx(settings, matrix)?,
    };
    let seconds = start.elapsed().as_secs_f64();
    let rounds = found.objective.len();
    println!(
        "seconds {seconds:.3} rank {} a_round {:.3} rounds {rounds} objective {:?} \
         anchors {:?} .. {:?} peak_mb {}",
        found.anchors.len(),
        seconds / rounds.max(1) as f64,
        found.objective.last(),
        &found.anchors[..found.anchors.len().min(5)],
        &found.anchors[found.anchors.len().saturating_sub(2)..],
        peak_memory() >> 20,
    );
    if found.termination != Termination::RankReached {
        return Err(format!("only {} anchors were found", found.anchors.len()));
    }
    Ok(())
}

fn by_spa(settings: &Settings, matrix: &dyn Matrix) -> Result<Anchors, String> {
    let threads = settings.params.threads;
    let params = SpaParams { threads, ..SpaParams::new(settings.params.rank) };
    spa(matrix, &params).map_err(|e| e.to_string())
}

/// With C in single precision: half the memory, which is what limits the method.
fn by_hottopixx(settings: &Settings, matrix: &dyn Matrix) -> Result<Anchors, String> {
    let params = HottopixxParams {
        epochs: settings.epochs,
        precision: Precision::Single,
        memory: settings.params.memory,
        threads: settings.params.threads,
        ..HottopixxParams::new(settings.params.rank)
    };
    hottopixx(matrix, &params).map_err(|e| e.to_string())
}
