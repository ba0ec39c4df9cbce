//! libFuzzer on one of the targets: `XRAY_FUZZ_TARGET=load xray-fuzz-runner CORPUS`.
//!
//! With `XRAY_FUZZ_SEEDS=FOLDER` it writes the target's seeds into that folder instead.

#![no_main]

use std::path::Path;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use xray_fuzz::{TARGETS, Target};

static TARGET: LazyLock<&Target> = LazyLock::new(|| {
    let name = std::env::var("XRAY_FUZZ_TARGET").unwrap_or_default();
    let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
    let found = TARGETS.iter().find(|target| target.name == name);
    found.unwrap_or_else(|| panic!("XRAY_FUZZ_TARGET is one of {}", names.join(", ")))
});

/// Writes seeds if that is asked for. Then only a panic that comes out of the target ends the run: one that is
/// caught inside is no fault.
fn begin() {
    if let Some(folder) = std::env::var_os("XRAY_FUZZ_SEEDS") {
        for (number, seed) in (TARGET.seeds)().iter().enumerate() {
            let file = Path::new(&folder).join(format!("seed-{number}"));
            std::fs::write(file, seed).expect("a folder for the seeds");
        }
        std::process::exit(0);
    }
    drop(std::panic::take_hook());
}

fuzz_target!(init: begin(), |bytes: &[u8]| { (TARGET.run)(bytes); });
