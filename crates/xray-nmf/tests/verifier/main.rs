//! A verifier that shares no code with the engine: it replays random fits, step by step, from X alone.
//!
//! | checked | recomputed | in |
//! |---|---|---|
//! | anchor, score, margin, point looked from | every projection, then the rule's definition for every column | `detection.rs`, `rules.rs` |
//! | weights | the exact projection, proven by its optimality conditions | `answer.rs`, `nnls.rs` |
//! | certificate, residuals, held-out errors | from X and the H that was returned, for every rank | `answer.rs` |
//! | the end of the run | whether any exterior column sees a candidate | `ends.rs` |
//! | bits | lazy and direct engine, one rank and three | `claim.rs` |
//!
//! All of this in double-double arithmetic, about 32 digits (`wide.rs`). A step is judged given the steps before it,
//! so one mistake is one mistake.
//!
//! **What counts as a tie.** If another column (or point to look from) is ahead of the engine's, the two tie only
//! if they differ by less than the rounding of the engine's arithmetic, as bounded in `rounding.rs`: with unit
//! `8 (m + t + 4) 2^-53`, magnitudes of the terms, and the condition of the rays in use. Anything else is a fault,
//! and so is an exact tie that is not broken by the rule (largest `||X_j|| / p'X_j`, then lowest index). Scores, margins,
//! weights, certificates and errors are held to the same bounds.
//!
//! `XRAY_VERIFY=100000` sets the number of problems (`make verify`), `XRAY_VERIFY_FROM=n` the first of them, and
//! `XRAY_VERIFY_SEED=n` takes one alone and shows it.
//! The summary has a row for each family and each rule: proven ties, the widest of them in units of rounding, anchors
//! among them that lie inside the cone of the other candidates, the worst violation of the optimality conditions, the
//! worst errors of residuals and held-out errors, and fits with faults. Not covered: coordinate descent, which is no
//! exact projection, `f32` storage, and resumed runs.

#[path = "../suite/support/mod.rs"]
mod support;

mod answer;
mod claim;
mod detection;
mod ends;
mod families;
mod findings;
mod nnls;
mod planted;
mod problem;
mod report;
mod rounding;
mod rules;
mod searched;
mod wide;

use std::panic::catch_unwind;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use xray_nmf::with_threads;

use claim::Claim;
use findings::{Fault, Findings};
use problem::Problem;
use report::Report;
use searched::Searched;

/// Problems of a usual run of the tests: 30 of each family under each rule.
const USUAL: u64 = 3_420;

/// All checks of one answer.
fn verify(problem: &Problem, claim: &Claim) -> Findings {
    let mut findings = Findings::default();
    for (way, bits) in &claim.bits[1..] {
        findings.require(*bits == claim.bits[0].1, Fault::Bits, || format!("{way} differs"));
    }
    answer::check(problem, claim, &mut findings);
    let Some(mut searched) = Searched::new(problem) else {
        findings.undecided += 1;
        return findings;
    };
    for (t, step) in claim.steps.iter().enumerate() {
        detection::check(&searched, &problem.params, t, step, &mut findings);
        searched.admit(step.anchor);
    }
    ends::check(problem, claim, &searched, &mut findings);
    findings
}

/// A number from the environment.
fn setting(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name} = {text} is no whole number")))
}

/// Verifies the fits of all these problems, on all cores.
fn verify_all(seeds: std::ops::Range<u64>) -> Report {
    let report = Mutex::new(Report::default());
    let next = AtomicU64::new(seeds.start);
    let work = || {
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= seeds.end {
                return;
            }
            let problem = Problem::new(seed);
            let judged = catch_unwind(|| verify(&problem, &Claim::of(&problem)));
            let findings =
                judged.unwrap_or_else(|_| panic!("a panic at {}", problem.reproduction()));
            report.lock().expect("no thread has panicked").add(&problem, &findings);
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| with_threads(Some(1), work).expect("one thread"));
        }
    });
    report.into_inner().expect("no thread has panicked")
}

#[test]
fn random_fits_stand_up_to_exact_arithmetic() {
    let seeds = match setting("XRAY_VERIFY_SEED") {
        Some(seed) => {
            let problem = Problem::new(seed);
            println!("{problem:?}");
            Claim::of(&problem).steps.iter().for_each(|step| println!("{step:?}"));
            seed..seed + 1
        }
        None => {
            let first = setting("XRAY_VERIFY_FROM").unwrap_or(0);
            first..first + setting("XRAY_VERIFY").unwrap_or(USUAL)
        }
    };
    let report = verify_all(seeds);
    report.print();
    assert_eq!(report.faulty(), 0, "fits with faults, listed above");
}

/// Too rare to be met again in a usual run: weights that gradients hide, scores that tie by the rounding of interior
/// columns, and points whose values are equal but smaller than their rounding.
#[test]
fn rare_fits_stand_up_to_exact_arithmetic() {
    for seed in [13_776, 38_175, 47_960, 91_265, 109_843, 220_860] {
        let report = verify_all(seed..seed + 1);
        report.print();
        assert_eq!(report.faulty(), 0, "a fit with faults, listed above");
    }
}
