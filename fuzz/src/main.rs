//! libFuzzer on one of the targets: `XRAY_FUZZ_TARGET=load xray-fuzz-runner CORPUS`.
//!
//! With `XRAY_FUZZ_SEEDS=FOLDER` it writes the target's seeds into that folder instead.

#![no_main]

use std::alloc::{GlobalAlloc, Layout, System};
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

/// What one allocation may take: inputs are small, so who asks for more trusts what an input says of itself.
const LARGEST: usize = 1 << 30;

/// The system's allocator, which gives nobody more than that.
struct Bounded;

#[global_allocator]
static BOUNDED: Bounded = Bounded;

/// Ends the program, as a fault, where too much is asked for.
fn check(bytes: usize) {
    if bytes > LARGEST {
        std::process::abort();
    }
}

// SAFETY: every call is passed on as it is, or does not return.
unsafe impl GlobalAlloc for Bounded {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        check(layout.size());
        // SAFETY: the caller's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        check(layout.size());
        // SAFETY: the caller's.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        check(size);
        // SAFETY: the caller's.
        unsafe { System.realloc(place, layout, size) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // SAFETY: the caller's.
        unsafe { System.dealloc(place, layout) }
    }
}

/// Writes seeds if that is asked for. Then only a panic that comes out of the target ends the run: one that is
/// caught inside is no fault. This thread is the only one: handing work to another would take longer than the work.
fn begin() {
    if let Some(folder) = std::env::var_os("XRAY_FUZZ_SEEDS") {
        for (number, seed) in (TARGET.seeds)().iter().enumerate() {
            let file = Path::new(&folder).join(format!("seed-{number}"));
            std::fs::write(file, seed).expect("a folder for the seeds");
        }
        std::process::exit(0);
    }
    drop(std::panic::take_hook());
    let alone = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread();
    alone.build_global().expect("the first pool");
}

fuzz_target!(init: begin(), |bytes: &[u8]| { (TARGET.run)(bytes); });
