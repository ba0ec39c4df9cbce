//! Every target on its seeds, on what once went wrong, and on some thousand changes of both: the same ones in every run.
//!
//! `XRAY_FUZZ=n` tries n changes for each target; a fault names its target and is written to a file, for
//! `fuzz/regressions/TARGET`.

use std::cell::RefCell;
use std::panic::{catch_unwind, set_hook, take_hook};
use std::path::{Path, PathBuf};
use std::sync::Once;
use std::time::{Duration, Instant};

use xray_fuzz::mutate::Mutator;
use xray_fuzz::{TARGETS, Target};

const CHANGES: usize = 1500;
/// No input is larger than a few thousand bytes.
const LONGEST: Duration = Duration::from_secs(5);
const MOST_MEMORY: u64 = 1 << 29;

/// What once went wrong.
fn regressions(target: &Target) -> Vec<Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/regressions");
    let Ok(files) = std::fs::read_dir(root.join(target.name)) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = files.map(|file| file.expect("a file").path()).collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).expect("a file of this repository")).collect()
}

thread_local! {
    /// What the last panic said, while something is tried: one that a reader catches is nobody's business.
    static SAID: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Panics are kept instead of printed, where something is tried.
fn keep_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let print = take_hook();
        set_hook(Box::new(move |panic| {
            SAID.with_borrow_mut(|said| match said {
                Some(said) => *said = panic.to_string(),
                None => print(panic),
            });
        }));
    });
}

/// Tries bytes, and keeps them where they do harm.
fn try_on(target: &Target, bytes: &[u8]) {
    keep_panics();
    SAID.set(Some(String::new()));
    let start = spent();
    let survived = catch_unwind(|| (target.run)(bytes)).is_ok();
    let (said, took) = (SAID.take().unwrap_or_default(), spent().saturating_sub(start));
    if survived && took < LONGEST {
        return;
    }
    let name = format!("xray-fuzz-{}-{}", target.name, std::process::id());
    let file = std::env::temp_dir().join(name);
    let kept = match std::fs::write(&file, bytes) {
        Ok(()) => format!("kept as {}", file.display()),
        Err(error) => format!("not kept ({error}): {}", bytes.escape_ascii()),
    };
    panic!("{}: {took:?}, {kept}: {said}", target.name);
}

/// Time on processors so far: others who use this machine do not count. Where the system does not tell, the clock's.
fn spent() -> Duration {
    static START: std::sync::LazyLock<Instant> = std::sync::LazyLock::new(Instant::now);
    let ticks = || -> Option<u64> {
        let status = std::fs::read_to_string("/proc/self/stat").ok()?;
        let (_, fields) = status.rsplit_once(')')?;
        let mut fields = fields.split_whitespace().skip(11).map(str::parse::<u64>);
        Some(fields.next()?.ok()? + fields.next()?.ok()?)
    };
    ticks().map_or_else(|| START.elapsed(), |ticks| Duration::from_millis(10 * ticks))
}

/// Peak memory of this process, where the system tells.
fn peak_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kib| kib * 1024)
}

#[test]
fn seeds_and_their_changes_do_no_harm() {
    let n = std::env::var("XRAY_FUZZ").map_or(CHANGES, |n| n.parse().expect("a number"));
    for (number, target) in TARGETS.iter().enumerate() {
        let seeds = [(target.seeds)(), regressions(target)].concat();
        seeds.iter().for_each(|seed| try_on(target, seed));
        let mut mutator = Mutator::new(seeds, number as u64);
        (0..n).for_each(|_| try_on(target, &mutator.draw()));
        assert!(peak_bytes().is_none_or(|bytes| bytes < MOST_MEMORY), "{}", target.name);
    }
}

#[test]
fn seeds_are_taken() {
    let refused: Vec<String> = TARGETS
        .iter()
        .flat_map(|target| (target.seeds)().into_iter().map(move |seed| (target, seed)))
        .filter(|(target, seed)| !(target.run)(seed))
        .map(|(target, seed)| format!("{}: {}", target.name, seed.escape_ascii()))
        .collect();
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}

/// Writes nothing but what `try_on` keeps.
#[test]
#[should_panic(expected = "planted: ")]
fn a_panic_is_noticed() {
    let run = |bytes: &[u8]| bytes[100] == 0;
    try_on(&Target { name: "planted", run, seeds: Vec::new }, b"short");
}

#[test]
fn changes_are_the_same_in_every_run() {
    let draw = || {
        let mut mutator = Mutator::new(vec![b"one seed".to_vec(), b"another".to_vec()], 3);
        (0..100).map(|_| mutator.draw()).collect::<Vec<_>>()
    };
    assert_eq!(draw(), draw());
}
