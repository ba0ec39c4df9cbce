//! Timings of the rivals that work on large data: SPA and Hottopixx.

use std::time::Instant;

use anyhow::{Result, ensure};
use serde_json::json;
use xray_experiments::peak_memory;
use xray_nmf::rivals::{Anchors, HottopixxParams, Precision, SpaParams, hottopixx, spa};
use xray_nmf::{Matrix, Termination};

use crate::arguments::Arguments;
use crate::print;

/// Times the anchors of SPA.
pub(crate) fn time_spa(arguments: &Arguments, matrix: &dyn Matrix) -> Result<()> {
    let params = SpaParams::new(arguments.rank);
    report(|| spa(matrix, &params))
}

/// Times the anchors of Hottopixx, with C in single precision: half the memory, which is what limits
/// the method.
pub(crate) fn time_hottopixx(arguments: &Arguments, matrix: &dyn Matrix) -> Result<()> {
    let params = HottopixxParams {
        epochs: arguments.epochs,
        precision: Precision::Single,
        memory: arguments.memory,
        ..HottopixxParams::new(arguments.rank)
    };
    report(|| hottopixx(matrix, &params))
}

fn report(work: impl FnOnce() -> xray_nmf::Result<Anchors>) -> Result<()> {
    let start = Instant::now();
    let found = work()?;
    let seconds = start.elapsed().as_secs_f64();
    print(json!({
        "seconds": seconds,
        "rank": found.anchors.len(),
        "rounds": found.objective.len(),
        "objective": found.objective.last(),
        "anchors": found.anchors,
        "peak_bytes": peak_memory(),
    }));
    let whole = found.termination == Termination::RankReached;
    ensure!(whole, "only {} anchors", found.anchors.len());
    Ok(())
}
